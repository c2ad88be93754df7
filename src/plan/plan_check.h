// SPDX-License-Identifier: Apache-2.0
// Whether the members of a plan can be computed.
// Included by this room alone.
#ifndef SCIARA_PLAN_PLAN_CHECK_H
#define SCIARA_PLAN_PLAN_CHECK_H

#include "ensemble/ensemble.h"
#include "sim/problem.h"

/**
 * Adds a problem for each member that is not a valid scenario on the site of the base.
 *
 * @param file the ensemble file, for messages
 * @param end_s the latest simulated time at which a member ends by run.until, s; INFINITY if one ends otherwise
 * @return the cells that all members together cover in the end: at most about so many
 */
double sciara_plan_check_members(const struct sciara_ensemble *e, const struct sciara_problem *base, const char *file,
                                 struct sciara_diagnostics *d, double *end_s);

#endif
