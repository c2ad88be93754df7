// SPDX-License-Identifier: Apache-2.0
// Parallel work outside the engines: checksums of large states, and the cells that lava has reached.
#ifndef SCIARA_SIM_PARALLEL_H
#define SCIARA_SIM_PARALLEL_H

#include "engine/engine.h"
#include "model/state.h"

enum { SCIARA_MOST_THREADS = 1024 };

/** Cores that this process may use. */
int sciara_usable_cores(void);

/**
 * Largest number of threads that an engine (NULL: not known yet) uses for `requested`; 0: OMP_NUM_THREADS, or all
 * cores.
 */
int sciara_engine_threads(const struct sciara_engine_ops *ops, int requested);

/**
 * Number of threads that encode snapshots while an engine runs with so many threads: the cores that it leaves free, or
 * one.
 */
int sciara_snapshot_threads(int engine_threads);

/** sciara_state_checksum, divided among the cores. */
uint64_t sciara_checksum_in_parallel(const struct sciara_state *s);

/** sciara_touched_find, divided among at most so many threads. */
enum sciara_status sciara_touched_in_parallel(const struct sciara_state *s, int threads, struct sciara_touched *out);

#endif
