// SPDX-License-Identifier: Apache-2.0
// Tables of points as people write them: the vents of an ensemble, past vents, and places.
#ifndef SCIARA_TERRAIN_POINT_TABLE_H
#define SCIARA_TERRAIN_POINT_TABLE_H

#include "base/diagnostics.h"
#include "model/polyline.h"

/** A row of the table. */
struct sciara_point_row {
  const char *file;
  size_t line; ///< in the file, from 1
  struct sciara_point at;
  double weight;    ///< 1 without a column of weights
  const char *name; ///< NULL: none
};

/** Receives a valid row. */
typedef enum sciara_status sciara_point_visitor(void *context, const struct sciara_point_row *row);

/** What is read. */
struct sciara_point_table {
  const char *path;
  const char *weight;      ///< name of the column of weights; NULL: there is none
  bool places;             ///< names are those of places: in the columns in which vector files have them
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
