// SPDX-License-Identifier: Apache-2.0
// The scenario of a run in its snapshots; the cells of its vents, from which the distance of the front is measured.
#ifndef SCIARA_ANALYSIS_FRONT_H
#define SCIARA_ANALYSIS_FRONT_H

#include "map/run_out.h"
#include "scenario/scenario.h"
#include "store/snapshot_hdf5.h"

/**
 * The scenario that a snapshot carries; all zero if it carries none. What was refused does not matter: the run has been. The file may
 * come from anybody, so what it names is not opened. Release with sciara_scenario_free in any case.
 *
 * @param what of it memory is for: "its vents"
 */
enum sciara_status sciara_snapshot_scenario(const struct sciara_snapshot *s, const char *what,
                                            struct sciara_scenario_spec *out);

/**
 * The cells of the vents of a scenario, as far as they lie on the grid; what cannot be placed is left out. Release with
 * sciara_vent_cells_free.
 */
enum sciara_status sciara_vent_cells_of(const struct sciara_scenario_spec *scenario, const struct sciara_grid *grid,
                                        const struct sciara_georef *georef, struct sciara_vent_cells *out);

/**
 * The cells of the vents of a scenario as a snapshot holds it. A file of rates that it names is not opened.
 *
 * @param path of the snapshot, for messages
 * @param json NULL: there are no vents
 */
enum sciara_status sciara_vent_cells_read(const char *path, const char *json, const struct sciara_grid *grid,
                                          const struct sciara_georef *georef, struct sciara_vent_cells *out);
void sciara_vent_cells_free(struct sciara_vent_cells *v);

#endif
