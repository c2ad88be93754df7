// SPDX-License-Identifier: Apache-2.0
// The tiles that the fused engine works on: those with lava or a vent (inner), and their neighbours (outer). The list
// is made between launches, never in a step. It is valid while lava stays in inner tiles. After lava has entered an
// outer tile, it is valid for HEIGHT - 1 more steps.
#ifndef SCIARA_CUDA_TILE_LIST_CUH
#define SCIARA_CUDA_TILE_LIST_CUH

#include "processes.cuh"

namespace sciara_gpu {

/** The control of a list, on the device; the host reads it between launches. */
struct fused_control {
  unsigned epoch;              ///< number of this list, counted from 1
  unsigned inner, outer;       ///< number of tiles in the list; inner tiles come first
  unsigned before;             ///< number of tiles of the previous list
  int now;                     ///< index of the current one of two lists
  unsigned long long timer[3]; ///< time evaluation, the rest of a step, between steps; ns, when profiling
  unsigned long long timed_steps;
  unsigned long long left; ///< if a step is several kernels: steps until the list is no longer valid
  unsigned entered;        ///< in this case: whether lava is in an outer tile
  unsigned long long last; ///< in this case: time of the last measurement, ns, when profiling
  // In a band:
  unsigned valid; ///< launches for which the list need not be made again
  unsigned late;  ///< another band did not answer in time
};

__device__ inline unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

/** A stopwatch, for one thread. */
struct fused_watch {
  bool runs;
  unsigned long long last;
  __device__ void lap(fused_control *c, int which) {
    if (!runs) return;
    const unsigned long long now = nanoseconds();
    if (which >= 0) c->timer[which] += now - last;
    last = now;
  }
};

/** A list of tiles of WIDTH x HEIGHT cells, at least as many as lanes of a warp, with data for each listed tile. */
template <int WIDTH_, int HEIGHT_> struct tile_list {
  enum {
    WIDTH = WIDTH_,
    HEIGHT = HEIGHT_,
    CELLS = WIDTH * HEIGHT,
    STEPS_OF_GRACE = HEIGHT - 1, ///< steps that are still possible after lava has entered an outer tile
  };
  fused_control *c;
  uint32_t tiles_x, tiles_y; ///< tiles of the padded arrays
  uint32_t *list[2];         ///< tile numbers, row-major
  unsigned *listed;          ///< for each tile: the epoch in which it was listed
  unsigned *held;            ///< for each tile: the epoch in which it was found to be inner
  unsigned *entry;           ///< for each tile: its entry in the list, if it is listed
  // Scratch.
  unsigned capacity; ///< number of tiles that the scratch has room for
  int *around; ///< [tile][9]: entries of the tile and its neighbours, row-major; -1 where there is none. While the
               ///< list is made, [tile]: number of its liquid cells

  __device__ unsigned count() const { return c->inner + c->outer; }
  __device__ bool fits() const { return count() <= capacity; }

  /** Row of cell `k` of a tile in the padded arrays. */
  __device__ int64_t row_of(uint32_t tile, unsigned k) const {
    return (int64_t)(tile / tiles_x) * HEIGHT + k / (unsigned)WIDTH;
  }

  /** Column of cell `k` of a tile in the padded arrays. */
  __device__ int64_t col_of(uint32_t tile, unsigned k) const {
    return (int64_t)(tile % tiles_x) * WIDTH + k % (unsigned)WIDTH;
  }

  /** The tile in which a padded index lies. */
  __device__ uint32_t tile_of(int64_t i, int64_t stride) const {
    return (uint32_t)(i / stride / HEIGHT * tiles_x + i % stride / WIDTH);
  }

  /** Divides padded arrays of this size into tiles, and lays out the arrays in the engine's own memory. */
  void lay_out(sciara_arena *arena, int64_t rows, int64_t cols) {
    tiles_y = (uint32_t)((rows + HEIGHT - 1) / HEIGHT);
    tiles_x = (uint32_t)((cols + WIDTH - 1) / WIDTH);
    const int64_t tiles = (int64_t)tiles_x * tiles_y;
    c = arena->take<fused_control>(1);
    for (uint32_t *&l : list) l = arena->take<uint32_t>(tiles);
    for (unsigned **field : {&listed, &held, &entry}) *field = arena->take<unsigned>(tiles);
  }
};

/**
 * Position in the scratch of the cell `row` rows and `col` columns from a tile's first cell, at most one outside the
 * tile; -1: none. `around`: the entries of the tile and its neighbours.
 */
template <class List> __device__ int64_t scratch_at(const int *around, int row, int col) {
  const int down = row < 0 ? 0 : row < List::HEIGHT ? 1 : 2, across = col < 0 ? 0 : col < List::WIDTH ? 1 : 2;
  const int entry = around[down * 3 + across];
  const int cell = (row & (List::HEIGHT - 1)) * List::WIDTH + (col & (List::WIDTH - 1));
  return entry < 0 ? -1 : (int64_t)entry * List::CELLS + cell;
}

/** Begins a new list, if the last one is no longer valid. One thread. */
template <class List> __global__ void begin_list(List list) {
  fused_control *c = list.c;
  if (c->valid) return;
  c->before = c->inner + c->outer;
  c->inner = c->outer = 0;
  c->now = 1 - c->now;
  c->epoch++;
}

/** Lists a tile with `cells` liquid cells as inner, unless it already is. */
template <class List> __device__ void add_inner(const List &list, uint32_t tile, unsigned cells) {
  fused_control *c = list.c;
  if (atomicExch(&list.held[tile], c->epoch) == c->epoch) return;
  list.listed[tile] = c->epoch;
  const unsigned entry = atomicAdd(&c->inner, 1u);
  list.list[c->now][entry] = tile;
  list.entry[tile] = entry;
  if (entry < list.capacity) list.around[entry] = (int)cells; // until `set_entries`
}

/** Lists the tiles with lava, of the previous list or of the whole grid, and those with vents. One warp per tile. */
template <class List>
__global__ void list_inner(const __grid_constant__ sciara_device d, const __grid_constant__ List list,
                           bool everywhere) {
  const int warps = threads_of_block() / 32, warp = thread_in_block() / 32, lane = thread_in_block() % 32;
  if (list.c->valid) return;
  const int64_t tiles = everywhere ? (int64_t)list.tiles_x * list.tiles_y : (int64_t)list.c->before;
  for (int64_t k = (int64_t)blockIdx.x * warps + warp; k < tiles; k += (int64_t)gridDim.x * warps) {
    const uint32_t tile = everywhere ? (uint32_t)k : list.list[1 - list.c->now][k];
    unsigned liquid = 0;
    for (unsigned cell = (unsigned)lane; cell < List::CELLS; cell += 32) {
      const int64_t row = list.row_of(tile, cell), col = list.col_of(tile, cell);
      const bool has = row < d.rows + 2 && col < d.f.stride && d.f.h[row * d.f.stride + col] != 0; // invalid too
      liquid += (unsigned)__popc(__ballot_sync(~0u, has));
    }
    if (liquid && lane == 0) add_inner(list, tile, liquid);
  }
  for (int64_t v = (int64_t)blockIdx.x * threads_of_block() + thread_in_block(); v < d.vents.count;
       v += (int64_t)gridDim.x * threads_of_block())
    if (is_in_rows(d, d.vents.cell[v])) add_inner(list, list.tile_of(d.vents.cell[v], d.f.stride), 0);
}

/**
 * Orders the inner tiles so that `blocks` blocks, which take them cyclically, have about the same number of liquid
 * cells, because a step takes as long as the block with most cells. The fullest tiles come first, and the order of
 * every second round is reversed. One block; before `list_outer`.
 */
template <class List> __global__ void order_inner(const __grid_constant__ List list, unsigned blocks) {
  __shared__ unsigned
      before[List::CELLS + 1]; // [cells]: first the number of tiles with `cells` cells, then the rank of the next one
  const fused_control *c = list.c;
  const unsigned count = c->inner, thread = (unsigned)thread_in_block(), threads = (unsigned)threads_of_block();
  uint32_t *tiles = list.list[c->now], *old = list.list[1 - c->now]; // no longer needed
  if (count > list.capacity) return;
  for (unsigned cells = thread; cells <= List::CELLS; cells += threads) before[cells] = 0;
  __syncthreads();
  for (unsigned k = thread; k < count; k += threads) {
    old[k] = tiles[k];
    atomicAdd(&before[list.around[k]], 1u);
  }
  __syncthreads();
  if (thread == 0) {
    unsigned fuller = 0;
    for (int cells = List::CELLS; cells >= 0; cells--) {
      const unsigned as_full = before[cells];
      before[cells] = fuller;
      fuller += as_full;
    }
  }
  __syncthreads();
  for (unsigned k = thread; k < count; k += threads) {
    const unsigned rank = atomicAdd(&before[list.around[k]], 1u), round = rank / blocks;
    const bool backwards = round % 2 == 1 && (round + 1) * blocks <= count;
    const unsigned entry = backwards ? (2 * round + 1) * blocks - 1 - rank : rank;
    tiles[entry] = old[k];
    list.entry[old[k]] = entry;
  }
}

/** Visits tile k of a tile and its eight neighbours, in row-major order, unless it lies outside the grid. */
template <class List, class Visit> __device__ void visit_around(const List &list, uint32_t tile, int k, Visit visit) {
  const uint32_t y = tile / list.tiles_x + (uint32_t)(k / 3) - 1, x = tile % list.tiles_x + (uint32_t)(k % 3) - 1;
  if (y < list.tiles_y && x < list.tiles_x) visit(y * list.tiles_x + x); // -1 is too large too, because it is unsigned
}

/** Lists the tiles around the inner ones. One thread per neighbour. */
template <class List> __global__ void list_outer(const __grid_constant__ List list) {
  fused_control *c = list.c;
  if (c->valid) return;
  const uint32_t *tiles = list.list[c->now];
  const int64_t step = (int64_t)gridDim.x * threads_of_block(), count = (int64_t)c->inner * 9;
  for (int64_t k = (int64_t)blockIdx.x * threads_of_block() + thread_in_block(); k < count; k += step)
    visit_around(list, tiles[k / 9], (int)(k % 9), [&](uint32_t tile) {
      if (list.held[tile] == c->epoch || atomicExch(&list.listed[tile], c->epoch) == c->epoch) return;
      const unsigned entry = c->inner + atomicAdd(&c->outer, 1u);
      list.list[c->now][entry] = tile;
      list.entry[tile] = entry;
    });
}

/** Stores the entries of the neighbours of each listed tile. One thread per neighbour. */
template <class List> __global__ void set_entries(const __grid_constant__ List list) {
  if (list.c->valid || !list.fits()) return;
  const fused_control *c = list.c;
  const uint32_t *tiles = list.list[c->now];
  const int64_t step = (int64_t)gridDim.x * threads_of_block(), count = (int64_t)list.count() * 9;
  for (int64_t k = (int64_t)blockIdx.x * threads_of_block() + thread_in_block(); k < count; k += step) {
    int entry = -1;
    visit_around(list, tiles[k / 9], (int)(k % 9), [&](uint32_t tile) {
      if (list.listed[tile] == c->epoch) entry = (int)list.entry[tile];
    });
    list.around[k] = entry;
  }
}

} // namespace sciara_gpu

#endif
