// SPDX-License-Identifier: Apache-2.0
// The public interface, call by call: what is refused, what is available before the first step, and no step after the end.
#include "sciara.h"

#include "run_case.h"
#include "support/owned.h"

enum { CELLS = 30 * 40 };

static void setup(void) { run_case_make("\"fields\": [\"thickness\", \"max_thickness\"]"); }

/** s.json by engine serial with one more override. */
static struct sciara *open_case(const char *override) {
  char path[96];
  snprintf(path, sizeof path, "%s/s.json", folder);
  const char *const overrides[] = {"engine.name=serial", override};
  struct sciara *s;
  expect_ok(sciara_open(path, overrides, override ? 2 : 1, &s));
  return s;
}

TEST(what_is_refused) {
  char path[96];
  struct sciara *s = NULL;
  double values[CELLS];
  snprintf(path, sizeof path, "%s/s.json", folder);
  ck_assert_int_eq(sciara_open(NULL, NULL, 0, &s), SCIARA_ERR_USAGE);
  ck_assert_int_eq(sciara_open(path, NULL, 1, &s), SCIARA_ERR_USAGE);
  ck_assert_int_eq(sciara_open(path, NULL, 0, NULL), SCIARA_ERR_USAGE);
  ck_assert_int_eq(sciara_open("/none.json", NULL, 0, &s), SCIARA_ERR_IO);
  ck_assert_ptr_null(s);
  s = open_case(NULL);
  ck_assert_int_eq(sciara_read_field(s, SCIARA_FIELD_COUNT, values, CELLS), SCIARA_ERR_USAGE);
  ck_assert_int_eq(sciara_read_field(s, SCIARA_FIELD_THICKNESS, NULL, CELLS), SCIARA_ERR_USAGE);
  ck_assert_int_eq(sciara_read_field(s, SCIARA_FIELD_THICKNESS, values, CELLS - 1), SCIARA_ERR_USAGE);
  expect_ok(sciara_read_field(s, SCIARA_FIELD_THICKNESS, values, CELLS));
  sciara_close(s);
  sciara_close(NULL);
}

static double largest(const double *values) {
  double most = 0;
  for (int i = 0; i < CELLS; i++) most = fmax(most, values[i]);
  return most;
}

// A maximum that is not needed for any output field is not recorded: that is reported, and no 0 is returned.
TEST_EACH(maxima_that_were_not_recorded, 5) {
  static const struct {
    const char *fields;
    bool recorded[3];
  } cases[] = {{"output.fields=[\"max_thickness\"]", {true, false, false}},
               {"output.fields=[\"max_speed\"]", {false, true, false}},
               {"output.fields=[\"thickness\", \"speed\"]", {false, false, false}},
               {"output.fields=[\"max_speed\", \"max_thickness\"]", {true, true, false}},
               {"output.fields=[\"max_deposit\"]", {false, false, true}}};
  double values[CELLS];
  OWNED(close_run) struct sciara *s = open_case(cases[_i].fields);
  expect_ok(sciara_step(s, 100));
  for (int k = 0; k < 3; k++) {
    static const enum sciara_field fields[] = {SCIARA_FIELD_MAX_THICKNESS, SCIARA_FIELD_MAX_SPEED,
                                               SCIARA_FIELD_MAX_DEPOSIT};
    const bool recorded = cases[_i].recorded[k];
    ck_assert_int_eq(sciara_read_field(s, fields[k], values, CELLS), recorded ? SCIARA_OK : SCIARA_ERR_USAGE);
    if (recorded)
      ck_assert_double_gt(largest(values), 0);
    else
      expect_said("add it to output.fields");
  }
  expect_ok(sciara_read_field(s, SCIARA_FIELD_SPEED, values, CELLS));
}

// On a whole map: the largest deposit is the maximum over the states at the ends of all steps.
TEST_EACH(the_largest_deposit_of_a_volcano, 3) {
  static const char *const engines[] = {"engine.name=serial", "engine.name=openmp", "engine.name=scatter"};
  const char *const overrides[] = {engines[_i], "output.fields=[\"deposit\", \"max_deposit\"]"};
  OWNED(close_run) struct sciara *s;
  struct sciara_grid_info g;
  expect_ok(sciara_open(SCIARA_SOURCE_DIR "/config/volcano.json", overrides, 2, &s));
  sciara_read_grid(s, &g);
  const size_t cells = (size_t)(g.rows * g.cols);
  OWNED(free_memory)
  double *deposit = malloc(cells * sizeof(double)), *most = calloc(cells, sizeof(double)),
         *found = malloc(cells * sizeof(double));
  ck_assert(deposit && most && found);
  for (int step = 0; step < 300; step++) {
    expect_ok(sciara_step(s, 1));
    expect_ok(sciara_read_field(s, SCIARA_FIELD_DEPOSIT, deposit, cells));
    for (size_t i = 0; i < cells; i++) most[i] = deposit[i] > most[i] ? deposit[i] : most[i];
  }
  expect_ok(sciara_read_field(s, SCIARA_FIELD_MAX_DEPOSIT, found, cells));
  size_t lower = 0;
  for (size_t i = 0; i < cells; i++) {
    if (found[i] == -9999) continue;
    ck_assert_msg(found[i] == most[i], "cell %zu: %.17g, the largest was %.17g", i, found[i], most[i]);
    lower += deposit[i] < most[i];
  }
  ck_assert_uint_gt(lower, 10);
}

TEST(from_the_start_to_the_end) {
  OWNED(close_run) struct sciara *s = open_case(NULL);
  struct sciara_grid_info g;
  struct sciara_ledger l;
  double values[CELLS];
  uint64_t checksum, again;
  struct sciara_progress p = progress_of(s);
  ck_assert(p.step == 0 && p.time_s == 0 && p.clock_s == 1 && p.liquid_cells == 0 && !p.finished && !p.solidified);
  sciara_read_grid(s, &g);
  ck_assert(g.rows == 30 && g.cols == 40 && g.cell_size_m == 10 && g.west_m == 500000 && g.north_m == 4177300);
  expect_ok(sciara_step(s, 0));
  ck_assert_uint_eq(progress_of(s).step, 0);
  expect_ok(sciara_step(s, 1));
  p = progress_of(s);
  ck_assert(p.step == 1 && p.liquid_cells == 1 && p.time_s > 0);
  expect_ok(sciara_read_field(s, SCIARA_FIELD_THICKNESS, values, CELLS));
  ck_assert_double_gt(values[8 * 40 + 20], 0);
  expect_ok(sciara_read_field(s, SCIARA_FIELD_ARRIVAL_TIME, values, CELLS));
  for (int i = 0; i < CELLS; i++) // as in the files
    ck_assert_double_eq(values[i], i == 8 * 40 + 20 ? 0 : -9999);
  expect_ok(sciara_checksum(s, &checksum));
  expect_ok(sciara_step(s, 49)); // the state that was read is not the last one
  expect_ok(sciara_checksum(s, &again));
  ck_assert_uint_ne(checksum, again);
  expect_ok(sciara_read_ledger(s, &l));
  ck_assert_double_eq_tol(l.emitted_m3, 5 * progress_of(s).time_s, 1e-9);
  expect_ok(sciara_run(s));
  p = progress_of(s);
  ck_assert(p.step == 120 && p.finished && !p.solidified);
  expect_ok(sciara_checksum(s, &checksum));
  expect_ok(sciara_step(s, 5)); // no step after the end
  expect_ok(sciara_run(s));
  ck_assert_uint_eq(progress_of(s).step, 120);
  expect_ok(sciara_checksum(s, &again));
  ck_assert_uint_eq(checksum, again);
}

// Nothing can happen any more: that is the end too, whatever number of steps is requested.
TEST(solid) {
  OWNED(close_run)
  struct sciara *s =
      open_case("vents=[{\"row\": 8, \"col\": 20, \"effusion\": {\"slot\": 1, \"rates_m3_s\": [1e-9]}}]");
  expect_ok(sciara_step(s, UINT64_MAX));
  const struct sciara_progress p = progress_of(s);
  ck_assert(p.finished && p.solidified && p.step < 120 && p.liquid_cells == 0);
  expect_ok(sciara_step(s, 10));
  ck_assert_uint_eq(progress_of(s).step, p.step);
}

RUN_TESTS(.setup = setup, .teardown = folder_remove)
