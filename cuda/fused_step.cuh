// SPDX-License-Identifier: Apache-2.0
// Steps without leaving the kernel. All blocks meet once a step, for the clock; before that a cell's neighbours have to have
// ended the step before, and how a block waits for them is its own affair.
//
// What does the work is a struct (fused_small.cuh, fused_large.cuh), of which every thread has one:
//   prepare()                  before the first step; ends with the block's threads together
//   evaluate(tally)            tau1, time evaluation: the smallest t_opt this thread found, s. Leaves in the scratch what
//                              receivers need to compute the flows towards them
//   signal()                   a thread of the last warp: what the block's evaluations wrote can be seen by all
//   meantime(worker, workers)  all other warps while the block waits for the clock: what can be done without it
//   move(t, time, tally)       the flows, tau2 and tau3 with the clock t, s, of a step that ends at `time`, s
//   share(all_blocks)          lets other blocks see the state at the end of the step; after that `evaluate` can be called
//   finish()                   instead of it after the last step
//   handle_of(vent)            < 0 if another block works on the vent's cell; else what `emit` wants to know
//   emit(handle, vent, volume, s)  thread 0 of that block: `volume` m3 come up in a step that begins at s
//   liquid()                   the liquid cells that this thread answers for
#ifndef SCIARA_CUDA_FUSED_STEP_CUH
#define SCIARA_CUDA_FUSED_STEP_CUH

#include "fused_space.cuh"

namespace sciara_gpu {

/** Findings of a thread in a step, and its counts since the launch. */
struct fused_tally {
  unsigned long long cell_steps, launched;
  unsigned solidifications, losses;
  bool liquid;  ///< a cell stays liquid
  bool entered; ///< lava is in an outer tile
  bool bad;     ///< a NaN
};

/** A cell with a NaN. */
__device__ inline void blame(unsigned long long *where, int64_t i, fused_tally *tally) {
  tally->bad = true;
  atomicMin(where, (unsigned long long)i);
}

/** How far a launch goes, and with what. */
struct fused_orders {
  unsigned long long most_steps;
  bool profile;
};

/**
 * The volumes that vents emit in a step, computed by many threads, a chunk of vents at a time. Of the first chunk more is
 * remembered: a vent's rate is constant for many steps.
 */
struct vent_chunk {
  enum { SIZE = 128 };
  double volume[SIZE];                       ///< m3
  double begin[SIZE], end[SIZE], rate[SIZE]; ///< from when to when which rate holds: s, m3/s
  int handle[SIZE];                          ///< by Work::handle_of
  int concerns;                              ///< this block has one of the vents, or counts what is emitted
  int emits;                                 ///< one of them does

  /** All threads of the block; ends with them together. */
  template <class Work> __device__ void prepare(const sciara_device_vents &v, const Work &work) {
    if (is_first()) {
      concerns = blockIdx.x == 0 || v.count > SIZE;
      emits = 0;
    }
    __syncthreads();
    for (int k = thread_in_block(); k < SIZE; k += threads_of_block()) {
      begin[k] = end[k] = -1;
      handle[k] = k < v.count ? work.handle_of(k) : -1;
      if (handle[k] >= 0) concerns = 1;
    }
    __syncthreads();
  }

  /** Remembers what holds at time s. */
  __device__ void remember(const sciara_device_vents &v, int64_t k, double s) {
    const int64_t last = v.first[k + 1];
    int64_t slot = v.first[k];
    while (slot < last && !(v.end[slot] > s)) slot++;
    const bool between = slot == last || v.begin[slot] > s;
    begin[k] = between ? s : v.begin[slot];
    end[k] = slot == last ? (double)INFINITY : between ? v.begin[slot] : v.end[slot];
    rate[k] = between ? 0 : v.rate[slot];
  }

  /** Volumes of the vents from `first` on, for [s, s + t). The last threads begin: the first have more to do. */
  __device__ void fill(const sciara_device_vents &v, int64_t first, double s, double t) {
    if (!concerns) return;
    const double until = s + t;
    for (int k = threads_of_block() - 1 - thread_in_block(); k < SIZE && first + k < v.count; k += threads_of_block()) {
      if (first == 0 && s >= begin[k] && until <= end[k]) {
        volume[k] = rate[k] * (until - s); // as sciara_vent_volume: one slot
      } else {
        volume[k] = sciara_vent_volume(v.begin, v.end, v.rate, v.first[first + k], v.first[first + k + 1], s, t);
        if (first == 0) remember(v, k, until);
      }
      if (volume[k] > 0) emits = 1;
    }
  }

  /** gamma of the vents from `first` on, in file order; their volumes are filled in. Thread 0. */
  template <class Work>
  __device__ void emit(const sciara_device_vents &v, Work &work, int64_t first, double s, double *emitted) const {
    for (int k = 0; k < SIZE && first + k < v.count; k++) {
      if (!(volume[k] > 0)) continue;
      *emitted = *emitted + volume[k];
      const int mine = first == 0 ? handle[k] : work.handle_of(first + k);
      if (mine >= 0) work.emit(mine, first + k, volume[k], s);
    }
  }

  /** gamma of all vents, after all threads of the block have moved their lava; the first chunk is filled in. */
  template <class Work>
  __device__ void emit_all(const sciara_device_vents &v, Work &work, double s, double t, double *emitted) {
    if (!concerns) return;
    __syncthreads();
    if (emits && is_first()) emit(v, work, 0, s, emitted);
    for (int64_t first = SIZE; first < v.count; first += SIZE) {
      __syncthreads();
      fill(v, first, s, t);
      __syncthreads();
      if (is_first()) emit(v, work, first, s, emitted);
    }
  }
};

__device__ inline unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

/** Time that passes in block 0, by its thread 0. */
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

/** Adds a block's counts to the control. All threads. */
template <class Work> __device__ void add_up(const sciara_device &d, const Work &work, const fused_tally &tally) {
  sciara_device_control *c = d.control;
  const unsigned long long of_thread[] = {tally.cell_steps, tally.launched, tally.solidifications, tally.losses,
                                          work.liquid()};
  unsigned long long *const total[] = {&c->cell_steps, &c->launched, &c->solidifications, &c->losses, &c->liquid};
  for (int k = 0; k < 5; k++) {
    const unsigned long long sum = warp_reduce(of_thread[k], [](auto a, auto b) { return a + b; });
    if (is_lane_0() && sum) atomicAdd(total[k], sum);
  }
}

enum { SOME_LIQUID = 1, SOME_ENTERED = 2, SOME_BAD = 4 }; ///< flags that blocks tell each other

__device__ inline unsigned flags_of(const fused_tally &tally) {
  return (tally.liquid ? SOME_LIQUID : 0u) | (tally.entered ? SOME_ENTERED : 0u) | (tally.bad ? SOME_BAD : 0u);
}

/** Why the run ends after a step, by what all blocks found in it and by its number and its end, s. */
__device__ inline int reason_to_stop(const sciara_device_stop &stop, unsigned flags, unsigned long long step,
                                     double end) {
  if (flags & SOME_BAD) return SCIARA_STOP_CANCEL;
  if (step >= stop.steps) return SCIARA_STOP_STEPS;
  if (end >= stop.time) return SCIARA_STOP_TIME;
  if (stop.solidified && !(flags & SOME_LIQUID) && end >= stop.vents_end) return SCIARA_STOP_SOLIDIFIED;
  return SCIARA_STOP_NONE;
}

/**
 * Steps until the stop rule, a NaN, `orders` or lava that leaves the listed tiles end them. What the blocks found in a step
 * they tell each other when they meet for the clock of the next one, or after the last.
 */
template <class Work>
__device__ void fused_steps(const sciara_device &d, const fused_space &space, const fused_orders &orders, Work &work) {
  __shared__ vent_chunk chunk;
  __shared__ block_meeting block;
  __shared__ sciara_device_stop stop;
  sciara_device_control *c = d.control;
  grid_meeting all_blocks = {space.points, &block, 0};
  fused_watch watch = {orders.profile && blockIdx.x == 0 && is_first(), 0};
  fused_tally tally = {};
  double end = c->time, emitted = c->emitted; // of the last step
  real t = c->t;
  unsigned long long step = c->step, left = orders.most_steps;
  int reason = SCIARA_STOP_NONE;
  bool moved = false, over = false, failed = false;
  if (is_first()) block.flags = 0;
  if (is_first()) stop = *d.stop;
  work.prepare();
  chunk.prepare(d.vents, work);
  chunk.fill(d.vents, 0, end, (double)t);
  chunk.emit_all(d.vents, work, end, (double)t, &emitted);
  work.share(all_blocks);
  all_blocks.meet();
  if (blockIdx.x == 0 && is_first()) c->liquid = 0; // all have read the control
  watch.lap(space.c, -1);
  while (!over) {
    if (is_first()) chunk.emits = 0;
    const unsigned flags = flags_of(tally); // of the step that has ended
    const double t_opt = (double)work.evaluate(&tally);
    // The bits of t_opt, which are in its order, and 1 more: 0 tells that a NaN was met.
    const unsigned long long bits = tally.bad ? 0 : (unsigned long long)__double_as_longlong(t_opt) + 1;
    const meeting_result found = all_blocks.meet(
        bits, flags, [&] { work.signal(); }, [&](int worker, int workers) { work.meantime(worker, workers); });
    watch.lap(space.c, 0);
    if (moved) reason = reason_to_stop(stop, found.flags, step, end);
    if (reason != SCIARA_STOP_NONE) break;
    if (moved && (found.flags & SOME_ENTERED) && left > STEPS_OF_GRACE) left = STEPS_OF_GRACE;
    end = end + (double)t;
    failed = found.least == 0;
    if (failed) break;
    t = d.rule.relaxation * (real)__longlong_as_double((long long)(found.least - 1));
    step++;
    left--;
    over = step >= stop.steps || end >= stop.time || left == 0;
    if (!over) chunk.fill(d.vents, 0, end, (double)t); // of the next step: lava comes up before it is evaluated
    tally.liquid = tally.entered = false;
    work.move(t, end, &tally);
    moved = true;
    if (!over) {
      chunk.emit_all(d.vents, work, end, (double)t, &emitted);
      work.share(all_blocks);
    }
    watch.lap(space.c, 1);
  }
  if (over) {
    work.finish();
    const meeting_result found = all_blocks.meet(
        ~0ull, flags_of(tally), [] {}, [](int, int) {});
    reason = reason_to_stop(stop, found.flags, step, end);
  }
  add_up(d, work, tally);
  if (blockIdx.x != 0 || !is_first()) return;
  space.c->timed_steps += orders.profile ? step - c->step : 0;
  if (failed && space.c->bad < c->bad_before) c->bad_before = space.c->bad;
  failed = failed || reason == SCIARA_STOP_CANCEL;
  c->step = reason == SCIARA_STOP_CANCEL ? step - 1 : step; // a step with a NaN is not done
  c->time = end;
  c->emitted = emitted;
  c->t = t;
  c->failed = failed;
  c->reason = failed ? SCIARA_STOP_CANCEL : reason;
}

} // namespace sciara_gpu

#endif
