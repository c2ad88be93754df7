// SPDX-License-Identifier: Apache-2.0
// The folder of a run: what is in it, under which names, and what a second run may replace.
#ifndef SCIARA_RUN_RUN_FOLDER_H
#define SCIARA_RUN_RUN_FOLDER_H

#include "base/status.h"

#define SCIARA_RUN_JSON "run.json"
#define SCIARA_RUN_DEM "dem.tif"
#define SCIARA_RUN_LOG "run.log"

/**
 * Makes the folder ready for a run. One that holds anything is refused (SCIARA_ERR_INPUT), unless `overwrite` is given and
 * it holds a run (run.json, or run.json.part: one that was interrupted as it began or as it was replaced); then the
 * products of that run (series, dem.tif, snapshots, maps of fields) are removed, and nothing else. Before that run.json
 * is renamed to run.json.part, so a folder that loses its files bit by bit is no run, and can still be replaced. A folder
 * with a symbolic link in the place of a run's own folder is refused (SCIARA_ERR_INPUT).
 *
 * @param inputs `count` paths (NULL allowed) that the run reads: SCIARA_ERR_INPUT if one of them would be removed
 * @param lock   receives a descriptor that keeps other runs out of the folder until it is closed
 */
enum sciara_status sciara_run_folder_prepare(const char *folder, bool overwrite, const char *const *inputs,
                                             size_t count, int *lock);

/** Keeps other runs out of a folder until the descriptor *lock is closed; SCIARA_ERR_INPUT when one is in it already. */
enum sciara_status sciara_run_folder_lock(const char *folder, int *lock);

/**
 * Removes what a run left that was cut short and taken up again: every snapshot but those of these steps, which ascend, and
 * checkpoints that were not finished.
 */
enum sciara_status sciara_run_folder_sweep(const char *folder, const uint64_t *steps, size_t count);

/**
 * SCIARA_ERR_INPUT, naming the link, when a run's own folder or file (snapshots, maps, run.json ...) is a symbolic link:
 * through it, files would be written and removed in a place that nobody has named.
 */
enum sciara_status sciara_run_folder_refuse_links(const char *folder);

/** Whether `path` is a folder. */
bool sciara_is_folder(const char *path);

#endif
