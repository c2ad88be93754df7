// SPDX-License-Identifier: Apache-2.0
// The checkpoints of a run: when one is due, where it goes, and which are kept.
#ifndef SCIARA_RUN_CHECKPOINTS_H
#define SCIARA_RUN_CHECKPOINTS_H

#include "run/writer.h"
#include "store/checkpoint_hdf5.h"

#define SCIARA_CHECKPOINT_FOLDER "checkpoints"

/** How many are kept: should the newest be damaged, there is another one. */
enum { SCIARA_CHECKPOINTS_KEPT = 2 };

struct sciara_problem;
struct sciara_simulation;

/** Zero-initialise; release with sciara_checkpoints_end. */
struct sciara_checkpoints {
  const struct sciara_simulation *simulation;
  char *folder;                           ///< DIR/checkpoints
  struct sciara_checkpoint header;        ///< what all of them say, and what the last one said
  uint64_t kept[SCIARA_CHECKPOINTS_KEPT]; ///< steps of those that are good, the newest first
  size_t kept_count;
  double next_s;    ///< simulated time at which the next is due; INFINITY: none
  double next_wall; ///< on the monotonic clock, s; INFINITY: none
};

/**
 * Readies them for a run into `folder`. Nothing is written yet.
 *
 * @param ground  sciara_state_checksum_of_ground
 * @param history of the run, like the moment at which it was started
 */
enum sciara_status sciara_checkpoints_begin(struct sciara_checkpoints *c, const struct sciara_simulation *s,
                                            const char *folder, uint64_t ground, const char *history,
                                            const char *started_utc);
void sciara_checkpoints_end(struct sciara_checkpoints *c);

/**
 * A good one of this step already exists, from which the run goes on. It counts as written, and the newest of the folder
 * before it with it: should the run end without another step, two are left. Those after it are of no use to the run.
 */
enum sciara_status sciara_checkpoints_found(struct sciara_checkpoints *c, uint64_t step);

/** Whether one is due at this simulated time (s) by the scenario's intervals. */
bool sciara_checkpoints_due(const struct sciara_checkpoints *c, double time);

/** Whether machine time asks for one. */
bool sciara_checkpoints_due_by_wall(const struct sciara_checkpoints *c);

/** Counts the intervals anew, from this simulated time (s) and from now. */
void sciara_checkpoints_schedule(struct sciara_checkpoints *c, double time);

/**
 * Writes the state of an output, and then removes all checkpoints but this one and the one before. A state that holds
 * anything but sound numbers is SCIARA_ERR_NUMERIC, and nothing is written.
 *
 * @param snapshots acknowledged so far
 */
enum sciara_status sciara_checkpoints_write(struct sciara_checkpoints *c, const struct sciara_output *o,
                                            uint64_t snapshots);

/** Adds to the stored sentence which checkpoint is the last good one; returns `status`. */
enum sciara_status sciara_checkpoints_attribute(const struct sciara_checkpoints *c, enum sciara_status status);

/** Path of the checkpoint of a step in a folder of checkpoints, malloc'd; NULL: no memory. */
char *sciara_checkpoint_path(const char *folder, uint64_t step);

/** Steps of the checkpoints in a folder, newest first; a folder that is not there has none. Release with free. */
enum sciara_status sciara_checkpoints_list(const char *folder, uint64_t **steps, size_t *count);

/** Whether a file of this name is a checkpoint, or one that was cut short. */
bool sciara_is_checkpoint_name(const char *name);

/** What a run of this problem must share with a checkpoint. `precision` of the result is to be freed. */
enum sciara_status sciara_checkpoint_identify(const struct sciara_problem *p, uint64_t ground,
                                              struct sciara_checkpoint_identity *out);

#endif
