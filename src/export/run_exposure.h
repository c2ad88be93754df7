// SPDX-License-Identifier: Apache-2.0
// Places of a vector file and the lava of a run.
#ifndef SCIARA_EXPORT_RUN_EXPOSURE_H
#define SCIARA_EXPORT_RUN_EXPOSURE_H

#include "analysis/exposure.h"
#include "export/target.h"

/** Zero-initialise; release with sciara_run_exposure_free. */
struct sciara_run_exposure {
  struct sciara_pois pois;
  double *times; ///< s after the begin, ascending
  size_t time_count;
  struct sciara_exposure exposure; ///< refers to them
  struct sciara_dem_window window; ///< of its DEM
};

/**
 * Reads the places, whose request lacks grid and CRS, and computes what the last snapshot of a run, or a snapshot, does to them.
 * Without the field arrival_time only deposits count, with a warning.
 *
 * @param times at which what is covered is reported, ascending, s after the begin (sciara_target_begin); NULL: a dozen or fewer up to the last arrival, which is said
 */
enum sciara_status sciara_run_exposure_make(struct sciara_target *target, const struct sciara_pois_request *request,
                                            const double *times, size_t time_count, struct sciara_run_exposure *out);
void sciara_run_exposure_free(struct sciara_run_exposure *e);

#endif
