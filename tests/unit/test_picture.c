// SPDX-License-Identifier: Apache-2.0
// Claims about picture/picture.h and map/colour_ramp.h: what is drawn where, and in which colour.
#include "picture/picture.h"

#include <gdal.h>
#include <sys/resource.h>

#include "map/colour_ramp.h"
#include "support/folder.h"

static char path[96];
static struct sciara_picture picture;

static void setup(void) {
  folder_make();
  snprintf(path, sizeof path, "%s/p.png", folder);
  GDALAllRegister();
}

static void teardown(void) {
  sciara_picture_free(&picture);
  folder_remove();
}

/** What is drawn is read back from the file bit by bit. */
TEST(pixels_are_kept) {
  enum { WIDTH = 61, HEIGHT = 43 };
  static uint8_t read[HEIGHT][WIDTH][3];
  const uint8_t ink[3] = {1, 2, 3};
  expect_ok(sciara_picture_begin(&picture, WIDTH, HEIGHT, path));
  sciara_picture_touch(&picture);
  for (uint32_t k = 0; k < WIDTH * HEIGHT; k++) picture.pixels[k] = k * 2654435761u & 0xFFFFFF;
  sciara_picture_touched(&picture);
  sciara_picture_fill(&picture, 5, 7, 3, 2, ink);
  sciara_picture_fill(&picture, -10, HEIGHT - 1, 12, 50, ink); // cut at the borders
  expect_ok(sciara_picture_write_png(&picture, NULL, path));
  GDALDatasetH d = GDALOpen(path, GA_ReadOnly);
  ck_assert_ptr_nonnull(d);
  ck_assert(GDALGetRasterXSize(d) == WIDTH && GDALGetRasterYSize(d) == HEIGHT && GDALGetRasterCount(d) == 3);
  ck_assert_int_eq(
      GDALDatasetRasterIO(d, GF_Read, 0, 0, WIDTH, HEIGHT, read, WIDTH, HEIGHT, GDT_Byte, 3, NULL, 3, 3 * WIDTH, 1),
      CE_None);
  GDALClose(d);
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      const bool filled = (x >= 5 && x < 8 && y >= 7 && y < 9) || (y == HEIGHT - 1 && x < 2);
      const uint32_t expected = filled ? 0x010203 : (uint32_t)(y * WIDTH + x) * 2654435761u & 0xFFFFFF;
      const uint8_t *p = read[y][x];
      ck_assert_msg(((uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2]) == expected, "at %d, %d", x, y);
    }
}

/** Before memory is allocated for them. */
TEST(sizes_have_a_limit) {
  expect_error(sciara_picture_begin(&picture, 32768, 1, path), SCIARA_ERR_INPUT,
               "p.png: expected a picture of at most 32767 pixels each way, found 32768 x 1");
  ck_assert_int_eq(sciara_picture_begin(&picture, 1, INT64_MAX, path), SCIARA_ERR_INPUT);
  ck_assert_int_eq(sciara_picture_begin(&picture, 0, 5, path), SCIARA_ERR_INPUT);
  ck_assert_ptr_null(picture.pixels);
  expect_ok(sciara_picture_begin(&picture, 32767, 2, path));
  sciara_picture_free(&picture);
}

/** A sanitizer needs more memory than this limit. */
TEST_EACH(memory_is_checked_first, sanitized() ? 0 : 1) {
  const struct rlimit tight = {(rlim_t)1 << 30, (rlim_t)1 << 30};
  ck_assert_int_eq(setrlimit(RLIMIT_AS, &tight), 0);
  expect_error(sciara_picture_begin(&picture, 32767, 32767, path), SCIARA_ERR_MEMORY, "needs about 8.59 GB of memory");
  ck_assert_ptr_null(picture.pixels);
}

static void assert_colour(const struct sciara_ramp *ramp, double t, int red, int green, int blue) {
  uint8_t rgb[3];
  sciara_ramp_colour(ramp, t, rgb);
  ck_assert_msg(rgb[0] == red && rgb[1] == green && rgb[2] == blue, "at %g: %d %d %d", t, rgb[0], rgb[1], rgb[2]);
}

TEST(colours_go_evenly_from_stop_to_stop) {
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

/** Lightness alone shows the order of values: for people with a colour vision deficiency, and on grey printers. */
TEST(every_ramp_goes_from_dark_to_light_or_back) {
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

static void assert_range(const char *field, const double *values, int count, double low, double high) {
  double found[2];
  sciara_ramp_range(sciara_ramp_for(field), values, count, -9999, &found[0], &found[1]);
  ck_assert_msg(found[0] == low && found[1] == high, "%s: %g to %g", field, found[0], found[1]);
}

TEST(ranges_are_of_what_is_known) {
  const double some[] = {-9999, 3, NAN, 5, INFINITY, -INFINITY}, below[] = {-2, -9999, -1}, none[] = {-9999, NAN},
               flat[] = {4, 4}, zero[] = {0, 0};
  assert_range("altitude", some, 6, 3, 5);
  assert_range("thickness", some, 6, 0, 5);    // begins at 0
  assert_range("arrival_time", some, 6, 3, 5); // begins with the first
  assert_range("thickness", below, 3, -2, -1);
  assert_range("altitude", none, 2, 0, 1);
  assert_range("altitude", flat, 2, 4, 5); // never empty
  assert_range("thickness", flat, 2, 0, 4);
  assert_range("thickness", zero, 2, 0, 1);
  assert_range("no field", some, 6, 3, 5);
}

TEST(labels_of_styles_are_for_people) {
  static const struct {
    const char *ramp, *unit, *label[3];
    double edges[2];
  } cases[] = {{"probability", "1", {"up to 5 %", "5 to 25 %", "more than 25 %"}, {0.05, 0.25}},
               {"difference", "1", {"up to -5 %", "-5 to 5 %", "more than 5 %"}, {-0.05, 0.05}},
               {"arrival_time", "s", {"up to 1 d", "1 to 7 d", "more than 7 d"}, {86400, 604800}},
               {"arrival_time", "s", {"up to 3 h", "3 to 8.347 h", "more than 8.347 h"}, {10800, 30050}},
               {"arrival_time", "s", {"up to 20 s", "20 to 100 s", "more than 100 s"}, {20, 100}},
               {"deposit", "m", {"up to 1 m", "1 to 5 m", "more than 5 m"}, {1, 5}},
               {NULL, "1", {"up to 10", "10 to 20", "more than 20"}, {10, 20}}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    OWNED(sciara_text_free) struct sciara_text text = {0};
    expect_ok(sciara_ramp_classes_qml(sciara_ramp_for(cases[k].ramp), cases[k].edges, 2, cases[k].unit, &text));
    for (int i = 0; i < 3; i++) {
      char label[64];
      snprintf(label, sizeof label, "label=\"%s\"/>", cases[k].label[i]);
      ck_assert_msg(strstr(text.data, label) != NULL, "%s is not in %s", label, text.data);
    }
  }
  struct sciara_text text = {0};
  expect_ok(sciara_ramp_qml(sciara_ramp_for("arrival_time"), 0, 120200, "s", &text));
  ck_assert_ptr_nonnull(strstr(text.data, "<item value=\"30050\" alpha=\"255\" color=\"#821e78\" label=\"8.347 h\"/>"));
  sciara_text_free(&text);
}

RUN_TESTS(.setup = setup, .teardown = teardown)
