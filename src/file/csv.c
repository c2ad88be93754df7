// SPDX-License-Identifier: Apache-2.0
#include "file/csv.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "file/durable.h"

// ------------------------------------------------------------------------------------------------------------- rows

enum sciara_status sciara_csv_rows_begin(const char *name, char *text, size_t length, struct sciara_csv_rows *out) {
  static const char mark[] = "\xEF\xBB\xBF";
  const size_t skip = length >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
  *out = (struct sciara_csv_rows){.name = name, .at = text + skip, .end = text + length, .line = 1, .separator = ','};
  if (memchr(text, '\0', length)) return sciara_fail(SCIARA_ERR_INPUT, "%s: expected text, found a NUL byte", name);
  if (sciara_is_utf8(text)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: expected text in UTF-8, found other bytes", name);
}

size_t sciara_csv_lines(const struct sciara_csv_rows *r) {
  size_t count = 1;
  for (const char *p = r->at; p < r->end && (p = memchr(p, '\n', (size_t)(r->end - p))); p++) count++;
  return count;
}

/** The quoted value at *at: removes the quotes and moves *at behind the last one. NULL: it has no end. */
static char *take_quoted(struct sciara_csv_rows *r) {
  char *from = r->at + 1, *to = r->at, *const begin = to;
  for (; from < r->end; from++) {
    if (*from == '"' && from[1] != '"') { // at the end of the text the terminator follows
      r->at = from + 1;
      *to = '\0';
      return begin;
    }
    if (*from == '"') from++;
    r->line += *from == '\n';
    *to++ = *from;
  }
  return NULL;
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/** Behind the blanks that do not count. */
static char *skip_blanks(const struct sciara_csv_rows *r, char *at) {
  while (r->forgiving && at < r->end && is_blank(*at) && !(*at == '\t' && r->separator == '\t')) at++;
  return at;
}

/** A value without the blanks around it. */
static char *bare(char *value) {
  char *end = value + strlen(value);
  while (is_blank(*value)) value++;
  while (end > value && is_blank(end[-1])) *--end = '\0';
  return value;
}

static const char *separator_shown(char separator) {
  return separator == ',' ? "a comma" : separator == ';' ? "a semicolon" : separator == '\t' ? "a tab" : "a blank";
}

enum sciara_status sciara_csv_take(struct sciara_csv_rows *r, char **value, bool *last) {
  const char stops[] = {r->separator, '\r', '\n', r->separator == ' ' ? '\t' : '\0', '\0'};
  const size_t line = r->line;
  char *begin = r->at = skip_blanks(r, r->at);
  const bool quoted = begin < r->end && *begin == '"';
  if (quoted && !(begin = take_quoted(r)))
    return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: expected a closing \", found a value without an end", r->name, line);
  char *const close = quoted ? r->at : r->at + strcspn(r->at, stops);
  char *stop = skip_blanks(r, close), *next = stop;
  const bool blanks = r->separator == ' ' && stop > close;
  if (*stop == '\r' && (stop[1] == '\n' || stop + 1 == r->end)) next = ++stop;
  const char end = *stop;
  *last = end == '\n' || stop >= r->end || (end != r->separator && !blanks);
  if (*last && end != '\n' && stop < r->end)
    return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: expected %s or the end of the line after a value, found '%c'",
                       r->name, line, separator_shown(r->separator), end);
  r->at = stop < r->end && (*last || !blanks) ? next + 1 : next;
  r->line += end == '\n';
  if (close < r->end) *close = '\0';
  *value = r->forgiving ? bare(begin) : begin;
  return SCIARA_OK;
}

enum sciara_status sciara_csv_take_row(struct sciara_csv_rows *r, size_t most, char **value, size_t *count) {
  char *more;
  *count = 0;
  for (bool last = false; !last;) {
    SCIARA_TRY(sciara_csv_take(r, *count < most ? &value[*count] : &more, &last));
    *count += *count <= most;
  }
  return SCIARA_OK;
}

bool sciara_csv_has_row(struct sciara_csv_rows *r) {
  r->blank = 0;
  for (; r->at < r->end; r->at++) {
    const bool comment = r->forgiving && *r->at == '#';
    if (comment && !(r->at = memchr(r->at, '\n', (size_t)(r->end - r->at)))) r->at = r->end;
    if (comment && r->at == r->end) break;
    if (*r->at != '\n' && *r->at != '\r') break;
    if (!comment && !r->blank) r->blank = r->line;
    r->line += *r->at == '\n';
  }
  return r->at < r->end;
}

// ---------------------------------------------------------------------------------------------------------- encodings

/** What the first bytes of a file that is no table say; NULL: it may be one. */
static const char *other_content(const char *text, size_t length) {
  static const struct {
    const char *begin, *content;
  } known[] = {
      {"\x1f\x8b", "a file compressed by gzip; decompress it first"},
      {"PK\x03\x04", "a ZIP archive, such as a spreadsheet in .xlsx or .ods; save it as CSV"},
      {"\xD0\xCF\x11\xE0", "a spreadsheet in the binary form .xls; save it as CSV"},
      {"%PDF", "a PDF document"},
      {"SQLite format 3", "an SQLite database, such as a GeoPackage"},
      {"version https://git-lfs", "a Git LFS pointer instead of the file; 'git lfs pull' fetches it"},
      {"<!doctype html", "an HTML page, perhaps of a login, instead of the file"},
      {"<html", "an HTML page, perhaps of a login, instead of the file"},
  };
  size_t blanks = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
  while (blanks < length && strchr(" \t\r\n", text[blanks]) && text[blanks]) blanks++;
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    const size_t n = strlen(known[k].begin), from = known[k].begin[0] == '<' ? blanks : 0;
    if (length - from >= n && strncasecmp(text + from, known[k].begin, n) == 0) return known[k].content;
  }
  return NULL;
}

/** Writes a character as UTF-8; returns the number of bytes. */
static size_t put_utf8(uint32_t code, char *out) {
  const size_t count = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  static const unsigned char first[] = {0, 0, 0xC0, 0xE0, 0xF0};
  for (size_t k = count; k-- > 1; code >>= 6) out[k] = (char)(0x80 | (code & 0x3F));
  out[0] = (char)(first[count] | code);
  return count;
}

/** A unit of UTF-16. */
static uint32_t unit_at(const unsigned char *bytes, bool big) {
  return big ? (uint32_t)bytes[0] << 8 | bytes[1] : (uint32_t)bytes[1] << 8 | bytes[0];
}

/** UTF-16 behind its byte order mark as UTF-8. False: it is damaged, or has a NUL. */
static bool from_utf16(const char *text, size_t length, char *out, size_t *count) {
  const unsigned char *bytes = (const unsigned char *)text;
  const bool big = bytes[0] == 0xFE;
  *count = 0;
  if (length % 2 != 0) return false;
  for (size_t k = 2; k < length; k += 2) {
    uint32_t code = unit_at(bytes + k, big);
    if (code >= 0xD800 && code < 0xDC00 && k + 2 < length) {
      const uint32_t low = unit_at(bytes + k + 2, big);
      if (low < 0xDC00 || low > 0xDFFF) return false;
      code = 0x10000 + ((code - 0xD800) << 10 | (low - 0xDC00));
      k += 2;
    }
    if (code == 0 || (code >= 0xD800 && code < 0xE000)) return false;
    *count += put_utf8(code, out + *count);
  }
  return true;
}

/** Latin-1 as UTF-8. False: it has bytes that are no characters there. */
static bool from_latin1(const char *text, size_t length, char *out, size_t *count) {
  *count = 0;
  for (size_t k = 0; k < length; k++) {
    const unsigned char byte = (unsigned char)text[k];
    if (byte >= 0x80 && byte < 0xA0) return false;
    *count += put_utf8(byte, out + *count);
  }
  return true;
}

/** Line ends that are carriage returns alone become line feeds. */
static void fix_line_ends(char *text, size_t length) {
  if (memchr(text, '\n', length)) return;
  for (char *at = text; (at = memchr(at, '\r', length - (size_t)(at - text)));) *at = '\n';
}

/** Replaces a text by its UTF-8 form. */
static enum sciara_status decode(const char *name, char **text, size_t *length, const char **encoding) {
  const bool wide = *length >= 2 && (memcmp(*text, "\xFF\xFE", 2) == 0 || memcmp(*text, "\xFE\xFF", 2) == 0);
  if (!wide && memchr(*text, '\0', *length))
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: expected text in UTF-8, UTF-16 with a byte order mark, or Latin-1; found a NUL byte", name);
  *encoding = *length >= 3 && memcmp(*text, "\xEF\xBB\xBF", 3) == 0 ? "a UTF-8 byte order mark is skipped" : NULL;
  if (!wide && sciara_is_utf8(*text)) return SCIARA_OK;
  char *out;
  size_t most, count;
  SCIARA_TRY(sciara_size_mul(*length + 1, 2, &most)); // at most 3 bytes for 2, and 2 for 1
  if (!(out = malloc(most))) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for %s", name);
  const bool right = wide ? from_utf16(*text, *length, out, &count) : from_latin1(*text, *length, out, &count);
  if (!right) {
    free(out);
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected text in UTF-8, UTF-16 or Latin-1, found %s", name,
                       wide ? "UTF-16 that is damaged" : "bytes of another encoding");
  }
  out[count] = '\0';
  free(*text);
  *text = out;
  *length = count;
  *encoding = wide ? "is in UTF-16, which is read as UTF-8" : "is not in UTF-8: it is read as Latin-1";
  return SCIARA_OK;
}

// --------------------------------------------------------------------------------------------------------- separators

/** The separator of the first row: a tab, else a semicolon, else a comma, else blanks. */
static char separator_of(const struct sciara_csv_rows *r) {
  static const char separators[] = "\t;,";
  char best = ' ';
  bool quoted = false;
  for (const char *c = r->at; c < r->end && (quoted || *c != '\n'); c++) {
    if (*c == '"') quoted = !quoted;
    const char *found = quoted ? NULL : strchr(separators, *c);
    if (found && (best == ' ' || found < strchr(separators, best))) best = *c;
  }
  return best;
}

/** Takes a line such as "sep=;", which spreadsheets write and read. */
static enum sciara_status take_separator(struct sciara_csv_rows *r, bool *given) {
  const char *at = r->at + (r->at < r->end && *r->at == '"');
  *given = r->end - at >= 4 && strncasecmp(at, "sep=", 4) == 0;
  if (!*given) return SCIARA_OK;
  const char *rest = at + 5 + (at[4] && at[5] == '"');
  if (!at[4] || !strchr(",;\t ", at[4]) || rest > r->end || (*rest && !strchr("\r\n", *rest)))
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s:%zu: expected a comma, a semicolon, a tab or a blank after \"sep=\", found \"%.*s\"",
                       r->name, r->line, (int)strcspn(at + 4, "\r\n\""), at + 4);
  r->separator = at[4];
  r->at = memchr(r->at, '\n', (size_t)(r->end - r->at));
  if (!r->at) r->at = r->end;
  return SCIARA_OK;
}

enum sciara_status sciara_csv_begin(const char *name, char **text, size_t length, struct sciara_csv_rows *out) {
  const char *encoding = NULL, *other = other_content(*text, length);
  bool given = false;
  *out = (struct sciara_csv_rows){.name = name, .at = *text, .end = *text, .line = 1, .separator = ','};
  if (other) return sciara_fail(SCIARA_ERR_INPUT, "%s: expected a table, found %s", name, other);
  SCIARA_TRY(decode(name, text, &length, &encoding));
  fix_line_ends(*text, length);
  SCIARA_TRY(sciara_csv_rows_begin(name, *text, length, out));
  out->forgiving = true;
  out->encoding = encoding;
  if (!sciara_csv_has_row(out)) return SCIARA_OK;
  SCIARA_TRY(take_separator(out, &given));
  if (!given && sciara_csv_has_row(out)) out->separator = separator_of(out);
  return SCIARA_OK;
}

enum sciara_status sciara_csv_open(const char *path, size_t most_bytes, char **text, struct sciara_csv_rows *out) {
  size_t length = 0;
  *text = NULL;
  *out = (struct sciara_csv_rows){.name = path};
  SCIARA_TRY(sciara_file_read(path, most_bytes, text, &length));
  return sciara_csv_begin(path, text, length, out);
}

void sciara_csv_report_encoding(const struct sciara_csv_rows *r, const struct sciara_notes *notes) {
  if (r->encoding) sciara_note(notes, SCIARA_LOG_INFO, "%s: %s", r->name, r->encoding);
}

const char *sciara_csv_separators(const struct sciara_csv_rows *r) {
  const char c = r->separator;
  return c == ',' ? "commas" : c == ';' ? "semicolons" : c == '\t' ? "tabs" : "blanks";
}

// -------------------------------------------------------------------------------------------------------------- values

const char *sciara_csv_point(struct sciara_csv_rows *r, const char *text, const char **expected) {
  const char *comma = strchr(text, ','), *point = strchr(text, '.');
  const char mark = comma ? ',' : point ? '.' : '\0';
  *expected = NULL;
  if (comma && r->separator == ',') // between quotes
    *expected = "a decimal point";
  else if (comma && (point || strchr(comma + 1, ',') || strlen(text) >= sizeof r->number))
    *expected = "a number without marks between thousands";
  else if (mark && r->mark && r->mark != mark)
    *expected = mark == ',' ? "a decimal point, as before" : "a decimal comma, as before";
  if (*expected) return NULL;
  if (mark) r->mark = mark;
  if (!comma) return text;
  snprintf(r->number, sizeof r->number, "%s", text);
  r->number[comma - text] = '.';
  return r->number;
}

bool sciara_csv_is_empty(char *const *value, size_t count) {
  for (size_t k = 0; k < count; k++)
    if (*value[k]) return false;
  return true;
}

enum sciara_status sciara_csv_append_names(struct sciara_text *t, char *const *name, size_t count) {
  for (size_t k = 0; k < count; k++) sciara_text_append(t, "%s\"%.60s\"", k ? ", " : "", name[k]);
  return t->failed;
}

// ---------------------------------------------------------------------------------------------- tables of this program

static size_t values_in(const char *line) {
  size_t count = 1;
  for (const char *c = line; (c = strchr(c, ',')); c++) count++;
  return count;
}

static enum sciara_status take_csv_line(const char *path, size_t number, char *line, const struct sciara_csv_table *t) {
  const size_t names = values_in(t->header), values = values_in(line);
  char *value[SCIARA_CSV_COLUMNS_MOST];
  const char *found = NULL;
  enum sciara_status status = SCIARA_OK;
  if (number == 1 && strcmp(line, t->header) == 0) return SCIARA_OK;
  if (number == 1)
    return sciara_fail(SCIARA_ERR_INPUT, "%s:1: expected the header \"%s\", found another first line", path, t->header);
  if (values != names || values > SCIARA_CSV_COLUMNS_MOST)
    return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: expected %zu values, found %zu", path, number, names, values);
  for (size_t k = 0; k < values; k++) value[k] = strsep(&line, ",");
  const char *expected = t->row(t->context, value, &found, &status);
  if (!expected) return status;
  return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: expected %s, found \"%.60s\"", path, number, expected, found);
}

enum sciara_status sciara_csv_parse(const char *path, char *text, size_t length, const struct sciara_csv_table *t) {
  enum sciara_status status = SCIARA_OK;
  size_t number = 0;
  if (memchr(text, '\0', length)) return sciara_fail(SCIARA_ERR_INPUT, "%s: expected text, found a NUL byte", path);
  for (char *line = strsep(&text, "\n"); status == SCIARA_OK && line; line = strsep(&text, "\n"))
    if (*line || number == 0) status = take_csv_line(path, ++number, line, t);
  return status;
}

enum sciara_status sciara_csv_read(const char *path, const struct sciara_csv_table *t) {
  char *text = NULL;
  size_t length = 0;
  SCIARA_TRY(sciara_file_read(path, SCIARA_CSV_BYTES_MOST, &text, &length));
  const enum sciara_status status = sciara_csv_parse(path, text, length, t);
  free(text);
  return status;
}

bool sciara_csv_hash(const char *text, uint64_t *out) {
  if (strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16) return false;
  *out = strtoull(text, NULL, 16);
  return true;
}

bool sciara_csv_whole(const char *text, uint64_t *out) {
  if (!*text || strlen(text) > 18 || strspn(text, "0123456789") != strlen(text)) return false;
  *out = strtoull(text, NULL, 10);
  return true;
}

bool sciara_csv_size(const char *text, int64_t *out) {
  uint64_t value;
  if (!sciara_csv_whole(text, &value)) return false;
  *out = (int64_t)value;
  return true;
}

/** The value between its quotes: each quotation mark twice. */
static enum sciara_status append_doubled(struct sciara_text *t, const char *value) {
  while (*value) {
    const size_t n = strcspn(value, "\"");
    SCIARA_TRY(sciara_text_append_bytes(t, value, n));
    if (value[n]) SCIARA_TRY(sciara_text_append_bytes(t, "\"\"", 2));
    value += n + (value[n] != '\0');
  }
  return SCIARA_OK;
}

enum sciara_status sciara_csv_append_value(struct sciara_text *t, const char *value) {
  if (!strpbrk(value, ",\"\r\n")) return sciara_text_append_bytes(t, value, strlen(value));
  SCIARA_TRY(sciara_text_append_bytes(t, "\"", 1));
  SCIARA_TRY(append_doubled(t, value));
  return sciara_text_append_bytes(t, "\"", 1);
}

bool sciara_csv_is_formula(const char *text) {
  // The last four are the wide forms of the first four, which programs for East Asian scripts read alike.
  static const uint32_t begins[] = {'=', '+', '-', '@', '\t', '\r', '\n', 0xff1d, 0xff0b, 0xff0d, 0xff20};
  uint32_t code = 0;
  bool found = false;
  if (*text && sciara_utf8_next(text, &code) > 0)
    for (size_t k = 0; k < sizeof begins / sizeof *begins; k++) found |= code == begins[k];
  return found;
}

enum sciara_status sciara_csv_append_text(struct sciara_text *t, const char *text) {
  if (!sciara_csv_is_formula(text)) return sciara_csv_append_value(t, text);
  char *safe = sciara_format("'%s", text);
  if (!safe) return sciara_no_memory("a text");
  const enum sciara_status status = sciara_csv_append_value(t, safe);
  free(safe);
  return status;
}
