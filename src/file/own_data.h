// SPDX-License-Identifier: Apache-2.0
// Data of other libraries that a portable release has beside this one: packaging/portable.
#ifndef SCIARA_FILE_OWN_DATA_H
#define SCIARA_FILE_OWN_DATA_H

#include <limits.h>
#include <stdbool.h>

#include "base/status.h"

SCIARA_BEGIN_DECLS

/** The folder ../share/sciara/`name`, seen from the folder of this library. False: there is none. Takes no memory. */
bool sciara_own_data(const char *name, char path[PATH_MAX]);

SCIARA_END_DECLS
#endif
