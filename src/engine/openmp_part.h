// SPDX-License-Identifier: Apache-2.0
// What one thread of engine `openmp` keeps: the liquid cells of a stretch of the padded arrays in ascending order,
// their fields as a structure of arrays, and the edges, cell to neighbour, along which lava flows in this step.
//
// Of the arrays of the grid only z and h are up to date all the time; T, px, py and the maxima of liquid cells are
// here, and go back with sciara_part_store. Compiled once per precision.
#ifndef SCIARA_ENGINE_OPENMP_PART_H
#define SCIARA_ENGINE_OPENMP_PART_H

#include "engine/host_fields.h"
#include "engine/stopwatch.h"

#ifdef SCIARA_SINGLE
typedef int32_t sciara_lane; ///< an integer as wide as a real: lanes of both then fill one register alike
#else
typedef int64_t sciara_lane;
#endif

/** To whom an edge leads. */
enum sciara_edge_kind {
  SCIARA_EDGE_INNER, ///< to a liquid cell of the same part
  SCIARA_EDGE_FRESH, ///< to a dry cell of the same part
  SCIARA_EDGE_OUTER, ///< to a cell of another part
  SCIARA_EDGE_KINDS
};

/** Edges of one kind and one direction, in the order of their donors; so the cells they lead to ascend as well. */
struct sciara_edges {
  int64_t count, capacity;
  int64_t timed;      ///< those before it have had their part in the minimum of the clock
  int64_t flown;      ///< those before it have had their flow computed
  int64_t taken;      ///< those before it have arrived
  uint32_t *to;       ///< of inner edges: place of the receiver in the part
  int64_t *cell;      ///< of all others: its padded index
  uint32_t *donor;    ///< place of the donor in its part
  real *v0, *share;   ///< become the speed and the thickness of the outflow
  real *accel, *path; ///< before the time is asked for: top and head; `accel` becomes the temperature of the donor, K
};

/** An outflow that reaches a cell from another part, or a dry one. */
struct sciara_arrival {
  int64_t cell;  ///< padded index; of an arrival at a liquid cell its place in the part
  int direction; ///< the donor as the receiver numbers it
  struct sciara_outflow out;
  real T; ///< of the donor, K
};

struct sciara_arrivals {
  struct sciara_arrival *list;
  int64_t count, capacity, taken;
};

/** A fixed part of the list of the liquid cells. */
struct sciara_part {
  struct sciara_rule rule;
  struct sciara_fields f;
  uint32_t *slot;     ///< by padded index: place of a liquid cell in its part + 1, or 0
  uint32_t *changed;  ///< by padded index: the last step in which its thickness or its ground changed
  uint32_t step;      ///< the step in progress
  real t;             ///< the clock found in this step, s
  double time;        ///< simulated time at the end of this step, s
  int64_t begin, end; ///< padded indices it answers for

  int64_t count, capacity; ///< liquid cells
  bool checks;             ///< at the numbers of all its lava, in this step
  bool first;              ///< the first step since the upload: arrivals may not have been noted yet
  int64_t *cell;           ///< padded index, ascending
  real *h, *T, *px, *py;   ///< the state
  real *from;              ///< at rest since it had this temperature, K; 0: it is not at rest
  uint32_t *test_from;     ///< from this step on it is worth asking whether it rests
  real *solid;             ///< rock under the lava, m; only if a field OF GROUND is recorded
#define SCIARA_RECORDED_FIELD(member, NAME, ...) real *member; ///< only if the field is recorded
#include "model/fields.def"
  real *keep;                     ///< of its momentum, in this step
  real *leaving;                  ///< out_1 + .. + out_8, m
  uint32_t *list;                 ///< places of the cells that dry up, ascending
  uint32_t *subnormal;            ///< places of the cells with a subnormal momentum, ascending
  int64_t subnormal_count, faded; ///< how many, and how many have been seen to
  int64_t removed;                ///< entries of `list`

  struct sciara_edges edges[SCIARA_EDGE_KINDS][SCIARA_MOORE];
  struct sciara_arrivals inner[SCIARA_MOORE]; ///< from other parts to liquid cells, by direction, ascending
  struct sciara_arrivals fresh;               ///< at dry cells
  int64_t *created;                           ///< padded indices of dry cells that have become liquid, ascending
  int64_t created_count, created_capacity;

  real t_opt;                     ///< smallest time of its cells, s
  int64_t bad;                    ///< first padded index with numbers that lava cannot have, or INT64_MAX
  int64_t rock, lost;             ///< cells that turned to rock, that lost their lava through the rim
  bool exhausted;                 ///< no memory: the step cannot go on
  bool aborted;                   ///< it cannot, for that or a NaN, found before the lava moved
  struct sciara_stopwatch *watch; ///< of the part whose pieces are timed; else NULL
};

#define sciara_part_release SCIARA_NAME(sciara_part_release)
#define sciara_part_reserve SCIARA_NAME(sciara_part_reserve)
#define sciara_part_append SCIARA_NAME(sciara_part_append)
#define sciara_part_insert SCIARA_NAME(sciara_part_insert)
#define sciara_part_store SCIARA_NAME(sciara_part_store)
#define sciara_part_update SCIARA_NAME(sciara_part_update)
#define sciara_part_settle_dry SCIARA_NAME(sciara_part_settle_dry)
#define sciara_edges_reserve SCIARA_NAME(sciara_edges_reserve)
#define sciara_arrivals_reserve SCIARA_NAME(sciara_arrivals_reserve)
#define sciara_part_memory_of_lava SCIARA_NAME(sciara_part_memory_of_lava)
#define sciara_part_forget SCIARA_NAME(sciara_part_forget)
#define sciara_part_take SCIARA_NAME(sciara_part_take)

/** Bytes for each liquid cell where lava lies in a wide field. */
size_t sciara_part_memory_of_lava(unsigned record);

/** A part without cells and memory, all else as it is; what it held belongs to a copy of it. */
void sciara_part_forget(struct sciara_part *p);

/** Adds place k of another part behind all others. */
enum sciara_status sciara_part_take(struct sciara_part *p, struct sciara_part *from, int64_t k);

/** Releases what a part holds, and forgets it. */
void sciara_part_release(struct sciara_part *p);

/** Room for `need` cells. */
enum sciara_status sciara_part_reserve(struct sciara_part *p, int64_t need);

/** Adds cell i behind all others, with what the arrays of the grid hold; there is room. */
void sciara_part_append(struct sciara_part *p, int64_t i);

/** Adds a cell that has become liquid where it belongs. */
enum sciara_status sciara_part_insert(struct sciara_part *p, int64_t i);

/** Writes what place k knows to the arrays of the grid. */
void sciara_part_store(const struct sciara_part *p, int64_t k);

/** tau2, rim and tau3 of the dry cells that something reached: they are in `created` when they stay liquid. */
enum sciara_status sciara_part_settle_dry(struct sciara_part *p);

/** Takes out the dead and puts in the created. */
enum sciara_status sciara_part_update(struct sciara_part *p);

/** Room for `more` further edges of part p, of one kind and direction. */
bool sciara_edges_reserve(struct sciara_part *p, enum sciara_edge_kind kind, int direction, int64_t more);

/** Room for `more` further arrivals. */
bool sciara_arrivals_reserve(struct sciara_arrivals *a, int64_t more);

/** Cell i holds numbers that lava cannot have. */
static inline void sciara_part_report(struct sciara_part *p, int64_t i) {
  if (i < p->bad) p->bad = i;
}

#endif
