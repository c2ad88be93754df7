// SPDX-License-Identifier: Apache-2.0
// A step for much lava, where throughput matters: three kernels, with one block per patch of 32 x 8 cells and one
// thread per cell. Flows are computed by the block of the receivers, also for the cells around its patch, and are
// exchanged through shared memory. So only little is written to global memory: the receivers of each cell, and the
// average of minimisation.
#ifndef SCIARA_CUDA_FUSED_PATCHES_CUH
#define SCIARA_CUDA_FUSED_PATCHES_CUH

#include "tile_list.cuh"

namespace sciara_gpu {

struct patch_space : tile_list<32, 8> {
  enum { HALO_WIDTH = WIDTH + 2, HALO_CELLS = HALO_WIDTH * (HEIGHT + 2) };
  enum { EVALUATING = 4, MOVING = 4 }; ///< blocks per multiprocessor: see docs/performance.md
  // Scratch: [patch][cell].
  uint8_t *sent;         ///< of liquid cells: bit i - 1: lava flows to neighbour i
  real *average;         ///< for cells with an outflow: the average of the cell and its receivers above its ground, m
  sciara_inflow *inflow; ///< the inflow of a cell, in patches that are busy
  uint8_t *busy;         ///< [patch]: whether there is lava in it or next to it

  /** Lays out the scratch. */
  void lay_out_scratch(sciara_arena *arena) {
    around = arena->take<int>((int64_t)capacity * 9);
    sent = arena->take<uint8_t>((int64_t)capacity * CELLS);
    average = arena->take<real>((int64_t)capacity * CELLS);
    inflow = arena->take<sciara_inflow>((int64_t)capacity * CELLS);
    busy = arena->take<uint8_t>(capacity);
  }

  __device__ bool is_idle(const sciara_device &d) const { return is_over(d) || c->left == 0 || !fits(); }

  /**
   * Calls visit(place, row, column of the patch's first cell in the padded arrays) by all threads of a block together.
   */
  template <class Visit> __device__ void for_each_patch(Visit visit) const {
    const uint32_t *tiles = list[c->now];
    const unsigned end = count();
    for (unsigned p = blockIdx.x; p < end; p += gridDim.x) visit(p, row_of(tiles[p], 0), col_of(tiles[p], 0));
  }
};

__device__ inline bool is_in_arrays(const sciara_device &d, int64_t row, int64_t col) {
  return row >= 0 && row < d.rows + 2 && col >= 0 && col < d.cols + 2;
}

/** The values of a liquid cell that are needed to compute its flows. */
struct patch_donor {
  const sciara_device &d;
  int64_t i;
  real z, h, keep, vx, vy;
  sciara_start start;
  real head_on_axis, head_on_diagonal; ///< m

  __device__ patch_donor(const sciara_device &d_, int64_t i_, real T)
      : d(d_), i(i_), z(d_.f.z[i_]), h(d_.f.h[i_]), keep(1 - sciara_dissipation(&d_.rule, T)),
        vx(sciara_real_div(d_.f.px[i_], h)), vy(sciara_real_div(d_.f.py[i_], h)), start(sciara_start_of(vx, vy)),
        head_on_axis(sciara_head(&d_.rule, start.speed_on_axis)),
        head_on_diagonal(sciara_head(&d_.rule, start.speed_on_diagonal)) {}

  __device__ real top(int n) const {
    const int64_t j = i + sciara_moore_offset(n, d.f.stride);
    return sciara_top(n, z, d.f.z[j], d.f.h[j]);
  }

  /** Computes the slope to neighbour n; returns whether lava may flow there. hc: critical height, m. */
  __device__ bool find_slope(int n, real hc, real top, sciara_slope *slope) const {
    const bool axis = n == start.axis, diagonal = n == start.diagonal;
    slope->v0 = axis ? start.speed_on_axis : diagonal ? start.speed_on_diagonal : (real)0;
    const real head = axis ? head_on_axis : diagonal ? head_on_diagonal : (real)0;
    return sciara_slope_open_with(&d.rule, h, hc, top, head, slope);
  }
};

/**
 * tau1, time evaluation of a liquid cell: t_opt, s. `tops`: buffer of this thread, with neighbour n at index CELLS n.
 */
__device__ inline real evaluate_in_patch(const sciara_device &d, const patch_space &space, int64_t i, int64_t there,
                                         real *tops, bool *bad) {
  const real T = d.f.T[i], hc = sciara_critical_height(&d.rule, T);
  const patch_donor donor(d, i, T);
  sciara_slope slope;
  unsigned set = 0;
#pragma unroll 2
  for (int n = 1; n < SCIARA_MOORE; n++) {
    const real top = donor.top(n);
    if (donor.find_slope(n, hc, top, &slope)) set |= 1u << n;
    tops[n * patch_space::CELLS] = top;
  }
  real top[SCIARA_MOORE], average = 0;
  top[0] = 0;
  SCIARA_UNROLL
  for (int n = 1; n < SCIARA_MOORE; n++) top[n] = tops[n * patch_space::CELLS];
  unsigned survivors = set ? sciara_minimise(set | SCIARA_SELF, donor.h, top, &average) & ~(unsigned)SCIARA_SELF : 0;
  space.sent[there] = (uint8_t)(survivors >> 1);
  if (survivors) space.average[there] = average;
  real t_opt = d.rule.clock_max;
#pragma unroll 1
  for (; survivors; survivors &= survivors - 1) {
    const int n = __ffs((int)survivors) - 1;
    donor.find_slope(n, hc, tops[n * patch_space::CELLS], &slope);
    const real t = sciara_slope_time(&d.rule, &slope, donor.keep, bad);
    if (t < t_opt) t_opt = t;
  }
  return t_opt;
}

static __global__ void __launch_bounds__(patch_space::CELLS, patch_space::EVALUATING)
    evaluate_patches(const __grid_constant__ sciara_device d, const __grid_constant__ patch_space space) {
  __shared__ real tops[SCIARA_MOORE * patch_space::CELLS];
  if (space.is_idle(d)) return;
  const bool checks = checks_lava(d);
  const unsigned k = threadIdx.x;
  real t_opt = d.rule.clock_max;
  unsigned liquid = 0;
  space.for_each_patch([&](unsigned p, int64_t row0, int64_t col0) {
    const int64_t row = row0 + k / patch_space::WIDTH, col = col0 + k % patch_space::WIDTH;
    const int64_t i = row * d.f.stride + col;
    if (!is_in_arrays(d, row, col) || d.f.h[i] == 0) return; // invalid thicknesses are evaluated too
    bool bad = checks && !sciara_pass_is_sound(&d.rule, &d.f, i);
    const real t = evaluate_in_patch(d, space, i, (int64_t)p * patch_space::CELLS + k, tops + k, &bad);
    if (t < t_opt) t_opt = t;
    liquid++;
    if (bad) atomicMin(&d.control->bad_before, (unsigned long long)i);
  });
  const unsigned count = block_sum(liquid);
  if (!count) return;
  const unsigned long long bits = block_min((unsigned long long)__double_as_longlong((double)t_opt));
  if (!is_first()) return;
  atomicMin(&d.control->clock_bits, bits);
  atomicAdd(&d.control->cell_steps, (unsigned long long)count);
}

/**
 * Outflows of the cells of a patch and around it; cell (row, col) of the patch is at (row + 1) HALO_WIDTH + col + 1.
 */
struct patch_flows {
  real thickness[SCIARA_MOORE - 1][patch_space::HALO_CELLS],
      speed[SCIARA_MOORE - 1][patch_space::HALO_CELLS]; ///< m, m/s
  real T[patch_space::HALO_CELLS];                      ///< K
  uint8_t sent[patch_space::HALO_CELLS];

  /**
   * Flow computing of the cell at `row`, `col` of the patch or at most one outside it. `rest`: set to its residual, all
   * 0 for a dry cell. Returns whether the cell is liquid.
   */
  __device__ bool send(const sciara_device &d, const patch_space &space, unsigned p, int64_t row0, int64_t col0,
                       int row, int col, real t, sciara_inflow *rest) {
    const int at = (row + 1) * patch_space::HALO_WIDTH + col + 1;
    const int64_t there = scratch_at<patch_space>(space.around + (int64_t)p * 9, row, col);
    const int64_t i = (row0 + row) * d.f.stride + col0 + col;
    *rest = {0, 0, 0, 0};
    sent[at] = 0;
    if (there < 0 || !is_in_arrays(d, row0 + row, col0 + col) || d.f.h[i] == 0) return false;
    const real of_cell = d.f.T[i], average = space.average[there];
    const patch_donor donor(d, i, of_cell);
    const unsigned to = space.sent[there];
    sent[at] = (uint8_t)to;
    T[at] = of_cell;
    real leaving = 0;
    bool bad = false;
#pragma unroll 1
    for (unsigned set = to; set; set &= set - 1) {
      const int n = __ffs((int)set);
      sciara_slope slope;
      const real top = donor.top(n);
      donor.find_slope(n, 0, top, &slope); // it is open
      const sciara_outflow out = sciara_slope_flow(&slope, sciara_share(average, top), donor.keep, t, &bad);
      thickness[n - 1][at] = out.thickness;
      speed[n - 1][at] = out.speed;
      leaving = leaving + out.thickness;
    }
    if (bad) atomicMin(&d.control->bad_before, (unsigned long long)i);
    *rest = sciara_inflow_residual(sciara_residual(donor.h, leaving), donor.vx, donor.vy, donor.keep, of_cell);
    return true;
  }

  /** tau2: adds the inflows of the cell at `row`, `col` of the patch. */
  __device__ void receive(int row, int col, sciara_inflow *inflow) const {
    SCIARA_UNROLL
    for (int n = 1; n < SCIARA_MOORE; n++) {
      const int at = (row + 1 + sciara_moore_row(n)) * patch_space::HALO_WIDTH + col + 1 + sciara_moore_col(n);
      const int back = sciara_moore_reverse(n) - 1;
      if (sent[at] >> back & 1u) sciara_inflow_add(inflow, n, {thickness[back][at], speed[back][at]}, T[at]);
    }
  }
};

/** The position of the k-th cell around a patch. */
__device__ inline void cell_around_patch(int k, int *row, int *col) {
  const int across = patch_space::HALO_WIDTH;
  if (k < 2 * across) {
    *row = k < across ? -1 : patch_space::HEIGHT;
    *col = k % across - 1;
  } else {
    *row = (k - 2 * across) / 2;
    *col = k % 2 ? patch_space::WIDTH : -1;
  }
}

/** Flow computing and tau2, mass and momentum. */
static __global__ void __launch_bounds__(patch_space::CELLS, patch_space::MOVING)
    move_in_patches(const __grid_constant__ sciara_device d, const __grid_constant__ patch_space space) {
  __shared__ patch_flows flows;
  if (space.is_idle(d) || d.control->bad_before != SCIARA_NO_CELL) return;
  const real t = new_clock(d);
  const int k = (int)threadIdx.x, row = k / patch_space::WIDTH, col = k % patch_space::WIDTH;
  space.for_each_patch([&](unsigned p, int64_t row0, int64_t col0) {
    sciara_inflow inflow;
    bool liquid = flows.send(d, space, p, row0, col0, row, col, t, &inflow);
    if (k < patch_space::HALO_CELLS - patch_space::CELLS) {
      sciara_inflow of_another;
      int r, c;
      cell_around_patch(k, &r, &c);
      liquid |= flows.send(d, space, p, row0, col0, r, c, t, &of_another);
    }
    const bool busy = __syncthreads_or(liquid);
    if (k == 0) space.busy[p] = busy;
    if (!busy) return;
    flows.receive(row, col, &inflow);
    space.inflow[(int64_t)p * patch_space::CELLS + k] = inflow;
    __syncthreads();
  });
}

/** Rim and tau3, temperature and solidification. */
static __global__ void __launch_bounds__(patch_space::CELLS)
    settle_patches(const __grid_constant__ sciara_device d, const __grid_constant__ patch_space space) {
  if (space.is_idle(d) || d.control->bad_before != SCIARA_NO_CELL) return;
  const real t = new_clock(d);
  const double s = d.control->time, thickest = d.stop->thickness;
  const unsigned k = threadIdx.x, inner = space.c->inner;
  unsigned liquid = 0, rock = 0, lost = 0, sea = 0;
  bool entered = false;
  space.for_each_patch([&](unsigned p, int64_t row0, int64_t col0) {
    const int64_t row = row0 + k / patch_space::WIDTH, col = col0 + k % patch_space::WIDTH;
    const int64_t i = row * d.f.stride + col;
    if (!space.busy[p]) return;
    const sciara_inflow inflow = space.inflow[(int64_t)p * patch_space::CELLS + k];
    if (!is_in_arrays(d, row, col) || (inflow.h == 0 && d.f.h[i] == 0)) return;
    bool bad = false;
    const sciara_outcome outcome = sciara_pass_settle(&d.rule, &d.f, i, inflow, t, s, &bad);
    if (bad) atomicMin(&d.control->bad_after, (unsigned long long)i);
    liquid += outcome == SCIARA_OUTCOME_LIQUID;
    rock += outcome == SCIARA_OUTCOME_ROCK;
    lost += outcome == SCIARA_OUTCOME_LOST;
    sea += outcome == SCIARA_OUTCOME_SEA;
    entered |= outcome == SCIARA_OUTCOME_LIQUID && p >= inner;
    if (outcome == SCIARA_OUTCOME_LIQUID && (double)inflow.h > thickest) d.control->thick = 1;
  });
  if (__any_sync(~0u, entered) && is_lane_0()) space.c->entered = 1;
  liquid = block_sum(liquid);
  rock = block_sum(rock);
  lost = block_sum(lost);
  sea = block_sum(sea);
  if (!is_first()) return;
  if (liquid) atomicAdd(&d.control->liquid, (unsigned long long)liquid);
  if (rock) atomicAdd(&d.control->solidifications, (unsigned long long)rock);
  if (lost) atomicAdd(&d.control->losses, (unsigned long long)lost);
  if (sea) atomicAdd(&d.control->sea_losses, (unsigned long long)sea);
}

/** Before the first of `steps` steps. One block. */
static __global__ void begin_patches(const __grid_constant__ sciara_device d, const __grid_constant__ patch_space space,
                                     unsigned long long steps) {
  if (is_over(d) || !space.fits()) return;
  if (thread_in_block() == 0) {
    space.c->left = steps;
    space.c->entered = 0;
  }
  begin_step(d);
}

/** Between two steps. One block. */
static __global__ void turn_patches(const __grid_constant__ sciara_device d,
                                    const __grid_constant__ patch_space space) {
  fused_control *c = space.c;
  if (space.is_idle(d)) return;
  __syncthreads(); // all threads have read the values that the first thread changes next
  if (thread_in_block() == 0) {
    d.control->launched += (unsigned long long)space.count() * patch_space::CELLS;
    finish_step(d);
    if (--c->left > patch_space::STEPS_OF_GRACE && c->entered) c->left = patch_space::STEPS_OF_GRACE;
  }
  __syncthreads();
  if (c->left > 0 && !is_over(d)) begin_step(d);
}

/** Adds the time since the last call; the first call comes before the first step. One thread. */
static __global__ void watch_patches(const __grid_constant__ sciara_device d, const __grid_constant__ patch_space space,
                                     int which) {
  if (is_over(d) || space.c->left == 0) return;
  if (which == 0) space.c->timed_steps++;
  fused_watch watch = {true, space.c->last};
  watch.lap(space.c, which);
  space.c->last = watch.last;
}

} // namespace sciara_gpu

#endif
