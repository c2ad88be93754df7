// SPDX-License-Identifier: Apache-2.0
// The steps of engine cuda-batch: one block, or one cluster of blocks, advances one simulation; no simulation waits for
// another. What the blocks of a cluster count together is in the shared memory of the first one.
//
// A step has four passes with a barrier after each. All but `flow` load the next cells before they compute one.
//   scan      a thread per cell collects the liquid cells that are not quiescent: a few per cent to a third of all.
//   evaluate  a thread per collected cell. Most become quiescent by a test without divisions and roots. In the others,
//             directions are closed with the shortcut; what remains to be done for each flow is divided evenly among the
//             lanes, because few cells have more than one flow. All then know the smallest t_opt.
//   flow      a thread per flow: outflow and speed with the new clock.
//   settle    a thread per cell with lava or inflow: sums in the order of the neighbours, cooling, the new state.
// The vents emit between two steps, by one warp; a warp computes the volumes while the others settle. All threads then
// apply the stop rule to the same numbers.
#ifndef SCIARA_CUDA_BATCH_STEPS_CUH
#define SCIARA_CUDA_BATCH_STEPS_CUH

#include "batch_slot.cuh"
#include "cluster_barrier.cuh"
#include "model/quiescent.h"
#include "model/shortcut.h"
#include "tile_list.cuh"

namespace sciara_gpu {

enum {
  BATCH_MOST_THREADS = 1024,
  BATCH_MOST_BLOCKS = 4, ///< of a simulation
  BATCH_WARPS = BATCH_MOST_THREADS / 32,
};

/** What the threads of a block share; of the counters, those of the first block of a cluster count. */
struct batch_block {
  batch_slot slot;
  sciara_stop_rule stop;
  sciara_device_control control; ///< thick, bad_before, bad_after and the totals of rare events; the rest at the end
  unsigned listed;               ///< places in use
  unsigned places;               ///< places in use when time evaluation begins
  unsigned pending;              ///< cells to be evaluated
  unsigned flows;
  unsigned liquid; ///< cells liquid at the end of the step
  int framed;      ///< one of them lies next to the frame
  int late;        ///< the launch must end
  unsigned long long cell_steps;
  real least[BATCH_MOST_BLOCKS * BATCH_WARPS]; ///< smallest t_opt of each warp of each block
};

/** The clock of a slot, equal in all threads. */
struct batch_clock {
  unsigned long long step;
  double time;
  real t; ///< of the last step, s
};

/**
 * What the end of a step reads of a cell. In that pass only the cell itself changes these values, but for `calm`, which a
 * neighbour may clear: the cell then reads its flows, of which there are none.
 */
struct batch_cell {
  int cell;
  unsigned inbox, marks;
  bool calm;
  real T, px, py; ///< K, m2/s
  real h;         ///< m
};

/** Velocity of the lava of a cell: to the east and to the north. */
struct batch_velocity {
  real x, y; ///< m/s
};

/** A thread of the `BLOCKS` blocks, one cluster if there are several, that advance a simulation. */
template <unsigned BLOCKS> struct batch_work {
  batch_block &my;
  batch_block &all; ///< that of the first block: what all blocks count together
  const batch_slot &s;
  const sciara_rule *rule;
  const unsigned lane, warp, warps; ///< of the block
  const unsigned block, thread;     ///< of the simulation
  unsigned active = 0;              ///< liquid cells that this lane has seen in time evaluation

  __device__ explicit batch_work(batch_block &of_block)
      : my(of_block), all(of(0)), s(of_block.slot), rule(&of_block.slot.d.rule), lane(threadIdx.x % 32),
        warp(threadIdx.x / 32), warps(blockDim.x / 32), block(blockIdx.x % BLOCKS),
        thread(block * blockDim.x + threadIdx.x) {}

  static __device__ unsigned threads() { return BLOCKS * blockDim.x; }

  /** The data of block `rank` of the simulation. */
  __device__ batch_block &of(unsigned rank) const {
#if __CUDA_ARCH__ >= 900
    if (BLOCKS > 1) return *(batch_block *)__cluster_map_shared_rank(&my, rank);
#endif
    return my;
  }

  /** A barrier of all threads of the simulation. */
  static __device__ void barrier() {
#if __CUDA_ARCH__ >= 900
    if (BLOCKS > 1) return cluster_sync();
#endif
    __syncthreads();
  }

  __device__ int offset(int n) const { return (int)sciara_moore_offset(n, s.d.f.stride); }

  static __device__ void report(unsigned long long *where, int cell) { atomicMin(where, (unsigned long long)cell); }

  // ------------------------------------------------------------------------------------------------------------ places

  __device__ unsigned marks_of(int cell) const {
    const uint8_t kind = s.d.f.kind[cell];
    const int64_t row = cell / s.d.f.stride - 1, col = cell % s.d.f.stride - 1;
    const bool edge = ((s.frame & SCIARA_SIDE_NORTH) && row == 1) || ((s.frame & SCIARA_SIDE_WEST) && col == 1) ||
                      ((s.frame & SCIARA_SIDE_SOUTH) && row == s.d.rows - 2) ||
                      ((s.frame & SCIARA_SIDE_EAST) && col == s.d.cols - 2);
    return (sciara_takes_lava(kind) ? BATCH_TAKES : 0) | (kind == SCIARA_CELL_SEA ? BATCH_SEA : 0) |
           (s.d.f.arrival[cell] < 0 ? 0 : BATCH_ARRIVED) | (edge ? BATCH_EDGE : 0) | BATCH_FRESH;
  }

  __device__ void take_place(unsigned k, int cell, real T, real px, real py) {
    s.cell[k] = cell;
    s.link[cell] = (int)k + 1;
    s.T[k] = T;
    s.px[k] = px;
    s.py[k] = py;
    s.flows[k] = {0, 0};
    s.marks[k] = (uint8_t)marks_of(cell);
  }

  /** Begins a launch: places for all cells with lava, in the order of the map. The first after an upload sets `ground`. */
  __device__ void enter() {
    const sciara_fields &f = s.d.f;
    const bool first_time = !*s.ready;
    const int cells = (int)((s.d.rows + 2) * f.stride);
    for (int first = 0; first < cells; first += (int)threads()) {
      const int i = first + (int)thread;
      const bool wet = i < cells && f.h[i] != 0; // invalid thicknesses too
      if (first_time && i < cells) s.ground[i] = {f.z[i], f.h[i]};
      const unsigned lanes = __ballot_sync(~0u, wet);
      if (!lanes) continue;
      unsigned k = 0;
      if (lane == 0) {
        k = atomicAdd(&all.listed, (unsigned)__popc(lanes));
        atomicAdd(&all.liquid, (unsigned)__popc(lanes));
      }
      k = __shfl_sync(~0u, k, 0) + (unsigned)__popc(lanes & ((1u << lane) - 1));
      if (!wet) continue;
      take_place(k, i, f.T[i], f.px[i], f.py[i]);
      if (s.marks[k] & BATCH_EDGE) all.framed = 1;
    }
  }

  /** Ends a launch: writes the fields of lava back and frees all places. */
  __device__ void leave() {
    const sciara_fields &f = s.d.f;
    for (unsigned k = thread, places = all.listed; k < places; k += threads()) {
      const int i = s.cell[k];
      s.link[i] = 0;
      s.inbox[i] = 0;
      s.calm[i] = 0;
      f.h[i] = s.ground[i].h;
      f.T[i] = s.T[k];
      f.px[i] = s.px[k];
      f.py[i] = s.py[k];
    }
  }

  // ------------------------------------------------------------------------------------------------------------- gamma

  /** Something has changed in a cell: it and its neighbours have to be evaluated. */
  __device__ void disturb(int cell) const {
    for (int n = 0; n < SCIARA_MOORE; n++) s.calm[cell + offset(n)] = 0;
  }

  __device__ void emit_into(int cell, double volume, double time) {
    if (!s.link[cell]) take_place(atomicAdd(&all.listed, 1u), cell, 0, 0, 0);
    const int k = s.link[cell] - 1;
    s.ground[cell].h = sciara_cell_emit(s.ground[cell].h, volume, s.d.cell_size);
    s.T[k] = s.d.T_vent;
    if (s.d.f.arrival[cell] < 0) s.d.f.arrival[cell] = time;
    s.marks[k] |= BATCH_ARRIVED | BATCH_FRESH;
    disturb(cell);
  }

  /** The volumes of the next step, by one warp. */
  __device__ void find_volumes(const batch_clock &now) {
    const sciara_device_vents &v = s.d.vents;
    if (!(now.time < my.stop.vents_end)) return;
    for (int64_t k = lane; k < v.count; k += 32)
      v.volume[k] = sciara_vent_volume(v.begin, v.end, v.rate, v.first[k], v.first[k + 1], now.time, (double)now.t);
  }

  /** gamma without the time: one warp. Volumes for the same cell, and their sum, are added in file order. */
  __device__ void emit(const batch_clock &now) {
    const sciara_device_vents &v = s.d.vents;
    for (int64_t first = 0; first < v.count; first += 32) {
      const int64_t k = first + lane, last = v.count - first;
      const double volume = k < v.count ? v.volume[k] : 0;
      const int cell = k < v.count ? (int)v.cell[k] : -1 - (int)lane;
      const bool alone = __popc(__match_any_sync(~0u, cell)) == 1, parallel = __all_sync(~0u, alone);
      if (parallel && volume > 0) emit_into(cell, volume, now.time);
      for (int n = 0; n < 32 && n < last; n++) {
        const double part = __shfl_sync(~0u, volume, n);
        const int into = __shfl_sync(~0u, cell, n);
        if (lane != 0 || !(part > 0)) continue;
        if (!parallel) emit_into(into, part, now.time);
        all.control.emitted = all.control.emitted + part;
      }
      __syncwarp();
    }
    if (lane == 0) all.places = all.listed;
  }

  // --------------------------------------------------------------------------------------------- tau1, time evaluation

  /** sciara_velocity of both components of a momentum. Momentum that fades away is tiny in most cells. */
  static __device__ batch_velocity velocity(real px, real py, real h) {
    const real inverse = sciara_real_div(1, h);
    const int usual = sciara_is_usual_divisor(h);
    return {sciara_real_div_tiny(px, h, inverse, usual), sciara_real_div_tiny(py, h, inverse, usual)};
  }

  /** Reports the cell at place k if its numbers are invalid. */
  __device__ void check(int k, int cell) {
    const batch_ground own = s.ground[cell];
    if (!sciara_is_sound(rule, own.z, own.h, s.T[k], s.px[k], s.py[k])) report(&all.control.bad_before, cell);
  }

  /** Which directions of a cell are open, and the tops of the neighbours. */
  __device__ unsigned open_directions(int cell, batch_ground own, real hc, const sciara_start &start,
                                      real top[SCIARA_MOORE]) const {
    const real head_on_axis = sciara_head(rule, start.speed_on_axis);
    const real head_on_diagonal = sciara_head(rule, start.speed_on_diagonal);
    unsigned set = SCIARA_SELF, doubts = 0;
    top[0] = 0;
    SCIARA_UNROLL
    for (int n = 1; n < SCIARA_MOORE; n++) {
      const batch_ground other = s.ground[cell + offset(n)];
      const real head = n == start.axis ? head_on_axis : n == start.diagonal ? head_on_diagonal : (real)0;
      top[n] = sciara_top(n, own.z, other.z, other.h);
      const sciara_shortcut answer = sciara_shortcut_open(rule, own.h, hc, top[n], head);
      set |= answer.open ? 1u << n : 0u;
      doubts |= answer.doubt ? 1u << n : 0u;
    }
    for (; doubts; doubts &= doubts - 1) { // rare: not unrolled
      const int n = __ffs((int)doubts) - 1;
      const batch_ground other = s.ground[cell + offset(n)];
      const real head = n == start.axis ? head_on_axis : n == start.diagonal ? head_on_diagonal : (real)0;
      sciara_slope slope = {0, 0, 0};
      const bool open = sciara_slope_open_with(rule, own.h, hc, sciara_top(n, own.z, other.z, other.h), head, &slope);
      set = open ? set | 1u << n : set & ~(1u << n);
    }
    return set;
  }

  /** Tests whether a cell is quiescent, and notes it if so. */
  __device__ bool test_quiet(int cell, batch_ground own, real hc, real vx, real vy) const {
    const real head = sciara_quiescent_head(rule, vx, vy);
    const real limit = sciara_quiescent_limit(rule, own.h, hc, head);
    bool quiet = own.h > 0 && limit > 0;
    SCIARA_UNROLL
    for (int n = 1; n < SCIARA_MOORE; n++) {
      const batch_ground other = s.ground[cell + offset(n)];
      quiet &= sciara_quiescent_below(rule, own.h, sciara_top(n, own.z, other.z, other.h), head, limit);
    }
    if (quiet) s.calm[cell] = 1;
    return quiet;
  }

  /** Informs a neighbour that flow `number` comes from its neighbour `from`; a dry cell takes a place. */
  __device__ void announce(int cell, int from, unsigned number) {
    s.way[(int64_t)cell * BATCH_DIRECTIONS + from - 1] = number;
    const int shift = cell % 4 * 8; // of its byte in a word
    const unsigned before = atomicOr(reinterpret_cast<unsigned *>(s.inbox) + cell / 4, 1u << (from - 1) << shift);
    const bool is_first = (before >> shift & 0xff) == 0;
    if (is_first && !s.link[cell]) take_place(atomicAdd(&all.listed, 1u), cell, 0, 0, 0);
  }

  /** tau1.7 of flow `number`, from a cell in direction n, of which the values are given. */
  __device__ real make_flow(unsigned number, int n, int cell, batch_ground own, real T, real keep, real vx, real vy,
                            real average) {
    const int to = cell + offset(n);
    const batch_ground other = s.ground[to];
    const real top = sciara_top(n, own.z, other.z, other.h);
    sciara_slope slope = {sciara_initial_speed(n, vx, vy), 0, 0};
    sciara_slope_open(rule, own.h, 0, top, &slope); // it is open: only `slope` is needed
    bool bad = false;
    const real t = sciara_slope_time(rule, &slope, keep, &bad);
    if (bad) report(&all.control.bad_before, cell);
    s.v0[number] = slope.v0;
    s.accel[number] = slope.accel;
    s.path[number] = slope.path;
    s.share[number] = sciara_share(average, top);
    s.keep[number] = keep;
    s.from_T[number] = T;
    announce(to, sciara_moore_reverse(n), number);
    return t;
  }

  /** The n-th bit of a set, counted from 0. */
  static __device__ int bit_of(unsigned set, unsigned n) {
    for (; n > 0; n--) set &= set - 1;
    return __ffs((int)set) - 1;
  }

  /**
   * Time evaluation of the cells at the places `k` of the lanes; all lanes call it, those that are not `on` for nothing.
   */
  __device__ real evaluate_cells(int k, int cell, bool on, bool checks) {
    const batch_ground own = s.ground[cell];
    const real T = s.T[k], px = s.px[k], py = s.py[k];
    if (on && checks) check(k, cell);
    const batch_velocity v = velocity(px, py, own.h);
    real average = 0;
    unsigned survivors = 0;
    const real hc = sciara_critical_height(rule, T);
    if (on && !test_quiet(cell, own, hc, v.x, v.y)) {
      real top[SCIARA_MOORE];
      const unsigned set = open_directions(cell, own, hc, sciara_start_of(v.x, v.y), top);
      if (set != SCIARA_SELF) survivors = sciara_minimise(set, own.h, top, &average) & ~(unsigned)SCIARA_SELF;
    }
    return make_flows(k, on, cell, own, T, v.x, v.y, average, survivors);
  }

  /** Makes the flows of the lanes' cells to `survivors`, divided evenly among the lanes. Returns the smallest t_opt. */
  __device__ real make_flows(int k, bool on, int cell, batch_ground own, real T, real vx, real vy, real average,
                             unsigned survivors) {
    const unsigned count = (unsigned)__popc(survivors);
    unsigned end = count; // of the lane's flows among those of the warp
    for (int distance = 1; distance < 32; distance <<= 1) {
      const unsigned before = __shfl_up_sync(~0u, end, distance);
      if (lane >= (unsigned)distance) end += before;
    }
    const unsigned total = __shfl_sync(~0u, end, 31);
    unsigned base = 0;
    if (lane == 0 && total) base = atomicAdd(&all.flows, total);
    base = __shfl_sync(~0u, base, 0);
    if (on) s.flows[k] = {base + end - count, count};
    real t_opt = rule->clock_max;
    if (!total) return t_opt;
    const real keep = 1 - sciara_dissipation(rule, T);
    for (unsigned first = 0; first < total; first += 32) {
      const unsigned e = first + lane;
      int owner = 0; // the first lane whose flows end after e
      for (int half = 16; half > 0; half >>= 1)
        if (__shfl_sync(~0u, end, owner + half - 1) <= e) owner += half;
      const unsigned set = __shfl_sync(~0u, survivors, owner);
      const unsigned rank = e - (__shfl_sync(~0u, end, owner) - __shfl_sync(~0u, count, owner));
      const batch_ground ground = {__shfl_sync(~0u, own.z, owner), __shfl_sync(~0u, own.h, owner)};
      const int from = __shfl_sync(~0u, cell, owner);
      const real T_from = __shfl_sync(~0u, T, owner), keeps = __shfl_sync(~0u, keep, owner);
      const real vx_from = __shfl_sync(~0u, vx, owner), vy_from = __shfl_sync(~0u, vy, owner);
      const real level = __shfl_sync(~0u, average, owner);
      if (e >= total) continue; // only in the last round
      const real t = make_flow(base + e, bit_of(set, rank), from, ground, T_from, keeps, vx_from, vy_from, level);
      if (t < t_opt) t_opt = t;
    }
    return t_opt;
  }

  /** Collects the cells that have to be evaluated; several at a time, so that their loads overlap. */
  __device__ void scan(unsigned places, bool checks) {
    enum { EACH = 4 };
    for (unsigned first = EACH * (thread - lane) + lane; first - lane < places; first += EACH * threads()) {
      int cell[EACH];
      bool quiet[EACH], wet[EACH];
      SCIARA_UNROLL
      for (unsigned n = 0; n < EACH; n++) cell[n] = first + 32 * n < places ? s.cell[first + 32 * n] : 0; // dry
      SCIARA_UNROLL
      for (unsigned n = 0; n < EACH; n++) quiet[n] = s.calm[cell[n]] != 0;
      SCIARA_UNROLL
      for (unsigned n = 0; n < EACH; n++) {
        wet[n] = quiet[n] || s.ground[cell[n]].h != 0; // invalid thicknesses too
        active += wet[n];
      }
      SCIARA_UNROLL
      for (unsigned n = 0; n < EACH; n++) {
        if (checks && quiet[n]) check((int)(first + 32 * n), cell[n]);
        collect((int)(first + 32 * n), wet[n] && !quiet[n]);
      }
    }
  }

  /** Adds the places of the lanes that are `pending` to the list; all lanes together. */
  __device__ void collect(int k, bool pending) {
    const unsigned lanes = __ballot_sync(~0u, pending);
    if (!lanes) return;
    unsigned at = 0;
    if (lane == 0) at = atomicAdd(&all.pending, (unsigned)__popc(lanes));
    at = __shfl_sync(~0u, at, 0) + (unsigned)__popc(lanes & ((1u << lane) - 1));
    if (pending) s.pending[at] = k;
  }

  /** tau1, time evaluation: the smallest t_opt that this lane has seen. */
  __device__ real evaluate(bool checks) {
    real t_opt = rule->clock_max;
    const unsigned count = all.pending, stride = threads();
    if (thread - lane >= count) return t_opt;
    const auto place = [&](unsigned n) { return s.pending[n < count ? n : count - 1]; };
    int k = place(thread), cell = s.cell[k], after = place(thread + stride);
    for (unsigned n = thread; n - lane < count; n += stride) {
      const int next = after, next_cell = s.cell[next]; // loaded while this one is computed
      after = place(n + 2 * stride);
      const real t = evaluate_cells(k, cell, n < count, checks);
      if (t < t_opt) t_opt = t;
      k = next;
      cell = next_cell;
    }
    return t_opt;
  }

  // -------------------------------------------------------------------------------------------- tau1, flow computing

  /** Reports the donor of a flow that is not a number. */
  __device__ void report_flow(unsigned number) {
    for (unsigned k = 0; k < all.listed; k++)
      if (number - s.flows[k].first < s.flows[k].count && s.ground[s.cell[k]].h != 0)
        report(&all.control.bad_before, s.cell[k]);
  }

  __device__ void flow(real t) {
    const unsigned count = all.flows;
    for (unsigned e = thread; e < count; e += threads()) {
      const sciara_slope slope = {s.v0[e], s.accel[e], s.path[e]};
      bool bad = false;
      const sciara_outflow out = sciara_slope_flow(&slope, s.share[e], s.keep[e], t, &bad);
      s.v0[e] = out.speed;
      s.share[e] = out.thickness;
      if (bad) report_flow(e);
    }
  }

  // -------------------------------------------------------------------------------------- mass, momentum, heat; tau3

  /** Whether two numbers differ in a bit. */
  static __device__ bool differ(real a, real b) {
#ifdef SCIARA_SINGLE
    return __float_as_int(a) != __float_as_int(b);
#else
    return __double_as_longlong(a) != __double_as_longlong(b);
#endif
  }

  /** Whether a component of the momentum is larger than it was, or not a number. */
  static __device__ bool grows(real p, real before) {
    const real size = p < 0 ? -p : p, was = before < 0 ? -before : before;
    return !(size <= was);
  }

  __device__ sciara_inflow residual(batch_flows out, real h, real T, real px, real py) const {
    real leaving = 0;
    for (unsigned n = 0; n < out.count; n++) leaving = leaving + s.share[out.first + n];
    const real keep = px == 0 && py == 0 && s.keeps_momentum ? (real)1 : 1 - sciara_dissipation(rule, T);
    const real h0 = sciara_residual(h, leaving);
    sciara_inflow inflow = sciara_inflow_residual(h0, 0, 0, keep, T);
    const batch_velocity v = velocity(px, py, h);
    inflow.px = (h0 * v.x) * keep;
    inflow.py = (h0 * v.y) * keep;
    return inflow;
  }

  __device__ void gather(int cell, unsigned inbox, sciara_inflow *inflow) const {
    const unsigned *way = s.way + (int64_t)cell * BATCH_DIRECTIONS - 1;
    for (; inbox; inbox &= inbox - 1) {
      const int n = __ffs((int)inbox);
      const unsigned e = way[n];
      sciara_inflow_add(inflow, n, {s.share[e], s.v0[e]}, s.from_T[e]);
    }
  }

  __device__ batch_cell load(unsigned k, int cell) const {
    return {cell, s.inbox[cell], s.marks[k], s.calm[cell] != 0, s.T[k], s.px[k], s.py[k], s.ground[cell].h};
  }

  /** tau2, rim and tau3 of the cell at place k. */
  __device__ void settle_cell(int k, const batch_cell &own, real t, double time) {
    const int cell = own.cell;
    const unsigned inbox = own.inbox;
    const bool calm = own.calm;
    const real T = own.T, px = own.px, py = own.py;
    unsigned marks = own.marks;
    const real h = own.h;
    if (h == 0 && !inbox) return;
    batch_flows out = {0, 0}; // of a quiescent cell
    if (!calm) out = s.flows[k];
    sciara_inflow inflow = {0, 0, 0, 0};
    if (h != 0) inflow = residual(out, h, T, px, py);
    if (inbox) {
      s.inbox[cell] = 0;
      s.calm[cell] = 0;
      gather(cell, inbox, &inflow);
    }
    if (h == 0 && inflow.h == 0) return;
    bool bad = false;
    real T_new = 0;
    const sciara_outcome outcome =
        sciara_outcome_in(marks & BATCH_SEA, sciara_cell_settle(rule, marks & BATCH_TAKES, &inflow, t, &T_new, &bad));
    if (bad) report(&all.control.bad_after, cell);
    if (outcome != SCIARA_OUTCOME_DRY && !(marks & BATCH_ARRIVED)) {
      s.d.f.arrival[cell] = time;
      s.marks[k] = (uint8_t)(marks |= BATCH_ARRIVED);
    }
    if (outcome != SCIARA_OUTCOME_LIQUID) {
      end_lava(k, cell, outcome, inflow);
      return;
    }
    const bool moved = inflow.h != h, new_px = differ(inflow.px, px), new_py = differ(inflow.py, py);
    // Otherwise no maximum can change: all operations for the speed are monotonic when rounded.
    if (moved || grows(inflow.px, px) || grows(inflow.py, py) || marks & BATCH_FRESH)
      sciara_pass_record(&s.d.f, cell, inflow.h, inflow.px, inflow.py);
    if (marks & BATCH_FRESH) s.marks[k] = (uint8_t)(marks & ~(unsigned)BATCH_FRESH);
    if (moved) {
      s.ground[cell].h = inflow.h;
      disturb(cell);
    }
    s.T[k] = T_new;
    if (T_new > T) s.calm[cell] = 0; // by rounding
    if (new_px) s.px[k] = inflow.px;
    if (new_py) s.py[k] = inflow.py;
    if ((double)inflow.h > my.stop.thickness) all.control.thick = 1;
    if (marks & BATCH_EDGE) all.framed = 1;
    liquid++;
  }

  unsigned liquid = 0; ///< cells that this lane has left liquid in the step

  /** The lava of a cell has gone, or has become rock. */
  __device__ void end_lava(int k, int cell, sciara_outcome outcome, const sciara_inflow &inflow) {
    sciara_pass_store(&s.d.f, cell, outcome, inflow, 0);
    s.ground[cell] = {s.d.f.z[cell], 0};
    s.T[k] = s.px[k] = s.py[k] = 0;
    s.flows[k] = {0, 0};
    if (outcome == SCIARA_OUTCOME_ROCK) atomicAdd(&all.control.solidifications, 1ull);
    if (outcome == SCIARA_OUTCOME_LOST) atomicAdd(&all.control.losses, 1ull);
    if (outcome == SCIARA_OUTCOME_SEA) atomicAdd(&all.control.sea_losses, 1ull);
    disturb(cell);
  }

  /** While a cell is computed, the next one is loaded, and the index of the one after that. */
  __device__ void settle_cells(unsigned places, real t, double time) {
    const unsigned stride = threads();
    if (thread >= places) return;
    batch_cell next = load(thread, s.cell[thread]);
    int after = thread + stride < places ? s.cell[thread + stride] : 0;
    for (unsigned k = thread; k < places; k += stride) {
      const batch_cell own = next;
      if (k + stride < places) next = load(k + stride, after);
      if (k + 2 * stride < places) after = s.cell[k + 2 * stride];
      settle_cell((int)k, own, t, time);
    }
  }

  __device__ void settle(real t, double time) {
    const unsigned places = all.listed;
    liquid = 0;
    settle_cells(places, t, time);
    const unsigned sum = warp_sum(liquid);
    if (lane == 0 && sum) atomicAdd(&all.liquid, sum);
  }

  // ------------------------------------------------------------------------------------------------------------- steps

  /** Gives the smallest value of the warp to all blocks. */
  __device__ void bring(real t) {
    for (int distance = 16; distance > 0; distance >>= 1) {
      const real other = __shfl_xor_sync(~0u, t, distance);
      if (other < t) t = other;
    }
    if (lane < BLOCKS) of(lane).least[block * warps + warp] = t;
  }

  /** The smallest of the values that all warps have brought; after a barrier. */
  __device__ real least() const {
    real t = rule->clock_max;
    for (unsigned k = lane; k < BLOCKS * warps; k += 32)
      if (my.least[k] < t) t = my.least[k];
    for (int distance = 16; distance > 0; distance >>= 1) {
      const real other = __shfl_xor_sync(~0u, t, distance);
      if (other < t) t = other;
    }
    return t;
  }

  __device__ void lap(int which, unsigned long long *last) const {
    if (!s.times || thread != 0) return;
    const unsigned long long now = nanoseconds();
    if (which >= 0) s.times->seconds[which] += now - *last;
    *last = now;
  }

  /**
   * One step. All threads together; the last barrier is at its end.
   *
   * @return false if a number is invalid: the state is then undefined
   */
  __device__ bool step(batch_clock *now, unsigned long long until, unsigned long long *last) {
    if (now->time < my.stop.vents_end) {
      if (thread < 32) emit(*now);
      barrier();
    }
    now->time = now->time + (double)now->t;
    lap(2, last);
    const unsigned places = all.places;
    const bool checks = (now->step - my.control.first) % SCIARA_CHECK_EVERY == 0;
    scan(places, checks);
    barrier();
    bring(evaluate(checks));
    if (thread == 0) all.control.launched += (places + 31) / 32 * 32;
    barrier();
    lap(0, last);
    now->t = sciara_clock(rule, least());
    if (thread == 0) {
      all.places = all.listed;
      all.liquid = all.pending = 0;
      all.framed = all.control.thick = 0;
      all.late = nanoseconds() >= until;
    }
    flow(now->t);
    barrier();
    if (all.control.bad_before != SCIARA_NO_CELL) return false; // bad_after may change already
    if (block == 0 && warp == warps - 1) find_volumes(*now);
    settle(now->t, now->time);
    if (thread == 0) all.flows = 0;
    barrier();
    lap(1, last);
    if (all.control.bad_after != SCIARA_NO_CELL) return false; // bad_before: others may be in the next step
    now->step++;
    return true;
  }

  /** Whether steps must end, and why. */
  __device__ int reason(const batch_clock &now) const {
    const int why =
        sciara_stop_test(&my.stop, now.step, now.time, (double)now.t, all.liquid != 0, all.control.thick != 0);
    return why == SCIARA_STOP_NONE && all.framed ? SCIARA_STOP_FRAME : why;
  }
};

/** Begins the launch of a block: copies its slot into shared memory. */
__device__ inline void batch_begin(batch_block &my, const batch_slot *slot) {
  const unsigned *from = reinterpret_cast<const unsigned *>(slot);
  unsigned *to = reinterpret_cast<unsigned *>(&my.slot);
  for (unsigned k = threadIdx.x; k < sizeof(batch_slot) / sizeof(unsigned); k += blockDim.x) to[k] = from[k];
  __syncthreads();
  if (threadIdx.x != 0) return;
  my.control = *my.slot.d.control;
  my.stop = *my.slot.d.stop;
  my.control.bad_before = my.control.bad_after = SCIARA_NO_CELL;
  my.control.thick = my.control.failed = 0;
  my.listed = my.flows = my.liquid = my.pending = 0;
  my.framed = my.late = 0;
  my.cell_steps = 0;
}

/** The blocks from BLOCKS * b on advance slot b for about `nanoseconds_given`. */
template <int MOST_THREADS, int RESIDENT, unsigned BLOCKS>
static __global__ void __launch_bounds__(MOST_THREADS, RESIDENT)
    batch_steps(const batch_slot *slots, unsigned long long nanoseconds_given) {
#if __CUDA_ARCH__ < 900
  if (BLOCKS > 1) return; // there are no clusters; never launched
#endif
  __shared__ batch_block my;
  const unsigned long long until = nanoseconds() + nanoseconds_given;
  batch_begin(my, slots + blockIdx.x / BLOCKS);
  typedef batch_work<BLOCKS> batch_thread;
  batch_thread::barrier();
  if (my.control.reason != SCIARA_STOP_NONE) return; // all blocks of the slot
  batch_thread work(my);
  batch_block &all = work.all;
  batch_clock now = {my.control.step, my.control.time, my.control.t};
  if (work.thread < 32) work.find_volumes(now);
  work.enter();
  work.barrier();
  if (work.thread == 0) all.places = all.listed;
  work.barrier();
  unsigned long long last = 0;
  unsigned long long steps = 0;
  work.lap(-1, &last);
  int reason = all.framed ? SCIARA_STOP_FRAME : SCIARA_STOP_NONE;
  bool failed = false, over = reason != SCIARA_STOP_NONE;
  while (!over) {
    failed = !work.step(&now, until, &last);
    steps++;
    reason = failed ? SCIARA_STOP_CANCEL : work.reason(now);
    over = reason != SCIARA_STOP_NONE || all.late;
  }
  const unsigned active = warp_sum(work.active);
  if (work.lane == 0) atomicAdd(&all.cell_steps, (unsigned long long)active);
  work.leave();
  work.barrier(); // also: no block may end while another can still read its shared memory
  if (work.thread != 0) return;
  my.control.step = now.step;
  my.control.time = now.time;
  my.control.t = now.t;
  my.control.liquid = my.liquid;
  my.control.cell_steps += my.cell_steps;
  my.control.failed = failed;
  my.control.reason = reason;
  *my.slot.d.control = my.control;
  *my.slot.ready = 1;
  if (my.slot.times) my.slot.times->timed_steps += steps;
}

} // namespace sciara_gpu

#endif
