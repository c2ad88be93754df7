// SPDX-License-Identifier: Apache-2.0
// Options that several commands have, read in the same way in each.
#ifndef SCIARA_APP_COMMON_OPTIONS_H
#define SCIARA_APP_COMMON_OPTIONS_H

#include "app/command.h"
#include "store/snapshot_hdf5.h"

#define SCIARA_ALLOW_MISSING_CHECKSUM "allow-missing-checksum"

/** The option of every command that reads snapshots. */
#define SCIARA_CHECKSUM_OPTION                                                      \
  {                                                                                 \
    SCIARA_ALLOW_MISSING_CHECKSUM, 0, NULL,                                         \
        "read fields of snapshots that have no checksum (version 0.1.0 wrote none)" \
  }

/** What that option asks for. */
enum sciara_checksum_rule sciara_checksum_rule(const struct sciara_arguments *a);

/**
 * Whether the name of a file to be written ends in one of the extensions (without dots; a NULL ends them), in capital or small
 * letters; else SCIARA_ERR_USAGE. Programs choose by the extension how they read a file.
 *
 * @param option that gave the name, for the message
 */
enum sciara_status sciara_check_extension(const char *option, const char *path, const char *const *extensions);

/** The field of that name; liquid, solid and arrival are short for three of them. The error suggests the closest. */
enum sciara_status sciara_field_parse(const char *name, enum sciara_field *out);

#endif
