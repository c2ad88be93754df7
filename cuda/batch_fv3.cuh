// SPDX-License-Identifier: Apache-2.0
// The pieces of engine cuda-batch for rule fv3; see batch_ground.cuh.
#ifndef SCIARA_CUDA_BATCH_FV3_CUH
#define SCIARA_CUDA_BATCH_FV3_CUH

#include "batch_ground.cuh"
#include "model/quiescent.h"
#include "model/shortcut.h"

namespace sciara_gpu {

constexpr bool BATCH_HAS_FLOW_PASS = true, BATCH_USES_MOMENTUM = true;

/** The flows of a donor in this step: `number` from `first` on, in the order of the neighbours. */
struct alignas(8) batch_flows {
  unsigned first, number;
  static __device__ batch_flows of(unsigned first, unsigned survivors) { return {first, (unsigned)__popc(survivors)}; }
  __device__ unsigned count() const { return number; }
};

/** Velocity of the lava of a cell: to the east and to the north. */
struct batch_velocity {
  real x, y; ///< m/s
};

/** sciara_velocity of both components of a momentum. Momentum that fades away is tiny in most cells. */
__device__ inline batch_velocity batch_velocity_of(real px, real py, real h) {
  const real inverse = sciara_real_div(1, h);
  const int usual = sciara_is_usual_divisor(h);
  return {sciara_real_div_tiny(px, h, inverse, usual), sciara_real_div_tiny(py, h, inverse, usual)};
}

/** What the flows of a cell have in common. */
struct batch_source {
  batch_velocity v;
  real T, average;
  real keep; ///< k = 1 - dP(T)

  static __device__ batch_source none(const sciara_rule *, const batch_subject &c) {
    return {batch_velocity_of(c.px, c.py, c.own.h), c.T, 0, 0};
  }

  /** The time that the cell allows, apart from that of each flow, s. */
  __device__ real time(const sciara_rule *rule) const { return rule->clock_max; }

  /** What is needed only if a cell of the warp has flows. */
  __device__ void complete(const sciara_rule *rule) { keep = 1 - sciara_dissipation(rule, T); }

  /** That of another lane; all lanes together. */
  __device__ batch_source of_lane(int owner) const {
    const real T_from = __shfl_sync(~0u, T, owner), keeps = __shfl_sync(~0u, keep, owner);
    const real vx_from = __shfl_sync(~0u, v.x, owner), vy_from = __shfl_sync(~0u, v.y, owner);
    return {{vx_from, vy_from}, T_from, __shfl_sync(~0u, average, owner), keeps};
  }
};

/** Arrays by flow. The speed vf takes the place of v0, the outflow that of `share`. */
struct batch_edges {
  real *v0, *accel, *path, *share, *keep, *from_T;
  bool keeps_momentum; ///< k = 1 - dP(T) is surely positive

  unsigned *way;      ///< [8 * cell + n - 1]: the number of the flow that a cell receives from neighbour n
  batch_flows *flows; ///< by entry

  void lay_out(sciara_arena *arena, int64_t cells) {
    const int64_t count = cells * BATCH_DIRECTIONS;
    way = arena->take<unsigned>(count);
    flows = arena->take<batch_flows>(cells);
    real **arrays[] = {&v0, &accel, &path, &share, &keep, &from_T};
    for (real **array : arrays) *array = arena->take<real>(count);
  }

  void prepare(const sciara_params *p) { keeps_momentum = p->dP_sol < 0.999 && p->dP_vent < 0.999; }

  /** tau1.7 of flow `number` to neighbour n. Returns its time, s. */
  __device__ real make(const sciara_rule *rule, unsigned number, int n, batch_ground own, const batch_around &around,
                       const batch_source &from, bool *bad) const {
    const batch_ground other = around(n);
    const real top = sciara_top(n, own.z, other.z, other.h);
    sciara_slope slope = {sciara_initial_speed(n, from.v.x, from.v.y), 0, 0};
    sciara_slope_open(rule, own.h, 0, top, &slope); // it is open: only `slope` is needed
    const real t = sciara_slope_time(rule, &slope, from.keep, bad);
    v0[number] = slope.v0;
    accel[number] = slope.accel;
    path[number] = slope.path;
    share[number] = sciara_share(from.average, top);
    keep[number] = from.keep;
    from_T[number] = from.T;
    way[(int64_t)around.at(n) * BATCH_DIRECTIONS + sciara_moore_reverse(n) - 1] = number;
    return t;
  }

  /** Nothing flows from the cell at entry k. */
  __device__ void clear(unsigned k) const { flows[k] = {0, 0}; }

  /** Flow computing of flow e. */
  __device__ void flow(unsigned e, real t, bool *bad) const {
    const sciara_slope slope = {v0[e], accel[e], path[e]};
    const sciara_outflow out = sciara_slope_flow(&slope, share[e], keep[e], t, bad);
    v0[e] = out.speed;
    share[e] = out.thickness;
  }

  /** Adds what a cell receives from the neighbours of the set `mail`. */
  __device__ void gather(int cell, unsigned mail, int64_t, real, sciara_inflow *inflow, bool *) const {
    for (; mail; mail &= mail - 1) {
      const int n = __ffs((int)mail);
      const unsigned e = way[(int64_t)cell * BATCH_DIRECTIONS + n - 1];
      sciara_inflow_add(inflow, n, {share[e], v0[e]}, from_T[e]);
    }
  }

  /** The start of tau2 for a cell at entry k with lava of thickness h. @param moves 0: it is quiescent */
  __device__ sciara_inflow stays(const sciara_rule *rule, int k, int, unsigned moves, real h, real T, real px, real py,
                                 real, bool *) const {
    real leaving = 0;
    const batch_flows out = moves ? flows[k] : batch_flows{0, 0};
    for (unsigned n = 0; n < out.number; n++) leaving = leaving + share[out.first + n];
    const real keep_of = px == 0 && py == 0 && keeps_momentum ? (real)1 : 1 - sciara_dissipation(rule, T);
    const real h0 = sciara_residual(h, leaving);
    sciara_inflow inflow = sciara_inflow_residual(h0, 0, 0, keep_of, T);
    const batch_velocity v = batch_velocity_of(px, py, h);
    inflow.px = (h0 * v.x) * keep_of;
    inflow.py = (h0 * v.y) * keep_of;
    return inflow;
  }

  /** Not called: `stays` begins the sum of the momentum. */
  __device__ batch_momentum momentum(int, unsigned, real, real) const { return {0, 0}; }
};

/** Which directions of a cell are open, and the tops of the neighbours. */
__device__ inline unsigned batch_open_directions(const sciara_rule *rule, const batch_around &around, batch_ground own,
                                                 real hc, const sciara_start &start, real top[SCIARA_MOORE]) {
  const real head_on_axis = sciara_head(rule, start.speed_on_axis);
  const real head_on_diagonal = sciara_head(rule, start.speed_on_diagonal);
  unsigned set = SCIARA_SELF, doubts = 0;
  top[0] = 0;
  SCIARA_UNROLL
  for (int n = 1; n < SCIARA_MOORE; n++) {
    const batch_ground other = around(n);
    const real head = n == start.axis ? head_on_axis : n == start.diagonal ? head_on_diagonal : (real)0;
    top[n] = sciara_top(n, own.z, other.z, other.h);
    const sciara_shortcut answer = sciara_shortcut_open(rule, own.h, hc, top[n], head);
    set |= answer.open ? 1u << n : 0u;
    doubts |= answer.doubt ? 1u << n : 0u;
  }
  for (; doubts; doubts &= doubts - 1) { // rare: not unrolled
    const int n = __ffs((int)doubts) - 1;
    const batch_ground other = around(n);
    const real head = n == start.axis ? head_on_axis : n == start.diagonal ? head_on_diagonal : (real)0;
    sciara_slope slope = {0, 0, 0};
    const bool open = sciara_slope_open_with(rule, own.h, hc, sciara_top(n, own.z, other.z, other.h), head, &slope);
    set = open ? set | 1u << n : set & ~(1u << n);
  }
  return set;
}

/** Whether a cell is surely quiescent. */
__device__ inline bool batch_is_quiet(const sciara_rule *rule, const batch_around &around, batch_ground own, real hc,
                                      batch_velocity v) {
  const real head = sciara_quiescent_head(rule, v.x, v.y);
  const real limit = sciara_quiescent_limit(rule, own.h, hc, head);
  bool quiet = own.h > 0 && limit > 0;
  SCIARA_UNROLL
  for (int n = 1; n < SCIARA_MOORE; n++) {
    const batch_ground other = around(n);
    quiet &= sciara_quiescent_below(rule, own.h, sciara_top(n, own.z, other.z, other.h), head, limit);
  }
  return quiet;
}

/** tau1.1-6 of a cell, as far as necessary; `source`: from batch_source::none. */
__device__ inline batch_choice batch_choose(const sciara_rule *rule, const batch_around &around, const batch_subject &c,
                                            batch_source *source) {
  const real hc = sciara_critical_height(rule, c.T);
  if (batch_is_quiet(rule, around, c.own, hc, source->v)) return {true, false, 0};
  real top[SCIARA_MOORE];
  const unsigned set = batch_open_directions(rule, around, c.own, hc, sciara_start_of(source->v.x, source->v.y), top);
  if (set == SCIARA_SELF) return {false, false, 0};
  return {false, false, sciara_minimise(set, c.own.h, top, &source->average) & ~(unsigned)SCIARA_SELF};
}

} // namespace sciara_gpu

#endif
