// SPDX-License-Identifier: Apache-2.0
// An error that travels: from the thread that found it to the one that returns it, or past calls that may fail.
#ifndef SCIARA_BASE_FAILURE_H
#define SCIARA_BASE_FAILURE_H

#include "base/status.h"

SCIARA_BEGIN_DECLS

/** Zero-initialise: none. Release with sciara_failure_free. */
struct sciara_failure {
  enum sciara_status status;
  char *text; ///< NULL: there was no memory for it
};

/** Keeps an error and the sentence stored for this thread, unless one is kept already; for SCIARA_OK nothing. */
void sciara_failure_keep(struct sciara_failure *f, enum sciara_status status);

/** The status; its sentence becomes that of this thread. SCIARA_OK if there is none. */
enum sciara_status sciara_failure_status(const struct sciara_failure *f);

void sciara_failure_free(struct sciara_failure *f);

SCIARA_END_DECLS
#endif
