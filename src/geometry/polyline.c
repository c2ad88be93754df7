// SPDX-License-Identifier: Apache-2.0
#include "geometry/polyline.h"

#include <math.h>
#include <stdlib.h>

#include "base/detmath.h"
#include "base/mem.h"

/** One part of the line inside one cell. */
struct piece {
  int64_t cell;  ///< row * cols + col
  int64_t order; ///< position along the line
  double length;
};

struct tracer {
  const struct sciara_grid *grid;
  struct piece *pieces;
  int64_t count;
};

/** A segment in units of cells: u columns east of the western edge, v rows south of the northern edge. */
struct segment {
  double u, v, du, dv, length; ///< start, extent, length in m
};

/** The grid lines that a segment crosses along one axis, in its direction. */
struct crossing_lines {
  double start, extent;    ///< of the segment, in cells
  double line, step, last; ///< the next grid line; +1 or -1, to the one after it; the first one beyond the segment
};

static struct crossing_lines lines_of(double start, double extent) {
  if (extent > 0) return (struct crossing_lines){start, extent, floor(start) + 1, 1, ceil(start + extent)};
  return (struct crossing_lines){start, extent, ceil(start) - 1, -1, floor(start + extent)};
}

/** Parameter of the segment at the next grid line, or 1 if there is none. */
static double next_crossing(const struct crossing_lines *a) {
  bool left = a->extent > 0 ? a->line < a->last : a->extent < 0 && a->line > a->last;
  return left ? (a->line - a->start) / a->extent : 1.0;
}

/** The column or row that contains coordinate x; a line on the far outer edge belongs to the cell inside. */
static int64_t cell_of(double x, int64_t cells) {
  int64_t i = (int64_t)floor(x);
  return i < 0 ? 0 : i >= cells ? cells - 1 : i;
}

/** Adds the part from t0 to t1 of a segment to the cell at its middle. */
static void add_line_piece(struct tracer *tracer, const struct segment *s, double t0, double t1) {
  double middle = t0 + 0.5 * (t1 - t0);
  int64_t row = cell_of(s->v + middle * s->dv, tracer->grid->rows);
  int64_t col = cell_of(s->u + middle * s->du, tracer->grid->cols);
  int64_t order = tracer->count++;
  tracer->pieces[order] = (struct piece){row * tracer->grid->cols + col, order, (t1 - t0) * s->length};
}

static struct segment segment_of(const struct sciara_grid *g, struct sciara_point a, struct sciara_point b) {
  double dx = b.x - a.x, dy = b.y - a.y;
  return (struct segment){.u = (a.x - g->west) / g->cell_size,
                          .v = (g->north - a.y) / g->cell_size,
                          .du = dx / g->cell_size,
                          .dv = -dy / g->cell_size,
                          .length = sqrt(dx * dx + dy * dy)};
}

static void trace_segment(struct tracer *tracer, const struct segment *s) {
  if (!(s->length > 0)) return;
  // A shorter piece is a corner that the line touches only because of rounding; it would be a vent with almost no rate.
  double shortest = 1e-9 * tracer->grid->cell_size / s->length, from = 0;
  struct crossing_lines across[2] = {lines_of(s->u, s->du), lines_of(s->v, s->dv)};
  int64_t before = tracer->count;
  for (;;) {
    double t[2] = {next_crossing(&across[0]), next_crossing(&across[1])};
    int axis = t[0] <= t[1] ? 0 : 1;
    if (!(t[axis] < 1)) break;
    across[axis].line += across[axis].step;
    if (t[axis] - from <= shortest) continue;
    add_line_piece(tracer, s, from, t[axis]);
    from = t[axis];
  }
  if (1 - from > shortest || tracer->count == before)
    add_line_piece(tracer, s, from, 1);
  else
    tracer->pieces[tracer->count - 1].length += (1 - from) * s->length;
}

static enum sciara_status check_points(const struct sciara_grid *g, const struct sciara_point *points, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct sciara_point p = points[i];
    if (sciara_grid_has(g, p)) continue;
    return sciara_fail(SCIARA_ERR_INPUT,
                       "point %zu of the line: found x %.10g, y %.10g outside the grid, expected x %.10g to %.10g and "
                       "y %.10g to %.10g",
                       i, p.x, p.y, g->west, sciara_grid_east(g), sciara_grid_south(g), g->north);
  }
  return SCIARA_OK;
}

/** An upper bound of the number of pieces of the line, or SCIARA_ERR_INPUT if it is beyond the limit. */
static enum sciara_status count_pieces(const struct sciara_grid *g, const struct sciara_point *points, size_t count,
                                       size_t *pieces) {
  double total = 0;
  for (size_t i = 1; i < count; i++) {
    struct segment s = segment_of(g, points[i - 1], points[i]);
    if (s.length > 0) total += floor(fabs(s.du)) + floor(fabs(s.dv)) + 3;
  }
  if (total == 0)
    return sciara_fail(SCIARA_ERR_INPUT, "the line: found no length, expected at least two different points");
  if (total > SCIARA_POLYLINE_MAX_PIECES)
    return sciara_fail(SCIARA_ERR_INPUT, "the line: found about %.0f crossings of cells, expected at most %d", total,
                       SCIARA_POLYLINE_MAX_PIECES);
  *pieces = (size_t)total;
  return SCIARA_OK;
}

static int line_by_cell(const void *a, const void *b) {
  const struct piece *p = (const struct piece *)a, *q = (const struct piece *)b;
  if (p->cell != q->cell) return p->cell < q->cell ? -1 : 1;
  return (p->order > q->order) - (p->order < q->order);
}

static int by_order(const void *a, const void *b) {
  const struct piece *p = (const struct piece *)a, *q = (const struct piece *)b;
  return (p->order > q->order) - (p->order < q->order);
}

/** Merges the pieces of each cell into the first one. */
static void merge_pieces(struct tracer *tracer) {
  qsort(tracer->pieces, (size_t)tracer->count, sizeof *tracer->pieces, line_by_cell);
  int64_t kept = 0;
  for (int64_t i = 1; i < tracer->count; i++) {
    if (tracer->pieces[i].cell == tracer->pieces[kept].cell)
      tracer->pieces[kept].length += tracer->pieces[i].length;
    else
      tracer->pieces[++kept] = tracer->pieces[i];
  }
  tracer->count = kept + 1;
  qsort(tracer->pieces, (size_t)tracer->count, sizeof *tracer->pieces, by_order);
}

enum sciara_status sciara_polyline_cells(const struct sciara_grid *grid, const struct sciara_point *points,
                                         size_t count, struct sciara_crossing **out, size_t *out_count) {
  *out = NULL;
  *out_count = 0;
  if (count < 2) return sciara_fail(SCIARA_ERR_INPUT, "the line: found %zu points, expected at least 2", count);
  SCIARA_TRY(check_points(grid, points, count));
  struct tracer tracer = {.grid = grid};
  size_t capacity = 0;
  SCIARA_TRY(count_pieces(grid, points, count, &capacity));
  SCIARA_TRY(SCIARA_NEW(tracer.pieces, capacity, "the cells of a line"));
  for (size_t i = 1; i < count; i++) {
    struct segment s = segment_of(grid, points[i - 1], points[i]);
    trace_segment(&tracer, &s);
  }
  merge_pieces(&tracer);
  enum sciara_status status = SCIARA_NEW(*out, tracer.count, "the cells of a line");
  if (status == SCIARA_OK) {
    for (int64_t i = 0; i < tracer.count; i++) {
      int64_t cell = tracer.pieces[i].cell;
      (*out)[i] = (struct sciara_crossing){cell / grid->cols, cell % grid->cols, tracer.pieces[i].length};
    }
    *out_count = (size_t)tracer.count;
  }
  sciara_free(tracer.pieces);
  return status;
}

bool sciara_polygon_contains(const struct sciara_point *corners, size_t count, struct sciara_point p) {
  bool inside = false;
  for (size_t i = 0, j = count - 1; i < count; j = i++) {
    const struct sciara_point a = corners[i], b = corners[j];
    if ((a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x) inside = !inside;
  }
  return inside;
}

double sciara_distance(struct sciara_point a, struct sciara_point b) {
  const double dx = b.x - a.x, dy = b.y - a.y;
  return sciara_sqrt(dx * dx + dy * dy);
}

struct sciara_point sciara_polyline_middle(const struct sciara_point *points, size_t count) {
  double length = 0, before = 0;
  for (size_t k = 0; k + 1 < count; k++) length += sciara_distance(points[k], points[k + 1]);
  for (size_t k = 0; k + 1 < count; k++) {
    const struct sciara_point a = points[k], b = points[k + 1];
    const double piece = sciara_distance(a, b);
    if (piece > 0 && before + piece >= 0.5 * length) {
      const double part = (0.5 * length - before) / piece;
      return (struct sciara_point){a.x + part * (b.x - a.x), a.y + part * (b.y - a.y)};
    }
    before += piece;
  }
  return points[0];
}

void sciara_points_box(const struct sciara_point *points, size_t count, double box[4]) {
  box[0] = box[1] = INFINITY, box[2] = box[3] = -INFINITY;
  for (size_t k = 0; k < count; k++) {
    box[0] = fmin(box[0], points[k].x), box[1] = fmin(box[1], points[k].y);
    box[2] = fmax(box[2], points[k].x), box[3] = fmax(box[3], points[k].y);
  }
}

void sciara_grid_window(const struct sciara_grid *g, const double box[4], int64_t window[4]) {
  const double w = g->cell_size;
  window[0] = sciara_grid_limit(floor((g->north - box[3]) / w), g->rows);
  window[1] = sciara_grid_limit(floor((box[0] - g->west) / w), g->cols);
  window[2] = sciara_grid_limit(ceil((g->north - box[1]) / w), g->rows) - window[0];
  window[3] = sciara_grid_limit(ceil((box[2] - g->west) / w), g->cols) - window[1];
}

// --------------------------------------------------------------- an area: a disc around a point or a strip along a line

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

/** A straight part of the line in units of cells: u columns east of the western edge, v rows south of the northern edge. */
struct stretch {
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

static bool is_within(const struct stretch *s, double u, double v, double reach) {
  const double length2 = s->du * s->du + s->dv * s->dv;
  const double along = length2 > 0 ? clamp(((u - s->u) * s->du + (v - s->v) * s->dv) / length2, 0, 1) : 0;
  const double du = u - (s->u + along * s->du), dv = v - (s->v + along * s->dv);
  return du * du + dv * dv <= reach * reach;
}

/** The cells of a row whose centres lie within `reach` cells of a segment. */
static enum sciara_status add_cells_of_row(struct collection *c, const struct stretch *s, int64_t row, double reach) {
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
  const struct stretch s = {(a.x - g->west) / w, (g->north - a.y) / w, (b.x - a.x) / w, (a.y - b.y) / w};
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
