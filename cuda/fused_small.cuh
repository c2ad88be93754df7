// SPDX-License-Identifier: Apache-2.0
// The work of a fused step where there is little lava and what counts is how long one cell takes: eight lanes share a cell,
// one a direction, and the state of a block's tiles stays in shared memory from step to step. It is written to global
// memory as well, for the neighbours and for whoever downloads it.
#ifndef SCIARA_CUDA_FUSED_SMALL_CUH
#define SCIARA_CUDA_FUSED_SMALL_CUH

#include "fused_step.cuh"

namespace sciara_gpu {

enum { LANES_PER_CELL = 8, CELLS_PER_WARP = 32 / LANES_PER_CELL };

/** What a block keeps of its tiles; cell `id` is cell id % 32 of the block's tile id / 32. */
struct small_tiles {
  real *z, *h, *T, *px, *py;   ///< the state
  real *keep, *hc, *vx, *vy;   ///< what depends on it alone, of liquid cells
  int64_t *first;              ///< of each tile: padded index of its first cell
  int *around;                 ///< [tile][9]: places in the list
  unsigned *todo;              ///< cells that lava may be in after this step: id | senders << 16
  unsigned short *live;        ///< liquid cells
  unsigned char *sent;         ///< of liquid cells: bit i - 1: lava flows to neighbour i
  unsigned char *marks;        ///< IS_RIM, HAS_ARRIVED, IS_AHEAD
  enum { IS_RIM = 1, HAS_ARRIVED = 2, IS_AHEAD = 4 }; ///< the last: lava of the next step has come up

  __host__ __device__ static size_t bytes_per_tile() {
    return TILE_CELLS * (9 * sizeof(real) + sizeof *todo + sizeof *live + 2) + sizeof *first + 9 * sizeof *around;
  }

  /** Lays the arrays out for `tiles` tiles. */
  __device__ small_tiles(char *memory, unsigned tiles) {
    const size_t cells = (size_t)tiles * TILE_CELLS;
    first = reinterpret_cast<int64_t *>(memory);
    real *reals = reinterpret_cast<real *>(first + tiles);
    z = reals, h = z + cells, T = h + cells, px = T + cells, py = px + cells;
    keep = py + cells, hc = keep + cells, vx = hc + cells, vy = vx + cells;
    todo = reinterpret_cast<unsigned *>(vy + cells);
    around = reinterpret_cast<int *>(todo + cells);
    live = reinterpret_cast<unsigned short *>(around + (size_t)tiles * 9);
    sent = reinterpret_cast<unsigned char *>(live + cells);
    marks = sent + cells;
  }
};

struct small_work {
  const sciara_device &d;
  const fused_space &space;
  small_tiles my;
  unsigned count, inner, mine;  ///< tiles listed, inner ones, those of this block
  unsigned *live_count, *todo_count; ///< in shared memory
  // Of this thread: its lane, the neighbour it looks at, the first lane that shares its cell, its warp, warps of the block.
  unsigned lane, n, first_lane, warp, warps;
  int rows, cols;   ///< how far away that is
  unsigned reverse; ///< sciara_moore_reverse(n)
  bool stepped = false; ///< a step has ended

  __device__ small_work(const sciara_device &d_, const fused_space &space_, char *memory, unsigned tiles,
                        unsigned *counts)
      : d(d_), space(space_), my(memory, tiles), count(space_.count()), inner(space_.c->inner), live_count(counts),
        todo_count(counts + 1) {
    mine = count > blockIdx.x ? (count - blockIdx.x + gridDim.x - 1) / gridDim.x : 0;
    lane = (unsigned)thread_in_block() % 32;
    warp = (unsigned)thread_in_block() / 32;
    warps = (unsigned)threads_of_block() / 32;
    n = lane % LANES_PER_CELL + 1;
    first_lane = lane - (n - 1);
    rows = sciara_moore_row((int)n);
    cols = sciara_moore_col((int)n);
    reverse = (unsigned)sciara_moore_reverse((int)n);
  }

  __device__ unsigned place_of(unsigned tile) const { return blockIdx.x + tile * gridDim.x; }
  __device__ int64_t scratch_of(unsigned id) const {
    return (int64_t)place_of(id / TILE_CELLS) * TILE_CELLS + id % TILE_CELLS;
  }
  __device__ int64_t index_of(unsigned id) const {
    return cell_of_tile(my.first[id / TILE_CELLS], id % TILE_CELLS, d.f.stride);
  }

  __device__ void prepare() {
    if (is_first()) *live_count = 0;
    __syncthreads();
    const uint32_t *list = space.list[space.c->now];
    for (unsigned tile = warp; tile < mine; tile += warps) {
      const unsigned place = place_of(tile), id = tile * TILE_CELLS + lane;
      const uint32_t number = list[place];
      const int64_t first = space.first_cell(number, d.f.stride), i = cell_of_tile(first, lane, d.f.stride);
      const bool exists = (int64_t)(number / space.tiles_x) * TILE_HEIGHT + lane / TILE_WIDTH < d.rows + 2;
      if (lane == 0) my.first[tile] = first;
      if (lane < 9) my.around[tile * 9 + lane] = space.around[(int64_t)place * 9 + lane];
      my.h[id] = exists ? d.f.h[i] : 0;
      if (!exists) continue;
      my.z[id] = d.f.z[i];
      my.T[id] = d.f.T[i];
      my.px[id] = d.f.px[i];
      my.py[id] = d.f.py[i];
      my.marks[id] = (unsigned char)((d.f.kind[i] == SCIARA_CELL_RIM ? small_tiles::IS_RIM : 0) |
                                     (d.f.arrival[i] < 0 ? 0 : small_tiles::HAS_ARRIVED));
      if (!(my.h[id] <= 0)) my.live[atomicAdd(live_count, 1u)] = (unsigned short)id;
    }
    __syncthreads();
  }

  /** The maxima of each liquid cell, and what the next time evaluation needs of it alone. */
  __device__ void meantime(int thread, int threads) {
    const unsigned liquid = *live_count;
    for (unsigned k = (unsigned)thread; k < liquid; k += (unsigned)threads) {
      const unsigned id = my.live[k];
      const real h = my.h[id], T = my.T[id];
      if (my.marks[id] & small_tiles::IS_AHEAD)
        my.marks[id] &= (unsigned char)~small_tiles::IS_AHEAD;
      else if (stepped)
        sciara_pass_record(&d.f, index_of(id), h, my.px[id], my.py[id]);
      my.hc[id] = sciara_critical_height(&d.rule, T);
      my.keep[id] = 1 - sciara_dissipation(&d.rule, T);
      my.vx[id] = sciara_real_div(my.px[id], h);
      my.vy[id] = sciara_real_div(my.py[id], h);
    }
  }

  __device__ void blame(unsigned long long *where, int64_t i, fused_tally *tally) const {
    tally->bad = true;
    atomicMin(where, (unsigned long long)i);
  }

  /** Value of the lane of the same cell that looks at neighbour k. */
  __device__ real from_lane_of(real value, int k) const { return __shfl_sync(~0u, value, (int)first_lane + k - 1); }

  /** visit(item, whether this lane's item is one of its own) for `items` items, four a warp; lanes without one join in. */
  template <class Visit> __device__ void for_each_cell(unsigned items, Visit visit) const {
    for (unsigned k = warp * CELLS_PER_WARP; k < items; k += warps * CELLS_PER_WARP) {
      const unsigned item = k + lane / LANES_PER_CELL;
      visit(item < items ? item : k, item < items);
    }
  }

  __device__ real evaluate(fused_tally *tally) {
    real t_opt = d.rule.clock_max;
    const unsigned liquid = *live_count;
    if (is_first()) {
      tally->cell_steps += liquid;
      tally->launched += (liquid + CELLS_PER_WARP - 1) / CELLS_PER_WARP * 32;
      *todo_count = 0;
    }
    for_each_cell(liquid, [&](unsigned item, bool active) {
      const real t = evaluate_cell(my.live[item], active, tally);
      if (t < t_opt) t_opt = t;
    });
    return t_opt;
  }

  /** Where in the scratch this lane's neighbour of a cell lies. */
  __device__ int64_t scratch_of_mine(unsigned id) const {
    return scratch_of_neighbour(my.around + (size_t)(id / TILE_CELLS) * 9, id % TILE_CELLS, rows, cols);
  }

  /** tau1, time evaluation, of one direction of a cell; the lanes of a warp together. */
  __device__ real evaluate_cell(unsigned id, bool active, fused_tally *tally) {
    const sciara_rule *rule = &d.rule;
    const int64_t i = index_of(id), neighbour = i + rows * d.f.stride + cols;
    const real zn = d.f.z[neighbour], hn = d.f.h[neighbour];
    const real h = my.h[id], keep = my.keep[id];
    sciara_slope slope;
    slope.v0 = sciara_initial_speed((int)n, my.vx[id], my.vy[id]);
    const real top = sciara_top((int)n, my.z[id], zn, hn);
    const bool open = sciara_slope_open(rule, h, my.hc[id], top, &slope);
    const unsigned open_lanes = __ballot_sync(~0u, open);
    unsigned survivors = 0;
    real t_opt = rule->clock_max;
    if (open_lanes) {
      real tops[SCIARA_MOORE], average = 0;
      tops[0] = 0;
      SCIARA_UNROLL
      for (int k = 1; k < SCIARA_MOORE; k++) tops[k] = from_lane_of(top, k);
      const unsigned set = (open_lanes >> first_lane & 0xffu) << 1;
      if (set) survivors = sciara_minimise(set | SCIARA_SELF, h, tops, &average) >> 1;
      if (survivors >> (n - 1) & 1u) {
        bool bad = false;
        const real share = average - top;
        if (active) {
          space.flow[scratch_of(id) * 8 + n - 1] = {slope, share};
          announce(space, scratch_of_mine(id), (int)reverse);
        }
        t_opt = sciara_slope_time(rule, &slope, keep, &bad);
        if (bad) blame(&d.control->bad_before, i, tally);
      }
    }
    if (!active || lane != first_lane) return t_opt;
    my.sent[id] = (unsigned char)survivors;
    if (survivors) space.donor[scratch_of(id)] = {keep, my.T[id]};
    return t_opt;
  }

  /** Lists the cells that lava may be in after this step. A warp a tile. */
  __device__ void list_receivers() {
    for (unsigned tile = warp; tile < mine; tile += warps) {
      const unsigned id = tile * TILE_CELLS + lane;
      const unsigned from = take_mail(space, scratch_of(id));
      const bool wanted = from || !(my.h[id] <= 0);
      const unsigned wanting = __ballot_sync(~0u, wanted);
      if (!wanting) continue;
      unsigned place = 0;
      if (lane == 0) place = atomicAdd(todo_count, (unsigned)__popc(wanting));
      place = __shfl_sync(~0u, place, 0) + (unsigned)__popc(wanting & ((1u << lane) - 1));
      if (wanted) my.todo[place] = id | from << 16;
    }
  }

  __device__ void move(real t, double time, fused_tally *tally) {
    list_receivers();
    if (is_first()) *live_count = 0;
    stepped = true;
    __syncthreads();
    for_each_cell(*todo_count, [&](unsigned item, bool active) {
      const unsigned id = my.todo[item] & 0xffffu, from = my.todo[item] >> 16;
      const sciara_parcel parcel = gather(id, from, t, tally);
      __syncwarp(); // lanes without a cell of their own have looked at it too
      if (active && lane == first_lane) settle(id, parcel, t, time, tally);
    });
  }

  /** tau2 of a cell: each lane computes the flow to its neighbour and the one from it; the lanes of a warp together. */
  __device__ sciara_parcel gather(unsigned id, unsigned from, real t, fused_tally *tally) const {
    const real h = my.h[id];
    const bool live = !(h <= 0);
    const bool sends = live && (my.sent[id] >> (n - 1) & 1u), receives = from >> (n - 1) & 1u;
    real leaves = 0, T_there = 0;
    sciara_outflow comes = {0, 0};
    bool bad = false, donors_affair = false;
    if (sends) {
      const fused_flow flow = space.flow[scratch_of(id) * 8 + n - 1];
      leaves = sciara_slope_flow(&flow.slope, flow.share, my.keep[id], t, &bad).thickness;
    }
    if (receives) {
      const int64_t there = scratch_of_mine(id);
      const fused_flow flow = space.flow[there * 8 + reverse - 1];
      const fused_donor donor = space.donor[there];
      comes = sciara_slope_flow(&flow.slope, flow.share, donor.keep, t, &donors_affair);
      T_there = donor.T;
    }
    if (bad) blame(&d.control->bad_before, index_of(id), tally);
    const unsigned sending = __ballot_sync(~0u, sends), receiving = __ballot_sync(~0u, receives);
    const unsigned direction = 0x01010101u; // times 1 << (k - 1): the lanes that look at neighbour k
    real leaving = 0;
    SCIARA_UNROLL
    for (int k = 1; k < SCIARA_MOORE; k++)
      if (sending & direction << (k - 1)) leaving = leaving + from_lane_of(leaves, k); // + 0 changes no bit
    sciara_parcel parcel = {0, 0, 0, 0};
    if (live) parcel = sciara_parcel_residual(sciara_max0(h - leaving), my.vx[id], my.vy[id], my.keep[id], my.T[id]);
    SCIARA_UNROLL
    for (int k = 1; k < SCIARA_MOORE; k++) {
      if (!(receiving & direction << (k - 1))) continue;
      const sciara_outflow flow = {from_lane_of(comes.thickness, k), from_lane_of(comes.speed, k)};
      const real T = from_lane_of(T_there, k);
      sciara_parcel_add(&parcel, k, flow, T);
    }
    return parcel;
  }

  __device__ void arrive(unsigned id, int64_t i, double time) {
    d.f.arrival[i] = time;
    my.marks[id] |= small_tiles::HAS_ARRIVED;
  }

  /** The end of the step for a cell. */
  __device__ void settle(unsigned id, const sciara_parcel &parcel, real t, double time, fused_tally *tally) {
    const int64_t i = index_of(id);
    if (my.h[id] <= 0 && parcel.h == 0) return;
    bool bad = false;
    real T = 0;
    const unsigned marks = my.marks[id];
    const sciara_fate fate = sciara_cell_settle(&d.rule, marks & small_tiles::IS_RIM, &parcel, t, &T, &bad);
    if (fate != SCIARA_FATE_DRY && !(marks & small_tiles::HAS_ARRIVED)) arrive(id, i, time);
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
    my.live[atomicAdd(live_count, 1u)] = (unsigned short)id;
    tally->liquid = true;
    if (place_of(id / TILE_CELLS) >= inner) tally->entered = true;
  }

  /** The cell's id. */
  __device__ int handle_of(int64_t vent) const {
    const int64_t row = d.vents.cell[vent] / d.f.stride, col = d.vents.cell[vent] % d.f.stride;
    const unsigned place = space.place[row / TILE_HEIGHT * space.tiles_x + col / TILE_WIDTH];
    const unsigned cell = (unsigned)(row % TILE_HEIGHT * TILE_WIDTH + col % TILE_WIDTH);
    return place % gridDim.x == blockIdx.x ? (int)(place / gridDim.x * TILE_CELLS + cell) : -1;
  }

  __device__ void emit(int handle, int64_t, double volume, double s) {
    const unsigned id = (unsigned)handle;
    const int64_t i = index_of(id);
    const bool dry = my.h[id] <= 0; // a NaN is in the list
    if (!dry && stepped && !(my.marks[id] & small_tiles::IS_AHEAD)) // the step before has ended, with this
      sciara_pass_record(&d.f, i, my.h[id], my.px[id], my.py[id]);
    my.marks[id] |= small_tiles::IS_AHEAD;
    d.f.h[i] = my.h[id] = sciara_cell_emit(my.h[id], volume, d.cell_size);
    d.f.T[i] = my.T[id] = d.T_vent;
    if (!(my.marks[id] & small_tiles::HAS_ARRIVED)) arrive(id, i, s);
    if (!dry) return;
    my.px[id] = my.py[id] = 0; // as everywhere without lava
    my.live[atomicAdd(live_count, 1u)] = (unsigned short)id;
  }

  /** Cells that this thread answers for. */
  __device__ unsigned long long liquid() const { return is_first() ? *live_count : 0; }
};

/** `tiles`: those a block has shared memory for. */
static __global__ void __launch_bounds__(512, 1)
    fused_small(sciara_device d, fused_space space, fused_orders orders, unsigned tiles) {
  __shared__ unsigned counts[2];
  if (is_over(d) || !space.fits() || space.count() > (unsigned long long)tiles * gridDim.x) return;
  small_work work(d, space, shared_memory<char>(), tiles, counts);
  fused_steps(d, space, orders, work);
}

} // namespace sciara_gpu

#endif
