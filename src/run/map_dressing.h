// SPDX-License-Identifier: Apache-2.0
// What a picture shows on its map besides a field: the vents and the run-out of a run, and the lava's bounds.
#ifndef SCIARA_RUN_MAP_DRESSING_H
#define SCIARA_RUN_MAP_DRESSING_H

#include "map/run_out.h"
#include "picture/map_picture.h"
#include "run/run_facts.h"
#include "scenario/vent_places.h"

/** Zero-initialise; release with sciara_map_dressing_free. */
struct sciara_map_dressing {
  struct sciara_vent_marks marks;
  struct sciara_map_vent *vent; ///< refers to marks
  struct sciara_map_run_out run_out;
  struct sciara_map_bounds bounds; ///< of vents and lava
  struct sciara_map_volumes volumes;
  struct sciara_text assumed; ///< what stands below the map
  struct sciara_text title;   ///< that of the scenario, with its edits of the ground
};

/**
 * Takes the vents of the scenario, and lets the picture show them, the volumes, and what is assumed, in its language.
 *
 * @param run as for sciara_run_assumed
 */
enum sciara_status sciara_map_dressing_make(const struct sciara_scenario_spec *scenario,
                                            const struct sciara_run_json *run, const struct sciara_map *map,
                                            struct sciara_map_picture *picture, struct sciara_map_dressing *out);

/**
 * Takes the extent of the lava and the volumes at a time; the picture shows the run-out point if there is one.
 *
 * @param lava thickness in each cell of the grid
 */
void sciara_map_dressing_lava(struct sciara_map_dressing *d, const struct sciara_vent_cells *vents, double time_s,
                              const double *lava, const struct sciara_ledger *ledger,
                              struct sciara_map_picture *picture);

/** Adds what stands below the map in words to the facts of its file. */
enum sciara_status sciara_map_dressing_tell(const struct sciara_map_dressing *d, struct sciara_map_facts *facts);

void sciara_map_dressing_free(struct sciara_map_dressing *d);

#endif
