// SPDX-License-Identifier: Apache-2.0
// Names of output files.
#ifndef SCIARA_FILE_OUTPUT_NAME_H
#define SCIARA_FILE_OUTPUT_NAME_H

#include "base/status.h"

/** Rejects a file that already exists, unless `overwrite`; a device, a pipe or a socket is never replaced. */
enum sciara_status sciara_refuse_existing(const char *path, bool overwrite);

/** Whether the name ends in a dot and this extension, in upper or lower case. */
bool sciara_has_extension(const char *path, const char *extension);

#endif
