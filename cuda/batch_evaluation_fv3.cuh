// SPDX-License-Identifier: Apache-2.0
// Time evaluation of engine cuda-batch with rule fv3. Directions are closed with the shortcut; what remains to be done for
// each flow is divided evenly among the lanes, because few cells have more than one flow.
#ifndef SCIARA_CUDA_BATCH_EVALUATION_FV3_CUH
#define SCIARA_CUDA_BATCH_EVALUATION_FV3_CUH

#include "batch_thread.cuh"

namespace sciara_gpu {

template <unsigned BLOCKS> struct batch_evaluation : batch_thread<BLOCKS> {
  typedef batch_thread<BLOCKS> base;
  using base::all, base::s, base::rule, base::lane, base::thread, base::check, base::offset, base::report,
      base::threads;

  using base::base;

  __device__ void guess_clock(real) {}
  __device__ bool is_longer(real) const { return false; }

  /** Informs a cell that lava comes from its neighbour `from`; a dry cell takes an entry. */
  __device__ void announce(int cell, int from) {
    const int shift = cell % 4 * 8; // of its byte in a word
    const unsigned before = atomicOr(reinterpret_cast<unsigned *>(s.mail) + cell / 4, 1u << (from - 1) << shift);
    const bool is_first = (before >> shift & 0xff) == 0;
    if (is_first && !s.link[cell]) take_place(atomicAdd(&all.listed, 1u), cell, 0, 0, 0);
  }

  /** The neighbours from which lava comes in this step, bit n - 1. */
  __device__ unsigned donors(int cell) const { return s.mail[cell]; }

  /** Donors have been read. */
  __device__ void forget_donors(int cell) const { s.mail[cell] = 0; }

  /** What `stays` is told of the flows of a cell. */
  __device__ unsigned moves(int, bool calm) const { return !calm; }

  /** A dry cell has an entry. */
  __device__ void forget_flows(int) const {}

  /** tau1.7 of flow `number`, from a cell in direction n. */
  __device__ real make_flow(unsigned number, int n, int cell, batch_ground own, const batch_source &source) {
    bool bad = false;
    const real t = s.edges.make(rule, number, n, own, {s.ground, cell, s.d.f.stride}, source, &bad);
    if (bad) report(&all.control.bad_before, cell);
    announce(cell + offset(n), sciara_moore_reverse(n));
    return t;
  }

  /** The n-th bit of a set, counted from 0. */
  static __device__ int bit_of(unsigned set, unsigned n) {
    for (; n > 0; n--) set &= set - 1;
    return __ffs((int)set) - 1;
  }

  /**
   * Time evaluation of the cells at the entries `k` of the lanes; all lanes call it, those that are not `on` for nothing.
   * Returns the time that the cell allows, s.
   */
  __device__ real evaluate_cells(int k, int cell, bool on, bool checks) {
    const batch_subject subject = {s.ground[cell], s.T[k], s.px[k], s.py[k]};
    if (on && checks) check(k, cell);
    batch_source source = batch_source::none(rule, subject);
    batch_choice choice = {false, false, 0};
    if (on) choice = batch_choose(rule, {s.ground, cell, s.d.f.stride}, subject, &source);
    if (choice.quiet) s.calm[cell] = 1;
    return make_flows(k, on, cell, subject.own, source, choice.survivors);
  }

  /** Makes the flows of the lanes' cells to `survivors`, divided evenly among the lanes. Returns the smallest t_opt. */
  __device__ real make_flows(int k, bool on, int cell, batch_ground own, batch_source source, unsigned survivors) {
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
    if (on) s.edges.flows[k] = batch_flows::of(base + end - count, survivors);
    real t_opt = source.time(rule);
    if (!total) return t_opt;
    source.complete(rule);
    for (unsigned first = 0; first < total; first += 32) {
      const unsigned e = first + lane;
      int owner = 0; // the first lane whose flows end after e
      for (int half = 16; half > 0; half >>= 1)
        if (__shfl_sync(~0u, end, owner + half - 1) <= e) owner += half;
      const unsigned set = __shfl_sync(~0u, survivors, owner);
      const unsigned rank = e - (__shfl_sync(~0u, end, owner) - __shfl_sync(~0u, count, owner));
      const batch_ground ground = {__shfl_sync(~0u, own.z, owner), __shfl_sync(~0u, own.h, owner)};
      const int from = __shfl_sync(~0u, cell, owner);
      const batch_source shared = source.of_lane(owner);
      if (e >= total) continue; // only in the last round
      const real t = make_flow(base + e, bit_of(set, rank), from, ground, shared);
      if (t < t_opt) t_opt = t;
    }
    return t_opt;
  }

  // -------------------------------------------------------------------------------------------- tau1, flow computing

  /** Reports the donor of a flow that is not a number. */
  __device__ void report_flow(unsigned number) {
    for (unsigned k = 0; k < all.listed; k++)
      if (number - s.edges.flows[k].first < s.edges.flows[k].number && s.ground[s.cell[k]].h != 0)
        report(&all.control.bad_before, s.cell[k]);
  }

  __device__ void flow(real t) {
    const unsigned count = all.flows;
    for (unsigned e = thread; e < count; e += threads()) {
      bool bad = false;
      s.edges.flow(e, t, &bad);
      if (bad) report_flow(e);
    }
  }
};

} // namespace sciara_gpu

#endif
