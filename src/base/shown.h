// SPDX-License-Identifier: Apache-2.0
// Text of files and command lines, shown to people: it stays on its line, and gives a terminal no command.
#ifndef SCIARA_BASE_SHOWN_H
#define SCIARA_BASE_SHOWN_H

#include <stdarg.h>

#include "base/text.h"

SCIARA_BEGIN_DECLS

enum { SCIARA_SHOWN_PIECE = 8 };

/**
 * How the next character of a text of unknown origin is shown, which is not at its end; moves on by it and takes no memory.
 * What sciara_is_control names becomes "\x1b" or "\u202e", and a byte that is not UTF-8 becomes "\xff".
 */
size_t sciara_shown_next(const char **text, char piece[SCIARA_SHOWN_PIECE]);

/** Appends a text of unknown origin as it is shown. */
enum sciara_status sciara_text_show(struct sciara_text *t, const char *text);

/**
 * Like sciara_text_append, but what %s and %c insert is shown in this way; the format itself stays as it is. A field width
 * counts characters. Conversions: d i u x X o c s f e g a % with hh h l ll z j and any flags, widths and precisions.
 */
enum sciara_status sciara_text_showf(struct sciara_text *t, const char *format, ...) SCIARA_PRINTF(2, 3);
enum sciara_status sciara_text_vshowf(struct sciara_text *t, const char *format, va_list args) SCIARA_PRINTF(2, 0);

SCIARA_END_DECLS
#endif
