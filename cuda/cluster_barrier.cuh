// SPDX-License-Identifier: Apache-2.0
// The barriers of grid_barrier.cuh where all blocks are one cluster: they count and tell each other in their shared memory,
// which is nearer than global memory. A kernel with such barriers is launched as one cluster of CLUSTER blocks; it needs
// compute capability 9.0, and is empty below.
//
// Each block has a counter (mbarrier) that all blocks count down, after they have written what they bring beside it. Its
// warp 0 alone waits for it. There are two of both in turn: who has come to the next barrier has left the last one.
#ifndef SCIARA_CUDA_CLUSTER_BARRIER_CUH
#define SCIARA_CUDA_CLUSTER_BARRIER_CUH

#include "grid_barrier.cuh"

namespace sciara_gpu {

enum { CLUSTER = 16 }; ///< blocks of a cluster: the most there can be

#if __CUDA_ARCH__ >= 900

/** All threads of all blocks of the cluster meet. The lanes of a warp go together. */
__device__ inline void cluster_sync() {
  __syncwarp();
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/** What block `rank` of the cluster has where this one has `mine`, in shared memory. */
template <class T> __device__ T *of_block_in_cluster(T *mine, unsigned rank) {
  return rank == blockIdx.x ? mine : (T *)__cluster_map_shared_rank(mine, rank);
}

/** A thread's part in the barriers. */
struct cluster_barrier {
  /** What a block needs for its barriers, in shared memory; every thread has to have seen `flags` cleared. */
  struct of_block {
    unsigned long long brought[2][CLUSTER]; ///< [turn % 2][block]
    unsigned long long missing[2];          ///< [turn % 2]: the counters
    unsigned long long of_warp[32];
    unsigned flags;
  };
  of_block *block;
  unsigned turn; ///< modulo 4: which counter, and for the how manyeth time, modulo 2

  /** All threads of all blocks; afterwards the shared memory of all is there, and their counters. */
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

  /** Comes with what the block brings, and waits until all blocks have come. Warp 0, after a barrier of the block. */
  __device__ void wait(unsigned long long mine) const {
    const unsigned lane = (unsigned)thread_in_block() % 32, place = turn % 2, counter = address(&block->missing[place]);
    if (lane < CLUSTER)
      asm volatile(
          "{.reg .b32 slot, count; mapa.shared::cluster.u32 slot, %0, %2; mapa.shared::cluster.u32 count, %1, %2; "
          "st.shared::cluster.u64 [slot], %3; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [count];}"
          :
          : "r"(address(&block->brought[place][blockIdx.x])), "r"(counter), "r"(lane), "l"(mine)
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

  /** What block lane % CLUSTER brought. After the barrier, and one of the block. */
  __device__ unsigned long long brought() {
    const unsigned long long *slot = &block->brought[turn % 2][thread_in_block() % CLUSTER];
    unsigned long long value;
    asm volatile("ld.shared.u64 %0, [%1];" : "=l"(value) : "r"(address(slot)) : "memory");
    turn = (turn + 1) % 4;
    return value;
  }

  /** As grid_barrier::least. */
  __device__ unsigned long long least(unsigned long long mine) {
    const int lane = thread_in_block() % 32, warp = thread_in_block() / 32, warps = threads_of_block() / 32;
    mine = warp_least(mine);
    if (lane == 0) block->of_warp[warp] = mine;
    __syncthreads();
    if (warp == 0) wait(warp_least(lane < warps ? block->of_warp[lane] : ~0ull));
    __syncthreads();
    return warp_least(brought());
  }

  /** As grid_barrier::any. */
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
