// SPDX-License-Identifier: Apache-2.0
// Zones as polygons: GeoPackage, GeoJSON and KML. Each file is made in memory and written in one go.
#ifndef SCIARA_MAP_VECTOR_OGR_H
#define SCIARA_MAP_VECTOR_OGR_H

#include "file/georef.h"
#include "geometry/poi.h"
#include "map/zones.h"

/** A point or a line; what it has no value of is NAN. */
struct sciara_vector_mark {
  const char *label;
  const struct sciara_point *points; ///< one, or the vertices of a line
  size_t count;
  double from_s, until_s;  ///< simulated time at which it applies
  double metres;           ///< distance from the vents
  const char *const *text; ///< of the columns of the layer
  const double *value;     ///< of the columns of the layer; NAN: none
};

/** A layer of points, or of lines. */
struct sciara_vector_marks {
  const char *name;           ///< "vents"
  bool lines, timed, distant; ///< whether its marks are lines, have times, have distances
  bool named;                 ///< whether QGIS writes the labels on the map
  struct sciara_vector_mark *mark;
  size_t count;
  const char *const *text_column; ///< names of further columns of text
  size_t text_columns;
  const char *const *column; ///< names of further columns of numbers
  size_t columns;
};

/** What a file is to hold. */
struct sciara_polygons {
  const struct sciara_grid *grid;
  const struct sciara_georef *georef;
  const struct sciara_zones *layers; ///< one feature for each zone that has cells
  size_t count;
  const char *title; ///< for people
  const struct sciara_zones
      *fronts;     ///< isochrones: a layer "front_lines" shows the border of the lava at the end of each
  double latest_s; ///< of the map: no front is later
  const struct sciara_vector_marks *marks; ///< more layers
  size_t mark_layers;
  const char *start; ///< of the run ("2006-07-14T23:30:00Z"): features with a time have a date too; NULL: they have not
};

/** Places with the columns of a table, in which lava does something to them. */
struct sciara_vector_places {
  const struct sciara_poi *pois; ///< without points: a feature without geometry
  size_t count;
  const char *const *text_column; ///< names of columns of text, among them "state", by which the features are coloured
  const char *share; ///< the column of a probability by which those on land are coloured instead; NULL: there is none
  size_t text_columns;
  const char *const *column; ///< names of columns of numbers
  size_t columns;
  const char *const *text; ///< count x text_columns
  const double *value;     ///< count x columns; NAN: none
};

/** A GeoPackage in the CRS of the grid with the layers "points", "lines" and "zones", as far as there are such places. */
enum sciara_status sciara_places_write_gpkg(const struct sciara_vector_places *places, const struct sciara_grid *grid,
                                            const struct sciara_georef *georef, const char *title, const char *path);

/** GeoPackage in the CRS of the grid, with a style for each layer (table layer_styles, which QGIS applies); without a CRS
 *  in coordinates of the grid. */
enum sciara_status sciara_polygons_write_gpkg(const struct sciara_polygons *p, const char *path);

/** GeoJSON of the only layer as RFC 7946 has it, in WGS 84; without a CRS in coordinates of the grid. */
enum sciara_status sciara_polygons_write_geojson(const struct sciara_polygons *p, const char *path);

/** KML in WGS 84, a folder for each layer, coloured, with a TimeSpan where there is a date; SCIARA_ERR_USAGE without a CRS. */
enum sciara_status sciara_polygons_write_kml(const struct sciara_polygons *p, const char *path);

#endif
