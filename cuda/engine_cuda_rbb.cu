// SPDX-License-Identifier: Apache-2.0
// The rectangular bounding box of the lava, rounded outward to whole blocks.
#include "boxed_phases.cuh"

static const sciara_device_strategy strategy = {.name = "cuda-rbb",
                                                .size = sizeof(sciara_gpu::boxed_engine),
                                                .exchange = SCIARA_GATHER,
                                                .block_width = 32,
                                                .block_height = 4,
                                                .layout = sciara_gpu::boxed_layout,
                                                .prepare = sciara_gpu::boxed_prepare,
                                                .before = nullptr,
                                                .launch = sciara_gpu::boxed_launch<sciara_gpu::gather>};

static const sciara_engine_phases phases = {.evaluate = sciara_gpu::boxed_evaluate,
                                            .move = sciara_gpu::boxed_move<sciara_gpu::gather>,
                                            .row_bytes = sciara_device_row_bytes,
                                            .pack = sciara_device_pack,
                                            .unpack = sciara_gpu::boxed_unpack,
                                            .tile_rows = 8};

SCIARA_DEVICE_ENGINE_IN_PHASES(cuda_rbb, "cuda-rbb",
                               "GPU: the rectangular bounding box of the lava, rounded to whole blocks", "memory",
                               SCIARA_GATHER_CLASS, &phases);
