// SPDX-License-Identifier: Apache-2.0
// The checkpoint of a member that is being computed: its state in its window, so that a member that takes hours
// continues after a kill. Which bits the member ends with does not depend on it.
// Included by this room alone.
#ifndef SCIARA_MEMBER_MEMBER_CHECKPOINT_H
#define SCIARA_MEMBER_MEMBER_CHECKPOINT_H

#include "model/window.h"
#include "sim/problem.h"
#include "store/run_json.h"

/** What a member and its checkpoint must have in common: hashes. */
struct sciara_member_identity {
  uint64_t ensemble, row; ///< of the ensemble, and of the row of the member in its table
  uint64_t site;          ///< of the whole map of the member: ground, kinds of cells, boundary
  uint64_t initial;       ///< sciara_initial_lava_hash
};

/** What a checkpoint says of a member, apart from its state. */
struct sciara_member_progress {
  struct sciara_window window;
  uint64_t cell_steps;           ///< up to the state
  struct sciara_run_json towers; ///< its warnings; release with sciara_run_json_free
};

/**
 * Writes the file. A state with invalid numbers is not written: the member will fail. Nor is one whose folder is gone:
 * another process has finished the member.
 *
 * @param problem  scenario and vents of the window
 * @param scenario the text of the scenario
 */
enum sciara_status sciara_member_checkpoint_write(const char *path, const struct sciara_problem *problem,
                                                  const struct sciara_member_identity *identity, const char *scenario,
                                                  const struct sciara_state *state,
                                                  const struct sciara_member_progress *progress);

/**
 * Reads the file, if there is one of this member: *state stays NULL if not. A file that is damaged or of another member
 * is not used, with a warning; it stays until it is replaced.
 *
 * @param problem  the scenario
 * @param map      ground of the member; if a state is read, replaced by that at its time
 * @param vents    on the map
 * @return only errors that say nothing about the content of the file: SCIARA_ERR_IO if it cannot be read
 */
enum sciara_status sciara_member_checkpoint_read(const char *path, const struct sciara_problem *problem,
                                                 const struct sciara_member_identity *identity,
                                                 const struct sciara_site **map, const struct sciara_vents *vents,
                                                 struct sciara_state **state, struct sciara_member_progress *progress);

#endif
