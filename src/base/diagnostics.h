// SPDX-License-Identifier: Apache-2.0
// Everything that is wrong with an input, not only what was found first.
#ifndef SCIARA_BASE_DIAGNOSTICS_H
#define SCIARA_BASE_DIAGNOSTICS_H

#include "base/status.h"

SCIARA_BEGIN_DECLS

enum { SCIARA_DIAGNOSTICS_MOST = 100 }; ///< sentences that are kept; the rest is only counted

/** Failed checks in the order in which they failed. Zero-initialise; release with sciara_diagnostics_free. */
struct sciara_diagnostics {
  char *sentence[SCIARA_DIAGNOSTICS_MOST]; ///< owned
  size_t kept;                             ///< sentences; fewer than `count` beyond the limit, or when memory is out
  size_t count;
  bool
      no_memory; ///< one of them was SCIARA_ERR_MEMORY, or could not be kept: what is missing need not be missing in the input
  enum sciara_status first; ///< status of the first; SCIARA_OK while there is none
};

/** Adds what a call came to: for a failure its sentence (sciara_last_error), for SCIARA_OK nothing. */
void sciara_diagnostics_add(struct sciara_diagnostics *r, enum sciara_status status);

/** Whether further sentences would not be kept: whoever has many may add the status without forming them. */
bool sciara_diagnostics_full(const struct sciara_diagnostics *r);

/** The status of the first failure, its sentence put back as the last error of this thread; SCIARA_OK for none. */
enum sciara_status sciara_diagnostics_status(const struct sciara_diagnostics *r);

void sciara_diagnostics_free(struct sciara_diagnostics *r);

SCIARA_END_DECLS
#endif
