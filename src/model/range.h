// SPDX-License-Identifier: Apache-2.0
// What the precision of the rule can hold: parameters, cells, rates and times for which no step underflows and the
// simulated time grows. Each limit is derived in docs/numerics.md, "Limits of each precision".
#ifndef SCIARA_MODEL_RANGE_H
#define SCIARA_MODEL_RANGE_H

#include <stdbool.h>

#include "model/params.h"
#include "model/vents.h"

SCIARA_BEGIN_DECLS

/** The limits of a number type and what follows from them. */
struct sciara_range {
  const char *name;       ///< "single" or "double"
  double least_normal;    ///< the smallest normal number
  double most;            ///< the largest number
  double relaxation;      ///< the least: below it a flow from rest is lost beside its donor
  double critical_height; ///< the least, in sides of a cell: below it flows are thinner than altitudes are exact
  // Of a cell, m, and as seconds the least clock_max: a known reciprocal divides exactly.
  double least_side, most_side;
};

/** Of double or single precision. */
const struct sciara_range *sciara_range_of(bool single);

/** Whether a positive number is a normal one in the precision. */
bool sciara_range_holds(const struct sciara_range *range, double value);

/**
 * Every parameter of sciara_params_check in the precision: normal (or 0, where 0 is allowed), T_sol < T_vent once both are
 * rounded, a relaxation with which lava moves, and clocks that let the time grow. The error names the JSON key.
 */
enum sciara_status sciara_params_check_range(const struct sciara_params *p, bool single);

/** The side of a cell, m, the critical heights beside it, and the constant of cooling that follows from it. */
enum sciara_status sciara_cell_size_check(const struct sciara_params *p, double cell_size, bool single);

/** The largest clock, r t_max as the rule computes it, s. */
double sciara_largest_clock(const struct sciara_params *p, bool single);

/** The latest time that steps of the largest clock surely reach, s: beyond it they may be lost beside the time. */
double sciara_latest_time(const struct sciara_params *p, bool single);

/** The volume of all lava, m3: were it in one cell, that would still be lower than the walls around the domain. */
enum sciara_status sciara_volume_check(double volume, double cell_size);

/**
 * The least rate of a vent, m3/s: with it, what comes up in a step is a normal number, however short the part of a slot
 * that lies in the step. INFINITY where a slot is too short for any rate.
 */
double sciara_least_rate(const struct sciara_vents *v, int64_t vent, const struct sciara_params *p, double cell_size,
                         bool single);

SCIARA_END_DECLS
#endif
