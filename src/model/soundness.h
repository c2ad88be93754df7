// SPDX-License-Identifier: Apache-2.0
// Whether a state holds nothing but numbers that lava can have.
#ifndef SCIARA_MODEL_SOUNDNESS_H
#define SCIARA_MODEL_SOUNDNESS_H

#include "model/params.h"
#include "model/state.h"

/** Engines look at the numbers of all lava in the first step after an upload and each so many steps (sciara_is_sound). */
#define SCIARA_CHECK_EVERY 64

SCIARA_BEGIN_DECLS

/**
 * SCIARA_ERR_NUMERIC, naming step, cell, quantity and value, for the first cell in row-major order that holds NaN or an
 * infinity, a negative thickness or loss, liquid lava that is not above T_sol or more than 1 % above T_vent, or altitude
 * below that before the eruption.
 */
enum sciara_status sciara_state_check_sound(const struct sciara_state *s, const struct sciara_params *params);

SCIARA_END_DECLS
#endif
