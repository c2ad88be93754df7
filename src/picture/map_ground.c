// SPDX-License-Identifier: Apache-2.0
// The map itself: shaded ground, and the colours of the cells over it.
#include <math.h>

#include "base/mem.h"
#include "map/colour_ramp.h"
#include "picture/map_picture_parts.h"

const uint8_t sciara_map_sea[3] = {170, 205, 230}, sciara_map_no_data[3] = {238, 238, 234};

/** What a map is painted from. */
struct painting {
  const struct sciara_map_drawing *d;
  const struct sciara_colouring *colouring;
  const float *light; ///< of each cell of the window, 0..1; below 0 where there is no ground
};

/** Light at a point given in cells from the north-western corner: between the cells' centres in even steps. */
static double light_at(const struct painting *p, double row, double col) {
  const struct sciara_grid *g = &p->d->grid;
  const double r = row - 0.5, c = col - 0.5;
  const int64_t top = (int64_t)floor(r), left = (int64_t)floor(c);
  double sum = 0, weights = 0;
  for (int64_t i = top; i <= top + 1; i++)
    for (int64_t j = left; j <= left + 1; j++) {
      if (i < 0 || j < 0 || i >= g->rows || j >= g->cols || p->light[i * g->cols + j] < 0) continue;
      const double weight = (1 - fabs(r - (double)i)) * (1 - fabs(c - (double)j));
      sum += weight * (double)p->light[i * g->cols + j];
      weights += weight;
    }
  return weights > 0 ? sum / weights : 0.70710678118654752; // that of level ground
}

/** Colour of a value; false where there is nothing to show. */
static bool colour_of(const struct sciara_map_picture *q, const struct sciara_colouring *c, double value,
                      uint8_t rgb[3]) {
  if (!isfinite(value) || value == q->map->nodata) return false;
  size_t class = 0;
  while (class < q->edge_count && value >= q->edges[class]) class ++;
  if (q->kind)
    for (int k = 0; k < 3; k++) rgb[k] = q->kind[(int)value].rgb[k];
  else if (q->edges)
    sciara_ramp_colour(c->ramp, ((double)class + 0.5) / (double)(q->edge_count + 1), rgb);
  else
    sciara_ramp_colour(c->ramp, (value - c->low) / (c->high - c->low), rgb);
  return true;
}

/** The pixel of the background at a point of the window, given in cells; NULL: there is none, or it is see-through. */
static const uint8_t *background_at(const struct painting *p, double row, double col) {
  const struct sciara_map_image *b = p->d->q->background;
  if (!b) return NULL;
  const int64_t y = (int64_t)(row * (double)b->height / (double)p->d->grid.rows);
  const int64_t x = (int64_t)(col * (double)b->width / (double)p->d->grid.cols);
  const uint8_t *pixel =
      b->rgba + 4 * ((y < b->height ? y : b->height - 1) * b->width + (x < b->width ? x : b->width - 1));
  return pixel[3] >= 128 ? pixel : NULL;
}

/** Adds the colour at a point to `sum`. */
static void add_colour(const struct painting *p, double row, double col, double sum[3]) {
  const struct sciara_map_drawing *d = p->d;
  const struct sciara_grid *g = &d->grid;
  const int64_t r = row < (double)g->rows ? (int64_t)row : g->rows - 1;
  const int64_t c = col < (double)g->cols ? (int64_t)col : g->cols - 1;
  uint8_t rgb[3];
  const bool shown = colour_of(d->q, p->colouring, d->q->map->values[sciara_map_cell(d, r, c)], rgb);
  const bool no_ground = p->light[r * g->cols + c] < 0;
  const uint8_t *flat = background_at(p, row, col);
  if (!flat && no_ground) flat = sciara_map_is_sea(d, r, c) ? sciara_map_sea : sciara_map_no_data;
  if (flat && !(shown && (!no_ground || d->q->kind))) {
    for (int k = 0; k < 3; k++) sum[k] += flat[k];
    return;
  }
  const double light = light_at(p, row, col);
  for (int k = 0; k < 3; k++) sum[k] += shown ? fmin(255, rgb[k] * (0.75 + 0.354 * light)) : 85 + 160 * light;
}

/** Pixels of one row. A pixel that covers several cells shows their mean. */
static void paint_row(const struct painting *p, const struct sciara_map_place *map, int64_t j, uint32_t *pixels) {
  const struct sciara_grid *g = &p->d->grid;
  const double rows = (double)g->rows / (double)map->height, cols = (double)g->cols / (double)map->width;
  const int fine_r = (int)fmin(8, ceil(rows)), fine_c = (int)fmin(8, ceil(cols)), samples = fine_r * fine_c;
  for (int64_t i = 0; i < map->width; i++) {
    double sum[3] = {0};
    for (int s = 0; s < samples; s++) {
      const int r = s / fine_c, c = s % fine_c;
      const double down = (r + 0.5) / fine_r, right = (c + 0.5) / fine_c;
      add_colour(p, ((double)j + down) * rows, ((double)i + right) * cols, sum);
    }
    pixels[i] = 0;
    for (int k = 0; k < 3; k++) pixels[i] = pixels[i] << 8 | (uint32_t)lround(sum[k] / samples);
  }
}

/** Light on a cell of the window: of the slopes in the whole grid. */
static float light_of(const struct sciara_map_drawing *d, int64_t r, int64_t c) {
  if (d->q->altitude[sciara_map_cell(d, r, c)] == SCIARA_NODATA_ALTITUDE || sciara_map_is_sea(d, r, c)) return -1;
  return (float)sciara_hillshade(d->q->map->grid, d->q->altitude, d->window.row + r, d->window.col + c);
}

enum sciara_status sciara_paint_ground(struct sciara_map_drawing *d, const struct sciara_colouring *c) {
  const struct sciara_grid *g = &d->grid;
  float *light;
  SCIARA_TRY(SCIARA_NEW(light, sciara_grid_cells(g), "light on the ground of a picture"));
  for (int64_t r = 0; r < g->rows; r++)
    for (int64_t k = 0; k < g->cols; k++) light[r * g->cols + k] = light_of(d, r, k);
  const struct painting p = {d, c, light};
  sciara_picture_touch(&d->picture);
  for (int64_t j = 0; j < d->map.height; j++)
    paint_row(&p, &d->map, j, d->picture.pixels + (d->map.y + j) * d->picture.width + d->map.x);
  sciara_picture_touched(&d->picture);
  sciara_free(light);
  return SCIARA_OK;
}
