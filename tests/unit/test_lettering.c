// SPDX-License-Identifier: Apache-2.0
// Claims about text in picture/picture.h: in any script it is drawn at the given position and has the predicted width.
#include "picture/picture.h"

enum { WIDTH = 600, HEIGHT = 120, X = 100, BASE = 70 };
static struct sciara_lettering letters;
static struct sciara_picture picture;

static void setup(void) {
  expect_ok(sciara_lettering_open(&letters));
  ck_assert_msg(letters.context, "no font is installed: tools/setup --tests installs some");
}

static void teardown(void) {
  sciara_picture_free(&picture);
  sciara_lettering_close(&letters);
}

static struct sciara_writing of(const char *text) { return (struct sciara_writing){.text = text, .capital = 15}; }

static double width_of(const char *text) {
  const struct sciara_writing w = of(text);
  return sciara_lettering_measure(&letters, &w).width;
}

/** Writes at (X, BASE) of an empty picture; returns the box that was recorded. */
static struct sciara_box write_text(const struct sciara_writing *w, double anchor) {
  sciara_picture_free(&picture);
  expect_ok(sciara_picture_begin(&picture, WIDTH, HEIGHT, "test"));
  sciara_picture_write(&picture, &letters, X, BASE, anchor, w);
  sciara_picture_touch(&picture);
  ck_assert_int_le(picture.boxes, 1);
  return picture.box[0];
}

/** The part that is not white. */
static struct sciara_box inked(void) {
  int left = WIDTH, right = 0, top = HEIGHT, bottom = 0;
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      if ((picture.pixels[y * WIDTH + x] & 0xFFFFFF) == 0xFFFFFF) continue;
      left = x < left ? x : left;
      right = x + 1 > right ? x + 1 : right;
      top = y < top ? y : top;
      bottom = y + 1 > bottom ? y + 1 : bottom;
    }
  return (struct sciara_box){left, top, right - left, bottom - top};
}

TEST(letters_differ) {
  enum { LETTERS = '~' - '!' + 1 };
  static uint32_t drawn[LETTERS][WIDTH * HEIGHT];
  for (int k = 0; k < LETTERS; k++) {
    const char text[] = {(char)('!' + k), '\0'};
    const struct sciara_writing w = of(text);
    write_text(&w, 0);
    memcpy(drawn[k], picture.pixels, sizeof drawn[k]);
    for (int other = 0; other < k; other++)
      ck_assert_msg(memcmp(drawn[other], drawn[k], sizeof drawn[k]) != 0, "%c and %c are the same", '!' + other,
                    '!' + k);
  }
}

TEST(decomposed_text_is_composed_text) {
  ck_assert_double_eq_tol(width_of("E\u0301t\u00E9"), width_of("\u00C9te\u0301"), 0.5);
}

TEST(invalid_bytes_do_no_harm) {
  ck_assert_double_gt(width_of("\xFF\xFE"), 5);
  ck_assert_double_gt(width_of("\xE2\x80"), 5);
  ck_assert_double_eq(width_of("a\nb\x1b"
                               "c"),
                      width_of("a b c"));
  ck_assert_uint_eq(sciara_lettering_unknown(&letters, "a\n\x1b b"), 0);
  ck_assert_uint_eq(sciara_lettering_unknown(&letters, "a\uE123\uE124"), 2); // for private use: no font has them
  static char endless[1 << 20];
  memset(endless, 'm', sizeof endless - 1);
  ck_assert_double_lt(width_of(endless), 1001 * width_of("m"));
  ck_assert_int_eq(letters.failed, SCIARA_OK);
}

TEST(text_grows_with_its_capitals) {
  struct sciara_writing w = of("HHHH");
  struct sciara_box small = write_text(&w, 0);
  ck_assert_double_eq_tol(inked().height, 15, 1.01);
  ck_assert_double_eq_tol(inked().y + inked().height, BASE, 1.01); // stands on the base line
  w.capital = 45;
  ck_assert_double_eq_tol(write_text(&w, 0).width, 3 * small.width, 6);
  ck_assert_double_eq_tol(inked().height, 45, 1.01);
  w.bold = true;
  ck_assert_double_gt(sciara_lettering_measure(&letters, &w).width, 3 * small.width + 10);
}

TEST(anchors) {
  const struct sciara_writing w = of("anchored");
  const double width = width_of("anchored");
  for (int k = 0; k <= 2; k++) {
    write_text(&w, 0.5 * k);
    ck_assert_double_eq_tol(inked().x, X - 0.5 * k * width, 3);
  }
}

TEST(what_has_no_room_is_cut) {
  struct sciara_writing w =
      of("an eruption of which there is much to say, much more than there is room for in two lines");
  const double line = sciara_lettering_measure(&letters, &w).height, all = width_of(w.text);
  for (double width = 60; width < all; width *= 1.4)
    for (int lines = 1; lines <= 3; lines++) {
      w.width = width;
      w.lines = lines;
      const struct sciara_box box = sciara_lettering_measure(&letters, &w);
      ck_assert_msg(box.width <= width + 0.01, "%g wide, expected %g", box.width, width);
      ck_assert_msg(box.height <= lines * line + 1, "%g high in %d lines", box.height, lines);
      ck_assert_msg(box.width > 0.5 * width, "%g wide of %g", box.width, width);
    }
  w.lines = 3;
  w.width = all + 1;
  ck_assert_double_eq_tol(sciara_lettering_measure(&letters, &w).height, line, 0.01);
}

TEST(text_from_the_right_begins_at_the_right) {
  struct sciara_writing w = of("\u062B\u0648\u0631\u0627\u0646");
  w.width = 250;
  w.lines = 1;
  const struct sciara_box box = write_text(&w, 0);
  ck_assert_double_eq_tol(box.x + box.width, X + 250, 4);
  ck_assert_double_gt(box.x, X + 100);
}

RUN_TESTS(.setup = setup, .teardown = teardown)
