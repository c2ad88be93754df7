// SPDX-License-Identifier: Apache-2.0
// What a block of fused_small.cuh keeps in shared memory, and how blocks show each other theirs: through global memory
// where they are the whole grid, through each other's shared memory where they are one cluster (IN_CLUSTER).
//
// What is shown, and when (E: time evaluation, M: flows, what arrives, vents; blocks meet after E and after M):
//   z, h         written in M, read by others in E
//   flow, donor  written in E, read by others in M; `keep` and T are no substitute: they change while the block waits at the
//                end of M for others, which may still read
//   inbox         others write in E; the block reads and clears it in M
// Each is written in one phase and read in the other, with a barrier in between both ways.
#ifndef SCIARA_CUDA_FUSED_BLOCK_CUH
#define SCIARA_CUDA_FUSED_BLOCK_CUH

#include "cluster_barrier.cuh"
#include "fused_step.cuh"

namespace sciara_gpu {

enum {
  DIRECTIONS = SCIARA_MOORE - 1,
  CHUNK = 128, ///< cells that are worked on at once; a multiple of 32
};

/**
 * What the threads of a chunk tell each other; [direction - 1][cell of the chunk]. Rows are longer than they need be: the
 * threads that write, eight a cell, hit different banks of shared memory, as do those that read, one a cell.
 */
struct small_chunk {
  enum { ROW = CHUNK + 4 };
  real leaves[DIRECTIONS][ROW];                                            ///< m; 0 where nothing leaves
  real comes[DIRECTIONS][ROW], speed[DIRECTIONS][ROW], T[DIRECTIONS][ROW]; ///< m, 0 where nothing comes; m/s, K
};

/** What lies in shared memory only where blocks are a cluster; else it is in the scratch (fused_space). */
template <bool IN_CLUSTER, int CELLS> struct small_shown {
  fused_flow flow[CELLS * DIRECTIONS]; ///< where something is sent
  fused_donor donor[CELLS];            ///< of cells that send something
  unsigned long long inbox[CELLS];     ///< byte i - 1: its bit i - 1: neighbour i sends lava; 0 between steps
};

template <int CELLS> struct small_shown<false, CELLS> {};

/** What a block keeps in shared memory; cell `id` is cell id % 32 of the block's tile id / 32. */
template <bool IN_CLUSTER> struct small_block {
  enum {
    TILES = IN_CLUSTER ? 16 : 20, ///< most tiles of a block. 20: 90 KiB, which GPUs give a block since capability 8.0
    CELLS = TILES * TILE_CELLS,
    IS_RIM = 1, ///< marks
    HAS_ARRIVED = 2,
    IS_AHEAD = 4, ///< lava of the next step has come up
  };
  small_shown<IN_CLUSTER, CELLS> shown;
  small_chunk chunk;
  real z[CELLS], h[CELLS], T[CELLS], px[CELLS], py[CELLS]; ///< the state
  real keep[CELLS], hc[CELLS], vx[CELLS], vy[CELLS];       ///< what depends on it alone, of liquid cells
  real h_before[CELLS];                                    ///< at the end of the step, of cells that are ahead
  int64_t first[TILES];                                    ///< padded index of each tile's first cell
  int around[TILES][9];                                    ///< places in the list
  unsigned todo[CELLS];       ///< cells that lava may be in after this step: id | senders << 16, bit n - 1: neighbour n
  unsigned short live[CELLS]; ///< liquid cells
  unsigned char sent[CELLS];  ///< of liquid cells: bit i - 1: lava flows to neighbour i
  unsigned char marks[CELLS];
  unsigned char cools[CELLS]; ///< of liquid cells: T is still the heat, m K, at the end of the step
  unsigned live_count, todo_count;
  unsigned mine;        ///< tiles of this block
  unsigned inner;       ///< tiles that are inner: the first in the list
  unsigned since_check; ///< steps between the last look at the numbers of all lava and the first step of the launch
};

static_assert(sizeof(small_block<false>) <= 99 * 1024 - 8192, "GPUs of compute capability 8.6 give a block 99 KiB");
static_assert(sizeof(small_block<true>) <= 227 * 1024 - 8192, "GPUs of compute capability 9.0 give a block 227 KiB");

/** The barriers of the blocks. */
template <bool IN_CLUSTER> struct small_barrier { typedef grid_barrier type; };

#if __CUDA_ARCH__ >= 900
template <> struct small_barrier<true> { typedef cluster_barrier type; };
#endif

/** What a thread sees of the cells: those of its block, and what other blocks show. */
template <bool IN_CLUSTER> struct small_view {
  typedef small_block<IN_CLUSTER> block_type;
  const sciara_device &d;
  const fused_space &space;
  unsigned thread, threads; ///< this one, and those of the block
  unsigned n;               ///< the neighbour it looks at

  __device__ small_view(const sciara_device &d_, const fused_space &space_)
      : d(d_), space(space_), thread((unsigned)thread_in_block()), threads((unsigned)threads_of_block()),
        n(thread % DIRECTIONS + 1) {}

  /** The block's own. */
  static __device__ block_type &the_block() { return *shared_memory<block_type>(); }

  __device__ unsigned place_of(unsigned tile) const { return blockIdx.x + tile * gridDim.x; }
  __device__ int64_t index_of(unsigned id) const {
    block_type &my = the_block();
    return cell_of_tile(my.first[id / TILE_CELLS], id % TILE_CELLS, d.f.stride);
  }

  /** Where in the scratch a cell of this block lies. */
  __device__ int64_t scratch_of(unsigned id) const {
    return (int64_t)place_of(id / TILE_CELLS) * TILE_CELLS + id % TILE_CELLS;
  }

  /** Where in the scratch this thread's neighbour of a cell lies; -1: nowhere. */
  __device__ int64_t scratch_of_mine(unsigned id) const {
    return scratch_of_neighbour(the_block().around[id / TILE_CELLS], id % TILE_CELLS, sciara_moore_row((int)n),
                                sciara_moore_col((int)n));
  }

  /** The block of the cluster that holds the cell at `there` in the scratch, and the cell's id in it. */
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

  /** Altitude and thickness, m, of this thread's neighbour of a cell. */
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

  /** Shows what flows from a cell to this thread's neighbour, and tells the neighbour that something will. */
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

  /** Which neighbours have sent a cell lava, bit i - 1: neighbour i; from now on none has. */
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

  /** What was shown of the flow from a cell to this thread's neighbour. */
  __device__ fused_flow flow_to_mine(unsigned id) const {
    if constexpr (IN_CLUSTER)
      return the_block().shown.flow[id * DIRECTIONS + n - 1];
    else
      return space.flow[scratch_of(id) * DIRECTIONS + n - 1];
  }

  /** What was shown of the flow from this thread's neighbour to a cell, and of that neighbour. */
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
