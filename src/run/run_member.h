// SPDX-License-Identifier: Apache-2.0
// What a run folder holds, when it is read. A folder may come from anybody, so nothing is read through a link that leads out of it.
#ifndef SCIARA_RUN_RUN_MEMBER_H
#define SCIARA_RUN_RUN_MEMBER_H

#include "store/run_json.h"

/**
 * SCIARA_ERR_INPUT when `path`, which lies in the run folder by its name, leads out of it by a symbolic link. The folder itself may
 * be a link, for the user names it. What is not there is left to whoever reads it.
 */
enum sciara_status sciara_run_member_check(const char *folder, const char *path);

/** The path of something in a run folder, checked so; malloc'd, NULL on failure. */
enum sciara_status sciara_run_member(const char *folder, const char *name, char **path);

/** The record of a run folder; one without is SCIARA_ERR_INPUT. Release with sciara_run_record_free. */
enum sciara_status sciara_run_member_record(const char *folder, struct sciara_run_record *out);

#endif
