// SPDX-License-Identifier: Apache-2.0
// The physics applied to cell i of the arrays: read the cells, call cell.h, write the result. Shared by C and CUDA.
#ifndef SCIARA_MODEL_PASS_H
#define SCIARA_MODEL_PASS_H

#include "model/cell.h"
#include "model/state.h"

/**
 * Altitude that engines give to cells that never receive lava: the frame, NODATA cells and, if the boundary is closed,
 * the rim. Lava cannot climb such a wall, so the rule needs no special case for these cells. The square fits a float.
 */
#define SCIARA_WALL ((real)1e15)

/** Arrays of an engine: rows padded to `stride`, with a one-cell frame. Only pointers and a number; passed by value. */
struct sciara_fields {
  int64_t stride;      ///< cells from one row to the next
  const uint8_t *kind; ///< enum sciara_cell_kind
// See fields.def. A field that is recorded on request is NULL if it is not recorded.
#define SCIARA_REAL_FIELD(member) real *member;
#define SCIARA_GROUND_FIELD(member) real *member; ///< NULL unless a field OF GROUND is recorded
#define SCIARA_DOUBLE_FIELD(member) double *member;
#define SCIARA_RECORDED_FIELD(member, NAME, ...) real *member;
#include "model/fields.def"
};

/**
 * gamma: the vent in cell i emits `volume` m3 (> 0) in a step that starts at simulated time `s`.
 *
 * @param cell_size double, so that volume/(w w) is rounded once in either precision
 * @return whether the cell was dry
 */
SCIARA_HD bool sciara_pass_emit(const struct sciara_fields *f, int64_t i, double volume, double cell_size, real T_vent,
                                double s) {
  const bool dry = f->h[i] == 0;
  f->h[i] = sciara_cell_emit(f->h[i], volume, cell_size);
  f->T[i] = T_vent;
  if (f->arrival[i] < 0) f->arrival[i] = s;
  return dry;
}

/** Whether the values of cell i, which is not dry, are valid; see sciara_is_sound. */
SCIARA_HD bool sciara_pass_is_sound(const struct sciara_rule *rule, const struct sciara_fields *f, int64_t i) {
  return sciara_is_sound(rule, f->z[i], f->h[i], f->T[i], f->px[i], f->py[i]);
}

/** tau1, time evaluation of liquid cell i; see sciara_cell_evaluate. */
SCIARA_HD real sciara_pass_evaluate(const struct sciara_rule *rule, const struct sciara_fields *f, int64_t i,
                                    struct sciara_evaluation *p, bool *bad) {
  real zn[SCIARA_MOORE], hn[SCIARA_MOORE];
  SCIARA_UNROLL
  for (int n = 1; n < SCIARA_MOORE; n++) {
    const int64_t j = i + sciara_moore_offset(n, f->stride);
    zn[n] = f->z[j];
    hn[n] = f->h[j];
  }
  return sciara_cell_evaluate(rule, f->z[i], f->h[i], f->T[i], f->px[i], f->py[i], zn, hn, p, bad);
}

/** Makes cell i dry. */
SCIARA_HD void sciara_pass_dry(const struct sciara_fields *f, int64_t i) {
  f->h[i] = 0;
  f->T[i] = 0;
  f->px[i] = 0;
  f->py[i] = 0;
}

// sciara_recorded_MEMBER: the value of a recorded field in a cell with `solid` m of rock under lava of thickness h, m,
// and momentum (px, py), m2/s.
#define SCIARA_RECORDED_FIELD(member, NAME, OF, value)                            \
  SCIARA_HD real sciara_recorded_##member(real h, real px, real py, real solid) { \
    (void)h, (void)px, (void)py, (void)solid;                                     \
    return value;                                                                 \
  }
#include "model/fields.def"

/**
 * Records the maxima of cell i at the end of a step: it holds lava of thickness h, or its lava has solidified and h is
 * 0.
 */
SCIARA_HD void sciara_pass_record(const struct sciara_fields *f, int64_t i, real h, real px, real py) {
#define SCIARA_RECORDED_FIELD(member, NAME, OF, value)                                      \
  if (f->member && (SCIARA_IS_OF_GROUND(OF) || h > 0)) {                                    \
    const real solid = SCIARA_IS_OF_GROUND(OF) ? sciara_solid(f->z[i], f->z0[i]) : (real)0; \
    const real now = sciara_recorded_##member(h, px, py, solid);                            \
    if (now > f->member[i]) f->member[i] = now;                                             \
  }
#include "model/fields.def"
}

/**
 * Stores the result of sciara_cell_settle for cell i, which collected `inflow`, and the maxima of rock. `T`: of liquid
 * lava.
 */
SCIARA_HD void sciara_pass_store(const struct sciara_fields *f, int64_t i, enum sciara_outcome outcome,
                                 struct sciara_inflow inflow, real T) {
  if (outcome == SCIARA_OUTCOME_LOST || outcome == SCIARA_OUTCOME_SEA) f->lost[i] = f->lost[i] + (double)inflow.h;
  if (outcome == SCIARA_OUTCOME_ROCK) {
    f->z[i] = f->z[i] + inflow.h;
    sciara_pass_record(f, i, 0, 0, 0);
  }
  if (outcome != SCIARA_OUTCOME_LIQUID) {
    sciara_pass_dry(f, i);
    return;
  }
  f->h[i] = inflow.h;
  f->T[i] = T;
  f->px[i] = inflow.px;
  f->py[i] = inflow.py;
}

/**
 * End of tau2, rim and tau3 of cell i, which collected `inflow`: arrival, fields, maxima; see sciara_cell_settle.
 *
 * @param t   the new clock, s
 * @param s   simulated time at the end of the step
 * @param bad set if a NaN is found
 */
SCIARA_HD enum sciara_outcome sciara_pass_settle(const struct sciara_rule *rule, const struct sciara_fields *f,
                                                 int64_t i, struct sciara_inflow inflow, real t, double s, bool *bad) {
  real T = 0;
  const uint8_t kind = f->kind[i];
  const enum sciara_outcome outcome = sciara_outcome_in(
      kind == SCIARA_CELL_SEA, sciara_cell_settle(rule, sciara_takes_lava(kind), &inflow, t, &T, bad));
  if (outcome != SCIARA_OUTCOME_DRY && f->arrival[i] < 0) f->arrival[i] = s;
  sciara_pass_store(f, i, outcome, inflow, T);
  if (outcome == SCIARA_OUTCOME_LIQUID) sciara_pass_record(f, i, inflow.h, inflow.px, inflow.py);
  return outcome;
}

#endif
