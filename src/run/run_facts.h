// SPDX-License-Identifier: Apache-2.0
// What the maps of a run say of themselves, and what they assume, in words; what pictures show besides a field: the vents and the
// run-out of a run, and the lava's bounds.
#ifndef SCIARA_RUN_RUN_FACTS_H
#define SCIARA_RUN_RUN_FACTS_H

#include "map/raster_gdal.h"
#include "map/run_out.h"
#include "map/words.h"
#include "picture/map_picture.h"
#include "scenario/scenario.h"
#include "scenario/vent_facts.h"
#include "store/run_json.h"

/** The moment that a map shows. Texts may be NULL. */
struct sciara_run_moment {
  const char *title, *start; ///< of the run
  const char *source;        ///< the program that computed it; NULL: this one
  double time_s;
  uint64_t step;
};

/**
 * Title, Software, Field, Unit, Start, Date (that of the map), SimulatedTime_s, Step, and, if the scenario is known,
 * Rule and Parameters of the model as "key=value key=value".
 *
 * @param scenario may be NULL
 */
enum sciara_status sciara_run_facts_make(const struct sciara_run_moment *moment,
                                         const struct sciara_scenario_spec *scenario, enum sciara_field field,
                                         struct sciara_map_facts *out);

/**
 * Appends what the maps assume, two or three lines: effusion, ground, rule and parameters, start; and one for each edit of the
 * ground.
 *
 * @param run its emission, and what became of its barriers. An emission that is not known: that of the scenario, if it has
 *            all rates itself
 */
enum sciara_status sciara_run_assumed(const struct sciara_scenario_spec *scenario, const struct sciara_run_json *run,
                                      const struct sciara_grid *grid, enum sciara_language language,
                                      struct sciara_text *out);

// --------------------------------------------------------------------------------------------- on the map of a picture

/** Zero-initialise; release with sciara_map_dressing_free. */
struct sciara_map_dressing {
  struct sciara_vent_marks marks;
  struct sciara_map_vent *vent; ///< refers to marks
  struct sciara_map_run_out run_out;
  struct sciara_map_bounds bounds; ///< of vents and lava
  struct sciara_map_volumes volumes;
  struct sciara_text assumed; ///< what stands below the map
  struct sciara_text title;   ///< that of the scenario, with its edits of the ground
  double observed_s;          ///< simulated time of the outline with which the run begins
  struct sciara_zones fronts;
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

/**
 * Lets the picture show where the front was when, as long as the lava of its time_s had arrived.
 *
 * @param times of arrival, NODATA where there is none
 * @param step  time from one front to the next, s; 0: chosen
 */
enum sciara_status sciara_map_dressing_fronts(struct sciara_map_dressing *d, const double *times, double step,
                                              struct sciara_map_picture *picture);

/** Adds what stands below the map in words to the facts of its file. */
enum sciara_status sciara_map_dressing_tell(const struct sciara_map_dressing *d, struct sciara_map_facts *facts);

void sciara_map_dressing_free(struct sciara_map_dressing *d);

#endif
