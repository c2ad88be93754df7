// SPDX-License-Identifier: Apache-2.0
// The stop rule "front at rest": no cell has become newly covered for some simulated time, counted from the first covered
// cell, and every vent has emitted.
//
// It follows from the recorded arrival times alone. So engines do not test it: before the time (last arrival + duration)
// the rule cannot be met, and there the state shows whether lava has arrived anywhere since. The step at which the run
// ends is the same as with a test after each step, on every engine, and after a resume.
#ifndef SCIARA_SIM_FRONT_REST_H
#define SCIARA_SIM_FRONT_REST_H

#include "model/state.h"
#include "model/vents.h"

/** The rule, and the time before which it cannot be met. */
struct sciara_front_rest {
  double duration; ///< s; 0: there is no such rule, and the other members are not used
  double begun;    ///< after this time every vent has emitted, s; -INFINITY: at once
  double last;     ///< last arrival of lava in a cell that had none, s; SCIARA_NEVER: there is no lava yet
  double due;      ///< at the end of the first step with simulated time >= this the state decides, s
};

/** The last arrival of lava in a cell that had none, s; SCIARA_NEVER: there is no lava yet. */
double sciara_last_arrival(const struct sciara_state *s);

/** The rule for these vents, at the given state. @param duration s; 0: none */
void sciara_front_rest_begin(struct sciara_front_rest *r, double duration, const struct sciara_vents *vents,
                             const struct sciara_state *state);

/** Whether the rule is met at the end of the step that led to this state; if not, r->due is later than its time. */
bool sciara_front_rest_met(struct sciara_front_rest *r, const struct sciara_state *state);

#endif
