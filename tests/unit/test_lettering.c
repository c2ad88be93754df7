// SPDX-License-Identifier: Apache-2.0
// Claims about picture/lettering.h: every letter of a title is drawn, and none of them where another should be.
#include "picture/lettering.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 160, HEIGHT = 80, BASE = 50 };
static uint8_t pixels[WIDTH * HEIGHT * 3];
static const struct sciara_pen pen = {.height = 20, .weight = 0.12, .opacity = 1};

/** Draws a text in black on white; returns how much ink it took, in pixels. */
static double draw(const char *text) {
  struct sciara_picture p = {.width = WIDTH, .height = HEIGHT, .stride = WIDTH, .rgb = pixels};
  memset(pixels, 255, sizeof pixels);
  sciara_picture_text(&p, 20, BASE, &pen, text);
  double ink = 0;
  for (size_t i = 0; i < sizeof pixels; i += 3) ink += (255 - pixels[i]) / 255.0;
  return ink;
}

/** Ink in the rows top..bottom. */
static double ink_between(int top, int bottom) {
  double ink = 0;
  for (int j = top; j < bottom; j++)
    for (int i = 0; i < WIDTH; i++) ink += (255 - pixels[(j * WIDTH + i) * 3]) / 255.0;
  return ink;
}

static void encode(uint32_t code, char text[5]) {
  memset(text, 0, 5);
  if (code < 0x80) {
    text[0] = (char)code;
  } else if (code < 0x800) {
    text[0] = (char)(0xC0 | code >> 6);
    text[1] = (char)(0x80 | (code & 0x3F));
  } else {
    text[0] = (char)(0xE0 | code >> 12);
    text[1] = (char)(0x80 | (code >> 6 & 0x3F));
    text[2] = (char)(0x80 | (code & 0x3F));
  }
}

/** ASCII, Latin-1, Latin Extended-A. */
START_TEST(every_latin_letter_is_drawn_in_its_own_way) {
  static uint8_t drawn[0x180][WIDTH * HEIGHT];
  for (uint32_t code = ' '; code < 0x180; code++) {
    if (code >= 0x7F && code < 0xA0) continue; // control characters
    char text[5];
    encode(code, text);
    const double ink = draw(text);
    ck_assert_msg((ink > 2) == (code != ' ' && code != 0xA0), "U+%04X takes %g pixels of ink", code, ink);
    ck_assert_msg(sciara_picture_text_unknown(text) == 0, "U+%04X has no shape", code);
    ck_assert_msg(sciara_picture_text_width(20, text) < 60, "U+%04X is too wide", code);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) drawn[code][i] = pixels[3 * i];
    if (code == ' ' || code > 0x7E) continue;
    for (uint32_t other = '!'; other < code; other++)
      ck_assert_msg(memcmp(drawn[other], drawn[code], sizeof drawn[code]) != 0, "%c and %c look alike", other, code);
  }
}
END_TEST

static const struct {
  const char *accented, *plain;
  bool below;
} accents[] = {{"\u00C9", "E", false}, {"\u00E9", "e", false},      {"\u00D1", "N", false},      {"\u00FC", "u", false},
               {"\u00E7", "c", true},  {"\u00C5", "A", false},      {"\u012B", "\u0131", false}, {"\u015F", "s", true},
               {"\u0219", "s", true},  {"\u00ED", "\u0131", false}, {"\u0151", "o", false},      {"\u0119", "e", true}};

START_TEST(accents_stand_above_or_below_their_letter) {
  const double plain = draw(accents[_i].plain), accented = draw(accents[_i].accented);
  const bool capital = accents[_i].plain[0] <= 'Z' && accents[_i].plain[0] > 0;
  const int top = BASE - (capital ? 22 : 16);
  ck_assert_msg(accented > plain + 2, "%s: %g and %g", accents[_i].accented, accented, plain);
  const double mark = accents[_i].below ? ink_between(BASE + 2, HEIGHT) : ink_between(0, top);
  ck_assert_msg(fabs(mark - (accented - plain)) < 5, "%s: mark %g of %g", accents[_i].accented, mark, accented - plain);
  ck_assert_double_eq(sciara_picture_text_width(20, accents[_i].accented),
                      sciara_picture_text_width(20, accents[_i].plain));
}
END_TEST

START_TEST(decomposed_text_looks_like_composed_text) {
  static uint8_t composed[sizeof pixels];
  draw("M\u00E9t\u00EDl\u0101");
  memcpy(composed, pixels, sizeof pixels);
  draw("Me\u0301t\u0131\u0301la\u0304");
  int differing = 0;
  for (size_t i = 0; i < sizeof pixels; i++) differing += abs(composed[i] - pixels[i]) > 40;
  ck_assert_int_lt(differing, 30); // an accent alone is a stroke of its own
}
END_TEST

START_TEST(what_has_no_letters_here_is_spelt_or_boxed) {
  ck_assert_double_eq(sciara_picture_text_width(20, "\u00C6gir"), sciara_picture_text_width(20, "AEgir"));
  ck_assert_double_eq(sciara_picture_text_width(20, "a\u2013b"), sciara_picture_text_width(20, "a-b"));
  ck_assert_uint_eq(sciara_picture_text_unknown("Etna \u706B\u5C71 2006"), 2);
  ck_assert_double_gt(draw("\u706B"), 20);
  ck_assert_double_gt(draw("\xFF"), 20);     // no UTF-8
  ck_assert_double_gt(draw("\xE2\x80"), 20); // cut short: one box for the whole
  ck_assert_double_eq(draw("\n"), 0);
}
END_TEST

START_TEST(text_is_as_wide_as_it_says_and_grows_with_its_height) {
  const char *text = "Hab 123";
  draw(text);
  int first = WIDTH, last = 0;
  for (int i = 0; i < WIDTH; i++)
    for (int j = 0; j < HEIGHT; j++)
      if (pixels[(j * WIDTH + i) * 3] < 128) {
        first = i < first ? i : first;
        last = i;
      }
  const double width = sciara_picture_text_width(20, text);
  ck_assert_msg(fabs(first - 20 + 1.2) < 1.5 && fabs(last + 1 - 20 - width) < 2.5, "%d to %d, %g", first, last, width);
  ck_assert_double_eq_tol(sciara_picture_text_width(40, text), 2 * width, 1e-9);
  ck_assert_double_eq(sciara_picture_text_width(20, ""), 0);
}
END_TEST

START_TEST(turned_text_goes_up) {
  struct sciara_picture p = {.width = WIDTH, .height = HEIGHT, .stride = WIDTH, .rgb = pixels};
  struct sciara_pen up = pen;
  up.turn = 1.5707963267948966;
  memset(pixels, 255, sizeof pixels);
  sciara_picture_text(&p, 80, 79, &up, "IIIIII");
  for (int j = 0; j < HEIGHT; j++)
    for (int i = 0; i < WIDTH; i++)
      if (i < 58 || i > 82) ck_assert_int_eq(pixels[(j * WIDTH + i) * 3], 255);
  ck_assert_double_gt(ink_between(50, 80), 100);
}
END_TEST

START_TEST(text_breaks_between_words) {
  const char *text = "eruption of the";
  const double width = sciara_picture_text_width(20, "eruption of");
  ck_assert_uint_eq(sciara_picture_text_fit(20, text, width + 1), strlen("eruption of"));
  ck_assert_uint_eq(sciara_picture_text_fit(20, text, width - 1), strlen("eruption"));
  ck_assert_uint_eq(sciara_picture_text_fit(20, text, 1e9), strlen(text));
  ck_assert_uint_eq(sciara_picture_text_fit(20, "Eyjafjallaj\u00F6kull", 1), 1); // no place to break: by letters
  ck_assert_uint_eq(sciara_picture_text_fit(20, "\u00D6", 1), 2);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("lettering");
  TCase *tests = tcase_create("lettering");
  tcase_add_test(tests, every_latin_letter_is_drawn_in_its_own_way);
  tcase_add_loop_test(tests, accents_stand_above_or_below_their_letter, 0, (int)(sizeof accents / sizeof *accents));
  tcase_add_test(tests, decomposed_text_looks_like_composed_text);
  tcase_add_test(tests, what_has_no_letters_here_is_spelt_or_boxed);
  tcase_add_test(tests, text_is_as_wide_as_it_says_and_grows_with_its_height);
  tcase_add_test(tests, turned_text_goes_up);
  tcase_add_test(tests, text_breaks_between_words);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
