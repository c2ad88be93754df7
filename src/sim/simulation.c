// SPDX-License-Identifier: Apache-2.0
#include "sim/simulation.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/wallclock.h"
#include "engine/banded.h"
#include "geometry/polyline.h"
#include "model/ground_change.h"
#include "model/ledger.h"
#include "sim/choose_engine.h"

/** Whether OMP_NUM_THREADS determines that number. */
static bool threads_by_environment(const struct sciara_engine_ops *ops, int requested) {
  const char *set = getenv("OMP_NUM_THREADS"); // may be a list: "4,2"
  return set && requested == 0 && ops && ops->threads && atoi(set) == ops->threads(0);
}

/** Says which engine computes, and how. */
static void note_engine(const struct sciara_simulation *s, const struct sciara_engine_options *options) {
  const struct sciara_problem *p = &s->problem;
  const char *how = strcmp(p->engine.name, "auto") == 0 ? " (chosen by auto)" : "";
  const enum sciara_isa isa = options->isa == SCIARA_ISA_BEST ? sciara_isa_best() : (enum sciara_isa)options->isa;
  const bool choice = sciara_engine_follows(s->ops, "isa");
  char ranks[64] = "";
  if (s->ops == &s->banded) snprintf(ranks, sizeof ranks, " in each of %d bands", s->problem.comm->size);
  sciara_note(s->problem.notes, SCIARA_LOG_INFO, "engine: %s%s%s%s, %s precision, %s%d %s%s%s", s->ops->name, how,
              choice ? ", instructions " : "", choice ? sciara_isa_name(isa) : "",
              sciara_precision_name(sciara_chosen_precision(&p->engine)),
              s->threads > 1 && p->engine.threads == 0 ? "up to " : "", s->threads,
              sciara_plural((uint64_t)s->threads, "thread", "threads"),
              threads_by_environment(s->ops, p->engine.threads) ? " (OMP_NUM_THREADS)" : "", ranks);
}

static enum sciara_status make_engine(struct sciara_simulation *s) {
  const struct sciara_problem *p = &s->problem;
  const struct sciara_state *state = s->problem.state;
  const struct sciara_engine_ops *inner;
  SCIARA_TRY(sciara_vents_check(s->problem.vents, &state->grid, state->kind)); // an engine writes to their cells
  if (s->problem.ops)
    s->ops = s->problem.ops;
  else
    SCIARA_TRY(sciara_engine_choose(&p->engine, p->params.rule, p->notes, &s->ops));
  inner = s->ops;
  SCIARA_TRY(sciara_engine_choose_bands(&p->engine, p->notes, inner, s->problem.comm, &s->banded, &s->ops));
  const bool banded = s->ops == &s->banded;
  const int requested = p->engine.threads;
  s->threads =
      sciara_engine_threads(s->ops, banded ? sciara_banded_threads(inner, s->problem.comm, requested) : requested);
  const struct sciara_engine_options options = sciara_chosen_options(&p->engine);
  note_engine(s, &options);
  const struct sciara_engine_setup setup = {.params = &s->problem.params,
                                            .vents = s->problem.vents,
                                            .boundary = p->boundary,
                                            .threads = p->engine.threads,
                                            .device = p->engine.device,
                                            .options = options,
                                            .profile = p->engine.profile,
                                            .keeps = s->keeps,
                                            .comm = s->problem.comm,
                                            .inner = inner};
  SCIARA_TRY(s->ops->create(&setup, &s->engine));
  return s->ops->upload(s->engine, state);
}

/** The front at rest and the progress, for a state that no engine has yet. */
static void begin(struct sciara_simulation *s) {
  const struct sciara_state *state = s->problem.state;
  sciara_front_rest_begin(&s->rest, s->problem.run.rest_s, s->last_change, s->problem.vents, state);
  s->finished = SCIARA_STOP_NONE;
  s->progress = (struct sciara_engine_progress){.step = state->step,
                                                .time = state->time,
                                                .clock = state->clock,
                                                .liquid_cells = sciara_state_liquid_cells(state)};
}

enum sciara_status sciara_simulation_create(struct sciara_problem *problem, bool keeps,
                                            struct sciara_simulation **out) {
  struct sciara_simulation *s = NULL;
  *out = NULL;
  enum sciara_status status = SCIARA_NEW(s, 1, "simulation");
  if (status != SCIARA_OK) {
    sciara_problem_free(problem);
    return status;
  }
  s->problem = *problem;
  *problem = (struct sciara_problem){0};
  const struct sciara_problem *p = &s->problem;
  s->until_time = sciara_limits_end(&p->run);
  s->until_step = p->run.max_steps;
  s->last_change = fmax(s->problem.last_change_s, sciara_site_last_change(s->problem.site));
  s->keeps = keeps;
  s->state_is_current = true;
  begin(s);
  status = make_engine(s);
  if (status != SCIARA_OK) {
    sciara_simulation_destroy(s);
    return status;
  }
  *out = s;
  return SCIARA_OK;
}

void sciara_simulation_destroy(struct sciara_simulation *s) {
  if (!s) return;
  if (s->engine) s->ops->destroy(s->engine);
  sciara_problem_free(&s->problem);
  sciara_free(s);
}

/** The part of the stop rule that is met; a run also ends when nothing more can happen. */
static enum sciara_stop_reason met(const struct sciara_simulation *s) {
  if (s->progress.reason == SCIARA_STOP_SOLIDIFIED) return SCIARA_STOP_SOLIDIFIED;
  if (s->progress.time >= s->until_time) return SCIARA_STOP_TIME;
  if (s->progress.step >= s->until_step) return SCIARA_STOP_STEPS;
  return SCIARA_STOP_NONE;
}

/** After a failed step the state of the engine is invalid: nothing more is computed with it or read from it. */
static enum sciara_status refuse_failed(const struct sciara_simulation *s) {
  if (s->failed == SCIARA_OK) return SCIARA_OK;
  return sciara_fail(s->failed, "an earlier step of this simulation failed; its state is invalid");
}

/** The cell with most liquid lava, the first in row-major order. */
static int64_t thickest_cell(const struct sciara_state *s) {
  int64_t thickest = 0;
  for (int64_t i = 1; i < sciara_grid_cells(&s->grid); i++)
    if (s->h[i] > s->h[thickest]) thickest = i;
  return thickest;
}

/** Fails if a cell of the state, which is up to date, is thicker than the scenario allows. */
static enum sciara_status refuse_thick(struct sciara_simulation *s) {
  const struct sciara_state *state = s->problem.state;
  const double most = s->problem.run.thickest_m;
  const int64_t i = most > 0 ? thickest_cell(state) : 0;
  if (!(most > 0) || !(state->h[i] > most)) return SCIARA_OK;
  s->finished = SCIARA_STOP_THICK;
  return sciara_fail(
      SCIARA_ERR_NUMERIC,
      "step %" PRIu64 ", simulated time %.10g s (%s): row %" PRId64 ", column %" PRId64
      " has %.6g m of liquid lava, run.max_thickness_m allows %g m; the state is that of this step. Where a vent emits "
      "more than its cell can pass on, give it an area (vents[].radius_m, or width_m of a line) or use larger cells "
      "(dem.cell_size_m): 'sciara check' prints which suffice",
      state->step, state->time, SCIARA_DURATION(state->time), s->problem.row + i / state->grid.cols,
      s->problem.col + i % state->grid.cols, state->h[i], most);
}

/** Whether a cell of the rim lies within the DEM: beside one without an altitude. */
static bool is_within(const struct sciara_grid *g, int64_t cell) {
  const int64_t row = cell / g->cols, col = cell % g->cols;
  return row > 0 && row < g->rows - 1 && col > 0 && col < g->cols - 1;
}

/**
 * Tells when lava first left through cells of a kind; without a state, by when: steps are reported many at a time. At the rim of a
 * window also with which margin around the vents it may stay inside; at NODATA within the DEM where these are.
 */
static void tell_loss(struct sciara_simulation *s, enum sciara_status status, enum sciara_cell_kind kind) {
  const struct sciara_notes *notes = s->problem.notes;
  const bool sea = kind == SCIARA_CELL_SEA;
  const double margin = sea ? 0 : s->problem.site->origin.window.margin_m;
  const struct sciara_grid *g = &s->problem.grid;
  char cure[128] = "", hole[160] = "";
  int64_t cell = 0;
  if (notes == &sciara_no_notes) return;
  const bool known = status == SCIARA_OK && sciara_simulation_sync(s) == SCIARA_OK;
  const double first = known ? sciara_lost_from(s->problem.state, kind, &cell) : (double)NAN;
  if (!sea && is_within(g, cell)) {
    const struct sciara_point at = sciara_cell_centre(g, cell / g->cols, cell % g->cols);
    snprintf(
        hole, sizeof hole,
        "lava has reached cells of the DEM without an altitude (NODATA) at x %.10g, y %.10g, and leaves the domain",
        at.x, at.y);
    snprintf(cure, sizeof cure, "; gdal_fillnodata.py fills holes, --set dem.sea=nodata makes them sea");
  } else if (margin > 0) {
    snprintf(cure, sizeof cure, "; with --set dem.window_margin_m=%.10g it stays inside if it runs no farther",
             2 * margin);
  }
  sciara_note(notes, sea ? SCIARA_LOG_INFO : SCIARA_LOG_WARNING, "%s (%ssimulated time %.0f s); it is counted %s%s",
              sea     ? "lava has entered the sea"
              : *hole ? hole
                      : "lava has reached the rim of the DEM and leaves the domain",
              isnan(first) ? "by " : "", isnan(first) ? s->progress.time : first, sea ? "apart" : "as lost", cure);
}

/** Executes steps until `stop`. */
static enum sciara_status advance_to(struct sciara_simulation *s, const struct sciara_stop *stop,
                                     const struct sciara_advance_limit *limit) {
  bool warned = s->progress.losses > 0, sea_reported = s->progress.sea_losses > 0, interrupted;
  enum sciara_status status;
  do {
    const double begin = sciara_wallclock();
    s->state_is_current = false;
    status = s->ops->advance(s->engine, stop, &s->progress);
    s->compute_s += sciara_wallclock() - begin;
    s->progress.losses += s->losses_before;
    s->progress.sea_losses += s->sea_losses_before;
    if (!warned && s->progress.losses > 0) {
      warned = true;
      tell_loss(s, status, SCIARA_CELL_RIM);
    }
    if (!sea_reported && s->progress.sea_losses > 0) {
      sea_reported = true;
      tell_loss(s, status, SCIARA_CELL_SEA);
    }
    interrupted = limit->tick && limit->tick(limit->tick_context, s);
  } while (status == SCIARA_OK && s->progress.reason == SCIARA_STOP_WALL && !interrupted &&
           !(limit->due > 0 && sciara_wallclock() >= limit->due));
  const bool stalled = status == SCIARA_ERR_NUMERIC && s->progress.reason == SCIARA_STOP_STALLED;
  if (stalled)
    s->finished = SCIARA_STOP_STALLED; // the last step was valid
  else
    s->failed = status;
  return status;
}

/** After steps without an error: which part of the stop rule is met. */
static enum sciara_status decide(struct sciara_simulation *s) {
  s->finished = met(s);
  if (s->progress.reason == SCIARA_STOP_THICK) {
    SCIARA_TRY(sciara_simulation_sync(s));
    return refuse_thick(s);
  }
  if (s->finished != SCIARA_STOP_NONE || !(s->rest.duration > 0) || s->progress.time < s->rest.due) return SCIARA_OK;
  SCIARA_TRY(sciara_simulation_sync(s));
  if (sciara_front_rest_met(&s->rest, s->problem.state)) s->finished = SCIARA_STOP_FRONT;
  return SCIARA_OK;
}

enum sciara_status sciara_simulation_judge(struct sciara_simulation *s) {
  const bool over =
      s->progress.liquid_cells == 0 && s->progress.time >= fmax(sciara_vents_end(s->problem.vents), s->last_change);
  if (over) s->progress.reason = SCIARA_STOP_SOLIDIFIED; // what engines say at the end of a step
  return decide(s);
}

/** The state goes to a new engine of the same kind. */
static enum sciara_status renew_engine(struct sciara_simulation *s) {
  s->losses_before = s->progress.losses; // the engine counts from its start
  s->sea_losses_before = s->progress.sea_losses;
  s->ops->destroy(s->engine);
  s->engine = NULL;
  s->failed = make_engine(s); // without an engine there is nothing more to compute
  return s->failed;
}

/** Does the changes of the ground that are due. */
static enum sciara_status change_ground(struct sciara_simulation *s, const struct sciara_advance_limit *limit) {
  const struct sciara_notes *notes = s->problem.notes;
  if (limit->before_change) SCIARA_TRY(limit->before_change(limit->tick_context));
  SCIARA_TRY(sciara_simulation_sync(s));
  SCIARA_TRY(sciara_problem_change_due(&s->problem));
  s->problem.notes = &sciara_no_notes; // which engine it is was said
  const enum sciara_status status = renew_engine(s);
  s->problem.notes = notes;
  return status == SCIARA_OK ? sciara_simulation_judge(s) : status;
}

enum sciara_status sciara_simulation_advance(struct sciara_simulation *s, const struct sciara_advance_limit *limit) {
  SCIARA_TRY(refuse_failed(s));
  if (s->state_is_current) SCIARA_TRY(refuse_thick(s)); // engines test it at the end of a step only
  const double most = s->problem.run.thickest_m, notice = limit->thickness;
  struct sciara_stop stop = {.steps = limit->step < s->until_step ? limit->step : s->until_step,
                             .thickness = most > 0 && notice > 0 ? fmin(most, notice) : fmax(most, notice),
                             .reached = limit->reached,
                             .cancel = limit->cancel};
  bool again; // the front still moves
  do {
    const double due = s->rest.duration > 0 ? s->rest.due : (double)INFINITY;
    const double change = sciara_site_next_change(s->problem.site);
    stop.solidified = s->progress.time >= s->last_change;
    stop.time = fmin(fmin(limit->time, s->until_time), fmin(due, change));
    SCIARA_TRY(advance_to(s, &stop, limit));
    SCIARA_TRY(decide(s));
    if (s->finished == SCIARA_STOP_NONE && s->progress.time >= change) SCIARA_TRY(change_ground(s, limit));
    again = s->finished == SCIARA_STOP_NONE && s->progress.reason == SCIARA_STOP_TIME &&
            s->progress.time >= fmin(due, change) && s->progress.time < limit->time;
  } while (again);
  return SCIARA_OK;
}

enum sciara_status sciara_simulation_change_vents(struct sciara_simulation *s) {
  renew_engine(s);
  sciara_front_rest_begin(&s->rest, s->problem.run.rest_s, s->last_change, s->problem.vents, s->problem.state);
  s->progress.reason = SCIARA_STOP_NONE;
  s->finished = met(s);
  return s->failed;
}

enum sciara_status sciara_simulation_move(struct sciara_simulation *s, struct sciara_vents *vents,
                                          struct sciara_state *state, int64_t row, int64_t col) {
  struct sciara_problem *p = &s->problem;
  if (s->engine) s->ops->destroy(s->engine); // first: its memory is free for the next one
  s->engine = NULL;
  sciara_vents_destroy(p->vents);
  sciara_state_destroy(p->state);
  sciara_site_release(p->site);
  p->site = sciara_site_retain(state->site);
  p->grid = state->grid;
  p->vents = vents;
  p->state = state;
  p->row = row;
  p->col = col;
  s->state_is_current = true;
  begin(s);
  s->failed = make_engine(s);
  return s->failed;
}

struct sciara_end sciara_simulation_ended(const struct sciara_simulation *s) {
  const struct sciara_problem *p = &s->problem;
  const bool own_time = p->run.until == SCIARA_UNTIL_TIME && p->run.until_s <= p->run.max_time_s;
  struct sciara_end end = {.reason = s->finished, .step = s->progress.step, .time = s->progress.time};
  if (end.reason == SCIARA_STOP_NONE && s->failed == SCIARA_OK) end.reason = SCIARA_STOP_CANCEL;
  end.censored = sciara_end_is_early(end.reason, own_time);
  return end;
}

bool sciara_simulation_keeps(const struct sciara_simulation *s) { return s->ops->keep != NULL; }

enum sciara_status sciara_simulation_keep(struct sciara_simulation *s, int buffer, struct sciara_state *state) {
  SCIARA_TRY(refuse_failed(s));
  return s->ops->keep ? s->ops->keep(s->engine, buffer) : s->ops->download(s->engine, state);
}

enum sciara_status sciara_simulation_collect(const struct sciara_simulation *s, int buffer,
                                             struct sciara_state *state) {
  return s->ops->keep ? s->ops->collect(s->engine, buffer, state) : SCIARA_OK;
}

enum sciara_status sciara_simulation_sync(struct sciara_simulation *s) {
  SCIARA_TRY(refuse_failed(s));
  if (s->state_is_current) return SCIARA_OK;
  SCIARA_TRY(s->ops->download(s->engine, s->problem.state));
  s->state_is_current = true;
  return SCIARA_OK;
}

enum sciara_status sciara_simulation_ledger(struct sciara_simulation *s, struct sciara_ledger *out) {
  SCIARA_TRY(sciara_simulation_sync(s));
  sciara_ledger_form(s->problem.state, s->problem.rounding, out);
  return SCIARA_OK;
}
