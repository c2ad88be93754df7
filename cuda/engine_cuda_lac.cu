// SPDX-License-Identifier: Apache-2.0
// A list of the active cells in the order of the grid, built again in every step; cells leave it when they solidify.
#include "listed_engine.cuh"

static enum sciara_status launch(void *engine, cudaStream_t stream) {
  return sciara_gpu::listed_step<sciara_gpu::gather>(static_cast<sciara_gpu::listed_engine *>(engine), 1, stream);
}

static const sciara_device_strategy strategy = {.name = "cuda-lac",
                                                .size = sizeof(sciara_gpu::listed_engine),
                                                .exchange = SCIARA_GATHER,
                                                .block_width = 32,
                                                .block_height = 4,
                                                .layout = sciara_gpu::listed_layout,
                                                .prepare = sciara_gpu::listed_prepare,
                                                .before = nullptr,
                                                .launch = launch};

SCIARA_DEVICE_ENGINE(cuda_lac, "cuda-lac", "GPU: ordered list of active cells", "", SCIARA_GATHER_CLASS);
