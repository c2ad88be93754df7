// SPDX-License-Identifier: Apache-2.0
// Claims about setup/size_estimate.h: what is counted, and when it does not fit.
#include "base/text.h"
#include "setup/cost.h"
#include "setup/size_estimate.h"
#include "store/snapshot_hdf5.h"

static const struct sciara_grid grid = {.rows = 1000, .cols = 2000, .cell_size = 10};
static struct sciara_vents *vents;

static void setup(void) {
  const double edges[] = {0, 86400}, rates[] = {5};
  vents = sciara_vents_create();
  ck_assert_ptr_nonnull(vents);
  expect_ok(sciara_vents_add(vents, 5, 5, 1, edges, rates));
}

static void teardown(void) { sciara_vents_destroy(vents); }

static struct sciara_scenario_spec scenario(void) {
  return (struct sciara_scenario_spec){.params = sciara_params_default(),
                                       .run = {.max_time_s = INFINITY, .max_steps = UINT64_MAX},
                                       .output = {.fields = 1u << SCIARA_FIELD_THICKNESS}};
}

static struct sciara_size_estimate make(const struct sciara_scenario_spec *s, size_t available) {
  const struct sciara_engine_ops *ops;
  expect_ok(sciara_engine_find("serial", SCIARA_RULE_FV3, SCIARA_DOUBLE, &ops));
  return sciara_size_estimate_make(s, &grid, vents, ops, available);
}

TEST(test_what_does_not_fit) {
  const struct sciara_scenario_spec s = scenario();
  const struct sciara_size_estimate unknown = make(&s, 0);
  expect_ok(sciara_size_estimate_check(&unknown, "a.json"));
  const size_t need = sciara_size_estimate_host(&unknown) - unknown.program;
  const struct sciara_size_estimate enough = make(&s, need), short_of = make(&s, need - 1);
  expect_ok(sciara_size_estimate_check(&enough, "a.json"));
  ck_assert_int_eq(sciara_size_estimate_check(&short_of, "a.json"), SCIARA_ERR_MEMORY);
  char bytes[32], expected[96];
  sciara_print_bytes((double)need, bytes, sizeof bytes);
  snprintf(expected, sizeof expected, "a.json: the run needs about %s of memory (", bytes);
  ck_assert_msg(strncmp(sciara_last_error(), expected, strlen(expected)) == 0, "%s", sciara_last_error());
}

// Of several processes the first has the whole state and a band, the others a band; on one host they share its memory.
TEST(test_bands) {
  const struct sciara_engine_ops *ops;
  struct sciara_scenario_spec s = scenario();
  char serial[] = "serial", automatic[] = "auto";
  expect_ok(sciara_engine_find(serial, SCIARA_RULE_FV3, SCIARA_DOUBLE, &ops));
  const struct sciara_grid band = {.rows = 250 + 1 + 2 * 2, .cols = 2000, .cell_size = 10};
  const size_t rows = 9 * 255 * 2000 + 56 * 255 * 2000; // ground, kinds, and 7 fields of doubles
  s.engine.name = serial;
  const struct sciara_size_estimate one = make(&s, 0);
  struct sciara_size_estimate f = one;
  sciara_size_estimate_divide(&f, &s, &grid, ops, 4, 3);
  const size_t of_band = 2 * rows + sciara_size_estimate_engine(ops, &band, 0, f.wet, NULL);
  ck_assert_uint_eq(f.engine, of_band);
  ck_assert_uint_eq(f.band, ((size_t)50 << 20) + of_band);
  ck_assert_uint_eq(f.state, one.state);
  ck_assert_uint_eq(f.device, 0);
  const size_t need = sciara_size_estimate_host(&f) - f.program + 2 * f.band;
  f.available = need;
  expect_ok(sciara_size_estimate_check(&f, "a.json"));
  f.available = need - 1;
  ck_assert_int_eq(sciara_size_estimate_check(&f, "a.json"), SCIARA_ERR_MEMORY);
  char bytes[32], expected[96];
  sciara_print_bytes(2.0 * (double)f.band, bytes, sizeof bytes);
  snprintf(expected, sizeof expected, ", 2 other processes %s)", bytes);
  expect_said(expected);
  s.engine.name = automatic; // one of them computes
  struct sciara_size_estimate alone = one;
  sciara_size_estimate_divide(&alone, &s, &grid, ops, 4, 4);
  ck_assert_uint_eq(alone.engine, one.engine);
  ck_assert_uint_eq(alone.band, 0);
}

static const struct {
  double every, until, max_time;
  uint64_t max_steps;
  double most;
} cadences[] = {
    {0, INFINITY, INFINITY, UINT64_MAX, 1},
    {3600, INFINITY, INFINITY, UINT64_MAX, INFINITY},
    {3600, 86400, INFINITY, UINT64_MAX, 24},
    {3600, 86401, INFINITY, UINT64_MAX, 25},
    {3600, 90000 - 1e-6, INFINITY, UINT64_MAX, 25},
    {3600, 1, INFINITY, UINT64_MAX, 1},
    {3600, INFINITY, 7200, UINT64_MAX, 2},
    {3600, 86400, 7200, UINT64_MAX, 2},
    {3600, 86400, INFINITY, 3, 3},
    {0, 86400, INFINITY, 3, 1},
};

TEST_EACH(test_snapshots, sizeof cadences / sizeof *cadences) {
  struct sciara_scenario_spec s = scenario();
  s.output.every_s = cadences[_i].every;
  s.run.until = isfinite(cadences[_i].until) ? SCIARA_UNTIL_TIME : SCIARA_UNTIL_SOLIDIFIED;
  s.run.until_s = isfinite(cadences[_i].until) ? cadences[_i].until : 0;
  s.run.max_time_s = cadences[_i].max_time;
  s.run.max_steps = cadences[_i].max_steps;
  const struct sciara_size_estimate f = make(&s, 0);
  ck_assert_double_eq(f.snapshots, cadences[_i].most);
  ck_assert_double_le(f.snapshots_while_vent, f.snapshots);
}

TEST(test_size) {
  struct sciara_scenario_spec s = scenario();
  const struct sciara_size_estimate f = make(&s, 0);
  const double wet = 5 * 86400 / 1.014 / 100; // cells of 10 m under 1.014 m of lava
  ck_assert_double_ge((double)f.snapshot, 4 * wet);
  ck_assert_double_le((double)f.snapshot, 4 * wet + 65536);
  ck_assert_uint_ge(f.snapshot_most, 8000000);
  s.output.as_double = true;
  ck_assert_uint_ge(make(&s, 0).snapshot_most, 16000000);
  s.output.fields = 1u << SCIARA_FIELD_ALTITUDE; // is stored for every cell
  ck_assert_uint_ge(make(&s, 0).snapshot, 16000000);
}

RUN_TESTS(.setup = setup, .teardown = teardown)
