// SPDX-License-Identifier: Apache-2.0
// The folder of a run: what is in it, under which names, and what a second run may replace.
#ifndef SCIARA_SIM_RUN_FOLDER_H
#define SCIARA_SIM_RUN_FOLDER_H

#include "base/status.h"

#define SCIARA_RUN_JSON "run.json"
#define SCIARA_RUN_DEM "dem.tif"
#define SCIARA_RUN_LOG "run.log"

/**
 * Makes the folder ready for a run. One that holds anything is refused (SCIARA_ERR_INPUT) unless `overwrite`; then the
 * products of an earlier run (run.json first, series, snapshots, maps) are removed, and nothing else.
 */
enum sciara_status sciara_run_folder_prepare(const char *folder, bool overwrite);

/** Whether `path` is a folder. */
bool sciara_is_folder(const char *path);

#endif
