// SPDX-License-Identifier: Apache-2.0
// The grid of square cells and its position on the map.
#ifndef SCIARA_GEOMETRY_GRID_H
#define SCIARA_GEOMETRY_GRID_H

#include <stdint.h>

#include "base/status.h"

SCIARA_BEGIN_DECLS

/** Row 0 is the northern row. Cell (r, c) has its centre at x = west + (c + 1/2) w, y = north - (r + 1/2) w. */
struct sciara_grid {
  int64_t rows, cols;
  double cell_size;   ///< side of a cell w, m
  double west, north; ///< outer corner of the north-western cell, in the units of the CRS (m)
};

/** Number of cells of the grid; the reader of a DEM has checked that the product does not overflow. */
static inline int64_t sciara_grid_cells(const struct sciara_grid *g) { return g->rows * g->cols; }

/** The coordinates of the eastern and of the southern edge. */
static inline double sciara_grid_east(const struct sciara_grid *g) { return g->west + (double)g->cols * g->cell_size; }
static inline double sciara_grid_south(const struct sciara_grid *g) {
  return g->north - (double)g->rows * g->cell_size;
}

/** Whether two grids have the same cells. */
static inline bool sciara_grid_same(const struct sciara_grid *a, const struct sciara_grid *b) {
  return a->rows == b->rows && a->cols == b->cols && a->cell_size == b->cell_size && a->west == b->west &&
         a->north == b->north;
}

/** A coordinate in cells, limited to 0..most. */
static inline int64_t sciara_grid_limit(double cells, int64_t most) {
  return !(cells > 0) ? 0 : cells >= (double)most ? most : (int64_t)cells;
}

/** Decimals of a length in m that whole cells make: 0 for cells of 1 m and more, 3 for 1 mm. */
static inline int sciara_grid_decimals(const struct sciara_grid *g) {
  int decimals = 0;
  for (double side = g->cell_size; side < 1 - 1e-9 && decimals < 9; side *= 10) decimals++;
  return decimals;
}

/** Decimals with which a coordinate shows on which side of the edge of a cell it lies. */
static inline int sciara_grid_place_decimals(const struct sciara_grid *g) { return 3 + sciara_grid_decimals(g); }

/**
 * What a cell is. Interior: its 8 neighbours exist and are valid; rim: valid but not interior; sea: declared as sea,
 * valid, wherever it lies: it takes lava and keeps none.
 */
enum sciara_cell_kind { SCIARA_CELL_NODATA = 0, SCIARA_CELL_RIM = 1, SCIARA_CELL_INTERIOR = 2, SCIARA_CELL_SEA = 3 };

/** Altitude that means "outside the DEM" in a host state and in files. */
#define SCIARA_NODATA_ALTITUDE (-9999.0)

// Range of valid altitudes, m: from below the ocean trenches to above any mountain.
#define SCIARA_ALTITUDE_MIN (-12000.0)
#define SCIARA_ALTITUDE_MAX 100000.0

/** Fills kind[rows*cols] (enum sciara_cell_kind) from valid[rows*cols] (0 or 1). */
void sciara_grid_classify(const struct sciara_grid *g, const uint8_t *valid, uint8_t *kind);

/** sciara_grid_classify for the rows from begin to end - 1 only. */
void sciara_grid_classify_rows(const struct sciara_grid *g, const uint8_t *valid, uint8_t *kind, int64_t begin,
                               int64_t end);

/** Compares two numbers of cells (int64_t), for qsort and bsearch. */
static inline int sciara_cells_ascending(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

SCIARA_END_DECLS
#endif
