// SPDX-License-Identifier: Apache-2.0
// The files that come with the program: scenarios and their terrain.
#ifndef SCIARA_APP_BUNDLED_H
#define SCIARA_APP_BUNDLED_H

#include "base/status.h"
#include "base/text.h"

/** In the folder config of where we are, else in that of the installed program; *path is NULL when it is in neither. */
enum sciara_status sciara_bundled_find(const char *name, char **path);

/** Appends the paths of the scenarios that are installed, one a line, in the order of their names. */
enum sciara_status sciara_bundled_list(struct sciara_text *out);

#endif
