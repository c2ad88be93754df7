// SPDX-License-Identifier: Apache-2.0
// Towers in the states of a run: each kind is reported once, in run.json and as a message.
//
// Tested are the states of the snapshots, the final state included, and samples in between: certain steps at whose end a
// cell has as much liquid lava as a tower. The engine notices that in this step alone, so that others take no longer, and
// only then is its state copied. All these steps are the same on every exact engine, so the warnings are too.
#ifndef SCIARA_SIM_TOWER_WATCH_H
#define SCIARA_SIM_TOWER_WATCH_H

#include "model/touched.h"
#include "sim/problem.h"
#include "store/run_json.h"

#define SCIARA_WARNING_VENT "vent"   ///< a vent stands above its surroundings: it emits more than its cells pass on
#define SCIARA_WARNING_TOWER "tower" ///< a cell stands above all its neighbours

/**
 * Adds a warning to the record if the state has a tower of a kind that the record does not have yet.
 *
 * @param p   vents and parameters; its state is not used
 * @param new_text set to the text of the new warning, which belongs to the record, or NULL
 */
enum sciara_status sciara_tower_watch(const struct sciara_problem *p, const struct sciara_state *state,
                                      const struct sciara_touched *touched, struct sciara_run_record *record,
                                      const char **new_text);

/** The samples of a run. Zero-initialise, then call sciara_tower_schedule. */
struct sciara_tower_samples {
  uint64_t next;       ///< the step at whose end the thickness of lava is tested next; UINT64_MAX: none
  uint64_t not_before; ///< samples before this step are left out
  bool over;           ///< a tower was found
};

/** Sets samples->next: the first sample after `step`. Samples are the powers of 2 from 64 on and the multiples of 4096. */
void sciara_tower_schedule(struct sciara_tower_samples *samples, uint64_t step);

/**
 * In this step a cell had much lava, but there was no tower: the lava is deep. The next sample comes after four times as
 * many steps, because the state is copied each time.
 */
void sciara_tower_found_none(struct sciara_tower_samples *samples, uint64_t step);

#endif
