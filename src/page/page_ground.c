// SPDX-License-Identifier: Apache-2.0
#include "page/page_parts.h"

#include <inttypes.h>
#include <math.h>

#include "base/mem.h"
#include "file/georef.h"
#include "map/colour_ramp.h"

enum {
  MAX_SHADE = 1 << 20,     // pixels of the ground
  SEA_SHADE = 128,         // of a pixel that is sea
  MAX_ALTITUDES = 1 << 18, // under the pointer
  NODES = 17               // of the lattice of longitude and latitude, each way
};

void sciara_page_window(const struct sciara_page_frames *f, int64_t window[4]) {
  const int64_t length = f->box[2] > f->box[3] ? f->box[2] : f->box[3], margin = length / 2 > 32 ? length / 2 : 32;
  const int64_t size[2] = {f->grid.rows, f->grid.cols};
  for (int i = 0; i < 2; i++) {
    const int64_t first = f->box[2] > 0 && f->box[i] > margin ? f->box[i] - margin : 0;
    const int64_t end =
        f->box[2] > 0 && size[i] - (f->box[i] + f->box[i + 2]) > margin ? f->box[i] + f->box[i + 2] + margin : size[i];
    window[i] = first;
    window[i + 2] = end - first;
  }
}

/** One pixel of the ground: the mean light of its cells as 1..127; SEA_SHADE where they are sea, 0 where none is in the DEM. */
static uint8_t shade_pixel(const struct sciara_page *p, const int64_t window[4], int64_t scale, int64_t row,
                           int64_t col) {
  const struct sciara_grid *g = &p->frames->grid;
  double light = 0;
  int64_t count = 0, sea = 0;
  for (int64_t r = window[0] + row * scale; r < window[0] + (row + 1) * scale && r < window[0] + window[2]; r++)
    for (int64_t c = window[1] + col * scale; c < window[1] + (col + 1) * scale && c < window[1] + window[3]; c++) {
      const bool wet = p->sea && p->sea[r * g->cols + c];
      sea += wet;
      if (wet || p->altitude[r * g->cols + c] == SCIARA_NODATA_ALTITUDE) continue;
      light += sciara_hillshade(g, p->altitude, r, c);
      count++;
    }
  if (count == 0 || sea > count) return sea > 0 ? SEA_SHADE : 0;
  return (uint8_t)(1 + lround(126 * fmin(light / (double)count, 1)));
}

static enum sciara_status append_shade(struct sciara_text *t, const struct sciara_page *p, const int64_t window[4]) {
  int64_t scale = 1;
  while (((window[2] + scale - 1) / scale) * ((window[3] + scale - 1) / scale) > MAX_SHADE) scale++;
  const int64_t rows = (window[2] + scale - 1) / scale, cols = (window[3] + scale - 1) / scale;
  uint8_t *pixels = NULL;
  SCIARA_TRY(SCIARA_NEW(pixels, rows * cols, "the ground of a page"));
  for (int64_t i = 0; i < rows * cols; i++) pixels[i] = shade_pixel(p, window, scale, i / cols, i % cols);
  // Each as its difference from the plane through its neighbours in the west, the north and between: packs better.
  for (int64_t i = rows * cols - 1; i > 0; i--) {
    const int west = i % cols > 0 ? pixels[i - 1] : 0, north = i >= cols ? pixels[i - cols] : 0;
    const int between = i % cols > 0 && i >= cols ? pixels[i - cols - 1] : 0;
    pixels[i] = (uint8_t)(pixels[i] - west - north + between);
  }
  enum sciara_status status = sciara_text_append(
      t, "\"shade\":{\"scale\":%" PRId64 ",\"rows\":%" PRId64 ",\"cols\":%" PRId64 ",\"data\":\"", scale, rows, cols);
  if (status == SCIARA_OK) status = sciara_page_pack(t, pixels, (size_t)(rows * cols));
  if (status == SCIARA_OK) status = sciara_text_append(t, "\"},\n");
  sciara_free(pixels);
  return status;
}

/** Mean altitude of the cells of a block; NAN where none is in the DEM. */
static double mean_altitude(const struct sciara_page *p, const int64_t window[4], int64_t scale, int64_t row,
                            int64_t col) {
  const struct sciara_grid *g = &p->frames->grid;
  const int64_t top = window[0] + row * scale, left = window[1] + col * scale;
  double sum = 0;
  int64_t count = 0;
  for (int64_t r = top; r < top + scale && r < g->rows; r++)
    for (int64_t c = left; c < left + scale && c < g->cols; c++) {
      const double z = p->altitude[r * g->cols + c];
      if (z == SCIARA_NODATA_ALTITUDE) continue;
      sum += z;
      count++;
    }
  return count ? sum / (double)count : NAN;
}

/** Altitudes as levels: 0 outside the DEM, else base + (level - 1) step. */
static enum sciara_status append_altitudes(struct sciara_text *t, const struct sciara_page *p,
                                           const int64_t window[4]) {
  enum { LEVELS = 65000 };
  const struct sciara_grid *g = &p->frames->grid;
  int64_t scale = 1;
  while (((window[2] + scale - 1) / scale) * ((window[3] + scale - 1) / scale) > MAX_ALTITUDES) scale++;
  const int64_t rows = (window[2] + scale - 1) / scale, cols = (window[3] + scale - 1) / scale;
  double *altitude = NULL, low = INFINITY, high = -INFINITY;
  uint16_t *levels = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(altitude, rows * cols, "the altitudes of a page"));
  SCIARA_TRY_GOTO(SCIARA_NEW(levels, rows * cols, "the altitudes of a page"));
  for (int64_t i = 0; i < rows * cols; i++) {
    altitude[i] = mean_altitude(p, window, scale, i / cols, i % cols);
    if (isnan(altitude[i])) continue;
    low = fmin(low, altitude[i]);
    high = fmax(high, altitude[i]);
  }
  const double base = low <= high ? floor(low) : 0, step = fmax(0.1 * fmin(1, g->cell_size), (high - base) / LEVELS);
  for (int64_t i = 0; i < rows * cols; i++)
    levels[i] = isnan(altitude[i]) ? 0 : (uint16_t)(1 + lround((altitude[i] - base) / step));
  SCIARA_TRY_GOTO(sciara_text_append(t,
                                     "\"altitude\":{\"scale\":%" PRId64 ",\"rows\":%" PRId64 ",\"cols\":%" PRId64
                                     ",\"base\":%.15g,\"step\":%.15g,\"data\":\"",
                                     scale, rows, cols, base, step));
  SCIARA_TRY_GOTO(sciara_page_pack_levels(t, levels, NULL, rows, cols));
  SCIARA_TRY_GOTO(sciara_text_append(t, "\"},\n"));
cleanup:
  sciara_free(altitude);
  sciara_free(levels);
  return status;
}

/** Longitude and latitude at NODES x NODES places of the window, from its north-western to its south-eastern corner. */
static enum sciara_status append_lonlat(struct sciara_text *t, const struct sciara_page *p, const int64_t window[4]) {
  const struct sciara_grid *g = &p->frames->grid;
  double x[NODES * NODES], y[NODES * NODES];
  if (!p->crs_wkt) return sciara_text_append(t, "\"lonlat\":null,\n");
  for (int k = 0; k < NODES * NODES; k++) {
    const int row = k / NODES, col = k % NODES;
    const double down = (double)row / (NODES - 1), right = (double)col / (NODES - 1);
    x[k] = g->west + ((double)window[1] + right * (double)window[3]) * g->cell_size;
    y[k] = g->north - ((double)window[0] + down * (double)window[2]) * g->cell_size;
  }
  SCIARA_TRY(sciara_georef_to_lonlat(p->crs_wkt, NODES * NODES, x, y));
  SCIARA_TRY(sciara_text_append(t, "\"lonlat\":{\"nodes\":%d,\"values\":[", NODES));
  for (int k = 0; k < NODES * NODES; k++) {
    if (!isfinite(x[k]) || !isfinite(y[k]))
      SCIARA_TRY(sciara_text_append(t, "%snull,null", k ? "," : ""));
    else
      SCIARA_TRY(sciara_text_append(t, "%s%.8f,%.8f", k ? "," : "", x[k], y[k]));
  }
  return sciara_text_append(t, "]},\n");
}

enum sciara_status sciara_page_ground_print(struct sciara_text *t, const struct sciara_page *p) {
  const struct sciara_page_frames *f = p->frames;
  const struct sciara_grid *g = &f->grid;
  int64_t window[4];
  sciara_page_window(f, window);
  SCIARA_TRY(sciara_text_append(t,
                                "\"grid\":{\"rows\":%" PRId64 ",\"cols\":%" PRId64
                                ",\"cell_m\":%.15g,\"decimals\":%d,\"west_m\":%.15g,\"north_m\":%.15g},\n",
                                g->rows, g->cols, g->cell_size, sciara_grid_decimals(g), g->west, g->north));
  SCIARA_TRY(sciara_text_append(t, "\"window\":[%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "],\n", window[0],
                                window[1], window[2], window[3]));
  SCIARA_TRY(sciara_text_append(t, "\"box\":[%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "],\n", f->box[0], f->box[1],
                                f->box[2], f->box[3]));
  SCIARA_TRY(append_shade(t, p, window));
  SCIARA_TRY(append_altitudes(t, p, window));
  return append_lonlat(t, p, window);
}
