// SPDX-License-Identifier: Apache-2.0
// The program sciara-bench, as which `sciara bench` goes on.
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/command.h"
#include "app/common_options.h"
#include "app/messages.h"
#include "app/output.h"
#include "app/program.h"
#include "app/ranks.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/wallclock.h"
#include "bench/bench.h"
#include "bench/bench_report.h"
#include "bench/bench_scenes.h"
#include "file/durable.h"
#include "legacy/legacy_sciara.h"

// ----------------------------------------------------------------------------------------------------------- the suite

// What is measured: the cases, how each becomes a problem, and the engines with their options.

enum sciara_bench_source {
  SCIARA_BENCH_ETNA,     ///< the files that SCIARA_ETNA2006 names
  SCIARA_BENCH_BUNDLED,  ///< a scenario that comes with the program
  SCIARA_BENCH_SCENARIO, ///< a scenario that was given
  SCIARA_BENCH_DENSE,
  SCIARA_BENCH_SPARSE,
  SCIARA_BENCH_TIGHT,
};

struct sciara_suite_case {
  const char *name;
  enum sciara_bench_source source;
  const char *file;                 ///< file of a scenario
  const char *const *extra_drivers; ///< that may read the rasters of a scenario that was given
  size_t extra_driver_count;
  int64_t size;   ///< size of a scene
  uint64_t start; ///< steps before anything is measured
  uint64_t warm_up, steps;
  uint64_t every; ///< the steps that are multiples of it are recorded
};

enum { SCIARA_SUITE_CASES = 6 };

struct sciara_bench_suite {
  const char *name;
  unsigned without;      ///< engines with one of these capabilities are not among `all`
  unsigned needs;        ///< at least one engine with this capability must be available
  double seconds;        ///< no engine is started that would end later; 0: no limit
  double engine_seconds; ///< limit for all repetitions of an engine, if the results are recorded; 0: no limit
  struct sciara_suite_case cases[SCIARA_SUITE_CASES];
};

struct sciara_bench_engines {
  struct sciara_bench_candidate candidate[SCIARA_BENCH_MOST_ENGINES];
  size_t count;
};

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

static enum sciara_status unknown_benchmark(const char *option, const char *found, const char *const *name,
                                            size_t count) {
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

/** SCIARA_ERR_USAGE for an unknown name; the closest one is suggested. */
static enum sciara_status bench_suite_find(const char *name, const struct sciara_bench_suite **out) {
  const char *names[SUITES];
  for (size_t k = 0; k < SUITES; k++) {
    names[k] = suites[k].name;
    *out = &suites[k];
    if (strcmp(name, names[k]) == 0) return SCIARA_OK;
  }
  return unknown_benchmark("--suite", name, names, SUITES);
}

static enum sciara_status suite_case_find(const struct sciara_bench_suite *suite, const char *name,
                                          const struct sciara_suite_case **out) {
  const char *names[SCIARA_SUITE_CASES];
  for (size_t k = 0; k < SCIARA_SUITE_CASES; k++) {
    names[k] = suite->cases[k].name;
    *out = &suite->cases[k];
    if (strcmp(name, names[k]) == 0) return SCIARA_OK;
  }
  return unknown_benchmark("--cases", name, names, SCIARA_SUITE_CASES);
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

/**
 * Makes the problem of a case, at the step where the measurement starts. *left_out (malloc'd) is the reason if there is
 * none: a file of the suite is missing, or there is not enough memory for the states (sciara_bench_fits), which is
 * checked before any is allocated.
 */
static enum sciara_status suite_case_open(const struct sciara_suite_case *suite_case, enum sciara_precision precision,
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

static bool take_threads(const char *text, int *out) {
  double value;
  if (!sciara_parse_double(text, &value) || !(value >= 0 && value <= MOST_THREADS) || value != floor(value))
    return false;
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
  if (take_threads(item + sizeof threads - 1, &c->threads)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_USAGE, "--engines: expected threads=0 to %d, found \"%s\"", MOST_THREADS, item);
}

static enum sciara_status add_candidate(struct sciara_bench_engines *e, const struct sciara_bench_candidate *c,
                                        bool parallel) {
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
  if (!(c->ops->capabilities & SCIARA_CAN_THREADS) || threads_given || !threads) return add_candidate(e, c, false);
  char *words = strdup(threads), *rest = words;
  enum sciara_status status = words ? SCIARA_OK : sciara_no_memory("an option");
  for (char *word = strsep(&rest, ","); status == SCIARA_OK && word; word = strsep(&rest, ",")) {
    if (take_threads(word, &c->threads))
      status = add_candidate(e, c, true);
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

/**
 * Reads --engines (NULL: all) and --threads (NULL: 0). With `all`, engines that are not available are listed in the
 * report; an engine that is named must be available.
 */
static enum sciara_status bench_engines_choose(struct sciara_bench_engines *e, const char *list, const char *threads,
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

static void print_head(const struct sciara_bench_case *c) {
  sciara_print("%s: %" PRId64 " x %" PRId64 " cells, %" PRId64
               " of them liquid, %s precision; %d repetitions from step %" PRIu64 ", verified against %s\n",
               c->name, c->rows, c->cols, c->liquid_cells, sciara_precision_name(c->precision), c->repeats,
               c->first_step, c->recorded ? "records" : "serial");
  sciara_print("  %-16s %-14s %-8s %7s %7s %12s %12s %12s %9s %10s %9s %8s %8s\n", "engine", "options", "result",
               "warm-up", "steps", "us/step", "least", "most", "ns/cell", "Mcells/s", "speedup", "GPU GB", "peak GB");
}

/** Printed after the result, never before it. */
static void bench_print_row(void *context, const struct sciara_bench_case *c, const struct sciara_bench_row *row) {
  (void)context;
  if (row == c->row) print_head(c);
  sciara_print("  %-16s %-14s %-8s", row->candidate.ops->name,
               *row->candidate.options_text ? row->candidate.options_text : "-", sciara_bench_result_name(row->result));
  if (row->result == SCIARA_BENCH_VERIFIED)
    sciara_print(" %7" PRIu64 " %7" PRIu64 " %12.5g %12.5g %12.5g %9.4g %10.5g %9.4g %8.3f %8.3f\n", row->warm_up,
                 row->steps, row->us_per_step.median, row->us_per_step.least, row->us_per_step.most,
                 row->ns_per_cell_step.median, 1e-6 * row->cell_steps_per_s, row->speedup, 1e-9 * (double)row->device,
                 1e-9 * (double)row->peak);
  else
    sciara_print(" %s\n", row->why ? row->why : "");
  sciara_output_flush();
}

static void print_scaling(const struct sciara_bench_case *c) {
  bool first = true;
  for (size_t n = 0; n < c->count; n++) {
    const struct sciara_bench_row *row = &c->row[n];
    if (row->scaling <= 0) continue;
    if (first)
      sciara_print("%s: scaling relative to the fewest threads, compared with a loop that stays in registers\n",
                   c->name);
    first = false;
    sciara_print("  %-16s %-14s %6.3f times, the loop %6.3f (%.4g operations/s): %.1f %%\n", row->candidate.ops->name,
                 row->candidate.options_text, row->scaling, row->loop_scaling, row->loop_per_s,
                 100 * row->scaling / row->loop_scaling);
  }
}

/**
 * The time of one case compared with another, and of several threads compared with one; prints nothing if neither was
 * measured.
 */
static void bench_print_ratios(const struct sciara_bench_report *r) {
  for (size_t k = 0; k < r->count; k++) print_scaling(&r->entry[k].measured);
  const struct sciara_bench_case *sparse = sciara_bench_case_find(r, "sparse");
  bool first = true;
  for (size_t n = 0; sparse && n < sparse->count; n++) {
    const double ratio = sciara_bench_sparse_over_tight(r, &sparse->row[n]);
    if (ratio <= 0) continue;
    if (first) sciara_print("sparse divided by tight, ns per cell-step\n");
    first = false;
    sciara_print("  %-16s %-14s %.3f\n", sparse->row[n].candidate.ops->name,
                 *sparse->row[n].candidate.options_text ? sparse->row[n].candidate.options_text : "-", ratio);
  }
}

enum { EXIT_FAILED = 1 };

struct job {
  struct sciara_bench_report report;
  struct sciara_bench_engines engines;
  const struct sciara_bench_suite *suite;
  struct sciara_suite_case cases[SCIARA_BENCH_MOST_CASES];
  size_t case_count;
  double until; ///< time by sciara_wallclock; 0: no limit
  double engine_seconds;
  struct sciara_bench_records records;
  const char *csv, *json;
  const char *record;                     ///< NULL: measure
  const char *drivers[SCIARA_MOST_GIVEN]; ///< --allow-driver
  size_t driver_count;
};

// ------------------------------------------------------------------------------------------------------------- options

/** Rejects a file that already exists, before anything is measured. The option has the name of the extension. */
static enum sciara_status take_file(const struct sciara_arguments *a, const char *option, const char **out) {
  *out = sciara_argument(a, option);
  if (!*out) return SCIARA_OK;
  SCIARA_TRY(sciara_check_extension(option, *out, (const char *const[]){option, NULL}));
  return sciara_refuse_existing(*out, sciara_argument_given(a, "overwrite"));
}

static enum sciara_status add_case(struct job *j, const struct sciara_suite_case *suite_case) {
  if (j->case_count == SCIARA_BENCH_MOST_CASES)
    return sciara_fail(SCIARA_ERR_USAGE, "more than %d cases", SCIARA_BENCH_MOST_CASES);
  j->cases[j->case_count++] = *suite_case;
  return SCIARA_OK;
}

static enum sciara_status take_cases(const struct sciara_arguments *a, struct job *j) {
  const char *list = sciara_argument(a, "cases");
  if (!list && a->operand_count == 0)
    for (size_t k = 0; k < SCIARA_SUITE_CASES; k++) SCIARA_TRY(add_case(j, &j->suite->cases[k]));
  char *words = list ? strdup(list) : NULL, *rest = words;
  enum sciara_status status = list && !words ? sciara_no_memory("an option") : SCIARA_OK;
  for (char *name = strsep(&rest, ","); status == SCIARA_OK && name; name = strsep(&rest, ",")) {
    const struct sciara_suite_case *suite_case;
    status = suite_case_find(j->suite, name, &suite_case);
    if (status == SCIARA_OK) status = add_case(j, suite_case);
  }
  free(words);
  for (size_t k = 0; status == SCIARA_OK && k < a->operand_count; k++) {
    struct sciara_suite_case suite_case = j->suite->cases[1]; // as many steps as the volcano
    suite_case.name = suite_case.file = a->operand[k];
    suite_case.source = SCIARA_BENCH_SCENARIO;
    suite_case.extra_drivers = j->drivers;
    suite_case.extra_driver_count = j->driver_count;
    status = add_case(j, &suite_case);
  }
  return status;
}

/**
 * The recorded results of serial: the file that is named, or the one that comes with the program, if it is installed.
 */
static enum sciara_status take_records(const struct sciara_arguments *a, struct job *j) {
  const char *file = sciara_argument(a, "records");
  char *bundled = NULL;
  if (sciara_argument_given(a, "no-records")) {
    if (file) return sciara_fail(SCIARA_ERR_USAGE, "--records and --no-records contradict each other");
    return SCIARA_OK;
  }
  if (file) return sciara_bench_records_read(file, &j->records);
  SCIARA_TRY(sciara_bundled_find("bench-records.csv", &bundled)); // NULL if it is not installed
  const enum sciara_status status = bundled ? sciara_bench_records_read(bundled, &j->records) : SCIARA_OK;
  if (!bundled) sciara_log(SCIARA_LOG_INFO, "there is no file of records: serial executes all steps");
  free(bundled);
  return status;
}

static enum sciara_status take_record(const struct sciara_arguments *a, struct job *j) {
  static const char *const others[] = {"engines", "threads", "records", "no-records", "seconds", "csv", "json"};
  j->record = sciara_argument(a, "record");
  if (!j->record) return SCIARA_OK;
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    if (sciara_argument_given(a, others[k]))
      return sciara_fail(SCIARA_ERR_USAGE, "--record and --%s contradict each other", others[k]);
  return access(j->record, F_OK) == 0 ? sciara_bench_records_read(j->record, &j->records) : SCIARA_OK;
}

static enum sciara_status take_bench_options(const struct sciara_arguments *a, struct job *j) {
  const char *suite = sciara_argument(a, "suite"), *precision = sciara_argument(a, "precision");
  double repeats = SCIARA_BENCH_LEAST_REPEATS, start = -1, warm_up = -1, steps = 0, seconds = -1;
  SCIARA_TRY(bench_suite_find(suite ? suite : "cpu", &j->suite));
  if (precision && strcmp(precision, "double") != 0 && strcmp(precision, "single") != 0)
    return sciara_fail(SCIARA_ERR_USAGE, "--precision: expected double or single, found \"%s\"", precision);
  const double least_repeats = sciara_argument_given(a, "record") ? 1 : SCIARA_BENCH_LEAST_REPEATS;
  SCIARA_TRY(
      sciara_take_whole("repeats", sciara_argument(a, "repeats"), least_repeats, SCIARA_BENCH_MOST_REPEATS, &repeats));
  SCIARA_TRY(sciara_take_whole("start", sciara_argument(a, "start"), 0, 0x1p53, &start));
  SCIARA_TRY(sciara_take_whole("warm-up", sciara_argument(a, "warm-up"), 0, 0x1p53, &warm_up));
  SCIARA_TRY(sciara_take_whole("steps", sciara_argument(a, "steps"), 1, 0x1p53, &steps));
  SCIARA_TRY(sciara_take_whole("seconds", sciara_argument(a, "seconds"), 0, 86400, &seconds));
  j->driver_count = sciara_arguments_all(a, "allow-driver", j->drivers);
  SCIARA_TRY(take_cases(a, j));
  j->report.suite = j->suite->name;
  j->report.repeats = (int)repeats;
  j->report.precision = precision && strcmp(precision, "single") == 0 ? SCIARA_SINGLE_PRECISION : SCIARA_DOUBLE;
  for (size_t k = 0; k < j->case_count; k++) {
    if (start >= 0) j->cases[k].start = (uint64_t)start;
    if (warm_up >= 0) j->cases[k].warm_up = (uint64_t)warm_up;
    if (steps > 0) j->cases[k].steps = (uint64_t)steps;
  }
  j->engine_seconds = seconds >= 0 ? seconds : j->suite->engine_seconds;
  SCIARA_TRY(take_record(a, j));
  if (j->record) return SCIARA_OK;
  SCIARA_TRY(take_records(a, j));
  SCIARA_TRY(bench_engines_choose(&j->engines, sciara_argument(a, "engines"), sciara_argument(a, "threads"), j->suite,
                                  &j->report));
  SCIARA_TRY(take_file(a, "csv", &j->csv));
  return take_file(a, "json", &j->json);
}

// -------------------------------------------------------------------------------------------------------------- output

/** Writes both files with what is known so far, so that an interrupted measurement leaves its cases. */
static enum sciara_status write_bench_files(const struct job *j) {
  struct sciara_text csv = {0}, json = {0};
  enum sciara_status status = SCIARA_OK;
  if (j->csv) status = sciara_bench_csv(&j->report, &csv);
  if (status == SCIARA_OK && j->csv) status = sciara_file_replace(j->csv, csv.data, csv.length);
  if (status == SCIARA_OK && j->json) status = sciara_bench_json(&j->report, &json);
  if (status == SCIARA_OK && j->json) status = sciara_file_replace(j->json, json.data, json.length);
  sciara_text_free(&csv);
  sciara_text_free(&json);
  return status;
}

// ----------------------------------------------------------------------------------------------------------- the whole

static enum sciara_status leave_out(struct sciara_bench_entry *entry, char *why) {
  entry->left_out = why;
  sciara_print("%s: left out: %s\n", entry->measured.name, why ? why : "no memory");
  return why ? SCIARA_OK : sciara_no_memory("a text");
}

static enum sciara_status measure(struct job *j, const struct sciara_suite_case *suite_case) {
  struct sciara_bench_entry *entry = &j->report.entry[j->report.count++];
  struct sciara_problem problem;
  *entry = (struct sciara_bench_entry){.measured = {.name = suite_case->name,
                                                    .precision = j->report.precision,
                                                    .warm_up = suite_case->warm_up,
                                                    .steps = suite_case->steps,
                                                    .every = suite_case->every,
                                                    .repeats = j->report.repeats,
                                                    .seconds = j->engine_seconds,
                                                    .records = &j->records,
                                                    .until = j->until,
                                                    .done = bench_print_row}};
  struct sciara_bench_case *c = &entry->measured;
  sciara_log(SCIARA_LOG_INFO, "%s: to step %" PRIu64 ", then %d %s", suite_case->name, suite_case->start,
             (int)j->engines.count, sciara_plural((uint64_t)j->engines.count, "engine", "engines"));
  if (j->until > 0 && sciara_wallclock() > j->until)
    entry->left_out = sciara_format("the time limit of the suite is reached");
  else
    SCIARA_TRY(suite_case_open(suite_case, c->precision, SCIARA_BENCH_STATES, j->engines.candidate, j->engines.count,
                               &problem, &entry->left_out));
  if (entry->left_out) return leave_out(entry, entry->left_out);
  c->problem = &problem;
  const enum sciara_status status = sciara_bench_measure(c, j->engines.candidate, j->engines.count);
  sciara_problem_free(&problem);
  c->problem = NULL;
  c->records = NULL;
  if (status != SCIARA_ERR_MEMORY) return status;
  sciara_bench_case_free(c); // less memory than predicted: there may be enough for the other cases
  return leave_out(entry, sciara_format("%s", sciara_last_error()));
}

/** Exit code of the measurement. */
static enum sciara_status judge(const struct sciara_bench_report *r, bool *failed) {
  size_t measured = 0;
  for (size_t k = 0; k < r->count; k++) {
    measured += r->entry[k].measured.count > 0;
    for (size_t n = 0; n < r->entry[k].measured.count; n++)
      *failed = *failed || r->entry[k].measured.row[n].result == SCIARA_BENCH_FAILED;
  }
  return measured > 0 ? SCIARA_OK : sciara_fail(SCIARA_ERR_INPUT, "no case could be measured");
}

/** Records one case: its earlier rows are replaced, the other rows of the file are unchanged. */
static enum sciara_status record(struct job *j, const struct sciara_suite_case *suite_case, size_t *recorded) {
  struct sciara_problem problem;
  struct sciara_bench_case c = {.name = suite_case->name,
                                .problem = &problem,
                                .precision = j->report.precision,
                                .warm_up = suite_case->warm_up,
                                .steps = suite_case->steps,
                                .every = suite_case->every,
                                .repeats = j->report.repeats};
  char *left_out;
  if (suite_case->source == SCIARA_BENCH_SCENARIO)
    return sciara_fail(SCIARA_ERR_USAGE, "--record: expected a case of a suite, found %s", suite_case->name);
  if (suite_case->warm_up % suite_case->every || suite_case->steps % suite_case->every)
    return sciara_fail(SCIARA_ERR_USAGE,
                       "--record: expected multiples of %" PRIu64 " for %s, found a warm-up of %" PRIu64
                       " and repetitions of %" PRIu64 " steps",
                       suite_case->every, suite_case->name, suite_case->warm_up, suite_case->steps);
  SCIARA_TRY(suite_case_open(suite_case, c.precision, 1, NULL, 0, &problem, &left_out));
  if (left_out) {
    sciara_print("%s: left out: %s\n", suite_case->name, left_out);
    free(left_out);
    return SCIARA_OK;
  }
  const double begin = sciara_wallclock();
  enum sciara_status status = sciara_bench_record(&c, &j->records);
  sciara_problem_free(&problem);
  if (status == SCIARA_OK) status = sciara_bench_records_write(&j->records, j->record);
  if (status != SCIARA_OK) return status;
  (*recorded)++;
  sciara_print("%s: recorded, %s precision, every %" PRIu64 " of %" PRIu64 " steps from step %" PRIu64 ", in %.1f s\n",
               suite_case->name, sciara_precision_name(c.precision), c.every, c.warm_up + (uint64_t)c.repeats * c.steps,
               c.first_step, sciara_wallclock() - begin);
  sciara_output_flush();
  return SCIARA_OK;
}

static enum sciara_status record_all(struct job *j) {
  size_t recorded = 0;
  SCIARA_TRY(sciara_bench_records_write(&j->records, j->record)); // fails now if the file cannot be written
  for (size_t k = 0; k < j->case_count; k++) SCIARA_TRY(record(j, &j->cases[k], &recorded));
  return recorded > 0 ? SCIARA_OK : sciara_fail(SCIARA_ERR_INPUT, "no case could be recorded");
}

static enum sciara_status bench(const struct sciara_arguments *arguments, struct job *j, bool *failed) {
  SCIARA_TRY(take_bench_options(arguments, j));
  if (j->record) return record_all(j);
  sciara_machine_describe(&j->report.machine);
  const struct sciara_machine *m = &j->report.machine;
  sciara_log(SCIARA_LOG_INFO, "sciara %s (%s), %s, %d cores, %s", m->version, m->git_hash, m->cpu, m->cores,
             m->has_gpu ? m->gpu.name : "no GPU");
  if (j->suite->seconds > 0) j->until = sciara_wallclock() + j->suite->seconds;
  SCIARA_TRY(write_bench_files(j)); // fails now if the file cannot be written
  for (size_t k = 0; k < j->case_count; k++) {
    SCIARA_TRY(measure(j, &j->cases[k]));
    SCIARA_TRY(write_bench_files(j));
  }
  bench_print_ratios(&j->report);
  return judge(&j->report, failed);
}

static enum sciara_status bench_comm(const struct sciara_arguments *arguments) {
  struct sciara_bench_comm row[SCIARA_BENCH_COMM_ROWS];
  struct sciara_comm *comm = sciara_ranks() ? sciara_ranks() : sciara_comm_null();
  if (arguments->given_count > 1 || arguments->operand_count > 0)
    return sciara_fail(SCIARA_ERR_USAGE, "--suite comm: expected no other options and no scenario");
  SCIARA_TRY(sciara_bench_comm(comm, row));
  sciara_print("%d ranks (%s), %d of them on this host\n", comm->size, comm->ops->name, comm->on_host);
  sciara_print("  %-8s %8s %10s %10s %10s\n", "what", "bytes", "us", "least", "most");
  for (int k = 0; k < SCIARA_BENCH_COMM_ROWS; k++)
    sciara_print("  %-8s %8zu %10.4g %10.4g %10.4g\n", row[k].what, row[k].bytes, row[k].us.median, row[k].us.least,
                 row[k].us.most);
  return SCIARA_OK;
}

static int run_bench(const struct sciara_arguments *arguments) {
  const char *suite = sciara_argument(arguments, "suite");
  if (suite && strcmp(suite, "comm") == 0) return sciara_report(bench_comm(arguments));
  if (sciara_ranks())
    return sciara_report(sciara_fail(SCIARA_ERR_USAGE,
                                     "'sciara bench' measures engines in one process, found %d; with "
                                     "several it has --suite comm",
                                     sciara_ranks()->size));
  struct job *j = calloc(1, sizeof *j);
  if (!j) return sciara_report(sciara_no_memory("a measurement"));
  bool failed = false;
  const int code = sciara_report(bench(arguments, j, &failed));
  sciara_bench_report_free(&j->report);
  sciara_bench_records_free(&j->records);
  free(j);
  return code == SCIARA_OK && failed ? EXIT_FAILED : code;
}

extern const struct sciara_command sciara_cmd_bench;
const struct sciara_command *const sciara_commands[] = {&sciara_cmd_bench, NULL};

int main(int argc, char **argv) {
  struct sciara_command here = sciara_cmd_bench;
  here.run = run_bench;
  const int code = sciara_program_begin(argc, argv);
  if (code != SCIARA_OK) return sciara_program_end(code);
  const int served = sciara_ranks_begin(&here);
  return sciara_program_end(served >= 0 ? served : sciara_ranks_end(sciara_command_run(&here, argc, argv)));
}
