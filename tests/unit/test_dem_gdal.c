// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>

#include "dem_fixture.h"

TEST(geotiff_is_read_exactly) {
  assert_read(make_raster("a.tif", (struct raster){0}));
  ck_assert_int_eq(dem.grid.rows, 4);
  ck_assert_int_eq(dem.grid.cols, 5);
  ck_assert_double_eq(dem.grid.cell_size, 10);
  ck_assert_double_eq(dem.grid.west, 500000);
  ck_assert_double_eq(dem.grid.north, 4178000);
  ck_assert_int_eq(assert_plane(0), 20);
  ck_assert_str_eq(dem.driver, "GTiff");
  ck_assert_str_eq(dem.georef.crs_name, "WGS 84 / UTM zone 33N (EPSG:32633)");
  ck_assert_int_eq(strncmp(dem.georef.crs_wkt, "PROJCS[", 7), 0); // WKT 1, which every tool can read
  uint64_t hash = dem.hash;
  assert_read(in_folder("a.tif"));
  ck_assert_uint_eq(dem.hash, hash);
  double values[20] = {1};
  assert_read(make_raster("b.tif", (struct raster){.values = values}));
  ck_assert_uint_ne(dem.hash, hash);
}

static const struct {
  const char *name, *driver;
  GDALDataType type;
  const char *option;
} formats[] = {{"a.tif", "GTiff", GDT_Float64, NULL},
               {"c.tif", "COG", GDT_Float32, "COMPRESS=DEFLATE"},
               {"a.bil", "EHdr", GDT_Float32, NULL},
               {"a.img", "HFA", GDT_Float64, NULL},
               {"a.nc", "netCDF", GDT_Float64, NULL},
               {"a.gpkg", "GPKG", GDT_Float32, NULL},
               {"a.asc", "AAIGrid", GDT_Float64, "DECIMAL_PRECISION=6"}};

TEST_EACH(every_allowed_format_is_read, sizeof formats / sizeof *formats) {
  assert_read(make_raster(
      formats[_i].name,
      (struct raster){.driver = formats[_i].driver, .type = formats[_i].type, .option = formats[_i].option}));
  ck_assert_int_eq(dem.grid.rows, 4);
  ck_assert_double_eq_tol(dem.grid.west, 500000, 1e-6);
  ck_assert_int_eq(assert_plane(1e-4), 20);
  assert_contains(dem.georef.crs_name, "EPSG:32633");
}

TEST(ascii_grids_are_read_as_doubles) {
  assert_read(write_grid("a.stt", "3298.1 2 3\n4 0.00 6\n7 8 16777217.125e-3\n"));
  ck_assert_str_eq(dem.driver, "AAIGrid");
  ck_assert_double_eq(dem.altitude[0], 3298.1); // not the float nearest to it
  ck_assert_double_eq(dem.altitude[8], 16777.217125);
  ck_assert_int_eq(dem.valid[4], 0); // NODATA_value 0.0: altitude 0 is NODATA
  ck_assert_double_eq(dem.grid.north, 230);
  ck_assert_ptr_null(dem.georef.crs_wkt);
  assert_contains(logged, "WARNING");
  assert_contains(logged, "no CRS");
}

TEST(nan_and_infinite_cells_are_nodata_with_a_warning) {
  assert_read(write_grid("a.asc", "1 2 3\n4 nan 6\n7 8 inf\n"));
  ck_assert_int_eq(dem.valid[4], 0);
  ck_assert_int_eq(dem.valid[8], 0);
  assert_contains(logged, "WARNING");
  assert_contains(logged, "2 cells are NaN or infinite");
  assert_contains(logged, "row 1, column 1");
  double values[20];
  for (int i = 0; i < 20; i++) values[i] = NAN;
  assert_refused(make_raster("b.tif", (struct raster){.values = values}), "every cell is NODATA");
}

TEST(words_in_ascii_grids_are_refused) {
  assert_refused(write_grid("a.asc", "1 2 3\n4 x 6\n7 8 9\n"), "a.asc:8: expected a number, found \"x\"");
  assert_refused(write_grid("b.asc", "1 2 3\n4 5 6\n7 8 -\n"), "b.asc:9: expected a number, found \"-\"");
  assert_read(write_grid("c.asc", "1 2 3\n4 -1.5E+1 6\n+7 8 -nan\n"));
  ck_assert_double_eq(dem.altitude[4], -15);
}

TEST(cell_size_zero_is_refused) {
  write_text(in_folder("a.asc"), "ncols 3\nnrows 3\nxllcorner 0\nyllcorner 0\ncellsize 0\n1 2 3\n4 5 6\n7 8 9\n");
  assert_refused(in_folder("a.asc"), "a.asc: expected a cell size above 0, found 0 x 0");
}

TEST(size_is_checked_before_memory_is_taken) {
  write_text(in_folder("a.asc"),
             "ncols 2000000\nnrows 2000000\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -9999\n1 2 3");
  enum sciara_status status = read_path(in_folder("a.asc"));
  ck_assert_msg(status == SCIARA_ERR_MEMORY || status == SCIARA_ERR_INPUT, "status %d", (int)status);
  GDALDatasetH d = GDALCreate(
      GDALGetDriverByName("GTiff"), in_folder("b.tif"), 300000, 300000, 1, GDT_Float64,
      (char *[]){"SPARSE_OK=TRUE", "TILED=YES", "BIGTIFF=YES", "BLOCKXSIZE=16384", "BLOCKYSIZE=16384", NULL});
  GDALSetGeoTransform(d, (double *)(uintptr_t)metric);
  GDALClose(d);
  expect_error(read_path(in_folder("b.tif")), SCIARA_ERR_MEMORY, "300000 x 300000 cells", "120 bytes each");
}

TEST(less_than_three_rows_or_columns_is_refused) {
  assert_refused(make_raster("a.tif", (struct raster){.rows = 2}), "at least 3 x 3");
  assert_refused(make_raster("b.tif", (struct raster){.cols = 1}), "at least 3 x 3");
}

/** Cuts the file to `keep` bytes. */
static const char *cut(const char *path, double keep) {
  struct stat about;
  ck_assert_int_eq(stat(path, &about), 0);
  ck_assert_int_eq(truncate(path, (off_t)((double)about.st_size * keep)), 0);
  return path;
}

static const struct {
  const char *name, *found;
  struct raster raster;
} truncated[] = {
    {"a.tif", "it may be truncated: ", {.driver = "GTiff"}},
    {"b.tif", "it may be truncated: ", {.driver = "COG", .type = GDT_Float32}},
    {"a.bil", "it may be truncated: ", {.driver = "EHdr", .type = GDT_Float32}},
    {"a.asc", "possibly truncated: ", {.driver = "AAIGrid"}},
    {"a.img", "cannot be opened", {.driver = "HFA"}}, // its directory stands at the end
};

TEST_EACH(truncated_files_are_refused_in_silence, sizeof truncated / sizeof *truncated) {
  struct raster r = truncated[_i].raster;
  r.rows = r.cols = 300;
  const char *path = cut(make_raster(truncated[_i].name, r), 0.5);
  int terminal = dup(2), file = open(in_folder("stderr"), O_RDWR | O_CREAT, 0600);
  dup2(file, 2);
  enum sciara_status status = read_path(path);
  fflush(stderr);
  dup2(terminal, 2);
  expect_error(status, SCIARA_ERR_INPUT, truncated[_i].found);
  ck_assert_int_eq(lseek(file, 0, SEEK_END), 0); // GDAL's own message is in the error, not on the terminal
  close(file);
  close(terminal);
}

TEST(nodata_is_compared_in_the_type_of_the_band) {
  double values[20], nodata = -3.4028234663852886e38;
  for (int i = 0; i < 20; i++) values[i] = 100 + i;
  values[7] = nodata;
  assert_read(make_raster("float.tif", (struct raster){.type = GDT_Float32, .values = values, .nodata = &nodata}));
  ck_assert_int_eq(dem.valid[7], 0);
  ck_assert_int_eq(dem.valid[6], 1);
  values[7] = nodata = -99999.1; // no float has this value
  assert_read(make_raster("rounded.tif", (struct raster){.type = GDT_Float32, .values = values, .nodata = &nodata}));
  ck_assert_int_eq(dem.valid[7], 0);
  values[7] = nodata = -32768;
  assert_read(make_raster("short.tif", (struct raster){.type = GDT_Int16, .values = values, .nodata = &nodata}));
  ck_assert_int_eq(dem.valid[7], 0);
  values[7] = nodata = NAN;
  assert_read(make_raster("nan.tif", (struct raster){.values = values, .nodata = &nodata}));
  ck_assert_int_eq(dem.valid[7], 0);
  ck_assert_ptr_null(strstr(logged, "WARNING")); // declared: no warning is needed
  assert_read(make_raster("mask.tif", (struct raster){.masked = true}));
  ck_assert_int_eq(dem.valid[0], 0);
  ck_assert_int_eq(assert_plane(0), 19);
}

TEST(scale_and_offset_are_applied) {
  double values[20], nodata = -32768;
  for (int i = 0; i < 20; i++) values[i] = i;
  values[3] = nodata;
  assert_read(make_raster(
      "a.tif", (struct raster){.type = GDT_Int16, .values = values, .nodata = &nodata, .scale = 0.5, .offset = 1000}));
  ck_assert_double_eq(dem.altitude[4], 1002);
  ck_assert_int_eq(dem.valid[3], 0);
}

// NODATA is the value in the file, not the value after scale and offset.
TEST_EACH(nodata_is_compared_before_the_scale, 2) {
  double values[20], nodata = 500;
  for (int i = 0; i < 20; i++) values[i] = 100 + 10 * i;
  values[3] = 500;  // NODATA, 250 after the scale
  values[4] = 1000; // 500 after the scale, and an altitude
  const struct raster r = {.type = _i ? GDT_Float32 : GDT_Int16, .values = values, .nodata = &nodata, .scale = 0.5};
  assert_read(make_raster("a.tif", r));
  ck_assert_int_eq(dem.valid[3], 0);
  ck_assert_int_eq(dem.valid[4], 1);
  ck_assert_double_eq(dem.altitude[4], 500);
  ck_assert_double_eq(dem.altitude[5], 75);
}

TEST_EACH(undeclared_nodata_is_refused, 4) {
  const double wild[] = {-32768, 1e6, -3.4028234663852886e38, -9999};
  double values[20] = {0};
  values[7] = wild[_i];
  assert_refused(make_raster("it's.tif", (struct raster){.values = values}), "row 1, column 2");
  expect_said("gdal_translate -a_nodata", "it'\\''s.tif'");
}

// The cell is named by its position in the file, whatever part of the file is read.
TEST(a_refused_cell_is_that_of_the_file) {
  double values[20];
  for (int i = 0; i < 20; i++) values[i] = 100;
  values[3 * 5 + 4] = -32768;
  const int64_t window[4] = {1, 2, 3, 3};
  const struct sciara_dem_request q = {
      .path = make_raster("a.tif", (struct raster){.values = values}), .band = 1, .window = window};
  expect_error(read_dem(&q), SCIARA_ERR_INPUT, "cell row 3, column 4 has altitude -32768 m");
  values[3 * 5 + 4] = NAN; // cells that are not refused: they are counted, and the first is named
  make_raster("a.tif", (struct raster){.values = values});
  expect_ok(read_dem(&q));
  assert_contains(logged, "1 cell is NaN or infinite, taken as NODATA; the first is row 3, column 4");
}

TEST(all_nodata_is_refused) {
  double values[20] = {0}, nodata = 0;
  assert_refused(make_raster("a.tif", (struct raster){.values = values, .nodata = &nodata}), "every cell is NODATA");
}

TEST(feet_of_altitude_are_refused) {
  assert_refused(make_raster("a.tif", (struct raster){.unit = "US survey foot"}), "metres are needed");
  assert_read(make_raster("b.tif", (struct raster){.unit = "metre"}));
}

TEST(south_up_is_flipped) {
  const double south_up[6] = {500000, 10, 0, 4178000, 0, 10};
  const char *path = make_raster("a.tif", (struct raster){.transform = south_up});
  assert_read(path);
  ck_assert_double_eq(dem.grid.north, 4178040);
  ck_assert_int_eq(assert_plane(0), 20);
  const int64_t window[4] = {0, 1, 3, 4}; // row 0 is the northern row here too
  expect_ok(read_dem(&(struct sciara_dem_request){.path = path, .band = 1, .window = window}));
  ck_assert_double_eq(dem.grid.north, 4178040);
  ck_assert_double_eq(dem.grid.west, 500010);
  ck_assert_int_eq(assert_plane(0), 12);
}

/** gdalwarp with the same options must give the same cells. */
TEST(window_and_band_are_checked) {
  const int64_t good[4] = {1, 2, 3, 3},
                bad[][4] = {{2, 0, 3, 5}, {0, -1, 3, 3}, {0, 0, 0, 5}, {INT64_MAX, 0, 3, 3}, {0, 0, 4, 6}};
  struct sciara_dem_request q = {.path = make_raster("a.tif", (struct raster){.bands = 2}), .band = 1, .window = good};
  expect_ok(read_dem(&q));
  ck_assert_double_eq(dem.grid.west, 500020);
  ck_assert_double_eq(dem.grid.north, 4177990);
  ck_assert_int_eq(assert_plane(0), 9);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    q.window = bad[i];
    expect_error(read_dem(&q), SCIARA_ERR_INPUT, "4 rows x 5 columns");
  }
  q.window = NULL;
  assert_contains(logged, "a.tif: band 1 of 2 is taken as altitudes; dem.band chooses another one");
  q.band = 2;
  expect_ok(read_dem(&q));
  ck_assert_double_eq(dem.altitude[0], 200);
  q.band = 3;
  expect_error(read_dem(&q), SCIARA_ERR_INPUT, "a.tif: expected band 1 to 2, found band 3");
}

TEST(a_picture_is_no_dem) {
  assert_read(make_raster("a.tif", (struct raster){.bands = 3, .type = GDT_UInt16, .option = "PHOTOMETRIC=RGB"}));
  assert_contains(logged, "band 1 of 3 is taken as altitudes, but is a colour of a picture (Red); dem.band");
}

TEST(depths_are_pointed_out) {
  double values[20];
  for (int i = 0; i < 20; i++) values[i] = -1000.5 - i;
  assert_read(make_raster("a.tif", (struct raster){.values = values}));
  assert_contains(logged, "a.tif: expected altitudes above the sea, found none above -1000 m: these may be depths");
  values[19] = -999.5;
  logged[0] = '\0';
  assert_read(make_raster("b.tif", (struct raster){.values = values}));
  ck_assert_ptr_null(strstr(logged, "depths"));
}

RUN_TESTS(.setup = setup, .teardown = folder_remove)
