// SPDX-License-Identifier: Apache-2.0
// Rule bingham in a step for much lava (fused_patches.cuh). Empty in sources of another rule.
#ifndef SCIARA_CUDA_PATCHES_BINGHAM_CUH
#define SCIARA_CUDA_PATCHES_BINGHAM_CUH

#include "patch_space.cuh"
#include "sheet_flow.cuh"

#if SCIARA_SHEET

namespace sciara_gpu {

/** The neighbours of cell i in the arrays. */
struct patch_around {
  const sciara_device &d;
  int64_t i;
  __device__ real z(int n) const { return d.f.z[i + sciara_moore_offset(n, d.f.stride)]; }
  __device__ real h(int n) const { return d.f.h[i + sciara_moore_offset(n, d.f.stride)]; }
  __device__ sheet_ground operator()(int n) const { return {z(n), h(n)}; }
};

/** tau1, time evaluation of a liquid cell: t_opt, s. */
__device__ inline real evaluate_in_patch(const sciara_device &d, const patch_space &space, int64_t i, int64_t there,
                                         bool *bad) {
  const patch_around around = {d, i};
  const real z = d.f.z[i], h = d.f.h[i];
  real rise[SCIARA_MOORE], hn[SCIARA_MOORE], drop[SCIARA_MOORE], rate[SCIARA_MOORE];
  SCIARA_UNROLL
  for (int n = 1; n < SCIARA_MOORE; n++) {
    const sheet_ground other = around(n);
    rise[n] = other.z - z;
    hn[n] = other.h;
    drop[n] = sciara_drop(h, rise[n], hn[n]);
  }
  space.sent[there] = 0;
  sciara_sheet sheet;
  if (!sciara_sheet_moves(&d.rule, h, d.f.T[i], drop, &sheet)) return d.rule.clock_max;
  const real sum = sciara_sheet_rates(&d.rule, &sheet, h, rise, hn, drop, rate);
  if (!sciara_is_finite(sum)) *bad = true;
  space.sent[there] = (uint8_t)(sciara_survivors_of(rate) >> 1);
  space.plug[there] = sheet.plug;
  space.conductance[there] = sheet.conductance;
  space.drain[there] = sciara_drain(h, sum);
  return sheet.time;
}

/**
 * Outflows of the cells of a patch and around it; cell (row, col) of the patch is at (row + 1) HALO_WIDTH + col + 1.
 */
struct patch_flows {
  real thickness[SCIARA_MOORE - 1][patch_space::HALO_CELLS]; ///< m
  real T[patch_space::HALO_CELLS];                           ///< K
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
    const sheet_ground own = {d.f.z[i], d.f.h[i]};
    const real of_cell = d.f.T[i];
    const unsigned to = space.sent[there];
    sent[at] = (uint8_t)to;
    T[at] = of_cell;
    real leaving = 0;
    bool bad = false;
    if (to) {
      const patch_around around = {d, i};
      const sciara_sheet sheet = {space.plug[there], space.conductance[there], 0};
      const real drain = space.drain[there], pace = sciara_flux_pace(d.rule.cell_size, t);
#pragma unroll 1
      for (unsigned set = to; set; set &= set - 1) {
        const int n = __ffs((int)set);
        const sheet_flow flow = find_flow(&d.rule, around, n, own, sheet, drain);
        const real out = sciara_flux(flow.rate, flow.share, t, &bad);
        thickness[n - 1][at] = out;
        leaving = leaving + out;
        sciara_flux_add(n, out, &rest->px, &rest->py);
      }
      rest->px = rest->px * pace;
      rest->py = rest->py * pace;
    }
    if (bad) atomicMin(&d.control->bad_before, border.in_map(i));
    rest->h = sciara_residual(own.h, leaving);
    rest->heat = sciara_heat(rest->h, of_cell);
    return true;
  }

  /** tau2: adds the inflows of the cell at `row`, `col` of the patch. */
  __device__ void receive(int row, int col, sciara_inflow *inflow) const {
    SCIARA_UNROLL
    for (int n = 1; n < SCIARA_MOORE; n++) {
      const int at = (row + 1 + sciara_moore_row(n)) * patch_space::HALO_WIDTH + col + 1 + sciara_moore_col(n);
      const int back = sciara_moore_reverse(n) - 1;
      if (sent[at] >> back & 1u) sciara_inflow_add(inflow, n, {thickness[back][at]}, T[at]);
    }
  }
};

} // namespace sciara_gpu

#endif

#endif
