// SPDX-License-Identifier: Apache-2.0
// Sums and extremes over a warp and a block. Every thread of the block calls them.
#ifndef SCIARA_CUDA_REDUCE_CUH
#define SCIARA_CUDA_REDUCE_CUH

#include "device_fields.h"

namespace sciara_gpu {

__device__ inline int thread_in_block() { return (int)(threadIdx.y * blockDim.x + threadIdx.x); }
__device__ inline int threads_of_block() { return (int)(blockDim.x * blockDim.y); }
__device__ inline bool is_first() { return thread_in_block() == 0; }
__device__ inline bool is_lane_0() { return thread_in_block() % 32 == 0; }

/** Combines the values of a warp; the result is in lane 0. */
template <class T, class Combine> __device__ T warp_reduce(T value, Combine combine) {
  for (int lane = 16; lane > 0; lane >>= 1) value = combine(value, __shfl_down_sync(~0u, value, lane));
  return value;
}

/** The sum over a warp, in lane 0 at least. */
__device__ inline unsigned warp_sum(unsigned value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(~0u, value);
#else
  return warp_reduce(value, [](unsigned a, unsigned b) { return a + b; });
#endif
}

template <class T> __device__ T smaller(T a, T b) { return b < a ? b : a; }
template <class T> __device__ T larger(T a, T b) { return a < b ? b : a; }

/** The sum over the block. */
__device__ inline unsigned block_sum(unsigned value) {
  __shared__ unsigned sum;
  __syncthreads(); // some threads may still read the last sum
  if (is_first()) sum = 0;
  __syncthreads();
  value = warp_reduce(value, [](unsigned a, unsigned b) { return a + b; });
  if (is_lane_0() && value) atomicAdd(&sum, value);
  __syncthreads();
  return sum;
}

/** The smallest over the block. */
__device__ inline unsigned long long block_min(unsigned long long value) {
  __shared__ unsigned long long smallest;
  __syncthreads();
  if (is_first()) smallest = ~0ull;
  __syncthreads();
  value = warp_reduce(value, smaller<unsigned long long>);
  if (is_lane_0()) atomicMin(&smallest, value);
  __syncthreads();
  return smallest;
}

/** The sum over the threads before this one, in their order; *total is the sum over all. */
__device__ inline unsigned block_scan(unsigned value, unsigned *total) {
  __shared__ unsigned sum_of_warp[32];
  const int lane = thread_in_block() % 32, warp = thread_in_block() / 32, warps = threads_of_block() / 32;
  unsigned sum = value;
  for (int distance = 1; distance < 32; distance <<= 1) {
    const unsigned before = __shfl_up_sync(~0u, sum, distance);
    if (lane >= distance) sum += before;
  }
  __syncthreads(); // some threads may still read the last sums
  if (lane == 31) sum_of_warp[warp] = sum;
  __syncthreads();
  unsigned before = 0, all = 0;
  for (int k = 0; k < warps; k++) {
    if (k < warp) before += sum_of_warp[k];
    all += sum_of_warp[k];
  }
  *total = all;
  return before + sum - value;
}

} // namespace sciara_gpu

#endif
