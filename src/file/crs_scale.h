// SPDX-License-Identifier: Apache-2.0
// How long a metre is in a projected CRS: Web Mercator stretches lengths by a quarter at the latitude of Etna.
#ifndef SCIARA_FILE_CRS_SCALE_H
#define SCIARA_FILE_CRS_SCALE_H

#include <ogr_srs_api.h>

#include "base/status.h"

#define SCIARA_CRS_SCALE_SLACK 0.005 ///< by how much a length may differ from that on the ground

/**
 * The scale of a projected CRS in metres, within a rectangle: the length in the CRS of 1 m on the ellipsoid, at the middle
 * or a corner and in the direction where it differs most from 1. SCIARA_ERR_INPUT when PROJ knows no place there.
 *
 * @param bounds west, south, east, north in the CRS
 */
enum sciara_status sciara_crs_scale(OGRSpatialReferenceH srs, const double bounds[4], double *scale);

/** Whether a scale is near enough to 1. */
bool sciara_crs_scale_is_sound(double scale);

#endif
