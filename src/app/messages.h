// SPDX-License-Identifier: Apache-2.0
// Messages to the user: on stderr, plain or as JSON lines, and a copy in a file.
#ifndef SCIARA_APP_MESSAGES_H
#define SCIARA_APP_MESSAGES_H

#include <stdbool.h>

#include "base/diagnostics.h"
#include "base/log.h"

/** Installs the sink of the library's messages. */
void sciara_messages_begin(void);

/** Applies --quiet, --verbose and --log-json. */
void sciara_messages_configure(bool quiet, bool verbose, bool json);

/** From now on every message also goes to this file, together with all previous ones. */
void sciara_messages_copy_to(const char *path, bool append);

/** A message for the copy only. */
void sciara_messages_keep(enum sciara_log_level level, const char *format, ...) SCIARA_PRINTF(2, 3);

/** Closes the copy. */
void sciara_messages_end(void);

/** Whether progress may be shown (not quiet). */
bool sciara_messages_shown(void);

/** "sciara: error: ..." */
void sciara_error(const char *format, ...) SCIARA_PRINTF(1, 2);

/** Reports a failed call of the library; returns its status as the exit code. */
int sciara_report(enum sciara_status status);

/** Reports every diagnostic, each as an error; returns the status of the first as the exit code. */
int sciara_report_all(const struct sciara_diagnostics *diagnostics);

/**
 * A progress message. With --log-json it also has the member "progress": the JSON value `json`. `keep`: it is also
 * written to the copy in the file.
 */
void sciara_messages_progress(const char *message, const char *json, bool keep);

/** Whether progress is one line that is redrawn: stderr is a terminal, and messages are plain text. */
bool sciara_messages_have_line(void);

/** Shows `line` as the progress line of a terminal, cut to its width; NULL removes it. */
void sciara_progress_line(const char *line);

#endif
