// SPDX-License-Identifier: Apache-2.0
// The site of a scenario: its DEM, read and classified once for all simulations on it.
#ifndef SCIARA_RUN_SCENARIO_SITE_H
#define SCIARA_RUN_SCENARIO_SITE_H

#include "model/site.h"
#include "run/problem.h"

/**
 * Reads the DEM of a scenario, or that of options->ground; in single precision the altitudes are rounded to float. Its
 * origin.keys are the keys "dem" and "engine.precision", which determine the ground: one line "key: value" each, the
 * value as in JSON.
 */
enum sciara_status sciara_scenario_site_read(const struct sciara_scenario_spec *s,
                                             const struct sciara_problem_options *options,
                                             const struct sciara_site **out);

/**
 * SCIARA_ERR_INPUT, with the key and what is expected and found, if the site was read with keys that differ from those
 * of this scenario; SCIARA_ERR_USAGE if it was not read from a DEM. Opens no file.
 */
enum sciara_status sciara_scenario_site_check(const struct sciara_scenario_spec *s, const struct sciara_site *site);

#endif
