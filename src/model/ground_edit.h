// SPDX-License-Identifier: Apache-2.0
// What a scenario adds to the ground of its DEM: edits (barriers, channels, embankments), the sea, and random errors of
// altitudes. Cells are chosen by their centres.
#ifndef SCIARA_MODEL_GROUND_EDIT_H
#define SCIARA_MODEL_GROUND_EDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "geometry/polyline.h"

SCIARA_BEGIN_DECLS

/** The values of an edit; their names, as keys and as columns of a vector file: sciara_edit_value_name. */
enum sciara_edit_value {
  SCIARA_EDIT_WIDTH,  ///< of a line, m
  SCIARA_EDIT_HEIGHT, ///< of a line: above the ground, m
  SCIARA_EDIT_CREST,  ///< of a line: the ground rises to this altitude, m; higher ground stays
  SCIARA_EDIT_DEPTH,  ///< of a line: below the ground, m
  SCIARA_EDIT_RAISE,  ///< of a polygon: change of the altitude, m
  SCIARA_EDIT_LEVEL,  ///< of a polygon: the new altitude, m
  SCIARA_EDIT_VALUES
};

/** "width_m" and so on. */
const char *sciara_edit_value_name(enum sciara_edit_value value);

/** The range of a value, m; the lowest width, height and depth are not part of it. */
void sciara_edit_value_range(enum sciara_edit_value value, double *low, double *high);

/** One edit of a scenario: a line or a polygon, or a vector file of them. Texts are from malloc. */
struct sciara_edit {
  char *name;                       ///< "edit 1" if the scenario gives none
  double from_s;                    ///< simulated time at which it is done; 0: before the run
  char *path;                       ///< of a vector file; NULL: `points` or `raster`
  char *raster;                     ///< of altitudes, on the grid of the DEM; NULL: `path` or `points`
  char *layer;                      ///< of that file; NULL: its only one
  char *place;                      ///< name of its feature; NULL: all
  bool closed;                      ///< the points are a polygon, whose last point joins the first
  struct sciara_point *points;      ///< in the CRS of the DEM, or `lonlat`; from sciara_alloc
  size_t point_count;               //
  bool lonlat;                      ///< the points are longitude and latitude (WGS 84)
  double value[SCIARA_EDIT_VALUES]; ///< NAN: not given
};

void sciara_edit_free(struct sciara_edit *edit);

/**
 * The value that decides what an edit does to a line or polygon. SCIARA_ERR_INPUT unless exactly one is given, and a
 * width for a line; values for the other form are ignored.
 */
enum sciara_status sciara_edit_choose(const double value[SCIARA_EDIT_VALUES], bool closed, enum sciara_edit_value *out);

/** The altitude, m, of ground at `altitude` after an edit. */
double sciara_edit_apply(enum sciara_edit_value what, double value, double altitude);

enum sciara_sea_rule {
  SCIARA_SEA_NONE,
  SCIARA_SEA_LEVEL,  ///< cells at or below a level that are connected with NODATA or the edge of the map
  SCIARA_SEA_NODATA, ///< the NODATA cells
  SCIARA_SEA_FILE,   ///< the cells in the polygons of a vector file
};

struct sciara_sea {
  enum sciara_sea_rule rule;
  double level; ///< m
  char *path;   ///< of the vector file; from malloc
};

/**
 * Marks the cells that a line of this width covers: those that it crosses, and those whose centres lie within half the
 * width. SCIARA_ERR_INPUT as of sciara_polyline_cells.
 *
 * @param mask rows x cols; set to 1 in those cells
 */
enum sciara_status sciara_mark_line(const struct sciara_grid *grid, const struct sciara_point *points, size_t count,
                                    double width, uint8_t *mask);

/**
 * Marks the cells whose centres lie in a polygon: in an odd number of its rings. It may extend beyond the grid.
 *
 * @param points of all rings, one after the other
 * @param ends   ring r has the points ends[r - 1] to ends[r] - 1
 */
enum sciara_status sciara_mark_polygon(const struct sciara_grid *grid, const struct sciara_point *points,
                                       const size_t *ends, size_t rings, uint8_t *mask);

/** What sciara_mark_connected looks for: valid cells at exactly `level`, or at or below it. */
struct sciara_low_ground {
  double level;
  bool exactly;
};

/**
 * Marks the cells of low ground that are connected, over the 8 neighbours, with a NODATA cell or the edge of the map.
 *
 * @param mask  rows x cols, zeroed by the caller
 * @param count number of them
 */
enum sciara_status sciara_mark_connected(const struct sciara_grid *grid, const double *altitude, const uint8_t *valid,
                                         struct sciara_low_ground low, uint8_t *mask, int64_t *count);

// ------------------------------------------------------------------------------ errors of altitudes, in ground_error.c

// They are correlated in space: one possible ground among those that a DEM with errors allows.

/** A stationary normal distribution with the mean 0. The correlation of two cells at the distance d is exp(-(d/L)^2). */
struct sciara_ground_error {
  double sd_m;          ///< standard deviation, m; 0: no error
  double correlation_m; ///< L, m: at this distance the correlation is 1/e; 0: cells are independent
  uint64_t seed;
};

enum { SCIARA_GROUND_ERROR_MOST_CELLS = 500 }; ///< largest correlation length, in sides of cells

/**
 * Adds the errors to altitude[rows x cols] where land[rows x cols] is not 0. White noise of the cells is smoothed with a
 * Gaussian kernel that ends at three standard deviations, so the error of a cell depends on the seed and on its row and
 * column alone.
 *
 * @return SCIARA_ERR_INPUT for a correlation length above SCIARA_GROUND_ERROR_MOST_CELLS, or an altitude that leaves the
 *         range of altitudes: the error names the cell
 */
enum sciara_status sciara_ground_error_add(const struct sciara_ground_error *e, const struct sciara_grid *grid,
                                           const uint8_t *land, double *altitude);

SCIARA_END_DECLS
#endif
