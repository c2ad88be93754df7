// SPDX-License-Identifier: Apache-2.0
// The bounding box of the lava; each cell adds its outflows to its neighbours with atomics.
#include "boxed_engine.cuh"

static const sciara_device_strategy strategy = {.name = "cuda-atomic",
                                                .size = sizeof(sciara_gpu::boxed_engine),
                                                .exchange = SCIARA_SCATTER,
                                                .block_width = 32,
                                                .block_height = 4,
                                                .layout = sciara_gpu::boxed_layout,
                                                .prepare = sciara_gpu::boxed_prepare,
                                                .before = nullptr,
                                                .launch = sciara_gpu::boxed_launch<sciara_gpu::scatter>};

SCIARA_DEVICE_ENGINE(cuda_atomic, "cuda-atomic", "GPU: bounding box, outflows are added to the neighbours with atomics",
                     "memory", SCIARA_TOLERANCE);
