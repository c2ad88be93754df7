// SPDX-License-Identifier: Apache-2.0
// Claims about model/ground_edit.h and terrain/dem_gdal.h: which cells an edit changes, and to which altitude. The
// expected cells are worked out by hand; those of shapes with many points by the definition, cell by cell.
#include "model/ground_edit.h"

#include "base/log.h"
#include "terrain/dem_gdal.h"

// 6 rows, 8 columns of 10 m: x 1000 to 1080, y 1940 to 2000. Centres at 1005, 1015, ... and 1995, 1985, ...
enum { ROWS = 6, COLS = 8, CELLS = ROWS * COLS };
static const struct sciara_grid grid = {.rows = ROWS, .cols = COLS, .cell_size = 10, .west = 1000, .north = 2000};

static char logged[4096];

static void keep_log(void *context, enum sciara_log_level level, const char *message) {
  (void)context;
  (void)level;
  const size_t used = strlen(logged);
  snprintf(logged + used, sizeof logged - used, "%s\n", message);
}

#define POINTS(...)                                                                       \
  .points = (struct sciara_point *)(uintptr_t)(const struct sciara_point[]){__VA_ARGS__}, \
  .point_count = sizeof((const struct sciara_point[]){__VA_ARGS__}) / sizeof(struct sciara_point)
#define NO_VALUES \
  { NAN, NAN, NAN, NAN, NAN, NAN }

static struct sciara_edit with(struct sciara_edit e, enum sciara_edit_value what, double value) {
  const double none[SCIARA_EDIT_VALUES] = NO_VALUES;
  memcpy(e.value, none, sizeof none);
  e.name = (char *)(uintptr_t) "works";
  if (!e.closed) e.value[SCIARA_EDIT_WIDTH] = 20;
  e.value[what] = value;
  return e;
}

static struct sciara_edit wide(struct sciara_edit e, double width) {
  e.value[SCIARA_EDIT_WIDTH] = width;
  return e;
}

// -------------------------------------------------------------------------------------------------- the cells of a DEM

static struct sciara_dem dem;
static double before[CELLS];

/** Ground at 100 m, with the last column at 102 m and NODATA in the north-eastern corner. */
static void make_dem(void) {
  for (int i = 0; i < CELLS; i++) before[i] = i % COLS == COLS - 1 ? 102 : 100;
  before[COLS - 1] = NAN;
  expect_ok(sciara_dem_from_values(&grid, NULL, before, &dem));
  before[COLS - 1] = SCIARA_NODATA_ALTITUDE;
  logged[0] = '\0';
  sciara_log_set_sink(keep_log, NULL);
}

static enum sciara_status shape(const struct sciara_edit *edits, size_t count) {
  const struct sciara_sea none = {.rule = SCIARA_SEA_NONE};
  const struct sciara_ground_request request = {.edits = edits, .edit_count = count, .sea = &none};
  make_dem();
  return sciara_dem_shape_ground(&request, &dem);
}

/** Each character of `cells` is the number of the last edit of a cell, or a dot. */
static void expect_edits(const char *const cells[ROWS]) {
  for (int r = 0; r < ROWS; r++) {
    char found[COLS + 1] = "";
    for (int c = 0; c < COLS; c++) found[c] = dem.edit[r * COLS + c] ? (char)('0' + dem.edit[r * COLS + c]) : '.';
    ck_assert_msg(strcmp(found, cells[r]) == 0, "row %d: found %s, expected %s", r, found, cells[r]);
  }
}

/** Cells of edit k lie at altitude[k - 1], the others as before. */
static void expect_altitudes(const double *altitude) {
  for (int i = 0; i < CELLS; i++)
    ck_assert_double_eq(dem.altitude[i], dem.edit[i] ? altitude[dem.edit[i] - 1] : before[i]);
}

static void expect_one(struct sciara_edit edit, const char *const cells[ROWS], double altitude) {
  expect_ok(shape(&edit, 1));
  expect_edits(cells);
  expect_altitudes(&altitude);
  sciara_dem_free(&dem);
}

static void refused(struct sciara_edit edit, const char *part) {
  expect_error(shape(&edit, 1), SCIARA_ERR_INPUT, part, "dem.edits[0] (works)");
  for (int i = 0; i < CELLS; i++) ck_assert_uint_eq(dem.edit[i], 0);
  sciara_dem_free(&dem);
}

// A line along the centres of row 2, from column 2 to column 5.
#define MIDDLE ((struct sciara_edit){POINTS({1025, 1975}, {1055, 1975})})
// Around the centres of rows 2 and 3, columns 2 to 4.
#define BOX ((struct sciara_edit){.closed = true, POINTS({1020, 1980}, {1050, 1980}, {1050, 1960}, {1020, 1960})})

TEST(a_barrier_has_its_width_and_height) { // centres at exactly half the width belong to it
  const char *const cells[] = {"........", "..1111..", ".111111.", "..1111..", "........", "........"};
  expect_one(with(MIDDLE, SCIARA_EDIT_HEIGHT, 3), cells, 103);
}

TEST(a_narrow_line_covers_the_cells_that_it_crosses) {
  const char *const cells[] = {"........", "........", "..1111..", "........", "........", "........"};
  expect_one(wide(with(MIDDLE, SCIARA_EDIT_HEIGHT, 3), 19.9), cells, 103);
  const struct sciara_edit slanted = {POINTS({1001, 1999}, {1011, 1989}, {1011, 1941})};
  const char *const crossed[] = {"1.......", "11......", ".1......", ".1......", ".1......", ".1......"};
  const struct sciara_edit steep = {POINTS({1001, 1991}, {1009, 1983}, {1011, 1983}, {1011, 1941})};
  expect_one(wide(with(steep, SCIARA_EDIT_HEIGHT, 3), 0.1), crossed, 103);
  const char *const corner[] = {"1.......", ".1......", ".1......", ".1......", ".1......", ".1......"};
  expect_one(wide(with(slanted, SCIARA_EDIT_HEIGHT, 3), 0.1), corner, 103);
}

TEST(a_channel_has_its_depth) {
  const struct sciara_edit diagonal = {POINTS({1005, 1995}, {1035, 1965})};
  const char *const cells[] = {"1.......", ".1......", "..1.....", "...1....", "........", "........"};
  expect_one(wide(with(diagonal, SCIARA_EDIT_DEPTH, 2), 1), cells, 98);
  // The neighbours of the diagonal are sqrt(50) m = 7.07 m away from it, those after them sqrt(200) m.
  const char *const wider[] = {"11......", "111.....", ".111....", "..11....", "........", "........"};
  expect_one(wide(with(diagonal, SCIARA_EDIT_DEPTH, 2), 14.2), wider, 98);
}

TEST(a_crest_leaves_higher_ground) { // the last column lies at 102 m
  const struct sciara_edit across = {POINTS({1045, 1975}, {1075, 1975})};
  const char *const low[] = {"........", "........", "....111.", "........", "........", "........"};
  const char *const high[] = {"........", "........", "....1111", "........", "........", "........"};
  expect_one(wide(with(across, SCIARA_EDIT_CREST, 101.5), 1), low, 101.5);
  expect_one(wide(with(across, SCIARA_EDIT_CREST, 102), 1), low, 102);
  expect_one(wide(with(across, SCIARA_EDIT_CREST, 102.5), 1), high, 102.5);
}

TEST(polygons_raise_and_level) {
  const char *const cells[] = {"........", "........", "..111...", "..111...", "........", "........"};
  expect_one(with(BOX, SCIARA_EDIT_RAISE, 4), cells, 104);
  expect_one(with(BOX, SCIARA_EDIT_RAISE, -4), cells, 96);
  expect_one(with(BOX, SCIARA_EDIT_LEVEL, -3), cells, -3);
}

TEST(a_crossed_polygon_is_its_two_triangles) {
  const struct sciara_edit bow = {.closed = true, POINTS({1000, 2000}, {1080, 1940}, {1080, 2000}, {1000, 1940})};
  const char *const cells[] = {"1.......", "11....11", "111..111", "111..111", "11....11", "1......1"};
  expect_one(with(bow, SCIARA_EDIT_LEVEL, 7), cells, 7); // NODATA in the corner stays
  ck_assert_ptr_nonnull(strstr(logged, "dem.edits[0] (works): 1 of its cells is NODATA or sea and stays so"));
}

TEST(degenerate_shapes) {
  const char *const none[] = {"........", "........", "........", "........", "........", "........"};
  const struct sciara_edit flat = {.closed = true, POINTS({1020, 1975}, {1050, 1975}, {1030, 1975})};
  const struct sciara_edit twice = {.closed = true,
                                    POINTS({1020, 1980}, {1050, 1980}, {1050, 1960}, {1020, 1960}, {1020, 1980},
                                           {1050, 1980}, {1050, 1960}, {1020, 1960})};
  const struct sciara_edit small = {.closed = true, POINTS({1021, 1979}, {1024, 1979}, {1024, 1976})};
  const struct sciara_edit point = {.closed = true, POINTS({1025, 1975}, {1025, 1975}, {1025, 1975})};
  const struct sciara_edit *const nothing[] = {&flat, &twice, &small, &point};
  for (size_t k = 0; k < sizeof nothing / sizeof *nothing; k++) {
    expect_one(with(*nothing[k], SCIARA_EDIT_RAISE, 4), none, 104);
    ck_assert_ptr_nonnull(strstr(logged, "dem.edits[0] (works) changes no cell"));
  }
  refused(with((struct sciara_edit){POINTS({1025, 1975}, {1025, 1975})}, SCIARA_EDIT_HEIGHT, 1), "no length");
  refused(with((struct sciara_edit){POINTS({1025, 1975})}, SCIARA_EDIT_HEIGHT, 1), "expected at least 2");
}

TEST(a_centre_on_a_border_belongs_to_one_side) { // borders through centres of rows 1 and 4, columns 1, 3 and 6
  const struct sciara_edit west = {.closed = true, POINTS({1015, 1985}, {1035, 1985}, {1035, 1955}, {1015, 1955})};
  const struct sciara_edit east = {.closed = true, POINTS({1035, 1955}, {1065, 1955}, {1065, 1985}, {1035, 1985})};
  const struct sciara_edit both[] = {with(west, SCIARA_EDIT_RAISE, 1), with(east, SCIARA_EDIT_RAISE, 2)};
  const char *const cells[] = {"........", "........", ".11222..", ".11222..", ".11222..", "........"};
  const double altitude[] = {101, 102};
  expect_ok(shape(both, 2));
  expect_edits(cells);
  expect_altitudes(altitude);
  sciara_dem_free(&dem);
}

TEST(edits_are_applied_in_their_order) {
  const struct sciara_edit dam = with(MIDDLE, SCIARA_EDIT_HEIGHT, 3), level = with(BOX, SCIARA_EDIT_LEVEL, 90);
  const struct sciara_edit first[] = {dam, level}, last[] = {level, dam};
  const char *const dam_first[] = {"........", "..1111..", ".122211.", "..2221..", "........", "........"};
  const char *const dam_last[] = {"........", "..2222..", ".222222.", "..2222..", "........", "........"};
  const double then[] = {103, 90};
  expect_ok(shape(first, 2));
  expect_edits(dam_first);
  expect_altitudes(then);
  sciara_dem_free(&dem);
  expect_ok(shape(last, 2));
  expect_edits(dam_last);
  for (int i = 0; i < CELLS; i++) {
    const bool in_box = (i / COLS == 2 || i / COLS == 3) && i % COLS >= 2 && i % COLS <= 4;
    if (dem.edit[i]) ck_assert_double_eq(dem.altitude[i], in_box ? 93 : 103);
  }
  sciara_dem_free(&dem);
}

TEST(a_line_changes_a_cell_once) { // there and back over the same cells
  const struct sciara_edit back = {POINTS({1025, 1975}, {1055, 1975}, {1025, 1975}, {1055, 1975})};
  const char *const cells[] = {"........", "..1111..", ".111111.", "..1111..", "........", "........"};
  expect_one(with(back, SCIARA_EDIT_HEIGHT, 3), cells, 103);
}

TEST(points_outside_are_refused) {
  const double wrong[] = {999.99, 1080.01, 1e300, -1e300, INFINITY, -INFINITY, NAN};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    const struct sciara_edit line = {POINTS({1025, 1975}, {wrong[k], 1975})};
    const struct sciara_edit polygon = {.closed = true, POINTS({1025, 1975}, {1030, 1940}, {1025, wrong[k]})};
    refused(with(line, SCIARA_EDIT_HEIGHT, 1), "point 1: expected x from 1000.000 to 1080.000 and y from 1940.000");
    refused(with(polygon, SCIARA_EDIT_RAISE, 1), "point 2: expected x from 1000.000 to 1080.000 and y from 1940.000");
  }
  const struct sciara_edit whole = {.closed = true, POINTS({1000, 2000}, {1080, 2000}, {1080, 1940}, {1000, 1940})};
  const char *const cells[] = {"1111111.", "11111111", "11111111", "11111111", "11111111", "11111111"};
  expect_one(with(whole, SCIARA_EDIT_LEVEL, 5), cells, 5); // the corners of the map are part of it
}

TEST(altitudes_that_no_dem_has_are_refused) {
  const char *const where = "row 2, column 2: expected an altitude of";
  refused(with(BOX, SCIARA_EDIT_LEVEL, NAN), "expected exactly one of raise_m, level_m for a polygon, found none");
  refused(with(BOX, SCIARA_EDIT_LEVEL, INFINITY), where);
  refused(with(BOX, SCIARA_EDIT_RAISE, -1e300), where);
  refused(with(BOX, SCIARA_EDIT_LEVEL, SCIARA_ALTITUDE_MAX + 1), where);
  refused(with(BOX, SCIARA_EDIT_LEVEL, SCIARA_ALTITUDE_MIN - 1), where);
  refused(with(BOX, SCIARA_EDIT_LEVEL, SCIARA_NODATA_ALTITUDE), where); // would read back as a hole
  refused(with(BOX, SCIARA_EDIT_RAISE, SCIARA_NODATA_ALTITUDE - 100), where);
  refused(with(BOX, SCIARA_EDIT_HEIGHT, 1), "found none of them");
}

// ------------------------------------------------------------------------------------------------------ many points

enum { SIDE = 60, MANY = 20000 };
static const struct sciara_grid large = {.rows = SIDE, .cols = SIDE, .cell_size = 1, .west = -30, .north = 30};
static uint8_t mask[SIDE * SIDE];
static struct sciara_point many[MANY];

TEST(a_circle_of_many_points) {
  const size_t ends[] = {MANY / 2, MANY};
  for (int k = 0; k < MANY; k++) { // a ring: from 10 to 20 m
    const double angle = 6.283185307179586 * k / (MANY / 2.0), radius = k < MANY / 2 ? 20 : 10;
    many[k] = (struct sciara_point){radius * cos(angle), radius * sin(angle)};
  }
  memset(mask, 0, sizeof mask);
  expect_ok(sciara_mark_polygon(&large, many, ends, 2, mask));
  for (int i = 0; i < SIDE * SIDE; i++) { // no centre has a distance of exactly 10 or 20: the sum of odd squares over 4
    const double x = -29.5 + i % SIDE, y = 29.5 - i / SIDE, distance = sqrt(x * x + y * y);
    if (fabs(distance - 10) > 1e-4 && fabs(distance - 20) > 1e-4)
      ck_assert_msg(mask[i] == (distance > 10 && distance < 20), "row %d, column %d", i / SIDE, i % SIDE);
  }
}

TEST(a_line_of_many_points) {
  for (int k = 0; k < MANY; k++) // along a circle of 15 m, again and again
    many[k] = (struct sciara_point){15 * cos(0.01 * k), 15 * sin(0.01 * k)};
  memset(mask, 0, sizeof mask);
  expect_ok(sciara_mark_line(&large, many, 5000, 6, mask));
  for (int i = 0; i < SIDE * SIDE; i++) {
    const double x = -29.5 + i % SIDE, y = 29.5 - i / SIDE, away = fabs(sqrt(x * x + y * y) - 15);
    if (fabs(away - 3) > 1e-3) ck_assert_msg(mask[i] == (away < 3), "row %d, column %d", i / SIDE, i % SIDE);
  }
}

TEST(a_polygon_may_extend_beyond_the_grid) { // as that of a sea
  const double far[] = {31, 1e9, 1e300};
  for (size_t k = 0; k < sizeof far / sizeof *far; k++) {
    const size_t end = 4;
    const struct sciara_point half[] = {{0, -far[k]}, {far[k], -far[k]}, {far[k], far[k]}, {0, far[k]}};
    memset(mask, 0, sizeof mask);
    expect_ok(sciara_mark_polygon(&large, half, &end, 1, mask));
    for (int i = 0; i < SIDE * SIDE; i++) ck_assert_uint_eq(mask[i], i % SIDE >= SIDE / 2);
  }
  const size_t end = 3;
  const struct sciara_point away[] = {{40, 0}, {50, 0}, {45, 9}};
  memset(mask, 0, sizeof mask);
  expect_ok(sciara_mark_polygon(&large, away, &end, 1, mask));
  for (int i = 0; i < SIDE * SIDE; i++) ck_assert_uint_eq(mask[i], 0);
}

// ------------------------------------------------------------------------------------------------------- low ground

TEST(a_sea_is_connected_with_the_edge_or_with_nodata) {
  // A bay that is connected through a corner, a basin inland, and a hole in the DEM with low ground next to it.
  const char *const ground[] = {"########", "##..####", "#.######", ".####N##", "##.##.##", "########"};
  const char *const sea[] = {"........", "..ss....", ".s......", "s.......", ".....s..", "........"};
  double altitude[CELLS];
  uint8_t valid[CELLS], found[CELLS] = {0};
  int64_t count;
  for (int i = 0; i < CELLS; i++) {
    const char what = ground[i / COLS][i % COLS];
    altitude[i] = what == '#' ? 10 : what == '.' ? -1 : SCIARA_NODATA_ALTITUDE;
    valid[i] = what != 'N';
  }
  const struct sciara_low_ground below = {.level = -1}, zero = {.level = 0, .exactly = true};
  expect_ok(sciara_mark_connected(&grid, altitude, valid, below, found, &count));
  ck_assert_int_eq(count, 5);
  for (int i = 0; i < CELLS; i++) ck_assert_uint_eq(found[i], sea[i / COLS][i % COLS] == 's');
  memset(found, 0, sizeof found);
  expect_ok(sciara_mark_connected(&grid, altitude, valid, zero, found, &count));
  ck_assert_int_eq(count, 0); // ground below the level is not at exactly the level
}

RUN_TESTS()
