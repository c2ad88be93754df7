// SPDX-License-Identifier: Apache-2.0
// The position of a DEM: CRS, shape of the cells, warping.
#include "dem_fixture.h"
#include "support/owned.h"

TEST(rotated_mirrored_or_unplaced_is_refused) {
  const double rotated[6] = {500000, 8, 6, 4178000, 6, -8}, mirrored[6] = {500000, -10, 0, 4178000, 0, -10};
  assert_refused(make_raster("a.tif", (struct raster){.transform = rotated, .rows = 20, .cols = 20}), "rotated");
  read_with_command(in_folder("a-metric.tif"));
  ck_assert_double_eq(dem.grid.cell_size, 10);
  assert_refused(make_raster("b.tif", (struct raster){.transform = mirrored}), "mirrored");
  assert_refused(make_raster("c.tif", (struct raster){.unplaced = true, .epsg = -1}), "no geotransform");
}

// The zone that is proposed for degrees anywhere on Earth.
static const struct {
  double west, north, dx, dy;
  const char *proposed;
} places[] = {
    {15, 37.8, 1.0 / 3600, 1.0 / 3600,
     "20 m: --set dem.crs=EPSG:32633 --set dem.cell_size_m=20 --set model.rule=bingham"},
    {-70.5, -33, 0.001, 0.001, "--set dem.crs=EPSG:32719 --set dem.cell_size_m=20 --set model.rule=bingham"},
    {10, 60, 0.002, 0.001, "--set dem.crs=EPSG:32632 --set dem.cell_size_m=20 --set model.rule=bingham"},
    {200, 19.5, 1e-4, 1e-4, "--set dem.crs=EPSG:32604 --set dem.cell_size_m=10"},
    {-180, -1e-5, 1e-5, 1e-5, "10 m: --set dem.crs=EPSG:32701 --set dem.cell_size_m=10"},
    {15, 85, 5e-6, 5e-6, "--set dem.crs=EPSG:32661 --set dem.cell_size_m=10"},
    {15, -85, 1e-4, 1e-4, "--set dem.crs=EPSG:32761 --set dem.cell_size_m=10"},
};

TEST_EACH(the_proposed_grid_suits_the_place, sizeof places / sizeof *places) {
  const double transform[6] = {places[_i].west, places[_i].dx, 0, places[_i].north, 0, -places[_i].dy};
  assert_refused(make_raster("a.tif", (struct raster){.transform = transform, .epsg = 4326}), places[_i].proposed);
}

TEST(degrees_are_warped_on_request_as_gdalwarp_does) {
  double *values = (double *)malloc(60 * 60 * sizeof *values), nodata = -1;
  for (int i = 0; i < 3600; i++) values[i] = 500 + 3 * (i % 60) + 0.1 * (i / 60.0) * (i % 7);
  for (int i = 1800; i < 1815; i++) values[i] = nodata;
  struct raster r = {.transform = degrees, .epsg = 4326, .rows = 60, .cols = 60, .values = values, .nodata = &nodata};
  struct sciara_dem_request q = {.path = make_raster("a.tif", r), .band = 1, .crs = "EPSG:32633", .cell_size_m = 25};
  expect_ok(read_dem(&q));
  ck_assert_double_eq(fmod(dem.grid.west, 25), 0);
  ck_assert_double_eq(fmod(dem.grid.north, 25), 0);
  free(output_of("cd %s && gdalwarp -q -et 0 -t_srs EPSG:32633 -tr 25 25 -tap -r bilinear -dstnodata -9999 a.tif b.tif",
                 folder));
  OWNED(sciara_dem_free) struct sciara_dem own = dem;
  dem = (struct sciara_dem){0};
  assert_read(in_folder("b.tif"));
  ck_assert_int_eq(own.grid.rows, dem.grid.rows);
  ck_assert_int_eq(own.grid.cols, dem.grid.cols);
  ck_assert_double_eq(own.grid.west, dem.grid.west);
  ck_assert_double_eq(own.grid.north, dem.grid.north);
  ck_assert_int_eq(memcmp(own.valid, dem.valid, (size_t)sciara_grid_cells(&dem.grid)), 0);
  int64_t holes = 0;
  for (int64_t i = 0; i < sciara_grid_cells(&dem.grid); i++) {
    ck_assert_double_eq_tol(own.altitude[i], dem.altitude[i], 1e-6);
    holes += !dem.valid[i];
  }
  ck_assert_int_gt(holes, 0);
  free(values);
}

TEST(cells_that_are_not_square_are_refused_or_warped) {
  const double oblong[6] = {500000, 10, 0, 4178000, 0, -12}, nearly[6] = {500000, 10, 0, 4178000, 0, -10.0000001};
  assert_refused(make_raster("a.tif", (struct raster){.transform = oblong, .rows = 20, .cols = 24}),
                 "not square, 10 x 12");
  expect_said("gdalwarp -tr 10 10");
  read_with_command(in_folder("a-metric.tif"));
  struct sciara_dem_request q = {.path = in_folder("a.tif"), .band = 1, .cell_size_m = 10};
  expect_ok(read_dem(&q));
  ck_assert_int_eq(dem.grid.rows, 24);
  ck_assert_double_eq(dem.grid.cell_size, 10);
  for (int64_t r = 1; r < 23; r++) // bilinear: exact on a plane, except at the border
    for (int64_t c = 1; c < 23; c++)
      ck_assert_double_eq_tol(dem.altitude[r * 24 + c], plane(centre_x(c), centre_y(r)), 1e-9);
  assert_read(make_raster("b.tif", (struct raster){.transform = nearly}));
  ck_assert_double_eq(dem.grid.cell_size, 10);
}

// The requested size is used, however close it is to that of the raster; only a rounding error is ignored.
TEST(cells_of_nearly_the_same_size) {
  struct sciara_dem_request q = {.path = make_raster("a.tif", (struct raster){.rows = 20, .cols = 20}), .band = 1};
  static const double sizes[] = {10.005, 10.00001, 9.9999};
  for (int k = 0; k < 3; k++) {
    q.cell_size_m = sizes[k];
    expect_ok(read_dem(&q));
    ck_assert_double_eq(dem.grid.cell_size, sizes[k]);
    ck_assert_double_eq_tol(remainder(dem.grid.west, sizes[k]), 0, 1e-6); // on multiples of the cell
    assert_contains(logged, "warped bilinearly to cells of");
  }
  logged[0] = '\0';
  q.cell_size_m = 10 * (1 + 1e-12);
  expect_ok(read_dem(&q));
  ck_assert_double_eq(dem.grid.cell_size, 10);
  ck_assert_double_eq(dem.grid.west, 500000);
  ck_assert_int_eq(assert_plane(0), 400);
  ck_assert_ptr_null(strstr(logged, "warped"));
}

TEST(holes_do_not_leak_into_a_warp) {
  double values[400], nodata = -9999;
  for (int i = 0; i < 400; i++) values[i] = i % 20 < 8 ? nodata : 1000;
  struct raster r = {.rows = 20, .cols = 20, .values = values, .nodata = &nodata};
  struct sciara_dem_request q = {.path = make_raster("a.tif", r), .band = 1, .cell_size_m = 7};
  expect_ok(read_dem(&q));
  for (int64_t i = 0; i < sciara_grid_cells(&dem.grid); i++)
    ck_assert(dem.valid[i] ? fabs(dem.altitude[i] - 1000) < 1e-9 : dem.altitude[i] == SCIARA_NODATA_ALTITUDE);
}

TEST(hgt_tiles_are_known) {
  // A tile of SRTM is 1201 x 1201 big-endian shorts, named by its south-western corner.
  FILE *f = fopen(in_folder("N37E015.hgt"), "wb");
  for (int i = 0; i < 1201 * 1201; i++) {
    fputc(i == 600 * 1201 + 600 ? 0x80 : 0x01, f); // one void, the others 256 + 44 m
    fputc(i == 600 * 1201 + 600 ? 0x00 : 0x2C, f);
  }
  fclose(f);
  assert_refused(in_folder("N37E015.hgt"),
                 "--set dem.crs=EPSG:32633 --set dem.cell_size_m=20 --set model.rule=bingham");
  const int64_t window[4] = {590, 590, 20, 20};
  struct sciara_dem_request q = {
      .path = in_folder("N37E015.hgt"), .band = 1, .crs = "EPSG:32633", .cell_size_m = 90, .window = window};
  expect_ok(read_dem(&q));
  ck_assert_str_eq(dem.driver, "SRTMHGT");
  int64_t valid = 0;
  for (int64_t i = 0; i < sciara_grid_cells(&dem.grid); i++) {
    valid += dem.valid[i];
    ck_assert(!dem.valid[i] || fabs(dem.altitude[i] - 300) < 1e-9);
  }
  ck_assert_int_gt(valid, 250);
}

/** Runs the command of the last message that begins with `begin` and ends with "on-grid.tif". */
static void run_cure(const char *begin) {
  char at[4096], *command = strdup(strstr(sciara_last_error(), begin));
  strstr(command, " on-grid.tif")[strlen(" on-grid.tif")] = '\0';
  snprintf(at, sizeof at, "cd %s && rm -f on-grid.tif && %s", folder, command);
  free(output_of("%s", at));
  free(command);
}

TEST(rasters_must_lie_on_the_grid) {
  struct sciara_grid grid = {.rows = 4, .cols = 5, .cell_size = 10, .west = 500000, .north = 4178000};
  double out[20], values[20], nodata = -1;
  for (int i = 0; i < 20; i++) values[i] = i;
  values[3] = nodata;
  expect_ok(sciara_raster_read_on_grid(make_raster("a.tif", (struct raster){.values = values, .nodata = &nodata}),
                                       &grid, NULL, out));
  ck_assert_double_eq(out[3], 0);
  ck_assert_double_eq(out[19], 19);
  grid.west += 0.001;
  ck_assert_int_eq(sciara_raster_read_on_grid(in_folder("a.tif"), &grid, NULL, out), SCIARA_ERR_INPUT);
  grid.west += 15;
  expect_error(sciara_raster_read_on_grid(in_folder("a.tif"), &grid, NULL, out), SCIARA_ERR_INPUT, "gdalwarp -te ",
               "-ts 5 4");
  run_cure("gdalwarp ");
  expect_ok(sciara_raster_read_on_grid(in_folder("on-grid.tif"), &grid, NULL, out));
  values[9] = NAN;
  expect_error(sciara_raster_read_on_grid(make_raster("b.tif", (struct raster){.values = values}),
                                          &(struct sciara_grid){4, 5, 10, 500000, 4178000}, NULL, out),
               SCIARA_ERR_INPUT, "row 1, column 4");
}

/** The WKT of an EPSG code, as a DEM has it. */
static char *wkt_of(const char *crs) {
  struct sciara_georef g;
  expect_ok(sciara_georef_from_name(crs, &g));
  free(g.crs_name);
  return g.crs_wkt;
}

TEST(rasters_must_have_the_crs_of_the_dem) { // the same numbers are other places
  static const char *const cures[] = {"gdalwarp ", "gdal_translate "};
  const struct sciara_grid grid = {.rows = 4, .cols = 5, .cell_size = 10, .west = 500000, .north = 4178000};
  OWNED(free_memory) char *dem_wkt = wkt_of("EPSG:32633"), *utm32 = wkt_of("EPSG:32632");
  double out[20];
  make_raster("a.tif", (struct raster){0});
  expect_ok(sciara_raster_read_on_grid(in_folder("a.tif"), &grid, dem_wkt, out));
  for (int k = 0; k < 2; k++) {
    expect_error(sciara_raster_read_on_grid(in_folder("a.tif"), &grid, utm32, out), SCIARA_ERR_INPUT,
                 "a.tif: expected the CRS of the DEM, WGS 84 / UTM zone 32N (EPSG:32632)");
    expect_said("found WGS 84 / UTM zone 33N (EPSG:32633)");
    run_cure(cures[k]);
    expect_ok(sciara_raster_read_on_grid(in_folder("on-grid.tif"), &grid, utm32, out));
    ck_assert_double_eq(out[7], k == 0 ? 0 : plane(500025, 4177985)); // 530 km from the cells of the same numbers
  }
  for (int k = 0; k < 2; k++) { // with a CRS of heights, and with the text of a .prj
    const char *name = in_folder(k == 0 ? "b.tif" : "b.asc");
    free(output_of(
        "cd %s && gdal_translate -q -a_srs EPSG:32633+5773 a.tif b.tif && gdal_translate -q -of AAIGrid a.tif b.asc",
        folder));
    expect_ok(sciara_raster_read_on_grid(name, &grid, dem_wkt, out));
    ck_assert_int_eq(sciara_raster_read_on_grid(name, &grid, utm32, out), SCIARA_ERR_INPUT);
  }
  make_raster("none.tif", (struct raster){.epsg = -1});
  expect_ok(sciara_raster_read_on_grid(in_folder("none.tif"), &grid, utm32, out));
}

TEST(lonlat_is_placed_as_gdaltransform_does) {
  double x, y, expected_x, expected_y;
  assert_read(make_raster("a.tif", (struct raster){0}));
  expect_ok(sciara_georef_from_lonlat(dem.georef.crs_wkt, 15.0125, 37.7321, &x, &y));
  char *text = output_of("echo '15.0125 37.7321' | gdaltransform -s_srs EPSG:4326 -t_srs EPSG:32633%s", "");
  ck_assert_int_eq(sscanf(text, "%lf %lf", &expected_x, &expected_y), 2);
  free(text);
  ck_assert_double_eq_tol(x, expected_x, 1e-6);
  ck_assert_double_eq_tol(y, expected_y, 1e-6);
  expect_ok(sciara_georef_from_lonlat(dem.georef.crs_wkt, 15, 0, &x, &y));
  ck_assert_double_eq_tol(x, 500000, 1e-6);
  ck_assert_double_eq_tol(y, 0, 1e-6);
  ck_assert_int_eq(sciara_georef_from_lonlat(dem.georef.crs_wkt, 15, 95, &x, &y), SCIARA_ERR_INPUT);
  assert_contains(sciara_last_error(),
                  "lon 15, lat 95: expected a longitude from -180 to 180 (or 0 to 360) and a latitude from -90 to 90");
  ck_assert_int_eq(sciara_georef_from_lonlat(NULL, 15, 37, &x, &y), SCIARA_ERR_INPUT);
}

TEST(an_esri_prj_is_recognised) {
  write_grid("a.asc", "1 2 3\n4 5 6\n7 8 9\n");
  write_text(
      in_folder("a.prj"),
      "PROJCS[\"WGS_1984_UTM_Zone_33N\",GEOGCS[\"GCS_WGS_1984\",DATUM[\"D_WGS_1984\",SPHEROID[\"WGS_1984\",6378137.0,"
      "298.257223563]],PRIMEM[\"Greenwich\",0.0],UNIT[\"Degree\",0.0174532925199433]],PROJECTION[\"Transverse_"
      "Mercator\"],"
      "PARAMETER[\"False_Easting\",500000.0],PARAMETER[\"False_Northing\",0.0],PARAMETER[\"Central_Meridian\",15.0],"
      "PARAMETER[\"Scale_Factor\",0.9996],PARAMETER[\"Latitude_Of_Origin\",0.0],UNIT[\"Meter\",1.0]]");
  assert_read(in_folder("a.asc"));
  ck_assert_str_eq(dem.georef.crs_name, "WGS 84 / UTM zone 33N (EPSG:32633)");
}

RUN_TESTS(.setup = setup, .teardown = folder_remove)
