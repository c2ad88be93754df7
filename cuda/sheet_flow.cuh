// SPDX-License-Identifier: Apache-2.0
// One flow of a cell with rule bingham, computed again from what all flows of the cell have in common.
#ifndef SCIARA_CUDA_SHEET_FLOW_CUH
#define SCIARA_CUDA_SHEET_FLOW_CUH

#include "device_fields.h"

#if SCIARA_SHEET

namespace sciara_gpu {

/** Altitude and thickness of a cell. */
struct sheet_ground {
  real z, h; ///< m
};

/** A flow with the time that it takes not yet known. */
struct sheet_flow {
  real rate, share; ///< m/s, m
};

/**
 * The flow of a cell to neighbour n, which is a survivor.
 *
 * @param around around(i): altitude z and thickness h of neighbour i; around.z(i), around.h(i): one of them
 * @param drain  sciara_drain
 */
template <class Around>
__device__ inline sheet_flow find_flow(const sciara_rule *rule, const Around &around, int n, sheet_ground own,
                                       const sciara_sheet &sheet, real drain) {
  const auto other = around(n);
  const real rise = other.z - own.z;
  real sill = rise;
  if (n > 4)
    sill =
        sciara_sill(n, rise, around.z(sciara_beside_in_column(n)) - own.z, around.z(sciara_beside_in_row(n)) - own.z);
  const real drop = sciara_drop(own.h, rise, other.h);
  const real half_slope = sciara_half_slope(own.h, other.h, around.h(sciara_moore_reverse(n)));
  const real rate = sciara_sheet_rate(rule, &sheet, n, own.h, half_slope, sill, drop);
  return {rate, sciara_flux_most(sciara_flux_level(n, drop), drain, rate)};
}

} // namespace sciara_gpu

#endif

#endif
