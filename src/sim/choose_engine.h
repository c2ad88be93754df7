// SPDX-License-Identifier: Apache-2.0
// The engine that a scenario chooses.
#ifndef SCIARA_SIM_CHOOSE_ENGINE_H
#define SCIARA_SIM_CHOOSE_ENGINE_H

#include "base/log.h"
#include "engine/engine.h"
#include "model/terms.h"

/** The precision in which the engine is to compute. */
enum sciara_precision sciara_chosen_precision(const struct sciara_engine_choice *c);

/** The options of the engine. */
struct sciara_engine_options sciara_chosen_options(const struct sciara_engine_choice *c);

/** Finds the engine for a rule, and checks that it has the options.
 *
 * An unknown name or options that do not fit it: SCIARA_ERR_USAGE if an override set them, else SCIARA_ERR_INPUT.
 * SCIARA_ERR_DEVICE if the engine is not available here.
 */
enum sciara_status sciara_engine_choose(const struct sciara_engine_choice *c, enum sciara_rule_kind rule,
                                        const struct sciara_notes *notes, const struct sciara_engine_ops **out);

/** SCIARA_ERR_USAGE if the engine, unless it was left to auto, cannot compute bands on so many ranks. */
enum sciara_status sciara_engine_check_bands(const struct sciara_engine_choice *c, const struct sciara_engine_ops *ops,
                                             int ranks);

/**
 * *out: `banded`, a banded engine around `inner`, if there are ranks for it and the engine was named; else `inner`, and a note.
 * On one host threads of one process are faster than bands, and between hosts it depends on the lava.
 *
 * @param comm the ranks; NULL: alone
 */
enum sciara_status sciara_engine_choose_bands(const struct sciara_engine_choice *c, const struct sciara_notes *notes,
                                              const struct sciara_engine_ops *inner, const struct sciara_comm *comm,
                                              struct sciara_engine_ops *banded, const struct sciara_engine_ops **out);

#endif
