// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/bench_engines.h"
#include "app/bench_suite.h"
#include "app/command.h"
#include "app/messages.h"
#include "base/log.h"
#include "base/text.h"
#include "base/wallclock.h"
#include "io/durable.h"
#include "sim/bench_report.h"

static const struct sciara_option options[] = {
    {"suite", 0, "quick|cpu|gpu", "the sizes of the cases; default cpu"},
    {"cases", 0, "LIST",
     "of etna, volcano, plane, dense, sparse, with commas; default: all, or none beside a SCENARIO"},
    {"engines", 0, "LIST",
     "NAME[:KEY=VALUE]... with commas, or all (the default); keys threads memory block boxes sort isa"},
    {"precision", 'p', "double|single", "precision of the fields; default double"},
    {"threads", 't', "LIST", "numbers of threads of engines that have threads; default 0: all cores"},
    {"repeats", 0, "N", "stretches that are timed, 5 to 99; default 5"},
    {"start", 0, "N", "steps before the measurement; default: of the suite"},
    {"steps", 'n', "N", "steps of a stretch; default: of the suite"},
    {"csv", 0, "FILE", "write the result as CSV"},
    {"json", 0, "FILE", "write the result and the machine as JSON"},
    {"overwrite", 0, NULL, "replace the files if they are there"},
    {0},
};

enum { EXIT_FAILED = 1 };

struct job {
  struct sciara_bench_report report;
  struct sciara_bench_engines engines;
  const struct sciara_bench_suite *suite;
  struct sciara_bench_plan plan[SCIARA_BENCH_MOST_CASES];
  size_t plans;
  double until; ///< by sciara_wallclock; 0: no limit
  const char *csv, *json;
};

// ------------------------------------------------------------------------------------------------------------- options

static enum sciara_status take_number(const struct sciara_arguments *a, const char *option, double least, double most,
                                      double *value) {
  const char *text = sciara_argument(a, option);
  if (!text || (sciara_parse_double(text, value) && *value >= least && *value <= most && *value == floor(*value)))
    return SCIARA_OK;
  if (most >= 0x1p53)
    return sciara_fail(SCIARA_ERR_USAGE, "--%s: found \"%s\", allowed a whole number >= %.0f", option, text, least);
  return sciara_fail(SCIARA_ERR_USAGE, "--%s: found \"%s\", allowed a whole number from %.0f to %.0f", option, text,
                     least, most);
}

/** A file that is there is refused before anything is measured. */
static enum sciara_status take_file(const struct sciara_arguments *a, const char *option, const char **out) {
  *out = sciara_argument(a, option);
  if (!*out || sciara_argument_given(a, "overwrite") || access(*out, F_OK) != 0) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: is there already; --overwrite replaces it", *out);
}

static enum sciara_status add_plan(struct job *j, const struct sciara_bench_plan *plan) {
  if (j->plans == SCIARA_BENCH_MOST_CASES)
    return sciara_fail(SCIARA_ERR_USAGE, "more than %d cases", SCIARA_BENCH_MOST_CASES);
  j->plan[j->plans++] = *plan;
  return SCIARA_OK;
}

static enum sciara_status take_cases(const struct sciara_arguments *a, struct job *j) {
  const char *list = sciara_argument(a, "cases");
  if (!list && a->operand_count == 0)
    for (size_t k = 0; k < SCIARA_BENCH_PLANS; k++) SCIARA_TRY(add_plan(j, &j->suite->plan[k]));
  char *words = list ? strdup(list) : NULL, *rest = words;
  enum sciara_status status = list && !words ? sciara_fail(SCIARA_ERR_MEMORY, "no memory for an option") : SCIARA_OK;
  for (char *name = strsep(&rest, ","); status == SCIARA_OK && name; name = strsep(&rest, ",")) {
    const struct sciara_bench_plan *plan;
    status = sciara_bench_plan_find(j->suite, name, &plan);
    if (status == SCIARA_OK) status = add_plan(j, plan);
  }
  free(words);
  for (size_t k = 0; status == SCIARA_OK && k < a->operand_count; k++) {
    struct sciara_bench_plan plan = j->suite->plan[1]; // as long as the volcano
    plan.name = plan.file = a->operand[k];
    plan.source = SCIARA_BENCH_SCENARIO;
    status = add_plan(j, &plan);
  }
  return status;
}

static enum sciara_status take_options(const struct sciara_arguments *a, struct job *j) {
  const char *suite = sciara_argument(a, "suite"), *precision = sciara_argument(a, "precision");
  double repeats = SCIARA_BENCH_LEAST_REPEATS, start = -1, steps = 0;
  SCIARA_TRY(sciara_bench_suite_find(suite ? suite : "cpu", &j->suite));
  if (precision && strcmp(precision, "double") != 0 && strcmp(precision, "single") != 0)
    return sciara_fail(SCIARA_ERR_USAGE, "--precision: found \"%s\", allowed double or single", precision);
  SCIARA_TRY(take_number(a, "repeats", SCIARA_BENCH_LEAST_REPEATS, SCIARA_BENCH_MOST_REPEATS, &repeats));
  SCIARA_TRY(take_number(a, "start", 0, 0x1p53, &start));
  SCIARA_TRY(take_number(a, "steps", 1, 0x1p53, &steps));
  SCIARA_TRY(take_cases(a, j));
  j->report.suite = j->suite->name;
  j->report.repeats = (int)repeats;
  j->report.precision = precision && strcmp(precision, "single") == 0 ? SCIARA_SINGLE_PRECISION : SCIARA_DOUBLE;
  for (size_t k = 0; k < j->plans; k++) {
    if (start >= 0) j->plan[k].start = (uint64_t)start;
    if (steps > 0) j->plan[k].steps = (uint64_t)steps;
  }
  SCIARA_TRY(sciara_bench_engines_choose(&j->engines, sciara_argument(a, "engines"), sciara_argument(a, "threads"),
                                         j->suite, &j->report));
  SCIARA_TRY(take_file(a, "csv", &j->csv));
  return take_file(a, "json", &j->json);
}

// -------------------------------------------------------------------------------------------------------------- output

static void print_head(const struct sciara_bench_case *c) {
  printf("%s: %" PRId64 " x %" PRId64 " cells, %" PRId64 " of them liquid, %s precision; %d stretches of %" PRIu64
         " steps from step %" PRIu64 "\n",
         c->name, c->rows, c->cols, c->liquid_cells, sciara_precision_name(c->precision), c->repeats, c->steps,
         c->first_step + c->warm_up);
  printf("  %-16s %-14s %-8s %12s %12s %12s %9s %10s %9s %8s %8s\n", "engine", "options", "verdict", "us/step", "least",
         "most", "ns/cell", "Mcells/s", "speedup", "GPU GB", "peak GB");
}

/** After the verdict, never before. */
static void print_row(void *context, const struct sciara_bench_case *c, const struct sciara_bench_row *row) {
  (void)context;
  if (row == c->row) print_head(c);
  printf("  %-16s %-14s %-8s", row->contender.ops->name,
         *row->contender.options_text ? row->contender.options_text : "-", sciara_bench_verdict_name(row->verdict));
  if (row->verdict == SCIARA_BENCH_VERIFIED)
    printf(" %12.5g %12.5g %12.5g %9.4g %10.5g %9.4g %8.3f %8.3f\n", row->us_per_step.median, row->us_per_step.least,
           row->us_per_step.most, row->ns_per_cell_step.median, 1e-6 * row->cell_steps_per_s, row->speedup,
           1e-9 * (double)row->device, 1e-9 * (double)row->peak);
  else
    printf(" %s\n", row->why ? row->why : "");
  fflush(stdout);
}

/** Both files, with what is known so far: a measurement that is cut short leaves its cases. */
static enum sciara_status write_files(const struct job *j) {
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
  printf("%s: left out: %s\n", entry->measured.name, why ? why : "no memory");
  return why ? SCIARA_OK : sciara_fail(SCIARA_ERR_MEMORY, "no memory for a text");
}

static enum sciara_status measure(struct job *j, const struct sciara_bench_plan *plan) {
  struct sciara_bench_entry *entry = &j->report.entry[j->report.count++];
  struct sciara_problem problem;
  *entry = (struct sciara_bench_entry){.measured = {.name = plan->name,
                                                    .precision = j->report.precision,
                                                    .warm_up = plan->warm_up,
                                                    .steps = plan->steps,
                                                    .repeats = j->report.repeats,
                                                    .until = j->until,
                                                    .done = print_row}};
  struct sciara_bench_case *c = &entry->measured;
  sciara_log(SCIARA_LOG_INFO, "%s: to step %" PRIu64 ", then %d engines", plan->name, plan->start,
             (int)j->engines.count);
  if (j->until > 0 && sciara_wallclock() > j->until)
    entry->left_out = sciara_format("the time of the suite is over");
  else
    SCIARA_TRY(
        sciara_bench_plan_open(plan, c->precision, j->engines.contender, j->engines.count, &problem, &entry->left_out));
  if (entry->left_out) return leave_out(entry, entry->left_out);
  c->problem = &problem;
  const enum sciara_status status = sciara_bench_measure(c, j->engines.contender, j->engines.count);
  sciara_problem_free(&problem);
  c->problem = NULL;
  if (status != SCIARA_ERR_MEMORY) return status;
  sciara_bench_case_free(c); // less memory than was foretold: the other cases may have enough
  return leave_out(entry, sciara_format("%s", sciara_last_error()));
}

/** Exit code of what was measured. */
static enum sciara_status judge(const struct sciara_bench_report *r, bool *failed) {
  size_t measured = 0;
  for (size_t k = 0; k < r->count; k++) {
    measured += r->entry[k].measured.count > 0;
    for (size_t n = 0; n < r->entry[k].measured.count; n++)
      *failed = *failed || r->entry[k].measured.row[n].verdict == SCIARA_BENCH_FAILED;
  }
  return measured > 0 ? SCIARA_OK : sciara_fail(SCIARA_ERR_INPUT, "no case could be measured");
}

static enum sciara_status bench(const struct sciara_arguments *arguments, struct job *j, bool *failed) {
  SCIARA_TRY(take_options(arguments, j));
  sciara_machine_describe(&j->report.machine);
  const struct sciara_machine *m = &j->report.machine;
  sciara_log(SCIARA_LOG_INFO, "sciara %s (%s), %s, %d cores, %s", m->version, m->git_hash, m->cpu, m->cores,
             m->has_gpu ? m->gpu.name : "no GPU");
  if (j->suite->seconds > 0) j->until = sciara_wallclock() + j->suite->seconds;
  SCIARA_TRY(write_files(j)); // what cannot be written shows now
  for (size_t k = 0; k < j->plans; k++) {
    SCIARA_TRY(measure(j, &j->plan[k]));
    SCIARA_TRY(write_files(j));
  }
  return judge(&j->report, failed);
}

static int run(const struct sciara_command *command, int argc, char **argv) {
  struct sciara_arguments arguments;
  bool failed = false;
  int code = sciara_arguments_parse(command, argc, argv, &arguments);
  if (code >= 0) return code;
  struct job *j = calloc(1, sizeof *j);
  if (!j) return sciara_report(sciara_fail(SCIARA_ERR_MEMORY, "no memory for a measurement"));
  code = sciara_report(bench(&arguments, j, &failed));
  sciara_bench_report_free(&j->report);
  free(j);
  return code == SCIARA_OK && failed ? EXIT_FAILED : code;
}

const struct sciara_command sciara_cmd_bench = {
    .name = "bench",
    .summary = "measure engines, each only after its result was verified",
    .operands = "[SCENARIO]...",
    .operand_max = 16,
    .options = options,
    .details =
        "Every engine does the same stretches of steps; serial is always among them. A time is told only of an engine "
        "whose last\n"
        "state has the checksum of serial's, or keeps the bounds of its class. Exit code 1: one did not.\n"
        "SCIARA_ETNA2006 names the folder of the files of the 2006 Etna eruption.\n",
    .run = run,
};
