// SPDX-License-Identifier: Apache-2.0
// The position of an observation: its CRS and bounds compared with those of the grid of the run.
// Included by this room alone.
#ifndef SCIARA_ANALYSIS_OBSERVATION_PLACE_H
#define SCIARA_ANALYSIS_OBSERVATION_PLACE_H

#include <gdal.h>

#include "analysis/observation.h"
#include "file/gdal_support.h"

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

#endif
