// SPDX-License-Identifier: Apache-2.0
// A list of the active cells: those with lava and their neighbours. There are two lists: that of the step in progress,
// and one that this step makes for the next step.
//
// Ordered list: the cells set bits in a map of the grid, and two kernels write the positions of the bits into the list,
// in order; so neighbours in the list are close in memory. Appended list: the first thread that activates a cell
// appends it.
#ifndef SCIARA_CUDA_SPACE_LIST_CUH
#define SCIARA_CUDA_SPACE_LIST_CUH

#include "processes.cuh"

namespace sciara_gpu {

enum { WORDS_PER_CHUNK = 256 }; ///< words of the bit map per chunk, one per thread

/** The control of the lists, on the device. */
struct list_control {
  unsigned count[2];        ///< cells in each list
  int now;                  ///< the list of the step in progress
  unsigned low, high;       ///< words of the map that may have bits: [low, high)
  unsigned long long chunk; ///< all other words are 0
};

struct listed {
  list_control *c;
  uint32_t *cells[2]; ///< padded indices
  unsigned *map;      ///< one bit per cell of the padded arrays
  unsigned *chunk;    ///< number of bits in each chunk of the map
  unsigned *mark;     ///< for each cell: the step for which it was appended
  int sort_every;     ///< steps between two ordered lists; 1: every list is ordered, 0: none
  int threads;        ///< of a block

  /** Whether the list for the next step is made in order. */
  __device__ bool is_ordered(const sciara_device &d) const {
    return sort_every > 0 && (d.control->step + 1) % (unsigned)sort_every == 0;
  }

  template <class Visit> __device__ void for_each(const sciara_device &, Visit visit) const {
    const int now = c->now;
    const unsigned count = c->count[now], step = gridDim.x * (unsigned)threads_of_block();
    const uint32_t *list = cells[now];
    for (unsigned k = blockIdx.x * (unsigned)threads_of_block() + (unsigned)thread_in_block(); k < count; k += step)
      visit((int64_t)list[k]);
  }

  __device__ unsigned long long launched(const sciara_device &) const {
    const unsigned long long n = c->count[c->now], t = (unsigned long long)threads;
    return (n + t - 1) / t * t;
  }

  __device__ void set_bits(int64_t first, int count) const {
    const unsigned long long bits = ((1ull << count) - 1) << (first % 32);
    const int64_t word = first / 32;
    for (int half = 0; half < 2; half++) {
      const unsigned mine = (unsigned)(bits >> (32 * half));
      if (!mine || (map[word + half] & mine) == mine) continue;
      atomicOr(&map[word + half], mine);
      atomicMin(&c->low, (unsigned)(word + half));
      atomicMax(&c->high, (unsigned)(word + half) + 1);
    }
  }

  __device__ void append(int64_t i, unsigned stamp) const {
    if (mark[i] == stamp || atomicExch(&mark[i], stamp) == stamp) return;
    const int next = 1 - c->now;
    cells[next][atomicAdd(&c->count[next], 1u)] = (uint32_t)i;
  }

  /** Makes the cell and its neighbours active in the next step. */
  __device__ void activate(const sciara_device &d, int64_t i) const {
    if (is_ordered(d)) {
      for (int row = -1; row <= 1; row++) set_bits(i + row * d.f.stride - 1, 3);
    } else {
      for (int n = 0; n < SCIARA_MOORE; n++) append(i + sciara_moore_offset(n, d.f.stride), stamp_of(d));
    }
  }

  /** Makes the vents active, which they are in every step, because the list was made before they emitted. */
  __device__ void begin(const sciara_device &d) const {
    for (int64_t v = 0; v < d.vents.count; v++) activate(d, d.vents.cell[v]);
  }

  struct notes {
    __device__ void add(const sciara_device &d, const listed &space, int64_t i) { space.activate(d, i); }
    __device__ void flush(const listed &) {}
  };
};

/** Counts the set bits in each chunk. */
static __global__ void count_chunks(sciara_device d, listed space) {
  if (is_over(d) || !space.is_ordered(d)) return;
  const unsigned first = space.c->low / WORDS_PER_CHUNK, high = space.c->high;
  for (unsigned chunk = first + blockIdx.x; chunk * WORDS_PER_CHUNK < high; chunk += gridDim.x) {
    const unsigned word = chunk * WORDS_PER_CHUNK + threadIdx.x;
    const unsigned bits = block_sum(word < high ? (unsigned)__popc(space.map[word]) : 0);
    if (threadIdx.x == 0) space.chunk[chunk] = bits;
  }
}

/** Writes the positions of the bits into the next list, in order, and clears the bits. */
static __global__ void write_list(sciara_device d, listed space) {
  if (is_over(d) || !space.is_ordered(d)) return;
  const int next = 1 - space.c->now;
  const unsigned first = space.c->low / WORDS_PER_CHUNK, high = space.c->high;
  for (unsigned chunk = first + blockIdx.x; chunk * WORDS_PER_CHUNK < high; chunk += gridDim.x) {
    unsigned before = 0, in_chunk;
    for (unsigned k = first + threadIdx.x; k < chunk; k += blockDim.x) before += space.chunk[k];
    before = block_sum(before);
    const unsigned word = chunk * WORDS_PER_CHUNK + threadIdx.x;
    unsigned bits = word < high ? space.map[word] : 0;
    unsigned entry = before + block_scan((unsigned)__popc(bits), &in_chunk);
    if (bits) space.map[word] = 0;
    for (; bits; bits &= bits - 1) space.cells[next][entry++] = word * 32 + (unsigned)__ffs((int)bits) - 1;
    if (threadIdx.x == 0 && (chunk + 1) * WORDS_PER_CHUNK >= high) space.c->count[next] = before + in_chunk;
  }
}

/** Makes the new list that of the next step. One thread; before end_of_step. */
static __global__ void change_lists(sciara_device d, listed space) {
  if (is_over(d)) return;
  list_control *c = space.c;
  c->count[c->now] = 0;
  c->now = 1 - c->now;
  c->low = ~0u;
  c->high = 0;
}

} // namespace sciara_gpu

#endif
