// SPDX-License-Identifier: Apache-2.0
#include "picture/map_picture.h"

#include <math.h>

static void add_cell(struct sciara_map_bounds *b, int64_t r, int64_t c) {
  if (!b->any) *b = (struct sciara_map_bounds){true, r, c, r, c};
  if (r < b->top) b->top = r;
  if (r > b->bottom) b->bottom = r;
  if (c < b->left) b->left = c;
  if (c > b->right) b->right = c;
}

void sciara_map_bounds_add_values(struct sciara_map_bounds *b, const struct sciara_grid *g, const double *values) {
  for (int64_t r = 0; r < g->rows; r++)
    for (int64_t c = 0; c < g->cols; c++)
      if (values[r * g->cols + c] > 0) add_cell(b, r, c);
}

void sciara_map_bounds_add_mask(struct sciara_map_bounds *b, const struct sciara_grid *g, const uint8_t *mask) {
  for (int64_t r = 0; r < g->rows; r++)
    for (int64_t c = 0; c < g->cols; c++)
      if (mask[r * g->cols + c]) add_cell(b, r, c);
}

void sciara_map_bounds_add_point(struct sciara_map_bounds *b, const struct sciara_grid *g, struct sciara_point p) {
  const double r = floor((g->north - p.y) / g->cell_size), c = floor((p.x - g->west) / g->cell_size);
  if (r >= 0 && c >= 0 && r < (double)g->rows && c < (double)g->cols) add_cell(b, (int64_t)r, (int64_t)c);
}

/** `length` cells from `first` grow to `target` around their middle, within 0..size. */
static void widen(int64_t *first, int64_t *length, int64_t target, int64_t size) {
  if (target > size) target = size;
  if (target <= *length) return;
  *first -= (target - *length) / 2;
  *length = target;
  if (*first < 0) *first = 0;
  if (*first + target > size) *first = size - target;
}

/** Adds a margin at both ends, as far as there are cells. */
static void pad(int64_t *first, int64_t *length, int64_t margin, int64_t size) {
  const int64_t low = *first > margin ? *first - margin : 0;
  const int64_t high = size - (*first + *length) > margin ? *first + *length + margin : size;
  *first = low;
  *length = high - low;
}

struct sciara_map_window sciara_map_window_around(const struct sciara_map_bounds *b, const struct sciara_grid *g) {
  if (!b->any) return (struct sciara_map_window){0, 0, g->rows, g->cols};
  struct sciara_map_window w = {b->top, b->left, b->bottom - b->top + 1, b->right - b->left + 1};
  const int64_t longer = w.rows > w.cols ? w.rows : w.cols;
  const int64_t margin = longer / 10 > SCIARA_MAP_MARGIN ? longer / 10 : SCIARA_MAP_MARGIN;
  pad(&w.row, &w.rows, margin, g->rows);
  pad(&w.col, &w.cols, margin, g->cols);
  widen(&w.row, &w.rows, (w.cols + 1) / 2, g->rows);
  widen(&w.col, &w.cols, (w.rows + 1) / 2, g->cols);
  return w;
}

enum sciara_status sciara_map_window_of_box(const double box[4], const struct sciara_grid *g,
                                            struct sciara_map_window *out) {
  const double east = sciara_grid_east(g), south = sciara_grid_south(g);
  if (!(box[0] < box[2]) || !(box[1] < box[3]))
    return sciara_fail(SCIARA_ERR_USAGE, "extent: expected x0 < x1 and y0 < y1, found %.10g,%.10g,%.10g,%.10g", box[0],
                       box[1], box[2], box[3]);
  if (!(box[0] < east && box[2] > g->west && box[1] < g->north && box[3] > south))
    return sciara_fail(
        SCIARA_ERR_USAGE,
        "extent: %.10g,%.10g,%.10g,%.10g lies outside the map, which covers x %.10g to %.10g and y %.10g "
        "to %.10g",
        box[0], box[1], box[2], box[3], g->west, east, south, g->north);
  const double top = floor((g->north - box[3]) / g->cell_size), left = floor((box[0] - g->west) / g->cell_size);
  const double bottom = ceil((g->north - box[1]) / g->cell_size), right = ceil((box[2] - g->west) / g->cell_size);
  const int64_t r0 = top > 0 ? (int64_t)top : 0, c0 = left > 0 ? (int64_t)left : 0;
  const int64_t r1 = bottom < (double)g->rows ? (int64_t)bottom : g->rows;
  const int64_t c1 = right < (double)g->cols ? (int64_t)right : g->cols;
  *out = (struct sciara_map_window){r0, c0, r1 - r0, c1 - c0};
  return SCIARA_OK;
}

struct sciara_grid sciara_map_window_grid(const struct sciara_map_window *w, const struct sciara_grid *g) {
  return (struct sciara_grid){.rows = w->rows,
                              .cols = w->cols,
                              .cell_size = g->cell_size,
                              .west = g->west + (double)w->col * g->cell_size,
                              .north = g->north - (double)w->row * g->cell_size};
}
