// SPDX-License-Identifier: Apache-2.0
// Banded engines: how a map is cut, cuts while lava flows, more ranks than rows, errors of one band.
// test_conformance_bands [ENGINE...]: the inner engines named, else all that are available and have phases.
#include "engine/band_rows.h"
#include "support/banded_threads.h"
#include "support/conformance.h"

enum { MOST_ROWS = 100 };

/** The rows of all bands are the map, each has enough of them, and they begin at tiles. */
static void expect_cuts(const struct sciara_cuts *cuts, int64_t rows, int bands, int64_t unit) {
  const int64_t smallest = unit > SCIARA_HALO_ROWS ? unit : SCIARA_HALO_ROWS;
  ck_assert_int_eq(cuts->count, bands);
  ck_assert_int_eq(cuts->first[0], 0);
  ck_assert_int_eq(cuts->first[bands], rows);
  for (int k = 0; k < bands; k++) {
    ck_assert_int_eq(cuts->first[k] % unit, 0);
    if (bands > 1) ck_assert_int_ge(cuts->first[k + 1] - cuts->first[k], smallest);
  }
}

TEST(cuts_follow_the_weights) {
  int64_t weight[MOST_ROWS];
  for (int64_t rows = 1; rows <= MOST_ROWS; rows++)
    for (int ranks = 1; ranks <= 9; ranks++)
      for (int64_t tile = 1; tile <= 8; tile *= 2) {
        const int64_t smallest = tile > SCIARA_HALO_ROWS ? tile : SCIARA_HALO_ROWS;
        const int64_t unit = rows >= ranks * smallest ? tile : 1;
        const int64_t most = unit > 1 || tile == 1 ? rows / (unit > 2 ? unit : 2) : rows / 2;
        for (int kind = 0; kind < 4; kind++) {
          for (int64_t r = 0; r < rows; r++)
            weight[r] = kind == 0 ? 1 : kind == 1 ? r * r : kind == 2 ? (r == rows / 3) * 1000 : 0;
          const struct sciara_cuts cuts = sciara_cuts_make(rows, weight, ranks, tile);
          expect_cuts(&cuts, rows, (int)(ranks < most ? ranks : most < 1 ? 1 : most), unit);
        }
      }
}

// With weights that can be divided evenly, no band is further from its share than half a tile of the heaviest rows.
TEST(bands_are_even) {
  int64_t weight[MOST_ROWS], sum = 0;
  for (int64_t r = 0; r < MOST_ROWS; r++) sum += weight[r] = 10 + r;
  for (int ranks = 2; ranks <= 8; ranks++) {
    const struct sciara_cuts cuts = sciara_cuts_make(MOST_ROWS, weight, ranks, 1);
    for (int k = 0; k < ranks; k++) {
      int64_t mine = 0;
      for (int64_t r = cuts.first[k]; r < cuts.first[k + 1]; r++) mine += weight[r];
      ck_assert_int_le(llabs(mine * ranks - sum), 110 * ranks);
    }
  }
}

/** A long slope, down which the lava of a vent at its top flows southward. */
static double slope(int64_t r, int64_t c, int variant) {
  (void)variant;
  return 1000 - 6 * (double)r + 0.3 * (double)((c - 12) * (c - 12));
}

static void make_slope(struct scene *s, enum sciara_precision p, int64_t rows) {
  scene_make(s, rows, 25, SCIARA_RECORD_EVERYTHING, slope, 0);
  scene_vent(s, 2, 12, 4000, 2, (const double[]){60, 20});
  scene_vent(s, rows / 2, 10, 3000, 1, (const double[]){15});
  scene_finish(s, p);
}

// As the lava spreads, bands that were even are not any more: rows change hands, and no bit does.
TEST_EACH(cut_again, 4) {
  const enum sciara_precision p = (enum sciara_precision)(_i % 2);
  const int ranks = _i / 2 == 0 ? 2 : 5;
  OWNED(pair_end) struct pair both;
  char context[64];
  make_slope(&both.scene, p, 120);
  pair_start(&both, p, NULL, banded_in_threads(engine_tested[p], ranks), 1);
  ck_assert_int_eq(banded_facts(both.tested.engine).bands, ranks);
  for (uint64_t step = 0; step < 1200; step += 100) {
    pair_to_step(&both, step);
    snprintf(context, sizeof context, "%d ranks, step %d", ranks, (int)step);
    pair_is_equal(&both, context);
    ck_assert_uint_eq(both.serial.at.losses, both.tested.at.losses);
    ck_assert_uint_eq(both.serial.at.cell_steps, both.tested.at.cell_steps);
    ck_assert_uint_eq(both.serial.at.solidifications, both.tested.at.solidifications);
  }
  ck_assert_uint_gt(banded_facts(both.tested.engine).cuts, 0);
}

// Ranks for which there are no rows wait.
TEST_EACH(more_ranks_than_rows, 2) {
  const enum sciara_precision p = (enum sciara_precision)_i;
  OWNED(pair_end) struct pair both;
  make_slope(&both.scene, p, 7);
  pair_start(&both, p, NULL, banded_in_threads(engine_tested[p], 5), 1);
  ck_assert_int_eq(banded_facts(both.tested.engine).bands, 3);
  pair_to_step(&both, 300);
  pair_is_equal(&both, "more ranks than rows");
}

// The first bad cell of the map is reported, whichever band has it; a new upload makes the engine whole again.
TEST_EACH(error_of_one_band, 2) {
  static const int64_t rows[][2] = {{3, 110}, {60, 90}, {110, 3}, {61, -1}};
  const enum sciara_precision p = (enum sciara_precision)(_i % 2);
  OWNED(scene_free) struct scene s;
  OWNED(run_end) struct run banded;
  const struct sciara_stop stop = {.steps = 300, .time = INFINITY};
  make_slope(&s, p, 120);
  run_start(&banded, banded_in_threads(engine_tested[p], 5), &s, 1);
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    int64_t first = INT64_MAX;
    for (int n = 0; n < 2; n++) {
      if (rows[k][n] < 0) continue;
      s.state->h[rows[k][n] * 25 + 7] = NAN;
      first = rows[k][n] < first ? rows[k][n] : first;
    }
    expect_ok(banded.ops->upload(banded.engine, s.state));
    ck_assert_int_eq(banded.ops->advance(banded.engine, &stop, &banded.at), SCIARA_ERR_NUMERIC);
    ck_assert_uint_eq(banded.at.bad.step, 1);
    ck_assert_int_eq(banded.at.bad.row, first);
    ck_assert_int_eq(banded.at.bad.col, 7);
    for (int n = 0; n < 2; n++)
      if (rows[k][n] >= 0) s.state->h[rows[k][n] * 25 + 7] = 0;
  }
  expect_ok(banded.ops->upload(banded.engine, s.state));
  run_to_step(&banded, 10);
}

// A limit of the thickness ends the steps of all bands where it ends those of one engine.
TEST_EACH(too_thick, 2) {
  const enum sciara_precision p = (enum sciara_precision)_i;
  OWNED(pair_end) struct pair both;
  char context[64];
  make_slope(&both.scene, p, 120);
  pair_start(&both, p, NULL, banded_in_threads(engine_tested[p], 3), 1);
  for (double limit = 0.5; limit < 3; limit += 0.5) {
    const struct sciara_stop stop = {.steps = 2000, .time = INFINITY, .solidified = true, .thickness = limit};
    run_until(&both.serial, stop);
    run_until(&both.tested, stop);
    ck_assert_int_eq(both.serial.at.reason, both.tested.at.reason);
    ck_assert_int_eq(both.serial.at.thick, both.tested.at.thick);
    snprintf(context, sizeof context, "up to %g m", limit);
    pair_is_equal(&both, context);
  }
}

int main(int argc, char **argv) { return conformance_main_in_phases(argc, argv, &tests_here); }
