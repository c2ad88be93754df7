// SPDX-License-Identifier: Apache-2.0
// Resuming a run: its folder, the newest undamaged checkpoint, and the problem at that step.
#ifndef SCIARA_RUN_RESUME_H
#define SCIARA_RUN_RESUME_H

#include "setup/setup.h"
#include "store/checkpoint_hdf5.h"
#include "store/run_json.h"

/** The point from which a run continues. Zero-initialise; release with sciara_resume_close. */
struct sciara_resume {
  char *folder;                    ///< of the original run
  bool branch;                     ///< the run continues in another folder
  int lock;                        ///< locks `folder` against other runs; -1: none
  struct sciara_run_json run_json; ///< its run.json as found
  char *path;                      ///< of the checkpoint
  struct sciara_checkpoint from;   ///< its header
};

/**
 * Reads the run.json of a run. Unless a branch is made, its folder is locked against other runs.
 *
 * SCIARA_ERR_INPUT if the folder holds no run, or another program is writing to it.
 */
enum sciara_status sciara_resume_open(const char *folder, bool branch, struct sciara_resume *out);

/**
 * Finds the newest checkpoint that is undamaged and of this run; a warning names each newer one that is not, and the
 * reason. SCIARA_ERR_INPUT if there is none.
 */
enum sciara_status sciara_resume_find(struct sciara_resume *r);

/**
 * The problem at the checkpoint: its scenario with these overrides, on the ground of the run folder. A run that is not
 * a branch stays in its folder. What does not match is added to `diagnostics`. Release `out` in any case.
 */
void sciara_resume_problem(struct sciara_resume *r, const struct sciara_problem_options *options,
                           struct sciara_problem *out, struct sciara_diagnostics *diagnostics);

/**
 * The problem at a checkpoint alone, in no run folder: on options->site, or on the DEM that its scenario names. Release `r` and
 * `out` in any case.
 */
enum sciara_status sciara_checkpoint_problem(const char *path, const struct sciara_problem_options *options,
                                             struct sciara_resume *r, struct sciara_problem *out);

/** sciara_simulation_create of that problem, with the same `keeps`. */
enum sciara_status sciara_resume_simulation(const struct sciara_resume *r, struct sciara_problem *problem, bool keeps,
                                            struct sciara_simulation **out);

void sciara_resume_close(struct sciara_resume *r);

#endif
