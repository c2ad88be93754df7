// SPDX-License-Identifier: Apache-2.0
// One eruption on several ranks: an engine whose steps are the phases of an inner engine, one for each band of rows.
// Its functions are called by rank 0, which has the map; the others serve it. docs/decisions/bands.md explains it.
#ifndef SCIARA_ENGINE_BANDED_H
#define SCIARA_ENGINE_BANDED_H

#include "comm/comm.h"
#include "engine/band_rows.h"
#include "engine/engine.h"

/**
 * The table of the banded engine of an inner engine, which has phases. Its setup needs `comm` and `inner`. States, totals and
 * errors are those of the inner engine on the whole map, to the bit. SCIARA_ERR_DEVICE if a rank has ended or does not answer
 * (sciara_comm_is_lost): then only `destroy` may be called.
 */
struct sciara_engine_ops sciara_banded_ops(const struct sciara_engine_ops *inner);

/** Called by all ranks but 0: executes the commands of rank 0 until it dismisses them. Fails only if rank 0 is lost. */
enum sciara_status sciara_banded_serve(struct sciara_comm *c);

/** For rank 0: ends `sciara_banded_serve` of all others. Nothing if the communicator is lost. */
enum sciara_status sciara_banded_dismiss(struct sciara_comm *c);

/**
 * What a step waits for, s, the mean of `count` in a row: a vote of all ranks (bytes 0), or messages of so many bytes to and from
 * both neighbours. `count` 0: a command to all ranks and their answers. Of rank 0, while the others serve. SCIARA_ERR_NUMERIC if
 * what arrives is not what was sent.
 */
enum sciara_status sciara_banded_measure(struct sciara_comm *c, size_t bytes, int count, double *seconds);

/** The threads of each rank for a request of so many; 0: its part of the cores that it shares with other ranks, if any. */
int sciara_banded_threads(const struct sciara_engine_ops *inner, const struct sciara_comm *c, int requested);

/** The GPUs that the process of a rank can use. */
struct sciara_banded_gpus {
  uint64_t set; ///< which: processes with the same set share them
  int count;
  char host[64];
};

/**
 * The GPU of a rank, the first of `each`: those that share a set take theirs in turn, from number `first` on. SCIARA_ERR_DEVICE
 * if it has too few. @param all those of all ranks
 */
enum sciara_status sciara_banded_device(const struct sciara_banded_gpus *all, int ranks, int rank, int first, int each,
                                        int *device);

/** How a map is divided at the moment. */
struct sciara_banded_facts {
  int bands;     ///< ranks with rows
  uint64_t cuts; ///< how often the bands were cut again since the upload
};

/** How a map with this state is divided among so many ranks. */
enum sciara_status sciara_banded_cuts(const struct sciara_state *state, int ranks, int64_t tile_rows,
                                      struct sciara_cuts *out);

/** The facts of a banded engine after an upload. */
struct sciara_banded_facts sciara_banded_facts_of(const void *engine);

#endif
