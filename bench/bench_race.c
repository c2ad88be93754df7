// SPDX-License-Identifier: Apache-2.0
#include "bench/bench_race.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/wallclock.h"
#include "sim/parallel.h"
#include "verify/validate.h"

/** A running engine. */
struct racer {
  const struct sciara_engine_ops *ops;
  void *engine;
  struct sciara_engine_progress progress;
  double (*clock)(void); ///< s
};

static enum sciara_status start(struct racer *r, const struct sciara_bench_case *c,
                                const struct sciara_bench_candidate *candidate) {
  const struct sciara_problem *p = c->problem;
  const struct sciara_engine_setup setup = {.params = &p->params,
                                            .vents = p->vents,
                                            .boundary = p->boundary,
                                            .threads = candidate->threads,
                                            .options = candidate->options};
  r->ops = candidate->ops;
  r->clock = c->clock ? c->clock : sciara_wallclock;
  SCIARA_TRY(r->ops->create(&setup, &r->engine));
  return r->ops->upload(r->engine, p->state);
}

/** Advances to a step; *seconds is the time that it took. */
static enum sciara_status go_to(struct racer *r, uint64_t step, double *seconds) {
  const struct sciara_stop stop = {.steps = step, .time = INFINITY, .solidified = true, .max_wall_ms = 600000};
  enum sciara_status status;
  const double begin = r->clock();
  do status = r->ops->advance(r->engine, &stop, &r->progress);
  while (status == SCIARA_OK && r->progress.reason == SCIARA_STOP_WALL);
  *seconds = r->clock() - begin;
  SCIARA_TRY(status);
  if (r->progress.step == step) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "stopped after step %" PRIu64 ", expected %" PRIu64 ": nothing is liquid any more",
                     r->progress.step, step);
}

// -------------------------------------------------------------------------------------------------------------- timing

static uint64_t at_most(uint64_t most, double value) { return value < (double)most ? (uint64_t)value : most; }

/**
 * The warm-up, which also measures how long a step takes. Its second part is used, without what an engine does once in
 * its first steps. Warm-up and repetitions are then shortened to the time that they may take.
 */
static enum sciara_status warm_up(struct racer *r, const struct sciara_bench_case *c, const struct sciara_race *race,
                                  struct sciara_bench_row *row) {
  double seconds;
  row->warm_up = race->warm_up;
  row->steps = race->steps;
  if (!(race->seconds > 0) || race->every == 0 || race->warm_up < 3 * race->every)
    return go_to(r, c->first_step + race->warm_up, &seconds);
  SCIARA_TRY(go_to(r, c->first_step + race->every, &seconds));
  SCIARA_TRY(go_to(r, c->first_step + 2 * race->every, &seconds));
  row->warm_up = 2 * race->every;
  uint64_t done = race->every;
  if (seconds / (double)done * (double)(race->warm_up - row->warm_up) * c->repeats <= race->seconds) {
    done = race->warm_up - row->warm_up;
    row->warm_up = race->warm_up;
    SCIARA_TRY(go_to(r, c->first_step + row->warm_up, &seconds));
  }
  row->steps = at_most(race->steps, race->seconds / c->repeats / seconds * (double)done);
  row->steps -= row->steps % race->every;
  if (row->steps < race->every) row->steps = race->every;
  return SCIARA_OK;
}

enum sciara_status sciara_bench_race(const struct sciara_bench_case *c, const struct sciara_race *race,
                                     struct sciara_bench_row *row, struct sciara_state *to) {
  struct racer r = {.engine = NULL};
  enum sciara_status status = start(&r, c, &row->candidate);
  if (status == SCIARA_OK) status = warm_up(&r, c, race, row);
  uint64_t step = c->first_step + row->warm_up;
  row->warm_up_cell_steps = r.progress.cell_steps;
  for (int n = 0; status == SCIARA_OK && n < c->repeats; n++) {
    const uint64_t before = r.progress.cell_steps;
    step += row->steps;
    status = go_to(&r, step, &row->seconds[n]);
    row->cell_steps[n] = r.progress.cell_steps - before;
  }
  if (status == SCIARA_OK) status = r.ops->download(r.engine, to);
  if (r.engine) r.ops->destroy(r.engine);
  return status;
}

// ---------------------------------------------------------------------------------------------------------- statistics

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

struct sciara_spread sciara_spread_of(const double *value, int count) {
  double sorted[SCIARA_BENCH_MOST_REPEATS];
  memcpy(sorted, value, (size_t)count * sizeof *sorted);
  qsort(sorted, (size_t)count, sizeof *sorted, ascending);
  return (struct sciara_spread){
      .median = 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]), .least = sorted[0], .most = sorted[count - 1]};
}

void sciara_bench_summarise(const struct sciara_bench_row *serial, int repeats, struct sciara_bench_row *row) {
  double us[SCIARA_BENCH_MOST_REPEATS] = {0}, ns[SCIARA_BENCH_MOST_REPEATS] = {0};
  double speedup[SCIARA_BENCH_MOST_REPEATS] = {0};
  for (int n = 0; n < repeats; n++) {
    us[n] = 1e6 * row->seconds[n] / (double)row->steps;
    ns[n] = 1e9 * row->seconds[n] / (double)row->cell_steps[n];
    speedup[n] = 1e9 * serial->seconds[n] / (double)serial->cell_steps[n] / ns[n];
  }
  row->us_per_step = sciara_spread_of(us, repeats);
  row->ns_per_cell_step = sciara_spread_of(ns, repeats);
  row->cell_steps_per_s = 1e9 / row->ns_per_cell_step.median;
  row->speedup = sciara_spread_of(speedup, repeats).median;
}

// ----------------------------------------------------------------------------------------------------------- recording

static enum sciara_status record_row(const struct sciara_bench_case *c, const struct racer *r, uint64_t problem,
                                     struct sciara_bench_records *into) {
  struct sciara_state *s = c->problem->state;
  struct sciara_ledger ledger;
  SCIARA_TRY(r->ops->download(r->engine, s));
  sciara_ledger_form(s, sciara_rounding_in(c->problem, c->precision), &ledger);
  if (!sciara_ledger_closes(&ledger))
    return sciara_fail(SCIARA_ERR_NUMERIC, "the mass balance has a residual of %g m3 after step %" PRIu64,
                       ledger.residual_m3, s->step);
  struct sciara_bench_record row = {.rows = s->grid.rows,
                                    .cols = s->grid.cols,
                                    .start = c->first_step,
                                    .precision = c->precision,
                                    .problem = problem,
                                    .step = s->step,
                                    .cell_steps = r->progress.cell_steps,
                                    .clock = s->clock,
                                    .liquid_cells = sciara_state_liquid_cells(s),
                                    .residual = ledger.residual_m3,
                                    .checksum = sciara_checksum_in_parallel(s)};
  snprintf(row.name, sizeof row.name, "%s", c->name);
  if (row.step == c->first_step + c->every) sciara_bench_records_drop(into, &row);
  return sciara_bench_record_add(into, &row);
}

enum sciara_status sciara_bench_record(struct sciara_bench_case *c, struct sciara_bench_records *into) {
  c->first_step = c->problem->state->step;
  struct racer r = {.engine = NULL};
  struct sciara_bench_candidate serial = {.threads = 1};
  const uint64_t problem = sciara_bench_fingerprint(c->problem, c->precision);
  const uint64_t end = c->first_step + c->warm_up + (uint64_t)c->repeats * c->steps;
  SCIARA_TRY(sciara_engine_find("serial", c->problem->params.rule, c->precision, &serial.ops));
  enum sciara_status status = start(&r, c, &serial);
  double reported = sciara_wallclock(), seconds;
  for (uint64_t step = c->first_step + c->every; status == SCIARA_OK && step <= end; step += c->every) {
    status = go_to(&r, step, &seconds);
    if (status == SCIARA_OK) status = record_row(c, &r, problem, into);
    if (sciara_wallclock() - reported < 10) continue;
    reported = sciara_wallclock();
    sciara_log(SCIARA_LOG_INFO, "%s: step %" PRIu64 " of %" PRIu64, c->name, step, end);
  }
  if (r.engine) r.ops->destroy(r.engine);
  return status == SCIARA_OK ? status : sciara_fail_context(status, "%s: serial", c->name);
}
