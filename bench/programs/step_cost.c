// SPDX-License-Identifier: Apache-2.0
// The cost of a step: CPU time per liquid cell and step of each engine, compute only, as a ratio to `serial` in the same
// run.
//
//   sciara_step_cost SCENARIO STEPS REPEATS [ENGINE[:THREADS[:ISA]]]...      (default: serial openmp:1)
//
// The engines run alternately, so that changes in the speed of the machine affect all alike. The states must be
// bit-identical, otherwise no time is printed and the exit status is 1.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "setup/setup.h"

enum { MOST_ENGINES = 16, MOST_REPEATS = 101 };

struct candidate {
  const char *engine; ///< as given
  char *overrides[3];
  double cost[MOST_REPEATS]; ///< ns of CPU time per liquid cell and step
};

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void prepare(struct candidate *c, const char *engine) {
  const char *colon = strchr(engine, ':');
  c->engine = engine;
  c->overrides[0] = sciara_format("engine.name=\"%.*s\"", colon ? (int)(colon - engine) : (int)strlen(engine), engine);
  const char *threads = colon ? colon + 1 : "1", *isa = strchr(threads, ':');
  c->overrides[1] = sciara_format("engine.threads=%.*s", isa ? (int)(isa - threads) : (int)strlen(threads), threads);
  c->overrides[2] = sciara_format("engine.isa=%s", isa ? isa + 1 : "null");
}

/** One run from the start. */
static enum sciara_status measure(const char *scenario, uint64_t steps, const struct candidate *c, double *cost,
                                  uint64_t *checksum) {
  const struct sciara_problem_options options = {.overrides = (const char *const *)c->overrides, .override_count = 3};
  struct sciara_problem problem;
  struct sciara_simulation *s;
  SCIARA_TRY(sciara_problem_open(scenario, &options, &problem));
  SCIARA_TRY(sciara_simulation_create(&problem, false, &s));
  const struct sciara_advance_limit event = {.time = INFINITY, .step = steps};
  const double begin = cpu_seconds();
  enum sciara_status status = sciara_simulation_advance(s, &event);
  *cost = 1e9 * (cpu_seconds() - begin) / (double)s->progress.cell_steps;
  if (status == SCIARA_OK) status = sciara_simulation_sync(s);
  if (status == SCIARA_OK) *checksum = sciara_state_checksum(s->problem.state);
  sciara_simulation_destroy(s);
  return status;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int fail(const char *message) {
  fprintf(stderr, "%s\n", message);
  return SCIARA_ERR_USAGE;
}

int main(int argc, char **argv) {
  if (argc < 4) return fail("usage: sciara_step_cost SCENARIO STEPS REPEATS [ENGINE[:THREADS[:ISA]]]...");
  static struct candidate candidates[MOST_ENGINES];
  const char *preset[] = {"serial", "openmp:1"};
  const int count = argc > 4 ? argc - 4 : 2, repeats = atoi(argv[3]);
  const uint64_t steps = strtoull(argv[2], NULL, 10);
  if (count > MOST_ENGINES || repeats < 1 || repeats > MOST_REPEATS || steps < 1)
    return fail("too many engines, or no steps or repeats");
  for (int k = 0; k < count; k++) prepare(&candidates[k], argc > 4 ? argv[4 + k] : preset[k]);
  uint64_t reference = 0;
  for (int n = 0; n < repeats; n++)
    for (int k = 0; k < count; k++) {
      uint64_t checksum;
      if (measure(argv[1], steps, &candidates[k], &candidates[k].cost[n], &checksum) != SCIARA_OK)
        return fail(sciara_last_error());
      if (n == 0 && k == 0) reference = checksum;
      if (checksum != reference) {
        fprintf(stderr, "%s: checksum %016" PRIx64 ", %s has %016" PRIx64 "\n", candidates[k].engine, checksum,
                candidates[0].engine, reference);
        return 1;
      }
    }
  printf("%s, %" PRIu64 " steps, %d repeats, checksum %016" PRIx64 "\n", argv[1], steps, repeats, reference);
  printf("%-18s %12s %12s %12s %16s\n", "engine", "fastest ns", "median ns", "slowest ns", "fastest, ratio");
  for (int k = 0; k < count; k++) {
    qsort(candidates[k].cost, (size_t)repeats, sizeof(double), ascending);
    printf("%-18s %12.1f %12.1f %12.1f %16.3f\n", candidates[k].engine, candidates[k].cost[0],
           candidates[k].cost[repeats / 2], candidates[k].cost[repeats - 1],
           candidates[k].cost[0] / candidates[0].cost[0]);
    free(candidates[k].overrides[0]);
    free(candidates[k].overrides[1]);
    free(candidates[k].overrides[2]);
  }
  return 0;
}
