// SPDX-License-Identifier: Apache-2.0
// A run that begins with the state of a checkpoint: the keys initial.checkpoint and initial.checksum.
// Included by this room alone.
#ifndef SCIARA_SIM_INITIAL_CHECKPOINT_H
#define SCIARA_SIM_INITIAL_CHECKPOINT_H

#include "sim/problem.h"

/**
 * Makes the state of a problem that has its site: lava, time, step and totals of the checkpoint, and the maxima that it
 * holds. Vents emit from that time on. SCIARA_ERR_INPUT if it is damaged, has another checksum than the scenario says,
 * belongs to other ground, another boundary or precision, or has lava at a temperature that the parameters do not allow.
 */
enum sciara_status sciara_initial_checkpoint_take(struct sciara_problem *p);

#endif
