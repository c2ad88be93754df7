// SPDX-License-Identifier: Apache-2.0
// The results in the folder of an ensemble: batches/NNNNNN.h5, each whole, and members/NNNNNN/ID.h5 for the finished
// members of a batch that is not yet whole. The latter are not synced: after a loss of power some may have to be
// computed again. They are removed as soon as their batch is on the disk. A member that takes long has
// members/NNNNNN/ID.checkpoint.h5, with which it continues, until it is finished.
// Included by this room alone.
#ifndef SCIARA_ENSEMBLE_BATCH_FOLDER_H
#define SCIARA_ENSEMBLE_BATCH_FOLDER_H

#include "ensemble/ensemble.h"
#include "geometry/grid.h"
#include "member/batch_file.h"

#define SCIARA_ENSEMBLE_FINISHED "members"

/** An ensemble and the map of its site. */
struct sciara_batch_folder {
  const struct sciara_ensemble *ensemble;
  int64_t rows, cols;                  ///< 0: unknown; then not compared
  struct sciara_kept_footprints *kept; ///< what need not be read to make batches, or NULL
};

/** First member of a batch, and the one after its last. */
size_t sciara_batch_begin(const struct sciara_ensemble *e, size_t batch);
size_t sciara_batch_end(const struct sciara_ensemble *e, size_t batch);

/** The path of its file, malloc'd; NULL: no memory. */
char *sciara_batch_path(const struct sciara_ensemble *e, size_t batch);

/** What is known of a member. */
struct sciara_member_done {
  bool finished, failed, censored;
};

/**
 * Whether a batch is whole. Sets states[sciara_batch_begin .. sciara_batch_end - 1] if it is.
 *
 * @return SCIARA_ERR_INPUT for a batch of another ensemble or another table of members: the message names what differs
 */
enum sciara_status sciara_batch_is_whole(const struct sciara_batch_folder *folder, size_t batch,
                                         struct sciara_member_done *states, bool *whole);

/** Whether the file of a finished member exists; it may be damaged. */
bool sciara_member_is_stored(const struct sciara_batch_folder *folder, size_t member);

/**
 * sciara_member_is_stored; sets its state if the file belongs to the plan, by ids and hashes: no cells are read. Removes nothing.
 */
bool sciara_member_look(const struct sciara_batch_folder *folder, size_t member, struct sciara_member_done *state);

/**
 * Reads the state of a member from its file, and its cells; a file that is damaged or belongs to another table is removed, and
 * the member is not finished.
 */
enum sciara_status sciara_member_find(const struct sciara_batch_folder *folder, size_t member,
                                      struct sciara_member_done *state);

/** The path of its checkpoint, malloc'd; NULL: no memory. */
char *sciara_member_checkpoint_path(const struct sciara_batch_folder *folder, size_t member);

/** Makes the folder for the files of a member, unless its batch has been made. */
enum sciara_status sciara_member_folder_make(const struct sciara_batch_folder *folder, size_t member);

/**
 * Writes the file of a finished member, and removes its checkpoint, for which the file is on the disk first; sets its id
 * and the hash of its row. If another process has made the batch in the meantime, nothing is written.
 */
enum sciara_status sciara_member_store(const struct sciara_batch_folder *folder, size_t member,
                                       struct sciara_footprint *f);

/**
 * Makes a batch of its members, from folder->kept and from their files, and removes both. *missing: SIZE_MAX, or a
 * member that must be computed again because its file is damaged or gone. A batch that another process has made in the
 * meantime is fine.
 */
enum sciara_status sciara_batch_join(const struct sciara_batch_folder *folder, size_t batch, size_t *missing);

/**
 * Removes the checkpoints of the members of a batch, of all processes. If the batch is whole, also their other files, and
 * what writers that were killed have left; one that still writes notices that the batch is there.
 */
void sciara_batch_sweep(const struct sciara_batch_folder *folder, size_t batch, bool whole);

#endif
