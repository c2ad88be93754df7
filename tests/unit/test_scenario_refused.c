// SPDX-License-Identifier: Apache-2.0
// Claims about scenario/scenario.h: every limit of every key, and that each diagnostic names file, key, expected and found.
#include <check.h>
#include <string.h>
#include <unistd.h>

#include "scenario/scenario_keys.h"
#include "support/scenario_files.h"

/** An override of the minimal scenario, and the error that it causes. */
static const struct {
  const char *override, *message;
} diagnostics[] = {
    {"vents.1.effusion.rates_m3_s.3=-2", "vents[1].effusion.rates_m3_s[3]: found -2, expected 0 to 1e6 m3/s"},
    {"vents[1].effusion.rates_m3_s[0]=1000001",
     "vents[1].effusion.rates_m3_s[0]: found 1000001, expected 0 to 1e6 m3/s"},
    {"vents.0.effusion.rates_m3_s.0=\"1\"",
     "vents[0].effusion.rates_m3_s[0]: found \"1\", expected a number, 0 to 1e6 m3/s"},
    {"vents.0.effusion.rates_m3_s=[]",
     "vents[0].effusion.rates_m3_s: found an array of 0, expected an array of 1 to 1000000 numbers"},
    {"vents.0.effusion.slot=0", "vents[0].effusion.slot: found 0, expected above 0 to 1e12 s"},
    {"vents.0.effusion.slot=0 h", "vents[0].effusion.slot: found \"0 h\", expected above 0 to 1e12 s"},
    {"vents.0.effusion.slot=1 week", "vents[0].effusion.slot: found \"1 week\", expected a duration (seconds, or text "
                                     "such as \"6 h\" or \"3 d\"), above 0 to 1e12 s"},
    {"vents.0.effusion={}", "vents[0].effusion: found none of them, expected exactly one of: slot and rates_m3_s, csv"},
    {"vents.0.effusion={\"slot\": 1}",
     "vents[0].effusion.slot: found the key alone, expected only together with \"rates_m3_s\""},
    {"vents.0.effusion.csv=rates.csv", "vents[0].effusion: found slot together with csv, expected exactly one of"},
    {"vents.0.start=-1", "vents[0].start: found -1, expected 0 to 1e12 s"},
    {"vents.0.start=-1 h", "vents[0].start: found \"-1 h\", expected 0 to 1e12 s"},
    {"vents.0.row=1", "vents[0].row: found the key alone, expected only together with \"col\""},
    {"vents.0={\"effusion\": {\"csv\": \"rates.csv\"}}",
     "vents[0]: found none of them, expected exactly one of: x and y, lon and lat, row and col, line"},
    {"vents.0.line=[[1, 2], [3, 4]]", "vents[0]: found x together with line, expected exactly one of: x and y"},
    {"vents.0={\"row\": -1, \"col\": 0}", "vents[0].row: found -1, expected 0 to 2147483647"},
    {"vents.0={\"row\": 1.5, \"col\": 0}", "vents[0].row: found 1.5, expected a whole number, 0 to 2147483647"},
    {"vents.0={\"lon\": 181, \"lat\": 0}", "vents[0].lon: found 181, expected -180 to 180 degrees"},
    {"vents.0={\"lon\": 0, \"lat\": -91}", "vents[0].lat: found -91, expected -90 to 90 degrees"},
    {"vents.0={\"x\": 1, \"y\": 2}", "vents[0].effusion: found nothing (the key is required), expected an object"},
    {"vents.1.line=[[0, 0]]", "vents[1].line: found an array of 1, expected an array of 2 to 100000 points [x, y]"},
    {"vents.1.line.1=[5]", "vents[1].line[1]: found an array of 1, expected a point [x, y]"},
    {"vents.1.line.1.0=east", "vents[1].line[1][0]: found \"east\", expected a number"},
    {"vents.1.nam=x", "vents[1].nam: found an unknown key, expected name, x, y, lon, lat, row, col, line, start, "
                      "effusion (did you mean \"name\"?)"},
    {"vents.0.name=", "vents[0].name: found \"\", expected a text that is not empty"},
    {"vents=[]", "vents: found no vent, expected at least one, unless initial.thickness is given"},
    {"vents={}", "vents: found an object, expected an array"},
    {"vents=[1]", "vents[0]: found 1, expected an object"},
    {"vents=null", "vents: found null, expected an array"},
    {"vents.2.x=1", "vents: found the index \"2\" in an override, expected 0 to 1"},
    {"vents.x=1", "vents: found the index \"x\" in an override, expected 0 to 1"},
    {"dem.path=", "dem.path: found \"\", expected a text that is not empty"},
    {"dem={}", "dem.path: found nothing (the key is required)"},
    {"dem.band=0", "dem.band: found 0, expected 1 to 1e6"},
    {"dem.band=1.5", "dem.band: found 1.5, expected a whole number, 1 to 1e6"},
    {"dem.band=9007199254740992", "dem.band: found 9007199254740992, expected a whole number"},
    {"dem.band=01", "dem.band: found \"01\", expected a whole number"},
    {"dem.window=[0, 0, 10]", "dem.window: found an array of 3, expected [first row, first column, rows, columns]"},
    {"dem.window=[0, 0, 0, 5]", "dem.window[2]: found 0, expected 1 to 2147483647"},
    {"dem.window=[0, -1, 5, 5]", "dem.window[1]: found -1, expected 0 to 2147483647"},
    {"dem.cell_size_m=0", "dem.cell_size_m: found 0, expected above 0 to 1e6 m"},
    {"initial.thickness=-1", "initial.thickness: found -1, expected 0 to 1000 m"},
    {"initial.thickness=true",
     "initial.thickness: found true, expected a number, 0 to 1000 m, or the path of a raster"},
    {"initial.temperature=1300", "initial.temperature: found the key alone, expected only together with \"thickness\""},
    {"initial={\"thickness\": 1, \"temperature\": 1143}",
     "initial.temperature: found 1143, expected above model.T_sol_K = 1143 to model.T_vent_K = 1360"},
    {"initial={\"thickness\": 1, \"temperature\": 1361}",
     "initial.temperature: found 1361, expected above model.T_sol_K"},
    {"model.T_vent_K=299", "model.T_vent_K: found 299, expected 300 to 3000 K"},
    {"model.T_vent_K=1143", "model.T_sol_K: found 1143, expected below model.T_vent_K = 1143"},
    {"model.relaxation=0", "model.relaxation: found 0, expected above 0 to 1"},
    {"model.relaxation=1.5", "model.relaxation: found 1.5, expected above 0 to 1"},
    {"model.density=1", "model.density: found an unknown key, expected T_vent_K"},
    {"model=5", "model: found 5, expected an object"},
    {"boundary=shut", "boundary: found \"shut\", expected \"open\" or \"closed\""},
    {"boundary.x=1", "boundary: found nothing in the scenario, expected an override of the whole key"},
    {"run.until=0", "run.until: found 0, expected above 0 to 1e12 s"},
    {"run.until=solid", "run.until: found \"solid\", expected \"solidified\", or a duration"},
    {"run.max_time=-5", "run.max_time: found -5, expected above 0 to 1e12 s"},
    {"run.max_steps=0", "run.max_steps: found 0, expected 1 to 9007199254740991"},
    {"run.max_steps=1e16", "run.max_steps: found 1e16, expected a whole number"},
    {"run.start=2006-07-14", "run.start: found \"2006-07-14\", expected a date \"YYYY-MM-DDThh:mm:ssZ\", or null"},
    {"run.start=2006-02-29T00:00:00Z", "run.start: found \"2006-02-29T00:00:00Z\", expected a date"},
    {"run.utnil=1", "run.utnil: found an unknown key, expected until, max_time, max_steps, start"},
    {"run.unti=1",
     "run.unti: found an unknown key, expected until, max_time, max_steps, start (did you mean \"until\"?)"},
    {"output.every=0", "output.every: found 0, expected above 0 to 1e12 s"},
    {"output.dtype=float16", "output.dtype: found \"float16\", expected \"float32\" or \"float64\""},
    {"output.fields=[]",
     "output.fields: found an array of 0, expected an array of one or more different names of fields: thickness,"},
    {"output.fields=[\"thikness\"]", "output.fields[0]: found \"thikness\", expected thickness, altitude"},
    {"output.fields=[\"speed\", \"speed\"]", "output.fields[1]: found \"speed\", expected each field once"},
    {"output.maps=[1]", "output.maps[0]: found 1, expected thickness"},
    {"output.maps=deposit", "output.maps: found \"deposit\", expected an array of different names"},
    {"engine.threads=1025", "engine.threads: found 1025, expected 0 to 1024"},
    {"engine.precision=half", "engine.precision: found \"half\", expected \"double\" or \"single\""},
    {"engine.name=5", "engine.name: found 5, expected a text that is not empty"},
    {"engine.math=quick", "engine.math: found \"quick\", expected \"exact\" or \"fast\""},
    {"engine.memory=local", "engine.memory: found \"local\", expected \"global\" or \"shared\""},
    {"engine.block_width=32", "engine.block_width: found the key alone, expected only together with \"block_height\""},
    {"engine.block_height=32", "engine.block_height: found the key alone, expected only together with \"block_width\""},
    {"engine={\"block_width\": 32, \"block_height\": null}",
     "engine.block_width: found the key alone, expected only together with \"block_height\""},
    {"engine.block_height=0", "engine.block_height: found 0, expected 1 to 1024"},
    {"engine.boxes=5", "engine.boxes: found 5, expected 1 to 4"},
    {"engine.boxes=0", "engine.boxes: found 0, expected 1 to 4"},
    {"engine.refit_every=0", "engine.refit_every: found 0, expected 1 to 1e6"},
    {"engine.sort_every=1.5", "engine.sort_every: found 1.5, expected a whole number, 1 to 1e6, or null"},
    {"engine.isa=v5", "engine.isa: found \"v5\", expected \"generic\", \"v2\", \"v3\" or \"v4\", or null"},
    {"vent=[]", "vent: found an unknown key, expected $schema, title, dem, vents, initial, model, boundary, run, "
                "output, engine (did you mean \"vents\"?)"},
    {"title={\"a\": 1}", "title: found an object, expected a text that is not empty, or null"},
};

START_TEST(test_refused) { scenario_refused(scenario_minimal, diagnostics[_i].override, diagnostics[_i].message); }
END_TEST

START_TEST(test_hint_of_field) {
  struct sciara_scenario s;
  const char *override = "output.maps=[\"depositt\"]";
  ck_assert_int_eq(scenario_read_with(scenario_minimal, &override, 1, &s), SCIARA_ERR_INPUT);
  ck_assert_ptr_nonnull(strstr(sciara_last_error(), "max_deposit (did you mean \"deposit\"?)"));
}
END_TEST

START_TEST(test_refused_text) {
  scenario_refused("[]", NULL, "top level: found an array of 0, expected an object");
  scenario_refused("{}", NULL, "dem: found nothing (the key is required), expected an object");
  scenario_refused("{\"dem\": {\"path\": \"a\"}}", NULL,
                   "vents: found nothing (the key is required), expected an array");
  scenario_refused("{\"dem\": {\"path\": \"a\", \"path\": \"b\"}, \"vents\": []}", NULL,
                   "dem.path: found the key twice");
  struct sciara_scenario s;
  ck_assert_int_eq(scenario_read_with("{\"dem\":\n {\"path\": 'a'}}", NULL, 0, &s), SCIARA_ERR_INPUT);
  ck_assert_ptr_nonnull(strstr(sciara_last_error(), "demo.json:2:11: found ''', expected a value"));
  unlink(scenario_path);
  ck_assert_int_eq(sciara_scenario_read(scenario_path, NULL, 0, &s), SCIARA_ERR_IO);
  ck_assert_ptr_nonnull(strstr(sciara_last_error(), scenario_path));
}
END_TEST

START_TEST(test_csv_errors_have_context) {
  scenario_write_file(scenario_csv, "time_s,rate_m3_s\n0,2\n");
  char message[256];
  snprintf(message, sizeof message, "vents[1].effusion.csv: %s: found 1 rows", scenario_csv);
  scenario_refused(scenario_full, NULL, message);
  unlink(scenario_csv);
  struct sciara_scenario s;
  ck_assert_int_eq(scenario_read_with(scenario_full, NULL, 0, &s), SCIARA_ERR_IO);
  snprintf(message, sizeof message, "%s: vents[1].effusion.csv: %s: ", scenario_path, scenario_csv);
  ck_assert_int_eq(strncmp(sciara_last_error(), message, strlen(message)), 0);
}
END_TEST

START_TEST(test_slots_must_not_vanish) {
  struct sciara_scenario s;
  const char *const overrides[] = {"vents.1.start=1e12", "vents.1.effusion.slot=1e-5"};
  ck_assert_int_eq(scenario_read_with(scenario_minimal, overrides, 2, &s), SCIARA_ERR_INPUT);
  ck_assert_ptr_nonnull(
      strstr(sciara_last_error(), "demo.json: vents[1].effusion: found slot 0 from 1000000000000 to 1000000000000 s"));
}
END_TEST

START_TEST(test_dates) {
  static const char *const good[] = {"2006-07-14T23:30:00Z", "2004-02-29T00:00:00Z", "2000-02-29T23:59:59Z",
                                     "0001-01-01T00:00:00Z"};
  static const char *const bad[] = {"2006-07-14T23:30:00",      "2006-07-14 23:30:00Z",
                                    "2006-07-14T24:00:00Z",     "2006-07-14T23:60:00Z",
                                    "2006-07-14T23:59:60Z",     "2006-13-01T00:00:00Z",
                                    "2006-00-01T00:00:00Z",     "2006-04-31T00:00:00Z",
                                    "1900-02-29T00:00:00Z",     "2006-01-00T00:00:00Z",
                                    "0000-01-01T00:00:00Z",     "2006-07-14T23:30:00Z ",
                                    "+006-07-14T23:30:00Z",     "",
                                    "2006-07-14T23:30:00+02:00"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    ck_assert_msg(sciara_scenario_date_valid(good[i]), "%s", good[i]);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    ck_assert_msg(!sciara_scenario_date_valid(bad[i]), "%s", bad[i]);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("scenario_refused");
  TCase *tests = tcase_create("all");
  tcase_add_checked_fixture(tests, scenario_setup, scenario_teardown);
  tcase_add_loop_test(tests, test_refused, 0, (int)(sizeof diagnostics / sizeof *diagnostics));
  tcase_add_test(tests, test_hint_of_field);
  tcase_add_test(tests, test_refused_text);
  tcase_add_test(tests, test_csv_errors_have_context);
  tcase_add_test(tests, test_slots_must_not_vanish);
  tcase_add_test(tests, test_dates);
  tcase_set_timeout(tests, 60);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
