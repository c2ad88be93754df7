// SPDX-License-Identifier: Apache-2.0
// A run that begins with lava as it was mapped: the key initial.observed.
// Included by this room alone.
#ifndef SCIARA_SIM_INITIAL_OBSERVED_H
#define SCIARA_SIM_INITIAL_OBSERVED_H

#include "sim/problem.h"

/**
 * Replaces the lava of a problem that has its state: of the bare ground, or of a checkpoint. Outside the outline there is none
 * afterwards; inside, lava and rock are as thick as observed, at rest, and rock becomes no thicker. On bare ground the lava is
 * the initial one; what it adds to a checkpoint and removes from it are lines of the ledger. Maxima begin anew. Sets
 * p->observed_hash. SCIARA_ERR_INPUT for an outline without a cell of the land, a time before the checkpoint, and values that
 * lava cannot have.
 */
enum sciara_status sciara_initial_observed_take(struct sciara_problem *p, const struct sciara_problem_options *options);

#endif
