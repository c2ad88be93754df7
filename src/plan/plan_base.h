// SPDX-License-Identifier: Apache-2.0
// The base scenario of an ensemble, as its members use it.
// Included by this room alone.
#ifndef SCIARA_PLAN_PLAN_BASE_H
#define SCIARA_PLAN_PLAN_BASE_H

#include "plan/expand.h"
#include "sim/problem.h"

/**
 * The text of the base without what belongs to a single run: effusion tables in place of CSV files, paths absolute, no
 * "output". With vents or events of the plan its one vent is the template of those.
 *
 * @param m   the members: effusion of which they change "slot" or "rates_m3_s" keeps these keys
 * @param dem the path of the DEM; NULL: the key "dem" of the base, its path absolute. With a path the DEM is the ground
 *            of the site: edits, window and CRS are left out. A checkpoint of the base is then next to it
 */
enum sciara_status sciara_plan_base_text(const struct sciara_problem *base, const struct sciara_expansion *x,
                                         const struct sciara_members *m, const char *dem, struct sciara_text *out);

/** Copies the checkpoint with which members begin. SCIARA_ERR_INPUT if it is no longer the one that was read. */
enum sciara_status sciara_plan_write_checkpoint(const struct sciara_problem *base, const char *path);

/** Writes the ground of a site so that a scenario with the key "dem" of sciara_plan_base_text reads the same site. */
enum sciara_status sciara_plan_write_dem(const struct sciara_problem *base, const char *path);

#endif
