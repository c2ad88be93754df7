// SPDX-License-Identifier: Apache-2.0
// Options of several commands, read in the same way in each.
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

/** The value of that option. */
enum sciara_checksum_rule sciara_checksum_rule(const struct sciara_arguments *a);

/**
 * Whether the name of a file to be written ends in one of the extensions (without dots; a NULL ends them), in upper or
 * lower case; else SCIARA_ERR_USAGE. Other programs decide by the extension how to read a file.
 *
 * @param option the option that gave the name, for the message
 */
enum sciara_status sciara_check_extension(const char *option, const char *path, const char *const *extensions);

/**
 * The field of that name; liquid, solid and arrival are short names of three fields. The error suggests the closest
 * name.
 */
enum sciara_status sciara_field_parse(const char *name, enum sciara_field *out);

#endif
