// SPDX-License-Identifier: Apache-2.0
// Thousands to hundreds of thousands of liquid cells, for which GPU engines work in other ways than for a small
// eruption: results must be bit-identical. Of the CPU engines, which have no such ways, only those with threads are
// tested, in the short cases. test_conformance_much [ENGINE...]: the engines named, else all that are available.
#include "support/conformance.h"

enum { PRECISIONS = 2 };

static bool is_of_cpu(enum sciara_precision p) { return !(engine_tested[p]->capabilities & SCIARA_CAN_DEVICE); }
static bool is_alone(enum sciara_precision p) {
  return is_of_cpu(p) && !(engine_tested[p]->capabilities & SCIARA_CAN_THREADS);
}

/** 0 to 1, without a pattern. */
static double noise(int64_t r, int64_t c) {
  uint64_t x = (uint64_t)r * 0x9e3779b97f4a7c15u ^ ((uint64_t)c + 77) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 31) * 0x94d049bb133111ebu;
  return (double)(x >> 40) / 16777216.0;
}

static double rough_slope(int64_t r, int64_t c, int steepness) {
  return 3000 - steepness * (double)(r + c) + 4 * noise(r, c);
}

/** Both run to that step; their states and counts must be equal there. */
static void compare_at(struct pair *both, uint64_t step, const char *name) {
  char context[80];
  pair_to_step(both, step);
  snprintf(context, sizeof context, "%s, after %d steps", name, (int)step);
  pair_conforms(both, context);
  if (both->tested.ops->determinism == SCIARA_EXACT) {
    const struct sciara_engine_progress *serial = &both->serial.at, *found = &both->tested.at;
    ck_assert_uint_eq(found->step, serial->step);
    ck_assert_int_eq(found->liquid_cells, serial->liquid_cells);
    ck_assert_uint_eq(found->solidifications, serial->solidifications);
    ck_assert_uint_eq(found->losses, serial->losses);
    ck_assert_uint_eq(found->cell_steps, serial->cell_steps);
    ck_assert_int_eq(found->reason, serial->reason);
  }
}

// A lake over two thirds of the map spreads over its shore, leaves the map at three sides and is fed by vents. Other
// vents, two of them in one cell, emit far from it. The maxima are recorded.
TEST_EACH(spreading, PRECISIONS) {
  const enum sciara_precision p = (enum sciara_precision)_i;
  if (is_of_cpu(p)) return;
  static const uint64_t steps[] = {1, 2, 3, 9, 10, 27, 64};
  static const double rates[] = {400, 0, 900, 300};
  struct pair both;
  struct scene *s = &both.scene;
  scene_make(s, 500, 437, SCIARA_RECORD_EVERYTHING, rough_slope, 6);
  for (int64_t r = 1; r < 499; r++)
    for (int64_t c = 1; c < 290; c++) scene_lava(s, r, c, 2 + 9 * noise(c, r), 1250 + 100 * noise(r + 7, c));
  scene_vent(s, 250, 400, 2, 4, rates);
  scene_vent(s, 250, 400, 3, 4, rates);
  scene_vent(s, 100, 100, 5, 4, rates);
  scene_finish(s, p);
  pair_start(&both, p, NULL, NULL, 2);
  for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) compare_at(&both, steps[k], "a spreading lake");
  ck_assert_int_gt(both.serial.at.liquid_cells, 146000);
  ck_assert_uint_gt(both.serial.at.losses, 0);
  pair_end(&both);
}

// Thin lava solidifies except for a few hot pools, which continue to flow: from much lava to little and to none in one
// run.
TEST_EACH(freezing, PRECISIONS) {
  const enum sciara_precision p = (enum sciara_precision)_i;
  if (is_of_cpu(p)) return;
  struct pair both;
  struct scene *s = &both.scene;
  scene_make(s, 420, 390, 0, rough_slope, 3);
  scene_cooling(s, by_rule(20 * s->params.cooling, 1000));
  for (int64_t r = 1; r < 419; r++)
    for (int64_t c = 1; c < 389; c++) {
      // A number of few bits, so that not every sum over the cells is rounded the same way.
      const bool pool = r % 100 > 90 && c % 120 > 100;
      scene_lava(s, r, c, pool ? 40 : 0.1875 + noise(r, c), pool ? 1360 : 1143.5 + 4 * noise(c, r));
    }
  scene_finish(s, p);
  pair_start(&both, p, NULL, NULL, 2);
  for (uint64_t step = 1; step < 1000; step = step * 3 + 1) compare_at(&both, step, "lava that freezes");
  ck_assert_uint_gt(both.serial.at.solidifications, 140000);
  ck_assert_int_lt(both.serial.at.liquid_cells, 40000);
  pair_end(&both);
}

// Thousands of heaps of a few cells: many tiles in the list of a GPU with little lava in each, and flows that merge.
TEST_EACH(heaps, PRECISIONS) {
  const enum sciara_precision p = (enum sciara_precision)_i;
  if (is_of_cpu(p)) return;
  struct pair both;
  struct scene *s = &both.scene;
  scene_make(s, 700, 903, 0, rough_slope, 2);
  for (int64_t r = 10; r < 690; r += 17)
    for (int64_t c = 9; c < 890; c += 23)
      for (int64_t k = 0; k < 12; k++) scene_lava(s, r + k / 4, c + k % 4, 20 + 10 * noise(r, c + k), 1340);
  scene_finish(s, p);
  pair_start(&both, p, NULL, NULL, 2);
  for (uint64_t step = 1; step <= 40; step = step * 3 + 1) compare_at(&both, step, "heaps");
  ck_assert_int_gt(both.serial.at.liquid_cells, 50000);
  pair_end(&both);
}

// A lake that grows from about a hundred cells to thousands: an engine may use a few multiprocessors at first, later
// all of them. The lake is fed by a vent, and the maxima are recorded.
TEST_EACH(growing, PRECISIONS) {
  const enum sciara_precision p = (enum sciara_precision)_i;
  if (is_alone(p)) return;
  const uint64_t steps[] = {1, 2, 3, 9, 64, 65, 130, 131, 260, (uint64_t)by_rule(400, 1200)};
  static const double rates[] = {700, 0, 900, 300};
  struct pair both;
  struct scene *s = &both.scene;
  scene_make(s, 200, 190, SCIARA_RECORD_EVERYTHING, rough_slope, 2);
  for (int64_t r = 45; r < 71; r++)
    for (int64_t c = 45; c < 71; c++) scene_lava(s, r, c, 250 + 50 * noise(c, r), 1330 + 20 * noise(r + 7, c));
  scene_vent(s, 60, 60, 2, 4, rates);
  scene_vent(s, 50, 64, 3, 4, rates);
  scene_finish(s, p);
  pair_start(&both, p, NULL, NULL, 2);
  for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) compare_at(&both, steps[k], "a growing lake");
  ck_assert_int_gt(both.serial.at.liquid_cells, 5000);
  pair_end(&both);
}

// A NaN in the middle of much lava: the error must name the step, and the cell or one next to it.
TEST_EACH(not_a_number, PRECISIONS) {
  const enum sciara_precision p = (enum sciara_precision)_i;
  if (is_of_cpu(p)) return;
  const int64_t rows = 400, cols = 400, row = 231, col = 96; // next to the corner of a patch of 32 x 8 cells
  struct scene s;
  struct run r;
  scene_make(&s, rows, cols, 0, rough_slope, 3);
  for (int64_t k = 1; k < rows - 1; k++)
    for (int64_t c = 1; c < cols - 1; c++) scene_lava(&s, k, c, 3 + noise(k, c), 1300);
  scene_finish(&s, p);
  run_start(&r, engine_tested[p], &s, 1);
  run_to_step(&r, 3);
  struct sciara_state *bad = run_state(&r, s.state);
  bad->h[row * cols + col] = NAN;
  expect_ok(r.ops->upload(r.engine, bad));
  const struct sciara_stop stop = {.steps = 50, .time = INFINITY, .max_wall_ms = 60000};
  ck_assert_int_eq(r.ops->advance(r.engine, &stop, &r.at), SCIARA_ERR_NUMERIC);
  ck_assert_uint_eq(r.at.bad.step, 4);
  ck_assert_msg(fabs((double)(r.at.bad.row - row)) <= 1 && fabs((double)(r.at.bad.col - col)) <= 1,
                "planted in %d, %d, found in %d, %d", (int)row, (int)col, (int)r.at.bad.row, (int)r.at.bad.col);
  expect_ok(r.ops->upload(r.engine, s.state)); // a valid state works again
  run_to_step(&r, 5);
  sciara_state_destroy(bad);
  run_end(&r);
  scene_free(&s);
}

int main(int argc, char **argv) { return conformance_main(argc, argv, &tests_here); }
