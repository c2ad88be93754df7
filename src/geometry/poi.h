// SPDX-License-Identifier: Apache-2.0
// Places of interest: points, lines and zones (polygons) with a name, and how much of each lies in each cell.
#ifndef SCIARA_GEOMETRY_POI_H
#define SCIARA_GEOMETRY_POI_H

#include <stddef.h>

#include "geometry/dem_window.h"
#include "geometry/polyline.h"

enum sciara_poi_kind { SCIARA_POI_POINT, SCIARA_POI_LINE, SCIARA_POI_ZONE, SCIARA_POI_KINDS };

/** "point", "line", "zone". */
const char *sciara_poi_kind_name(enum sciara_poi_kind kind);

/** A place: one or more points, polylines, or polygons. Zero-initialise; release with sciara_poi_free. */
struct sciara_poi {
  char *name; ///< from malloc
  enum sciara_poi_kind kind;
  struct sciara_point *points; ///< of all parts, one after the other; CRS of the grid, m; from sciara_alloc
  size_t point_count;
  /** Part p has the points ends[p - 1] to ends[p] - 1: a line, or a ring whose last point joins the first. NULL: one part, or
   *  points. Holes of a zone run the other way round than its outer rings. From sciara_alloc. */
  size_t *ends;
  size_t parts; ///< if `ends` is given
};

void sciara_poi_free(struct sciara_poi *poi);

/** The number of parts, and where part p ends. */
size_t sciara_poi_parts(const struct sciara_poi *poi);
size_t sciara_poi_end(const struct sciara_poi *poi, size_t part);

/** The mean of its points, where a place is marked on a map. */
struct sciara_point sciara_poi_middle(const struct sciara_poi *poi);

/** How much there is of a place: points, m of a line, or m2 of a zone. */
struct sciara_poi_size {
  double all, on_grid;
};

/** The size of a place by what it lies on; the rest lies outside the grid. */
struct sciara_poi_ground {
  double all, land, sea, nodata;
};

/** Where lava could reach a place: on land, or else what the most of it lies on; EMPTY: there is nothing of it. */
enum sciara_poi_where {
  SCIARA_POI_ON_LAND,
  SCIARA_POI_IN_SEA,
  SCIARA_POI_ON_NODATA,
  SCIARA_POI_OUTSIDE,
  SCIARA_POI_BEYOND, ///< outside the raster of which the DEM is a window: as of sciara_poi_where_of alone
  SCIARA_POI_EMPTY,
  SCIARA_POI_WHERES
};
enum sciara_poi_where sciara_poi_where(const struct sciara_poi_ground *ground);

enum { SCIARA_POI_REASON = SCIARA_DEM_WINDOW_TEXT + 8 };

/** "land", "sea", "NODATA", "outside", "empty": in tables. */
const char *sciara_poi_where_name(enum sciara_poi_where where);

/** SCIARA_POI_BEYOND for a place outside that no window of the raster has, or that has no points; `where` for others. */
enum sciara_poi_where sciara_poi_where_of(const struct sciara_poi *poi, enum sciara_poi_where where,
                                          const struct sciara_dem_window *window);

/** "in the sea", "on NODATA", "outside the DEM", "without geometry"; "" on land. */
const char *sciara_poi_where_text(enum sciara_poi_where where, const struct sciara_dem_window *window,
                                  char text[SCIARA_DEM_WINDOW_TEXT]);

/**
 * Why no lava can reach a place that is not on land: "lies in the sea"; NULL for one on land.
 *
 * @param window of the DEM
 * @param text   has room for the reason
 */
const char *sciara_poi_where_reason(const struct sciara_poi *poi, enum sciara_poi_where where,
                                    const struct sciara_dem_window *window, char text[SCIARA_POI_REASON]);

/** Takes what lies in a cell: `amount` > 0 points, m or m2. A line or a point may come to a cell several times. */
typedef enum sciara_status sciara_poi_visit(void *context, int64_t cell, double amount);

/**
 * Visits the cells of a place: that of each point, those that a line crosses, those that a zone overlaps. What lies outside
 * the grid is left out. Lengths and areas are those in the plane of the CRS, and exact but for rounding: their relative error
 * is below 1e-9. Parts of a cell below a billionth of its side, or its area, are left out.
 *
 * @return SCIARA_ERR_INPUT for a line of more than SCIARA_POLYLINE_MAX_PIECES crossings, SCIARA_ERR_MEMORY, or what `visit` says
 */
enum sciara_status sciara_poi_visit_cells(const struct sciara_poi *poi, const struct sciara_grid *grid,
                                          sciara_poi_visit *visit, void *context, struct sciara_poi_size *size);

/** The cells of a place, ascending, each once. Release with sciara_poi_cells_free. */
struct sciara_poi_cells {
  int64_t *cell;
  double *amount; ///< in each cell, as of sciara_poi_visit
  size_t count;
  struct sciara_poi_size size;
};

/** Collects what sciara_poi_visit_cells visits. */
enum sciara_status sciara_poi_cells_make(const struct sciara_poi *poi, const struct sciara_grid *grid,
                                         struct sciara_poi_cells *out);

/** What the cells of a place are. @param kind rows x cols, enum sciara_cell_kind */
struct sciara_poi_ground sciara_poi_cells_ground(const struct sciara_poi_cells *cells, const uint8_t *kind);
void sciara_poi_cells_free(struct sciara_poi_cells *cells);

#endif
