// SPDX-License-Identifier: Apache-2.0
// The common part of all engines that control their steps on the host: time, totals, the stop rule, the first bad cell.
#ifndef SCIARA_ENGINE_STEP_CONTROL_H
#define SCIARA_ENGINE_STEP_CONTROL_H

#include <math.h>

#include "engine/band.h"
#include "engine/stop_rule.h"
#include "model/soundness.h"
#include "model/tally.h"

SCIARA_BEGIN_DECLS

/** The end of the vents and the running totals of an engine. */
struct sciara_step_control {
  struct sciara_engine_progress now;
  double vents_end;  ///< from this time on no vent emits, s
  double wall_until; ///< wall-clock time at which `advance` returns, s
  double thickest;   ///< the largest thickness that does not end this `advance`, m; INFINITY: any
  bool evaluated;    ///< between the phases of a step
};

/** Loads time and totals of a state. */
void sciara_step_control_load(struct sciara_step_control *c, const struct sciara_state *s,
                              const struct sciara_vents *vents);

/** Writes time and totals into a state. */
void sciara_step_control_store(const struct sciara_step_control *c, struct sciara_state *s);

/** The stop rule of an `advance`. */
struct sciara_stop_rule sciara_step_control_rule(const struct sciara_step_control *c, const struct sciara_stop *stop);

/** Whether the engine has to set now.thick at the end of each step, with sciara_step_control_is_thick. */
static inline bool sciara_step_control_limits(const struct sciara_step_control *c) {
  return c->thickest < (double)INFINITY;
}

/** Whether thickness h of a cell, m, ends this `advance`. */
static inline bool sciara_step_control_is_thick(const struct sciara_step_control *c, double h) {
  return h > c->thickest;
}

/** Starts an `advance` and its wall-clock limit; returns whether there is a step to do. */
bool sciara_step_control_begin(struct sciara_step_control *c, const struct sciara_stop *stop);

/** Ends a step; returns whether `advance` has to return now (now.reason is the reason). */
bool sciara_step_control_stop(struct sciara_step_control *c, const struct sciara_stop *stop);

/**
 * Begins a step in phases; SCIARA_ERR_INTERNAL if one is in progress. `thickness`: the largest that is not reported, m; 0: any.
 */
enum sciara_status sciara_step_control_evaluate(struct sciara_step_control *c, double thickness);

/** Continues the step; SCIARA_ERR_INTERNAL if none is in progress, or if t_opt, s, is not a valid time. */
enum sciara_status sciara_step_control_move(struct sciara_step_control *c, double t_opt);

/** SCIARA_ERR_INTERNAL between `evaluate` and `move`, where only `move` may be called. */
enum sciara_status sciara_step_control_between_steps(const struct sciara_step_control *c);

/** Whether all lava is checked in the step in progress. */
static inline bool sciara_step_control_is_check(const struct sciara_step_control *c) {
  return c->now.step % SCIARA_CHECK_EVERY == 0;
}

/** Notes a bad cell of the step in progress if it is the first in row-major order. */
void sciara_step_control_report(struct sciara_step_control *c, int64_t row, int64_t col);

/** Adds the counts of a step, or of a part of it, to the totals. */
static inline void sciara_step_control_add(struct sciara_step_control *c, const struct sciara_tally *tally) {
  c->now.solidifications += tally->rock;
  c->now.losses += tally->lost;
  c->now.sea_losses += tally->sea;
}

/** The error for a bad cell reported in this step, or for a time that no longer grows, or SCIARA_OK. */
enum sciara_status sciara_step_control_status(const struct sciara_step_control *c);

/** The `advance` of an engine with a function for one step: calls step(engine) until `stop` applies or it fails. */
enum sciara_status sciara_step_control_run(struct sciara_step_control *c, const struct sciara_stop *stop,
                                           enum sciara_status (*step)(void *engine), void *engine,
                                           struct sciara_engine_progress *progress);

SCIARA_END_DECLS
#endif
