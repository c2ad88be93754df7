// SPDX-License-Identifier: Apache-2.0
// A scenario placed on its DEM: the state at the start, the vents in their cells.
#ifndef SCIARA_RUN_PROBLEM_H
#define SCIARA_RUN_PROBLEM_H

#include "file/georef.h"
#include "model/ledger.h"
#include "model/site.h"
#include "model/state.h"
#include "model/vents.h"
#include "run/forecast.h"
#include "scenario/scenario.h"

/** Where a vent of the scenario has come to lie. */
struct sciara_placement {
  int64_t first, count; ///< its cells are first .. first + count - 1 of the list of vents; count 0: it has no place
  double altitude;      ///< of the ground in the first of them, m
};

/** Zero-initialise; release with sciara_problem_free. */
struct sciara_problem {
  struct sciara_scenario scenario;
  const struct sciara_site *site; ///< one reference; other problems may share it
  struct sciara_grid grid;        ///< of the site
  struct sciara_georef georef;    ///< of the site, to which the texts belong
  struct sciara_vents *vents;
  struct sciara_placement *placed; ///< of scenario.vents
  struct sciara_rounding rounding; ///< what it may do to the volume of lava in a run
  struct sciara_forecast forecast; ///< of its run
  struct sciara_state *state;      ///< at the start of the run
};

/** The ground of a run, as its folder keeps it. */
struct sciara_problem_ground {
  const char *dem;                    ///< dem.tif
  const struct sciara_grid *grid;     ///< where it lies, to the last bit
  const struct sciara_georef *georef; ///< as the run's DEM had it
  uint64_t dem_hash;                  ///< of the DEM that the run was given
};

/** What a caller may add to a scenario. */
struct sciara_problem_options {
  const char *const *overrides; ///< "a.b=value"
  size_t override_count;
  const char *const *extra_drivers; ///< GDAL drivers allowed beyond the built-in list
  size_t extra_driver_count;
  const struct sciara_problem_ground *ground; ///< NULL: read the DEM and the initial lava of the scenario; else neither
  /** NULL: read the DEM. Else it is not opened: the problem shares this site, which must have been read with its keys. */
  const struct sciara_site *site;
  bool any_engine; ///< to look at, not to run: neither the engine nor the memory of a run need be here
};

/**
 * Reads the scenario, its DEM and its initial lava, and places the vents. In single precision altitudes and initial lava
 * are rounded to float, so that the ledger speaks of what is computed. A site that the options hand over takes the place of
 * the DEM; not together with options->ground. Whether the engine is here, and whether the memory
 * of a run is free, is asked before any of it is taken.
 *
 * Everything that is wrong is added to `diagnostics`, as far as one thing can be looked at without the other. Without a
 * diagnostic `out` is whole. Otherwise grid, vents and forecast are there if the DEM could be read. Release in any case.
 */
void sciara_problem_open_all(const char *scenario_path, const struct sciara_problem_options *options,
                             struct sciara_problem *out, struct sciara_diagnostics *diagnostics);

/** The same for a scenario that was read into p->scenario already; the overrides of the options are not looked at. */
void sciara_problem_place(struct sciara_problem *p, const struct sciara_problem_options *options,
                          struct sciara_diagnostics *diagnostics);

/** Finds p->rounding, of its vents and its precision: for a problem that is made without a scenario. */
enum sciara_status sciara_problem_make_rounding(struct sciara_problem *p);

/** The same, all or nothing: the first diagnostic is the error. */
enum sciara_status sciara_problem_open(const char *scenario_path, const struct sciara_problem_options *options,
                                       struct sciara_problem *out);
void sciara_problem_free(struct sciara_problem *p);

#endif
