// SPDX-License-Identifier: Apache-2.0
#include "legacy/legacy_sciara.h"

#include <cjson/cJSON.h>

#include "gdal_fixture.h"
#include "support/owned.h"
#include "terrain/dem_gdal.h"

#define HEADER                                                                                                     \
  "ncols\t\t4\r\nnrows\t\t4\r\nxllcorner\t500000.5\r\nyllcorner\t4178000.25\r\ncellsize\t10.0\r\nNODATA_value\t0." \
  "0\r\n"
#define GROUND HEADER "10.1 11 12 13 \r\n14 15.3 16 17\r\n18 19 20 21\r\n22 23 24 0.00\r\n"
#define VENTS HEADER "0 0 0 0\r\n0 2.00 0 0\r\n0 0 1.00 0\r\n0 0 0 0\r\n"
#define EVENT HEADER "0 0 0 0\r\n0 1.00 1 0\r\n0 0 1 0\r\n0 0 0 0\r\n"
#define PLACED(west, south) \
  "ncols 4\nnrows 4\nxllcorner " west "\nyllcorner " south "\ncellsize 10\n0 0 0 0\n0 2 0 0\n0 0 1 0\n0 0 0 0\n"
#define RATES                                                                                                        \
  "[TIME]\r\n86400\r\n\r\n[VENT_ID]\r\n2\r\n\r\n[EMISSION_RATE]\r\n1.580890337\r\n0\r\n[VENT_ID]\r\n1\r\n[EMISSION_" \
  "RATE]\r\n3\r\n\r\n[END]"
#define CFG "maximum_steps_(0_for_loop) \t0\t\t   \r\nPTsol   \t1143.0\r\n\r\nalgorithm\tMIN  \r\n"

static struct sciara_legacy_report report;

static void write_set(void) {
  write_text(in_folder("e_1.cfg"), CFG);
  write_text(in_folder("e_1_Morphology.stt"), GROUND);
  write_text(in_folder("e_1_Vents.stt"), VENTS);
  write_text(in_folder("e_1_RealEvent.stt"), EVENT);
  write_text(in_folder("e_1_EmissionRate.txt"), RATES);
}

static enum sciara_status import(bool overwrite) {
  const struct sciara_legacy_request request = {
      .cfg_path = in_folder("e_1.cfg"), .output_folder = in_folder("out"), .crs = "EPSG:32633", .overwrite = overwrite};
  return sciara_legacy_import(&request, &report);
}

static cJSON *read_json(const char *path) {
  OWNED(free_memory) char *text = output_of("cat %s", path);
  cJSON *root = cJSON_Parse(text);
  ck_assert_ptr_nonnull(root);
  return root;
}

static double number_at(const cJSON *o, const char *key) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(o, key);
  ck_assert_msg(cJSON_IsNumber(item), "%s is no number", key);
  return item->valuedouble;
}

// A slot need not be a whole number of seconds, and a rate may be as large as a scenario allows.
TEST(slots_and_rates_to_the_last_digit) {
  write_set();
  write_text(in_folder("e_1_EmissionRate.txt"),
             "[TIME] 1800.125\n[VENT_ID] 1\n[EMISSION_RATE]\n0\n[VENT_ID] 2\n[EMISSION_RATE]\n1000000 0.1\n[END]\n");
  expect_ok(import(false));
  ck_assert_double_eq_tol(report.volume_m3, 1800.125 * 1000000.1, 1e-3);
  sciara_legacy_report_free(&report);
  cJSON *root = read_json(in_folder("out/scenario.json"));
  const cJSON *effusion = cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(root, "vents"), 1), "effusion");
  ck_assert_str_eq(cJSON_GetObjectItem(effusion, "slot")->valuestring, "1800.125 s");
  const cJSON *rates = cJSON_GetObjectItem(effusion, "rates_m3_s");
  ck_assert_double_eq(cJSON_GetArrayItem(rates, 0)->valuedouble, 1e6);
  ck_assert_double_eq(cJSON_GetArrayItem(rates, 1)->valuedouble, 0.1);
  cJSON_Delete(root);
  write_text(in_folder("e_1_EmissionRate.txt"),
             "[TIME] 1\n[VENT_ID] 1\n[EMISSION_RATE]\n1000000.5\n[VENT_ID] 2\n[EMISSION_RATE]\n1\n[END]\n");
  ck_assert_int_eq(import(true), SCIARA_ERR_INPUT);
  assert_contains(sciara_last_error(),
                  "_EmissionRate.txt:4: expected an effusion rate from 0 to 1e6 m3/s, found 1000000.5");
}

// Cells that are unknown in the extent are not covered, although its NODATA value is above 0; nor are cells below 0.
TEST(unknown_cells_are_not_covered) {
  write_set();
  write_text(in_folder("e_1_RealEvent.stt"),
             "ncols 4\nnrows 4\nxllcorner 500000.5\nyllcorner 4178000.25\ncellsize 10\nNODATA_value 9999\n"
             "9999 0 0 9999\n0 0.5 1 0\n0 -1 7 0\n0 0 0 9999\n");
  expect_ok(import(false));
  ck_assert_int_eq(report.observed_cells, 3);
  OWNED(free_memory) char *text = output_of("gdallocationinfo -valonly %s 0 0", in_folder("out/observed.tif"));
  ck_assert_str_eq(text, "0\n");
  sciara_legacy_report_free(&report);
}

TEST(a_folder_in_use_is_refused_without_overwrite) {
  write_set();
  expect_ok(import(false));
  sciara_legacy_report_free(&report);
  expect_error(import(false), SCIARA_ERR_INPUT, "not empty");
  unlink(in_folder("e_1_RealEvent.stt"));
  expect_ok(import(true));
  ck_assert_int_ne(access(in_folder("out/observed.tif"), F_OK),
                   0); // that of the earlier import would not belong to this one
  sciara_legacy_report_free(&report);
}

static const struct {
  const char *file, *content, *found;
} faults[] = {
    {"e_1.cfg", NULL, "e_1.cfg: No such file"},
    {"e_1.cfg", "PTsol\n", "e_1.cfg:1: expected a key and a value, found \"PTsol\""},
    {"e_1.cfg", "\n", "holds no line"},
    {"e_1_Morphology.stt", NULL, "e_1_Morphology.stt: No such file"},
    {"e_1_Vents.stt", NULL, "it holds the ids of the vents"},
    {"e_1_EmissionRate.txt", NULL, "it holds the effusion rates"},
    {"e_1_Morphology.stt", HEADER "1 2 3 4\n5 x 7 8\n", ":8: row 1, column 1: expected a finite number, found x"},
    {"e_1_Morphology.stt", HEADER "1 2 3 4\n5 6 7 8\n1 2 3 4\n5 6 7",
     ":10: row 3, column 3: expected a finite number, found the end of the file"},
    {"e_1_Morphology.stt", GROUND "99\n",
     ":11: expected the end of the file: all rows and columns are there, found 99"},
    {"e_1_Morphology.stt", "ncols 4\nnrows 4\nxllcorner 0\nyllcorner 0\n1 2\n", "lacks cellsize"},
    {"e_1_Morphology.stt", "ncols 4\nnrows 4\nxllcorner 0\nyllcorner 0\ncellsize 0\n",
     ":5: expected a cell size in m from 1e-06 to 1e+06, found 0"},
    {"e_1_Morphology.stt", "ncols 100000\nnrows 100000\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2 3\n",
     "promises 100000 x 100000"},
    {"e_1_Morphology.stt", "ncols 4\nrows 4\n",
     ":2: expected ncols, nrows, xllcorner, yllcorner, cellsize, NODATA_value, then numbers, found rows"},
    {"e_1_Morphology.stt", HEADER "10 11 12 13\n14 2e5 16 17\n18 19 20 21\n22 23 24 25\n",
     "expected an altitude from -12000 to 100000 m other than -9999, or the NODATA_value of the header; found 200000 "
     "at row 1, column 1"},
    {"e_1_Morphology.stt", HEADER "10 11 12 13\n14 -999 16 17\n18 19 20 21\n22 23 24 25\n",
     "e_1_Morphology.stt: cell row 1, column 1 has altitude -999 m, probably a NODATA value that the file does not "
     "declare; declare it as NODATA_value in the header"},
    {"e_1_Morphology.stt", "ncols 4\nnrows 4\nxllcorner 1e9\nyllcorner 0\ncellsize 10\n1 2\n",
     ":5: expected coordinates from -1e+09 to 1e+09; found a grid from 1000000000, 0 to 1000000040, 40"},
    {"e_1_Morphology.stt", HEADER "0 0 0 0\n0 0 0 0\n0 0 0 0\n0 0 0 0\n", "lies where the DEM is NODATA"},
    {"e_1_Vents.stt", HEADER "0 0 0 0\n0 2 0 0\n0 0 0 0\n0 0 0 0\n", "EmissionRate.txt:11: vent 1 has no cell"},
    {"e_1_Vents.stt", HEADER "0 0 0 0\n0 2 7 0\n0 0 1 0\n0 0 0 0\n", "vent 7 at row 1, column 2 has no rates"},
    {"e_1_Vents.stt", HEADER "0 0 0 0\n0 2 1 0\n0 0 1 0\n0 0 0 0\n", "one cell for each id"},
    {"e_1_Vents.stt", "ncols 3\nnrows 3\nxllcorner 0\nyllcorner 0\ncellsize 10\n0 0 0 0 0 0 0 0 0\n",
     "the DEM has 4 x 4"},
    {"e_1_Vents.stt", PLACED("500010.5", "4178000.25"), "4 x 4 cells of 10 from 500010.5, 4178000.25; the DEM has"},
    {"e_1_EmissionRate.txt", "[TIME]\n86400\n[VENT_ID]\n1\n[EMISSION_RATE]\n1\n",
     ":7: expected [TIME], [VENT_ID] or [END], found the end of the file"},
    {"e_1_EmissionRate.txt", "[TIME]\n86400\n[VENT_ID]\n1\n[EMISSION_RATE]\n-1\n[END]",
     ":6: expected an effusion rate from 0 to 1e6 m3/s, found -1"},
    {"e_1_EmissionRate.txt", "[TIME]\n86400\n[VENT_ID]\n1\n[EMISSION_RATE]\n[END]", "vent 1 has no rates"},
    {"e_1_EmissionRate.txt", "[TIME]\n86400\n[VENT_ID]\n1\n[EMISSION_RATE]\n1\n[VENT_ID]\n1\n[EMISSION_RATE]\n1\n[END]",
     ":8: vent 1 has its rates at line 4"},
    {"e_1_EmissionRate.txt", "[TIME]\n0\n", ":2: expected the length of a slot in s from 0.001 to 1e+09, found 0"},
    {"e_1_EmissionRate.txt", "[TIME]\n1\n[TIME]\n2\n", ":3: expected one [TIME] in the file, found [TIME]"},
    {"e_1_EmissionRate.txt", "[VENT_ID]\n1\n[EMISSION_RATE]\n1\n[END]", "has no [TIME]"},
};

TEST_EACH(faults_are_named_with_file_and_line, sizeof faults / sizeof *faults) {
  write_set();
  if (faults[_i].content)
    write_text(in_folder(faults[_i].file), faults[_i].content);
  else
    unlink(in_folder(faults[_i].file));
  ck_assert_int_eq(import(false), faults[_i].content ? SCIARA_ERR_INPUT : SCIARA_ERR_IO);
  expect_said(faults[_i].found, folder);
  ck_assert_ptr_null(report.text.data);
  ck_assert_int_ne(access(in_folder("out"), F_OK), 0); // nothing is written before everything is checked
}

TEST(an_unusable_crs_is_refused) {
  const char *crs[] = {"EPSG:4326", "EPSG:99999999", "UTM 33", "EPSG:2263", "http://localhost/crs"};
  write_set();
  for (size_t i = 0; i < sizeof crs / sizeof *crs; i++) {
    const struct sciara_legacy_request request = {
        .cfg_path = in_folder("e_1.cfg"), .output_folder = in_folder("out"), .crs = crs[i]};
    expect_error(sciara_legacy_import(&request, &report), SCIARA_ERR_INPUT, crs[i]);
  }
}

static char *etna_folder(void) {
  const char *given = getenv("SCIARA_ETNA2006");
  if (!given) return NULL;
  char probe[1100];
  snprintf(probe, sizeof probe, "%s/2006_000000000000.cfg", given);
  return access(probe, R_OK) == 0 ? strdup(probe) : NULL;
}

TEST(etna_2006_is_imported) {
  char *cfg = etna_folder();
  if (!cfg) {
    puts("skipped: the legacy files are not here; name their folder in SCIARA_ETNA2006");
    return;
  }
  const struct sciara_legacy_request request = {
      .cfg_path = cfg, .output_folder = in_folder("etna"), .crs = "EPSG:32633"};
  expect_ok(sciara_legacy_import(&request, &report));
  free(cfg);
  ck_assert_int_eq(report.rows, 378);
  ck_assert_int_eq(report.cols, 517);
  ck_assert_int_eq(report.vents, 2);
  ck_assert_int_eq(report.observed_cells, 6585);
  ck_assert_double_eq_tol(report.volume_m3, 4700160, 1e-3);
  assert_contains(report.text.data, "vent 1: row 114, column 71, 15 slots");
  assert_contains(report.text.data, "vent 2: row 114, column 77, 15 slots");
  assert_contains(report.text.data, "Pcool 2.8");
  sciara_legacy_report_free(&report);
  cJSON *root = read_json(in_folder("etna/scenario.json"));
  const cJSON *vents = cJSON_GetObjectItem(root, "vents");
  ck_assert_double_eq(number_at(cJSON_GetArrayItem(vents, 0), "x"), 500262.5);
  ck_assert_double_eq(number_at(cJSON_GetArrayItem(vents, 0), "y"), 4177617.5);
  ck_assert_double_eq(number_at(cJSON_GetArrayItem(vents, 1), "x"), 500322.5);
  cJSON_Delete(root);
  struct sciara_dem dem;
  expect_ok(sciara_dem_read(&(struct sciara_dem_request){.path = in_folder("etna/dem.tif"), .band = 1}, &dem));
  ck_assert_double_eq(dem.altitude[1], 3302.20);
  ck_assert_double_eq(dem.grid.west, 499547.5);
  ck_assert_double_eq(dem.grid.north, 4178762.5);
  sciara_dem_free(&dem);
  char *text = output_of("gdalinfo %s", in_folder("etna/observed.tif"));
  assert_contains(text, "Type=Byte");
  assert_contains(text, "Size is 517, 378");
  free(text);
}

RUN_TESTS(.setup = setup, .teardown = folder_remove)
