// SPDX-License-Identifier: Apache-2.0
// Claims about geometry/polyline.h: which cells a line crosses, in which order, and that no length is lost.
#include "base/mem.h"
#include "geometry/polyline.h"
#include "support/owned.h"

// 6 rows, 8 columns of 10 m: x 1000 to 1080, y 1940 to 2000.
static const struct sciara_grid grid = {.rows = 6, .cols = 8, .cell_size = 10, .west = 1000, .north = 2000};

#define LINE(...)                             \
  (const struct sciara_point[]){__VA_ARGS__}, \
      sizeof((const struct sciara_point[]){__VA_ARGS__}) / sizeof(struct sciara_point)
#define CELLS(...)                               \
  (const struct sciara_crossing[]){__VA_ARGS__}, \
      sizeof((const struct sciara_crossing[]){__VA_ARGS__}) / sizeof(struct sciara_crossing)

static void expect(const struct sciara_point *points, size_t count, const struct sciara_crossing *cells,
                   size_t expected) {
  struct sciara_crossing *found;
  size_t n;
  expect_ok(sciara_polyline_cells(&grid, points, count, &found, &n));
  ck_assert_uint_eq(n, expected);
  for (size_t i = 0; i < n; i++) {
    ck_assert_msg(found[i].row == cells[i].row && found[i].col == cells[i].col, "entry %zu: cell %d, %d", i,
                  (int)found[i].row, (int)found[i].col);
    ck_assert_double_eq_tol(found[i].length, cells[i].length, 1e-11);
  }
  sciara_free(found);
}

static void refused(const struct sciara_grid *g, const struct sciara_point *points, size_t count, const char *message) {
  struct sciara_crossing *found;
  size_t n;
  ck_assert_int_eq(sciara_polyline_cells(g, points, count, &found, &n), SCIARA_ERR_INPUT);
  ck_assert_ptr_null(found);
  ck_assert_uint_eq(n, 0);
  expect_said(message);
}

TEST(test_shorter_than_any_piece) { // it still lies in a cell
  expect(LINE({1001, 1999}, {1001 + 5e-9, 1999}), CELLS({0, 0, 5e-9}));
}

TEST(test_diagonal_through_corners) { // no piece in cells that are only touched
  double d = 10 * sqrt(2);
  expect(LINE({1000, 2000}, {1030, 1970}), CELLS({0, 0, d}, {1, 1, d}, {2, 2, d}));
  expect(LINE({1030, 1970}, {1000, 2000}), CELLS({2, 2, d}, {1, 1, d}, {0, 0, d}));
  expect(LINE({1030, 2000}, {1000, 1970}), CELLS({0, 2, d}, {1, 1, d}, {2, 0, d}));
  expect(LINE({1001.1, 1998.9}, {1028.9, 1971.1}), CELLS({0, 0, 8.9 * sqrt(2)}, {1, 1, d}, {2, 2, 8.9 * sqrt(2)}));
}

TEST(test_along_an_edge) { // eastern and southern cell; on the outer edge the one inside
  expect(LINE({1010, 1998}, {1010, 1992}), CELLS({0, 1, 6}));
  expect(LINE({1001, 1990}, {1009, 1990}), CELLS({1, 0, 8}));
  expect(LINE({1080, 1998}, {1080, 1985}), CELLS({0, 7, 8}, {1, 7, 5}));
  expect(LINE({1001, 1940}, {1012, 1940}), CELLS({5, 0, 9}, {5, 1, 2}));
  expect(LINE({1000, 1998}, {1000, 1992}), CELLS({0, 0, 6}));
  expect(LINE({1001, 2000}, {1004, 2000}), CELLS({0, 0, 3}));
}

TEST(test_ends_on_edges) {
  expect(LINE({1010, 1995}, {1020, 1995}), CELLS({0, 1, 10}));
  expect(LINE({1020, 1995}, {1010, 1995}), CELLS({0, 1, 10}));
  expect(LINE({1000, 2000}, {1080, 2000}),
         CELLS({0, 0, 10}, {0, 1, 10}, {0, 2, 10}, {0, 3, 10}, {0, 4, 10}, {0, 5, 10}, {0, 6, 10}, {0, 7, 10}));
}

TEST(test_there_and_back) { // one entry a cell, in order of the first visit
  expect(LINE({1005, 1995}, {1025, 1995}, {1005, 1995}), CELLS({0, 0, 10}, {0, 1, 20}, {0, 2, 10}));
  expect(LINE({1015, 1995}, {1015, 1985}, {1005, 1985}, {1005, 1995}, {1015, 1995}),
         CELLS({0, 1, 10}, {1, 1, 10}, {1, 0, 10}, {0, 0, 10}));
}

TEST(test_corner_missed_by_rounding) { // 1e-10 m inside the neighbour: left out, but its length is not lost
  expect(LINE({1005, 1995}, {1010 + 1e-10, 1995}), CELLS({0, 0, 5 + 1e-10}));
  expect(LINE({1010 - 1e-10, 1995}, {1015, 1995}), CELLS({0, 1, 5 + 1e-10}));
}

/** The cells crossed by a line in a grid of such cells with its corner at the origin. */
static size_t cells_crossed(double cell_size, struct sciara_point a, struct sciara_point b, double *first,
                            double *last) {
  const struct sciara_grid g = {.rows = 4, .cols = 4, .cell_size = cell_size, .west = 0, .north = 0};
  const struct sciara_point points[] = {a, b};
  struct sciara_crossing *found;
  size_t n;
  expect_ok(sciara_polyline_cells(&g, points, 2, &found, &n));
  *first = found[0].length;
  *last = found[n - 1].length;
  sciara_free(found);
  return n;
}

// A piece is left out if it is shorter than 1e-9 of a cell, whatever the size of the cells: where a line begins, where it
// ends, and where it cuts a corner.
TEST_EACH(test_shortest_piece, 4) {
  static const double sizes[] = {0.5, 1, 10, 1000};
  const double w = sizes[_i];
  double first, last;
  for (int longer = 0; longer < 2; longer++) {
    const double d = w * (longer ? 1.01e-9 : 0.99e-9), y = -0.3 * w;
    const size_t cells = longer ? 2 : 1;
    ck_assert_uint_eq(
        cells_crossed(w, (struct sciara_point){0.5 * w, y}, (struct sciara_point){w + d, y}, &first, &last), cells);
    ck_assert_double_eq_tol(last, longer ? d : 0.5 * w + d, 1e-12 * w);
    ck_assert_uint_eq(
        cells_crossed(w, (struct sciara_point){w - d, y}, (struct sciara_point){1.5 * w, y}, &first, &last), cells);
    ck_assert_double_eq_tol(first, longer ? d : 0.5 * w + d, 1e-12 * w);
    // From the western edge at -0.5 w + e down to the southern edge at x = 0.5 w - e: the corner's piece is e sqrt(2) long.
    const double e = d / sqrt(2);
    const struct sciara_point a = {0.5 * w, -0.5 * w + e}, b = {1.5 * w - e, -1.5 * w + 2 * e};
    ck_assert_uint_eq(cells_crossed(w, a, b, &first, &last), 2 + (size_t)longer);
    ck_assert_double_eq_tol(first + last, (w - e) * sqrt(2) - (longer ? d : 0), 1e-11 * w);
  }
}

static double random_in(double low, double high) { return low + (high - low) * (double)rand() / (double)RAND_MAX; }

TEST(test_random_lines_keep_their_length) {
  const struct sciara_grid g = {.rows = 97, .cols = 131, .cell_size = 7.3, .west = 500123.4, .north = 4177001.7};
  srand(1);
  for (int trial = 0; trial < 2000; trial++) {
    struct sciara_point points[5];
    size_t count = 2 + (size_t)(trial % 4), n;
    double length = 0, sum = 0;
    for (size_t i = 0; i < count; i++) {
      points[i].x = random_in(g.west, g.west + 131 * 7.3 - 1e-6);
      points[i].y = random_in(g.north - 97 * 7.3 + 1e-6, g.north);
      if (i) length += hypot(points[i].x - points[i - 1].x, points[i].y - points[i - 1].y);
    }
    OWNED(free_aligned) struct sciara_crossing *cells;
    expect_ok(sciara_polyline_cells(&g, points, count, &cells, &n));
    bool sound = true, once = true, joined = true; // one assertion a line: each is slow
    for (size_t i = 0; i < n; i++) {
      int64_t row = cells[i].row, col = cells[i].col;
      sum += cells[i].length;
      sound = sound && cells[i].length > 0 && row >= 0 && row < g.rows && col >= 0 && col < g.cols;
      for (size_t j = 0; j < i; j++) once = once && (cells[j].row != row || cells[j].col != col);
      if (i) joined = joined && llabs(row - cells[i - 1].row) <= 1 && llabs(col - cells[i - 1].col) <= 1;
    }
    ck_assert(sound);
    ck_assert(once);
    ck_assert(joined || count > 2); // a straight line goes from cell to neighbouring cell
    ck_assert_double_le(fabs(sum - length), 1e-12 * length);
  }
}

/** Compared with sampling: the length in a cell is the number of small steps of the line that lie in it. */
TEST(test_against_sampling) {
  const struct sciara_point a = {1003.7, 1998.2}, b = {1076.1, 1943.9};
  OWNED(free_aligned) struct sciara_crossing *cells;
  size_t n;
  enum { SAMPLES = 400000 };
  double total = hypot(b.x - a.x, b.y - a.y), seen[6][8] = {{0}};
  for (int i = 0; i < SAMPLES; i++) {
    double t = (i + 0.5) / SAMPLES, x = a.x + t * (b.x - a.x), y = a.y + t * (b.y - a.y);
    seen[(int)((2000 - y) / 10)][(int)((x - 1000) / 10)] += total / SAMPLES;
  }
  const struct sciara_point points[] = {a, b};
  expect_ok(sciara_polyline_cells(&grid, points, 2, &cells, &n));
  for (size_t i = 0; i < n; i++) {
    ck_assert_double_eq_tol(cells[i].length, seen[cells[i].row][cells[i].col], 4 * total / SAMPLES);
    seen[cells[i].row][cells[i].col] = 0;
  }
  for (int i = 0; i < 48; i++) ck_assert_double_eq(seen[i / 8][i % 8], 0);
}

TEST(test_refused) {
  refused(&grid, LINE({1005, 1995}), "found 1 points, expected at least 2");
  refused(&grid, LINE({1005, 1995}, {1005, 1995}), "found no length");
  refused(&grid, LINE({1005, 1995}, {1080.5, 1995}),
          "point 1 of the line: found x 1080.5, y 1995 outside the grid, expected x 1000 to 1080 and y 1940 to 2000");
  refused(&grid, LINE({999, 1995}, {1005, 1995}), "point 0 of the line: found x 999");
  refused(&grid, LINE({1005, 2000.1}, {1005, 1995}), "point 0 of the line: found x 1005, y 2000.1 outside");
  refused(&grid, LINE({1005, 1995}, {1005, 1939}), "point 1 of the line");
  refused(&grid, LINE({1005, 1995}, {(double)NAN, 1995}), "point 1 of the line");
  refused(&grid, LINE({1005, 1995}, {1005, (double)INFINITY}), "point 1 of the line");
}

TEST(test_too_many_pieces) { // refused before memory is taken
  const struct sciara_grid huge = {.rows = 4000000, .cols = 4000000, .cell_size = 1, .west = 0, .north = 0};
  refused(&huge, LINE({0.5, -0.5}, {3e6, -3e6}), "expected at most 1000000");
}

TEST(test_polygon) { // an L, and a star whose middle is covered twice
  const struct sciara_point shape[] = {{0, 0}, {30, 0}, {30, 10}, {10, 10}, {10, 30}, {0, 30}};
  for (int column = 0; column < 40; column++)
    for (int row = 0; row < 40; row++) {
      const double x = column - 4.5, y = row - 4.5;
      const bool inside = x > 0 && y > 0 && ((x < 30 && y < 10) || (x < 10 && y < 30));
      ck_assert_int_eq(sciara_polygon_contains(shape, 6, (struct sciara_point){x, y}), inside);
    }
  const struct sciara_point star[] = {{0, 10}, {-6, -8}, {9.5, 3}, {-9.5, 3}, {6, -8}};
  ck_assert(!sciara_polygon_contains(star, 5, (struct sciara_point){0, 0}));
  ck_assert(sciara_polygon_contains(star, 5, (struct sciara_point){0, 8}));
}

TEST(test_middle) { // by length, not by the number of points
  const struct sciara_point line[] = {{0, 0}, {0, 0}, {10, 0}, {10, 2}, {10, 4}};
  const struct sciara_point one = sciara_polyline_middle(line, 1), two = sciara_polyline_middle(line + 1, 2),
                            all = sciara_polyline_middle(line, 5);
  ck_assert(one.x == 0 && one.y == 0);
  ck_assert(two.x == 5 && two.y == 0);
  ck_assert(all.x == 7 && all.y == 0);
}

RUN_TESTS()
