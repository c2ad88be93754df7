// SPDX-License-Identifier: Apache-2.0
// The barriers of grid_barrier.cuh for kernels whose blocks are one cluster: counters and values are in shared memory,
// which is faster than global memory. A kernel with such barriers is launched as one cluster of CLUSTER blocks. It
// needs compute capability 9.0, and is empty below.
//
// Each block has a counter (mbarrier) and, next to it, an array with one value per block. Every block writes its value
// to the arrays of all blocks and then decrements all counters. Only warp 0 of a block waits for its counter. There are
// two counters and two arrays, used alternately: a block that has reached the next barrier has left the last one.
#ifndef SCIARA_CUDA_CLUSTER_BARRIER_CUH
#define SCIARA_CUDA_CLUSTER_BARRIER_CUH

#include "grid_barrier.cuh"

namespace sciara_gpu {

enum { CLUSTER = 16 }; ///< blocks of a cluster: the largest possible number

#if __CUDA_ARCH__ >= 900

/** A barrier of all threads of all blocks of the cluster. The lanes of a warp must call it together. */
__device__ inline void cluster_sync() {
  __syncwarp();
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/** The address in the shared memory of block `rank` of the cluster that corresponds to `mine` in this block. */
template <class T> __device__ T *of_block_in_cluster(T *mine, unsigned rank) {
  return rank == blockIdx.x ? mine : (T *)__cluster_map_shared_rank(mine, rank);
}

/** The barriers, as each thread uses them. */
struct cluster_barrier {
  /** The data of a block in shared memory. `flags` must be 0 for every thread before the first barrier. */
  struct of_block {
    unsigned long long brought[2][CLUSTER]; ///< [turn % 2][block]: the values
    unsigned long long missing[2];          ///< [turn % 2]: the counters
    unsigned long long of_warp[32];
    unsigned flags;
  };
  of_block *block;
  unsigned turn; ///< barriers passed, modulo 4: turn % 2 selects the counter, turn / 2 is its parity

  /** By all threads of all blocks; afterwards the counters in the shared memory of all blocks are ready. */
  static __device__ cluster_barrier begin(of_block *block, barrier_slot *) {
    if (is_first()) {
      for (unsigned long long &counter : block->missing)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address(&counter)), "r"((unsigned)CLUSTER) : "memory");
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster_sync();
    return {block, 0};
  }

  static __device__ unsigned address(const void *of_shared) { return (unsigned)__cvta_generic_to_shared(of_shared); }

  /** Sends the value of this block and waits until all blocks have arrived. By warp 0, after a barrier of the block. */
  __device__ void wait(unsigned long long mine) const {
    const unsigned lane = (unsigned)thread_in_block() % 32, entry = turn % 2, counter = address(&block->missing[entry]);
    if (lane < CLUSTER)
      asm volatile(
          "{.reg .b32 slot, count; mapa.shared::cluster.u32 slot, %0, %2; mapa.shared::cluster.u32 count, %1, %2; "
          "st.shared::cluster.u64 [slot], %3; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [count];}"
          :
          : "r"(address(&block->brought[entry][blockIdx.x])), "r"(counter), "r"(lane), "l"(mine)
          : "memory");
    __syncwarp();
    unsigned all = 0;
    while (!all)
      asm volatile("{.reg .pred all; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 all, [%1], %2; "
                   "selp.u32 %0, 1, 0, all;}"
                   : "=r"(all)
                   : "r"(counter), "r"(turn / 2)
                   : "memory");
    __syncwarp();
  }

  /** The value of block lane % CLUSTER. After `wait` and another barrier of the block. */
  __device__ unsigned long long brought() {
    const unsigned long long *slot = &block->brought[turn % 2][thread_in_block() % CLUSTER];
    unsigned long long value;
    asm volatile("ld.shared.u64 %0, [%1];" : "=l"(value) : "r"(address(slot)) : "memory");
    turn = (turn + 1) % 4;
    return value;
  }

  /** See grid_barrier::least. */
  __device__ unsigned long long least(unsigned long long mine) {
    const int lane = thread_in_block() % 32, warp = thread_in_block() / 32, warps = threads_of_block() / 32;
    mine = warp_least(mine);
    if (lane == 0) block->of_warp[warp] = mine;
    __syncthreads();
    if (warp == 0) wait(warp_least(lane < warps ? block->of_warp[lane] : ~0ull));
    __syncthreads();
    return warp_least(brought());
  }

  /** See grid_barrier::any. */
  template <class Meantime> __device__ unsigned any(unsigned mine, Meantime meantime) {
    mine = warp_any(mine);
    if (is_lane_0() && mine) atomicOr(&block->flags, mine);
    __syncthreads();
    if (thread_in_block() >= 32) {
      meantime(thread_in_block() - 32, threads_of_block() - 32);
    } else {
      wait(block->flags);
      if (is_first()) block->flags = 0;
    }
    __syncthreads();
    return warp_any((unsigned)brought());
  }
};

#endif

} // namespace sciara_gpu

#endif
