// SPDX-License-Identifier: Apache-2.0
// Whether the cells of a vent can pass on what it emits: an estimate before a run (model/tower.h); and towers in the states of a
// run: each kind is reported once. Tested are the states of the snapshots, the final state
// included, and some in between (sim/agenda.h).
#ifndef SCIARA_SIM_OUTFLOW_H
#define SCIARA_SIM_OUTFLOW_H

#include "model/state.h"
#include "setup/setup.h"
#include "store/run_json.h"

/** The load of a vent of the scenario at its peak rate; vents without an area in one cell pass on their lava together. */
struct sciara_outflow {
  double peak;      ///< of the sum over the vents of its cell, m3/s
  size_t group;     ///< number of these vents, 1 or more
  double x;         ///< load of its most loaded cell; from 1 on its lava grows without bound
  double height;    ///< at which it stands above flat ground, m; INFINITY: none
  double reach;     ///< radius of a point, width of a line, m, that brings x to SCIARA_TOWER_AIM
  double cell_size; ///< side of the cells, m, that does
  double surge;     ///< thickness that a step of the largest clock brings up in one cell, m, while no lava flows
  double clock_max; ///< model.clock_max_s, s, with which that is the side of a cell
};

/**
 * The estimates for the vents of the scenario, which have been placed; those without cells are all 0.
 *
 * @param out receives scenario.vent_count entries; release with sciara_free
 */
enum sciara_status sciara_outflows_of(const struct sciara_problem *p, struct sciara_outflow **out);

/** Whether it is only in steps of the largest clock, before any lava flows, that the lava of a vent may become a tower. */
bool sciara_outflow_surges(const struct sciara_problem *p, const struct sciara_outflow *o);

/** Warns of each vent whose lava would grow without bound; never for a rule without towers. */
enum sciara_status sciara_outflow_warn(const struct sciara_problem *p);

// ---------------------------------------------------------------------------------------------------- towers in states

#define SCIARA_WARNING_VENT "vent"   ///< a vent stands above its surroundings: it emits more than its cells pass on
#define SCIARA_WARNING_TOWER "tower" ///< a cell stands above all its neighbours

/**
 * A warning if the state has a tower of a kind of which there was none yet; never for a rule without towers.
 *
 * @param p   vents and parameters; its state is not used
 * @param of_vent, of_cell whether there was a warning of the kind SCIARA_WARNING_VENT, SCIARA_WARNING_TOWER
 * @param out its kind is constant, NULL: there is no warning; its text is the caller's to free
 */
enum sciara_status sciara_tower_watch(const struct sciara_problem *p, const struct sciara_state *state,
                                      const struct sciara_touched *touched, bool of_vent, bool of_cell,
                                      struct sciara_run_warning *out);

#endif
