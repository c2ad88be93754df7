// SPDX-License-Identifier: Apache-2.0
#include "picture/png_text.h"

#include <string.h>

/** The checksum of PNG (ISO 3309), bit by bit: the texts are short. */
static uint32_t crc_of(const char *bytes, size_t count) {
  uint32_t crc = 0xFFFFFFFF;
  for (size_t k = 0; k < count; k++) {
    crc ^= (uint8_t)bytes[k];
    for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0xEDB88320 : crc >> 1;
  }
  return ~crc;
}

static enum sciara_status append_number(struct sciara_text *out, uint32_t value) {
  const char bytes[4] = {(char)(value >> 24), (char)(value >> 16), (char)(value >> 8), (char)value};
  return sciara_text_append_bytes(out, bytes, sizeof bytes);
}

static bool is_ascii(const char *text) {
  for (const char *c = text; *c; c++)
    if ((uint8_t)*c >= 128) return false;
  return true;
}

static enum sciara_status append_fact(const char *name, const char *text, struct sciara_text *out) {
  struct sciara_text body = {0};
  const bool plain = is_ascii(text);
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_text_append(&body, plain ? "tEXt%s" : "iTXt%s", name));
  // After the name a NUL; in iTXt then: not compressed (2 bytes), no language, no translation of the name.
  SCIARA_TRY_GOTO(sciara_text_append_bytes(&body, "\0\0\0\0\0", plain ? 1 : 5));
  SCIARA_TRY_GOTO(sciara_text_append_bytes(&body, text, strlen(text)));
  SCIARA_TRY_GOTO(append_number(out, (uint32_t)body.length - 4));
  SCIARA_TRY_GOTO(sciara_text_append_bytes(out, body.data, body.length));
  SCIARA_TRY_GOTO(append_number(out, crc_of(body.data, body.length)));
cleanup:
  sciara_text_free(&body);
  return status;
}

enum sciara_status sciara_png_append_facts(const struct sciara_map_facts *facts, struct sciara_text *out) {
  for (size_t k = 0; facts && k < facts->count; k++)
    SCIARA_TRY(append_fact(facts->fact[k].name, facts->fact[k].text, out));
  return SCIARA_OK;
}
