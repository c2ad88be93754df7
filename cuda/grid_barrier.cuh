// SPDX-License-Identifier: Apache-2.0
// All blocks of a kernel meet, each brings a number, all get what the numbers make together.
//
// A thread of each block brings the number into one word with an atomic operation, then adds 1 to the word beside it, and
// waits until that has counted all blocks. Both are read as one: whoever sees the last block counted sees its number too.
// The kernel is launched cooperatively: all its blocks run at once.
#ifndef SCIARA_CUDA_GRID_BARRIER_CUH
#define SCIARA_CUDA_GRID_BARRIER_CUH

#include "reduce.cuh"

namespace sciara_gpu {

/** Where blocks meet. 16 bytes that are read at once. */
struct alignas(16) meeting_point {
  unsigned long long blocks; ///< that have come
  unsigned long long value;  ///< what they brought
};

enum { MEETING_POINTS = 3 }; ///< of each kind of meeting, in turn: one is in use, one may still be read, one is made ready

__device__ inline meeting_point look_at(const meeting_point *point) {
  meeting_point seen;
  asm volatile("{.reg .b128 both; ld.acquire.gpu.global.b128 both, [%2]; mov.b128 {%0, %1}, both;}"
               : "=l"(seen.blocks), "=l"(seen.value)
               : "l"(point)
               : "memory");
  return seen;
}

/** Orders what the thread does before and after against other multiprocessors: lighter than __threadfence. */
__device__ inline void fence() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

/** Who brings the smallest number. */
struct least_of_all {
  static constexpr unsigned long long neutral = ~0ull;
  __device__ static unsigned long long combine(unsigned long long a, unsigned long long b) { return smaller(a, b); }
  __device__ static void bring(unsigned long long *value, unsigned long long mine) { atomicMin(value, mine); }
};

/** Which bits are brought. */
struct any_of_all {
  static constexpr unsigned long long neutral = 0;
  __device__ static unsigned long long combine(unsigned long long a, unsigned long long b) { return a | b; }
  __device__ static void bring(unsigned long long *value, unsigned long long mine) {
    if (mine) atomicOr(value, mine);
  }
};

/** A kind of meeting, of which every thread has one. */
template <class Kind> struct meeting {
  meeting_point *points; ///< MEETING_POINTS, made ready before the kernel: no blocks, the neutral value
  unsigned turn;         ///< starts as 0

  /**
   * All threads of all blocks meet. What was written before is seen by all afterwards.
   *
   * @param mine     every thread brings one
   * @param meantime meantime(thread, threads): work of the block for the time of waiting, shared out to some threads
   * @return all of them combined
   */
  template <class Meantime> __device__ unsigned long long meet(unsigned long long mine, Meantime meantime) {
    __shared__ unsigned long long of_warp[32], of_all;
    const int thread = thread_in_block(), lane = thread % 32, warp = thread / 32, warps = threads_of_block() / 32;
    mine = warp_reduce(mine, Kind::combine);
    if (lane == 0) of_warp[warp] = mine;
    __syncthreads();
    if (warp > 0) {
      meantime(thread - 32, (warps - 1) * 32);
    } else {
      mine = warp_reduce(lane < warps ? of_warp[lane] : Kind::neutral, Kind::combine);
      if (lane == 0) of_all = wait_for_all(mine);
      __syncwarp();
      if (warps == 1) meantime(thread, 32);
    }
    __syncthreads();
    turn = (turn + 1) % MEETING_POINTS;
    return of_all;
  }

  /** One thread of each block, for all of its threads: they have just met. */
  __device__ unsigned long long wait_for_all(unsigned long long mine) const {
    meeting_point *here = points + turn;
    if (blockIdx.x == 0) points[(turn + 1) % MEETING_POINTS] = {0, Kind::neutral}; // all have left it
    Kind::bring(&here->value, mine);
    fence();
    atomicAdd(&here->blocks, 1ull);
    meeting_point seen;
    do seen = look_at(here);
    while (seen.blocks < gridDim.x);
    return seen.value;
  }
};

/** Makes all points of both kinds of meeting ready. One thread. */
static __global__ void ready_points(meeting_point *least, meeting_point *any) {
  for (int k = 0; k < MEETING_POINTS; k++) {
    least[k] = {0, least_of_all::neutral};
    any[k] = {0, any_of_all::neutral};
  }
}

} // namespace sciara_gpu

#endif
