// SPDX-License-Identifier: Apache-2.0
// Files of a simulation: what its snapshots have in common, a map of its current state, all maps that its scenario requests, and
// its ground.
#ifndef SCIARA_RUN_STATE_FILES_H
#define SCIARA_RUN_STATE_FILES_H

#include "setup/setup.h"
#include "store/snapshot_hdf5.h"

/** What the snapshots of a simulation have in common; its texts belong to the simulation and the caller. */
struct sciara_snapshot_context sciara_simulation_snapshots(const struct sciara_simulation *s, const char *history);

/** Writes a map of one field: a GeoTIFF with its style, or a picture. */
enum sciara_status sciara_simulation_write_map(struct sciara_simulation *s, enum sciara_field field, bool as_picture,
                                               const char *path);

/**
 * maps/FIELD.tif with its style and maps/FIELD.png in a folder, for each field of output.maps; `written` receives each path,
 * NULL: nobody does.
 */
enum sciara_status sciara_simulation_write_maps(struct sciara_simulation *s, const char *folder,
                                                void (*written)(void *context, const char *path), void *context);

// ----------------------------------------------------------------------- the ground, also in the folder of an ensemble

/**
 * Writes the ground at the start, with its window and further bands for the sea, edits and observed lava, as far as there are.
 *
 * @param values rows x cols altitudes in place of those of the site; NULL: those
 */
enum sciara_status sciara_ground_write(const struct sciara_problem *problem, const double *values, const char *path);

#endif
