// SPDX-License-Identifier: Apache-2.0
// Steps without leaving the kernel: all blocks meet twice a step, once for the clock and once when the lava has moved.
//
// What does the work is a struct (fused_small.cuh), of which every thread has one:
//   prepare()                  before the first step; ends with the block's threads together
//   meantime(thread, threads)  while the block waits for the others to end a step: what can be computed without them
//   evaluate(tally)            tau1, time evaluation: the smallest t_opt this thread found, s. Leaves in the scratch what
//                              receivers need to compute the flows towards them
//   move(t, time, tally)       the flows, tau2 and tau3 with the clock t, s, of a step that ends at `time`, s
//   handle_of(vent)            < 0 if another block works on the vent's cell; else what `emit` wants to know
//   emit(handle, vent, volume, s)  thread 0 of that block: `volume` m3 come up in a step that begins at s
//   leave()                    after the last step
//   liquid()                   the liquid cells that this thread answers for
//   barrier                    how the blocks meet: grid_barrier, or what can be used in its place
#ifndef SCIARA_CUDA_FUSED_STEP_CUH
#define SCIARA_CUDA_FUSED_STEP_CUH

#include "fused_space.cuh"

namespace sciara_gpu {

/** Findings of a thread in a step, and its counts since the launch. */
struct fused_tally {
  unsigned long long cell_steps, launched, solidifications, losses;
  bool liquid;  ///< a cell stays liquid
  bool entered; ///< lava is in an outer tile
  bool bad;     ///< a NaN
};

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
        volume[k] = sciara_vent_volume(begin, end, rate, k, k + 1, s, t); // of the slot remembered
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

/** Steps until the stop rule, a NaN, `orders` or lava that leaves the listed tiles end them. */
template <class Work>
__device__ void fused_steps(const sciara_device &d, const fused_space &space, const fused_orders &orders, Work &work) {
  __shared__ vent_chunk chunk;
  typedef typename Work::barrier barrier;
  __shared__ typename barrier::of_block block;
  const sciara_stop_rule stop = *d.stop;
  sciara_device_control *c = d.control;
  barrier all_blocks = barrier::begin(&block, space.points);
  fused_watch watch = {orders.profile && blockIdx.x == 0 && is_first(), 0};
  fused_tally tally = {};
  double time = c->time, emitted = c->emitted;
  real t = c->t;
  const unsigned long long begun = c->step, until_stop = stop.steps > begun ? stop.steps - begun : 1;
  const unsigned last = (unsigned)(until_stop < ~0u ? until_stop : ~0u); // a launch has far fewer steps
  unsigned left = (unsigned)(last < orders.most_steps ? last : orders.most_steps), did = 0;
  int reason = SCIARA_STOP_NONE;
  const auto meantime = [&](int thread, int threads) { work.meantime(thread, threads); };
  if (is_first()) block.flags = 0;
  work.prepare();
  chunk.prepare(d.vents, work);
  chunk.fill(d.vents, 0, time, (double)t);
  chunk.emit_all(d.vents, work, time, (double)t, &emitted);
  time = time + (double)t;
  all_blocks.any(0, meantime);
  if (blockIdx.x == 0 && is_first()) c->liquid = 0; // all have read the control
  watch.lap(space.c, -1);
  for (bool over = false; !over;) {
    if (is_first()) chunk.emits = 0;
    const double t_opt = (double)work.evaluate(&tally);
    // The bits of t_opt, which are in its order, and 1 more: 0 tells that a NaN was met.
    const unsigned long long bits = tally.bad ? 0 : (unsigned long long)__double_as_longlong(t_opt) + 1;
    const unsigned long long least = all_blocks.least(bits);
    watch.lap(space.c, 0);
    if (least == 0) {
      reason = SCIARA_STOP_CANCEL;
      break;
    }
    t = d.rule.relaxation * (real)__longlong_as_double((long long)(least - 1));
    did++;
    left--;
    over = left == 0 || sciara_stop_test(&stop, begun + did, time, (double)t, true) != SCIARA_STOP_NONE;
    if (!over) chunk.fill(d.vents, 0, time, (double)t); // of the next step: lava comes up before it is evaluated
    tally.liquid = tally.entered = false;
    work.move(t, time, &tally);
    if (!over) chunk.emit_all(d.vents, work, time, (double)t, &emitted);
    const unsigned all =
        all_blocks.any((tally.liquid ? 1u : 0u) | (tally.entered ? 2u : 0u) | (tally.bad ? 4u : 0u), meantime);
    watch.lap(space.c, 1);
    if (all & 4) {
      reason = SCIARA_STOP_CANCEL;
      did--; // it is not done
    } else {
      reason = sciara_stop_test(&stop, begun + did, time, (double)t, all & 1);
    }
    if ((all & 2) && left > fused_space::STEPS_OF_GRACE) left = fused_space::STEPS_OF_GRACE;
    over = over || reason != SCIARA_STOP_NONE;
    if (!over) time = time + (double)t;
  }
  work.leave();
  add_up(d, work, tally);
  if (blockIdx.x != 0 || !is_first()) return;
  space.c->timed_steps += orders.profile ? did : 0;
  c->step = begun + did;
  c->time = time;
  c->emitted = emitted;
  c->t = t;
  c->failed = reason == SCIARA_STOP_CANCEL;
  c->reason = reason;
}

} // namespace sciara_gpu

#endif
