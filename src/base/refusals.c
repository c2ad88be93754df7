// SPDX-License-Identifier: Apache-2.0
#include "base/refusals.h"

#include <stdlib.h>

#include "base/text.h"

void sciara_refusals_add(struct sciara_refusals *r, enum sciara_status status) {
  if (status == SCIARA_OK) return;
  if (r->count++ == 0) r->first = status;
  r->no_memory |= status == SCIARA_ERR_MEMORY;
  if (sciara_refusals_full(r)) return;
  char *sentence = sciara_format("%s", sciara_last_error());
  if (sentence) r->sentence[r->kept++] = sentence;
  r->no_memory |= !sentence;
}

bool sciara_refusals_full(const struct sciara_refusals *r) { return r->kept == SCIARA_REFUSALS_KEPT; }

enum sciara_status sciara_refusals_verdict(const struct sciara_refusals *r) {
  if (r->kept == 0) return r->first; // no failure, or no memory for a sentence: the last error stays
  return sciara_fail(r->first, "%s", r->sentence[0]);
}

void sciara_refusals_free(struct sciara_refusals *r) {
  for (size_t k = 0; k < r->kept; k++) free(r->sentence[k]);
  *r = (struct sciara_refusals){0};
}
