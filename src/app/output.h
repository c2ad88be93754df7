// SPDX-License-Identifier: Apache-2.0
// Standard output. Everything that the program prints goes through here: foreign text is escaped, and write errors are
// recorded.
#ifndef SCIARA_APP_OUTPUT_H
#define SCIARA_APP_OUTPUT_H

#include <stdbool.h>

#include "base/portable.h"
#include "base/text.h"

struct sciara_grid;
struct sciara_georef;

/** Prints for people: text inserted by %s and %c is escaped as by sciara_text_show, the format is printed unchanged. */
void sciara_print(const char *format, ...) SCIARA_PRINTF(1, 2);

/** Prints a safe text unchanged: one of the program's own, or JSON, which is already escaped. */
void sciara_print_raw(const char *text);

/** Prints a text, as sciara_print_raw, unless making it has failed; releases it and returns `made`. */
enum sciara_status sciara_print_text(enum sciara_status made, struct sciara_text *text);

/** Flushes what was printed so far. */
void sciara_output_flush(void);

/** The error (errno) that ended output, 0 if there was none. What is printed after it is dropped. */
int sciara_output_failure(void);

/** From now on an output error is not a failure of the command: its result is in files. */
void sciara_output_not_needed(void);

/**
 * Flushes. Returns whether everything was written or did not need to be; otherwise *error is the reason. A closed pipe
 * is not an error: the reader needed no more.
 */
bool sciara_output_end(int *error);

// -------------------------------------------------------------------------------------------------------------- a grid

/** Prints two lines: size, position and CRS. */
void sciara_print_grid(const struct sciara_grid *g, const struct sciara_georef *georef);

/** Appends `LEAD"key": "value"`, null for NULL; and a number, null if it is not finite. */
void sciara_put_json_text(struct sciara_text *t, const char *lead, const char *key, const char *value);
void sciara_put_json_number(struct sciara_text *t, const char *lead, const char *key, double value);

#endif
