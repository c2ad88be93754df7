// SPDX-License-Identifier: Apache-2.0
// Errors are returned, never printed: a status, and one sentence stored for the calling thread.
#ifndef SCIARA_BASE_STATUS_H
#define SCIARA_BASE_STATUS_H

#include "base/portable.h"
#include "sciara.h"

SCIARA_BEGIN_DECLS

/** Stores the sentence for this thread, replacing an earlier one, and returns `status`. */
enum sciara_status sciara_fail(enum sciara_status status, const char *format, ...) SCIARA_PRINTF(2, 3);

/** Inserts "context: " before the stored sentence, unless `status` is SCIARA_OK, and returns `status`. */
enum sciara_status sciara_fail_context(enum sciara_status status, const char *format, ...) SCIARA_PRINTF(2, 3);

/** Clears the stored sentence. */
void sciara_error_clear(void);

/**
 * An error that travels: from the thread that found it to the one that returns it, or past calls that may fail.
 * Zero-initialise: none. Release with sciara_failure_free.
 */
struct sciara_failure {
  enum sciara_status status;
  char *text; ///< NULL: there was no memory for it
};

/** Keeps an error and the sentence stored for this thread, unless one is kept already; for SCIARA_OK nothing. */
void sciara_failure_keep(struct sciara_failure *f, enum sciara_status status);

/** The status; its sentence becomes that of this thread. SCIARA_OK if there is none. */
enum sciara_status sciara_failure_status(const struct sciara_failure *f);

void sciara_failure_free(struct sciara_failure *f);

/** Returns from the calling function when `call` fails. */
#define SCIARA_TRY(call)                                            \
  do {                                                              \
    enum sciara_status sciara_try_status_ = (call);                 \
    if (sciara_try_status_ != SCIARA_OK) return sciara_try_status_; \
  } while (0)

/** Like SCIARA_TRY in a function with one cleanup label: sets `status` and jumps to `cleanup`. */
#define SCIARA_TRY_GOTO(call)              \
  do {                                     \
    status = (call);                       \
    if (status != SCIARA_OK) goto cleanup; \
  } while (0)

SCIARA_END_DECLS
#endif
