// SPDX-License-Identifier: Apache-2.0
// The subcommands of `sciara ensemble`.
#ifndef SCIARA_APP_ENSEMBLE_H
#define SCIARA_APP_ENSEMBLE_H

#include "app/command.h"
#include "base/status.h"

extern const struct sciara_command sciara_cmd_ensemble_init, sciara_cmd_ensemble_check, sciara_cmd_ensemble_plan,
    sciara_cmd_ensemble_member, sciara_cmd_ensemble_run, sciara_cmd_ensemble_status, sciara_cmd_ensemble_reweight,
    sciara_cmd_ensemble_reduce, sciara_cmd_ensemble_query, sciara_cmd_ensemble_compare, sciara_cmd_ensemble_export,
    sciara_cmd_ensemble_schema;

#define SCIARA_THREADS_OPTION \
  { "threads", 0, "N", "number of threads (default: one per core)" }

/** The number of threads that --threads gives. */
enum sciara_status sciara_threads_of(const struct sciara_arguments *a, int *threads);

/** Whether a path is the folder of an ensemble. */
bool sciara_is_ensemble(const char *path);

/** Writes all maps and tables of a folder, as `ensemble reduce` does, and prints the results at its places. */
enum sciara_status sciara_ensemble_reduce_folder(const char *folder, int threads, bool all, bool pictures, bool again);

#endif
