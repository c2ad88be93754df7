// SPDX-License-Identifier: Apache-2.0
#include "ensemble/point_colours.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

static const double same_m = 1e-6; // coordinates that differ by less are equal but for rounding

/** A point and where it lies along an axis or a line. */
struct place {
  double at;
  size_t point;
};

static int by_place(const void *a, const void *b) {
  const struct place *p = (const struct place *)a, *q = (const struct place *)b;
  if (p->at != q->at) return p->at < q->at ? -1 : 1;
  return (p->point > q->point) - (p->point < q->point);
}

/** The smallest distance above 0 between coordinates; 0: they are all equal. */
static double grid_step(const struct sciara_point *points, size_t count, bool y, struct place *place) {
  double step = 0;
  for (size_t k = 0; k < count; k++) place[k] = (struct place){y ? points[k].y : points[k].x, k};
  qsort(place, count, sizeof *place, by_place);
  double from = place[0].at;
  for (size_t k = 1; k < count; k++) {
    const double d = place[k].at - from;
    if (d <= same_m) continue;
    if (step == 0 || d < step) step = d;
    from = place[k].at;
  }
  return step;
}

/** Steps from the first point; false if it lies between the points of the grid. */
static bool steps_to(double d, double step, int64_t *out) {
  const double n = step > 0 ? d / step : 0;
  *out = llround(n);
  return fabs(n - (double)*out) < 1e-3;
}

/** Colours of a chessboard, or of its rows. False: the points are no grid, or all of one colour. */
static bool colour_grid(const struct sciara_point *points, size_t count, double dx, double dy, bool rows,
                        int64_t *colour) {
  int64_t i, j, some = 0;
  for (size_t k = 0; k < count; k++) {
    if (!steps_to(points[k].x - points[0].x, dx, &i) || !steps_to(points[k].y - points[0].y, dy, &j)) return false;
    colour[k] = llabs(rows ? j : i + j) % 2;
    some |= colour[k];
  }
  return some != 0;
}

/** The point that is farthest from that of index `from`. */
static size_t farthest(const struct sciara_point *points, size_t count, size_t from) {
  const struct sciara_point p = points[from];
  size_t best = from;
  double most = 0;
  for (size_t k = 0; k < count; k++) {
    const double d = hypot(points[k].x - p.x, points[k].y - p.y);
    if (d > most) most = d, best = k;
  }
  return best;
}

/** By turns along the line on which all points lie; those at one place have one colour. False: they are on no line. */
static bool colour_line(const struct sciara_point *points, size_t count, struct place *place, int64_t *colour) {
  const size_t begin = farthest(points, count, 0), end = farthest(points, count, begin);
  const struct sciara_point a = points[begin], b = points[end];
  const double length = hypot(b.x - a.x, b.y - a.y), off = 1e-3 + 1e-6 * length;
  if (length <= same_m) return false;
  const double x = (b.x - a.x) / length, y = (b.y - a.y) / length;
  for (size_t k = 0; k < count; k++) {
    const double dx = points[k].x - a.x, dy = points[k].y - a.y;
    if (fabs(dx * y - dy * x) > off) return false;
    place[k] = (struct place){dx * x + dy * y, k};
  }
  qsort(place, count, sizeof *place, by_place);
  int64_t turn = 0;
  for (size_t k = 0; k < count; k++) {
    if (k > 0 && place[k].at - place[k - 1].at > same_m) turn = !turn;
    colour[place[k].point] = turn;
  }
  return true;
}

enum sciara_status sciara_points_colour(const struct sciara_point *points, size_t count, int64_t *colour) {
  struct place *place;
  SCIARA_TRY(SCIARA_NEW(place, count + 1, "colours of points"));
  const double dx = grid_step(points, count, false, place), dy = grid_step(points, count, true, place);
  if (!colour_grid(points, count, dx, dy, false, colour) && !colour_line(points, count, place, colour) &&
      !colour_grid(points, count, dx, dy, true, colour))
    for (size_t k = 0; k < count; k++) colour[k] = (int64_t)(k % 2);
  sciara_free(place);
  return SCIARA_OK;
}
