// SPDX-License-Identifier: Apache-2.0
// The state of a simulation on the host: unpadded, row-major, northern row first, always double.
#ifndef SCIARA_MODEL_STATE_H
#define SCIARA_MODEL_STATE_H

#include "model/site.h"

SCIARA_BEGIN_DECLS

/** Value of `arrival` in cells that lava never reached. */
#define SCIARA_NEVER (-1.0)

/**
 * Substates and derived fields, rows x cols each; created by sciara_state_create. Ground and kinds belong to the site,
 * which other states may use too; the other fields are owned.
 */
struct sciara_state {
  const struct sciara_site *site; ///< one reference
  struct sciara_grid grid;        ///< of the site
  const uint8_t *kind;            ///< of the site: enum sciara_cell_kind
// The fields of fields.def, which states meanings and units. A field that is recorded on request is NULL if it is not
// recorded.
#define SCIARA_REAL_FIELD(member) double *member;
#define SCIARA_GROUND_FIELD(member) const double *member;
#define SCIARA_DOUBLE_FIELD(member) double *member;
#define SCIARA_RECORDED_FIELD(member, NAME, ...) double *member;
#include "model/fields.def"

  double time;              ///< simulated time s, s; lava has been emitted up to this time
  double clock;             ///< t computed in the last step, s; before any step the first clock
  uint64_t step;            ///< steps done
  double initial;           ///< liquid lava given with the scenario, m3
  double emitted;           ///< m3, one running sum, in the order of the vents in the file
  double added, removed;    ///< by a correction with observed lava, the latter also by edits of the ground, m3
  uint64_t solidifications; ///< solidified cells so far (for the bound of the ledger)
};

/** The fields that are recorded on request, in the order of fields.def. */
enum {
#define SCIARA_RECORDED_FIELD(member, NAME, ...) SCIARA_RECORDED_##NAME,
#include "model/fields.def"
  SCIARA_RECORDED_FIELDS
};

/** The fields that a state records: SCIARA_RECORD_MAX_THICKNESS and so on, one bit each. */
enum sciara_record {
#define SCIARA_RECORDED_FIELD(member, NAME, ...) SCIARA_RECORD_##NAME = 1 << SCIARA_RECORDED_##NAME,
#include "model/fields.def"
  SCIARA_RECORD_NOTHING = 0
};

enum { SCIARA_RECORD_EVERYTHING = (1 << SCIARA_RECORDED_FIELDS) - 1 };

/** What the value of a recorded field is computed from: see fields.def. */
enum sciara_recorded_of { SCIARA_OF_LAVA, SCIARA_OF_GROUND };
#define SCIARA_IS_OF_GROUND(OF) (SCIARA_OF_##OF == SCIARA_OF_GROUND)

/** The recorded fields OF GROUND: an engine that records one of them also has the ground fields. */
enum {
#define SCIARA_RECORDED_FIELD(member, NAME, OF, value) +(int)SCIARA_OF_##OF *(int)SCIARA_RECORD_##NAME
  SCIARA_RECORD_OF_GROUND = 0
#include "model/fields.def"
};

/** Number of fields in a set of bits of enum sciara_record. */
static inline size_t sciara_record_count(unsigned record) {
  size_t count = 0;
  for (; record; record &= record - 1) count++;
  return count;
}

/**
 * A state of bare ground, with a reference to the site: z is z0, arrival is SCIARA_NEVER, all other fields are 0.
 *
 * @param record bits of enum sciara_record
 */
enum sciara_status sciara_state_create_on(const struct sciara_site *site, unsigned record, struct sciara_state **out);

/** sciara_state_create_on with a new site, created by sciara_site_create. */
enum sciara_status sciara_state_create(const struct sciara_grid *grid, const double *altitude, const uint8_t *valid,
                                       unsigned record, struct sciara_state **out);
void sciara_state_destroy(struct sciara_state *s);

/** Bytes of the arrays of a state; those of its site are counted separately, by sciara_site_memory. */
size_t sciara_state_memory(const struct sciara_grid *grid, unsigned record);

/** Bits of enum sciara_record: the fields that a state records. */
unsigned sciara_state_record(const struct sciara_state *s);

/** A copy of everything that changes, with the same site. */
enum sciara_status sciara_state_clone(const struct sciara_state *s, struct sciara_state **out);

/**
 * Copies everything that changes from one state to another, of the recorded fields those that both have: cell (r, c) of
 * `from` is cell (row + r, col + c) of `to`, as far as that exists.
 */
void sciara_state_copy_at(const struct sciara_state *from, int64_t row, int64_t col, struct sciara_state *to);

// Lava never reaches most of a map, and work on a whole state can skip that part.

/** Columns begin .. end - 1; none if both are equal. */
struct sciara_span {
  int64_t begin, end;
};

/** For every row a part. Outside this part all fields are bit-identical to bare ground. */
struct sciara_touched {
  struct sciara_span *rows; ///< one per row; owned
  int64_t liquid_cells;     ///< cells with h > 0
};

/** Finds these parts in one pass over the state, divided among at most so many threads. After a failure there is nothing to release. */
enum sciara_status sciara_touched_find(const struct sciara_state *s, int threads, struct sciara_touched *out);
void sciara_touched_release(struct sciara_touched *touched);

/**
 * 64 bits over z, h, T, px, py, z0, lost, arrival, time, clock, step, initial, emitted and what a correction added and removed: a sum of hashes of (field,
 * cell, bits), so it does not depend on padding, order, engine and threads. -0 and +0 differ. The maxima, which are
 * recorded only on request, are not part of it.
 */
uint64_t sciara_state_checksum(const struct sciara_state *s);

/** sciara_state_checksum, divided among the cores. */
uint64_t sciara_checksum_in_parallel(const struct sciara_state *s);

/** The part of the checksum for bare ground, which depends on z0 and the grid only. */
uint64_t sciara_state_checksum_of_ground(const struct sciara_state *s);

/**
 * sciara_state_checksum, given that part and where lava has been: its cost depends on the area of the lava, not on that
 * of the map.
 */
uint64_t sciara_state_checksum_over(const struct sciara_state *s, uint64_t ground,
                                    const struct sciara_touched *touched);

/**
 * sciara_state_checksum of a map of `cols` columns that is bare ground but for a rectangle, of which `s` is the state.
 *
 * @param ground sciara_state_checksum_of_ground of the map
 * @param first  number of the cell of the map in which the rectangle begins
 */
uint64_t sciara_state_checksum_at(const struct sciara_state *s, uint64_t ground, int64_t first, int64_t cols);

/** Number of cells with h > 0. */
int64_t sciara_state_liquid_cells(const struct sciara_state *s);

SCIARA_END_DECLS
#endif
