// SPDX-License-Identifier: Apache-2.0
// The folder of an ensemble as a whole: that nothing in it leads out of it, what results it holds, who is at work in it, and
// log.csv: who computed which member, when, and how it ended (docs/formats.md).
#ifndef SCIARA_ENSEMBLE_ENSEMBLE_FOLDER_H
#define SCIARA_ENSEMBLE_ENSEMBLE_FOLDER_H

#include "ensemble/ensemble.h"
#include "model/site.h"
#include "terrain/dem_gdal.h"

#define SCIARA_ENSEMBLE_LOCK "run.lock"
#define SCIARA_ENSEMBLE_FINISHED "members"

/** First member of a batch, and the one after its last. */
size_t sciara_batch_begin(const struct sciara_ensemble *e, size_t batch);
size_t sciara_batch_end(const struct sciara_ensemble *e, size_t batch);

/** The path of its file, malloc'd; NULL: no memory. */
char *sciara_batch_path(const struct sciara_ensemble *e, size_t batch);

/**
 * SCIARA_ERR_INPUT, naming the link, if a file or folder of the ensemble is a symbolic link: through it, files would be
 * read, written and removed where the user has not said so. The folder itself may be a link. Products that are replaced
 * as a whole (maps, tables) are not looked at.
 */
enum sciara_status sciara_ensemble_refuse_links(const char *folder);

/** Whether it holds results: a batch or a finished member. */
bool sciara_ensemble_has_results(const char *folder);

/**
 * Keeps a folder from being planned anew until sciara_ensemble_unlock. Waits while another process does that. A folder
 * that cannot be written, or on a file system without locks, is left unlocked.
 */
enum sciara_status sciara_ensemble_lock_to_run(const char *folder, int *lock);

/** Keeps other processes from computing members; SCIARA_ERR_INPUT if one is at work. */
enum sciara_status sciara_ensemble_lock_to_plan(const char *folder, int *lock);

void sciara_ensemble_unlock(int lock);

// ----------------------------------------------------- its ground, from dem.tif: refused if it is not that of the plan

/**
 * Reads the site of the members, without the errors of the ground that each of them adds.
 *
 * @param notes receive what is noticed; NULL: the log
 */
enum sciara_status sciara_ensemble_site_read(const struct sciara_ensemble *e, const struct sciara_notes *notes,
                                             const struct sciara_site **out);

/** Reads dem.tif, with the bands "sea", "edit" and "observed", where it has them. */
enum sciara_status sciara_ensemble_dem_read(const struct sciara_ensemble *e, struct sciara_dem *out);

#endif
