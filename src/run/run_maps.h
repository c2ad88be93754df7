// SPDX-License-Identifier: Apache-2.0
// The maps of a run: those that its scenario requests, and the ground.
// Included by this room alone.
#ifndef SCIARA_RUN_RUN_MAPS_H
#define SCIARA_RUN_RUN_MAPS_H

#include "run/run.h"

/** What is mapped, and the output folder. */
struct sciara_run_place {
  struct sciara_simulation *simulation;
  const char *folder;
  const struct sciara_run_observer *observer;
};

/** maps/FIELD.tif with its style and maps/FIELD.png of the current state, for each field of output.maps. */
enum sciara_status sciara_run_write_maps(const struct sciara_run_place *r);

/** dem.tif: the ground at the start, on the grid of the run; with bands "sea" and "edit" if the scenario has them. */
enum sciara_status sciara_run_write_dem(const struct sciara_run_place *r);

#endif
