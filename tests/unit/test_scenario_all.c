// SPDX-License-Identifier: Apache-2.0
// Claims about sciara_scenario_read_all: every error is found once, and the valid parts can still be used.
#include "engine/engine.h"
#include "scenario/scenario.h"
#include "support/scenario_files.h"

static struct sciara_diagnostics diagnostics;
static struct sciara_scenario_spec scenario;

static void setup(void) {
  scenario_setup();
  diagnostics = (struct sciara_diagnostics){0};
  scenario = (struct sciara_scenario_spec){0};
}

static void teardown(void) {
  sciara_diagnostics_free(&diagnostics);
  sciara_scenario_free(&scenario);
  folder_remove();
}

static void read_all(const char *text, const char *const *overrides, size_t count) {
  write_text(scenario_path, text);
  sciara_scenario_read_all(scenario_path, overrides, count, NULL, &scenario, &diagnostics);
}

/** The diagnostics are these and no more, in this order; each begins with the path of the file and what is given here. */
static void expect(const char *const *beginnings, size_t count) {
  for (size_t k = 0; k < diagnostics.count && k < count; k++) {
    const size_t skip = strlen(scenario_path) + 2;
    const char *const beginning = scenario_with_fields(beginnings[k]);
    ck_assert_msg(strncmp(diagnostics.sentence[k], scenario_path, skip - 2) == 0, "%s", diagnostics.sentence[k]);
    ck_assert_msg(strncmp(diagnostics.sentence[k] + skip, beginning, strlen(beginning)) == 0,
                  "%zu: \"%s\" is not \"%s\"", k, diagnostics.sentence[k] + skip, beginning);
  }
  ck_assert_msg(diagnostics.count == count, "%zu diagnostics, %zu expected; the last one: %s", diagnostics.count, count,
                diagnostics.count ? diagnostics.sentence[diagnostics.kept - 1] : "none");
}
#define EXPECT(...)                                   \
  do {                                                \
    static const char *const list_[] = {__VA_ARGS__}; \
    expect(list_, sizeof list_ / sizeof *list_);      \
  } while (0)

TEST(test_every_branch) {
  read_all("{\"dem\": {\"path\": 5, \"band\": 0, \"bnad\": 1},\n"
           " \"vents\": [{\"x\": 1, \"y\": 2, \"effusion\": {\"slot\": 60, \"rates_m3_s\": [1, -1, \"a\"]}}, 7,\n"
           "             {\"line\": [[0, 0], [5], [\"a\", 2e9]], \"effusion\": {\"csv\": \"none.csv\"}}],\n"
           " \"model\": {\"relaxation\": 0, \"cooling\": -1}, \"boundary\": \"ajar\",\n"
           " \"run\": {\"until\": 0, \"start\": \"soon\"},\n"
           " \"output\": {\"fields\": [], \"maps\": [\"speed\", \"sped\", \"speed\"], \"dtype\": 4},\n"
           " \"engine\": {\"threads\": 1.5}}",
           NULL, 0);
  EXPECT("dem.path: expected a text that is not empty; found 5", "dem.band: expected 1 to 1e6; found 0",
         "dem.bnad: unknown key", "vents[0].effusion.rates_m3_s[1]: expected 0 to 1e6 m3/s; found -1",
         "vents[0].effusion.rates_m3_s[2]: expected a number, 0 to 1e6 m3/s; found \"a\"",
         "vents[1]: expected an object; found 7", "vents[2].line[1]: expected a point [x, y]; found an array of 1",
         "vents[2].line[2][0]: expected a number, -1e9 to 1e9 m; found \"a\"",
         "vents[2].line[2][1]: expected -1e9 to 1e9 m; found 2e9", "model.relaxation: expected above 0 to 1; found 0",
         "model.cooling: expected 0 to 1e6 m2; found -1", "boundary: expected \"open\" or \"closed\"; found \"ajar\"",
         "run.until: expected above 0 to 1e12 s; found 0",
         "run.start: expected a date \"YYYY-MM-DDThh:mmZ\", perhaps with seconds, a space for T, +02:00 "
         "for Z or no zone (UTC), or "
         "\"YYYY-MM-DD\", or null; "
         "found \"soon\"",
         "output.fields: expected an array of one or more different names of fields: <FIELDS>; found an array of 0",
         "output.maps[1]: expected <FIELDS> (did you mean \"speed\"?); found \"sped\"",
         "output.maps[2]: expected each field once; found \"speed\"",
         "output.dtype: expected \"float32\" or \"float64\"; found 4",
         "engine.threads: expected a whole number, 0 to 1024; found 1.5");
  ck_assert_int_eq(diagnostics.first, SCIARA_ERR_INPUT);
}

TEST(test_a_mistyped_key_is_one_problem) {
  read_all("{\"dme\": {\"path\": \"a.tif\"},\n"
           " \"vents\": [{\"x\": 1, \"yy\": 2, \"efusion\": {\"slot\": 60, \"rates_m3_s\": [1]}}]}",
           NULL, 0);
  EXPECT("dme: unknown key", "vents[0].yy: unknown key", "vents[0].efusion: unknown key");
}

TEST(test_what_is_far_from_any_key_hides_no_missing_one) {
  read_all("{\"ground\": {\"path\": \"a.tif\"}, \"vents\": [{\"here\": [1, 2]}]}", NULL, 0);
  EXPECT("ground: unknown key", "vents[0].here: unknown key", "vents[0].effusion: expected an object; found nothing",
         "vents[0]: expected exactly one of: x and y, lon and lat, row and col, line, file; found none of them",
         "dem: expected an object; found nothing");
}

TEST(test_duplicates_overrides_and_files) {
  const char *const overrides[] = {"output.evry=5", "vents.9.x=1", "novalue", "run.max_steps=0"};
  read_all("{\"dem\": {\"path\": \"a\", \"path\": \"b\", \"band\": 1, \"band\": 2, \"band\": 3},\n"
           " \"vents\": [{\"x\": 1, \"y\": 2, \"effusion\": {\"csv\": \"none.csv\"}}],\n"
           " \"model\": {\"T_sol_K\": 2000}, \"initial\": {\"thickness\": 1, \"temperature\": 100}}",
           overrides, 4);
  ck_assert_uint_eq(diagnostics.count, 9);
  ck_assert_ptr_nonnull(strstr(
      diagnostics.sentence[4],
      "override \"novalue\": expected KEY=VALUE, with KEY such as engine.name or vents.0.x, found no key and value"));
  free(diagnostics.sentence[4]);
  diagnostics.sentence[4] =
      sciara_format("%s: override", scenario_path); // it names no file: put in the form of the others
  EXPECT("dem.band: expected each key once", "dem.path: expected each key once", "output.evry: unknown key",
         "vents: expected an index from 0 to 0; found the index \"9\"", "override",
         "initial.temperature: expected above 273 to 3000 K; found 100",
         "run.max_steps: expected 1 to 9007199254740991; found 0",
         "vents[0].effusion.csv: ", "model.T_sol_K: found 2000");
}

TEST(test_what_is_good_is_kept) {
  const char *const overrides[] = {"output.every=-5", "vents.0.effusion.slot=0"};
  read_all(scenario_minimal, overrides, 2);
  EXPECT("vents[0].effusion.slot: expected above 0 to 1e12 s; found 0",
         "output.every: expected above 0 to 1e12 s; found -5");
  ck_assert_ptr_nonnull(strstr(scenario.dem.path, "/dem.tif"));
  ck_assert_uint_eq(scenario.vent_count, 2);
  ck_assert_uint_eq(scenario.vents[0].point_count, 0); // refused
  ck_assert_uint_eq(scenario.vents[1].point_count, 2);
  ck_assert_uint_eq(scenario.vents[1].rate_count, 4);
  ck_assert_str_eq(scenario.vents[1].name, "vent 2");
  ck_assert_double_eq(scenario.params.T_vent, 1360);
}

TEST(test_a_vent_without_rates_has_its_place) {
  read_all("{\"dem\": {\"path\": \"a\"}, \"vents\": [{\"x\": 1, \"y\": 2, \"effusion\": {\"csv\": \"none.csv\"}}]}",
           NULL, 0);
  EXPECT("vents[0].effusion.csv: ");
  ck_assert_int_eq(diagnostics.first, SCIARA_ERR_IO);
  ck_assert_uint_eq(scenario.vents[0].point_count, 1);
  ck_assert_uint_eq(scenario.vents[0].rate_count, 0);
}

TEST(test_syntax_stops_at_once) {
  read_all("{\"dme\": 1, \"vents\": [,]}", NULL, 0);
  ck_assert_uint_eq(diagnostics.count, 1);
  ck_assert_ptr_nonnull(strstr(diagnostics.sentence[0], ":1:22: expected a value (an object, an array, a string in "
                                                        "double quotes, a number, true, false or null), found ','"));
}

TEST(test_very_many) {
  struct sciara_text text = {0};
  expect_ok(sciara_text_append(&text, "{\"dem\": {\"path\": \"a\"}, \"vents\": [{\"x\": 1, \"y\": 2, "
                                      "\"effusion\": {\"slot\": 1, \"rates_m3_s\": [-1"));
  for (int k = 1; k < 200000; k++) expect_ok(sciara_text_append(&text, ",-1"));
  expect_ok(sciara_text_append(&text, "]}}]}"));
  read_all(text.data, NULL, 0);
  sciara_text_free(&text);
  ck_assert_uint_eq(diagnostics.count, 200000);
  ck_assert_uint_eq(diagnostics.kept, SCIARA_DIAGNOSTICS_MOST);
}

TEST(test_defaults_spelled_out) {
  const struct sciara_default_vent vents[] = {{.at = {{1.5, 2}}, .count = 1},
                                              {.at = {{15, 37.7}}, .count = 1, .lonlat = true}};
  const struct sciara_default_request request = {.schema = "file:///s",
                                                 .dem = "a b.tif",
                                                 .title = "say \"x\"",
                                                 .vents = vents,
                                                 .vent_count = 2,
                                                 .rate = 5,
                                                 .duration = "3 d"};
  const char *const overrides[] = {"run.max_time=20 d"};
  OWNED(sciara_text_free) struct sciara_text text = {0};
  expect_ok(sciara_scenario_default(&request, overrides, 1, &text));
  read_all(text.data, NULL, 0);
  ck_assert_msg(diagnostics.count == 0, "%s", sciara_last_error());
  ck_assert_str_eq(scenario.title, "say \"x\"");
  ck_assert_int_eq(scenario.vents[0].place, SCIARA_VENT_XY);
  ck_assert_int_eq(scenario.vents[1].place, SCIARA_VENT_LONLAT);
  ck_assert_double_eq(scenario.vents[1].points[0].y, 37.7);
  ck_assert_double_eq(scenario.vents[0].edges[1], 3 * 86400.0);
  ck_assert_double_eq(scenario.vents[1].rates[0], 5);
  ck_assert_double_eq(scenario.run.max_time_s, 20 * 86400.0);
  ck_assert_ptr_null(strstr(text.data, "\"initial\""));
  // One key of each type: its default is written.
  const char *const keys[] = {"\"band\": 1",          "\"window\": null",
                              "\"cooling\": 1.507",   "\"boundary\": \"open\"",
                              "\"every\": null",      "\"maps\": []",
                              "\"threads\": 0",       "\"max_steps\": null",
                              "\"start\": \"0 s\"",   "\"until\": \"solidified\"",
                              "\"clock_max_s\": 120", "\"$schema\": \"file:///s\""};
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
    ck_assert_msg(strstr(text.data, keys[k]) != NULL, "%s is not in %s", keys[k], text.data);
}

int main(void) {
  sciara_scenario_declare_options(sciara_engine_settings());
  return tests_run(&tests_here, (struct tests_setting){.setup = setup, .teardown = teardown});
}
