// SPDX-License-Identifier: Apache-2.0
// The phases of a step of an engine with one bounding box: the kernels, each on the rows that it computes.
//
// In a band with a halo, flows are also computed for the halo rows next to the own rows, so that own cells receive
// them; everything else is computed in the own rows only. The halo keeps the values of `unpack`: only vents write to
// it. The box also covers the lava of the halo.
#ifndef SCIARA_CUDA_BOXED_PHASES_CUH
#define SCIARA_CUDA_BOXED_PHASES_CUH

#include "boxed_engine.cuh"

namespace sciara_gpu {

/**
 * The cells of the box that lie in some rows. There is no for_each_tile: tiles in shared memory would include other
 * rows.
 */
struct boxed_rows : boxed {
  sciara_cells rows;

  template <class Visit> __device__ void for_each(const sciara_device &d, Visit visit) const {
    boxed::for_each(d, [&](int64_t i) {
      if (sciara_cells_have(rows, i)) visit(i);
    });
  }
};

inline boxed_rows own_rows(const boxed_engine *e) { return {space_of(e), e->base.device.band.own}; }

/** The own rows and the adjacent halo rows. */
inline boxed_rows donor_rows(const boxed_engine *e) {
  const sciara_band &band = e->base.device.band;
  return {space_of(e), {band.adjacent[0].begin, band.adjacent[1].end}};
}

enum { THREADS_OF_COVER = 128 };

/** Extends the box of the next step to the lava in row `row` of the halo: one thread per column, in whole warps. */
static __global__ void cover_row(sciara_device d, boxed space, int64_t row) {
  const int64_t col = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, i = (row + 1) * d.f.stride + col + 1;
  boxed::notes notes;
  if (col < d.cols && d.f.h[i] != 0) notes.add(d, space, i);
  notes.flush(space);
}

inline sciara_status launch_evaluate(void *engine) {
  boxed_engine *e = static_cast<boxed_engine *>(engine);
  const sciara_device &d = e->base.device;
  const shape how = persistent(&e->base);
  const boxed_rows space = own_rows(e);
  vents<<<1, THREADS_OF_VENTS, 0, e->base.stream>>>(d, space);
  time_evaluation<false><<<how.blocks, how.block, 0, e->base.stream>>>(d, space);
  return SCIARA_OK;
}

template <class Exchange> sciara_status launch_move(void *engine) {
  boxed_engine *e = static_cast<boxed_engine *>(engine);
  const sciara_device &d = e->base.device;
  const shape how = persistent(&e->base);
  flow_computing<false, Exchange><<<how.blocks, how.block, 0, e->base.stream>>>(d, donor_rows(e));
  mass_and_momentum<false><<<how.blocks, how.block, 0, e->base.stream>>>(d, own_rows(e));
  temperature_and_solidification<Exchange><<<how.blocks, how.block, 0, e->base.stream>>>(d, own_rows(e));
  return end_step(&e->base, e->base.stream);
}

inline sciara_status boxed_evaluate(void *engine, double thickness, double *t_opt) {
  return sciara_device_evaluate(engine, launch_evaluate, thickness, t_opt);
}

template <class Exchange> sciara_status boxed_move(void *engine, double t_opt, sciara_engine_progress *progress) {
  return sciara_device_move(engine, launch_move<Exchange>, t_opt, progress);
}

inline sciara_status boxed_unpack(void *engine, int64_t row, int64_t count, const void *buffer) {
  boxed_engine *e = static_cast<boxed_engine *>(engine);
  SCIARA_TRY(sciara_device_unpack(engine, row, count, buffer));
  SCIARA_WITH_DEVICE(e->base.setup.device);
  const unsigned blocks = (unsigned)((e->base.device.cols + THREADS_OF_COVER - 1) / THREADS_OF_COVER);
  for (int64_t r = row; r < row + count; r++)
    cover_row<<<blocks, THREADS_OF_COVER, 0, e->base.stream>>>(e->base.device, space_of(e), r);
  SCIARA_CUDA_TRY(cudaGetLastError());
  return SCIARA_OK;
}

} // namespace sciara_gpu

#endif
