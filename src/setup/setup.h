// SPDX-License-Identifier: Apache-2.0
// A scenario on its DEM: the state at the start, with the lava that it begins with, and the vents in their cells.
#ifndef SCIARA_SETUP_SETUP_H
#define SCIARA_SETUP_SETUP_H

#include "file/georef.h"
#include "scenario/scenario.h"
#include "setup/size_estimate.h"
#include "sim/simulation.h"

struct sciara_checkpoint;
struct sciara_checkpoint_identity;

/** The position of a vent of the scenario on the grid. */
struct sciara_placement {
  int64_t first, count; ///< its cells are first .. first + count - 1 of the list of vents; count 0: it has no position
  double altitude;      ///< of the ground in the first of them, m
};

/** Where a problem came from, and what is known of its run. */
struct sciara_source {
  struct sciara_scenario_spec scenario;
  struct sciara_georef georef;      ///< of the site, to which the texts belong
  struct sciara_placement *placed;  ///< of scenario.vents
  struct sciara_size_estimate size; ///< of its run
  uint64_t checkpoint_checksum;     ///< of initial.checkpoint, if the state begins with it
  size_t changes_before;            ///< changes of the ground that the run of that checkpoint had done
  double emission_from_s;           ///< of struct sciara_emission
  uint64_t observed_hash;           ///< of the files of initial.observed, if the state begins with it; else 0
  uint8_t *observed;                ///< rows x cols, 1 in the outline of initial.observed; NULL: there is none
  char *observed_warning;           ///< what makes the thickness of the observed lava doubtful; NULL: nothing
};

/** The ground of a run, as stored in its folder. */
struct sciara_problem_ground {
  const char *dem;                    ///< dem.tif
  const struct sciara_grid *grid;     ///< its exact position
  const struct sciara_georef *georef; ///< as in the DEM of the run
  uint64_t dem_hash;                  ///< of the DEM that the run was given
};

/** What a caller may add to a scenario. */
struct sciara_problem_options {
  const char *const *overrides; ///< "a.b=value"
  size_t override_count;
  const char *const *extra_drivers; ///< additional GDAL drivers that are allowed
  size_t extra_driver_count;
  const struct sciara_problem_ground
      *ground; ///< NULL: read the DEM and the initial lava of the scenario; otherwise neither is read
  /**
   * NULL: read the DEM. Else it is not opened: the problem shares this site, which must have been read with its keys.
   */
  const struct sciara_site *site;
  const struct sciara_initial_lava *initial; ///< arrays for layers of initial lava that are of memory; NULL: none
  bool stateless;        ///< there will be no state: a site that is given is shared without the errors of the scenario
  bool bare;             ///< without the initial lava of the scenario: the state of a checkpoint takes its place
  int ranks, ranks_here; ///< processes that will compute it, and those of them on this host; 0: one
  bool any_engine;       ///< for inspection only: neither the engine nor the memory of a run is needed
};

// Without a state, in setup.c: work and memory do not depend on the size of the map, if the site is given.

/** Makes a problem with an empty source, whose scenario is then read. False, and a diagnostic: there is no memory for one. */
bool sciara_problem_begin(struct sciara_problem *p, struct sciara_diagnostics *diagnostics);

/**
 * Places a problem, whose scenario is in its source, if it has one, on its site, and its vents. `ops`: the engine; NULL: it is
 * not available. All problems are added to `diagnostics`.
 *
 * @return whether the problem is what the user meant: defaults replace what was rejected in a scenario
 */
bool sciara_problem_place_on_map(struct sciara_problem *p, const struct sciara_problem_options *options,
                                 const struct sciara_engine_ops **ops, struct sciara_diagnostics *diagnostics);

/** Makes the state of a problem that has been placed, with its initial lava. */
enum sciara_status sciara_problem_start(struct sciara_problem *p, const struct sciara_problem_options *options);

// The problem of a run, in open.c.

/**
 * Reads the scenario, its DEM and its initial lava, and places the vents. In single precision altitudes and initial
 * lava are rounded to float, so that the ledger matches the computation. A site given by the options replaces the DEM;
 * not together with options->ground. Checks that the engine is available and that the memory of a run is free, before
 * allocating any of it. All problems are added to `diagnostics`, as far as parts can be checked without the others.
 * Without a diagnostic `out` is complete. Otherwise grid, vents and size are set if the DEM could be read. Release
 * in any case.
 */
void sciara_problem_open_all(const char *scenario_path, const struct sciara_problem_options *options,
                             struct sciara_problem *out, struct sciara_diagnostics *diagnostics);

/** sciara_problem_open_all for a scenario that is already in its source, if it has one; the overrides of the options are ignored. */
void sciara_problem_place(struct sciara_problem *p, const struct sciara_problem_options *options,
                          struct sciara_diagnostics *diagnostics);

/**
 * Whether a vent, perhaps of another scenario, can be where it is, on the site and in the CRS of a problem: SCIARA_ERR_INPUT
 * as of sciara_vent_place_check, and for an area without an interior cell.
 */
enum sciara_status sciara_vent_check(const struct sciara_problem *p, const struct sciara_vent_spec *spec);

/** Whether any vent has an area. To find its cells takes memory, in proportion to the area. */
bool sciara_problem_has_area(const struct sciara_problem *p);

/**
 * Whether a vent can lie at a point, or a fissure along a line (count >= 2), in the CRS of the grid: SCIARA_ERR_INPUT names
 * the place that is outside the DEM, or the cell that is not interior.
 */
enum sciara_status sciara_vent_place_check(const struct sciara_site *site, const struct sciara_point *points,
                                           size_t count);

/** Whether its state is one from a later time than the start: of a checkpoint, or with observed lava. */
static inline bool sciara_problem_begins_later(const struct sciara_problem *p) {
  return p->source->scenario.initial_checkpoint || p->source->observed_hash;
}

/** sciara_problem_open_all, all or nothing: the first diagnostic is the error. */
enum sciara_status sciara_problem_open(const char *scenario_path, const struct sciara_problem_options *options,
                                       struct sciara_problem *out);

// --------------------------------------------------------------------- the lava that it begins with, in initial_lava.c

// Lava of a checkpoint, as it was mapped, and as a part of what identifies an ensemble and its members.

/**
 * Whether observed lava runs off: its cells grow by more than 5 % in an hour without effusion, which serial computes in at most
 * two seconds and up to the next edit of the ground, so perhaps not to its end. `text`: the warning, the caller's; NULL: it does
 * not, there is none, or the map is too large for a probe.
 */
enum sciara_status sciara_observed_run_off(const struct sciara_problem *p, char **text);

/** Logs that text, after `where` ("": nothing). Lava that cannot be examined is no problem of a scenario. */
void sciara_observed_run_off_log(const struct sciara_problem *p, const char *where);

/**
 * A hash of the lava that a problem with a state has from the files initial.thickness and initial.temperature, or from those
 * of initial.observed; 0: it names none. Numbers in their place are part of the text of a scenario.
 */
uint64_t sciara_initial_lava_hash(const struct sciara_problem *p);

/** SCIARA_ERR_INPUT, naming the files, if a problem with a state has another hash; `expected` 0: any is right. */
enum sciara_status sciara_initial_lava_check(const struct sciara_problem *p, uint64_t expected);

/** Whether the scenario begins with lava: its own or that of a checkpoint. */
bool sciara_scenario_has_initial_lava(const struct sciara_scenario_spec *s);

/**
 * The keys initial.checkpoint and initial.checksum: makes the state of a problem that has its site: lava, time, step and
 * totals of the checkpoint, and the maxima that it holds. Vents emit from that time on. SCIARA_ERR_INPUT if it is damaged, has another checksum than the scenario says,
 * belongs to other ground, another boundary or precision, or has lava at a temperature that the parameters do not allow.
 */
enum sciara_status sciara_initial_checkpoint_take(struct sciara_problem *p);

/**
 * The key initial.observed: replaces the lava of a problem that has its state, that of the bare ground or of a checkpoint.
 * Outside the outline there is none afterwards; inside, lava and rock are as thick as observed, at rest, and rock becomes no thicker. On bare ground the lava is
 * the initial one; what it adds to a checkpoint and removes from it are lines of the ledger. Maxima begin anew. Sets
 * p->source->observed_hash. SCIARA_ERR_INPUT for an outline without a cell of the land, a time before the checkpoint, and values that
 * lava cannot have.
 */
enum sciara_status sciara_initial_observed_take(struct sciara_problem *p, const struct sciara_problem_options *options);

/**
 * Changes the effusion of a vent of a simulation from now on: `rate` m3/s until `until` s, nothing after that. Its list of vents,
 * the text of its scenario and the rounding follow. On failure of anything but a new engine nothing has changed.
 */
enum sciara_status sciara_simulation_set_rate(struct sciara_simulation *s, size_t vent, double rate, double until);

// ----------------------------------------------------------------------------------------------------- its checkpoints

/** What every checkpoint of a simulation says; `started_utc`: when it began first, `history`: as in snapshots. `out` is zeroed; release it in any case. */
enum sciara_status sciara_checkpoint_describe(const struct sciara_simulation *s, uint64_t ground, const char *history,
                                              const char *started_utc, struct sciara_checkpoint *out);

/** What a run of this problem must have in common with a checkpoint. Free `precision` of the result. */
enum sciara_status sciara_checkpoint_identify(const struct sciara_problem *p, uint64_t ground,
                                              struct sciara_checkpoint_identity *out);

/** Warns if the run of the checkpoint began at another date than this one. @param also what else it changes */
void sciara_checkpoint_warn_of_start(const struct sciara_problem *p, const char *path,
                                     const struct sciara_checkpoint *c, const char *also);

#endif
