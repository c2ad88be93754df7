// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/common_options.h"
#include "app/messages.h"
#include "app/output.h"
#include "app/program.h"
#include "base/log.h"
#include "base/text.h"
#include "ensemble/members.h"
#include "file/csv.h"
#include "file/durable.h"
#include "file/json_strict.h"
#include "model/prior.h"
#include "scenario/rates_csv.h"
#include "scenario/scenario_keys.h"
#include "setup/setup.h"

static const struct sciara_option options[] = {
    {"vent", 0, "X,Y", "a vent, in the CRS of the DEM, or in degrees with letters (14.99E,37.75N); may be repeated"},
    {"vent-lonlat", 0, "LON,LAT", "a vent, in degrees (WGS 84); may be repeated"},
    {"fissure", 0, "X,Y,X,Y...", "a fissure: a line of 2 to 32 points as of --vent; may be repeated"},
    {"fissure-lonlat", 0, "LON,LAT,LON,LAT...", "a fissure, in degrees (WGS 84); may be repeated"},
    {"rate", 0, "R", "effusion rate of each vent, m3/s"},
    {"duration", 0, "D", "how long the vents emit: \"3 d\", \"6 h\", seconds"},
    {"rates", 0, "FILE", "effusion rates of each vent, as CSV, instead of --rate and --duration"},
    {"until", 'u', "T",
     "end of the run: simulated time (\"6 h\", \"3 d\", seconds) or date; default: when the front is at rest, with fv3 "
     "when all lava is solid"},
    {"front", 0, "FILE",
     "the run begins with the lava in this outline, mapped at --at (initial.observed; docs/tonight.md)"},
    {"at", 0, "T", "when the outline of --front was mapped: simulated time, or date if the rates have dates"},
    {"name", 0, "TEXT", "title of the scenario"},
    {"rule", 0, "NAME", "how lava moves: bingham (default) or fv3 (docs/rules.md); as --set model.rule=NAME"},
    {"set", 's', "K=V", "set a key to another value than its default: run.max_time=\"20 d\"; may be repeated"},
    SCIARA_QUICK_OPTION,
    {"output", 'o', "FILE", "the scenario, a name in .json (default: that of the DEM, in the current folder)"},
    {"overwrite", 0, NULL, "replace FILE if it exists"},
    SCIARA_ALLOW_DRIVER_OPTION,
    {0},
};

/** The values of the command line. */
struct order {
  struct sciara_default_request request;
  struct sciara_default_vent vents[SCIARA_MOST_GIVEN];
  const char *overrides[SCIARA_MOST_GIVEN], *drivers[SCIARA_MOST_GIVEN];
  size_t override_count, driver_count;
  const char *rates;            ///< path of the CSV file as given; NULL: none
  const char *front, *at;       ///< the mapped outline and its time as given; NULL: none
  char until[64], start[64];    ///< overrides; "" if there are none
  char first[SCIARA_DATE_SIZE]; ///< the date of `start`
  char rule[64];                ///< likewise
  bool recommended;             ///< the rule was not asked for
};

/** The points of --vent, --vent-lonlat, --fissure or --fissure-lonlat. */
static enum sciara_status parse_vent(const char *option, const char *text, struct sciara_default_vent *out) {
  const bool line = strncmp(option, "fissure", strlen("fissure")) == 0;
  size_t numbers = 1;
  for (const char *c = text; *c; c++) numbers += *c == ',';
  out->count = line ? numbers / 2 : 1;
  const bool fits =
      numbers == 2 * out->count && out->count >= (line ? 2 : 1) && out->count <= SCIARA_DEFAULT_MOST_POINTS;
  const enum sciara_place_text is = fits ? sciara_place_parse(text, out->count, out->at) : SCIARA_PLACE_NAME;
  out->lonlat = is == SCIARA_PLACE_DEGREES || strstr(option, "-lonlat");
  if (is != SCIARA_PLACE_NAME) return SCIARA_OK;
  if (line)
    return sciara_fail(SCIARA_ERR_USAGE,
                       "--%s: expected 2 to %d points, two numbers each, separated by commas, or degrees such as "
                       "14.99E,37.75N,15.01E,37.74N; found \"%s\"",
                       option, SCIARA_DEFAULT_MOST_POINTS, text);
  return sciara_fail(SCIARA_ERR_USAGE,
                     "--%s: expected two numbers separated by a comma, or degrees such as 14.99E,37.75N; found \"%s\"",
                     option, text);
}

/** Whether --set gives this key as a whole, such as "vents". */
static bool is_set(const struct order *o, const char *key) {
  const size_t length = strlen(key);
  for (size_t k = 0; k < o->override_count; k++)
    if (strncmp(o->overrides[k], key, length) == 0 && o->overrides[k][length] == '=') return true;
  return false;
}

/** The options that may be repeated. */
static enum sciara_status take_lists(const struct sciara_arguments *a, struct order *o) {
  for (size_t k = 0; k < a->given_count; k++) {
    const char *name = a->given[k].option->name, *value = a->given[k].value;
    if (strncmp(name, "vent", strlen("vent")) == 0 || strncmp(name, "fissure", strlen("fissure")) == 0) {
      SCIARA_TRY(parse_vent(name, value, &o->vents[o->request.vent_count++]));
    } else if (strcmp(name, "set") == 0) {
      if (!strchr(value, '=')) return sciara_fail(SCIARA_ERR_USAGE, "--set: expected KEY=VALUE, found \"%s\"", value);
      o->overrides[o->override_count++] = value;
    } else if (strcmp(name, "quick") == 0) {
      o->overrides[o->override_count++] = SCIARA_QUICK;
      sciara_quick_log();
    }
  }
  o->request.vents = o->vents;
  return SCIARA_OK;
}

/** --rate and --duration. */
static enum sciara_status take_constant_rate(const struct sciara_arguments *a, struct order *o) {
  const char *rate = sciara_argument(a, "rate"), *duration = sciara_argument(a, "duration");
  double seconds;
  if (!rate)
    return sciara_fail(
        SCIARA_ERR_USAGE,
        "--rate is missing: the effusion rate of each vent, m3/s (or --rates FILE, a CSV file of rates)");
  if (!duration)
    return sciara_fail(SCIARA_ERR_USAGE, "--duration is missing: how long the vents emit, such as \"3 d\"");
  if (!sciara_parse_double(rate, &o->request.rate) || !(o->request.rate >= 0 && o->request.rate <= SCIARA_RATE_MAX))
    return sciara_fail(SCIARA_ERR_USAGE, "--rate: expected 0 to 1e6 m3/s, found \"%s\"", rate);
  if (!sciara_parse_duration(duration, &seconds) || !(seconds > 0))
    return sciara_fail(SCIARA_ERR_USAGE,
                       "--duration: expected a time above 0 such as \"6 h\", \"3 d\" or seconds; found \"%s\"",
                       duration);
  o->request.duration = duration;
  return SCIARA_OK;
}

static enum sciara_status take_rates(const struct sciara_arguments *a, struct order *o) {
  o->rates = sciara_argument(a, "rates");
  const char *other = sciara_argument(a, "rate") ? "rate" : sciara_argument(a, "duration") ? "duration" : NULL;
  if (!other && !o->rates && is_set(o, "vents")) return SCIARA_OK; // with the effusion of each
  if (!o->rates) return take_constant_rate(a, o);
  if (!other) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_USAGE, "--rates and --%s exclude each other: the file holds rates and times", other);
}

/** --until, and the start of the run for rates with dates unless it is given; both as overrides before all others. */
static enum sciara_status take_times(const struct sciara_arguments *a, struct order *o) {
  const char *until = sciara_argument(a, "until");
  if (until) SCIARA_TRY(sciara_until_check(until));
  if (until) snprintf(o->until, sizeof o->until, "run.until=\"%.40s\"", until);
  if (o->rates && !is_set(o, "run.start") && !is_set(o, "run")) sciara_rates_csv_first_date(o->rates, o->first);
  if (*o->first) snprintf(o->start, sizeof o->start, "run.start=\"%s\"", o->first);
  return SCIARA_OK;
}

/** --front and --at. */
static enum sciara_status take_front(const struct sciara_arguments *a, struct order *o) {
  o->front = sciara_argument(a, "front");
  o->at = sciara_argument(a, "at");
  if (o->front && !o->at)
    return sciara_fail(SCIARA_ERR_USAGE,
                       "--at is missing: when the outline of --front was mapped, such as \"6 h\" or a "
                       "date if the rates have dates");
  if (o->at && !o->front) return sciara_fail(SCIARA_ERR_USAGE, "--at: allowed with --front FILE only");
  if (o->front && is_set(o, "initial.observed"))
    return sciara_fail(SCIARA_ERR_USAGE, "--front and --set initial.observed=... exclude each other");
  return SCIARA_OK;
}

/** --rule, as an override before all others; without it, and without --set of a rule or a preset, the advised one. */
static enum sciara_status take_rule(const struct sciara_arguments *a, struct order *o) {
  const char *name = sciara_argument(a, "rule");
  enum sciara_rule_kind rule = SCIARA_RULE_ADVISED;
  o->recommended = !name && !is_set(o, "model") && !is_set(o, "model.rule") && !is_set(o, "model.preset");
  if (name && !sciara_rule_find(name, &rule))
    return sciara_fail(SCIARA_ERR_USAGE, "--rule: expected a name of a rule, one of %s; found \"%s\"",
                       sciara_rule_list(), name);
  if (name || o->recommended) snprintf(o->rule, sizeof o->rule, "model.rule=\"%s\"", sciara_rule_name(rule));
  return SCIARA_OK;
}

static enum sciara_status take_order(const struct sciara_arguments *a, struct order *o) {
  SCIARA_TRY(take_lists(a, o));
  if (o->request.vent_count == 0 && !is_set(o, "vents"))
    return sciara_fail(
        SCIARA_ERR_USAGE,
        "--vent is missing: where lava comes out, as X,Y in the CRS of the DEM ('gdalinfo DEM' shows its "
        "extent), or --vent-lonlat LON,LAT; for a fissure --fissure X,Y,X,Y or --fissure-lonlat LON,LAT,LON,LAT");
  if (o->request.vent_count > 0 && is_set(o, "vents"))
    return sciara_fail(SCIARA_ERR_USAGE,
                       "--vent, --fissure and --set vents=... exclude each other: each gives the vents");
  SCIARA_TRY(take_rates(a, o));
  SCIARA_TRY(take_times(a, o));
  SCIARA_TRY(take_front(a, o));
  SCIARA_TRY(take_rule(a, o));
  o->driver_count = sciara_arguments_all(a, "allow-driver", o->drivers);
  o->request.title = sciara_argument(a, "name");
  return SCIARA_OK;
}

/** NAME.json in the current folder for any/where/NAME.tif. */
static char *default_output(const char *dem) {
  const char *name = sciara_path_name(dem);
  return sciara_format("%.*s.json", (int)sciara_path_stem(name), name);
}

/** JSON is UTF-8: it cannot contain a file name in another encoding. */
static enum sciara_status check_utf8(const char *what, const char *text) {
  if (!text || sciara_is_utf8(text)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_USAGE, "%s: expected UTF-8, found \"%s\"", what, text);
}

/** "file:///usr/share/a%20b": editors find the file by this URL, wherever the scenario is moved. */
static enum sciara_status append_file_url(const char *path, struct sciara_text *out) {
  char *real = realpath(path, NULL);
  enum sciara_status status = real ? sciara_text_append(out, "file://") : SCIARA_OK;
  for (const char *c = real; c && *c && status == SCIARA_OK; c++) {
    const bool plain = isalnum((unsigned char)*c) || strchr("/-._~", *c);
    status = plain ? sciara_text_append_bytes(out, c, 1) : sciara_text_append(out, "%%%02X", (unsigned char)*c);
  }
  free(real);
  return status;
}

/** The URL of a schema that comes with the program; empty if it is not installed. */
static enum sciara_status find_schema(const char *name, struct sciara_text *url) {
  char *path;
  SCIARA_TRY(sciara_bundled_find(name, &path));
  const enum sciara_status status = path ? append_file_url(path, url) : SCIARA_OK;
  free(path);
  return status;
}

/** A path as written in a scenario in `folder`; release *relative with free. An absolute path stays absolute. */
static enum sciara_status relate(const char *what, const char *path, const char *folder, char **relative,
                                 const char **out) {
  SCIARA_TRY(check_utf8(what, path));
  if (*path != '/') SCIARA_TRY(sciara_path_relative(folder, path, relative));
  *out = *relative ? *relative : path;
  return SCIARA_OK;
}

/** The value of initial.observed for --front and --at, as an override; release *out with free. */
static enum sciara_status observed_override(const struct order *o, const char *folder, char **out) {
  char *relative = NULL, *text = NULL;
  const char *outline = o->front;
  enum sciara_status status = relate("--front", o->front, folder, &relative, &outline);
  cJSON *observed = status == SCIARA_OK ? cJSON_CreateObject() : NULL;
  const bool made =
      cJSON_AddStringToObject(observed, "outline", outline) && cJSON_AddStringToObject(observed, "time", o->at);
  if (made) text = cJSON_PrintUnformatted(observed);
  if (text) *out = sciara_format("initial.observed=%s", text);
  if (status == SCIARA_OK && !*out) status = sciara_no_memory("the key of an outline");
  cJSON_free(text);
  cJSON_Delete(observed);
  free(relative);
  return status;
}

/** The text of the scenario that will be written to `path`. */
static enum sciara_status compose(const char *dem, const char *path, struct order *o, struct sciara_text *text) {
  char *folder = NULL, *relative_dem = NULL, *relative_rates = NULL, *observed = NULL;
  const char *overrides[SCIARA_MOST_GIVEN + 4];
  size_t count = 0;
  struct sciara_text url = {0};
  enum sciara_status status;
  SCIARA_TRY_GOTO(check_utf8("--name", o->request.title));
  SCIARA_TRY_GOTO(find_schema("scenario.schema.json", &url));
  folder = sciara_path_folder(path);
  SCIARA_TRY_GOTO(folder ? SCIARA_OK : sciara_no_memory("a path"));
  SCIARA_TRY_GOTO(relate("DEM", dem, folder, &relative_dem, &o->request.dem));
  if (o->rates) SCIARA_TRY_GOTO(relate("--rates", o->rates, folder, &relative_rates, &o->request.rates));
  o->request.schema = url.data;
  if (*o->until) overrides[count++] = o->until;
  if (*o->start) overrides[count++] = o->start;
  if (*o->rule) overrides[count++] = o->rule;
  if (o->front) SCIARA_TRY_GOTO(observed_override(o, folder, &observed));
  if (observed) overrides[count++] = observed;
  for (size_t k = 0; k < o->override_count; k++) overrides[count++] = o->overrides[k];
  SCIARA_TRY_GOTO(sciara_scenario_default(&o->request, overrides, count, text));
cleanup:
  free(observed);
  free(relative_rates);
  free(relative_dem);
  free(folder);
  sciara_text_free(&url);
  return status;
}

/** The file does not exist yet, so a message "PATH: ..." names "the new scenario" instead. */
static void report_new(const char *path, const struct sciara_diagnostics *diagnostics) {
  const size_t length = strlen(path);
  for (size_t k = 0; k < diagnostics->kept; k++) {
    const char *sentence = diagnostics->sentence[k];
    const bool of_file = strncmp(sentence, path, length) == 0 && sentence[length] == ':';
    sciara_error("%s%s", of_file ? SCIARA_NEW_SCENARIO : "", of_file ? sentence + length : sentence);
  }
  if (diagnostics->count > diagnostics->kept) sciara_error("... and %zu more", diagnostics->count - diagnostics->kept);
}

/** The first fissure whose width no --set gives; vent_count: there is none. */
static size_t fissure_without_width(const struct order *o) {
  for (size_t k = 0; k < o->request.vent_count; k++) {
    char key[64], form[64];
    snprintf(key, sizeof key, "vents.%zu.width_m", k);
    snprintf(form, sizeof form, "vents[%zu].width_m", k);
    if (o->vents[k].count > 1 && !is_set(o, key) && !is_set(o, form)) return k;
  }
  return o->request.vent_count;
}

/** Gives the fissures the width of a cell. If the DEM cannot be read, the check will say so. */
static void choose_width(const char *path, const struct sciara_text *text, struct order *o) {
  struct sciara_problem problem;
  struct sciara_diagnostics diagnostics = {0};
  const struct sciara_problem_options how = {
      .extra_drivers = o->drivers, .extra_driver_count = o->driver_count, .stateless = true};
  const struct sciara_engine_ops *ops;
  if (sciara_problem_begin(&problem, &diagnostics)) {
    problem.source->scenario.alone = true;
    problem.source->scenario.notes = &sciara_no_notes;
    sciara_scenario_parse(path, text->data, text->length, NULL, 0, &problem.source->scenario, &diagnostics);
  }
  sciara_problem_place_on_map(&problem, &how, &ops, &diagnostics);
  o->request.width = problem.grid.cell_size;
  sciara_problem_free(&problem);
  sciara_diagnostics_free(&diagnostics);
}

/** Checks the scenario like `sciara check` before it is written. Reports the problems and returns the exit code. */
static int check_draft(const char *path, const struct sciara_text *text, const struct order *o) {
  struct sciara_problem problem;
  struct sciara_diagnostics diagnostics = {0};
  const struct sciara_problem_options how = {.extra_drivers = o->drivers, .extra_driver_count = o->driver_count};
  if (sciara_problem_begin(&problem, &diagnostics))
    sciara_scenario_parse(path, text->data, text->length, NULL, 0, &problem.source->scenario, &diagnostics);
  sciara_problem_place(&problem, &how, &diagnostics);
  const int code = diagnostics.kept > 0 ? (int)diagnostics.first : sciara_report_all(&diagnostics);
  if (diagnostics.kept > 0) {
    report_new(path, &diagnostics);
    sciara_log(SCIARA_LOG_INFO, "%s is not written", path);
  }
  sciara_problem_free(&problem);
  sciara_diagnostics_free(&diagnostics);
  return code;
}

/** What the scenario has that no option gave. */
static void report_chosen(const struct order *o) {
  if (*o->first)
    sciara_log(SCIARA_LOG_INFO, "run.start is set to %s, the first date in %s; --set run.start=DATE gives another one",
               o->first, o->rates);
  if (o->request.width > 0)
    sciara_log(SCIARA_LOG_INFO, "a fissure is one cell wide, %.10g m; --set vents.%zu.width_m=W gives another width",
               o->request.width, fissure_without_width(o));
  if (o->recommended)
    sciara_log(SCIARA_LOG_INFO,
               "rule bingham: its preset, fitted to the outlines of two eruptions, matches them better than fv3 as "
               "published (docs/rules.md); --rule fv3 writes the other");
}

static int write_scenario(const char *dem, const char *path, bool overwrite, struct order *o) {
  struct sciara_text text = {0};
  enum sciara_status status = sciara_check_extension("output", path, (const char *const[]){"json", NULL});
  if (status == SCIARA_OK) status = sciara_refuse_existing(path, overwrite);
  if (status == SCIARA_OK) status = compose(dem, path, o, &text);
  if (status == SCIARA_OK && fissure_without_width(o) < o->request.vent_count) {
    choose_width(path, &text, o);
    sciara_text_free(&text);
    text = (struct sciara_text){0};
    status = compose(dem, path, o, &text);
  }
  int code = sciara_report(status);
  if (code == SCIARA_OK) code = check_draft(path, &text, o);
  if (code == SCIARA_OK) code = sciara_report(sciara_file_replace(path, text.data, text.length));
  if (code == SCIARA_OK) {
    char word[SCIARA_QUOTED_WORD];
    sciara_quoted_word(path, word);
    report_chosen(o);
    sciara_log(SCIARA_LOG_INFO, "next: 'sciara check %s' shows what the run will be, 'sciara run %s' runs it", word,
               word);
    sciara_print("%s\n", path);
  }
  sciara_text_free(&text);
  return code;
}

static int run_init(const struct sciara_arguments *arguments) {
  struct order order = {.override_count = 0};
  int code = sciara_report(take_order(arguments, &order));
  if (code != SCIARA_OK) return code;
  const char *dem = arguments->operand[0], *output = sciara_argument(arguments, "output");
  char *path = output ? sciara_format("%s", output) : default_output(dem);
  code = path ? write_scenario(dem, path, sciara_argument_given(arguments, "overwrite"), &order)
              : sciara_report(sciara_no_memory("a path"));
  free(path);
  return code;
}

const struct sciara_command sciara_cmd_init = {
    .name = "init",
    .summary = "write a scenario for a DEM, with every default written out",
    .operands = "DEM",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .details = "At least one vent or fissure is required, and --rate with --duration, or --rates. The scenario is "
               "checked like by 'sciara\n"
               "check' before it is written. Its path is printed; 'sciara run' can run it directly.\n"
               "A fissure is one cell wide; --set vents.0.width_m=W makes it wider. --set vents=[...] can replace "
               "these options.\n"
               "If the rates have dates, run.start becomes the first one unless --set run.start is given.\n"
               "With --front the outline holds what the vents have emitted until --at, unless the key "
               "initial.observed.volume_m3 is set.\nFor a forecast 'sciara ensemble init' varies the scenario.\n",
    .run = run_init,
};

// ---------------------------------------------------------------------------------------- a first ensemble of a scenario

static const struct sciara_option ensemble_options[] = {
    {"output", 'o', "FILE", "the ensemble file, a name in .json (required)"},
    {"members", 0, "N", "number of members (default: 40)"},
    {"assets", 0, "FILE", "places of which the ensemble tells the probability (result.sites)"},
    {"sets", 0, "FILE",
     "the parameters of the lava are those of the rows of this table, such as accepted.csv of a calibration"},
    {"dem-error", 0, "M", "standard deviation of the errors of the DEM, m (default: a quarter of a cell)"},
    {"overwrite", 0, NULL, "replace FILE if it exists"},
    {0},
};

/** The values of the command line. */
struct ensemble_order {
  const char *base, *path, *assets, *sets;
  bool scaled; ///< the sets have rate_scale
  int64_t members;
  double error; ///< m; 0: not given
};

static enum sciara_status take_ensemble(const struct sciara_arguments *a, struct ensemble_order *o) {
  const char *members = sciara_argument(a, "members"), *error = sciara_argument(a, "dem-error");
  *o = (struct ensemble_order){.base = a->operand[0],
                               .path = sciara_argument(a, "output"),
                               .assets = sciara_argument(a, "assets"),
                               .sets = sciara_argument(a, "sets"),
                               .members = 40};
  if (!o->path) return sciara_fail(SCIARA_ERR_USAGE, "--output is missing: the ensemble file to write");
  if (members && (!sciara_csv_size(members, &o->members) || o->members < 1))
    return sciara_fail(SCIARA_ERR_USAGE, "--members: expected a number of members above 0, found \"%s\"", members);
  if (error && !(sciara_parse_double(error, &o->error) && o->error > 0 && o->error <= 1000))
    return sciara_fail(SCIARA_ERR_USAGE, "--dem-error: expected metres above 0, at most 1000; found \"%s\"", error);
  SCIARA_TRY(sciara_check_extension("output", o->path, (const char *const[]){"json", NULL}));
  struct sciara_members sets = {0};
  const enum sciara_status status = o->sets ? sciara_members_read_table(o->sets, &sets) : SCIARA_OK;
  if (o->sets && status == SCIARA_OK)
    sciara_log(SCIARA_LOG_INFO, "%s: each member takes one of its %zu sets", o->sets, sets.count);
  o->scaled = status == SCIARA_OK && sciara_members_have_drawn(&sets, SCIARA_DRAWN_RATE_SCALE);
  sciara_members_free(&sets);
  SCIARA_TRY(status);
  return sciara_refuse_existing(o->path, sciara_argument_given(a, "overwrite"));
}

/** Says that a key varies, and puts it into `vary`: between factors of `value`, by a logarithmic uniform distribution. */
static bool vary_by(cJSON *vary, const char *key, double value, double low, double high, const char *why) {
  cJSON *item = sciara_json_put(vary, NULL, cJSON_CreateObject());
  const double range[] = {low * value, high * value};
  sciara_log(SCIARA_LOG_INFO, "%s varies from %.6g to %.6g: %s", key, range[0], range[1], why);
  return cJSON_AddStringToObject(item, "key", key) &&
         sciara_json_put(item, "log_uniform", cJSON_CreateDoubleArray(range, 2));
}

/** What is not known of the mapped lava with which the base begins. */
static bool put_observed(cJSON *vary, const struct sciara_scenario_spec *s) {
  const struct sciara_observed_spec *o = &s->observed;
  const char *much = "how much lava lies in the outline is seldom known better";
  const double coolest = 0.5 * (s->params.T_sol + s->params.T_vent);
  bool done = true;
  if (o->volume_m3 > 0) done = vary_by(vary, "initial.observed.volume_m3", o->volume_m3, 2.0 / 3, 1.5, much);
  if (o->thickness.given && !o->thickness.path)
    done = vary_by(vary, "initial.observed.thickness", o->thickness.value, 2.0 / 3, 1.5, much);
  if (o->outline && !o->temperature.given && !s->initial_checkpoint)
    done = done && vary_by(vary, "initial.observed.temperature", s->params.T_vent, coolest / s->params.T_vent, 1,
                           "the lava in the outline has cooled since it came out");
  return done;
}

/** What varies in a first ensemble: rates, mapped lava, its parameters, ground. */
static bool put_vary(cJSON *vary, const struct ensemble_order *o, const struct sciara_problem *p, double error) {
  bool done = o->scaled || vary_by(vary, "rate_scale", 1, 0.5, 2, "it multiplies all effusion rates");
  done = done && put_observed(vary, &p->source->scenario);
  const struct sciara_prior *prior = sciara_prior_of_rule(p->params.rule);
  if (!o->sets && prior) {
    sciara_log(
        SCIARA_LOG_INFO,
        "the parameters of the lava are drawn from prior %s, %s, and the sets that a calibration has accepted are "
        "better (--sets accepted.csv)",
        prior->name, prior->advice);
    done = done && cJSON_AddStringToObject(sciara_json_put(vary, NULL, cJSON_CreateObject()), "prior", prior->name);
  } else if (!o->sets && p->params.cooling > 0) {
    done = done && vary_by(vary, "model.cooling", p->params.cooling, 0.5, 2, "how fast the lava cools");
  }
  cJSON *ground = sciara_json_put(vary, NULL, cJSON_CreateObject());
  sciara_log(SCIARA_LOG_INFO,
             "elevation_error is %.6g m with a correlation length of %.6g m: replace them by those of your DEM", error,
             5 * p->grid.cell_size);
  return done && cJSON_AddStringToObject(ground, "key", "elevation_error") &&
         sciara_json_put(ground, "values", cJSON_CreateDoubleArray(&error, 1)) &&
         cJSON_AddNumberToObject(ground, "correlation_m", 5 * p->grid.cell_size);
}

/** Puts the last three of the usual times after the start before the end of the run; none if its end is not a time. */
static bool put_within(cJSON *result, const struct sciara_problem *p) {
  static const struct {
    const char *text;
    double hours;
  } usual[] = {{"6 h", 6}, {"12 h", 12}, {"24 h", 24}, {"2 d", 48}, {"3 d", 72}, {"7 d", 168}, {"14 d", 336}};
  const double span = sciara_limits_end(&p->run) - (p->state ? p->state->time : 0);
  size_t count = 0;
  while (count < sizeof usual / sizeof *usual && 3600 * usual[count].hours <= span) count++;
  if (p->run.until != SCIARA_UNTIL_TIME || count == 0) return true;
  cJSON *within = sciara_json_put(result, "within", cJSON_CreateArray());
  bool done = within != NULL;
  for (size_t k = count > 3 ? count - 3 : 0; done && k < count; k++)
    done = sciara_json_put(within, NULL, cJSON_CreateString(usual[k].text)) != NULL;
  return done;
}

/** Puts a path, as written in a file of `folder`. */
static enum sciara_status put_path(cJSON *object, const char *name, const char *what, const char *path,
                                   const char *folder) {
  char *relative = NULL;
  const char *written = path;
  enum sciara_status status = relate(what, path, folder, &relative, &written);
  if (status == SCIARA_OK && !cJSON_AddStringToObject(object, name, written))
    status = sciara_no_memory("an ensemble file");
  free(relative);
  return status;
}

static enum sciara_status compose_ensemble(const struct ensemble_order *o, const struct sciara_problem *p,
                                           struct sciara_text *text) {
  enum sciara_status status;
  struct sciara_text url = {0};
  char *folder = sciara_path_folder(o->path);
  const double zero = 0, error = o->error > 0 ? o->error : 0.25 * p->grid.cell_size;
  cJSON *root = folder ? cJSON_CreateObject() : NULL, *sample, *result;
  SCIARA_TRY_GOTO(find_schema("ensemble.schema.json", &url));
  if (url.length > 0) cJSON_AddStringToObject(root, "$schema", url.data);
  SCIARA_TRY_GOTO(root ? put_path(root, "base", "BASE", o->base, folder) : sciara_no_memory("an ensemble file"));
  cJSON *vary = sciara_json_put(root, "vary", cJSON_CreateArray());
  if (o->sets)
    SCIARA_TRY_GOTO(put_path(sciara_json_put(vary, NULL, cJSON_CreateObject()), "sets", "--sets", o->sets, folder));
  bool done = put_vary(vary, o, p, error);
  sample = sciara_json_put(root, "sample", cJSON_CreateObject());
  done = done && cJSON_AddStringToObject(sample, "method", "random") &&
         cJSON_AddNumberToObject(sample, "count", (double)o->members) && cJSON_AddNumberToObject(sample, "seed", 1);
  result = sciara_json_put(root, "result", cJSON_CreateObject());
  done = done && sciara_json_put(result, "thickness_m", cJSON_CreateDoubleArray(&zero, 1)) && put_within(result, p);
  if (!done) SCIARA_TRY_GOTO(sciara_no_memory("an ensemble file"));
  if (o->assets) {
    cJSON *site = sciara_json_put(sciara_json_put(result, "sites", cJSON_CreateArray()), NULL, cJSON_CreateObject());
    SCIARA_TRY_GOTO(put_path(site, "file", "--assets", o->assets, folder));
  }
  SCIARA_TRY_GOTO(sciara_json_print(root, text));
  SCIARA_TRY_GOTO(sciara_text_append(text, "\n"));
cleanup:
  sciara_text_free(&url);
  cJSON_Delete(root);
  free(folder);
  return status;
}

static int run_ensemble(const struct sciara_arguments *a) {
  struct ensemble_order order;
  struct sciara_problem problem = {0};
  struct sciara_diagnostics diagnostics = {0};
  struct sciara_text text = {0};
  int code = sciara_report(take_ensemble(a, &order));
  if (code != SCIARA_OK) return code;
  if (sciara_problem_begin(&problem, &diagnostics))
    sciara_scenario_read_all(order.base, NULL, 0, &sciara_no_notes, &problem.source->scenario, &diagnostics);
  sciara_problem_place(&problem, &(struct sciara_problem_options){.extra_driver_count = 0}, &diagnostics);
  code = sciara_report_all(&diagnostics);
  if (code == SCIARA_OK) code = sciara_report(compose_ensemble(&order, &problem, &text));
  if (code == SCIARA_OK) code = sciara_report(sciara_file_replace(order.path, text.data, text.length));
  if (code == SCIARA_OK) {
    char word[SCIARA_QUOTED_WORD];
    sciara_log(SCIARA_LOG_INFO, "next: 'sciara ensemble check %s' tells what it will take",
               sciara_quoted_word(order.path, word));
    sciara_print("%s\n", order.path);
  }
  sciara_text_free(&text);
  sciara_problem_free(&problem);
  sciara_diagnostics_free(&diagnostics);
  return code;
}

const struct sciara_command sciara_cmd_ensemble_init = {
    .name = "ensemble init",
    .summary = "write a first ensemble file for a scenario: what varies, and why",
    .operands = "BASE",
    .operand_min = 1,
    .operand_max = 1,
    .options = ensemble_options,
    .details =
        "Rates, mapped lava, the parameters of the lava and the errors of the DEM vary. Messages say how: "
        "change what you know better.\nThe times of the results count from the state with which the scenario begins.\n",
    .run = run_ensemble,
};
