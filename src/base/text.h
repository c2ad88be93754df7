// SPDX-License-Identifier: Apache-2.0
// Functions for text: growing strings, durations, the closest name to a misspelt one; and text from files and command lines
// made printable for the user.
#ifndef SCIARA_BASE_TEXT_H
#define SCIARA_BASE_TEXT_H

#include <stdarg.h>
#include <stdio.h>

#include "base/status.h"

/**
 * A growing, always terminated string. Zero-initialise; release with sciara_text_free. After one append has failed, all
 * later ones fail too. So a caller with many appends need only check the last status, and a text never has a gap.
 */
struct sciara_text {
  char *data;
  size_t length, capacity;
  enum sciara_status failed; ///< of the first append that failed; SCIARA_OK: none did
};

/**
 * Reserves memory for `more` further bytes, or SCIARA_ERR_MEMORY. Appending up to `more` bytes then needs no
 * allocation.
 */
enum sciara_status sciara_text_reserve(struct sciara_text *t, size_t more);
enum sciara_status sciara_text_append(struct sciara_text *t, const char *format, ...) SCIARA_PRINTF(2, 3);

/**
 * vsnprintf, for formats of messages: a limit of 20 bytes or more that stands in the format, as "%.60s" for names of unknown
 * length, cuts between characters, and an ellipsis stands for the rest. Allocates no memory.
 */
int sciara_vprint(char *out, size_t size, const char *format, va_list args) SCIARA_PRINTF(3, 0);

/** snprintf; what has no room is cut between characters, and an ellipsis stands for it. */
void sciara_fit(char *out, size_t size, const char *format, ...) SCIARA_PRINTF(3, 4);
enum sciara_status sciara_text_append_bytes(struct sciara_text *t, const char *bytes, size_t count);
/** Whether a text is UTF-8. */
bool sciara_is_utf8(const char *text);

/** Number of bytes of the first character of a text, whose code is stored in *code; 0 if they are not UTF-8. */
size_t sciara_utf8_next(const char *text, uint32_t *code);

/**
 * Whether a character can control a terminal, end a line or change the direction of the following text: control
 * characters, line and paragraph separators, and format characters of bidirectional text.
 */
bool sciara_is_control(uint32_t code);

/**
 * Appends `text` as a JSON string, with its quotes. Characters of sciara_is_control are written as "\u001b"; a byte that is
 * not UTF-8 becomes U+FFFD.
 */
enum sciara_status sciara_text_append_json(struct sciara_text *t, const char *text);

/**
 * Appends `text` in a form valid in XML: characters of sciara_is_control become spaces, bytes that are not UTF-8
 * U+FFFD.
 */
enum sciara_status sciara_text_append_plain(struct sciara_text *t, const char *text);

/** Appends a text as a value of an attribute of XML, or as text between its tags: with entities. */
enum sciara_status sciara_text_append_xml(struct sciara_text *t, const char *text);
void sciara_text_free(struct sciara_text *t);

/** Room for sciara_quoted_word of the longest path. */
enum { SCIARA_QUOTED_WORD = 2 * 4096 + 3 };

/** A path as a word of a command that a sentence quotes with ': in " where the shell would divide or change it. Returns `out`. */
const char *sciara_quoted_word(const char *path, char out[SCIARA_QUOTED_WORD]);

/** The name of a file or folder in its path: what follows the last slash. */
const char *sciara_path_name(const char *path);

/** Length of a path without the extension of its name; of ".tif", which has none, the whole length. */
size_t sciara_path_stem(const char *path);

/** A formatted string from malloc (release with free), NULL if there is no memory. */
char *sciara_format(const char *format, ...) SCIARA_PRINTF(1, 2);

/** SCIARA_ERR_MEMORY: "no memory for WHAT". */
enum sciara_status sciara_no_memory(const char *what);

/** A copy from malloc, of NULL NULL; `what` is its name in the error. */
enum sciara_status sciara_copy(const char *text, const char *what, char **out);

/** "6 h", "3 d", "90 min", "30 s", "12.5", "13 d 18 h" as of sciara_print_duration: a duration in seconds. False if the text is not a duration or not finite. */
bool sciara_parse_duration(const char *text, double *seconds);

/** The word that follows a count: `one` after 1, `many` after any other number. */
const char *sciara_plural(uint64_t count, const char *one, const char *many);

/** A duration in readable form: "3 d 4 h 5 min", "12 min 30 s", below a second "0.25 s". From an hour on rounded to minutes.
 *  Fits 48 bytes. Returns `buffer`. */
const char *sciara_print_duration(double seconds, char *buffer, size_t capacity);

/** The texts of sciara_print_duration and of the two functions below. They exist until the block of the caller ends. */
#define SCIARA_DURATION(seconds) sciara_print_duration(seconds, (char[48]){0}, 48)
#define SCIARA_ABOUT(seconds) sciara_print_about(seconds, (char[48]){0}, 48)
#define SCIARA_BYTES(bytes) sciara_print_bytes(bytes, (char[48]){0}, 48)

/** A time as part of a name, exactly if it has at most 9 digits: "24h", "90min", "30s". */
void sciara_print_time_name(double seconds, char *buffer, size_t capacity);
/** A duration of which two digits are known: "97 s", "3.9 min", "25 h". Fits 48 bytes. Returns `buffer`. */
const char *sciara_print_about(double seconds, char *buffer, size_t capacity);

/** A size of memory or of a file with three digits: "12 bytes", "871 kB", "4.43 MB", "82.7 GB". Fits 48 bytes. Returns `buffer`. */
const char *sciara_print_bytes(double bytes, char *buffer, size_t capacity);

/** Parses the whole text as a finite double, in the format of the C locale. */
bool sciara_parse_double(const char *text, double *value);

/** Whether `word` is one of the words of a list, which blanks and commas separate. */
bool sciara_has_word(const char *list, const char *word);

/** The name in names[0..count) closest to `typed` (at most a third of its letters differ), or NULL. */
const char *sciara_closest_name(const char *typed, const char *const *names, size_t count);

// ----------------------------------------------- printable text, without line breaks and terminal commands, in shown.c

enum { SCIARA_SHOWN_PIECE = 8 };

/**
 * The printable form of the next character of a text of unknown origin, which is not at its end; moves *text past it.
 * Allocates no memory. Characters of sciara_is_control become "\x1b" or "\u202e"; a byte that is not UTF-8 becomes
 * "\xff".
 */
size_t sciara_shown_next(const char **text, char piece[SCIARA_SHOWN_PIECE]);

/** Appends the printable form of a text of unknown origin. */
enum sciara_status sciara_text_show(struct sciara_text *t, const char *text);

/**
 * Like sciara_text_append, but with the printable form of all that %s and %c insert; the format itself is unchanged. A
 * field width counts characters. Conversions: d i u x X o c s f e g a % with hh h l ll z j and any flags, widths and
 * precisions.
 */
enum sciara_status sciara_text_showf(struct sciara_text *t, const char *format, ...) SCIARA_PRINTF(2, 3);
enum sciara_status sciara_text_vshowf(struct sciara_text *t, const char *format, va_list args) SCIARA_PRINTF(2, 0);

#endif
