// SPDX-License-Identifier: Apache-2.0
// Whether the cells of a vent can pass on what it emits: an estimate before a run (model/tower.h).
#ifndef SCIARA_RUN_OUTFLOW_H
#define SCIARA_RUN_OUTFLOW_H

#include "run/problem.h"

/** The load of a vent of the scenario at its peak rate. */
struct sciara_outflow {
  double peak;      ///< m3/s
  double x;         ///< load of its most loaded cell; from 1 on its lava grows without bound
  double height;    ///< at which it stands above flat ground, m; INFINITY: none
  double reach;     ///< radius of a point, width of a line, m, that brings x to SCIARA_TOWER_AIM
  double cell_size; ///< side of the cells, m, that does
};

/** The estimate for vent k, which has been placed. */
struct sciara_outflow sciara_outflow_of(const struct sciara_problem *p, size_t k);

/** Warns of each vent whose lava would grow without bound. */
void sciara_outflow_warn(const struct sciara_problem *p);

#endif
