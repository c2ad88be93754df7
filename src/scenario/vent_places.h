// SPDX-License-Identifier: Apache-2.0
// Where the vents of a scenario lie on the map, as they were given: points and lines.
#ifndef SCIARA_SCENARIO_VENT_PLACES_H
#define SCIARA_SCENARIO_VENT_PLACES_H

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

#endif
