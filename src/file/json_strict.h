// SPDX-License-Identifier: Apache-2.0
// Strict reading of JSON: cJSON alone accepts duplicate keys, infinite numbers, "01", raw control characters, invalid
// UTF-8 and text after the end, and cuts strings at an escaped NUL. Here each of these is an error with its position.
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

/** A position in a JSON tree, built on the stack during the descent; NULL is the top level. */
struct sciara_json_path {
  const struct sciara_json_path *parent;
  const char *key; ///< name in an object, or NULL
  size_t index;    ///< index in an array if key is NULL
};

/** Prints a position as "vents[1].effusion.slot"; fits any capacity (cut with "..."). */
void sciara_json_path_print(const struct sciara_json_path *path, char *buffer, size_t capacity);

/** Describes a value in messages: `"abc"`, `-2`, `null`, `an array of 3`, `an object`. Control characters are
 *  escaped. */
void sciara_json_describe(const cJSON *value, char *buffer, size_t capacity);

/**
 * A double in texts and files: with the smallest number of digits, from 6 to 17, that is read back bit-identical; "1e6"
 * instead of "1e+06".
 */
void sciara_json_number(double value, char *buffer, size_t capacity);

/**
 * Whether text[0..length) is one JSON value and nothing else, within the limits above and strictly by RFC 8259: finite
 * numbers, valid UTF-8, no escaped NUL, no lone surrogates. A UTF-8 byte order mark at the start is skipped.
 *
 * @param text must be terminated: a character that is cut off at its end is read up to there
 * @param name of the text in the error, "NAME:LINE:COLUMN: expected ..., found ..." (SCIARA_ERR_INPUT)
 */
enum sciara_status sciara_json_scan(const char *name, const char *text, size_t length);

/** Scans, parses and rejects duplicate keys.
 *
 * @param text  must be terminated: text[length] is 0
 * @param out   release with cJSON_Delete; NULL on failure
 */
enum sciara_status sciara_json_parse(const char *name, const char *text, size_t length, cJSON **out);

/** sciara_json_parse, but each duplicate key is added to `diagnostics`, and the tree is still returned. */
enum sciara_status sciara_json_parse_all(const char *name, const char *text, size_t length,
                                         struct sciara_diagnostics *diagnostics, cJSON **out);

/** Adds an item to an array or, with a name, to an object. What cannot be added is deleted: then NULL. */
cJSON *sciara_json_put(cJSON *parent, const char *name, cJSON *item);

/** sciara_json_put in place of the item that an object has of that name, if any. */
cJSON *sciara_json_replace(cJSON *object, const char *name, cJSON *item);

/** Adds a number to an object, or null if it is not finite. */
bool sciara_json_put_number(cJSON *object, const char *name, double value);

/** Adds the array [a, b] to an array. */
bool sciara_json_put_pair(cJSON *array, double a, double b);

/** Reads and parses a file of at most SCIARA_JSON_MAX_BYTES. */
enum sciara_status sciara_json_read(const char *path, cJSON **out);

/**
 * Appends the tree as indented text (2 spaces) in which every number is read back bit-identical. This converts the
 * numbers of the tree to raw text: afterwards it can only be printed and deleted.
 */
enum sciara_status sciara_json_print(cJSON *tree, struct sciara_text *out);

/** sciara_json_print with the end of the last line, into an atomic file of a folder. */
enum sciara_status sciara_json_write(cJSON *tree, const char *folder, const char *name);

/** The text of sciara_json_print, malloc'd, of a tree that stays as it is; NULL on failure. */
enum sciara_status sciara_json_text(const cJSON *tree, char **out);

#endif
