// SPDX-License-Identifier: Apache-2.0
// How long a run takes, extrapolated from a probe to what is known to come, and what a member needs, compared with sums made here.
#include "setup/cost.h"

#include "base/mem.h"
#include "setup/scenario_site.h"
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
  sciara_problem_begin(&problem, &d);
  sciara_scenario_parse("x.json", json, strlen(json), NULL, 0, &problem.source->scenario, &d);
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

static const double EMISSION = 144000;

/** After 100 steps of 2 s with 1000 s of simulated time, the later half at 1 ms a step and 0.05 ms a second. */
static void assert_estimate(const char *run, double time, enum sciara_estimate_until until, double until_s,
                            double wall) {
  struct sciara_time_estimate e = {.steps = 100, .time = time, .wall = 2, .per_step = 1e-3, .per_second = 5e-5};
  place(run);
  sciara_time_estimate_extend(&problem, &e);
  sciara_problem_free(&problem);
  ck_assert_int_eq(e.until, until);
  if (until != SCIARA_ESTIMATE_STEPS && until != SCIARA_ESTIMATE_NOTHING) {
    ck_assert_double_eq_tol(e.until_s, until_s, 1e-6);
    ck_assert_double_eq_tol(e.until_wall_s, wall, 1e-9);
  }
  if (until == SCIARA_ESTIMATE_STEPS) ck_assert_double_eq_tol(e.until_wall_s, wall, 1e-9);
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
  problem.source->scenario.initial_thickness = (struct sciara_layer_spec){.given = true, .value = 1};
  ck_assert_double_eq(sciara_member_need_of(&problem, all, 200).memory -
                          sciara_member_need_of(&problem, one, 200).memory,
                      more * SIDE * SIDE * sizeof(double));
  sciara_problem_free(&problem);
}

TEST(what_is_known_to_come) {
  assert_estimate("{}", 1000, SCIARA_ESTIMATE_VENTS, EMISSION, 2 + 143000 * 5e-5);
  assert_estimate("{\"until\": \"front at rest\"}", 1000, SCIARA_ESTIMATE_VENTS, EMISSION, 2 + 143000 * 5e-5);
  assert_estimate("{\"max_time\": \"20 h\"}", 1000, SCIARA_ESTIMATE_VENTS, 72000, 2 + 71000 * 5e-5);
  assert_estimate("{\"until\": \"front at rest\"}", 200000, SCIARA_ESTIMATE_NOTHING, 0, 0); // after the eruption
  assert_estimate("{\"until\": \"30 h\"}", 1000, SCIARA_ESTIMATE_END, 108000, 2 + 107000 * 5e-5);
  assert_estimate("{\"until\": \"30 h\", \"max_time\": \"20 h\"}", 1000, SCIARA_ESTIMATE_END, 72000, 2 + 71000 * 5e-5);
  assert_estimate("{\"max_steps\": 5000}", 1000, SCIARA_ESTIMATE_STEPS, 0, 2 + 4900 * 1e-3);
  assert_estimate("{\"max_steps\": 50000}", 1000, SCIARA_ESTIMATE_VENTS, EMISSION, 2 + 143000 * 5e-5);
}

RUN_TESTS()
