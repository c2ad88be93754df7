// SPDX-License-Identifier: Apache-2.0
// Time evaluation of engine cuda-batch with rule bingham: a lane computes all flows of its cell, which usually has several.
#ifndef SCIARA_CUDA_BATCH_EVALUATION_BINGHAM_CUH
#define SCIARA_CUDA_BATCH_EVALUATION_BINGHAM_CUH

#include "batch_thread.cuh"

namespace sciara_gpu {

template <unsigned BLOCKS> struct batch_evaluation : batch_thread<BLOCKS> {
  typedef batch_thread<BLOCKS> base;
  using base::all, base::s, base::rule, base::check, base::offset, base::report, base::take_place;

  real guess = 0; ///< of the clock of this step, s: flows are stored for steps that are not longer

  using base::base;

  /** Before a step, whose predecessor had a clock of `t` s. */
  __device__ void guess_clock(real t) { guess = (real)1.25 * t; }

  /** Whether the cells have to be evaluated again, for a clock of `t` s. */
  __device__ bool is_longer(real t) {
    const bool is = t > guess;
    if (is) guess = t;
    return is;
  }

  /** The neighbours from which lava comes in this step, bit n - 1. */
  __device__ unsigned donors(int cell) const {
    unsigned set = 0;
    SCIARA_UNROLL
    for (int n = 1; n < SCIARA_MOORE; n++)
      set |= (s.mail[cell + offset(n)] >> (sciara_moore_reverse(n) - 1) & 1u) << (n - 1);
    return set;
  }

  __device__ void forget_donors(int) const {}

  /** The neighbours to which the lava of a cell flows, bit n - 1. */
  __device__ unsigned moves(int cell, bool) const { return s.mail[cell]; }

  /** A cell that was liquid may have been dry for a step: nothing flows from it. */
  __device__ void forget_flows(int cell) const {
    if (s.mail[cell]) s.mail[cell] = 0;
  }

  /** Gives entries to the dry ones among the neighbours that receive lava. @param survivors bit n: neighbour n does */
  __device__ void take_places(int cell, unsigned survivors) {
    unsigned without = 0;
    SCIARA_UNROLL
    for (int n = 1; n < SCIARA_MOORE; n++)
      if (survivors >> n & 1u) without |= s.link[cell + offset(n)] == 0 ? 1u << n : 0u;
    for (; without; without &= without - 1) {
      const int to = cell + offset(__ffs((int)without) - 1);
      if (atomicCAS(s.link + to, 0, -1) == 0) take_place(atomicAdd(&all.listed, 1u), to, 0, 0, 0);
    }
  }

  /** Time evaluation of the cell at entry `k`, if the lane is `on`. Returns the time that the cell allows, s. */
  __device__ real evaluate_cells(int k, int cell, bool on, bool checks) {
    real t_opt = rule->clock_max;
    if (!on) return t_opt;
    if (checks) check(k, cell);
    const batch_subject subject = {s.ground[cell], s.T[k], 0, 0};
    const batch_choice choice = batch_choose(rule, {s.ground, cell, s.d.f.stride}, subject, s.edges, guess, &t_opt);
    if (choice.quiet) s.calm[cell] = 1;
    if (choice.bad) report(&all.control.bad_before, cell);
    s.mail[cell] = (uint8_t)(choice.survivors >> 1);
    take_places(cell, choice.survivors);
    return t_opt;
  }

  /** There is no pass for flows. */
  __device__ void flow(real) {}
};

} // namespace sciara_gpu

#endif
