// SPDX-License-Identifier: Apache-2.0
// Where the messages of a simulation go: those of a run to the log, those of a member into its footprint.
#ifndef SCIARA_SIM_NOTES_H
#define SCIARA_SIM_NOTES_H

#include "base/log.h"

struct sciara_notes {
  sciara_log_sink *take;
  void *context;
};

/** For what is only tried: its messages are dropped. */
extern const struct sciara_notes sciara_no_notes;

/** Passes one line to the notes; NULL: to the log. */
void sciara_note(const struct sciara_notes *notes, enum sciara_log_level level, const char *format, ...)
    SCIARA_PRINTF(3, 4);

#endif
