// SPDX-License-Identifier: Apache-2.0
// The folder of an ensemble: what a plan may replace there, and what it writes.
// Included by this room alone.
#ifndef SCIARA_PLAN_PLAN_FOLDER_H
#define SCIARA_PLAN_PLAN_FOLDER_H

#include "ensemble/ensemble.h"
#include "plan/expand.h"
#include "sim/problem.h"

/** A plan that is being made. */
struct sciara_planning {
  struct sciara_ensemble_reading r;
  char *folder; ///< of the ensemble file
  cJSON *root;
  struct sciara_problem base;
  struct sciara_expansion x;
  struct sciara_ensemble e; ///< its base is the one with the DEM where it is now
  double covered;           ///< sum over the members: cells with lava in the end
};

/** Writes a plan without problems. A folder with the same members keeps its results. */
enum sciara_status sciara_plan_write(struct sciara_planning *p, const char *folder, bool overwrite);

#endif
