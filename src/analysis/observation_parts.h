// SPDX-License-Identifier: Apache-2.0
// The two readers behind sciara_observation_read.
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

/** The date of a feature; false: it has none. */
bool sciara_observation_date_of(OGRFeatureH feature, int field, double *date);

enum sciara_status sciara_observation_read_raster(struct sciara_gdal_scope *scope,
                                                  const struct sciara_observation_request *q,
                                                  struct sciara_observation *out);

#endif
