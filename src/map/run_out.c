// SPDX-License-Identifier: Apache-2.0
#include "map/run_out.h"

/** Squared distance in cells to the nearest vent; `bound` or less, not exactly, when it is no more than that. */
static double nearest(const struct sciara_vent_cells *v, double until_s, const struct sciara_grid *grid,
                      const double *values, int64_t row, int64_t col, double bound, size_t *vent) {
  double least = INFINITY;
  for (size_t k = 0; k < v->count && least > bound; k++) {
    const double down = (double)(row - v->row[k]), right = (double)(col - v->col[k]);
    const double squared = down * down + right * right;
    if (squared >= least || !sciara_vent_cells_has(v, k, until_s, grid, values)) continue;
    least = squared;
    *vent = k;
  }
  return least;
}

struct sciara_run_out sciara_run_out_find(const struct sciara_vent_cells *vents, double time_s,
                                          const struct sciara_grid *grid, const double *values) {
  const double until_s = sciara_vent_cells_until(vents, time_s, grid, values);
  struct sciara_run_out out = {0};
  double most = -1;
  for (int64_t r = 0; r < grid->rows && vents->count > 0; r++)
    for (int64_t c = 0; c < grid->cols; c++) {
      size_t vent = 0;
      if (!(values[r * grid->cols + c] > 0)) continue;
      const double squared = nearest(vents, until_s, grid, values, r, c, most, &vent);
      if (squared <= most) continue;
      most = squared;
      out = (struct sciara_run_out){.found = true, .row = r, .col = c, .vent = vent};
    }
  if (out.found) out.metres = sqrt(most) * grid->cell_size;
  return out;
}
