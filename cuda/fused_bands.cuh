// SPDX-License-Identifier: Apache-2.0
// The kernels of a step of a band that are not those of fused_patches.cuh: those in which all bands agree.
#ifndef SCIARA_CUDA_FUSED_BANDS_CUH
#define SCIARA_CUDA_FUSED_BANDS_CUH

#include "fused_patches.cuh"

namespace sciara_gpu {

/** Lists the tiles with rows of the halo as inner: lava may come there that this band does not move. */
static __global__ void list_halo(const __grid_constant__ sciara_device d, const __grid_constant__ patch_space space) {
  if (space.c->valid) return;
  const int64_t stride = d.f.stride, last = d.rows, own_first = d.band.own.begin / stride,
                own_last = d.band.own.end / stride - 1;
  for (uint32_t y = 0; y < space.tiles_y; y++) {
    const int64_t first = (int64_t)y * patch_space::HEIGHT, end = first + patch_space::HEIGHT;
    const bool north = own_first > 1 && first < own_first, south = own_last < last && end > own_last + 1;
    if (!north && !south) continue;
    for (uint32_t x = blockIdx.x * blockDim.x + threadIdx.x; x < space.tiles_x; x += gridDim.x * blockDim.x)
      add_inner(space, y * space.tiles_x + x, 0);
  }
}

/** A list is made again after so many launches, or fewer of many steps, because lava may have left some of its tiles. */
enum { LAUNCHES_OF_LIST = 16, STEPS_AS_A_LAUNCH = 8 };

/**
 * Before the first of `steps` steps of launch number `launch`; no band does them if the list of one does not fit its
 * scratch. One block.
 */
static __global__ void begin_band(const __grid_constant__ sciara_device d, const __grid_constant__ patch_space space,
                                  const __grid_constant__ band_meeting all, int how, unsigned launch,
                                  unsigned long long steps) {
  if (is_over(d)) return;
  fused_control *c = space.c;
  if (threadIdx.x < 32) {
    const int topic = launch % 2 ? MEET_TO_BEGIN_TOO : MEET_TO_BEGIN;
    const unsigned long long fit = all.meet(c, topic, how, space.fits() ? 1 : 0, smaller<unsigned long long>);
    if (threadIdx.x == 0 && how & BAND_WAITS) {
      c->left = fit && !c->late ? steps : 0;
      c->entered = 0;
      const unsigned long long age = 1 + steps / STEPS_AS_A_LAUNCH;
      c->valid = !fit ? 0 : !c->valid ? (unsigned)LAUNCHES_OF_LIST : c->valid > age ? c->valid - (unsigned)age : 0;
    }
  }
  __syncthreads();
  if (how & BAND_WAITS && c->left > 0) begin_step(d);
}

/** The smallest t_opt of all bands. With invalid numbers in one of them no band moves its lava. One warp. */
static __global__ void agree_on_clock(const __grid_constant__ sciara_device d,
                                      const __grid_constant__ patch_space space,
                                      const __grid_constant__ band_meeting all, int how) {
  wait_for_last_kernel();
  if (space.is_idle(d)) return;
  sciara_device_control *c = d.control;
  const unsigned long long mine = c->bad_before != SCIARA_NO_CELL ? 0 : c->clock_bits + 1;
  const unsigned long long least = all.meet(space.c, MEET_FOR_CLOCK, how, mine, smaller<unsigned long long>);
  if (threadIdx.x != 0 || !(how & BAND_WAITS)) return;
  if (least > 0 && !space.c->late) {
    c->clock_bits = least - 1;
  } else {
    c->failed = 1;
    c->reason = SCIARA_STOP_CANCEL;
  }
}

/** Fetches the rows next to the own ones that the neighbours have left in host memory in this step. */
static __global__ void fetch_rows(const __grid_constant__ sciara_device d, const __grid_constant__ patch_space space,
                                  const __grid_constant__ band_border border, int how) {
  wait_for_last_kernel();
  if (space.is_idle(d)) return;
  const unsigned long long step = d.control->step + 1;
  for (const band_parcel &to : border.parcels)
    if (how & BAND_SENDS && blockIdx.x == 0 && threadIdx.x == 0 && to.sends) store_for_others(to.sends, step);
  for (const band_parcel &from : border.parcels) {
    if (!(how & BAND_WAITS) || !from.sent) continue;
    if (threadIdx.x == 0) wait_for_others(from.sent, space.c, [&](unsigned long long value) { return value >= step; });
    __syncthreads();
    const int64_t cells = from.halo.end - from.halo.begin, threads = (int64_t)gridDim.x * blockDim.x;
    for (int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; k < cells; k += threads) {
      const int64_t i = from.halo.begin + k;
      d.f.z[i] = __ldcv(&from.z[k]);
      d.f.h[i] = __ldcv(&from.h[k]);
      if (!sciara_cells_have(from.nearer, i)) continue;
      d.f.T[i] = __ldcv(&from.T[k]);
      d.f.px[i] = __ldcv(&from.px[k]);
      d.f.py[i] = __ldcv(&from.py[k]);
    }
  }
}

/** Each has a byte of its own: NCCL has no "or", but a largest value of bytes. */
enum { BAND_IS_LIQUID = 1, BAND_HAS_ENTERED = 1 << 8, BAND_IS_BAD = 1 << 16, BAND_IS_THICK = 1 << 24 };

/** Between two steps. One block. */
static __global__ void turn_band(const __grid_constant__ sciara_device d, const __grid_constant__ patch_space space,
                                 const __grid_constant__ band_meeting all, int how) {
  wait_for_last_kernel();
  if (space.is_idle(d)) return;
  sciara_device_control *c = d.control;
  fused_control *list = space.c;
  if (threadIdx.x < 32) {
    const unsigned mine = (c->liquid ? (unsigned)BAND_IS_LIQUID : 0u) |
                          (list->entered ? (unsigned)BAND_HAS_ENTERED : 0u) | (is_bad(c) ? (unsigned)BAND_IS_BAD : 0u) |
                          (c->thick ? (unsigned)BAND_IS_THICK : 0u);
    const unsigned found = (unsigned)all.meet(list, MEET_TO_TURN, how, mine, [](auto a, auto b) { return a | b; });
    if (threadIdx.x == 0 && how & BAND_WAITS) {
      c->launched += (unsigned long long)space.count() * patch_space::CELLS;
      finish_step(d, (found & BAND_IS_BAD) || list->late, found & BAND_IS_LIQUID, found & BAND_IS_THICK);
      if (found & BAND_HAS_ENTERED) list->valid = 0;
      if (--list->left > patch_space::STEPS_OF_GRACE && (found & BAND_HAS_ENTERED))
        list->left = patch_space::STEPS_OF_GRACE;
    }
  }
  __syncthreads();
  if (how & BAND_WAITS && list->left > 0 && !is_over(d)) begin_step(d);
}

/**
 * The work of a patch with lava, apart from that of its liquid cells, in such cells: on an H100 a step takes 0.11 ns for a
 * cell and 30 ns for a patch.
 */
enum { WORK_OF_PATCH = 256 };

/** Adds the work of each row of the band. */
static __global__ void weigh_rows(const __grid_constant__ sciara_device d, const __grid_constant__ patch_space space,
                                  unsigned *work) {
  const unsigned k = threadIdx.x;
  space.for_each_patch([&](unsigned, int64_t row0, int64_t col0) {
    const int64_t row = row0 + k / patch_space::WIDTH, col = col0 + k % patch_space::WIDTH;
    const int64_t i = row * d.f.stride + col;
    const bool has = is_in_arrays(d, row, col) && sciara_cells_have(d.band.own, i) && d.f.h[i] != 0;
    const unsigned count = (unsigned)__popc(__ballot_sync(~0u, has)); // a warp has a row of the patch
    const bool any = __syncthreads_or(has);
    if (is_lane_0() && any && row < d.rows + 2) atomicAdd(&work[row], count + WORK_OF_PATCH / patch_space::HEIGHT);
  });
}

} // namespace sciara_gpu

#endif
