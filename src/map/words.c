// SPDX-License-Identifier: Apache-2.0
#include "map/words.h"

#include <string.h>

#include "model/field.h"

static const struct {
  const char *code;
  char decimal;
} languages[SCIARA_LANGUAGES] = {
#define SCIARA_LANGUAGE(ID, code, decimal) {code, decimal[0]},
#include "map/words.def"
};

static const char *const words[SCIARA_WORDS][SCIARA_LANGUAGES] = {
#define SCIARA_WORD(ID, en, it, fr, es, is) {en, it, fr, es, is},
#include "map/words.def"
};

static const char *const ids[SCIARA_WORDS] = {
#define SCIARA_WORD(ID, en, it, fr, es, is) #ID,
#include "map/words.def"
};

static const struct {
  enum sciara_word heading, long_name;
} of_field[SCIARA_FIELD_COUNT] = {
#define SCIARA_OUTPUT_FIELD(NAME, member, QUANTITY, name, unit, long_name, standard_name) \
  [SCIARA_FIELD_##NAME] = {SCIARA_WORD_FIELD_##NAME, SCIARA_WORD_LONG_##NAME},
#include "model/fields.def"
};

enum sciara_status sciara_language_parse(const char *code, enum sciara_language *out) {
  for (int k = 0; k < SCIARA_LANGUAGES; k++)
    if (strcmp(languages[k].code, code) == 0) {
      *out = (enum sciara_language)k;
      return SCIARA_OK;
    }
  return sciara_fail(SCIARA_ERR_USAGE, "expected a language of %s, found \"%s\"", SCIARA_LANGUAGE_CODES, code);
}

const char *sciara_language_code(enum sciara_language language) { return languages[language].code; }

char sciara_language_decimal(enum sciara_language language) { return languages[language].decimal; }

const char *sciara_word(enum sciara_language language, enum sciara_word word) { return words[word][language]; }

const char *sciara_word_id(enum sciara_word word) { return ids[word]; }

const char *sciara_word_of_field(enum sciara_language language, const char *field) {
  const enum sciara_field f = sciara_field_find(field);
  return f == SCIARA_FIELD_COUNT ? NULL : words[of_field[f].heading][language];
}

const char *sciara_word_of_field_long(enum sciara_language language, const char *field) {
  const enum sciara_field f = sciara_field_find(field);
  return f == SCIARA_FIELD_COUNT ? NULL : words[of_field[f].long_name][language];
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

void sciara_word_numbers(enum sciara_language language, char *text) {
  for (char *c = text; *c; c++)
    if (*c == '.' && c > text && is_digit(c[-1]) && is_digit(c[1])) *c = languages[language].decimal;
}

/** The text of the placeholder at `form`, "{name}"; NULL: there is none. */
static const char *text_of(const char *form, const char *const *pairs, size_t *length) {
  for (; *pairs; pairs += 2) {
    *length = strlen(*pairs);
    if (strncmp(form + 1, *pairs, *length) == 0 && form[1 + *length] == '}') return pairs[1];
  }
  return NULL;
}

enum sciara_status sciara_word_fill(struct sciara_text *out, const char *form, const char *const *pairs) {
  while (*form) {
    size_t length = 0;
    const char *text = *form == '{' ? text_of(form, pairs, &length) : NULL;
    if (text) {
      sciara_text_append(out, "%s", text);
      form += length + 2;
    } else {
      length = 1 + strcspn(form + 1, "{");
      sciara_text_append_bytes(out, form, length);
      form += length;
    }
  }
  return out->failed;
}
