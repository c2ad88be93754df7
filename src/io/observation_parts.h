// SPDX-License-Identifier: Apache-2.0
// The two readers behind sciara_observation_read, and what they share. Private to observation*.c.
#ifndef SCIARA_IO_OBSERVATION_PARTS_H
#define SCIARA_IO_OBSERVATION_PARTS_H

#include <gdal.h>

#include "io/gdal_support.h"
#include "io/observation.h"

/** West, south, east and north end. */
struct sciara_bounds {
  double west, south, east, north;
};

/** Bounds of nothing yet. */
struct sciara_bounds sciara_bounds_empty(void);
void sciara_bounds_add(struct sciara_bounds *b, double x, double y);
struct sciara_bounds sciara_bounds_of_grid(const struct sciara_grid *g);

/**
 * How coordinates of the observation become those of the grid, or back (`to_grid` false). *out is NULL where they are
 * the same, or one of the two CRS is not known; that is then said in the log.
 */
enum sciara_status sciara_observation_transform(struct sciara_gdal_scope *scope,
                                                const struct sciara_observation_request *q, OGRSpatialReferenceH srs,
                                                bool to_grid, OGRCoordinateTransformationH *out);

/** Refuses an observation (bounds in the CRS of the grid) that lies off the grid, and says when it reaches beyond. */
enum sciara_status sciara_observation_check_place(const struct sciara_observation_request *q,
                                                  const struct sciara_bounds *found);

/** Fill out->covered and the rest. *is_vector: false when the file holds no layer at all and may be a raster. */
enum sciara_status sciara_observation_read_vector(struct sciara_gdal_scope *scope,
                                                  const struct sciara_observation_request *q, bool *is_vector,
                                                  struct sciara_observation *out);
enum sciara_status sciara_observation_read_raster(struct sciara_gdal_scope *scope,
                                                  const struct sciara_observation_request *q,
                                                  struct sciara_observation *out);

#endif
