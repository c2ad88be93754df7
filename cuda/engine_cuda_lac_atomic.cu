// SPDX-License-Identifier: Apache-2.0
// A list of the active cells in the order of their activation, with option sort_every sorted at intervals; outflows are
// added with atomics.
#include "listed_engine.cuh"

static enum sciara_status launch(void *engine, cudaStream_t stream) {
  sciara_gpu::listed_engine *e = static_cast<sciara_gpu::listed_engine *>(engine);
  return sciara_gpu::listed_step<sciara_gpu::scatter>(e, e->base.setup.options.sort_every, stream);
}

static const sciara_device_strategy strategy = {.name = "cuda-lac-atomic",
                                                .size = sizeof(sciara_gpu::listed_engine),
                                                .exchange = SCIARA_SCATTER,
                                                .block_width = 32,
                                                .block_height = 4,
                                                .layout = sciara_gpu::listed_layout,
                                                .prepare = sciara_gpu::listed_prepare,
                                                .before = nullptr,
                                                .launch = launch};

SCIARA_DEVICE_ENGINE(cuda_lac_atomic, "cuda-lac-atomic",
                     "GPU: list of active cells in activation order, outflows are added with atomics", "sort_every",
                     SCIARA_TOLERANCE);
