// SPDX-License-Identifier: Apache-2.0
// How long the members of a plan will take, from some of them.
#ifndef SCIARA_PLAN_PLAN_TIME_H
#define SCIARA_PLAN_PLAN_TIME_H

#include "ensemble/ensemble.h"
#include "sim/problem.h"

struct sciara_plan_time {
  bool made;            ///< false: there is no estimate of the time
  size_t probed, whole; ///< members that were probed; of these, computed to their end
  double core_s;        ///< computing all members on one core, s
  double low_s, high_s; ///< between these, most probably
  char why[320];        ///< there is no estimate, or no memory; "": it was not asked for
  double member_bytes;  ///< memory of the largest member of a sample; 0: unknown
};

/**
 * Places a sample of the members, evenly spread over the table, and computes some of them, the shortest first, in `seconds`
 * of processor time. The time of a member is taken to be proportional to its length (sim/cost.h). If no member comes
 * to its end, the time step and the cost of a cell in the first steps are extrapolated; without enough steps there is no
 * estimate.
 *
 * @param e its base names the DEM of `base`
 * @param base a problem on the site of all members
 * @param seconds 0: no probes
 */
enum sciara_status sciara_plan_time_make(const struct sciara_ensemble *e, const struct sciara_problem *base,
                                         double seconds, struct sciara_plan_time *out);

#endif
