// SPDX-License-Identifier: Apache-2.0
// The host part of an engine with one bounding box.
#ifndef SCIARA_CUDA_BOXED_ENGINE_CUH
#define SCIARA_CUDA_BOXED_ENGINE_CUH

#include "space_boxes.cuh"
#include "step.cuh"

namespace sciara_gpu {

struct boxed_engine {
  sciara_device_engine base;
  boxes *b; ///< on the device
};

inline boxed space_of(const boxed_engine *e) {
  return {e->b, e->base.setup.options.block_width, e->base.setup.options.block_height};
}

inline void boxed_layout(void *engine, sciara_arena *arena) {
  static_cast<boxed_engine *>(engine)->b = arena->take<boxes>(1);
}

inline sciara_status boxed_prepare(void *engine) {
  boxed_engine *e = static_cast<boxed_engine *>(engine);
  const boxes b = one_box(&e->base.hf);
  return sciara_device_put(&e->base, e->b, &b, sizeof b);
}

template <class Exchange> sciara_status boxed_launch(void *engine, cudaStream_t stream) {
  boxed_engine *e = static_cast<boxed_engine *>(engine);
  SCIARA_TRY(processes_of_tiles<Exchange>(&e->base, space_of(e), persistent(&e->base), stream));
  return end_step(&e->base, stream);
}

} // namespace sciara_gpu

#endif
