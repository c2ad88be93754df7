// SPDX-License-Identifier: Apache-2.0
// The ground of an ensemble, from dem.tif of its folder: refused if it is not that of the plan.
#ifndef SCIARA_ENSEMBLE_GROUND_H
#define SCIARA_ENSEMBLE_GROUND_H

#include "ensemble/ensemble.h"
#include "model/site.h"
#include "terrain/dem_gdal.h"

/**
 * Reads the site of the members, without the errors of the ground that each of them adds.
 *
 * @param notes receive what is noticed; NULL: the log
 */
enum sciara_status sciara_ensemble_site_read(const struct sciara_ensemble *e, const struct sciara_notes *notes,
                                             const struct sciara_site **out);

/** Reads dem.tif, with the bands "sea", "edit" and "observed", where it has them. */
enum sciara_status sciara_ensemble_dem_read(const struct sciara_ensemble *e, struct sciara_dem *out);

#endif
