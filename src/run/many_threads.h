// SPDX-License-Identifier: Apache-2.0
// What several threads do outside the engines: checksums of large states, where lava has been, and a loop that measures how
// the processor itself scales.
#ifndef SCIARA_RUN_MANY_THREADS_H
#define SCIARA_RUN_MANY_THREADS_H

#include "engine/engine.h"
#include "model/touched.h"

enum { SCIARA_MOST_THREADS = 1024 };

/** Cores that this process may use. */
int sciara_usable_cores(void);

/** Threads that an engine (NULL: not known yet) uses at most if it is to use `requested`; 0: OMP_NUM_THREADS, or all cores. */
int sciara_engine_threads(const struct sciara_engine_ops *ops, int requested);

/** Whether OMP_NUM_THREADS is the reason for that number. */
bool sciara_threads_by_environment(const struct sciara_engine_ops *ops, int requested);

/** Threads that encode snapshots beside an engine of so many threads: the cores that it leaves free, or one. */
int sciara_snapshot_threads(int engine_threads);

/** sciara_state_checksum, shared out among the cores. */
uint64_t sciara_checksum_shared_out(const struct sciara_state *s);

/** sciara_touched_find, shared out among up to so many threads. */
enum sciara_status sciara_touched_shared_out(const struct sciara_state *s, int threads, struct sciara_touched *out);

/**
 * Additions and multiplications in double precision a second, of a loop that stays in registers on so many threads (0: all
 * cores): the median of five runs. No engine can scale better than this on a processor whose clock falls with the number
 * of busy cores, or whose cores are shared.
 */
enum sciara_status sciara_register_loop(int threads, double *operations_per_s);

#endif
