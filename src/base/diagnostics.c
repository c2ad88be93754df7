// SPDX-License-Identifier: Apache-2.0
#include "base/diagnostics.h"

#include <stdlib.h>

#include "base/text.h"

void sciara_diagnostics_add(struct sciara_diagnostics *r, enum sciara_status status) {
  if (status == SCIARA_OK) return;
  if (r->count++ == 0) r->first = status;
  r->no_memory |= status == SCIARA_ERR_MEMORY;
  if (sciara_diagnostics_full(r)) return;
  char *sentence = sciara_format("%s", sciara_last_error());
  if (sentence) r->sentence[r->kept++] = sentence;
  r->no_memory |= !sentence;
}

bool sciara_diagnostics_full(const struct sciara_diagnostics *r) { return r->kept == SCIARA_DIAGNOSTICS_MOST; }

enum sciara_status sciara_diagnostics_status(const struct sciara_diagnostics *r) {
  if (r->kept == 0) return r->first; // no failure, or no memory for a sentence: the last error remains
  return sciara_fail(r->first, "%s", r->sentence[0]);
}

void sciara_diagnostics_free(struct sciara_diagnostics *r) {
  for (size_t k = 0; k < r->kept; k++) free(r->sentence[k]);
  *r = (struct sciara_diagnostics){0};
}

enum sciara_status sciara_diagnostics_end(struct sciara_diagnostics *r) {
  const enum sciara_status status = sciara_diagnostics_status(r);
  sciara_diagnostics_free(r);
  return status;
}
