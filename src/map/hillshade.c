// SPDX-License-Identifier: Apache-2.0
#include "map/colour_ramp.h"

#include <math.h>

#include "geometry/grid.h"

static bool known(const struct sciara_grid *g, const double *z, int64_t r, int64_t c) {
  return r >= 0 && c >= 0 && r < g->rows && c < g->cols && z[r * g->cols + c] != SCIARA_NODATA_ALTITUDE;
}

/**
 * Altitude of a neighbour; beyond the border the slope is extrapolated from the opposite side, so that no dark frame
 * appears.
 */
static double neighbour(const struct sciara_grid *g, const double *z, int64_t r, int64_t c, int64_t down,
                        int64_t right) {
  double here = z[r * g->cols + c];
  if (known(g, z, r + down, c + right)) return z[(r + down) * g->cols + c + right];
  return known(g, z, r - down, c - right) ? 2 * here - z[(r - down) * g->cols + c - right] : here;
}

double sciara_hillshade(const struct sciara_grid *g, const double *z, int64_t r, int64_t c) {
  const double sun[3] = {-0.5, 0.5, 0.70710678118654752}; // east, north, up
  double a[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) a[i][j] = neighbour(g, z, r, c, i - 1, j - 1);
  double run = 8 * g->cell_size;
  double east = (a[0][2] + 2 * a[1][2] + a[2][2] - a[0][0] - 2 * a[1][0] - a[2][0]) / run;
  double north = (a[0][0] + 2 * a[0][1] + a[0][2] - a[2][0] - 2 * a[2][1] - a[2][2]) / run;
  double light = (sun[2] - sun[0] * east - sun[1] * north) / sqrt(1 + east * east + north * north);
  return light > 0 ? light : 0;
}
