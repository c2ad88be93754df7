// SPDX-License-Identifier: Apache-2.0
// A step of engine `serial` in two halves, and the phases that are made of them. Compiled once per precision.
// Included by this room alone.
#ifndef SCIARA_ENGINE_SERIAL_PHASES_H
#define SCIARA_ENGINE_SERIAL_PHASES_H

#include "engine/active.h"

#define sciara_serial_first_half SCIARA_NAME(sciara_serial_first_half)
#define sciara_serial_second_half SCIARA_NAME(sciara_serial_second_half)
#define sciara_serial_phases SCIARA_NAME(sciara_serial_phases)

/** The step up to t_opt, s, the smallest time of the liquid cells. */
enum sciara_status sciara_serial_first_half(struct sciara_active *a, real *t_opt);

/** The rest of the step, with the smallest time of all cells, s. */
enum sciara_status sciara_serial_second_half(struct sciara_active *a, real t_opt);

extern const struct sciara_engine_phases sciara_serial_phases;

#endif
