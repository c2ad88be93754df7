// SPDX-License-Identifier: Apache-2.0
// Whether all numbers of a state are valid.
#ifndef SCIARA_MODEL_SOUNDNESS_H
#define SCIARA_MODEL_SOUNDNESS_H

#include "model/params.h"
#include "model/state.h"

/**
 * Engines check all lava (sciara_is_sound) in the step after every multiple of SCIARA_CHECK_EVERY steps. What they find
 * does not depend on when a state was uploaded, and so not on where a simulation was interrupted.
 */
#define SCIARA_CHECK_EVERY 64

/** What is said of a cell that is not sound, after its step and position. */
#define SCIARA_UNSOUND_TEXT                                                                                 \
  "lava cannot have such numbers: one is not a number or infinite, or the thickness is negative, or the "   \
  "temperature is not between T_sol and T_vent; in single precision rounding may add up to that over many " \
  "thousands of steps: expected engine.precision \"double\""

SCIARA_BEGIN_DECLS

/**
 * SCIARA_ERR_NUMERIC, with step, cell, quantity and value, for the first cell in row-major order that has a NaN or an
 * infinity, a negative thickness or loss, liquid lava that is not above T_sol or is more than 1 % above T_vent, or an
 * altitude below that before the eruption.
 */
enum sciara_status sciara_state_check_sound(const struct sciara_state *s, const struct sciara_params *params);

SCIARA_END_DECLS
#endif
