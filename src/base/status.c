// SPDX-License-Identifier: Apache-2.0
#include "base/status.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { MESSAGE_CAPACITY = 4096 };

static _Thread_local char message[MESSAGE_CAPACITY];

const char *sciara_last_error(void) { return message; }

void sciara_error_clear(void) { message[0] = '\0'; }

enum sciara_status sciara_fail(enum sciara_status status, const char *format, ...) {
  char fresh[MESSAGE_CAPACITY]; // the arguments may point into `message`
  va_list args;
  va_start(args, format);
  sciara_vprint(fresh, sizeof fresh, format, args);
  va_end(args);
  memcpy(message, fresh, sizeof message);
  return status;
}

enum sciara_status sciara_fail_context(enum sciara_status status, const char *format, ...) {
  char fresh[MESSAGE_CAPACITY];
  va_list args;
  if (status == SCIARA_OK) return status;
  va_start(args, format);
  int n = sciara_vprint(fresh, sizeof fresh, format, args);
  va_end(args);
  size_t used = n < 0 ? 0 : (size_t)n < sizeof fresh ? (size_t)n : sizeof fresh - 1;
  const char *parts[] = {": ", message};
  for (int k = 0; k < 2; k++) { // the message is cut to fit
    const size_t length = strlen(parts[k]), room = sizeof fresh - 1 - used;
    memcpy(fresh + used, parts[k], length < room ? length : room);
    used += length < room ? length : room;
  }
  fresh[used] = '\0';
  memcpy(message, fresh, sizeof message);
  return status;
}

void sciara_failure_keep(struct sciara_failure *f, enum sciara_status status) {
  if (status == SCIARA_OK || f->status != SCIARA_OK) return;
  f->status = status;
  f->text = strdup(message);
}

enum sciara_status sciara_failure_status(const struct sciara_failure *f) {
  if (f->status == SCIARA_OK) return SCIARA_OK;
  return sciara_fail(f->status, "%s", f->text ? f->text : "no memory for the text of an error");
}

void sciara_failure_free(struct sciara_failure *f) {
  free(f->text);
  *f = (struct sciara_failure){.text = NULL};
}
