// SPDX-License-Identifier: Apache-2.0
// Coordinates of an ensemble file in degrees, or from vector files, become those of the CRS of the DEM.
#ifndef SCIARA_PLAN_PLAN_PLACES_H
#define SCIARA_PLAN_PLAN_PLACES_H

#include "ensemble/ensemble_reading.h"
#include "sim/problem.h"

/**
 * Replaces, in a tree that has passed the check, the keys lon, lat and lonlat, and file, layer and place, of result.sites,
 * result.eruptions_per_year, vents.grid and vents.line by coordinates of the base; a site that is a file by one site for each of
 * its places. What cannot be read is a problem, and its object is removed. So ensemble.json, which has the result, needs no file.
 */
void sciara_plan_places_resolve(const struct sciara_ensemble_reading *r, const struct sciara_problem *base,
                                cJSON *root);

#endif
