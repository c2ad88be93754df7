// SPDX-License-Identifier: Apache-2.0
// All blocks of a kernel meet, each brings a number, all get what the numbers make together.
//
// Every block has a row of words, one for each block, and every block writes what it brings into its word of each row: one
// way to the level-2 cache and one back. A counter that all add to would queue, and so do all who wait for the same words
// (measured: docs/performance.md). The top bit of a word tells in which turn it was written, so nothing is cleared. The
// kernel is launched cooperatively: all its blocks run at once.
#ifndef SCIARA_CUDA_GRID_BARRIER_CUH
#define SCIARA_CUDA_GRID_BARRIER_CUH

#include "reduce.cuh"

namespace sciara_gpu {

__device__ inline void put_word(unsigned long long *word, unsigned long long value) {
  asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

__device__ inline unsigned long long get_word(const unsigned long long *word) {
  unsigned long long value;
  asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}

/** What a thread keeps between meetings. Two sets of words take turns: nobody writes one while another still reads it. */
struct grid_barrier {
  unsigned long long *words[2]; ///< [reader][writer] in each set, all 0 when the kernel starts
  unsigned long long turn[2];   ///< of the next meeting with each set; starts as 1
};

/**
 * All threads of all blocks meet. What was written before is seen by all afterwards.
 *
 * @param which    the set of words; 0 and 1 in turn
 * @param mine     < 2^63; every thread brings one
 * @param neutral  combine(x, neutral) is x
 * @param meantime meantime(thread, threads): work of the block for the time of waiting, shared out to the first threads
 * @return all of them combined; `combine` is commutative and associative
 */
template <class Combine, class Meantime>
__device__ unsigned long long meet(grid_barrier *barrier, int which, unsigned long long mine,
                                   unsigned long long neutral, Combine combine, Meantime meantime) {
  __shared__ unsigned long long of_warp[32], of_all[32];
  const int thread = thread_in_block(), lane = thread % 32, warp = thread / 32, warps = threads_of_block() / 32;
  const int told = min(warps, ((int)gridDim.x + 31) / 32), workers = warps - told; // the last warps write and read
  const unsigned long long top = 1ull << 63, turn = barrier->turn[which] << 63;
  mine = warp_reduce(mine, combine);
  if (lane == 0) of_warp[warp] = mine;
  __syncthreads();
  if (warp >= workers) {
    const unsigned first = (unsigned)(thread - workers * 32), step = (unsigned)told * 32;
    unsigned long long all = lane < warps ? of_warp[lane] : neutral;
    for (int distance = 16; distance > 0; distance >>= 1) all = combine(all, __shfl_xor_sync(~0u, all, distance));
    // After what the whole block wrote: it has just met.
    unsigned long long *const words = barrier->words[which];
    for (unsigned b = first; b < gridDim.x; b += step) put_word(words + (size_t)b * gridDim.x + blockIdx.x, all | turn);
    if (workers == 0) meantime(thread, threads_of_block());
    unsigned long long theirs = neutral;
    for (unsigned b = first; b < gridDim.x; b += step) {
      unsigned long long word;
      do word = get_word(words + (size_t)blockIdx.x * gridDim.x + b);
      while ((word & top) != turn);
      theirs = combine(theirs, word & ~top);
    }
    theirs = warp_reduce(theirs, combine);
    if (lane == 0) of_all[warp - workers] = theirs;
  } else {
    meantime(thread, workers * 32);
  }
  __syncthreads();
  unsigned long long all = of_all[0];
  for (int k = 1; k < told; k++) all = combine(all, of_all[k]);
  barrier->turn[which] ^= 1;
  return all;
}

} // namespace sciara_gpu

#endif
