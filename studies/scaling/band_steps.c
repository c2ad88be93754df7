// SPDX-License-Identifier: Apache-2.0
// The time of a step of one eruption on several ranks, on scenes made in memory (bench/bench_scenes.h), as CSV.
//
//   [mpirun -n P] sciara_band_steps REPEATS CASE...
//
// CASE  SCENE,SIZE,RULE,ENGINE,STEPS: dense|sparse|tight, rows, fv3|bingham, an engine with phases, steps of a repetition. One
//       thread a rank. A repetition before the first one is not counted. `checksum` of the state at the end is the same for
//       any number of ranks (model.py checks it). `exchange` is that of the ranks.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wallclock.h"
#include "bench/bench_scenes.h"
#include "engine/banded.h"
#include "scenario/scenario.h"

enum { MOST_REPEATS = 99 };

struct study_case {
  char scene[16], rule[16], engine[32];
  long long size, steps;
};

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static enum sciara_status open_scene(const struct study_case *c, struct sciara_problem *p) {
  static const char *const names[] = {"dense", "sparse", "tight"};
  enum sciara_rule_kind rule;
  for (int k = 0; k < 3; k++) {
    if (strcmp(names[k], c->scene) != 0) continue;
    SCIARA_TRY(sciara_scene_make((enum sciara_scene)k, c->size, SCIARA_DOUBLE, p));
    if (!sciara_rule_find(c->rule, &rule)) return sciara_fail(SCIARA_ERR_USAGE, "%s: no such rule", c->rule);
    if (rule != SCIARA_RULE_FV3) p->params = sciara_params_of_rule(rule);
    return SCIARA_OK;
  }
  return sciara_fail(SCIARA_ERR_USAGE, "%s: no such scene", c->scene);
}

/** Times the repetitions, s; *state is that after the last one. */
static enum sciara_status time_steps(const struct study_case *c, const struct sciara_engine_ops *ops, void *engine,
                                     int repeats, double *seconds, struct sciara_state *state) {
  struct sciara_engine_progress at;
  SCIARA_TRY(ops->upload(engine, state));
  for (int n = -1; n < repeats; n++) {
    const struct sciara_stop stop = {.steps = (uint64_t)(c->steps * (n + 2)), .time = INFINITY, .max_wall_ms = 1000000};
    const double begin = sciara_wallclock();
    SCIARA_TRY(ops->advance(engine, &stop, &at));
    if (n >= 0) seconds[n] = sciara_wallclock() - begin;
  }
  return ops->download(engine, state);
}

static enum sciara_status measure(const struct study_case *c, struct sciara_comm *comm, int repeats) {
  struct sciara_problem p = {0};
  const struct sciara_engine_ops *inner;
  void *engine = NULL;
  double seconds[MOST_REPEATS];
  enum sciara_status status = open_scene(c, &p);
  if (status == SCIARA_OK) status = sciara_engine_find(c->engine, p.params.rule, SCIARA_DOUBLE, &inner);
  if (status != SCIARA_OK) return status;
  const struct sciara_engine_ops ops = comm->size > 1 ? sciara_banded_ops(inner) : *inner;
  const struct sciara_engine_setup setup = {
      .params = &p.params, .vents = p.vents, .threads = 1, .comm = comm, .inner = inner};
  status = ops.create(&setup, &engine);
  if (status == SCIARA_OK) status = time_steps(c, &ops, engine, repeats, seconds, p.state);
  if (engine) ops.destroy(engine);
  if (status == SCIARA_OK) {
    qsort(seconds, (size_t)repeats, sizeof *seconds, ascending);
    const double us = 1e6 / (double)c->steps;
    printf("%s,%lld,%s,%s,double,%d,%s,%" PRId64 ",%" PRId64 ",%lld,%.6g,%.6g,%lld,%016" PRIx64 "\n", c->scene, c->size,
           c->rule, c->engine, comm->size, comm->size > 1 ? "mpi" : "-", p.grid.cols,
           sciara_state_liquid_cells(p.state), c->steps, us * seconds[repeats / 2], us * seconds[0],
           c->steps * (repeats + 1), sciara_state_checksum(p.state));
    fflush(stdout);
  }
  sciara_problem_free(&p);
  return status;
}

static enum sciara_status measure_all(struct sciara_comm *comm, int argc, char **argv) {
  const int repeats = argc > 1 ? atoi(argv[1]) : 0;
  if (repeats < 1 || repeats > MOST_REPEATS)
    return sciara_fail(SCIARA_ERR_USAGE, "expected 1 to %d repeats", MOST_REPEATS);
  printf("scene,size,rule,engine,precision,ranks,exchange,cols,cells,steps,us_median,us_least,step,checksum\n");
  for (int k = 2; k < argc; k++) {
    struct study_case c;
    if (sscanf(argv[k], "%15[a-z],%lld,%15[a-z0-9],%31[a-z-],%lld", c.scene, &c.size, c.rule, c.engine, &c.steps) != 5)
      return sciara_fail(SCIARA_ERR_USAGE, "%s: expected SCENE,SIZE,RULE,ENGINE,STEPS", argv[k]);
    SCIARA_TRY(measure(&c, comm, repeats));
  }
  return SCIARA_OK;
}

int main(int argc, char **argv) {
  int rank;
  struct sciara_comm *comm = sciara_comm_null();
  enum sciara_status status = sciara_comm_launched(&rank) > 1 ? sciara_comm_mpi(&comm) : SCIARA_OK;
  if (status != SCIARA_OK) {
    fprintf(stderr, "%s\n", sciara_last_error());
    return (int)status;
  }
  if (comm->rank > 0) {
    status = sciara_banded_serve(comm);
  } else {
    sciara_scenario_declare_options(sciara_engine_settings());
    status = measure_all(comm, argc, argv);
    if (status != SCIARA_OK) fprintf(stderr, "%s\n", sciara_last_error());
    const enum sciara_status ended = sciara_banded_dismiss(comm);
    if (status == SCIARA_OK) status = ended;
  }
  comm->ops->close(comm, (int)status);
  return (int)status;
}
