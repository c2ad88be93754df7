// SPDX-License-Identifier: Apache-2.0
// Problems for measurements, made in memory: much lava on a rough slope, and little lava on a large slope.
#ifndef SCIARA_BENCH_BENCH_SCENES_H
#define SCIARA_BENCH_BENCH_SCENES_H

#include "engine/engine.h"
#include "sim/problem.h"

enum sciara_scene {
  SCIARA_SCENE_DENSE,  ///< lava on every interior cell
  SCIARA_SCENE_SPARSE, ///< square patches of lava far apart, 0.1 % of the cells
  SCIARA_SCENE_TIGHT, ///< the patches of sparse and the ground around them, side by side on the smallest map that holds them
};

enum { SCIARA_SCENE_LEAST = 64, SCIARA_SCENE_MOST = 65536 }; ///< rows, and columns

/**
 * A problem of size x size cells of 10 m (tight: as many as the patches of sparse of that size need) without vents,
 * with the default parameters: bit-identical on every machine. The values are floats also in double precision. During
 * the first 400 steps a step of tight computes exactly the same as one of sparse, cell by cell.
 *
 * SCIARA_ERR_INPUT for an invalid size. Release with sciara_problem_free.
 */
enum sciara_status sciara_scene_make(enum sciara_scene scene, int64_t size, enum sciara_precision precision,
                                     struct sciara_problem *out);

/** The grid of such a problem, and the approximate number of its liquid cells at the start. */
struct sciara_grid sciara_scene_grid(enum sciara_scene scene, int64_t size);
int64_t sciara_scene_liquid(enum sciara_scene scene, int64_t size);

#endif
