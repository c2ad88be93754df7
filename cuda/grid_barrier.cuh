// SPDX-License-Identifier: Apache-2.0
// All blocks of a kernel meet, each brings something, all get what it makes together: the smallest of numbers, or which of
// some flags anybody has.
//
// A thread of each block adds itself to a word that counts the blocks, and waits until all are counted. The smallest number
// is in the word beside it, brought there before with an atomic operation; both are read as one, so whoever sees the last
// block counted sees its number too. Flags are counted in the upper bits of the same word. The kernel is launched
// cooperatively: all its blocks run at once.
#ifndef SCIARA_CUDA_GRID_BARRIER_CUH
#define SCIARA_CUDA_GRID_BARRIER_CUH

#include "reduce.cuh"

namespace sciara_gpu {

/** Where blocks meet. 16 bytes that are read at once. */
struct alignas(16) barrier_slot {
  unsigned long long blocks; ///< bits 0 to 15: blocks that have come; from bit 16 (k + 1) on: those with flag k
  unsigned long long least;  ///< the smallest number that they brought
};

enum {
  BARRIER_SLOTS = 4, ///< in turn: one is in use, one may still be read, one is made ready
  FLAGS = 3,
};

__device__ inline barrier_slot look_at(const barrier_slot *point) {
  barrier_slot seen;
  asm volatile("{.reg .b128 both; ld.acquire.gpu.global.b128 both, [%2]; mov.b128 {%0, %1}, both;}"
               : "=l"(seen.blocks), "=l"(seen.least)
               : "l"(point)
               : "memory");
  return seen;
}

/** Orders what the thread does before and after against other multiprocessors: lighter than __threadfence. */
__device__ inline void fence() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

/** The smallest of a warp's numbers, in all lanes. */
__device__ inline unsigned long long warp_least(unsigned long long value) {
#if __CUDA_ARCH__ >= 800
  const unsigned high = __reduce_min_sync(~0u, (unsigned)(value >> 32));
  const unsigned low = __reduce_min_sync(~0u, value >> 32 == high ? (unsigned)value : ~0u);
  return (unsigned long long)high << 32 | low;
#else
  for (int lane = 16; lane > 0; lane >>= 1) value = smaller(value, __shfl_xor_sync(~0u, value, lane));
  return value;
#endif
}

/** Bits that any lane of a warp has, in all lanes. */
__device__ inline unsigned warp_any(unsigned bits) {
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(~0u, bits);
#else
  for (int lane = 16; lane > 0; lane >>= 1) bits |= __shfl_xor_sync(~0u, bits, lane);
  return bits;
#endif
}

/** A thread's part in the barriers. */
struct grid_barrier {
  /** What a block needs for its barriers, in shared memory; every thread has to have seen `flags` cleared. */
  struct of_block {
    unsigned long long of_warp[32], least;
    unsigned flags, all_flags;
  };
  barrier_slot *points; ///< BARRIER_SLOTS, made ready before the kernel
  of_block *block;
  unsigned turn; ///< starts as 0

  static __device__ grid_barrier begin(of_block *block, barrier_slot *points) { return {points, block, 0}; }

  /** Waits at the point of this turn until all blocks have come. One thread of each, for those that it has met. */
  __device__ barrier_slot wait(unsigned long long flags) const {
    barrier_slot *here = points + turn;
    if (blockIdx.x == 0) points[(turn + 1) % BARRIER_SLOTS] = {0, ~0ull}; // all have left it
    fence();
    atomicAdd(&here->blocks, 1ull + flags);
    barrier_slot seen;
    do seen = look_at(here);
    while ((seen.blocks & 0xffffu) < gridDim.x);
    return seen;
  }

  /** All threads of all blocks meet: the smallest of their numbers. What was written before is seen by all afterwards. */
  __device__ unsigned long long least(unsigned long long mine) {
    const int lane = thread_in_block() % 32, warp = thread_in_block() / 32, warps = threads_of_block() / 32;
    mine = warp_least(mine);
    if (lane == 0) block->of_warp[warp] = mine;
    __syncthreads();
    if (warp == 0) {
      mine = warp_least(lane < warps ? block->of_warp[lane] : ~0ull);
      if (lane == 0) {
        atomicMin(&points[turn].least, mine);
        block->least = wait(0).least;
      }
    }
    __syncthreads();
    turn = (turn + 1) % BARRIER_SLOTS;
    return block->least;
  }

  /**
   * The same, for the flags that anybody has; bit k of `mine`: flag k. While thread 0 waits the others do
   * meantime(worker, workers).
   */
  template <class Meantime> __device__ unsigned any(unsigned mine, Meantime meantime) {
    mine = warp_any(mine);
    if (is_lane_0() && mine) atomicOr(&block->flags, mine);
    __syncthreads();
    if (thread_in_block() >= 32) {
      meantime(thread_in_block() - 32, threads_of_block() - 32);
    } else if (is_first()) {
      const unsigned flags = block->flags;
      block->flags = 0;
      unsigned long long counted = 0;
      for (int k = 0; k < FLAGS; k++) counted |= (unsigned long long)(flags >> k & 1u) << (16 * (k + 1));
      counted = wait(counted).blocks;
      unsigned all = 0;
      for (int k = 0; k < FLAGS; k++) all |= (counted >> (16 * (k + 1)) & 0xffffu ? 1u : 0u) << k;
      block->all_flags = all;
    }
    __syncthreads();
    turn = (turn + 1) % BARRIER_SLOTS;
    return block->all_flags;
  }
};

/** Makes all points ready. One thread. */
static __global__ void ready_points(barrier_slot *points) {
  for (int k = 0; k < BARRIER_SLOTS; k++) points[k] = {0, ~0ull};
}

} // namespace sciara_gpu

#endif
