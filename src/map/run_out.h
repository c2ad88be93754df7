// SPDX-License-Identifier: Apache-2.0
// How far lava has come from the vents, and where.
#ifndef SCIARA_MAP_RUN_OUT_H
#define SCIARA_MAP_RUN_OUT_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "geometry/grid.h"

/** The cells of vents. */
struct sciara_vent_cells {
  int64_t *row, *col;
  double *first_s; ///< when the vent of each emits lava for the first time, s; INFINITY: never; NAN: not known
  size_t count, capacity;
};

/**
 * Whether the vent of cell k has emitted lava by a time. Where its first time is not known, it has if the cell is covered.
 *
 * @param values of the grid, covered where > 0; NULL: no cell
 */
static inline bool sciara_vent_cells_emitted(const struct sciara_vent_cells *v, size_t k, double time_s,
                                             const struct sciara_grid *grid, const double *values) {
  if (!isnan(v->first_s[k])) return v->first_s[k] < time_s;
  return values && values[v->row[k] * grid->cols + v->col[k]] > 0;
}

/** The time up to which vents count at a time: that one; INFINITY, for all of them, if none has emitted lava by then. */
static inline double sciara_vent_cells_until(const struct sciara_vent_cells *v, double time_s,
                                             const struct sciara_grid *grid, const double *values) {
  for (size_t k = 0; k < v->count; k++)
    if (sciara_vent_cells_emitted(v, k, time_s, grid, values)) return time_s;
  return INFINITY;
}

/** Whether a cell is one of a vent that counts up to a time of sciara_vent_cells_until. */
static inline bool sciara_vent_cells_has(const struct sciara_vent_cells *v, size_t k, double until_s,
                                         const struct sciara_grid *grid, const double *values) {
  return isinf(until_s) || sciara_vent_cells_emitted(v, k, until_s, grid, values);
}

/** The covered cell that is farthest from its nearest vent. */
struct sciara_run_out {
  bool found;       ///< there are a vent and a covered cell
  int64_t row, col; ///< of the first such cell in row-major order
  size_t vent;      ///< the nearest vent
  double metres;    ///< centre to centre
};

/**
 * Finds it among the cells with a value > 0. Lava does not come from a vent that has not emitted any by the time, so such a
 * vent does not count.
 */
struct sciara_run_out sciara_run_out_find(const struct sciara_vent_cells *vents, double time_s,
                                          const struct sciara_grid *grid, const double *values);

#endif
