// SPDX-License-Identifier: Apache-2.0
// The content of the rasters of initial lava, as part of what identifies an ensemble and its members.
#ifndef SCIARA_SIM_INITIAL_LAVA_H
#define SCIARA_SIM_INITIAL_LAVA_H

#include "sim/problem.h"

/**
 * A hash of the lava that a problem with a state has from the files initial.thickness and initial.temperature, or from those
 * of initial.observed; 0: it names none. Numbers in their place are part of the text of a scenario.
 */
uint64_t sciara_initial_lava_hash(const struct sciara_problem *p);

/** SCIARA_ERR_INPUT, naming the files, if a problem with a state has another hash; `expected` 0: any is right. */
enum sciara_status sciara_initial_lava_check(const struct sciara_problem *p, uint64_t expected);

/** Whether the scenario begins with lava: its own or that of a checkpoint. */
bool sciara_scenario_has_initial_lava(const struct sciara_scenario_spec *s);

#endif
