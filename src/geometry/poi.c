// SPDX-License-Identifier: Apache-2.0
#include "geometry/poi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const double least = 1e-9; // part of a cell, or of the side of a cell, below which there is nothing but rounding

const char *sciara_poi_kind_name(enum sciara_poi_kind kind) {
  static const char *const names[SCIARA_POI_KINDS] = {
      [SCIARA_POI_POINT] = "point", [SCIARA_POI_LINE] = "line", [SCIARA_POI_ZONE] = "zone"};
  return names[kind];
}

enum sciara_poi_where sciara_poi_where(const struct sciara_poi_ground *g) {
  if (g->land > 0) return SCIARA_POI_ON_LAND;
  if (g->sea > 0 && g->sea >= g->nodata) return SCIARA_POI_IN_SEA;
  if (g->nodata > 0) return SCIARA_POI_ON_NODATA;
  return g->all > 0 ? SCIARA_POI_OUTSIDE : SCIARA_POI_EMPTY;
}

const char *sciara_poi_where_name(enum sciara_poi_where where) {
  static const char *const names[SCIARA_POI_WHERES] = {
      [SCIARA_POI_ON_LAND] = "land",    [SCIARA_POI_IN_SEA] = "sea",     [SCIARA_POI_ON_NODATA] = "NODATA",
      [SCIARA_POI_OUTSIDE] = "outside", [SCIARA_POI_BEYOND] = "outside", [SCIARA_POI_EMPTY] = "empty"};
  return names[where];
}

/** Whether a window of the raster may have what lies in a box (west, south, east, north); true if the raster is not known. */
static bool dem_window_may_have(const struct sciara_dem_window *w, const double box[4]) {
  const double *r = w->raster;
  if (!w->key) return false;
  return !(r[2] > r[0]) || (box[0] < r[2] && box[2] > r[0] && box[1] < r[3] && box[3] > r[1]);
}

enum sciara_poi_where sciara_poi_where_of(const struct sciara_poi *poi, enum sciara_poi_where where,
                                          const struct sciara_dem_window *window) {
  double box[4];
  if (where != SCIARA_POI_OUTSIDE) return where;
  sciara_points_box(poi->points, poi->point_count, box);
  return poi->point_count > 0 && dem_window_may_have(window, box) ? where : SCIARA_POI_BEYOND;
}

const char *sciara_poi_where_text(enum sciara_poi_where where, const struct sciara_dem_window *window,
                                  char text[SCIARA_DEM_WINDOW_TEXT]) {
  static const char *const texts[SCIARA_POI_WHERES] = {[SCIARA_POI_ON_LAND] = "",
                                                       [SCIARA_POI_IN_SEA] = "in the sea",
                                                       [SCIARA_POI_ON_NODATA] = "on NODATA",
                                                       [SCIARA_POI_EMPTY] = "without geometry",
                                                       [SCIARA_POI_BEYOND] = "outside the DEM"};
  if (where != SCIARA_POI_OUTSIDE) return texts[where];
  sciara_dem_window_outside(window, text);
  return text;
}

const char *sciara_poi_where_reason(const struct sciara_poi *poi, enum sciara_poi_where where,
                                    const struct sciara_dem_window *window, char text[SCIARA_POI_REASON]) {
  static const char *const reasons[SCIARA_POI_WHERES] = {
      [SCIARA_POI_IN_SEA] = "lies in the sea, on which no lava stays",
      [SCIARA_POI_ON_NODATA] = "lies where the DEM has no altitude (NODATA)",
      [SCIARA_POI_EMPTY] = "has no geometry, or no length or area"};
  char outside[SCIARA_DEM_WINDOW_TEXT];
  const enum sciara_poi_where of = sciara_poi_where_of(poi, where, window);
  if (of != SCIARA_POI_OUTSIDE && of != SCIARA_POI_BEYOND) return reasons[of];
  snprintf(text, SCIARA_POI_REASON, "lies %s", sciara_poi_where_text(of, window, outside));
  return text;
}

void sciara_poi_free(struct sciara_poi *poi) {
  free(poi->name);
  sciara_free(poi->points);
  sciara_free(poi->ends);
  *poi = (struct sciara_poi){0};
}

size_t sciara_poi_parts(const struct sciara_poi *poi) {
  return poi->ends ? poi->parts : poi->kind == SCIARA_POI_POINT ? poi->point_count : 1;
}

size_t sciara_poi_end(const struct sciara_poi *poi, size_t part) {
  return poi->ends ? poi->ends[part] : poi->kind == SCIARA_POI_POINT ? part + 1 : poi->point_count;
}

struct sciara_point sciara_poi_middle(const struct sciara_poi *poi) {
  struct sciara_point sum = {0, 0};
  for (size_t k = 0; k < poi->point_count; k++) {
    sum.x += poi->points[k].x / (double)poi->point_count;
    sum.y += poi->points[k].y / (double)poi->point_count;
  }
  return sum;
}

/** What is being visited. */
struct visit {
  const struct sciara_poi *poi;
  const struct sciara_grid *grid;
  sciara_poi_visit *visit;
  void *context;
  struct sciara_poi_size size;
};

static enum sciara_status give(struct visit *v, int64_t row, int64_t col, double amount) {
  v->size.on_grid += amount;
  return v->visit(v->context, row * v->grid->cols + col, amount);
}

// ------------------------------------------------------------------------------------------------------------- points

static enum sciara_status visit_points(struct visit *v) {
  for (size_t k = 0; k < v->poi->point_count; k++) {
    int64_t row, col;
    v->size.all++;
    if (sciara_grid_cell_of(v->grid, v->poi->points[k], &row, &col)) SCIARA_TRY(give(v, row, col, 1));
  }
  return SCIARA_OK;
}

// -------------------------------------------------------------------------------------------------------------- lines

/** Limits the part t[0] to t[1] of a segment to low <= start + t extent <= high. */
static void clip(double start, double extent, double low, double high, double t[2]) {
  if (extent == 0) {
    if (start < low || start > high) t[1] = -1;
    return;
  }
  const double a = (low - start) / extent, b = (high - start) / extent;
  t[0] = fmax(t[0], fmin(a, b));
  t[1] = fmin(t[1], fmax(a, b));
}

/** Visits the cells of a piece of a line that lies on the grid. */
static enum sciara_status visit_run(struct visit *v, const struct sciara_point *points, size_t count) {
  struct sciara_crossing *crossing;
  size_t crossings;
  double length = 0;
  for (size_t k = 1; k < count; k++) length += sciara_distance(points[k - 1], points[k]);
  if (!(length > least * v->grid->cell_size)) return SCIARA_OK;
  SCIARA_TRY(sciara_polyline_cells(v->grid, points, count, &crossing, &crossings));
  enum sciara_status status = SCIARA_OK;
  for (size_t k = 0; k < crossings && status == SCIARA_OK; k++)
    status = give(v, crossing[k].row, crossing[k].col, crossing[k].length);
  sciara_free(crossing);
  return status;
}

/** The box of the grid. */
struct box {
  double west, south, east, north;
};

/** The place t of a segment, not beyond the box by rounding. */
static struct sciara_point point_at(struct sciara_point a, struct sciara_point b, double t, const struct box *box) {
  return (struct sciara_point){fmin(fmax(a.x + t * (b.x - a.x), box->west), box->east),
                               fmin(fmax(a.y + t * (b.y - a.y), box->south), box->north)};
}

/** Divides a line where it leaves the grid; `run` has room for its points and one more. */
static enum sciara_status visit_line(struct visit *v, const struct sciara_point *points, size_t count,
                                     struct sciara_point *run) {
  const struct sciara_grid *g = v->grid;
  const struct box box = {g->west, sciara_grid_south(g), sciara_grid_east(g), g->north};
  size_t length = 0;
  for (size_t k = 1; k < count; k++) {
    const struct sciara_point a = points[k - 1], b = points[k];
    double t[2] = {0, 1};
    v->size.all += sciara_distance(a, b);
    clip(a.x, b.x - a.x, box.west, box.east, t);
    clip(a.y, b.y - a.y, box.south, box.north, t);
    if (t[0] > t[1]) continue;
    if (length == 0 || t[0] > 0) {
      SCIARA_TRY(visit_run(v, run, length));
      run[0] = t[0] > 0 ? point_at(a, b, t[0], &box) : a;
      length = 1;
    }
    run[length++] = t[1] < 1 ? point_at(a, b, t[1], &box) : b;
    if (t[1] < 1) {
      SCIARA_TRY(visit_run(v, run, length));
      length = 0;
    }
  }
  return visit_run(v, run, length);
}

static enum sciara_status visit_lines(struct visit *v) {
  struct sciara_point *run;
  SCIARA_TRY(SCIARA_NEW(run, v->poi->point_count + 1, "a line"));
  enum sciara_status status = SCIARA_OK;
  for (size_t p = 0, begin = 0; p < sciara_poi_parts(v->poi) && status == SCIARA_OK; p++) {
    const size_t end = sciara_poi_end(v->poi, p);
    status = visit_line(v, v->poi->points + begin, end - begin, run);
    begin = end;
  }
  sciara_free(run);
  return status;
}

// -------------------------------------------------------------------------------------------------------------- zones

enum { BAND_CELLS = 1 << 20 }; ///< cells of a band of rows, of which areas are found at a time

/**
 * Rows of the box of a zone. Each edge adds the area between it and the eastern side of the box, with the sign of its
 * direction: in the cells that it crosses a part of their area (`part`), in those east of them their height (`height`, from
 * there to the east). What is left of the sum over all edges is the area of the zone.
 */
struct band {
  int64_t top, left, rows, cols;
  double *part, *height; ///< rows x (cols + 1), in cells
};

/** The height `dv` of an edge in one cell; it runs through its middle part, `u` cells from the western side. */
static void add_part(struct band *b, int64_t row, int64_t col, double u, double dv) {
  const int64_t at = row * (b->cols + 1) + col;
  b->part[at] += dv * (1 - u);
  b->height[at + 1] += dv;
}

/** A piece of an edge within a row: from u0 to u1, cells from the western side of the box; its height is dv. */
static void add_poi_piece(struct band *b, int64_t row, double u0, double u1, double dv) {
  const double low = fmin(u0, u1), high = fmax(u0, u1), east = (double)b->cols;
  const double slope = high > low ? dv / (high - low) : 0;
  if (low < 0) add_part(b, row, 0, 0, high <= 0 ? dv : slope * -low); // west of the box: all of the row lies east of it
  if (high <= 0 && low < 0) return;
  if (low >= east) return;
  const double from = fmax(low, 0), to = fmin(high, east);
  if (high == low) {
    const int64_t col = (int64_t)from;
    add_part(b, row, col, from - (double)col, dv);
    return;
  }
  for (double u = from; u < to;) {
    const int64_t col = (int64_t)u;
    const double next = fmin((double)(col + 1), to);
    add_part(b, row, col, 0.5 * (u + next) - (double)col, slope * (next - u));
    u = next;
  }
}

/** Adds an edge: from (u0, v0) to (u1, v1), cells from the north-western corner of the band. */
static void add_edge(struct band *b, double u0, double v0, double u1, double v1) {
  if (v0 == v1) return;
  const double sign = v1 > v0 ? 1 : -1, low = fmax(fmin(v0, v1), 0), high = fmin(fmax(v0, v1), (double)b->rows);
  const double slope = (u1 - u0) / (v1 - v0);
  for (double v = low; v < high;) {
    const int64_t row = (int64_t)v;
    const double next = fmin((double)(row + 1), high);
    const double a = v == v0 ? u0 : v == v1 ? u1 : u0 + slope * (v - v0);
    const double c = next == v1 ? u1 : next == v0 ? u0 : u0 + slope * (next - v0);
    add_poi_piece(b, row, a, c, sign * (next - v));
    v = next;
  }
}

/** Visits the cells of a band of which all edges have been added. */
static enum sciara_status give_band(struct visit *v, const struct band *b) {
  const double cell = v->grid->cell_size * v->grid->cell_size;
  for (int64_t r = 0; r < b->rows; r++) {
    double height = 0;
    for (int64_t c = 0; c < b->cols; c++) {
      const int64_t at = r * (b->cols + 1) + c;
      height += b->height[at];
      const double share = fmin(fabs(height + b->part[at]), 1);
      if (share > least) SCIARA_TRY(give(v, b->top + r, b->left + c, share * cell));
    }
  }
  return SCIARA_OK;
}

static void add_rings(const struct visit *v, struct band *b) {
  const struct sciara_grid *g = v->grid;
  const double west = g->west + (double)b->left * g->cell_size, north = g->north - (double)b->top * g->cell_size;
  for (size_t p = 0, begin = 0; p < sciara_poi_parts(v->poi); p++) {
    const size_t end = sciara_poi_end(v->poi, p);
    for (size_t k = begin; k < end; k++) {
      const struct sciara_point from = v->poi->points[k], to = v->poi->points[k + 1 < end ? k + 1 : begin];
      add_edge(b, (from.x - west) / g->cell_size, (north - from.y) / g->cell_size, (to.x - west) / g->cell_size,
               (north - to.y) / g->cell_size);
    }
    begin = end;
  }
}

/** The area of all rings, m2; coordinates are taken relative to the first point, lest large ones cost digits. */
static double area_of(const struct sciara_poi *poi) {
  const struct sciara_point o = poi->points[0];
  double twice = 0;
  for (size_t p = 0, begin = 0; p < sciara_poi_parts(poi); p++) {
    const size_t end = sciara_poi_end(poi, p);
    for (size_t k = begin; k < end; k++) {
      const struct sciara_point a = poi->points[k], b = poi->points[k + 1 < end ? k + 1 : begin];
      twice += (a.x - o.x) * (b.y - o.y) - (b.x - o.x) * (a.y - o.y);
    }
    begin = end;
  }
  return 0.5 * fabs(twice);
}

static enum sciara_status visit_zone(struct visit *v) {
  const struct sciara_grid *g = v->grid;
  double box[4];
  int64_t window[4];
  if (v->poi->point_count == 0) return SCIARA_OK;
  v->size.all = area_of(v->poi);
  sciara_points_box(v->poi->points, v->poi->point_count, box);
  sciara_grid_window(g, box, window);
  struct band b = {.left = window[1], .cols = window[3]};
  const int64_t first = window[0], last = first + window[2];
  if (b.cols <= 0 || last <= first) return SCIARA_OK;
  const int64_t most = BAND_CELLS / b.cols > 0 ? BAND_CELLS / b.cols : 1;
  const int64_t rows = last - first < most ? last - first : most;
  const size_t size = (size_t)rows * (size_t)(b.cols + 1);
  enum sciara_status status;
  SCIARA_TRY(SCIARA_NEW(b.part, 2 * size, "the cells of a zone"));
  b.height = b.part + size;
  status = SCIARA_OK;
  for (b.top = first; b.top < last && status == SCIARA_OK; b.top += rows) {
    b.rows = last - b.top < rows ? last - b.top : rows;
    memset(b.part, 0, 2 * size * sizeof *b.part);
    add_rings(v, &b);
    status = give_band(v, &b);
  }
  sciara_free(b.part);
  return status;
}

enum sciara_status sciara_poi_visit_cells(const struct sciara_poi *poi, const struct sciara_grid *grid,
                                          sciara_poi_visit *visit, void *context, struct sciara_poi_size *size) {
  struct visit v = {.poi = poi, .grid = grid, .visit = visit, .context = context};
  const enum sciara_status status = poi->kind == SCIARA_POI_POINT  ? visit_points(&v)
                                    : poi->kind == SCIARA_POI_LINE ? visit_lines(&v)
                                                                   : visit_zone(&v);
  if (fabs(v.size.all - v.size.on_grid) <= least * v.size.all) v.size.on_grid = v.size.all;
  if (v.size.on_grid > v.size.all) v.size.all = v.size.on_grid; // rings that cross each other
  *size = v.size;
  return status;
}

// --------------------------------------------------------------------------------------------------- a list of cells

/** A cell and its part of the place. */
struct share {
  int64_t cell;
  double amount;
};

struct list {
  struct share *share;
  size_t count, capacity;
};

static enum sciara_status add_share(void *context, int64_t cell, double amount) {
  struct list *l = (struct list *)context;
  if (l->count == l->capacity) {
    const size_t more = 2 * l->capacity + 4;
    SCIARA_TRY(sciara_resize((void **)&l->share, l->capacity, more, sizeof *l->share, "the cells of a place"));
    l->capacity = more;
  }
  l->share[l->count++] = (struct share){cell, amount};
  return SCIARA_OK;
}

static int poi_by_cell(const void *a, const void *b) {
  const struct share *p = (const struct share *)a, *q = (const struct share *)b;
  return (p->cell > q->cell) - (p->cell < q->cell);
}

enum sciara_status sciara_poi_cells_make(const struct sciara_poi *poi, const struct sciara_grid *grid,
                                         struct sciara_poi_cells *out) {
  struct list l = {0};
  enum sciara_status status;
  *out = (struct sciara_poi_cells){0};
  SCIARA_TRY_GOTO(sciara_poi_visit_cells(poi, grid, add_share, &l, &out->size));
  if (poi->kind != SCIARA_POI_ZONE && l.count > 1) qsort(l.share, l.count, sizeof *l.share, poi_by_cell);
  SCIARA_TRY_GOTO(SCIARA_NEW(out->cell, l.count + 1, "the cells of a place"));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->amount, l.count + 1, "the cells of a place"));
  for (size_t k = 0; k < l.count; k++) {
    if (out->count == 0 || out->cell[out->count - 1] != l.share[k].cell) out->cell[out->count++] = l.share[k].cell;
    out->amount[out->count - 1] += l.share[k].amount;
  }
cleanup:
  sciara_free(l.share);
  if (status != SCIARA_OK) sciara_poi_cells_free(out);
  return status;
}

struct sciara_poi_ground sciara_poi_cells_ground(const struct sciara_poi_cells *cells, const uint8_t *kind) {
  struct sciara_poi_ground g = {.all = cells->size.all};
  for (size_t k = 0; k < cells->count; k++) {
    const uint8_t is = kind[cells->cell[k]];
    *(is == SCIARA_CELL_NODATA ? &g.nodata : is == SCIARA_CELL_SEA ? &g.sea : &g.land) += cells->amount[k];
  }
  return g;
}

void sciara_poi_cells_free(struct sciara_poi_cells *cells) {
  sciara_free(cells->cell);
  sciara_free(cells->amount);
  *cells = (struct sciara_poi_cells){0};
}
