// SPDX-License-Identifier: Apache-2.0
// The cells of what is drawn on the map: those that a line crosses, which are the vents of a fissure, and those of a vent
// that has an area.
#ifndef SCIARA_GEOMETRY_POLYLINE_H
#define SCIARA_GEOMETRY_POLYLINE_H

#include <math.h>

#include "geometry/grid.h"

SCIARA_BEGIN_DECLS

/** A point; in the units of the CRS of the grid (m) unless stated otherwise. */
struct sciara_point {
  double x, y;
};

double sciara_distance(struct sciara_point a, struct sciara_point b);

/** Whether a point lies on the grid or on its edge; false for NaN. */
static inline bool sciara_grid_has(const struct sciara_grid *g, struct sciara_point p) {
  return p.x >= g->west && p.x <= sciara_grid_east(g) && p.y >= sciara_grid_south(g) && p.y <= g->north;
}

/** The cell of the grid with a point; false: there is none. */
static inline bool sciara_grid_cell_of(const struct sciara_grid *g, struct sciara_point p, int64_t *row, int64_t *col) {
  const double r = floor((g->north - p.y) / g->cell_size), c = floor((p.x - g->west) / g->cell_size);
  if (!(r >= 0 && c >= 0 && r < (double)g->rows && c < (double)g->cols)) return false;
  *row = (int64_t)r;
  *col = (int64_t)c;
  return true;
}

/** The box (west, south, east, north) around points; if there are none, west is beyond east. */
void sciara_points_box(const struct sciara_point *points, size_t count, double box[4]);

/** The first row, the first column, and the numbers of rows and columns that a box touches; none: 0 or less. */
void sciara_grid_window(const struct sciara_grid *g, const double box[4], int64_t window[4]);

/** A cell and the length of the line inside it. */
struct sciara_crossing {
  int64_t row, col;
  double length; ///< m
};

enum { SCIARA_POLYLINE_MAX_PIECES = 1000000 }; ///< most parts inside cells that one line may have

/**
 * The cells crossed by the polyline points[0..count), in the order in which the line first enters them, one entry per
 * cell. The sum of the lengths is the length of the line. Each length is > 0. If the part inside a cell is shorter than
 * a billionth of the side of a cell (a corner touched because of rounding), the cell is left out and this length is
 * added to the next cell of the line. A piece along the edge of two cells belongs to the eastern or southern one, on
 * the outer edge to the cell inside.
 *
 * @param out    receives *out_count crossings; release with sciara_free
 * @return SCIARA_ERR_INPUT if count < 2, a point is not finite or outside the grid (the error names the point and the
 *         expected range), the line has no length, or it has more than SCIARA_POLYLINE_MAX_PIECES pieces
 */
enum sciara_status sciara_polyline_cells(const struct sciara_grid *grid, const struct sciara_point *points,
                                         size_t count, struct sciara_crossing **out, size_t *out_count);

/** Whether a point lies inside a closed polygon (even-odd rule: a line from it to the east crosses an odd number of sides). */
bool sciara_polygon_contains(const struct sciara_point *corners, size_t count, struct sciara_point p);

/** The point halfway along a polyline; the point itself if there is only one. */
struct sciara_point sciara_polyline_middle(const struct sciara_point *points, size_t count);

// --------------------------------------------------------------- an area: a disc around a point or a strip along a line

enum { SCIARA_VENT_AREA_MOST = 100000 }; ///< most cells that the area of one vent may have

/** The centre of a cell. */
static inline struct sciara_point sciara_cell_centre(const struct sciara_grid *g, int64_t row, int64_t col) {
  const struct sciara_point centre = {g->west + ((double)col + 0.5) * g->cell_size,
                                      g->north - ((double)row + 0.5) * g->cell_size};
  return centre;
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
