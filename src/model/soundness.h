// SPDX-License-Identifier: Apache-2.0
// Whether all numbers of a state are valid.
#ifndef SCIARA_MODEL_SOUNDNESS_H
#define SCIARA_MODEL_SOUNDNESS_H

#include "model/params.h"
#include "model/state.h"

/**
 * Engines check all lava (sciara_is_sound) in every step after a multiple of SCIARA_CHECK_EVERY steps, so that what they find does not
 * depend on when a state was uploaded.
 */
#define SCIARA_CHECK_EVERY 64

/** What a bad cell has, for messages. */
#define SCIARA_UNSOUND_TEXT                                                                               \
  "lava cannot have such numbers: one is not a number or infinite, or the thickness is negative, or the " \
  "temperature is not between T_sol and T_vent; in single precision rounding may add up to that in many " \
  "thousand steps: expected engine.precision \"double\""

SCIARA_BEGIN_DECLS

/**
 * SCIARA_ERR_NUMERIC, with step, cell, quantity and value, for the first cell in row-major order that has a NaN or an
 * infinity, a negative thickness or loss, liquid lava that is not above T_sol or is more than 1 % above T_vent, or an
 * altitude below that before the eruption.
 */
enum sciara_status sciara_state_check_sound(const struct sciara_state *s, const struct sciara_params *params);

SCIARA_END_DECLS
#endif
