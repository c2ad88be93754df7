// SPDX-License-Identifier: Apache-2.0
#include "model/ground_edit.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "geometry/moore.h"

static const struct {
  const char *name;
  double low, high;
} values[SCIARA_EDIT_VALUES] = {
    [SCIARA_EDIT_WIDTH] = {"width_m", 0, 1e5},    [SCIARA_EDIT_HEIGHT] = {"height_m", 0, 1e4},
    [SCIARA_EDIT_CREST] = {"crest_m", -1e4, 1e5}, [SCIARA_EDIT_DEPTH] = {"depth_m", 0, 1e4},
    [SCIARA_EDIT_RAISE] = {"raise_m", -1e4, 1e4}, [SCIARA_EDIT_LEVEL] = {"level_m", -1e4, 1e5},
};

const char *sciara_edit_value_name(enum sciara_edit_value value) { return values[value].name; }

void sciara_edit_value_range(enum sciara_edit_value value, double *low, double *high) {
  *low = values[value].low;
  *high = values[value].high;
}

void sciara_edit_free(struct sciara_edit *edit) {
  free(edit->name);
  free(edit->path);
  free(edit->raster);
  free(edit->layer);
  free(edit->place);
  sciara_free(edit->points);
  *edit = (struct sciara_edit){0};
}

enum sciara_status sciara_edit_choose(const double value[SCIARA_EDIT_VALUES], bool closed,
                                      enum sciara_edit_value *out) {
  const int first = closed ? SCIARA_EDIT_RAISE : SCIARA_EDIT_HEIGHT,
            last = closed ? SCIARA_EDIT_LEVEL : SCIARA_EDIT_DEPTH;
  int given = 0;
  for (int k = first; k <= last; k++) {
    if (isnan(value[k])) continue;
    *out = (enum sciara_edit_value)k;
    given++;
  }
  if (given == 1 && (closed || !isnan(value[SCIARA_EDIT_WIDTH]))) return SCIARA_OK;
  if (closed)
    return sciara_fail(SCIARA_ERR_INPUT, "expected exactly one of raise_m, level_m for a polygon, found %s",
                       given ? "both" : "none of them");
  return sciara_fail(SCIARA_ERR_INPUT,
                     "expected width_m and exactly one of height_m, crest_m, depth_m for a line, found %s and %s",
                     isnan(value[SCIARA_EDIT_WIDTH]) ? "no width_m" : "width_m",
                     given == 0   ? "none of them"
                     : given == 1 ? "one of them"
                                  : "several of them");
}

double sciara_edit_apply(enum sciara_edit_value what, double value, double altitude) {
  switch (what) {
    case SCIARA_EDIT_HEIGHT:
    case SCIARA_EDIT_RAISE: return altitude + value;
    case SCIARA_EDIT_DEPTH: return altitude - value;
    case SCIARA_EDIT_CREST: return altitude < value ? value : altitude;
    case SCIARA_EDIT_LEVEL: return value;
    case SCIARA_EDIT_WIDTH:
    case SCIARA_EDIT_VALUES: break;
  }
  return altitude;
}

// -------------------------------------------------------------------------------------------------- cells of a shape

/** The square of the distance from (x, y) to a segment, m2. */
static double distance_squared(double x, double y, struct sciara_point a, struct sciara_point b) {
  const double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
  double along = length > 0 ? ((x - a.x) * dx + (y - a.y) * dy) / length : 0;
  along = along < 0 ? 0 : along > 1 ? 1 : along;
  const double ex = x - (a.x + along * dx), ey = y - (a.y + along * dy);
  return ex * ex + ey * ey;
}

/** Marks the cells whose centres lie within `reach` of a segment. */
static void mark_segment(const struct sciara_grid *g, struct sciara_point a, struct sciara_point b, double reach,
                         uint8_t *mask) {
  const double w = g->cell_size;
  const int64_t top = sciara_grid_limit(floor((g->north - fmax(a.y, b.y) - reach) / w), g->rows);
  const int64_t bottom = sciara_grid_limit(ceil((g->north - fmin(a.y, b.y) + reach) / w), g->rows);
  const int64_t left = sciara_grid_limit(floor((fmin(a.x, b.x) - reach - g->west) / w), g->cols);
  const int64_t right = sciara_grid_limit(ceil((fmax(a.x, b.x) + reach - g->west) / w), g->cols);
  for (int64_t r = top; r < bottom; r++)
    for (int64_t c = left; c < right; c++) {
      const double x = g->west + ((double)c + 0.5) * w, y = g->north - ((double)r + 0.5) * w;
      if (distance_squared(x, y, a, b) <= reach * reach) mask[r * g->cols + c] = 1;
    }
}

enum sciara_status sciara_mark_line(const struct sciara_grid *grid, const struct sciara_point *points, size_t count,
                                    double width, uint8_t *mask) {
  struct sciara_crossing *crossing = NULL;
  size_t crossings = 0;
  SCIARA_TRY(sciara_polyline_cells(grid, points, count, &crossing, &crossings));
  for (size_t k = 0; k < crossings; k++) mask[crossing[k].row * grid->cols + crossing[k].col] = 1;
  sciara_free(crossing);
  for (size_t k = 1; k < count; k++) mark_segment(grid, points[k - 1], points[k], 0.5 * width, mask);
  return SCIARA_OK;
}

/** The part of the grid that a polygon may cover. */
struct part {
  int64_t top, left, rows, cols;
  uint8_t *flip; ///< rows x (cols + 1): 1 where a row of centres enters or leaves the polygon
};

/** Notes where the rows of centres cross an edge. */
static void cross_edge(const struct sciara_grid *g, const struct part *p, struct sciara_point a,
                       struct sciara_point b) {
  const double w = g->cell_size, low = fmin(a.y, b.y), high = fmax(a.y, b.y);
  int64_t begin = sciara_grid_limit(ceil((g->north - high) / w - 0.5), g->rows);
  int64_t end = sciara_grid_limit(floor((g->north - low) / w - 0.5) + 1, g->rows);
  if (begin < p->top) begin = p->top;
  if (end > p->top + p->rows) end = p->top + p->rows;
  for (int64_t r = begin; r < end; r++) {
    const double y = g->north - ((double)r + 0.5) * w;
    if ((a.y <= y) == (b.y <= y)) continue;
    const double x = a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x);
    const int64_t col =
        sciara_grid_limit(ceil((x - g->west) / w - 0.5), p->left + p->cols); // the first centre east of it
    p->flip[(r - p->top) * (p->cols + 1) + (col < p->left ? 0 : col - p->left)] ^= 1;
  }
}

enum sciara_status sciara_mark_polygon(const struct sciara_grid *g, const struct sciara_point *points,
                                       const size_t *ends, size_t rings, uint8_t *mask) {
  double box[4];
  int64_t window[4];
  sciara_points_box(points, rings > 0 ? ends[rings - 1] : 0, box);
  sciara_grid_window(g, box, window);
  struct part p = {.top = window[0], .left = window[1], .rows = window[2], .cols = window[3]};
  if (p.rows <= 0 || p.cols <= 0) return SCIARA_OK;
  SCIARA_TRY(SCIARA_NEW(p.flip, (size_t)p.rows * (size_t)(p.cols + 1), "the cells of a polygon"));
  for (size_t ring = 0; ring < rings; ring++) {
    const size_t begin = ring > 0 ? ends[ring - 1] : 0, end = ends[ring];
    for (size_t k = begin; k < end; k++) cross_edge(g, &p, points[k], points[k + 1 < end ? k + 1 : begin]);
  }
  for (int64_t r = 0; r < p.rows; r++) {
    uint8_t inside = 0;
    for (int64_t c = 0; c < p.cols; c++) {
      inside ^= p.flip[r * (p.cols + 1) + c];
      mask[(p.top + r) * g->cols + p.left + c] |= inside;
    }
  }
  sciara_free(p.flip);
  return SCIARA_OK;
}

// -------------------------------------------------------------------------------------------------------- low ground

/** A search over connected cells. */
struct search {
  const struct sciara_grid *grid;
  const double *altitude;
  const uint8_t *valid;
  struct sciara_low_ground low;
  uint8_t *mask;
  int64_t *waiting, count; ///< cells whose neighbours are not visited yet
};

static bool exists(const struct sciara_grid *g, int64_t r, int64_t c) {
  return r >= 0 && c >= 0 && r < g->rows && c < g->cols;
}

static bool is_low(const struct search *s, int64_t i) {
  return s->valid[i] && (s->low.exactly ? s->altitude[i] == s->low.level : s->altitude[i] <= s->low.level);
}

static void visit(struct search *s, int64_t i, int64_t *count) {
  if (s->mask[i] || !is_low(s, i)) return;
  s->mask[i] = 1;
  (*count)++;
  s->waiting[s->count++] = i;
}

/** Whether a valid cell lies at the edge of the map or next to a NODATA cell. */
static bool is_outer(const struct search *s, int64_t r, int64_t c) {
  for (int n = 1; n < SCIARA_MOORE; n++) {
    const int64_t row = r + sciara_moore_row(n), col = c + sciara_moore_col(n);
    if (!exists(s->grid, row, col) || !s->valid[row * s->grid->cols + col]) return true;
  }
  return false;
}

enum sciara_status sciara_mark_connected(const struct sciara_grid *g, const double *altitude, const uint8_t *valid,
                                         struct sciara_low_ground low, uint8_t *mask, int64_t *count) {
  struct search s = {.grid = g, .altitude = altitude, .valid = valid, .low = low, .mask = mask};
  *count = 0;
  SCIARA_TRY(SCIARA_NEW(s.waiting, (size_t)sciara_grid_cells(g), "a search for connected cells"));
  for (int64_t r = 0; r < g->rows; r++)
    for (int64_t c = 0; c < g->cols; c++)
      if (is_low(&s, r * g->cols + c) && is_outer(&s, r, c)) visit(&s, r * g->cols + c, count);
  while (s.count > 0) {
    const int64_t i = s.waiting[--s.count], r = i / g->cols, c = i % g->cols;
    for (int n = 1; n < SCIARA_MOORE; n++) {
      const int64_t row = r + sciara_moore_row(n), col = c + sciara_moore_col(n);
      if (exists(g, row, col)) visit(&s, row * g->cols + col, count);
    }
  }
  sciara_free(s.waiting);
  return SCIARA_OK;
}
