// SPDX-License-Identifier: Apache-2.0
// What a user points at: a run folder or a snapshot.
#ifndef SCIARA_APP_TARGET_H
#define SCIARA_APP_TARGET_H

#include "app/command.h"
#include "store/run_json.h"
#include "store/snapshot_hdf5.h"

/** A snapshot, and the run it belongs to where there is one. Release with sciara_target_free. */
struct sciara_target {
  char *folder;                    ///< of the run; NULL for a snapshot that lies alone
  struct sciara_run_record record; ///< read when folder is set
  char *path;                      ///< of the snapshot: the given one, or the last of the run
  struct sciara_snapshot snapshot; ///< open
};

#define SCIARA_ALLOW_MISSING_CHECKSUM "allow-missing-checksum"

/** The option of every command that reads snapshots. */
#define SCIARA_CHECKSUM_OPTION                                                      \
  {                                                                                 \
    SCIARA_ALLOW_MISSING_CHECKSUM, 0, NULL,                                         \
        "read fields of snapshots that have no checksum (version 0.1.0 wrote none)" \
  }

/** What that option asks for. */
enum sciara_checksum_rule sciara_checksum_rule(const struct sciara_arguments *a);

/** Opens a run folder (its last snapshot) or a snapshot file. */
enum sciara_status sciara_target_open(const char *path, enum sciara_checksum_rule rule, struct sciara_target *out);
void sciara_target_free(struct sciara_target *t);

/**
 * The snapshot's field, or one that follows from those it holds, which is said; else the error lists those. `values` has
 * rows x cols doubles.
 */
enum sciara_status sciara_target_read(struct sciara_target *t, enum sciara_field field, double *values);

/**
 * Altitude under the lava into altitude[rows x cols]: dem.tif of the run, else the snapshot's own altitude, else none
 * (*found is then false, and `altitude` as it was).
 */
enum sciara_status sciara_target_read_ground(struct sciara_target *t, double *altitude, bool *found);

/** Refuses a file that exists, unless `overwrite`; a device, a pipe or a socket is never replaced. */
enum sciara_status sciara_refuse_existing(const char *path, bool overwrite);

/**
 * Whether the name of a file to be written ends in one of the extensions (without dots; a NULL ends them), in capital or small
 * letters; else SCIARA_ERR_USAGE. Programs choose by the extension how they read a file.
 *
 * @param option that gave the name, for the message
 */
enum sciara_status sciara_check_extension(const char *option, const char *path, const char *const *extensions);

/** Whether the name ends in a dot and this extension. */
bool sciara_has_extension(const char *path, const char *extension);

/** The field of that name; liquid, solid and arrival are short for three of them. The error suggests the closest. */
enum sciara_status sciara_field_parse(const char *name, enum sciara_field *out);

#endif
