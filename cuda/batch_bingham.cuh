// SPDX-License-Identifier: Apache-2.0
// The pieces of engine cuda-batch for rule bingham; see batch_ground.cuh. An outflow is a product and a minimum: donor and
// receiver both compute it, which costs less than a pass and a barrier.
#ifndef SCIARA_CUDA_BATCH_BINGHAM_CUH
#define SCIARA_CUDA_BATCH_BINGHAM_CUH

#include "batch_ground.cuh"
#include "model/quiescent.h"

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
  real T, average;

  static __device__ batch_source none(const sciara_rule *rule, const batch_subject &c) {
    return {{0, rule->clock_max}, c.T, 0};
  }

  /** The time that the cell allows, apart from that of each flow, s. */
  __device__ real time(const sciara_rule *) const { return sheet.time; }

  __device__ void complete(const sciara_rule *) const {}

  /** That of another lane, without its time; all lanes together. */
  __device__ batch_source of_lane(int owner) const {
    const real mobility = __shfl_sync(~0u, sheet.mobility, owner), T_from = __shfl_sync(~0u, T, owner);
    return {{mobility, 0}, T_from, __shfl_sync(~0u, average, owner)};
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
  __device__ real make(const sciara_rule *rule, unsigned number, int n, batch_ground own, batch_ground other,
                       const batch_source &from, bool *) const {
    const real top = sciara_top(n, own.z, other.z, other.h);
    rate[number] = sciara_flux_rate(rule, n, from.sheet.mobility, own.h - top);
    share[number] = sciara_share(from.average, top);
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

  /** The momentum that a step of `t` s leaves in a cell with these flows. @param inverse 1/t */
  __device__ batch_momentum momentum(const sciara_rule *rule, batch_flows out, real t, real inverse) const {
    batch_momentum p = {0, 0};
    bool bad = false; // has been reported
    unsigned e = out.first;
    for (unsigned set = out.set; set; set &= set - 1) {
      const int n = __ffs((int)set) - 1;
      const real thickness = outflow(e++, t, &bad).thickness;
      sciara_flux_record(n, thickness, n < 5 ? rule->cell_size : rule->diagonal, t, inverse, &p.x, &p.y);
    }
    return p;
  }
};

/** tau1.1-4 of a cell, as far as necessary; `source`: from batch_source::none. */
__device__ inline batch_choice batch_choose(const sciara_rule *rule, const batch_around &around, const batch_subject &c,
                                            batch_source *source) {
  real top[SCIARA_MOORE], drop[SCIARA_MOORE];
  top[0] = drop[0] = 0;
  SCIARA_UNROLL
  for (int n = 1; n < SCIARA_MOORE; n++) {
    const batch_ground other = around(n);
    top[n] = sciara_top(n, c.own.z, other.z, other.h);
    drop[n] = c.own.h - top[n];
  }
  batch_choice choice = {sciara_is_quiescent(rule, c.own.h, c.T, drop), false, 0};
  if (choice.quiet || !sciara_sheet_moves(rule, c.own.h, c.T, drop, &source->sheet, &choice.bad)) return choice;
  if (source->sheet.time == 0) choice.bad = true; // an infinite speed: 0 times an infinite rate would be a flow
  choice.survivors = sciara_minimise((1u << SCIARA_MOORE) - 1, c.own.h, top, &source->average) & ~(unsigned)SCIARA_SELF;
  return choice;
}

} // namespace sciara_gpu

#endif
