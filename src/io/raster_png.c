// SPDX-License-Identifier: Apache-2.0
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "io/colour_ramp.h"
#include "io/hillshade.h"
#include "io/picture.h"
#include "io/raster_gdal.h"

static uint8_t to_byte(double value) { return (uint8_t)lround(value > 0 ? (value < 255 ? value : 255) : 0); }

struct painting {
  const struct sciara_map *map;
  const struct sciara_ramp *ramp;
  double low, high;
  int64_t zoom; ///< pixels per cell
};

static void paint_cells(const struct painting *p, const double *altitude, struct sciara_picture *picture) {
  const uint8_t sea[3] = {204, 226, 240};
  const struct sciara_grid *g = p->map->grid;
  for (int64_t r = 0; r < g->rows; r++)
    for (int64_t c = 0; c < g->cols; c++) {
      double value = p->map->values[r * g->cols + c];
      uint8_t rgb[3];
      memcpy(rgb, sea, sizeof rgb);
      if (altitude[r * g->cols + c] != SCIARA_NODATA_ALTITUDE) {
        double light = sciara_hillshade(g, altitude, r, c);
        for (int i = 0; i < 3; i++) rgb[i] = to_byte(50 + 205 * light);
        if (isfinite(value) && value != p->map->nodata) {
          sciara_ramp_colour(p->ramp, (value - p->low) / (p->high - p->low), rgb);
          for (int i = 0; i < 3; i++) rgb[i] = to_byte(rgb[i] * (0.5 + 0.7 * light)); // flat ground keeps the colour
        }
      }
      sciara_picture_fill(picture, c * p->zoom, r * p->zoom, p->zoom, p->zoom, rgb);
    }
}

/** "3.42 m"; long times in hours or days. */
static void label(double value, double high, const char *unit, char *text, size_t capacity) {
  double scale = 1;
  if (strcmp(unit, "s") == 0 && high >= 7200) {
    scale = high >= 2 * 86400 ? 86400 : 3600;
    unit = high >= 2 * 86400 ? "d" : "h";
  }
  snprintf(text, capacity, "%.3g %s", value / scale, strcmp(unit, "m s-1") == 0 ? "m/s" : unit);
}

enum { STRIP = 15 }; // height of the colour bar with its margins, in units of the letters' scale

/** The colour bar below the map, between its two labels; only the bar where there is no room for them. */
static void paint_bar(const struct painting *p, int64_t top, int64_t scale, struct sciara_picture *picture) {
  const uint8_t white[3] = {255, 255, 255}, ink[3] = {40, 40, 40};
  char low[40], high[40];
  label(p->low, p->high, p->map->unit, low, sizeof low);
  label(p->high, p->high, p->map->unit, high, sizeof high);
  sciara_picture_fill(picture, 0, top, picture->width, STRIP * scale, white);
  int64_t left = 4 * scale, right = picture->width - 4 * scale;
  int64_t low_width = sciara_picture_text_width(scale, low), high_width = sciara_picture_text_width(scale, high);
  if (right - left > low_width + high_width + 40 * scale) {
    sciara_picture_text(picture, left, top + 4 * scale, scale, low, ink);
    sciara_picture_text(picture, right - high_width, top + 4 * scale, scale, high, ink);
    left += low_width + 4 * scale;
    right -= high_width + 4 * scale;
  }
  for (int64_t x = left; x < right; x++) {
    uint8_t rgb[3];
    sciara_ramp_colour(p->ramp, (double)(x - left) / (double)(right - left - 1 > 0 ? right - left - 1 : 1), rgb);
    sciara_picture_fill(picture, x, top + 4 * scale, 1, 7 * scale, rgb);
  }
}

enum sciara_status sciara_map_write_png(const struct sciara_map *map, const double *altitude, const char *path) {
  const struct sciara_grid *g = map->grid;
  int64_t longest = g->rows > g->cols ? g->rows : g->cols;
  if (longest > 65000) // beyond what most viewers open; also keeps 3 x width within an int
    return sciara_fail(SCIARA_ERR_INPUT, "%s: a picture has at most 65000 pixels each way; export a COG instead", path);
  struct painting p = {
      .map = map, .ramp = sciara_ramp_for(map->name), .zoom = longest < 400 ? (400 + longest - 1) / longest : 1};
  if (p.zoom > 16) p.zoom = 16;
  sciara_ramp_range(p.ramp, map->values, sciara_grid_cells(g), map->nodata, &p.low, &p.high);
  struct sciara_picture picture = {.width = g->cols * p.zoom};
  int64_t scale = picture.width / 700 + 1;
  picture.height = g->rows * p.zoom + STRIP * scale;
  SCIARA_TRY(SCIARA_NEW(picture.rgb, picture.width * picture.height * 3, "pixels of a picture"));
  paint_cells(&p, altitude, &picture);
  paint_bar(&p, g->rows * p.zoom, scale, &picture);
  enum sciara_status status = sciara_picture_write_png(&picture, path);
  sciara_free(picture.rgb);
  return status;
}
