// SPDX-License-Identifier: Apache-2.0
// Two halves of a set of points, each of which covers all of their area.
// Included by this room alone.
#ifndef SCIARA_ENSEMBLE_POINT_COLOURS_H
#define SCIARA_ENSEMBLE_POINT_COLOURS_H

#include <stdint.h>

#include "base/status.h"
#include "model/polyline.h"

/**
 * Gives each point the colour 0 or 1: as on a chessboard if they are a grid along the axes; if all fields were of one colour, by
 * turns along the line on which they lie, or by rows; else by turns in their order. There is at least one point.
 */
enum sciara_status sciara_points_colour(const struct sciara_point *points, size_t count, int64_t *colour);

#endif
