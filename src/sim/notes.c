// SPDX-License-Identifier: Apache-2.0
#include "sim/notes.h"

#include <stdarg.h>
#include <stdio.h>

const struct sciara_notes sciara_no_notes = {.take = sciara_log_ignore};

void sciara_note(const struct sciara_notes *notes, enum sciara_log_level level, const char *format, ...) {
  char line[4096];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  if (notes)
    notes->take(notes->context, level, line);
  else
    sciara_log(level, "%s", line);
}
