// SPDX-License-Identifier: Apache-2.0
// Whether all numbers of a state are valid.
#ifndef SCIARA_MODEL_SOUNDNESS_H
#define SCIARA_MODEL_SOUNDNESS_H

#include "model/params.h"
#include "model/state.h"

/**
 * Engines check all lava (sciara_is_sound) in the first step after an upload and then every SCIARA_CHECK_EVERY steps.
 */
#define SCIARA_CHECK_EVERY 64

SCIARA_BEGIN_DECLS

/**
 * SCIARA_ERR_NUMERIC, with step, cell, quantity and value, for the first cell in row-major order that has a NaN or an
 * infinity, a negative thickness or loss, liquid lava that is not above T_sol or is more than 1 % above T_vent, or an
 * altitude below that before the eruption.
 */
enum sciara_status sciara_state_check_sound(const struct sciara_state *s, const struct sciara_params *params);

SCIARA_END_DECLS
#endif
