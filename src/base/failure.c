// SPDX-License-Identifier: Apache-2.0
#include "base/failure.h"

#include <stdlib.h>

#include "base/text.h"

void sciara_failure_keep(struct sciara_failure *f, enum sciara_status status) {
  if (status == SCIARA_OK || f->status != SCIARA_OK) return;
  f->status = status;
  f->text = sciara_format("%s", sciara_last_error());
}

enum sciara_status sciara_failure_status(const struct sciara_failure *f) {
  if (f->status == SCIARA_OK) return SCIARA_OK;
  return sciara_fail(f->status, "%s", f->text ? f->text : "no memory for the text of an error");
}

void sciara_failure_free(struct sciara_failure *f) {
  free(f->text);
  *f = (struct sciara_failure){.text = NULL};
}
