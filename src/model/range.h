// SPDX-License-Identifier: Apache-2.0
// The limits of a precision: parameters, cells, rates and times for which no step underflows and the simulated time
// grows. Each limit is derived in docs/numerics.md, "Limits of each precision".
#ifndef SCIARA_MODEL_RANGE_H
#define SCIARA_MODEL_RANGE_H

#include <stdbool.h>

#include "model/params.h"
#include "model/vents.h"

/** The limits of a number type, and the limits of the model that follow from them. */
struct sciara_range {
  const char *name;       ///< "single" or "double"
  double least_normal;    ///< the smallest normal number
  double most;            ///< the largest number
  double relaxation;      ///< the least: below it a flow that starts without speed is lost in the rounding of its donor
  double critical_height; ///< the least, in sides of a cell: below it flows are thinner than the rounding of altitudes
  double sheet; ///< of rule bingham, the least viscosity, friction and density, SI units: below it a speed can overflow
  // The sides of a cell, m; least_side is also the least clock_max, s: between these limits division by a known reciprocal is
  // exact.
  double least_side, most_side;
};

/** The range of double or single precision. */
const struct sciara_range *sciara_range_of(bool single);

/** Whether a positive number is a normal number of the precision. */
bool sciara_range_holds(const struct sciara_range *range, double value);

/**
 * Checks every parameter of sciara_params_check in the precision: it is normal (or 0, where 0 is valid), T_sol < T_vent
 * after rounding, the relaxation lets lava move, the clocks let the time grow, and no speed of rule bingham overflows. The error names the JSON key.
 */
enum sciara_status sciara_params_check_range(const struct sciara_params *p, bool single);

/**
 * Checks the side of a cell, m, the critical heights relative to it, and the constant of cooling that follows from it.
 */
enum sciara_status sciara_cell_size_check(const struct sciara_params *p, double cell_size, bool single);

/** The largest clock, r t_max as the rule computes it, s. */
double sciara_largest_clock(const struct sciara_params *p, bool single);

/**
 * The latest time, s, that steps of the largest clock surely reach: later they may be lost in the rounding of the
 * time.
 */
double sciara_latest_time(const struct sciara_params *p, bool single);

/** Checks the volume of all lava, m3: even in a single cell it must be lower than the walls around the domain. */
enum sciara_status sciara_volume_check(double volume, double cell_size);

/**
 * The least rate of a vent, m3/s. With it, the lava emitted in a step is a normal number, however short the part of a
 * slot that lies in the step. INFINITY if a slot is too short for any rate.
 */
double sciara_least_rate(const struct sciara_vents *v, int64_t vent, const struct sciara_params *p, double cell_size,
                         bool single);

#endif
