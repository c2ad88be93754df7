// SPDX-License-Identifier: Apache-2.0
// One kernel per elementary process, over an iteration space that the engine chooses: a small struct with
//   template <class Visit> __device__ void for_each(const sciara_device &d, Visit visit) const
// which calls visit(index) once for the padded index of every cell that may change. A space covers the liquid cells and
// their neighbours; on what more it covers nothing depends.
#ifndef SCIARA_CUDA_PROCESSES_CUH
#define SCIARA_CUDA_PROCESSES_CUH

#include "device_fields.h"

namespace sciara_gpu {

__device__ inline bool is_first() { return threadIdx.x == 0 && threadIdx.y == 0; }
__device__ inline bool is_lane_0() { return (threadIdx.y * blockDim.x + threadIdx.x) % 32 == 0; }

/** The sum over the block; all threads call it. */
__device__ inline unsigned block_sum(unsigned value) {
  __shared__ unsigned sum;
  __syncthreads(); // whoever still reads the last one
  if (is_first()) sum = 0;
  __syncthreads();
  value = __reduce_add_sync(~0u, value);
  if (is_lane_0() && value) atomicAdd(&sum, value);
  __syncthreads();
  return sum;
}

/** The smallest over the block; all threads call it. */
__device__ inline unsigned long long block_min(unsigned long long value) {
  __shared__ unsigned long long smallest;
  __syncthreads();
  if (is_first()) smallest = ~0ull;
  __syncthreads();
  for (int lane = 16; lane > 0; lane >>= 1) {
    const unsigned long long other = __shfl_down_sync(~0u, value, lane);
    value = other < value ? other : value;
  }
  if (is_lane_0()) atomicMin(&smallest, value);
  __syncthreads();
  return smallest;
}

/** The clock of this step, from the smallest t_opt. */
__device__ inline real new_clock(const sciara_device &d) {
  return d.rule.relaxation * (real)__longlong_as_double((long long)d.control->clock_bits);
}

__device__ inline unsigned stamp_of(const sciara_device &d) { return (unsigned)(d.control->step + 1); }

__device__ inline bool is_over(const sciara_device &d) { return d.control->reason != SCIARA_STOP_NONE; }

/** gamma, then s = s + t. One thread: vents may share a cell, and the emitted volume is one running sum. */
static __global__ void vents(sciara_device d) {
  sciara_device_control *c = d.control;
  if (is_over(d)) return;
  const double t = (double)c->t;
  for (int64_t k = 0; k < d.vents.count; k++) {
    const double volume = sciara_vent_volume(d.vents.begin, d.vents.end, d.vents.rate, d.vents.first[k],
                                             d.vents.first[k + 1], c->time, t);
    if (!(volume > 0)) continue;
    sciara_pass_emit(&d.f, d.vents.cell[k], volume, d.cell_size, d.T_vent, c->time);
    c->emitted = c->emitted + volume;
  }
  c->time = c->time + t;
  c->clock_bits = (unsigned long long)__double_as_longlong((double)d.rule.clock_max);
  c->liquid = 0;
}

/** tau1, time evaluation. */
template <class Space> __global__ void time_evaluation(sciara_device d, Space space) {
  if (is_over(d)) return;
  real t_opt = d.rule.clock_max;
  unsigned liquid = 0;
  unsigned long long bad_cell = SCIARA_NO_CELL;
  space.for_each(d, [&](int64_t i) {
    if (d.f.h[i] <= 0) return;
    bool bad = false;
    sciara_prospect p;
    const real t = sciara_pass_evaluate(&d.rule, &d.f, i, &p, &bad);
    if (t < t_opt) t_opt = t;
    if (bad && (unsigned long long)i < bad_cell) bad_cell = (unsigned long long)i;
    liquid++;
  });
  const unsigned count = block_sum(liquid);
  if (!count) return;
  const unsigned long long bits = block_min((unsigned long long)__double_as_longlong((double)t_opt));
  const unsigned long long worst = block_min(bad_cell);
  if (!is_first()) return;
  atomicMin(&d.control->clock_bits, bits);
  atomicAdd(&d.control->cell_steps, (unsigned long long)count);
  if (worst != SCIARA_NO_CELL) atomicMin(&d.control->bad_before, worst);
}

/** tau1, flow computing with the new clock: what leaves goes into the slots. */
template <class Space> __global__ void flow_computing(sciara_device d, Space space) {
  if (is_over(d)) return;
  const real t = new_clock(d);
  const unsigned stamp = stamp_of(d);
  space.for_each(d, [&](int64_t i) {
    const real h = d.f.h[i];
    if (h <= 0) return;
    bool bad = false;
    sciara_prospect p;
    sciara_outflows out;
    sciara_pass_evaluate(&d.rule, &d.f, i, &p, &bad);
    d.slots.out[0][i] = sciara_cell_flow(&p, h, t, &out, &bad);
    d.slots.speed[0][i] = p.keep;
    SCIARA_UNROLL
    for (int n = 1; n < SCIARA_MOORE; n++) {
      d.slots.out[n][i] = out.to[n].thickness;
      d.slots.speed[n][i] = out.to[n].speed;
    }
    d.slots.stamp[i] = stamp;
    if (bad) atomicMin(&d.control->bad_before, (unsigned long long)i);
  });
}

/** tau2: mass and momentum, and the heat that comes with them. */
template <class Space> __global__ void mass_and_momentum(sciara_device d, Space space) {
  if (is_over(d) || d.control->bad_before != SCIARA_NO_CELL) return;
  const unsigned stamp = stamp_of(d);
  space.for_each(d, [&](int64_t i) {
    if (d.f.kind[i] == SCIARA_CELL_NODATA) return;
    sciara_parcel parcel = {0, 0, 0, 0};
    const bool was_liquid = d.slots.stamp[i] == stamp;
    if (was_liquid) {
      const real h = d.f.h[i];
      parcel = sciara_parcel_residual(d.slots.out[0][i], sciara_real_div(d.f.px[i], h), sciara_real_div(d.f.py[i], h),
                                      d.slots.speed[0][i], d.f.T[i]);
    }
    SCIARA_UNROLL
    for (int n = 1; n < SCIARA_MOORE; n++) {
      const int64_t j = i + sciara_moore_offset(n, d.f.stride);
      if (d.slots.stamp[j] != stamp) continue;
      const int back = sciara_moore_reverse(n);
      const sciara_outflow out = {d.slots.out[back][j], d.slots.speed[back][j]};
      sciara_parcel_add(&parcel, n, out, d.f.T[j]);
    }
    if (!was_liquid && parcel.h == 0) return;
    d.f.h[i] = parcel.h;
    d.f.px[i] = parcel.px;
    d.f.py[i] = parcel.py;
    d.slots.heat[i] = parcel.heat;
  });
}

/** Rim and tau3, temperature and solidification; note(i) is called for each cell that stays liquid. */
template <class Space, class Note> __device__ void settle_all(const sciara_device &d, const Space &space, Note note) {
  const real t = new_clock(d);
  const unsigned stamp = stamp_of(d);
  const double s = d.control->time;
  unsigned liquid = 0, rock = 0, lost = 0;
  space.for_each(d, [&](int64_t i) {
    const real h = d.f.h[i];
    if (h == 0 && d.slots.stamp[i] != stamp) return;
    bool bad = false;
    const sciara_parcel parcel = {h, d.f.px[i], d.f.py[i], d.slots.heat[i]};
    const sciara_fate fate = sciara_pass_settle(&d.rule, &d.f, i, parcel, t, s, &bad);
    liquid += fate == SCIARA_FATE_LIQUID;
    rock += fate == SCIARA_FATE_ROCK;
    lost += fate == SCIARA_FATE_LOST;
    if (fate == SCIARA_FATE_LIQUID) note(i);
    if (bad) atomicMin(&d.control->bad_after, (unsigned long long)i);
  });
  liquid = block_sum(liquid);
  rock = block_sum(rock);
  lost = block_sum(lost);
  if (!is_first()) return;
  if (liquid) atomicAdd(&d.control->liquid, (unsigned long long)liquid);
  if (rock) atomicAdd(&d.control->solidifications, (unsigned long long)rock);
  if (lost) atomicAdd(&d.control->losses, (unsigned long long)lost);
}

/** The end of the step: clock, count, stop rule. One thread. */
__device__ inline void finish_step(const sciara_device &d) {
  sciara_device_control *c = d.control;
  if (c->bad_before != SCIARA_NO_CELL || c->bad_after != SCIARA_NO_CELL) {
    c->failed = 1;
    c->reason = SCIARA_STOP_CANCEL; // the rest of the batch does nothing
    return;
  }
  c->t = new_clock(d);
  c->step++;
  const sciara_device_stop *stop = d.stop;
  if (c->step >= stop->steps)
    c->reason = SCIARA_STOP_STEPS;
  else if (c->time >= stop->time)
    c->reason = SCIARA_STOP_TIME;
  else if (stop->solidified && c->liquid == 0 && c->time >= stop->vents_end)
    c->reason = SCIARA_STOP_SOLIDIFIED;
}

} // namespace sciara_gpu

#endif
