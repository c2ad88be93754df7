// SPDX-License-Identifier: Apache-2.0
// The points, lines and polygons of a vector file, and the points of tables as people write them, in the CRS of a DEM.
#ifndef SCIARA_TERRAIN_VECTOR_SHAPES_H
#define SCIARA_TERRAIN_VECTOR_SHAPES_H

#include "base/diagnostics.h"
#include "base/log.h"
#include "geometry/poi.h"
#include "geometry/polyline.h"
#include "model/ground_edit.h"

/** A point, a line, or a polygon with its rings, the outer one first. */
struct sciara_shape {
  enum sciara_poi_kind kind;
  const struct sciara_point *points; ///< of all rings, one after the other
  const size_t *ends;                ///< ring r has the points ends[r - 1] to ends[r] - 1; a line has one
  size_t rings;                      ///< 0: the feature has no geometry (see sciara_shapes_request)
  bool elsewhere;                    ///< it has one, but none that can be brought to the CRS of the DEM
  int64_t feature;                   ///< number of the feature in the file, from 0
  const char *name;                  ///< the text in the column of names; NULL: none
  double value
      [SCIARA_EDIT_VALUES]; ///< if they are read: of the columns named as sciara_edit_value_name; NAN: none, or null
};

/** The columns in which names are looked for, whatever the case, the first one first; NULL ends them. */
extern const char *const sciara_name_columns[];

/** What is read, and how. */
struct sciara_shapes_request {
  const char *path;
  const char *layer;              ///< NULL: the only one
  const char *crs_wkt;            ///< of the DEM; NULL: not known, coordinates are taken as they are
  const struct sciara_grid *grid; ///< that the shapes belong to, to notice swapped coordinates; NULL: any place
  const char *const *extra_drivers;
  size_t extra_driver_count;
  const struct sciara_notes *notes; ///< receive what is noticed; NULL: the log
  bool outline;                     ///< polygons are an outline: of a file with several dates those of one are taken
  double when;                      ///< that date, as of sciara_parse_date; 0: not known
  bool values;                      ///< the columns of values are read
  bool no_time;                     ///< with values: nothing says when they apply, and a column of times is pointed out
  bool names;                       ///< names are read, if a column has them
  bool on_grid;                     ///< a feature far from the DEM is refused; else it is left out
  const char *place;                ///< only features with this name; NULL: all
  /** Points are visited too, and once also each feature without geometry or with one that lies too far away; else they are
   *  refused or left out. */
  bool places;
  const char
      *name_column; ///< of names, with `places`; NULL: the first that is called name, label, id, or name in another
                    ///< language of the program
  enum sciara_status (*visit)(void *context, const struct sciara_shape *shape);
  void *context;
};

/**
 * Reads a file and calls `visit` for each line and polygon, in the order of the file. SCIARA_ERR_INPUT for a format that is
 * not allowed, a damaged file, a file without lines and polygons, or a column of values that holds no numbers;
 * SCIARA_ERR_USAGE for a column of names that is not there.
 */
enum sciara_status sciara_shapes_read(const struct sciara_shapes_request *request);

// ---------------------------------------------------------------------------------- tables of points, in point_table.c

// The vents of an ensemble, past vents, and places.

/** A row of the table. */
struct sciara_point_row {
  const char *file;
  size_t line;            ///< in the file, from 1
  struct sciara_point at; ///< NAN: a place that is too far away for the CRS of the DEM
  double weight;          ///< 1 without a column of weights
  const char *name;       ///< NULL: none
};

/** Receives a valid row. */
typedef enum sciara_status sciara_point_visitor(void *context, const struct sciara_point_row *row);

/** What is read. */
struct sciara_point_table {
  const char *path;
  const char *weight; ///< name of the column of weights; NULL: there is none
  bool anywhere;      ///< points may lie off the DEM
  bool
      places; ///< points may lie off the DEM, and names are those of places: in the columns in which vector files have them
  const char *name_column; ///< with `places`, the one of names; NULL: the first of the usual ones
  const char *crs_wkt;     ///< of the DEM; NULL: not known
  const struct sciara_grid *grid;
};

/**
 * Reads the columns x (or easting), y (or northing), or without these lon and lat (longitude, latitude), which are brought to the
 * CRS of the DEM, and name, and the one of weights, in any case and any of the forms of csv.h. What is not the plain form
 * is reported. Every invalid row is added to `diagnostics`.
 */
enum sciara_status sciara_point_table_read(const struct sciara_point_table *q, sciara_point_visitor *visit,
                                           void *context, struct sciara_diagnostics *diagnostics);

#endif
