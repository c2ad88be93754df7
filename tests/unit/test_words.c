// SPDX-License-Identifier: Apache-2.0
// Claims about map/words.h: every text exists in every language, and says the same of the fields as fields.def.
#include "map/words.h"

#include <ctype.h>

#include "base/text.h"
#include "model/field.h"

TEST(every_word_is_there_in_every_language) {
  for (int w = 0; w < SCIARA_WORDS; w++)
    for (int l = 0; l < SCIARA_LANGUAGES; l++) {
      const char *text = sciara_word((enum sciara_language)l, (enum sciara_word)w);
      ck_assert_msg(text && text[0] && sciara_is_utf8(text), "word %d in %s", w,
                    sciara_language_code((enum sciara_language)l));
    }
}

/** How many of the sentences of a language are those of another one: short words may be. */
TEST(languages_differ) {
  for (int a = 0; a < SCIARA_LANGUAGES; a++)
    for (int b = 0; b < a; b++) {
      int same = 0;
      for (int w = 0; w < SCIARA_WORDS; w++)
        same += strcmp(sciara_word((enum sciara_language)a, (enum sciara_word)w),
                       sciara_word((enum sciara_language)b, (enum sciara_word)w)) == 0;
      ck_assert_msg(same < 6, "%d equal texts in %s and %s", same, sciara_language_code((enum sciara_language)a),
                    sciara_language_code((enum sciara_language)b));
    }
}

/** Appends the placeholders of a text, "{row}{col}", in alphabetical order. */
static void list_placeholders(const char *text, char *out, size_t capacity) {
  enum { MOST = 16 };
  char names[MOST][32];
  int count = 0;
  for (const char *at = strchr(text, '{'); at; at = strchr(at + 1, '{')) {
    const size_t length = strcspn(at, "}") + 1;
    ck_assert_msg(at[length - 1] == '}' && length < sizeof names[0] && count < MOST, "%s", text);
    int k = count++;
    memcpy(names[k], at, length);
    names[k][length] = '\0';
    for (; k > 0 && strcmp(names[k - 1], names[k]) > 0; k--) {
      char other[sizeof names[0]];
      memcpy(other, names[k], sizeof other);
      memcpy(names[k], names[k - 1], sizeof other);
      memcpy(names[k - 1], other, sizeof other);
    }
  }
  out[0] = '\0';
  for (int k = 0; k < count; k++) {
    ck_assert_uint_lt(strlen(out) + strlen(names[k]), capacity);
    strcat(out, names[k]);
  }
}

TEST(placeholders_survive_translation) {
  int with = 0;
  for (int w = 0; w < SCIARA_WORDS; w++) {
    char expected[256], found[256];
    list_placeholders(sciara_word(SCIARA_ENGLISH, (enum sciara_word)w), expected, sizeof expected);
    with += expected[0] != '\0';
    for (int l = 0; l < SCIARA_LANGUAGES; l++) {
      list_placeholders(sciara_word((enum sciara_language)l, (enum sciara_word)w), found, sizeof found);
      ck_assert_msg(strcmp(found, expected) == 0, "%s in %s: expected %s, found %s",
                    sciara_word_id((enum sciara_word)w), sciara_language_code((enum sciara_language)l), expected,
                    found);
    }
  }
  ck_assert_int_ge(with, 10);
}

/** They are inserted in the HTML of pages as they are. */
TEST(no_word_is_markup) {
  for (int w = 0; w < SCIARA_WORDS; w++)
    for (int l = 0; l < SCIARA_LANGUAGES; l++)
      ck_assert_msg(!strpbrk(sciara_word((enum sciara_language)l, (enum sciara_word)w), "&<>\"@"), "%s in %s",
                    sciara_word_id((enum sciara_word)w), sciara_language_code((enum sciara_language)l));
}

TEST(english_names_of_fields_are_those_of_the_table) {
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++) {
    const struct sciara_field_info *info = sciara_field_describe((enum sciara_field)f);
    const char *found = sciara_word_of_field_long(SCIARA_ENGLISH, info->name);
    ck_assert_int_eq(tolower((unsigned char)found[0]), info->long_name[0]);
    ck_assert_str_eq(found + 1, info->long_name + 1);
    const char *heading = sciara_word_of_field(SCIARA_ENGLISH, info->name);
    ck_assert_uint_eq(strlen(heading), strlen(info->name));
    for (size_t k = 0; heading[k]; k++)
      ck_assert_int_eq(tolower((unsigned char)heading[k]), info->name[k] == '_' ? ' ' : info->name[k]);
  }
  ck_assert_ptr_null(sciara_word_of_field(SCIARA_ENGLISH, "none"));
  ck_assert_ptr_null(sciara_word_of_field_long(SCIARA_ITALIAN, "none"));
  ck_assert_str_eq(sciara_word_of_field(SCIARA_ICELANDIC, "deposit"), "Hraunþykkt");
}

TEST(codes_are_read) {
  enum sciara_language found;
  for (int l = 0; l < SCIARA_LANGUAGES; l++) {
    expect_ok(sciara_language_parse(sciara_language_code((enum sciara_language)l), &found));
    ck_assert_int_eq(found, l);
    ck_assert_int_eq(sciara_language_decimal(found), l == SCIARA_ENGLISH ? '.' : ',');
  }
  ck_assert_int_eq(sciara_language_parse("de", &found), SCIARA_ERR_USAGE);
  ck_assert_str_eq(sciara_last_error(), "expected a language of en|it|fr|es|is, found \"de\"");
}

TEST(numbers_have_the_decimal_sign) {
  char text[] = "0.415 m. A 1.5, e.g. .5 2.";
  sciara_word_numbers(SCIARA_ENGLISH, text);
  ck_assert_str_eq(text, "0.415 m. A 1.5, e.g. .5 2.");
  sciara_word_numbers(SCIARA_FRENCH, text);
  ck_assert_str_eq(text, "0,415 m. A 1,5, e.g. .5 2.");
}

TEST(quantities_are_words) {
  struct {
    enum sciara_language language;
    double value;
    const char *unit, *text; ///< unit NULL: a duration, "": a volume
  } cases[] = {{SCIARA_ENGLISH, 93600, NULL, "1 d 2 h"},
               {SCIARA_FRENCH, 93600, NULL, "1 j 2 h"},
               {SCIARA_ITALIAN, 172800, NULL, "2 g"},
               {SCIARA_FRENCH, 7200, NULL, "2 h"},
               {SCIARA_FRENCH, 0.25, NULL, "0,25 s"},
               {SCIARA_ENGLISH, 99999.4, "", "99999\u00A0m\u00B3"},
               {SCIARA_ENGLISH, 99999.6, "", "0.1\u00A0\u00D7\u00A010\u2076\u00A0m\u00B3"},
               {SCIARA_FRENCH, 12.345, "", "12,35\u00A0m\u00B3"},
               {SCIARA_ENGLISH, 2600, "kg/m3", "2600\u00A0kg/m\u00B3"},
               {SCIARA_FRENCH, 1.507, "m2", "1,507\u00A0m\u00B2"},
               {SCIARA_ENGLISH, 6.7e5, "Pa s", "670000\u00A0Pa s"},
               {SCIARA_ENGLISH, 0.5, "1", "0.5"},
               {SCIARA_FRENCH, 1.25e-12, "1", "1,25\u00A0\u00D7\u00A010\u207B\u00B9\u00B2"},
               {SCIARA_ENGLISH, 1.5e7, "Pa s", "1.5\u00A0\u00D7\u00A010\u2077\u00A0Pa s"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char found[64];
    if (!cases[k].unit)
      sciara_word_duration(cases[k].language, cases[k].value, found, sizeof found);
    else if (!*cases[k].unit)
      sciara_word_volume(cases[k].language, cases[k].value, found, sizeof found);
    else
      sciara_word_quantity(cases[k].language, cases[k].value, cases[k].unit, found, sizeof found);
    ck_assert_str_eq(found, cases[k].text);
  }
}

/** Of 100 m3 at the start and 100 m3 that were emitted 119 m3 entered the sea. */
TEST(shares_are_of_all_lava) {
  char found[128];
  sciara_word_share(SCIARA_ENGLISH, 119, 100, 100, found, sizeof found);
  ck_assert_str_eq(found, " (59.5\u00A0% of all lava, with that at the start)");
  sciara_word_share(SCIARA_FRENCH, 2.5, 100, 0, found, sizeof found);
  ck_assert_str_eq(found, " (2,5\u00A0% du volume émis)");
  sciara_word_share(SCIARA_ENGLISH, 0, 0, 0, found, sizeof found);
  ck_assert_str_eq(found, "");
}

TEST(parameters_have_names) {
  size_t count;
  const struct sciara_param_info *table = sciara_param_table(&count), *found;
  for (size_t k = 0; k < count; k++)
    for (int l = 0; l < SCIARA_LANGUAGES; l++) {
      ck_assert_ptr_nonnull(sciara_word_of_param((enum sciara_language)l, table[k].key, &found));
      ck_assert_ptr_eq(found, &table[k]);
    }
  ck_assert_str_eq(sciara_word_of_param(SCIARA_ENGLISH, "model.cooling", &found), "cooling parameter");
  ck_assert_ptr_null(sciara_word_of_param(SCIARA_ENGLISH, "model.none", &found));
  struct sciara_params params = sciara_params_of_rule(SCIARA_RULE_FV3);
  struct sciara_text text = {0};
  params.cooling = 2.5;
  params.T_vent = 1400;
  sciara_word_parameters(&text, SCIARA_SPANISH, "mine; changed: T_vent_K, cooling", &params);
  ck_assert_str_eq(text.data, "mine; temperatura en la boca 1400\u00A0K; parámetro de enfriamiento 2,5\u00A0m\u00B2");
  sciara_text_free(&text);
  sciara_word_parameters(&text, SCIARA_SPANISH, "mine", &params);
  ck_assert_str_eq(text.data, "mine");
  sciara_text_free(&text);
}

RUN_TESTS()
