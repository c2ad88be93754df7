// SPDX-License-Identifier: Apache-2.0
#include "file/csv.h"

#include <stdlib.h>
#include <string.h>

#include "file/durable.h"

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
