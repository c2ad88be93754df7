// SPDX-License-Identifier: Apache-2.0
// Zones as polygons: GeoPackage, GeoJSON and KML. Each file is made in memory and written in one go.
#ifndef SCIARA_MAP_VECTOR_OGR_H
#define SCIARA_MAP_VECTOR_OGR_H

#include "file/georef.h"
#include "map/zones.h"

/** What a file is to hold. */
struct sciara_polygons {
  const struct sciara_grid *grid;
  const struct sciara_georef *georef;
  const struct sciara_zones *layers; ///< one feature for each zone that has cells
  size_t count;
  const char *title; ///< for people
};

/** GeoPackage in the CRS of the grid, one layer for each set of zones; without a CRS in coordinates of the grid. */
enum sciara_status sciara_polygons_write_gpkg(const struct sciara_polygons *p, const char *path);

/** GeoJSON of the first layer as RFC 7946 has it, in WGS 84; without a CRS in coordinates of the grid. */
enum sciara_status sciara_polygons_write_geojson(const struct sciara_polygons *p, const char *path);

/** KML in WGS 84, a folder for each layer, coloured; SCIARA_ERR_USAGE without a CRS. */
enum sciara_status sciara_polygons_write_kml(const struct sciara_polygons *p, const char *path);

#endif
