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

/** SCIARA_ERR_USAGE if the engine, unless it was left to auto, cannot compute bands on so many ranks. */
enum sciara_status sciara_scenario_check_bands(const struct sciara_scenario_spec *s,
                                               const struct sciara_engine_ops *ops, int ranks);

/**
 * *out: `banded`, a banded engine around `inner`, if there are ranks for it and the engine was named; else `inner`, and a note.
 * On one host threads of one process are faster than bands, and between hosts it depends on the lava.
 *
 * @param comm the ranks; NULL: alone
 */
enum sciara_status sciara_scenario_choose_bands(const struct sciara_scenario_spec *s,
                                                const struct sciara_engine_ops *inner, const struct sciara_comm *comm,
                                                struct sciara_engine_ops *banded, const struct sciara_engine_ops **out);

#endif
