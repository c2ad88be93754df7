// SPDX-License-Identifier: Apache-2.0
// What the maps of a run assume, in words: effusion, ground, rule and parameters, start.
#ifndef SCIARA_RUN_ASSUMED_H
#define SCIARA_RUN_ASSUMED_H

#include "map/words.h"
#include "model/vents.h"
#include "scenario/scenario.h"

/**
 * Appends two or three lines.
 *
 * @param emission NULL, or one that is not known: that of the scenario, if it has all rates itself
 */
enum sciara_status sciara_run_assumed(const struct sciara_scenario_spec *scenario,
                                      const struct sciara_emission *emission, const struct sciara_grid *grid,
                                      enum sciara_language language, struct sciara_text *out);

#endif
