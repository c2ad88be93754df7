// SPDX-License-Identifier: Apache-2.0
// Claims about map/words.h: every text exists in every language, and says the same of the fields as fields.def.
#include "map/words.h"

#include <check.h>
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "model/field.h"

START_TEST(every_word_is_there_in_every_language) {
  for (int w = 0; w < SCIARA_WORDS; w++)
    for (int l = 0; l < SCIARA_LANGUAGES; l++) {
      const char *text = sciara_word((enum sciara_language)l, (enum sciara_word)w);
      ck_assert_msg(text && text[0] && sciara_is_utf8(text), "word %d in %s", w,
                    sciara_language_code((enum sciara_language)l));
    }
}
END_TEST

/** How many of the sentences of a language are those of another one: short words may be. */
START_TEST(languages_differ) {
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
END_TEST

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

START_TEST(placeholders_survive_translation) {
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
END_TEST

/** They are inserted in the HTML of pages as they are. */
START_TEST(no_word_is_markup) {
  for (int w = 0; w < SCIARA_WORDS; w++)
    for (int l = 0; l < SCIARA_LANGUAGES; l++)
      ck_assert_msg(!strpbrk(sciara_word((enum sciara_language)l, (enum sciara_word)w), "&<>\"@"), "%s in %s",
                    sciara_word_id((enum sciara_word)w), sciara_language_code((enum sciara_language)l));
}
END_TEST

START_TEST(english_names_of_fields_are_those_of_the_table) {
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
END_TEST

START_TEST(codes_are_read) {
  enum sciara_language found;
  for (int l = 0; l < SCIARA_LANGUAGES; l++) {
    ck_assert_int_eq(sciara_language_parse(sciara_language_code((enum sciara_language)l), &found), SCIARA_OK);
    ck_assert_int_eq(found, l);
    ck_assert_int_eq(sciara_language_decimal(found), l == SCIARA_ENGLISH ? '.' : ',');
  }
  ck_assert_int_eq(sciara_language_parse("de", &found), SCIARA_ERR_USAGE);
  ck_assert_str_eq(sciara_last_error(), "expected a language of en|it|fr|es|is, found \"de\"");
}
END_TEST

START_TEST(numbers_have_the_decimal_sign) {
  char text[] = "0.415 m. A 1.5, e.g. .5 2.";
  sciara_word_numbers(SCIARA_ENGLISH, text);
  ck_assert_str_eq(text, "0.415 m. A 1.5, e.g. .5 2.");
  sciara_word_numbers(SCIARA_FRENCH, text);
  ck_assert_str_eq(text, "0,415 m. A 1,5, e.g. .5 2.");
}
END_TEST

int main(void) {
  Suite *suite = suite_create("words");
  TCase *t = tcase_create("words");
  tcase_add_test(t, every_word_is_there_in_every_language);
  tcase_add_test(t, languages_differ);
  tcase_add_test(t, placeholders_survive_translation);
  tcase_add_test(t, no_word_is_markup);
  tcase_add_test(t, english_names_of_fields_are_those_of_the_table);
  tcase_add_test(t, codes_are_read);
  tcase_add_test(t, numbers_have_the_decimal_sign);
  suite_add_tcase(suite, t);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
