// SPDX-License-Identifier: Apache-2.0
// Parallel work outside the engines: checksums of large states, the cells that lava has reached, and a loop that
// measures the scaling of the processor itself.
#ifndef SCIARA_SIM_PARALLEL_H
#define SCIARA_SIM_PARALLEL_H

#include "engine/engine.h"
#include "model/touched.h"

enum { SCIARA_MOST_THREADS = 1024 };

/** Cores that this process may use. */
int sciara_usable_cores(void);

/**
 * Largest number of threads that an engine (NULL: not known yet) uses for `requested`; 0: OMP_NUM_THREADS, or all
 * cores.
 */
int sciara_engine_threads(const struct sciara_engine_ops *ops, int requested);

/** Whether OMP_NUM_THREADS determines that number. */
bool sciara_threads_by_environment(const struct sciara_engine_ops *ops, int requested);

/**
 * Number of threads that encode snapshots while an engine runs with so many threads: the cores that it leaves free, or
 * one.
 */
int sciara_snapshot_threads(int engine_threads);

/** sciara_state_checksum, divided among the cores. */
uint64_t sciara_checksum_in_parallel(const struct sciara_state *s);

/** sciara_touched_find, divided among at most so many threads. */
enum sciara_status sciara_touched_in_parallel(const struct sciara_state *s, int threads, struct sciara_touched *out);

/**
 * Additions and multiplications in double precision per second of a loop that stays in registers, on so many threads
 * (0: all cores): the median of five runs. No engine can scale better than this on a processor whose clock rate falls
 * with the number of busy cores, or whose cores are shared.
 */
enum sciara_status sciara_register_loop(int threads, double *operations_per_s);

#endif
