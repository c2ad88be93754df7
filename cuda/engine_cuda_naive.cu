// SPDX-License-Identifier: Apache-2.0
// The whole grid in every step: one thread per cell, one kernel per elementary process.
#include "step.cuh"

namespace {

using namespace sciara_gpu;

/** Every cell of the grid; one block per tile. */
struct whole_grid {
  template <class Visit> __device__ void for_each_tile(const sciara_device &d, Visit visit) const {
    const int64_t across = (d.cols + blockDim.x - 1) / blockDim.x;
    visit((int64_t)blockIdx.x / across * blockDim.y, (int64_t)blockIdx.x % across * blockDim.x);
  }

  template <class Visit> __device__ void for_each(const sciara_device &d, Visit visit) const {
    for_each_tile(d, [&](int64_t row, int64_t col) {
      const int64_t r = row + threadIdx.y, c = col + threadIdx.x;
      if (r < d.rows && c < d.cols) visit((r + 1) * d.f.stride + c + 1);
    });
  }

  unsigned long long threads; ///< threads of all blocks
  __device__ unsigned long long launched(const sciara_device &) const { return threads; }
  __device__ void begin(const sciara_device &) const {}

  struct notes {
    __device__ void add(const sciara_device &, const whole_grid &, int64_t) {}
    __device__ void flush(const whole_grid &) {}
  };
};

enum sciara_status launch(void *engine, cudaStream_t stream) {
  sciara_device_engine *e = static_cast<sciara_device_engine *>(engine);
  const shape how = one_block_a_tile(e);
  const whole_grid space = {(unsigned long long)how.blocks * how.block.x * how.block.y};
  SCIARA_TRY(processes_of_tiles<gather>(e, space, how, stream));
  return end_step(e, stream);
}

const sciara_device_strategy strategy = {.name = "cuda-naive",
                                         .size = sizeof(sciara_device_engine),
                                         .exchange = SCIARA_GATHER,
                                         .block_width = 32,
                                         .block_height = 8,
                                         .layout = nullptr,
                                         .prepare = nullptr,
                                         .before = nullptr,
                                         .launch = launch};

} // namespace

SCIARA_DEVICE_ENGINE(cuda_naive, "cuda-naive", "GPU: the whole grid in every step, one kernel per elementary process",
                     "memory", SCIARA_GATHER_CLASS);
