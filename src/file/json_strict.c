// SPDX-License-Identifier: Apache-2.0
// The scanner: a complete recogniser of RFC 8259 that knows its position. Text that it accepts is read correctly by
// cJSON.
#include "file/json_strict.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/log.h"

static const char byte_order_mark[] = "\xEF\xBB\xBF";

struct scan {
  const char *name, *text;
  size_t length, at;
  int64_t values;
};

static void position(const struct scan *s, size_t at, size_t *line, size_t *column) {
  *line = 1;
  *column = 1;
  for (size_t i = 0; i < at && i < s->length; i++) {
    unsigned char c = (unsigned char)s->text[i];
    if (c == '\n') {
      ++*line;
      *column = 1;
    } else if ((c & 0xC0) != 0x80) {
      ++*column; // columns count characters, not bytes
    }
  }
  if (*line == 1 && s->length >= 3 && memcmp(s->text, byte_order_mark, 3) == 0 && at >= 3) --*column;
}

static enum sciara_status SCIARA_PRINTF(3, 4) refuse(const struct scan *s, size_t at, const char *format, ...) {
  char what[256];
  va_list args;
  va_start(args, format);
  sciara_vprint(what, sizeof what, format, args);
  va_end(args);
  size_t line, column;
  position(s, at, &line, &column);
  return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu:%zu: %s", s->name, line, column, what);
}

/** Rejects the character at the cursor, where `allowed` was expected. */
static enum sciara_status unexpected(const struct scan *s, const char *allowed) {
  if (s->at >= s->length) return refuse(s, s->at, "expected %s, found the end of the text", allowed);
  unsigned char c = (unsigned char)s->text[s->at];
  if (c > 0x20 && c < 0x7F) return refuse(s, s->at, "expected %s, found '%c'", allowed, c);
  return refuse(s, s->at, "expected %s, found the byte 0x%02X", allowed, c);
}

static int peek(const struct scan *s) { return s->at < s->length ? (unsigned char)s->text[s->at] : -1; }

static bool is_digit(int c) { return c >= '0' && c <= '9'; }

static void skip_space(struct scan *s) {
  for (int c = peek(s); c == ' ' || c == '\t' || c == '\n' || c == '\r'; c = peek(s)) s->at++;
}

static void skip_digits(struct scan *s) {
  while (is_digit(peek(s))) s->at++;
}

static enum sciara_status scan_number(struct scan *s) {
  size_t begin = s->at;
  if (peek(s) == '-') s->at++;
  if (!is_digit(peek(s))) return unexpected(s, "a digit");
  if (peek(s) == '0' && s->at + 1 < s->length && is_digit(s->text[s->at + 1]))
    return refuse(s, begin, "expected a number without leading zeros, found one with a leading zero");
  skip_digits(s);
  if (peek(s) == '.') {
    s->at++;
    if (!is_digit(peek(s))) return unexpected(s, "a digit after the decimal point");
    skip_digits(s);
  }
  const bool has_exponent = peek(s) == 'e' || peek(s) == 'E'; // without one it is finite
  if (has_exponent) {
    s->at++;
    if (peek(s) == '+' || peek(s) == '-') s->at++;
    if (!is_digit(peek(s))) return unexpected(s, "a digit of the exponent");
    skip_digits(s);
  }
  size_t length = s->at - begin;
  if (length > SCIARA_JSON_MAX_NUMBER)
    return refuse(s, begin, "expected a number of at most %d characters, found %zu", SCIARA_JSON_MAX_NUMBER, length);
  char number[SCIARA_JSON_MAX_NUMBER + 1];
  memcpy(number, s->text + begin, length);
  number[length] = '\0';
  double value;
  if (has_exponent && !sciara_parse_double(number, &value))
    return refuse(s, begin, "expected a finite number (up to 1.797e308), found %s", number);
  return SCIARA_OK;
}

/** The value of \uXXXX at the cursor (which is at the backslash), or -1. */
static int unicode_escape(const struct scan *s) {
  if (s->length - s->at < 6 || s->text[s->at] != '\\' || s->text[s->at + 1] != 'u') return -1;
  int value = 0;
  for (size_t i = 2; i < 6; i++) {
    int c = (unsigned char)s->text[s->at + i];
    int digit = is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

static enum sciara_status scan_escape(struct scan *s) {
  size_t begin = s->at;
  int c = s->at + 1 < s->length ? (unsigned char)s->text[s->at + 1] : -1;
  if (c > 0 && strchr("\"\\/bfnrt", c)) {
    s->at += 2;
    return SCIARA_OK;
  }
  if (c != 'u')
    return refuse(s, begin, "expected \\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\uXXXX; found an unknown escape");
  int unit = unicode_escape(s);
  if (unit < 0) return refuse(s, begin, "expected \\u and 4 hexadecimal digits, found an invalid \\u escape");
  if (unit == 0) return refuse(s, begin, "expected any other character, found \\u0000");
  s->at += 6;
  if (unit < 0xD800 || unit > 0xDFFF) return SCIARA_OK;
  int low = unit <= 0xDBFF ? unicode_escape(s) : -1;
  if (low < 0xDC00 || low > 0xDFFF)
    return refuse(s, begin, "expected \\uD800-\\uDBFF followed by \\uDC00-\\uDFFF; found half of a surrogate pair");
  s->at += 6;
  return SCIARA_OK;
}

static enum sciara_status scan_string(struct scan *s) {
  size_t begin = s->at++;
  for (int c = peek(s); c != '"'; c = peek(s)) {
    if (c < 0) return refuse(s, begin, "expected a closing \", found a string without an end");
    if (c < 0x20)
      return refuse(s, s->at, "expected an escape (\\n, \\t, \\u%04X), found the control character 0x%02X", c, c);
    if (c == '\\') {
      SCIARA_TRY(scan_escape(s));
      continue;
    }
    uint32_t code;
    const size_t n = sciara_utf8_next(s->text + s->at, &code);
    if (n == 0 || n > s->length - s->at)
      return refuse(s, s->at, "expected text in UTF-8, found the byte 0x%02X that is not UTF-8", c);
    s->at += n;
  }
  s->at++;
  return SCIARA_OK;
}

static enum sciara_status scan_value(struct scan *s, int depth);

static enum sciara_status scan_member(struct scan *s, int depth) {
  skip_space(s);
  if (peek(s) != '"') return unexpected(s, "a key in double quotes");
  SCIARA_TRY(scan_string(s));
  skip_space(s);
  if (peek(s) != ':') return unexpected(s, "':' after the key");
  s->at++;
  return scan_value(s, depth);
}

/** An object or an array; the cursor is at its first bracket. */
static enum sciara_status scan_container(struct scan *s, int depth) {
  bool object = peek(s) == '{';
  int end = object ? '}' : ']';
  if (depth > SCIARA_JSON_MAX_DEPTH)
    return refuse(s, s->at, "expected at most %d nested levels, found more", SCIARA_JSON_MAX_DEPTH);
  s->at++;
  skip_space(s);
  if (peek(s) == end) {
    s->at++;
    return SCIARA_OK;
  }
  for (;;) {
    SCIARA_TRY(object ? scan_member(s, depth) : scan_value(s, depth));
    skip_space(s);
    if (peek(s) == end) break;
    if (peek(s) != ',') return unexpected(s, object ? "',' or '}'" : "',' or ']'");
    s->at++;
  }
  s->at++;
  return SCIARA_OK;
}

static enum sciara_status scan_word(struct scan *s) {
  static const char *const words[] = {"true", "false", "null"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    size_t n = strlen(words[i]);
    if (s->length - s->at >= n && memcmp(s->text + s->at, words[i], n) == 0) {
      s->at += n;
      return SCIARA_OK;
    }
  }
  return unexpected(s, "a value (an object, an array, a string in double quotes, a number, true, false or null)");
}

/** `depth` is that of the container around the value. */
static enum sciara_status scan_value(struct scan *s, int depth) {
  skip_space(s);
  if (++s->values > SCIARA_JSON_MAX_VALUES)
    return refuse(s, s->at, "expected at most %d values, found more (put long tables of rates in a CSV file)",
                  SCIARA_JSON_MAX_VALUES);
  int c = peek(s);
  if (c == '{' || c == '[') return scan_container(s, depth + 1);
  if (c == '"') return scan_string(s);
  if (c == '-' || is_digit(c)) return scan_number(s);
  if (c < 0) return unexpected(s, "a value");
  return scan_word(s);
}

enum sciara_status sciara_json_scan(const char *name, const char *text, size_t length) {
  if (length > SCIARA_JSON_MAX_BYTES)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected at most %d bytes, found %zu", name, SCIARA_JSON_MAX_BYTES,
                       length);
  struct scan s = {.name = name, .text = text, .length = length};
  if (length >= 3 && memcmp(text, byte_order_mark, 3) == 0) {
    sciara_log(SCIARA_LOG_INFO, "%s: a UTF-8 byte order mark is skipped", name);
    s.at = 3;
  }
  SCIARA_TRY(scan_value(&s, 0));
  skip_space(&s);
  return s.at == length ? SCIARA_OK : unexpected(&s, "nothing after the end of the JSON value");
}
