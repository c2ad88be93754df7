// SPDX-License-Identifier: Apache-2.0
// Reading the files of a run folder. A folder may come from anyone, so nothing is read through a link that points
// outside it.
#ifndef SCIARA_RUN_RUN_FILE_H
#define SCIARA_RUN_RUN_FILE_H

#include "store/run_json.h"

/**
 * SCIARA_ERR_INPUT if `path`, which is in the run folder by its name, leads out of it through a symbolic link. The
 * folder itself may be a link, because the user names it. A missing file is left to the caller.
 */
enum sciara_status sciara_run_file_check(const char *folder, const char *path);

/** The path of a file in a run folder, checked in this way; malloc'd, NULL on failure. */
enum sciara_status sciara_run_file(const char *folder, const char *name, char **path);

/** The contents of run.json folder; SCIARA_ERR_INPUT if there is none. Release with sciara_run_json_free. */
enum sciara_status sciara_run_file_json(const char *folder, struct sciara_run_json *out);

#endif
