// SPDX-License-Identifier: Apache-2.0
// What maps, pages and records say of the vents of a scenario: where they lie, as they were given, and what they emit.
#ifndef SCIARA_SCENARIO_VENT_FACTS_H
#define SCIARA_SCENARIO_VENT_FACTS_H

#include "file/georef.h"
#include "geometry/grid.h"
#include "scenario/scenario.h"

/** A vent: a point, or the vertices of a fissure, in the CRS of the grid. */
struct sciara_vent_mark {
  char *name;                  ///< owned
  struct sciara_point *points; ///< owned
  size_t count;                ///< at least 1
};

/** Zero-initialise; release with sciara_vent_marks_free. */
struct sciara_vent_marks {
  struct sciara_vent_mark *mark;
  size_t count;
};

/** The vents of a scenario that have a place, in its order. */
enum sciara_status sciara_vent_marks_make(const struct sciara_scenario_spec *scenario, const struct sciara_grid *grid,
                                          const struct sciara_georef *georef, struct sciara_vent_marks *out);
void sciara_vent_marks_free(struct sciara_vent_marks *m);

/**
 * What the vents of a scenario emit; its volume is NAN if the rates of a vent are in another file, which was not read.
 *
 * @param from of struct sciara_emission
 */
enum sciara_status sciara_scenario_emission(const struct sciara_scenario_spec *s, double from,
                                            struct sciara_emission *out);

/** sciara_scenario_emission of its vents on a grid. */
enum sciara_status sciara_scenario_emission_of(const struct sciara_scenario_spec *s, const struct sciara_vents *vents,
                                               double from, struct sciara_emission *out);

#endif
