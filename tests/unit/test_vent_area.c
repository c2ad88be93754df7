// SPDX-License-Identifier: Apache-2.0
// Claims about the areas of vents in geometry/polyline.h: which cells a vent with an area has, in which order, and what is refused.
#include "base/mem.h"
#include "geometry/polyline.h"
#include "support/owned.h"
#include "support/random.h"

enum { ROWS = 40, COLS = 60 };

static const struct sciara_grid grid = {.rows = ROWS, .cols = COLS, .cell_size = 10, .west = 1000, .north = 2000};

static size_t cells_of(const struct sciara_point *points, size_t count, double reach, int64_t **cell) {
  size_t n;
  expect_ok(sciara_vent_area_cells(&grid, points, count, reach, cell, &n));
  for (size_t k = 1; k < n; k++) ck_assert_int_lt((*cell)[k - 1], (*cell)[k]); // row-major, each once
  return n;
}

static void expect_disc(double x, double y, double radius, size_t expected) {
  OWNED(free_aligned) int64_t *cell;
  const struct sciara_point p = {x, y};
  ck_assert_uint_eq(cells_of(&p, 1, radius, &cell), expected);
}

TEST(discs) {
  const double x = 1205, y = 1805; // the centre of row 19, column 20
  expect_disc(x, y, 1e-3, 1);
  expect_disc(x, y, 9.99, 1);
  expect_disc(x, y, 10, 5); // a centre at exactly this distance belongs to it
  expect_disc(x, y, 14.2, 9);
  expect_disc(x, y, 20, 13);
  expect_disc(x, y, 30, 29);
  expect_disc(1201, 1809, 1, 1); // no centre is within 1 m: the cell of the point
  expect_disc(1200, 1800, 7.08, 4);
  expect_disc(1005, 1995, 10, 3); // cut off at the edge of the grid
}

/** Squared distance of a point from a segment, by a search along it. */
static double distance2(struct sciara_point p, struct sciara_point a, struct sciara_point b) {
  double least = INFINITY;
  for (int k = 0; k <= 2000; k++) {
    const double t = k / 2000.0, dx = p.x - (a.x + t * (b.x - a.x)), dy = p.y - (a.y + t * (b.y - a.y));
    least = fmin(least, dx * dx + dy * dy);
  }
  return least;
}

/** Whether the line crosses the cell, by the same search. */
static bool crosses(int64_t index, const struct sciara_point *line, size_t count) {
  for (size_t s = 0; s + 1 < count; s++)
    for (int k = 0; k <= 2000; k++) {
      const double t = k / 2000.0, x = line[s].x + t * (line[s + 1].x - line[s].x),
                   y = line[s].y + t * (line[s + 1].y - line[s].y);
      if ((int64_t)floor((2000 - y) / 10) * COLS + (int64_t)floor((x - 1000) / 10) == index) return true;
    }
  return false;
}

TEST(strips_of_random_lines) {
  for (int n = 0; n < 4; n++) {
    struct sciara_point line[3];
    OWNED(free_aligned) int64_t *cell;
    for (int k = 0; k < 3; k++) line[k] = (struct sciara_point){uniform(1020, 1580), uniform(1620, 1980)};
    const double reach = uniform(2, 60);
    const size_t count = cells_of(line, 3, reach, &cell);
    size_t at = 0;
    for (int64_t i = 0; i < ROWS * COLS; i++) {
      const struct sciara_point centre = sciara_cell_centre(&grid, i / COLS, i % COLS);
      const double d = sqrt(fmin(distance2(centre, line[0], line[1]), distance2(centre, line[1], line[2])));
      const bool has = at < count && cell[at] == i;
      if (fabs(d - reach) > 0.3) // the search is that exact
        ck_assert_msg(has == (d < reach || crosses(i, line, 3)), "cell %d at %g m, reach %g m", (int)i, d, reach);
      at += has;
    }
    ck_assert_uint_eq(at, count);
  }
}

static void refused(const struct sciara_grid *g, const struct sciara_point *points, size_t count, double reach,
                    const char *words) {
  int64_t *cell;
  size_t n;
  ck_assert_int_eq(sciara_vent_area_cells(g, points, count, reach, &cell, &n), SCIARA_ERR_INPUT);
  ck_assert_ptr_null(cell);
  expect_said(words);
}

TEST(limits) {
  const struct sciara_grid large = {.rows = 40000, .cols = 50000, .cell_size = 1, .west = 0, .north = 40000};
  const struct sciara_point middle = {25000.5, 20000.5}, outside = {-1, 5}, line[] = {{10, 10}, {40000, 30000}};
  int64_t *cell;
  size_t count;
  expect_ok(sciara_vent_area_cells(&large, &middle, 1, 178, &cell, &count));
  ck_assert_uint_eq(count, 99477); // cells within 178 cells of the centre of a cell
  sciara_free(cell);
  refused(&large, &middle, 1, 179, "expected at most 100000 cells, found more");
  refused(&large, &middle, 1, 1e6, "expected at most 100000 cells, found more");
  refused(&large, line, 2, 20, "expected at most 100000 cells, found more");
  refused(&large, &outside, 1, 20, "outside the grid");
  refused(&large, (const struct sciara_point[]){{5, 5}, {-1, 5}}, 2, 20, "point 1 of the line");
}

RUN_TESTS()
