// SPDX-License-Identifier: Apache-2.0
// A density of vent openings and its integrals, of +, -, x, / and detmath alone: the same on every machine.
// Included by this room alone.
#ifndef SCIARA_PLAN_VENT_DENSITY_H
#define SCIARA_PLAN_VENT_DENSITY_H

#include "model/polyline.h"

/** A raster, constant in each cell and 0 outside it, or the sum of Gaussian kernels around past vents, 1 in their centres. */
struct sciara_vent_density {
  const struct sciara_grid *grid; ///< of the DEM
  double *raster;                 ///< rows x cols; NULL: kernels
  struct sciara_point *past;
  size_t count, capacity;
  double along, across, sine, cosine; ///< standard deviations, m; sine and cosine of the azimuth of the first axis
};

/** A rectangle with its sides in the directions of the grid, m. */
struct sciara_box {
  double west, south, east, north;
};

double sciara_vent_density_at(const struct sciara_vent_density *d, struct sciara_point p);

/**
 * The integral over a rectangle, m2: of a raster the sum of its values, each times the area of its cell in the rectangle. Of
 * kernels with an error below 1e-9 where they have their mass; 0 beyond 12 standard deviations.
 */
double sciara_vent_density_in_box(const struct sciara_vent_density *d, const struct sciara_box *box);

/** The integral along a line, m. */
enum sciara_status sciara_vent_density_along(const struct sciara_vent_density *d, const struct sciara_point *points,
                                             size_t count, double *out);

/** The integral over the whole plane, m2. */
double sciara_vent_density_total(const struct sciara_vent_density *d);

#endif
