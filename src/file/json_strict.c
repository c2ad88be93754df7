// SPDX-License-Identifier: Apache-2.0
// Trees of cJSON: parsing after the scan, duplicate keys, texts for positions and values, printing without rounding.
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "file/durable.h"
#include "file/json_strict.h"

/** Appends to a fixed buffer, cutting with "..."; returns the new length. */
static size_t append_cut(char *buffer, size_t capacity, size_t length, const char *text) {
  if (length + 1 >= capacity) return length;
  size_t n = strlen(text), room = capacity - 1 - length;
  if (n <= room) {
    memcpy(buffer + length, text, n + 1);
    return length + n;
  }
  memcpy(buffer + length, text, room);
  buffer[capacity - 1] = '\0';
  if (capacity > 4) memcpy(buffer + capacity - 4, "...", 4);
  return capacity - 1;
}

/** Control characters become \uXXXX. Long text is cut after 60 bytes. */
static size_t put_clean(char *buffer, size_t capacity, size_t length, const char *text) {
  enum { LONGEST = 60 };
  const char *const end = text + LONGEST;
  while (*text && text < end) {
    uint32_t code;
    const size_t count = sciara_utf8_next(text, &code), step = count ? count : 1;
    char piece[8] = {0};
    if (count && sciara_is_control(code))
      snprintf(piece, sizeof piece, "\\u%04X", (unsigned)code & 0xffff);
    else
      memcpy(piece, text, step);
    length = append_cut(buffer, capacity, length, piece);
    text += step;
  }
  return *text ? append_cut(buffer, capacity, length, "...") : length;
}

static size_t put_json_path(const struct sciara_json_path *path, char *buffer, size_t capacity) {
  if (!path) return 0;
  size_t length = put_json_path(path->parent, buffer, capacity);
  if (!path->key) {
    char index[32];
    snprintf(index, sizeof index, "[%zu]", path->index);
    return append_cut(buffer, capacity, length, index);
  }
  if (path->parent) length = append_cut(buffer, capacity, length, ".");
  return put_clean(buffer, capacity, length, path->key);
}

void sciara_json_path_print(const struct sciara_json_path *path, char *buffer, size_t capacity) {
  buffer[0] = '\0';
  if (put_json_path(path, buffer, capacity) == 0) append_cut(buffer, capacity, 0, path ? "\"\"" : "top level");
}

__extension__ typedef unsigned __int128 wide;

/** The integer nearest to value * 10^power, of two the even one. @param value above 0 @param power 0 to 27 */
static uint64_t scale_to_integer(double value, int power) {
  wide product = 1; // below 2^53 * 5^27 < 2^116
  int exponent;
  for (int k = 0; k < power; k++) product *= 5;
  product *= (uint64_t)ldexp(frexp(value, &exponent), DBL_MANT_DIG);
  const int shift = DBL_MANT_DIG - exponent - power;
  if (shift <= 0) return (uint64_t)(product << -shift);
  const uint64_t whole = (uint64_t)(product >> shift);
  const wide rest = product - ((wide)whole << shift), half = (wide)1 << (shift - 1);
  return whole + (rest > half || (rest == half && whole % 2 == 1));
}

/** Prints a number of 0.0001 to end - 1, below 1e15, as snprintf's "%.*g" does: without an exponent. @param end 10^digits */
static void print_plain(double value, int digits, uint64_t end, char text[40]) {
  int binary, zeros = 0;
  uint64_t whole;
  frexp(fabs(value), &binary);
  int decimal = (int)floor((binary - 1) * 0.30102); // exponent of the first digit, or one less
  while ((whole = scale_to_integer(fabs(value), digits - 1 - decimal)) >= end) decimal++;
  char number[24] = "", *to = text;
  for (int k = digits - 1; k >= 0; k--, whole /= 10) number[k] = (char)('0' + whole % 10);
  while (number[digits - 1 - zeros] == '0') zeros++;
  const int kept = digits - zeros;
  if (value < 0) *to++ = '-';
  if (decimal < 0) *to++ = '0', *to++ = '.';
  for (int k = decimal + 1; k < 0; k++) *to++ = '0';
  for (int k = 0; k < kept || k <= decimal; k++) {
    if (k > 0 && k == decimal + 1) *to++ = '.';
    *to++ = k < kept ? number[k] : '0';
  }
  *to = '\0';
}

/** As snprintf's "%.*g" with a decimal point. snprintf takes several times as long. @param digits 6 to 17 */
static void print_digits(double value, int digits, char text[40]) {
  uint64_t end = 1;
  for (int k = 0; k < digits; k++) end *= 10;
  if (fabs(value) >= 1e-4 && fabs(value) < 1e15 && fabs(value) <= (double)(end - 1)) {
    print_plain(value, digits, end, text);
    return;
  }
  snprintf(text, 40, "%.*g", digits, value);
  for (char *p = text; *p; p++)
    if (*p == ',') *p = '.'; // independent of the locale of the host program
}

/** Whether a text is read back as this very number. */
static bool gives(const char *text, double value) {
  double back;
  return sciara_parse_double(text, &back) && memcmp(&back, &value, sizeof back) == 0;
}

/** The significant digits of a number as printed, without zeros at its end. */
static int count_digits(const char *text) {
  int digits = 0, zeros = 0;
  for (; *text && *text != 'e'; text++) {
    if (*text < '0' || *text > '9' || (digits == 0 && *text == '0')) continue;
    zeros = *text == '0' ? zeros + 1 : 0;
    digits++;
  }
  return digits - zeros;
}

/**
 * A normal double that fewer digits give is the one nearest to a decimal of at most DBL_DIG digits, so it is printed as this
 * decimal with DBL_DIG digits too: the numbers between are not tried. DBL_DECIMAL_DIG digits give any double.
 */
static void print_shortest(double value, char text[40]) {
  enum { LEAST = 6 };
  int digits = LEAST;
  if (fabs(value) >= DBL_MIN) {
    print_digits(value, DBL_DIG, text);
    const int fewer = gives(text, value) ? count_digits(text) : DBL_DIG + 1;
    if (fewer == DBL_DIG) return;
    if (fewer > LEAST) digits = fewer;
  }
  print_digits(value, digits, text);
  while (digits < DBL_DECIMAL_DIG && !gives(text, value)) print_digits(value, ++digits, text);
}

void sciara_json_number(double value, char *buffer, size_t capacity) {
  char text[40];
  print_shortest(value, text);
  char *e = strchr(text, 'e'); // 1e+06 -> 1e6, 1e-06 -> 1e-6
  if (e) {
    char *from = e + 1, *to = e + 1;
    if (*from == '-') to++;
    if (*from == '-' || *from == '+') from++;
    while (*from == '0' && from[1]) from++;
    memmove(to, from, strlen(from) + 1);
  }
  snprintf(buffer, capacity, "%s", text);
}

void sciara_json_describe(const cJSON *value, char *buffer, size_t capacity) {
  if (cJSON_IsString(value)) {
    size_t length = append_cut(buffer, capacity, 0, "\"");
    length = put_clean(buffer, capacity, length, value->valuestring);
    append_cut(buffer, capacity, length, "\"");
  } else if (cJSON_IsNumber(value)) {
    sciara_json_number(value->valuedouble, buffer, capacity);
  } else if (cJSON_IsArray(value)) {
    snprintf(buffer, capacity, "an array of %d", cJSON_GetArraySize(value));
  } else {
    const char *word = cJSON_IsObject(value) ? "an object"
                       : cJSON_IsNull(value) ? "null"
                       : cJSON_IsTrue(value) ? "true"
                                             : "false";
    snprintf(buffer, capacity, "%s", word);
  }
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/** Sorts the keys, so that an object with a million keys is checked in negligible time. */
static void refuse_duplicates(const char *name, const cJSON *object, const struct sciara_json_path *path,
                              struct sciara_diagnostics *diagnostics) {
  size_t count = (size_t)cJSON_GetArraySize(object), i = 0;
  if (count < 2) return;
  const char **names;
  const enum sciara_status status = SCIARA_NEW(names, count, "the keys of an object");
  if (status != SCIARA_OK) {
    sciara_diagnostics_add(diagnostics, status);
    return;
  }
  const cJSON *child;
  cJSON_ArrayForEach(child, object) names[i++] = child->string;
  qsort(names, count, sizeof *names, compare_names);
  for (i = 1; i < count; i++) {
    if (strcmp(names[i - 1], names[i]) != 0) continue;
    char printed[256];
    sciara_json_path_print(&(struct sciara_json_path){.parent = path, .key = names[i]}, printed, sizeof printed);
    sciara_fail(SCIARA_ERR_INPUT, "%s: %s: expected each key once in an object, found it twice", name, printed);
    sciara_diagnostics_add(diagnostics, SCIARA_ERR_INPUT);
    while (i + 1 < count && strcmp(names[i], names[i + 1]) == 0) i++; // given three times: reported once
  }
  sciara_free(names);
}

static void check_keys(const char *name, const cJSON *node, const struct sciara_json_path *path,
                       struct sciara_diagnostics *diagnostics) {
  if (cJSON_IsObject(node)) refuse_duplicates(name, node, path, diagnostics);
  size_t index = 0;
  const cJSON *child;
  cJSON_ArrayForEach(child, node) {
    struct sciara_json_path below = {
        .parent = path, .key = cJSON_IsObject(node) ? child->string : NULL, .index = index++};
    if (child->child) check_keys(name, child, &below, diagnostics);
  }
}

/** cJSON stores the position of its last error in a global variable: one parse at a time. A number alone needs none. */
static cJSON *parse_alone(const char *text, size_t length) {
  double number;
  if (sciara_parse_double(text, &number)) return cJSON_CreateNumber(number);
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  cJSON *tree = cJSON_ParseWithLengthOpts(text, length + 1, NULL, true); // + 1: ends at the terminating NUL
  pthread_mutex_unlock(&lock);
  return tree;
}

enum sciara_status sciara_json_parse_all(const char *name, const char *text, size_t length,
                                         struct sciara_diagnostics *diagnostics, cJSON **out) {
  *out = NULL;
  SCIARA_TRY(sciara_json_scan(name, text, length));
  *out = parse_alone(text, length);
  if (!*out)
    return sciara_fail(SCIARA_ERR_MEMORY, "%s: no memory for its values",
                       name); // the only possible cause after the scan
  check_keys(name, *out, NULL, diagnostics);
  return SCIARA_OK;
}

enum sciara_status sciara_json_parse(const char *name, const char *text, size_t length, cJSON **out) {
  struct sciara_diagnostics diagnostics = {0};
  enum sciara_status status = sciara_json_parse_all(name, text, length, &diagnostics, out);
  if (status == SCIARA_OK) status = sciara_diagnostics_status(&diagnostics);
  sciara_diagnostics_free(&diagnostics);
  if (status == SCIARA_OK) return SCIARA_OK;
  cJSON_Delete(*out);
  *out = NULL;
  return status;
}

enum sciara_status sciara_json_read(const char *path, cJSON **out) {
  *out = NULL;
  char *text = NULL;
  size_t length = 0;
  SCIARA_TRY(sciara_file_read(path, SCIARA_JSON_MAX_BYTES, &text, &length));
  enum sciara_status status = sciara_json_parse(path, text, length, out);
  free(text);
  return status;
}

/** cJSON prints 15 digits if they are close enough; but numbers in files must be read back bit-identical. */
static enum sciara_status keep_digits(cJSON *node) {
  if (cJSON_IsNumber(node)) {
    char text[40];
    sciara_json_number(node->valuedouble, text, sizeof text);
    size_t size = strlen(text) + 1;
    node->valuestring = (char *)cJSON_malloc(size);
    if (!node->valuestring) return sciara_fail(SCIARA_ERR_MEMORY, "no memory to print JSON");
    memcpy(node->valuestring, text, size);
    node->type = (node->type & ~0xFF) | cJSON_Raw; // preserves the flags above the type
  }
  cJSON *child;
  cJSON_ArrayForEach(child, node) SCIARA_TRY(keep_digits(child));
  return SCIARA_OK;
}

enum sciara_status sciara_json_print(cJSON *tree, struct sciara_text *out) {
  SCIARA_TRY(keep_digits(tree));
  char *text = cJSON_Print(tree);
  if (!text) return sciara_fail(SCIARA_ERR_MEMORY, "no memory to print JSON");
  size_t room = 1; // for the end of the line that a file has
  for (const char *p = text; *p; p++) room += *p == '\t' ? 2 : 1;
  enum sciara_status status = sciara_text_reserve(out, room); // one allocation, independent of the number of digits
  bool indenting = false;                                     // strings hold no raw tabs: every tab is cJSON's
  for (const char *p = text; *p && status == SCIARA_OK;) {
    size_t run = strcspn(p, "\t\n");
    if (run > 0) {
      status = sciara_text_append_bytes(out, p, run);
      indenting = false;
    } else {
      run = 1;
      bool line = *p == '\n';
      status = line ? sciara_text_append_bytes(out, "\n", 1) : sciara_text_append_bytes(out, "  ", indenting ? 2 : 1);
      indenting = line || indenting;
    }
    p += run;
  }
  cJSON_free(text);
  return status;
}

enum sciara_status sciara_json_write(cJSON *tree, const char *folder, const char *name) {
  char *path;
  struct sciara_text text = {0};
  SCIARA_TRY(sciara_path_in(folder, name, &path));
  enum sciara_status status = sciara_json_print(tree, &text);
  if (status == SCIARA_OK) status = sciara_text_append(&text, "\n");
  status = sciara_text_write(path, status, &text);
  free(path);
  return status;
}

enum sciara_status sciara_json_text(const cJSON *tree, char **out) {
  struct sciara_text text = {0};
  cJSON *copy = cJSON_Duplicate(tree, true);
  const enum sciara_status status =
      copy ? sciara_json_print(copy, &text) : sciara_fail(SCIARA_ERR_MEMORY, "no memory to print JSON");
  cJSON_Delete(copy);
  if (status != SCIARA_OK) sciara_text_free(&text);
  *out = text.data;
  return status;
}

cJSON *sciara_json_put(cJSON *parent, const char *name, cJSON *item) {
  if (parent && item && (name ? cJSON_AddItemToObject(parent, name, item) : cJSON_AddItemToArray(parent, item)))
    return item;
  cJSON_Delete(item);
  return NULL;
}

cJSON *sciara_json_replace(cJSON *object, const char *name, cJSON *item) {
  cJSON_DeleteItemFromObjectCaseSensitive(object, name);
  return sciara_json_put(object, name, item);
}

bool sciara_json_put_number(cJSON *object, const char *name, double value) {
  return sciara_json_put(object, name, isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull()) != NULL;
}

bool sciara_json_put_pair(cJSON *array, double a, double b) {
  return sciara_json_put(array, NULL, cJSON_CreateDoubleArray((const double[]){a, b}, 2)) != NULL;
}

// ---------------------------------------------------------------------------------------------------------------- text

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
