// SPDX-License-Identifier: Apache-2.0
// The site of a scenario: its DEM read and classified, once for as many simulations as run on it.
#ifndef SCIARA_RUN_SCENARIO_SITE_H
#define SCIARA_RUN_SCENARIO_SITE_H

#include "model/site.h"
#include "run/problem.h"

/**
 * Reads the DEM of a scenario, or that of options->ground; in single precision the altitudes are rounded to float. Its
 * origin.keys are the keys "dem" and "engine.precision", which decide what the ground is: one line "key: value" each, the
 * value as in JSON.
 */
enum sciara_status sciara_scenario_site_read(const struct sciara_scenario *s,
                                             const struct sciara_problem_options *options,
                                             const struct sciara_site **out);

/**
 * SCIARA_ERR_INPUT, with the key, what was found and what is expected, when the site was read with other keys than those of
 * this scenario; SCIARA_ERR_USAGE when it was not read from a DEM. No file is opened.
 */
enum sciara_status sciara_scenario_site_check(const struct sciara_scenario *s, const struct sciara_site *site);

#endif
