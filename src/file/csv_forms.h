// SPDX-License-Identifier: Apache-2.0
// Tables as people and their programs write them: separated by commas, semicolons, tabs or blanks, with decimal points or
// commas, in UTF-8, UTF-16 or Latin-1, with a line "sep=;", comments and blanks.
#ifndef SCIARA_FILE_CSV_FORMS_H
#define SCIARA_FILE_CSV_FORMS_H

#include "base/text.h"
#include "file/csv_records.h"

/**
 * Reads a file and begins to read its records. The separator is that of the first record, unless a line "sep=;" gives it.
 *
 * @param text receives the text, to be released with free, also after an error
 * @return SCIARA_ERR_INPUT: the first bytes are those of something else, or the encoding is unknown
 */
enum sciara_status sciara_csv_open(const char *path, size_t most_bytes, char **text, struct sciara_csv_records *out);

/** The same for a text in memory, which may be replaced. */
enum sciara_status sciara_csv_begin(const char *name, char **text, size_t length, struct sciara_csv_records *out);

/** Logs how the text was decoded, if it is not plain UTF-8. */
void sciara_csv_report_encoding(const struct sciara_csv_records *r);

/** "commas", "semicolons", "tabs" or "blanks". */
const char *sciara_csv_separators(const struct sciara_csv_records *r);

/**
 * A number with a decimal point, for the parsers: `text` itself, or a copy that the next call replaces. One file has points
 * or commas, not both. NULL: *expected says what is allowed.
 */
const char *sciara_csv_point(struct sciara_csv_records *r, const char *text, const char **expected);

/** Whether all values of a record are empty, as in the lines that spreadsheets append. */
bool sciara_csv_is_empty(char *const *value, size_t count);

/** Appends the names of a header as they are found, for messages: "X", "Y". */
enum sciara_status sciara_csv_append_names(struct sciara_text *t, char *const *name, size_t count);

#endif
