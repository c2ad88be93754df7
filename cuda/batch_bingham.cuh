// SPDX-License-Identifier: Apache-2.0
// The pieces of engine cuda-batch for rule bingham; see batch_ground.cuh. An outflow is a product and a minimum: donor and
// receiver both compute it, which costs less than a pass and a barrier.
#ifndef SCIARA_CUDA_BATCH_BINGHAM_CUH
#define SCIARA_CUDA_BATCH_BINGHAM_CUH

#include "batch_ground.cuh"
#include "model/quiescent.h"
#include "sheet_flow.cuh"

namespace sciara_gpu {

constexpr bool BATCH_HAS_FLOW_PASS = false, BATCH_USES_MOMENTUM = false;

/** The flows of a donor in this step: those to the neighbours in `set`, in their order, from `first` on. */
struct alignas(8) batch_flows {
  unsigned first, set;
  static __device__ batch_flows of(unsigned first, unsigned survivors) { return {first, survivors}; }
  __device__ unsigned count() const { return (unsigned)__popc(set); }
};

/** What the flows of a cell have in common. */
struct batch_source {
  sciara_sheet sheet;
  real T, drain; ///< K, s

  static __device__ batch_source none(const sciara_rule *rule, const batch_subject &c) {
    return {{0, 0, rule->clock_max}, c.T, 0};
  }

  /** The time that the cell allows, apart from that of each flow, s. */
  __device__ real time(const sciara_rule *) const { return sheet.time; }

  __device__ void complete(const sciara_rule *) const {}

  /** That of another lane, without its time; all lanes together. */
  __device__ batch_source of_lane(int owner) const {
    const real plug = __shfl_sync(~0u, sheet.plug, owner), conductance = __shfl_sync(~0u, sheet.conductance, owner);
    const real T_from = __shfl_sync(~0u, T, owner);
    return {{plug, conductance, 0}, T_from, __shfl_sync(~0u, drain, owner)};
  }
};

/** Arrays by flow. */
struct batch_edges {
  real *rate, *share, *from_T;

  void lay_out(sciara_arena *arena, int64_t count) {
    real **arrays[] = {&rate, &share, &from_T};
    for (real **array : arrays) *array = arena->take<real>(count);
  }

  void prepare(const sciara_params *) {}

  /** tau1.4-5 of flow `number` to neighbour n. */
  __device__ real make(const sciara_rule *rule, unsigned number, int n, batch_ground own, const batch_around &around,
                       const batch_source &from, bool *) const {
    const sheet_flow flow = find_flow(rule, around, n, {own.z, own.h}, from.sheet, from.drain);
    rate[number] = flow.rate;
    share[number] = flow.share;
    from_T[number] = from.T;
    return rule->clock_max;
  }

  __device__ void flow(unsigned, real, bool *) const {}

  __device__ sciara_outflow outflow(unsigned e, real t, bool *bad) const {
    return {sciara_flux(rate[e], share[e], t, bad)};
  }

  /** The start of tau2 for a cell with lava of thickness h and these flows, without momentum. */
  __device__ sciara_inflow stays(const sciara_rule *, batch_flows out, real h, real T, real, real, real t,
                                 bool *bad) const {
    real leaving = 0;
    const unsigned end = out.first + out.count();
    for (unsigned e = out.first; e < end; e++) leaving = leaving + outflow(e, t, bad).thickness;
    const real h0 = sciara_residual(h, leaving);
    return {h0, 0, 0, h0 * T};
  }

  /** The momentum that a step of `t` s leaves in a cell with these flows. @param pace sciara_flux_pace */
  __device__ batch_momentum momentum(batch_flows out, real t, real pace) const {
    batch_momentum p = {0, 0};
    bool bad = false; // has been reported
    unsigned e = out.first;
    for (unsigned set = out.set; set; set &= set - 1)
      sciara_flux_add(__ffs((int)set) - 1, outflow(e++, t, &bad).thickness, &p.x, &p.y);
    return {p.x * pace, p.y * pace};
  }
};

/** tau1.1-4 of a cell, as far as necessary; `source`: from batch_source::none. */
__device__ inline batch_choice batch_choose(const sciara_rule *rule, const batch_around &around, const batch_subject &c,
                                            batch_source *source) {
  const real h = c.own.h;
  real rise[SCIARA_MOORE], hn[SCIARA_MOORE], drop[SCIARA_MOORE], rate[SCIARA_MOORE];
  SCIARA_UNROLL
  for (int n = 1; n < SCIARA_MOORE; n++) {
    const batch_ground other = around(n);
    rise[n] = other.z - c.own.z;
    hn[n] = other.h;
    drop[n] = sciara_drop(h, rise[n], hn[n]);
  }
  batch_choice choice = {sciara_is_quiescent(rule, h, c.T, drop), false, 0};
  if (choice.quiet) return choice;
  sciara_sheet sheet;
  if (!sciara_sheet_moves(rule, h, c.T, drop, &sheet)) return choice;
  const real sum = sciara_sheet_rates(rule, &sheet, h, rise, hn, drop, rate);
  choice.bad = !sciara_is_finite(sum);
  choice.survivors = sciara_survivors_of(rate);
  source->sheet = sheet;
  source->drain = sciara_drain(h, sum);
  return choice;
}

} // namespace sciara_gpu

#endif
