// SPDX-License-Identifier: Apache-2.0
// Rule bingham in a fused step for little lava (fused_small.cuh). Empty in sources of another rule.
#ifndef SCIARA_CUDA_SMALL_BINGHAM_CUH
#define SCIARA_CUDA_SMALL_BINGHAM_CUH

#include "fused_block.cuh"

#ifdef SCIARA_BINGHAM

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
   * tau1, time evaluation, of one direction of a cell. Eight lanes work on a cell; all lanes of a warp must call it
   * together. Each of the eight finds the mobility, which depends on all surfaces.
   */
  __device__ real evaluate_direction(unsigned id, bool mine, fused_tally *tally) {
    block_type &my = the_block();
    const real h = my.h[id], T = my.T[id];
    real zn, hn;
    this->read_mine(id, &zn, &hn);
    const real my_top = sciara_top((int)n, my.z[id], zn, hn);
    const int first = (int)(thread % 32 / DIRECTIONS * DIRECTIONS); // lane of the cell's first direction
    real top[SCIARA_MOORE], drop[SCIARA_MOORE];
    top[0] = drop[0] = 0;
    SCIARA_UNROLL
    for (int i = 1; i < SCIARA_MOORE; i++) {
      top[i] = __shfl_sync(~0u, my_top, first + i - 1);
      drop[i] = h - top[i];
    }
    bool bad = false;
    unsigned survivors = 0;
    real t_opt = d.rule.clock_max;
    sciara_sheet sheet;
    if (sciara_sheet_moves(&d.rule, h, T, drop, &sheet, &bad)) {
      real average = 0;
      survivors = sciara_minimise((1u << SCIARA_MOORE) - 1, h, top, &average) >> 1;
      t_opt = sheet.time;
      if (mine && (survivors >> (n - 1) & 1u))
        this->show_flow(id,
                        {sciara_flux_rate(&d.rule, (int)n, sheet.mobility, h - my_top), sciara_share(average, my_top)});
    }
    if (!mine || n != 1) return t_opt;
    if (bad) report_bad(&d.control->bad_before, index_of(id), tally);
    my.sent[id] = (unsigned char)survivors;
    if (survivors) this->show_donor(id, {T});
    return t_opt;
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
    const real h = my.h[id], inverse = sciara_real_div(1, t);
    real leaving = 0;
    sciara_inflow inflow = {0, 0, 0, 0};
    SCIARA_UNROLL
    for (int i = 1; i < SCIARA_MOORE; i++) { // + 0 changes no bit
      const real leaves = my.chunk.leaves[i - 1][k], distance = i < 5 ? d.rule.cell_size : d.rule.diagonal;
      leaving = leaving + leaves;
      sciara_flux_record(i, leaves, distance, t, inverse, &inflow.px, &inflow.py);
    }
    if (h != 0) {
      inflow.h = sciara_residual(h, leaving);
      inflow.heat = inflow.h * my.T[id];
    }
    SCIARA_UNROLL
    for (int i = 0; i < DIRECTIONS; i++) sciara_inflow_add(&inflow, i + 1, {my.chunk.comes[i][k]}, my.chunk.T[i][k]);
    return inflow;
  }
};

} // namespace sciara_gpu

#endif

#endif
