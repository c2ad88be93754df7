// SPDX-License-Identifier: Apache-2.0
// The state of a simulation on the host: unpadded, row-major, northern row first, always double.
#ifndef SCIARA_MODEL_STATE_H
#define SCIARA_MODEL_STATE_H

#include "model/site.h"

SCIARA_BEGIN_DECLS

/** arrival where lava never was. */
#define SCIARA_NEVER (-1.0)

/**
 * Substates and derived fields, rows x cols each; made by sciara_state_create. Ground and kinds are those of the site, which
 * other states may share; the other fields are owned.
 */
struct sciara_state {
  const struct sciara_site *site; ///< one reference
  struct sciara_grid grid;        ///< of the site
  const uint8_t *kind;            ///< of the site: enum sciara_cell_kind
// The fields of fields.def, with their meanings and units there; those that are recorded on request are NULL when they are not.
#define SCIARA_REAL_FIELD(member) double *member;
#define SCIARA_GROUND_FIELD(member) const double *member;
#define SCIARA_DOUBLE_FIELD(member) double *member;
#define SCIARA_RECORDED_FIELD(member, NAME, ...) double *member;
#include "model/fields.def"

  double time;              ///< simulated time s, s: up to which lava has been emitted
  double clock;             ///< t found in the last step (the first clock before any step), s
  uint64_t step;            ///< steps done
  double initial;           ///< liquid lava given with the scenario, m3
  double emitted;           ///< m3, one running double in file order of the vents
  uint64_t solidifications; ///< cells that turned to rock so far (bounds the rounding of the ledger)
};

struct sciara_touched; // model/touched.h

/** The fields that are recorded on request, in the order of fields.def. */
enum {
#define SCIARA_RECORDED_FIELD(member, NAME, ...) SCIARA_RECORDED_##NAME,
#include "model/fields.def"
  SCIARA_RECORDED_FIELDS
};

/** Which of them a state records: SCIARA_RECORD_MAX_THICKNESS and so on, one bit each. */
enum sciara_record {
#define SCIARA_RECORDED_FIELD(member, NAME, ...) SCIARA_RECORD_##NAME = 1 << SCIARA_RECORDED_##NAME,
#include "model/fields.def"
  SCIARA_RECORD_NOTHING = 0
};

enum { SCIARA_RECORD_EVERYTHING = (1 << SCIARA_RECORDED_FIELDS) - 1 };

/** What the value of a recorded field is made of: see fields.def. */
enum sciara_recorded_of { SCIARA_OF_LAVA, SCIARA_OF_GROUND };
#define SCIARA_IS_OF_GROUND(OF) (SCIARA_OF_##OF == SCIARA_OF_GROUND)

/** The recorded fields OF GROUND: an engine that records one has the ground fields too. */
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
 * The state of the bare ground of a site, of which it takes a reference: z is z0, arrival SCIARA_NEVER, all other fields 0.
 *
 * @param record bits of enum sciara_record
 */
enum sciara_status sciara_state_create_on(const struct sciara_site *site, unsigned record, struct sciara_state **out);

/** The same on a site of its own: that of sciara_site_create. */
enum sciara_status sciara_state_create(const struct sciara_grid *grid, const double *altitude, const uint8_t *valid,
                                       unsigned record, struct sciara_state **out);
void sciara_state_destroy(struct sciara_state *s);

/** Bytes that the arrays of a state take; those of its site are counted once, by sciara_site_memory. */
size_t sciara_state_memory(const struct sciara_grid *grid, unsigned record);

/** Bits of enum sciara_record of what a state records. */
unsigned sciara_state_record(const struct sciara_state *s);

/** A copy of all that changes, on the same site. */
enum sciara_status sciara_state_clone(const struct sciara_state *s, struct sciara_state **out);

/**
 * 64 bits over z, h, T, px, py, z0, lost, arrival, time, clock, step, initial and emitted: a sum of mixed (field, cell,
 * bits) words, so independent of padding, order, engine and threads. -0 and +0 differ. The maxima, which a run records or
 * not, are no part of it.
 */
uint64_t sciara_state_checksum(const struct sciara_state *s);

/** What it is a sum of: the shares of any parts of the cells, and that of all that belongs to no cell. */
uint64_t sciara_state_checksum_cells(const struct sciara_state *s, int64_t first, int64_t count);
uint64_t sciara_state_checksum_rest(const struct sciara_state *s);

/** The part of the checksum that the bare ground makes up: what z0 and the grid alone decide. */
uint64_t sciara_state_checksum_of_ground(const struct sciara_state *s);

/** sciara_state_checksum, given that part and where lava has been: it costs what the lava covers, not what the map does. */
uint64_t sciara_state_checksum_over(const struct sciara_state *s, uint64_t ground,
                                    const struct sciara_touched *touched);

/** Cells with h > 0. */
int64_t sciara_state_liquid_cells(const struct sciara_state *s);

SCIARA_END_DECLS
#endif
