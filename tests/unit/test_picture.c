// SPDX-License-Identifier: Apache-2.0
// Claims about picture/picture.h and map/colour_ramp.h: what is drawn where, and in which colour.
#include "picture/picture.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map/colour_ramp.h"

enum { WIDTH = 7, HEIGHT = 9, GUARD = 64 };
static uint8_t memory[WIDTH * HEIGHT * 3 + 2 * GUARD];
static const uint8_t ink[3] = {1, 2, 3};

static struct sciara_picture blank(void) {
  memset(memory, 255, sizeof memory);
  return (struct sciara_picture){.width = WIDTH, .height = HEIGHT, .stride = WIDTH, .rgb = memory + GUARD};
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

START_TEST(a_part_is_a_picture_that_is_cut) {
  static const char *const drawn[HEIGHT] = {".......", "...###.", "...###.", ".......", ".......",
                                            ".......", ".......", ".......", "......."};
  struct sciara_picture p = blank();
  struct sciara_picture part = sciara_picture_part(&p, 3, 1, 3, 2);
  sciara_picture_fill(&part, -5, -5, 100, 100, ink);
  assert_drawn(&p, drawn);
  part = sciara_picture_part(&p, 5, -3, 100, 5);
  ck_assert(part.width == 2 && part.height == 2 && part.rgb == p.rgb + 15);
  part = sciara_picture_part(&p, 7, 0, 1, 1);
  ck_assert(part.width == 0 && part.height == 0);
}
END_TEST

START_TEST(strokes_cover_what_is_near) {
  static const char *const line[HEIGHT] = {".......", ".......", ".......", "#######", "#######",
                                           ".......", ".......", ".......", "......."};
  static const char *const two[HEIGHT] = {"#.....#", "#.....#", "#.....#", "#.....#", "#.....#",
                                          "#.....#", "#.....#", "#.....#", "#.....#"};
  const struct sciara_spot across[] = {{-50, 4}, {50, 4}}, apart[] = {{0.5, -9}, {0.5, 99}, {6.5, -9}, {6.5, 99}};
  const uint8_t lift[] = {1, 0, 1, 0};
  struct sciara_picture p = blank();
  sciara_picture_stroke(&p, across, NULL, 2, 1, 1, ink);
  assert_drawn(&p, line);
  p = blank();
  sciara_picture_stroke(&p, apart, lift, 4, 0.5, 1, ink); // nothing joins the two
  assert_drawn(&p, two);
  p = blank();
  sciara_picture_stroke(&p, across, NULL, 2, 0.5, 1, ink); // half of each of two rows
  const uint8_t *half = p.rgb + (3 * WIDTH + 2) * 3;
  ck_assert_msg(half[0] == 128 && half[1] == 129, "%d %d", half[0], half[1]);
  p = blank();
  const struct sciara_spot nowhere[] = {{1e300, 1e300}, {NAN, 4}};
  sciara_picture_stroke(&p, nowhere, NULL, 2, 1, 1, ink);
}
END_TEST

START_TEST(convex_shapes_are_filled_to_their_edges) {
  static const char *const drawn[HEIGHT] = {".......", ".####..", ".####..", ".####..", ".......",
                                            ".......", ".......", ".......", "......."};
  const struct sciara_spot box[] = {{1, 1}, {5, 1}, {5, 4}, {1, 4}}, half[] = {{1, 1}, {1.5, 1}, {1.5, 2}, {1, 2}};
  struct sciara_picture p = blank();
  sciara_picture_convex(&p, box, 4, ink);
  assert_drawn(&p, drawn);
  p = blank();
  sciara_picture_convex(&p, half, 4, ink);
  const uint8_t *pixel = p.rgb + (WIDTH + 1) * 3;
  ck_assert_msg(pixel[0] == 128, "%d", pixel[0]);
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

/** Lightness alone tells the order of values: what people who confuse colours, and grey printers, see too. */
START_TEST(every_ramp_goes_from_dark_to_light_or_back) {
  static const char *const fields[] = {"thickness", "temperature", "arrival_time", "speed", "altitude", "momentum_x"};
  for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
    const struct sciara_ramp *ramp = sciara_ramp_for(fields[f]);
    double light[21];
    for (int k = 0; k <= 20; k++) {
      uint8_t rgb[3];
      sciara_ramp_colour(ramp, k / 20.0, rgb);
      double linear[3];
      for (int i = 0; i < 3; i++) linear[i] = pow(rgb[i] / 255.0, 2.2);
      light[k] = cbrt(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]);
    }
    const double way = light[20] - light[0];
    ck_assert_msg(fabs(way) > 0.4, "%s: from %g to %g", fields[f], light[0], light[20]);
    for (int k = 1; k <= 20; k++)
      ck_assert_msg((light[k] - light[k - 1]) / way > 0.005, "%s at %d: %g to %g", fields[f], k, light[k - 1],
                    light[k]);
  }
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
  tcase_add_test(tests, a_part_is_a_picture_that_is_cut);
  tcase_add_test(tests, strokes_cover_what_is_near);
  tcase_add_test(tests, convex_shapes_are_filled_to_their_edges);
  tcase_add_test(tests, every_ramp_goes_from_dark_to_light_or_back);
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
