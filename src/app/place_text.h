// SPDX-License-Identifier: Apache-2.0
// Places on the command line: metres in the CRS of the DEM, or degrees that say so.
#ifndef SCIARA_APP_PLACE_TEXT_H
#define SCIARA_APP_PLACE_TEXT_H

#include "model/polyline.h"

/** What a text is. */
enum sciara_place_text {
  SCIARA_PLACE_METRES,  ///< "448585,4348110"
  SCIARA_PLACE_DEGREES, ///< "14.99E,37.75N", in either order: a letter for each number
  SCIARA_PLACE_NAME     ///< anything else
};

/**
 * Reads `count` pairs of numbers (1 or 2), separated by commas. Degrees are [longitude, latitude] in `points`, west and south
 * negative.
 */
enum sciara_place_text sciara_place_parse(const char *text, size_t count, struct sciara_point *points);

#endif
