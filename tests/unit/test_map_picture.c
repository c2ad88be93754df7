// SPDX-License-Identifier: Apache-2.0
// Claims about picture/map_picture.h: size, what is drawn where, that nothing overlaps, and that every grid gets a
// picture.
#include "picture/map_picture.h"

#include "file/georef.h"
#include "gdal_fixture.h"
#include "picture/map_picture_parts.h"

enum { ROWS = 90, COLS = 130 };
static struct sciara_grid grid = {.rows = ROWS, .cols = COLS, .cell_size = 10, .west = 499547.5, .north = 4178762.5};
static double deposit[ROWS * COLS], altitude[ROWS * COLS];
static uint8_t observed[ROWS * COLS], sea[ROWS * COLS], pixels[3 * 2000 * 2000];
static int width, height;

/** A cone in the sea with lava on its eastern side. */
static void prepare(void) {
  setup();
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < COLS; c++) {
      const double d = hypot(r - 45, c - 50);
      altitude[r * COLS + c] = c > 118 ? SCIARA_NODATA_ALTITUDE : 900 - 9 * d;
      deposit[r * COLS + c] = abs(r - 45) < 5 && c > 50 && c < 105 ? 0.1 + 0.05 * (105 - c) : -9999;
      sea[r * COLS + c] = c > 124;
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
  expect_ok(sciara_map_write_png(q, path));
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

TEST(shows_ground_lava_sea_and_what_is_unknown) {
  struct sciara_map_picture q = picture();
  int left, top;
  q.sea = sea;
  draw(&q);
  ck_assert_msg(width % 2 == 0 && height % 2 == 0 && width > 8 * COLS && width < 9 * COLS, "%d x %d", width, height);
  find_map(&left, &top);
  const int zoom = 8; // the smallest that makes the longer side 1000 pixels
  const uint8_t *north_west = pixel(left + zoom * 25, top + zoom * 20),
                *south_east = pixel(left + zoom * 75, top + zoom * 70),
                *lava = pixel(left + zoom * 60 + 4, top + zoom * 45 + 4),
                *unknown = pixel(left + zoom * 122 + 4, top + zoom * 10 + 4),
                *in_the_sea = pixel(left + zoom * 125 + 4, top + zoom * 10 + 4);
  ck_assert_int_eq(north_west[0], north_west[2]);      // grey
  ck_assert_int_gt(north_west[0], south_east[0] + 50); // lit from the north-west
  ck_assert_int_gt(lava[0], lava[2] + 50);             // warm
  ck_assert(is(unknown, 238, 238, 234) && is(in_the_sea, 170, 205, 230));
  // The lava's edges are those of its cells, at the cell.
  ck_assert(is(pixel(left + zoom * 119, top + 400), 238, 238, 234) &&
            !is(pixel(left + zoom * 119 - 1, top + 400), 238, 238, 234));
  const uint8_t *first = pixel(left + zoom * 51, top + zoom * 45),
                *before = pixel(left + zoom * 51 - 1, top + zoom * 45);
  ck_assert(first[0] > first[2] + 50 && before[0] == before[2]);
}

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

/** On level ground a cell has exactly the colour of its value, whatever is drawn around the map. */
TEST(cells_have_their_colours) {
  static double flat[ROWS * COLS], values[ROWS * COLS];
  for (int i = 0; i < ROWS * COLS; i++) {
    flat[i] = 700;
    values[i] = i % 7 ? 8.0 * (i * 31 % 1000) / 999 : -9999;
  }
  struct sciara_map m = map;
  m.values = values;
  const struct sciara_map_kind kinds[] = {{"one", {1, 2, 3}}, {"two", {240, 228, 66}}};
  for (int of_kinds = 0; of_kinds <= 1; of_kinds++) {
    struct sciara_map_picture q = {.map = &m, .altitude = flat};
    OWNED(sciara_map_drawing_free) struct sciara_map_drawing d = {0};
    if (of_kinds) {
      q.kind = kinds;
      q.kinds = 2;
      for (int i = 0; i < ROWS * COLS; i++) values[i] = i % 7 ? i % 2 : -9999;
    }
    expect_ok(sciara_map_draw(&q, "test", &d));
    const int64_t zoom = d.map.width / COLS;
    ck_assert(zoom == 8 && d.map.width == COLS * zoom && d.map.height == ROWS * zoom);
    for (int i = 0; i < ROWS * COLS; i++) {
      const int64_t x = d.map.x + i % COLS * zoom + zoom / 2, y = d.map.y + i / COLS * zoom + zoom / 2;
      const uint32_t found = d.picture.pixels[y * d.picture.width + x] & 0xFFFFFF;
      uint8_t c[3] = {198, 198, 198}; // of the ground: 85 + 160 sin 45 degrees
      if (values[i] != -9999 && of_kinds) memcpy(c, kinds[i % 2].rgb, 3);
      if (values[i] != -9999 && !of_kinds) sciara_ramp_colour(sciara_ramp_for("deposit"), values[i] / 8, c);
      ck_assert_msg(found == ((uint32_t)c[0] << 16 | (uint32_t)c[1] << 8 | c[2]), "cell %d: %06x", i, found);
    }
  }
}

/** The colour bar shows the colours of the map; the squares of kinds have the colours of their cells. */
TEST(the_legend_has_the_colours_of_the_map) {
  struct sciara_map_picture q = picture();
  struct sciara_map_drawing d = {0};
  int bars = 0;
  q.width = 1200;
  expect_ok(sciara_map_draw(&q, "test", &d));
  for (int k = 0; k < d.picture.boxes; k++) {
    const struct sciara_box *b = &d.picture.box[k];
    const double high = round(1.3 * d.letter) + 2 * fmax(1, round(d.letter / 12));
    if (b->y < (double)(d.map.y + d.map.height) || b->width < 400 || b->height != high) continue;
    bars++;
    for (int i = 2; i < (int)b->width - 2; i++) {
      const uint32_t found = d.picture.pixels[(int64_t)(b->y + 0.5 * b->height) * d.picture.width + (int64_t)b->x + i];
      uint8_t c[3];
      sciara_ramp_colour(sciara_ramp_for("deposit"), (i - 0.5) / (b->width - 2), c);
      for (int j = 0; j < 3; j++)
        ck_assert_msg(abs((int)(found >> (16 - 8 * j) & 0xFF) - c[j]) <= 3, "at %d: %06x", i, found);
    }
  }
  ck_assert_int_eq(bars, 1);
  sciara_map_drawing_free(&d);
  const struct sciara_map_kind kinds[] = {{"one", {1, 2, 3}}, {"two", {240, 228, 66}}};
  struct sciara_map m = map;
  double none[ROWS * COLS];
  for (int i = 0; i < ROWS * COLS; i++) none[i] = -9999;
  m.values = none;
  q.map = &m;
  q.kind = kinds;
  q.kinds = 2;
  expect_ok(sciara_map_draw(&q, "test", &d));
  int pixels_of[2] = {0, 0};
  for (int64_t i = 0; i < d.picture.width * d.picture.height; i++)
    for (int k = 0; k < 2; k++) pixels_of[k] += (d.picture.pixels[i] & 0xFFFFFF) == (k ? 0xF0E442 : 0x010203);
  ck_assert(pixels_of[0] == pixels_of[1] && pixels_of[0] > 100 && pixels_of[0] < 1000);
  sciara_map_drawing_free(&d);
}

/** Whether the scale bar, the box of that height, is as long as a round number of metres. */
static bool is_round_bar(const struct sciara_map_drawing *d, const struct sciara_box *b) {
  const double line = fmax(1, round(d->letter / 12)), px = b->width - 2 * line;
  const double metres_per_px = grid.cell_size * (double)d->q->map->grid->cols / (double)d->map.width;
  for (double power = 1e-6; power < 1e9; power *= 10)
    for (int k = 0; k < 3; k++)
      if (fabs((k == 0 ? 1 : k == 1 ? 2 : 5) * power / metres_per_px - px) <= 0.5) return true;
  return false;
}

/** Every text and symbol lies in the picture, and none overlaps another. */
static void assert_laid_out(const struct sciara_map_drawing *d, const char *what) {
  const struct sciara_picture *p = &d->picture;
  const double bar = round(0.55 * d->letter) + 2 * fmax(1, round(d->letter / 12));
  int bars = 0;
  ck_assert_int_lt(p->boxes, SCIARA_PICTURE_BOXES);
  ck_assert_msg(p->boxes > 8, "%s: %d boxes", what, p->boxes);
  for (int k = 0; k < p->boxes; k++) {
    const struct sciara_box *a = &p->box[k];
    ck_assert_msg(a->x >= 1 && a->y >= 1 && a->x + a->width <= (double)p->width - 1 &&
                      a->y + a->height <= (double)p->height - 1,
                  "%s: %g %g %g %g leaves the picture of %" PRId64 " x %" PRId64, what, a->x, a->y, a->width, a->height,
                  p->width, p->height);
    for (int other = 0; other < k; other++) {
      const struct sciara_box *b = &p->box[other];
      ck_assert_msg(
          a->x + a->width <= b->x || b->x + b->width <= a->x || a->y + a->height <= b->y || b->y + b->height <= a->y,
          "%s: %g %g %g %g covers %g %g %g %g", what, a->x, a->y, a->width, a->height, b->x, b->y, b->width, b->height);
    }
    if (a->y > (double)(d->map.y + d->map.height) && a->height == bar && is_round_bar(d, a)) bars++;
  }
  ck_assert_msg(bars == 1, "%s: %d scale bars of round length", what, bars);
}

TEST(nothing_covers_anything_else) {
  static const char *const texts[] = {
      NULL,
      "E",
      "A title that runs on and on over more lines than there is room for above a map, and on, and on, and on",
      "\u062B\u0648\u0631\u0627\u0646 \u0628\u0631\u0643\u0627\u0646 \u0625\u062A\u0646\u0627",
      "\u685C\u5CF6\u706B\u5C71\u306E\u5674\u706B",
      "gjpqy\u00C5\u1EBE"};
  static const struct {
    const char *name, *unit;
    double low, high;
  } scales[] = {{"deposit", "m", 0, 2.7},          {"temperature", "K", 1100, 1400},
                {"arrival_time", "s", 0, 8e7},     {"momentum_x", "m2 s-1", -3e4, 9e5},
                {"solid_thickness", "m", 0, 3e-7}, {"deposit", "m", -123456, 123457}};
  static const char long_name[] =
      "A projected coordinate reference system of which the name has more words than others have "
      "letters, zone 33 (EPSG:32633)";
  char crs[sizeof long_name];
  memcpy(crs, long_name, sizeof crs);
  const struct sciara_georef georef = {.crs_name = crs};
  const struct sciara_map_kind kinds[] = {{"Hits: run and observed", {1, 2, 3}},
                                          {"Misses: observed, not run", {3, 2, 1}},
                                          {"Excess: run, not observed", {9, 9, 9}}};
  const struct sciara_grid shapes[] = {grid,
                                       {.rows = 3, .cols = ROWS * COLS / 3, .cell_size = 10},
                                       {.rows = ROWS * COLS / 3, .cols = 3, .cell_size = 10}};
  const struct sciara_point place[2] = {{499700, 4178700}, {499900, 4178400}};
  const struct sciara_map_vent vents[2] = {{place, 1, 1}, {place, 2, 1}};
  const struct sciara_map_run_out run_out = {{500000, 4178000}, 123456};
  const struct sciara_map_volumes volumes = {
      .lava = "Lava up to this time: 1e7 m3. Still liquid, and able to advance: 12 %",
      .emitted = 1e7,
      .left_map = 12345,
      .entered_sea = 1.5e6,
      .added = 5,
      .removed = 1e3};
  cairo_surface_t *logo = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 300, 20);
  const int widths[] = {0, 320, 321, 400, 480, 640, 999, 2000};
  const double times[] = {0, 1e9};
  double nothing[ROWS * COLS];
  for (int i = 0; i < ROWS * COLS; i++) nothing[i] = -9999;
  const size_t cases = sizeof texts / sizeof *texts * (sizeof scales / sizeof *scales);
  for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
    for (size_t k = w % 5; k < cases; k += widths[w] == 0 || widths[w] > 900 ? 17 : 5) { // a few of them for each width
      const size_t t = k % (sizeof texts / sizeof *texts), s = k / (sizeof texts / sizeof *texts);
      const struct sciara_map m = {.grid = &shapes[k % 3],
                                   .georef = k % 2 ? &georef : NULL,
                                   .values = nothing,
                                   .nodata = -9999,
                                   .name = scales[s].name,
                                   .unit = scales[s].unit,
                                   .title = texts[t]};
      struct sciara_map_picture q = {.map = &m,
                                     .altitude = altitude,
                                     .width = widths[w],
                                     .low = scales[s].low,
                                     .high = scales[s].high,
                                     .time_s = &times[k % 2],
                                     .start = "2026-05-10T04:00:00Z",
                                     .observed = k % 2 ? observed : NULL,
                                     .stamp = texts[t],
                                     .language = (enum sciara_language)(k % SCIARA_LANGUAGES)};
      if (k % 5 == 0) {
        q.kind = kinds;
        q.kinds = 3;
      }
      if (k % 4) {
        q.vent = vents;
        q.vents = 2;
        q.run_out = &run_out;
        q.volumes = &volumes;
        q.issued = "2026-05-10 04:00 UTC";
        q.valid_until = k % 3 ? "2026-05-11" : NULL;
        q.credits = texts[t];
        q.note = texts[(t + 2) % 6];
        q.sea = k % 3 ? sea : NULL;
        q.logo = k % 2 ? logo : NULL;
      }
      OWNED(sciara_map_drawing_free) struct sciara_map_drawing d = {0};
      char what[96];
      snprintf(what, sizeof what, "width %d, title %zu, scale %zu, shape %zu", widths[w], t, s, k % 3);
      ck_assert_msg(sciara_map_draw(&q, "test", &d) == SCIARA_OK, "%s: %s", what, sciara_last_error());
      assert_laid_out(&d, what);
    }
  sciara_logo_free(logo);
}

static uint32_t drawn(const struct sciara_map_drawing *d, int64_t x, int64_t y) {
  return d->picture.pixels[y * d->picture.width + x] & 0xFFFFFF;
}

static void draw_to(const struct sciara_map_picture *q, struct sciara_map_drawing *d) {
  *d = (struct sciara_map_drawing){0};
  expect_ok(sciara_map_draw(q, "test", d));
}

/** Ticks of a side: how many, and that each lies at a multiple of `step` m. */
static void check_ticks(const struct sciara_map_drawing *d, bool up, double step, int expected) {
  const struct sciara_map_place *m = &d->map;
  const int64_t length = up ? m->height : m->width;
  const double per_px = 10.0 * (double)(up ? ROWS : COLS) / (double)length;
  int ticks = 0;
  for (int64_t i = 0; i < length; i++) {
    const bool dark =
        up ? drawn(d, m->x - 4, m->y + i) == 0x1E1E1E : drawn(d, m->x + i, m->y + m->height + 3) == 0x1E1E1E;
    const bool before = i && (up ? drawn(d, m->x - 4, m->y + i - 1) == 0x1E1E1E
                                 : drawn(d, m->x + i - 1, m->y + m->height + 3) == 0x1E1E1E);
    if (!dark || before) continue;
    const double at = up ? grid.north - (double)i * per_px : grid.west + (double)i * per_px;
    ck_assert_msg(fabs(at - step * round(at / step)) <= 1.5 * per_px, "a tick at %.3f", at);
    ticks++;
  }
  ck_assert_int_eq(ticks, expected);
}

TEST(ticks_lie_at_round_coordinates) {
  OWNED(sciara_map_drawing_free) struct sciara_map_drawing d;
  const struct sciara_map_picture q = picture();
  draw_to(&q, &d);
  check_ticks(&d, false, 200, 7); // 499547.5 to 500847.5
  check_ticks(&d, true, 200, 4);  // 4177862.5 to 4178762.5
}

TEST(a_window_shows_its_cells) {
  OWNED(sciara_map_drawing_free) struct sciara_map_drawing whole, part;
  const struct sciara_map_window window = {30, 45, 40, 50};
  struct sciara_map_picture q = picture();
  q.observed = observed;
  draw_to(&q, &whole);
  q.window = &window;
  draw_to(&q, &part);
  ck_assert_int_eq(part.map.width, 20 * window.cols); // enlarged to 1000 pixels
  ck_assert_int_eq(part.map.height, 20 * window.rows);
  for (int64_t r = 0; r < window.rows; r += 3)
    for (int64_t c = 0; c < window.cols; c += 3) {
      const int64_t x = part.map.x + 20 * c + 10, y = part.map.y + 20 * r + 10;
      const int64_t wx = whole.map.x + 8 * (window.col + c) + 4, wy = whole.map.y + 8 * (window.row + r) + 4;
      for (int k = 0; k < 3; k++) {
        const int a = drawn(&part, x, y) >> 8 * k & 0xFF, b = drawn(&whole, wx, wy) >> 8 * k & 0xFF;
        ck_assert_msg(abs(a - b) <= 2, "cell %d, %d: %06x, %06x", (int)r, (int)c, drawn(&part, x, y),
                      drawn(&whole, wx, wy));
      }
    }
  ck_assert_double_eq(part.grid.west, grid.west + 450);
  ck_assert_double_eq(part.grid.north, grid.north - 300);
  // The window cuts through the observed extent: no line is drawn along its western edge.
  for (int64_t y = 20 * 10; y < 20 * 20; y++) ck_assert_uint_ne(drawn(&part, part.map.x, part.map.y + y), 0x1E1E1E);
}

TEST(vents_and_run_out_are_marked_where_they_are) {
  const struct sciara_point place[4] = {{grid.west + 205, grid.north - 155},
                                        {grid.west + 405, grid.north - 655},
                                        {grid.west + 805, grid.north - 655},
                                        {1e300, -1e300}};
  const struct sciara_map_vent vents[] = {{place, 1, 1}, {place + 1, 2, 1}, {place + 3, 1, 1}};
  const struct sciara_map_run_out run_out = {{grid.west + 1005, grid.north - 105}, 1234};
  struct sciara_map_picture q = picture();
  struct sciara_map_drawing d;
  draw_to(&q, &d);
  const int64_t at[3][2] = {{20 * 8 + 4, 15 * 8 + 4}, {60 * 8 + 4, 65 * 8 + 4}, {100 * 8 + 4, 10 * 8 + 4}};
  const uint32_t colour[3] = {0x00C8D7, 0x00C8D7, 0xFFF05A};
  for (int k = 0; k < 3; k++) ck_assert_uint_ne(drawn(&d, d.map.x + at[k][0], d.map.y + at[k][1]), colour[k]);
  sciara_map_drawing_free(&d);
  q.vent = vents;
  q.vents = 3;
  q.run_out = &run_out;
  draw_to(&q, &d);
  for (int k = 0; k < 3; k++)
    ck_assert_msg(drawn(&d, d.map.x + at[k][0], d.map.y + at[k][1]) == colour[k], "mark %d: %06x", k,
                  drawn(&d, d.map.x + at[k][0], d.map.y + at[k][1]));
  sciara_map_drawing_free(&d);
}

TEST(a_logo_is_a_small_png_file) {
  cairo_surface_t *logo;
  struct sciara_map_picture q = picture();
  q.width = 320;
  const char *path = in_folder("logo.png");
  expect_ok(sciara_map_write_png(&q, path));
  expect_ok(sciara_logo_read(path, &logo));
  ck_assert_int_eq(cairo_image_surface_get_width(logo), 320);
  ck_assert_int_eq(cairo_image_surface_get_data(logo)[0], 255);
  sciara_logo_free(logo);
  q.width = 2002;
  expect_ok(sciara_map_write_png(&q, path));
  expect_error(sciara_logo_read(path, &logo), SCIARA_ERR_INPUT,
               "expected a logo of at most 2000 x 2000 pixels, found 2002 x");
  FILE *f = fopen(path, "r+b"); // cut in the middle
  ck_assert_ptr_nonnull(f);
  const uint8_t small[8] = {0, 0, 0, 9, 0, 0, 0, 9};
  fseek(f, 16, SEEK_SET);
  fwrite(small, 1, sizeof small, f);
  fclose(f);
  expect_error(sciara_logo_read(path, &logo), SCIARA_ERR_INPUT, "cannot be read as PNG");
  ck_assert_int_eq(sciara_logo_read(in_folder("none.png"), &logo), SCIARA_ERR_IO);
  write_text(path, "<svg>no picture of this kind</svg>");
  expect_error(sciara_logo_read(path, &logo), SCIARA_ERR_INPUT, "expected a PNG file as logo");
}

TEST(a_map_of_nothing_says_so) {
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

// ---------------------------------------------------------------------------------------- what is written, and where

/** The texts of a picture in their order, and where they stand, px; right: above 0 where they are read from left to right. */
static struct {
  char text[256];
  double left, x, y, right; ///< (x, y): the middle
} written[128];
static int texts;

static void note(cairo_t *c, PangoLayout *layout) {
  double x, y, down = 0;
  PangoRectangle size;
  if (texts == 128) return;
  pango_layout_get_pixel_extents(layout, NULL, &size);
  cairo_get_current_point(c, &x, &y);
  x += 0.5 * size.width;
  y += 0.5 * size.height;
  cairo_user_to_device(c, &x, &y);
  snprintf(written[texts].text, sizeof written->text, "%s", pango_layout_get_text(layout));
  written[texts].left = x - 0.5 * size.width;
  written[texts].x = x;
  written[texts].y = y;
  written[texts].right = 1;
  cairo_user_to_device_distance(c, &written[texts++].right, &down);
}

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): names that the linker requires
typedef void show(cairo_t *, PangoLayout *);
show __real_pango_cairo_show_layout, __wrap_pango_cairo_show_layout;
show __real_pango_cairo_layout_path, __wrap_pango_cairo_layout_path;
void __wrap_pango_cairo_show_layout(cairo_t *c, PangoLayout *layout) {
  note(c, layout);
  __real_pango_cairo_show_layout(c, layout);
}
void __wrap_pango_cairo_layout_path(cairo_t *c, PangoLayout *layout) {
  note(c, layout);
  __real_pango_cairo_layout_path(c, layout);
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)

/** Draws, and notes the texts. */
static void write_down(const struct sciara_map_picture *q, struct sciara_map_drawing *d) {
  texts = 0;
  draw_to(q, d);
}

/** The number of the last text that has this part. */
static int find_text(const char *part) {
  int k = texts - 1;
  while (k >= 0 && !strstr(written[k].text, part)) k--;
  ck_assert_msg(k >= 0, "nothing of \"%s\" is written", part);
  return k;
}

/** Each coordinate beside the map says where it stands, and each degree on it; they go on across 180 degrees. */
TEST(coordinates_say_where_they_stand) {
  char crs[] = "EPSG:32601", side;
  const struct sciara_georef georef = {.crs_wkt = crs};
  struct sciara_grid g = grid;
  struct sciara_map m = map;
  struct sciara_map_picture q = picture();
  OWNED(sciara_map_drawing_free) struct sciara_map_drawing d;
  expect_ok(sciara_georef_from_lonlat(crs, 180, 37.73, &g.west, &g.north));
  g.west -= 5.0 * COLS;
  m.grid = &g;
  m.georef = &georef;
  q.map = &m;
  q.graticule = true;
  write_down(&q, &d);
  int count[128] = {0};
  for (int k = 0; k < texts; k++) {
    double value, minutes, x = g.west + (written[k].x - (double)d.map.x) * 10.0 * COLS / (double)d.map.width,
                           y = g.north - (written[k].y - (double)d.map.y) * 10.0 * ROWS / (double)d.map.height;
    if (sscanf(written[k].text, "%lf\u00A0m\u00A0%c", &value, &side) == 2) {
      ck_assert_msg(fabs(value - (side == 'E' ? x : y)) <= 3, "%s at %.1f, %.1f", written[k].text, x, y);
      count[side == 'E' ? 'x' : 'y']++;
    } else if (sscanf(written[k].text, "%lf°%lf′%c", &value, &minutes, &side) == 3) {
      expect_ok(sciara_georef_to_lonlat(crs, 1, &x, &y));
      value = (value + minutes / 60) * (side == 'W' ? -1 : 1);
      const double off = side == 'N' ? value - y : remainder(value - x, 360);
      ck_assert_msg(fabs(off) < 0.05 / 60 && fabs(value) <= 180, "%s at %.5f, %.5f", written[k].text, x, y);
      count[(int)side]++;
    }
  }
  for (const char *c = "xyEWN"; *c; c++) ck_assert_msg(count[(int)*c] > 1, "%c: %d", *c, count[(int)*c]);
}

/** A legend of classes of time has the edges in hours, each where its colour begins. */
TEST(legends_say_what_their_colours_are) {
  static const char *const labels[] = {"1", "2", "6"};
  const double edges[] = {3600, 7200, 21600};
  double seconds[ROWS * COLS];
  for (int i = 0; i < ROWS * COLS; i++) seconds[i] = 60.0 * i;
  struct sciara_map m = map;
  struct sciara_map_picture q = picture();
  OWNED(sciara_map_drawing_free) struct sciara_map_drawing d;
  m.values = seconds;
  m.name = "arrival_time";
  m.unit = "s";
  q.map = &m;
  q.edges = edges;
  q.edge_count = 3;
  write_down(&q, &d);
  const int head = find_text(" (h)");
  const double block = written[head + 1].x - written[head].left;
  for (int k = 0; k < 3; k++) {
    ck_assert_str_eq(written[head + 1 + k].text, labels[k]);
    ck_assert_double_eq_tol(written[head + 1 + k].x, written[head].left + (k + 1) * block, 3);
  }
}

/** The key, and the lines below it; names of lines are read from left to right, and none hides another. */
TEST(each_number_has_its_words) {
  struct sciara_point ends[] = {{500400, 4178400}, {499700, 4178300}}, spot = {500600, 4178600};
  char name[] = "Lane", same[] = "Here";
  const struct sciara_poi pois[] = {{.name = name, .kind = SCIARA_POI_LINE, .points = ends, .point_count = 2},
                                    {.name = same, .kind = SCIARA_POI_POINT, .points = &spot, .point_count = 1},
                                    {.name = same, .kind = SCIARA_POI_POINT, .points = &spot, .point_count = 1}};
  const struct sciara_map_run_out run_out = {{500000, 4178000}, 1234};
  const struct sciara_map_volumes volumes = {.emitted = 1e7, .left_map = 12345, .entered_sea = 1.5e6};
  struct sciara_map_picture q = picture();
  OWNED(sciara_map_drawing_free) struct sciara_map_drawing d;
  q.pois = pois;
  q.poi_count = 3;
  q.run_out = &run_out;
  q.volumes = &volumes;
  q.issued = "2026-05-10 04:00 UTC";
  q.valid_until = "2026-05-11";
  write_down(&q, &d);
  find_text("Run-out: 1234 m");
  find_text("Lava that left the map: 12345\u00A0m\u00B3 (0.12");
  find_text("Lava that entered the sea: 1.500\u00A0\u00D7\u00A010\u2076\u00A0m\u00B3 (15");
  find_text("Issued 2026-05-10 04:00 UTC. Valid until 2026-05-11");
  ck_assert_double_gt(written[find_text("Lane")].right, 0.9);
  const int last = find_text("Here"), first = last - 1;
  ck_assert_str_eq(written[first].text, "Here");
  ck_assert_double_gt(fabs(written[first].x - written[last].x) + fabs(written[first].y - written[last].y), d.letter);
}

RUN_TESTS(.setup = prepare, .teardown = folder_remove)
