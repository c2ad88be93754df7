// SPDX-License-Identifier: Apache-2.0
#include "geometry/polyline.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

enum {
  ROOM = 2 * SCIARA_VENT_AREA_MOST, // cells before duplicates are removed
  MOST_SEARCHED = 100000000,        // cells found with duplicates, for all segments of a line
};

static const double ROUNDING = 1e-9; ///< of a distance in cells

struct collection {
  const struct sciara_grid *grid;
  int64_t *cell;
  size_t count;
  int64_t searched;
};

/** A segment in units of cells: u columns east of the western edge, v rows south of the northern edge. */
struct segment {
  double u, v, du, dv;
};

/** Sorts the cells and removes duplicates. */
static enum sciara_status merge(struct collection *c) {
  size_t kept = 0;
  qsort(c->cell, c->count, sizeof *c->cell, sciara_cells_ascending);
  for (size_t k = 0; k < c->count; k++)
    if (kept == 0 || c->cell[k] != c->cell[kept - 1]) c->cell[kept++] = c->cell[k];
  c->count = kept;
  if (kept <= SCIARA_VENT_AREA_MOST) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "the area of the vent: expected at most %d cells, found more",
                     SCIARA_VENT_AREA_MOST);
}

static enum sciara_status add(struct collection *c, int64_t row, int64_t col) {
  if (c->count == ROOM) SCIARA_TRY(merge(c));
  if (++c->searched > MOST_SEARCHED)
    return sciara_fail(SCIARA_ERR_INPUT, "the area of the vent: the line has too many points for its width");
  c->cell[c->count++] = row * c->grid->cols + col;
  return SCIARA_OK;
}

static double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

static bool is_within(const struct segment *s, double u, double v, double reach) {
  const double length2 = s->du * s->du + s->dv * s->dv;
  const double along = length2 > 0 ? clamp(((u - s->u) * s->du + (v - s->v) * s->dv) / length2, 0, 1) : 0;
  const double du = u - (s->u + along * s->du), dv = v - (s->v + along * s->dv);
  return du * du + dv * dv <= reach * reach;
}

/** The cells of a row whose centres lie within `reach` cells of a segment. */
static enum sciara_status add_cells_of_row(struct collection *c, const struct segment *s, int64_t row, double reach) {
  const double v = (double)row + 0.5;
  double from = 0, to = 1; // the part of the segment that can be within reach of this row
  if (s->dv != 0) {
    const double a = (v - reach - s->v) / s->dv, b = (v + reach - s->v) / s->dv;
    from = clamp(fmin(a, b), 0, 1);
    to = clamp(fmax(a, b), 0, 1);
  }
  const double first = s->u + from * s->du, last = s->u + to * s->du;
  const double low = fmax(floor(fmin(first, last) - reach) - 1, 0);
  const double high = fmin(ceil(fmax(first, last) + reach) + 1, (double)c->grid->cols);
  for (int64_t col = (int64_t)low; col < (int64_t)high; col++)
    if (is_within(s, (double)col + 0.5, v, reach)) SCIARA_TRY(add(c, row, col));
  return SCIARA_OK;
}

/** The cells whose centres lie within `reach` cells of the segment from a to b. */
static enum sciara_status add_segment(struct collection *c, struct sciara_point a, struct sciara_point b,
                                      double reach) {
  const struct sciara_grid *g = c->grid;
  const double w = g->cell_size;
  const struct segment s = {(a.x - g->west) / w, (g->north - a.y) / w, (b.x - a.x) / w, (a.y - b.y) / w};
  const double low = fmax(floor(fmin(s.v, s.v + s.dv) - reach) - 1, 0);
  const double high = fmin(ceil(fmax(s.v, s.v + s.dv) + reach) + 1, (double)g->rows);
  for (int64_t row = (int64_t)low; row < (int64_t)high; row++) SCIARA_TRY(add_cells_of_row(c, &s, row, reach));
  return SCIARA_OK;
}

/** The cell that contains a point. */
static enum sciara_status add_point(struct collection *c, struct sciara_point p) {
  int64_t row, col;
  if (sciara_grid_cell_of(c->grid, p, &row, &col)) return add(c, row, col);
  return sciara_fail(SCIARA_ERR_INPUT, "the area of the vent: found its point x %.10g, y %.10g outside the grid", p.x,
                     p.y);
}

/** The cells that a line crosses. */
static enum sciara_status add_line(struct collection *c, const struct sciara_point *points, size_t count) {
  struct sciara_crossing *crossing;
  size_t crossings;
  SCIARA_TRY(sciara_polyline_cells(c->grid, points, count, &crossing, &crossings));
  enum sciara_status status = SCIARA_OK;
  for (size_t k = 0; k < crossings && status == SCIARA_OK; k++) status = add(c, crossing[k].row, crossing[k].col);
  sciara_free(crossing);
  return status;
}

enum sciara_status sciara_vent_area_cells(const struct sciara_grid *grid, const struct sciara_point *points,
                                          size_t count, double reach, int64_t **out, size_t *out_count) {
  struct collection c = {.grid = grid};
  const double cells = reach / grid->cell_size + ROUNDING;
  enum sciara_status status;
  *out = NULL;
  *out_count = 0;
  SCIARA_TRY(SCIARA_NEW(c.cell, ROOM, "the area of a vent"));
  SCIARA_TRY_GOTO(count == 1 ? add_point(&c, points[0]) : add_line(&c, points, count));
  for (size_t k = 0; k + 1 < count || k == 0; k++)
    SCIARA_TRY_GOTO(add_segment(&c, points[k], points[k + 1 < count ? k + 1 : k], cells));
  SCIARA_TRY_GOTO(merge(&c));
  *out = c.cell;
  *out_count = c.count;
  return SCIARA_OK;
cleanup:
  sciara_free(c.cell);
  return status;
}
