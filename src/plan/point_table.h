// SPDX-License-Identifier: Apache-2.0
// Tables of places as people write them: the vents of an ensemble, and past vents.
// Included by this room alone.
#ifndef SCIARA_PLAN_POINT_TABLE_H
#define SCIARA_PLAN_POINT_TABLE_H

#include "base/diagnostics.h"
#include "model/polyline.h"
#include "model/site.h"

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

/**
 * Reads the columns x (or easting), y (or northing), or without these lon and lat (longitude, latitude), which are brought to the
 * CRS of the site, and name, and the one of weights, in any case and any of the forms of csv_forms.h. What is not the plain form
 * is reported. Every invalid row is added to `diagnostics`.
 *
 * @param weight name of the column of weights; NULL: there is none
 */
enum sciara_status sciara_point_table_read(const char *path, const char *weight, const struct sciara_site *site,
                                           sciara_point_visitor *visit, void *context,
                                           struct sciara_diagnostics *diagnostics);

#endif
