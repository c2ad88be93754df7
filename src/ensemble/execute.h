// SPDX-License-Identifier: Apache-2.0
// Computes the members of an ensemble: one on each core, or on each GPU. Any slice can be computed anywhere, in any order
// and any number of times; the results are the same but for the seconds.
#ifndef SCIARA_ENSEMBLE_EXECUTE_H
#define SCIARA_ENSEMBLE_EXECUTE_H

#include "ensemble/ensemble.h"

/** Progress, for the members of the slice. */
struct sciara_execute_progress {
  size_t total, finished; ///< members; finished includes those of earlier runs
  size_t failed, censored;
  size_t now;      ///< finished by this run
  double seconds;  ///< of this run
  size_t enough;   ///< batches with which the stop rule holds; 0: it does not, or was not tested
  double per_hour; ///< members; 0: unknown
  double to_go_s;  ///< below 0: unknown
};

struct sciara_execute_options {
  const char *engine; ///< NULL: that of the base scenario; "auto" is openmp
  int workers;        ///< members at a time; 0: one per core, or one per GPU
  bool has_ids;
  int64_t first_id, last_id; ///< only batches with a member from first_id to last_id
  size_t part, parts;        ///< only part 1 .. parts of the batches; parts 0: all
  double checkpoint_wall_s;  ///< wall-clock time after which a member in work is stored again; 0: 10 minutes
  bool all;                  ///< no stop rule; there is none for a slice either
  const int *cancel;         ///< read atomically; may be NULL
  /** Called by the thread that called, about every 0.2 s and at the end; may be NULL. */
  void (*progress)(void *context, const struct sciara_execute_progress *now);
  void *context;
};

/**
 * Computes the members of the slice that are not finished, of a whole ensemble until its stop rule holds. Finished
 * members are never lost: those of a batch that is not whole are kept in files of their own (execute.c). A
 * member that takes long is stored on the way, and continues from there.
 *
 * Checked before: that all batches in the folder belong to the ensemble, and that disk and memory suffice. With less
 * memory than all workers need there are fewer workers, which is said.
 *
 * @param out the state at the end; also when *options->cancel has ended it, which is SCIARA_OK
 */
enum sciara_status sciara_ensemble_execute(const struct sciara_ensemble *e,
                                           const struct sciara_execute_options *options,
                                           struct sciara_execute_progress *out);

/** What a folder holds. */
struct sciara_ensemble_status {
  size_t members, finished, failed, censored;
  size_t batches, whole;
  size_t single;    ///< finished members of batches that are not whole
  size_t unusable;  ///< files of members that are damaged or belong to another plan
  size_t enough;    ///< batches with which the stop rule holds: members of others are not computed; 0: it does not
  size_t begun;     ///< members that are not finished and have a checkpoint
  double last_hour; ///< members finished in the last hour, by log.csv
  double last_s;    ///< in which they were computed: at most an hour
  double per_hour;  ///< members, at this speed; 0: none was finished
  double bytes;     ///< of the batches
};

/** Reads it. SCIARA_ERR_INPUT for a batch of another ensemble. */
enum sciara_status sciara_ensemble_read_status(const struct sciara_ensemble *e, struct sciara_ensemble_status *out);

#endif
