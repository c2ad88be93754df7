// SPDX-License-Identifier: Apache-2.0
// The cells of a vent that has an area: a disc around a point, or a strip along a line.
#ifndef SCIARA_MODEL_VENT_AREA_H
#define SCIARA_MODEL_VENT_AREA_H

#include "model/polyline.h"

SCIARA_BEGIN_DECLS

enum { SCIARA_VENT_AREA_MOST = 100000 }; ///< most cells that the area of one vent may have

/** The centre of a cell. */
static inline struct sciara_point sciara_cell_centre(const struct sciara_grid *g, int64_t row, int64_t col) {
  return (struct sciara_point){g->west + ((double)col + 0.5) * g->cell_size,
                               g->north - ((double)row + 0.5) * g->cell_size};
}

/**
 * The cells whose centre lies within `reach` m of points[0..count), a point or a polyline (up to a billionth of a cell),
 * and those that contain the point or are crossed by the line. Cells outside the grid are left out; kinds do not matter
 * here.
 *
 * @param out receives *out_count indices row * cols + col in ascending order; release with sciara_free
 * @return SCIARA_ERR_INPUT if a point is outside the grid, for a line that sciara_polyline_cells refuses, for more than
 *         SCIARA_VENT_AREA_MOST cells, or for a line with so many points that the search would take minutes
 */
enum sciara_status sciara_vent_area_cells(const struct sciara_grid *grid, const struct sciara_point *points,
                                          size_t count, double reach, int64_t **out, size_t *out_count);

SCIARA_END_DECLS
#endif
