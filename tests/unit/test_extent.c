// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare.h"

#include "analysis/exposure.h"
#include "analysis/front.h"
#include "support/random.h"

enum { MOST = 64 };

/** '#' or a digit: the cell belongs to the set. */
static struct sciara_grid read_mask(const char *picture, uint8_t *mask) {
  struct sciara_grid g = {.cell_size = 10, .west = 500000, .north = 4178000};
  int64_t n = 0;
  for (const char *c = picture; *c; c++) {
    if (*c == '/') continue;
    mask[n++] = *c == '#';
  }
  const char *slash = strchr(picture, '/');
  g.cols = slash ? slash - picture : n;
  g.rows = n / g.cols;
  return g;
}

/** Scores of two masks, with the vents where `vents` says so ("" for none). */
static struct sciara_extent_scores scores(const char *run, const char *observed, const char *vents) {
  uint8_t a[MOST], b[MOST], v[MOST];
  struct sciara_grid g = read_mask(run, a);
  read_mask(observed, b);
  if (vents[0]) read_mask(vents, v);
  const struct sciara_extents e = {.grid = &g, .run = a, .observed = b, .vents = vents[0] ? v : NULL};
  struct sciara_extent_scores s;
  expect_ok(sciara_extents_score(&e, &s));
  return s;
}

static void assert_near(double found, double expected) { ck_assert_double_eq_tol(found, expected, 1e-14); }

// Three cells in both, one only observed, two only in the run: computed by hand.
TEST(scores_of_small_masks) {
  const struct sciara_extent_scores s = scores("##../"
                                               "#.#./"
                                               "..#.",
                                               "##../"
                                               "##../"
                                               "....",
                                               "#.../"
                                               "..../"
                                               "....");
  ck_assert_int_eq(s.hits, 3);
  ck_assert_int_eq(s.misses, 1);
  ck_assert_int_eq(s.excess, 2);
  assert_near(s.jaccard, 3.0 / 6);
  assert_near(s.e1, sqrt(0.5));
  assert_near(s.tpr, 3.0 / 4);
  assert_near(s.ppv, 3.0 / 5);
  assert_near(s.f1, 6.0 / 9);
  assert_near(s.area_ratio, 5.0 / 4);
  assert_near(s.run_out_m, 10 * sqrt(8));          // from the corner to row 2, column 2
  assert_near(s.observed_run_out_m, 10 * sqrt(2)); // to row 1, column 1
  assert_near(s.run_out_ratio, 2);
  assert_near(s.hausdorff_m, 10 * sqrt(2)); // row 2, column 2 from row 1, column 1
}

// The farther of the two one-sided distances counts, whichever side it is on.
TEST(hausdorff_is_of_both_sides) {
  assert_near(scores("#....", "#...#", "").hausdorff_m, 40);
  assert_near(scores("#...#", "#....", "").hausdorff_m, 40);
  assert_near(scores("#....", "....#", "").hausdorff_m, 40);
}

TEST(the_nearest_of_several_vents) {
  const struct sciara_extent_scores s = scores("#######", "##.....", "#.....#");
  assert_near(s.run_out_m, 30);
  assert_near(s.observed_run_out_m, 10);
  assert_near(s.run_out_ratio, 3);
}

TEST(an_empty_run) {
  const struct sciara_extent_scores s = scores("....", ".##.", "#...");
  assert_near(s.jaccard, 0);
  assert_near(s.e1, 0);
  assert_near(s.tpr, 0);
  ck_assert(isnan(s.ppv)); // no cell in the run
  assert_near(s.f1, 0);
  assert_near(s.area_ratio, 0);
  ck_assert(isnan(s.run_out_m));
  assert_near(s.observed_run_out_m, 20);
  ck_assert(isnan(s.run_out_ratio));
  ck_assert(isnan(s.hausdorff_m));
}

TEST(nothing_at_all) {
  const struct sciara_extent_scores s = scores("....", "....", "");
  ck_assert_int_eq(s.hits + s.misses + s.excess, 0);
  const double all[] = {
      s.jaccard,       s.e1,          s.tpr,         s.ppv,         s.f1,         s.area_ratio, s.run_out_m,
      s.run_out_ratio, s.hausdorff_m, s.both.mean_m, s.both.rmse_m, s.any.mean_m, s.any.rmse_m, s.observed_run_out_m};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) ck_assert_msg(isnan(all[k]), "score %zu is %g", k, all[k]);
}

// The observed extent is the vent alone: its run-out is 0, and no ratio to it has a value.
TEST(a_run_out_of_nothing) {
  const struct sciara_extent_scores s = scores("##..", "#...", "#...");
  assert_near(s.observed_run_out_m, 0);
  ck_assert(isnan(s.run_out_ratio));
}

TEST(errors_of_thickness) {
  const uint8_t run[4] = {1, 1, 1, 0}, observed[4] = {1, 1, 0, 1};
  const double a[4] = {3, 5, 2, 0}, b[4] = {2, 9, 0, 6};
  const struct sciara_grid g = {.rows = 2, .cols = 2, .cell_size = 10};
  struct sciara_extents e = {.grid = &g, .run = run, .observed = observed, .run_thickness = a, .observed_thickness = b};
  struct sciara_extent_scores s;
  expect_ok(sciara_extents_score(&e, &s));
  ck_assert_int_eq(s.both.cells, 2);
  assert_near(s.both.mean_m, (1.0 - 4) / 2);
  assert_near(s.both.rmse_m, sqrt((1.0 + 16) / 2));
  ck_assert_int_eq(s.any.cells, 4);
  assert_near(s.any.mean_m, (1.0 - 4 + 2 - 6) / 4);
  assert_near(s.any.rmse_m, sqrt((1.0 + 16 + 4 + 36) / 4));
  e.observed_thickness = NULL;
  expect_ok(sciara_extents_score(&e, &s));
  ck_assert(isnan(s.both.mean_m) && isnan(s.any.rmse_m));
}

// ------------------------------------------------------------------------------------ distances

static int64_t nearest(int64_t rows, int64_t cols, const uint8_t *set, int64_t row, int64_t col) {
  int64_t least = INT64_MAX;
  for (int64_t r = 0; r < rows; r++)
    for (int64_t c = 0; c < cols; c++) {
      const int64_t d = (r - row) * (r - row) + (c - col) * (c - col);
      if (set[r * cols + c] && d < least) least = d;
    }
  return least;
}

static void check_distances(int64_t rows, int64_t cols, const uint8_t *set) {
  int64_t found[400];
  ck_assert_int_le(rows * cols, 400);
  expect_ok(sciara_distance_squared(rows, cols, set, found));
  for (int64_t i = 0; i < rows * cols; i++) {
    const int64_t expected = nearest(rows, cols, set, i / cols, i % cols);
    ck_assert_msg(found[i] == expected, "%lld x %lld, row %lld, column %lld: %lld, expected %lld", (long long)rows,
                  (long long)cols, (long long)(i / cols), (long long)(i % cols), (long long)found[i],
                  (long long)expected);
  }
}

// Against the definition: from one cell to all of them, in grids of every shape.
TEST(distances_are_exact) {
  static const int64_t shapes[][2] = {{1, 1}, {1, 20}, {20, 1}, {2, 3}, {7, 9}, {20, 20}, {3, 100}, {100, 3}};
  static const int shares[] = {0, 1, 3, 10, 50, 90, 100};
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
    for (size_t p = 0; p < sizeof shares / sizeof *shares; p++)
      for (int round = 0; round < 20; round++) {
        uint8_t set[400];
        for (int64_t i = 0; i < shapes[s][0] * shapes[s][1]; i++) set[i] = uniform(0, 100) < shares[p];
        check_distances(shapes[s][0], shapes[s][1], set);
      }
}

// ------------------------------------------------------------------------------------ vents

#define SCENARIO(vents) "{\"dem\": {\"path\": \"gone.tif\"}, \"vents\": [" vents "], \"run\": {\"until\": \"1 h\"}}"
#define EFFUSION "\"effusion\": {\"slot\": \"1 h\", \"rates_m3_s\": [1]}"

static void assert_vents(const char *json, const char *expected) {
  uint8_t expected_mask[MOST], found[MOST] = {0};
  const struct sciara_grid g = read_mask(expected, expected_mask);
  struct sciara_georef georef = {0};
  struct sciara_vent_cells cells;
  int64_t count = 0, total = 0;
  expect_ok(sciara_georef_from_name("EPSG:32633", &georef));
  expect_ok(sciara_vent_cells_read("s.h5", json, &g, &georef, &cells));
  for (size_t k = 0; k < cells.count; k++) {
    count += !found[cells.row[k] * g.cols + cells.col[k]];
    found[cells.row[k] * g.cols + cells.col[k]] = 1;
  }
  sciara_vent_cells_free(&cells);
  sciara_georef_free(&georef);
  for (int64_t i = 0; i < g.rows * g.cols; i++) {
    ck_assert_msg(found[i] == expected_mask[i], "%s: cell %lld", json, (long long)i);
    total += expected_mask[i];
  }
  ck_assert_int_eq(count, total);
}

TEST(vents_are_found) {
  assert_vents(SCENARIO("{\"row\": 1, \"col\": 2, " EFFUSION "}"), "..../..#.");
  assert_vents(SCENARIO("{\"x\": 500019.9, \"y\": 4177990.1, " EFFUSION "}"), ".#../....");
  assert_vents(SCENARIO("{\"line\": [[500005, 4177985], [500035, 4177985]], " EFFUSION "}"), "..../####");
  assert_vents(SCENARIO("{\"row\": 0, \"col\": 0, " EFFUSION "}, {\"row\": 1, \"col\": 3, " EFFUSION "}"), "#.../...#");
  // x 500015, y 4177995
  assert_vents(SCENARIO("{\"lon\": 15.00017027, \"lat\": 37.74925558, " EFFUSION "}"), ".#../....");
}

// A vent whose rates can no longer be read still has its position.
TEST(vents_without_rates) {
  assert_vents(SCENARIO("{\"row\": 1, \"col\": 2, \"effusion\": {\"csv\": \"not/there.csv\"}}"), "..../..#.");
  assert_vents(SCENARIO("{\"row\": 7, \"col\": 2, " EFFUSION "}"), "..../....");
  assert_vents("no JSON", "..../....");
}

/** Up to its end, itself included, a run says that lava has not come; where that of the other came at an unknown time, if it is as long. */
TEST(what_the_end_of_a_run_leaves_open) {
  struct sciara_exposed a = {.where = SCIARA_POI_ON_LAND, .reached = true, .arrival_s = 100},
                        b = {.where = SCIARA_POI_ON_LAND};
  ck_assert_int_eq(sciara_exposure_change(&a, &b, (double[]){200, 100}), SCIARA_CHANGE_SPARED);
  ck_assert_int_eq(sciara_exposure_change(&b, &a, (double[]){99, 200}), SCIARA_CHANGE_UNKNOWN);
  a.arrival_s = NAN;
  ck_assert_int_eq(sciara_exposure_change(&b, &a, (double[]){200, 200}), SCIARA_CHANGE_ADDED);
  ck_assert_int_eq(sciara_exposure_change(&a, &b, (double[]){200, 199}), SCIARA_CHANGE_UNKNOWN);
}

/** Of cells that are equally far the first, in row-major order. */
TEST(the_first_of_the_farthest_cells) {
  int64_t one = 1;
  double begin = 0, values[] = {0, 1, 0, 1, 1, 1, 0, 1, 0};
  const struct sciara_run_out found =
      sciara_run_out_find(&(struct sciara_vent_cells){&one, &one, &begin, 1, 1}, 60,
                          &(struct sciara_grid){.rows = 3, .cols = 3, .cell_size = 10}, values);
  ck_assert(found.row == 0 && found.col == 1 && found.metres == 10);
}

RUN_TESTS()
