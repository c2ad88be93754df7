// SPDX-License-Identifier: Apache-2.0
// Rule bingham in a step for much lava (fused_patches.cuh). Empty in sources of another rule.
#ifndef SCIARA_CUDA_PATCHES_BINGHAM_CUH
#define SCIARA_CUDA_PATCHES_BINGHAM_CUH

#include "patch_space.cuh"

#ifdef SCIARA_BINGHAM

namespace sciara_gpu {

/** The top of the lava of cell i's neighbour n above the ground of the cell, `z`. */
__device__ inline real top_in_patch(const sciara_device &d, int64_t i, int n, real z) {
  const int64_t j = i + sciara_moore_offset(n, d.f.stride);
  return sciara_top(n, z, d.f.z[j], d.f.h[j]);
}

/** tau1, time evaluation of a liquid cell: t_opt, s. */
__device__ inline real evaluate_in_patch(const sciara_device &d, const patch_space &space, int64_t i, int64_t there,
                                         bool *bad) {
  const real z = d.f.z[i], h = d.f.h[i];
  real top[SCIARA_MOORE], drop[SCIARA_MOORE];
  top[0] = drop[0] = 0;
  SCIARA_UNROLL
  for (int n = 1; n < SCIARA_MOORE; n++) {
    top[n] = top_in_patch(d, i, n, z);
    drop[n] = h - top[n];
  }
  space.sent[there] = 0;
  sciara_sheet sheet;
  if (!sciara_sheet_moves(&d.rule, h, d.f.T[i], drop, &sheet, bad)) return d.rule.clock_max;
  real average = 0;
  space.sent[there] = (uint8_t)(sciara_minimise((1u << SCIARA_MOORE) - 1, h, top, &average) >> 1);
  space.average[there] = average;
  space.mobility[there] = sheet.mobility;
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
    const real z = d.f.z[i], h = d.f.h[i], of_cell = d.f.T[i];
    const unsigned to = space.sent[there];
    sent[at] = (uint8_t)to;
    T[at] = of_cell;
    real leaving = 0;
    bool bad = false;
    if (to) {
      const real average = space.average[there], mobility = space.mobility[there], inverse = sciara_real_div(1, t);
#pragma unroll 1
      for (unsigned set = to; set; set &= set - 1) {
        const int n = __ffs((int)set);
        const real top = top_in_patch(d, i, n, z);
        const real out =
            sciara_flux(sciara_flux_rate(&d.rule, n, mobility, h - top), sciara_share(average, top), t, &bad);
        thickness[n - 1][at] = out;
        leaving = leaving + out;
        sciara_flux_record(n, out, n < 5 ? d.rule.cell_size : d.rule.diagonal, t, inverse, &rest->px, &rest->py);
      }
    }
    if (bad) atomicMin(&d.control->bad_before, border.in_map(i));
    rest->h = sciara_residual(h, leaving);
    rest->heat = rest->h * of_cell;
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
