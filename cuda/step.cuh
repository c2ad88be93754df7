// SPDX-License-Identifier: Apache-2.0
// The order of the kernels of a step, for any space, exchange and memory path.
#ifndef SCIARA_CUDA_STEP_CUH
#define SCIARA_CUDA_STEP_CUH

#include "cuda_check.h"
#include "device_engine.h"
#include "exchange_atomic.cuh"
#include "exchange_gather.cuh"
#include "processes.cuh"

namespace sciara_gpu {

/** The launch configuration of the kernels of a space. */
struct shape {
  unsigned blocks;
  dim3 block;

  /** Bytes of a tile with its halo, for two arrays of it. */
  size_t tile_bytes() const { return (size_t)(block.x + 2) * (block.y + 2) * 2 * sizeof(real); }
};

/** As many blocks as the device can run at the same time; the work is divided among them. */
inline shape persistent(const sciara_device_engine *e) {
  const sciara_engine_options &o = e->setup.options;
  const int threads = o.block_width * o.block_height, per_multiprocessor = threads < 1024 ? 1024 / threads : 1;
  return {(unsigned)(e->multiprocessors * per_multiprocessor), dim3((unsigned)o.block_width, (unsigned)o.block_height)};
}

/** One block per tile of the grid. */
inline shape one_block_a_tile(const sciara_device_engine *e) {
  const sciara_engine_options &o = e->setup.options;
  const int64_t across = (e->device.cols + o.block_width - 1) / o.block_width;
  const int64_t down = (e->device.rows + o.block_height - 1) / o.block_height;
  return {(unsigned)(across * down), dim3((unsigned)o.block_width, (unsigned)o.block_height)};
}

/** The kernels from emission to temperature; kernels of the engine and end_step follow. */
template <bool shared, class Exchange, class Space>
sciara_status elementary_processes(sciara_device_engine *e, const Space &space, const shape &how, cudaStream_t stream) {
  const sciara_device &d = e->device;
  const size_t bytes = shared ? how.tile_bytes() : 0;
  vents<<<1, THREADS_OF_VENTS, 0, stream>>>(d, space);
  SCIARA_TRY(sciara_device_mark(e, SCIARA_PROCESS_VENTS, stream));
  time_evaluation<shared><<<how.blocks, how.block, bytes, stream>>>(d, space);
  SCIARA_TRY(sciara_device_mark(e, SCIARA_PROCESS_TIME_EVALUATION, stream));
  flow_computing<shared, Exchange><<<how.blocks, how.block, bytes, stream>>>(d, space);
  SCIARA_TRY(sciara_device_mark(e, SCIARA_PROCESS_FLOWS, stream));
  if constexpr (!Exchange::in_one_pass) mass_and_momentum<shared><<<how.blocks, how.block, bytes, stream>>>(d, space);
  SCIARA_TRY(sciara_device_mark(e, SCIARA_PROCESS_MASS_AND_MOMENTUM, stream));
  temperature_and_solidification<Exchange><<<how.blocks, how.block, 0, stream>>>(d, space);
  return sciara_device_mark(e, SCIARA_PROCESS_TEMPERATURE, stream);
}

/** The processes with the memory path of the options. */
template <class Exchange, class Space>
sciara_status processes_of_tiles(sciara_device_engine *e, const Space &space, const shape &how, cudaStream_t stream) {
  if (e->setup.options.memory == SCIARA_MEMORY_SHARED)
    return elementary_processes<true, Exchange>(e, space, how, stream);
  return elementary_processes<false, Exchange>(e, space, how, stream);
}

/** Ends the step and checks for errors of the launches. */
inline sciara_status end_step(sciara_device_engine *e, cudaStream_t stream) {
  end_of_step<<<1, 1, 0, stream>>>(e->device);
  SCIARA_CUDA_TRY(cudaGetLastError());
  return sciara_device_mark(e, SCIARA_PROCESS_OTHER, stream);
}

} // namespace sciara_gpu

#endif
