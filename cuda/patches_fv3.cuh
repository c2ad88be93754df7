// SPDX-License-Identifier: Apache-2.0
// Rule fv3 in a step for much lava (fused_patches.cuh). Empty in sources of another rule.
#ifndef SCIARA_CUDA_PATCHES_FV3_CUH
#define SCIARA_CUDA_PATCHES_FV3_CUH

#include "model/shortcut.h"
#include "patch_space.cuh"

#if !SCIARA_SHEET

namespace sciara_gpu {

/** The values of a liquid cell that are needed to compute its flows. */
struct patch_donor {
  const sciara_device &d;
  int64_t i;
  real z, h, keep, vx, vy;
  sciara_start start;
  real head_on_axis, head_on_diagonal; ///< m

  __device__ patch_donor(const sciara_device &d_, int64_t i_, real T)
      : d(d_), i(i_), z(d_.f.z[i_]), h(d_.f.h[i_]), keep(1 - sciara_dissipation(&d_.rule, T)),
        vx(sciara_real_div(d_.f.px[i_], h)), vy(sciara_real_div(d_.f.py[i_], h)), start(sciara_start_of(vx, vy)),
        head_on_axis(sciara_head(&d_.rule, start.speed_on_axis)),
        head_on_diagonal(sciara_head(&d_.rule, start.speed_on_diagonal)) {}

  __device__ real top(int n) const {
    const int64_t j = i + sciara_moore_offset(n, d.f.stride);
    return sciara_top(n, z, d.f.z[j], d.f.h[j]);
  }

  /** Kinetic head towards neighbour n, m. */
  __device__ real head(int n) const {
    return n == start.axis ? head_on_axis : n == start.diagonal ? head_on_diagonal : (real)0;
  }

  /** Computes the slope to neighbour n; returns whether lava may flow there. hc: critical height, m. */
  __device__ bool find_slope(int n, real hc, real top, sciara_slope *slope) const {
    const bool axis = n == start.axis, diagonal = n == start.diagonal;
    slope->v0 = axis ? start.speed_on_axis : diagonal ? start.speed_on_diagonal : (real)0;
    return sciara_slope_open_with(&d.rule, h, hc, top, head(n), slope);
  }
};

/** tau1, time evaluation of a liquid cell: t_opt, s. One block per patch. */
__device__ inline real evaluate_in_patch(const sciara_device &d, const patch_space &space, int64_t i, int64_t there,
                                         bool *bad) {
  __shared__ real buffer[SCIARA_MOORE * patch_space::CELLS];
  real *tops = buffer + threadIdx.x; // neighbour n at index CELLS n
  const real T = d.f.T[i], hc = sciara_critical_height(&d.rule, T);
  const patch_donor donor(d, i, T);
  sciara_slope slope;
  unsigned set = 0, doubts = 0;
#pragma unroll 2
  for (int n = 1; n < SCIARA_MOORE; n++) {
    const real top = donor.top(n);
    const sciara_shortcut answer = sciara_shortcut_open(&d.rule, donor.h, hc, top, donor.head(n));
    set |= answer.open ? 1u << n : 0u;
    doubts |= answer.doubt ? 1u << n : 0u;
    tops[n * patch_space::CELLS] = top;
  }
#pragma unroll 1
  for (; doubts; doubts &= doubts - 1) { // rare
    const int n = __ffs((int)doubts) - 1;
    const bool open = donor.find_slope(n, hc, tops[n * patch_space::CELLS], &slope);
    set = open ? set | 1u << n : set & ~(1u << n);
  }
  real top[SCIARA_MOORE], average = 0;
  top[0] = 0;
  SCIARA_UNROLL
  for (int n = 1; n < SCIARA_MOORE; n++) top[n] = tops[n * patch_space::CELLS];
  unsigned survivors = set ? sciara_minimise(set | SCIARA_SELF, donor.h, top, &average) & ~(unsigned)SCIARA_SELF : 0;
  space.sent[there] = (uint8_t)(survivors >> 1);
  if (survivors) space.average[there] = average;
  real t_opt = d.rule.clock_max;
#pragma unroll 1
  for (; survivors; survivors &= survivors - 1) {
    const int n = __ffs((int)survivors) - 1;
    donor.find_slope(n, hc, tops[n * patch_space::CELLS], &slope);
    const real t = sciara_slope_time(&d.rule, &slope, donor.keep, bad);
    if (t < t_opt) t_opt = t;
  }
  return t_opt;
}

/**
 * Outflows of the cells of a patch and around it; cell (row, col) of the patch is at (row + 1) HALO_WIDTH + col + 1.
 */
struct patch_flows {
  real thickness[SCIARA_MOORE - 1][patch_space::HALO_CELLS],
      speed[SCIARA_MOORE - 1][patch_space::HALO_CELLS]; ///< m, m/s
  real T[patch_space::HALO_CELLS];                      ///< K
  uint8_t sent[patch_space::HALO_CELLS];

  /**
   * Flow computing of the cell at `row`, `col` of the patch or at most one outside it. `rest`: set to its residual, all
   * 0 for a dry cell. Returns whether the cell is liquid.
   */
  template <class Border>
  __device__ bool send(const sciara_device &d, const patch_space &space, const Border &border, unsigned p, int64_t row0,
                       int64_t col0, int row, int col, real t, sciara_inflow *rest) {
    const int at = (row + 1) * patch_space::HALO_WIDTH + col + 1;
    const int64_t there = scratch_at<patch_space>(space.around + (int64_t)p * 9, row, col);
    const int64_t i = (row0 + row) * d.f.stride + col0 + col;
    *rest = {0, 0, 0, 0};
    sent[at] = 0;
    if (there < 0 || !is_in_arrays(d, row0 + row, col0 + col) || !border.flows(d, i) || d.f.h[i] == 0) return false;
    const real of_cell = d.f.T[i], average = space.average[there];
    const patch_donor donor(d, i, of_cell);
    const unsigned to = space.sent[there];
    sent[at] = (uint8_t)to;
    T[at] = of_cell;
    real leaving = 0;
    bool bad = false;
#pragma unroll 1
    for (unsigned set = to; set; set &= set - 1) {
      const int n = __ffs((int)set);
      sciara_slope slope;
      const real top = donor.top(n);
      donor.find_slope(n, 0, top, &slope); // it is open
      const sciara_outflow out = sciara_slope_flow(&slope, sciara_share(average, top), donor.keep, t, &bad);
      thickness[n - 1][at] = out.thickness;
      speed[n - 1][at] = out.speed;
      leaving = leaving + out.thickness;
    }
    if (bad) atomicMin(&d.control->bad_before, border.in_map(i));
    *rest = sciara_inflow_residual(sciara_residual(donor.h, leaving), donor.vx, donor.vy, donor.keep, of_cell);
    return true;
  }

  /** tau2: adds the inflows of the cell at `row`, `col` of the patch. */
  __device__ void receive(int row, int col, sciara_inflow *inflow) const {
    SCIARA_UNROLL
    for (int n = 1; n < SCIARA_MOORE; n++) {
      const int at = (row + 1 + sciara_moore_row(n)) * patch_space::HALO_WIDTH + col + 1 + sciara_moore_col(n);
      const int back = sciara_moore_reverse(n) - 1;
      if (sent[at] >> back & 1u) sciara_inflow_add(inflow, n, {thickness[back][at], speed[back][at]}, T[at]);
    }
  }
};

} // namespace sciara_gpu

#endif

#endif
