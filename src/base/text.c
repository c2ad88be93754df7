// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <ctype.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static enum sciara_status make_room(struct sciara_text *t, size_t more) {
  if (more > SIZE_MAX / 4 || t->length > SIZE_MAX / 4) return sciara_fail(SCIARA_ERR_MEMORY, "a text is too long");
  size_t need = t->length + more + 1;
  if (need <= t->capacity) return SCIARA_OK;
  size_t capacity = t->capacity ? t->capacity : 256;
  while (capacity < need) capacity *= 2;
  char *data = (char *)realloc(t->data, capacity);
  if (!data) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a text of %zu bytes", capacity);
  t->data = data;
  t->capacity = capacity;
  return SCIARA_OK;
}

enum sciara_status sciara_text_reserve(struct sciara_text *t, size_t more) {
  if (t->failed != SCIARA_OK)
    return sciara_fail(t->failed, t->failed == SCIARA_ERR_MEMORY ? "no memory for a part of a text"
                                                                 : "a part of a text could not be formatted");
  t->failed = make_room(t, more);
  return t->failed;
}

enum sciara_status sciara_text_append(struct sciara_text *t, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  const size_t room = t->data && t->failed == SCIARA_OK ? t->capacity - t->length : 0;
  int n = sciara_vprint(room ? t->data + t->length : NULL, room, format, args);
  va_end(args);
  if (n < 0 && t->failed == SCIARA_OK) t->failed = SCIARA_ERR_INTERNAL;
  enum sciara_status status =
      n < 0 ? sciara_fail(SCIARA_ERR_INTERNAL, "a text could not be formatted") : sciara_text_reserve(t, (size_t)n);
  if (status == SCIARA_OK) {
    if ((size_t)n >= room) sciara_vprint(t->data + t->length, (size_t)n + 1, format, again);
    t->length += (size_t)n;
  } else if (room) {
    t->data[t->length] = '\0'; // nothing was appended
  }
  va_end(again);
  return status;
}

enum sciara_status sciara_text_append_bytes(struct sciara_text *t, const char *bytes, size_t count) {
  SCIARA_TRY(sciara_text_reserve(t, count));
  if (!t->data) return SCIARA_ERR_INTERNAL; // cannot be: there is room
  memcpy(t->data + t->length, bytes, count);
  t->length += count;
  t->data[t->length] = '\0';
  return SCIARA_OK;
}

size_t sciara_utf8_next(const char *text, uint32_t *code) {
  const unsigned char *p = (const unsigned char *)text;
  const size_t length = p[0] < 0x80                   ? 1
                        : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
                        : (p[0] & 0xf0) == 0xe0       ? 3
                        : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
                                                      : 0;
  for (size_t k = 1; k < length; k++)
    if ((p[k] & 0xc0) != 0x80) return 0;                                        // also the end of the text
  if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f)) return 0; // overlong, surrogate
  if ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f)) return 0; // overlong, beyond Unicode
  *code = length == 1 ? p[0] : p[0] & (0x7fu >> length);
  for (size_t k = 1; k < length; k++) *code = *code << 6 | (p[k] & 0x3fu);
  return length;
}

bool sciara_is_control(uint32_t code) {
  static const struct {
    uint32_t first, last;
  } ranges[] = {
      {0x00, 0x1f},     {0x7f, 0x9f},     // C0, DEL, C1
      {0x061c, 0x061c}, {0x200e, 0x200f}, // marks of direction
      {0x2028, 0x202e},                   // separators of lines and paragraphs; embeddings and overrides of direction
      {0x2066, 0x206f},                   // isolates of direction; deprecated formats
  };
  for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++)
    if (code >= ranges[k].first && code <= ranges[k].last) return true;
  return false;
}

bool sciara_is_utf8(const char *text) {
  uint32_t code;
  size_t length;
  for (; *text; text += length) {
    length = sciara_utf8_next(text, &code);
    if (length == 0) return false;
  }
  return true;
}

bool sciara_has_word(const char *list, const char *word) {
  const size_t length = strlen(word);
  for (; *list; list += strspn(list, " ,")) {
    const size_t n = strcspn(list, " ,");
    if (n == length && strncmp(list, word, n) == 0) return true;
    list += n;
  }
  return false;
}

enum sciara_status sciara_text_append_json(struct sciara_text *t, const char *text) {
  SCIARA_TRY(sciara_text_append(t, "\""));
  while (*text) {
    uint32_t code;
    const size_t length = sciara_utf8_next(text, &code);
    if (length == 0)
      SCIARA_TRY(sciara_text_append(t, "\\ufffd"));
    else if (code == '"' || code == '\\')
      SCIARA_TRY(sciara_text_append(t, "\\%c", (char)code));
    else if (sciara_is_control(code))
      SCIARA_TRY(sciara_text_append(t, "\\u%04x", (unsigned)code));
    else
      SCIARA_TRY(sciara_text_append_bytes(t, text, length));
    text += length ? length : 1;
  }
  return sciara_text_append(t, "\"");
}

enum sciara_status sciara_text_append_plain(struct sciara_text *t, const char *text) {
  while (*text) {
    uint32_t code;
    const size_t length = sciara_utf8_next(text, &code);
    if (length == 0)
      SCIARA_TRY(sciara_text_append(t, "\xef\xbf\xbd"));
    else if (sciara_is_control(code) || (code & 0xfffe) == 0xfffe) // XML forbids the last two of each plane
      SCIARA_TRY(sciara_text_append(t, " "));
    else
      SCIARA_TRY(sciara_text_append_bytes(t, text, length));
    text += length ? length : 1;
  }
  return SCIARA_OK;
}

enum sciara_status sciara_text_append_xml(struct sciara_text *t, const char *text) {
  struct sciara_text plain = {0};
  enum sciara_status status = sciara_text_append_plain(&plain, text);
  for (const char *c = plain.data; c && *c && status == SCIARA_OK; c++) {
    const char *entity = *c == '&' ? "&amp;" : *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : *c == '"' ? "&quot;" : NULL;
    status = entity ? sciara_text_append(t, "%s", entity) : sciara_text_append_bytes(t, c, 1);
  }
  sciara_text_free(&plain);
  if (status != SCIARA_OK) t->failed = status; // of the other text, too: nothing is appended after a gap
  return status;
}

void sciara_text_free(struct sciara_text *t) {
  free(t->data);
  *t = (struct sciara_text){0};
}

const char *sciara_quoted_word(const char *path, char out[SCIARA_QUOTED_WORD]) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-:@%,=";
  char *end = out, *const last = out + SCIARA_QUOTED_WORD - 4;
  const bool quotes = !*path || path[strspn(path, plain)] != '\0';
  if (quotes) *end++ = '"';
  for (const char *c = path; *c && end < last; c++) {
    if (strchr("\"\\$`", *c)) *end++ = '\\';
    *end++ = *c;
  }
  if (quotes) *end++ = '"';
  *end = '\0';
  return out;
}

const char *sciara_path_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

size_t sciara_path_stem(const char *path) {
  const char *name = sciara_path_name(path), *dot = strrchr(name, '.');
  return dot && dot > name ? (size_t)(dot - path) : strlen(path);
}

char *sciara_format(const char *format, ...) {
  va_list args, again;
  char usual[256];
  va_start(args, format);
  va_copy(again, args);
  int n = sciara_vprint(usual, sizeof usual, format, args);
  va_end(args);
  char *text = n < 0 ? NULL : (char *)malloc((size_t)n + 1);
  if (text && (size_t)n < sizeof usual) memcpy(text, usual, (size_t)n + 1);
  if (text && (size_t)n >= sizeof usual) sciara_vprint(text, (size_t)n + 1, format, again);
  va_end(again);
  return text;
}

enum sciara_status sciara_no_memory(const char *what) {
  return sciara_fail(SCIARA_ERR_MEMORY, "no memory for %s", what);
}

enum sciara_status sciara_copy(const char *text, const char *what, char **out) {
  *out = text ? strdup(text) : NULL;
  return text && !*out ? sciara_no_memory(what) : SCIARA_OK;
}

// strtod uses the decimal point of the current locale; a library must not depend on the locale that a program has set.
static double c_locale_strtod(const char *text, char **end) {
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0); // no allocation: in glibc this locale is static
  double value = c ? strtod_l(text, end, c) : strtod(text, end);
  if (c) freelocale(c);
  return value;
}

static bool is_decimal(const char *s) { // no hexadecimal, no "inf", no "nan"
  if (*s == '+' || *s == '-') s++;
  return isdigit((unsigned char)s[0]) ? !(s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
                                      : s[0] == '.' && isdigit((unsigned char)s[1]);
}

/**
 * A decimal of few digits: these and the power of ten are doubles without rounding, so one operation rounds as strtod does
 * (Clinger 1990). False for any other text.
 */
static bool read_short(const char *text, double *value) {
  static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  enum { MOST_DIGITS = 18, LARGEST = 22 };
  const bool negative = *text == '-';
  const char *c = negative || *text == '+' ? text + 1 : text;
  uint64_t digits = 0;
  int count = 0, exponent = 0;
  for (bool point = false; isdigit((unsigned char)*c) || (*c == '.' && !point); c++) {
    if (*c == '.') {
      point = true;
      continue;
    }
    digits = 10 * digits + (uint64_t)(*c - '0');
    exponent -= point;
    if (++count > MOST_DIGITS) return false;
  }
  if (*c == 'e' || *c == 'E') {
    const bool small = c[1] == '-';
    const char *power = c + 1 + (small || c[1] == '+');
    int by = 0;
    for (c = power; isdigit((unsigned char)*c) && by <= LARGEST + MOST_DIGITS; c++) by = 10 * by + *c - '0';
    if (c == power) return false;
    exponent += small ? -by : by;
  }
  const bool exact = FLT_EVAL_METHOD == 0 && digits <= (uint64_t)1 << DBL_MANT_DIG && abs(exponent) <= LARGEST;
  if (*c || !exact) return false;
  const double v = exponent < 0 ? (double)digits / powers[-exponent] : (double)digits * powers[exponent];
  *value = negative ? -v : v;
  return true;
}

bool sciara_parse_double(const char *text, double *value) {
  if (!is_decimal(text)) return false;
  if (read_short(text, value)) return true;
  char *end;
  double v = c_locale_strtod(text, &end);
  if (*end != '\0' || !isfinite(v)) return false;
  *value = v;
  return true;
}

bool sciara_parse_duration(const char *text, double *seconds) {
  static const struct {
    const char *name;
    double seconds;
  } units[] = {{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}};
  enum { UNITS = sizeof units / sizeof *units };
  double sum = 0;
  size_t k = 0; // units descend
  for (bool first = true; first || *text; first = false) {
    while (*text == ' ') text++;
    if (!is_decimal(text) || (!first && !isdigit((unsigned char)*text))) return false;
    char *end;
    const double v = c_locale_strtod(text, &end);
    while (*end == ' ') end++;
    const size_t length = strspn(end, "dhmins");
    while (k < UNITS && (strlen(units[k].name) != length || strncmp(end, units[k].name, length) != 0)) k++;
    if (k == UNITS && (*end || !first)) return false;
    sum += v * (k < UNITS ? units[k++].seconds : 1);
    text = end + length;
  }
  if (!isfinite(sum)) return false;
  *seconds = sum;
  return true;
}

enum { MINUTE = 60, HOUR = 3600 };

const char *sciara_print_duration(double seconds, char *buffer, size_t capacity) {
  const bool small = seconds > 0 && seconds < 1;
  if (!(seconds >= 0) || seconds > 1e15 || small) {
    snprintf(buffer, capacity, small ? "%.3g s" : "%g s", seconds);
    return buffer;
  }
  const uint64_t whole = (uint64_t)seconds,
                 minutes = seconds < HOUR ? whole / MINUTE : (uint64_t)round(seconds / MINUTE);
  const struct {
    uint64_t count;
    const char *unit;
  } parts[] = {{minutes / (24 * MINUTE), "d"},
               {minutes / MINUTE % 24, "h"},
               {minutes % MINUTE, "min"},
               {seconds < HOUR ? whole % MINUTE : 0, "s"}};
  size_t used = 0;
  for (size_t k = 0; k < sizeof parts / sizeof *parts && used < capacity; k++)
    if (parts[k].count > 0)
      used += (size_t)snprintf(buffer + used, capacity - used, "%s%llu %s", used ? " " : "",
                               (unsigned long long)parts[k].count, parts[k].unit);
  if (used == 0) snprintf(buffer, capacity, "0 s");
  return buffer;
}

/** Two digits, or all of a larger number. */
static void print_rounded(double value, const char *unit, char *buffer, size_t capacity) {
  snprintf(buffer, capacity, value < 9.95 ? "%.1f %s" : "%.0f %s", value, unit);
}

const char *sciara_print_about(double seconds, char *buffer, size_t capacity) {
  if (seconds < 0.95)
    snprintf(buffer, capacity, "%.2g s", seconds);
  else if (seconds < 2 * MINUTE)
    print_rounded(seconds, "s", buffer, capacity);
  else if (seconds < 2 * HOUR)
    print_rounded(seconds / MINUTE, "min", buffer, capacity);
  else if (seconds < 48 * HOUR)
    print_rounded(seconds / HOUR, "h", buffer, capacity);
  else
    print_rounded(seconds / (24 * HOUR), "d", buffer, capacity);
  return buffer;
}

const char *sciara_print_bytes(double bytes, char *buffer, size_t capacity) {
  static const char *const units[] = {"kB", "MB", "GB", "TB"};
  size_t unit = 0;
  double value = bytes * 1e-3;
  if (bytes < 1000) {
    snprintf(buffer, capacity, "%.0f bytes", bytes);
    return buffer;
  }
  for (; unit < 3 && value >= 999.5; unit++) value *= 1e-3;
  snprintf(buffer, capacity, value < 9.995 ? "%.2f %s" : value < 99.95 ? "%.1f %s" : "%.0f %s", value, units[unit]);
  return buffer;
}

void sciara_print_time_name(double seconds, char *buffer, size_t capacity) {
  if (fmod(seconds, HOUR) == 0)
    snprintf(buffer, capacity, "%.9gh", seconds / HOUR);
  else if (fmod(seconds, MINUTE) == 0)
    snprintf(buffer, capacity, "%.9gmin", seconds / MINUTE);
  else
    snprintf(buffer, capacity, "%.9gs", seconds);
}

const char *sciara_plural(uint64_t count, const char *one, const char *many) { return count == 1 ? one : many; }

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/** Number of letters to insert, delete, change or swap with the next one to get from a to b; case is ignored. */
static size_t edit_distance(const char *a, const char *b) {
  enum { LONGEST = 63 };
  size_t n = strlen(a), m = strlen(b), d[LONGEST + 1][LONGEST + 1];
  if (n > LONGEST || m > LONGEST) return SIZE_MAX;
  for (size_t i = 0; i <= n; i++) d[i][0] = i;
  for (size_t j = 0; j <= m; j++) d[0][j] = j;
  for (size_t i = 1; i <= n; i++)
    for (size_t j = 1; j <= m; j++) {
      int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
      d[i][j] = smaller(smaller(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + (x != y));
      bool swapped = i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) && y == tolower((unsigned char)a[i - 2]);
      if (swapped) d[i][j] = smaller(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[n][m];
}

const char *sciara_closest_name(const char *typed, const char *const *names, size_t count) {
  const char *best = NULL;
  size_t allowed = strlen(typed) / 3 > 1 ? strlen(typed) / 3 : 1;
  for (size_t i = 0; i < count; i++) {
    size_t d = edit_distance(typed, names[i]);
    if (d <= allowed) {
      best = names[i];
      if (d == 0) return best;
      allowed = d - 1;
    }
  }
  return best;
}
