// SPDX-License-Identifier: Apache-2.0
#include "verify/validate.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/wallclock.h"
#include "model/field.h"
#include "model/ledger.h"
#include "setup/cost.h"

static const double difference_limits[SCIARA_DIFFERENCE_LIMITS] = {0.1, 0.01, 1e-9};

// ---------------------------------------------------------------------------------------------------- two states

enum { FIELDS = SCIARA_FIELD_COUNT + 1 };

struct named_array {
  const char *name;
  const double *value; ///< NULL: derived, or not recorded
};

/** The stored fields; the lava that left through the rim is not compared. */
static void arrays_of(const struct sciara_state *s, struct named_array out[FIELDS]) {
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++)
    out[f] = (struct named_array){.name = sciara_field_name((enum sciara_field)f),
                                  .value = sciara_field_array(s, (enum sciara_field)f)};
  out[SCIARA_FIELD_COUNT] = (struct named_array){.name = "lost", .value = s->lost};
}

static double deposit(const struct sciara_state *s, int64_t i) { return sciara_deposit(s->h[i], s->z[i], s->z0[i]); }

/** Differences of bits: number of cells, the first one, and whether the second state contains a NaN. */
static void compare_bits(const struct sciara_state *a, const struct sciara_state *b,
                         struct sciara_state_difference *n) {
  struct named_array in_a[FIELDS], in_b[FIELDS];
  arrays_of(a, in_a);
  arrays_of(b, in_b);
  for (int64_t i = 0; i < sciara_grid_cells(&a->grid); i++) {
    const char *field = NULL;
    for (int f = 0; f < FIELDS; f++) {
      if (!in_a[f].value || !in_b[f].value) continue;
      if (isnan(in_b[f].value[i])) n->not_a_number = true;
      if (!field && memcmp(&in_a[f].value[i], &in_b[f].value[i], sizeof(double)) != 0) field = in_a[f].name;
    }
    if (!field) continue;
    if (n->differing++ > 0) continue;
    n->field = field;
    n->row = i / a->grid.cols;
    n->col = i % a->grid.cols;
  }
  if (n->differing > 0) return;
  n->field = a->step != b->step                                         ? "step"
             : memcmp(&a->time, &b->time, sizeof a->time) != 0          ? "simulated time"
             : memcmp(&a->clock, &b->clock, sizeof a->clock) != 0       ? "clock"
             : memcmp(&a->emitted, &b->emitted, sizeof a->emitted) != 0 ? "emitted volume"
                                                                        : NULL;
}

struct sciara_state_difference sciara_compare_states(const struct sciara_state *a, const struct sciara_state *b) {
  struct sciara_state_difference n = {.row = -1, .col = -1};
  size_t both = 0, valid = 0, within[SCIARA_DIFFERENCE_LIMITS] = {0};
  double apart = 0, together = 0;
  compare_bits(a, b, &n);
  for (int64_t i = 0; i < sciara_grid_cells(&a->grid); i++) {
    if (a->kind[i] == SCIARA_CELL_NODATA) continue;
    const double da = deposit(a, i), db = deposit(b, i), absolute = fabs(da - db), larger = fmax(fabs(da), fabs(db));
    valid++;
    if (!(da > 0 || db > 0)) continue;
    n.covered++;
    both += da > 0 && db > 0;
    apart += absolute;
    together += fabs(da) + fabs(db);
    n.max_absolute = fmax(n.max_absolute, absolute);
    n.max_relative = fmax(n.max_relative, absolute / larger);
    for (int k = 0; k < SCIARA_DIFFERENCE_LIMITS; k++) within[k] += absolute <= difference_limits[k] * larger;
  }
  n.jaccard = sciara_jaccard((int64_t)both, (int64_t)n.covered);
  n.misplaced = together > 0 ? apart / together : 0;
  for (int k = 0; k < SCIARA_DIFFERENCE_LIMITS; k++) {
    n.covered_within[k] = n.covered > 0 ? (double)within[k] / (double)n.covered : 1;
    n.all_within[k] = valid > 0 ? (double)(valid - n.covered + within[k]) / (double)valid : 1;
  }
  return n;
}

// ------------------------------------------------------------------------------------------------------------ results

/** Sets why an engine does not pass; the first reason is retained. */
static void reject(struct sciara_engine_result *v, char *why) {
  v->passed = false;
  if (v->why)
    free(why);
  else
    v->why = why;
}

struct sciara_rounding sciara_rounding_in(const struct sciara_problem *p, enum sciara_precision precision) {
  return (struct sciara_rounding){.epsilon = precision == SCIARA_DOUBLE ? DBL_EPSILON : FLT_EPSILON,
                                  .per_step = p->rounding.per_step};
}

static void check_ledger(struct sciara_engine_result *v, const struct sciara_state *found,
                         struct sciara_rounding rounding, enum sciara_precision precision) {
  sciara_ledger_form(found, rounding, &v->ledger);
  v->ledger_relative = sciara_ledger_drift(&v->ledger);
  const double limit = precision == SCIARA_DOUBLE ? 1e-12 : 1e-5;
  const bool closes =
      sciara_ledger_closes(&v->ledger) || (v->determinism == SCIARA_TOLERANCE && v->ledger_relative <= limit);
  if (!closes) // also for a NaN
    reject(v, sciara_format("the mass balance has a residual of %g m3 after step %llu", v->ledger.residual_m3,
                            (unsigned long long)found->step));
}

struct sciara_tolerance sciara_tolerance_least(enum sciara_precision precision) {
  const double least = precision == SCIARA_DOUBLE ? 0.001 : 0.05;
  return (struct sciara_tolerance){least, least};
}

/** Checks that a tolerance engine is within its limits; a NaN is not. */
static void check_tolerance(struct sciara_engine_result *v, const struct sciara_state_difference *n,
                            const struct sciara_state *found, struct sciara_tolerance allowed) {
  const unsigned long long step = found->step;
  if (!(1 - n->jaccard <= allowed.covered))
    reject(v, sciara_format("covered cells after step %llu: expected a Jaccard index of at least %.6f, found %.6f",
                            step, 1 - allowed.covered, n->jaccard));
  if (!(n->misplaced <= allowed.misplaced))
    reject(v, sciara_format("after step %llu: expected at most %.4g of the lava elsewhere, found %.4g", step,
                            allowed.misplaced, n->misplaced));
}

void sciara_engine_result_compare(struct sciara_engine_result *v, const struct sciara_problem *p,
                                  const struct sciara_state *reference, const struct sciara_state *found,
                                  enum sciara_precision precision, struct sciara_tolerance allowed) {
  const struct sciara_state_difference n = sciara_compare_states(reference, found);
  v->step = found->step;
  v->time = found->time;
  v->clock = found->clock;
  v->reference_time = reference->time;
  v->reference_clock = reference->clock;
  v->last = n;
  if (n.field && v->first_differing == 0) {
    v->first_differing = found->step;
    v->first = n;
  }
  if (n.not_a_number) reject(v, sciara_format("a NaN after step %llu", (unsigned long long)found->step));
  check_ledger(v, found, sciara_rounding_in(p, precision), precision);
  if (v->determinism == SCIARA_TOLERANCE)
    check_tolerance(v, &n, found, allowed);
  else if (n.field)
    reject(v,
           sciara_format("not bit-identical to serial after step %llu: %s", (unsigned long long)found->step, n.field));
}

/** Compares with a row of a trace. */
static void compare_with_row(struct sciara_engine_result *v, const struct sciara_problem *p,
                             const struct sciara_trace_row *row, const struct sciara_state *found,
                             enum sciara_precision precision) {
  v->step = found->step;
  v->time = found->time;
  v->clock = found->clock;
  v->reference_time = row->time;
  v->reference_clock = row->clock;
  check_ledger(v, found, sciara_rounding_in(p, precision), precision);
  const char *what = found->step != row->step                        ? "steps"
                     : found->clock != row->clock                    ? "clock"
                     : found->emitted != row->emitted                ? "emitted volume"
                     : sciara_state_checksum(found) != row->checksum ? "checksum"
                                                                     : NULL;
  if (!what) return;
  if (v->first_differing == 0) {
    v->first_differing = found->step ? found->step : row->step;
    v->first.field = what;
    v->first.row = v->first.col = -1;
  }
  if (v->determinism == SCIARA_EXACT)
    reject(v, sciara_format("%s differs from the trace after step %llu", what, (unsigned long long)row->step));
}

// --------------------------------------------------------------------------------------------------------- the whole

enum { SERIAL, ORDERS, REFERENCES = ORDERS + SCIARA_SCATTER_ORDERS };

struct comparison {
  struct reference {
    const struct sciara_engine_ops *ops; ///< NULL: not needed
    struct sciara_runner runner;
  } reference[REFERENCES]; ///< serial, and the orders of scatter if there is a tolerance engine
  struct sciara_state *serial;
  struct sciara_state *found;
  struct sciara_runner *candidate; ///< [count]
};

static enum sciara_status choose_references(const struct sciara_validation *v, struct comparison *w) {
  const enum sciara_precision precision = v->precision == SCIARA_DOUBLE ? SCIARA_DOUBLE : SCIARA_SINGLE_PRECISION;
  bool orders = false;
  if (v->against) return SCIARA_OK;
  for (size_t k = 0; k < v->count; k++)
    orders = orders || (!v->result[k].skipped && v->result[k].determinism == SCIARA_TOLERANCE);
  for (int r = 0; r < (orders ? REFERENCES : ORDERS); r++)
    SCIARA_TRY(sciara_engine_find(r == SERIAL ? "serial" : "scatter", v->problem->params.rule, precision,
                                  &w->reference[r].ops));
  return SCIARA_OK;
}

static void begin_results(struct sciara_validation *v, const struct sciara_candidate *candidate) {
  for (size_t k = 0; k < v->count; k++) {
    const struct sciara_engine_ops *ops = candidate[k].ops;
    struct sciara_engine_result *result = &v->result[k];
    *result = (struct sciara_engine_result){.engine = candidate[k].name, .passed = true, .skipped = !ops};
    if (ops)
      result->determinism = ops->determinism;
    else
      reject(result, sciara_format("%s", candidate[k].why_not ? candidate[k].why_not : "not available"));
  }
}

/** Checks that there is enough memory for all engines and states at the same time. */
static enum sciara_status fits(const struct sciara_validation *v, const struct comparison *w,
                               const struct sciara_candidate *candidate) {
  const struct sciara_problem *p = v->problem;
  const struct sciara_size_estimate *f = &p->source->size;
  const unsigned record = sciara_scenario_record(&p->source->scenario);
  size_t states = v->against ? 2 : 3, engines = 0; // at the start, of a candidate, of serial
  for (int r = 0; r < REFERENCES; r++)
    if (w->reference[r].ops)
      engines += sciara_size_estimate_engine(w->reference[r].ops, &p->grid, record, f->wet, NULL);
  for (size_t k = 0; k < v->count; k++)
    engines += sciara_size_estimate_engine(candidate[k].ops, &p->grid, record, f->wet, NULL);
  states = states * sciara_state_memory(&p->grid, record) + sciara_site_memory(&p->grid);
  const size_t need = states + engines;
  if (f->available == 0 || need <= f->available) return SCIARA_OK;
  char text[4][32];
  const size_t bytes[4] = {need, states, engines, f->available};
  for (int k = 0; k < 4; k++) sciara_print_bytes((double)bytes[k], text[k], sizeof text[k]);
  return sciara_fail(SCIARA_ERR_MEMORY,
                     "%s: all engines together need about %s of memory (states %s, engines and their references %s), "
                     "%s are free; name fewer engines with --engines, or use a part with dem.window",
                     p->source->scenario.path, text[0], text[1], text[2], text[3]);
}

static enum sciara_status start_references(struct sciara_validation *v, struct comparison *w) {
  for (int r = 0; r < REFERENCES; r++) {
    struct reference *ref = &w->reference[r];
    const struct sciara_engine_options options = {.order = r == SERIAL ? SCIARA_SCATTER_DEFAULT : 1 + r - ORDERS};
    if (ref->ops)
      SCIARA_TRY(sciara_runner_start(&ref->runner, ref->ops, NULL, v->problem, &options, v->problem->state));
  }
  return sciara_state_clone(v->problem->state, &w->serial);
}

static void start_candidates(struct sciara_validation *v, struct comparison *w,
                             const struct sciara_candidate *candidate) {
  for (size_t k = 0; k < v->count; k++) {
    const struct sciara_candidate *c = &candidate[k];
    if (!c->ops || sciara_runner_start(&w->candidate[k], c->ops, c->inner, v->problem, &c->options,
                                       v->problem->state) == SCIARA_OK)
      continue;
    reject(&v->result[k], sciara_format("%s", sciara_last_error()));
    sciara_runner_end(&w->candidate[k]);
  }
}

/** The step of a run with other steps that ends nearest to the simulated time of `serial`, where both are compared. */
static double time_of_comparison(const struct sciara_state *serial) { return serial->time - serial->clock / 2; }

/** Advances the orders of scatter to the time of serial. */
static enum sciara_status measure_spread(struct sciara_validation *v, struct comparison *w) {
  for (int r = ORDERS; r < REFERENCES; r++) {
    if (!w->reference[r].ops) continue;
    SCIARA_TRY(sciara_runner_go_to(&w->reference[r].runner, UINT64_MAX, time_of_comparison(w->serial), w->found));
    const struct sciara_state_difference n = sciara_compare_states(w->serial, w->found);
    v->spread.covered = fmax(v->spread.covered, 1 - n.jaccard);
    v->spread.misplaced = fmax(v->spread.misplaced, n.misplaced);
  }
  return SCIARA_OK;
}

struct sciara_tolerance sciara_validation_allowed(const struct sciara_validation *v) {
  const struct sciara_tolerance least = sciara_tolerance_least(v->precision);
  return (struct sciara_tolerance){fmax(least.covered, 2 * v->spread.covered),
                                   fmax(least.misplaced, 2 * v->spread.misplaced)};
}

/** Advances all candidates and compares them with a row of a trace, or with serial, which has already advanced. */
static void compare_all(struct sciara_validation *v, struct comparison *w, uint64_t step,
                        const struct sciara_trace_row *row) {
  for (size_t k = 0; k < v->count; k++) {
    struct sciara_engine_result *result = &v->result[k];
    const bool by_time = !row && result->determinism == SCIARA_TOLERANCE;
    if (!w->candidate[k].ops) continue;
    if (sciara_runner_go_to(&w->candidate[k], by_time ? UINT64_MAX : step,
                            by_time ? time_of_comparison(w->serial) : INFINITY, w->found) != SCIARA_OK) {
      reject(result, sciara_format("%s", sciara_last_error()));
      sciara_runner_end(&w->candidate[k]);
      continue;
    }
    result->compute_s = w->candidate[k].compute_s;
    if (row)
      compare_with_row(result, v->problem, row, w->found, v->precision);
    else
      sciara_engine_result_compare(result, v->problem, w->serial, w->found, v->precision, sciara_validation_allowed(v));
  }
}

static enum sciara_status compare_with_serial(struct sciara_validation *v, struct comparison *w) {
  sciara_trace_begin(v->problem, v->precision, &v->trace);
  SCIARA_TRY(start_references(v, w));
  for (uint64_t step = 0; step < v->steps;) {
    struct sciara_runner *serial = &w->reference[SERIAL].runner;
    step = v->steps - step > v->every ? step + v->every : v->steps;
    SCIARA_TRY(sciara_runner_go_to(serial, step, INFINITY, w->serial));
    struct sciara_ledger ledger;
    sciara_ledger_form(w->serial, sciara_rounding_in(v->problem, v->precision), &ledger);
    SCIARA_TRY(sciara_trace_add(&v->trace, w->serial, &ledger));
    v->reference_s = serial->compute_s;
    SCIARA_TRY(measure_spread(v, w));
    compare_all(v, w, step, NULL);
    if (w->serial->step < step) break; // nothing is liquid any more
  }
  return SCIARA_OK;
}

static void compare_with_trace(struct sciara_validation *v, struct comparison *w) {
  for (size_t k = 0; k < v->against->count && v->against->row[k].step <= v->steps; k++)
    compare_all(v, w, v->against->row[k].step, &v->against->row[k]);
}

enum sciara_status sciara_validate(struct sciara_validation *v, const struct sciara_candidate *candidate,
                                   size_t count) {
  struct comparison w = {.candidate = NULL};
  enum sciara_status status;
  v->count = 0;
  SCIARA_TRY_GOTO(SCIARA_NEW(v->result, count + 1, "results"));
  SCIARA_TRY_GOTO(SCIARA_NEW(w.candidate, count + 1, "engines"));
  v->count = count;
  begin_results(v, candidate);
  SCIARA_TRY_GOTO(choose_references(v, &w));
  SCIARA_TRY_GOTO(fits(v, &w, candidate));
  SCIARA_TRY_GOTO(sciara_state_clone(v->problem->state, &w.found));
  start_candidates(v, &w, candidate);
  if (v->against)
    compare_with_trace(v, &w);
  else
    SCIARA_TRY_GOTO(compare_with_serial(v, &w));
cleanup:
  for (int r = 0; r < REFERENCES; r++) sciara_runner_end(&w.reference[r].runner);
  sciara_state_destroy(w.serial);
  for (size_t k = 0; w.candidate && k < count; k++) sciara_runner_end(&w.candidate[k]);
  sciara_free(w.candidate);
  sciara_state_destroy(w.found);
  return status;
}

void sciara_validation_free(struct sciara_validation *v) {
  for (size_t k = 0; k < v->count; k++) free(v->result[k].why);
  sciara_free(v->result);
  sciara_trace_free(&v->trace);
  v->result = NULL;
  v->count = 0;
}

// -------------------------------------------------------------------------------------- an engine that is run directly

enum sciara_status sciara_runner_start(struct sciara_runner *r, const struct sciara_engine_ops *ops,
                                       const struct sciara_engine_ops *inner, const struct sciara_problem *p,
                                       const struct sciara_engine_options *options, const struct sciara_state *state) {
  const struct sciara_engine_setup setup = {.params = &p->params,
                                            .vents = p->vents,
                                            .boundary = p->boundary,
                                            .threads = p->engine.threads,
                                            .device = ops->capabilities & SCIARA_CAN_DEVICE ? p->engine.device : 0,
                                            .options = *options,
                                            .comm = inner ? p->comm : NULL,
                                            .inner = inner};
  SCIARA_TRY(ops->create(&setup, &r->engine));
  r->ops = ops;
  return ops->upload(r->engine, state);
}

void sciara_runner_end(struct sciara_runner *r) {
  if (r->engine) r->ops->destroy(r->engine);
  *r = (struct sciara_runner){.ops = NULL};
}

enum sciara_status sciara_runner_go_to(struct sciara_runner *r, uint64_t step, double time,
                                       struct sciara_state *state) {
  const struct sciara_stop stop = {.steps = step, .time = time, .solidified = true, .max_wall_ms = 10000};
  const double begin = sciara_wallclock();
  do SCIARA_TRY(r->ops->advance(r->engine, &stop, &r->progress));
  while (r->progress.reason == SCIARA_STOP_WALL);
  r->compute_s += sciara_wallclock() - begin;
  return r->ops->download(r->engine, state);
}
