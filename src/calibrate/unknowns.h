// SPDX-License-Identifier: Apache-2.0
// The unknowns of a search: how they are read, and the values that they have at a point of the unit cube.
// Included by this room alone.
#ifndef SCIARA_CALIBRATE_UNKNOWNS_H
#define SCIARA_CALIBRATE_UNKNOWNS_H

#include "calibrate/calibration_file.h"
#include "ensemble/ensemble_json.h"

struct sciara_cases;

/** Reads the array "unknowns" of a search. Problems of its items are added to the diagnostics. */
enum sciara_status sciara_unknowns_read(const struct sciara_ensemble_reading *r, const cJSON *unknowns,
                                        struct sciara_calibration_search *s);

/** Refuses what a search has for "unknowns", or for the key `name` of an item of it. */
enum sciara_status sciara_unknowns_refuse(const struct sciara_ensemble_reading *r,
                                          const struct sciara_calibration_search *s, size_t index, const char *name,
                                          const char *found, const char *allowed);

/**
 * Places the vents whose positions are searched on the grounds of the scenarios. SCIARA_ERR_INPUT: a disc has a cell that
 * cannot have a vent, or has no other cell.
 */
enum sciara_status sciara_unknowns_place(const struct sciara_calibration_search *s, const struct sciara_cases *c);

/** Takes the places of the vents whose positions are searched from scenario `n`: of the first one, or compares them with those. */
void sciara_unknowns_take_places(const struct sciara_ensemble_reading *r, const struct sciara_calibration_search *s,
                                 size_t n, const struct sciara_scenario_spec *scenario);

/** The values of the unknowns at a point whose coordinates are in [0, 1]. */
enum sciara_status sciara_unknowns_values(const struct sciara_calibration_search *s, const double *point,
                                          double *value);

/** Keys and their values, as evaluations take them; returns their number. The position of a vent is left out before its disc is open. */
size_t sciara_unknowns_keys(const struct sciara_calibration_search *s, const double *value,
                            const char *key[SCIARA_UNKNOWNS_MOST], char text[SCIARA_UNKNOWNS_MOST][40]);

/** The value of an unknown at a coordinate in [0, 1]: from min to max. */
double sciara_unknown_value(const struct sciara_unknown *u, double coordinate);

#endif
