// SPDX-License-Identifier: Apache-2.0
// The whole grid in every step: one thread a cell, one kernel per elementary process.
#include "check.h"
#include "device_engine.h"
#include "processes.cuh"

namespace {

/** Every cell of the grid. */
struct whole_grid {
  template <class Visit> __device__ void for_each(const sciara_device &d, Visit visit) const {
    const int64_t row = (int64_t)blockIdx.y * blockDim.y + threadIdx.y;
    const int64_t col = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row < d.rows && col < d.cols) visit((row + 1) * d.f.stride + col + 1);
  }
};

__global__ void temperature_and_solidification(sciara_device d, whole_grid space) {
  if (sciara_gpu::is_over(d) || d.control->bad_before != SCIARA_NO_CELL) return;
  sciara_gpu::settle_all(d, space, [](int64_t) {});
}

__global__ void end_of_step(sciara_device d) {
  if (!sciara_gpu::is_over(d)) sciara_gpu::finish_step(d);
}

enum sciara_status launch(void *engine, cudaStream_t stream) {
  const sciara_device &d = static_cast<sciara_device_engine *>(engine)->device;
  const dim3 block(32, 8);
  const dim3 grid((unsigned)((d.cols + block.x - 1) / block.x), (unsigned)((d.rows + block.y - 1) / block.y));
  const whole_grid space;
  sciara_gpu::vents<<<1, 1, 0, stream>>>(d);
  sciara_gpu::time_evaluation<<<grid, block, 0, stream>>>(d, space);
  sciara_gpu::flow_computing<<<grid, block, 0, stream>>>(d, space);
  sciara_gpu::mass_and_momentum<<<grid, block, 0, stream>>>(d, space);
  temperature_and_solidification<<<grid, block, 0, stream>>>(d, space);
  end_of_step<<<1, 1, 0, stream>>>(d);
  SCIARA_CUDA_TRY(cudaGetLastError());
  return SCIARA_OK;
}

const sciara_device_strategy strategy = {"cuda-naive", sizeof(sciara_device_engine), nullptr, nullptr, launch};

enum sciara_status create(const struct sciara_engine_setup *setup, void **engine) {
  return sciara_device_create(&strategy, setup, engine);
}

} // namespace

extern "C" const struct sciara_engine_ops SCIARA_NAME(sciara_engine_cuda_naive);
const struct sciara_engine_ops SCIARA_NAME(sciara_engine_cuda_naive) = {
    .name = "cuda-naive",
    .summary = "GPU: the whole grid in every step, one kernel per elementary process",
    .capabilities = SCIARA_CAN_DEVICE,
    .determinism = SCIARA_EXACT,
    .create = create,
    .destroy = sciara_device_destroy,
    .upload = sciara_device_upload,
    .download = sciara_device_download,
    .advance = sciara_device_advance,
    .probe = sciara_device_probe,
    .memory = sciara_device_memory,
};
