// SPDX-License-Identifier: Apache-2.0
// Texts in the cells of CSV files that the program writes.
#ifndef SCIARA_FILE_CSV_TEXT_H
#define SCIARA_FILE_CSV_TEXT_H

#include "base/text.h"

/** Appends a value as it is, in quotes where it holds a comma, a quotation mark or a line end (RFC 4180). */
enum sciara_status sciara_csv_append_value(struct sciara_text *t, const char *value);

/** Whether a spreadsheet program takes a cell with this text for a formula. */
bool sciara_csv_is_formula(const char *text);

/** The same for a text that somebody else may have chosen: an apostrophe before it keeps a formula from being evaluated. */
enum sciara_status sciara_csv_append_text(struct sciara_text *t, const char *text);

#endif
