// SPDX-License-Identifier: Apache-2.0
#include "app/bench_suite.h"

#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/bundled.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "bench/bench_scenes.h"
#include "file/durable.h"
#include "legacy/legacy_sciara.h"

#define NO_DRIVERS NULL, 0
#define VOLCANO "volcano", SCIARA_BENCH_BUNDLED, "volcano.json", NO_DRIVERS, 0
#define PLANE "plane", SCIARA_BENCH_BUNDLED, "plane.json", NO_DRIVERS, 0
#define ETNA "etna", SCIARA_BENCH_ETNA, NULL, NO_DRIVERS, 0
#define DENSE(size) "dense", SCIARA_BENCH_DENSE, NULL, NO_DRIVERS, size
#define SPARSE(size) "sparse", SCIARA_BENCH_SPARSE, NULL, NO_DRIVERS, size
#define TIGHT(size) "tight", SCIARA_BENCH_TIGHT, NULL, NO_DRIVERS, size

// Steps at the start, of the warm-up and of a repetition, and the interval of the records: the repetitions of a slow
// engine are shortened to it.
#define SMALL 1000, 5000, 500
#define FULL_SIZE                                                                                    \
  {                                                                                                  \
    {ETNA, 20000, SMALL}, {VOLCANO, 10000, SMALL}, {PLANE, 10000, SMALL}, {DENSE(4096), 0, 8, 8, 1}, \
        {TIGHT(16384), 0, 32, 64, 8}, {                                                              \
      SPARSE(16384), 0, 32, 64, 8                                                                    \
    }                                                                                                \
  }

static const struct sciara_bench_suite suites[] = {
    {"quick",
     0,
     0,
     0,
     0,
     {{ETNA, 1000, 32, 64, 32},
      {VOLCANO, 500, 32, 64, 32},
      {PLANE, 500, 32, 64, 32},
      {DENSE(192), 0, 4, 8, 4},
      {TIGHT(1024), 0, 16, 32, 16},
      {SPARSE(1024), 0, 16, 32, 16}}},
    {"cpu", SCIARA_CAN_DEVICE, 0, 0, 30, FULL_SIZE},
    {"gpu", 0, SCIARA_CAN_DEVICE, 480, 6, FULL_SIZE},
};

enum { SUITES = sizeof suites / sizeof *suites };

// --------------------------------------------------------------------------------------------------------------- names

static enum sciara_status unknown(const char *option, const char *found, const char *const *name, size_t count) {
  struct sciara_text allowed = {0};
  const char *closest = sciara_closest_name(found, name, count);
  for (size_t k = 0; k < count; k++) sciara_text_append(&allowed, "%s%s", k ? ", " : "", name[k]);
  const enum sciara_status status =
      closest ? sciara_fail(SCIARA_ERR_USAGE, "%s: expected one of %s; found \"%s\"; did you mean \"%s\"?", option,
                            allowed.data, found, closest)
              : sciara_fail(SCIARA_ERR_USAGE, "%s: expected one of %s; found \"%s\"", option, allowed.data, found);
  sciara_text_free(&allowed);
  return status;
}

enum sciara_status sciara_bench_suite_find(const char *name, const struct sciara_bench_suite **out) {
  const char *names[SUITES];
  for (size_t k = 0; k < SUITES; k++) {
    names[k] = suites[k].name;
    *out = &suites[k];
    if (strcmp(name, names[k]) == 0) return SCIARA_OK;
  }
  return unknown("--suite", name, names, SUITES);
}

enum sciara_status sciara_suite_case_find(const struct sciara_bench_suite *suite, const char *name,
                                          const struct sciara_suite_case **out) {
  const char *names[SCIARA_SUITE_CASES];
  for (size_t k = 0; k < SCIARA_SUITE_CASES; k++) {
    names[k] = suite->cases[k].name;
    *out = &suite->cases[k];
    if (strcmp(name, names[k]) == 0) return SCIARA_OK;
  }
  return unknown("--cases", name, names, SCIARA_SUITE_CASES);
}

// ----------------------------------------------------------------------------------------------------------- scenarios

/** `suite_case` NULL: a scenario that comes with the program. */
static enum sciara_status open_scenario(const char *path, const struct sciara_suite_case *suite_case,
                                        enum sciara_precision precision, struct sciara_problem *out) {
  const char *overrides[] = {"engine.name=\"serial\"",
                             precision == SCIARA_DOUBLE ? "engine.precision=\"double\"" : "engine.precision=\"single\"",
                             "run.until=\"solidified\""};
  const struct sciara_problem_options options = {.overrides = overrides,
                                                 .override_count = 3,
                                                 .extra_drivers = suite_case ? suite_case->extra_drivers : NULL,
                                                 .extra_driver_count = suite_case ? suite_case->extra_driver_count : 0};
  return sciara_problem_open(path, &options, out);
}

enum sciara_status sciara_bench_bundled_records(char **path) { return sciara_bundled_find("bench-records.csv", path); }

static enum sciara_status open_bundled(const char *name, enum sciara_precision precision, struct sciara_problem *out,
                                       char **left_out) {
  char *path;
  SCIARA_TRY(sciara_bundled_find(name, &path));
  const enum sciara_status status = path ? open_scenario(path, NULL, precision, out) : SCIARA_OK;
  if (!path) *left_out = sciara_format("config/%s is neither in this folder nor installed with the program", name);
  free(path);
  return status;
}

/** Imports the files of an earlier program into a folder that is removed again. */
static enum sciara_status open_legacy(const char *cfg, enum sciara_precision precision, struct sciara_problem *out) {
  static const char *const made[] = {"scenario.json", "dem.tif", "observed.tif"};
  const char *base = getenv("TMPDIR");
  char *folder = sciara_format("%s/sciara-bench-XXXXXX", base && *base ? base : "/tmp");
  if (!folder) return sciara_no_memory("a path");
  if (!mkdtemp(folder)) {
    const enum sciara_status status = sciara_fail(SCIARA_ERR_IO, "%s: cannot be created: %s", folder, strerror(errno));
    free(folder);
    return status;
  }
  const struct sciara_legacy_request request = {.cfg_path = cfg, .output_folder = folder, .overwrite = true};
  struct sciara_legacy_report report = {.rows = 0};
  enum sciara_status status = sciara_legacy_import(&request, &report);
  sciara_legacy_report_free(&report);
  char *path = NULL;
  if (status == SCIARA_OK) status = sciara_path_in(folder, made[0], &path);
  if (status == SCIARA_OK) status = open_scenario(path, NULL, precision, out);
  free(path);
  for (size_t k = 0; k < sizeof made / sizeof *made; k++) {
    path = sciara_path_join(folder, made[k]);
    if (path) unlink(path);
    free(path);
  }
  rmdir(folder);
  free(folder);
  return status;
}

static enum sciara_status open_etna(enum sciara_precision precision, struct sciara_problem *out, char **left_out) {
  const char *folder = getenv("SCIARA_ETNA2006");
  if (!folder || !*folder) {
    *left_out =
        sciara_format("SCIARA_ETNA2006 is not set to the folder with the files of the 2006 eruption (docs/data.md)");
    return SCIARA_OK;
  }
  char *pattern;
  SCIARA_TRY(sciara_path_in(folder, "*.cfg", &pattern));
  glob_t found;
  const bool any = glob(pattern, 0, NULL, &found) == 0;
  enum sciara_status status = SCIARA_OK;
  if (any)
    status = open_legacy(found.gl_pathv[0], precision, out);
  else
    *left_out = sciara_format("SCIARA_ETNA2006: %s: there is no such file", pattern);
  if (any) globfree(&found);
  free(pattern);
  return status;
}

// ----------------------------------------------------------------------------------------------------------- the whole

static enum sciara_status make_scene(enum sciara_scene scene, const struct sciara_suite_case *suite_case,
                                     enum sciara_precision precision, int states,
                                     const struct sciara_bench_candidate *candidate, size_t count,
                                     struct sciara_problem *out) {
  const struct sciara_grid grid = sciara_scene_grid(scene, suite_case->size);
  SCIARA_TRY(sciara_bench_fits(&grid, states, sciara_scene_liquid(scene, suite_case->size), candidate, count,
                               sciara_memory_available()));
  return sciara_scene_make(scene, suite_case->size, precision, out);
}

static enum sciara_status open_problem(const struct sciara_suite_case *suite_case, enum sciara_precision precision,
                                       int states, const struct sciara_bench_candidate *candidate, size_t count,
                                       struct sciara_problem *out, char **left_out) {
  switch (suite_case->source) {
    case SCIARA_BENCH_DENSE:
      return make_scene(SCIARA_SCENE_DENSE, suite_case, precision, states, candidate, count, out);
    case SCIARA_BENCH_SPARSE:
      return make_scene(SCIARA_SCENE_SPARSE, suite_case, precision, states, candidate, count, out);
    case SCIARA_BENCH_TIGHT:
      return make_scene(SCIARA_SCENE_TIGHT, suite_case, precision, states, candidate, count, out);
    case SCIARA_BENCH_ETNA: SCIARA_TRY(open_etna(precision, out, left_out)); break;
    case SCIARA_BENCH_BUNDLED: SCIARA_TRY(open_bundled(suite_case->file, precision, out, left_out)); break;
    case SCIARA_BENCH_SCENARIO: SCIARA_TRY(open_scenario(suite_case->file, suite_case, precision, out)); break;
  }
  if (!out->state) return SCIARA_OK;
  const size_t available = sciara_memory_available(), taken = sciara_state_memory(&out->grid, 0);
  return sciara_bench_fits(&out->grid, states, sciara_state_liquid_cells(out->state), candidate, count,
                           available ? available + taken : 0);
}

enum sciara_status sciara_suite_case_open(const struct sciara_suite_case *suite_case, enum sciara_precision precision,
                                          int states, const struct sciara_bench_candidate *candidate, size_t count,
                                          struct sciara_problem *out, char **left_out) {
  *out = (struct sciara_problem){0};
  *left_out = NULL;
  enum sciara_status status = open_problem(suite_case, precision, states, candidate, count, out, left_out);
  if (status == SCIARA_OK && out->state && suite_case->start > out->state->step)
    status = sciara_bench_advance(out, precision, suite_case->start);
  if (status == SCIARA_ERR_MEMORY) { // a case that does not fit does not affect the others
    *left_out = sciara_format("%s", sciara_last_error());
    status = SCIARA_OK;
  }
  if (status == SCIARA_OK && !*left_out && !out->state) status = sciara_no_memory("a text");
  if (status != SCIARA_OK || *left_out) sciara_problem_free(out);
  return status;
}

enum { MOST_THREADS = 1024 };

static bool take_count(const char *text, double least, double most, int *out) {
  double value;
  if (!sciara_parse_double(text, &value) || !(value >= least && value <= most) || value != floor(value)) return false;
  *out = (int)value;
  return true;
}

/** "threads=2", or an option of an engine such as "memory=shared" or "block=32x8". */
static enum sciara_status take_item(const char *item, struct sciara_bench_candidate *c, bool *threads_given) {
  static const char threads[] = "threads=";
  if (strncmp(item, threads, sizeof threads - 1) != 0) {
    if (sciara_engine_option_parse(item, &c->options) == SCIARA_OK) return SCIARA_OK;
    char why[640];
    snprintf(why, sizeof why, "%s", sciara_last_error());
    return sciara_fail(SCIARA_ERR_USAGE, "--engines: %s or threads=0 to %d", why, MOST_THREADS);
  }
  *threads_given = true;
  if (take_count(item + sizeof threads - 1, 0, MOST_THREADS, &c->threads)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_USAGE, "--engines: expected threads=0 to %d, found \"%s\"", MOST_THREADS, item);
}

static enum sciara_status add(struct sciara_bench_engines *e, const struct sciara_bench_candidate *c, bool parallel) {
  if (e->count == SCIARA_BENCH_MOST_ENGINES)
    return sciara_fail(SCIARA_ERR_USAGE, "--engines: found more than %d engines", SCIARA_BENCH_MOST_ENGINES);
  struct sciara_bench_candidate *out = &e->candidate[e->count++];
  *out = *c;
  if (!parallel) return SCIARA_OK;
  const size_t length = strlen(out->options_text);
  snprintf(out->options_text + length, sizeof out->options_text - length, "%sthreads=%d", length ? " " : "",
           out->threads);
  return SCIARA_OK;
}

/** Once for each number of threads, if the engine has threads and they are not given with its name. */
static enum sciara_status add_threads(struct sciara_bench_engines *e, struct sciara_bench_candidate *c,
                                      const char *threads, bool threads_given) {
  if (!(c->ops->capabilities & SCIARA_CAN_THREADS) && threads_given)
    return sciara_fail(SCIARA_ERR_USAGE, "engine \"%s\" has no option threads", c->ops->name);
  if (!(c->ops->capabilities & SCIARA_CAN_THREADS) || threads_given || !threads) return add(e, c, false);
  char *words = strdup(threads), *rest = words;
  enum sciara_status status = words ? SCIARA_OK : sciara_no_memory("an option");
  for (char *word = strsep(&rest, ","); status == SCIARA_OK && word; word = strsep(&rest, ",")) {
    if (take_count(word, 0, MOST_THREADS, &c->threads))
      status = add(e, c, true);
    else
      status = sciara_fail(SCIARA_ERR_USAGE,
                           "--threads: expected whole numbers from 0 to %d, separated by commas; found \"%s\"",
                           MOST_THREADS, word);
  }
  free(words);
  return status;
}

/** NAME[:KEY=VALUE]...; `word` is cut at the colons. */
static enum sciara_status add_named(struct sciara_bench_engines *e, char *word, const char *threads,
                                    enum sciara_precision precision) {
  struct sciara_bench_candidate c = {.threads = 0};
  bool threads_given = false;
  char *rest = word;
  const char *name = strsep(&rest, ":");
  SCIARA_TRY(sciara_engine_find(name, SCIARA_RULE_FV3, precision, &c.ops));
  for (const char *item = strsep(&rest, ":"); item; item = strsep(&rest, ":")) {
    const size_t length = strlen(c.options_text);
    SCIARA_TRY(take_item(item, &c, &threads_given));
    snprintf(c.options_text + length, sizeof c.options_text - length, "%s%s", length ? " " : "", item);
  }
  SCIARA_TRY(sciara_engine_options_check(c.ops, &c.options));
  return add_threads(e, &c, threads, threads_given);
}

static enum sciara_status add_all(struct sciara_bench_engines *e, const char *threads,
                                  const struct sciara_bench_suite *suite, struct sciara_bench_report *report) {
  size_t count;
  const struct sciara_engine_entry *list = sciara_engine_list(&count);
  for (size_t k = 0; k < count; k++) {
    struct sciara_bench_candidate c = {.threads = 0};
    if (sciara_engine_find(list[k].name, SCIARA_RULE_FV3, report->precision, &c.ops) == SCIARA_OK) {
      if (!(c.ops->capabilities & (SCIARA_FOR_TESTS | suite->without))) SCIARA_TRY(add_threads(e, &c, threads, false));
    } else if (report->absent_count < SCIARA_BENCH_MOST_ENGINES) {
      if (suite->without & SCIARA_CAN_DEVICE) continue; // what is not available is for GPUs
      sciara_log(SCIARA_LOG_INFO, "left out: %s", sciara_last_error());
      char *why = sciara_format("%s", sciara_last_error());
      if (!why) return sciara_no_memory("an option");
      report->absent[report->absent_count++] = (struct sciara_bench_absent){.engine = list[k].name, .why = why};
    }
  }
  return SCIARA_OK;
}

enum sciara_status sciara_bench_engines_choose(struct sciara_bench_engines *e, const char *list, const char *threads,
                                               const struct sciara_bench_suite *suite,
                                               struct sciara_bench_report *report) {
  e->count = 0;
  if (!list || strcmp(list, "all") == 0) {
    SCIARA_TRY(add_all(e, threads, suite, report));
  } else {
    char *words = strdup(list), *rest = words;
    enum sciara_status status = words ? SCIARA_OK : sciara_no_memory("an option");
    for (char *word = strsep(&rest, ","); status == SCIARA_OK && word; word = strsep(&rest, ","))
      status = add_named(e, word, threads, report->precision);
    free(words);
    SCIARA_TRY(status);
  }
  bool fit = suite->needs == 0;
  for (size_t k = 0; k < e->count; k++) fit = fit || e->candidate[k].ops->capabilities & suite->needs;
  if (fit) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_DEVICE,
                     "--suite %s: no engine for a GPU is available here ('sciara engines' shows why)", suite->name);
}
