// SPDX-License-Identifier: Apache-2.0
// Text from files and command lines, made printable for the user: it has no line breaks and no terminal commands.
#ifndef SCIARA_BASE_SHOWN_H
#define SCIARA_BASE_SHOWN_H

#include <stdarg.h>

#include "base/text.h"

SCIARA_BEGIN_DECLS

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

SCIARA_END_DECLS
#endif
