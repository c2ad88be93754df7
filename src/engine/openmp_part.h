// SPDX-License-Identifier: Apache-2.0
// The part of the cells that one thread of engine `openmp` works on: the liquid cells of a contiguous part of the
// padded arrays in ascending order, their fields as a structure of arrays, and what flows in this step: with rule fv3 edges
// from cell to neighbour; with rule bingham a rate for each neighbour, where the neighbour finds it.
//
// In the arrays of the grid only z and h are always up to date. T, px, py and the maxima of liquid cells are stored
// here; sciara_part_store writes them back. Compiled once per precision.
// Included by this room alone.
#ifndef SCIARA_ENGINE_OPENMP_PART_H
#define SCIARA_ENGINE_OPENMP_PART_H

#include "base/isa.h"
#include "engine/host_fields.h"
#include "engine/stopwatch.h"
#include "model/tally.h"

#ifdef SCIARA_SINGLE
typedef int32_t sciara_lane; ///< an integer as wide as a real, so that a register has the same number of lanes of both
#else
typedef int64_t sciara_lane;
#endif

enum {
  CHUNK = 64 / sizeof(real), ///< lanes of the widest register
  GANG = 8 * CHUNK           ///< cells that vector instructions compute together
};

#if SCIARA_SHEET
/** What each cell gives in this step, by padded index: only liquid cells give. Of all parts. */
struct sciara_given {
  real *rate[SCIARA_MOORE]; ///< to each neighbour, m/s; when t is known, -out where that is less. Entry 0 is unused
  real *T;                  ///< of what flows, K
};

/** A cell that may give less than rate t. */
struct sciara_limited {
  int64_t cell;             ///< padded index
  real share[SCIARA_MOORE]; ///< at most, m. Entry 0 is unused
};
#else
/** The receiver of an edge. */
enum sciara_edge_kind {
  SCIARA_EDGE_INNER, ///< to a liquid cell of the same part
  SCIARA_EDGE_FRESH, ///< to a dry cell of the same part
  SCIARA_EDGE_OUTER, ///< to a cell of another part
  SCIARA_EDGE_KINDS
};

/** Edges of one kind and one direction, in ascending order of their donors, and so also of their receivers. */
struct sciara_edges {
  int64_t count, capacity;
  int64_t taken;      ///< the lava of earlier edges has arrived
  int64_t timed;      ///< earlier edges are included in the minimum of the clock
  int64_t flown;      ///< earlier edges have their flow computed
  uint32_t *to;       ///< for inner edges: entry of the receiver in the part
  int64_t *cell;      ///< for all others: padded index of the receiver
  uint32_t *donor;    ///< entry of the donor in its part
  real *v0, *share;   ///< later the speed and the thickness of the outflow
  real *accel, *path; ///< top and head until the time is computed; at last `accel` is the temperature of the donor, K
};

/** An outflow that comes from another part, or that reaches a dry cell. */
struct sciara_arrival {
  int64_t cell;  ///< padded index of the receiver; if it is liquid: its entry in the part
  int direction; ///< the number of the donor among the neighbours of the receiver
  struct sciara_outflow out;
  real T; ///< of the donor, K
};

struct sciara_arrivals {
  struct sciara_arrival *list;
  int64_t count, capacity, taken;
};
#endif

/** Padded indices of cells. */
struct sciara_cell_list {
  int64_t *cell;
  int64_t count, capacity;
};

/** A part of the cells, with the list of its liquid cells. */
struct sciara_part {
  struct sciara_rule rule;
  struct sciara_fields f;
  uint32_t *entry_of; ///< by padded index: entry of a liquid cell in its part + 1, or 0
  uint32_t *changed;  ///< by padded index: the last step in which its thickness or its ground changed
  uint32_t step;      ///< the step in progress
  real t;             ///< the clock found in this step, s
  double time;        ///< simulated time at the end of this step, s
  int64_t begin, end; ///< padded indices of the part

  int64_t count, capacity; ///< liquid cells
  bool checks;             ///< whether all lava is checked in this step
  bool first;              ///< the first step since the upload: arrival times may not be set yet
  int64_t *cell;           ///< padded index, ascending
  real *h, *T, *px, *py;   ///< the state
  real *from;              ///< quiescent since the cell had this temperature, K; 0: not quiescent
  uint32_t *test_from;     ///< the step from which on the cell is tested for being quiescent
  real *solid;             ///< thickness of the rock under the lava, m; only if a field OF GROUND is recorded
#define SCIARA_RECORDED_FIELD(member, NAME, ...) real *member; ///< only if the field is recorded
#include "model/fields.def"
  uint32_t *list;                  ///< entries of the cells that dry up, ascending
  int64_t removed;                 ///< entries of `list`
  struct sciara_cell_list created; ///< dry cells that have become liquid, ascending

#if SCIARA_SHEET
  struct sciara_given given;
  struct sciara_limited *limited; ///< of this step
  int64_t limited_count, limited_capacity;
  struct sciara_cell_list reached; ///< dry cells to which its cells give, some several times
  struct sciara_cell_list fresh;   ///< its dry cells to which lava comes
  struct sciara_cell_list gone;    ///< cells that dried up in this step
#else
  real *keep;                     ///< fraction of the momentum that is kept in this step
  real *leaving;                  ///< out_1 + .. + out_8, m
  uint32_t *subnormal;            ///< entries of the cells with a subnormal momentum, ascending
  int64_t subnormal_count, faded; ///< their number, and the number already processed
  struct sciara_edges edges[SCIARA_EDGE_KINDS][SCIARA_MOORE];
  struct sciara_arrivals inner[SCIARA_MOORE]; ///< from other parts to liquid cells, by direction, in ascending order
  struct sciara_arrivals fresh;               ///< to dry cells
#endif

  real t_opt;                ///< smallest time of its cells, s
  int64_t bad;               ///< first padded index with invalid numbers, or INT64_MAX
  struct sciara_tally tally; ///< of the step
  bool exhausted;            ///< there was no memory: the step cannot continue
  bool aborted;              ///< the step cannot continue: no memory, or invalid numbers found before the lava moved
  struct sciara_stopwatch *watch; ///< in the part that is timed; else NULL
};

#define sciara_part_release SCIARA_NAME(sciara_part_release)
#define sciara_part_list_lava SCIARA_NAME(sciara_part_list_lava)
#define sciara_part_insert SCIARA_NAME(sciara_part_insert)
#define sciara_part_store SCIARA_NAME(sciara_part_store)
#define sciara_part_settle_dry SCIARA_NAME(sciara_part_settle_dry)
#define sciara_edges_reserve SCIARA_NAME(sciara_edges_reserve)
#define sciara_limited_reserve SCIARA_NAME(sciara_limited_reserve)
#define sciara_cell_list_reserve SCIARA_NAME(sciara_cell_list_reserve)
#define sciara_part_forget_gone SCIARA_NAME(sciara_part_forget_gone)
#define sciara_arrivals_reserve SCIARA_NAME(sciara_arrivals_reserve)
#define sciara_part_memory_of_lava SCIARA_NAME(sciara_part_memory_of_lava)
#define sciara_part_give_cells SCIARA_NAME(sciara_part_give_cells)
#define sciara_part_take SCIARA_NAME(sciara_part_take)

/** Bytes for each liquid cell of a large area of lava. */
size_t sciara_part_memory_of_lava(unsigned record);

/** Moves the cells of a part, with what lasts between steps, into an empty one. The part keeps the memory for a step's work if it is `lasting`. */
void sciara_part_give_cells(struct sciara_part *p, bool lasting, struct sciara_part *to);

/** Appends the cell at entry k of another part. */
enum sciara_status sciara_part_take(struct sciara_part *p, struct sciara_part *from, int64_t k);

/** Releases the memory of a part and makes it empty. */
void sciara_part_release(struct sciara_part *p);

/** Lists the liquid cells of a part whose list is empty. */
enum sciara_status sciara_part_list_lava(struct sciara_part *p);

/** Inserts a cell that has become liquid where it belongs in the order. */
enum sciara_status sciara_part_insert(struct sciara_part *p, int64_t i);

/** Writes the values at entry k to the arrays of the grid. */
void sciara_part_store(const struct sciara_part *p, int64_t k);

/** tau2, rim and tau3 of the dry cells that lava has reached; then the list of liquid cells is that of the next step. */
enum sciara_status sciara_part_settle_dry(struct sciara_part *p);

/** Reserves room for `more` further cells. */
bool sciara_cell_list_reserve(struct sciara_cell_list *l, int64_t more);

#if SCIARA_SHEET
/** Reserves room for `more` further limited cells. */
bool sciara_limited_reserve(struct sciara_part *p, int64_t more);

/** The cells that dried up in this step give nothing from now on. While no thread settles. */
void sciara_part_forget_gone(struct sciara_part *p);

/** The thickness that flows at a stored rate in a step of `t` s, m. */
static inline real sciara_given_out(real rate, real t) { return sciara_larger(rate * t, -rate); }
#else
/** Reserves room for `more` further edges of one kind and direction in part p. */
bool sciara_edges_reserve(struct sciara_part *p, enum sciara_edge_kind kind, int direction, int64_t more);

/** Reserves room for `more` further arrivals. */
bool sciara_arrivals_reserve(struct sciara_arrivals *a, int64_t more);
#endif

/** Reports that cell i has invalid numbers. */
static inline void sciara_part_report(struct sciara_part *p, int64_t i) {
  if (i < p->bad) p->bad = i;
}

/** One step of a part in three pieces, with barriers of all threads between them; once for each kind of processor. */
struct sciara_part_kernel {
  void (*evaluate)(struct sciara_part *p); ///< tau1, time evaluation: t_opt and edges
  void (*flow)(struct sciara_part *p);     ///< tau1, flow computing
  void (*settle)(struct sciara_part *p);   ///< tau2, rim and tau3 of the cells that were liquid before; needs `inner`
};

#define SCIARA_DECLARE_KERNEL(level)                                      \
  void SCIARA_NAME(sciara_part_evaluate_##level)(struct sciara_part * p); \
  void SCIARA_NAME(sciara_part_flow_##level)(struct sciara_part * p);     \
  void SCIARA_NAME(sciara_part_settle_##level)(struct sciara_part * p);
#define SCIARA_KERNEL(level)                                                          \
  (struct sciara_part_kernel) {                                                       \
    SCIARA_NAME(sciara_part_evaluate_##level), SCIARA_NAME(sciara_part_flow_##level), \
        SCIARA_NAME(sciara_part_settle_##level)                                       \
  }

SCIARA_DECLARE_KERNEL(generic)
#ifdef SCIARA_HAVE_LEVELS
SCIARA_DECLARE_KERNEL(v2)
SCIARA_DECLARE_KERNEL(v3)
SCIARA_DECLARE_KERNEL(v4)
#endif

/** The pieces for a kind of processor that is available here. */
static inline struct sciara_part_kernel sciara_part_kernel_find(enum sciara_isa isa) {
#ifdef SCIARA_HAVE_LEVELS
  switch (isa == SCIARA_ISA_BEST ? sciara_isa_best() : isa) {
    case SCIARA_ISA_V2: return SCIARA_KERNEL(v2);
    case SCIARA_ISA_V3: return SCIARA_KERNEL(v3);
    case SCIARA_ISA_V4: return SCIARA_KERNEL(v4);
    default: break;
  }
#else
  (void)isa;
#endif
  return SCIARA_KERNEL(generic);
}

#ifdef SCIARA_LEVEL // in the sources of the pieces: the names for the kind of processor that is compiled for
#define sciara_part_evaluate SCIARA_NAME(SCIARA_PASTE(sciara_part_evaluate, SCIARA_LEVEL))
#define sciara_part_flow SCIARA_NAME(SCIARA_PASTE(sciara_part_flow, SCIARA_LEVEL))
#define sciara_part_settle SCIARA_NAME(SCIARA_PASTE(sciara_part_settle, SCIARA_LEVEL))
void sciara_part_evaluate(struct sciara_part *p);
void sciara_part_flow(struct sciara_part *p);
void sciara_part_settle(struct sciara_part *p);
#endif

#endif
