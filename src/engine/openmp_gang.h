// SPDX-License-Identifier: Apache-2.0
// The data of the vector loops of engine `openmp`: gangs, cells that vector instructions compute together, as structures of
// arrays that fit the first-level cache.
//
// Only for the sources of these loops (openmp_evaluate.c, openmp_bingham.c, openmp_settle.c), which are compiled once per precision and
// kind of processor. Except for the pieces of a step, which have the kind in their names, all functions there are
// static: others must not call them, because they may contain instructions that another processor lacks.
//
// A loop uses the arithmetic of cell.h unchanged, with the same operations in all lanes (SCIARA_BRANCHLESS). Cases that
// cannot be handled in a lane (the _rare half of a function, a NaN, or a change of the list) are marked and handled
// after the loop by the functions that `serial` uses.
// Included by this room alone.
#ifndef SCIARA_ENGINE_OPENMP_GANG_H
#define SCIARA_ENGINE_OPENMP_GANG_H

#ifndef SCIARA_BRANCHLESS
#define SCIARA_BRANCHLESS
#endif
#define SCIARA_VECTOR_LOOPS

#include "engine/openmp_part.h"
#if !SCIARA_SHEET
#include "model/quiescent.h"
#include "model/shortcut.h"
#include "model/subnormal.h"
#endif

enum {
#if SCIARA_SHEET
  BLOCK = 256, ///< cells that collect inflows and settle together
#else
  BLOCK = 1024,
#endif
  TEST_INTERVAL = 64 ///< steps between two tests whether a cell is quiescent
};

/** Before a loop whose arrays do not overlap: no iteration loads what another one stores. */
#ifdef __clang__
#define LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define LANES _Pragma("GCC ivdep")
#endif

/** A function that is not inlined, so that a profiler shows its time separately. */
#define PIECE static __attribute__((noinline))

// The _normal functions of detmath.h, and the ranges in which they equal the general functions; and the speed below
// which the square of a speed is 0.
#ifdef SCIARA_SINGLE
#define EXP_NORMAL 87.0f
#define REAL_MOST FLT_MAX
#define REAL_LEAST FLT_MIN
#define SPEED_WITHOUT_HEAD 0x1p-76f
static inline real exp_normal(real x) { return sciara_expf_normal(x); }
static inline real cbrt_normal(real x) { return sciara_cbrtf_normal(x); }
#else
#define EXP_NORMAL 708.0
#define REAL_MOST DBL_MAX
#define REAL_LEAST DBL_MIN
#define SPEED_WITHOUT_HEAD 0x1p-540
static inline real exp_normal(real x) { return sciara_exp_normal(x); }
static inline real cbrt_normal(real x) { return sciara_cbrt_normal(x); }
#endif

/** Whether exp_normal is valid for x. */
static inline bool is_normal_exp(real x) { return (x >= -EXP_NORMAL) & (x <= EXP_NORMAL); }

#if !SCIARA_SHEET
/** The velocity of lava, m/s; 0 for a subnormal momentum, whose head is 0 in any case. */
static inline real velocity(real momentum, real h) {
  return sciara_velocity(sciara_is_subnormal(momentum) ? 0 : momentum, h);
}
#endif

#if SCIARA_SHEET
enum { SLACK = CHUNK }; ///< lanes that a vector may write after the last cell
#else
enum { SLACK = 0 };
#endif

/** One gang of time evaluation. Lanes from `count` on are of no cell; with rule fv3 they repeat the last one. */
struct gang {
  int count, lanes; ///< lanes: a multiple of CHUNK
#if SCIARA_SHEET
  real h[GANG + SLACK], T[GANG];
  real G2[GANG + SLACK]; ///< square of the slope of the surface
  real rise[SCIARA_MOORE][GANG + SLACK],
      around[SCIARA_MOORE][GANG + SLACK]; ///< of the neighbours: ground above that of the cell, thickness
  real drop[SCIARA_MOORE][GANG + SLACK], rate[SCIARA_MOORE][GANG];
  real plug[GANG], conductance[GANG];
  sciara_lane flows[GANG], quiescent[GANG];
#else
  uint32_t entry[GANG];
  int64_t cell[GANG];
  real z[GANG], h[GANG], T[GANG];
  bool subnormal; ///< a momentum is subnormal
  real px[GANG], py[GANG], vx[GANG], vy[GANG], hc[GANG];
  sciara_lane to[2][GANG];            ///< the neighbours that the velocity points to: on an axis, on a diagonal
  real speed[2][GANG], head[2][GANG]; ///< the initial speeds to them, m/s, and their heads, m
  real top[SCIARA_MOORE][GANG];
  real average[GANG];
  sciara_lane set[GANG]; ///< bit i: neighbour i is not eliminated
#endif
};

/** Inflow sums of cells that settle together. */
struct inflow_gang {
  real h[BLOCK + SLACK], px[BLOCK + SLACK], py[BLOCK + SLACK], heat[BLOCK + SLACK];
};

#if SCIARA_SHEET
/** The lanes of the vectors that `count` cells fill. */
static inline int lanes_of(int count) { return (count + CHUNK - 1) / CHUNK * CHUNK; }

/** The lanes that a run of `count` cells fills, rounded up to half of a vector: most runs are short. */
static inline int lanes_of_run(int count) { return (count + CHUNK / 2 - 1) / (CHUNK / 2) * (CHUNK / 2); }

/** How many of up to `most` cells of a list, ascending, stand side by side in the map from the first one on. */
static inline int run_of(const int64_t *cell, int most) {
  int count = 1;
  for (; count + 8 <= most && cell[count + 7] - cell[0] == count + 7;) count += 8;
  while (count < most && cell[count] - cell[0] == count) count++;
  return count;
}
#endif

/** Whether neither cell i nor a neighbour changed in the last step. One more column is read, to fill a vector. */
static inline bool is_calm(const struct sciara_part *p, int64_t i) {
  const uint32_t *row = p->changed + i - 1;
  const int64_t stride = p->f.stride;
  uint32_t last[4], latest = 0;
  for (int c = 0; c < 4; c++) {
    const uint32_t north = row[c - stride], south = row[c + stride];
    const uint32_t later = north > south ? north : south;
    last[c] = later > row[c] ? later : row[c];
  }
  for (int c = 0; c < 4; c++) latest = last[c] > latest ? last[c] : latest;
  return latest < p->step - 1;
}

/** Reports the cells with invalid numbers. */
static inline void report_unsound(struct sciara_part *p) {
  for (int64_t k = 0; k < p->count; k++)
    if (!sciara_is_sound(&p->rule, p->f.z[p->cell[k]], p->h[k], p->T[k], p->px[k], p->py[k]))
      sciara_part_report(p, p->cell[k]);
}

#endif
