// SPDX-License-Identifier: Apache-2.0
// The pieces of engine cuda-batch for rule bingham; see batch_ground.cuh. An outflow is a product, rarely a minimum too: donor
// and receiver both compute it, which costs less than a pass and a barrier.
#ifndef SCIARA_CUDA_BATCH_BINGHAM_CUH
#define SCIARA_CUDA_BATCH_BINGHAM_CUH

#include "batch_ground.cuh"
#include "model/quiescent.h"

namespace sciara_gpu {

constexpr bool BATCH_HAS_FLOW_PASS = false, BATCH_USES_MOMENTUM = false;

/** Where the flow to neighbour n is among those of its donor: on a circle, so that most flows of a cell lie side by side. */
__device__ inline unsigned batch_place(int n) { return UINT32_C(0x13574260) >> (4 * (n - 1)) & 7u; }

/**
 * Arrays of flows. Those of a cell have the numbers from 8 cell on. Nearly all flows are rate t, far from the most that may
 * flow: those alone need a `share` that may be less than rate t for any t up to the guess of the clock; their rate is
 * stored with the other sign. All loads of a cell are independent, so that they overlap.
 */
struct batch_edges {
  real *rate, *share; ///< by flow
  real *from_T;       ///< by cell

  void lay_out(sciara_arena *arena, int64_t cells) {
    rate = arena->take<real>(cells * BATCH_DIRECTIONS);
    share = arena->take<real>(cells * BATCH_DIRECTIONS);
    from_T = arena->take<real>(cells);
  }

  void prepare(const sciara_params *) {}

  __device__ void clear(unsigned) const {}

  static __device__ int64_t number(int cell, int n) { return (int64_t)cell * BATCH_DIRECTIONS + batch_place(n); }

  /** The thickness of flow e with this stored rate, in a step of `t` s. */
  __device__ real thickness(int64_t e, real stored, real t, bool *bad) const {
    return stored < 0 ? sciara_flux(-stored, share[e], t, bad) : stored * t;
  }

  /** The thicknesses of the flows of a cell to the neighbours in `set`, in a step of `t` s; 0 elsewhere. */
  __device__ void outflows(int cell, unsigned set, real t, real out[SCIARA_MOORE], bool *bad) const {
    SCIARA_UNROLL
    for (int n = 1; n < SCIARA_MOORE; n++) out[n] = set >> (n - 1) & 1u ? rate[number(cell, n)] : (real)0;
    SCIARA_UNROLL
    for (int n = 1; n < SCIARA_MOORE; n++) out[n] = thickness(number(cell, n), out[n], t, bad);
  }

  /** Adds what a cell receives from the neighbours of the set `mail` in a step of `t` s. */
  __device__ void gather(int cell, unsigned mail, int64_t stride, real t, sciara_inflow *inflow, bool *bad) const {
    real in[SCIARA_MOORE], T[SCIARA_MOORE];
    SCIARA_UNROLL
    for (int n = 1; n < SCIARA_MOORE; n++) {
      const int from = cell + (int)sciara_moore_offset(n, stride);
      const bool flows = mail >> (n - 1) & 1u;
      in[n] = flows ? rate[number(from, sciara_moore_reverse(n))] : (real)0;
      T[n] = flows ? from_T[from] : (real)0;
    }
    SCIARA_UNROLL
    for (int n = 1; n < SCIARA_MOORE; n++) {
      const int from = cell + (int)sciara_moore_offset(n, stride);
      sciara_inflow_add(inflow, n, {thickness(number(from, sciara_moore_reverse(n)), in[n], t, bad)}, T[n]);
    }
  }

  /** The start of tau2 for a cell with lava of thickness h, which flows to the neighbours in `to`, without momentum. */
  __device__ sciara_inflow stays(const sciara_rule *, int, int cell, unsigned to, real h, real T, real, real, real t,
                                 bool *bad) const {
    real out[SCIARA_MOORE], leaving = 0;
    outflows(cell, to, t, out, bad);
    SCIARA_UNROLL
    for (int n = 1; n < SCIARA_MOORE; n++) leaving = leaving + out[n]; // + 0 changes no bit: the sum is never -0
    const real h0 = sciara_residual(h, leaving);
    return {h0, 0, 0, sciara_heat(h0, T)};
  }

  /** The momentum that a step of `t` s leaves in a cell whose lava flows to `to`. @param pace sciara_flux_pace */
  __device__ batch_momentum momentum(int cell, unsigned to, real t, real pace) const {
    batch_momentum p = {0, 0};
    bool bad = false; // has been reported
    real out[SCIARA_MOORE];
    outflows(cell, to, t, out, &bad);
    SCIARA_UNROLL
    for (int n = 1; n < SCIARA_MOORE; n++) sciara_flux_add(n, out[n], &p.x, &p.y); // + 0 changes no bit
    return {p.x * pace, p.y * pace};
  }
};

/** What the flows of a cell have in common. */
struct batch_donor {
  sciara_sheet sheet;
  batch_ground own;
  real guess; ///< no step is longer, s
};

/**
 * tau1.4 of a sheet that moves, by opposite neighbours: writes rates, and gives their sum S, m/s.
 *
 * @param survivors bit n: lava flows to neighbour n
 * @param limited   whether a flow may be more than what levels the surfaces
 */
__device__ inline real batch_make_rates(const sciara_rule *rule, const batch_around &around, const batch_donor &from,
                                        real *rates, unsigned *survivors, bool *limited) {
  real rise[SCIARA_MOORE], rate[SCIARA_MOORE];
  unsigned set = 0;
  SCIARA_UNROLL
  for (int k = 0; k < SCIARA_MOORE / 2; k++) {
    const int i = k < 2 ? 1 + k : 3 + k, o = sciara_moore_reverse(i);
    const batch_ground there = around(i), behind = around(o);
    const real half_slope = sciara_half_slope(from.own.h, there.h, behind.h);
    rise[i] = there.z - from.own.z;
    rise[o] = behind.z - from.own.z;
    const real drop[] = {sciara_drop(from.own.h, rise[i], there.h), sciara_drop(from.own.h, rise[o], behind.h)};
    SCIARA_UNROLL
    for (int side = 0; side < 2; side++) {
      const int n = side ? o : i;
      real sill = rise[n];
      if (n > 4) sill = sciara_sill(n, rise[n], rise[sciara_beside_in_column(n)], rise[sciara_beside_in_row(n)]);
      rate[n] = sciara_sheet_rate(rule, &from.sheet, n, from.own.h, side ? -half_slope : half_slope, sill, drop[side]);
      if (!(rate[n] > 0)) continue;
      set |= 1u << n;
      rates[batch_place(n)] = rate[n];
      *limited |= !(rate[n] * from.guess <= sciara_flux_level(n, drop[side]));
    }
  }
  *survivors = set;
  return sciara_rates_sum(rate);
}

/** tau1.5 of a cell of whose flows some may be more than their share. */
__device__ inline void batch_limit(const batch_edges &edges, const batch_around &around, const batch_donor &from,
                                   real drain, unsigned survivors) {
  for (unsigned set = survivors; set; set &= set - 1) {
    const int n = __ffs((int)set) - 1;
    const batch_ground other = around(n);
    const int64_t e = batch_edges::number(around.cell, n);
    const real drop = sciara_drop(from.own.h, other.z - from.own.z, other.h), rate = edges.rate[e];
    const real share = sciara_flux_most(sciara_flux_level(n, drop), drain, rate);
    if (rate * from.guess <= share) continue;
    edges.rate[e] = -rate;
    edges.share[e] = share;
  }
}

/** tau1.1-3 of a cell: whether it is quiescent, else whether its sheet moves. */
__device__ inline bool batch_moves(const sciara_rule *rule, const batch_around &around, const batch_subject &c,
                                   bool *quiet, sciara_sheet *sheet) {
  real drop[SCIARA_MOORE];
  SCIARA_UNROLL
  for (int n = 1; n < SCIARA_MOORE; n++) {
    const batch_ground other = around(n);
    drop[n] = sciara_drop(c.own.h, other.z - c.own.z, other.h);
  }
  *quiet = sciara_is_quiescent(rule, c.own.h, c.T, drop);
  return !*quiet && sciara_sheet_moves(rule, c.own.h, c.T, drop, sheet);
}

/**
 * Time evaluation of a cell, whose flows are in `edges` then, except for which they are.
 *
 * @param guess of the clock, s: the flows are right for all steps up to it
 * @param t_opt the time that the cell allows, s; unchanged if nothing flows
 */
__device__ inline batch_choice batch_choose(const sciara_rule *rule, const batch_around &around, const batch_subject &c,
                                            const batch_edges &edges, real guess, real *t_opt) {
  batch_choice choice = {false, false, 0};
  batch_donor from = {{0, 0, 0}, c.own, guess};
  if (!batch_moves(rule, around, c, &choice.quiet, &from.sheet)) return choice;
  asm volatile("" ::: "memory"); // the ground is read again: registers are few
  bool limited = false;
  const real sum = batch_make_rates(rule, around, from, edges.rate + batch_edges::number(around.cell, 1),
                                    &choice.survivors, &limited);
  const real drain = sciara_drain(c.own.h, sum);
  choice.bad = !sciara_is_finite(sum);
  edges.from_T[around.cell] = c.T;
  *t_opt = from.sheet.time;
  if (limited || !(guess <= drain)) batch_limit(edges, around, from, drain, choice.survivors);
  return choice;
}

} // namespace sciara_gpu

#endif
