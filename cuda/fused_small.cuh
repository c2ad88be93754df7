// SPDX-License-Identifier: Apache-2.0
// The work of a fused step where there is little lava and what counts is how long one cell takes. The state of a block's
// tiles stays in shared memory from step to step; it is written to global memory as well, for the neighbours and for whoever
// downloads it. What the neighbours of a cell need of it before the clock is known they read as soon as it is there, and what
// they send to each other while the clock is sought: no block waits for others than those around its tiles, but for the clock.
// What has to be done for each direction of a cell is done by a thread a direction, the rest by a thread a
// cell; in between the results wait in shared memory.
#ifndef SCIARA_CUDA_FUSED_SMALL_CUH
#define SCIARA_CUDA_FUSED_SMALL_CUH

#include "fused_step.cuh"

namespace sciara_gpu {

enum {
  DIRECTIONS = SCIARA_MOORE - 1,
  SMALL_BLOCK = 512,          ///< threads
  WORKERS = SMALL_BLOCK - 32, ///< those of them that do not wait for the clock; a multiple of 8
  CHUNK = 128,                ///< cells whose lava is moved at once
};

/** What the threads of a chunk tell each other; [cell of the chunk][direction - 1]. */
struct small_chunk {
  real leaves[CHUNK * DIRECTIONS];                                                  ///< m
  real comes[CHUNK * DIRECTIONS], speed[CHUNK * DIRECTIONS], T[CHUNK * DIRECTIONS]; ///< m, m/s, K
};

/** What a block keeps in shared memory; cell `id` is cell id % 32 of the block's tile id / 32. */
struct small_block {
  enum {
    TILES = 20, ///< most tiles of a block
    CELLS = TILES * TILE_CELLS,
    IS_RIM = 1, ///< marks
    HAS_ARRIVED = 2,
    IS_AHEAD = 4, ///< lava of the next step has come up
  };
  small_chunk chunk;
  real z[CELLS], h[CELLS], T[CELLS], px[CELLS], py[CELLS]; ///< the state
  real keep[CELLS], hc[CELLS], vx[CELLS], vy[CELLS];       ///< what depends on it alone, of liquid cells
  real h_before[CELLS];                                    ///< at the end of the step, of cells that are ahead
  int64_t first[TILES];                                    ///< padded index of each tile's first cell
  int around[TILES][9];                                    ///< places in the list
  signed char own[TILES][9];  ///< those that are tiles of this block: which; -1: they are not
  unsigned todo[CELLS];       ///< cells that lava may be in after this step: id | senders << 16, bit n - 1: neighbour n
  unsigned short live[CELLS]; ///< liquid cells
  unsigned char sent[CELLS];  ///< of liquid cells: bit i - 1: lava flows to neighbour i
  unsigned char marks[CELLS];
  unsigned short neighbours[MOST_BLOCKS]; ///< this block and those that have tiles around its own
  unsigned is_neighbour[MOST_BLOCKS / 32];
  unsigned live_count, todo_count, neighbour_count;
  unsigned mine;  ///< tiles of this block
  unsigned inner; ///< tiles that are inner: the first in the list
};

static_assert(sizeof(small_block) <= 99 * 1024 - 8192, "GPUs of compute capability 8.6 give a block 99 KiB");

/** The block's own. */
__device__ inline small_block &the_block() { return *shared_memory<small_block>(); }

/** What flows between a cell and one neighbour, before the clock is known. */
struct small_way {
  fused_flow out, in;
  fused_donor donor; ///< of what comes in
};

__device__ inline fused_surface look_at(const fused_surface *surface) {
  unsigned long long h, z;
  asm volatile("{.reg .b128 both; ld.relaxed.gpu.global.b128 both, [%2]; mov.b128 {%0, %1}, both;}"
               : "=l"(h), "=l"(z)
               : "l"(surface)
               : "memory");
  return {__longlong_as_double((long long)h), __longlong_as_double((long long)z)};
}

__device__ inline void show(fused_surface *surface, double h, double z) {
  asm volatile("{.reg .b128 both; mov.b128 both, {%1, %2}; st.relaxed.gpu.global.b128 [%0], both;}" ::"l"(surface),
               "l"(__double_as_longlong(h)), "l"(__double_as_longlong(z))
               : "memory");
}

__device__ inline void wait_for(const fused_signal *signal, unsigned long long stamp) {
  unsigned long long seen;
  do asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(seen) : "l"(&signal->stamp) : "memory");
  while (seen < stamp); // a neighbour may be a step ahead
}

__device__ inline void tell(fused_signal *signal, unsigned long long stamp) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(&signal->stamp), "l"(stamp) : "memory");
}

/** The workers of a block wait for each other. */
__device__ inline void workers_meet() { asm volatile("bar.sync 1, %0;" ::"n"((int)WORKERS) : "memory"); }

struct small_work {
  const sciara_device &d;
  const fused_space &space;
  unsigned thread, threads; ///< this one, and those of the block
  unsigned n;               ///< the neighbour it looks at
  unsigned steps = 0;       ///< done in this launch
  unsigned epoch;           ///< of the list
  small_way way;            ///< of the first cell that the thread moves lava of

  __device__ small_work(const sciara_device &d_, const fused_space &space_)
      : d(d_), space(space_), thread((unsigned)thread_in_block()), threads((unsigned)threads_of_block()),
        n(thread % DIRECTIONS + 1), epoch(space_.c->epoch) {}

  /** Place in the list of the block's tile: the list is dealt out to and fro, for the fullest tiles come first. */
  __device__ unsigned place_of(unsigned tile) const {
    return tile * gridDim.x + (tile % 2 ? gridDim.x - 1 - blockIdx.x : blockIdx.x);
  }
  /** Which block has the tile at a place. */
  __device__ static unsigned block_of(unsigned place) {
    const unsigned k = place % gridDim.x;
    return place / gridDim.x % 2 ? gridDim.x - 1 - k : k;
  }
  __device__ int64_t scratch_of(unsigned id) const {
    return (int64_t)place_of(id / TILE_CELLS) * TILE_CELLS + id % TILE_CELLS;
  }
  __device__ int64_t index_of(unsigned id) const {
    return cell_of_tile(the_block().first[id / TILE_CELLS], id % TILE_CELLS, d.f.stride);
  }
  __device__ unsigned *inbox() const { return space.inbox[steps % 2]; }
  __device__ unsigned long long stamp() const { return (unsigned long long)epoch << 32 | (steps + 1); }

  __device__ void prepare() {
    small_block &my = the_block();
    if (is_first()) {
      my.mine = space.count() / gridDim.x;
      if (place_of(my.mine) < space.count()) my.mine++;
      my.inner = space.c->inner;
      my.live_count = 0;
      my.neighbours[0] = (unsigned short)blockIdx.x; // what it told itself it waits for like the others
      my.neighbour_count = 1;
    }
    for (unsigned k = thread; k < MOST_BLOCKS / 32; k += threads) my.is_neighbour[k] = 0;
    __syncthreads();
    const uint32_t *list = space.list[space.c->now];
    const unsigned lane = thread % 32;
    for (unsigned tile = thread / 32; tile < my.mine; tile += threads / 32) {
      const unsigned place = place_of(tile), id = tile * TILE_CELLS + lane;
      const uint32_t number = list[place];
      const int64_t first = space.first_cell(number, d.f.stride), i = cell_of_tile(first, lane, d.f.stride);
      const bool exists = (int64_t)(number / space.tiles_x) * TILE_HEIGHT + lane / TILE_WIDTH < d.rows + 2;
      if (lane == 0) my.first[tile] = first;
      if (lane < 9) know_tile_around(tile, lane, space.around[(int64_t)place * 9 + lane]);
      my.h[id] = exists ? d.f.h[i] : 0;
      my.z[id] = exists ? d.f.z[i] : 0;
      if (!exists) continue;
      my.T[id] = d.f.T[i];
      my.px[id] = d.f.px[i];
      my.py[id] = d.f.py[i];
      my.marks[id] = (unsigned char)((d.f.kind[i] == SCIARA_CELL_RIM ? small_block::IS_RIM : 0) |
                                     (d.f.arrival[i] < 0 ? 0 : small_block::HAS_ARRIVED));
      if (!(my.h[id] <= 0)) my.live[atomicAdd(&my.live_count, 1u)] = (unsigned short)id;
    }
    __syncthreads();
  }

  /** Remembers where a tile around one of the block's lies, and whose it is. */
  __device__ void know_tile_around(unsigned tile, unsigned k, int place) {
    small_block &my = the_block();
    const unsigned block = block_of((unsigned)place);
    const bool own = place >= 0 && block == blockIdx.x;
    my.around[tile][k] = place;
    my.own[tile][k] = own ? (signed char)((unsigned)place / gridDim.x) : (signed char)-1;
    if (place < 0 || own) return;
    if (atomicOr(&my.is_neighbour[block / 32], 1u << block % 32) >> block % 32 & 1u) return;
    my.neighbours[atomicAdd(&my.neighbour_count, 1u)] = (unsigned short)block;
  }

  /** Shows the other blocks the state. */
  __device__ void share(grid_meeting &) {
    const small_block &my = the_block();
    __syncthreads();
    const double sign = steps % 2 ? -1 : 1;
    for (unsigned id = thread; id < my.mine * TILE_CELLS; id += threads)
      show(&space.surface[scratch_of(id)], copysign((double)my.h[id], sign), (double)my.z[id]);
  }

  /** z and h of this thread's neighbour of a cell, at the end of the last step. */
  __device__ void look(unsigned id, real *z, real *h) const {
    const small_block &my = the_block();
    const unsigned tile = id / TILE_CELLS;
    const fused_neighbour it = neighbour_of(id % TILE_CELLS, sciara_moore_row((int)n), sciara_moore_col((int)n));
    const int own = my.own[tile][it.tile], place = my.around[tile][it.tile];
    if (own >= 0) {
      *z = my.z[own * TILE_CELLS + it.cell];
      *h = my.h[own * TILE_CELLS + it.cell];
    } else if (place < 0) { // nothing comes there
      const int64_t i = index_of(id) + sciara_moore_offset((int)n, d.f.stride);
      *z = d.f.z[i];
      *h = d.f.h[i];
    } else {
      const fused_surface *surface = &space.surface[(int64_t)place * TILE_CELLS + it.cell];
      fused_surface seen;
      do seen = look_at(surface);
      while ((__double_as_longlong(seen.h) < 0) != (steps % 2 != 0));
      *z = (real)seen.z;
      *h = (real)fabs(seen.h);
    }
  }

  __device__ void prepare_cell(unsigned id) {
    small_block &my = the_block();
    const real h = my.h[id], T = my.T[id];
    my.vx[id] = sciara_real_div(my.px[id], h);
    my.vy[id] = sciara_real_div(my.py[id], h);
    my.hc[id] = sciara_critical_height(&d.rule, T);
    my.keep[id] = 1 - sciara_dissipation(&d.rule, T);
  }

  __device__ void record(unsigned id) {
    small_block &my = the_block();
    const bool ahead = my.marks[id] & small_block::IS_AHEAD;
    const real h = ahead ? my.h_before[id] : my.h[id];
    if (ahead) my.marks[id] &= (unsigned char)~small_block::IS_AHEAD;
    if (steps > 0 && h > 0) sciara_pass_record(&d.f, index_of(id), h, my.px[id], my.py[id]);
  }

  /**
   * Beside the evaluation itself, while most threads wait for their neighbour's state: what it needs of each cell alone, and
   * the maxima of the step that has ended, by the last threads, which have nothing else to do if there are few cells.
   */
  __device__ real evaluate(fused_tally *tally) {
    small_block &my = the_block();
    real t_opt = d.rule.clock_max;
    const unsigned liquid = my.live_count;
    real z = 0, h = 0;
    if (thread < liquid * DIRECTIONS) look(my.live[thread / DIRECTIONS], &z, &h);
    const unsigned idle = threads - 1 - thread, whole = (liquid + 31) / 32 * 32;
    for (unsigned k = idle; k < liquid; k += threads) prepare_cell(my.live[k]);
    for (unsigned k = (idle + SMALL_BLOCK - whole % SMALL_BLOCK) % SMALL_BLOCK; k < liquid; k += threads)
      record(my.live[k]);
    if (is_first()) {
      tally->cell_steps += liquid;
      tally->launched += (liquid * DIRECTIONS + 31) / 32 * 32;
      my.todo_count = 0;
    }
    __syncthreads();
    // Whole warps; the lanes behind the last cell look at it too, and leave nothing.
    for (unsigned q = thread; q / 32 * 32 < liquid * DIRECTIONS; q += threads) {
      const unsigned id = my.live[min(q / DIRECTIONS, liquid - 1)];
      if (q != thread || q >= liquid * DIRECTIONS) look(id, &z, &h);
      const real t = evaluate_direction(id, z, h, q / DIRECTIONS < liquid, tally);
      if (t < t_opt) t_opt = t;
    }
    return t_opt;
  }

  /**
   * tau1, time evaluation, of one direction of a cell; zn, hn of its neighbour. Eight lanes share a cell; the lanes of a warp
   * go together.
   */
  __device__ real evaluate_direction(unsigned id, real zn, real hn, bool mine, fused_tally *tally) {
    small_block &my = the_block();
    const real h = my.h[id];
    sciara_slope slope;
    slope.v0 = sciara_initial_speed((int)n, my.vx[id], my.vy[id]);
    const real top = sciara_top((int)n, my.z[id], zn, hn);
    const unsigned open = __ballot_sync(~0u, sciara_slope_open(&d.rule, h, my.hc[id], top, &slope));
    const int first = (int)(thread % 32 / DIRECTIONS * DIRECTIONS); // lane of the cell's first direction
    unsigned survivors = 0;
    real t_opt = d.rule.clock_max;
    if (open) {
      real tops[SCIARA_MOORE], average = 0;
      tops[0] = 0;
      SCIARA_UNROLL
      for (int i = 1; i < SCIARA_MOORE; i++) tops[i] = __shfl_sync(~0u, top, first + i - 1);
      const unsigned set = (open >> first & 0xffu) << 1;
      if (set) survivors = sciara_minimise(set | SCIARA_SELF, h, tops, &average) >> 1;
      if (mine && (survivors >> (n - 1) & 1u)) t_opt = announce_flow(id, slope, average - top, tally);
    }
    if (!mine || n != 1) return t_opt;
    my.sent[id] = (unsigned char)survivors;
    if (survivors) space.donor[scratch_of(id)] = {my.keep[id], my.T[id]};
    return t_opt;
  }

  /** tau1.7 of a flow to this thread's neighbour; tells the neighbour. */
  __device__ real announce_flow(unsigned id, const sciara_slope &slope, real share, fused_tally *tally) {
    const small_block &my = the_block();
    space.flow[scratch_of(id) * DIRECTIONS + n - 1] = {slope, share};
    announce(inbox(), scratch_of_mine(id), sciara_moore_reverse((int)n));
    bool bad = false;
    const real t = sciara_slope_time(&d.rule, &slope, my.keep[id], &bad);
    if (bad) blame(&space.c->bad, index_of(id), tally);
    return t;
  }

  /** Where in the scratch this thread's neighbour of a cell lies. */
  __device__ int64_t scratch_of_mine(unsigned id) const {
    return scratch_of_neighbour(the_block().around[id / TILE_CELLS], id % TILE_CELLS, sciara_moore_row((int)n),
                                sciara_moore_col((int)n));
  }

  __device__ void signal() const { tell(&space.signals[blockIdx.x], stamp()); }

  /** While one warp waits for the clock: what will flow, as soon as the neighbours have told. */
  __device__ void meantime(int, int) {
    const small_block &my = the_block();
    if (thread < 32) {
      const unsigned long long now = stamp();
      for (unsigned k = thread; k < my.neighbour_count; k += 32) wait_for(&space.signals[my.neighbours[k]], now);
    }
    workers_meet();
    list_receivers();
    workers_meet();
    if (thread < my.todo_count * DIRECTIONS) way = find_way(my.todo[thread / DIRECTIONS]);
  }

  /** Lists the cells that lava may be in after this step. A warp a tile, the workers' warps. */
  __device__ void list_receivers() {
    small_block &my = the_block();
    const unsigned lane = thread % 32;
    for (unsigned tile = thread / 32; tile < my.mine; tile += WORKERS / 32) {
      const unsigned id = tile * TILE_CELLS + lane;
      const unsigned from = take_mail(inbox(), scratch_of(id));
      const bool wanted = from || !(my.h[id] <= 0);
      const unsigned wanting = __ballot_sync(~0u, wanted);
      if (!wanting) continue;
      unsigned place = 0;
      if (lane == 0) place = atomicAdd(&my.todo_count, (unsigned)__popc(wanting));
      place = __shfl_sync(~0u, place, 0) + (unsigned)__popc(wanting & ((1u << lane) - 1));
      if (wanted) my.todo[place] = id | from << 16;
    }
  }

  __device__ bool sends(unsigned id) const {
    return !(the_block().h[id] <= 0) && (the_block().sent[id] >> (n - 1) & 1u);
  }

  /** What flows between a cell and this thread's neighbour; of what does not flow nothing is set. */
  __device__ small_way find_way(unsigned todo) const {
    const unsigned id = todo & 0xffffu, from = todo >> 16;
    small_way found = {};
    if (sends(id)) found.out = space.flow[scratch_of(id) * DIRECTIONS + n - 1];
    if (from >> (n - 1) & 1u) {
      const int64_t there = scratch_of_mine(id);
      found.in = space.flow[there * DIRECTIONS + sciara_moore_reverse((int)n) - 1];
      found.donor = space.donor[there];
    }
    return found;
  }

  __device__ void move(real t, double time, fused_tally *tally) {
    small_block &my = the_block();
    const unsigned items = my.todo_count;
    if (is_first()) my.live_count = 0;
    steps++;
    for (unsigned first = 0; first < items; first += CHUNK) {
      const unsigned cells = min(items - first, (unsigned)CHUNK);
      const unsigned *todo = my.todo + first;
      if (first) __syncthreads(); // the last chunk is done with
      for (unsigned q = thread; thread < WORKERS && q < cells * DIRECTIONS; q += WORKERS) {
        if (first || q != thread) way = find_way(todo[q / DIRECTIONS]);
        flow(todo[q / DIRECTIONS], q, t, tally);
      }
      __syncthreads();
      if (thread < cells) settle(todo[thread], gather(todo[thread], thread), t, time, tally);
    }
  }

  /** After the last step: the maxima, which else the next evaluation takes. */
  __device__ void finish() {
    const small_block &my = the_block();
    __syncthreads();
    for (unsigned k = thread; k < my.live_count; k += threads) record(my.live[k]);
  }

  /** Flow computing of one direction of a cell, the q-th of the chunk: to that neighbour and from it. */
  __device__ void flow(unsigned todo, unsigned q, real t, fused_tally *tally) {
    small_block &my = the_block();
    const unsigned id = todo & 0xffffu, from = todo >> 16;
    bool bad = false, donors_affair = false;
    if (sends(id))
      my.chunk.leaves[q] = sciara_slope_flow(&way.out.slope, way.out.share, my.keep[id], t, &bad).thickness;
    if (from >> (n - 1) & 1u) {
      const sciara_outflow comes = sciara_slope_flow(&way.in.slope, way.in.share, way.donor.keep, t, &donors_affair);
      my.chunk.comes[q] = comes.thickness;
      my.chunk.speed[q] = comes.speed;
      my.chunk.T[q] = way.donor.T;
    }
    if (bad) blame(&d.control->bad_before, index_of(id), tally);
  }

  /** tau2 of a cell, the k-th of the chunk. */
  __device__ sciara_parcel gather(unsigned todo, unsigned k) const {
    small_block &my = the_block();
    const unsigned id = todo & 0xffffu, from = todo >> 16;
    const real h = my.h[id];
    sciara_parcel parcel = {0, 0, 0, 0};
    if (!(h <= 0)) {
      real leaving = 0;
      for (unsigned set = my.sent[id]; set; set &= set - 1)
        leaving = leaving + my.chunk.leaves[k * DIRECTIONS + __ffs((int)set) - 1];
      parcel = sciara_parcel_residual(sciara_max0(h - leaving), my.vx[id], my.vy[id], my.keep[id], my.T[id]);
    }
    SCIARA_UNROLL
    for (int i = 1; i < SCIARA_MOORE; i++) {
      if (!(from >> (i - 1) & 1u)) continue;
      const unsigned q = k * DIRECTIONS + i - 1;
      sciara_parcel_add(&parcel, i, {my.chunk.comes[q], my.chunk.speed[q]}, my.chunk.T[q]);
    }
    return parcel;
  }

  __device__ void arrive(unsigned id, int64_t i, double time) {
    small_block &my = the_block();
    d.f.arrival[i] = time;
    my.marks[id] |= small_block::HAS_ARRIVED;
  }

  /** The end of the step for a cell. */
  __device__ void settle(unsigned todo, const sciara_parcel &parcel, real t, double time, fused_tally *tally) {
    small_block &my = the_block();
    const unsigned id = todo & 0xffffu;
    const int64_t i = index_of(id);
    if (my.h[id] <= 0 && parcel.h == 0) return;
    bool bad = false;
    real T = 0;
    const unsigned marks = my.marks[id];
    const sciara_fate fate = sciara_cell_settle(&d.rule, marks & small_block::IS_RIM, &parcel, t, &T, &bad);
    if (fate != SCIARA_FATE_DRY && !(marks & small_block::HAS_ARRIVED)) arrive(id, i, time);
    sciara_pass_store(&d.f, i, fate, parcel, T);
    if (bad) blame(&d.control->bad_after, i, tally);
    tally->solidifications += fate == SCIARA_FATE_ROCK;
    tally->losses += fate == SCIARA_FATE_LOST;
    const bool liquid = fate == SCIARA_FATE_LIQUID;
    my.h[id] = liquid ? parcel.h : 0;
    my.T[id] = T;
    my.px[id] = parcel.px;
    my.py[id] = parcel.py;
    if (fate == SCIARA_FATE_ROCK) my.z[id] = d.f.z[i];
    if (!liquid) return;
    my.live[atomicAdd(&my.live_count, 1u)] = (unsigned short)id;
    tally->liquid = true;
    if (place_of(id / TILE_CELLS) >= my.inner) tally->entered = true;
  }

  /** The cell's id. */
  __device__ int handle_of(int64_t vent) const {
    const int64_t there = scratch_of_vent(d, space, vent);
    const unsigned place = (unsigned)(there / TILE_CELLS);
    const unsigned id = place / gridDim.x * TILE_CELLS + (unsigned)(there % TILE_CELLS);
    return block_of(place) == blockIdx.x ? (int)id : -1;
  }

  __device__ void emit(int handle, int64_t, double volume, double s) {
    small_block &my = the_block();
    const unsigned id = (unsigned)handle;
    const int64_t i = index_of(id);
    const bool dry = my.h[id] <= 0; // a NaN is in the list
    if (!(my.marks[id] & small_block::IS_AHEAD)) my.h_before[id] = my.h[id];
    my.marks[id] |= small_block::IS_AHEAD;
    d.f.h[i] = my.h[id] = sciara_cell_emit(my.h[id], volume, d.cell_size);
    d.f.T[i] = my.T[id] = d.T_vent;
    if (!(my.marks[id] & small_block::HAS_ARRIVED)) arrive(id, i, s);
    if (!dry) return;
    my.px[id] = my.py[id] = 0; // as everywhere without lava
    my.live[atomicAdd(&my.live_count, 1u)] = (unsigned short)id;
  }

  /** Cells that this thread answers for. */
  __device__ unsigned long long liquid() const { return is_first() ? the_block().live_count : 0; }
};

/** Tiles that so many blocks can work on. */
__host__ __device__ inline unsigned most_small_tiles(unsigned blocks) {
  return min((unsigned)FEW_TILES, small_block::TILES * blocks);
}

static __global__ void __launch_bounds__(SMALL_BLOCK, 1)
    fused_small(const __grid_constant__ sciara_device d, const __grid_constant__ fused_space space,
                const __grid_constant__ fused_orders orders) {
  if (is_over(d) || !space.fits() || space.count() > most_small_tiles(gridDim.x)) return;
  small_work work(d, space);
  fused_steps(d, space, orders, work);
}

} // namespace sciara_gpu

#endif
