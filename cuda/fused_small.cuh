// SPDX-License-Identifier: Apache-2.0
// The work of a fused step for little lava, where the latency of a single cell matters. The state of a block's tiles
// stays in shared memory from step to step. Data that neighbours need are exchanged in each step (fused_block.cuh); the
// rest is written to global memory at the end of the kernel. Work for each direction of a cell is done by one thread
// per direction, the rest by one thread per cell; intermediate results are in shared memory.
#ifndef SCIARA_CUDA_FUSED_SMALL_CUH
#define SCIARA_CUDA_FUSED_SMALL_CUH

#include "small_bingham.cuh"
#include "small_fv3.cuh"

namespace sciara_gpu {

template <bool IN_CLUSTER> struct small_work : small_flows<IN_CLUSTER> {
  typedef small_flows<IN_CLUSTER> view;
  typedef small_block<IN_CLUSTER> block_type;
  typedef typename small_barrier<IN_CLUSTER>::type barrier;
  using view::d;
  using view::entry_of;
  using view::index_of;
  using view::n;
  using view::report_bad;
  using view::space;
  using view::the_block;
  using view::thread;
  using view::threads;
  unsigned steps = 0;   ///< completed steps
  real clock = 0;       ///< of the last one, s
  int64_t unsound = -1; ///< smallest padded index of a cell in which this thread found invalid numbers

  __device__ small_work(const sciara_device &d_, const fused_space &space_) : small_flows<IN_CLUSTER>(d_, space_) {}

  __device__ void prepare() {
    block_type &my = the_block();
    if (is_first()) {
      const unsigned count = space.count();
      my.mine = count > blockIdx.x ? (count - blockIdx.x + gridDim.x - 1) / gridDim.x : 0;
      my.inner = space.c->inner;
      my.since_check = (unsigned)(d.control->step % SCIARA_CHECK_EVERY);
      my.live_count = 0;
    }
    __syncthreads();
    const uint32_t *list = space.list[space.c->now];
    const unsigned lane = thread % 32;
    for (unsigned tile = thread / 32; tile < my.mine; tile += threads / 32) {
      const unsigned entry = entry_of(tile), id = tile * TILE_CELLS + lane;
      const uint32_t number = list[entry];
      const int64_t first = space.first_cell(number, d.f.stride), i = cell_of_tile(first, lane, d.f.stride);
      const bool exists = (int64_t)(number / space.tiles_x) * TILE_HEIGHT + lane / TILE_WIDTH < d.rows + 2;
      if (lane == 0) my.first[tile] = first;
      if (lane < 9) my.around[tile][lane] = space.around[(int64_t)entry * 9 + lane];
      my.h[id] = exists ? d.f.h[i] : 0;
      my.cools[id] = 0;
      if constexpr (IN_CLUSTER) my.shown.inbox[id] = 0;
      if (!exists) continue;
      my.z[id] = d.f.z[i];
      my.T[id] = d.f.T[i];
      my.px[id] = d.f.px[i];
      my.py[id] = d.f.py[i];
      my.marks[id] = (unsigned char)((d.f.kind[i] == SCIARA_CELL_RIM ? block_type::IS_RIM : 0) |
                                     (d.f.kind[i] == SCIARA_CELL_SEA ? block_type::IS_SEA : 0) |
                                     (d.f.arrival[i] < 0 ? 0 : block_type::HAS_ARRIVED));
      if (my.h[id] != 0) my.live[atomicAdd(&my.live_count, 1u)] = (unsigned short)id;
    }
    __syncthreads();
  }

  /**
   * Work while the block waits: cooling and velocities of the liquid cells for the next time evaluation, and the maxima
   * of the completed step. A third of the warps does each of them.
   */
  __device__ void meantime(int worker, int workers) {
    const block_type &my = the_block();
    const unsigned warp = (unsigned)worker / 32, row = warp / 3 * 32 + (unsigned)worker % 32;
    const unsigned rows = ((unsigned)workers / 32 - warp % 3 + 2) / 3 * 32, liquid = my.live_count;
    if (warp % 3 == 0)
      for (unsigned k = row; k < liquid; k += rows) cool(my.live[k]);
    else if (warp % 3 == 1)
      for (unsigned k = row; k < liquid; k += rows) this->find_velocity(my.live[k]);
    else
      for (unsigned k = row; k < liquid; k += rows) record(my.live[k]);
  }

  /** Computes the temperature of a cell at the end of the step, and the values that depend on it. */
  __device__ void cool(unsigned id) {
    block_type &my = the_block();
    real T = my.T[id];
    if (my.cools[id]) T = my.T[id] = sciara_cool(&d.rule, clock, my.h[id], sciara_mixed(T, my.h[id]));
    this->apply_temperature(id, T);
    const bool checks = (my.since_check + steps) % SCIARA_CHECK_EVERY == 0;
    if (checks && !sciara_is_sound(&d.rule, my.z[id], my.h[id], T, my.px[id], my.py[id])) suspect(index_of(id));
  }

  /** Notes a cell with invalid numbers; the next time evaluation reports the one with the smallest index. */
  __device__ void suspect(int64_t i) {
    if (unsound < 0 || i < unsound) unsound = i;
  }

  __device__ void record(unsigned id) {
    block_type &my = the_block();
    const bool ahead = my.marks[id] & block_type::IS_AHEAD;
    const real h = ahead ? my.h_before[id] : my.h[id];
    if (ahead) my.marks[id] &= (unsigned char)~block_type::IS_AHEAD;
    if (steps && h > 0) sciara_pass_record(&d.f, index_of(id), h, my.px[id], my.py[id]);
  }

  /** Calls visit(cell of the chunk) with one thread per direction. */
  template <class Visit> __device__ void for_each_direction(unsigned cells, Visit visit) const {
    for (unsigned q = thread; q < cells * DIRECTIONS; q += threads) visit(q / DIRECTIONS);
  }

  __device__ real evaluate(fused_tally *tally) {
    block_type &my = the_block();
    real t_opt = d.rule.clock_max;
    const unsigned liquid = my.live_count;
    if (unsound >= 0) report_bad(&d.control->bad_before, unsound, tally);
    if (is_first()) {
      tally->cell_steps += liquid;
      tally->launched += (liquid * DIRECTIONS + 31) / 32 * 32;
      my.todo_count = 0;
    }
    // Whole warps; lanes beyond the last cell evaluate this cell too, without storing results.
    for (unsigned q = thread; q / 32 * 32 < liquid * DIRECTIONS; q += threads) {
      const real t = this->evaluate_direction(my.live[min(q / DIRECTIONS, liquid - 1)], q / DIRECTIONS < liquid, tally);
      if (t < t_opt) t_opt = t;
    }
    return t_opt;
  }

  /** Lists the cells that may have lava after this step. One warp per tile. */
  __device__ void list_receivers() {
    block_type &my = the_block();
    const unsigned lane = thread % 32;
    for (unsigned tile = thread / 32; tile < my.mine; tile += threads / 32) {
      const unsigned id = tile * TILE_CELLS + lane;
      const unsigned from = this->take_inbox_of(id);
      const bool is_listed = from || my.h[id] != 0;
      const unsigned listed_lanes = __ballot_sync(~0u, is_listed);
      if (!listed_lanes) continue;
      unsigned entry = 0;
      if (lane == 0) entry = atomicAdd(&my.todo_count, (unsigned)__popc(listed_lanes));
      entry = __shfl_sync(~0u, entry, 0) + (unsigned)__popc(listed_lanes & ((1u << lane) - 1));
      if (is_listed) my.todo[entry] = id | from << 16;
    }
  }

  __device__ void move(real t, double time, fused_tally *tally) {
    block_type &my = the_block();
    list_receivers();
    if (is_first()) my.live_count = 0;
    clock = t;
    steps++;
    __syncthreads();
    const unsigned items = my.todo_count;
    for (unsigned first = 0; first < items; first += CHUNK) {
      const unsigned cells = min(items - first, (unsigned)CHUNK);
      const unsigned *todo = my.todo + first;
      if (first) __syncthreads(); // all threads have finished the last chunk
      for_each_direction(cells, [&](unsigned k) { this->flow(todo[k], k, t, tally); });
      __syncthreads();
      if (thread < cells) settle(todo[thread], this->gather(todo[thread], thread, t), t, time, tally);
    }
  }

  __device__ void arrive(unsigned id, int64_t i, double time) {
    block_type &my = the_block();
    d.f.arrival[i] = time;
    my.marks[id] |= block_type::HAS_ARRIVED;
  }

  /** Rim and tau3 of a cell. */
  __device__ void settle(unsigned todo, const sciara_inflow &inflow, real t, double time, fused_tally *tally) {
    block_type &my = the_block();
    const unsigned id = todo & 0xffffu;
    const int64_t i = index_of(id);
    if (my.h[id] == 0 && inflow.h == 0) return;
    bool bad = false;
    const unsigned marks = my.marks[id];
    const bool sea = marks & block_type::IS_SEA, rim = sea || marks & block_type::IS_RIM;
    const bool cools = !rim && sciara_surely_liquid(&d.rule, &inflow, t);
    real T = inflow.heat;
    const sciara_outcome outcome =
        cools ? SCIARA_OUTCOME_LIQUID : sciara_outcome_in(sea, sciara_cell_settle(&d.rule, rim, &inflow, t, &T, &bad));
    const bool liquid = outcome == SCIARA_OUTCOME_LIQUID;
    if (outcome != SCIARA_OUTCOME_DRY && !(marks & block_type::HAS_ARRIVED)) arrive(id, i, time);
    if (!liquid)
      sciara_pass_store(&d.f, i, outcome, inflow, T);
    else if (!IN_CLUSTER)
      d.f.h[i] = inflow.h; // is read by neighbours
    if (bad) report_bad(&d.control->bad_after, i, tally);
    sciara_tally_count(&tally->ended, outcome);
    my.h[id] = liquid ? inflow.h : 0;
    my.T[id] = T;
    my.cools[id] = cools;
    my.px[id] = inflow.px;
    my.py[id] = inflow.py;
    if (outcome == SCIARA_OUTCOME_ROCK) my.z[id] = d.f.z[i];
    if (!liquid) return;
    my.live[atomicAdd(&my.live_count, 1u)] = (unsigned short)id;
    tally->liquid = true;
    if (entry_of(id / TILE_CELLS) >= my.inner) tally->entered = true;
  }

  /** The id of the vent's cell. */
  __device__ int handle_of(int64_t vent) const {
    const int64_t row = d.vents.cell[vent] / d.f.stride, col = d.vents.cell[vent] % d.f.stride;
    const unsigned entry = space.entry[row / TILE_HEIGHT * space.tiles_x + col / TILE_WIDTH];
    const unsigned cell = (unsigned)(row % TILE_HEIGHT * TILE_WIDTH + col % TILE_WIDTH);
    return entry % gridDim.x == blockIdx.x ? (int)(entry / gridDim.x * TILE_CELLS + cell) : -1;
  }

  __device__ void emit(int handle, int64_t, double volume, double s) {
    block_type &my = the_block();
    const unsigned id = (unsigned)handle;
    const int64_t i = index_of(id);
    const bool dry = my.h[id] == 0;
    if (!(my.marks[id] & block_type::IS_AHEAD)) my.h_before[id] = my.h[id];
    my.marks[id] |= block_type::IS_AHEAD;
    my.h[id] = sciara_cell_emit(my.h[id], volume, d.cell_size);
    my.T[id] = d.T_vent;
    my.cools[id] = 0;
    if (!IN_CLUSTER) d.f.h[i] = my.h[id];
    if (!(my.marks[id] & block_type::HAS_ARRIVED)) arrive(id, i, s);
    if (!dry) return;
    my.px[id] = my.py[id] = 0; // as in all cells without lava
    my.live[atomicAdd(&my.live_count, 1u)] = (unsigned short)id;
  }

  /** Whether one of the liquid cells of this thread has more than `limit` m of lava; after a barrier of the block. */
  __device__ bool is_thick(double limit) const {
    const block_type &my = the_block();
    bool thick = false;
    for (unsigned k = thread; k < my.live_count; k += threads) thick |= (double)my.h[my.live[k]] > limit;
    return thick;
  }

  /** Ends the launch, after the last barrier: writes the values that are only in shared memory to global memory. */
  __device__ void leave() const {
    const block_type &my = the_block();
    for (unsigned k = thread; k < my.live_count; k += threads) {
      const unsigned id = my.live[k];
      const int64_t i = index_of(id);
      if (IN_CLUSTER) d.f.h[i] = my.h[id];
      d.f.T[i] = my.T[id];
      d.f.px[i] = my.px[id];
      d.f.py[i] = my.py[id];
    }
#if __CUDA_ARCH__ >= 900
    if (IN_CLUSTER) cluster_sync(); // no block may end while another can still read its shared memory
#endif
  }

  /** The liquid cells of the block in its first thread, else 0. */
  __device__ unsigned long long liquid() const { return is_first() ? the_block().live_count : 0; }
};

template <bool IN_CLUSTER>
__device__ void small_steps(const sciara_device &d, const fused_space &space, const fused_orders &orders) {
  if (is_over(d) || !space.fits() || space.count() > small_block<IN_CLUSTER>::TILES * gridDim.x) return;
  small_work<IN_CLUSTER> work(d, space);
  fused_steps(d, space, orders, work);
}

enum { SMALL_THREADS = 512 };

/** One block per multiprocessor. */
static __global__ void __launch_bounds__(SMALL_THREADS, 1)
    fused_small(const __grid_constant__ sciara_device d, const __grid_constant__ fused_space space,
                const __grid_constant__ fused_orders orders) {
  small_steps<false>(d, space, orders);
}

/** One cluster. */
static __global__ void __launch_bounds__(SMALL_THREADS, 1)
    fused_cluster(const __grid_constant__ sciara_device d, const __grid_constant__ fused_space space,
                  const __grid_constant__ fused_orders orders) {
#if __CUDA_ARCH__ >= 900
  small_steps<true>(d, space, orders);
#endif
}

} // namespace sciara_gpu

#endif
