// SPDX-License-Identifier: Apache-2.0
// CSV files of this program: the texts in their cells, and reading a table without quotes, which is one line of names, then
// rows with the same number of values.
#ifndef SCIARA_FILE_CSV_TABLE_H
#define SCIARA_FILE_CSV_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

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

/** The same for a text that somebody else may have chosen: an apostrophe before it keeps a formula from being evaluated. */
enum sciara_status sciara_csv_append_text(struct sciara_text *t, const char *text);

#endif
