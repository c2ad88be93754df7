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

/** Passes one line, without a newline, to the sink. Assumptions are reported at SCIARA_LOG_INFO or above. */
void sciara_log(enum sciara_log_level level, const char *format, ...) SCIARA_PRINTF(2, 3);

/** Where the messages of one simulation go, from the reading of its scenario on: those of a member into its footprint. */
struct sciara_notes {
  sciara_log_sink *take;
  void *context;
};

/** For what is only tried: its messages are dropped. */
extern const struct sciara_notes sciara_no_notes;

/** Passes one line to the notes; NULL: to the log. */
void sciara_note(const struct sciara_notes *notes, enum sciara_log_level level, const char *format, ...)
    SCIARA_PRINTF(3, 4);

SCIARA_END_DECLS
#endif
