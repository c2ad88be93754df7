// SPDX-License-Identifier: Apache-2.0
// The lava that a simulation begins with: of a checkpoint, as it was mapped (initial_observed.c), and as a part of what
// identifies an ensemble and its members.
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

/**
 * The keys initial.checkpoint and initial.checksum: makes the state of a problem that has its site: lava, time, step and
 * totals of the checkpoint, and the maxima that it holds. Vents emit from that time on. SCIARA_ERR_INPUT if it is damaged, has another checksum than the scenario says,
 * belongs to other ground, another boundary or precision, or has lava at a temperature that the parameters do not allow.
 */
enum sciara_status sciara_initial_checkpoint_take(struct sciara_problem *p);

/**
 * The key initial.observed: replaces the lava of a problem that has its state, that of the bare ground or of a checkpoint.
 * Outside the outline there is none afterwards; inside, lava and rock are as thick as observed, at rest, and rock becomes no thicker. On bare ground the lava is
 * the initial one; what it adds to a checkpoint and removes from it are lines of the ledger. Maxima begin anew. Sets
 * p->observed_hash. SCIARA_ERR_INPUT for an outline without a cell of the land, a time before the checkpoint, and values that
 * lava cannot have.
 */
enum sciara_status sciara_initial_observed_take(struct sciara_problem *p, const struct sciara_problem_options *options);

#endif
