// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

size_t sciara_shown_next(const char **text, char piece[SCIARA_SHOWN_PIECE]) {
  uint32_t code;
  const size_t length = sciara_utf8_next(*text, &code);
  int count = (int)length;
  if (length == 0 || (code < 0x80 && sciara_is_control(code)))
    count = snprintf(piece, SCIARA_SHOWN_PIECE, "\\x%02x", (unsigned char)**text);
  else if (sciara_is_control(code))
    count = snprintf(piece, SCIARA_SHOWN_PIECE, "\\u%04x", (unsigned)code & 0xffff);
  else
    memcpy(piece, *text, length);
  piece[count] = '\0';
  *text += length ? length : 1;
  return (size_t)count;
}

enum sciara_status sciara_text_show(struct sciara_text *t, const char *text) {
  char piece[SCIARA_SHOWN_PIECE];
  while (*text) {
    const size_t count = sciara_shown_next(&text, piece);
    SCIARA_TRY(sciara_text_append_bytes(t, piece, count));
  }
  return SCIARA_OK;
}

// ------------------------------------------------------------------------------------------------------------- formats

/** A conversion of a format; its width and precision have been read. */
struct conversion {
  char flags[8];
  int width, precision; ///< precision below 0: none
  bool literal;         ///< the precision stands in the format
  char size;            ///< 'H' for hh, h, l, 'L' for ll, z, j, or 0
  char letter;
};

struct arguments {
  va_list list;
};

static int read_number(const char **p, struct arguments *args) {
  int value = 0;
  if (**p == '*') {
    (*p)++;
    return va_arg(args->list, int);
  }
  for (; **p >= '0' && **p <= '9'; (*p)++) value = value < 100000 ? 10 * value + (**p - '0') : value;
  return value;
}

/** Reads the conversion after a "%"; sets *p to the character after it. */
static void read_conversion(const char **p, struct arguments *args, struct conversion *c) {
  size_t flags = strspn(*p, "-+ #0");
  *c = (struct conversion){.precision = -1};
  memcpy(c->flags, *p, flags < sizeof c->flags - 1 ? flags : sizeof c->flags - 1);
  *p += flags;
  c->width = read_number(p, args);
  if (c->width < 0) { // of a "*"
    c->width = -c->width;
    memcpy(c->flags, "-", 2);
  }
  if (**p == '.') {
    (*p)++;
    c->literal = **p != '*';
    c->precision = read_number(p, args);
  }
  for (; **p && strchr("hlzj", **p); (*p)++) c->size = c->size == **p ? (char)(c->size - 'a' + 'A') : **p;
  c->letter = **p;
  if (c->letter) (*p)++;
}

/** Whether a byte is not one of those that continue a character of UTF-8. */
static bool is_start(const char *byte) { return ((unsigned char)*byte & 0xc0) != 0x80; }

static size_t characters(const char *text) {
  size_t count = 0;
  for (; *text; text++) count += is_start(text);
  return count;
}

static const char ellipsis[] = "\u2026";

/**
 * How many bytes of a text a conversion shows. A long precision, as of "%.60s", is a limit for texts of unknown length: only whole
 * characters are shown, and *goes_on says that an ellipsis follows. A short one takes a part, such as the year of a date.
 */
static size_t shown_bytes(const struct conversion *c, const char *text, bool *goes_on) {
  enum { LIMIT = 20 };
  size_t count = c->precision < 0 ? strlen(text) : strnlen(text, (size_t)c->precision);
  *goes_on = c->precision >= LIMIT && c->literal && text[count];
  if (!*goes_on || is_start(text + count)) return count;
  size_t begin = count;
  while (begin > 0 && count - begin < 4 && !is_start(text + begin)) begin--;
  return is_start(text + begin) ? begin : count;
}

/** The text for %s: at most `precision` bytes, made printable, in a field of `width` characters. */
static enum sciara_status append_string(struct sciara_text *t, const struct conversion *c, const char *text) {
  struct sciara_text shown = {0};
  bool goes_on;
  const size_t bytes = shown_bytes(c, text, &goes_on);
  char *cut = c->precision >= 0 ? strndup(text, bytes) : NULL;
  enum sciara_status status = SCIARA_OK;
  if (c->precision >= 0 && !cut) status = sciara_no_memory("a text");
  if (status == SCIARA_OK) status = sciara_text_append(&shown, "%s", ""); // data is not NULL even if the text is empty
  if (status == SCIARA_OK) status = sciara_text_show(&shown, cut ? cut : text);
  if (status == SCIARA_OK && goes_on) status = sciara_text_append_bytes(&shown, ellipsis, sizeof ellipsis - 1);
  if (status == SCIARA_OK) {
    const size_t count = characters(shown.data), width = (size_t)c->width;
    const int blanks = count < width ? (int)(width - count) : 0;
    const bool left = strchr(c->flags, '-') != NULL;
    status = sciara_text_append(t, "%*s%s%*s", left ? 0 : blanks, "", shown.data, left ? blanks : 0, "");
  }
  free(cut);
  sciara_text_free(&shown);
  return status;
}

static intmax_t signed_argument(struct arguments *args, char size) {
  switch (size) {
    case 'l': return va_arg(args->list, long);
    case 'L': return va_arg(args->list, long long);
    case 'z': return va_arg(args->list, ssize_t);
    case 'j': return va_arg(args->list, intmax_t);
    default: return va_arg(args->list, int); // h and hh are int here
  }
}

static uintmax_t unsigned_argument(struct arguments *args, char size) {
  switch (size) {
    case 'l': return va_arg(args->list, unsigned long);
    case 'L': return va_arg(args->list, unsigned long long);
    case 'z': return va_arg(args->list, size_t);
    case 'j': return va_arg(args->list, uintmax_t);
    default: return va_arg(args->list, unsigned);
  }
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" // the compiler has checked the format of the caller
/** The format of one number, with the width and the precision as arguments. */
static void number_format(const struct conversion *c, char format[32]) {
  snprintf(format, 32, "%%%s*.*%s%c", c->flags, strchr("fFeEgGaA", c->letter) ? "" : "j", c->letter);
}

static enum sciara_status append_number(struct sciara_text *t, const struct conversion *c, struct arguments *args) {
  char format[32];
  number_format(c, format);
  if (strchr("di", c->letter))
    return sciara_text_append(t, format, c->width, c->precision, signed_argument(args, c->size));
  if (strchr("uxXo", c->letter))
    return sciara_text_append(t, format, c->width, c->precision, unsigned_argument(args, c->size));
  return sciara_text_append(t, format, c->width, c->precision, va_arg(args->list, double));
}

static int print_conversion(char *out, size_t size, const struct conversion *c, struct arguments *args) {
  char format[32];
  if (c->letter == '%') return snprintf(out, size, "%%");
  if (c->letter == 'c') return snprintf(out, size, "%c", va_arg(args->list, int));
  if (c->letter == 'p') return snprintf(out, size, "%p", va_arg(args->list, void *));
  if (c->letter == 's') {
    bool goes_on;
    const char *text = va_arg(args->list, const char *);
    const int bytes = (int)shown_bytes(c, text ? text : "(null)", &goes_on), width = c->width;
    const bool left = strchr(c->flags, '-') != NULL;
    return snprintf(out, size, "%*.*s%s", left ? -width : width, bytes, text ? text : "(null)",
                    goes_on ? ellipsis : "");
  }
  number_format(c, format);
  if (c->letter && strchr("di", c->letter))
    return snprintf(out, size, format, c->width, c->precision, signed_argument(args, c->size));
  if (c->letter && strchr("uxXo", c->letter))
    return snprintf(out, size, format, c->width, c->precision, unsigned_argument(args, c->size));
  if (c->letter && strchr("fFeEgGaA", c->letter))
    return snprintf(out, size, format, c->width, c->precision, va_arg(args->list, double));
  return -1;
}

/** Whether a format has a limit such as "%.60s". */
static bool has_limit(const char *format) {
  for (const char *p = strchr(format, '%'); p; p = strchr(p, '%')) {
    p += strspn(p + 1, "-0123456789") + 1;
    if (*p == '.' && p[1 + strspn(p + 1, "0123456789")] == 's') return true;
    if (*p == '%') p++;
  }
  return false;
}

int sciara_vprint(char *out, size_t size, const char *format, va_list args) {
  if (!has_limit(format)) return vsnprintf(out, size, format, args);
  struct arguments all;
  size_t at = 0;
  int n = 0;
  va_copy(all.list, args);
  for (const char *p = format; *p && n >= 0; at += n > 0 ? (size_t)n : 0) {
    char *to = at < size ? out + at : NULL;
    const size_t room = at < size ? size - at : 0, plain = strcspn(p, "%");
    struct conversion c;
    if (plain > 0) {
      n = snprintf(to, room, "%.*s", (int)plain, p);
      p += plain;
      continue;
    }
    p++;
    read_conversion(&p, &all, &c);
    n = print_conversion(to, room, &c, &all);
  }
  va_end(all.list);
  return n < 0 ? n : (int)at;
}
#pragma GCC diagnostic pop

void sciara_fit(char *out, size_t size, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const int n = sciara_vprint(out, size, format, args);
  va_end(args);
  if (n < 0 || (size_t)n < size || size < sizeof ellipsis) return;
  size_t end = size - sizeof ellipsis;
  while (end > 0 && !is_start(out + end)) end--;
  memcpy(out + end, ellipsis, sizeof ellipsis);
}

static enum sciara_status append_conversion(struct sciara_text *t, const struct conversion *c, struct arguments *args) {
  if (c->letter == '%') return sciara_text_append(t, "%%");
  if (c->letter == 's') return append_string(t, c, va_arg(args->list, const char *));
  if (c->letter == 'c') {
    const char text[2] = {(char)va_arg(args->list, int), '\0'};
    return append_string(t, c, text);
  }
  if (c->letter && strchr("diuxXofFeEgGaA", c->letter)) return append_number(t, c, args);
  t->failed = SCIARA_ERR_INTERNAL;
  return sciara_fail(SCIARA_ERR_INTERNAL, "a text has the unknown conversion %%%c", c->letter ? c->letter : ' ');
}

enum sciara_status sciara_text_vshowf(struct sciara_text *t, const char *format, va_list args) {
  struct arguments all;
  enum sciara_status status = SCIARA_OK;
  va_copy(all.list, args);
  for (const char *p = format; status == SCIARA_OK && *p;) {
    const size_t plain = strcspn(p, "%");
    status = sciara_text_append_bytes(t, p, plain);
    p += plain;
    if (status != SCIARA_OK || !*p) break;
    struct conversion c;
    p++;
    read_conversion(&p, &all, &c);
    status = append_conversion(t, &c, &all);
  }
  va_end(all.list);
  return status;
}

enum sciara_status sciara_text_showf(struct sciara_text *t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const enum sciara_status status = sciara_text_vshowf(t, format, args);
  va_end(args);
  return status;
}
