// SPDX-License-Identifier: Apache-2.0
#include "picture/extent_png.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "map/hillshade.h"
#include "picture/lettering.h"

// Colours that people who confuse red and green tell apart too (Okabe and Ito), by: covered by the run + 2 observed.
static const struct {
  const char *name;
  uint8_t rgb[3];
} kinds[] = {{"", {0, 0, 0}}, {"excess", {213, 94, 0}}, {"misses", {0, 114, 178}}, {"hits", {240, 228, 66}}};

enum { STRIP = 15, LONGEST = 65000 }; // height of the legend in units of the letters' scale; most viewers' limit

static uint8_t to_byte(double value) { return (uint8_t)lround(value > 0 ? (value < 255 ? value : 255) : 0); }

static void colour(const struct sciara_grid *g, const double *altitude, int64_t row, int64_t col, int kind,
                   uint8_t rgb[3]) {
  const uint8_t sea[3] = {204, 226, 240};
  memcpy(rgb, kind ? kinds[kind].rgb : sea, 3);
  if (altitude[row * g->cols + col] == SCIARA_NODATA_ALTITUDE) return;
  const double light = sciara_hillshade(g, altitude, row, col);
  for (int k = 0; k < 3; k++) rgb[k] = kind ? to_byte(rgb[k] * (0.5 + 0.7 * light)) : to_byte(50 + 205 * light);
}

/** Three squares with their words, from left to right. */
static void draw_legend(struct sciara_picture *p, int64_t top, int64_t scale) {
  const uint8_t white[3] = {255, 255, 255};
  const struct sciara_pen pen = {.height = 8 * (double)scale, .weight = 0.13, .opacity = 1, .rgb = {40, 40, 40}};
  int64_t x = 4 * scale;
  sciara_picture_fill(p, 0, top, p->width, STRIP * scale, white);
  for (int kind = 3; kind > 0; kind--) {
    sciara_picture_fill(p, x, top + 4 * scale, 7 * scale, 7 * scale, kinds[kind].rgb);
    sciara_picture_text(p, (double)(x + 10 * scale), (double)(top + 11 * scale), &pen, kinds[kind].name);
    x += 20 * scale + (int64_t)sciara_picture_text_width(pen.height, kinds[kind].name);
  }
}

enum sciara_status sciara_extent_write_png(const struct sciara_grid *grid, const double *altitude, const uint8_t *run,
                                           const uint8_t *observed, const char *path) {
  const int64_t longest = grid->rows > grid->cols ? grid->rows : grid->cols;
  if (longest > LONGEST)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: a picture has at most %d pixels each way", path, LONGEST);
  int64_t zoom = longest < 400 ? (400 + longest - 1) / longest : 1;
  if (zoom > 16) zoom = 16;
  struct sciara_picture picture = {.width = grid->cols * zoom, .stride = grid->cols * zoom};
  const int64_t scale = picture.width / 700 + 1;
  picture.height = grid->rows * zoom + STRIP * scale;
  SCIARA_TRY(SCIARA_NEW(picture.rgb, picture.width * picture.height * 3, "pixels of a picture"));
  for (int64_t r = 0; r < grid->rows; r++)
    for (int64_t c = 0; c < grid->cols; c++) {
      const int64_t i = r * grid->cols + c;
      uint8_t rgb[3];
      colour(grid, altitude, r, c, (run[i] ? 1 : 0) + (observed[i] ? 2 : 0), rgb);
      sciara_picture_fill(&picture, c * zoom, r * zoom, zoom, zoom, rgb);
    }
  draw_legend(&picture, grid->rows * zoom, scale);
  const enum sciara_status status = sciara_picture_write_png(&picture, path);
  sciara_free(picture.rgb);
  return status;
}
