// SPDX-License-Identifier: Apache-2.0
// Footprints: what an ensemble keeps of its members. The values of their cells are those of footprint.def.
#ifndef SCIARA_MEMBER_FOOTPRINT_H
#define SCIARA_MEMBER_FOOTPRINT_H

#include <stdbool.h>

#include "base/status.h"
#include "model/state.h"
#include "model/window.h"
#include "sim/end.h"

/** The values of a cell, by number: SCIARA_FOOTPRINT_VALUE_ARRIVAL, ... */
enum sciara_footprint_value {
#define SCIARA_FOOTPRINT_VALUE(name, NAME, ...) SCIARA_FOOTPRINT_VALUE_##NAME,
#include "member/footprint.def"
  SCIARA_FOOTPRINT_VALUES
};

/** What is known of a value. */
struct sciara_footprint_value_info {
  const char *name, *unit, *meaning;
  bool unknown; ///< batches of earlier versions do not have it: its values are then NAN
  bool most;    ///< of a place it is the largest value of its cells, else the smallest
};

extern const struct sciara_footprint_value_info sciara_footprint_values[SCIARA_FOOTPRINT_VALUES];

/** The recorded fields that the state of a member has: bits SCIARA_RECORD_... */
enum {
  SCIARA_FOOTPRINT_RECORD = 0
#define SCIARA_FOOTPRINT_VALUE(name, NAME, unit, FILL, RECORD, ...) | (int)RECORD
#include "member/footprint.def"
};

/** What is kept of one member. Zero-initialise; release with sciara_footprint_free. */
struct sciara_footprint {
  int64_t id;        ///< of members.csv, >= 0
  uint64_t row_hash; ///< of its row there
  int64_t count;     ///< cells that lava has reached
  int64_t *cell;     ///< row-major index on the grid of the whole site, ascending
  union {            ///< the values of each cell: f->arrival is f->value[SCIARA_FOOTPRINT_VALUE_ARRIVAL]
    struct {
#define SCIARA_FOOTPRINT_VALUE(name, ...) float *name;
#include "member/footprint.def"
    };
    float *value[SCIARA_FOOTPRINT_VALUES];
  };
  enum sciara_stop_reason stop; ///< SCIARA_STOP_NONE: it has failed
  bool failed;                  ///< it has no result: `error` says why, and count is 0
  char *error;                  ///< "" unless it has failed
  bool censored;                ///< it ended before its own stop rule, or has a tower: its footprint may be too small
  double end_s;                 ///< simulated time reached; 0 if it has failed
  uint64_t steps;               ///< if it has failed: the number of the step that failed, or 0
  uint64_t cell_steps;          ///< 0 if it has failed
  uint64_t checksum;            ///< of its state, as sciara_state_checksum of the whole map
  struct sciara_ledger ledger;
  double seconds; ///< wall-clock time of its computation
  char *warnings; ///< "" or lines
};

void sciara_footprint_free(struct sciara_footprint *f);

/** Makes the arrays of `count` cells; the caller releases them, also after an error. The number in f is not changed. */
enum sciara_status sciara_footprint_make_cells(struct sciara_footprint *f, int64_t count);

/**
 * Makes the cells of a member that lava has reached, from the last state of its window on a map of so many columns.
 *
 * @param time_zero simulated time at its start, s
 */
enum sciara_status sciara_footprint_take_cells(struct sciara_footprint *f, const struct sciara_state *s,
                                               const struct sciara_window *window, int64_t map_cols, double time_zero);

/** Releases the arrays of cells. */
void sciara_footprint_free_cells(struct sciara_footprint *f);

/** Bytes of a cell in memory. */
enum { SCIARA_FOOTPRINT_CELL = sizeof(int64_t) + SCIARA_FOOTPRINT_VALUES * sizeof(float) };

// ------------------------------------------------------------------------------------------------------- kept in memory

/** Footprints of finished members, kept until their batch is joined, so that their files need not be read again. */
struct sciara_kept_footprints;

/**
 * For members 0 to count - 1, with at most `most` bytes. To be released with sciara_kept_destroy.
 *
 * @return NULL if there is not enough memory: nothing is kept
 */
struct sciara_kept_footprints *sciara_kept_create(size_t count, double most);

/** Moves *f here if there is room, else leaves it. Any thread may call it. NULL keeps nothing. */
void sciara_kept_put(struct sciara_kept_footprints *kept, size_t member, struct sciara_footprint *f);

/** Moves the footprint of a member to *f, which was empty; false: it is not here, or `kept` is NULL. */
bool sciara_kept_take(struct sciara_kept_footprints *kept, size_t member, struct sciara_footprint *f);

/** NULL is allowed. */
void sciara_kept_destroy(struct sciara_kept_footprints *kept);

#endif
