// SPDX-License-Identifier: Apache-2.0
// A problem that is solved by an engine. The stop rule is implemented here.
#ifndef SCIARA_SIM_SIMULATION_H
#define SCIARA_SIM_SIMULATION_H

#include "engine/engine.h"
#include "sim/end.h"
#include "sim/problem.h"

struct sciara_simulation {
  struct sciara_problem problem;
  const struct sciara_engine_ops *ops;
  struct sciara_engine_ops banded; ///< the table of a banded engine, to which `ops` then points
  void *engine;
  struct sciara_engine_progress progress; ///< as last reported by the engine
  double until_time;             ///< the stop rule: the first step with simulated time >= this, s; INFINITY: none
  uint64_t until_step;           ///< ... or this many steps; UINT64_MAX: none
  struct sciara_front_rest rest; ///< ... or the front at rest
  double
      last_change; ///< simulated time before which the ground will change, s: no part but these limits is met; 0: never
  bool keeps;      ///< states are captured while the simulation continues
  enum sciara_stop_reason
      finished;          ///< SCIARA_STOP_NONE while the stop rule is not met; STALLED and THICK: it will never be met
  bool state_is_current; ///< problem.state is the state of the engine
  enum sciara_status failed; ///< of the step that failed, SCIARA_OK while none has
  uint64_t losses_before;    ///< losses of the run before it was resumed; progress includes them
  uint64_t
      sea_losses_before; ///< losses into the sea before it was resumed; after a checkpoint 1 if lava has entered it
  double compute_s;      ///< seconds spent in the engine
  int threads;           ///< threads that the engine uses
};

/** Called between slices of work (about every 0.1 s). True: the steps are interrupted. */
typedef bool sciara_tick(void *context, const struct sciara_simulation *s);

/** The end of one call of sciara_simulation_advance, unless the stop rule ends it before. */
struct sciara_advance_limit {
  double time; ///< first step with simulated time >= this, s
  uint64_t step;
  double thickness;  ///< a step at whose end a cell has more liquid lava than this, m; 0: none
  uint64_t reached;  ///< of a slot: sciara_stop.reached
  double due;        ///< sciara_wallclock at which it ends soon; 0: never
  const int *cancel; ///< read atomically; may be NULL
  sciara_tick *tick; ///< may be NULL
  void *tick_context;
  /** The ground is about to change, and the engine gets another state; may be NULL. It has the context of `tick`. */
  enum sciara_status (*before_change)(void *context);
};

/**
 * Takes over the problem (also on failure) and gives it to the engine that its scenario names.
 *
 * @param keeps sciara_simulation_keep will be called: the engine reserves memory for captured states
 */
enum sciara_status sciara_simulation_create(struct sciara_problem *problem, bool keeps, struct sciara_simulation **out);
void sciara_simulation_destroy(struct sciara_simulation *s);

/**
 * Executes steps, and the changes of the ground at their times, until the limit, the stop rule (s->finished: which part of it) or *cancel.
 *
 * @return SCIARA_ERR_NUMERIC: s->progress.bad is the cell, and the state is then invalid; or, with s->finished
 *         SCIARA_STOP_STALLED or SCIARA_STOP_THICK, the time no longer grows, or a cell is thicker than
 *         run.max_thickness_m, and the state is that of the last step
 */
enum sciara_status sciara_simulation_advance(struct sciara_simulation *s, const struct sciara_advance_limit *limit);

/** Whether the stop rule is met already (s->finished), in a state that other steps have led to. */
enum sciara_status sciara_simulation_judge(struct sciara_simulation *s);

/**
 * Continues on another window of the map (model/window.h), from `state`, in a new engine of the same kind. Takes over
 * vents and state, whose site it shares; also after a failed step. `row` and `col`: the first cell of the window.
 */
enum sciara_status sciara_simulation_move(struct sciara_simulation *s, struct sciara_vents *vents,
                                          struct sciara_state *state, int64_t row, int64_t col);

/**
 * Whether the engine captures states: then the steps wait for no copy, and sciara_simulation_collect may be called
 * later.
 */
bool sciara_simulation_keeps(const struct sciara_simulation *s);

/**
 * Captures the current state in that buffer of the engine (SCIARA_BUFFERS) if the engine captures states; otherwise copies
 * it to `state` now.
 */
enum sciara_status sciara_simulation_keep(struct sciara_simulation *s, int buffer, struct sciara_state *state);

/** Copies the captured state of that buffer to `state`. Another thread may call it while the simulation continues. */
enum sciara_status sciara_simulation_collect(const struct sciara_simulation *s, int buffer, struct sciara_state *state);

/** Continues with the vents that the problem has got, which have emitted the same so far, in a new engine of the same kind. */
enum sciara_status sciara_simulation_change_vents(struct sciara_simulation *s);

/** Updates problem.state. */
enum sciara_status sciara_simulation_sync(struct sciara_simulation *s);

/** The current mass balance; updates the state. */
enum sciara_status sciara_simulation_ledger(struct sciara_simulation *s, struct sciara_ledger *out);

/** Whether the run can never meet its stop rule, although its state is valid. */
static inline bool sciara_simulation_is_stuck(const struct sciara_simulation *s) {
  return sciara_end_is_stuck(s->finished);
}

/** How the simulation, which is not continued, has ended: if its stop rule is not met, from outside. */
struct sciara_end sciara_simulation_ended(const struct sciara_simulation *s);

#endif
