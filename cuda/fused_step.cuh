// SPDX-License-Identifier: Apache-2.0
// Many steps in one kernel, with two barriers of all blocks per step: one for the clock and one after the lava has
// moved.
//
// The work is done by a struct (fused_small.cuh), of which every thread has one:
//   prepare()                  before the first step; ends with a barrier of the block
//   meantime(thread, threads)  while the block waits for others at the end of a step: work that does not depend on them
//   evaluate(tally)            tau1, time evaluation: the smallest t_opt of this thread, s. Stores in the scratch what
//                              receivers need to compute the flows to them
//   move(t, time, tally)       the flows, tau2 and tau3 with the clock t, s, of a step that ends at `time`, s
//   handle_of(vent)            < 0 if another block works on the vent's cell; else an argument for `emit`
//   emit(handle, vent, volume, s)  by thread 0 of that block: `volume` m3 are emitted in a step that begins at s
//   is_thick(limit)            whether a cell of this thread has more than `limit` m of lava; after `move`
//   leave()                    after the last step
//   liquid()                   number of liquid cells that this thread counts
//   barrier                    the type of the barrier between blocks: grid_barrier, or one with the same interface
#ifndef SCIARA_CUDA_FUSED_STEP_CUH
#define SCIARA_CUDA_FUSED_STEP_CUH

#include "fused_space.cuh"

namespace sciara_gpu {

/** Results of a thread in a step, and its counts since the launch. */
struct fused_tally {
  unsigned long long cell_steps, launched;
  sciara_tally ended;
  bool liquid;  ///< a cell remains liquid
  bool entered; ///< lava is in an outer tile
  bool bad;     ///< invalid numbers were found
};

/** The parameters of a launch. */
struct fused_orders {
  unsigned long long most_steps;
  bool profile;
};

/**
 * The volumes that vents emit in a step, computed by many threads, one chunk of vents at a time. For the first chunk
 * the current rates are stored too, because the rate of a vent is constant for many steps.
 */
struct vent_chunk {
  enum { SIZE = 128 };
  double volume[SIZE];                       ///< m3
  double begin[SIZE], end[SIZE], rate[SIZE]; ///< the current slot of each vent and its rate: s, m3/s
  int handle[SIZE];                          ///< by Work::handle_of
  int concerns;                              ///< this block has one of the vents, or sums up the emitted volume
  int emits;                                 ///< a vent emits lava in this step

  /** By all threads of the block; ends with a barrier of the block. */
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

  /** Stores the slot of a vent that is current at time s. */
  __device__ void remember(const sciara_device_vents &v, int64_t k, double s) {
    const int64_t last = v.first[k + 1];
    int64_t slot = v.first[k];
    while (slot < last && !(v.end[slot] > s)) slot++;
    const bool between = slot == last || v.begin[slot] > s;
    begin[k] = between ? s : v.begin[slot];
    end[k] = slot == last ? (double)INFINITY : between ? v.begin[slot] : v.end[slot];
    rate[k] = between ? 0 : v.rate[slot];
  }

  /**
   * Computes the volumes of the vents from `first` on, for [s, s + t). Uses the last threads: the first have more work.
   */
  __device__ void fill(const sciara_device_vents &v, int64_t first, double s, double t) {
    if (!concerns) return;
    const double until = s + t;
    for (int k = threads_of_block() - 1 - thread_in_block(); k < SIZE && first + k < v.count; k += threads_of_block()) {
      if (first == 0 && s >= begin[k] && until <= end[k]) {
        volume[k] = sciara_vent_volume(begin, end, rate, k, k + 1, s, t); // of the stored slot
      } else {
        volume[k] = sciara_vent_volume(v.begin, v.end, v.rate, v.first[first + k], v.first[first + k + 1], s, t);
        if (first == 0) remember(v, k, until);
      }
      if (volume[k] > 0) emits = 1;
    }
  }

  /** gamma of the vents from `first` on, in file order; their volumes have been computed. Thread 0. */
  template <class Work>
  __device__ void emit(const sciara_device_vents &v, Work &work, int64_t first, double s, double *emitted) const {
    for (int k = 0; k < SIZE && first + k < v.count; k++) {
      if (!(volume[k] > 0)) continue;
      *emitted = *emitted + volume[k];
      const int mine = first == 0 ? handle[k] : work.handle_of(first + k);
      if (mine >= 0) work.emit(mine, first + k, volume[k], s);
    }
  }

  /** gamma of all vents, after all threads of the block have moved their lava; the first chunk has been computed. */
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

/** Adds the counts of a block to the control. All threads. */
template <class Work> __device__ void add_up(const sciara_device &d, const Work &work, const fused_tally &tally) {
  sciara_device_control *c = d.control;
  const unsigned long long of_thread[] = {tally.cell_steps, tally.launched,  tally.ended.rock,
                                          tally.ended.lost, tally.ended.sea, work.liquid()};
  unsigned long long *const total[] = {&c->cell_steps, &c->launched,   &c->solidifications,
                                       &c->losses,     &c->sea_losses, &c->liquid};
  for (int k = 0; k < 6; k++) {
    const unsigned long long sum = warp_reduce(of_thread[k], [](auto a, auto b) { return a + b; });
    if (is_lane_0() && sum) atomicAdd(total[k], sum);
  }
}

/**
 * Executes steps until the stop rule, invalid numbers, `orders` or lava that leaves the listed tiles end the launch.
 */
template <class Work>
__device__ void fused_steps(const sciara_device &d, const fused_space &space, const fused_orders &orders, Work &work) {
  __shared__ vent_chunk chunk;
  typedef typename Work::barrier barrier;
  __shared__ typename barrier::of_block block;
  const sciara_stop_rule stop = *d.stop;
  sciara_device_control *c = d.control;
  barrier all_blocks = barrier::begin(&block, space.slots);
  fused_watch watch = {orders.profile && blockIdx.x == 0 && is_first(), 0};
  fused_tally tally = {};
  double time = c->time, emitted = c->emitted;
  real t = c->t;
  const unsigned long long begun = c->step, until_stop = stop.steps > begun ? stop.steps - begun : 1;
  const unsigned last = (unsigned)(until_stop < ~0u ? until_stop : ~0u); // a launch never has that many steps
  unsigned left = (unsigned)(last < orders.most_steps ? last : orders.most_steps), did = 0;
  int reason = SCIARA_STOP_NONE;
  const bool limits = stop.thickness < (double)INFINITY;
  bool thick = false;
  const auto idle = [](int, int) {};
  const auto meantime = [&](int thread, int threads) { work.meantime(thread, threads); };
  if (is_first()) block.flags = 0;
  work.prepare();
  chunk.prepare(d.vents, work);
  chunk.fill(d.vents, 0, time, (double)t);
  chunk.emit_all(d.vents, work, time, (double)t, &emitted);
  time = time + (double)t;
  all_blocks.any(0, meantime);
  if (blockIdx.x == 0 && is_first()) c->liquid = 0; // all threads have read the control
  watch.lap(space.c, -1);
  for (bool over = false; !over;) {
    if (is_first()) chunk.emits = 0;
    const double t_opt = (double)work.evaluate(&tally);
    // The binary form of t_opt, which has the same order, plus 1: 0 means that invalid numbers were found.
    const unsigned long long bits = tally.bad ? 0 : (unsigned long long)__double_as_longlong(t_opt) + 1;
    const unsigned long long least = all_blocks.least(bits);
    watch.lap(space.c, 0);
    if (least == 0) {
      reason = SCIARA_STOP_CANCEL;
      break;
    }
    t = sciara_clock(&d.rule, (real)__longlong_as_double((long long)(least - 1)));
    did++;
    left--;
    over = left == 0 || sciara_stop_test(&stop, begun + did, time, (double)t, true, false) != SCIARA_STOP_NONE;
    if (!over) chunk.fill(d.vents, 0, time, (double)t); // for the next step: emission comes before time evaluation
    tally.liquid = tally.entered = false;
    work.move(t, time, &tally);
    if (limits) { // a barrier of its own: the vents emit for the next step only if there is one
      __syncthreads();
      thick = all_blocks.any(work.is_thick(stop.thickness) ? 1u : 0u, idle) & 1;
      over = over || thick;
    }
    if (!over) chunk.emit_all(d.vents, work, time, (double)t, &emitted);
    const unsigned all =
        all_blocks.any((tally.liquid ? 1u : 0u) | (tally.entered ? 2u : 0u) | (tally.bad ? 4u : 0u), meantime);
    watch.lap(space.c, 1);
    if (all & 4) {
      reason = SCIARA_STOP_CANCEL;
      did--; // the step is not completed
    } else {
      reason = sciara_stop_test(&stop, begun + did, time, (double)t, all & 1, thick);
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
  c->thick = thick;
  c->reason = reason;
}

} // namespace sciara_gpu

#endif
