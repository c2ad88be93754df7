// SPDX-License-Identifier: Apache-2.0
// The rule on the whole grid, with a check of every invariant of the model in every step: slow, for tests.
//
// Memory that a step has not written is filled with NaN. Each error names the invariant, the cell and the step.
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/active.h"
#include "engine/planted_faults.h"
#include "engine/sheet_bounds.h"
#include "model/ledger.h"
#include "model/tally.h"

struct checked {
  struct sciara_engine_setup setup;
  struct sciara_rule rule;
  struct sciara_step_control control;
  struct sciara_host_fields hf, before; ///< the fields, and their values after the emission of this step
  struct sciara_donor *donor;           ///< by padded index
  enum sciara_outcome *outcome;         ///< by padded index
  struct sciara_state *shadow;          ///< for the ledger
  double residual;                      ///< residual of the ledger at the upload, m3
  double explained;                     ///< lava that roundings since then may have created or lost, m3
  real t;
  struct {
    struct sciara_host_fields hf;
    struct sciara_step_control control;
    bool taken; ///< kept and not collected yet
  } buffer[SCIARA_BUFFERS];
};

static void release_checked(struct checked *e) {
  sciara_host_fields_destroy(&e->hf);
  sciara_host_fields_destroy(&e->before);
  sciara_free(e->donor);
  sciara_free(e->outcome);
  sciara_state_destroy(e->shadow);
  for (int k = 0; k < SCIARA_BUFFERS; k++) sciara_host_fields_destroy(&e->buffer[k].hf);
  *e = (struct checked){.setup = e->setup};
}

static enum sciara_status create_checked(const struct sciara_engine_setup *setup, void **engine) {
  struct checked *e;
  SCIARA_TRY(SCIARA_NEW(e, 1, "engine checked"));
  e->setup = *setup;
  *engine = e;
  return SCIARA_OK;
}

static void destroy_checked(void *engine) {
  if (!engine) return;
  release_checked((struct checked *)engine);
  sciara_free(engine);
}

static enum sciara_status upload_checked(void *engine, const struct sciara_state *state) {
  struct checked *e = (struct checked *)engine;
  release_checked(e);
  SCIARA_TRY(sciara_host_fields_create(&e->hf, state));
  SCIARA_TRY(sciara_host_fields_create(&e->before, state));
  SCIARA_TRY(SCIARA_NEW(e->donor, e->hf.count, "donors of engine checked"));
  SCIARA_TRY(SCIARA_NEW(e->outcome, e->hf.count, "outcomes of engine checked"));
  SCIARA_TRY(sciara_state_clone(state, &e->shadow));
  for (int k = 0; e->setup.keeps && k < SCIARA_BUFFERS; k++) {
    SCIARA_TRY(sciara_host_fields_create(&e->buffer[k].hf, state));
    sciara_host_fields_upload(&e->buffer[k].hf, state, e->setup.boundary); // the kinds never change afterwards
  }
  e->rule = sciara_rule_make(e->setup.params, state->grid.cell_size);
  e->t = (real)state->clock;
  sciara_step_control_load(&e->control, state, e->setup.vents);
  sciara_host_fields_upload(&e->hf, state, e->setup.boundary);
  struct sciara_ledger ledger;
  sciara_ledger_form(state, sciara_rounding_usual(SCIARA_REAL_EPSILON), &ledger);
  e->residual = ledger.residual_m3;
  e->explained = 0;
  return SCIARA_OK;
}

static enum sciara_status download_checked(void *engine, struct sciara_state *state) {
  const struct checked *e = (const struct checked *)engine;
  sciara_host_fields_download(&e->hf, state);
  sciara_step_control_store(&e->control, state);
  return SCIARA_OK;
}

/** Copies all fields except the kinds. */
static void copy_fields(struct sciara_host_fields *to, const struct sciara_host_fields *from) {
  const size_t reals = (size_t)from->count * sizeof(real), doubles = (size_t)from->count * sizeof(double);
#define SCIARA_REAL_FIELD(member) memcpy(to->f.member, from->f.member, reals);
#define SCIARA_DOUBLE_FIELD(member) memcpy(to->f.member, from->f.member, doubles);
#define SCIARA_RECORDED_FIELD(member, NAME, ...) \
  if (from->f.member) memcpy(to->f.member, from->f.member, reals);
#include "model/fields.def"
}

static enum sciara_status keep(void *engine, int buffer) {
  struct checked *e = (struct checked *)engine;
  if (!e->buffer[buffer].hf.kind || e->buffer[buffer].taken)
    return sciara_fail(SCIARA_ERR_INTERNAL, "engine checked: buffer %d is %s", buffer,
                       e->buffer[buffer].taken ? "taken" : "not there");
  copy_fields(&e->buffer[buffer].hf, &e->hf);
  e->buffer[buffer].control = e->control;
  e->buffer[buffer].taken = true;
  return SCIARA_OK;
}

static enum sciara_status collect(void *engine, int buffer, struct sciara_state *state) {
  struct checked *e = (struct checked *)engine;
  if (!e->buffer[buffer].taken)
    return sciara_fail(SCIARA_ERR_INTERNAL, "engine checked: nothing is kept in buffer %d", buffer);
  sciara_host_fields_download(&e->buffer[buffer].hf, state);
  sciara_step_control_store(&e->buffer[buffer].control, state);
  e->buffer[buffer].taken = false;
  return SCIARA_OK;
}

/** The error for a violated invariant. */
SCIARA_PRINTF(4, 5)
static enum sciara_status found(struct checked *e, int64_t i, const char *invariant, const char *format, ...) {
  char detail[256];
  va_list args;
  va_start(args, format);
  vsnprintf(detail, sizeof detail, format, args); // NOLINT(clang-analyzer-valist.Uninitialized): va_start is just above
  va_end(args);
  int64_t row, col;
  sciara_host_cell(&e->hf, i, &row, &col);
  sciara_step_control_report(&e->control, row, col);
  return sciara_fail(SCIARA_ERR_NUMERIC, "step %" PRIu64 ": row %" PRId64 ", column %" PRId64 ": %s: %s",
                     e->control.now.bad.step, row, col, invariant, detail);
}

/** Loops over the cells of the grid; `i` is the padded index. */
#define FOR_CELLS(e, i)                                    \
  for (int64_t row_ = 0; row_ < (e)->hf.grid.rows; row_++) \
    for (int64_t i = sciara_host_index(&(e)->hf, row_, 0), end_ = i + (e)->hf.grid.cols; i < end_; i++)

// The functions below compare each rounded thickness with the largest rounding error there, and sum up these errors. At
// the end of the step the residual of the ledger must not exceed the sum. See docs/numerics.md, "Mass balance".

/** Half an ulp of 1: the largest relative error of one operation. */
static const double UNIT = 0.5 * SCIARA_REAL_EPSILON;

/**
 * Whether a thickness of `found` m differs from `expected` m by at most the rounding error `most` m, which is summed
 * up.
 */
static bool explains(struct checked *e, double found, double expected, double most) {
  e->explained += most * (e->hf.grid.cell_size * e->hf.grid.cell_size);
  return fabs(found - expected) <= most;
}

/** gamma of one vent; checks the quotient, its rounding and the sum. */
static enum sciara_status emit_one(struct checked *e, int64_t i, double volume) {
  struct sciara_engine_progress *now = &e->control.now;
  const double before = (double)e->hf.f.h[i], w = e->hf.grid.cell_size;
  sciara_pass_emit(&e->hf.f, i, volume, w, (real)e->setup.params->T_vent, now->time);
  if (SCIARA_PLANTED(SCIARA_FAULT_EMISSION)) e->hf.f.h[i] *= 1 + 16 * (real)SCIARA_REAL_EPSILON;
  now->emitted = now->emitted + volume;
  e->explained += 0.5 * DBL_EPSILON * now->emitted;
  const double h = (double)e->hf.f.h[i];
  if (explains(e, h, before + volume / (w * w), 6 * UNIT * h)) return SCIARA_OK;
  return found(e, i, "emission", "%g m of lava after %g m3 came up where %g m were", h, volume, before);
}

static enum sciara_status emit_checked(struct checked *e) {
  const struct sciara_vents *v = e->setup.vents;
  struct sciara_engine_progress *now = &e->control.now;
  const double t = (double)e->t;
  for (int64_t k = 0; k < v->count; k++) {
    const double volume = sciara_vent_volume(v->begin, v->end, v->rate, v->first[k], v->first[k + 1], now->time, t);
    if (!(volume > 0)) continue;
    const int64_t i = sciara_host_index(&e->hf, v->row[k], v->col[k]);
    SCIARA_TRY(emit_one(e, i, volume));
  }
  now->time = now->time + t;
  return SCIARA_OK;
}

static void remember(struct checked *e) {
  copy_fields(&e->before, &e->hf);
  memset(e->donor, 0xff, (size_t)e->hf.count * sizeof *e->donor); // all bits set: NaN
}

static enum sciara_status evaluate_checked(struct checked *e) {
  real t_opt = e->rule.clock_max;
  int64_t last = -1;
  FOR_CELLS(e, i) {
    if (e->hf.f.h[i] == 0) continue;
    bool bad = false;
    if (!sciara_pass_is_sound(&e->rule, &e->hf.f, i))
      return found(e, i, "numbers", "%g m of lava at %g K, altitude %g m, momentum %g, %g m2/s", (double)e->hf.f.h[i],
                   (double)e->hf.f.T[i], (double)e->hf.f.z[i], (double)e->hf.f.px[i], (double)e->hf.f.py[i]);
    real t = sciara_pass_evaluate(&e->rule, &e->hf.f, i, &e->donor[i].evaluation, &bad);
    if (bad) return found(e, i, "time evaluation", "NaN");
    const bool crossing = SCIARA_PLANTED(SCIARA_FAULT_CROSSING), levelling = SCIARA_PLANTED(SCIARA_FAULT_LEVELLING);
    if ((crossing || levelling) && sciara_sheet_crosses(e->setup.params, e->hf.grid.cell_size, &e->hf.f, i) == crossing)
      t = (1 + (real)1e-9) * t;
    sciara_plant_sheet_faults(&e->hf.f, i, &e->donor[i].evaluation,
                              SCIARA_PLANTED(SCIARA_FAULT_PLUG) &&
                                  sciara_sheet_rests(e->setup.params, e->hf.grid.cell_size, &e->hf.f, i));
    if (SCIARA_PLANTED(SCIARA_FAULT_CLOCK) && t < e->rule.clock_max) continue;
    e->donor[i].residual = t; // t_opt of the cell, until the flows are computed
    e->control.now.cell_steps++;
    if (t < t_opt) t_opt = t;
    last = i; // NOLINT(clang-analyzer-deadcode.DeadStores): read if faults are planted
  }
  e->t = sciara_clock(&e->rule, t_opt);
  FOR_CELLS(e, i) {
    if (e->hf.f.h[i] == 0) continue;
    if (!(e->t >= 0) || !(e->t <= sciara_clock(&e->rule, e->donor[i].residual)))
      return found(e, i, "clock", "%g s is not within what this cell allows, %g s", (double)e->t,
                   (double)e->donor[i].residual);
  }
  if (SCIARA_PLANTED(SCIARA_FAULT_UNWRITTEN) && last >= 0)
    memset(&e->donor[last].evaluation, 0xff, sizeof e->donor[last].evaluation);
  return SCIARA_OK;
}

/** Outflows and residual must add up to the thickness of the cell. */
static enum sciara_status check_outflow(struct checked *e, int64_t i, double leaving) {
  const struct sciara_donor *d = &e->donor[i];
  const double h = (double)e->hf.f.h[i], most = h + sciara_leaving_error(&e->hf.f, i, d->evaluation.survivors);
  if (leaving > most) return found(e, i, "outflow", "%g m leave, %g m are there", leaving, h);
  if (!d->evaluation.survivors) return (double)d->residual == h ? SCIARA_OK : found(e, i, "residual", "lava is made");
  const double slack = 8 * UNIT * fmax(h, leaving), made = leaving > h ? most - h : 0;
  if (explains(e, (double)d->residual + leaving, h, slack + made)) return SCIARA_OK;
  return found(e, i, "residual", "%.17g m stay and %.17g m leave, %.17g m were there", (double)d->residual, leaving, h);
}

/** Checks how the sheet of a liquid cell moves. */
static enum sciara_status check_sheet(struct checked *e, int64_t i) {
  char detail[SCIARA_SHEET_DETAIL];
  const char *invariant =
      sciara_sheet_exceeds(e->setup.params, e->hf.grid.cell_size, &e->hf.f, i, &e->donor[i].out, (double)e->t, detail);
  return invariant ? found(e, i, invariant, "%s", detail) : SCIARA_OK;
}

static enum sciara_status flow_checked(struct checked *e) {
  FOR_CELLS(e, i) {
    if (e->hf.f.h[i] == 0) continue;
    bool bad = false;
    struct sciara_donor *d = &e->donor[i];
    d->T = e->hf.f.T[i];
    d->residual = sciara_cell_flow(&d->evaluation, e->hf.f.h[i], e->t, &d->out, &bad);
    const struct sciara_inflow stays = sciara_cell_stays(&d->evaluation, &d->out, d->residual, e->t, d->T);
    if (bad || sciara_is_nan(d->residual) || sciara_is_nan(stays.px))
      return found(e, i, "unwritten memory", "NaN in its flows");
    if (SCIARA_PLANTED(SCIARA_FAULT_OUTFLOW)) d->out.to[4].thickness = 2 * e->hf.f.h[i];
    if (SCIARA_PLANTED(SCIARA_FAULT_RESIDUAL) && d->evaluation.survivors)
      d->residual *= 1 + 16 * (real)SCIARA_REAL_EPSILON;
    double leaving = 0;
    for (int n = 1; n < SCIARA_MOORE; n++) {
      const real out = d->out.to[n].thickness;
      const bool survives = d->evaluation.survivors >> n & 1u;
      if (!(out >= 0) || (!survives && out != 0) || (survives && out > d->evaluation.share[n]))
        return found(e, i, "outflow", "%g m leave to neighbour %d", (double)out, n);
      leaving += (double)out;
    }
    SCIARA_TRY(check_outflow(e, i, leaving));
    SCIARA_TRY(check_sheet(e, i));
  }
  return SCIARA_OK;
}

static struct sciara_inflow gather(const struct checked *e, int64_t i) {
  const struct sciara_donor *own = &e->donor[i];
  struct sciara_inflow inflow = {0, 0, 0, 0};
  if (e->before.f.h[i] > 0) inflow = sciara_cell_stays(&own->evaluation, &own->out, own->residual, e->t, own->T);
  for (int n = 1; n < SCIARA_MOORE; n++) {
    const int64_t j = i + sciara_moore_offset(n, e->hf.f.stride);
    if (!(e->before.f.h[j] > 0) || (SCIARA_PLANTED(SCIARA_FAULT_MASS) && n == 1)) continue;
    sciara_inflow_add(&inflow, n, e->donor[j].out.to[sciara_moore_reverse(n)], e->donor[j].T);
  }
  return inflow;
}

/** Checks the inflow: mass and heat, summed in the opposite order. */
static enum sciara_status check_inflow(struct checked *e, int64_t i, const struct sciara_inflow *inflow) {
  double h = 0, coldest = INFINITY, hottest = 0;
  int parts = 0;
  for (int n = SCIARA_MOORE - 1; n >= 0; n--) {
    const int64_t j = i + sciara_moore_offset(n, e->hf.f.stride);
    if (!(e->before.f.h[j] > 0)) continue;
    const double part =
        n ? (double)e->donor[j].out.to[sciara_moore_reverse(n)].thickness : (double)e->donor[j].residual;
    if (!(part > 0)) continue;
    h += part;
    parts++;
    coldest = fmin(coldest, (double)e->donor[j].T);
    hottest = fmax(hottest, (double)e->donor[j].T);
  }
  const double slack = 16 * SCIARA_REAL_EPSILON;
  if (!explains(e, (double)inflow->h, h, parts > 1 ? 2 * SCIARA_MOORE * UNIT * h : 0))
    return found(e, i, "mass", "%g m gathered, %g m sent", (double)inflow->h, h);
  const double T = h > 0 ? (double)SCIARA_HEAT_FROM + (double)inflow->heat / (double)inflow->h : 0;
  if (h > 0 && !(T >= coldest * (1 - slack) && T <= hottest * (1 + slack)))
    return found(e, i, "temperature", "mixed to %g K from %g to %g K", T, coldest, hottest);
  return SCIARA_OK;
}

/**
 * A recorded maximum must be the larger of its old value and the new value of the cell; `value`: 0 if there is none.
 */
static enum sciara_status check_maximum(struct checked *e, int64_t i, const char *name, real is, real was, real value) {
  const real expected = value > was ? value : was;
  if (is == expected) return SCIARA_OK;
  return found(e, i, "maximum", "%s is %.17g, expected %.17g: %.17g before, %.17g now", name, (double)is,
               (double)expected, (double)was, (double)value);
}

static enum sciara_status check_maxima(struct checked *e, int64_t i) {
  const struct sciara_fields *f = &e->hf.f, *was = &e->before.f;
  const bool liquid = f->h[i] > 0;
#define SCIARA_RECORDED_FIELD(member, NAME, OF, value)                                                          \
  if (f->member) {                                                                                              \
    const bool ground = SCIARA_IS_OF_GROUND(OF) && e->outcome[i] == SCIARA_OUTCOME_ROCK;                        \
    const real solid = SCIARA_IS_OF_GROUND(OF) ? sciara_solid(f->z[i], f->z0[i]) : (real)0;                     \
    const real now = liquid || ground ? sciara_recorded_##member(f->h[i], f->px[i], f->py[i], solid) : (real)0; \
    SCIARA_TRY(check_maximum(e, i, #member, f->member[i], was->member[i], now));                                \
  }
#include "model/fields.def"
  return SCIARA_OK;
}

/** Checks the values of a cell at the end of a step. */
static enum sciara_status check_cell(struct checked *e, int64_t i) {
  const struct sciara_fields *f = &e->hf.f, *was = &e->before.f;
  const double s = e->control.now.time;
  const bool held = e->outcome[i] != SCIARA_OUTCOME_DRY;
  if (!(f->h[i] >= 0)) return found(e, i, "thickness", "%g m", (double)f->h[i]);
  if (f->h[i] > 0 && f->kind[i] != SCIARA_CELL_INTERIOR)
    return found(e, i, "rim", "%g m of liquid lava", (double)f->h[i]);
  if (f->h[i] > 0 && !(f->T[i] > e->rule.T_sol)) return found(e, i, "temperature", "%.9g K", (double)f->T[i]);
  if (!isfinite((double)f->px[i]) || !isfinite((double)f->py[i]))
    return found(e, i, "momentum", "%g, %g m2/s", (double)f->px[i], (double)f->py[i]);
  if (f->h[i] == 0 && (f->T[i] != 0 || f->px[i] != 0 || f->py[i] != 0))
    return found(e, i, "dry cell", "T %g K, momentum %g, %g m2/s", (double)f->T[i], (double)f->px[i], (double)f->py[i]);
  if (e->outcome[i] != SCIARA_OUTCOME_ROCK && f->z[i] != was->z[i])
    return found(e, i, "altitude", "%.17g m, %.17g m before", (double)f->z[i], (double)was->z[i]);
  if (was->arrival[i] >= 0 ? f->arrival[i] != was->arrival[i] : held ? f->arrival[i] != s : f->arrival[i] >= 0)
    return found(e, i, "arrival", "%.17g s, %.17g s before, now is %.17g s", f->arrival[i], was->arrival[i], s);
  if (f->lost[i] < was->lost[i] || (f->lost[i] > 0 && !sciara_takes_lava(f->kind[i])))
    return found(e, i, "lost", "%g m", f->lost[i]);
  return check_maxima(e, i);
}

/** Frame, padding and NODATA cells must never be written. */
static enum sciara_status check_guard(struct checked *e) {
  for (int64_t i = 0; i < e->hf.count; i++) {
    if (e->hf.kind[i] != SCIARA_CELL_NODATA) continue;
    const struct sciara_fields *f = &e->hf.f;
    const bool whole = f->z[i] == SCIARA_WALL && f->h[i] == 0 && f->T[i] == 0 && f->px[i] == 0 && f->py[i] == 0 &&
                       f->lost[i] == 0 && f->arrival[i] == SCIARA_NEVER;
    if (!whole) return found(e, i, "guard", "a cell outside the DEM was written");
  }
  return SCIARA_OK;
}

/** Checks the outcome for the lava of an inflow: it is in the cell, part of its ground, or lost. */
static enum sciara_status check_outcome(struct checked *e, int64_t i, double h, enum sciara_outcome outcome) {
  const struct sciara_fields *f = &e->hf.f, *was = &e->before.f;
  const double rise = (double)f->z[i] - (double)was->z[i], lost = f->lost[i] - was->lost[i];
  const double highest = fmax(fabs((double)f->z[i]), fabs((double)was->z[i]));
  if (outcome == SCIARA_OUTCOME_ROCK && !(rise >= 0 && explains(e, rise, h, 2 * UNIT * highest)))
    return found(e, i, "altitude", "%.17g m, %.17g m before %g m turned to rock", (double)f->z[i], (double)was->z[i],
                 h);
  if ((outcome == SCIARA_OUTCOME_LOST || outcome == SCIARA_OUTCOME_SEA) &&
      !explains(e, lost, h, DBL_EPSILON * f->lost[i]))
    return found(e, i, "lost", "%g m of %g m", lost, h);
  if (outcome == SCIARA_OUTCOME_LIQUID && (double)f->h[i] != h)
    return found(e, i, "thickness", "%.17g m, %.17g m gathered", (double)f->h[i], h);
  return SCIARA_OK;
}

static enum sciara_status settle_checked(struct checked *e) {
  struct sciara_tally tally = {0, 0, 0};
  FOR_CELLS(e, i) {
    e->outcome[i] = SCIARA_OUTCOME_DRY;
    if (e->hf.kind[i] == SCIARA_CELL_NODATA) continue;
    bool bad = false;
    struct sciara_inflow inflow = gather(e, i);
    if (SCIARA_PLANTED(SCIARA_FAULT_HEAT)) inflow.heat = 2 * inflow.heat;
    SCIARA_TRY(check_inflow(e, i, &inflow));
    const enum sciara_outcome outcome =
        sciara_pass_settle(&e->rule, &e->hf.f, i, inflow, e->t, e->control.now.time, &bad);
    if (bad) return found(e, i, "temperature", "NaN");
    if (SCIARA_PLANTED(SCIARA_FAULT_ROCK) && outcome == SCIARA_OUTCOME_ROCK) e->hf.f.z[i] -= inflow.h;
    if (SCIARA_PLANTED(SCIARA_FAULT_LOST) && outcome == SCIARA_OUTCOME_LOST) e->hf.f.lost[i] *= 1 + 16 * DBL_EPSILON;
    SCIARA_TRY(check_outcome(e, i, (double)inflow.h, outcome));
    const double mixed =
        (double)SCIARA_HEAT_FROM + (double)inflow.heat / (double)inflow.h; // lava only cools, up to rounding
    if (outcome == SCIARA_OUTCOME_LIQUID && !((double)e->hf.f.T[i] <= mixed * (1 + 16 * SCIARA_REAL_EPSILON)))
      return found(e, i, "temperature", "%.9g K after cooling from %.9g K", (double)e->hf.f.T[i], mixed);
    sciara_tally_count(&tally, outcome);
    e->outcome[i] = outcome;
    sciara_plant_faults(&e->hf.f, i, outcome);
  }
  sciara_step_control_add(&e->control, &tally);
  return SCIARA_OK;
}

/** Checks the ledger of the whole grid; its sums add one rounding per cell. */
static enum sciara_status check_ledger(struct checked *e) {
  struct sciara_ledger ledger;
  int64_t covered = 0;
  sciara_ledger_form(e->shadow, sciara_rounding_usual(SCIARA_REAL_EPSILON), &ledger);
  for (int64_t i = 0; i < sciara_grid_cells(&e->shadow->grid); i++) covered += e->shadow->arrival[i] >= 0;
  const double given = sciara_ledger_given(&ledger), sums = DBL_EPSILON * (double)(covered + 8) * given;
  const double open = ledger.residual_m3 - e->residual, most = e->explained + sums;
  if (fabs(open) <= most) return SCIARA_OK;
  sciara_step_control_report(&e->control, -1, -1);
  return sciara_fail(SCIARA_ERR_NUMERIC, "step %" PRIu64 ": ledger: %g m3 are missing, rounding explains %g m3",
                     e->control.now.bad.step, open, most);
}

static enum sciara_status check_step(struct checked *e) {
  int64_t liquid = 0;
  e->control.now.thick = false;
  FOR_CELLS(e, i) {
    liquid += e->hf.f.h[i] > 0;
    e->control.now.thick |= sciara_step_control_is_thick(&e->control, (double)e->hf.f.h[i]);
    if (e->hf.kind[i] != SCIARA_CELL_NODATA) SCIARA_TRY(check_cell(e, i));
  }
  e->control.now.liquid_cells = liquid;
  SCIARA_TRY(check_guard(e));
  SCIARA_TRY(download_checked(e, e->shadow));
  return check_ledger(e);
}

static enum sciara_status step_checked(void *engine) {
  struct checked *e = (struct checked *)engine;
  SCIARA_TRY(emit_checked(e));
  remember(e);
  SCIARA_TRY(evaluate_checked(e));
  SCIARA_TRY(flow_checked(e));
  SCIARA_TRY(settle_checked(e));
  SCIARA_TRY(check_step(e));
  e->control.now.clock = (double)e->t;
  e->control.now.step++;
  return SCIARA_OK;
}

static enum sciara_status advance_checked(void *engine, const struct sciara_stop *stop,
                                          struct sciara_engine_progress *progress) {
  return sciara_step_control_run(&((struct checked *)engine)->control, stop, step_checked, engine, progress);
}

static void memory_checked(const struct sciara_grid *grid, unsigned record, size_t *host, size_t *device) {
  const size_t cells = (size_t)(grid->rows + 2) * (size_t)(grid->cols + 2);
  *host = 2 * sciara_host_fields_memory(grid, record) + sciara_state_memory(grid, record) +
          cells * (sizeof(struct sciara_donor) + sizeof(enum sciara_outcome));
  *device = 0;
}

static void keep_memory(const struct sciara_grid *grid, unsigned record, size_t *host, size_t *device) {
  *host = SCIARA_BUFFERS * sciara_host_fields_memory(grid, record);
  *device = 0;
}

const struct sciara_engine_ops SCIARA_NAME(sciara_engine_checked) = {
    .name = "checked",
    .summary = "whole grid, every invariant of the model verified in every step; for tests",
    .capabilities = SCIARA_FOR_TESTS,
    .determinism = SCIARA_EXACT,
    .create = create_checked,
    .destroy = destroy_checked,
    .upload = upload_checked,
    .download = download_checked,
    .advance = advance_checked,
    .memory = memory_checked,
    .keep = keep,
    .collect = collect,
    .keep_memory = keep_memory,
};
