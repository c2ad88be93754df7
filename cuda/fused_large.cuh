// SPDX-License-Identifier: Apache-2.0
// The work of a fused step where there is much lava: a warp a tile, a thread a cell, the state in global memory.
#ifndef SCIARA_CUDA_FUSED_LARGE_CUH
#define SCIARA_CUDA_FUSED_LARGE_CUH

#include "fused_step.cuh"

namespace sciara_gpu {

struct large_work {
  const sciara_device &d;
  const fused_space &space;
  enum { BLOCK = 256 };
  real *tops;            ///< of this thread, in shared memory: that of neighbour n is BLOCK n further on
  unsigned count, inner; ///< tiles

  __device__ large_work(const sciara_device &d_, const fused_space &space_)
      : d(d_), space(space_), count(space_.count()), inner(space_.c->inner) {
    __shared__ real of_block[SCIARA_MOORE * BLOCK];
    tops = of_block + thread_in_block();
  }

  /** visit(place, cell of the tile, padded index) by the lanes of a warp together. */
  template <class Visit> __device__ void for_each(Visit visit) const {
    const uint32_t *list = space.list[space.c->now];
    const unsigned lane = (unsigned)thread_in_block() % 32, warps = (unsigned)threads_of_block() / 32;
    for (unsigned p = blockIdx.x * warps + (unsigned)thread_in_block() / 32; p < count; p += gridDim.x * warps) {
      const uint32_t tile = list[p];
      const int64_t row = (int64_t)(tile / space.tiles_x) * TILE_HEIGHT + lane / TILE_WIDTH;
      if (row < d.rows + 2) visit(p, lane, cell_of_tile(space.first_cell(tile, d.f.stride), lane, d.f.stride));
    }
  }

  __device__ void prepare() {}
  __device__ void signal() const {}
  __device__ void meantime(int, int) {}
  __device__ void share(grid_meeting &all_blocks) { all_blocks.meet(); }
  __device__ void finish() {}

  __device__ real evaluate(fused_tally *tally) {
    real t_opt = d.rule.clock_max;
    for_each([&](unsigned p, unsigned k, int64_t i) {
      if (d.f.h[i] <= 0) return;
      bool bad = false;
      const real t = evaluate_cell(p, k, i, &bad);
      if (t < t_opt) t_opt = t;
      tally->cell_steps++;
      if (bad) blame(&space.c->bad, i, tally);
    });
    return t_opt;
  }

  /** What is known of the way to a neighbour, if lava may flow there: see sciara_slope_open. */
  __device__ bool look(int n, int64_t i, real z, real h, real hc, real vx, real vy, real *top,
                       sciara_slope *slope) const {
    const int64_t j = i + sciara_moore_offset(n, d.f.stride);
    slope->v0 = sciara_initial_speed(n, vx, vy);
    *top = sciara_top(n, z, d.f.z[j], d.f.h[j]);
    return sciara_slope_open(&d.rule, h, hc, *top, slope);
  }

  /**
   * tau1, time evaluation of a cell, one direction after the other. Only the tops are kept, in shared memory; the slopes to
   * the few neighbours that get lava are computed again: so many threads find room for their registers.
   */
  __device__ real evaluate_cell(unsigned p, unsigned k, int64_t i, bool *bad) const {
    const real z = d.f.z[i], h = d.f.h[i], T = d.f.T[i];
    const real hc = sciara_critical_height(&d.rule, T), keep = 1 - sciara_dissipation(&d.rule, T);
    const real vx = sciara_real_div(d.f.px[i], h), vy = sciara_real_div(d.f.py[i], h);
    const int64_t there = (int64_t)p * TILE_CELLS + k;
    sciara_slope slope;
    unsigned set = 0;
#pragma unroll 1
    for (int n = 1; n < SCIARA_MOORE; n++) {
      real top;
      if (look(n, i, z, h, hc, vx, vy, &top, &slope)) set |= 1u << n;
      tops[n * BLOCK] = top;
    }
    real average = 0;
    unsigned survivors = set ? minimise(set | SCIARA_SELF, h, &average) & ~(unsigned)SCIARA_SELF : 0;
    space.sent[there] = survivors >> 1;
    if (survivors) space.donor[there] = {keep, T};
    real t_opt = d.rule.clock_max;
#pragma unroll 1
    for (; survivors; survivors &= survivors - 1) {
      const int n = __ffs((int)survivors) - 1;
      real top;
      look(n, i, z, h, hc, vx, vy, &top, &slope);
      space.flow[there * 8 + n - 1] = {slope, average - top};
      announce(space.inbox[0],
               scratch_of_neighbour(space.around + (int64_t)p * 9, k, sciara_moore_row(n), sciara_moore_col(n)),
               sciara_moore_reverse(n));
      const real t = sciara_slope_time(&d.rule, &slope, keep, bad);
      if (t < t_opt) t_opt = t;
    }
    return t_opt;
  }

  /** sciara_minimise with the tops where they are. */
  __device__ unsigned minimise(unsigned set, real h, real *average) const {
    real top[SCIARA_MOORE];
    top[0] = 0;
    SCIARA_UNROLL
    for (int n = 1; n < SCIARA_MOORE; n++) top[n] = tops[n * BLOCK];
    return sciara_minimise(set, h, top, average);
  }

  /** tau2 of cell i before anything flows to it: what stays, after the flows to `to`. */
  __device__ sciara_parcel residual(int64_t i, int64_t there, unsigned to, real t, fused_tally *tally) const {
    const real h = d.f.h[i], T = d.f.T[i], keep = 1 - sciara_dissipation(&d.rule, T);
    real leaving = 0;
    bool bad = false;
    for (unsigned set = to; set; set &= set - 1) {
      const fused_flow flow = space.flow[there * 8 + __ffs((int)set) - 1];
      leaving = leaving + sciara_slope_flow(&flow.slope, flow.share, keep, t, &bad).thickness;
    }
    if (bad) blame(&d.control->bad_before, i, tally);
    return sciara_parcel_residual(sciara_max0(h - leaving), sciara_real_div(d.f.px[i], h),
                                  sciara_real_div(d.f.py[i], h), keep, T);
  }

  __device__ void move(real t, double time, fused_tally *tally) {
    for_each([&](unsigned p, unsigned k, int64_t i) {
      const int *around = space.around + (int64_t)p * 9;
      const int64_t there = (int64_t)p * TILE_CELLS + k;
      const unsigned from = take_mail(space.inbox[0], there);
      const bool live = !(d.f.h[i] <= 0);
      if (!live && !from) return;
      sciara_parcel parcel = {0, 0, 0, 0};
      if (live) parcel = residual(i, there, space.sent[there], t, tally);
#pragma unroll 1
      for (unsigned set = from; set; set &= set - 1) {
        const int n = __ffs((int)set);
        const int64_t at = scratch_of_neighbour(around, k, sciara_moore_row(n), sciara_moore_col(n));
        const fused_flow flow = space.flow[at * 8 + sciara_moore_reverse(n) - 1];
        const fused_donor donor = space.donor[at];
        bool donors_affair = false;
        sciara_parcel_add(&parcel, n, sciara_slope_flow(&flow.slope, flow.share, donor.keep, t, &donors_affair),
                          donor.T);
      }
      if (!live && parcel.h == 0) return;
      bool bad = false;
      const sciara_fate fate = sciara_pass_settle(&d.rule, &d.f, i, parcel, t, time, &bad);
      if (bad) blame(&d.control->bad_after, i, tally);
      tally->solidifications += fate == SCIARA_FATE_ROCK;
      tally->losses += fate == SCIARA_FATE_LOST;
      if (fate != SCIARA_FATE_LIQUID) return;
      tally->liquid = true;
      if (p >= inner) tally->entered = true;
    });
    // A thread looks at a cell of each tile.
    const unsigned warps = (unsigned)threads_of_block() / 32,
                   first = blockIdx.x * warps + (unsigned)thread_in_block() / 32;
    if (first < count) tally->launched += (count - first + gridDim.x * warps - 1) / (gridDim.x * warps);
  }

  __device__ int handle_of(int64_t vent) const {
    const unsigned place = (unsigned)(scratch_of_vent(d, space, vent) / TILE_CELLS);
    return place / ((unsigned)threads_of_block() / 32) % gridDim.x == blockIdx.x ? 0 : -1;
  }

  __device__ void emit(int, int64_t vent, double volume, double s) {
    sciara_pass_emit(&d.f, d.vents.cell[vent], volume, d.cell_size, d.T_vent, s);
  }

  __device__ unsigned long long liquid() const {
    unsigned long long mine = 0;
    for_each([&](unsigned, unsigned, int64_t i) { mine += !(d.f.h[i] <= 0); });
    return mine;
  }
};

static __global__ void __launch_bounds__(large_work::BLOCK, 3)
    fused_large(const __grid_constant__ sciara_device d, const __grid_constant__ fused_space space,
                const __grid_constant__ fused_orders orders) {
  if (is_over(d) || !space.fits()) return;
  large_work work(d, space);
  fused_steps(d, space, orders, work);
}

} // namespace sciara_gpu

#endif
