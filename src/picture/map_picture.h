// SPDX-License-Identifier: Apache-2.0
// A map as a picture for a report: hillshade, colours, coordinates, legend, scale bar, north arrow, title, time; the part
// of the grid that it shows, and its logo.
#ifndef SCIARA_PICTURE_MAP_PICTURE_H
#define SCIARA_PICTURE_MAP_PICTURE_H

#include <stdbool.h>

#include "geometry/grid.h"
#include "geometry/poi.h"
#include "geometry/polyline.h"
#include "map/raster_gdal.h"
#include "map/words.h"
#include "map/zones.h"
#include "model/params.h"

// ------------------------------------------------------------------------------------------- what is shown of the grid

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

// --------------------------------------------------------------------------------------------------------- the picture

/** Allowed widths of a picture, px. */
enum { SCIARA_PICTURE_NARROWEST = 320, SCIARA_PICTURE_WIDEST = 10000 };

/** A kind of cell on a map of kinds. */
struct sciara_map_kind {
  const char *name; ///< in the legend
  uint8_t rgb[3];
};

/** A vent: a point, or the vertices of a fissure, in the CRS of the grid. */
struct sciara_map_vent {
  const struct sciara_point *points;
  size_t count;
  double weight; ///< in a weighted picture, above 0 to 1: the area of its mark
};

/** The point that lava reached at the greatest distance from the vents. */
struct sciara_map_run_out {
  struct sciara_point at;
  double metres;
};

/** Volumes of lava, m3. A line of text shows each that is above 0; `always` keeps its place in the frames of a film. */
struct sciara_map_volumes {
  char lava[SCIARA_WORD_LAVA_SIZE];                             ///< the line before them, of sciara_word_lava; "": none
  double emitted, other, left_map, entered_sea, added, removed; ///< other: at the start, and added
  bool always_left_map, always_entered_sea;
};

/** Pixels of another source: 4 bytes each (red, green, blue, opacity), rows from the top. */
struct sciara_map_image {
  const uint8_t *rgba;
  int64_t width, height;
};

/** What is drawn. Members that are 0 or NULL are left out or chosen. */
struct sciara_map_picture {
  const struct sciara_map *map;
  const double *altitude;                 ///< ground under it, rows x cols, SCIARA_NODATA_ALTITUDE outside
  const uint8_t *sea;                     ///< rows x cols, 0 or 1: cells that are sea, with or without an altitude
  const struct sciara_map_window *window; ///< what is shown; NULL: the whole grid
  enum sciara_language language;
  double low, high;         ///< range of the colours; unless low < high that of the values. Ends become round numbers.
  const double *time_s;     ///< simulated time
  const char *start;        ///< of the run, "2006-07-14T23:30:00Z"
  const uint16_t *edits;    ///< rows x cols: cells that are not 0 have an edited ground, whose outline is drawn
  const uint8_t *observed;  ///< rows x cols, 0 or 1: an extent whose outline is drawn
  const double *observed_s; ///< the simulated time of it, whose date stands in the key
  const struct sciara_zones
      *fronts;     ///< isochrones, named by their ends: the border of the lava at the end of each is drawn
  bool warning;    ///< the run has warnings about its lava: a line below the key says so
  double coarse_m; ///< side of the much larger cells from which those of the DEM were made: the same; 0: none
  const struct sciara_map_vent *vent;
  size_t vents;
  const struct sciara_poi *pois; ///< places that are drawn with their names, as far as these have room
  size_t poi_count;
  bool weighted;       ///< vents are circles by their weight
  const double *edges; ///< ascending: the classes between them have one colour each, in place of a range
  size_t edge_count;
  const char *blank; ///< said where there is no value at all; NULL: that there is no lava
  bool graticule;    ///< lines of equal longitude and latitude
  const struct sciara_map_run_out *run_out;
  const char *run_out_of; ///< of two runs: which one; NULL: there is one
  const struct sciara_map_volumes *volumes;
  const char *note;                          ///< lines of text under the key, such as scores, divided by '\n'
  const char *issued, *valid_until;          ///< dates as they are to be written
  unsigned rules;                            ///< bits 1 << enum sciara_rule_kind, named beside the program; 0: fv3
  const char *credits;                       ///< after the name of the program
  const char *stamp;                         ///< in a frame above the map: "UNVERIFIED"
  struct _cairo_surface *logo;               ///< at the upper right
  const struct sciara_map_image *background; ///< instead of the shaded ground where it is opaque; covers the window
  int64_t width; ///< of the picture, px; 0: two or more for the cells of a small window, at most 4000 for a large one
  const struct sciara_map_kind *kind; ///< the values are 0, 1, 2... and stand for these, not for a field
  int kinds;
};

/**
 * Writes the picture as PNG, atomically. Width and height are even numbers, as required for films. If no font is
 * installed it has no text; a character of a text that no font has is drawn as a box. A warning reports both.
 */
enum sciara_status sciara_map_write_png(const struct sciara_map_picture *picture, const char *path);

/** Width and height of the map in the picture, px: those that a background should have. */
void sciara_map_picture_pixels(const struct sciara_map_picture *picture, int64_t *width, int64_t *height);

/** Bytes of memory that it needs in addition to map->values and altitude. */
size_t sciara_map_picture_memory(const struct sciara_grid *grid);

// -------------------------------------------------------------------------------- its logo, from a PNG file, in logo.c

enum { SCIARA_LOGO_LONGEST = 2000, SCIARA_LOGO_BYTES = 4 << 20 };

/**
 * Reads a PNG file of at most SCIARA_LOGO_BYTES and SCIARA_LOGO_LONGEST pixels each way; both are checked before memory is
 * taken, and nothing else is opened. SCIARA_ERR_INPUT for anything else, SCIARA_ERR_IO if it is not there.
 *
 * @param out release with sciara_logo_free
 */
enum sciara_status sciara_logo_read(const char *path, struct _cairo_surface **out);
void sciara_logo_free(struct _cairo_surface *logo);

#endif
