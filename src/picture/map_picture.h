// SPDX-License-Identifier: Apache-2.0
// A map as a picture for a report: hillshade, colours, legend, scale bar, north arrow, title, time.
#ifndef SCIARA_PICTURE_MAP_PICTURE_H
#define SCIARA_PICTURE_MAP_PICTURE_H

#include "map/raster_gdal.h"

/** Allowed widths of a picture, px. */
enum { SCIARA_PICTURE_NARROWEST = 320, SCIARA_PICTURE_WIDEST = 10000 };

/** A kind of cell on a map of kinds. */
struct sciara_map_kind {
  const char *name; ///< in the legend
  uint8_t rgb[3];
};

/** What is drawn. Members that are 0 or NULL are left out or chosen. */
struct sciara_map_picture {
  const struct sciara_map *map;
  const double *altitude;  ///< ground under it, rows x cols, SCIARA_NODATA_ALTITUDE outside
  double low, high;        ///< range of the colours; unless low < high that of the values. Ends become round numbers.
  const double *time_s;    ///< simulated time
  const char *start;       ///< of the run, "2006-07-14T23:30:00Z"
  const uint8_t *observed; ///< rows x cols, 0 or 1: an extent whose outline is drawn
  const char *note;        ///< a sentence after the foot: a warning about the results
  const char *stamp;       ///< across the map: "UNVERIFIED"
  int64_t width; ///< of the picture, px; 0: two or more for the cells of a small grid, at most 4000 for a large one
  const struct sciara_map_kind *kind; ///< the values are 0, 1, 2... and stand for these, not for a field
  int kinds;
};

/**
 * Writes the picture as PNG, atomically. Width and height are even numbers, as required for films. If no font is
 * installed it has no text; a character of the title that no font has is drawn as a box. A warning reports both.
 */
enum sciara_status sciara_map_write_png(const struct sciara_map_picture *picture, const char *path);

/** Bytes of memory that it needs in addition to map->values and altitude. */
size_t sciara_map_picture_memory(const struct sciara_grid *grid);

#endif
