// SPDX-License-Identifier: Apache-2.0
// A scenario whose effusion rates change while it is run.
#ifndef SCIARA_SCENARIO_SCENARIO_EFFUSION_H
#define SCIARA_SCENARIO_SCENARIO_EFFUSION_H

#include "scenario/scenario.h"

/** The rate of a vent, or of a whole fissure, from `time` (s) on, m3/s; 0 before and after its table. */
double sciara_vent_spec_rate(const struct sciara_vent_spec *v, double time);

/** What a change replaced. */
struct sciara_effusion_change {
  size_t vent;
  struct sciara_vent_spec before; ///< edges, rates and their number
  char *json;
};

/**
 * Vent k emits `rate` m3/s from `now` to `until` (s), and nothing after that; before `now` its table stays. The text of the
 * scenario follows. End with one of the two functions below.
 *
 * @return SCIARA_ERR_USAGE for a rate, or times, that no table has; nothing has changed then
 */
enum sciara_status sciara_scenario_change_effusion(struct sciara_scenario_spec *s, size_t k, double now, double rate,
                                                   double until, struct sciara_effusion_change *out);

/** Takes the change back. */
void sciara_scenario_undo_effusion(struct sciara_scenario_spec *s, struct sciara_effusion_change *change);

/** Releases what the change replaced. */
void sciara_scenario_release_effusion(struct sciara_effusion_change *change);

#endif
