// SPDX-License-Identifier: Apache-2.0
// Vents whose places are features of vector files, and fissures in degrees.
#ifndef SCIARA_SIM_VENT_FILES_H
#define SCIARA_SIM_VENT_FILES_H

#include "file/georef.h"
#include "model/grid.h"
#include "scenario/scenario.h"

/** What the places of vents are brought to. */
struct sciara_vent_files {
  const struct sciara_grid *grid; ///< of the DEM; NULL: not known, files are read in degrees and lines in degrees stay
  const char *crs_wkt;            ///< of the DEM; NULL: not known
  const char *const *extra_drivers;
  size_t extra_driver_count;
};

/**
 * Gives the vents of a scenario their points, in the spec and in its text, so that no file is needed any more. SCIARA_ERR_INPUT,
 * with the key of the vent, for a feature that is no point and no line of one part, and for points off the DEM in degrees.
 */
enum sciara_status sciara_scenario_place_vents(struct sciara_scenario_spec *s, const struct sciara_vent_files *with);

#endif
