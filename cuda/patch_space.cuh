// SPDX-License-Identifier: Apache-2.0
// The patches of fused_patches.cuh, and what is exchanged between the kernels of a step.
#ifndef SCIARA_CUDA_PATCH_SPACE_CUH
#define SCIARA_CUDA_PATCH_SPACE_CUH

#include "tile_list.cuh"

namespace sciara_gpu {

struct patch_space : tile_list<32, 8> {
  enum { HALO_WIDTH = WIDTH + 2, HALO_CELLS = HALO_WIDTH * (HEIGHT + 2) };
  enum { WITH_HALO = (HALO_CELLS + 31) / 32 * 32 }; ///< threads, one for each cell of the halo too
  enum { EVALUATING = 4, MOVING = sizeof(real) == sizeof(double) ? 3 : 5, SETTLING = 5 }; ///< blocks per multiprocessor
  // Scratch: [patch][cell].
  uint8_t *sent; ///< of liquid cells: bit i - 1: lava flows to neighbour i
  // For cells with an outflow:
#if SCIARA_SHEET
  real *plug, *conductance, *drain; ///< of their sheet, m, 1/(m s), s
#else
  real *average; ///< of the cell and its receivers above its ground, m
#endif
  sciara_inflow *inflow; ///< the inflow of a cell, in patches that are busy
  uint8_t *busy;         ///< [patch]: whether there is lava in it or next to it

  /** Lays out the scratch. */
  void lay_out_scratch(sciara_arena *arena) {
    around = arena->take<int>((int64_t)capacity * 9);
    sent = arena->take<uint8_t>((int64_t)capacity * CELLS);
#if SCIARA_SHEET
    real **sheets[] = {&plug, &conductance, &drain};
    for (real **array : sheets) *array = arena->take<real>((int64_t)capacity * CELLS);
#else
    average = arena->take<real>((int64_t)capacity * CELLS);
#endif
    inflow = arena->take<sciara_inflow>((int64_t)capacity * CELLS);
    busy = arena->take<uint8_t>(capacity);
  }

  __device__ bool is_idle(const sciara_device &d) const { return is_over(d) || c->left == 0 || !fits(); }

  /**
   * Calls visit(entry, row, column of the patch's first cell in the padded arrays) by all threads of a block together.
   */
  template <class Visit> __device__ void for_each_patch(Visit visit) const {
    const uint32_t *tiles = list[c->now];
    const unsigned end = count();
    for (unsigned p = blockIdx.x; p < end; p += gridDim.x) visit(p, row_of(tiles[p], 0), col_of(tiles[p], 0));
  }
};

__device__ inline bool is_in_arrays(const sciara_device &d, int64_t row, int64_t col) {
  return row >= 0 && row < d.rows + 2 && col >= 0 && col < d.cols + 2;
}

} // namespace sciara_gpu

#endif
