// SPDX-License-Identifier: Apache-2.0
// Cell-steps per second of an engine with batches: members of a scenario whose cooling, relaxation and rates are varied
// by 10 %, all at a time.
//
//   sciara_batch_bench SCENARIO STEPS MEMBERS[:THREADS]...
//
// SCENARIO  of the engine's precision and recorded fields
// STEPS     of each member; all start at the beginning of the eruption
// MEMBERS   number of slots; THREADS: of a block (default: as the engine chooses)
//
// First and last member are compared with engine openmp, all fields bit by bit; if one differs, no time is printed and
// the exit status is 1. SCIARA_BENCH_ENGINE: the engine (default cuda-batch).
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wallclock.h"
#include "setup/setup.h"
#include "sim/choose_engine.h"

struct bench {
  struct sciara_problem problem;
  const struct sciara_engine_ops *ops;
  enum sciara_precision precision;
  uint64_t steps;
};

/** The parameters and rates of a member; member 0 is the scenario itself. */
struct variation {
  struct sciara_params params;
  struct sciara_vents vents; ///< its `rate` is owned
};

/** Between 0.9 and 1.1, a fixed sequence. */
static double factor(size_t member, uint64_t which) {
  if (member == 0) return 1;
  uint64_t x = (4 * member + which + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
  return 0.9 + 0.2 * ((double)((x ^ x >> 32) >> 11) / 9007199254740992.0);
}

static enum sciara_status vary(const struct bench *b, size_t member, struct variation *out) {
  const struct sciara_vents *vents = b->problem.vents;
  out->params = b->problem.params;
  out->params.cooling *= factor(member, 0);
  out->params.relaxation *= factor(member, 1);
  out->vents = *vents;
  out->vents.rate = malloc((size_t)(vents->slots + 1) * sizeof *vents->rate);
  if (!out->vents.rate) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for the rates of a member");
  for (int64_t k = 0; k < vents->slots; k++) out->vents.rate[k] = vents->rate[k] * factor(member, 2);
  return SCIARA_OK;
}

static enum sciara_status load_all(const struct bench *b, void *batch, size_t members, double *seconds) {
  const double begin = sciara_wallclock();
  for (size_t k = 0; k < members; k++) {
    struct variation v;
    SCIARA_TRY(vary(b, k, &v));
    const enum sciara_status status = b->ops->slots->load(batch, (int)k, &v.params, &v.vents, b->problem.state, 0);
    free(v.vents.rate);
    SCIARA_TRY(status);
  }
  *seconds = sciara_wallclock() - begin;
  return SCIARA_OK;
}

/** Computes the member by engine openmp; SCIARA_ERR_INTERNAL if the checksums differ. */
static enum sciara_status verify(const struct bench *b, void *batch, size_t member) {
  struct sciara_state *state = NULL, *expected = NULL;
  const struct sciara_engine_ops *reference;
  struct variation v;
  struct sciara_engine_progress progress;
  const struct sciara_stop stop = {.steps = b->steps, .time = INFINITY, .max_wall_ms = 1000000000u};
  SCIARA_TRY(sciara_engine_find("openmp", SCIARA_RULE_FV3, b->precision, &reference));
  SCIARA_TRY(vary(b, member, &v));
  const struct sciara_engine_setup setup = {.params = &v.params, .vents = &v.vents, .boundary = b->problem.boundary};
  void *engine = NULL;
  enum sciara_status status = sciara_state_clone(b->problem.state, &state);
  if (status == SCIARA_OK) status = sciara_state_clone(b->problem.state, &expected);
  if (status == SCIARA_OK) status = reference->create(&setup, &engine);
  if (status == SCIARA_OK) status = reference->upload(engine, b->problem.state);
  if (status == SCIARA_OK) status = reference->advance(engine, &stop, &progress);
  if (status == SCIARA_OK) status = reference->download(engine, expected);
  if (status == SCIARA_OK) status = b->ops->slots->download(batch, (int)member, state);
  if (status == SCIARA_OK && sciara_state_checksum(state) != sciara_state_checksum(expected))
    status = sciara_fail(SCIARA_ERR_INTERNAL, "member %zu: checksum %016" PRIx64 ", expected %016" PRIx64, member,
                         sciara_state_checksum(state), sciara_state_checksum(expected));
  if (status == SCIARA_OK)
    printf("  member %zu: checksum %016" PRIx64 " as openmp, time %.12g s, clock %.10g s, %" PRId64 " liquid cells\n",
           member, sciara_state_checksum(state), state->time, state->clock, sciara_state_liquid_cells(state));
  if (engine) reference->destroy(engine);
  sciara_state_destroy(state);
  sciara_state_destroy(expected);
  free(v.vents.rate);
  return status;
}

/** Whether a slot has steps to do. An error of a slot is reported in *status. */
static bool has_more(const struct sciara_engine_progress *progress, size_t members, enum sciara_status *status) {
  bool more = false;
  for (size_t k = 0; k < members; k++) {
    if (progress[k].bad.step)
      *status =
          sciara_fail(SCIARA_ERR_NUMERIC, "member %zu: invalid numbers in step %" PRIu64, k, progress[k].bad.step);
    more |= progress[k].reason == SCIARA_STOP_WALL;
  }
  return more && *status == SCIARA_OK;
}

static enum sciara_status advance_all(const struct bench *b, void *batch, size_t members,
                                      struct sciara_engine_progress *progress, double *seconds) {
  struct sciara_stop *stops = calloc(members, sizeof *stops);
  if (!stops) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for %zu members", members);
  for (size_t k = 0; k < members; k++)
    stops[k] = (struct sciara_stop){.steps = b->steps, .time = INFINITY, .max_wall_ms = 500};
  const double begin = sciara_wallclock();
  enum sciara_status status;
  do {
    status = b->ops->slots->advance(batch, NULL, stops, progress);
  } while (status == SCIARA_OK && has_more(progress, members, &status));
  *seconds = sciara_wallclock() - begin;
  free(stops);
  return status;
}

static void print(const struct bench *b, size_t members, int threads, const double load_s[2], double seconds,
                  const struct sciara_engine_progress *progress) {
  uint64_t sum = 0, least = UINT64_MAX, most = 0;
  for (size_t k = 0; k < members; k++) {
    const uint64_t cells = progress[k].cell_steps;
    sum += cells;
    least = cells < least ? cells : least;
    most = cells > most ? cells : most;
  }
  printf("%zu members, threads %d (0: default), %" PRIu64 " steps: %.4g cell-steps in %.3f s: %.4g cell-steps/s, "
         "%.4g per slot (%.3g to %.3g cells a member), "
         "load %.2f ms a member, again %.2f ms\n",
         members, threads, b->steps, (double)sum, seconds, (double)sum / seconds,
         (double)sum / seconds / (double)members, (double)least / (double)b->steps, (double)most / (double)b->steps,
         1e3 * load_s[0] / (double)members, 1e3 * load_s[1] / (double)members);
}

static enum sciara_status measure_in(const struct bench *b, void *batch, size_t members, int threads,
                                     struct sciara_engine_progress *progress) {
  double seconds = 0, load_s[2]; // into new slots, and into freed ones
  SCIARA_TRY(load_all(b, batch, members, &load_s[0]));
  SCIARA_TRY(advance_all(b, batch, members, progress, &seconds));
  SCIARA_TRY(verify(b, batch, 0));
  if (members > 1) SCIARA_TRY(verify(b, batch, members - 1));
  for (size_t k = 0; k < members; k++) b->ops->slots->clear(batch, (int)k);
  SCIARA_TRY(load_all(b, batch, members, &load_s[1]));
  print(b, members, threads, load_s, seconds, progress);
  fflush(stdout);
  return SCIARA_OK;
}

static enum sciara_status measure(const struct bench *b, const char *what) {
  const char *colon = strchr(what, ':');
  const int members = atoi(what), threads = colon ? atoi(colon + 1) : 0;
  if (members < 1 || threads < 0) return sciara_fail(SCIARA_ERR_USAGE, "expected MEMBERS[:THREADS], found %s", what);
  const struct sciara_slots_setup setup = {.boundary = b->problem.boundary,
                                           .slots = members,
                                           .record = sciara_state_record(b->problem.state),
                                           .options = {.block_width = threads, .block_height = threads ? 1 : 0}};
  void *batch = NULL;
  struct sciara_engine_progress *progress = calloc((size_t)members, sizeof *progress);
  if (!progress) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for %d members", members);
  enum sciara_status status = b->ops->slots->create(&setup, &batch);
  if (status == SCIARA_OK) status = measure_in(b, batch, (size_t)members, threads, progress);
  if (batch) b->ops->slots->destroy(batch);
  free(progress);
  return status;
}

static enum sciara_status open_scenario(struct bench *b, const char *scenario) {
  const struct sciara_problem_options options = {.any_engine = true};
  const char *name = getenv("SCIARA_BENCH_ENGINE");
  SCIARA_TRY(sciara_problem_open(scenario, &options, &b->problem));
  b->precision = sciara_chosen_precision(&b->problem.engine);
  SCIARA_TRY(sciara_engine_find(name ? name : "cuda-batch", SCIARA_RULE_FV3, b->precision, &b->ops));
  if (!b->ops->slots) return sciara_fail(SCIARA_ERR_USAGE, "engine %s has no slots", b->ops->name);
  return SCIARA_OK;
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: sciara_batch_bench SCENARIO STEPS MEMBERS[:THREADS]...\n");
    return SCIARA_ERR_USAGE;
  }
  struct bench b = {.steps = strtoull(argv[2], NULL, 10)};
  enum sciara_status status = open_scenario(&b, argv[1]);
  for (int k = 3; k < argc && status == SCIARA_OK; k++) status = measure(&b, argv[k]);
  if (status != SCIARA_OK) fprintf(stderr, "%s\n", sciara_last_error());
  sciara_problem_free(&b.problem);
  return status == SCIARA_OK ? 0 : 1;
}
