// SPDX-License-Identifier: Apache-2.0
#include "sim/bench.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/wallclock.h"
#include "engine/active.h"
#include "engine/device_info.h"
#include "sim/machine.h"
#include "sim/runner.h"
#include "sim/validate.h"

enum { STATES = 3 }; // at the start, of serial at the end, of the engine at the end

static enum sciara_precision on_host(enum sciara_precision precision) {
  return precision == SCIARA_DOUBLE ? SCIARA_DOUBLE : SCIARA_SINGLE_PRECISION;
}

// -------------------------------------------------------------------------------------------------------------- memory

/** Bytes of the host that an engine takes: what it foretells, and records of the liquid cells as they grow by halves. */
static size_t host_memory(const struct sciara_engine_ops *ops, const struct sciara_grid *grid, int64_t liquid_cells) {
  const size_t records = (sizeof(struct sciara_donor) + sizeof(int64_t)) / 2 * 3 * (size_t)liquid_cells;
  size_t host = 0, device = 0;
  if (ops->memory) ops->memory(grid, 0, &host, &device);
  return ops->capabilities & SCIARA_CAN_DEVICE ? host : host + records;
}

enum sciara_status sciara_bench_fits(const struct sciara_grid *grid, int64_t liquid_cells,
                                     const struct sciara_contender *contender, size_t count, size_t available) {
  const struct sciara_engine_ops *serial;
  SCIARA_TRY(sciara_engine_find("serial", SCIARA_DOUBLE, &serial));
  size_t engine = host_memory(serial, grid, liquid_cells);
  for (size_t k = 0; k < count; k++) {
    const size_t host = host_memory(contender[k].ops, grid, liquid_cells);
    if (host > engine) engine = host;
  }
  const size_t need = STATES * sciara_state_memory(grid, 0) + engine;
  if (available == 0 || need <= available) return SCIARA_OK;
  return sciara_fail(
      SCIARA_ERR_MEMORY, "takes about %.3g GB of memory (%d states %.3g, the largest engine %.3g), %.3g GB are free",
      (double)need * 1e-9, STATES, (double)(need - engine) * 1e-9, (double)engine * 1e-9, (double)available * 1e-9);
}

/** Whether the GPU has room; false with the reason in the row. */
static bool fits_device(const struct sciara_bench_case *c, struct sciara_bench_row *row) {
  struct sciara_device_info gpu;
  const struct sciara_engine_ops *ops = row->contender.ops;
  row->memory_told = ops->memory != NULL;
  if (ops->memory) ops->memory(&c->problem->grid, 0, &row->host, &row->device);
  if (row->device == 0 || !sciara_device_describe(&gpu) || row->device <= gpu.free_memory) return true;
  row->why = sciara_format("takes %.3g GB of memory of the GPU, %.3g GB are free", (double)row->device * 1e-9,
                           (double)gpu.free_memory * 1e-9);
  return false;
}

// -------------------------------------------------------------------------------------------------------------- timing

/** An engine at work. */
struct racer {
  const struct sciara_engine_ops *ops;
  void *engine;
  struct sciara_engine_progress progress;
};

static enum sciara_status start(struct racer *r, const struct sciara_bench_case *c,
                                const struct sciara_contender *contender) {
  const struct sciara_problem *p = c->problem;
  const struct sciara_engine_setup setup = {.params = &p->scenario.params,
                                            .vents = p->vents,
                                            .boundary = p->scenario.boundary,
                                            .threads = contender->threads,
                                            .options = contender->options};
  r->ops = contender->ops;
  SCIARA_TRY(r->ops->create(&setup, &r->engine));
  return r->ops->upload(r->engine, p->state);
}

/** On to a step; *seconds is the time of it. */
static enum sciara_status go_to(struct racer *r, uint64_t step, double *seconds) {
  const struct sciara_stop stop = {.steps = step, .time = INFINITY, .solidified = true, .max_wall_ms = 600000};
  enum sciara_status status;
  const double begin = sciara_wallclock();
  do status = r->ops->advance(r->engine, &stop, &r->progress);
  while (status == SCIARA_OK && r->progress.reason == SCIARA_STOP_WALL);
  *seconds = sciara_wallclock() - begin;
  SCIARA_TRY(status);
  if (r->progress.step == step) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "stopped after step %" PRIu64 ", wanted %" PRIu64 ": nothing is liquid any more",
                     r->progress.step, step);
}

/** The warm-up and the stretches; the state after them goes to `to`. */
static enum sciara_status run_stretches(const struct sciara_bench_case *c, struct sciara_bench_row *row,
                                        struct sciara_state *to) {
  struct racer r = {.engine = NULL};
  uint64_t step = c->first_step + c->warm_up;
  double not_timed;
  enum sciara_status status = start(&r, c, &row->contender);
  if (status == SCIARA_OK) status = go_to(&r, step, &not_timed);
  for (int n = 0; status == SCIARA_OK && n < c->repeats; n++) {
    const uint64_t before = r.progress.cell_steps;
    step += c->steps;
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

static struct sciara_spread spread_of(const double *value, int count) {
  double sorted[SCIARA_BENCH_MOST_REPEATS];
  memcpy(sorted, value, (size_t)count * sizeof *sorted);
  qsort(sorted, (size_t)count, sizeof *sorted, ascending);
  return (struct sciara_spread){
      .median = 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]), .least = sorted[0], .most = sorted[count - 1]};
}

static void summarise(const struct sciara_bench_case *c, struct sciara_bench_row *row) {
  double us[SCIARA_BENCH_MOST_REPEATS] = {0}, ns[SCIARA_BENCH_MOST_REPEATS] = {0};
  double speedup[SCIARA_BENCH_MOST_REPEATS] = {0};
  for (int n = 0; n < c->repeats; n++) {
    us[n] = 1e6 * row->seconds[n] / (double)c->steps;
    ns[n] = 1e9 * row->seconds[n] / (double)row->cell_steps[n];
    speedup[n] = c->row[0].seconds[n] / row->seconds[n];
  }
  row->us_per_step = spread_of(us, c->repeats);
  row->ns_per_cell_step = spread_of(ns, c->repeats);
  row->cell_steps_per_s = 1e9 / row->ns_per_cell_step.median;
  row->speedup = spread_of(speedup, c->repeats).median;
}

// ---------------------------------------------------------------------------------------------------------- the verdict

static void refuse(struct sciara_bench_row *row, enum sciara_bench_verdict verdict, char *why) {
  row->verdict = verdict;
  if (row->why)
    free(why);
  else
    row->why = why;
  memset(row->seconds, 0, sizeof row->seconds);
  memset(row->cell_steps, 0, sizeof row->cell_steps);
}

/** By every rule of `sciara validate`. */
static void look_closely(const struct sciara_bench_case *c, const struct sciara_state *reference,
                         const struct sciara_state *found, struct sciara_bench_row *row) {
  const struct sciara_engine_ops *ops = row->contender.ops;
  struct sciara_verdict v = {.engine = ops->name, .determinism = ops->determinism, .passed = true};
  sciara_verdict_look(&v, reference, found, c->precision);
  if (!v.passed && v.first.row >= 0 && ops->determinism == SCIARA_EXACT && v.first.differing > 0)
    refuse(row, SCIARA_BENCH_FAILED,
           sciara_format("other bits than serial: %s in row %" PRId64 ", column %" PRId64 ", and in %zu cells in all",
                         v.first.field, v.first.row, v.first.col, v.first.differing));
  else if (!v.passed)
    refuse(row, SCIARA_BENCH_FAILED, sciara_format("%s", v.why ? v.why : "it did not pass"));
  free(v.why);
}

static void verify(const struct sciara_bench_case *c, const struct sciara_state *reference,
                   const struct sciara_state *found, struct sciara_bench_row *row) {
  row->compared = true;
  row->verdict = SCIARA_BENCH_VERIFIED; // until something is found
  row->checksum = sciara_state_checksum(found);
  const bool same = row->checksum == c->checksum, exact = row->contender.ops->determinism == SCIARA_EXACT;
  if (!exact || !same) look_closely(c, reference, found, row);
  if (exact && !same)
    refuse(row, SCIARA_BENCH_FAILED,
           sciara_format("checksum %016" PRIx64 ", serial has %016" PRIx64, row->checksum, c->checksum));
  for (int n = 0; n < c->repeats && row->verdict == SCIARA_BENCH_VERIFIED; n++) {
    const uint64_t expected = c->row[0].cell_steps[n], counted = row->cell_steps[n];
    if ((exact && counted != expected) || counted == 0)
      refuse(row, SCIARA_BENCH_FAILED,
             sciara_format("counts %" PRIu64 " cell-steps in stretch %d, serial counts %" PRIu64, counted, n + 1,
                           expected));
    else if (!(row->seconds[n] > 0))
      refuse(row, SCIARA_BENCH_FAILED, sciara_format("stretch %d is too short for the clock", n + 1));
  }
}

// ----------------------------------------------------------------------------------------------------------- the whole

/** What the engine before left must not pass for the result of one that fetches nothing. */
static void spoil(struct sciara_state *s) {
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++)
    if (s->kind[i] == SCIARA_CELL_INTERIOR) s->h[i] = s->z[i] = NAN; // elsewhere an engine may leave them alone
  s->time = s->clock = s->emitted = NAN;
  s->step = 0;
}

/** serial: what all others are held against. */
static enum sciara_status measure_reference(struct sciara_bench_case *c, struct sciara_state *reference) {
  struct sciara_bench_row *row = &c->row[0];
  fits_device(c, row);
  spoil(reference);
  sciara_peak_memory_reset();
  const enum sciara_status status = run_stretches(c, row, reference);
  if (status != SCIARA_OK) return sciara_fail_context(status, "%s: serial", c->name);
  row->peak = sciara_peak_memory();
  c->checksum = sciara_state_checksum(reference);
  verify(c, reference, reference, row);
  look_closely(c, reference, reference, row); // at its ledger, and for a NaN
  if (row->verdict != SCIARA_BENCH_VERIFIED)
    return sciara_fail(SCIARA_ERR_NUMERIC, "%s: serial: %s", c->name, row->why ? row->why : "its result is wrong");
  summarise(c, row);
  return SCIARA_OK;
}

static void measure_contender(struct sciara_bench_case *c, const struct sciara_state *reference,
                              struct sciara_state *found, struct sciara_bench_row *row) {
  if (!fits_device(c, row)) {
    refuse(row, SCIARA_BENCH_LEFT_OUT, NULL);
    return;
  }
  spoil(found);
  sciara_peak_memory_reset();
  const enum sciara_status status = run_stretches(c, row, found);
  row->peak = sciara_peak_memory();
  if (status != SCIARA_OK) {
    refuse(row, status == SCIARA_ERR_MEMORY ? SCIARA_BENCH_LEFT_OUT : SCIARA_BENCH_FAILED,
           sciara_format("%s", sciara_last_error()));
    return;
  }
  verify(c, reference, found, row);
  if (row->verdict == SCIARA_BENCH_VERIFIED) summarise(c, row);
}

static void measure_all(struct sciara_bench_case *c, const struct sciara_state *reference, struct sciara_state *found,
                        const struct sciara_contender *contender, size_t count, double slowest) {
  for (size_t k = 0; k < count; k++) {
    if (contender[k].ops == c->row[0].contender.ops) continue;
    struct sciara_bench_row *row = &c->row[c->count++];
    *row = (struct sciara_bench_row){.contender = contender[k]};
    const double begin = sciara_wallclock();
    if (c->until > 0 && begin + slowest > c->until)
      refuse(row, SCIARA_BENCH_LEFT_OUT, sciara_format("the time of the suite is over"));
    else
      measure_contender(c, reference, found, row);
    slowest = fmax(slowest, sciara_wallclock() - begin);
    if (c->done) c->done(c->context, c, row);
  }
}

enum sciara_status sciara_bench_measure(struct sciara_bench_case *c, const struct sciara_contender *contender,
                                        size_t count) {
  struct sciara_state *reference = NULL, *found = NULL;
  struct sciara_contender serial = {.ops = NULL};
  enum sciara_status status;
  c->row = NULL;
  c->count = 0;
  if (c->repeats < SCIARA_BENCH_LEAST_REPEATS || c->repeats > SCIARA_BENCH_MOST_REPEATS || c->steps < 1)
    return sciara_fail(SCIARA_ERR_USAGE, "found %d repeats of %" PRIu64 " steps, allowed %d to %d of 1 or more",
                       c->repeats, c->steps, SCIARA_BENCH_LEAST_REPEATS, SCIARA_BENCH_MOST_REPEATS);
  SCIARA_TRY(sciara_engine_find("serial", on_host(c->precision), &serial.ops));
  c->rows = c->problem->grid.rows;
  c->cols = c->problem->grid.cols;
  c->liquid_cells = sciara_state_liquid_cells(c->problem->state);
  c->first_step = c->problem->state->step;
  SCIARA_TRY_GOTO(SCIARA_NEW(c->row, count + 1, "results of a measurement"));
  c->row[c->count++] = (struct sciara_bench_row){.contender = serial};
  SCIARA_TRY_GOTO(sciara_state_clone(c->problem->state, &reference));
  const double begin = sciara_wallclock();
  SCIARA_TRY_GOTO(measure_reference(c, reference));
  if (c->done) c->done(c->context, c, &c->row[0]);
  SCIARA_TRY_GOTO(sciara_state_clone(c->problem->state, &found));
  measure_all(c, reference, found, contender, count, sciara_wallclock() - begin);
cleanup:
  sciara_state_destroy(reference);
  sciara_state_destroy(found);
  return status;
}

void sciara_bench_case_free(struct sciara_bench_case *c) {
  for (size_t k = 0; k < c->count; k++) free(c->row[k].why);
  sciara_free(c->row);
  c->row = NULL;
  c->count = 0;
}

enum sciara_status sciara_bench_advance(const struct sciara_problem *p, enum sciara_precision precision,
                                        uint64_t step) {
  static const struct sciara_engine_options none;
  const struct sciara_engine_ops *serial;
  struct sciara_runner r = {.ops = NULL};
  SCIARA_TRY(sciara_engine_find("serial", on_host(precision), &serial));
  enum sciara_status status = sciara_runner_start(&r, serial, p, &none, p->state);
  if (status == SCIARA_OK) status = sciara_runner_go_to(&r, step, INFINITY, p->state);
  sciara_runner_end(&r);
  if (status == SCIARA_OK && p->state->step < step)
    status =
        sciara_fail(SCIARA_ERR_INPUT, "%s: nothing is liquid any more after step %" PRIu64 ", wanted step %" PRIu64,
                    p->scenario.path, p->state->step, step);
  return status;
}
