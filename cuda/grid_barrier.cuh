// SPDX-License-Identifier: Apache-2.0
// Barriers of all blocks of a kernel with a reduction: each block contributes a value, and all blocks get the smallest
// of some numbers, or the union of some flags.
//
// One thread of each block adds 1 to a word that counts the blocks, and waits until all blocks are counted. The
// smallest number is in the word next to it, and each block updates it with an atomic operation before it is counted.
// Both words are read in one access, so a thread that sees the last block counted also sees its number. Flags are
// counted in the upper bits of the first word. The kernel is launched cooperatively, so that all its blocks run at the
// same time.
#ifndef SCIARA_CUDA_GRID_BARRIER_CUH
#define SCIARA_CUDA_GRID_BARRIER_CUH

#include "reduce.cuh"

namespace sciara_gpu {

/** The data of one barrier: 16 bytes that are read in one access. */
struct alignas(16) barrier_slot {
  unsigned long long blocks; ///< bits 0 to 15: blocks that have arrived; from bit 16 (k + 1) on: those with flag k
  unsigned long long least;  ///< the smallest of their numbers
};

enum {
  BARRIER_SLOTS = 4, ///< used cyclically: one is in use, one may still be read, one is cleared
  FLAGS = 3,
};

__device__ inline barrier_slot load_slot(const barrier_slot *slot) {
  barrier_slot seen;
  asm volatile("{.reg .b128 both; ld.acquire.gpu.global.b128 both, [%2]; mov.b128 {%0, %1}, both;}"
               : "=l"(seen.blocks), "=l"(seen.least)
               : "l"(slot)
               : "memory");
  return seen;
}

/**
 * Orders the memory accesses of the thread before and after it for other multiprocessors; cheaper than __threadfence.
 */
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

/** The bits that any lane of a warp has, in all lanes. */
__device__ inline unsigned warp_any(unsigned bits) {
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(~0u, bits);
#else
  for (int lane = 16; lane > 0; lane >>= 1) bits |= __shfl_xor_sync(~0u, bits, lane);
  return bits;
#endif
}

/** The barriers, as each thread uses them. */
struct grid_barrier {
  /** The data of a block in shared memory. `flags` must be 0 for every thread before the first barrier. */
  struct of_block {
    unsigned long long of_warp[32], least;
    unsigned flags, all_flags;
  };
  barrier_slot *slots; ///< BARRIER_SLOTS, cleared before the kernel
  of_block *block;
  unsigned turn; ///< index of the current slot; initially 0

  static __device__ grid_barrier begin(of_block *block, barrier_slot *slots) { return {slots, block, 0}; }

  /**
   * Waits until all blocks have arrived at the current slot. By one thread of each block, after a barrier of the block.
   */
  __device__ barrier_slot wait(unsigned long long flags) const {
    barrier_slot *here = slots + turn;
    if (blockIdx.x == 0) slots[(turn + 1) % BARRIER_SLOTS] = {0, ~0ull}; // all blocks have left it
    fence();
    atomicAdd(&here->blocks, 1ull + flags);
    barrier_slot seen;
    do seen = load_slot(here);
    while ((seen.blocks & 0xffffu) < gridDim.x);
    return seen;
  }

  /**
   * A barrier of all threads of all blocks; returns the smallest of their numbers. Earlier writes are then visible to
   * all.
   */
  __device__ unsigned long long least(unsigned long long mine) {
    const int lane = thread_in_block() % 32, warp = thread_in_block() / 32, warps = threads_of_block() / 32;
    mine = warp_least(mine);
    if (lane == 0) block->of_warp[warp] = mine;
    __syncthreads();
    if (warp == 0) {
      mine = warp_least(lane < warps ? block->of_warp[lane] : ~0ull);
      if (lane == 0) {
        atomicMin(&slots[turn].least, mine);
        block->least = wait(0).least;
      }
    }
    __syncthreads();
    turn = (turn + 1) % BARRIER_SLOTS;
    return block->least;
  }

  /**
   * The same for flags; returns those that any thread has. Bit k of `mine`: flag k. While the first warp waits, the
   * others call meantime(worker, workers).
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

/** Clears all slots. One thread. */
static __global__ void clear_slots(barrier_slot *slots) {
  for (int k = 0; k < BARRIER_SLOTS; k++) slots[k] = {0, ~0ull};
}

} // namespace sciara_gpu

#endif
