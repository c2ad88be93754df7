// SPDX-License-Identifier: Apache-2.0
// docs/scenario.md, from the table of keys.
#include <string.h>

#include "scenario/scenario_keys.h"

static const char introduction[] =
    "# The scenario\n\n"
    "<!-- Generated from src/scenario/scenario_keys.def and src/model/params.def. Do not edit. -->\n\n"
    "A scenario is one JSON file (UTF-8) that says what to simulate. Only `dem` and `vents` must be given; every other "
    "key\n"
    "has a default. The JSON Schema is in `config/scenario.schema.json`; `sciara schema` prints it.\n\n"
    "```json\n"
    "{\n"
    "  \"dem\": { \"path\": \"dem.tif\" },\n"
    "  \"vents\": [\n"
    "    { \"x\": 500262.5, \"y\": 4177617.5, \"effusion\": { \"slot\": \"1 d\", \"rates_m3_s\": [1.58, 2.26, 3.01] } "
    "},\n"
    "    { \"name\": \"fissure\", \"line\": [[500300, 4177600], [500360, 4177580]], \"effusion\": { \"csv\": "
    "\"rates.csv\" } }\n"
    "  ],\n"
    "  \"run\": { \"until\": \"12 d\", \"start\": \"2006-07-14T23:30:00Z\" },\n"
    "  \"output\": { \"every\": \"6 h\", \"maps\": [\"deposit\"] }\n"
    "}\n"
    "```\n\n"
    "## Rules\n\n"
    "- The file is read strictly: unknown keys, keys given twice, numbers that are not finite, comments and text after "
    "the\n"
    "  end are errors. Each error names the file, the key, what is expected and what was found.\n"
    "- Paths are relative to the folder of the scenario file; absolute paths are not changed.\n"
    "- A duration is a number of seconds, or text: `\"30 s\"`, `\"90 min\"`, `\"6 h\"`, `\"3 d\"`, `\"1 d 12 h\"`. "
    "Simulated time "
    "starts at 0.\n"
    "- Where a date is allowed, such as `\"2006-07-15T06:00Z\"`, `\"2006-07-15 06:00\"` (UTC, as all without a zone) "
    "or\n"
    "  `\"2006-07-15 08:00+02:00\"`, it stands for the simulated time from `run.start` until then; what a run keeps of "
    "its\n"
    "  scenario has that time in seconds. The forms are those of a CSV file of rates, and of options.\n"
    "- **From when times count**, in all files and commands: `until`, `from`, `start`, `time`, `at` and `--at` are "
    "simulated\n"
    "  times, from the start of the eruption on, or dates. `within` (`exposure --within`, `result.within`) counts\n"
    "  **after the outline**: from the outline or checkpoint in `initial` with which a run or the members of an "
    "ensemble begin,\n"
    "  without one from the start of the eruption; a date is possible too. So do arrivals in maps and tables of an "
    "ensemble.\n"
    "- `--set KEY=VALUE` replaces a key for one run: `--set run.until=\"2 d\"`, `--set vents.0.x=500300`,\n"
    "  `--set output.maps='[\"deposit\"]'`. The value is JSON; other text is taken as a string. Items of arrays are\n"
    "  counted from 0.\n\n";

static const char rates[] =
    "## Effusion rates in a CSV file\n\n"
    "```csv\n"
    "time_s,rate_m3_s\n"
    "# a comment\n"
    "0,1.58\n"
    "6 h,2.26\n"
    "3 d,0\n"
    "```\n\n"
    "Each row gives a time (a duration, counted from `start` of the vent) and the rate from then until the next row. "
    "Times\n"
    "ascend, rates lie in 0 to 1e6 m3/s, and a rate of 0 in the last row ends the table. There are 2 to 1000000 rows. "
    "Files\n"
    "of others need not look like this:\n\n"
    "- **Separators.** Tabs, semicolons, commas or blanks, found in the header. With any but commas, decimals may have "
    "commas.\n"
    "  A line `sep=;` may come first. Text is UTF-8, UTF-16 with a byte order mark, or else Latin-1, which is "
    "reported.\n"
    "- **Columns** are found by their names, in any order: `time`, `t`, `date`, `hours`, `rate`, `TADR`, `MOR`, "
    "`effusion rate`,\n"
    "  `discharge`, ... Units stand at the end of the name, in brackets or not: s, min, h, d (or `days since start`); "
    "a "
    "volume\n"
    "  (m3, l, dm3, Mm3, 10^3 m3, 10^6 m3) per s, min, h or d; W, kW, MW, GW. Without one, s and m3/s are assumed. "
    "Another number or\n"
    "  multiple before the unit (`1000 m3/h`), or a logarithm, is refused. A column that is not understood,\n"
    "  and one of errors (`error`, `uncertainty`, `sigma`, `±`), is not used. It must say nothing about times: a time "
    "of day, a date,\n"
    "  a duration or a zone other than UTC in it is refused, and so are numbers if its name says that they are one or "
    "an end.\n"
    "- **Dates** such as `2006-07-14`, `2006-07-14 23:30` or `2006-07-14T23:30:00Z`, or a column `date` and a column "
    "`time`, are\n"
    "  counted from `run.start`, which is then required; `start` of the vent must be 0. Without a zone they are UTC.\n"
    "  In a column of dates (`date`, `datetime`, `timestamp`, `UTC`) `20060714` is one too. Other numbers in it (days "
    "as in Excel or\n"
    "  Matlab, decimal years) are refused, and so are a date in several columns (`year`, `month`, `doy`) and a time of "
    "day without\n"
    "  a date.\n"
    "- **Several estimates.** Columns `low`/`min`, `high`/`max` and `mean`: `choose` says which; with low and high "
    "only, their\n"
    "  mean is the mean.\n"
    "- **Gaps.** Where a rate is missing (empty, `nan`, `NA`, `-`) the one before it is taken, and for rows that are "
    "missing in\n"
    "  a regular table as well.\n"
    "- **No end.** A last rate that is not 0 lasts as long as the row before it.\n"
    "- **Radiative power** (VRP) becomes a rate with `radiant_density_J_m3`: rate = power / density (D. Coppola et "
    "al., 2013, J.\n"
    "  Volcanol. Geotherm. Res. 249, 39-48: 1e8 to 4e8 J/m3 for basalt, within 50 % by silica content).\n"
    "- **MODVOLC.** The text of its alerts (UNIX_Time, satellite, ...) becomes power by the method of M. Wooster et "
    "al. (2003,\n"
    "  Remote Sens. Environ. 86, 83-107): the sum over the pixels of a pass of 18.9 sr um x 1 km2 x (radiance in band "
    "21 - `background_radiance_W_m2_sr_um`).\n"
    "  Pixels off nadir are larger, and passes without an alert are not in the list.\n\n"
    "`check`, `run` and `init` print what was understood and what was assumed. Times that do not ascend are refused, "
    "and so is what\n"
    "is ambiguous: `14/07/2006`, `1.000,5`, two columns of rates.\n";

/** Text inside a table: a bar would end the cell. */
static enum sciara_status append_cell(struct sciara_text *out, const char *text) {
  for (const char *p = text; *p; p++)
    SCIARA_TRY(*p == '|' ? sciara_text_append(out, "\\|") : sciara_text_append_bytes(out, p, 1));
  return SCIARA_OK;
}

static enum sciara_status append_default(struct sciara_text *out, const struct sciara_scenario_key *key) {
  double value;
  char number[40];
  if (key->required) return sciara_text_append(out, "required");
  if (!key->preset) return sciara_text_append(out, "absent");
  if (!sciara_parse_double(key->preset, &value)) return sciara_text_append(out, "`%s`", key->preset);
  sciara_json_number(value, number, sizeof number);
  return sciara_text_append(out, "`%s`", number);
}

static enum sciara_status append_row(struct sciara_text *out, const struct sciara_scenario_key *key, const char *name) {
  char allowed[1024];
  sciara_scenario_key_allowed(key, allowed, sizeof allowed);
  SCIARA_TRY(sciara_text_append(out, "| `%s` | ", name));
  SCIARA_TRY(append_default(out, key));
  SCIARA_TRY(sciara_text_append(out, " | "));
  SCIARA_TRY(append_cell(out, allowed));
  SCIARA_TRY(sciara_text_append(out, " | "));
  SCIARA_TRY(append_cell(out, key->description));
  const char *rule = sciara_scenario_key_rule(key);
  if (rule) SCIARA_TRY(sciara_text_append(out, " (%s)", rule));
  if (key->needs) SCIARA_TRY(sciara_text_append(out, " (with `%s`)", key->needs));
  return sciara_text_append(out, " |\n");
}

/** "Exactly one of `x` and `y`, or `line`." */
static enum sciara_status append_alternatives(struct sciara_text *out, const char *alternatives) {
  char set[64], name[64];
  SCIARA_TRY(sciara_text_append(out, "Exactly one of these is given: "));
  for (bool first = true; sciara_scenario_list_next(&alternatives, '|', set, sizeof set); first = false) {
    const char *rest = set;
    SCIARA_TRY(sciara_text_append(out, "%s", first ? "" : *alternatives ? ", " : " or "));
    for (bool one = true; sciara_scenario_list_next(&rest, ',', name, sizeof name); one = false)
      SCIARA_TRY(sciara_text_append(out, "%s`%s`", one ? "" : " and ", name));
  }
  return sciara_text_append(out, ".\n\n");
}

/** The table of one object's keys; `title` is its JSON path as errors print it. */
static enum sciara_status append_section(struct sciara_text *out, const char *schema, const char *title,
                                         const char *description, const char *alternatives) {
  size_t count;
  const struct sciara_scenario_key *keys = sciara_scenario_keys(&count);
  SCIARA_TRY(sciara_text_append(out, "## %s\n\n", title));
  if (description) SCIARA_TRY(sciara_text_append(out, "%c%s.\n\n", description[0] - ('a' - 'A'), description + 1));
  if (alternatives) SCIARA_TRY(append_alternatives(out, alternatives));
  SCIARA_TRY(sciara_text_append(out, "| key | default | allowed | meaning |\n|---|---|---|---|\n"));
  for (size_t i = 0; i < count; i++) {
    const char *name = sciara_scenario_key_name(&keys[i], schema);
    if (name) SCIARA_TRY(append_row(out, &keys[i], name));
  }
  return sciara_text_append(out, "\n");
}

enum sciara_status sciara_scenario_manual(struct sciara_text *out) {
  size_t count;
  const struct sciara_scenario_key *keys = sciara_scenario_keys(&count);
  SCIARA_TRY(sciara_text_append(out, "%s", introduction));
  SCIARA_TRY(append_section(out, "", "Top level", NULL, NULL));
  for (size_t i = 0; i < count; i++) {
    if (keys[i].type != SCIARA_KEY_OBJECT) continue;
    char title[128];
    snprintf(title, sizeof title, "`%s`", keys[i].path);
    SCIARA_TRY(append_section(out, keys[i].path, title, keys[i].description, keys[i].alternatives));
  }
  return sciara_text_append(out, "%s", rates);
}
