// SPDX-License-Identifier: Apache-2.0
// Rule fv3 in a fused step for little lava (fused_small.cuh). Empty in sources of another rule.
#ifndef SCIARA_CUDA_SMALL_FV3_CUH
#define SCIARA_CUDA_SMALL_FV3_CUH

#include "fused_block.cuh"

#if !SCIARA_SHEET

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

  /** Computes what depends on the temperature T, K, of a liquid cell. */
  __device__ void apply_temperature(unsigned id, real T) const {
    block_type &my = the_block();
    my.hc[id] = sciara_critical_height(&d.rule, T);
    my.keep[id] = 1 - sciara_dissipation(&d.rule, T);
  }

  __device__ void find_velocity(unsigned id) {
    block_type &my = the_block();
    my.vx[id] = velocity(my.px[id], my.h[id]);
    my.vy[id] = velocity(my.py[id], my.h[id]);
  }

  /** p / h. For p = 0 there is no division, because a quotient of 0 takes a slow path. */
  static __device__ real velocity(real p, real h) { return p == 0 ? p : sciara_real_div(p, h); }

  /**
   * tau1, time evaluation, of one direction of a cell. Eight lanes work on a cell; all lanes of a warp must call it
   * together.
   */
  __device__ real evaluate_direction(unsigned id, bool mine, fused_tally *tally) {
    block_type &my = the_block();
    const real h = my.h[id];
    real zn, hn;
    this->read_mine(id, &zn, &hn);
    sciara_slope slope;
    slope.v0 = sciara_initial_speed((int)n, my.vx[id], my.vy[id]);
    const real top = sciara_top((int)n, my.z[id], zn, hn);
    const unsigned open = __ballot_sync(~0u, sciara_slope_open(&d.rule, h, my.hc[id], top, &slope));
    const int first = (int)(thread % 32 / DIRECTIONS * DIRECTIONS); // lane of the cell's first direction
    unsigned survivors = 0;
    real t_opt = d.rule.clock_max;
    if (open) {
      real tops[SCIARA_MOORE], average = 0;
      tops[0] = 0;
      SCIARA_UNROLL
      for (int i = 1; i < SCIARA_MOORE; i++) tops[i] = __shfl_sync(~0u, top, first + i - 1);
      const unsigned set = (open >> first & 0xffu) << 1;
      if (set) survivors = sciara_minimise(set | SCIARA_SELF, h, tops, &average) >> 1;
      if (mine && (survivors >> (n - 1) & 1u)) t_opt = announce_flow(id, slope, average - top, tally);
    }
    if (!mine || n != 1) return t_opt;
    my.sent[id] = (unsigned char)survivors;
    if (survivors) this->show_donor(id, {my.keep[id], my.T[id]});
    return t_opt;
  }

  /** tau1.7 of the flow in the direction of this thread; announces the flow to the neighbour. */
  __device__ real announce_flow(unsigned id, const sciara_slope &slope, real share, fused_tally *tally) {
    const block_type &my = the_block();
    this->show_flow(id, {slope, share});
    bool bad = false;
    const real t = sciara_slope_time(&d.rule, &slope, my.keep[id], &bad);
    if (bad) report_bad(&d.control->bad_before, index_of(id), tally);
    return t;
  }

  /** Flow computing in one direction of a cell, the k-th of the chunk: to that neighbour and from it. */
  __device__ void flow(unsigned todo, unsigned k, real t, fused_tally *tally) {
    block_type &my = the_block();
    const unsigned id = todo & 0xffffu, from = todo >> 16;
    const bool sends = my.h[id] != 0 && (my.sent[id] >> (n - 1) & 1u), receives = from >> (n - 1) & 1u;
    real leaves = 0, T = 0;
    sciara_outflow comes = {0, 0};
    if (sends || receives) { // both together; a flow that does not exist has values whose quotient takes no slow path
      fused_flow out = {{1, 0, 1}, 0}, in = {{1, 0, 1}, 0};
      fused_donor donor = {1, 0};
      if (sends) out = this->flow_to_mine(id);
      if (receives) this->flow_from_mine(id, &in, &donor);
      bool bad = false, donors_affair = false;
      leaves = sciara_slope_flow(&out.slope, out.share, sends ? my.keep[id] : 1, t, &bad).thickness;
      comes = sciara_slope_flow(&in.slope, in.share, donor.keep, t, &donors_affair);
      T = donor.T;
      if (bad && sends) report_bad(&d.control->bad_before, index_of(id), tally);
    }
    my.chunk.leaves[n - 1][k] = leaves;
    my.chunk.comes[n - 1][k] = comes.thickness;
    my.chunk.speed[n - 1][k] = comes.speed;
    my.chunk.T[n - 1][k] = T;
  }

  /** tau2 of a cell, the k-th of the chunk. */
  __device__ sciara_inflow gather(unsigned todo, unsigned k, real) const {
    block_type &my = the_block();
    const unsigned id = todo & 0xffffu;
    const real h = my.h[id];
    real leaving = 0;
    SCIARA_UNROLL
    for (int i = 0; i < DIRECTIONS; i++) leaving = leaving + my.chunk.leaves[i][k]; // + 0 changes no bit
    sciara_inflow inflow = {0, 0, 0, 0};
    if (h != 0) inflow = sciara_inflow_residual(sciara_max0(h - leaving), my.vx[id], my.vy[id], my.keep[id], my.T[id]);
    SCIARA_UNROLL
    for (int i = 0; i < DIRECTIONS; i++)
      sciara_inflow_add(&inflow, i + 1, {my.chunk.comes[i][k], my.chunk.speed[i][k]}, my.chunk.T[i][k]);
    return inflow;
  }
};

} // namespace sciara_gpu

#endif

#endif
