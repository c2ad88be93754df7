// SPDX-License-Identifier: Apache-2.0
#include "picture/map_picture.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>

#include "gdal_fixture.h"
#include "support/owned.h"
#include "terrain/dem_gdal.h"

enum { ROWS = 90, COLS = 130 };
static struct sciara_grid grid;
static struct sciara_georef georef;
static double deposit[ROWS * COLS], altitude[ROWS * COLS];

/** A cone in the sea with lava on its eastern side. */
static void make_fields(void) {
  grid = (struct sciara_grid){.rows = ROWS, .cols = COLS, .cell_size = 10, .west = 499547.5, .north = 4178762.5};
  expect_ok(sciara_georef_from_name("EPSG:32633", &georef));
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < COLS; c++) {
      double d = hypot(r - 45, c - 50), ripple = 12 * sin(0.4 * atan2(r - 45, c - 50) * 9) * d / 45;
      altitude[r * COLS + c] = c > 118 ? SCIARA_NODATA_ALTITUDE : 900 - 9 * d + ripple;
      deposit[r * COLS + c] = abs(r - 45 - c / 20) < 5 && c > 50 && c < 105 ? 0.1 + 0.05 * (105 - c) : -9999;
    }
}

static struct sciara_map map(void) {
  return (struct sciara_map){.grid = &grid,
                             .georef = &georef,
                             .values = deposit,
                             .nodata = -9999,
                             .name = "deposit",
                             .unit = "m",
                             .title = "a <test>"};
}

static int files_in(const char *path) {
  int count = 0;
  DIR *d = opendir(path);
  for (struct dirent *e; (e = readdir(d));) count += e->d_name[0] != '.';
  closedir(d);
  return count;
}

static void prepare(void) {
  setup();
  make_fields();
}

static void finish(void) {
  sciara_georef_free(&georef);
  folder_remove();
}

TEST(cog_has_averaged_overviews) {
  enum { SIDE = 1100 };
  OWNED(free_memory) double *values = (double *)malloc(SIDE * SIDE * sizeof *values);
  for (int i = 0; i < SIDE * SIDE; i++)
    values[i] = i % SIDE % 2 ? 4 : i / SIDE % 2 ? -9999 : 2; // of 4 cells: 4, 4, 2 and none
  struct sciara_grid large = {SIDE, SIDE, 10, 0, 0};
  struct sciara_map m = map();
  m.grid = &large;
  m.values = values;
  expect_ok(sciara_map_write_cog(&m, in_folder("o.tif")));
  char *text = output_of("gdallocationinfo -valonly -overview 1 %s 100 100", in_folder("o.tif"));
  ck_assert_double_eq_tol(atof(text), 10.0 / 3, 1e-6);
  free(text);
  ck_assert_int_eq(files_in(folder), 2);
}

TEST(style_is_what_qgis_reads) {
  struct sciara_map m = map();
  m.unit = "m<&\">";
  expect_ok(sciara_map_write_cog(&m, in_folder("deposit.tif")));
  OWNED(free_memory)
  char *text = output_of("/usr/bin/python3 -c \"import sys, xml.etree.ElementTree as e\n"
                         "r = e.parse(sys.argv[1]).getroot().find('pipe/rasterrenderer')\n"
                         "i = r.findall('rastershader/colorrampshader/item')\n"
                         "print(r.get('type'), r.get('band'), len(i), i[0].get('value'), i[-1].get('value'), "
                         "i[-1].get('color'), i[0].get('label'))\" %s",
                         in_folder("deposit.qml"));
  ck_assert_str_eq(text, "singlebandpseudocolor 1 5 0 2.8 #5c0030 0 m<&\">\n");
}

TEST(geotiff_keeps_doubles) {
  struct sciara_map m = map();
  m.values = altitude;
  m.name = "altitude";
  m.georef = NULL;
  expect_ok(sciara_map_write_geotiff(&m, true, in_folder("z.tif")));
  struct sciara_dem dem;
  expect_ok(sciara_dem_read(&(struct sciara_dem_request){.path = in_folder("z.tif"), .band = 1}, &dem));
  ck_assert_int_eq(memcmp(dem.altitude, altitude, sizeof altitude), 0);
  ck_assert_double_eq(dem.grid.west, grid.west);
  ck_assert_double_eq(dem.grid.north, grid.north);
  ck_assert_ptr_null(dem.georef.crs_wkt);
  sciara_dem_free(&dem);
  expect_ok(sciara_map_write_geotiff(&m, false, in_folder("f.tif")));
  OWNED(free_memory) char *text = output_of("gdalinfo %s", in_folder("f.tif"));
  assert_contains(text, "Type=Float32");
  assert_contains(text, "Block=256x256");
}

TEST(mask_is_bytes_without_nodata) {
  double zero_one[ROWS * COLS];
  for (int i = 0; i < ROWS * COLS; i++) zero_one[i] = deposit[i] > 0;
  struct sciara_map m = map();
  m.values = zero_one;
  expect_ok(sciara_map_write_mask(&m, in_folder("o.tif")));
  OWNED(free_memory) char *text = output_of("gdalinfo -mm %s", in_folder("o.tif"));
  assert_contains(text, "Type=Byte");
  assert_contains(text, "Computed Min/Max=0.000,1.000");
  ck_assert_ptr_null(strstr(text, "NoData"));
}

/** What a writer leaves behind when no file may grow beyond `limit` bytes, as on a full disk. */
static void assert_fails_cleanly(enum sciara_status (*write)(const struct sciara_map *, const char *), const char *name,
                                 rlim_t limit) {
  struct sciara_map m = map();
  struct rlimit before, tight;
  write_text(in_folder(name), "what was there before");
  getrlimit(RLIMIT_FSIZE, &before);
  tight = before;
  tight.rlim_cur = limit;
  signal(SIGXFSZ, SIG_IGN);
  ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &tight), 0);
  enum sciara_status status = write(&m, in_folder(name));
  setrlimit(RLIMIT_FSIZE, &before);
  expect_error(status, SCIARA_ERR_IO, in_folder(name));
  char *text = output_of("cat %s", in_folder(name));
  ck_assert_str_eq(text, "what was there before");
  free(text);
  text = output_of("ls %s", folder);
  ck_assert_ptr_null(strstr(text, "part"));
  ck_assert_ptr_null(strstr(text, "tmp"));
  free(text);
}

static enum sciara_status write_double(const struct sciara_map *m, const char *path) {
  return sciara_map_write_geotiff(m, true, path);
}
static enum sciara_status write_png(const struct sciara_map *m, const char *path) {
  return sciara_map_write_png(&(struct sciara_map_picture){.map = m, .altitude = altitude}, path);
}

TEST(full_disk_is_an_error_and_leaves_nothing) {
  for (int i = 0; i < ROWS * COLS; i++) deposit[i] = sin(i * 1.7) * 1e3; // does not compress
  assert_fails_cleanly(write_double, "a.tif", 100);
  assert_fails_cleanly(write_double, "b.tif", 30000);
  assert_fails_cleanly(sciara_map_write_cog, "c.tif", 20000);
  assert_fails_cleanly(write_png, "d.png", 5000);
}

TEST(a_missing_folder_is_an_error) {
  struct sciara_map m = map();
  ck_assert_int_eq(sciara_map_write_cog(&m, in_folder("none/a.tif")), SCIARA_ERR_IO);
  ck_assert_int_eq(write_double(&m, in_folder("none/a.tif")), SCIARA_ERR_IO);
  ck_assert_int_eq(write_png(&m, in_folder("none/a.png")), SCIARA_ERR_IO);
}

RUN_TESTS(.setup = prepare, .teardown = finish)
