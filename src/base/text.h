// SPDX-License-Identifier: Apache-2.0
// Small things with text: growing strings, durations, and the name that was probably meant.
#ifndef SCIARA_BASE_TEXT_H
#define SCIARA_BASE_TEXT_H

#include <stdio.h>

#include "base/status.h"

SCIARA_BEGIN_DECLS

/**
 * A growing, always terminated string. Zero-initialise; release with sciara_text_free. Once something could not be appended
 * nothing more can be: whoever appends much need look at the last status alone, and never has a text with a gap.
 */
struct sciara_text {
  char *data;
  size_t length, capacity;
  enum sciara_status failed; ///< of the append that failed first; SCIARA_OK: none did
};

/** Makes room for `more` bytes beyond its length in one request, or SCIARA_ERR_MEMORY: appending as many asks for none. */
enum sciara_status sciara_text_reserve(struct sciara_text *t, size_t more);
enum sciara_status sciara_text_append(struct sciara_text *t, const char *format, ...) SCIARA_PRINTF(2, 3);
enum sciara_status sciara_text_append_bytes(struct sciara_text *t, const char *bytes, size_t count);
/** Whether a text is UTF-8. */
bool sciara_is_utf8(const char *text);

/** Bytes of the first character of a text, which is put into *code; 0 if they are not UTF-8. */
size_t sciara_utf8_next(const char *text, uint32_t *code);

/**
 * Whether a character commands a terminal, ends a line or turns the direction of what follows: control characters, separators
 * of lines and paragraphs, and the formats of bidirectional text.
 */
bool sciara_is_control(uint32_t code);

/**
 * Appends `text` as it stands between the quotes of a JSON string. What sciara_is_control names is written as "\u001b"; a byte
 * that is not UTF-8 becomes U+FFFD.
 */
enum sciara_status sciara_text_append_json(struct sciara_text *t, const char *text);

/** Appends `text` as XML can hold it: what sciara_is_control names becomes a space, a byte that is not UTF-8 U+FFFD. */
enum sciara_status sciara_text_append_plain(struct sciara_text *t, const char *text);
void sciara_text_free(struct sciara_text *t);

/** malloc'd formatted string (release with free), NULL when memory is out. */
char *sciara_format(const char *format, ...) SCIARA_PRINTF(1, 2);

/** "6 h", "3 d", "90 min", "30 s", "12.5": a duration in seconds. False when it is none (or not finite). */
bool sciara_parse_duration(const char *text, double *seconds);

/** The word that a count is followed by: `one` after 1, `many` after any other. */
const char *sciara_plural(uint64_t count, const char *one, const char *many);

/** A duration for people: "3 d 04:05:06". Fits 48 bytes. */
void sciara_print_duration(double seconds, char *buffer, size_t capacity);

/** A finite double that takes the whole text, in the C locale's form. */
bool sciara_parse_double(const char *text, double *value);

/** The name in names[0..count) nearest to `typed` (at most a third of its letters away), or NULL. */
const char *sciara_closest_name(const char *typed, const char *const *names, size_t count);

SCIARA_END_DECLS
#endif
