// SPDX-License-Identifier: Apache-2.0
// The part of a grid that a picture shows.
#ifndef SCIARA_PICTURE_MAP_WINDOW_H
#define SCIARA_PICTURE_MAP_WINDOW_H

#include <stdbool.h>

#include "model/grid.h"
#include "model/polyline.h"

/** Cells of a grid; rows and cols are at least 1. */
struct sciara_map_window {
  int64_t row, col, rows, cols;
};

/** A growing rectangle of cells. Zero-initialise: it is empty. */
struct sciara_map_bounds {
  bool any;
  int64_t top, left, bottom, right; ///< all of them inside
};

/** Extends the bounds by the cells with a value > 0, by those of a mask, and by the cell of a point of the grid. */
void sciara_map_bounds_add_values(struct sciara_map_bounds *b, const struct sciara_grid *g, const double *values);
void sciara_map_bounds_add_mask(struct sciara_map_bounds *b, const struct sciara_grid *g, const uint8_t *mask);
void sciara_map_bounds_add_point(struct sciara_map_bounds *b, const struct sciara_grid *g, struct sciara_point p);

/**
 * The bounds with a margin: a tenth of the longer side, at least SCIARA_MAP_MARGIN cells; the shorter side is then at
 * least half of the longer one. It ends at the edge of the grid. Empty bounds: the whole grid.
 */
enum { SCIARA_MAP_MARGIN = 5 };
struct sciara_map_window sciara_map_window_around(const struct sciara_map_bounds *b, const struct sciara_grid *g);

/**
 * The cells that the box touches. SCIARA_ERR_USAGE when it is empty or lies outside the grid, with the ranges.
 *
 * @param box west, south, east, north in the units of the CRS
 */
enum sciara_status sciara_map_window_of_box(const double box[4], const struct sciara_grid *g,
                                            struct sciara_map_window *out);

/** The window as a grid of its own. */
struct sciara_grid sciara_map_window_grid(const struct sciara_map_window *w, const struct sciara_grid *g);

#endif
