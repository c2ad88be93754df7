// SPDX-License-Identifier: Apache-2.0
// Claims about picture/map_picture.h: size, what is drawn where, and that every grid gets a picture.
#include "picture/map_picture.h"

#include "gdal_fixture.h"

enum { ROWS = 90, COLS = 130 };
static struct sciara_grid grid = {.rows = ROWS, .cols = COLS, .cell_size = 10, .west = 499547.5, .north = 4178762.5};
static double deposit[ROWS * COLS], altitude[ROWS * COLS];
static uint8_t observed[ROWS * COLS], pixels[3 * 2000 * 2000];
static int width, height;

/** A cone in the sea with lava on its eastern side. */
static void prepare(void) {
  setup();
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < COLS; c++) {
      const double d = hypot(r - 45, c - 50);
      altitude[r * COLS + c] = c > 118 ? SCIARA_NODATA_ALTITUDE : 900 - 9 * d;
      deposit[r * COLS + c] = abs(r - 45) < 5 && c > 50 && c < 105 ? 0.1 + 0.05 * (105 - c) : -9999;
      observed[r * COLS + c] = abs(r - 45) < 10 && c > 40 && c < 80;
    }
}

static struct sciara_map map = {.grid = &grid, .values = deposit, .nodata = -9999, .name = "deposit", .unit = "m"};

static struct sciara_map_picture picture(void) {
  return (struct sciara_map_picture){.map = &map, .altitude = altitude};
}

/** Writes the picture and reads it back. */
static void draw(const struct sciara_map_picture *q) {
  const char *path = in_folder("a.png");
  ck_assert_msg(sciara_map_write_png(q, path) == SCIARA_OK, "%s", sciara_last_error());
  GDALDatasetH d = GDALOpen(path, GA_ReadOnly);
  ck_assert_ptr_nonnull(d);
  width = GDALGetRasterXSize(d);
  height = GDALGetRasterYSize(d);
  ck_assert(GDALGetRasterCount(d) == 3 && width <= 2000 && height <= 2000);
  ck_assert_int_eq(
      GDALDatasetRasterIO(d, GF_Read, 0, 0, width, height, pixels, width, height, GDT_Byte, 3, NULL, 3, 3 * width, 1),
      CE_None);
  GDALClose(d);
}

static const uint8_t *pixel(int x, int y) { return pixels + 3 * ((int64_t)y * width + x); }

static bool is(const uint8_t *p, int red, int green, int blue) {
  return abs(p[0] - red) < 3 && abs(p[1] - green) < 3 && abs(p[2] - blue) < 3;
}

/** The upper left corner of the map: below and right of the first corner of a dark frame with blank paper above it. */
static void find_map(int *left, int *top) {
  for (int y = 1; y < height; y++)
    for (int x = 1; x < width / 4; x++) {
      int dark = 0;
      while (x + dark < width && is(pixel(x + dark, y), 30, 30, 30)) dark++;
      if (dark < width / 2) continue;
      *left = x + 1;
      *top = y + 1;
      return;
    }
  ck_abort_msg("there is no frame");
}

START_TEST(shows_ground_lava_and_sea) {
  const struct sciara_map_picture q = picture();
  int left, top;
  draw(&q);
  ck_assert_msg(width % 2 == 0 && height % 2 == 0 && width > 8 * COLS && width < 9 * COLS, "%d x %d", width, height);
  find_map(&left, &top);
  const int zoom = 8; // the smallest that makes the longer side 1000 pixels
  const uint8_t *north_west = pixel(left + zoom * 25, top + zoom * 20),
                *south_east = pixel(left + zoom * 75, top + zoom * 70),
                *lava = pixel(left + zoom * 60 + 4, top + zoom * 45 + 4),
                *sea = pixel(left + zoom * 125 + 4, top + zoom * 10 + 4);
  ck_assert_int_eq(north_west[0], north_west[2]);      // grey
  ck_assert_int_gt(north_west[0], south_east[0] + 50); // lit from the north-west
  ck_assert_int_gt(lava[0], lava[2] + 50);             // warm
  ck_assert(is(sea, 204, 226, 240));
  // The lava's edges are those of its cells, at the cell.
  ck_assert(is(pixel(left + zoom * 119, top + 400), 204, 226, 240) &&
            !is(pixel(left + zoom * 119 - 1, top + 400), 204, 226, 240));
  const uint8_t *first = pixel(left + zoom * 51, top + zoom * 45),
                *before = pixel(left + zoom * 51 - 1, top + zoom * 45);
  ck_assert(first[0] > first[2] + 50 && before[0] == before[2]);
}
END_TEST

/** How many pixels of the map differ between the picture and one drawn with `q`. */
static int differing(const struct sciara_map_picture *q) {
  static uint8_t before[sizeof pixels];
  int count = 0;
  const int old_width = width;
  memcpy(before, pixels, sizeof pixels);
  draw(q);
  ck_assert_int_eq(width, old_width);
  for (int64_t i = 0; i < (int64_t)width * height; i++) count += memcmp(before + 3 * i, pixels + 3 * i, 3) != 0;
  return count;
}

START_TEST(the_outline_is_a_dark_line_with_light_edges) {
  struct sciara_map_picture q = picture();
  int left, top;
  q.width = 1000;
  q.observed = observed;
  draw(&q);
  find_map(&left, &top);
  const double cell = (1000.0 - 2 * left) / COLS;
  // Across the southern border of the extent, which lies on the ground: light, dark, light.
  const int x = left + (int)(60 * cell), y = top + (int)lround(55 * cell);
  int darkest = 255, lightest_above = 0, lightest_below = 0;
  for (int k = -1; k <= 0; k++) darkest = pixel(x, y + k)[0] < darkest ? pixel(x, y + k)[0] : darkest;
  for (int k = 1; k <= 3; k++) {
    lightest_above = pixel(x, y - 1 - k)[0] > lightest_above ? pixel(x, y - 1 - k)[0] : lightest_above;
    lightest_below = pixel(x, y + k)[0] > lightest_below ? pixel(x, y + k)[0] : lightest_below;
  }
  ck_assert_msg(darkest < 60 && lightest_above > 240 && lightest_below > 240, "%d %d %d", darkest, lightest_above,
                lightest_below);
  ck_assert_int_eq(pixel(left + (int)(60 * cell), top + (int)(70 * cell))[0],
                   pixel(left + (int)(60 * cell), top + (int)(70 * cell))[2]);
}
END_TEST

START_TEST(title_time_and_stamp_are_drawn) {
  struct sciara_map_picture q = picture();
  const double time = 86430;
  q.time_s = &time;
  q.width = 640;
  draw(&q);
  ck_assert_int_eq(differing(&q), 0);
  q.start = "2026-05-10T04:00:00Z";
  ck_assert_int_gt(differing(&q), 200); // the date
  q.stamp = "UNVERIFIED";
  ck_assert_int_gt(differing(&q), 4000);
  const int untitled = height;
  map.title = "Etna";
  draw(&q);
  ck_assert_int_gt(height, untitled);
  const int one_line = height;
  map.title =
      "A title that is so long that it goes on and on over more lines than a picture ever has room for above its map, "
      "and then some more, and more, until nobody reads it any longer";
  draw(&q);
  ck_assert_int_gt(height, one_line);
  ck_assert_int_lt(height, 2 * one_line);
  logged[0] = '\0';
  map.title = "\u706B";
  draw(&q);
  map.title = NULL;
  assert_contains(logged, "1 letters of the title have no shape here");
}
END_TEST

START_TEST(the_range_given_is_the_range_of_the_colours) {
  struct sciara_map_picture q = picture();
  draw(&q);
  q.low = 0;
  q.high = 2.7; // the legend of the values themselves ends at 3 as well
  ck_assert_int_eq(differing(&q), 0);
  q.high = 50;
  ck_assert_int_gt(differing(&q), 500);
}
END_TEST

START_TEST(every_grid_and_width_gets_a_picture) {
  static double flat[3 * 5000];
  struct sciara_grid odd[] = {{3, 3, 10, 0, 0}, {3, 5000, 10, 0, 0}, {5000, 3, 10, 0, 0}, {1, 1, 1e-3, 0, 0}};
  const int widths[] = {0, 320, 321, 1999};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
      struct sciara_map m = map;
      m.grid = &odd[i];
      m.values = flat;
      struct sciara_map_picture q = {.map = &m, .altitude = flat, .width = widths[w], .stamp = "X"};
      const char *path = in_folder("a.png");
      ck_assert_msg(sciara_map_write_png(&q, path) == SCIARA_OK, "%s", sciara_last_error());
      GDALDatasetH d = GDALOpen(path, GA_ReadOnly);
      if (widths[w]) ck_assert_int_eq(GDALGetRasterXSize(d), widths[w] + widths[w] % 2);
      ck_assert(GDALGetRasterYSize(d) % 2 == 0 && GDALGetRasterYSize(d) < 5200);
      GDALClose(d);
    }
  struct sciara_map_picture q = picture();
  q.width = 319;
  ck_assert_int_eq(sciara_map_write_png(&q, in_folder("a.png")), SCIARA_ERR_USAGE);
  q.width = 10001;
  ck_assert_int_eq(sciara_map_write_png(&q, in_folder("a.png")), SCIARA_ERR_USAGE);
}
END_TEST

START_TEST(a_map_of_nothing_says_so) {
  struct sciara_map_picture q = picture();
  double nothing[ROWS * COLS];
  for (int i = 0; i < ROWS * COLS; i++) nothing[i] = -9999;
  struct sciara_map m = map;
  m.values = nothing;
  q.map = &m;
  q.width = 600;
  draw(&q);
  for (int64_t i = 0; i < ROWS * COLS; i++) nothing[i] = i == 0 ? 1 : -9999;
  q.low = 0;
  q.high = 1;
  ck_assert_int_gt(differing(&q), 60); // ": none"
}
END_TEST

int main(void) {
  Suite *s = suite_create("map_picture");
  TCase *t = tcase_create("map_picture");
  tcase_add_checked_fixture(t, prepare, teardown);
  tcase_set_timeout(t, 60);
  tcase_add_test(t, shows_ground_lava_and_sea);
  tcase_add_test(t, the_outline_is_a_dark_line_with_light_edges);
  tcase_add_test(t, title_time_and_stamp_are_drawn);
  tcase_add_test(t, the_range_given_is_the_range_of_the_colours);
  tcase_add_test(t, every_grid_and_width_gets_a_picture);
  tcase_add_test(t, a_map_of_nothing_says_so);
  suite_add_tcase(s, t);
  return run_suite(s);
}
