// SPDX-License-Identifier: Apache-2.0
// Records of comma-separated values that may be quoted, as in RFC 4180; LF or CRLF.
#ifndef SCIARA_FILE_CSV_RECORDS_H
#define SCIARA_FILE_CSV_RECORDS_H

#include <stddef.h>

#include "base/status.h"

/** A text that is split in place. */
struct sciara_csv_records {
  const char *name; ///< of the file, for errors
  char *at, *end;
  size_t line; ///< of the next record, from 1
};

/** Begins to read text[0..length), which is terminated. SCIARA_ERR_INPUT: it is not UTF-8. A byte order mark is skipped. */
enum sciara_status sciara_csv_records_begin(const char *name, char *text, size_t length,
                                            struct sciara_csv_records *out);

/** Skips empty lines; whether a record follows. */
bool sciara_csv_has_record(struct sciara_csv_records *r);

/** The next value, in the text itself. *last: it ends the record. */
enum sciara_status sciara_csv_take(struct sciara_csv_records *r, char **value, bool *last);

/** Number of lines that are left: at least the number of records. */
size_t sciara_csv_lines(const struct sciara_csv_records *r);

#endif
