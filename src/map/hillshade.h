// SPDX-License-Identifier: Apache-2.0
// The shaded ground under the maps that are pictures.
#ifndef SCIARA_MAP_HILLSHADE_H
#define SCIARA_MAP_HILLSHADE_H

#include "model/grid.h"

/**
 * Light of a sun in the north-west (azimuth 315), 45 degrees high, on the slope of Horn (1981) in a cell: 0..1.
 *
 * @param z altitudes, rows x cols; SCIARA_NODATA_ALTITUDE where there is none, which the cell itself must not be
 */
double sciara_hillshade(const struct sciara_grid *g, const double *z, int64_t r, int64_t c);

#endif
