// SPDX-License-Identifier: Apache-2.0
// A list of all errors of an input, not only of the first one.
#ifndef SCIARA_BASE_DIAGNOSTICS_H
#define SCIARA_BASE_DIAGNOSTICS_H

#include "base/status.h"

enum { SCIARA_DIAGNOSTICS_MOST = 100 }; ///< sentences that are stored; further ones are only counted

/** Failed checks in the order in which they failed. Zero-initialise; release with sciara_diagnostics_free. */
struct sciara_diagnostics {
  char *sentence[SCIARA_DIAGNOSTICS_MOST]; ///< owned
  size_t kept; ///< stored sentences; fewer than `count` above the limit or if there was no memory
  size_t count;
  bool no_memory;           ///< a failure was SCIARA_ERR_MEMORY, or could not be stored: the list may be incomplete
  enum sciara_status first; ///< status of the first failure; SCIARA_OK if there is none
};

/** Adds the result of a call: for a failure its sentence (sciara_last_error), for SCIARA_OK nothing. */
void sciara_diagnostics_add(struct sciara_diagnostics *r, enum sciara_status status);

/** Whether further sentences are not stored: a caller with many failures may then add the status without a sentence. */
bool sciara_diagnostics_full(const struct sciara_diagnostics *r);

/**
 * The status of the first failure; its sentence becomes the last error of this thread again. SCIARA_OK if there is
 * none.
 */
enum sciara_status sciara_diagnostics_status(const struct sciara_diagnostics *r);

/** That status, after which they are released. */
enum sciara_status sciara_diagnostics_end(struct sciara_diagnostics *r);

void sciara_diagnostics_free(struct sciara_diagnostics *r);

#endif
