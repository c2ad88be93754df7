// SPDX-License-Identifier: Apache-2.0
// Claims about the windows of picture/map_picture.h, and map/run_out.h.
#include "picture/map_picture.h"

#include "map/run_out.h"
#include "run/run_facts.h"

static const struct sciara_grid grid = {.rows = 100, .cols = 200, .cell_size = 10, .west = 1000, .north = 5000};
static double values[100 * 200];
static uint8_t mask[100 * 200];

static void assert_window(struct sciara_map_window w, int64_t row, int64_t col, int64_t rows, int64_t cols) {
  ck_assert_msg(w.row == row && w.col == col && w.rows == rows && w.cols == cols, "%d, %d: %d x %d", (int)w.row,
                (int)w.col, (int)w.rows, (int)w.cols);
}

TEST(the_lava_has_a_margin) {
  struct sciara_map_bounds b = {0};
  assert_window(sciara_map_window_around(&b, &grid), 0, 0, 100, 200); // nothing: all of it
  values[30 * 200 + 40] = 1;
  values[59 * 200 + 79] = 1e-9;
  values[0] = -9999;
  sciara_map_bounds_add_values(&b, &grid, values);
  assert_window(sciara_map_window_around(&b, &grid), 25, 35, 40, 50); // 30 x 40 cells, 5 around
  mask[59 * 200 + 139] = 1;
  sciara_map_bounds_add_mask(&b, &grid, mask);
  assert_window(sciara_map_window_around(&b, &grid), 15, 30, 60, 120); // 100 long: 10 around; half of that high
  sciara_map_bounds_add_point(&b, &grid, (struct sciara_point){1005, 4999});
  sciara_map_bounds_add_point(&b, &grid, (struct sciara_point){999, 4999});
  sciara_map_bounds_add_point(&b, &grid, (struct sciara_point){NAN, 4999});
  sciara_map_bounds_add_point(&b, &grid, (struct sciara_point){1005, 3999});
  assert_window(sciara_map_window_around(&b, &grid), 0, 0, 77, 154); // 140 + 14, from the edge; half of that is 77
}

TEST(the_shorter_side_grows_within_the_grid) {
  struct sciara_map_bounds b = {0};
  for (int c = 20; c < 180; c++) sciara_map_bounds_add_point(&b, &grid, (struct sciara_point){1005 + 10 * c, 4995});
  // 160 cells in the first row, 16 around: 192 wide, 96 high, from the northern edge.
  assert_window(sciara_map_window_around(&b, &grid), 0, 4, 96, 192);
}

TEST(a_box_takes_the_cells_it_touches) {
  struct sciara_map_window w;
  expect_ok(sciara_map_window_of_box((const double[]){1010, 4900, 1030, 4950}, &grid, &w));
  assert_window(w, 5, 1, 5, 2);
  expect_ok(sciara_map_window_of_box((const double[]){1011, 4901, 1029, 4949}, &grid, &w));
  assert_window(w, 5, 1, 5, 2);
  expect_ok(sciara_map_window_of_box((const double[]){-1e9, -1e9, 1e9, 1e9}, &grid, &w));
  assert_window(w, 0, 0, 100, 200);
  const struct sciara_grid part = sciara_map_window_grid(&(struct sciara_map_window){5, 1, 5, 2}, &grid);
  ck_assert(part.west == 1010 && part.north == 4950 && part.rows == 5 && part.cols == 2 && part.cell_size == 10);
  ck_assert_int_eq(sciara_map_window_of_box((const double[]){3000, 4900, 3100, 4950}, &grid, &w), SCIARA_ERR_USAGE);
  ck_assert_str_eq(sciara_last_error(),
                   "extent: 3000,4900,3100,4950 lies outside the map, which covers x 1000 to 3000 and y 4000 to 5000");
  ck_assert_int_eq(sciara_map_window_of_box((const double[]){1030, 4900, 1010, 4950}, &grid, &w), SCIARA_ERR_USAGE);
  ck_assert_int_eq(sciara_map_window_of_box((const double[]){1010, NAN, 1030, 4950}, &grid, &w), SCIARA_ERR_USAGE);
}

TEST(the_run_out_is_at_the_farthest_cell) {
  static double lava[100 * 200];
  int64_t row[] = {10, 90}, col[] = {10, 190};
  double first_s[] = {0, 0};
  struct sciara_vent_cells vents = {.row = row, .col = col, .first_s = first_s, .count = 2};
  lava[10 * 200 + 10] = lava[13 * 200 + 14] = lava[90 * 200 + 186] = 1;
  lava[50 * 200 + 100] = -9999;
  const struct sciara_run_out out = sciara_run_out_find(&vents, 1, &grid, lava);
  ck_assert(out.found && out.row == 13 && out.col == 14 && out.vent == 0);
  ck_assert_double_eq(out.metres, 50);
  first_s[0] = NAN; // it is not known when: there is lava in its cell
  ck_assert_double_eq(sciara_run_out_find(&vents, 1, &grid, lava).metres, 50);
  lava[10 * 200 + 10] = 0; // and there is none
  const struct sciara_run_out far = sciara_run_out_find(&vents, 1, &grid, lava);
  ck_assert(far.row == 13 && far.col == 14 && far.vent == 1);
  ck_assert_double_eq_tol(far.metres, 10 * hypot(77, 176), 1e-9);
  vents.count = 0;
  ck_assert(!sciara_run_out_find(&vents, 1, &grid, lava).found);
  vents.count = 2;
  lava[10 * 200 + 10] = lava[13 * 200 + 14] = lava[90 * 200 + 186] = 0;
  ck_assert(!sciara_run_out_find(&vents, 1, &grid, lava).found);
  lava[90 * 200 + 190] = 2; // at a vent
  const struct sciara_run_out at = sciara_run_out_find(&vents, 1, &grid, lava);
  ck_assert(at.found && at.vent == 1 && at.metres == 0);
}

// Shares are those of all lava but what was removed; how much there is says the first line of a map.
TEST(volumes_of_a_ledger) {
  struct sciara_map_picture picture = {.map = &(const struct sciara_map){.grid = &grid}};
  const struct sciara_ledger ledger = {
      .initial_m3 = 1, .emitted_m3 = 20, .added_m3 = 300, .removed_m3 = 40, .liquid_m3 = 70, .solid_m3 = 210};
  struct sciara_map_dressing d = {0};
  sciara_map_dressing_lava(&d, &(struct sciara_vent_cells){0}, 0, values, &ledger, &picture);
  ck_assert(d.volumes.emitted == 20 && d.volumes.other == 301 && !picture.run_out);
  ck_assert_str_eq(d.volumes.lava,
                   "Lava up to this time: 281\u00A0m\u00B3. Still liquid, and able to advance: 25\u00A0%");
}

// Lava does not come from a vent that has not erupted; if none has, as on the lava of an earlier run, all count.
TEST(a_vent_counts_once_it_has_emitted) {
  static double lava[100 * 200];
  int64_t row[] = {10, 10, 10}, col[] = {10, 30, 60};
  double first_s[] = {0, 100, INFINITY};
  struct sciara_vent_cells vents = {.row = row, .col = col, .first_s = first_s, .count = 3};
  lava[10 * 200 + 50] = 1;
  ck_assert_double_eq(sciara_run_out_find(&vents, 100, &grid, lava).metres, 400);
  ck_assert_double_eq(sciara_run_out_find(&vents, 100.5, &grid, lava).metres, 200);
  ck_assert_double_eq(sciara_run_out_find(&vents, INFINITY, &grid, lava).metres, 100);
  first_s[0] = 50;
  ck_assert_double_eq(sciara_run_out_find(&vents, 50, &grid, lava).metres, 100);
}

/** Of cells equally far the first in rows from the north-west, of vents equally near the first of the scenario. */
TEST(a_tie_is_won_by_the_first) {
  static double lava[100 * 200];
  int64_t row[] = {50, 50}, col[] = {40, 60};
  double first_s[] = {0, 0};
  const struct sciara_vent_cells vents = {.row = row, .col = col, .first_s = first_s, .count = 2};
  lava[50 * 200 + 50] = 1;                                                                   // 10 cells from both vents
  lava[40 * 200 + 60] = lava[50 * 200 + 30] = lava[60 * 200 + 40] = lava[56 * 200 + 68] = 3; // so are these from one
  const struct sciara_run_out first = sciara_run_out_find(&vents, 1, &grid, lava);
  ck_assert(first.found && first.row == 40 && first.col == 60 && first.vent == 1 && first.metres == 100);
  lava[40 * 200 + 60] = 0;
  const struct sciara_run_out west = sciara_run_out_find(&vents, 1, &grid, lava);
  ck_assert(west.row == 50 && west.col == 30 && west.vent == 0 && west.metres == 100);
  lava[50 * 200 + 30] = 0;
  const struct sciara_run_out middle = sciara_run_out_find(&vents, 1, &grid, lava);
  ck_assert(middle.row == 50 && middle.col == 50 && middle.vent == 0 && middle.metres == 100);
}

RUN_TESTS()
