// SPDX-License-Identifier: Apache-2.0
// How a simulation ended: one struct and one table of reasons for run.json, footprints and messages; and a stop rule. A run that failed
// has the text of its error in run.json instead.
//
// The reasons are a part of those for which `advance` of an engine returns (enum sciara_stop_reason). The others are
// pauses, after which the simulation continues.
#ifndef SCIARA_SIM_END_H
#define SCIARA_SIM_END_H

#include "engine/engine.h"
#include "model/state.h"
#include "model/terms.h"
#include "model/vents.h"

struct sciara_end {
  enum sciara_stop_reason reason; ///< SCIARA_STOP_CANCEL: from outside; SCIARA_STOP_NONE: a step has failed
  uint64_t step;
  double time;   ///< simulated, s
  bool censored; ///< before its own stop rule was met: at a limit or from outside
};

/** "solidified", "time", "steps", "front at rest", "cancel", "stalled", "thickness"; "none" for what ends no simulation. */
const char *sciara_end_name(enum sciara_stop_reason reason);

/** The number of a reason in files of footprints; 0: a member does not end so, or it has failed. */
uint64_t sciara_end_number(enum sciara_stop_reason reason);

/** The reason with this number; SCIARA_STOP_NONE for 0 and for a number that no reason has. */
enum sciara_stop_reason sciara_end_of_number(uint64_t number);

/** Whether the stop rule can never be met then, although the state is valid: an error for a run. */
bool sciara_end_is_stuck(enum sciara_stop_reason reason);

/**
 * Whether a simulation that ended so had not yet met its own stop rule.
 *
 * @param own_time the simulated time at which it ended is that of its stop rule, not the limit run.max_time
 */
bool sciara_end_is_early(enum sciara_stop_reason reason, bool own_time);

/** What is known of a simulation before its first step, whatever its lava does: simulated times, s. */
struct sciara_foreseen {
  double covered;      ///< the first cell is covered, or those of its first state were
  double begun, ended; ///< every vent has emitted after `begun`; none emits after `ended`
  double changed;      ///< the ground changes for the last time; 0: never
};

/** The simulated time up to which the stop rule of the limits cannot be met, s. */
double sciara_end_not_before(const struct sciara_limits *l, const struct sciara_foreseen *f);

// ------------------------------------------------------------------------------------------------------- front at rest

// The stop rule "front at rest": no cell has become newly covered for some simulated time, counted from the first covered
// cell and from the last change of the ground, and every vent has emitted.
//
// It follows from the recorded arrival times and the scenario. So engines do not test it: before the time (last arrival or
// change + duration) the rule cannot be met, and there the state shows whether lava has arrived anywhere since. The step at which the run
// ends is the same as with a test after each step, on every engine, and after a resume.

/** The rule, and the time before which it cannot be met. */
struct sciara_front_rest {
  double duration; ///< s; 0: there is no such rule, and the other members are not used
  double changed;  ///< simulated time of the last change of the ground, s; 0: there is none
  double begun;    ///< after this time every vent has emitted, s; -INFINITY: at once
  double last;     ///< last arrival of lava in a cell that had none, s; SCIARA_NEVER: there is no lava yet
  double due;      ///< at the end of the first step with simulated time >= this the state decides, s
};

/** The last arrival of lava in a cell that had none, s; SCIARA_NEVER: there is no lava yet. */
double sciara_last_arrival(const struct sciara_state *s);

/** The rule for these vents, at the given state. @param duration s; 0: none @param changed as in the struct */
void sciara_front_rest_begin(struct sciara_front_rest *r, double duration, double changed,
                             const struct sciara_vents *vents, const struct sciara_state *state);

/** Whether the rule is met at the end of the step that led to this state; if not, r->due is later than its time. */
bool sciara_front_rest_met(struct sciara_front_rest *r, const struct sciara_state *state);

/** A warning if the vents emit after the time, s, at which the rule was met; malloc'd, NULL: they do not. */
enum sciara_status sciara_front_rest_text(const struct sciara_vents *vents, double time, char **out);

#endif
