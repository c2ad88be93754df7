// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

static sciara_log_sink *installed_sink;
static void *installed_context;

void sciara_log_set_sink(sciara_log_sink *sink, void *context) {
  installed_sink = sink;
  installed_context = context;
}

void sciara_log(enum sciara_log_level level, const char *format, ...) {
  if (!installed_sink) return;
  char line[4096];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  installed_sink(installed_context, level, line);
}
