// SPDX-License-Identifier: Apache-2.0
// A metre of the CRS must be a metre on the ground.
#include "dem_fixture.h"
#include "file/gdal_support.h"

// Scales that can be worked out by hand, or that the EPSG registry gives.
static const struct {
  const char *crs;
  double x, y, scale; ///< at a place; largest difference over directions
  double tolerance;
} known[] = {
    {"EPSG:32633", 500000, 4177000, 0.9996, 1e-6}, // central meridian: the scale factor of UTM
    {"EPSG:32633", 680000, 4177000, 1.0, 5e-5},    // a secant of UTM: 180 km from the central meridian
    {"EPSG:3004", 2520000, 4177000, 0.9996, 1e-6}, // Italy, Gauss-Boaga east
    {"EPSG:3857", 1669792, 4547675, 1.2689, 1e-4}, // at 37.76 N, in the north
    {"EPSG:3857", 1669792, 0, 1.0067, 1e-4},       // at the equator: 1 / (1 - e2) in the north
    {"EPSG:3395", 1669792, 4519000, 1.2623, 2e-3}, // Mercator on the ellipsoid
    {"EPSG:3031", 0, 0, 0.9728, 1e-3},             // Antarctica, at the pole
    {"EPSG:32761", 2000000, 2000000, 0.994, 1e-6}, // UPS at the pole
    {"+proj=cea +lat_ts=0 +ellps=WGS84", 1669792, 3.9e6, 0.7898, 1e-3}, // equal areas, unequal lengths
};

TEST_EACH(scale_at_known_places, sizeof known / sizeof *known) {
  OGRSpatialReferenceH srs;
  const enum sciara_status status = sciara_srs_parse(known[_i].crs, &srs);
  ck_assert_int_eq(status, SCIARA_OK);
  const double bounds[4] = {known[_i].x - 500, known[_i].y - 500, known[_i].x + 500, known[_i].y + 500};
  double scale;
  expect_ok(sciara_crs_scale(srs, bounds, &scale));
  ck_assert_msg(fabs(scale - known[_i].scale) <= known[_i].tolerance, "%s: expected %.7f, found %.7f", known[_i].crs,
                scale, known[_i].scale);
  OSRRelease(srs);
}

TEST(every_corner_counts) {
  OGRSpatialReferenceH srs;
  double scale;
  expect_ok(sciara_srs_parse("EPSG:32633", &srs));
  for (int k = 0; k < 4; k++) { // one corner lies 700 km from the central meridian
    double bounds[4] = {500000, 4177000, 500010, 4177010};
    bounds[k < 2 ? 0 : 2] = k < 2 ? -200000 : 1200000;
    expect_ok(sciara_crs_scale(srs, bounds, &scale));
    ck_assert(!sciara_crs_scale_is_sound(scale));
  }
  const double nowhere[4] = {1e15, 1e15, 1e15 + 1, 1e15 + 1};
  ck_assert_int_eq(sciara_crs_scale(srs, nowhere, &scale), SCIARA_ERR_INPUT);
  OSRRelease(srs);
}

TEST(the_bound_is_half_a_percent) {
  ck_assert(sciara_crs_scale_is_sound(1.0049) && sciara_crs_scale_is_sound(0.9951));
  ck_assert(!sciara_crs_scale_is_sound(1.0051) && !sciara_crs_scale_is_sound(0.9949));
  ck_assert(!sciara_crs_scale_is_sound(NAN) && !sciara_crs_scale_is_sound(INFINITY));
}

// 10 m on the ground near Etna, as map servers give them.
static const double mercator[6] = {1669792, 12.65, 0, 4547675, 0, -12.65};

static const char *mercator_raster(const char *name, int epsg) {
  static double values[900];
  for (int i = 0; i < 900; i++) values[i] = 500 + i % 30;
  return make_raster(name,
                     (struct raster){.transform = mercator, .epsg = epsg, .rows = 30, .cols = 30, .values = values});
}

static void assert_command_helps(const char *result) {
  read_with_command(result);
  ck_assert_double_eq(dem.grid.cell_size, 10);
  ck_assert_str_eq(dem.georef.crs_name, "WGS 84 / UTM zone 33N (EPSG:32633)");
  ck_assert_double_eq_tol((double)dem.grid.rows, 30, 2); // as large as on the ground
}

TEST(web_mercator_is_refused_with_a_command_that_works) {
  assert_refused(mercator_raster("a.tif", 3857), "1 m on the ground is 1.26");
  expect_said("expected 0.995 to 1.005 m", "gdalwarp -t_srs EPSG:32633 -tr 10 10 -tap");
  assert_command_helps(in_folder("a-metric.tif"));
  struct sciara_dem_request q = {.path = in_folder("a.tif"), .band = 1, .crs = "EPSG:32633", .cell_size_m = 10};
  expect_ok(read_dem(&q));
  ck_assert_double_eq_tol((double)dem.grid.rows, 30, 2);
  q.cell_size_m = 0; // cells of 12.65 m are not those of the raster
  ck_assert_int_eq(read_dem(&q), SCIARA_ERR_INPUT);
  q.crs = NULL;
  q.cell_size_m = 10;
  ck_assert_int_eq(read_dem(&q), SCIARA_ERR_INPUT);
}

TEST(web_mercator_is_no_target) {
  struct sciara_dem_request q = {.path = make_raster("a.tif", (struct raster){0}), .band = 1, .crs = "EPSG:3857"};
  for (int k = 0; k < 2; k++) {
    q.cell_size_m = 10 * k;
    expect_error(read_dem(&q), SCIARA_ERR_INPUT,
                 "dem.crs: expected a CRS in which 1 m on the ground is 0.995 to 1.005 m, such "
                 "as EPSG:32633; found \"EPSG:3857\", in which it is 1.268 m at the DEM");
    expect_said("dem.crs: expected a CRS in which 1 m on the ground is 0.995 to 1.005 m, such "
                "as EPSG:32633; found \"EPSG:3857\", in which it is 1.268 m at the DEM");
  }
  q.path = mercator_raster("unnamed.tif", -1);
  q.cell_size_m = 0;
  expect_error(read_dem(&q), SCIARA_ERR_INPUT, "gdalwarp -s_srs 'EPSG:3857' -t_srs EPSG:32633 -tr 10 10 -tap");
  assert_command_helps(in_folder("unnamed-metric.tif"));
}

TEST(only_the_window_counts) {
  const double wide[6] = {500000, 100000, 0, 4500000, 0, -100000}; // 12 cells: up to 1,200 km from the central meridian
  double values[144];
  for (int i = 0; i < 144; i++) values[i] = 500;
  struct raster r = {.transform = wide, .rows = 12, .cols = 12, .values = values};
  assert_refused(make_raster("wide.tif", r), "1 m on the ground is 1.0");
  const int64_t window[4] = {0, 0, 4, 4};
  struct sciara_dem_request q = {.path = in_folder("wide.tif"), .band = 1, .window = window};
  expect_ok(read_dem(&q));
}

RUN_TESTS(.setup = setup, .teardown = folder_remove)
