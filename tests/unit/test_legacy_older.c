// SPDX-License-Identifier: Apache-2.0
// The older layout: PARAMETERS.cfg, MORPHOLOGY.stt, VENTS.stt, EMISSIONS_RATE.stt; grids without headers.

#include <cjson/cJSON.h>

#include "gdal_fixture.h"
#include "legacy/legacy_sciara.h"
#include "terrain/dem_gdal.h"

#define CFG "nsteps \t\t100\nncols\t\t4\nnrows\t\t3\nPclock \t60.00\nPc \t\t\t10\nPTsol \t1143.00\nPcv \t1150     \n"
#define HEADER "ncols 4\nnrows 3\nxllcorner 700\nyllcorner 800\ncellsize 10\nNODATA_value -1\n"
#define GROUND "10.5 11 12 13 \n14 15 16 -9999 \n0 19 20 21 \n"
#define VENTS "0 0 0 0 \n0 7 0 0 \n0 0 0 0 \n"
#define RATES "[TIME]\n86400\n\n[VENT_ID]\n7\n\n[EMISSION_RATE]\n0.5\n1.5\n\n\n[END]"

static struct sciara_legacy_report report;
static const double corner[] = {500000, 4178000};

static void write_set(void) {
  write_text(in_folder("PARAMETERS.cfg"), CFG);
  write_text(in_folder("MORPHOLOGY.stt"), GROUND);
  write_text(in_folder("VENTS.stt"), VENTS);
  write_text(in_folder("EMISSIONS_RATE.stt"), RATES);
}

static enum sciara_status import(const double *at) {
  const struct sciara_legacy_request request = {
      .cfg_path = in_folder("PARAMETERS.cfg"), .output_folder = in_folder("out"), .crs = "EPSG:32633", .corner = at};
  return sciara_legacy_import(&request, &report);
}

static void assert_dem(double west, double south, int64_t holes) {
  OWNED(sciara_dem_free) struct sciara_dem dem;
  expect_ok(sciara_dem_read(&(struct sciara_dem_request){.path = in_folder("out/dem.tif"), .band = 1}, &dem));
  ck_assert_int_eq(dem.grid.rows, 3);
  ck_assert_int_eq(dem.grid.cols, 4);
  ck_assert_double_eq(dem.grid.cell_size, 10);
  ck_assert_double_eq(dem.grid.west, west);
  ck_assert_double_eq(dem.grid.north, south + 30);
  ck_assert_double_eq(dem.altitude[0], 10.5); // the first row of the file is the northern one
  ck_assert_double_eq(dem.altitude[8], 0);
  int64_t found = 0;
  for (int i = 0; i < 12; i++) found += !dem.valid[i];
  ck_assert_int_eq(found, holes);
}

TEST(a_header_names_corner_and_nodata) {
  write_set();
  write_text(in_folder("MORPHOLOGY.stt"), HEADER "10.5 11 12 13 \n14 15 16 17\n0 19 20 -1\n");
  expect_ok(import(NULL));
  ck_assert_ptr_null(strstr(report.text.data, "declares no NODATA"));
  sciara_legacy_report_free(&report);
  assert_dem(700, 800, 1);
}

// The corner may be given by the centre of a cell, even in one direction only.
TEST_EACH(a_header_names_centres, 3) {
  static const struct {
    const char *header;
    double west, south;
  } cases[] = {
      {"ncols 4\nnrows 3\nxllcenter 700\nyllcenter 800\ncellsize 10\nNODATA_value -1\n", 695, 795},
      {"ncols 4\nnrows 3\nxllcenter 700\nyllcorner 800\ncellsize 10\nNODATA_value -1\n", 695, 800},
      {"ncols 4\nnrows 3\nxllcorner 700\nyllcenter 800\ncellsize 10\nNODATA_value -1\n", 700, 795},
  };
  write_set();
  char text[400];
  snprintf(text, sizeof text, "%s10.5 11 12 13 \n14 15 16 17\n0 19 20 -1\n", cases[_i].header);
  write_text(in_folder("MORPHOLOGY.stt"), text);
  expect_ok(import(NULL));
  sciara_legacy_report_free(&report);
  assert_dem(cases[_i].west, cases[_i].south, 1);
}

static const struct {
  const char *file, *content, *found;
} faults[] = {
    {"PARAMETERS.cfg", NULL, "PARAMETERS.cfg: No such file"},
    {"MORPHOLOGY.stt", NULL, "MORPHOLOGY.stt: No such file or directory; it holds the altitudes"},
    {"VENTS.stt", NULL, "VENTS.stt: No such file or directory; it holds the ids"},
    {"EMISSIONS_RATE.stt", NULL, "EMISSIONS_RATE.stt: No such file or directory; it holds the effusion rates"},
    {"PARAMETERS.cfg", "Pclock 60\n",
     "PARAMETERS.cfg: lacks ncols (number of columns), nrows (number of rows), Pc (side of a cell in m)"},
    {"PARAMETERS.cfg", "ncols 4.5\nnrows 3\nPc 10\n",
     "PARAMETERS.cfg: ncols: expected the number of columns, a whole number, 3 to 2.14748e+09, found 4.5"},
    {"PARAMETERS.cfg", "ncols 4\nnrows 2\nPc 10\n",
     "PARAMETERS.cfg: nrows: expected the number of rows, a whole number, 3 to 2.14748e+09, found 2"},
    {"PARAMETERS.cfg", "ncols 4\nnrows 3\nPc ten\n",
     "PARAMETERS.cfg: Pc: expected the side of a cell in m, 1e-06 to 1e+06, found ten"},
    {"PARAMETERS.cfg", "ncols 4\nnrows 3\nPc 0\n",
     "PARAMETERS.cfg: Pc: expected the side of a cell in m, 1e-06 to 1e+06, found 0"},
    {"PARAMETERS.cfg", "ncols 4\nnrows 3\nPc 10\nnrows 3\n", "PARAMETERS.cfg: nrows: expected one line, found two"},
    {"PARAMETERS.cfg", "ncols 100000\nnrows 100000\nPc 10\n",
     "MORPHOLOGY.stt: PARAMETERS.cfg promises 100000 x 100000"},
    {"PARAMETERS.cfg", "ncols 5\nnrows 3\nPc 10\n", "expected a finite number, found the end of the file"},
    {"PARAMETERS.cfg", "ncols 3\nnrows 3\nPc 10\n",
     "MORPHOLOGY.stt:3: expected the end of the file: all rows and columns are there, found 19"},
    {"MORPHOLOGY.stt", "10.5 11 12 13\n14 nan 16 17\n0 19 20 21\n",
     "MORPHOLOGY.stt:2: row 1, column 1: expected a finite number, found nan"},
    {"VENTS.stt", "0 0 0 0\n0 0 7 7\n0 0 0 0\n", "VENTS.stt: vent 7 stands at row 1, column 2 and at row 1, column 3"},
    {"VENTS.stt", "0 0 0 0\n0 0 0 7\n0 0 0 0\n", "VENTS.stt: vent 7 at row 1, column 3 lies where the DEM is NODATA"},
    {"VENTS.stt", HEADER VENTS, "VENTS.stt: 3 x 4 cells of 10 from 700, 800; the DEM has 3 x 4"},
    {"VENTS.stt", "ncols 4\nnrows 3\nxllcorner 500000\nyllcorner 4178000\ncellsize 5\n" VENTS,
     "VENTS.stt: its header says 3 rows x 4 columns of 5 m, PARAMETERS.cfg 3 x 4 of 10"},
    {"MORPHOLOGY.stt", HEADER GROUND, "MORPHOLOGY.stt: its header names the corner 700, 800: --corner is not allowed"},
};

TEST_EACH(faults_are_named, sizeof faults / sizeof *faults) {
  write_set();
  if (faults[_i].content)
    write_text(in_folder(faults[_i].file), faults[_i].content);
  else
    unlink(in_folder(faults[_i].file));
  ck_assert_int_eq(import(corner), faults[_i].content ? SCIARA_ERR_INPUT : SCIARA_ERR_IO);
  expect_said(faults[_i].found, folder);
  ck_assert_ptr_null(report.text.data);
  ck_assert_int_ne(access(in_folder("out"), F_OK), 0); // nothing is written before everything is checked
}

TEST(the_corner_is_required) {
  write_set();
  expect_error(import(NULL), SCIARA_ERR_INPUT, "MORPHOLOGY.stt: has no header that names the lower left corner",
               "--corner X,Y");
  const double far[] = {500000, 2e9};
  expect_error(import(far), SCIARA_ERR_INPUT, "expected coordinates");
}

TEST(the_layout_goes_by_the_name) {
  ck_assert(sciara_legacy_is_older("PARAMETERS.cfg"));
  ck_assert(sciara_legacy_is_older("/data/2006/PARAMETERS.cfg"));
  ck_assert(!sciara_legacy_is_older("2006_PARAMETERS.cfg"));
  ck_assert(!sciara_legacy_is_older("PARAMETERS.cfg/2006.cfg"));
}

TEST(keys_are_whole_words) {
  struct sciara_legacy_grid size;
  expect_ok(sciara_legacy_older_size("p", "    Pclock 1\n    Pc 2\n  ncols 5\n  nrows\t6\n", NULL, &size));
  ck_assert_double_eq(size.cell_size, 2);
  ck_assert_int_eq(size.cols, 5);
  ck_assert_int_eq(size.rows, 6);
  ck_assert(isnan(size.west) && isnan(size.south));
}

RUN_TESTS(.setup = setup, .teardown = folder_remove)
