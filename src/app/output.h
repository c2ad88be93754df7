// SPDX-License-Identifier: Apache-2.0
// Standard output. All that the program prints goes through here: text of others is escaped, and what cannot be written is
// known.
#ifndef SCIARA_APP_OUTPUT_H
#define SCIARA_APP_OUTPUT_H

#include <stdbool.h>

#include "base/portable.h"

/** Call before any file is opened: one of the three standard streams that is closed would give its number to that file. */
void sciara_output_begin(void);

/** Prints for people: what %s and %c insert is shown as by sciara_text_show, the format stays as it is. */
void sciara_print(const char *format, ...) SCIARA_PRINTF(1, 2);

/** Prints a text that is safe as it stands: one of the program's own, or JSON, which escapes by itself. */
void sciara_print_raw(const char *text);

/** Hands on what was printed so far. */
void sciara_output_flush(void);

/** The error (errno) that ended output, 0 if there was none. What is printed after it is dropped. */
int sciara_output_failure(void);

/** An error of output is no failure of the command: its result is elsewhere. */
void sciara_output_not_needed(void);

/** Flushes. Whether what was printed arrived, or need not have; else *error is why. A reader who left had what they wanted. */
bool sciara_output_end(int *error);

#endif
