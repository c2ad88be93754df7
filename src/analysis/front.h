// SPDX-License-Identifier: Apache-2.0
// The scenario of a run in its snapshots; the cells of its vents, from which the distance of the front is measured.
#ifndef SCIARA_ANALYSIS_FRONT_H
#define SCIARA_ANALYSIS_FRONT_H

#include "map/run_out.h"
#include "scenario/scenario.h"
#include "store/snapshot_hdf5.h"

/**
 * The scenario that a file of results carries; all zero if it carries none. What was refused does not matter: the run has been. The
 * file may come from anybody, so what it names is not opened. Release with sciara_scenario_free in any case.
 *
 * @param path of the file, for messages
 * @param json NULL: it carries none
 * @param what of it memory is for: "its vents"
 */
enum sciara_status sciara_computed_scenario(const char *path, const char *json, const char *what,
                                            struct sciara_scenario_spec *out);

/**
 * The cells of the vents of a scenario, as far as they lie on the grid; what cannot be placed is left out. Release with
 * sciara_vent_cells_free.
 */
enum sciara_status sciara_vent_cells_of(const struct sciara_scenario_spec *scenario, const struct sciara_grid *grid,
                                        const struct sciara_georef *georef, struct sciara_vent_cells *out);

/** sciara_vent_cells_of the scenario that a file of results carries: see sciara_computed_scenario. */
enum sciara_status sciara_vent_cells_read(const char *path, const char *json, const struct sciara_grid *grid,
                                          const struct sciara_georef *georef, struct sciara_vent_cells *out);
void sciara_vent_cells_free(struct sciara_vent_cells *v);

#endif
