// SPDX-License-Identifier: Apache-2.0
// One kernel per elementary process, for an iteration space and an exchange that the engine chooses.
//
// A space is a small struct that defines which cells are visited (space_*.cuh):
//   for_each(d, visit)       calls visit(index) once for the padded index of every cell that may change
//   for_each_tile(d, visit)  only for --memory shared: calls visit(row, col) once for the first cell of every tile of
//                            the block's shape, by all threads of a block together
//   launched(d)              number of threads that for_each uses
//   begin(d)                 by one thread, after the vents have emitted
//   notes                    collects the cells that remain liquid: add(d, space, index), then flush(space) by all
//                            threads
// A space covers the liquid cells and their neighbours. It may cover more cells; this changes no result.
//
// An exchange (exchange_*.cuh) defines how outflows reach the neighbours:
//   send(d, i, rest, out, stamp)  in flow computing; `rest`: sciara_cell_stays
//   take(d, i, stamp, inflow)     in tau3: the inflow of cell i; false if nothing happens there
#ifndef SCIARA_CUDA_PROCESSES_CUH
#define SCIARA_CUDA_PROCESSES_CUH

#include "device_fields.h"
#include "reduce.cuh"

namespace sciara_gpu {

/** The clock of this step, from the smallest t_opt. */
__device__ inline real new_clock(const sciara_device &d) {
  return sciara_clock(&d.rule, (real)__longlong_as_double((long long)d.control->clock_bits));
}

/** Whether all lava is checked in this step. */
__device__ inline bool checks_lava(const sciara_device &d) { return d.control->step % SCIARA_CHECK_EVERY == 0; }

__device__ inline unsigned stamp_of(const sciara_device &d) { return (unsigned)(d.control->step + 1); }

__device__ inline bool is_over(const sciara_device &d) { return d.control->reason != SCIARA_STOP_NONE; }

/** Whether a padded index, which a vent of another band may have, lies in a row of the grid. */
__device__ inline bool is_in_rows(const sciara_device &d, int64_t i) {
  return i >= d.f.stride && i < (d.rows + 1) * d.f.stride;
}

// ---------------------------------------------------------------------------------------------- memory path

/** Altitude and thickness of cell i and its neighbours, from global memory. */
struct global_ground {
  const sciara_fields &f;
  int64_t i;
  __device__ real z(int n) const { return f.z[i + sciara_moore_offset(n, f.stride)]; }
  __device__ real h(int n) const { return f.h[i + sciara_moore_offset(n, f.stride)]; }
};

/** The ground from a tile with its halo in shared memory. */
struct shared_ground {
  const real *tile_z, *tile_h;
  int64_t at, width;
  __device__ real z(int n) const { return tile_z[at + sciara_moore_offset(n, width)]; }
  __device__ real h(int n) const { return tile_h[at + sciara_moore_offset(n, width)]; }
};

/** The dynamic shared memory of the block. */
template <class T> __device__ T *shared_memory() {
  extern __shared__ __align__(32) double sciara_shared_memory[]; // up to 32 bytes are read in one access
  return reinterpret_cast<T *>(sciara_shared_memory);
}

/**
 * Loads the tile that begins at (row, col), with a halo of one cell: calls load(k, index) for cell k of the tile. By
 * all threads of the block together. At the edge of the grid the frame of the arrays is the halo.
 */
template <class Load> __device__ void load_tile(const sciara_device &d, int64_t row, int64_t col, Load load) {
  const int width = (int)blockDim.x + 2, cells = width * ((int)blockDim.y + 2);
  __syncthreads(); // some threads may still read the last tile
  for (int k = thread_in_block(); k < cells; k += threads_of_block()) {
    const int64_t r = row + k / width, c = col + k % width; // in the padded arrays, which begin one cell earlier
    if (r < d.rows + 2 && c < d.cols + 2) load(k, r * d.f.stride + c);
  }
  __syncthreads();
}

/** Calls visit(i, ground) for every cell of the space with lava. */
template <bool shared, class Space, class Visit>
__device__ void for_each_liquid(const sciara_device &d, const Space &space, Visit visit) {
  if constexpr (!shared) {
    space.for_each(d, [&](int64_t i) {
      if (d.f.h[i] != 0) visit(i, global_ground{d.f, i}); // invalid thicknesses are visited too
    });
  } else {
    const int64_t width = (int64_t)blockDim.x + 2;
    real *z = shared_memory<real>(), *h = z + width * ((int64_t)blockDim.y + 2);
    space.for_each_tile(d, [&](int64_t row, int64_t col) {
      load_tile(d, row, col, [&](int k, int64_t j) {
        z[k] = d.f.z[j];
        h[k] = d.f.h[j];
      });
      const int64_t r = row + threadIdx.y, c = col + threadIdx.x;
      if (r >= d.rows || c >= d.cols) return;
      const int64_t at = (int64_t)(threadIdx.y + 1) * width + threadIdx.x + 1;
      if (h[at] != 0) visit((r + 1) * d.f.stride + c + 1, shared_ground{z, h, at, width});
    });
  }
}

template <class Ground>
__device__ real evaluate(const sciara_device &d, int64_t i, const Ground &ground, sciara_evaluation *p, bool *bad) {
  real zn[SCIARA_MOORE], hn[SCIARA_MOORE];
  SCIARA_UNROLL
  for (int n = 1; n < SCIARA_MOORE; n++) {
    zn[n] = ground.z(n);
    hn[n] = ground.h(n);
  }
  return sciara_cell_evaluate(&d.rule, ground.z(0), ground.h(0), d.f.T[i], d.f.px[i], d.f.py[i], zn, hn, p, bad);
}

// -------------------------------------------------------------------------------------- elementary processes

enum { THREADS_OF_VENTS = 128 }; ///< of the block that begins a step

/**
 * gamma, then s = s + t. All threads of one block compute the volumes. One thread adds them in file order, because
 * several vents may lie in one cell and the emitted volume is one running sum.
 */
__device__ inline void begin_step(const sciara_device &d) {
  sciara_device_control *c = d.control;
  const double t = (double)c->t;
  for (int64_t k = thread_in_block(); k < d.vents.count; k += threads_of_block())
    d.vents.volume[k] = sciara_vent_volume(d.vents.begin, d.vents.end, d.vents.rate, d.vents.first[k],
                                           d.vents.first[k + 1], c->time, t);
  __syncthreads();
  if (thread_in_block() != 0) return;
  for (int64_t k = 0; k < d.vents.count; k++) {
    const double volume = d.vents.volume[k];
    if (!(volume > 0)) continue;
    const int64_t i = d.vents.cell[k];
    if (is_in_rows(d, i)) sciara_pass_emit(&d.f, i, volume, d.cell_size, d.T_vent, c->time);
    if (d.vents.of_map || sciara_cells_have(d.band.own, i)) c->emitted = c->emitted + volume;
  }
  c->time = c->time + t;
  c->clock_bits = (unsigned long long)__double_as_longlong((double)d.rule.clock_max);
  c->liquid = 0;
  c->thick = 0;
}

template <class Space> __global__ void vents(sciara_device d, Space space) {
  if (is_over(d)) return;
  begin_step(d);
  if (thread_in_block() != 0) return;
  space.begin(d);
  d.control->launched += space.launched(d);
}

/** tau1, time evaluation. */
template <bool shared, class Space> __global__ void time_evaluation(sciara_device d, Space space) {
  if (is_over(d)) return;
  const bool checks = checks_lava(d);
  real t_opt = d.rule.clock_max;
  unsigned liquid = 0;
  unsigned long long bad_cell = SCIARA_NO_CELL;
  for_each_liquid<shared>(d, space, [&](int64_t i, const auto &ground) {
    bool bad = checks && !sciara_is_sound(&d.rule, ground.z(0), ground.h(0), d.f.T[i], d.f.px[i], d.f.py[i]);
    sciara_evaluation p;
    const real t = evaluate(d, i, ground, &p, &bad);
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

/** tau1, flow computing with the new clock; the outflows go into the exchange. */
template <bool shared, class Exchange, class Space> __global__ void flow_computing(sciara_device d, Space space) {
  if (is_over(d)) return;
  const real t = new_clock(d);
  const unsigned stamp = stamp_of(d);
  for_each_liquid<shared>(d, space, [&](int64_t i, const auto &ground) {
    bool bad = false;
    sciara_evaluation p;
    sciara_outflows out;
    evaluate(d, i, ground, &p, &bad);
    const real h0 = sciara_cell_flow(&p, ground.h(0), t, &out, &bad);
    Exchange::send(d, i, sciara_cell_stays(&p, &out, h0, t, d.f.T[i]), out, stamp);
    if (bad) atomicMin(&d.control->bad_before, (unsigned long long)i);
  });
}

/** Rim and tau3, temperature and solidification. */
template <class Exchange, class Space> __global__ void temperature_and_solidification(sciara_device d, Space space) {
  if (is_over(d) || d.control->bad_before != SCIARA_NO_CELL) return;
  const real t = new_clock(d);
  const unsigned stamp = stamp_of(d);
  const double s = d.control->time, thickest = d.stop->thickness;
  unsigned liquid = 0, rock = 0, lost = 0, sea = 0;
  typename Space::notes notes;
  space.for_each(d, [&](int64_t i) {
    sciara_inflow inflow;
    if (!Exchange::take(d, i, stamp, &inflow)) return;
    bool bad = false;
    const sciara_outcome outcome = sciara_pass_settle(&d.rule, &d.f, i, inflow, t, s, &bad);
    liquid += outcome == SCIARA_OUTCOME_LIQUID;
    rock += outcome == SCIARA_OUTCOME_ROCK;
    lost += outcome == SCIARA_OUTCOME_LOST;
    sea += outcome == SCIARA_OUTCOME_SEA;
    if (outcome == SCIARA_OUTCOME_LIQUID) notes.add(d, space, i);
    if (outcome == SCIARA_OUTCOME_LIQUID && (double)inflow.h > thickest) d.control->thick = 1;
    if (bad) atomicMin(&d.control->bad_after, (unsigned long long)i);
  });
  notes.flush(space);
  liquid = block_sum(liquid);
  rock = block_sum(rock);
  lost = block_sum(lost);
  sea = block_sum(sea);
  if (!is_first()) return;
  if (liquid) atomicAdd(&d.control->liquid, (unsigned long long)liquid);
  if (rock) atomicAdd(&d.control->solidifications, (unsigned long long)rock);
  if (lost) atomicAdd(&d.control->losses, (unsigned long long)lost);
  if (sea) atomicAdd(&d.control->sea_losses, (unsigned long long)sea);
}

/** Whether invalid numbers were found in this step. */
__device__ inline bool is_bad(const sciara_device_control *c) {
  return c->bad_before != SCIARA_NO_CELL || c->bad_after != SCIARA_NO_CELL;
}

/** The end of the step: clock, count, stop rule; what the map has: invalid numbers, lava, thick lava. One thread. */
__device__ inline void finish_step(const sciara_device &d, bool bad, bool liquid, bool thick) {
  sciara_device_control *c = d.control;
  if (bad) {
    c->failed = 1;
    c->reason = SCIARA_STOP_CANCEL; // the rest of the graph does nothing
    return;
  }
  c->t = new_clock(d);
  c->step++;
  c->thick = thick;
  c->reason = sciara_stop_test(d.stop, c->step, c->time, (double)c->t, liquid, thick);
}

__device__ inline void finish_step(const sciara_device &d) {
  const sciara_device_control *c = d.control;
  finish_step(d, is_bad(c), c->liquid != 0, c->thick != 0);
}

static __global__ void end_of_step(sciara_device d) {
  if (!is_over(d)) finish_step(d);
}

} // namespace sciara_gpu

#endif
