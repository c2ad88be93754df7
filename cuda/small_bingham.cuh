// SPDX-License-Identifier: Apache-2.0
// Rule bingham in a fused step for little lava (fused_small.cuh). Empty in sources of another rule.
#ifndef SCIARA_CUDA_SMALL_BINGHAM_CUH
#define SCIARA_CUDA_SMALL_BINGHAM_CUH

#include "fused_block.cuh"

#if SCIARA_SHEET

namespace sciara_gpu {

template <bool IN_CLUSTER> struct small_flows : small_view<IN_CLUSTER> {
  typedef small_view<IN_CLUSTER> view;
  typedef small_block<IN_CLUSTER> block_type;
  using view::d;
  using view::index_of;
  using view::n;
  using view::report_bad;
  using view::the_block;
  using view::thread;

  __device__ small_flows(const sciara_device &d_, const fused_space &space_) : view(d_, space_) {}

  __device__ void apply_temperature(unsigned, real) const {}
  __device__ void find_velocity(unsigned) {} // momentum has no effect

  /**
   * tau1, time evaluation, of one direction of a cell. Eight lanes work on a cell, one per neighbour; all lanes of a warp
   * must call it together. Each of the eight finds the sheet, which depends on all surfaces.
   */
  __device__ real evaluate_direction(unsigned id, bool mine, fused_tally *tally) {
    block_type &my = the_block();
    const real h = my.h[id], T = my.T[id];
    real zn, hn;
    this->read_mine(id, &zn, &hn);
    const int i = (int)n, first = (int)(thread % 32 / DIRECTIONS * DIRECTIONS); // lane of the cell's first direction
    const real rise = zn - my.z[id], drop = sciara_drop(h, rise, hn);
    const int opposite = first + sciara_moore_reverse(i) - 1;
    const real behind = __shfl_sync(~0u, hn, opposite), other = __shfl_sync(~0u, drop, opposite);
    const real in_column = __shfl_sync(~0u, rise, first + sciara_beside_in_column(i) - 1);
    const real in_row = __shfl_sync(~0u, rise, first + sciara_beside_in_row(i) - 1);
    sciara_sheet sheet = {0, 0, d.rule.clock_max};
    const bool moves = sciara_sheet_moves_on(&d.rule, h, T, slope_squared(&d.rule, i < 5, drop, other), &sheet);
    const real sill = sciara_sill(i, rise, in_column, in_row), half_slope = sciara_half_slope(h, hn, behind);
    const real rate = moves ? sciara_sheet_rate(&d.rule, &sheet, i, h, half_slope, sill, drop) : (real)0;
    const real sum = rates_sum(rate);
    const unsigned survivors = __ballot_sync(~0u, rate > 0) >> first & 0xffu;
    const real t_opt = moves ? sheet.time : d.rule.clock_max;
    if (mine && rate > 0)
      this->show_flow(id, {rate, sciara_flux_most(sciara_flux_level(i, drop), sciara_drain(h, sum), rate)});
    const bool bad = moves && !sciara_is_finite(sum);
    if (!mine || n != 1) return t_opt;
    if (bad) report_bad(&d.control->bad_before, index_of(id), tally);
    my.sent[id] = (unsigned char)survivors;
    if (survivors) this->show_donor(id, {T});
    return t_opt;
  }

  /**
   * sciara_slope_squared by the eight lanes of a cell, from the drops to the neighbour of this lane and to the opposite one;
   * N and W, E and S, NW and SW, SE and NE are next to each other.
   */
  static __device__ real slope_squared(const sciara_rule *rule, bool axis, real drop, real opposite) {
    const real fall = sciara_max0(sciara_larger(drop, opposite)), square = fall * fall;
    const real both = square + __shfl_xor_sync(~0u, square, 1), of_others = __shfl_xor_sync(~0u, both, 4);
    return sciara_larger(axis ? both : of_others, (real)0.5 * (axis ? of_others : both)) * rule->inverse_area;
  }

  /** sciara_rates_sum by the eight lanes of a cell. */
  static __device__ real rates_sum(real rate) {
    for (int distance = 1; distance < DIRECTIONS; distance *= 2) rate = rate + __shfl_xor_sync(~0u, rate, distance);
    return rate;
  }

  /** Flow computing in one direction of a cell, the k-th of the chunk: to that neighbour and from it. */
  __device__ void flow(unsigned todo, unsigned k, real t, fused_tally *tally) {
    block_type &my = the_block();
    const unsigned id = todo & 0xffffu, from = todo >> 16;
    const bool sends = my.h[id] != 0 && (my.sent[id] >> (n - 1) & 1u), receives = from >> (n - 1) & 1u;
    real leaves = 0, comes = 0, T = 0;
    bool bad = false, donors_affair = false;
    if (sends) {
      const fused_flow out = this->flow_to_mine(id);
      leaves = sciara_flux(out.rate, out.share, t, &bad);
    }
    if (receives) {
      fused_flow in;
      fused_donor donor;
      this->flow_from_mine(id, &in, &donor);
      comes = sciara_flux(in.rate, in.share, t, &donors_affair);
      T = donor.T;
    }
    if (bad) report_bad(&d.control->bad_before, index_of(id), tally);
    my.chunk.leaves[n - 1][k] = leaves;
    my.chunk.comes[n - 1][k] = comes;
    my.chunk.T[n - 1][k] = T;
  }

  /** tau2 of a cell, the k-th of the chunk. */
  __device__ sciara_inflow gather(unsigned todo, unsigned k, real t) const {
    block_type &my = the_block();
    const unsigned id = todo & 0xffffu;
    const real h = my.h[id], pace = sciara_flux_pace(d.rule.cell_size, t);
    real leaving = 0;
    sciara_inflow inflow = {0, 0, 0, 0};
    SCIARA_UNROLL
    for (int i = 1; i < SCIARA_MOORE; i++) { // + 0 changes no bit
      const real leaves = my.chunk.leaves[i - 1][k];
      leaving = leaving + leaves;
      sciara_flux_add(i, leaves, &inflow.px, &inflow.py);
    }
    inflow.px = inflow.px * pace;
    inflow.py = inflow.py * pace;
    if (h != 0) {
      inflow.h = sciara_residual(h, leaving);
      inflow.heat = sciara_heat(inflow.h, my.T[id]);
    }
    SCIARA_UNROLL
    for (int i = 0; i < DIRECTIONS; i++) sciara_inflow_add(&inflow, i + 1, {my.chunk.comes[i][k]}, my.chunk.T[i][k]);
    return inflow;
  }
};

} // namespace sciara_gpu

#endif

#endif
