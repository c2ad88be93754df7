// SPDX-License-Identifier: Apache-2.0
// A member computed in a window that grows equals the run on the whole map: checksum, ledger and every cell.
#include "ensemble/compute.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "model/field.h"
#include "model/window.h"
#include "run/scenario_site.h"
#include "run/simulation.h"

enum { ROWS = 150, COLS = 170 };

static const struct sciara_grid grid = {.rows = ROWS, .cols = COLS, .cell_size = 10, .west = 0, .north = 10 * ROWS};

/** A slope with bumps, so that lava branches. */
static const struct sciara_site *make_site(bool single) {
  const struct sciara_site *site;
  double *z;
  ck_assert_int_eq(SCIARA_NEW(z, ROWS * COLS, "altitudes"), SCIARA_OK);
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < COLS; c++) z[r * COLS + c] = 2000 - 2.5 * r - 1.1 * c + 3 * sin(r * 0.31) * cos(c * 0.23);
  for (int k = 0; k < 6; k++) z[(70 + k) * COLS + 60] = SCIARA_NODATA_ALTITUDE;
  ck_assert_msg(sciara_memory_site_make(&grid, NULL, z, single, &site) == SCIARA_OK, "%s", sciara_last_error());
  sciara_free(z);
  return site;
}

/** Cases: engine, precision, boundary, vents. */
static const struct scene {
  const char *engine, *precision, *boundary, *vents, *run;
} scenes[] = {
#define VENT(row, col, rate)                                                                                           \
  "{\"row\": " #row ", \"col\": " #col ", \"effusion\": {\"slot\": \"1 h\", \"rates_m3_s\": [" #rate ", 5, " #rate "]" \
  "}"                                                                                                                  \
  "}"
    {"serial", "double", "open", VENT(40, 40, 20), "{\"until\": \"4 h\"}"},
    {"openmp", "double", "open", VENT(40, 40, 20), "{\"until\": \"4 h\"}"},
    {"openmp", "single", "open", VENT(40, 40, 20) "," VENT(30, 110, 9), "{\"until\": \"4 h\"}"},
    {"serial", "single", "closed", VENT(60, 50, 20), "{\"until\": \"3 h\"}"},
    {"openmp", "double", "open", VENT(144, 150, 20) "," VENT(20, 3, 15), "{\"until\": \"3 h\"}"},
    {"openmp", "double", "closed", VENT(144, 150, 9), "{\"until\": \"3 h\"}"},
    {"openmp", "double", "open", VENT(40, 40, 20), "{\"until\": \"front at rest\", \"front_at_rest\": \"2 h\"}"},
    {"serial", "double", "open", VENT(40, 40, 20), "{\"max_steps\": 700}"},
};

enum { SCENES = sizeof scenes / sizeof *scenes };

static char *scenario_of(const struct scene *s) {
  char *text = sciara_format(
      "{\"dem\": {\"path\": \"memory\"}, \"vents\": [%s], \"run\": %s, \"engine\": {\"name\": \"%s\", \"precision\": "
      "\"%s\"}, \"boundary\": \"%s\", \"output\": {\"fields\": [\"deposit\", \"max_deposit\"]}}",
      s->vents, s->run, s->engine, s->precision, s->boundary);
  ck_assert_ptr_nonnull(text);
  return text;
}

/** Rows that lava has reached. */
static int64_t extent_of(const struct sciara_footprint *f) {
  return f->cell[f->count - 1] / COLS - f->cell[0] / COLS + 1;
}

/** The same run on the whole map. */
static struct sciara_simulation *whole_run(const struct sciara_site *site, const char *json) {
  struct sciara_problem p = {0};
  struct sciara_diagnostics d = {0};
  struct sciara_simulation *s;
  const struct sciara_problem_options options = {.site = site};
  const struct sciara_event end = {.time = INFINITY, .step = UINT64_MAX};
  sciara_scenario_parse("x.json", json, strlen(json), NULL, 0, &p.scenario, &d);
  sciara_problem_place(&p, &options, &d);
  ck_assert_msg(d.count == 0, "%s", d.count ? d.sentence[0] : "");
  ck_assert_msg(sciara_simulation_create(&p, &s) == SCIARA_OK, "%s", sciara_last_error());
  ck_assert_msg(sciara_simulation_advance(s, &end) == SCIARA_OK, "%s", sciara_last_error());
  ck_assert_int_eq(sciara_simulation_sync(s), SCIARA_OK);
  return s;
}

static void assert_same_cells(const struct sciara_state *s, const struct sciara_footprint *f) {
  int64_t n = 0;
  for (int64_t i = 0; i < ROWS * COLS; i++) {
    if (!(s->arrival[i] >= 0)) continue;
    ck_assert_int_lt(n, f->count);
    ck_assert_int_eq(f->cell[n], i);
    ck_assert(f->arrival[n] == (float)s->arrival[i]);
    ck_assert(f->max_deposit[n] == (float)s->max_deposit[i]);
    ck_assert(f->deposit[n] == (float)sciara_deposit(s->h[i], s->z[i], s->z0[i]));
    n++;
  }
  ck_assert_int_eq(n, f->count);
  ck_assert_int_gt(n, 100);
}

START_TEST(equals_the_whole_map) {
  const struct scene *scene = &scenes[_i];
  const struct sciara_site *site = make_site(strcmp(scene->precision, "single") == 0);
  char *json = scenario_of(scene);
  struct sciara_simulation *s = whole_run(site, json);
  const struct sciara_compute_setup setup = {
      .site = site, .ground = sciara_site_checksum(site), .threads = 1, .device = -1};
  const struct sciara_compute_text text = {"x.json", json, strlen(json)};
  struct sciara_footprint f;
  struct sciara_ledger ledger;
  bool cancelled;
  ck_assert_uint_eq(setup.ground, sciara_state_checksum_of_ground(s->problem.state));
  ck_assert_msg(sciara_compute_member(&setup, &text, &f, &cancelled) == SCIARA_OK, "%s", sciara_last_error());
  ck_assert(!cancelled);
  ck_assert_msg(!f.failed, "%s", f.error);
  ck_assert_uint_eq(f.checksum, sciara_state_checksum(s->problem.state));
  ck_assert_uint_eq(f.steps, s->progress.step);
  ck_assert_uint_eq(f.cell_steps, s->progress.cell_steps);
  sciara_ledger_form(s->problem.state, s->problem.rounding, &ledger);
  ck_assert_mem_eq(&ledger, &f.ledger, sizeof ledger);
  if (s->finished != SCIARA_STOP_STEPS) assert_same_cells(s->problem.state, &f);
  if (_i < 4) ck_assert_int_gt(extent_of(&f), 49); // lava has left the first window
  ck_assert_int_eq(f.censored, s->finished == SCIARA_STOP_STEPS);
  sciara_footprint_free(&f);
  sciara_simulation_destroy(s);
  sciara_site_release(site);
  free(json);
}
END_TEST

START_TEST(an_invalid_member_has_failed) {
  const struct sciara_site *site = make_site(false);
  const struct sciara_compute_setup setup = {.site = site, .threads = 1, .device = -1};
  struct scene scene = scenes[0];
  scene.vents = VENT(72, 60, 1);
  char *json = scenario_of(&scene);
  const struct sciara_compute_text text = {"x.json", json, strlen(json)};
  struct sciara_footprint f;
  bool cancelled;
  ck_assert_int_eq(sciara_compute_member(&setup, &text, &f, &cancelled), SCIARA_OK);
  ck_assert(f.failed);
  ck_assert_ptr_nonnull(strstr(f.error, "NODATA"));
  sciara_footprint_free(&f);
  sciara_site_release(site);
  free(json);
}
END_TEST

START_TEST(a_cancelled_member_has_no_result) {
  const struct sciara_site *site = make_site(false);
  const int cancel = 1;
  const struct sciara_compute_setup setup = {.site = site, .threads = 1, .device = -1, .cancel = &cancel};
  char *json = scenario_of(&scenes[0]);
  const struct sciara_compute_text text = {"x.json", json, strlen(json)};
  struct sciara_footprint f;
  bool cancelled;
  ck_assert_int_eq(sciara_compute_member(&setup, &text, &f, &cancelled), SCIARA_OK);
  ck_assert(cancelled);
  ck_assert_ptr_null(f.cell);
  sciara_site_release(site);
  free(json);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("compute");
  TCase *cases = tcase_create("compute");
  tcase_set_timeout(cases, 60);
  tcase_add_loop_test(cases, equals_the_whole_map, 0, SCENES);
  tcase_add_test(cases, an_invalid_member_has_failed);
  tcase_add_test(cases, a_cancelled_member_has_no_result);
  suite_add_tcase(suite, cases);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
