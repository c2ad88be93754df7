// SPDX-License-Identifier: Apache-2.0
// JSON read strictly: cJSON alone lets duplicate keys, infinite numbers, "01", raw control characters, bad UTF-8 and
// text after the end pass, and cuts strings at an escaped NUL. Here each of these is an error with its place.
#ifndef SCIARA_FILE_JSON_STRICT_H
#define SCIARA_FILE_JSON_STRICT_H

#include <cjson/cJSON.h>

#include "base/diagnostics.h"
#include "base/text.h"

enum {
  SCIARA_JSON_MAX_BYTES = 64 << 20, ///< longest text
  SCIARA_JSON_MAX_DEPTH = 16,       ///< nested objects and arrays
  SCIARA_JSON_MAX_VALUES = 4000000, ///< values in one text (cJSON takes 64 bytes for each)
  SCIARA_JSON_MAX_NUMBER = 63,      ///< characters of one number (cJSON reads no more)
};

/** A place in a JSON tree, built on the stack on the way down; NULL is the top level. */
struct sciara_json_path {
  const struct sciara_json_path *parent;
  const char *key; ///< name in an object, or NULL
  size_t index;    ///< place in an array when key is NULL
};

/** "vents[1].effusion.slot" for a place; fits any capacity (cut with "..."). */
void sciara_json_path_print(const struct sciara_json_path *path, char *buffer, size_t capacity);

/** What a value is, for messages: `"abc"`, `-2`, `null`, `an array of 3`, `an object`. Control characters are
 *  escaped. */
void sciara_json_describe(const cJSON *value, char *buffer, size_t capacity);

/** A double for people and files: the shortest of 6 to 17 digits that reads back to the same bits, "1e6" not
 *  "1e+06". */
void sciara_json_number(double value, char *buffer, size_t capacity);

/**
 * Whether text[0..length) is one JSON value and nothing else, within the limits above and strictly by RFC 8259: finite
 * numbers, valid UTF-8, no escaped NUL, no lone surrogates. A UTF-8 byte order mark at the start is skipped.
 *
 * @param name of the text in the error, "NAME:LINE:COLUMN: found ..., expected ..." (SCIARA_ERR_INPUT)
 */
enum sciara_status sciara_json_scan(const char *name, const char *text, size_t length);

/**
 * Scans, parses and refuses duplicate keys.
 *
 * @param text  must be terminated: text[length] is 0
 * @param out   release with cJSON_Delete; NULL on failure
 */
enum sciara_status sciara_json_parse(const char *name, const char *text, size_t length, cJSON **out);

/** The same, but each key that is given twice is added to `diagnostics`, and the tree is given all the same. */
enum sciara_status sciara_json_parse_all(const char *name, const char *text, size_t length,
                                         struct sciara_diagnostics *diagnostics, cJSON **out);

/** Reads and parses a file of at most SCIARA_JSON_MAX_BYTES. */
enum sciara_status sciara_json_read(const char *path, cJSON **out);

/**
 * Appends the tree as indented text (2 spaces) in which every number reads back to the same bits. The numbers of the
 * tree become raw text on the way: afterwards it is only good for printing and deletion.
 */
enum sciara_status sciara_json_print(cJSON *tree, struct sciara_text *out);

#endif
