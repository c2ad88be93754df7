// SPDX-License-Identifier: Apache-2.0
// The folder of a run: its files and their names, what a second run may replace, and how its files are read.
#ifndef SCIARA_RUN_RUN_FOLDER_H
#define SCIARA_RUN_RUN_FOLDER_H

#include "base/status.h"

struct sciara_run_json;

#define SCIARA_RUN_JSON "run.json"
#define SCIARA_RUN_DEM "dem.tif"
#define SCIARA_RUN_LOG "run.log"

/**
 * Prepares the folder for a run. A folder that is not empty is rejected (SCIARA_ERR_INPUT), unless `overwrite` is set
 * and it holds a run (run.json, or run.json.part: one that was interrupted at its start or while it was replaced). Then
 * the products of that run (series, dem.tif, snapshots, maps of fields) are removed, and nothing else. Before that
 * run.json is renamed to run.json.part, so a folder whose files are being removed is not a run, and can still be
 * replaced. A folder in which a folder of the run is a symbolic link is rejected (SCIARA_ERR_INPUT).
 *
 * @param inputs `count` paths (NULL allowed) that the run reads: SCIARA_ERR_INPUT if one of them would be removed
 * @param lock   receives a descriptor that locks the folder against other runs until it is closed
 */
enum sciara_status sciara_run_folder_prepare(const char *folder, bool overwrite, const char *const *inputs,
                                             size_t count, int *lock);

/**
 * Locks a folder against other runs until the descriptor *lock is closed; SCIARA_ERR_INPUT if another run has locked
 * it.
 */
enum sciara_status sciara_run_folder_lock(const char *folder, int *lock);

/**
 * Removes what is left of an interrupted run that was resumed: every snapshot except those of these steps, which
 * ascend, and incomplete checkpoints.
 */
enum sciara_status sciara_run_folder_sweep(const char *folder, const uint64_t *steps, size_t count);

/**
 * SCIARA_ERR_INPUT, naming the link, if a folder or file of the run (snapshots, maps, run.json ...) is a symbolic link:
 * through it, files would be written and removed in a folder that the user has not named.
 */
enum sciara_status sciara_run_folder_refuse_links(const char *folder);

/** Whether `path` is a folder. */
bool sciara_is_folder(const char *path);

// --------------------------------------------------------------------------------------------------- reading its files

// A folder may come from anyone, so nothing is read through a link that points outside it.

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
