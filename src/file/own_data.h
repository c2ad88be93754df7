// SPDX-License-Identifier: Apache-2.0
// Data of other libraries that a portable release has beside this one: packaging/portable.
#ifndef SCIARA_FILE_OWN_DATA_H
#define SCIARA_FILE_OWN_DATA_H

#include "base/status.h"

SCIARA_BEGIN_DECLS

/** The folder ../share/sciara/`name`, seen from the folder of this library, to be freed; NULL: there is none, or no memory. */
char *sciara_own_data(const char *name);

SCIARA_END_DECLS
#endif
