// SPDX-License-Identifier: Apache-2.0
// The part of a raster that is read: a window of cells, a box in coordinates, or what lies around points; the unit of its
// altitudes.
// Included by this room alone.
#ifndef SCIARA_TERRAIN_DEM_PART_H
#define SCIARA_TERRAIN_DEM_PART_H

#include "terrain/dem_gdal.h"
#include "terrain/dem_source.h"

/** What is to be done with an opened DEM. CRS are owned; both may be NULL. */
struct sciara_dem_treatment {
  OGRSpatialReferenceH from, to;
  double box[4]; ///< west, south, east and north of the requested part, in `to`
  bool has_box;
  double cell;
  bool warp;
};

/**
 * Chooses the window [first row, first column, rows, columns] of the raster that is read; it is larger than the requested
 * part if that is to be resampled. The CRS of the treatment are known; its box is set if one is requested.
 */
enum sciara_status sciara_dem_part_choose(const struct sciara_dem_request *q, const struct sciara_source *s,
                                          struct sciara_dem_treatment *t, int64_t window[4]);

/** What is known of a window that was chosen; a whole raster may itself be one of another. */
struct sciara_dem_window sciara_dem_part_window(const struct sciara_dem_request *q, const struct sciara_source *s,
                                                const struct sciara_dem_treatment *t, const int64_t window[4]);

/** Refuses altitudes that are not in metres by the unit of the band or the CRS, with the command that converts them. */
enum sciara_status sciara_dem_check_altitude_unit(const struct sciara_dem_request *q, const struct sciara_source *s);

#endif
