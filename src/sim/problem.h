// SPDX-License-Identifier: Apache-2.0
// A scenario placed on its DEM: the state at the start, the vents in their cells.
#ifndef SCIARA_SIM_PROBLEM_H
#define SCIARA_SIM_PROBLEM_H

#include "io/georef.h"
#include "io/scenario.h"
#include "model/state.h"
#include "model/vents.h"

/** Zero-initialise; release with sciara_problem_free. */
struct sciara_problem {
  struct sciara_scenario scenario;
  struct sciara_georef georef;
  uint64_t dem_hash;
  struct sciara_state *state; ///< at the start of the run
  struct sciara_vents *vents;
};

/** What a caller may add to a scenario. */
struct sciara_problem_options {
  const char *const *overrides; ///< "a.b=value"
  size_t override_count;
  const char *const *extra_drivers; ///< GDAL drivers allowed beyond the built-in list
  size_t extra_driver_count;
};

/**
 * Reads the scenario, its DEM and its initial lava, and places the vents. In single precision altitudes and initial lava
 * are rounded to float, so that the ledger speaks of what is computed.
 */
enum sciara_status sciara_problem_open(const char *scenario_path, const struct sciara_problem_options *options,
                                       struct sciara_problem *out);
void sciara_problem_free(struct sciara_problem *p);

#endif
