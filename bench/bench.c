// SPDX-License-Identifier: Apache-2.0
#include "bench/bench.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/text.h"
#include "base/wallclock.h"
#include "bench/machine.h"
#include "comm/comm.h"
#include "engine/banded.h"
#include "engine/device_info.h"
#include "model/state.h"
#include "setup/setup.h"
#include "verify/validate.h"

static enum sciara_precision on_host(enum sciara_precision precision) {
  return precision == SCIARA_DOUBLE ? SCIARA_DOUBLE : SCIARA_SINGLE_PRECISION;
}

// ----------------------------------------------------------------------------------------------------------- an engine

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

/** The steps of an engine. */
struct race {
  uint64_t warm_up, steps; ///< of the warm-up and of a repetition
  uint64_t every;          ///< both may be shortened to multiples of this, 0: neither
  double seconds;          ///< for all repetitions together; 0: no limit
};

static uint64_t at_most(uint64_t most, double value) { return value < (double)most ? (uint64_t)value : most; }

/**
 * The warm-up, which also measures how long a step takes. Its second part is used, without what an engine does once in
 * its first steps. Warm-up and repetitions are then shortened to the time that they may take.
 */
static enum sciara_status warm_up(struct racer *r, const struct sciara_bench_case *c, const struct race *race,
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

/**
 * Executes the warm-up and the repetitions from problem->state; the state after them goes to `to`. The steps, and the
 * time of each repetition, go to the row.
 */
static enum sciara_status race_engine(const struct sciara_bench_case *c, const struct race *race,
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

static struct sciara_spread spread_of(const double *value, int count) {
  double sorted[SCIARA_BENCH_MOST_REPEATS];
  memcpy(sorted, value, (size_t)count * sizeof *sorted);
  qsort(sorted, (size_t)count, sizeof *sorted, sciara_ascending);
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
  row->us_per_step = spread_of(us, repeats);
  row->ns_per_cell_step = spread_of(ns, repeats);
  row->cell_steps_per_s = 1e9 / row->ns_per_cell_step.median;
  row->speedup = spread_of(speedup, repeats).median;
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

// -------------------------------------------------------------------------------------------------------------- memory

/** Host memory of an engine in bytes: its estimate, and its lists of the lava, which grow by halves. */
static size_t host_memory(const struct sciara_engine_ops *ops, const struct sciara_grid *grid, int64_t liquid_cells) {
  const size_t lava =
      ops->memory_of_lava ? ops->memory_of_lava(SCIARA_RECORD_NOTHING) / 2 * 3 * (size_t)liquid_cells : 0;
  size_t host = 0, device = 0;
  if (ops->memory) ops->memory(grid, 0, &host, &device);
  return host + lava;
}

enum sciara_status sciara_bench_fits(const struct sciara_grid *grid, int states, int64_t liquid_cells,
                                     const struct sciara_bench_candidate *candidate, size_t count, size_t available) {
  const struct sciara_engine_ops *serial;
  SCIARA_TRY(sciara_engine_find("serial", SCIARA_RULE_FV3, SCIARA_DOUBLE, &serial));
  size_t engine = host_memory(serial, grid, liquid_cells);
  for (size_t k = 0; k < count; k++) {
    const size_t host = host_memory(candidate[k].ops, grid, liquid_cells);
    if (host > engine) engine = host;
  }
  const size_t need = (size_t)states * sciara_state_memory(grid, 0) + sciara_site_memory(grid) + engine;
  if (available == 0 || need <= available) return SCIARA_OK;
  return sciara_fail(
      SCIARA_ERR_MEMORY, "needs about %.3g GB of memory (%d states %.3g, the largest engine %.3g), %.3g GB are free",
      (double)need * 1e-9, states, (double)(need - engine) * 1e-9, (double)engine * 1e-9, (double)available * 1e-9);
}

/** Whether the GPU has enough memory; if not, the row gets the reason. */
static bool fits_device(const struct sciara_bench_case *c, struct sciara_bench_row *row) {
  struct sciara_device_info gpu;
  const struct sciara_engine_ops *ops = row->candidate.ops;
  row->memory_known = ops->memory != NULL;
  if (ops->memory) ops->memory(&c->problem->grid, 0, &row->host, &row->device);
  if (row->device == 0 || !sciara_device_describe(0, &gpu) || row->device <= gpu.free_memory) return true;
  row->why = sciara_format("needs %.3g GB of GPU memory, %.3g GB are free", (double)row->device * 1e-9,
                           (double)gpu.free_memory * 1e-9);
  return false;
}

// ---------------------------------------------------------------------------------------------------------- the result

static void refuse(struct sciara_bench_row *row, enum sciara_bench_result result, char *why) {
  row->result = result;
  if (row->why)
    free(why);
  else
    row->why = why;
  memset(row->seconds, 0, sizeof row->seconds);
  memset(row->cell_steps, 0, sizeof row->cell_steps);
}

/** Compares by all rules of `sciara validate`. */
static void look_closely(const struct sciara_bench_case *c, const struct sciara_state *reference,
                         const struct sciara_state *found, struct sciara_bench_row *row) {
  const struct sciara_engine_ops *ops = row->candidate.ops;
  struct sciara_engine_result v = {.engine = ops->name, .determinism = ops->determinism, .passed = true};
  // After the same number of steps, not at the same time: the volumes of lava differ slightly.
  const struct sciara_tolerance allowed = {sciara_tolerance_least(c->precision).covered, INFINITY};
  sciara_engine_result_compare(&v, c->problem, reference, found, c->precision, allowed);
  if (!v.passed && v.first.row >= 0 && ops->determinism == SCIARA_EXACT && v.first.differing > 0)
    refuse(row, SCIARA_BENCH_FAILED,
           sciara_format("not bit-identical to serial: %s in row %" PRId64 ", column %" PRId64 "; differing cells: %zu",
                         v.first.field, v.first.row, v.first.col, v.first.differing));
  else if (!v.passed)
    refuse(row, SCIARA_BENCH_FAILED, sciara_format("%s", v.why ? v.why : "it did not pass"));
  free(v.why);
}

/** The result of serial after the steps of a row, with which the row is compared. */
struct expected {
  const struct sciara_bench_record *end; ///< NULL: serial was run here, with the same steps
  uint64_t checksum;
};

static struct expected expect(const struct sciara_bench_case *c, const struct sciara_bench_row *row) {
  if (!c->recorded) return (struct expected){.checksum = c->row[0].checksum};
  const uint64_t end = c->first_step + row->warm_up + (uint64_t)c->repeats * row->steps;
  const struct sciara_bench_record *record = sciara_bench_record_find(c->records, c->problem_hash, c->precision, end);
  return (struct expected){.end = record, .checksum = record->checksum};
}

/** Cell-steps of serial in a repetition of a row. */
static uint64_t cell_steps_of(const struct sciara_bench_case *c, const struct sciara_bench_row *row, int repetition) {
  if (!c->recorded) return c->row[0].cell_steps[repetition];
  const uint64_t step = c->first_step + row->warm_up + (uint64_t)repetition * row->steps;
  const struct sciara_bench_record *before, *after;
  before = sciara_bench_record_find(c->records, c->problem_hash, c->precision, step);
  after = sciara_bench_record_find(c->records, c->problem_hash, c->precision, step + row->steps);
  return after->cell_steps - before->cell_steps;
}

static void verify_cell_steps(const struct sciara_bench_case *c, struct sciara_bench_row *row) {
  const bool exact = row->candidate.ops->determinism == SCIARA_EXACT;
  for (int n = 0; n < c->repeats && row->result == SCIARA_BENCH_VERIFIED; n++) {
    const uint64_t expected = cell_steps_of(c, row, n), counted = row->cell_steps[n];
    if ((exact && counted != expected) || counted == 0)
      refuse(row, SCIARA_BENCH_FAILED,
             sciara_format("counts %" PRIu64 " cell-steps in repetition %d, serial counts %" PRIu64, counted, n + 1,
                           expected));
    else if (!(row->seconds[n] > 0))
      refuse(row, SCIARA_BENCH_FAILED, sciara_format("repetition %d is too short for the clock", n + 1));
  }
}

/** The state of serial after some steps, or of an exact engine with the checksum of serial. */
struct reference {
  struct sciara_state *state;
  uint64_t warm_up, steps; ///< 0 steps: there is no state yet
};

static void verify(const struct sciara_bench_case *c, const struct reference *reference,
                   const struct sciara_state *found, struct sciara_bench_row *row) {
  row->compared = true;
  row->result = SCIARA_BENCH_VERIFIED; // until a difference is found
  row->checksum = sciara_checksum_in_parallel(found);
  const struct expected expected = expect(c, row);
  const bool same = row->checksum == expected.checksum, exact = row->candidate.ops->determinism == SCIARA_EXACT;
  const bool same_steps = reference->warm_up == row->warm_up && reference->steps == row->steps;
  if ((!exact || !same) && same_steps) look_closely(c, reference->state, found, row);
  if (exact && !same && expected.end && found->clock != expected.end->clock)
    refuse(row, SCIARA_BENCH_FAILED,
           sciara_format("after step %" PRIu64 " checksum %016" PRIx64 " and clock %.17g s, "
                         "expected %016" PRIx64 " and %.17g s as recorded",
                         expected.end->step, row->checksum, found->clock, expected.checksum, expected.end->clock));
  else if (exact && !same)
    refuse(row, SCIARA_BENCH_FAILED,
           sciara_format("checksum %016" PRIx64 ", %s %016" PRIx64, row->checksum,
                         expected.end ? "recorded is" : "serial has", expected.checksum));
  verify_cell_steps(c, row);
}

// ----------------------------------------------------------------------------------------------------------- the whole

/**
 * Invalidates the result of the previous engine, so that it cannot pass as that of an engine that downloads nothing.
 */
static void spoil(struct sciara_state *s) {
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++)
    if (s->kind[i] == SCIARA_CELL_INTERIOR)
      s->h[i] = s->z[i] = NAN; // in other cells an engine may leave them unchanged
  s->time = s->clock = s->emitted = NAN;
  s->step = 0;
}

/** Whether the records contain every step at which a repetition may end. */
static bool is_recorded(const struct sciara_bench_case *c) {
  if (!c->records || c->every == 0 || c->warm_up % c->every || c->steps % c->every) return false;
  const uint64_t end = c->first_step + c->warm_up + (uint64_t)c->repeats * c->steps;
  for (uint64_t step = c->first_step + c->every; step <= end; step += c->every)
    if (!sciara_bench_record_find(c->records, c->problem_hash, c->precision, step)) return false;
  return true;
}

static struct race race_of(const struct sciara_bench_case *c, const struct sciara_bench_row *row,
                           const struct reference *reference) {
  if (reference->steps > 0 && (!c->recorded || row->candidate.ops->determinism != SCIARA_EXACT))
    return (struct race){.warm_up = reference->warm_up, .steps = reference->steps};
  return (struct race){.warm_up = c->warm_up,
                       .steps = c->steps,
                       .every = c->recorded ? c->every : 0,
                       .seconds = c->recorded ? c->seconds : 0};
}

/** serial: all others are compared with it, or it is the first to be compared with the records. */
static enum sciara_status measure_reference(struct sciara_bench_case *c, struct reference *reference) {
  struct sciara_bench_row *row = &c->row[0];
  const struct race race = race_of(c, row, reference);
  fits_device(c, row);
  spoil(reference->state);
  sciara_peak_memory_reset();
  const enum sciara_status status = race_engine(c, &race, row, reference->state);
  if (status != SCIARA_OK) return sciara_fail_context(status, "%s: serial", c->name);
  row->peak = sciara_peak_memory();
  reference->warm_up = row->warm_up;
  reference->steps = row->steps;
  if (!c->recorded) row->checksum = sciara_checksum_in_parallel(reference->state);
  verify(c, reference, reference->state, row);
  if (row->result == SCIARA_BENCH_FAILED && c->recorded) return SCIARA_OK;
  look_closely(c, reference->state, reference->state, row); // checks its ledger, and for NaN
  if (row->result != SCIARA_BENCH_VERIFIED)
    return sciara_fail(SCIARA_ERR_NUMERIC, "%s: serial: %s", c->name, row->why ? row->why : "its result is wrong");
  sciara_bench_summarise(row, c->repeats, row);
  return SCIARA_OK;
}

static void measure_candidate(struct sciara_bench_case *c, struct reference *reference, struct sciara_state **found,
                              struct sciara_bench_row *row) {
  const struct race race = race_of(c, row, reference);
  if (!fits_device(c, row)) {
    refuse(row, SCIARA_BENCH_LEFT_OUT, NULL);
    return;
  }
  spoil(*found);
  sciara_peak_memory_reset();
  const enum sciara_status status = race_engine(c, &race, row, *found);
  row->peak = sciara_peak_memory();
  if (status != SCIARA_OK) {
    refuse(row, status == SCIARA_ERR_MEMORY ? SCIARA_BENCH_LEFT_OUT : SCIARA_BENCH_FAILED,
           sciara_format("%s", sciara_last_error()));
    return;
  }
  verify(c, reference, *found, row);
  if (row->result != SCIARA_BENCH_VERIFIED) return;
  sciara_bench_summarise(&c->row[0], c->repeats, row);
  if (row->candidate.ops->determinism != SCIARA_EXACT || row->steps <= reference->steps) return;
  struct sciara_state *kept = reference->state; // its checksum is that of serial, so it is the state of serial
  *reference = (struct reference){.state = *found, .warm_up = row->warm_up, .steps = row->steps};
  *found = kept;
}

/** For the rows so far: the scaling of an engine with threads relative to the fewest threads, and of the loop. */
static void set_scaling(struct sciara_bench_case *c) {
  struct sciara_bench_row *row = &c->row[c->count - 1], *base = row;
  for (size_t k = 0; k < c->count; k++) {
    struct sciara_bench_row *other = &c->row[k];
    if (other->candidate.ops == row->candidate.ops && other->loop_per_s > 0 &&
        other->candidate.threads < base->candidate.threads)
      base = other;
  }
  row->scaling = row->cell_steps_per_s / base->cell_steps_per_s;
  row->loop_scaling = row->loop_per_s / base->loop_per_s;
}

/** Whether an engine is measured with several numbers of threads. */
static bool scales(const struct sciara_bench_candidate *candidate, size_t count, size_t which) {
  if (!(candidate[which].ops->capabilities & SCIARA_CAN_THREADS) || candidate[which].threads < 1) return false;
  for (size_t k = 0; k < count; k++)
    if (candidate[k].ops == candidate[which].ops && candidate[k].threads > 0 &&
        candidate[k].threads != candidate[which].threads)
      return true;
  return false;
}

/** Engines are chosen by name; each case has those of its rule. */
static enum sciara_rule_kind rule_of(const struct sciara_bench_case *c) { return c->problem->params.rule; }

static void measure_next(struct sciara_bench_case *c, struct reference *reference, struct sciara_state **found,
                         const struct sciara_bench_candidate *candidate, bool loop, double *slowest) {
  struct sciara_bench_row *row = &c->row[c->count++];
  *row = (struct sciara_bench_row){.candidate = *candidate};
  const bool has_rule =
      rule_of(c) == SCIARA_RULE_FV3 || // with which candidates are chosen
      sciara_engine_find(candidate->ops->name, rule_of(c), c->precision, &row->candidate.ops) == SCIARA_OK;
  if (!has_rule) row->candidate.ops = candidate->ops;
  const double begin = sciara_wallclock();
  sciara_log(SCIARA_LOG_INFO, "%s: %s%s%s", c->name, candidate->ops->name, *candidate->options_text ? " " : "",
             candidate->options_text);
  if (!has_rule)
    refuse(row, SCIARA_BENCH_LEFT_OUT, sciara_format("%s", sciara_last_error()));
  else if (c->row[0].result != SCIARA_BENCH_VERIFIED)
    refuse(row, SCIARA_BENCH_LEFT_OUT, sciara_format("serial and the records disagree"));
  else if (c->until > 0 && begin + *slowest > c->until)
    refuse(row, SCIARA_BENCH_LEFT_OUT, sciara_format("the time limit of the suite is reached"));
  else
    measure_candidate(c, reference, found, row);
  *slowest = fmax(*slowest, sciara_wallclock() - begin);
  if (loop && row->result == SCIARA_BENCH_VERIFIED &&
      sciara_register_loop(candidate->threads, &row->loop_per_s) == SCIARA_OK)
    set_scaling(c);
  if (c->done) c->done(c->context, c, row);
}

/**
 * The order: first the engine that `auto` chooses, so that lack of time omits it last; then the other exact ones; then
 * those of the class tolerance.
 */
static int turn_of(const struct sciara_engine_ops *ops, enum sciara_rule_kind rule) {
  if (ops->determinism != SCIARA_EXACT) return 2;
  return strcmp(ops->name, sciara_engine_auto(rule)) == 0 ? 0 : 1;
}

static void measure_all(struct sciara_bench_case *c, struct reference *reference, struct sciara_state **found,
                        const struct sciara_bench_candidate *candidate, size_t count, double slowest) {
  for (int turn = 0; turn < 3; turn++)
    for (size_t k = 0; k < count; k++)
      if (strcmp(candidate[k].ops->name, "serial") != 0 && turn_of(candidate[k].ops, rule_of(c)) == turn)
        measure_next(c, reference, found, &candidate[k], scales(candidate, count, k), &slowest);
}

enum sciara_status sciara_bench_measure(struct sciara_bench_case *c, const struct sciara_bench_candidate *candidate,
                                        size_t count) {
  struct reference reference = {.state = NULL};
  struct sciara_state *found = NULL;
  struct sciara_bench_candidate serial = {.ops = NULL};
  enum sciara_status status;
  c->row = NULL;
  c->count = 0;
  if (c->repeats < SCIARA_BENCH_LEAST_REPEATS || c->repeats > SCIARA_BENCH_MOST_REPEATS || c->steps < 1)
    return sciara_fail(SCIARA_ERR_USAGE, "expected %d to %d repetitions of 1 or more steps, found %d of %" PRIu64,
                       SCIARA_BENCH_LEAST_REPEATS, SCIARA_BENCH_MOST_REPEATS, c->repeats, c->steps);
  SCIARA_TRY(sciara_engine_find("serial", rule_of(c), on_host(c->precision), &serial.ops));
  c->rows = c->problem->grid.rows;
  c->cols = c->problem->grid.cols;
  c->liquid_cells = sciara_state_liquid_cells(c->problem->state);
  c->first_step = c->problem->state->step;
  c->problem_hash = sciara_bench_fingerprint(c->problem, c->precision);
  c->recorded = is_recorded(c);
  SCIARA_TRY_GOTO(SCIARA_NEW(c->row, count + 1, "results of a measurement"));
  c->row[c->count++] = (struct sciara_bench_row){.candidate = serial};
  SCIARA_TRY_GOTO(sciara_state_clone(c->problem->state, &reference.state));
  const double begin = sciara_wallclock();
  sciara_log(SCIARA_LOG_INFO, "%s: serial, %s", c->name,
             c->recorded ? "verified against the records" : "all steps, because they are not recorded");
  SCIARA_TRY_GOTO(measure_reference(c, &reference));
  if (c->done) c->done(c->context, c, &c->row[0]);
  SCIARA_TRY_GOTO(sciara_state_clone(c->problem->state, &found));
  measure_all(c, &reference, &found, candidate, count, sciara_wallclock() - begin);
cleanup:
  sciara_state_destroy(reference.state);
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
  SCIARA_TRY(sciara_engine_find("serial", p->params.rule, on_host(precision), &serial));
  enum sciara_status status = sciara_runner_start(&r, serial, NULL, p, &none, p->state);
  if (status == SCIARA_OK) status = sciara_runner_go_to(&r, step, INFINITY, p->state);
  sciara_runner_end(&r);
  if (status == SCIARA_OK && p->state->step < step)
    status =
        sciara_fail(SCIARA_ERR_INPUT, "%s: expected liquid lava until step %" PRIu64 ", found none after step %" PRIu64,
                    p->source->scenario.path, step, p->state->step);
  return status;
}

// -------------------------------------------------------------------------------------- what several ranks cost a step

enum { REPEATS = 5, SOME = 5, MOST = 20000 };

static const double duration = 0.02; // s of a repetition

/** The median over REPEATS of the mean of many in a row; `some`: so many to find out how many, 0 for commands. */
static enum sciara_status measure(struct sciara_comm *c, size_t bytes, int some, struct sciara_spread *us) {
  double each[REPEATS], once;
  SCIARA_TRY(sciara_banded_measure(c, bytes, some, &once));
  const double fitting = duration / once;
  const int count = some == 0 ? 0 : fitting > MOST ? MOST : fitting < some ? some : (int)fitting;
  for (int n = 0; n < REPEATS; n++) {
    SCIARA_TRY(sciara_banded_measure(c, bytes, count, &each[n]));
    each[n] *= 1e6;
  }
  *us = spread_of(each, REPEATS);
  return SCIARA_OK;
}

enum sciara_status sciara_bench_comm(struct sciara_comm *c, struct sciara_bench_comm row[SCIARA_BENCH_COMM_ROWS]) {
  int rows = 0;
  if (c->size == 1)
    return sciara_fail(SCIARA_ERR_USAGE, "--suite comm measures several processes; found one. Expected: mpirun -n 2 "
                                         "sciara bench --suite comm");
  row[rows] = (struct sciara_bench_comm){.what = "command"};
  SCIARA_TRY(measure(c, 0, 0, &row[rows++].us));
  row[rows] = (struct sciara_bench_comm){.what = "vote", .bytes = 8};
  SCIARA_TRY(measure(c, 0, SOME, &row[rows++].us));
  for (size_t bytes = 8 << 10; bytes <= 1 << 20; bytes *= 2) {
    row[rows] = (struct sciara_bench_comm){.what = "halo", .bytes = bytes};
    SCIARA_TRY(measure(c, bytes, SOME, &row[rows++].us));
  }
  return SCIARA_OK;
}
