// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

static sciara_log_sink *installed_sink;
static void *installed_context;

static _Thread_local sciara_log_sink *own_sink;
static _Thread_local void *own_context;

void sciara_log_divert(sciara_log_sink *sink, void *context) {
  own_sink = sink;
  own_context = context;
}

void sciara_log_ignore(void *context, enum sciara_log_level level, const char *message) {
  (void)context, (void)level, (void)message;
}

void sciara_log_set_sink(sciara_log_sink *sink, void *context) {
  installed_sink = sink;
  installed_context = context;
}

void sciara_log(enum sciara_log_level level, const char *format, ...) {
  sciara_log_sink *const sink = own_sink ? own_sink : installed_sink;
  if (!sink) return;
  char line[4096];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  sink(own_sink ? own_context : installed_context, level, line);
}
