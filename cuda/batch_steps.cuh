// SPDX-License-Identifier: Apache-2.0
// The steps of engine cuda-batch: one block, or one cluster of blocks, advances one simulation; no simulation waits for
// another.
//
// A step has up to four passes with a barrier after each. All but `flow` load the next cells before they compute one.
//   scan      a thread per cell collects the liquid cells that are not quiescent: a few per cent to a third of all.
//   evaluate  a thread per collected cell (batch_evaluation_*.cuh). Most become quiescent by a test without divisions and
//             roots. All then know the smallest t_opt.
//   flow      a thread per flow: outflow and speed with the new clock. Not in every rule (BATCH_HAS_FLOW_PASS).
//   settle    a thread per cell with lava or inflow: sums in the order of the neighbours, cooling, the new state.
// The vents emit between two steps, by one warp; a warp computes the volumes while the others settle. All threads then
// apply the stop rule to the same numbers.
#ifndef SCIARA_CUDA_BATCH_STEPS_CUH
#define SCIARA_CUDA_BATCH_STEPS_CUH

#include "device_fields.h"

#if SCIARA_SHEET
#include "batch_evaluation_bingham.cuh"
#else
#include "batch_evaluation_fv3.cuh"
#endif

namespace sciara_gpu {

/**
 * What the end of a step reads of a cell. In that pass only the cell itself changes these values, but for `calm`, which a
 * neighbour may clear: the cell then reads its flows, of which there are none.
 */
struct batch_cell {
  int cell;
  unsigned donors, marks;
  bool calm;
  real T, px, py; ///< K, m2/s
  real h;         ///< m
};

/** A thread in its work on the steps of a simulation. */
template <unsigned BLOCKS> struct batch_work : batch_evaluation<BLOCKS> {
  typedef batch_evaluation<BLOCKS> base;
  using base::all, base::my, base::s, base::rule, base::lane, base::warp, base::warps, base::block, base::thread;
  using base::barrier, base::check, base::disturb, base::emit, base::evaluate_cells, base::find_volumes, base::flow,
      base::of, base::report, base::threads;
  unsigned active = 0; ///< liquid cells that this lane has seen in time evaluation

  using base::base;

  // --------------------------------------------------------------------------------------------- tau1, time evaluation

  /** Collects the cells that have to be evaluated; several at a time, so that their loads overlap. */
  __device__ void scan(unsigned entries, bool checks) {
    enum { EACH = 4 };
    for (unsigned first = EACH * (thread - lane) + lane; first - lane < entries; first += EACH * threads()) {
      int cell[EACH];
      bool quiet[EACH], wet[EACH];
      SCIARA_UNROLL
      for (unsigned n = 0; n < EACH; n++) cell[n] = first + 32 * n < entries ? s.cell[first + 32 * n] : 0; // dry
      SCIARA_UNROLL
      for (unsigned n = 0; n < EACH; n++) quiet[n] = s.calm[cell[n]] != 0;
      SCIARA_UNROLL
      for (unsigned n = 0; n < EACH; n++) {
        wet[n] = quiet[n] || s.ground[cell[n]].h != 0; // invalid thicknesses too
        active += wet[n];
      }
      SCIARA_UNROLL
      for (unsigned n = 0; n < EACH; n++) {
        if (!wet[n]) this->forget_flows(cell[n]);
        if (checks && quiet[n]) check((int)(first + 32 * n), cell[n]);
        collect((int)(first + 32 * n), wet[n] && !quiet[n]);
      }
    }
  }

  /** Adds the entries of the lanes that are `pending` to the list; all lanes together. */
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
    const auto entry = [&](unsigned n) { return s.pending[n < count ? n : count - 1]; };
    int k = entry(thread), cell = s.cell[k], after = entry(thread + stride);
    for (unsigned n = thread; n - lane < count; n += stride) {
      const int next = after, next_cell = s.cell[next]; // loaded while this one is computed
      after = entry(n + 2 * stride);
      const real t = evaluate_cells(k, cell, n < count, checks);
      if (t < t_opt) t_opt = t;
      k = next;
      cell = next_cell;
    }
    return t_opt;
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

  __device__ batch_cell load(unsigned k, int cell) const {
    const real px = reads_momentum ? s.px[k] : (real)0, py = reads_momentum ? s.py[k] : (real)0;
    return {cell, this->donors(cell), s.marks[k], s.calm[cell] != 0, s.T[k], px, py, s.ground[cell].h};
  }

  bool reads_momentum = BATCH_USES_MOMENTUM; ///< the momentum that this step leaves will be read

  /** Before a step settles. */
  __device__ void find_momentum(const batch_clock &now) {
    if (BATCH_USES_MOMENTUM) return;
    reads_momentum = s.d.f.max_speed || (now.step + 1) % SCIARA_CHECK_EVERY == 0;
  }

  /** tau2, rim and tau3 of the cell at entry k. @param pace w/t */
  __device__ void settle_cell(int k, const batch_cell &own, real t, real pace, double time) {
    const int cell = own.cell;
    const unsigned donors = own.donors;
    const bool calm = own.calm;
    const real T = own.T, px = own.px, py = own.py;
    unsigned marks = own.marks;
    const real h = own.h;
    if (h == 0 && !donors) return;
    const unsigned to = this->moves(cell, calm);
    bool bad = false;
    sciara_inflow inflow = {0, 0, 0, 0};
    if (h != 0) inflow = s.edges.stays(rule, k, cell, to, h, T, px, py, t, &bad);
    if (!BATCH_USES_MOMENTUM && reads_momentum && h != 0) {
      const batch_momentum p = s.edges.momentum(cell, to, t, pace);
      inflow.px = p.x;
      inflow.py = p.y;
    }
    if (donors) {
      this->forget_donors(cell);
      s.calm[cell] = 0;
      s.edges.gather(cell, donors, s.d.f.stride, t, &inflow, &bad);
    }
    if (h == 0 && inflow.h == 0) return;
    real T_new = 0;
    const sciara_outcome outcome =
        sciara_outcome_in(marks & BATCH_SEA, sciara_cell_settle(rule, marks & BATCH_TAKES, &inflow, t, &T_new, &bad));
    if (bad) report(&all.control.bad_after, cell);
    if (outcome != SCIARA_OUTCOME_DRY && !(marks & BATCH_ARRIVED)) {
      s.d.f.arrival[cell] = time;
      s.marks[k] = (uint8_t)(marks |= BATCH_ARRIVED);
      atomicAdd(&all.control.reached, 1ull);
    }
    if (outcome != SCIARA_OUTCOME_LIQUID) {
      end_lava(k, cell, outcome, inflow);
      return;
    }
    const bool moved = inflow.h != h, new_px = differ(inflow.px, px), new_py = differ(inflow.py, py);
    // Otherwise no maximum can change: all operations are monotonic when rounded.
    const bool faster = s.d.f.max_speed && (moved || grows(inflow.px, px) || grows(inflow.py, py));
    if (!(inflow.h <= h) || faster || marks & BATCH_FRESH)
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
    if (marks & BATCH_EDGE) all.near_ring = 1;
    liquid++;
  }

  unsigned liquid = 0; ///< cells that this lane has left liquid in the step

  /** The lava of a cell has gone, or has become rock. */
  __device__ void end_lava(int k, int cell, sciara_outcome outcome, const sciara_inflow &inflow) {
    sciara_pass_store(&s.d.f, cell, outcome, inflow, 0);
    s.ground[cell] = {s.d.f.z[cell], 0};
    s.T[k] = s.px[k] = s.py[k] = 0;
    s.edges.clear((unsigned)k);
    if (outcome == SCIARA_OUTCOME_ROCK) atomicAdd(&all.control.solidifications, 1ull);
    if (outcome == SCIARA_OUTCOME_LOST) atomicAdd(&all.control.losses, 1ull);
    if (outcome == SCIARA_OUTCOME_SEA) atomicAdd(&all.control.sea_losses, 1ull);
    disturb(cell);
  }

  /** While a cell is computed, the next one is loaded, and the index of the one after that. */
  __device__ void settle_cells(unsigned entries, real t, double time) {
    const unsigned stride = threads();
    if (thread >= entries) return;
    const real pace = sciara_real_div(rule->cell_size, t);
    batch_cell next = load(thread, s.cell[thread]);
    int after = thread + stride < entries ? s.cell[thread + stride] : 0;
    for (unsigned k = thread; k < entries; k += stride) {
      const batch_cell own = next;
      if (k + stride < entries) next = load(k + stride, after);
      if (k + 2 * stride < entries) after = s.cell[k + 2 * stride];
      settle_cell((int)k, own, t, pace, time);
    }
  }

  __device__ void settle(real t, double time) {
    const unsigned entries = all.listed;
    liquid = 0;
    settle_cells(entries, t, time);
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

  /** For what `settle` counts, and the time. By one thread, between the barrier after `scan` and that before `settle`. */
  __device__ void reset_counts(unsigned long long until) {
    all.liquid = 0;
    all.near_ring = all.control.thick = 0;
    all.late = nanoseconds() >= until;
  }

  /** By one thread, after time evaluation: all cells that receive lava have an entry. */
  __device__ void reset_lists() {
    all.entries = all.listed;
    all.pending = 0;
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
    const unsigned entries = all.entries;
    const bool checks = now->step % SCIARA_CHECK_EVERY == 0;
    scan(entries, checks);
    barrier();
    if (!BATCH_HAS_FLOW_PASS && thread == 0) reset_counts(until);
    this->guess_clock(now->t);
    bring(evaluate(checks));
    if (thread == 0) all.control.launched += (entries + 31) / 32 * 32;
    barrier();
    lap(0, last);
    now->t = sciara_clock(rule, least());
    if (this->is_longer(now->t)) { // rare
      evaluate(checks);
      barrier();
    }
    if (thread == 0) reset_lists();
    if (BATCH_HAS_FLOW_PASS) {
      if (thread == 0) reset_counts(until);
      flow(now->t);
      barrier();
    }
    if (all.control.bad_before != SCIARA_NO_CELL) return false; // bad_after may change already
    if (block == 0 && warp == warps - 1) find_volumes(*now);
    find_momentum(*now);
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
    if (why != SCIARA_STOP_NONE) return why;
    if (all.near_ring) return SCIARA_STOP_RING;
    return all.control.reached >= my.stop.reached ? SCIARA_STOP_REACHED : SCIARA_STOP_NONE;
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
  my.near_ring = my.late = 0;
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
  typedef batch_work<BLOCKS> of_blocks;
  of_blocks::barrier();
  if (my.control.reason != SCIARA_STOP_NONE) return; // all blocks of the slot
  of_blocks work(my);
  batch_block &all = work.all;
  batch_clock now = {my.control.step, my.control.time, my.control.t};
  if (work.thread < 32) work.find_volumes(now);
  work.enter();
  work.barrier();
  if (work.thread == 0) all.entries = all.listed;
  work.barrier();
  unsigned long long last = 0;
  unsigned long long steps = 0;
  work.lap(-1, &last);
  int reason = all.near_ring ? SCIARA_STOP_RING : SCIARA_STOP_NONE;
  bool failed = false, over = reason != SCIARA_STOP_NONE;
  while (!over) {
    failed = !work.step(&now, until, &last);
    steps++;
    reason = failed ? SCIARA_STOP_CANCEL : work.reason(now);
    over = reason != SCIARA_STOP_NONE || all.late;
  }
  const unsigned active = warp_sum(work.active);
  if (work.lane == 0) atomicAdd(&all.cell_steps, (unsigned long long)active);
  work.leave(steps ? now.t : (real)0);
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
