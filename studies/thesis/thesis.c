// SPDX-License-Identifier: Apache-2.0
// Measurements that docs/validation.md compares with the SCIARA-fv3 thesis; studies/thesis-figures calls it.
//
//   sciara_thesis speedup SCENARIO REPEATS STEPS HOURS...   every CUDA strategy and serial on one core
//   sciara_thesis error SCENARIO STEP...                    how far rounding makes runs diverge
//
// Writes CSV on standard output.
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "setup/setup.h"
#include "verify/validate.h"

static const char *const precision_name[SCIARA_PRECISIONS] = {"double", "single", "fast math"};

static int fail(const char *message) {
  fprintf(stderr, "%s\n", message);
  return 1;
}

/** Altitudes are rounded to float in single precision, so a problem belongs to a precision. */
static enum sciara_status open_problem(const char *scenario, enum sciara_precision precision,
                                       struct sciara_problem *p) {
  const char *overrides[] = {"engine.name=\"serial\"",
                             precision == SCIARA_DOUBLE ? "engine.precision=\"double\"" : "engine.precision=\"single\"",
                             "run.until=\"solidified\""};
  const struct sciara_problem_options options = {.overrides = overrides, .override_count = 3};
  return sciara_problem_open(scenario, &options, p);
}

static enum sciara_precision on_host(enum sciara_precision precision) {
  return precision == SCIARA_DOUBLE ? SCIARA_DOUBLE : SCIARA_SINGLE_PRECISION;
}

// ------------------------------------------------------------------------------------------------------------- speedup

enum { MOST_REPEATS = 15, WARM_UP = 64 };

static const struct strategy {
  const char *engine;
  enum sciara_memory_path memory;
} strategies[] = {
    {"cuda-naive", SCIARA_MEMORY_GLOBAL},     {"cuda-naive", SCIARA_MEMORY_SHARED},
    {"cuda-rbb", SCIARA_MEMORY_GLOBAL},       {"cuda-rbb", SCIARA_MEMORY_SHARED},
    {"cuda-multi-rbb", SCIARA_MEMORY_GLOBAL}, {"cuda-multi-rbb", SCIARA_MEMORY_SHARED},
    {"cuda-lac", SCIARA_MEMORY_DEFAULT},      {"cuda-atomic", SCIARA_MEMORY_GLOBAL},
    {"cuda-atomic", SCIARA_MEMORY_SHARED},    {"cuda-lac-atomic", SCIARA_MEMORY_DEFAULT},
};

enum { STRATEGIES = sizeof strategies / sizeof strategies[0] };

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

struct timing {
  double median, fastest; ///< seconds of a repetition
  uint64_t checksum;
  uint64_t steps; ///< done
};

/** Several repetitions from `from`; the first steps of each are not timed. */
static enum sciara_status time_repetitions(const struct sciara_engine_ops *ops, const struct sciara_problem *p,
                                           enum sciara_memory_path memory, const struct sciara_state *from,
                                           uint64_t steps, int repeats, struct sciara_state *to, struct timing *out) {
  const struct sciara_engine_options options = {.memory = (int)memory};
  double seconds[MOST_REPEATS] = {0};
  for (int n = 0; n < repeats; n++) {
    struct sciara_runner r = {.ops = NULL};
    enum sciara_status status = sciara_runner_start(&r, ops, NULL, p, &options, from);
    if (status == SCIARA_OK) status = sciara_runner_go_to(&r, from->step + WARM_UP, INFINITY, to);
    r.compute_s = 0;
    if (status == SCIARA_OK) status = sciara_runner_go_to(&r, from->step + WARM_UP + steps, INFINITY, to);
    seconds[n] = r.compute_s;
    sciara_runner_end(&r);
    SCIARA_TRY(status);
  }
  qsort(seconds, (size_t)repeats, sizeof seconds[0], ascending);
  *out = (struct timing){.median = seconds[repeats / 2],
                         .fastest = seconds[0],
                         .checksum = sciara_state_checksum(to),
                         .steps = to->step - from->step - WARM_UP};
  return SCIARA_OK;
}

/** All strategies and serial, from one state. */
static enum sciara_status speedups_at(const struct sciara_problem *p, enum sciara_precision precision, double hours,
                                      int repeats, uint64_t steps, const struct sciara_state *from,
                                      struct sciara_state *to) {
  const struct sciara_engine_ops *serial;
  struct timing reference;
  SCIARA_TRY(sciara_engine_find("serial", SCIARA_RULE_FV3, on_host(precision), &serial));
  SCIARA_TRY(time_repetitions(serial, p, SCIARA_MEMORY_DEFAULT, from, steps, repeats, to, &reference));
  if (reference.steps != steps)
    return sciara_fail(SCIARA_ERR_INPUT, "nothing is liquid any more %" PRIu64 " steps after %g h", reference.steps,
                       hours);
  for (int k = 0; k < STRATEGIES; k++) {
    const struct sciara_engine_ops *ops;
    struct timing t;
    SCIARA_TRY(sciara_engine_find(strategies[k].engine, SCIARA_RULE_FV3, precision, &ops));
    SCIARA_TRY(time_repetitions(ops, p, strategies[k].memory, from, steps, repeats, to, &t));
    printf("%s,%g,%" PRIu64 ",%" PRId64 ",%s,%s,%" PRIu64 ",%.6f,%.6f,%.6f,%.3f,%s\n", precision_name[precision], hours,
           from->step, sciara_state_liquid_cells(from), strategies[k].engine,
           strategies[k].memory == SCIARA_MEMORY_SHARED ? "shared" : "global", steps, t.median, t.fastest,
           reference.median, reference.median / t.median, t.checksum == reference.checksum ? "same" : "other");
    fflush(stdout);
  }
  return SCIARA_OK;
}

static enum sciara_status speedup_in(const char *scenario, enum sciara_precision precision, int repeats, uint64_t steps,
                                     int count, char **hours) {
  static const struct sciara_engine_options none;
  struct sciara_problem p = {.state = NULL};
  struct sciara_runner pilot = {.ops = NULL};
  struct sciara_state *from = NULL, *to = NULL;
  const struct sciara_engine_ops *naive;
  enum sciara_status status = open_problem(scenario, precision, &p);
  if (status == SCIARA_OK) status = sciara_engine_find("cuda-naive", SCIARA_RULE_FV3, precision, &naive);
  if (status == SCIARA_OK) status = sciara_state_clone(p.state, &from);
  if (status == SCIARA_OK) status = sciara_state_clone(p.state, &to);
  if (status == SCIARA_OK) status = sciara_runner_start(&pilot, naive, NULL, &p, &none, p.state);
  for (int k = 0; status == SCIARA_OK && k < count; k++) {
    status = sciara_runner_go_to(&pilot, UINT64_MAX, 3600 * atof(hours[k]), from);
    if (status == SCIARA_OK) status = speedups_at(&p, precision, atof(hours[k]), repeats, steps, from, to);
  }
  sciara_runner_end(&pilot);
  sciara_state_destroy(from);
  sciara_state_destroy(to);
  sciara_problem_free(&p);
  return status;
}

static int speedup(int argc, char **argv) {
  const int repeats = argc > 4 ? atoi(argv[3]) : 0;
  const uint64_t steps = argc > 4 ? strtoull(argv[4], NULL, 10) : 0;
  if (argc < 6 || repeats < 1 || repeats > MOST_REPEATS || steps < 1)
    return fail("usage: sciara_thesis speedup SCENARIO REPEATS STEPS HOURS...");
  puts("precision,simulated_h,step,liquid_cells,engine,memory,steps,seconds,fastest_seconds,serial_seconds,speedup,"
       "bits");
  for (int precision = 0; precision < SCIARA_PRECISIONS; precision++)
    if (speedup_in(argv[2], (enum sciara_precision)precision, repeats, steps, argc - 5, argv + 5) != SCIARA_OK)
      return fail(sciara_last_error());
  return 0;
}

// --------------------------------------------------------------------------------------------------- growth of errors

/** A run whose states are compared with those of others. */
struct run {
  const char *label, *engine;
  const struct sciara_engine_ops *ops;
  enum sciara_scatter_order order; ///< of the control
  enum sciara_precision precision;
  bool absent; ///< not available here
  struct sciara_runner runner;
  struct sciara_state *state;
  enum sciara_status status;
  char *why;
  uint64_t step; ///< the step to go to
  pthread_t thread;
};

enum {
  SERIAL,
  SERIAL_SINGLE,
  ROWS,
  COLUMNS,
  ROWS_SINGLE,
  COLUMNS_SINGLE,
  GPU,
  GPU_SINGLE,
  GPU_FAST,
  ATOMIC,
  ATOMIC_2,
  ATOMIC_SINGLE,
  ATOMIC_SINGLE_2,
  LIST,
  LIST_2,
  LIST_SINGLE,
  LIST_SINGLE_2,
  RUNS
};

static struct run runs[RUNS] = {
    [SERIAL] = {.label = "serial, double", .engine = "serial"},
    [SERIAL_SINGLE] = {.label = "serial, single", .engine = "serial", .precision = SCIARA_SINGLE_PRECISION},
    [ROWS] = {.label = "serial scatter by rows, double", .engine = "scatter"},
    [COLUMNS] = {.label = "serial scatter by columns, double", .engine = "scatter", .order = SCIARA_SCATTER_COLUMNS},
    [ROWS_SINGLE] = {.label = "serial scatter by rows, single",
                     .engine = "scatter",
                     .precision = SCIARA_SINGLE_PRECISION},
    [COLUMNS_SINGLE] = {.label = "serial scatter by columns, single",
                        .engine = "scatter",
                        .order = SCIARA_SCATTER_COLUMNS,
                        .precision = SCIARA_SINGLE_PRECISION},
    [GPU] = {.label = "cuda-rbb, double", .engine = "cuda-rbb"},
    [GPU_SINGLE] = {.label = "cuda-rbb, single", .engine = "cuda-rbb", .precision = SCIARA_SINGLE_PRECISION},
    [GPU_FAST] = {.label = "cuda-rbb, fast math", .engine = "cuda-rbb", .precision = SCIARA_FAST_MATH},
    [ATOMIC] = {.label = "cuda-atomic, double", .engine = "cuda-atomic"},
    [ATOMIC_2] = {.label = "cuda-atomic, double, once more", .engine = "cuda-atomic"},
    [ATOMIC_SINGLE] = {.label = "cuda-atomic, single", .engine = "cuda-atomic", .precision = SCIARA_SINGLE_PRECISION},
    [ATOMIC_SINGLE_2] = {.label = "cuda-atomic, single, once more",
                         .engine = "cuda-atomic",
                         .precision = SCIARA_SINGLE_PRECISION},
    [LIST] = {.label = "cuda-lac-atomic, double", .engine = "cuda-lac-atomic"},
    [LIST_2] = {.label = "cuda-lac-atomic, double, once more", .engine = "cuda-lac-atomic"},
    [LIST_SINGLE] = {.label = "cuda-lac-atomic, single",
                     .engine = "cuda-lac-atomic",
                     .precision = SCIARA_SINGLE_PRECISION},
    [LIST_SINGLE_2] = {.label = "cuda-lac-atomic, single, once more",
                       .engine = "cuda-lac-atomic",
                       .precision = SCIARA_SINGLE_PRECISION},
};

static const struct {
  const char *question;
  int a, b;
} pairs[] = {
    {"exact engine and serial", SERIAL, GPU},
    {"exact engine and serial", SERIAL_SINGLE, GPU_SINGLE},
    {"run to run", ATOMIC, ATOMIC_2},
    {"run to run", ATOMIC_SINGLE, ATOMIC_SINGLE_2},
    {"run to run", LIST, LIST_2},
    {"run to run", LIST_SINGLE, LIST_SINGLE_2},
    {"atomics and serial", SERIAL, ATOMIC},
    {"atomics and serial", SERIAL, LIST},
    {"atomics and serial", SERIAL_SINGLE, ATOMIC_SINGLE},
    {"atomics and serial", SERIAL_SINGLE, LIST_SINGLE},
    {"float and double on the CPU", SERIAL, SERIAL_SINGLE},
    {"float and double on the GPU", GPU, GPU_SINGLE},
    {"fast math and double", SERIAL, GPU_FAST},
    {"fast math and float", SERIAL_SINGLE, GPU_FAST},
    {"control: two loops swapped", ROWS, COLUMNS},
    {"control: two loops swapped", ROWS_SINGLE, COLUMNS_SINGLE},
    {"control: scatter and gather", SERIAL, ROWS},
};

static void *advance_run(void *context) {
  struct run *r = (struct run *)context;
  r->status = sciara_runner_go_to(&r->runner, r->step, INFINITY, r->state);
  if (r->status != SCIARA_OK) r->why = sciara_format("%s: %s", r->label, sciara_last_error());
  return NULL;
}

static enum sciara_status start_runs(const char *scenario, struct sciara_problem problem[2]) {
  SCIARA_TRY(open_problem(scenario, SCIARA_DOUBLE, &problem[SCIARA_DOUBLE]));
  SCIARA_TRY(open_problem(scenario, SCIARA_SINGLE_PRECISION, &problem[SCIARA_SINGLE_PRECISION]));
  for (int k = 0; k < RUNS; k++) {
    struct run *r = &runs[k];
    const struct sciara_problem *p = &problem[on_host(r->precision)];
    const struct sciara_engine_options options = {.order = (int)r->order};
    if (sciara_engine_find(r->engine, SCIARA_RULE_FV3, r->precision, &r->ops) != SCIARA_OK) {
      fprintf(stderr, "left out: %s: %s\n", r->label, sciara_last_error());
      r->absent = true;
      continue;
    }
    SCIARA_TRY(sciara_state_clone(p->state, &r->state));
    SCIARA_TRY(sciara_runner_start(&r->runner, r->ops, NULL, p, &options, p->state));
  }
  return SCIARA_OK;
}

/** All at the same time, each in a thread of its own. */
static enum sciara_status advance_together(uint64_t step) {
  enum sciara_status status = SCIARA_OK;
  for (int k = 0; k < RUNS; k++) {
    runs[k].step = step;
    if (!runs[k].absent && pthread_create(&runs[k].thread, NULL, advance_run, &runs[k]) != 0)
      return sciara_fail(SCIARA_ERR_MEMORY, "no thread for %s", runs[k].label);
  }
  for (int k = 0; k < RUNS; k++) {
    if (runs[k].absent) continue;
    pthread_join(runs[k].thread, NULL);
    if (runs[k].status != SCIARA_OK) status = sciara_fail(runs[k].status, "%s", runs[k].why);
  }
  return status;
}

static void print_pairs(void) {
  for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++) {
    const struct run *a = &runs[pairs[k].a], *b = &runs[pairs[k].b];
    if (a->absent || b->absent) continue;
    const struct sciara_state_difference n = sciara_compare_states(a->state, b->state);
    printf("%s,\"%s\",\"%s\",%" PRIu64 ",%.1f,%.1f,%zu,%zu,%.3e,%.6f,%.6f,%.6f,%.6f,%.6f\n", pairs[k].question,
           a->label, b->label, a->state->step, a->state->time, b->state->time, n.covered, n.differing, n.max_absolute,
           n.covered_within[0], n.covered_within[1], n.covered_within[2], n.all_within[0], n.jaccard);
  }
  fflush(stdout);
}

static int error_growth(int argc, char **argv) {
  struct sciara_problem problem[2] = {{.state = NULL}, {.state = NULL}};
  if (argc < 4) return fail("usage: sciara_thesis error SCENARIO STEP...");
  puts("question,a,b,step,time_a_s,time_b_s,covered,differing,max_absolute_m,covered_within_10,covered_within_1,"
       "covered_within_1e9,all_within_10,jaccard");
  enum sciara_status status = start_runs(argv[2], problem);
  for (int k = 3; status == SCIARA_OK && k < argc; k++) {
    status = advance_together(strtoull(argv[k], NULL, 10));
    if (status == SCIARA_OK) print_pairs();
  }
  if (status != SCIARA_OK) fprintf(stderr, "%s\n", sciara_last_error());
  for (int k = 0; k < RUNS; k++) {
    sciara_runner_end(&runs[k].runner);
    sciara_state_destroy(runs[k].state);
    free(runs[k].why);
  }
  for (int k = 0; k < 2; k++) sciara_problem_free(&problem[k]);
  return status == SCIARA_OK ? 0 : 1;
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "speedup") == 0) return speedup(argc, argv);
  if (argc > 1 && strcmp(argv[1], "error") == 0) return error_growth(argc, argv);
  return fail("usage: sciara_thesis speedup|error SCENARIO ...");
}
