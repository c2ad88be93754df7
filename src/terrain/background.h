// SPDX-License-Identifier: Apache-2.0
// A picture on the map, such as an orthophoto or a topographic map, brought to the pixels of another picture.
#ifndef SCIARA_TERRAIN_BACKGROUND_H
#define SCIARA_TERRAIN_BACKGROUND_H

#include "geometry/grid.h"

/** What is read and where it is to lie. */
struct sciara_background_request {
  const char *path;
  const char *const *extra_drivers; ///< GDAL driver names allowed beyond the built-in list of DEMs
  size_t extra_driver_count;
  const struct sciara_grid *area; ///< the rectangle that is covered
  const char *crs_wkt;            ///< of the area; NULL: not known
  int64_t width, height;          ///< pixels of the result
};

/**
 * Reads bytes in 1 (grey, or a palette), 2 (with opacity), 3 (red, green, blue) or 4 bands. A raster that names no CRS is
 * taken to be in that of the area. SCIARA_ERR_INPUT for others, and for one that lies outside the area.
 *
 * @param rgba receives 4 x width x height bytes, rows from the top; opacity 0 where the raster has nothing. Release with
 *             sciara_free
 */
enum sciara_status sciara_background_read(const struct sciara_background_request *request, uint8_t **rgba);

#endif
