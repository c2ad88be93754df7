// SPDX-License-Identifier: Apache-2.0
// The files that come with the program: scenarios and their terrain.
#ifndef SCIARA_APP_BUNDLED_H
#define SCIARA_APP_BUNDLED_H

#include "base/status.h"
#include "base/text.h"

/**
 * Searches in the folder config of the current folder, then in that of the installed program; *path is NULL if it is in
 * neither.
 */
enum sciara_status sciara_bundled_find(const char *name, char **path);

/** Appends the paths of the installed scenarios, one per line, sorted by name. */
enum sciara_status sciara_bundled_list(struct sciara_text *out);

#endif
