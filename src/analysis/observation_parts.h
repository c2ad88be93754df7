// SPDX-License-Identifier: Apache-2.0
// The two readers behind sciara_observation_read.
// Included by this room alone.
#ifndef SCIARA_ANALYSIS_OBSERVATION_PARTS_H
#define SCIARA_ANALYSIS_OBSERVATION_PARTS_H

#include "analysis/observation.h"
#include "file/gdal_support.h"

/** Fill out->covered and the rest. *is_vector: false when the file holds no layer at all and may be a raster. */
enum sciara_status sciara_observation_read_vector(struct sciara_gdal_scope *scope,
                                                  const struct sciara_observation_request *q, bool *is_vector,
                                                  struct sciara_observation *out);
enum sciara_status sciara_observation_read_raster(struct sciara_gdal_scope *scope,
                                                  const struct sciara_observation_request *q,
                                                  struct sciara_observation *out);

#endif
