// SPDX-License-Identifier: Apache-2.0
#include "file/csv_records.h"

#include <string.h>

#include "base/text.h"

enum sciara_status sciara_csv_records_begin(const char *name, char *text, size_t length,
                                            struct sciara_csv_records *out) {
  static const char mark[] = "\xEF\xBB\xBF";
  const size_t skip = length >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
  *out = (struct sciara_csv_records){.name = name, .at = text + skip, .end = text + length, .line = 1};
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

enum sciara_status sciara_csv_take(struct sciara_csv_records *r, char **value, bool *last) {
  const size_t line = r->line;
  const bool quoted = r->at < r->end && *r->at == '"';
  *value = r->at;
  if (quoted && !(*value = take_quoted(r)))
    return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: expected a closing \", found a value without an end", r->name, line);
  char *stop = quoted ? r->at : r->at + strcspn(r->at, ",\r\n");
  char end = *stop;
  if (end == '\r' && (stop[1] == '\n' || stop + 1 == r->end)) *stop++ = '\0', end = *stop;
  if (end != ',' && end != '\n' && stop < r->end)
    return sciara_fail(SCIARA_ERR_INPUT, "%s:%zu: expected a comma or the end of the line after a value, found '%c'",
                       r->name, line, end);
  if (stop < r->end) *stop = '\0';
  r->at = stop < r->end ? stop + 1 : stop;
  r->line += end == '\n';
  *last = end != ',';
  return SCIARA_OK;
}

bool sciara_csv_has_record(struct sciara_csv_records *r) {
  while (r->at < r->end && (*r->at == '\n' || *r->at == '\r')) r->line += *r->at++ == '\n';
  return r->at < r->end;
}
