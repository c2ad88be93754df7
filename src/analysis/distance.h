// SPDX-License-Identifier: Apache-2.0
// How far each cell of a grid is from the nearest cell of a set: an exact distance transform.
// Included by this room alone.
#ifndef SCIARA_ANALYSIS_DISTANCE_H
#define SCIARA_ANALYSIS_DISTANCE_H

#include <stdint.h>

#include "base/status.h"

/**
 * The square of the distance from the centre of each cell to the centre of the nearest cell of the set, in cells, by
 * integers alone; INT64_MAX everywhere when the set is empty. Takes time in proportion to rows x cols, whatever the
 * set (Meijster, Roerdink and Hesselink 2000).
 *
 * @param set rows x cols; not 0: the cell belongs to it
 * @param out rows x cols
 */
enum sciara_status sciara_distance_squared(int64_t rows, int64_t cols, const uint8_t *set, int64_t *out);

#endif
