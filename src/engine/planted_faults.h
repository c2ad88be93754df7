// SPDX-License-Identifier: Apache-2.0
// Faults that a test build (SCIARA_PLANT_FAULTS) plants in engine `checked`, to test that each of them is found and
// named. In every other build there are none.
// Included by this room alone.
#ifndef SCIARA_ENGINE_PLANTED_FAULTS_H
#define SCIARA_ENGINE_PLANTED_FAULTS_H

#include "model/pass.h"

enum sciara_fault {
  SCIARA_FAULT_NONE,
  SCIARA_FAULT_CLOCK,     ///< the minimum omits the cells that determine it
  SCIARA_FAULT_UNWRITTEN, ///< a cell's evaluation is not stored
  SCIARA_FAULT_OUTFLOW,   ///< more leaves than there is
  SCIARA_FAULT_MASS,      ///< the inflow from the northern neighbour is omitted
  SCIARA_FAULT_HEAT,      ///< heat counted twice
  SCIARA_FAULT_DRY,       ///< momentum remains in a cell whose lava solidified
  SCIARA_FAULT_GUARD,     ///< a write beyond the grid
  SCIARA_FAULT_RIM,       ///< lava stays on the rim
  SCIARA_FAULT_ALTITUDE,  ///< the ground rises under liquid lava
  SCIARA_FAULT_ARRIVAL,   ///< the arrival time is written twice
  SCIARA_FAULT_MAXIMUM,   ///< a maximum decreases
  SCIARA_FAULT_EMISSION,  ///< a little more lava appears than was emitted
  SCIARA_FAULT_RESIDUAL,  ///< the residual is a little too large
  SCIARA_FAULT_ROCK,      ///< lava solidifies without raising the ground
  SCIARA_FAULT_LOST,      ///< a little more is lost than has left
  SCIARA_FAULT_LEDGER,    ///< a cell loses a little lava at the end of a step
  SCIARA_FAULT_CROSSING,  ///< bingham: the time to cross a cell is a little too long
  SCIARA_FAULT_LEVELLING, ///< bingham: the time to level over a cell is a little too long
  SCIARA_FAULT_FLAT,      ///< bingham: lava flows from a cell with no lower neighbour
  SCIARA_FAULT_PLUG,      ///< bingham: lava flows that is no thicker than its plug
  SCIARA_FAULT_UPHILL,    ///< bingham: lava also flows to a neighbour that is not lower
  SCIARA_FAULT_BARRIER,   ///< bingham: lava flows over ground or a corner that is higher than its surface
  SCIARA_FAULT_SIDE,      ///< bingham: lava flows where what stands above the higher ground is no thicker than the plug
  SCIARA_FAULT_LEVEL,     ///< bingham: a little more flows than levels the surfaces
  SCIARA_FAULT_RATE,      ///< bingham: a little more flows than the sheet carries
  SCIARA_FAULT_COUNT
};

enum { SCIARA_FAULT_OF_BINGHAM = SCIARA_FAULT_CROSSING }; ///< the first that concerns rule bingham only

#ifdef SCIARA_PLANT_FAULTS
extern enum sciara_fault sciara_planted_fault;
extern bool sciara_left_out; ///< rule bingham: the check that finds the planted fault is left out
#define SCIARA_PLANTED(fault) (sciara_planted_fault == (fault))
#define SCIARA_LEFT_OUT(fault) (sciara_left_out && SCIARA_PLANTED(fault))

static inline void sciara_plant_faults(const struct sciara_fields *f, int64_t i, enum sciara_outcome outcome) {
  if (SCIARA_PLANTED(SCIARA_FAULT_DRY) && outcome == SCIARA_OUTCOME_ROCK) f->px[i] = 1;
  if (SCIARA_PLANTED(SCIARA_FAULT_GUARD) && outcome == SCIARA_OUTCOME_LIQUID) f->T[0] = 1;
  if (SCIARA_PLANTED(SCIARA_FAULT_RIM) && f->kind[i] == SCIARA_CELL_RIM) f->h[i] = 1;
  if (SCIARA_PLANTED(SCIARA_FAULT_ALTITUDE) && outcome == SCIARA_OUTCOME_LIQUID) f->z[i] = f->z[i] + 1;
  if (SCIARA_PLANTED(SCIARA_FAULT_ARRIVAL) && outcome == SCIARA_OUTCOME_LIQUID) f->arrival[i] = f->arrival[i] + 1;
  if (SCIARA_PLANTED(SCIARA_FAULT_LEDGER) && outcome == SCIARA_OUTCOME_LIQUID)
    f->h[i] *= 1 - 64 * (real)SCIARA_REAL_EPSILON;
#define SCIARA_RECORDED_FIELD(member, NAME, ...) \
  if (SCIARA_PLANTED(SCIARA_FAULT_MAXIMUM) && outcome == SCIARA_OUTCOME_LIQUID && f->member) f->member[i] = 0;
#include "model/fields.def"
}

#if SCIARA_SHEET
/** How far the surface of cell i is above that of neighbour n, m. */
static inline double sciara_plant_drop(const struct sciara_fields *f, int64_t i, int n) {
  const int64_t j = i + sciara_moore_offset(n, f->stride);
  return ((double)f->h[i] - (double)f->h[j]) - ((double)f->z[j] - (double)f->z[i]);
}

/** How far the surface of cell i is above the higher ground towards neighbour n, and above the lower shoulder, m. */
static inline double sciara_plant_above(const struct sciara_fields *f, int64_t i, int n) {
  const int64_t row = sciara_moore_row(n) * f->stride, col = sciara_moore_col(n);
  const double surface = (double)f->z[i] + (double)f->h[i], ground = (double)f->z[i + row + col];
  const double shoulder = (double)(f->z[i + row] < f->z[i + col] ? f->z[i + row] : f->z[i + col]);
  return surface - (n > 4 && shoulder > ground ? shoulder : ground);
}

/** Plants a fault in the evaluation of liquid cell i; `rests`: it is no thicker than its plug. */
static inline void sciara_plant_sheet_faults(const struct sciara_fields *f, int64_t i, struct sciara_evaluation *p,
                                             bool rests) {
  const real more = 1 + (real)1e-9;
  for (int n = 1; n < SCIARA_MOORE; n++) {
    if (SCIARA_PLANTED(SCIARA_FAULT_LEVEL)) p->share[n] = more * p->share[n];
    if (SCIARA_PLANTED(SCIARA_FAULT_RATE)) p->rate[n] = more * p->rate[n];
  }
  int lower = 0, higher = 0, behind = 0, thin = 0; // a neighbour inside the map
  int not_higher = 0;                              // of all
  for (int n = 1; n < SCIARA_MOORE; n++) {
    const double drop = sciara_plant_drop(f, i, n), clear = 1e-3; // m: more than what is due to rounding
    const double above = sciara_plant_above(f, i, n);
    const bool inside = f->kind[i + sciara_moore_offset(n, f->stride)] == SCIARA_CELL_INTERIOR;
    if (inside && drop > clear) lower = n;
    if (inside && drop < -clear) higher = n;
    if (inside && drop > clear && above < -clear) behind = n;
    if (inside && drop > clear && above > clear && !(p->survivors >> n & 1u)) thin = n;
    not_higher += drop >= -clear;
  }
  const bool flows = p->survivors != 0;
  const int to = SCIARA_PLANTED(SCIARA_FAULT_FLAT) && !not_higher ? higher
                 : SCIARA_PLANTED(SCIARA_FAULT_UPHILL) && flows   ? higher
                 : SCIARA_PLANTED(SCIARA_FAULT_PLUG) && rests     ? lower
                 : SCIARA_PLANTED(SCIARA_FAULT_BARRIER) && flows  ? behind
                 : SCIARA_PLANTED(SCIARA_FAULT_SIDE) && flows     ? thin
                                                                  : 0;
  if (!to) return;
  p->survivors |= 1u << to;
  p->share[to] = p->rate[to] = (real)1e-6 * f->h[i];
}
#endif
#else
#define SCIARA_PLANTED(fault) 0
#define SCIARA_LEFT_OUT(fault) 0
static inline void sciara_plant_faults(const struct sciara_fields *f, int64_t i, enum sciara_outcome outcome) {
  (void)f;
  (void)i;
  (void)outcome;
}
#endif
#if !defined SCIARA_PLANT_FAULTS || !SCIARA_SHEET
static inline void sciara_plant_sheet_faults(const struct sciara_fields *f, int64_t i, struct sciara_evaluation *p,
                                             bool rests) {
  (void)f, (void)i, (void)p, (void)rests;
}
#endif

#endif
