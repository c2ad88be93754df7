// SPDX-License-Identifier: Apache-2.0
// How far lava has come from the vents.
#ifndef SCIARA_ANALYSIS_FRONT_H
#define SCIARA_ANALYSIS_FRONT_H

#include "store/snapshot_hdf5.h"

/** The cells of the vents. Zero-initialise; release with sciara_vent_cells_free. */
struct sciara_vent_cells {
  int64_t *row, *col;
  size_t count, capacity;
};

/** The vents of the scenario that the snapshot carries; none if it carries no scenario. */
enum sciara_status sciara_vent_cells_read(const struct sciara_snapshot *s, struct sciara_vent_cells *out);
void sciara_vent_cells_free(struct sciara_vent_cells *v);

/**
 * Distance in m from the covered cell (value > 0) that is farthest from its nearest vent to that vent, centre to centre; 0
 * where nothing is covered. There is at least one vent.
 */
double sciara_front_distance(const struct sciara_vent_cells *v, const struct sciara_grid *grid, const double *values);

#endif
