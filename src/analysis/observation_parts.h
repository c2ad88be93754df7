// SPDX-License-Identifier: Apache-2.0
// The two readers behind sciara_observation_read, and the position of an observation: its CRS and bounds compared with
// those of the grid of the run.
// Included by this room alone.
#ifndef SCIARA_ANALYSIS_OBSERVATION_PARTS_H
#define SCIARA_ANALYSIS_OBSERVATION_PARTS_H

#include <ogr_api.h>

#include "analysis/observation.h"
#include "file/gdal_support.h"

/**
 * Fill out->covered and the rest, or, if `dates` is not NULL, the dates alone. *is_vector: false when the file holds no layer
 * at all and may be a raster.
 */
enum sciara_status sciara_observation_read_vector(struct sciara_gdal_scope *scope,
                                                  const struct sciara_observation_request *q, bool *is_vector,
                                                  struct sciara_observation *out,
                                                  struct sciara_observation_dates *dates);

/** An error in the key "layer" or "dates" of a file, or in the option for it. */
enum sciara_status sciara_observation_refuse(const struct sciara_observation_request *q, const char *key,
                                             const char *format, ...) SCIARA_PRINTF(3, 4);

/** The dates of the features of a layer. */
enum sciara_status sciara_observation_list_dates(struct sciara_gdal_scope *scope,
                                                 const struct sciara_observation_request *q, OGRLayerH layer,
                                                 struct sciara_observation_dates *out);

enum sciara_status sciara_observation_read_raster(struct sciara_gdal_scope *scope,
                                                  const struct sciara_observation_request *q,
                                                  struct sciara_observation *out);

/** West, south, east and north end. */
struct sciara_bounds {
  double west, south, east, north;
};

/** Bounds of nothing yet. */
struct sciara_bounds sciara_bounds_empty(void);
void sciara_bounds_add(struct sciara_bounds *b, double x, double y);
struct sciara_bounds sciara_bounds_of_grid(const struct sciara_grid *g);

/** Says in the log that coordinates are taken as they are, if one of the two CRS is not known. */
void sciara_observation_note_crs(const struct sciara_observation_request *q, OGRSpatialReferenceH srs);

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
