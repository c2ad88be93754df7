// SPDX-License-Identifier: Apache-2.0
// Claims about model/tower.h: the load of a vent and what lowers it, against numbers computed by hand and against runs on
// a flat plane of 1 m cells; which cells of a state are towers.
#include "model/tower.h"

#include "sciara.h"
#include "support/owned.h"

#define OK(call) ck_assert_msg((call) == SCIARA_OK, "%s", sciara_last_error())

static double near(double found, double expected) { return fabs(found / expected - 1); }

// By hand, with g = 9.81, k = 0.685: clock = 0.5 sqrt(4 w/(g k)); x = rate/w2 / (8/9 g k clock).
TEST(loads) {
  const struct sciara_params p = sciara_params_default();
  const struct {
    double cell_size, clock, rate, x;
  } cases[] = {{1, 0.385763, 3, 1.301949},   {1, 0.385763, 5.4, 2.343508}, {2, 0.545551, 15, 1.150771},
               {5, 0.862592, 120, 0.931599}, {10, 1.21989, 600, 0.823425}, {10, 1.21989, 10, 0.0137237}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    ck_assert_double_lt(near(sciara_tower_clock(&p, cases[k].cell_size), cases[k].clock), 1e-5);
    ck_assert_double_lt(near(sciara_tower_load(&p, cases[k].cell_size, cases[k].rate), cases[k].x), 1e-5);
  }
  ck_assert_double_eq_tol(sciara_tower_height(1, 0.2), 1, 1e-12);
  ck_assert_double_eq_tol(sciara_tower_height(10, 0.5), 20, 1e-12);
  ck_assert(isinf(sciara_tower_height(10, 1)) && isinf(sciara_tower_height(10, 7)));
  struct sciara_params slow = p;
  slow.t_max = 0.1;
  ck_assert_double_eq(sciara_tower_clock(&slow, 10), 0.05);
}

TEST(cures) {
  const double turn = 6.283185307179586;
  ck_assert_double_eq(sciara_tower_carries(1, 29, turn * 3), 0.875 * turn * 3); // 16.5 = 5.5 R/w
  ck_assert_double_eq(sciara_tower_carries(1, 5, turn * 1), 5);
  ck_assert_double_eq(sciara_tower_carries(10, 1, 0.1), 1);
  const struct sciara_params p = sciara_params_default();
  for (double x = 0.1; x < 150; x *= 1.3) {
    const double radius = sciara_tower_radius(2, x), width = sciara_tower_width(2, x, 100);
    int cells = 0;
    for (int i = -400; i <= 400; i++)
      for (int j = -400; j <= 400; j++) cells += 4.0 * (i * i + j * j) <= radius * radius * (1 + 1e-12);
    ck_assert_double_le(x / sciara_tower_carries(2, cells, turn * radius), 0.2 * (1 + 1e-9));
    ck_assert_double_le(x / sciara_tower_carries(2, 50 * width / 2, 2 * (100 + width)), 0.2 * (1 + 1e-9));
    const double w = sciara_tower_cell_size(2, x), rate = x / sciara_tower_load(&p, 2, 1);
    ck_assert_double_lt(near(sciara_tower_load(&p, w, rate), 0.2), 1e-9);
  }
  ck_assert_double_eq(sciara_tower_radius(2, 0.1), 0);
  ck_assert(isinf(sciara_tower_radius(1, 1e6)));
}

enum { SIDE = 121, CELLS = SIDE * SIDE, MIDDLE = SIDE / 2 };

/** How far the vent in the middle of a flat plane of 1 m cells stands above its neighbours after some time, m. */
static double stand(double rate, double radius, double time) {
  static double altitude[CELLS], deposit[CELLS];
  const struct sciara_grid_info grid = {SIDE, SIDE, 1, 500000, 4177000};
  const double place[] = {MIDDLE, MIDDLE}, times[] = {0, 3600};
  const struct sciara_vent vent = {.place = SCIARA_VENT_ROWCOL,
                                   .points = place,
                                   .point_count = 1,
                                   .times_s = times,
                                   .rates_m3_s = &rate,
                                   .rate_count = 1,
                                   .radius_m = radius};
  const struct sciara_advance_options until = {.time_s = time};
  OWNED(release_site) const struct sciara_site *site;
  OWNED(close_scenario) struct sciara_scenario *c;
  OWNED(close_run) struct sciara *s;
  OK(sciara_site_from_array(&grid, NULL, altitude, false, &site));
  OK(sciara_scenario_create(&c));
  OK(sciara_scenario_set(c, "engine.name", "serial"));
  OK(sciara_scenario_set(c, "model.cooling", "0"));
  OK(sciara_scenario_add_vent(c, &vent));
  OK(sciara_create(c, site, &s));
  OK(sciara_advance(s, &until));
  OK(sciara_read_field(s, SCIARA_FIELD_DEPOSIT, deposit, CELLS));
  double highest = 0;
  for (int r = -1; r <= 1; r++)
    for (int col = -1; col <= 1; col++)
      if (r || col) highest = fmax(highest, deposit[(MIDDLE + r) * SIDE + MIDDLE + col]);
  return deposit[MIDDLE * SIDE + MIDDLE] - highest;
}

// Below 1 a column stands, at about the predicted height; above, it grows as long as lava comes.
TEST(columns_on_a_plane) {
  const struct sciara_params p = sciara_params_default();
  const double below[] = {1, 1.5, 2}, above[] = {2.7, 4};
  for (size_t k = 0; k < sizeof below / sizeof *below; k++) {
    const double x = sciara_tower_load(&p, 1, below[k]), predicted = sciara_tower_height(1, x);
    const double soon = stand(below[k], 0, 100), late = stand(below[k], 0, 250);
    ck_assert_double_lt(x, 1);
    ck_assert_msg(late > 0.5 * predicted && late < 1.2 * predicted, "x = %g: %g m, predicted %g m", x, late, predicted);
    ck_assert_double_lt(fabs(late / soon - 1), 0.2);
  }
  for (size_t k = 0; k < sizeof above / sizeof *above; k++) {
    const double soon = stand(above[k], 0, 100), late = stand(above[k], 0, 250);
    ck_assert_double_gt(sciara_tower_load(&p, 1, above[k]), 1);
    ck_assert_msg(late > 1.6 * soon && late > 40, "%g m3/s: %g m, then %g m", above[k], soon, late);
  }
  const double x = sciara_tower_load(&p, 1, 4);
  ck_assert_double_lt(stand(4, sciara_tower_radius(1, x), 250), 2); // the radius that the estimate gives
}

/** A plane of 10 m cells, 7 x 7. */
static struct sciara_state *plane(void) {
  const struct sciara_grid g = {.rows = 7, .cols = 7, .cell_size = 10};
  double altitude[49];
  uint8_t valid[49];
  struct sciara_state *s;
  for (int i = 0; i < 49; i++) {
    altitude[i] = 500 + 3 * (i % 7);
    valid[i] = 1;
  }
  OK(sciara_state_create(&g, altitude, valid, 0, &s));
  return s;
}

static void lava(struct sciara_state *s, int row, int col, double h) {
  s->h[row * 7 + col] = h;
  s->T[row * 7 + col] = 1300;
}

static bool find(const struct sciara_state *s, struct sciara_tower *at) {
  OWNED(sciara_touched_release) struct sciara_touched touched;
  OK(sciara_touched_find(s, 1, &touched));
  const bool found = sciara_tower_find(s, &touched, 20, at);
  return found;
}

TEST(towers_of_a_state) {
  struct sciara_state *s = plane();
  struct sciara_tower at;
  ck_assert(!find(s, &at));
  lava(s, 3, 3, 23); // 23 m above the level of its ground, 20 m above the eastern neighbours
  ck_assert(!find(s, &at));
  lava(s, 3, 3, 23.5);
  ck_assert(find(s, &at) && at.row == 3 && at.col == 3);
  ck_assert_double_eq_tol(at.height, 20.5, 1e-9);
  lava(s, 4, 4, 21); // its neighbour is now as high
  ck_assert(!find(s, &at));
  for (int r = 1; r < 6; r++)
    for (int c = 1; c < 6; c++) lava(s, r, c, 200); // thick, but nothing stands out: a lake
  lava(s, 5, 5, 230);
  ck_assert(find(s, &at) && at.row == 5 && at.col == 5);
  sciara_state_destroy(s);
  s = plane();
  s->z[24] += 100; // a rock with little lava on it
  lava(s, 3, 3, 5);
  ck_assert(!find(s, &at));
  sciara_state_destroy(s);
}

TEST(vents_of_a_state) {
  OWNED(destroy_state) struct sciara_state *s = plane();
  OWNED(destroy_vents) struct sciara_vents *v = sciara_vents_create();
  struct sciara_tower at;
  bool found;
  const double edges[] = {0, 1}, rate = 1;
  for (int r = 2; r <= 4; r++)
    for (int c = 2; c <= 4; c++) OK(sciara_vents_add(v, r, c, 1, edges, &rate));
  OK(sciara_tower_find_vent(s, v, 0, 9, 20, &found, &at));
  ck_assert(!found);
  for (int r = 2; r <= 4; r++)
    for (int c = 2; c <= 4; c++) lava(s, r, c, 40);
  OK(sciara_tower_find_vent(s, v, 0, 9, 20, &found, &at));
  ck_assert(found && at.row == 2 && at.col == 2); // no cell of it stands above its neighbours in the vent
  ck_assert_double_eq_tol(at.height, 40 + 6 - 15, 1e-9);
  lava(s, 3, 4, 19); // one of its cells is low: lava leaves there
  OK(sciara_tower_find_vent(s, v, 0, 9, 20, &found, &at));
  ck_assert(!found);
  OK(sciara_tower_find_vent(s, v, 0, 0, 20, &found, &at)); // it has no cells
  ck_assert(!found);
}

RUN_TESTS(.seconds = 120)
