// SPDX-License-Identifier: Apache-2.0
// Lines of equal longitude and latitude on a map.
#include <math.h>
#include <stdio.h>

#include "file/georef.h"
#include "picture/map_picture_parts.h"

static const uint8_t grid_colour[3] = {60, 90, 130};

enum { PARTS = 24, LINES_MOST = 6 }; ///< points of a line, lines in each direction

/** The smallest of the usual steps of degrees and minutes with which at most LINES_MOST lines cross a span. */
static double degree_step(double span) {
  static const double minutes[] = {0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600};
  enum { COUNT = sizeof minutes / sizeof *minutes };
  int k = 0;
  while (k + 1 < COUNT && span * 60 > LINES_MOST * minutes[k]) k++;
  return minutes[k] / 60;
}

/** "14°25.5′E"; longitudes may lie up to one turn beyond 180 degrees. */
static void name_degrees(const struct sciara_map_drawing *d, double value, bool east, double step, char *text,
                         size_t capacity) {
  if (east && fabs(value) > 180) value -= copysign(360, value);
  const double all = round(fabs(value) * 600) / 10, degrees = floor(all / 60 + 1e-9), minutes = all - 60 * degrees;
  const char *end = east ? (value < 0 ? "W" : "E") : value < 0 ? "S" : "N";
  if (step >= 1)
    snprintf(text, capacity, "%.0f°%s", degrees, end);
  else
    snprintf(text, capacity, step * 60 < 1 ? "%.0f°%04.1f′%s" : "%.0f°%02.0f′%s", degrees, fabs(minutes), end);
  sciara_word_numbers(d->q->language, text);
}

/** Longitudes and latitudes along the edges of the map: their ranges. Across the meridian of 180 degrees longitudes go on. */
static bool find_range(const struct sciara_map_drawing *d, double low[2], double high[2]) {
  double x[4 * PARTS], y[4 * PARTS];
  const struct sciara_grid *g = &d->grid;
  const double wide = (double)g->cols * g->cell_size, tall = (double)g->rows * g->cell_size;
  for (int k = 0; k < PARTS; k++) {
    const double t = (double)k / PARTS;
    const double corner[4][2] = {{t, 0}, {1, t}, {1 - t, 1}, {0, 1 - t}};
    for (int side = 0; side < 4; side++) {
      x[4 * k + side] = g->west + corner[side][0] * wide;
      y[4 * k + side] = g->north - corner[side][1] * tall;
    }
  }
  if (sciara_georef_to_lonlat(d->q->map->georef->crs_wkt, 4 * PARTS, x, y) != SCIARA_OK) return false;
  low[0] = low[1] = INFINITY;
  high[0] = high[1] = -INFINITY;
  for (int k = 0; k < 4 * PARTS; k++) {
    if (fabs(x[k] - x[0]) > 180) x[k] += copysign(360, x[0] - x[k]);
    low[0] = fmin(low[0], x[k]);
    high[0] = fmax(high[0], x[k]);
    low[1] = fmin(low[1], y[k]);
    high[1] = fmax(high[1], y[k]);
  }
  return isfinite(low[0]) && isfinite(high[0]) && isfinite(low[1]) && isfinite(high[1]) && high[0] - low[0] < 180;
}

/** A line of equal longitude (`meridian`) or latitude, with its name where it enters the map. */
static void draw_degree(struct sciara_map_drawing *d, bool meridian, double value, const double low[2],
                        const double high[2], double step) {
  cairo_t *c = d->picture.cairo;
  const double capital = fmax(6, 0.7 * d->letter), line = fmax(1, round(d->letter / 14));
  const int other = meridian;
  bool named = false;
  struct sciara_point label = {0, 0};
  for (int k = 0; k <= PARTS; k++) {
    const double along = low[other] + (high[other] - low[other]) * k / PARTS;
    struct sciara_point p;
    if (sciara_georef_from_lonlat(d->q->map->georef->crs_wkt, meridian ? value : along, meridian ? along : value, &p.x,
                                  &p.y) != SCIARA_OK)
      break;
    p = sciara_map_point(d, p);
    if (!sciara_map_is_near(d, p)) continue;
    cairo_line_to(c, p.x, p.y);
    if (!meridian && !named && p.x > (double)d->map.x) {
      named = true;
      label = (struct sciara_point){(double)d->map.x + 4 * capital, p.y};
    }
    if (meridian && !named && p.y < (double)(d->map.y + d->map.height)) {
      named = true;
      label = (struct sciara_point){p.x, (double)(d->map.y + d->map.height) - 1.2 * capital};
    }
  }
  cairo_set_line_width(c, line);
  sciara_picture_colour(&d->picture, grid_colour, 0.45);
  cairo_stroke(c);
  char text[48];
  name_degrees(d, value, meridian, step, text, sizeof text);
  const struct sciara_writing w = {.text = text, .capital = capital};
  if (named) sciara_write_bordered(d, &w, label, 0, 0.35 * capital, 0.9, grid_colour);
}

void sciara_paint_graticule(struct sciara_map_drawing *d) {
  double low[2], high[2];
  if (!d->q->map->georef || !d->q->map->georef->crs_wkt) return;
  if (!find_range(d, low, high)) {
    sciara_error_clear();
    return;
  }
  sciara_clip_to_map(d);
  for (int axis = 0; axis < 2; axis++) {
    const double step = degree_step(high[axis] - low[axis]);
    for (double n = ceil(low[axis] / step); n * step <= high[axis]; n++)
      draw_degree(d, axis == 0, n * step, low, high, step);
  }
  cairo_restore(d->picture.cairo);
}
