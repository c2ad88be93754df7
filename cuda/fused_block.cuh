// SPDX-License-Identifier: Apache-2.0
// The data of a block of fused_small.cuh in shared memory, and the exchange between blocks: through global memory if
// they are the whole grid, through the shared memory of the other blocks if they are one cluster (IN_CLUSTER).
//
// Exchanged data (E: time evaluation; M: flows, inflows, vents; there is a barrier after E and after M):
//   z, h         written in M, read by others in E
//   flow, donor  written in E, read by others in M; `keep` and T cannot be used instead: they change while the block
//                waits at the end of M for others, which may still read
//   inbox        written by others in E; the block reads and clears it in M
// All data are written in one phase and read in the other, with a barrier between them in both directions.
#ifndef SCIARA_CUDA_FUSED_BLOCK_CUH
#define SCIARA_CUDA_FUSED_BLOCK_CUH

#include "cluster_barrier.cuh"
#include "fused_step.cuh"

namespace sciara_gpu {

enum {
  DIRECTIONS = SCIARA_MOORE - 1,
  CHUNK = 128, ///< cells that are processed together; a multiple of 32
};

/**
 * Exchange between the threads of a chunk; [direction - 1][cell of the chunk]. Rows are padded, so that threads access
 * different banks of shared memory both when writing (eight threads per cell) and when reading (one thread per cell).
 */
struct small_chunk {
  enum { ROW = CHUNK + 4 };
  real leaves[DIRECTIONS][ROW]; ///< outflow, m; 0: none
  real comes[DIRECTIONS][ROW];  ///< inflow, m; 0: none
#if !SCIARA_SHEET
  real speed[DIRECTIONS][ROW]; ///< of the inflow, m/s
#endif
  real T[DIRECTIONS][ROW]; ///< of the inflow, K
};

/** Data that are in shared memory if the blocks are a cluster, else in the scratch (fused_space). */
template <bool IN_CLUSTER, int CELLS> struct small_shown {
  fused_flow flow[CELLS * DIRECTIONS]; ///< for directions with an outflow
  fused_donor donor[CELLS];            ///< for cells with an outflow
  unsigned long long inbox[CELLS];     ///< byte i - 1: bit i - 1 is set if neighbour i sends lava; 0 between steps
};

template <int CELLS> struct small_shown<false, CELLS> {};

/** The data of a block in shared memory; cell `id` is cell id % 32 of the block's tile id / 32. */
template <bool IN_CLUSTER> struct small_block {
  enum {
    TILES = IN_CLUSTER ? 16 : 20, ///< most tiles of a block. 20: 90 KiB; available from compute capability 8.0 on
    CELLS = TILES * TILE_CELLS,
    IS_RIM = 1, ///< marks
    HAS_ARRIVED = 2,
    IS_AHEAD = 4, ///< a vent has already emitted the lava of the next step
    IS_SEA = 8,
  };
  small_shown<IN_CLUSTER, CELLS> shown;
  small_chunk chunk;
  real z[CELLS], h[CELLS], T[CELLS], px[CELLS], py[CELLS]; ///< the state
#if !SCIARA_SHEET
  real keep[CELLS], hc[CELLS], vx[CELLS], vy[CELLS]; ///< of liquid cells, computed from their state
#endif
  real h_before[CELLS];       ///< of cells that are ahead: h at the end of the step
  int64_t first[TILES];       ///< padded index of each tile's first cell
  int around[TILES][9];       ///< entries of the tile and its neighbours in the list
  unsigned todo[CELLS];       ///< cells that may have lava after this step: id | senders << 16, bit n - 1: neighbour n
  unsigned short live[CELLS]; ///< liquid cells
  unsigned char sent[CELLS];  ///< of liquid cells: bit i - 1: lava flows to neighbour i
  unsigned char marks[CELLS];
  unsigned char cools[CELLS]; ///< of liquid cells: at the end of the step T still holds the heat, m K
  unsigned live_count, todo_count;
  unsigned mine;        ///< tiles of this block
  unsigned inner;       ///< number of inner tiles, which come first in the list
  unsigned since_check; ///< steps from the last check of all lava to the first step of the launch
};

static_assert(sizeof(small_block<false>) <= 99 * 1024 - 8192, "GPUs of compute capability 8.6 have 99 KiB for a block");
static_assert(sizeof(small_block<true>) <= 227 * 1024 - 8192,
              "GPUs of compute capability 9.0 have 227 KiB for a block");

/** The type of the barriers between blocks. */
template <bool IN_CLUSTER> struct small_barrier { typedef grid_barrier type; };

#if __CUDA_ARCH__ >= 900
template <> struct small_barrier<true> { typedef cluster_barrier type; };
#endif

/** Access of a thread to cells: those of its block, and the exchanged data of other blocks. */
template <bool IN_CLUSTER> struct small_view {
  typedef small_block<IN_CLUSTER> block_type;
  const sciara_device &d;
  const fused_space &space;
  unsigned thread, threads; ///< number of this thread, and threads of the block
  unsigned n;               ///< the neighbour (direction) of this thread

  __device__ small_view(const sciara_device &d_, const fused_space &space_)
      : d(d_), space(space_), thread((unsigned)thread_in_block()), threads((unsigned)threads_of_block()),
        n(thread % DIRECTIONS + 1) {}

  /** The data of this block. */
  static __device__ block_type &the_block() { return *shared_memory<block_type>(); }

  __device__ unsigned entry_of(unsigned tile) const { return blockIdx.x + tile * gridDim.x; }
  __device__ int64_t index_of(unsigned id) const {
    block_type &my = the_block();
    return cell_of_tile(my.first[id / TILE_CELLS], id % TILE_CELLS, d.f.stride);
  }

  __device__ void report_bad(unsigned long long *where, int64_t i, fused_tally *tally) const {
    tally->bad = true;
    atomicMin(where, (unsigned long long)i);
  }

  /** Position of a cell of this block in the scratch. */
  __device__ int64_t scratch_of(unsigned id) const {
    return (int64_t)entry_of(id / TILE_CELLS) * TILE_CELLS + id % TILE_CELLS;
  }

  /** Position in the scratch of a cell's neighbour in the direction of this thread; -1: none. */
  __device__ int64_t scratch_of_mine(unsigned id) const {
    return scratch_of_neighbour(the_block().around[id / TILE_CELLS], id % TILE_CELLS, sciara_moore_row((int)n),
                                sciara_moore_col((int)n));
  }

  /** The block of the cluster that has the cell at position `there` of the scratch, and the cell's id in it. */
  static __device__ block_type &holder_of(int64_t there) {
#if __CUDA_ARCH__ >= 900
    return *of_block_in_cluster(&the_block(), (unsigned)there / TILE_CELLS % CLUSTER);
#else
    return the_block();
#endif
  }
  static __device__ unsigned id_of(int64_t there) {
    return (unsigned)there / (TILE_CELLS * CLUSTER) * TILE_CELLS + (unsigned)there % TILE_CELLS;
  }

  /** Altitude and thickness, m, of a cell's neighbour in the direction of this thread. */
  __device__ void read_mine(unsigned id, real *z, real *h) const {
    if constexpr (IN_CLUSTER) {
      const int64_t there = scratch_of_mine(id);
      if (there >= 0) {
        const block_type &its = holder_of(there);
        *z = its.z[id_of(there)];
        *h = its.h[id_of(there)];
        return;
      }
    }
    const int64_t neighbour = index_of(id) + sciara_moore_offset((int)n, d.f.stride);
    *z = d.f.z[neighbour];
    *h = d.f.h[neighbour];
  }

  __device__ void show_donor(unsigned id, fused_donor donor) const {
    if constexpr (IN_CLUSTER)
      the_block().shown.donor[id] = donor;
    else
      space.donor[scratch_of(id)] = donor;
  }

  /**
   * Stores the flow from a cell to its neighbour in the direction of this thread, and marks it in the neighbour's
   * inbox.
   */
  __device__ void show_flow(unsigned id, fused_flow flow) const {
    const int64_t there = scratch_of_mine(id);
    const int from = sciara_moore_reverse((int)n);
    if constexpr (IN_CLUSTER) {
      the_block().shown.flow[id * DIRECTIONS + n - 1] = flow;
      if (there < 0) return;
      unsigned char *inbox = (unsigned char *)&holder_of(there).shown.inbox[id_of(there)];
      inbox[from - 1] = (unsigned char)(1u << (from - 1)); // each sender has a byte of its own
    } else {
      space.flow[scratch_of(id) * DIRECTIONS + n - 1] = flow;
      announce(space, there, from);
    }
  }

  /** The neighbours that have sent lava to a cell, bit i - 1: neighbour i. Clears the inbox of the cell. */
  __device__ unsigned take_inbox_of(unsigned id) const {
    if constexpr (IN_CLUSTER) {
      block_type &my = the_block();
      unsigned long long inbox = my.shown.inbox[id];
      if (inbox) my.shown.inbox[id] = 0;
      inbox |= inbox >> 32;
      inbox |= inbox >> 16;
      return (unsigned)(inbox | inbox >> 8) & 0xffu;
    } else {
      return take_inbox(space, scratch_of(id));
    }
  }

  /** The stored flow from a cell to its neighbour in the direction of this thread. */
  __device__ fused_flow flow_to_mine(unsigned id) const {
    if constexpr (IN_CLUSTER)
      return the_block().shown.flow[id * DIRECTIONS + n - 1];
    else
      return space.flow[scratch_of(id) * DIRECTIONS + n - 1];
  }

  /** The stored flow to a cell from its neighbour in the direction of this thread, and the data of that neighbour. */
  __device__ void flow_from_mine(unsigned id, fused_flow *flow, fused_donor *donor) const {
    const int64_t there = scratch_of_mine(id);
    const unsigned direction = (unsigned)sciara_moore_reverse((int)n) - 1;
    if constexpr (IN_CLUSTER) {
      const block_type &its = holder_of(there);
      *flow = its.shown.flow[id_of(there) * DIRECTIONS + direction];
      *donor = its.shown.donor[id_of(there)];
    } else {
      *flow = space.flow[there * DIRECTIONS + direction];
      *donor = space.donor[there];
    }
  }
};

} // namespace sciara_gpu

#endif
