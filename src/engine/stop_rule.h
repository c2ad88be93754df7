// SPDX-License-Identifier: Apache-2.0
// At the end of which step `advance` returns: the parts of the stop rule that engines test, and the advance limit. All
// engines, on host and device, use the same function.
#ifndef SCIARA_ENGINE_STOP_RULE_H
#define SCIARA_ENGINE_STOP_RULE_H

#include "engine/engine.h"

/** When to stop. */
struct sciara_stop_rule {
  uint64_t steps;   ///< after this step
  double time;      ///< at this simulated time or later, s
  double vents_end; ///< from this simulated time on no vent emits, s
  double thickness; ///< if a cell has more liquid lava than this, m; INFINITY: never
  bool solidified;  ///< if nothing is liquid and no vent will emit again
  uint64_t reached; ///< of a slot: after so many cells that lava has flowed into for the first time; UINT64_MAX: never
};

/**
 * Why to stop after `step` steps, or SCIARA_STOP_NONE.
 *
 * @param time   simulated time, s
 * @param clock  length of the next step, s
 * @param liquid whether any cell is liquid. An eruption without lava still takes its first step.
 * @param thick  whether a cell has more than rule->thickness of liquid lava; it comes before the other reasons, so that
 *               it does not depend on where `advance` returns
 */
SCIARA_HD enum sciara_stop_reason sciara_stop_test(const struct sciara_stop_rule *rule, uint64_t step, double time,
                                                   double clock, bool liquid, bool thick) {
  if (thick) return SCIARA_STOP_THICK;
  if (step >= rule->steps) return SCIARA_STOP_STEPS;
  if (time >= rule->time) return SCIARA_STOP_TIME;
  if (rule->solidified && step > 0 && !liquid && time >= rule->vents_end) return SCIARA_STOP_SOLIDIFIED;
  return sciara_time_grows(time, clock) ? SCIARA_STOP_NONE : SCIARA_STOP_STALLED;
}

#endif
