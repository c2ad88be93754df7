// SPDX-License-Identifier: Apache-2.0
// How far lava has come from the vents, and where.
#ifndef SCIARA_MAP_RUN_OUT_H
#define SCIARA_MAP_RUN_OUT_H

#include <stdbool.h>
#include <stddef.h>

#include "model/grid.h"

/** The covered cell that is farthest from its nearest vent. */
struct sciara_run_out {
  bool found;       ///< there are a vent and a covered cell
  int64_t row, col; ///< of the first such cell in row-major order
  size_t vent;      ///< the nearest vent
  double metres;    ///< centre to centre
};

/**
 * Finds it among the cells with a value > 0.
 *
 * @param row, col of the `count` cells of the vents
 */
struct sciara_run_out sciara_run_out_find(const int64_t *row, const int64_t *col, size_t count,
                                          const struct sciara_grid *grid, const double *values);

#endif
