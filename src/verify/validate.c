// SPDX-License-Identifier: Apache-2.0
#include "verify/validate.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare.h"
#include "base/mem.h"
#include "base/text.h"
#include "model/field.h"
#include "model/ledger.h"
#include "verify/runner.h"

const double sciara_share_limits[SCIARA_SHARES] = {0.1, 0.01, 1e-9};

// ---------------------------------------------------------------------------------------------------- two states

enum { FIELDS = SCIARA_FIELD_COUNT + 1 };

struct named_array {
  const char *name;
  const double *value; ///< NULL: derived, or not recorded
};

/** The stored fields; what left through the rim is no output. */
static void arrays_of(const struct sciara_state *s, struct named_array out[FIELDS]) {
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++)
    out[f] = (struct named_array){.name = sciara_field_name((enum sciara_field)f),
                                  .value = sciara_field_array(s, (enum sciara_field)f)};
  out[SCIARA_FIELD_COUNT] = (struct named_array){.name = "lost", .value = s->lost};
}

static double deposit(const struct sciara_state *s, int64_t i) { return sciara_deposit(s->h[i], s->z[i], s->z0[i]); }

/** Bits: cells that differ, the first of them, and whether the second state holds a NaN. */
static void compare_bits(const struct sciara_state *a, const struct sciara_state *b, struct sciara_nearness *n) {
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

struct sciara_nearness sciara_compare_states(const struct sciara_state *a, const struct sciara_state *b) {
  struct sciara_nearness n = {.row = -1, .col = -1};
  size_t both = 0, valid = 0, within[SCIARA_SHARES] = {0};
  compare_bits(a, b, &n);
  for (int64_t i = 0; i < sciara_grid_cells(&a->grid); i++) {
    if (a->kind[i] == SCIARA_CELL_NODATA) continue;
    const double da = deposit(a, i), db = deposit(b, i), absolute = fabs(da - db), larger = fmax(fabs(da), fabs(db));
    valid++;
    if (!(da > 0 || db > 0)) continue;
    n.covered++;
    both += da > 0 && db > 0;
    n.max_absolute = fmax(n.max_absolute, absolute);
    n.max_relative = fmax(n.max_relative, absolute / larger);
    for (int k = 0; k < SCIARA_SHARES; k++) within[k] += absolute <= sciara_share_limits[k] * larger;
  }
  n.jaccard = sciara_jaccard((int64_t)both, (int64_t)n.covered);
  for (int k = 0; k < SCIARA_SHARES; k++) {
    n.covered_within[k] = n.covered > 0 ? (double)within[k] / (double)n.covered : 1;
    n.all_within[k] = valid > 0 ? (double)(valid - n.covered + within[k]) / (double)valid : 1;
  }
  return n;
}

// ------------------------------------------------------------------------------------------------------------ verdicts

/** Says why an engine does not pass; the first reason stays. */
static void blame(struct sciara_verdict *v, char *why) {
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

static void look_at_ledger(struct sciara_verdict *v, const struct sciara_state *found, struct sciara_rounding rounding,
                           enum sciara_precision precision) {
  sciara_ledger_form(found, rounding, &v->ledger);
  v->ledger_relative = sciara_ledger_drift(&v->ledger);
  const double limit = precision == SCIARA_DOUBLE ? 1e-12 : 1e-5;
  const bool closes =
      sciara_ledger_closes(&v->ledger) || (v->determinism == SCIARA_TOLERANCE && v->ledger_relative <= limit);
  if (!closes) // a NaN too
    blame(v, sciara_format("the ledger is open by %g m3 after step %llu", v->ledger.residual_m3,
                           (unsigned long long)found->step));
}

void sciara_verdict_look(struct sciara_verdict *v, const struct sciara_problem *p, const struct sciara_state *reference,
                         const struct sciara_state *found, enum sciara_precision precision) {
  const struct sciara_nearness n = sciara_compare_states(reference, found);
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
  if (n.not_a_number) blame(v, sciara_format("a NaN after step %llu", (unsigned long long)found->step));
  look_at_ledger(v, found, sciara_rounding_in(p, precision), precision);
  if (v->determinism == SCIARA_EXACT && n.field)
    blame(v, sciara_format("other bits than serial after step %llu: %s", (unsigned long long)found->step, n.field));
  const double least = precision == SCIARA_DOUBLE ? 0.999 : 0.95;
  if (v->determinism == SCIARA_TOLERANCE && !(n.jaccard >= least))
    blame(v, sciara_format("footprint: Jaccard index %.6f after step %llu, allowed %g or more", n.jaccard,
                           (unsigned long long)found->step, least));
}

/** The same beside a row of a trace. */
static void look_at_row(struct sciara_verdict *v, const struct sciara_problem *p, const struct sciara_trace_row *row,
                        const struct sciara_state *found, enum sciara_precision precision) {
  v->step = found->step;
  v->time = found->time;
  v->clock = found->clock;
  v->reference_time = row->time;
  v->reference_clock = row->clock;
  look_at_ledger(v, found, sciara_rounding_in(p, precision), precision);
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
    blame(v, sciara_format("another %s than the trace after step %llu", what, (unsigned long long)row->step));
}

// --------------------------------------------------------------------------------------------------------- the whole

enum { SAME, DOUBLE, REFERENCES }; // serial of the same precision; serial in double, for the class tolerance

struct workshop {
  const struct sciara_engine_ops *serial[REFERENCES]; ///< NULL: not wanted
  struct sciara_runner reference[REFERENCES];
  struct sciara_state *at[REFERENCES]; ///< the references' states
  struct sciara_state *found;
  struct sciara_runner *candidate; ///< [count]
};

/** Which reference an engine is held against; serial of the same precision serves both where that is double. */
static int reference_of(const struct sciara_verdict *v, enum sciara_precision precision) {
  return v->determinism == SCIARA_TOLERANCE && precision != SCIARA_DOUBLE ? DOUBLE : SAME;
}

static enum sciara_status choose_references(const struct sciara_validation *v, struct workshop *w) {
  const enum sciara_precision same = v->precision == SCIARA_DOUBLE ? SCIARA_DOUBLE : SCIARA_SINGLE_PRECISION;
  bool wanted[REFERENCES] = {true, false};
  if (v->against) return SCIARA_OK;
  for (size_t k = 0; k < v->count; k++)
    if (!v->verdict[k].skipped) wanted[reference_of(&v->verdict[k], v->precision)] = true;
  for (int r = 0; r < REFERENCES; r++)
    if (wanted[r]) SCIARA_TRY(sciara_engine_find("serial", r == SAME ? same : SCIARA_DOUBLE, &w->serial[r]));
  return SCIARA_OK;
}

static void begin_verdicts(struct sciara_validation *v, const struct sciara_candidate *candidate) {
  for (size_t k = 0; k < v->count; k++) {
    const struct sciara_engine_ops *ops = candidate[k].ops;
    struct sciara_verdict *verdict = &v->verdict[k];
    *verdict = (struct sciara_verdict){.engine = candidate[k].name, .passed = true, .skipped = !ops};
    if (ops)
      verdict->determinism = ops->determinism;
    else
      blame(verdict, sciara_format("%s", candidate[k].why_not ? candidate[k].why_not : "not available"));
  }
}

/** Whether there is room for all engines and states: they live side by side. */
static enum sciara_status fits(const struct sciara_validation *v, const struct workshop *w,
                               const struct sciara_candidate *candidate) {
  const struct sciara_problem *p = v->problem;
  const struct sciara_forecast *f = &p->forecast;
  const unsigned record = sciara_scenario_record(&p->scenario);
  size_t states = 2, engines = 0; // the state at the start, and the one that engines are fetched into
  for (int r = 0; r < REFERENCES; r++) {
    if (!w->serial[r]) continue;
    states++;
    engines += sciara_forecast_engine(w->serial[r], &p->grid, record, f->wet, NULL);
  }
  for (size_t k = 0; k < v->count; k++)
    engines += sciara_forecast_engine(candidate[k].ops, &p->grid, record, f->wet, NULL);
  states *= sciara_state_memory(&p->grid, record);
  const size_t need = states + engines;
  if (f->available == 0 || need <= f->available) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_MEMORY,
                     "%s: the engines side by side take about %.3g GB of memory (states %.3g, engines and their "
                     "references %.3g), %.3g GB are free; name fewer of them with --engines, or take a "
                     "part with dem.window",
                     p->scenario.path, (double)need * 1e-9, (double)states * 1e-9, (double)engines * 1e-9,
                     (double)f->available * 1e-9);
}

static enum sciara_status start_references(struct sciara_validation *v, struct workshop *w) {
  static const struct sciara_engine_options none;
  for (int r = 0; r < REFERENCES; r++) {
    if (!w->serial[r]) continue;
    SCIARA_TRY(sciara_runner_start(&w->reference[r], w->serial[r], v->problem, &none, v->problem->state));
    SCIARA_TRY(sciara_state_clone(v->problem->state, &w->at[r]));
  }
  return SCIARA_OK;
}

static void start_candidates(struct sciara_validation *v, struct workshop *w,
                             const struct sciara_candidate *candidate) {
  for (size_t k = 0; k < v->count; k++) {
    const struct sciara_candidate *c = &candidate[k];
    if (!c->ops ||
        sciara_runner_start(&w->candidate[k], c->ops, v->problem, &c->options, v->problem->state) == SCIARA_OK)
      continue;
    blame(&v->verdict[k], sciara_format("%s", sciara_last_error()));
    sciara_runner_end(&w->candidate[k]);
  }
}

/** All candidates go to a step and are looked at; `row` takes the place of the references. */
static void visit(struct sciara_validation *v, struct workshop *w, uint64_t step, const struct sciara_trace_row *row) {
  for (size_t k = 0; k < v->count; k++) {
    struct sciara_verdict *verdict = &v->verdict[k];
    if (!w->candidate[k].ops) continue;
    if (sciara_runner_go_to(&w->candidate[k], step, INFINITY, w->found) != SCIARA_OK) {
      blame(verdict, sciara_format("%s", sciara_last_error()));
      sciara_runner_end(&w->candidate[k]);
      continue;
    }
    verdict->compute_s = w->candidate[k].compute_s;
    if (row)
      look_at_row(verdict, v->problem, row, w->found, v->precision);
    else
      sciara_verdict_look(verdict, v->problem, w->at[reference_of(verdict, v->precision)], w->found, v->precision);
  }
}

static enum sciara_status beside_serial(struct sciara_validation *v, struct workshop *w) {
  sciara_trace_begin(v->problem, v->precision, &v->trace);
  SCIARA_TRY(start_references(v, w));
  for (uint64_t step = 0; step < v->steps;) {
    step = v->steps - step > v->every ? step + v->every : v->steps;
    for (int r = 0; r < REFERENCES; r++)
      if (w->reference[r].ops) SCIARA_TRY(sciara_runner_go_to(&w->reference[r], step, INFINITY, w->at[r]));
    struct sciara_ledger ledger;
    sciara_ledger_form(w->at[SAME], sciara_rounding_in(v->problem, v->precision), &ledger);
    SCIARA_TRY(sciara_trace_add(&v->trace, w->at[SAME], &ledger));
    v->reference_s = w->reference[SAME].compute_s;
    visit(v, w, step, NULL);
    if (w->at[SAME]->step < step) break; // nothing is liquid any more
  }
  return SCIARA_OK;
}

static void beside_trace(struct sciara_validation *v, struct workshop *w) {
  for (size_t k = 0; k < v->against->count && v->against->row[k].step <= v->steps; k++)
    visit(v, w, v->against->row[k].step, &v->against->row[k]);
}

enum sciara_status sciara_validate(struct sciara_validation *v, const struct sciara_candidate *candidate,
                                   size_t count) {
  struct workshop w = {.candidate = NULL};
  enum sciara_status status;
  v->count = 0;
  SCIARA_TRY_GOTO(SCIARA_NEW(v->verdict, count + 1, "verdicts"));
  SCIARA_TRY_GOTO(SCIARA_NEW(w.candidate, count + 1, "engines"));
  v->count = count;
  begin_verdicts(v, candidate);
  SCIARA_TRY_GOTO(choose_references(v, &w));
  SCIARA_TRY_GOTO(fits(v, &w, candidate));
  SCIARA_TRY_GOTO(sciara_state_clone(v->problem->state, &w.found));
  start_candidates(v, &w, candidate);
  if (v->against)
    beside_trace(v, &w);
  else
    SCIARA_TRY_GOTO(beside_serial(v, &w));
cleanup:
  for (int r = 0; r < REFERENCES; r++) {
    sciara_runner_end(&w.reference[r]);
    sciara_state_destroy(w.at[r]);
  }
  for (size_t k = 0; w.candidate && k < count; k++) sciara_runner_end(&w.candidate[k]);
  sciara_free(w.candidate);
  sciara_state_destroy(w.found);
  return status;
}

void sciara_validation_free(struct sciara_validation *v) {
  for (size_t k = 0; k < v->count; k++) free(v->verdict[k].why);
  sciara_free(v->verdict);
  sciara_trace_free(&v->trace);
  v->verdict = NULL;
  v->count = 0;
}
