// SPDX-License-Identifier: Apache-2.0
// Messages for the user go to a sink that the program installs; the library itself prints nothing.
#ifndef SCIARA_BASE_LOG_H
#define SCIARA_BASE_LOG_H

#include "base/portable.h"

SCIARA_BEGIN_DECLS

enum sciara_log_level { SCIARA_LOG_DEBUG, SCIARA_LOG_INFO, SCIARA_LOG_WARNING, SCIARA_LOG_ERROR };

typedef void sciara_log_sink(void *context, enum sciara_log_level level, const char *message);

/** Installs the sink for the whole process (NULL: silence, the default). Call before any thread is started. */
void sciara_log_set_sink(sciara_log_sink *sink, void *context);

/**
 * Directs the messages of the calling thread to another sink, until it is called again (NULL: to that of the process).
 * For work on one of many members, whose messages belong to that member.
 */
void sciara_log_divert(sciara_log_sink *sink, void *context);

/** A sink that drops all messages. */
void sciara_log_ignore(void *context, enum sciara_log_level level, const char *message);

/** Passes one line, without a newline, to the sink. Assumptions are reported at SCIARA_LOG_INFO or above. */
void sciara_log(enum sciara_log_level level, const char *format, ...) SCIARA_PRINTF(2, 3);

SCIARA_END_DECLS
#endif
