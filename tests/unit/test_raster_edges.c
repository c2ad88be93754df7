// SPDX-License-Identifier: Apache-2.0
// Claims about rasters at the limits: on the grid or off it, square or not, shaded or not.
#include "dem_fixture.h"
#include "picture/map_picture.h"
#include "support/owned.h"

// Each side of the raster is compared: a shift or another size in one of them alone is refused.
TEST(every_side_must_lie_on_the_grid) {
  const struct sciara_grid grid = {.rows = 4, .cols = 5, .cell_size = 10, .west = 500000, .north = 4178000};
  double out[30];
  make_raster("a.tif", (struct raster){0});
  expect_ok(sciara_raster_read_on_grid(in_folder("a.tif"), &grid, NULL, out));
  struct sciara_grid others[] = {grid, grid, grid, grid, grid, grid};
  others[0].west += 10;
  others[1].north += 10;
  others[2].north -= 10;
  others[3].rows = 5;
  others[4].cols = 6;
  others[5].cell_size = 10.001;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    ck_assert_msg(sciara_raster_read_on_grid(in_folder("a.tif"), &others[i], NULL, out) == SCIARA_ERR_INPUT,
                  "grid %zu was accepted", i);
    expect_said("a.tif");
  }
}

// Cells that are not square may displace the far corner by 0.01 of a cell: 1e-5 is allowed with 500 columns, not with 5000.
TEST(nearly_square_cells_of_a_long_raster) {
  const double nearly[6] = {500000, 10, 0, 4178000, 0, -10.0001};
  assert_read(make_raster("short.tif", (struct raster){.transform = nearly, .rows = 3, .cols = 500}));
  ck_assert_double_eq(dem.grid.cell_size, 10);
  ck_assert_int_eq(assert_plane(1e-3), 1500);
  assert_refused(make_raster("long.tif", (struct raster){.transform = nearly, .rows = 3, .cols = 5000}), "not square");
}

static uint64_t hash_of(const char *name, struct raster r) {
  assert_read(make_raster(name, r));
  const uint64_t hash = dem.hash;
  return hash;
}

// The same altitudes elsewhere, in other cells or with a hole are another DEM; in another format they are the same DEM.
TEST(the_hash_covers_terrain_and_position) {
  const double east[6] = {500010, 10, 0, 4178000, 0, -10}, north[6] = {500000, 10, 0, 4178010, 0, -10},
               larger[6] = {500000, 20, 0, 4178000, 0, -20};
  double values[20], changed[20], nodata = -1;
  for (int i = 0; i < 20; i++) values[i] = changed[i] = 100 + i;
  changed[7] = nextafter(changed[7], 0);
  const uint64_t hash = hash_of("a.tif", (struct raster){.values = values});
  ck_assert_uint_eq(hash_of("b.img", (struct raster){.values = values, .driver = "HFA"}), hash);
  ck_assert_uint_ne(hash_of("c.tif", (struct raster){.values = values, .transform = east}), hash);
  ck_assert_uint_ne(hash_of("d.tif", (struct raster){.values = values, .transform = north}), hash);
  ck_assert_uint_ne(hash_of("e.tif", (struct raster){.values = values, .transform = larger}), hash);
  ck_assert_uint_ne(hash_of("f.tif", (struct raster){.values = values, .rows = 5, .cols = 4}), hash);
  ck_assert_uint_ne(hash_of("g.tif", (struct raster){.values = changed}), hash);
  changed[7] = nodata;
  ck_assert_uint_ne(hash_of("h.tif", (struct raster){.values = changed, .nodata = &nodata}), hash);
}

// A mask replaces GDAL's own comparison with NODATA; a NODATA value that is rounded to float32 is still NODATA.
TEST(nodata_together_with_a_mask) {
  double values[20], nodata = -99999.1; // no float has this value
  for (int i = 0; i < 20; i++) values[i] = 100 + i;
  values[7] = nodata;
  assert_read(
      make_raster("a.tif", (struct raster){.type = GDT_Float32, .values = values, .nodata = &nodata, .masked = true}));
  for (int i = 0; i < 20; i++) ck_assert_int_eq(dem.valid[i], i != 0 && i != 7);
}

// With errors ignored, GDAL fills what it cannot read with zeros and reports success.
TEST(ignored_errors_are_errors) {
  make_raster("whole.tif", (struct raster){.rows = 200, .cols = 200});
  free(output_of("cd %s && head -c 200000 whole.tif > cut.tif", folder));
  CPLSetConfigOption("GTIFF_IGNORE_READ_ERRORS", "YES");
  assert_refused(in_folder("cut.tif"), "truncated");
}

// 4600 + 6 x 2.3 m is a multiple of 4.6 m except for rounding: this makes no fourth, empty column.
TEST(corners_that_are_multiples_but_for_rounding) {
  const double corner[6] = {4600, 2.3, 0, 9200, 0, -2.3};
  double values[36];
  for (int i = 0; i < 36; i++) values[i] = 500;
  const struct raster r = {.rows = 6, .cols = 6, .transform = corner, .values = values};
  const struct sciara_dem_request q = {.path = make_raster("a.tif", r), .band = 1, .cell_size_m = 4.6};
  ck_assert_double_gt((4600 + 6 * 2.3) / 4.6, 1003);
  expect_ok(read_dem(&q));
  ck_assert(dem.grid.rows == 3 && dem.grid.cols == 3);
  for (int i = 0; i < 9; i++) ck_assert(dem.valid[i] && dem.altitude[i] == 500);
}

// A header keyword counts only in the header.
TEST(header_words_among_altitudes) {
  assert_refused(write_grid("a.asc", "1 2 3\n4 cellsize 5 6\n7 8 9\n"),
                 "a.asc:8: expected a number, found \"cellsize\"");
}

/** Brightness in the middle of a picture of ground that rises by `east` and `north` per metre. */
static int brightness(double east, double north) {
  enum { SIDE = 20 };
  const struct sciara_grid grid = {.rows = SIDE, .cols = SIDE, .cell_size = 10};
  double altitude[SIDE * SIDE], nothing[SIDE * SIDE];
  for (int r = 0; r < SIDE; r++)
    for (int c = 0; c < SIDE; c++) {
      altitude[r * SIDE + c] = 1000 + 10 * (east * c - north * r);
      nothing[r * SIDE + c] = -9999;
    }
  const struct sciara_map map = {
      .grid = &grid, .values = nothing, .nodata = -9999, .name = "deposit", .unit = "m", .title = "light"};
  const struct sciara_map_picture picture = {.map = &map, .altitude = altitude};
  expect_ok(sciara_map_write_png(&picture, in_folder("a.png")));
  OWNED(free_memory) char *text = output_of("gdallocationinfo -valonly -b 1 %s 500 500", in_folder("a.png"));
  const int value = atoi(text);
  return value;
}

TEST(the_sun_stands_in_the_north_west) {
  const int flat = brightness(0, 0), west = brightness(0.5, 0), north = brightness(0, -0.5);
  ck_assert_int_gt(west, flat + 10); // rises to the east: faces west
  ck_assert_int_eq(north, west);
  ck_assert_int_lt(brightness(-0.5, 0), flat - 10);
  ck_assert_int_eq(brightness(0, 0.5), brightness(-0.5, 0));
  ck_assert_int_gt(brightness(0.5, -0.5), north);
}

RUN_TESTS(.setup = setup, .teardown = folder_remove)
