// SPDX-License-Identifier: Apache-2.0
// Claims about geometry/poi.h: how much of a place lies in each cell, compared with polygons and segments that are clipped by
// each cell, and what a place lies on.
#include "geometry/poi.h"
#include "support/random.h"

enum { ROWS = 12, COLS = 17, MOST = 64 };

static const struct sciara_grid grid = {.rows = ROWS, .cols = COLS, .cell_size = 10, .west = 500000, .north = 4177120};
static const double east = 500170, south = 4177000;

/** Adds what lies in each cell to an array. */
static enum sciara_status add_up(void *context, int64_t cell, double amount) {
  ck_assert(amount > 0);
  ((double *)context)[cell] += amount;
  return SCIARA_OK;
}

/** What the function finds. */
static struct sciara_poi_size find(const struct sciara_poi *poi, double found[ROWS * COLS]) {
  struct sciara_poi_size size;
  memset(found, 0, ROWS * COLS * sizeof *found);
  expect_ok(sciara_poi_visit_cells(poi, &grid, add_up, found, &size));
  return size;
}

/** The part of a polygon where a x + b y <= c (Sutherland and Hodgman 1974). Returns its number of corners. */
static size_t cut(const struct sciara_point *in, size_t count, double a, double b, double c, struct sciara_point *out) {
  size_t n = 0;
  for (size_t k = 0; k < count; k++) {
    const struct sciara_point p = in[k], q = in[(k + 1) % count];
    const double dp = a * p.x + b * p.y - c, dq = a * q.x + b * q.y - c;
    if (dp <= 0) out[n++] = p;
    if ((dp < 0 && dq > 0) || (dp > 0 && dq < 0)) {
      const double t = dp / (dp - dq);
      out[n++] = (struct sciara_point){p.x + t * (q.x - p.x), p.y + t * (q.y - p.y)};
    }
  }
  return n;
}

/** The area of a ring within a box, with a sign. */
static double area_within(const struct sciara_point *ring, size_t count, double west, double low, double side) {
  struct sciara_point a[MOST], b[MOST];
  for (size_t k = 0; k < count; k++) a[k] = (struct sciara_point){ring[k].x - west, ring[k].y - low};
  size_t n = cut(a, count, -1, 0, 0, b);
  n = cut(b, n, 1, 0, side, a);
  n = cut(a, n, 0, -1, 0, b);
  n = cut(b, n, 0, 1, side, a);
  double twice = 0;
  for (size_t k = 0; k < n; k++) twice += a[k].x * a[(k + 1) % n].y - a[(k + 1) % n].x * a[k].y;
  return 0.5 * twice;
}

/** Compares each cell with the sum over the rings, of which the second is a hole. */
static void check_zone(const struct sciara_poi *poi) {
  double found[ROWS * COLS], sum = 0;
  const struct sciara_poi_size size = find(poi, found);
  for (int64_t r = 0; r < ROWS; r++)
    for (int64_t c = 0; c < COLS; c++) {
      double expected = 0;
      for (size_t p = 0, begin = 0; p < sciara_poi_parts(poi); begin = sciara_poi_end(poi, p++))
        expected += area_within(poi->points + begin, sciara_poi_end(poi, p) - begin, grid.west + 10 * (double)c,
                                grid.north - 10 * (double)(r + 1), 10);
      ck_assert_double_eq_tol(found[r * COLS + c], fabs(expected), 2e-7); // 1e-9 of a cell, and digits of coordinates
      sum += found[r * COLS + c];
    }
  ck_assert_double_eq_tol(size.on_grid, sum, 1e-6);
  ck_assert_double_ge(size.all, size.on_grid - 1e-6);
}

/** A star around a point: corners in the order of their angles. */
static size_t make_star(struct sciara_point *out, double x, double y, double radius, bool clockwise) {
  const size_t corners = 8 + (size_t)uniform(0, 9); // so that a hole of a quarter of the radius lies inside
  for (size_t k = 0; k < corners; k++) {
    const double angle = (clockwise ? -1 : 1) * 6.283185307179586 * ((double)k + uniform(0, 0.9)) / (double)corners;
    const double r = radius * uniform(0.6, 1);
    out[k] = (struct sciara_point){x + r * cos(angle), y + r * sin(angle)};
  }
  return corners;
}

TEST(zones_with_holes_on_and_off_the_grid) {
  for (int k = 0; k < 3000; k++) {
    struct sciara_point points[MOST];
    const double x = uniform(grid.west - 60, east + 60), y = uniform(south - 60, grid.north + 60);
    const double radius = exp(uniform(-1, 5));
    size_t ends[2];
    ends[0] = make_star(points, x, y, radius, false);
    ends[1] = ends[0] + make_star(points + ends[0], x, y, 0.25 * radius, true);
    const struct sciara_poi poi = {
        .kind = SCIARA_POI_ZONE, .points = points, .point_count = ends[k % 2], .ends = ends, .parts = k % 2 + 1};
    check_zone(&poi);
  }
}

/** Corners and sides on the edges of cells: neighbours that are only touched have nothing of it. */
TEST(zones_along_the_edges_of_cells) {
  for (int k = 0; k < 3000; k++) {
    struct sciara_point points[4];
    const double x[2] = {grid.west + 10 * floor(uniform(-3, 19)), grid.west + 5 * floor(uniform(-6, 40))};
    const double y[2] = {south + 10 * floor(uniform(-3, 14)), south + 5 * floor(uniform(-6, 30))};
    for (int c = 0; c < 4; c++) points[c] = (struct sciara_point){x[c == 1 || c == 2], y[c > 1]};
    const struct sciara_poi poi = {.kind = SCIARA_POI_ZONE, .points = points, .point_count = 3 + (size_t)(k % 2)};
    check_zone(&poi);
  }
  struct sciara_point crossed[] = {
      {grid.west, south}, {grid.west + 30, south + 30}, {grid.west + 30, south}, {grid.west, south + 30}};
  const struct sciara_poi bow = {
      .kind = SCIARA_POI_ZONE, .points = crossed, .point_count = 4}; // its parts have opposite signs
  double found[ROWS * COLS];
  ck_assert_double_ge(find(&bow, found).all, 400);
  struct sciara_point whole[] = {{grid.west + 20, grid.north - 20},
                                 {grid.west + 40, grid.north - 20},
                                 {grid.west + 40, grid.north - 50},
                                 {grid.west + 20, grid.north - 50}};
  const struct sciara_poi poi = {.kind = SCIARA_POI_ZONE, .points = whole, .point_count = 4};
  OWNED(sciara_poi_cells_free) struct sciara_poi_cells cells;
  expect_ok(sciara_poi_cells_make(&poi, &grid, &cells));
  ck_assert_uint_eq(cells.count, 6);
  for (size_t k = 0; k < 6; k++) {
    ck_assert_int_eq(cells.cell[k], (int64_t)(2 + k / 2) * COLS + 2 + (int64_t)(k % 2));
    ck_assert_double_eq_tol(cells.amount[k], 100, 1e-9);
  }
  ck_assert_double_eq(cells.size.all, 600);
  ck_assert_double_eq(cells.size.on_grid, 600);
}

/** More rows and columns than fit into one band; areas then come from several of them. */
TEST(a_zone_of_many_cells) {
  static const struct sciara_grid large = {.rows = 1500, .cols = 2000, .cell_size = 5, .west = 0, .north = 7500};
  struct sciara_point points[] = {{-500, 100.25}, {9000.5, -300}, {12000, 7000}, {500, 8000}};
  const struct sciara_poi poi = {.kind = SCIARA_POI_ZONE, .points = points, .point_count = 4};
  OWNED(sciara_poi_cells_free) struct sciara_poi_cells cells;
  double sum = 0;
  expect_ok(sciara_poi_cells_make(&poi, &large, &cells));
  for (size_t k = 0; k < cells.count; k++) {
    if (k) ck_assert_int_lt(cells.cell[k - 1], cells.cell[k]);
    sum += cells.amount[k];
    if (k % 1001) continue;
    const int64_t row = cells.cell[k] / large.cols, col = cells.cell[k] % large.cols;
    const double expected = area_within(points, 4, 5 * (double)col, 7500 - 5 * (double)(row + 1), 5);
    ck_assert_double_eq_tol(cells.amount[k], expected, 1e-8);
  }
  const double inside = area_within(points, 4, 0, 0, 7500) + area_within(points, 4, 7500, 0, 2500) +
                        area_within(points, 4, 7500, 2500, 2500) + area_within(points, 4, 7500, 5000, 2500);
  ck_assert_double_eq_tol(sum / inside, 1, 1e-12);
}

/** The length of a segment within a cell. */
static double length_within(struct sciara_point a, struct sciara_point b, double west, double low) {
  double from = 0, to = 1;
  const double start[2] = {a.x - west, a.y - low}, step[2] = {b.x - a.x, b.y - a.y};
  for (int k = 0; k < 2; k++) {
    if (step[k] == 0 && (start[k] < 0 || start[k] >= 10)) return 0;
    if (step[k] == 0) continue;
    const double s = -start[k] / step[k], t = (10 - start[k]) / step[k];
    from = fmax(from, fmin(s, t));
    to = fmin(to, fmax(s, t));
  }
  return to > from ? (to - from) * hypot(step[0], step[1]) : 0;
}

TEST(lines_on_and_off_the_grid) {
  for (int k = 0; k < 3000; k++) {
    struct sciara_point points[6];
    size_t ends[] = {3, 6};
    double found[ROWS * COLS], length = 0, inside = 0;
    for (int p = 0; p < 6; p++)
      points[p] = (struct sciara_point){uniform(grid.west - 80, east + 80), uniform(south - 80, grid.north + 80)};
    const struct sciara_poi poi = {
        .kind = SCIARA_POI_LINE, .points = points, .point_count = 6, .ends = ends, .parts = 2};
    const struct sciara_poi_size size = find(&poi, found);
    for (int s = 0; s < 6; s++)
      if (s != 2 && s != 5) length += hypot(points[s + 1].x - points[s].x, points[s + 1].y - points[s].y);
    for (int64_t r = 0; r < ROWS; r++)
      for (int64_t c = 0; c < COLS; c++) {
        double expected = 0;
        for (int s = 0; s < 6; s++)
          if (s != 2 && s != 5)
            expected +=
                length_within(points[s], points[s + 1], grid.west + 10 * (double)c, grid.north - 10 * (double)(r + 1));
        ck_assert_double_eq_tol(found[r * COLS + c], expected, 1e-6);
        inside += expected;
      }
    ck_assert_double_eq_tol(size.all, length, 1e-6);
    ck_assert_double_eq_tol(size.on_grid, inside, 1e-6);
  }
}

TEST(points_and_what_they_lie_on) {
  struct sciara_point points[] = {{grid.west, grid.north}, {grid.west + 5, grid.north - 5},  {east, south + 5},
                                  {east - 1, south + 1},   {grid.west + 15, grid.north - 3}, {0, 0}};
  const struct sciara_poi poi = {.kind = SCIARA_POI_POINT, .points = points, .point_count = 6};
  uint8_t kind[ROWS * COLS];
  OWNED(sciara_poi_cells_free) struct sciara_poi_cells cells;
  memset(kind, SCIARA_CELL_INTERIOR, sizeof kind);
  kind[1] = SCIARA_CELL_SEA;
  kind[ROWS * COLS - 1] = SCIARA_CELL_NODATA;
  expect_ok(sciara_poi_cells_make(&poi, &grid, &cells));
  ck_assert_uint_eq(cells.count, 3);
  ck_assert_double_eq(cells.amount[0], 2);
  ck_assert_double_eq(cells.size.all, 6);
  ck_assert_double_eq(cells.size.on_grid, 4);
  const struct sciara_poi_ground g = sciara_poi_cells_ground(&cells, kind);
  ck_assert(g.all == 6 && g.land == 2 && g.sea == 1 && g.nodata == 1);
}

TEST(where_a_place_lies) {
  static const struct {
    struct sciara_poi_ground ground;
    enum sciara_poi_where where;
    const char *name;
  } cases[] = {{{9, 1, 4, 4}, SCIARA_POI_ON_LAND, "land"},
               {{9, 0, 4, 4}, SCIARA_POI_IN_SEA, "sea"},
               {{9, 0, 3, 4}, SCIARA_POI_ON_NODATA, "NODATA"},
               {{9, 0, 0, 0}, SCIARA_POI_OUTSIDE, "outside"},
               {{0, 0, 0, 0}, SCIARA_POI_EMPTY, "empty"}};
  static const struct {
    const char *window, *reason;
  } outside[] = {
      {NULL, "lies outside the DEM"},
      {"", "lies outside the DEM"},
      {"dem.window_margin_m=0", "lies outside the DEM"},
      {"dem.window_margin_m=1250.5",
       "lies outside the window of 1250.5 m around the vents (dem.window_margin_m): lava is not computed there"},
      {"dem.window_xy", "lies outside the window of the DEM (dem.window_xy): lava is not computed there"},
      {"dem.window_xy of 100 200.5 300 400", // the place lies on the raster, at its corner, or beyond it
       "lies outside the window of the DEM (dem.window_xy): lava is not computed there"},
      {"dem.window_xy of 110.25 200 300 400",
       "lies outside the window of the DEM (dem.window_xy): lava is not computed there"},
      {"dem.window_margin_m=5 of 111 200 300 400", "lies outside the DEM"},
      {"dem.window_margin_m=5 of 100 211 300 400", "lies outside the DEM"},
      {"dem.window_margin_m=5 of 0 0 105 400", "lies outside the DEM"},
      {"dem.window_margin_m=5 of 0 0 400 205", "lies outside the DEM"},
  };
  struct sciara_point corners[] = {{106, 206}, {110.5, 210.5}};
  const struct sciara_poi place = {.kind = SCIARA_POI_LINE, .points = corners, .point_count = 2};
  char text[SCIARA_POI_REASON], again[SCIARA_DEM_WINDOW_TEXT];
  for (size_t k = 0; k < sizeof outside / sizeof *outside; k++) {
    const struct sciara_dem_window window = sciara_dem_window_parse(outside[k].window);
    ck_assert_str_eq(sciara_poi_where_reason(&place, SCIARA_POI_OUTSIDE, &window, text), outside[k].reason);
    sciara_dem_window_print(&window, again);
    ck_assert_str_eq(again, k < 3 ? "" : outside[k].window);
  }
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    ck_assert_int_eq(sciara_poi_where(&cases[k].ground), cases[k].where);
    ck_assert_str_eq(sciara_poi_where_name(cases[k].where), cases[k].name);
    const struct sciara_dem_window whole = {.key = NULL};
    ck_assert_int_eq(sciara_poi_where_reason(&place, cases[k].where, &whole, text) == NULL, k == 0);
  }
  struct sciara_point flat[] = {{grid.west + 1, grid.north - 1}, {grid.west + 9, grid.north - 9}};
  double found[ROWS * COLS];
  for (enum sciara_poi_kind kind = SCIARA_POI_LINE; kind < SCIARA_POI_KINDS; kind++) {
    const struct sciara_poi none = {.kind = kind}, one = {.kind = kind, .points = flat, .point_count = 1};
    ck_assert_double_eq(find(&none, found).all, 0);
    ck_assert_double_eq(find(&one, found).all, 0);
  }
}

RUN_TESTS()
