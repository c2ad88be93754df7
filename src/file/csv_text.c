// SPDX-License-Identifier: Apache-2.0
#include "file/csv_text.h"

#include <stdlib.h>
#include <string.h>

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
  if (!safe) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a text");
  const enum sciara_status status = sciara_csv_append_value(t, safe);
  free(safe);
  return status;
}
