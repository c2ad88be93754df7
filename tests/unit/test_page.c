// SPDX-License-Identifier: Apache-2.0
// What tests/cli/export_html.py does not cover: steps at their limits, packing of any numbers, large grids.
#include <cpl_conv.h>
#include <cpl_string.h>

#include "base/mem.h"
#include "page/page_html.h"
#include "snapshot_case.h"
#include "support/owned.h"
#include "support/writable.h"

static enum sciara_field both[] = {SCIARA_FIELD_THICKNESS, SCIARA_FIELD_DEPOSIT};

static void assert_near(double found, double expected) {
  ck_assert_msg(fabs(found - expected) <= 1e-9 * fabs(expected), "found %.17g, expected %.17g", found, expected);
}

TEST(steps_are_the_least_that_are_round) {
  const struct {
    double range;
    int steps;
    double expected;
  } cases[] = {{10, 1000, 0.01},      {10.01, 1000, 0.02},  {20, 1000, 0.02},  {20.1, 1000, 0.05},
               {50, 1000, 0.05},      {51, 1000, 0.1},      {1, 1, 1},         {3, 1, 5},
               {217, 500, 0.5},       {1.296e6, 50000, 50}, {1e-30, 4, 5e-31}, {4e300, 4000, 1e297},
               {0.00099, 1000, 1e-6}, {1e15, 1000, 1e12}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_near(sciara_page_step(cases[i].range, cases[i].steps), cases[i].expected);
    ck_assert(cases[i].range / sciara_page_step(cases[i].range, cases[i].steps) <= cases[i].steps);
  }
}

/** The bytes of packed text. Release with VSIFree. */
static uint8_t *unpack(const char *text, size_t *count) {
  OWNED(free_memory) char *copy = strdup(text);
  const int length = CPLBase64DecodeInPlace((GByte *)copy);
  uint8_t *bytes = CPLZLibInflate(copy, (size_t)length, NULL, 0, count);
  ck_assert_ptr_nonnull(bytes);
  return bytes;
}

TEST(bytes_come_back) {
  uint8_t bytes[5000];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * i / 7);
  const size_t counts[] = {0, 1, 2, 3, 255, sizeof bytes};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    OWNED(sciara_text_free) struct sciara_text text = {0};
    size_t found;
    expect_ok(sciara_page_pack(&text, bytes, counts[k]));
    ck_assert_ptr_null(strpbrk(text.data, "<&\"\\ \n"));
    uint8_t *back = unpack(text.data, &found);
    ck_assert_uint_eq(found, counts[k]);
    ck_assert_int_eq(memcmp(back, bytes, found), 0);
    VSIFree(back);
  }
}

/** As a browser decodes it. */
static void undo(const uint8_t *bytes, const uint16_t *like, int64_t frames, int64_t cells, uint16_t *out) {
  const int64_t count = frames * cells;
  for (int64_t i = 0; i < count; i++) {
    const int folded = bytes[i] | bytes[count + i] << 8;
    out[i] = (uint16_t)((folded >> 1 ^ -(folded & 1)) + (i < cells ? 0 : out[i - cells]));
  }
  for (int64_t i = 0; i < count && like; i++) out[i] = (uint16_t)(out[i] + like[i]);
}

TEST(any_levels_come_back) {
  enum { FRAMES = 5, CELLS = 64 };
  const uint16_t hard[] = {0, 1, 65535, 32767, 32768, 32769, 2, 50001};
  uint16_t levels[FRAMES * CELLS], like[FRAMES * CELLS], back[FRAMES * CELLS];
  for (int i = 0; i < FRAMES * CELLS; i++) {
    levels[i] = hard[(i + i / 8) % 8];
    like[i] = hard[(i * 5 + i / 64) % 8];
  }
  for (int with = 0; with < 2; with++) {
    OWNED(sciara_text_free) struct sciara_text text = {0};
    size_t count;
    expect_ok(sciara_page_pack_levels(&text, levels, with ? like : NULL, FRAMES, CELLS));
    uint8_t *bytes = unpack(text.data, &count);
    ck_assert_uint_eq(count, 2 * FRAMES * CELLS);
    undo(bytes, with ? like : NULL, FRAMES, CELLS, back);
    ck_assert_int_eq(memcmp(back, levels, sizeof levels), 0);
    VSIFree(bytes);
  }
}

/** Writes the state, reads it as `count` frames of some fields. */
static enum sciara_status read_frames(const struct sciara_state *s, const enum sciara_field *fields, size_t field_count,
                                      size_t count, struct sciara_page_frames *out) {
  struct sciara_snapshot_context context = context_of_test();
  context.as_double = true;
  context.fields = 1u << SCIARA_FIELD_THICKNESS;
  for (size_t f = 0; f < field_count; f++) context.fields |= 1u << fields[f];
  WRITES(&context, s, path);
  const char **paths = malloc(count * sizeof *paths);
  for (size_t k = 0; k < count; k++) paths[k] = path;
  const enum sciara_status status =
      sciara_page_frames_read(paths, count, SCIARA_CHECKSUM_REQUIRED, fields, field_count, out);
  free(paths);
  return status;
}

/** A grid with lava of this thickness in one cell. */
static struct sciara_state *one_cell(double thickness) {
  struct sciara_state *s = new_state(9, 8);
  for (int64_t i = 0; i < 72; i++) s->h[i] = s->T[i] = 0, s->z[i] = s->z0[i];
  s->h[30] = thickness;
  return s;
}

TEST(one_value_alone_has_a_step) {
  const double values[] = {2.5, 1e-12, 1e-300, 1e12, 1e300};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    OWNED(destroy_state) struct sciara_state *s = one_cell(values[i]);
    OWNED(sciara_page_frames_free) struct sciara_page_frames frames;
    expect_ok(read_frames(s, both, 1, 1, &frames));
    ck_assert_int_eq(frames.cells, 1);
    const struct sciara_page_field *f = &frames.fields[0];
    ck_assert(isnormal(f->step) && f->step > 0);
    ck_assert_int_ge(f->levels[0], 1);
    ck_assert(fabs(f->base + (f->levels[0] - 1) * f->step - values[i]) <= f->step * 0.500001);
  }
}

TEST(what_lies_too_far_apart_is_refused) {
  OWNED(destroy_state) struct sciara_state *s = one_cell(1);
  s->h[31] = 1;
  s->px[30] = 1.7e308;
  s->px[31] = -1.7e308;
  const enum sciara_field momentum = SCIARA_FIELD_MOMENTUM_X;
  OWNED(sciara_page_frames_free) struct sciara_page_frames frames;
  expect_error(read_frames(s, &momentum, 1, 1, &frames), SCIARA_ERR_INPUT,
               "momentum_x: values from -1.7e+308 to 1.7e+308 are too far apart");
  ck_assert_ptr_null(frames.frames);
  s->px[31] = -1e308;
  s->px[30] = -2;
  expect_ok(read_frames(s, &momentum, 1, 1, &frames));
  ck_assert_int_eq(frames.cells, 2);
  const struct sciara_page_field *f = &frames.fields[0];
  const double found = f->base + (f->levels[1] - 1) * f->step;
  ck_assert_msg(fabs(found + 1e308) <= 0.500001 * f->step, "%g in steps of %g", found, f->step);
}

/** Liquid lava thicker than the deposit, which no run writes, gets no wrong level. */
TEST(fields_with_a_common_scale) {
  OWNED(destroy_state) struct sciara_state *s = one_cell(0.5);
  s->z[30] -= 0.4;
  OWNED(sciara_page_frames_free) struct sciara_page_frames frames;
  expect_ok(read_frames(s, both, 2, 3, &frames));
  const struct sciara_page_field *thickness = &frames.fields[0], *deposit = &frames.fields[1];
  ck_assert_int_eq(thickness->like, 1);
  ck_assert_int_eq(deposit->like, -1);
  assert_near(thickness->step, deposit->step);
  assert_near(thickness->high, 0.5);
  assert_near(deposit->high, 0.5);
  for (int k = 0; k < 3; k++) {
    assert_near((thickness->levels[k] - 1) * thickness->step, 0.5);
    ck_assert(fabs((deposit->levels[k] - 1) * deposit->step - 0.1) <= 0.5 * deposit->step);
  }
}

/** The value of a key in the JSON of the page. */
static double number_of(const char *page, const char *key) {
  const char *at = strstr(page, key);
  ck_assert_msg(at != NULL, "%s", key);
  return strtod(at + strlen(key), NULL);
}

TEST(a_large_grid_is_cut_and_thinned) {
  OWNED(destroy_state) struct sciara_state *s = new_state(1400, 1500);
  for (int64_t r = 480; r < 780; r++) s->h[r * 1500 + 700] = 2;
  for (int64_t i = 0; i < 1400 * 1500; i++)
    if (i / 1500 < 480) s->h[i] = 0, s->z[i] = s->z0[i];
  struct sciara_page_frames frames;
  expect_ok(read_frames(s, both, 2, 1, &frames));
  const int64_t box[4] = {480, 700, 300, 1};
  ck_assert_int_eq(memcmp(frames.box, box, sizeof box), 0);
  ck_assert_int_eq(frames.cells, 300);
  const struct sciara_page page = {.frames = &frames, .altitude = s->z0, .snapshot_count = 1};
  char html[128];
  snprintf(html, sizeof html, "%s/page.html", folder);
  expect_ok(sciara_page_write(&page, html));
  char *text;
  size_t count;
  expect_ok(sciara_file_read(html, 1 << 26, &text, &count));
  // Half of 300 cells on each side: 600 x 301 pixels are below the limit.
  ck_assert_ptr_nonnull(strstr(text, "\"window\":[330,550,600,301],"));
  assert_near(number_of(text, "\"shade\":{\"scale\":"), 1);
  ck_assert_ptr_nonnull(strstr(text, "\"title\":null,"));
  free(text);
  for (int64_t c = 60; c < 1440; c++) s->h[1100 * 1500 + c] = 2;
  sciara_page_frames_free(&frames);
  expect_ok(read_frames(s, both, 2, 1, &frames));
  expect_ok(sciara_page_write(&page, html));
  expect_ok(sciara_file_read(html, 1 << 26, &text, &count));
  // Now the whole grid: 2 million cells as mean light of 2 x 2.
  ck_assert_ptr_nonnull(strstr(text, "\"window\":[0,0,1400,1500],"));
  ck_assert_ptr_nonnull(strstr(text, "\"shade\":{\"scale\":2,\"rows\":700,\"cols\":750,"));
  free(text);
  sciara_page_frames_free(&frames);
}

TEST(too_much_for_a_browser_is_refused) {
  // Most of them are 0 nearly everywhere, so their chunks are not stored and reading takes little time.
  const enum sciara_field fields[] = {SCIARA_FIELD_MOMENTUM_X, SCIARA_FIELD_MOMENTUM_Y,      SCIARA_FIELD_TEMPERATURE,
                                      SCIARA_FIELD_SPEED,      SCIARA_FIELD_SOLID_THICKNESS, SCIARA_FIELD_MAX_SPEED,
                                      SCIARA_FIELD_DEPOSIT,    SCIARA_FIELD_MAX_THICKNESS};
  OWNED(destroy_state) struct sciara_state *s = new_state(1000, 1000);
  for (int64_t i = 0; i < 1000000; i++) s->h[i] = s->kind[i] ? 1 : 0;
  struct sciara_page_frames frames;
  expect_error(read_frames(s, fields, 8, 17, &frames), SCIARA_ERR_INPUT,
               "999965 cells with lava in 136 frames of fields are too many for a "
               "browser: expected at most 134217728 values; use fewer frames");
  ck_assert_ptr_null(frames.frames);
}

RUN_TESTS(.setup = setup, .teardown = folder_remove)
