// SPDX-License-Identifier: Apache-2.0
// Claims about io/picture.h and io/colour_ramp.h: what is drawn where, and in which colour.
#include "io/picture.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/colour_ramp.h"

enum { WIDTH = 7, HEIGHT = 9, GUARD = 64 };
static uint8_t memory[WIDTH * HEIGHT * 3 + 2 * GUARD];
static const uint8_t ink[3] = {1, 2, 3};

static struct sciara_picture blank(void) {
  memset(memory, 255, sizeof memory);
  return (struct sciara_picture){.width = WIDTH, .height = HEIGHT, .rgb = memory + GUARD};
}

/** Rows of '#' (ink) and '.'; nothing around the picture is touched. */
static void assert_drawn(const struct sciara_picture *p, const char *const rows[HEIGHT]) {
  for (int j = 0; j < HEIGHT; j++) {
    char drawn[WIDTH + 1] = "";
    for (int i = 0; i < WIDTH; i++) drawn[i] = memcmp(p->rgb + (j * WIDTH + i) * 3, ink, 3) == 0 ? '#' : '.';
    ck_assert_msg(strcmp(drawn, rows[j]) == 0, "row %d is %s instead of %s", j, drawn, rows[j]);
  }
  for (int i = 0; i < GUARD; i++) ck_assert(memory[i] == 255 && memory[sizeof memory - 1 - (size_t)i] == 255);
}

START_TEST(rectangles_are_cut_at_the_borders) {
  static const char *const inside[HEIGHT] = {".......", "..###..", "..###..", ".......", ".......",
                                             ".......", ".......", ".......", "......."};
  static const char *const corners[HEIGHT] = {"#......", ".......", ".......", ".......", ".......",
                                              ".......", ".......", ".....##", ".....##"};
  struct sciara_picture p = blank();
  sciara_picture_fill(&p, 2, 1, 3, 2, ink);
  assert_drawn(&p, inside);
  p = blank();
  sciara_picture_fill(&p, -2, -3, 3, 4, ink);
  sciara_picture_fill(&p, 5, 7, 10, 10, ink);
  sciara_picture_fill(&p, 7, 0, 1, 9, ink);
  sciara_picture_fill(&p, 0, 9, 7, 1, ink);
  assert_drawn(&p, corners);
}
END_TEST

START_TEST(letters) {
  static const char *const seven[HEIGHT] = {".......", ".#####.", ".....#.", "....#..", "...#...",
                                            "...#...", "..#....", "..#....", "......."};
  struct sciara_picture p = blank();
  sciara_picture_text(&p, 1, 1, 1, "7", ink);
  assert_drawn(&p, seven);
  p = blank();
  sciara_picture_text(&p, -5, 1, 1, "?7", ink); // what has no shape leaves its place blank
  assert_drawn(&p, seven);
  ck_assert_int_eq(sciara_picture_text_width(2, "7.5 m"), 2 * (5 * 6 - 1));
  ck_assert_int_eq(sciara_picture_text_width(2, ""), 0);
}
END_TEST

static void assert_colour(const struct sciara_ramp *ramp, double t, int red, int green, int blue) {
  uint8_t rgb[3];
  sciara_ramp_colour(ramp, t, rgb);
  ck_assert_msg(rgb[0] == red && rgb[1] == green && rgb[2] == blue, "at %g: %d %d %d", t, rgb[0], rgb[1], rgb[2]);
}

START_TEST(colours_go_evenly_from_stop_to_stop) {
  const struct sciara_ramp ramp = {.stops = {{0, 0, 0}, {100, 0, 0}, {100, 200, 0}, {100, 200, 40}, {200, 200, 40}}};
  assert_colour(&ramp, 0, 0, 0, 0);
  assert_colour(&ramp, 0.125, 50, 0, 0);
  assert_colour(&ramp, 0.25, 100, 0, 0);
  assert_colour(&ramp, 0.3125, 100, 50, 0);
  assert_colour(&ramp, 0.9375, 175, 200, 40);
  assert_colour(&ramp, 1, 200, 200, 40);
  assert_colour(&ramp, 7, 200, 200, 40);
  assert_colour(&ramp, -7, 0, 0, 0);
  assert_colour(&ramp, NAN, 0, 0, 0);
}
END_TEST

static void assert_range(const char *field, const double *values, int count, double low, double high) {
  double found[2];
  sciara_ramp_range(sciara_ramp_for(field), values, count, -9999, &found[0], &found[1]);
  ck_assert_msg(found[0] == low && found[1] == high, "%s: %g to %g", field, found[0], found[1]);
}

START_TEST(ranges_are_of_what_is_known) {
  const double some[] = {-9999, 3, NAN, 5, INFINITY, -INFINITY}, below[] = {-2, -9999, -1}, none[] = {-9999, NAN},
               flat[] = {4, 4}, zero[] = {0, 0};
  assert_range("altitude", some, 6, 3, 5);
  assert_range("thickness", some, 6, 0, 5); // begins at 0
  assert_range("thickness", below, 3, -2, -1);
  assert_range("altitude", none, 2, 0, 1);
  assert_range("altitude", flat, 2, 4, 5); // never empty
  assert_range("thickness", flat, 2, 0, 4);
  assert_range("thickness", zero, 2, 0, 1);
  assert_range("no field", some, 6, 3, 5);
}
END_TEST

START_TEST(the_style_is_markup_whatever_the_unit) {
  struct sciara_text text = {0};
  ck_assert_int_eq(sciara_ramp_qml(sciara_ramp_for("thickness"), 0, 8, "m < \"a&b\"", &text), SCIARA_OK);
  ck_assert_ptr_nonnull(strstr(text.data, "classificationMin=\"0\" classificationMax=\"8\""));
  ck_assert_ptr_nonnull(strstr(text.data, "<item value=\"2\" alpha=\"255\" color=\"#feb24c\""));
  ck_assert_ptr_nonnull(strstr(text.data, "label=\"8 m &lt; &quot;a&amp;b&quot;\"/>"));
  sciara_text_free(&text);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("picture");
  TCase *tests = tcase_create("picture");
  tcase_add_test(tests, rectangles_are_cut_at_the_borders);
  tcase_add_test(tests, letters);
  tcase_add_test(tests, colours_go_evenly_from_stop_to_stop);
  tcase_add_test(tests, ranges_are_of_what_is_known);
  tcase_add_test(tests, the_style_is_markup_whatever_the_unit);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
