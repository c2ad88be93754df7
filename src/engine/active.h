// SPDX-License-Identifier: Apache-2.0
// The list of active cells of engine `serial`: the liquid cells, then the cells that receive lava in this step. In a
// band with a halo, the liquid cells of the adjacent halo rows come between these two groups: they are donors only.
//
// Every liquid cell has an entry for its outflows, so the new values of a cell can be written at once, and no field is
// needed twice. Compiled once per precision.
// Included by this room alone.
#ifndef SCIARA_ENGINE_ACTIVE_H
#define SCIARA_ENGINE_ACTIVE_H

#include "engine/host_fields.h"
#include "engine/step_control.h"
#include "engine/stopwatch.h"

/** The entry of a liquid cell during one step. */
struct sciara_donor {
  real residual, T; ///< h0, m; temperature before the step, K
  struct sciara_evaluation evaluation;
  struct sciara_outflows out;
};

/** The value in `entry_of` of a listed cell that has no entry. */
#define SCIARA_RECEIVER UINT32_MAX

struct sciara_active {
  struct sciara_engine_setup setup;
  struct sciara_rule rule;
  struct sciara_step_control control;
  struct sciara_host_fields hf;
  real t; ///< the clock, s
  struct sciara_band band;
  int64_t own;                ///< cell[0..own) are liquid and lie in the own rows of the band
  int64_t liquid, listed;     ///< cell[0..liquid) are liquid, cell[liquid..listed) receive in this step
  int64_t *cell;              ///< padded index of each listed cell
  struct sciara_donor *donor; ///< entry of each liquid cell
  uint32_t *entry_of; ///< by padded index: number of a liquid cell in the list + 1, SCIARA_RECEIVER, or 0: not listed
  int64_t cell_capacity, donor_capacity;
  struct sciara_stopwatch watch;
  struct sciara_inflow *inflow; ///< inflow of each listed cell; only for a profile, which times tau2 separately
  int64_t inflow_capacity;
};

/** Reports invalid numbers in the cell with padded index i. */
static inline void sciara_active_report(struct sciara_active *a, int64_t i) {
  int64_t row, col;
  sciara_host_cell(&a->hf, i, &row, &col);
  sciara_step_control_report(&a->control, row, col);
}

/** Whether the k-th listed cell lies in the halo of the band. */
static inline bool sciara_active_is_in_halo(const struct sciara_active *a, int64_t k) {
  return k >= a->own && k < a->liquid;
}

/** tau1, flow computing of the k-th liquid cell with the new clock. */
static inline void sciara_active_flow(struct sciara_active *a, int64_t k, bool *bad) {
  struct sciara_donor *r = &a->donor[k];
  r->T = a->hf.f.T[a->cell[k]];
  r->residual = sciara_cell_flow(&r->evaluation, a->hf.f.h[a->cell[k]], a->t, &r->out, bad);
}

/** tau2 of the k-th listed cell: its residual, then the inflows in the order of the neighbours. */
static inline struct sciara_inflow sciara_active_gather(const struct sciara_active *a, int64_t k) {
  struct sciara_inflow inflow = {0, 0, 0, 0};
  if (k < a->liquid) {
    const struct sciara_donor *r = &a->donor[k];
    inflow = sciara_cell_stays(&r->evaluation, &r->out, r->residual, a->t, r->T);
  }
  for (int i = 1; i < SCIARA_MOORE; i++) {
    const uint32_t donor = a->entry_of[a->cell[k] + sciara_moore_offset(i, a->hf.f.stride)];
    if (donor == 0 || donor == SCIARA_RECEIVER) continue;
    const struct sciara_donor *r = &a->donor[donor - 1];
    sciara_inflow_add(&inflow, i, r->out.to[sciara_moore_reverse(i)], r->T);
  }
  return inflow;
}

#endif
