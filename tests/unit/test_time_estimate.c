// SPDX-License-Identifier: Apache-2.0
// How long a run takes, extrapolated from a probe: the simulated time of its end by each stop rule, its steps and its
// wall-clock time, compared with sums made here.
#include "sim/cost.h"

#include "base/mem.h"
#include "sim/scenario_site.h"
#include "support/owned.h"

enum { SIDE = 40 };

static struct sciara_problem problem;

/** An eruption of 40 h on cells of 10 m; `run`: the keys of its stop rule. */
static void place(const char *run) {
  static const struct sciara_grid grid = {.rows = SIDE, .cols = SIDE, .cell_size = 10, .north = 400};
  struct sciara_diagnostics d = {0};
  OWNED(release_site) const struct sciara_site *site;
  char json[512];
  double *z;
  expect_ok(SCIARA_NEW(z, SIDE * SIDE, "altitudes"));
  expect_ok(sciara_memory_site_make(&grid, NULL, z, false, &site));
  sciara_free(z);
  snprintf(json, sizeof json,
           "{\"dem\": {\"path\": \"memory\"}, \"run\": %s, \"model\": {\"cooling\": 20, \"clock_max_s\": 100, "
           "\"relaxation\": 0.5, \"critical_height_vent_m\": 1, \"critical_height_sol_m\": 4}, \"vents\": [{\"row\": "
           "20, \"col\": 20, "
           "\"effusion\": {\"slot\": \"40 h\", \"rates_m3_s\": [2]}}]}",
           run);
  const struct sciara_problem_options options = {.site = site};
  sciara_scenario_parse("x.json", json, strlen(json), NULL, 0, &problem.scenario, &d);
  sciara_problem_place(&problem, &options, &d);
  ck_assert_msg(d.count == 0, "%s", d.count ? d.sentence[0] : "");
}

/** Time in which lava of that thickness, m, becomes solid, by small steps of dT/dt = -(eps sigma delta / (rho c_v w2)) T^4 / h, s. */
static double solid_after(double thickness) {
  const double rate = 0.9 * 5.67e-8 * 20 / (2600.0 * 1150 * 100 * thickness), dt = 5;
  double T = 1360, time = 0;
  for (; T > 1143; time += dt) {
    const double half = T - 0.5 * dt * rate * pow(T, 4);
    T -= dt * rate * pow(half, 4);
  }
  return time;
}

static const double EMISSION = 144000, VOLUME = 288000;

static struct sciara_time_estimate estimate(const char *run, double time) {
  const struct sciara_probe probe = {
      .steps = 100, .time = time, .wall = 2, .clock = 20, .per_step = 1e-3, .per_cell = 1e-5, .liquid = 50};
  place(run);
  const struct sciara_time_estimate found = sciara_time_estimate_from(&problem, &probe);
  sciara_problem_free(&problem);
  return found;
}

static void assert_end(const struct sciara_time_estimate *e, double low, double high) {
  ck_assert_double_eq_tol(e->end_low, low, 10);
  ck_assert_double_eq_tol(e->end_high, high, 10);
}

/** For how long the lava of a member is liquid: from the state with which it begins to the end of its run. */
TEST(members_that_begin_with_lava) {
  const double start = 36000, area = 100, deep = 5;
  const struct {
    const char *run;
    double end, each;
  } cases[] = {{"{\"until\": \"12 h\"}", 43200, 7200}, {"{}", EMISSION, solid_after(1)}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    place(cases[k].run);
    problem.state->time = start;
    problem.state->h[7] = deep;
    const struct sciara_member_need need = sciara_member_need_of(&problem, SCIARA_RECORD_NOTHING, 200);
    const double volume = deep * area + 2 * (cases[k].end - start);
    ck_assert_double_eq_tol(need.liquid_s, volume / area * cases[k].each, 1e-3 * need.liquid_s);
    sciara_problem_free(&problem);
  }
}

/** Each recorded field is a double for each cell of a member's state, of its copy and of the map on which lava begins. */
TEST(memory_of_recorded_fields) {
  const unsigned one = SCIARA_RECORD_MAX_DEPOSIT, all = SCIARA_RECORD_EVERYTHING;
  const int more = (int)SCIARA_RECORDED_FIELDS - 1;
  const double a_cell = sciara_member_bytes_per_cell(NULL, all) - sciara_member_bytes_per_cell(NULL, one);
  ck_assert_double_eq_tol(a_cell, 2 * more * sizeof(double), 1e-9);
  place("{}");
  ck_assert_double_eq(sciara_member_need_of(&problem, all, 200).memory,
                      sciara_member_need_of(&problem, one, 200).memory);
  problem.scenario.initial_thickness = (struct sciara_layer_spec){.given = true, .value = 1};
  ck_assert_double_eq(sciara_member_need_of(&problem, all, 200).memory -
                          sciara_member_need_of(&problem, one, 200).memory,
                      more * SIDE * SIDE * sizeof(double));
  sciara_problem_free(&problem);
}

TEST(the_end_by_each_stop_rule) {
  const double thin = solid_after(1), thick = solid_after(4);
  ck_assert(thin > 20000 && thick > 3.9 * thin);
  struct sciara_time_estimate e = estimate("{}", 1000);
  assert_end(&e, EMISSION + thin, EMISSION + thick);
  e = estimate("{\"until\": \"front at rest\", \"front_at_rest\": \"5 h\"}", 1000);
  assert_end(&e, EMISSION, EMISSION + thick + 18000);
  e = estimate("{\"until\": \"front at rest\", \"front_at_rest\": \"5 h\", \"max_time\": \"41 h\"}", 1000);
  assert_end(&e, EMISSION, 41 * 3600);
  e = estimate("{\"until\": \"front at rest\", \"front_at_rest\": \"5 h\"}", 200000); // continued after the eruption
  assert_end(&e, 200000, 200000 + thick + 18000);
  e = estimate("{\"until\": \"30 h\"}", 1000);
  assert_end(&e, 30 * 3600, 30 * 3600);
  e = estimate("{\"until\": \"30 h\", \"max_time\": \"20 h\"}", 1000);
  assert_end(&e, 20 * 3600, 20 * 3600);
}

TEST(steps_and_wall_clock) {
  // Clocks: while lava flows at most 1.6 times or half those of the probe, then the longest, 0.5 x 100 s, or a quarter of it.
  const double thin = solid_after(1), thick = solid_after(4), flow = EMISSION - 1000;
  struct sciara_time_estimate e = estimate("{}", 1000);
  const double low = flow / 32 + thin / 50, high = flow / 10 + thick / 12.5;
  ck_assert_double_eq_tol(e.steps_low, 100 + low, 1);
  ck_assert_double_eq_tol(e.steps_high, 100 + high, 1);
  // Cells: the mean of those of the probe and of all lava at half of the largest, or four times the smallest thickness.
  ck_assert_double_eq_tol(e.wall_low, 2 + low * 1e-5 * 0.5 * (50 + VOLUME / 100 / 2) / 1.6, 0.02);
  ck_assert_double_eq_tol(e.wall_high, 2 + high * 1e-5 * 0.5 * (50 + VOLUME / 100 / 4), 0.02);
  e = estimate("{\"max_steps\": 5000}", 1000);
  ck_assert_double_eq_tol(e.steps_low, fmin(100 + low, 5000), 1);
  ck_assert_double_eq(e.steps_high, 5000);
  e = estimate("{\"until\": \"10 h\"}", 1000);
  ck_assert_double_eq_tol(e.steps_low, 100 + 35000.0 / 32, 1);
  ck_assert_double_eq_tol(e.steps_high, 100 + 35000.0 / 10, 1);
}

RUN_TESTS()
