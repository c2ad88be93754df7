// SPDX-License-Identifier: Apache-2.0
// The threads of engine cuda-batch, and what they do between the passes of batch_steps.cuh: entries, vents, messages to
// neighbours. What the blocks of a cluster count together is in the shared memory of the first one.
#ifndef SCIARA_CUDA_BATCH_THREAD_CUH
#define SCIARA_CUDA_BATCH_THREAD_CUH

#include "batch_slot.cuh"
#include "cluster_barrier.cuh"
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
  unsigned listed;               ///< entries in use
  unsigned entries;              ///< entries in use when time evaluation begins
  unsigned pending;              ///< cells to be evaluated
  unsigned flows;
  unsigned liquid; ///< cells liquid at the end of the step
  int near_ring;   ///< one of them lies next to the ring
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

/** A thread of the `BLOCKS` blocks, one cluster if there are several, that advance a simulation. */
template <unsigned BLOCKS> struct batch_thread {
  batch_block &my;
  batch_block &all; ///< that of the first block: what all blocks count together
  const batch_slot &s;
  const sciara_rule *rule;
  const unsigned lane, warp, warps; ///< of the block
  const unsigned block, thread;     ///< of the simulation

  __device__ explicit batch_thread(batch_block &of_block)
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

  // ------------------------------------------------------------------------------------------------------------ entries

  __device__ unsigned marks_of(int cell) const {
    const uint8_t kind = s.d.f.kind[cell];
    const int64_t row = cell / s.d.f.stride - 1, col = cell % s.d.f.stride - 1;
    const bool edge = ((s.sides & SCIARA_SIDE_NORTH) && row == 1) || ((s.sides & SCIARA_SIDE_WEST) && col == 1) ||
                      ((s.sides & SCIARA_SIDE_SOUTH) && row == s.d.rows - 2) ||
                      ((s.sides & SCIARA_SIDE_EAST) && col == s.d.cols - 2);
    return (sciara_takes_lava(kind) ? BATCH_TAKES : 0) | (kind == SCIARA_CELL_SEA ? BATCH_SEA : 0) |
           (s.d.f.arrival[cell] < 0 ? 0 : BATCH_ARRIVED) | (edge ? BATCH_EDGE : 0) | BATCH_FRESH;
  }

  __device__ void take_place(unsigned k, int cell, real T, real px, real py) {
    s.cell[k] = cell;
    s.link[cell] = (int)k + 1;
    s.T[k] = T;
    s.px[k] = px;
    s.py[k] = py;
    s.edges.clear(k);
    s.marks[k] = (uint8_t)marks_of(cell);
  }

  /** Begins a launch: entries for all cells with lava, in the order of the map. The first after an upload sets `ground`. */
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
      if (s.marks[k] & BATCH_EDGE) all.near_ring = 1;
    }
  }

  /** Ends a launch: writes the fields of lava back and frees all entries. @param t of the last step, s; 0: there was none */
  __device__ void leave(real t) {
    const sciara_fields &f = s.d.f;
    const bool late = !BATCH_USES_MOMENTUM && t > 0; // the momentum is computed here
    const real pace = late ? sciara_real_div(rule->cell_size, t) : (real)0;
    for (unsigned k = thread, entries = all.listed; k < entries; k += threads()) {
      const int i = s.cell[k];
      const unsigned to = s.mail[i];
      s.link[i] = 0;
      s.mail[i] = 0;
      s.calm[i] = 0;
      f.h[i] = s.ground[i].h;
      f.T[i] = s.T[k];
      const batch_momentum p =
          late && f.h[i] != 0 ? s.edges.momentum(i, to, t, pace) : batch_momentum{s.px[k], s.py[k]};
      f.px[i] = p.x;
      f.py[i] = p.y;
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
    if (lane == 0) all.entries = all.listed;
  }

  // ----------------------------------------------------------------------------------------------------------- messages

  /** Reports the cell at entry k if its numbers are invalid. */
  __device__ void check(int k, int cell) {
    const batch_ground own = s.ground[cell];
    if (!sciara_is_sound(rule, own.z, own.h, s.T[k], s.px[k], s.py[k])) report(&all.control.bad_before, cell);
  }
};

} // namespace sciara_gpu

#endif
