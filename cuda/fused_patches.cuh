// SPDX-License-Identifier: Apache-2.0
// A step for much lava, where throughput matters: three kernels, with one block per patch of 32 x 8 cells and one
// thread per cell. Flows are computed by the block of the receivers, also for the cells around its patch, each of which
// has a thread in the second kernel too, and are exchanged through shared memory. So only little is written to global
// memory: the receivers of each cell, and what its flows have in common. The kernels are those of a whole map or of a
// band of it (band_border.cuh).
#ifndef SCIARA_CUDA_FUSED_PATCHES_CUH
#define SCIARA_CUDA_FUSED_PATCHES_CUH

#include "band_border.cuh"
#include "patches_bingham.cuh"
#include "patches_fv3.cuh"

namespace sciara_gpu {

template <class Border>
static __global__ void __launch_bounds__(patch_space::CELLS, patch_space::EVALUATING)
    evaluate_patches(const __grid_constant__ sciara_device d, const __grid_constant__ patch_space space,
                     const __grid_constant__ Border border) {
  border.begin();
  if (space.is_idle(d)) return;
  const bool checks = checks_lava(d);
  const unsigned k = threadIdx.x;
  real t_opt = d.rule.clock_max;
  unsigned liquid = 0;
  space.for_each_patch([&](unsigned p, int64_t row0, int64_t col0) {
    const int64_t row = row0 + k / patch_space::WIDTH, col = col0 + k % patch_space::WIDTH;
    const int64_t i = row * d.f.stride + col;
    if (!is_in_arrays(d, row, col) || !border.flows(d, i)) return;
    if (d.f.h[i] == 0) return; // invalid thicknesses are evaluated too
    bool bad = checks && !sciara_pass_is_sound(&d.rule, &d.f, i);
    const real t = evaluate_in_patch(d, space, i, (int64_t)p * patch_space::CELLS + k, &bad);
    if (t < t_opt) t_opt = t;
    if (border.owns(d, i)) liquid++;
    if (bad) atomicMin(&d.control->bad_before, border.in_map(i));
  });
  const unsigned count = block_sum(liquid);
  if (!count) return;
  const unsigned long long bits = block_min((unsigned long long)__double_as_longlong((double)t_opt));
  if (!is_first()) return;
  atomicMin(&d.control->clock_bits, bits);
  atomicAdd(&d.control->cell_steps, (unsigned long long)count);
}

/** The position of the k-th cell of a patch with its halo: the cells of the patch come first. */
__device__ inline void cell_with_halo(int k, int *row, int *col) {
  const int across = patch_space::HALO_WIDTH, around = k - patch_space::CELLS;
  if (around < 0) {
    *row = k / patch_space::WIDTH;
    *col = k % patch_space::WIDTH;
  } else if (around < 2 * across) {
    *row = around < across ? -1 : patch_space::HEIGHT;
    *col = around % across - 1;
  } else {
    *row = (around - 2 * across) / 2;
    *col = around % 2 ? patch_space::WIDTH : -1;
  }
}

/** Flow computing and tau2, mass and momentum. */
template <class Border>
static __global__ void __launch_bounds__(patch_space::WITH_HALO, patch_space::MOVING)
    move_in_patches(const __grid_constant__ sciara_device d, const __grid_constant__ patch_space space,
                    const __grid_constant__ Border border) {
  __shared__ patch_flows flows;
  border.begin();
  if (space.is_idle(d) || d.control->bad_before != SCIARA_NO_CELL) return;
  const real t = new_clock(d);
  const int k = (int)threadIdx.x;
  int row, col;
  cell_with_halo(k, &row, &col);
  space.for_each_patch([&](unsigned p, int64_t row0, int64_t col0) {
    sciara_inflow inflow;
    const bool liquid =
        k < patch_space::HALO_CELLS && flows.send(d, space, border, p, row0, col0, row, col, t, &inflow);
    const bool busy = __syncthreads_or(liquid);
    if (k == 0) space.busy[p] = busy;
    if (!busy) return;
    if (k < patch_space::CELLS) {
      flows.receive(row, col, &inflow);
      space.inflow[(int64_t)p * patch_space::CELLS + k] = inflow;
    }
    __syncthreads();
  });
}

/** Rim and tau3, temperature and solidification. */
template <class Border>
static __global__ void __launch_bounds__(patch_space::CELLS, patch_space::SETTLING)
    settle_patches(const __grid_constant__ sciara_device d, const __grid_constant__ patch_space space,
                   const __grid_constant__ Border border) {
  border.begin();
  if (space.is_idle(d)) return;
  border.has_moved(d);
  if (d.control->bad_before != SCIARA_NO_CELL) return;
  const real t = new_clock(d);
  const double s = d.control->time, thickest = d.stop->thickness;
  const unsigned k = threadIdx.x, inner = space.c->inner;
  unsigned liquid = 0, rock = 0, lost = 0, sea = 0;
  bool entered = false;
  space.for_each_patch([&](unsigned p, int64_t row0, int64_t col0) {
    const int64_t row = row0 + k / patch_space::WIDTH, col = col0 + k % patch_space::WIDTH;
    const int64_t i = row * d.f.stride + col;
    if (!space.busy[p]) return;
    border.wait_for_neighbours(d, space.c, row0);
    const sciara_inflow inflow = space.inflow[(int64_t)p * patch_space::CELLS + k];
    if (!is_in_arrays(d, row, col) || !border.owns(d, i) || (inflow.h == 0 && d.f.h[i] == 0)) return;
    bool bad = false;
    const sciara_outcome outcome = sciara_pass_settle(&d.rule, &d.f, i, inflow, t, s, &bad);
    if (bad) atomicMin(&d.control->bad_after, border.in_map(i));
    border.send(d, i);
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
  wait_for_last_kernel();
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
