// SPDX-License-Identifier: Apache-2.0
// A member that is being computed (compute.c), and its checkpoint (member_checkpoint.c): its state in its window, so that a
// member that takes hours continues after a kill. Which bits the member ends with does not depend on it.
// Included by this room alone.
#ifndef SCIARA_MEMBER_MEMBER_H
#define SCIARA_MEMBER_MEMBER_H

#include "base/text.h"
#include "member/compute.h"
#include "model/window.h"
#include "sim/agenda.h"
#include "sim/simulation.h"
#include "store/run_json.h"

/** What a member and its checkpoint must have in common: hashes. */
struct sciara_member_identity {
  uint64_t ensemble, row; ///< of the ensemble, and of the row of the member in its table
  uint64_t site;          ///< of the whole map of the member: ground, kinds of cells, boundary
  uint64_t initial;       ///< sciara_initial_lava_hash
};

/** A member that is being computed. */
struct sciara_member {
  const struct sciara_compute_setup *setup;
  struct sciara_pool_slot *slot; ///< the engine; NULL: one of its own
  const struct sciara_site *map; ///< that of the setup, or with errors of its own
  uint64_t ground;               ///< sciara_site_checksum of it
  struct sciara_vents *vents;    ///< on the map
  enum sciara_boundary boundary;
  struct sciara_window window;
  struct sciara_simulation *simulation;
  struct sciara_state *kept;              ///< after the last slice that is valid
  struct sciara_margins margins;          ///< of it
  uint64_t losses;                        ///< of the simulation at that time
  uint64_t cell_steps, cell_steps_before; ///< at that time; before the present window
  uint64_t slice;                         ///< steps of the next one
  uint64_t ask;                           ///< step at which it is asked whether the member ends early
  struct sciara_agenda agenda;
  double time_zero;              ///< simulated time at the start, s: that of a checkpoint, or 0
  struct sciara_run_json towers; ///< its warnings of towers
  const struct sciara_scenario_member *scenario;
  struct sciara_member_identity identity; ///< for its checkpoint
  struct sciara_text warnings;
};

/**
 * Reads the file, if there is one of this member, and replaces window, map, site and state by those of it. A file that is
 * damaged or of another member is not used, with a warning; it stays until it is replaced.
 *
 * @param p     the scenario, on the whole map with its initial state
 * @param site  of the window
 * @param state on it
 * @return only errors that say nothing about the content of the file: SCIARA_ERR_IO if it cannot be read
 */
enum sciara_status sciara_member_checkpoint_read(struct sciara_member *m, const struct sciara_problem *p,
                                                 const struct sciara_site **site, struct sciara_state **state);

/**
 * Stores the kept state, when it is time or the member is cancelled. One with invalid numbers is not stored: the member will
 * fail. Nor is one whose folder is gone: another process has finished the member. What cannot be written is warned of.
 */
enum sciara_status sciara_member_checkpoint_write(struct sciara_member *m, bool cancelled);

#endif
