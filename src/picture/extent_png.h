// SPDX-License-Identifier: Apache-2.0
// A picture of two extents over the shaded ground: where they agree and where they do not.
#ifndef SCIARA_PICTURE_EXTENT_PNG_H
#define SCIARA_PICTURE_EXTENT_PNG_H

#include "model/grid.h"

/**
 * Draws hits (both) yellow, misses (the observed alone) blue, excess (the run alone) red, with a legend below.
 *
 * @param altitude rows x cols; SCIARA_NODATA_ALTITUDE outside
 * @param run, observed rows x cols, 0 or not
 */
enum sciara_status sciara_extent_write_png(const struct sciara_grid *grid, const double *altitude, const uint8_t *run,
                                           const uint8_t *observed, const char *path);

#endif
