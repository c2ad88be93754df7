// SPDX-License-Identifier: Apache-2.0
// How engine `openmp` gains from threads on the dense scene of `sciara bench`, beside a loop that works in registers
// alone and so gains what the machine has to give: fewer clocks with all cores busy and other programs are in both.
//
//   sciara_team_scaling SIZE STEPS REPEATS THREADS...      (such as: 1024 8 5 2 4 8)
//
// Loop and engine take turns, the fastest of each counts; `serial` does the steps too. The states must be the same
// bits, else the exit status is 1.
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/wallclock.h"
#include "engine/engine.h"
#include "sim/bench_scenes.h"

enum { MOST_TEAMS = 16, MOST_THREADS = 256, ROUNDS = 20000000, CHAINS = 8 };

struct team {
  int threads;
  double loop, engine; ///< fastest, s
};

/** Additions and multiplications that wait for nothing but registers. */
static void *work_in_registers(void *out) {
  double x[CHAINS];
  for (int k = 0; k < CHAINS; k++) x[k] = 1 + 0.1 * k;
  for (int n = 0; n < ROUNDS; n++)
    for (int k = 0; k < CHAINS; k++) x[k] = x[k] * 0.999999 + 1e-6;
  for (int k = 0; k < CHAINS; k++) *(double *)out += x[k];
  return NULL;
}

/** Each thread does the same; seconds until the last one is done. */
static double time_loop(int threads) {
  pthread_t thread[MOST_THREADS];
  double sum[MOST_THREADS] = {0};
  const double begin = sciara_wallclock();
  int started = 0;
  while (started < threads && pthread_create(&thread[started], NULL, work_in_registers, &sum[started]) == 0) started++;
  for (int k = 0; k < started; k++) pthread_join(thread[k], NULL);
  return started == threads ? sciara_wallclock() - begin : INFINITY;
}

/** Some steps of the engine, after one that lists the cells; the checksum of the state after them. */
static enum sciara_status time_engine(const struct sciara_problem *p, struct sciara_state *state, const char *name,
                                      int threads, uint64_t steps, double *seconds, uint64_t *checksum) {
  const struct sciara_engine_ops *ops;
  SCIARA_TRY(sciara_engine_find(name, SCIARA_DOUBLE, &ops));
  const struct sciara_engine_setup setup = {
      .params = &p->scenario.params, .vents = p->vents, .boundary = p->scenario.boundary, .threads = threads};
  struct sciara_engine_progress progress;
  struct sciara_stop stop = {.steps = 1, .time = INFINITY, .max_wall_ms = 600000};
  void *engine;
  SCIARA_TRY(ops->create(&setup, &engine));
  enum sciara_status status = ops->upload(engine, p->state);
  if (status == SCIARA_OK) status = ops->advance(engine, &stop, &progress);
  stop.steps += steps;
  const double begin = sciara_wallclock();
  if (status == SCIARA_OK) status = ops->advance(engine, &stop, &progress);
  *seconds = sciara_wallclock() - begin;
  if (status == SCIARA_OK) status = ops->download(engine, state);
  *checksum = status == SCIARA_OK ? sciara_state_checksum(state) : 0;
  ops->destroy(engine);
  return status;
}

static int fail(const char *message) {
  fprintf(stderr, "%s\n", message);
  return SCIARA_ERR_USAGE;
}

/** One round: serial, then each team does the loop and the steps. */
static int measure(const struct sciara_problem *p, struct sciara_state *state, uint64_t steps, struct team *team,
                   int teams, double *serial, uint64_t *reference) {
  double seconds;
  if (time_engine(p, state, "serial", 1, steps, &seconds, reference) != SCIARA_OK) return fail(sciara_last_error());
  if (seconds < *serial) *serial = seconds;
  for (int k = 0; k < teams; k++) {
    uint64_t checksum;
    const double loop = time_loop(team[k].threads);
    if (loop < team[k].loop) team[k].loop = loop;
    if (time_engine(p, state, "openmp", team[k].threads, steps, &seconds, &checksum) != SCIARA_OK)
      return fail(sciara_last_error());
    if (seconds < team[k].engine) team[k].engine = seconds;
    if (checksum == *reference) continue;
    fprintf(stderr, "%d threads: checksum %016" PRIx64 ", serial has %016" PRIx64 "\n", team[k].threads, checksum,
            *reference);
    return 1;
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 5 || argc - 3 > MOST_TEAMS) return fail("usage: sciara_team_scaling SIZE STEPS REPEATS THREADS...");
  struct team team[MOST_TEAMS] = {{.threads = 1, .loop = INFINITY, .engine = INFINITY}};
  const int teams = argc - 3, size = atoi(argv[1]), repeats = atoi(argv[3]);
  const uint64_t steps = strtoull(argv[2], NULL, 10);
  for (int k = 1; k < teams; k++) {
    team[k] = (struct team){.threads = atoi(argv[k + 3]), .loop = INFINITY, .engine = INFINITY};
    if (team[k].threads < 1 || team[k].threads > MOST_THREADS) return fail("a team has 1 to 256 threads");
  }
  if (size < 8 || size > 8192 || steps < 1 || repeats < 1) return fail("found no size (8 to 8192), steps or repeats");
  struct sciara_problem problem;
  struct sciara_state *state;
  if (sciara_scene_make(SCIARA_SCENE_DENSE, size, SCIARA_DOUBLE, &problem) != SCIARA_OK ||
      sciara_state_clone(problem.state, &state) != SCIARA_OK)
    return fail(sciara_last_error());
  uint64_t reference = 0;
  double serial = INFINITY;
  for (int n = 0; n < repeats; n++) {
    const int code = measure(&problem, state, steps, team, teams, &serial, &reference);
    if (code) return code;
  }
  const double cell_steps = (double)sciara_state_liquid_cells(problem.state) * (double)steps;
  printf("dense, %d x %d cells, %" PRIu64 " steps, %d repeats, checksum %016" PRIx64 "\n", size, size, steps, repeats,
         reference);
  printf("%8s %16s %12s %12s %8s\n", "threads", "ns a cell-step", "scaling", "of the loop", "share");
  printf("%8s %16.1f\n", "serial", 1e9 * serial / cell_steps);
  for (int k = 0; k < teams; k++) {
    const double scaling = team[0].engine / team[k].engine, loop = team[k].threads * team[0].loop / team[k].loop;
    printf("%8d %16.1f %12.3f %12.3f %8.3f\n", team[k].threads, 1e9 * team[k].engine / cell_steps, scaling, loop,
           scaling / loop);
  }
  sciara_state_destroy(state);
  sciara_problem_free(&problem);
  return 0;
}
