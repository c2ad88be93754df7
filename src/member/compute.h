// SPDX-License-Identifier: Apache-2.0
// One member: a scenario computed on a shared site, in a window that grows with its lava (model/window.h).
#ifndef SCIARA_MEMBER_COMPUTE_H
#define SCIARA_MEMBER_COMPUTE_H

#include "member/batch_file.h"
#include "scenario/scenario_base.h"
#include "setup/setup.h"

struct sciara_pool_slot;

/** The beginning of a member, and its cost. */
struct sciara_compute_probe {
  double
      seconds;  ///< time of the processor after which it ends; it ends also after four times as much on the wall clock
  bool whole;   ///< it has ended before
  double cpu_s; ///< time of the processor for this thread up to then, s
};

/** Values of *cancel of a setup but 0, which is none. */
enum sciara_cancel {
  SCIARA_CANCEL_STORE = 1, ///< the member is stored, to continue
  SCIARA_CANCEL_DROP,      ///< it will not continue
};

/** A member between two steps. */
struct sciara_compute_view {
  const struct sciara_state *state;   ///< of the window
  const struct sciara_window *window; ///< on the map
  const struct sciara_vents *vents;   ///< on the map
  double time_zero;                   ///< simulated time of the start, s
  double last_change; ///< ... of the last change of the ground, done or still to come, s; 0: there is none
};

/** How long a member that does not end early cannot do so: until one of the two. */
struct sciara_compute_wait {
  int64_t cells; ///< lava has reached so many further cells
  double time;   ///< simulated time, s
};

/** What members share. */
struct sciara_compute_setup {
  const struct sciara_site *site;
  uint64_t ground;                  ///< sciara_site_checksum of it
  bool planned;                     ///< it is that of the base of a plan, whose vents the member need not have
  const char *engine;               ///< name; NULL: that of the scenario, where "auto" is openmp
  int threads;                      ///< of the engine, for each member; 0: those of the scenario
  int device;                       ///< number of the GPU; -1: that of the scenario
  struct sciara_pool_slot *slot;    ///< the engine; NULL: one of its own
  int64_t margin;                   ///< cells of the first window around vents and initial lava; 0: the default
  const int *cancel;                ///< enum sciara_cancel, read atomically; may be NULL
  uint64_t ensemble_hash, row_hash; ///< of the member, which its checkpoint must have
  uint64_t initial_hash;            ///< sciara_initial_lava_hash that is expected; 0: any
  const char *checkpoint;   ///< file that stores the state on the way, and from which a member continues; or NULL
  double checkpoint_wall_s; ///< wall-clock time after which the state is stored again
  int *unstored;            ///< set, atomically, when the state could not be stored, which is warned of once; or NULL
  /**
   * Whether the member ends before its stop rule is met; its footprint is then that of this state. Asked at steps that are
   * the same on every exact engine: 64, and each an eighth (at least 64) later than the one before, but not where the
   * last answer, which sets *wait, excludes an end. NULL: never.
   */
  bool (*ends)(void *context, const struct sciara_compute_view *view, struct sciara_compute_wait *wait);
  void *context;
  struct sciara_compute_probe
      *probe; ///< the member is only probed, and its footprint empty unless it is whole; or NULL
};

/** Notices about a member. */
enum { SCIARA_COMPUTE_WARNINGS_MOST = 64 << 10 }; ///< bytes; further ones are left out

/**
 * Computes a member to the end of its run. All but `id` and `row_hash` of the footprint are set; its checksum is that of
 * `sciara run` of the same scenario. A member whose scenario is invalid, or whose steps fail, is no error: it has
 * failed, and the footprint says why.
 *
 * The folder of setup->checkpoint must exist; if it is removed, nothing more is stored. The file is not removed at the
 * end: the caller does that when the member is stored. There is a warning if the file cannot be written. If
 * *setup->cancel ends the member, its state is stored, unless that was done in the last seconds.
 *
 * @param cancelled set to whether *setup->cancel ended it; the footprint is then empty
 * @return SCIARA_ERR_MEMORY, SCIARA_ERR_IO, SCIARA_ERR_DEVICE and SCIARA_ERR_INTERNAL: it says nothing about the member;
 * SCIARA_ERR_INPUT: the initial lava is not what setup->initial_hash expects
 */
enum sciara_status sciara_compute_member(const struct sciara_compute_setup *setup,
                                         const struct sciara_scenario_member *scenario, struct sciara_footprint *out,
                                         bool *cancelled);

/**
 * Reads the scenario of a member and places it on the site without a state; problem->engine is that of the
 * setup. Messages go to `notes` (NULL: the log), also later ones of the problem. All errors are added to `diagnostics`.
 * Release the problem in any case.
 */
void sciara_compute_place(const struct sciara_compute_setup *setup, const struct sciara_scenario_member *scenario,
                          const struct sciara_notes *notes, struct sciara_problem *problem,
                          struct sciara_diagnostics *diagnostics);

#endif
