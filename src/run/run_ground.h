// SPDX-License-Identifier: Apache-2.0
// The ground in the folder of a run or an ensemble: dem.tif, and the warnings of run.json about it and the lava on it.
#ifndef SCIARA_RUN_RUN_GROUND_H
#define SCIARA_RUN_RUN_GROUND_H

#include "sim/problem.h"
#include "store/run_json.h"

/** Adds the warnings about the ground and the lava observed on it to run.json, unless it has them or none is needed. */
enum sciara_status sciara_ground_warn(const struct sciara_problem *problem, struct sciara_run_json *run_json);

/**
 * Writes the ground at the start, with its window and further bands for the sea, edits and observed lava, as far as there are.
 *
 * @param values rows x cols altitudes in place of those of the site; NULL: those
 */
enum sciara_status sciara_ground_write(const struct sciara_problem *problem, const double *values, const char *path);

#endif
