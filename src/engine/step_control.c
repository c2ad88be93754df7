// SPDX-License-Identifier: Apache-2.0
#include "engine/step_control.h"

#include <inttypes.h>

#include "base/wallclock.h"

enum { DEFAULT_WALL_MS = 100 };

/** Number of cells that are not dry, including those with invalid numbers, which the first step must find. */
static int64_t not_dry(const struct sciara_state *s) {
  const int64_t cells = sciara_grid_cells(&s->grid);
  int64_t count = 0;
  for (int64_t i = 0; i < cells; i++) count += s->h[i] != 0;
  return count;
}

void sciara_step_control_load(struct sciara_step_control *c, const struct sciara_state *s,
                              const struct sciara_vents *vents) {
  *c = (struct sciara_step_control){.now = {.step = s->step,
                                            .time = s->time,
                                            .clock = s->clock,
                                            .emitted = s->emitted,
                                            .liquid_cells = not_dry(s),
                                            .solidifications = s->solidifications,
                                            .bad = {.row = -1, .col = -1}},
                                    .vents_end = sciara_vents_end(vents),
                                    .thickest = (double)INFINITY};
}

void sciara_step_control_store(const struct sciara_step_control *c, struct sciara_state *s) {
  s->step = c->now.step;
  s->time = c->now.time;
  s->clock = c->now.clock;
  s->emitted = c->now.emitted;
  s->solidifications = c->now.solidifications;
}

struct sciara_stop_rule sciara_step_control_rule(const struct sciara_step_control *c, const struct sciara_stop *stop) {
  return (struct sciara_stop_rule){.steps = stop->steps,
                                   .time = stop->time,
                                   .vents_end = c->vents_end,
                                   .thickness = stop->thickness > 0 ? stop->thickness : (double)INFINITY,
                                   .solidified = stop->solidified,
                                   .reached = stop->reached ? stop->reached : UINT64_MAX};
}

static enum sciara_stop_reason reached(const struct sciara_step_control *c, const struct sciara_stop *stop) {
  const struct sciara_stop_rule rule = sciara_step_control_rule(c, stop);
  const enum sciara_stop_reason reason =
      sciara_stop_test(&rule, c->now.step, c->now.time, c->now.clock, c->now.liquid_cells != 0, c->now.thick);
  const bool error = reason == SCIARA_STOP_STALLED || reason == SCIARA_STOP_THICK;
  if (reason != SCIARA_STOP_NONE && !(error && c->now.bad.step)) return reason;
  if (c->now.reached >= rule.reached) return SCIARA_STOP_REACHED;
  if (stop->cancel && __atomic_load_n(stop->cancel, __ATOMIC_RELAXED)) return SCIARA_STOP_CANCEL;
  return SCIARA_STOP_NONE;
}

/** Forgets the bad cell. */
static void forget_bad(struct sciara_step_control *c) {
  c->now.bad.step = 0;
  c->now.bad.row = c->now.bad.col = -1;
}

enum sciara_status sciara_step_control_between_steps(const struct sciara_step_control *c) {
  if (!c->evaluated) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INTERNAL, "step %" PRIu64 " has been evaluated; expected `move`", c->now.step + 1);
}

enum sciara_status sciara_step_control_evaluate(struct sciara_step_control *c, double thickness) {
  SCIARA_TRY(sciara_step_control_between_steps(c));
  c->evaluated = true;
  c->now.reason = SCIARA_STOP_NONE;
  c->thickest = thickness > 0 ? thickness : (double)INFINITY;
  c->now.thick = false;
  forget_bad(c);
  return SCIARA_OK;
}

enum sciara_status sciara_step_control_move(struct sciara_step_control *c, double t_opt) {
  if (!c->evaluated)
    return sciara_fail(SCIARA_ERR_INTERNAL, "`move` in step %" PRIu64 " comes before `evaluate`", c->now.step + 1);
  if (!(t_opt > 0))
    return sciara_fail(SCIARA_ERR_INTERNAL, "`move` in step %" PRIu64 " with t_opt = %g s; expected a positive time",
                       c->now.step + 1, t_opt);
  c->evaluated = false;
  return SCIARA_OK;
}

bool sciara_step_control_begin(struct sciara_step_control *c, const struct sciara_stop *stop) {
  forget_bad(c);
  c->thickest = sciara_step_control_rule(c, stop).thickness;
  c->now.thick = false;
  c->wall_until = sciara_wallclock() + 1e-3 * (stop->max_wall_ms ? stop->max_wall_ms : DEFAULT_WALL_MS);
  c->now.reason = reached(c, stop);
  return c->now.reason == SCIARA_STOP_NONE;
}

bool sciara_step_control_stop(struct sciara_step_control *c, const struct sciara_stop *stop) {
  c->now.reason = reached(c, stop);
  if (c->now.reason == SCIARA_STOP_NONE && sciara_wallclock() >= c->wall_until) c->now.reason = SCIARA_STOP_WALL;
  return c->now.reason != SCIARA_STOP_NONE;
}

void sciara_step_control_report(struct sciara_step_control *c, int64_t row, int64_t col) {
  const bool first = c->now.bad.step == 0 || row < c->now.bad.row || (row == c->now.bad.row && col < c->now.bad.col);
  c->now.bad.step = c->now.step + 1;
  if (!first) return;
  c->now.bad.row = row;
  c->now.bad.col = col;
}

enum sciara_status sciara_step_control_status(const struct sciara_step_control *c) {
  if (c->now.reason == SCIARA_STOP_STALLED)
    return sciara_fail(SCIARA_ERR_NUMERIC,
                       "after step %" PRIu64
                       ": the simulated time, %.17g s, no longer grows: the next step of %.6g s is "
                       "lost in its rounding; the state is that of this step",
                       c->now.step, c->now.time, c->now.clock);
  if (c->now.bad.step == 0) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_NUMERIC, "step %" PRIu64 ": row %" PRId64 ", column %" PRId64 ": " SCIARA_UNSOUND_TEXT,
                     c->now.bad.step, c->now.bad.row, c->now.bad.col);
}

enum sciara_status sciara_step_control_run(struct sciara_step_control *c, const struct sciara_stop *stop,
                                           enum sciara_status (*step)(void *engine), void *engine,
                                           struct sciara_engine_progress *progress) {
  enum sciara_status status = SCIARA_OK;
  bool done = !sciara_step_control_begin(c, stop);
  while (!done && status == SCIARA_OK) {
    status = step(engine);
    done = sciara_step_control_stop(c, stop);
  }
  *progress = c->now;
  return status == SCIARA_OK ? sciara_step_control_status(c) : status;
}
