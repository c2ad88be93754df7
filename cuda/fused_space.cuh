// SPDX-License-Identifier: Apache-2.0
// The tiles that the fused engine works on: those that hold lava or a vent (inner), and their neighbours (outer). The list
// is made between launches, never in a step: while lava stays in inner tiles it holds, and when lava enters an outer tile
// it holds for as many steps more as a tile has rows after the first.
//
// The state lies on the full grid. What donors leave for receivers within a step lies in a scratch that has room for the
// listed tiles only; a tile's part of it goes by its place in the list.
#ifndef SCIARA_CUDA_FUSED_SPACE_CUH
#define SCIARA_CUDA_FUSED_SPACE_CUH

#include "grid_barrier.cuh"
#include "processes.cuh"

namespace sciara_gpu {

enum {
  TILE_WIDTH = 8,
  TILE_HEIGHT = 4,
  TILE_CELLS = TILE_WIDTH * TILE_HEIGHT, ///< a warp's lanes
  STEPS_OF_GRACE = TILE_HEIGHT - 1,      ///< after lava has entered an outer tile
  FEW_TILES = 4096,                      ///< so many may be worked on with the state in shared memory
  MOST_BLOCKS = 1024,                    ///< by so many blocks
};

/** What a receiver needs of the way from a donor to it; one sector of memory in double precision. */
struct alignas(4 * sizeof(real)) fused_flow {
  sciara_slope slope;
  real share; ///< phi_i, m
};

/** What it needs of the donor itself. */
struct alignas(2 * sizeof(real)) fused_donor {
  real keep, T; ///< k = 1 - dP(T); K at the beginning of the step
};

/**
 * What the neighbours of a cell read of it, where its state is in another block's shared memory. The sign of h, which is
 * never negative, tells after which step it was written: the cell's neighbours wait until it changes. Read and written at
 * once.
 */
struct alignas(16) fused_surface {
  double h, z; ///< m
};

/** Tells how far a block is; a sector of its own. */
struct alignas(32) fused_signal {
  unsigned long long stamp; ///< of the time evaluation that is done: epoch << 32 | steps of this launch
};

/** On the device; the host reads it between launches. */
struct fused_control {
  unsigned epoch;                 ///< which list this is, counted from 1
  unsigned inner, outer;          ///< tiles listed: the inner ones first
  unsigned before;                ///< tiles of the list before
  int now;                        ///< which of the two lists
  unsigned with[TILE_CELLS + 1];  ///< inner tiles with so many liquid cells
  unsigned taken[TILE_CELLS + 1]; ///< of them those that have got a place
  unsigned long long bad; ///< smallest index of a cell whose time evaluation met a NaN, in a step that was not done yet
  unsigned long long timer[3]; ///< time evaluation, the rest of a step, between steps; ns, when profiling
  unsigned long long timed_steps;
};

struct fused_space {
  fused_control *c;
  uint32_t tiles_x, tiles_y; ///< tiles of the padded arrays
  uint32_t *list[2];         ///< tile numbers, row-major
  unsigned *listed;          ///< of each tile: the epoch in which it was listed
  unsigned *held;            ///< of each tile: the epoch in which it was found to be inner
  unsigned *place;           ///< of each tile: its place in the list, if it is listed
  uint32_t *found;           ///< the inner tiles as they were found
  meeting_point *points;     ///< MEETING_POINTS
  // Scratch.
  unsigned capacity; ///< tiles it has room for
  int *around;       ///< [tile][9]: places of the tile and of those around it, row-major; -1 where there is none
  unsigned
      *inbox[2];  ///< [tile][cell]: bit i - 1: neighbour i sends lava; all 0 between steps. The second: of FEW_TILES
  unsigned *sent; ///< [tile][cell], of liquid cells: bit i - 1: lava flows to neighbour i
  fused_donor *donor;     ///< [tile][cell], where something is sent
  fused_flow *flow;       ///< [tile][cell][direction - 1], where it is sent
  fused_surface *surface; ///< [tile][cell], of FEW_TILES
  fused_signal *signals;  ///< [block], of MOST_BLOCKS

  __device__ unsigned count() const { return c->inner + c->outer; }
  __device__ bool fits() const { return count() <= capacity; }

  /** Padded index of the first cell of a tile. */
  __device__ int64_t first_cell(uint32_t tile, int64_t stride) const {
    return (int64_t)(tile / tiles_x) * TILE_HEIGHT * stride + (int64_t)(tile % tiles_x) * TILE_WIDTH;
  }
};

/** Padded index of cell `k` of the tile that begins at `first`. */
__device__ inline int64_t cell_of_tile(int64_t first, unsigned k, int64_t stride) {
  return first + (int64_t)(k / TILE_WIDTH) * stride + k % TILE_WIDTH;
}

/** A cell of a tile or of one of the tiles around it. */
struct fused_neighbour {
  int tile; ///< 0 to 8, row-major; 4: the tile itself
  int cell; ///< of that tile
};

/** The cell that is `rows` and `cols` away from cell k of a tile. */
__device__ inline fused_neighbour neighbour_of(unsigned k, int rows, int cols) {
  const int y = (int)(k / TILE_WIDTH) + rows, x = (int)(k % TILE_WIDTH) + cols;
  const int down = y < 0 ? 0 : y < TILE_HEIGHT ? 1 : 2, across = x < 0 ? 0 : x < TILE_WIDTH ? 1 : 2;
  return {down * 3 + across, (y & (TILE_HEIGHT - 1)) * TILE_WIDTH + (x & (TILE_WIDTH - 1))};
}

/** Where in the scratch it lies; `around` are the nine places of the tile; -1: nowhere. */
__device__ inline int64_t scratch_of_neighbour(const int *around, unsigned k, int rows, int cols) {
  const fused_neighbour it = neighbour_of(k, rows, cols);
  const int place = around[it.tile];
  return place < 0 ? -1 : (int64_t)place * TILE_CELLS + it.cell;
}

/** Tells the cell at `there` in the scratch that lava comes from its neighbour `from`. */
__device__ inline void announce(unsigned *inbox, int64_t there, int from) {
  if (there >= 0) atomicOr(&inbox[there], 1u << (from - 1));
}

/** What came for the cell at `there`, which from now on is nothing. */
__device__ inline unsigned take_mail(unsigned *inbox, int64_t there) {
  const unsigned mail = __ldcg(&inbox[there]);
  if (mail) inbox[there] = 0;
  return mail;
}

/** Where in the scratch a vent's cell lies; its tile is listed. */
__device__ inline int64_t scratch_of_vent(const sciara_device &d, const fused_space &space, int64_t vent) {
  const int64_t row = d.vents.cell[vent] / d.f.stride, col = d.vents.cell[vent] % d.f.stride;
  const unsigned place = space.place[row / TILE_HEIGHT * space.tiles_x + col / TILE_WIDTH];
  return (int64_t)place * TILE_CELLS + row % TILE_HEIGHT * TILE_WIDTH + col % TILE_WIDTH;
}

// ----------------------------------------------------------------------------------------------- making the list

/** Begins a new list. One thread. */
static __global__ void begin_list(fused_space space) {
  fused_control *c = space.c;
  c->before = c->inner + c->outer;
  c->inner = c->outer = 0;
  c->now = 1 - c->now;
  c->epoch++;
  for (int k = 0; k <= TILE_CELLS; k++) c->with[k] = c->taken[k] = 0;
  c->bad = SCIARA_NO_CELL;
}

/** Notes an inner tile with so many liquid cells. */
__device__ inline void hold(const fused_space &space, uint32_t tile, unsigned liquid) {
  fused_control *c = space.c;
  if (atomicExch(&space.held[tile], c->epoch) == c->epoch) return;
  space.listed[tile] = c->epoch;
  space.found[atomicAdd(&c->inner, 1u)] = tile;
  space.place[tile] = liquid; // until it has a place
  atomicAdd(&c->with[liquid], 1u);
}

/** Lists the inner tiles, those with most liquid cells first. */
static __global__ void order_inner(const __grid_constant__ fused_space space) {
  fused_control *c = space.c;
  for (unsigned k = blockIdx.x * (unsigned)threads_of_block() + (unsigned)thread_in_block(); k < c->inner;
       k += gridDim.x * (unsigned)threads_of_block()) {
    const uint32_t tile = space.found[k];
    const unsigned liquid = space.place[tile];
    unsigned place = atomicAdd(&c->taken[liquid], 1u);
    for (unsigned more = liquid + 1; more <= TILE_CELLS; more++) place += c->with[more];
    space.list[c->now][place] = tile;
    space.place[tile] = place;
  }
}

/** Finds the tiles with lava, of the list before or of the whole grid, and those with vents. A warp a tile. */
static __global__ void find_inner(const __grid_constant__ sciara_device d, const __grid_constant__ fused_space space,
                                  bool everywhere) {
  const int warps = threads_of_block() / 32, warp = thread_in_block() / 32, lane = thread_in_block() % 32;
  const int64_t tiles = everywhere ? (int64_t)space.tiles_x * space.tiles_y : (int64_t)space.c->before;
  for (int64_t k = (int64_t)blockIdx.x * warps + warp; k < tiles; k += (int64_t)gridDim.x * warps) {
    const uint32_t tile = everywhere ? (uint32_t)k : space.list[1 - space.c->now][k];
    const int64_t row = (int64_t)(tile / space.tiles_x) * TILE_HEIGHT + lane / TILE_WIDTH;
    const int64_t i = cell_of_tile(space.first_cell(tile, d.f.stride), (unsigned)lane, d.f.stride);
    const bool liquid = row < d.rows + 2 && !(d.f.h[i] <= 0); // a NaN is looked at
    const unsigned all = __ballot_sync(~0u, liquid);
    if (all && lane == 0) hold(space, tile, (unsigned)__popc(all));
  }
  for (int64_t v = (int64_t)blockIdx.x * threads_of_block() + thread_in_block(); v < d.vents.count;
       v += (int64_t)gridDim.x * threads_of_block()) {
    const int64_t row = d.vents.cell[v] / d.f.stride, col = d.vents.cell[v] % d.f.stride;
    hold(space, (uint32_t)(row / TILE_HEIGHT * space.tiles_x + col / TILE_WIDTH), 0);
  }
}

/** Visits the tile that lies at k of the nine around a tile, row-major; not those outside the grid. */
template <class Visit> __device__ void visit_around(const fused_space &space, uint32_t tile, int k, Visit visit) {
  const uint32_t y = tile / space.tiles_x + (uint32_t)(k / 3) - 1, x = tile % space.tiles_x + (uint32_t)(k % 3) - 1;
  if (y < space.tiles_y && x < space.tiles_x) visit(y * space.tiles_x + x); // -1 is too large as well
}

/** Lists the tiles around the inner ones. A thread a neighbour. */
static __global__ void list_outer(const __grid_constant__ fused_space space) {
  fused_control *c = space.c;
  const uint32_t *list = space.list[c->now];
  const int64_t step = (int64_t)gridDim.x * threads_of_block(), count = (int64_t)c->inner * 9;
  for (int64_t k = (int64_t)blockIdx.x * threads_of_block() + thread_in_block(); k < count; k += step)
    visit_around(space, list[k / 9], (int)(k % 9), [&](uint32_t tile) {
      if (space.held[tile] == c->epoch || atomicExch(&space.listed[tile], c->epoch) == c->epoch) return;
      const unsigned place = c->inner + atomicAdd(&c->outer, 1u);
      space.list[c->now][place] = tile;
      space.place[tile] = place;
    });
}

/** Tells each listed tile the places of those around it. A thread a neighbour. */
static __global__ void tell_places(const __grid_constant__ fused_space space) {
  if (!space.fits()) return;
  const fused_control *c = space.c;
  const uint32_t *list = space.list[c->now];
  const int64_t step = (int64_t)gridDim.x * threads_of_block(), count = (int64_t)space.count() * 9;
  for (int64_t k = (int64_t)blockIdx.x * threads_of_block() + thread_in_block(); k < count; k += step) {
    int place = -1;
    visit_around(space, list[k / 9], (int)(k % 9), [&](uint32_t tile) {
      if (space.listed[tile] == c->epoch) place = (int)space.place[tile];
    });
    space.around[k] = place;
  }
}

} // namespace sciara_gpu

#endif
