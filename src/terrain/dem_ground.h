// SPDX-License-Identifier: Apache-2.0
// The ground of a run: a DEM with the edits of its scenario, and its sea.
#ifndef SCIARA_TERRAIN_DEM_GROUND_H
#define SCIARA_TERRAIN_DEM_GROUND_H

#include "model/ground_edit.h"
#include "terrain/dem_gdal.h"

/** What a scenario says about the ground. */
struct sciara_ground_request {
  const struct sciara_edit *edits; ///< applied in this order
  size_t edit_count;
  const struct sciara_sea *sea;
  const char *const *extra_drivers; ///< GDAL drivers allowed for vector files beyond the built-in list
  size_t extra_driver_count;
  const struct sciara_notes *notes; ///< receive what is noticed; NULL: the log
};

/**
 * Applies the edits to a DEM and finds its sea: altitudes, dem->edit, dem->sea and dem->hash. Cells of the sea are valid;
 * those that the DEM gives no altitude lie at 0 m, or at its lowest altitude if that is lower. Each edit is reported as a
 * message, and so are cells that may be an undeclared sea. SCIARA_ERR_INPUT, with the JSON path, for an edit outside
 * the DEM or without a value, an altitude out of range, or a sea that leaves no land.
 */
enum sciara_status sciara_dem_shape_ground(const struct sciara_ground_request *request, struct sciara_dem *dem);

/** Lists what the edits at simulated times will do, in dem->changes, for a DEM that has the others already. */
enum sciara_status sciara_dem_plan_changes(const struct sciara_ground_request *request, struct sciara_dem *dem);

#endif
