// SPDX-License-Identifier: Apache-2.0
// From cells to polygons.
// Included by this room alone.
#ifndef SCIARA_MAP_POLYGONIZE_H
#define SCIARA_MAP_POLYGONIZE_H

#include <ogr_api.h>

#include "file/gdal_support.h"
#include "map/zones.h"

/**
 * The multipolygon of each zone, in the coordinates of the grid: cells with a common edge are one polygon. Takes an
 * array of zones->count; the entry of a zone without cells is NULL. Release with sciara_polygons_free.
 */
enum sciara_status sciara_polygonize(struct sciara_gdal_scope *scope, const struct sciara_grid *grid,
                                     const struct sciara_zones *zones, const char *path, OGRGeometryH *out);

/** Destroys the geometries and leaves NULL. */
void sciara_polygons_free(OGRGeometryH *polygons, size_t count);

#endif
