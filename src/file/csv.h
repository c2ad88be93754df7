// SPDX-License-Identifier: Apache-2.0
// CSV files: those of this program, which are read strictly; and tables as people and other programs write them.
#ifndef SCIARA_FILE_CSV_H
#define SCIARA_FILE_CSV_H

#include <stddef.h>
#include <stdint.h>

#include "base/log.h"
#include "base/text.h"

// ----------------------------------------------------------------------------------------------- those of this program

// A table without quotes is one line of names, then rows with the same number of values.

enum { SCIARA_CSV_COLUMNS_MOST = 32, SCIARA_CSV_BYTES_MOST = 64 << 20 };

/**
 * Takes over one row. Returns NULL, or what is expected instead of *found; `context` is that of the table. Any other
 * failure is returned in *status.
 */
typedef const char *sciara_csv_row(void *context, char *const *value, const char **found, enum sciara_status *status);

/** A table to read. */
struct sciara_csv_table {
  const char *header; ///< the line of names, which also determines the number of columns
  sciara_csv_row *row;
  void *context;
};

/** Reads a file; SCIARA_ERR_INPUT names file, line and value. */
enum sciara_status sciara_csv_read(const char *path, const struct sciara_csv_table *table);

/** Reads a terminated text of `length` bytes, which is split in place; `path` names it in errors. */
enum sciara_status sciara_csv_parse(const char *path, char *text, size_t length, const struct sciara_csv_table *table);

/** 16 hexadecimal digits, in lower case. */
bool sciara_csv_hash(const char *text, uint64_t *out);

/** A whole number of at most 18 digits. */
bool sciara_csv_whole(const char *text, uint64_t *out);
bool sciara_csv_size(const char *text, int64_t *out);

/** Appends a value as it is, in quotes where it holds a comma, a quotation mark or a line end (RFC 4180). */
enum sciara_status sciara_csv_append_value(struct sciara_text *t, const char *value);

/** Whether a spreadsheet program takes a cell with this text for a formula. */
bool sciara_csv_is_formula(const char *text);

/** sciara_csv_append_value for a text that somebody else may have chosen: an apostrophe before it keeps a formula from being evaluated. */
enum sciara_status sciara_csv_append_text(struct sciara_text *t, const char *text);

// -------------------------------------------------------------------------- those that people and their programs write

// Separated by commas, semicolons, tabs or blanks, with decimal points or commas, in UTF-8, UTF-16 or Latin-1, with a line
// "sep=;", comments and blanks.

/** A text that is split in place. */
struct sciara_csv_rows {
  const char *name; ///< of the file, for errors
  char *at, *end;
  size_t line;          ///< of the next row, from 1
  size_t blank;         ///< line of the first empty one before the next row; 0: there is none
  char separator;       ///< of values; ' ': any number of blanks and tabs
  bool forgiving;       ///< blanks around values do not count; lines that start with # are skipped
  char mark;            ///< of decimals: '.' or ','; 0 until one was seen
  const char *encoding; ///< what was done to read the text, for messages; NULL: it is plain UTF-8
  char number[64];      ///< the last number that had a decimal comma, with a point
};

/** Begins to read text[0..length), which is terminated. SCIARA_ERR_INPUT: it is not UTF-8. A byte order mark is skipped. */
enum sciara_status sciara_csv_rows_begin(const char *name, char *text, size_t length, struct sciara_csv_rows *out);

/** Skips empty lines; whether a row follows. */
bool sciara_csv_has_row(struct sciara_csv_rows *r);

/** The next value, in the text itself. *last: it ends the row. */
enum sciara_status sciara_csv_take(struct sciara_csv_rows *r, char **value, bool *last);

/** All values of the next row; *count is most + 1 if there are more. */
enum sciara_status sciara_csv_take_row(struct sciara_csv_rows *r, size_t most, char **value, size_t *count);

/** Number of lines that are left: at least the number of rows. */
size_t sciara_csv_lines(const struct sciara_csv_rows *r);

/**
 * Reads a file and begins to read its rows. The separator is that of the first row, unless a line "sep=;" gives it.
 *
 * @param text receives the text, to be released with free, also after an error
 * @return SCIARA_ERR_INPUT: the first bytes are those of something else, or the encoding is unknown
 */
enum sciara_status sciara_csv_open(const char *path, size_t most_bytes, char **text, struct sciara_csv_rows *out);

/** sciara_csv_open for a text in memory, which may be replaced. */
enum sciara_status sciara_csv_begin(const char *name, char **text, size_t length, struct sciara_csv_rows *out);

/** Notes how the text was decoded, if it is not plain UTF-8. */
void sciara_csv_report_encoding(const struct sciara_csv_rows *r, const struct sciara_notes *notes);

/** "commas", "semicolons", "tabs" or "blanks". */
const char *sciara_csv_separators(const struct sciara_csv_rows *r);

/**
 * A number with a decimal point, for the parsers: `text` itself, or a copy that the next call replaces. One file has points
 * or commas, not both. NULL: *expected says what is allowed.
 */
const char *sciara_csv_point(struct sciara_csv_rows *r, const char *text, const char **expected);

/** Whether all values of a row are empty, as in the lines that spreadsheets append. */
bool sciara_csv_is_empty(char *const *value, size_t count);

/** Appends the names of a header as they are found, for messages: "X", "Y". */
enum sciara_status sciara_csv_append_names(struct sciara_text *t, char *const *name, size_t count);

#endif
