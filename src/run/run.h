// SPDX-License-Identifier: Apache-2.0
// A simulation with its outputs: snapshots at their times, series.nc, run.json, maps at the end.
#ifndef SCIARA_RUN_RUN_H
#define SCIARA_RUN_RUN_H

#include "run/resume.h"
#include "sim/simulation.h"

/** The observer of a run. Each function may be NULL. */
struct sciara_run_observer {
  void *context;
  void (*prepared)(void *context, const char *folder); ///< the output folder exists, without files of an earlier run
  void (*tick)(void *context, const struct sciara_simulation *s); ///< about every 0.1 s
  void (*acknowledged)(void *context, const char *path);          ///< a snapshot is on the disk and in run.json
  void (*written)(void *context, const char *path);               ///< a map is on the disk
};

struct sciara_run_options {
  bool overwrite;
  const char *history; ///< command line and date, for provenance
  /**
   * The point from which the run continues; NULL: it starts. Unless it is a branch, run.json and lock pass to the run.
   */
  struct sciara_resume *resume;
  int *checkpoint;   ///< set (atomically) to request a checkpoint; reset to 0; may be NULL
  const int *cancel; ///< set (atomically) to stop after the step in progress; may be NULL
  const char
      *profile; ///< CSV file with the time of the steps (run/profile.h), or NULL; the scenario must also enable it
  uint64_t profile_every; ///< steps between two rows, at least 1
  struct sciara_run_observer observer;
};

/** How a run ended. */
struct sciara_run_result {
  struct sciara_end end;
  struct sciara_ledger ledger;
  double wall_s;
};

/**
 * Prepares the output folder, runs the simulation to its end and writes what the scenario requests: a snapshot at the
 * first step with simulated time >= k * output.every (k = 1, 2, ...), and always one of the final state. Checkpoints
 * are written at their times, on request, and when the run is stopped from outside.
 */
enum sciara_status sciara_run_to_end(struct sciara_simulation *s, const struct sciara_run_options *options,
                                     struct sciara_run_result *result);

#endif
