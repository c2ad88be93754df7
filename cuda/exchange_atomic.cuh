// SPDX-License-Identifier: Apache-2.0
// Exchange with atomics: a donor adds its residual and its outflows to sums of the receivers. The order of the threads
// is arbitrary. It needs only one pass, but results differ from run to run in the last bits.
#ifndef SCIARA_CUDA_EXCHANGE_ATOMIC_CUH
#define SCIARA_CUDA_EXCHANGE_ATOMIC_CUH

#include "processes.cuh"

namespace sciara_gpu {

struct scatter {
  static constexpr bool in_one_pass = true; // tau2 is part of flow computing

  __device__ static void add(const sciara_device &d, int64_t i, const sciara_inflow &inflow) {
    atomicAdd(&d.sums.h[i], inflow.h);
    atomicAdd(&d.sums.px[i], inflow.px);
    atomicAdd(&d.sums.py[i], inflow.py);
    atomicAdd(&d.sums.heat[i], inflow.heat);
  }

  __device__ static void send(const sciara_device &d, int64_t i, const sciara_inflow &rest, const sciara_outflows &out,
                              unsigned) {
    const real T = d.f.T[i];
    add(d, i, rest);
    SCIARA_UNROLL
    for (int n = 1; n < SCIARA_MOORE; n++) {
      if (out.to[n].thickness == 0) continue;
      sciara_inflow inflow = {0, 0, 0, 0};
      sciara_inflow_add(&inflow, sciara_moore_reverse(n), out.to[n], T); // as the receiver sees it
      add(d, i + sciara_moore_offset(n, d.f.stride), inflow);
    }
  }

  /** Reads the sums of cell i and sets them to 0 for the next step. */
  __device__ static bool take(const sciara_device &d, int64_t i, unsigned, sciara_inflow *inflow) {
    *inflow = {d.sums.h[i], d.sums.px[i], d.sums.py[i], d.sums.heat[i]};
    if (inflow->h == 0 && d.f.h[i] == 0) return false;
    d.sums.h[i] = 0;
    d.sums.px[i] = 0;
    d.sums.py[i] = 0;
    d.sums.heat[i] = 0;
    return true;
  }
};

} // namespace sciara_gpu

#endif
