// SPDX-License-Identifier: Apache-2.0
// What every engine that steps on the host has in common: time, totals, the stop rule, the first bad cell.
#ifndef SCIARA_ENGINE_STEP_CONTROL_H
#define SCIARA_ENGINE_STEP_CONTROL_H

#include "engine/band.h"
#include "engine/stop_rule.h"
#include "model/soundness.h"

SCIARA_BEGIN_DECLS

/** A copy of the vents' end and the running totals of an engine. */
struct sciara_step_control {
  struct sciara_engine_progress now;
  uint64_t first;    ///< step at which the state was taken over
  double vents_end;  ///< from here on no vent emits, s
  double wall_until; ///< monotonic seconds at which `advance` comes back
  bool evaluated;    ///< between the phases of a step
};

/** Takes over time and totals of a state. */
void sciara_step_control_load(struct sciara_step_control *c, const struct sciara_state *s,
                              const struct sciara_vents *vents);

/** Writes time and totals into a state. */
void sciara_step_control_store(const struct sciara_step_control *c, struct sciara_state *s);

/** The stop rule of an `advance`. */
struct sciara_stop_rule sciara_step_control_rule(const struct sciara_step_control *c, const struct sciara_stop *stop);

/** Starts an `advance`: the wall clock, and whether there is anything to do. */
bool sciara_step_control_begin(struct sciara_step_control *c, const struct sciara_stop *stop);

/** Ends a step: whether `advance` comes back now (now.reason tells why). */
bool sciara_step_control_stop(struct sciara_step_control *c, const struct sciara_stop *stop);

/** Begins a step in phases; SCIARA_ERR_INTERNAL when one is in progress. */
enum sciara_status sciara_step_control_evaluate(struct sciara_step_control *c);

/** Goes on with it; SCIARA_ERR_INTERNAL when none is in progress, or for a t_opt, s, that is no time. */
enum sciara_status sciara_step_control_move(struct sciara_step_control *c, double t_opt);

/** SCIARA_ERR_INTERNAL between the phases of a step, where only `move` may be called. */
enum sciara_status sciara_step_control_between_steps(const struct sciara_step_control *c);

/** Whether the numbers of all lava are looked at in the step in progress. */
static inline bool sciara_step_control_is_check(const struct sciara_step_control *c) {
  return (c->now.step - c->first) % SCIARA_CHECK_EVERY == 0;
}

/** Remembers a bad cell of the step in progress if it comes first in row-major order. */
void sciara_step_control_report(struct sciara_step_control *c, int64_t row, int64_t col);

/** The error for what was reported in this step or for a time that no longer grows, or SCIARA_OK. */
enum sciara_status sciara_step_control_status(const struct sciara_step_control *c);

/** The `advance` of an engine whose steps are calls: step(engine) until `stop` says so or it fails. */
enum sciara_status sciara_step_control_run(struct sciara_step_control *c, const struct sciara_stop *stop,
                                           enum sciara_status (*step)(void *engine), void *engine,
                                           struct sciara_engine_progress *progress);

SCIARA_END_DECLS
#endif
