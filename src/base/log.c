// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <stdarg.h>

#include "base/text.h"

static sciara_log_sink *installed_sink;
static void *installed_context;

static void ignore(void *context, enum sciara_log_level level, const char *message) {
  (void)context, (void)level, (void)message;
}

const struct sciara_notes sciara_no_notes = {.take = ignore};

void sciara_log_set_sink(sciara_log_sink *sink, void *context) {
  installed_sink = sink;
  installed_context = context;
}

static void pass(sciara_log_sink *sink, void *context, enum sciara_log_level level, const char *format, va_list args) {
  char line[4096];
  if (!sink) return;
  sciara_vprint(line, sizeof line, format, args);
  sink(context, level, line);
}

void sciara_log(enum sciara_log_level level, const char *format, ...) {
  va_list args;
  va_start(args, format);
  pass(installed_sink, installed_context, level, format, args);
  va_end(args);
}

void sciara_note(const struct sciara_notes *notes, enum sciara_log_level level, const char *format, ...) {
  va_list args;
  va_start(args, format);
  pass(notes ? notes->take : installed_sink, notes ? notes->context : installed_context, level, format, args);
  va_end(args);
}
