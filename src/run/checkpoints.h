// SPDX-License-Identifier: Apache-2.0
// The checkpoints of a run: their paths, and which ones are retained.
#ifndef SCIARA_RUN_CHECKPOINTS_H
#define SCIARA_RUN_CHECKPOINTS_H

#include "run/writer.h"
#include "store/checkpoint_hdf5.h"

#define SCIARA_CHECKPOINT_FOLDER "checkpoints"

/** Number of checkpoints that are retained: if the newest is damaged, there is another one. */
enum { SCIARA_CHECKPOINTS_KEPT = 2 };

struct sciara_problem;
struct sciara_simulation;

/** Zero-initialise; release with sciara_checkpoints_end. */
struct sciara_checkpoints {
  char *folder;                           ///< DIR/checkpoints
  struct sciara_checkpoint header;        ///< the common part of all of them, and the values of the last one
  uint64_t kept[SCIARA_CHECKPOINTS_KEPT]; ///< steps of the valid ones, newest first
  size_t kept_count;
  double keep_every; ///< the first one after each such interval of simulated time is never removed, s; 0: none
  bool keep_all;
  double last;      ///< simulated time of the newest one, or of the start, s
  uint64_t *marked; ///< steps of those that are never removed
  size_t marked_count;
};

/** Prepares the checkpoints of a run in `folder`. Nothing is written yet.
 *
 * @param ground  sciara_state_checksum_of_ground
 * @param history history of the run, and started_utc its start
 */
enum sciara_status sciara_checkpoints_begin(struct sciara_checkpoints *c, const struct sciara_simulation *s,
                                            const char *folder, uint64_t ground, const char *history,
                                            const char *started_utc);
void sciara_checkpoints_end(struct sciara_checkpoints *c);

/**
 * The run continues from a valid checkpoint of this step. It counts as written, like the newest one before it in the
 * folder: if the run ends without another step, two are left. Later ones are not used. If the run keeps some, all that are
 * found are kept.
 */
enum sciara_status sciara_checkpoints_found(struct sciara_checkpoints *c, uint64_t step);

/**
 * Writes the state of an output, and then removes all checkpoints except this one, the previous one and those to keep. A state with
 * invalid numbers is SCIARA_ERR_NUMERIC, and nothing is written.
 *
 * @param snapshots number of acknowledged snapshots
 */
enum sciara_status sciara_checkpoints_write(struct sciara_checkpoints *c, const struct sciara_output *o,
                                            uint64_t snapshots);

/** Adds the path of the last valid checkpoint to the stored error message; returns `status`. */
enum sciara_status sciara_checkpoints_attribute(const struct sciara_checkpoints *c, enum sciara_status status);

/** Path of the checkpoint of a step in a folder of checkpoints, malloc'd; NULL: no memory. */
char *sciara_checkpoint_path(const char *folder, uint64_t step);

/** Steps of the checkpoints in a folder, newest first; none if the folder does not exist. Release with free. */
enum sciara_status sciara_checkpoints_list(const char *folder, uint64_t **steps, size_t *count);

/** Whether a file of this name is a checkpoint, complete or not. */
bool sciara_is_checkpoint_name(const char *name);

#endif
