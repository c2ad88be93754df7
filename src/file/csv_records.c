// SPDX-License-Identifier: Apache-2.0
#include "file/csv_records.h"

#include <string.h>

#include "base/text.h"

enum sciara_status sciara_csv_records_begin(const char *name, char *text, size_t length,
                                            struct sciara_csv_records *out) {
  static const char mark[] = "\xEF\xBB\xBF";
  const size_t skip = length >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
  *out =
      (struct sciara_csv_records){.name = name, .at = text + skip, .end = text + length, .line = 1, .separator = ','};
  if (memchr(text, '\0', length)) return sciara_fail(SCIARA_ERR_INPUT, "%s: expected text, found a NUL byte", name);
  if (sciara_is_utf8(text)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: expected text in UTF-8, found other bytes", name);
}

size_t sciara_csv_lines(const struct sciara_csv_records *r) {
  size_t count = 1;
  for (const char *p = r->at; p < r->end && (p = memchr(p, '\n', (size_t)(r->end - p))); p++) count++;
  return count;
}

/** The quoted value at *at: removes the quotes and moves *at behind the last one. NULL: it has no end. */
static char *take_quoted(struct sciara_csv_records *r) {
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
static char *skip_blanks(const struct sciara_csv_records *r, char *at) {
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

enum sciara_status sciara_csv_take(struct sciara_csv_records *r, char **value, bool *last) {
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

enum sciara_status sciara_csv_take_record(struct sciara_csv_records *r, size_t most, char **value, size_t *count) {
  char *more;
  *count = 0;
  for (bool last = false; !last;) {
    SCIARA_TRY(sciara_csv_take(r, *count < most ? &value[*count] : &more, &last));
    *count += *count <= most;
  }
  return SCIARA_OK;
}

bool sciara_csv_has_record(struct sciara_csv_records *r) {
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
