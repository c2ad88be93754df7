// SPDX-License-Identifier: Apache-2.0
#include "support/scenario_files.h"

#include "engine/engine.h"
#include "support/folder.h"

char scenario_path[96], scenario_csv[96];

const char scenario_minimal[] =
    "{\"dem\": {\"path\": \"dem.tif\"},"
    " \"vents\": [{\"x\": 1, \"y\": 2, \"effusion\": {\"slot\": 60, \"rates_m3_s\": [1]}},"
    "             {\"line\": [[0, 0], [5, 5]], \"effusion\": {\"slot\": \"1 h\", \"rates_m3_s\": [1, 2, 3, 4]}}]}";

// The example of every key.
const char scenario_full[] =
    "{\n"
    "  \"$schema\": \"scenario.schema.json\",\n"
    "  \"title\": \"Etna, July 2006\",\n"
    "  \"dem\": { \"path\": \"dem.tif\", \"band\": 1, \"window\": null, \"crs\": null, \"cell_size_m\": null },\n"
    "  \"vents\": [\n"
    "    { \"name\": \"east\", \"x\": 500262.5, \"y\": 4177617.5, \"start\": \"0 s\", \"effusion\": { "
    "\"slot\": \"1 d\", \"rates_m3_s\": [1.58, 2.26, 3.01] } },\n"
    "    { \"name\": \"fissure\", \"line\": [[500300, 4177600], [500360, 4177580]], \"effusion\": { \"csv\": "
    "\"rates.csv\" } }\n"
    "  ],\n"
    "  \"model\": { \"T_vent_K\": 1360, \"T_sol_K\": 1143, \"dissipation_vent\": 0.315, \"dissipation_sol\": 0.5, "
    "\"critical_height_vent_m\": 1.014, \"critical_height_sol_m\": 23.066,\n"
    "             \"relaxation\": 0.5, \"cooling\": 1.507, \"density_kg_m3\": 2600, \"emissivity\": 0.9, "
    "\"specific_heat_J_kgK\": 1150, \"clock_first_s\": 1, \"clock_max_s\": 120 },\n"
    "  \"boundary\": \"open\",\n"
    "  \"run\": { \"until\": \"solidified\", \"max_time\": \"120 d\", \"max_steps\": null, \"start\": "
    "\"2006-07-14T23:30:00Z\" },\n"
    "  \"output\": { \"folder\": \"etna2006.out\", \"every\": \"6 h\", \"fields\": [\"thickness\", \"temperature\"], "
    "\"dtype\": \"float32\", \"maps\": [\"deposit\"] },\n"
    "  \"engine\": { \"name\": \"auto\", \"precision\": \"double\", \"threads\": 0 }\n"
    "}\n";

void scenario_setup(void) {
  sciara_scenario_declare_options(sciara_engine_settings());
  folder_make();
  snprintf(scenario_path, sizeof scenario_path, "%s/demo.json", folder);
  snprintf(scenario_csv, sizeof scenario_csv, "%s/rates.csv", folder);
  write_text(scenario_csv, "time_s,rate_m3_s\n0,2\n1 h,4\n2 h,0\n");
}

enum sciara_status scenario_read_with(const char *text, const char *const *overrides, size_t count,
                                      struct sciara_scenario_spec *s) {
  write_text(scenario_path, text);
  return sciara_scenario_read(scenario_path, overrides, count, NULL, s);
}

struct sciara_scenario_spec scenario_read_ok(const char *text, const char *override) {
  struct sciara_scenario_spec s;
  enum sciara_status status = scenario_read_with(text, &override, override != NULL, &s);
  ck_assert_msg(status == SCIARA_OK, "%s: %s", override ? override : "", sciara_last_error());
  return s;
}

const char *scenario_with_fields(const char *text) {
  static const char *const names[SCIARA_FIELD_COUNT] = {
#define SCIARA_OUTPUT_FIELD(NAME, member, QUANTITY, name, ...) [SCIARA_FIELD_##NAME] = name,
#include "model/fields.def"
  };
  static char buffer[1024];
  const char *const at = strstr(text, "<FIELDS>");
  if (!at) return text;
  int length = snprintf(buffer, sizeof buffer, "%.*s", (int)(at - text), text);
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++)
    length += snprintf(buffer + length, sizeof buffer - (size_t)length, "%s%s", f > 0 ? ", " : "", names[f]);
  snprintf(buffer + length, sizeof buffer - (size_t)length, "%s", at + strlen("<FIELDS>"));
  return buffer;
}

void scenario_refused(const char *text, const char *override, const char *message) {
  struct sciara_scenario_spec s;
  char expected[1024];
  snprintf(expected, sizeof expected, "%s: %s", scenario_path, scenario_with_fields(message));
  ck_assert_msg(scenario_read_with(text, &override, override != NULL, &s) == SCIARA_ERR_INPUT, "passed: %s",
                override ? override : text);
  ck_assert_msg(strncmp(sciara_last_error(), expected, strlen(expected)) == 0, "%s: \"%s\" is not \"%s\"",
                override ? override : text, sciara_last_error(), expected);
  ck_assert_ptr_null(s.path); // everything has been released
}
