// SPDX-License-Identifier: Apache-2.0
// What the checkpoints of a simulation say about it, and what a simulation must have in common with a checkpoint.
#ifndef SCIARA_SIM_CHECKPOINT_CONTENT_H
#define SCIARA_SIM_CHECKPOINT_CONTENT_H

#include "sim/simulation.h"
#include "store/checkpoint_hdf5.h"

/** What every checkpoint of a simulation says; `started_utc`: when it began first, `history`: as in snapshots. `out` is zeroed; release it in any case. */
enum sciara_status sciara_checkpoint_describe(const struct sciara_simulation *s, uint64_t ground, const char *history,
                                              const char *started_utc, struct sciara_checkpoint *out);

/** What a run of this problem must have in common with a checkpoint. Free `precision` of the result. */
enum sciara_status sciara_checkpoint_identify(const struct sciara_problem *p, uint64_t ground,
                                              struct sciara_checkpoint_identity *out);

#endif
