// SPDX-License-Identifier: Apache-2.0
// Exchange without atomics: a donor writes its outflows into its own slots, and a receiver reads the slots of its
// neighbours in the order of their indices. Results are bit-identical to those of a single thread.
#ifndef SCIARA_CUDA_EXCHANGE_GATHER_CUH
#define SCIARA_CUDA_EXCHANGE_GATHER_CUH

#include "processes.cuh"

namespace sciara_gpu {

/** Writes the outflow of cell i to neighbour n into its slots. */
__device__ inline void put_outflow(const sciara_device_slots &slots, int n, int64_t i, const sciara_outflow &out) {
  slots.out[n][i] = out.thickness;
#if !SCIARA_SHEET
  slots.speed[n][i] = out.speed;
#endif
}

/** The outflow of cell i to neighbour n from its slots. */
__device__ inline sciara_outflow outflow_in(const sciara_device_slots &slots, int n, int64_t i) {
#if SCIARA_SHEET
  return {slots.out[n][i]};
#else
  return {slots.out[n][i], slots.speed[n][i]};
#endif
}

struct gather {
  static constexpr bool in_one_pass = false; // tau2 is a separate kernel, after all cells have sent

  __device__ static void send(const sciara_device &d, int64_t i, const sciara_inflow &rest, const sciara_outflows &out,
                              unsigned stamp) {
    d.slots.out[0][i] = rest.h;
    d.slots.px[i] = rest.px;
    d.slots.py[i] = rest.py;
    d.slots.heat[i] = rest.heat;
    SCIARA_UNROLL
    for (int n = 1; n < SCIARA_MOORE; n++) put_outflow(d.slots, n, i, out.to[n]);
    d.slots.stamp[i] = stamp;
  }

  /** The result of mass_and_momentum; a cell without lava that sent nothing is dry. */
  __device__ static bool take(const sciara_device &d, int64_t i, unsigned stamp, sciara_inflow *inflow) {
    const real h = d.f.h[i];
    if (h == 0 && d.slots.stamp[i] != stamp) return false;
    *inflow = {h, d.f.px[i], d.f.py[i], d.slots.heat[i]};
    return true;
  }
};

/** Whether cell i and its neighbours have sent lava in this step, and their temperatures, from global memory. */
struct global_donors {
  const sciara_device &d;
  int64_t i;
  __device__ unsigned stamp(int n) const { return d.slots.stamp[i + sciara_moore_offset(n, d.f.stride)]; }
  __device__ real T(int n) const { return d.f.T[i + sciara_moore_offset(n, d.f.stride)]; }
};

/** Donors from a tile with its halo in shared memory. */
struct shared_donors {
  const real *tile_T;
  const unsigned *tile_stamp;
  int64_t at, width;
  __device__ unsigned stamp(int n) const { return tile_stamp[at + sciara_moore_offset(n, width)]; }
  __device__ real T(int n) const { return tile_T[at + sciara_moore_offset(n, width)]; }
};

/** tau2 of one cell: mass, momentum and heat. */
template <class Donors>
__device__ void gather_cell(const sciara_device &d, int64_t i, unsigned stamp, const Donors &donors) {
  if (d.f.kind[i] == SCIARA_CELL_NODATA) return;
  sciara_inflow inflow = {0, 0, 0, 0};
  const bool was_liquid = donors.stamp(0) == stamp;
  if (was_liquid) inflow = {d.slots.out[0][i], d.slots.px[i], d.slots.py[i], d.slots.heat[i]};
  SCIARA_UNROLL
  for (int n = 1; n < SCIARA_MOORE; n++) {
    if (donors.stamp(n) != stamp) continue;
    const int64_t j = i + sciara_moore_offset(n, d.f.stride);
    const int back = sciara_moore_reverse(n);
    sciara_inflow_add(&inflow, n, outflow_in(d.slots, back, j), donors.T(n));
  }
  if (!was_liquid && inflow.h == 0) return;
  d.f.h[i] = inflow.h;
  d.f.px[i] = inflow.px;
  d.f.py[i] = inflow.py;
  d.slots.heat[i] = inflow.heat;
}

/** tau2 of every cell. */
template <bool shared, class Space> __global__ void mass_and_momentum(sciara_device d, Space space) {
  if (is_over(d) || d.control->bad_before != SCIARA_NO_CELL) return;
  const unsigned stamp = stamp_of(d);
  if constexpr (!shared) {
    space.for_each(d, [&](int64_t i) { gather_cell(d, i, stamp, global_donors{d, i}); });
  } else {
    const int64_t width = (int64_t)blockDim.x + 2;
    real *T = shared_memory<real>();
    unsigned *stamps = reinterpret_cast<unsigned *>(T + width * ((int64_t)blockDim.y + 2));
    space.for_each_tile(d, [&](int64_t row, int64_t col) {
      load_tile(d, row, col, [&](int k, int64_t j) {
        T[k] = d.f.T[j];
        stamps[k] = d.slots.stamp[j];
      });
      const int64_t r = row + threadIdx.y, c = col + threadIdx.x;
      if (r >= d.rows || c >= d.cols) return;
      const int64_t at = (int64_t)(threadIdx.y + 1) * width + threadIdx.x + 1;
      gather_cell(d, (r + 1) * d.f.stride + c + 1, stamp, shared_donors{T, stamps, at, width});
    });
  }
}

} // namespace sciara_gpu

#endif
