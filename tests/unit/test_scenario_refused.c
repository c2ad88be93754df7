// SPDX-License-Identifier: Apache-2.0
// Claims about scenario/scenario.h: every limit of every key, and that each diagnostic names file, key, expected and found.
#include "scenario/scenario_keys.h"
#include "support/scenario_files.h"

/** An override of the minimal scenario, and the error that it causes. */
static const struct {
  const char *override, *message;
} diagnostics[] = {
    {"vents.1.effusion.rates_m3_s.3=-2", "vents[1].effusion.rates_m3_s[3]: expected 0 to 1e6 m3/s; found -2"},
    {"vents.0.effusion.rates_m3_s.0=\"1\"",
     "vents[0].effusion.rates_m3_s[0]: expected a number, 0 to 1e6 m3/s; found \"1\""},
    {"vents.0.effusion.rates_m3_s=[]",
     "vents[0].effusion.rates_m3_s: expected an array of 1 to 1000000 numbers, 0 to 1e6 m3/s; found an array of 0"},
    {"vents.0.effusion.slot=0", "vents[0].effusion.slot: expected above 0 to 1e12 s; found 0"},
    {"vents.0.effusion.slot=1 week", "vents[0].effusion.slot: expected a duration (seconds, or text such as \"6 h\" or "
                                     "\"3 d\"), above 0 to 1e12 s; found \"1 week\""},
    {"vents.0.effusion={}",
     "vents[0].effusion: expected exactly one of: slot and rates_m3_s, table, csv; found none of them"},
    {"vents.0.effusion={\"slot\": 1}",
     "vents[0].effusion.slot: expected the key only together with \"rates_m3_s\"; found it alone"},
    {"vents.0.effusion.csv=rates.csv",
     "vents[0].effusion: expected exactly one of: slot and rates_m3_s, table, csv; found slot together with csv"},
    {"vents.0.effusion={\"table\": [[0, 1]]}", "vents[0].effusion.table: expected an array of 2 to 1000000 rows "
                                               "[duration, number, 0 to 1e6 m3/s]; found an array of 1"},
    {"vents.0.effusion={\"table\": [[5, 1], [5, 0]]}",
     "vents[0].effusion.table[1]: expected a time above 5 s, the time of the previous row; found 5 s"},
    {"vents.0.effusion={\"table\": [[0, 1], [5, 2]]}",
     "vents[0].effusion.table[1]: expected the rate 0 in the last row, which closes the table; found 2"},
    {"vents.0.start=-1", "vents[0].start: expected 0 to 1e12 s; found -1"},
    {"vents.0.row=1", "vents[0].row: expected the key only together with \"col\"; found it alone"},
    {"vents.0={\"effusion\": {\"csv\": \"rates.csv\"}}",
     "vents[0]: expected exactly one of: x and y, lon and lat, row and col, line, file; found none of them"},
    {"vents.0.line=[[1, 2], [3, 4]]", "vents[0]: expected exactly one of: x and y, lon and lat, row and col, line, "
                                      "file (a vent is a point or a line: 'sciara init' "
                                      "makes a line with --fissure X,Y,X,Y or --fissure-lonlat LON,LAT,LON,LAT in "
                                      "place of --vent); found x together with line"},
    {"vents.0={\"row\": -1, \"col\": 0}", "vents[0].row: expected 0 to 2147483647; found -1"},
    {"vents.0={\"lon\": 181, \"lat\": 0}", "vents[0].lon: expected -180 to 180 degrees; found 181"},
    {"vents.0={\"lon\": 0, \"lat\": -91}", "vents[0].lat: expected -90 to 90 degrees; found -91"},
    {"vents.0={\"x\": 1, \"y\": 2}", "vents[0].effusion: expected an object; found nothing (the key is required)"},
    {"vents.1.line=[[0, 0]]",
     "vents[1].line: expected an array of 2 to 100000 points [x, y], -1e9 to 1e9 m; found an array of 1"},
    {"vents.1.nam=x", "vents[1].nam: unknown key, expected name, x, y, lon, lat, row, col, radius_m, line, lonlat, "
                      "file, layer, place, width_m, start, from, until, effusion (did "
                      "you mean \"name\"?)"},
    {"vents.0.name=", "vents[0].name: expected a text that is not empty; found \"\""},
    {"vents=[]", "vents: expected at least one vent, unless initial.thickness, initial.checkpoint or initial.observed "
                 "is given; found none"},
    {"vents.2.x=1", "vents: expected an index from 0 to 1; found the index \"2\" in an override"},
    {"dem.path=", "dem.path: expected a text that is not empty; found \"\""},
    {"dem={}", "dem.path: expected a text that is not empty; found nothing (the key is required)"},
    {"dem.band=0", "dem.band: expected 1 to 1e6; found 0"},
    {"dem.window=[0, 0, 10]", "dem.window: expected [first row, first column, rows, columns], whole numbers, 0 to "
                              "2147483647, rows and columns from 1, or null; found an array of 3"},
    {"dem.window=[0, 0, 0, 5]", "dem.window[2]: expected 1 to 2147483647; found 0"},
    {"dem.cell_size_m=0", "dem.cell_size_m: expected above 0 to 1e6 m; found 0"},
    {"initial.thickness=-1", "initial.thickness: expected 0 to 1000 m; found -1"},
    {"initial.temperature=1300",
     "initial.temperature: expected the key only together with \"thickness\"; found it alone"},
    {"initial={\"thickness\": 1, \"temperature\": 1143}",
     "initial.temperature: expected above model.T_sol_K = 1143 to model.T_vent_K = 1360, found 1143"},
    {"model.T_vent_K=1143", "model.T_sol_K: found 1143, expected below model.T_vent_K = 1143"},
    {"model.relaxation=1.5", "model.relaxation: expected above 0 to 1; found 1.5"},
    {"model.density=1", "model.density: unknown key, expected rule, preset, T_vent_K"},
    {"model.viscosity_vent_Pa_s=1e6",
     "model.viscosity_vent_Pa_s: expected a key of rule \"fv3\", or \"rule\": "
     "\"bingham\"; found a key of rule \"bingham\", whose counterpart is model.dissipation_vent"},
    {"model={\"preset\": \"aa\", \"cooling\": 1}",
     "model.cooling: expected a key of rule \"bingham\", or \"rule\": \"fv3\"; found a key of rule \"fv3\", whose "
     "counterpart is model.radiating_share"},
    {"model={\"preset\": \"thesis-etna-2006\", \"rule\": \"bingham\"}",
     "model.preset: expected a set of rule \"bingham\"; found \"thesis-etna-2006\", a set of rule \"fv3\""},
    {"boundary=shut", "boundary: expected \"open\" or \"closed\"; found \"shut\""},
    {"run.until=0", "run.until: expected above 0 to 1e12 s; found 0"},
    {"run.until=solid",
     "run.until: expected \"solidified\" or \"front at rest\", or a duration (seconds, or text such as \"6 h\" or \"3 "
     "d\"), above 0 to 1e12 s, or with run.start a date; found \"solid\""},
    {"run.until=2026-05-11T10:00Z",
     "run.until: expected a duration, or run.start as well, from which a date is counted; found \"2026-05-11T10:00Z\""},
    {"run={\"start\": \"2026-05-11T12:00+02:00\", \"until\": \"2026-05-11T10:00Z\"}",
     "run.until: expected a date after run.start, 2026-05-11T10:00:00Z; found \"2026-05-11T10:00Z\""},
    {"run={\"start\": \"2026-05-11T10:00Z\", \"max_time\": \"2026-05-10\"}",
     "run.max_time: expected a date after run.start, 2026-05-11T10:00:00Z; found \"2026-05-10\""},
    {"output.every=2026-05-11",
     "output.every: expected a duration (seconds, or text such as \"6 h\" or \"3 d\"), above 0 to "
     "1e12 s, or null; found \"2026-05-11\""},
    {"run.max_time=-5", "run.max_time: expected above 0 to 1e12 s; found -5"},
    {"run.max_steps=0", "run.max_steps: expected 1 to 9007199254740991; found 0"},
    {"run.start=2006-07",
     "run.start: expected a date \"YYYY-MM-DDThh:mmZ\", perhaps with seconds, a space for T, +02:00 "
     "for Z or no zone (UTC), or "
     "\"YYYY-MM-DD\", or null; found \"2006-07\""},
    {"run.unti=1", "run.unti: unknown key, expected until, front_at_rest, max_time, max_steps, max_thickness_m, start "
                   "(did you mean \"until\"?)"},
    {"output.every=0", "output.every: expected above 0 to 1e12 s; found 0"},
    {"output.dtype=float16", "output.dtype: expected \"float32\" or \"float64\"; found \"float16\""},
    {"output.fields=[]",
     "output.fields: expected an array of one or more different names of fields: <FIELDS>; found an array of 0"},
    {"output.fields=[\"thikness\"]",
     "output.fields[0]: expected <FIELDS> (did you mean \"thickness\"?); found \"thikness\""},
    {"output.fields=[\"speed\", \"speed\"]", "output.fields[1]: expected each field once; found \"speed\""},
    {"output.maps=deposit", "output.maps: expected an array of different names of fields: <FIELDS>; found \"deposit\""},
    {"engine.threads=1025", "engine.threads: expected 0 to 1024; found 1025"},
    {"engine.precision=half", "engine.precision: expected \"double\" or \"single\"; found \"half\""},
    {"engine.name=5", "engine.name: expected a text that is not empty; found 5"},
    {"engine.math=quick", "engine.math: expected \"exact\" or \"fast\"; found \"quick\""},
    {"engine.memory=local", "engine.memory: expected \"global\" or \"shared\", or null; found \"local\""},
    {"engine.block_width=32",
     "engine.block_width: expected the key only together with \"block_height\"; found it alone"},
    {"engine.boxes=5", "engine.boxes: expected 1 to 4; found 5"},
    {"engine.refit_every=0", "engine.refit_every: expected 1 to 1e6; found 0"},
    {"engine.sort_every=1.5", "engine.sort_every: expected a whole number, 1 to 1e6, or null; found 1.5"},
    {"engine.isa=v5", "engine.isa: expected \"generic\", \"v2\", \"v3\" or \"v4\", or null; found \"v5\""},
    {"vent=[]", "vent: unknown key, expected $schema, title, dem, vents, initial, model, boundary, run, output, engine "
                "(did you mean \"vents\"?)"},
    {"title={\"a\": 1}", "title: expected a text that is not empty, or null; found an object"},
};

TEST_EACH(test_refused, sizeof diagnostics / sizeof *diagnostics) {
  scenario_refused(scenario_minimal, diagnostics[_i].override, diagnostics[_i].message);
}

TEST(test_hint_of_field) {
  struct sciara_scenario_spec s;
  const char *override = "output.maps=[\"depositt\"]";
  expect_error(scenario_read_with(scenario_minimal, &override, 1, &s), SCIARA_ERR_INPUT, "(did you mean \"deposit\"?)");
}

TEST(test_refused_text) {
  scenario_refused("[]", NULL, "top level: expected an object; found an array of 0");
  scenario_refused("{}", NULL, "dem: expected an object; found nothing (the key is required)");
  scenario_refused("{\"dem\": {\"path\": \"a\"}}", NULL,
                   "vents: expected an array of at most 100000 objects; found nothing (the key is required)");
  scenario_refused("{\"dem\": {\"path\": \"a\", \"path\": \"b\"}, \"vents\": []}", NULL,
                   "dem.path: expected each key once in an object, found it twice");
  struct sciara_scenario_spec s;
  expect_error(scenario_read_with("{\"dem\":\n {\"path\": 'a'}}", NULL, 0, &s), SCIARA_ERR_INPUT,
               "demo.json:2:11: expected a value (an object, an array, a string "
               "in double quotes, a number, true, false or null), found '''");
  unlink(scenario_path);
  expect_error(sciara_scenario_read(scenario_path, NULL, 0, NULL, &s), SCIARA_ERR_IO, scenario_path);
}

TEST(test_csv_errors_have_context) {
  write_text(scenario_csv, "time_s,rate_m3_s\n0,2\n");
  char message[256];
  snprintf(message, sizeof message,
           "vents[1].effusion.csv: %s: expected at least 2 rows (the last one ends the table), found 1", scenario_csv);
  scenario_refused(scenario_full, NULL, message);
  unlink(scenario_csv);
  struct sciara_scenario_spec s;
  ck_assert_int_eq(scenario_read_with(scenario_full, NULL, 0, &s), SCIARA_ERR_IO);
  snprintf(message, sizeof message, "%s: vents[1].effusion.csv: %s: ", scenario_path, scenario_csv);
  ck_assert_int_eq(strncmp(sciara_last_error(), message, strlen(message)), 0);
}

TEST(test_slots_must_not_vanish) {
  struct sciara_scenario_spec s;
  const char *const overrides[] = {"vents.1.start=1e12", "vents.1.effusion.slot=1e-5"};
  expect_error(scenario_read_with(scenario_minimal, overrides, 2, &s), SCIARA_ERR_INPUT,
               "demo.json: vents[1].effusion: expected slots that are longer than the rounding of "
               "their times, found slot 0 from 1000000000000 to 1000000000000 s");
}

TEST(test_dates) {
  char good[] =
      "2006-07-14T23:30:00Z|2004-02-29T00:00:00Z|2000-02-29T23:59:59Z|0001-01-01T00:00:00Z|2006-07-14|"
      "2006-07-14T23:30Z|2006-07-14T23:30+02:00|9999-12-31|2006-07-14T23:30:00+02:00|2006-07-14T23:30:00-09:30|"
      "9999-12-31T23:30:00+02:00|0001-01-01T00:30:00-02:00|2006-07-14T23:30:00|2006-07-14 23:30:00Z|"
      "2006-07-14T23:30";
  char bad[] =
      "2006-07-14T24:00:00Z|2006-07-14T23:60:00Z|2006-07-14T23:59:60Z|2006-13-01T00:00:00Z|2006-00-01T00:00:00Z|"
      "2006-04-31T00:00:00Z|1900-02-29T00:00:00Z|2006-01-00T00:00:00Z|0000-01-01T00:00:00Z|2006-07-14T23:30:00Z |"
      "+006-07-14T23:30:00Z||9999-12-31T23:30:00-02:00|0001-01-01T00:30:00+02:00|2006-07-14T23:30:00+99:00|"
      "2006-07-14T23:30:00+02:60|2006-07-14T23:30:00Z+02:00|2006-07|2006-07-14Z|2006-07-1|2006-07-32|"
      "2006-07-14T23Z|2006-07-14T23:30:Z|2006-07-14T23:60Z|2006-07-14T";
  for (char *rest = good, *date; (date = strsep(&rest, "|"));)
    ck_assert_msg(sciara_scenario_date_valid(date), "%s", date);
  for (char *rest = bad, *date; (date = strsep(&rest, "|"));)
    ck_assert_msg(!sciara_scenario_date_valid(date), "%s", date);
}

RUN_TESTS(.setup = scenario_setup, .teardown = folder_remove)
