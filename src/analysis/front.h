// SPDX-License-Identifier: Apache-2.0
// The scenario of a run in its snapshots; the cells of its vents, from which the distance of the front is measured.
#ifndef SCIARA_ANALYSIS_FRONT_H
#define SCIARA_ANALYSIS_FRONT_H

#include "scenario/scenario.h"
#include "store/snapshot_hdf5.h"

/** The cells of the vents. Zero-initialise; release with sciara_vent_cells_free. */
struct sciara_vent_cells {
  int64_t *row, *col;
  size_t count, capacity;
};

/** Adds the cells of a vent, as far as they lie on the grid. */
enum sciara_status sciara_vent_cells_add(struct sciara_vent_cells *v, const struct sciara_grid *grid,
                                         const struct sciara_georef *georef, const struct sciara_vent_spec *spec);

/**
 * The scenario that a snapshot carries; all zero if it carries none. What was refused does not matter: the run has been. The file may
 * come from anybody, so what it names is not opened. Release with sciara_scenario_free in any case.
 *
 * @param what of it memory is for: "its vents"
 */
enum sciara_status sciara_snapshot_scenario(const struct sciara_snapshot *s, const char *what,
                                            struct sciara_scenario_spec *out);

/** The vents of the scenario that the snapshot carries; none if it carries no scenario. */
enum sciara_status sciara_vent_cells_read(const struct sciara_snapshot *s, struct sciara_vent_cells *out);
void sciara_vent_cells_free(struct sciara_vent_cells *v);

#endif
