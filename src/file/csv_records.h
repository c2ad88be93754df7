// SPDX-License-Identifier: Apache-2.0
// Records of comma-separated values that may be quoted, as in RFC 4180; LF or CRLF. csv_forms.h begins to read what
// people write: other separators, blanks, comments.
#ifndef SCIARA_FILE_CSV_RECORDS_H
#define SCIARA_FILE_CSV_RECORDS_H

#include <stddef.h>

#include "base/status.h"

/** A text that is split in place. */
struct sciara_csv_records {
  const char *name; ///< of the file, for errors
  char *at, *end;
  size_t line;          ///< of the next record, from 1
  size_t blank;         ///< line of the first empty one before the next record; 0: there is none
  char separator;       ///< of values; ' ': any number of blanks and tabs
  bool forgiving;       ///< blanks around values do not count; lines that start with # are skipped
  char mark;            ///< of decimals: '.' or ','; 0 until one was seen
  const char *encoding; ///< what was done to read the text, for messages; NULL: it is plain UTF-8
  char number[64];      ///< the last number that had a decimal comma, with a point
};

/** Begins to read text[0..length), which is terminated. SCIARA_ERR_INPUT: it is not UTF-8. A byte order mark is skipped. */
enum sciara_status sciara_csv_records_begin(const char *name, char *text, size_t length,
                                            struct sciara_csv_records *out);

/** Skips empty lines; whether a record follows. */
bool sciara_csv_has_record(struct sciara_csv_records *r);

/** The next value, in the text itself. *last: it ends the record. */
enum sciara_status sciara_csv_take(struct sciara_csv_records *r, char **value, bool *last);

/** All values of the next record; *count is most + 1 if there are more. */
enum sciara_status sciara_csv_take_record(struct sciara_csv_records *r, size_t most, char **value, size_t *count);

/** Number of lines that are left: at least the number of records. */
size_t sciara_csv_lines(const struct sciara_csv_records *r);

#endif
