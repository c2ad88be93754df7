// SPDX-License-Identifier: Apache-2.0
// The length of a metre in a projected CRS: Web Mercator enlarges lengths by a quarter at the latitude of Etna.
#ifndef SCIARA_FILE_CRS_SCALE_H
#define SCIARA_FILE_CRS_SCALE_H

#include <ogr_srs_api.h>

#include "base/status.h"

#define SCIARA_CRS_SCALE_SLACK 0.005 ///< largest relative difference of a length from that on the ground

/**
 * The scale of a projected CRS in metres, within a rectangle: the length in the CRS of 1 m on the ellipsoid, at the
 * middle or a corner and in the direction where it differs most from 1. SCIARA_ERR_INPUT if PROJ cannot transform such
 * a point.
 *
 * @param bounds west, south, east, north in the CRS
 */
enum sciara_status sciara_crs_scale(OGRSpatialReferenceH srs, const double bounds[4], double *scale);

/** Whether a scale is close enough to 1. */
bool sciara_crs_scale_is_sound(double scale);

#endif
