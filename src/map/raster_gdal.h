// SPDX-License-Identifier: Apache-2.0
// Maps for GIS: cloud-optimised GeoTIFF and GeoTIFF through GDAL, written under a temporary name and renamed; and what any
// map says of itself in its file.
#ifndef SCIARA_MAP_RASTER_GDAL_H
#define SCIARA_MAP_RASTER_GDAL_H

#include "file/georef.h"
#include "geometry/grid.h"
#include "map/colour_ramp.h"

/** A further band of whole numbers; one of the arrays is set. */
struct sciara_map_mark {
  const char *name;
  const uint8_t *bytes;  ///< rows x cols
  const uint16_t *words; ///< rows x cols
};

/** One map to write. */
struct sciara_map {
  const struct sciara_grid *grid;
  const struct sciara_georef *georef;
  const double *values;                 ///< rows x cols; `nodata` where there is nothing to show
  double nodata;                        ///< -9999
  const char *name;                     ///< band description, "deposit"
  const char *ramp;                     ///< what its colours suit, as of sciara_ramp_for; NULL: `name`
  const char *long_name;                ///< of what is no field, for pictures; NULL: `name`
  const char *unit;                     ///< "m"
  const char *title;                    ///< of the map, for metadata; may be NULL
  const struct sciara_map_facts *facts; ///< more metadata; may be NULL
  const struct sciara_map_mark *marks;  ///< further bands
  int mark_count;
};

/** COG, float32, DEFLATE, PREDICTOR=YES, averaged overviews, and a QGIS style (same name, .qml). */
enum sciara_status sciara_map_write_cog(const struct sciara_map *map, const char *path);

/** The colours of a map. */
const struct sciara_ramp *sciara_map_ramp(const struct sciara_map *map);

/**
 * Bytes of memory that it needs in addition to map->values: the dataset, and the tiles and overviews that are being
 * written.
 */
size_t sciara_map_cog_memory(const struct sciara_grid *grid);

/** Plain tiled GeoTIFF, float32 or float64 (for DEMs and observed extents made by `import` and tools). */
enum sciara_status sciara_map_write_geotiff(const struct sciara_map *map, bool as_double, const char *path);

/**
 * Bytes of memory that it needs for float64 with so many marks, in addition to the arrays of the map: the dataset, its tiles,
 * and the file.
 */
size_t sciara_map_geotiff_memory(const struct sciara_grid *grid, int marks);

/** Tiled GeoTIFF of bytes without NODATA, for values 0 and 1 such as an observed extent; map->nodata is not used. */
enum sciara_status sciara_map_write_mask(const struct sciara_map *map, const char *path);

// ------------------------------------------------------------------------------------------- what a map says of itself

// Names and texts, which GeoTIFF holds as metadata and PNG as text chunks.

enum { SCIARA_MAP_FACTS = 16 };

/** Zero-initialise; release with sciara_map_facts_free. */
struct sciara_map_facts {
  struct {
    const char *name; ///< letters, digits and _
    char *text;       ///< UTF-8
  } fact[SCIARA_MAP_FACTS];
  size_t count;
};

/** Adds a text; NULL and "" are left out. */
enum sciara_status sciara_map_facts_add(struct sciara_map_facts *f, const char *name, const char *text);
void sciara_map_facts_free(struct sciara_map_facts *f);

#endif
