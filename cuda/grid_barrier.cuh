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
struct alignas(16) meeting_point {
  unsigned long long blocks; ///< bits 0 to 15: blocks that have come; from bit 16 (k + 1) on: those with flag k
  unsigned long long least;  ///< the smallest number that they brought
};

enum {
  MEETING_POINTS = 4, ///< in turn: one is in use, one may still be read, one is made ready
  FLAGS = 3,
};

__device__ inline meeting_point look_at(const meeting_point *point) {
  meeting_point seen;
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

/** What a meeting found. */
struct meeting_result {
  unsigned long long least; ///< of the numbers
  unsigned flags;           ///< bit k: somebody has flag k
};

/** What a block needs for its meetings, in shared memory; every thread has to have seen its flags cleared. */
struct block_meeting {
  unsigned long long of_warp[32];
  unsigned flags;
  meeting_result found;
};

/** A thread's part in the meetings. */
struct grid_meeting {
  meeting_point *points; ///< MEETING_POINTS, made ready before the kernel
  block_meeting *block;
  unsigned turn; ///< starts as 0

  /** Waits at the point of this turn until all blocks have come. One thread of each, for those that it has met. */
  template <class Signal>
  __device__ meeting_result wait(unsigned long long number, unsigned flags, Signal signal) const {
    meeting_point *here = points + turn;
    if (blockIdx.x == 0) points[(turn + 1) % MEETING_POINTS] = {0, ~0ull}; // all have left it
    unsigned long long counted = 1;
    for (int k = 0; k < FLAGS; k++) counted |= (unsigned long long)(flags >> k & 1u) << (16 * (k + 1));
    atomicMin(&here->least, number);
    fence();
    signal();
    atomicAdd(&here->blocks, counted);
    meeting_point seen;
    do seen = look_at(here);
    while ((seen.blocks & 0xffffu) < gridDim.x);
    meeting_result result = {seen.least, 0};
    for (int k = 0; k < FLAGS; k++) result.flags |= (seen.blocks >> (16 * (k + 1)) & 0xffffu ? 1u : 0u) << k;
    return result;
  }

  /**
   * All threads of all blocks meet: the smallest of their numbers, and the flags that anybody has (bit k of `flags`: flag k).
   * What was written before is seen by all afterwards. The last warp of a block waits; it calls signal() when what the block
   * wrote can be seen. Meanwhile the others do meantime(worker, workers).
   */
  template <class Signal, class Meantime>
  __device__ meeting_result meet(unsigned long long number, unsigned flags, Signal signal, Meantime meantime) {
    const int lane = thread_in_block() % 32, warp = thread_in_block() / 32, warps = threads_of_block() / 32;
    number = warp_least(number);
    flags = warp_any(flags);
    if (lane == 0) block->of_warp[warp] = number;
    if (lane == 0 && flags) atomicOr(&block->flags, flags);
    __syncthreads();
    if (warp < warps - 1) {
      meantime(thread_in_block(), threads_of_block() - 32);
    } else {
      number = warp_least(lane < warps ? block->of_warp[lane] : ~0ull);
      if (lane == 0) {
        block->found = wait(number, block->flags, signal);
        block->flags = 0;
      }
    }
    __syncthreads();
    turn = (turn + 1) % MEETING_POINTS;
    return block->found;
  }

  /** The same, when there is nothing to tell. */
  __device__ void meet() {
    meet(
        ~0ull, 0, [] {}, [](int, int) {});
  }
};

/** Makes all points ready. One thread. */
static __global__ void ready_points(meeting_point *points) {
  for (int k = 0; k < MEETING_POINTS; k++) points[k] = {0, ~0ull};
}

} // namespace sciara_gpu

#endif
