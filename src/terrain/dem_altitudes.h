// SPDX-License-Identifier: Apache-2.0
// From the values that a file holds to altitudes.
// Included by this room alone.
#ifndef SCIARA_TERRAIN_DEM_ALTITUDES_H
#define SCIARA_TERRAIN_DEM_ALTITUDES_H

#include "terrain/dem_source.h"
#include "terrain/dem_warp.h"

/**
 * Applies scale and offset, and turns NaN and infinities to NODATA. Refuses altitudes that no place has, and values by
 * which files mark cells without altitude, if they stand apart from all others; points out any other such value.
 *
 * @param window of the raster that the patch is, for messages
 */
enum sciara_status sciara_patch_to_altitudes(const struct sciara_source *s, const int64_t window[4],
                                             struct sciara_patch *p);

#endif
