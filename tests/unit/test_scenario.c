// SPDX-License-Identifier: Apache-2.0
// Claims about scenario/scenario.h: every key and its default, positions and paths, overrides, and the text that is kept.
#include "support/scenario_files.h"

TEST(test_defaults) {
  OWNED(sciara_scenario_free) struct sciara_scenario_spec s = scenario_read_ok(scenario_minimal, NULL);
  struct sciara_params params = sciara_params_default();
  ck_assert_str_eq(s.path, scenario_path);
  ck_assert_ptr_null(s.title);
  ck_assert_str_eq(s.dem.path, in_folder("dem.tif"));
  ck_assert_int_eq(s.dem.band, 1);
  ck_assert(!s.dem.has_window && !s.dem.crs && s.dem.cell_size_m == 0);
  ck_assert(!s.initial_thickness.given && !s.initial_temperature.given);
  ck_assert_mem_eq(&s.params, &params, sizeof params);
  ck_assert_int_eq(s.boundary, SCIARA_BOUNDARY_OPEN);
  ck_assert_int_eq(s.run.until, SCIARA_UNTIL_SOLIDIFIED);
  ck_assert(isinf(s.run.max_time_s) && s.run.max_steps == UINT64_MAX && !s.start);
  ck_assert_str_eq(s.output.folder, in_folder("demo.out"));
  ck_assert(s.output.every_s == 0 && !s.output.as_double && s.output.maps == 0);
  ck_assert_uint_eq(s.output.fields, 1u << SCIARA_FIELD_THICKNESS | 1u << SCIARA_FIELD_TEMPERATURE |
                                         1u << SCIARA_FIELD_DEPOSIT | 1u << SCIARA_FIELD_ARRIVAL_TIME);
  ck_assert_str_eq(s.engine.name, "auto");
  ck_assert(!s.engine.single_precision && s.engine.threads == 0);
  ck_assert(!s.engine.fast_math && !s.engine.profile);
  for (int k = 0; k < SCIARA_MOST_SETTINGS; k++) ck_assert_int_eq(s.engine.option[k], 0);
  ck_assert(!s.engine.overridden && !s.engine.name_overridden);
  ck_assert_uint_eq(s.vent_count, 2);
  ck_assert_str_eq(s.vents[0].name, "vent 1");
  ck_assert_str_eq(s.vents[1].name, "vent 2");
  ck_assert_double_eq(s.vents[0].edges[0], 0);
}

TEST(test_full) {
  OWNED(sciara_scenario_free) struct sciara_scenario_spec s = scenario_read_ok(scenario_full, NULL);
  ck_assert_str_eq(s.title, "Etna, July 2006");
  ck_assert_uint_eq(s.vent_count, 2);
  const struct sciara_vent_spec *east = &s.vents[0], *fissure = &s.vents[1];
  ck_assert_str_eq(east->name, "east");
  ck_assert(east->place == SCIARA_VENT_XY && east->point_count == 1);
  ck_assert(east->points[0].x == 500262.5 && east->points[0].y == 4177617.5);
  ck_assert_uint_eq(east->rate_count, 3);
  ck_assert(east->edges[0] == 0 && east->edges[1] == 86400 && east->edges[3] == 259200);
  ck_assert(east->rates[0] == 1.58 && east->rates[2] == 3.01);
  ck_assert(fissure->place == SCIARA_VENT_LINE && fissure->point_count == 2);
  ck_assert(fissure->points[1].x == 500360 && fissure->points[1].y == 4177580);
  ck_assert_uint_eq(fissure->rate_count, 2);
  ck_assert(fissure->edges[1] == 3600 && fissure->edges[2] == 7200 && fissure->rates[1] == 4);
  ck_assert_double_eq(s.run.max_time_s, 120 * 86400.0);
  ck_assert_str_eq(s.start, "2006-07-14T23:30:00Z");
  ck_assert_str_eq(s.output.folder, in_folder("etna2006.out"));
  ck_assert_double_eq(s.output.every_s, 21600);
  ck_assert_uint_eq(s.output.maps, 1u << SCIARA_FIELD_DEPOSIT);
}

// The times of the new table ascend, and nothing is emitted between the old rates and the new one.
TEST(a_rate_from_the_end_of_a_table_on) {
  for (int late = 0; late < 2; late++) {
    OWNED(sciara_scenario_free) struct sciara_scenario_spec s = scenario_read_ok(scenario_full, NULL);
    struct sciara_effusion_change change;
    expect_ok(sciara_scenario_change_effusion(&s, 1, 7200 + late, 5, 9000, &change));
    const struct sciara_vent_spec *v = &s.vents[1];
    ck_assert_int_eq((int)v->rate_count, 3 + late);
    ck_assert(v->edges[2 + late] == 7200 + late && v->rates[2 + late] == 5 && v->edges[3 + late] == 9000);
    sciara_scenario_release_effusion(&change);
  }
}

TEST(test_values) {
  const char *const overrides[] = {"dem.path=/data/dem.tif",
                                   "dem.band=2",
                                   "dem.window=[1, 2, 30, 40]",
                                   "dem.crs=EPSG:32633",
                                   "dem.cell_size_m=5",
                                   "initial={\"thickness\": 2.5, \"temperature\": \"T.tif\"}",
                                   "model.cooling=0",
                                   "boundary=closed",
                                   "run.until=2 d",
                                   "run.max_steps=9e3",
                                   "output.folder=/scratch/x",
                                   "output.every=90 min",
                                   "output.dtype=float64",
                                   "output.maps=[\"deposit\", \"arrival_time\"]",
                                   "output.fields=[\"speed\"]",
                                   "engine.name=serial",
                                   "engine.precision=single",
                                   "engine.threads=1024",
                                   "engine.math=fast",
                                   "engine.memory=shared",
                                   "engine.block_width=64",
                                   "engine.block_height=4",
                                   "engine.boxes=3",
                                   "engine.refit_every=100",
                                   "engine.sort_every=7",
                                   "title=12 o'clock",
                                   "vents.0.start=1 h",
                                   "vents.0.name=summit"};
  OWNED(sciara_scenario_free) struct sciara_scenario_spec s;
  expect_ok(scenario_read_with(scenario_minimal, overrides, sizeof overrides / sizeof *overrides, &s));
  ck_assert_str_eq(s.dem.path, "/data/dem.tif");
  ck_assert(s.dem.band == 2 && s.dem.has_window && s.dem.window[0] == 1 && s.dem.window[1] == 2);
  ck_assert(s.dem.window[2] == 30 && s.dem.window[3] == 40 && s.dem.cell_size_m == 5);
  ck_assert_str_eq(s.dem.crs, "EPSG:32633");
  ck_assert(s.initial_thickness.given && !s.initial_thickness.path && s.initial_thickness.value == 2.5);
  ck_assert(s.initial_temperature.given);
  ck_assert_str_eq(s.initial_temperature.path, in_folder("T.tif"));
  ck_assert_double_eq(s.params.cooling, 0);
  ck_assert_int_eq(s.boundary, SCIARA_BOUNDARY_CLOSED);
  ck_assert(s.run.until == SCIARA_UNTIL_TIME && s.run.until_s == 172800 && s.run.max_steps == 9000);
  ck_assert_str_eq(s.output.folder, "/scratch/x");
  ck_assert(s.output.every_s == 5400 && s.output.as_double);
  ck_assert_uint_eq(s.output.maps, 1u << SCIARA_FIELD_DEPOSIT | 1u << SCIARA_FIELD_ARRIVAL_TIME);
  ck_assert_uint_eq(s.output.fields, 1u << SCIARA_FIELD_SPEED);
  ck_assert_str_eq(s.engine.name, "serial");
  ck_assert(s.engine.single_precision && s.engine.threads == 1024);
  ck_assert(s.engine.fast_math);
  const int expected[] = {2, 64, 4, 3, 100, 7, 0}; // in the order of engine_options.def
  for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) ck_assert_int_eq(s.engine.option[k], expected[k]);
  ck_assert_str_eq(s.title, "12 o'clock"); // begins like a number, but is not JSON
  ck_assert_str_eq(s.vents[0].name, "summit");
  ck_assert(s.vents[0].edges[0] == 3600 && s.vents[0].edges[1] == 3660);
}

/** One vent with this start and effusion. */
static const struct sciara_vent_spec *read_effusion(const char *start, const char *effusion,
                                                    struct sciara_scenario_spec *s) {
  char text[512];
  snprintf(text, sizeof text,
           "{\"dem\": {\"path\": \"d.tif\"}, \"vents\": [{\"x\": 1, \"y\": 2, \"start\": %s, \"effusion\": %s}]}",
           start, effusion);
  *s = scenario_read_ok(text, NULL);
  return &s->vents[0];
}

// Times need not be whole seconds, minutes or hours: start + k slot, in double precision.
TEST_EACH(test_fractional_slots, 7) {
  static const struct {
    const char *start, *slot;
    double start_s, slot_s;
  } cases[] = {{"0", "0.5", 0, 0.5},
               {"0.25", "1e-3", 0.25, 1e-3},
               {"\"0.125 s\"", "\"1.5 s\"", 0.125, 1.5},
               {"\"0.1 min\"", "\"0.01 min\"", 0.1 * 60, 0.01 * 60},
               {"\"0.3 h\"", "\"1.7 h\"", 0.3 * 3600, 1.7 * 3600},
               {"\"0.001 d\"", "\"0.7 d\"", 0.001 * 86400, 0.7 * 86400},
               {"59.999999", "86399.75", 59.999999, 86399.75}};
  char effusion[96];
  OWNED(sciara_scenario_free) struct sciara_scenario_spec s;
  snprintf(effusion, sizeof effusion, "{\"slot\": %s, \"rates_m3_s\": [1.5, 0, 1e-9]}", cases[_i].slot);
  const struct sciara_vent_spec *v = read_effusion(cases[_i].start, effusion, &s);
  ck_assert_uint_eq(v->rate_count, 3);
  for (int k = 0; k <= 3; k++) ck_assert_double_eq(v->edges[k], cases[_i].start_s + k * cases[_i].slot_s);
  ck_assert(v->rates[0] == 1.5 && v->rates[1] == 0 && v->rates[2] == 1e-9);
}

TEST(test_places) {
  static const char *const effusion = "\"effusion\": {\"csv\": \"rates.csv\"}, \"start\": 100";
  char text[512];
  snprintf(text, sizeof text,
           "{\"dem\": {\"path\": \"d\"}, \"vents\": [{\"lon\": 15, \"lat\": 37.7, %s}, {\"row\": 3, \"col\": 4, %s}]}",
           effusion, effusion);
  OWNED(sciara_scenario_free) struct sciara_scenario_spec s = scenario_read_ok(text, NULL);
  ck_assert(s.vents[0].place == SCIARA_VENT_LONLAT && s.vents[0].points[0].x == 15 && s.vents[0].points[0].y == 37.7);
  ck_assert(s.vents[1].place == SCIARA_VENT_ROWCOL && s.vents[1].points[0].x == 4 && s.vents[1].points[0].y == 3);
  ck_assert(s.vents[1].edges[0] == 100 && s.vents[1].edges[2] == 7300); // a CSV counts from the start of its vent
}

static enum sciara_status override_status(const char *override) {
  struct sciara_scenario_spec s;
  enum sciara_status status = scenario_read_with(scenario_minimal, &override, 1, &s);
  if (status == SCIARA_OK) sciara_scenario_free(&s);
  return status;
}

TEST(test_override_forms) {
  ck_assert_int_eq(override_status("engine.name"), SCIARA_ERR_USAGE);
  ck_assert_str_eq(sciara_last_error(), "override \"engine.name\": expected KEY=VALUE, with KEY such as engine.name or "
                                        "vents.0.x, found no key and value");
  ck_assert_int_eq(override_status("=5"), SCIARA_ERR_USAGE);
  ck_assert_int_eq(override_status("engine..name=5"), SCIARA_ERR_USAGE);
  ck_assert_int_eq(override_status(".engine=5"), SCIARA_ERR_USAGE);
  ck_assert_int_eq(override_status("a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a=5"), SCIARA_ERR_USAGE);
  expect_error(override_status("dem={\"path\": \"a\", \"path\": \"b\"}"), SCIARA_ERR_INPUT,
               "path: expected each key once in an object, found it twice");
  expect_ok(override_status("title=a=b")); // the first = parts key and value
  expect_ok(override_status("vents[0].x=5"));
  ck_assert_int_eq(override_status("vents.0.99999999999999999999=5"), SCIARA_ERR_INPUT);
  ck_assert_int_eq(override_status("vents.99999999999999999999=5"), SCIARA_ERR_INPUT);
}

TEST(test_output_folder) {
  static const struct {
    const char *scenario, *folder;
  } cases[] = {{"demo.json", "demo.out"}, {"demo", "demo.out"}, {"demo.txt", "demo.txt.out"}, {".json", ".json.out"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct sciara_scenario_spec s;
    char name[160];
    snprintf(name, sizeof name, "%s", in_folder(cases[i].scenario));
    write_text(name, scenario_minimal);
    expect_ok(sciara_scenario_read(name, NULL, 0, NULL, &s));
    ck_assert_str_eq(s.output.folder, in_folder(cases[i].folder));
    sciara_scenario_free(&s);
    unlink(name);
  }
}

/** The kept text, read again, is the same scenario to the last bit. */
TEST(test_text_reads_back) {
  const char *const overrides[] = {"model.cooling=0.30000000000000004", "engine.name=serial",
                                   "vents.0.x=500262.12345678901"};
  OWNED(sciara_scenario_free) struct sciara_scenario_spec s, again;
  expect_ok(scenario_read_with(scenario_full, overrides, 3, &s));
  ck_assert_ptr_nonnull(strstr(s.json, "\"name\": \"serial\""));
  ck_assert_ptr_nonnull(strstr(s.json, "\"cooling\": 0.30000000000000004"));
  ck_assert_ptr_null(strstr(s.json, "initial")); // as written: defaults are not added
  again = scenario_read_ok(s.json, NULL);
  ck_assert_mem_eq(&s.params, &again.params, sizeof s.params);
  ck_assert_mem_eq(s.vents[0].points, again.vents[0].points, sizeof *s.vents[0].points);
  ck_assert_str_eq(s.json, again.json);
}

RUN_TESTS(.setup = scenario_setup, .teardown = folder_remove)
