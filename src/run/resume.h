// SPDX-License-Identifier: Apache-2.0
// Taking up a run again: its folder, the newest checkpoint that is whole, and the problem as it stood there.
#ifndef SCIARA_RUN_RESUME_H
#define SCIARA_RUN_RESUME_H

#include "run/simulation.h"
#include "store/checkpoint_hdf5.h"
#include "store/run_json.h"

/** Where a run goes on. Zero-initialise; release with sciara_resume_close. */
struct sciara_resume {
  char *folder;                    ///< of the run that was begun
  bool branch;                     ///< what follows goes into another folder
  int lock;                        ///< keeps other runs out of `folder`; -1: none
  struct sciara_run_record record; ///< its run.json as found
  char *path;                      ///< of the checkpoint
  struct sciara_checkpoint from;   ///< its header
};

/**
 * Reads the run.json of a run. Unless it is to be branched off, other runs are kept out of its folder.
 *
 * SCIARA_ERR_INPUT when the folder holds no run, or another program is writing into it.
 */
enum sciara_status sciara_resume_open(const char *folder, bool branch, struct sciara_resume *out);

/**
 * Finds the newest checkpoint that is whole and of this run; a warning names each newer one that is not, and why.
 * SCIARA_ERR_INPUT when there is none.
 */
enum sciara_status sciara_resume_find(struct sciara_resume *r);

/**
 * The problem as it stood: the scenario of the checkpoint with these overrides, on the ground of the run folder. A run
 * that is no branch keeps its folder. What cannot go on together is added to `diagnostics`. Release `out` in any case.
 */
void sciara_resume_problem(struct sciara_resume *r, const struct sciara_problem_options *options,
                           struct sciara_problem *out, struct sciara_diagnostics *diagnostics);

/** sciara_simulation_create of that problem. */
enum sciara_status sciara_resume_simulation(const struct sciara_resume *r, struct sciara_problem *problem,
                                            struct sciara_simulation **out);

void sciara_resume_close(struct sciara_resume *r);

#endif
