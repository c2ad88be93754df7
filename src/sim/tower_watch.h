// SPDX-License-Identifier: Apache-2.0
// Towers in the states of a run: each kind is reported once, in run.json and as a message.
// Tested are the states of the snapshots, the final state included, and some in between (sim/agenda.h).
#ifndef SCIARA_SIM_TOWER_WATCH_H
#define SCIARA_SIM_TOWER_WATCH_H

#include "model/touched.h"
#include "sim/problem.h"
#include "store/run_json.h"

#define SCIARA_WARNING_VENT "vent"   ///< a vent stands above its surroundings: it emits more than its cells pass on
#define SCIARA_WARNING_TOWER "tower" ///< a cell stands above all its neighbours

/**
 * Adds a warning to run.json if the state has a tower of a kind that it does not have yet; none for a rule without towers.
 *
 * @param p   vents and parameters; its state is not used
 * @param new_text set to the text of the new warning, which belongs to run.json, or NULL
 */
enum sciara_status sciara_tower_watch(const struct sciara_problem *p, const struct sciara_state *state,
                                      const struct sciara_touched *touched, struct sciara_run_json *run_json,
                                      const char **new_text);

/** Whether run.json has a warning about a tower. */
bool sciara_tower_is_noticed(const struct sciara_run_json *run_json);

#endif
