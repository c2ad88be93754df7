// SPDX-License-Identifier: Apache-2.0
// The exchange between donors and receivers when many steps run in one kernel: a scratch with room for the listed tiles
// only, in the order of the list. The state is stored for the full grid.
#ifndef SCIARA_CUDA_FUSED_SPACE_CUH
#define SCIARA_CUDA_FUSED_SPACE_CUH

#include "grid_barrier.cuh"
#include "tile_list.cuh"

namespace sciara_gpu {

enum {
  TILE_WIDTH = 8,
  TILE_HEIGHT = 4,
  TILE_CELLS = TILE_WIDTH * TILE_HEIGHT, ///< one cell per lane of a warp
};

#if SCIARA_SHEET
/** The data of a flow that a receiver needs. */
struct alignas(2 * sizeof(real)) fused_flow {
  real rate;  ///< m/s
  real share; ///< phi_i, m
};

/** The data of a donor that a receiver needs. */
struct fused_donor {
  real T; ///< K at the beginning of the step
};
#else
/** The data of a flow that a receiver needs; one sector of memory in double precision. */
struct alignas(4 * sizeof(real)) fused_flow {
  sciara_slope slope;
  real share; ///< phi_i, m
};

/** The data of a donor that a receiver needs. */
struct alignas(2 * sizeof(real)) fused_donor {
  real keep, T; ///< k = 1 - dP(T); K at the beginning of the step
};
#endif

struct fused_space : tile_list<TILE_WIDTH, TILE_HEIGHT> {
  barrier_slot *slots; ///< BARRIER_SLOTS
  // Scratch.
  unsigned *inbox;    ///< [tile][cell]: bit i - 1: neighbour i sends lava; all 0 between steps
  unsigned *sent;     ///< [tile][cell], of liquid cells: bit i - 1: lava flows to neighbour i
  fused_donor *donor; ///< [tile][cell], for cells with an outflow
  fused_flow *flow;   ///< [tile][cell][direction - 1], for directions with an outflow

  /** Padded index of the first cell of a tile. */
  __device__ int64_t first_cell(uint32_t tile, int64_t stride) const {
    return (int64_t)(tile / tiles_x) * TILE_HEIGHT * stride + (int64_t)(tile % tiles_x) * TILE_WIDTH;
  }

  /** Lays out the scratch. */
  void lay_out_scratch(sciara_arena *arena) {
    around = arena->take<int>((int64_t)capacity * 9);
    inbox = arena->take<unsigned>((int64_t)capacity * TILE_CELLS);
    sent = arena->take<unsigned>((int64_t)capacity * TILE_CELLS);
    donor = arena->take<fused_donor>((int64_t)capacity * TILE_CELLS);
    flow = arena->take<fused_flow>((int64_t)capacity * TILE_CELLS * 8);
  }
};

/** Padded index of cell `k` of the tile that begins at `first`. */
__device__ inline int64_t cell_of_tile(int64_t first, unsigned k, int64_t stride) {
  return first + (int64_t)(k / TILE_WIDTH) * stride + k % TILE_WIDTH;
}

/**
 * Position in the scratch of the cell at a distance of `rows` and `cols` from cell k of a tile; -1: none. `around`: the
 * entries of the tile and its neighbours.
 */
__device__ inline int64_t scratch_of_neighbour(const int *around, unsigned k, int rows, int cols) {
  return scratch_at<fused_space>(around, (int)(k / TILE_WIDTH) + rows, (int)(k % TILE_WIDTH) + cols);
}

/** Announces lava from neighbour `from` to the cell at position `there` of the scratch. */
__device__ inline void announce(const fused_space &space, int64_t there, int from) {
  if (there >= 0) atomicOr(&space.inbox[there], 1u << (from - 1));
}

/** The announcements for the cell at position `there`, which are then cleared. */
__device__ inline unsigned take_inbox(const fused_space &space, int64_t there) {
  const unsigned inbox = space.inbox[there];
  if (inbox) space.inbox[there] = 0;
  return inbox;
}

} // namespace sciara_gpu

#endif
