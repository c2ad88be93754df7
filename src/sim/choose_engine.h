// SPDX-License-Identifier: Apache-2.0
// The engine of a scenario.
#ifndef SCIARA_SIM_CHOOSE_ENGINE_H
#define SCIARA_SIM_CHOOSE_ENGINE_H

#include "engine/engine.h"
#include "scenario/scenario.h"

/** The precision of the rule in a scenario. */
enum sciara_precision sciara_scenario_precision(const struct sciara_scenario_spec *s);

/** The options of its engine. */
struct sciara_engine_options sciara_scenario_engine_options(const struct sciara_scenario_spec *s);

/** Finds the engine and checks that it has the options.
 *
 * An unknown name or options that do not fit it: SCIARA_ERR_USAGE if an override set them, else SCIARA_ERR_INPUT.
 * SCIARA_ERR_DEVICE if the engine is not available here.
 */
enum sciara_status sciara_scenario_choose_engine(const struct sciara_scenario_spec *s,
                                                 const struct sciara_engine_ops **out);

#endif
