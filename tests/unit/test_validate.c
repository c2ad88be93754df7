// SPDX-License-Identifier: Apache-2.0
// Claims about verify/validate.h: what is reported of a wrong engine. The engines here are `serial` with a fault.
#include "setup/cost.h"
#include "support/owned.h"
#include "verify/validate.h"

enum { SIDE = 101, MIDDLE = 50 }; ///< of the DEM, cells: after 3000 steps the lava is 19 cells wide

static char folder[] = "/tmp/sciara-validate-XXXXXX", scenario[64], dem[64];

static struct sciara_problem problem;
static const struct sciara_engine_ops *serial;
static enum { NONE, BIT, CLOCK, NUMBER, SHIFT, LEAK, ELSEWHERE } fault;
static uint64_t faulty_from; ///< step

static enum sciara_status download(void *engine, struct sciara_state *s) {
  SCIARA_TRY(serial->download(engine, s));
  if (s->step < faulty_from) return SCIARA_OK;
  const int64_t cell = MIDDLE * s->grid.cols + MIDDLE; // the vent
  double *end = &s->h[cell];
  switch (fault) {
    case NONE: break;
    case BIT: *end = nextafter(*end, 0); break;
    case CLOCK: s->clock = nextafter(s->clock, 0); break;
    case NUMBER: s->T[cell] = NAN; break;
    case SHIFT: memmove(s->h, s->h + 1, (size_t)(sciara_grid_cells(&s->grid) - 1) * sizeof *s->h); break;
    case LEAK: *end = *end * 1.0001; break;
    case ELSEWHERE: // from the thickest cell to a thin one: the same number of cells and the same volume of lava
      s->h[cell + 1] += *end / 2;
      *end = *end / 2;
      break;
  }
  return SCIARA_OK;
}

static struct sciara_validation run(enum sciara_determinism determinism) {
  struct sciara_engine_ops faulty = *serial;
  faulty.name = "faulty";
  faulty.determinism = determinism;
  faulty.download = download;
  const struct sciara_candidate candidate = {.name = "faulty", .ops = &faulty};
  struct sciara_validation v = {.problem = &problem, .precision = SCIARA_DOUBLE, .steps = 100, .every = 10};
  expect_ok(sciara_validate(&v, &candidate, 1));
  ck_assert_uint_eq(v.count, 1);
  ck_assert_uint_eq(v.trace.count, 10);
  ck_assert_uint_eq(v.result[0].step, 100);
  return v;
}

static void expect(int what, uint64_t from, enum sciara_determinism determinism, const char *why) {
  fault = what;
  faulty_from = from;
  OWNED(sciara_validation_free) struct sciara_validation v = run(determinism);
  ck_assert_int_eq(v.result[0].passed, !why);
  if (why) ck_assert_msg(strstr(v.result[0].why, why), "\"%s\" lacks \"%s\"", v.result[0].why, why);
}

TEST(faults_are_found) {
  expect(NONE, 0, SCIARA_EXACT, NULL);
  expect(NONE, 0, SCIARA_TOLERANCE, NULL);
  expect(BIT, 50, SCIARA_EXACT, "not bit-identical to serial after step 50: thickness");
  expect(BIT, 50, SCIARA_TOLERANCE, NULL);
  expect(CLOCK, 70, SCIARA_EXACT, "not bit-identical to serial after step 70: clock");
  expect(NUMBER, 100, SCIARA_EXACT, "a NaN after step 100");
  expect(NUMBER, 100, SCIARA_TOLERANCE, "a NaN after step 100");
  expect(SHIFT, 30, SCIARA_TOLERANCE, "covered cells after step 30: expected a Jaccard index of at least 0.");
  expect(ELSEWHERE, 30, SCIARA_TOLERANCE, "after step 30: expected at most 0.001 of the lava elsewhere, found ");
  expect(LEAK, 30, SCIARA_TOLERANCE, "the mass balance has a residual of");
}

// The last interval may be shorter than the others: it ends at the last step.
TEST(any_number_of_steps) {
  static const struct {
    uint64_t steps, every, intervals;
  } cases[] = {{25, 10, 3}, {9, 10, 1}, {20, 10, 2}, {1, 1, 1}, {21, 10, 3}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const struct sciara_candidate candidate = {.name = "serial", .ops = serial};
    OWNED(sciara_validation_free)
    struct sciara_validation v = {
        .problem = &problem, .precision = SCIARA_DOUBLE, .steps = cases[k].steps, .every = cases[k].every};
    expect_ok(sciara_validate(&v, &candidate, 1));
    ck_assert_uint_eq(v.result[0].step, cases[k].steps);
    ck_assert_uint_eq(v.trace.count, cases[k].intervals);
    for (size_t n = 0; n + 1 < v.trace.count; n++) ck_assert_uint_eq(v.trace.row[n].step, (n + 1) * cases[k].every);
    ck_assert_uint_eq(v.trace.row[v.trace.count - 1].step, cases[k].steps);
  }
}

TEST(the_first_difference_is_reported) {
  fault = BIT;
  faulty_from = 50;
  OWNED(sciara_validation_free) struct sciara_validation v = run(SCIARA_EXACT);
  const struct sciara_engine_result *e = &v.result[0];
  ck_assert_uint_eq(e->first_differing, 50);
  ck_assert_str_eq(e->first.field, "thickness");
  ck_assert(e->first.row == MIDDLE && e->first.col == MIDDLE);
  ck_assert_uint_eq(e->first.differing, 1);
  ck_assert(e->last.max_absolute > 0 && e->last.max_absolute < 1e-12);
  ck_assert_double_eq(e->last.covered_within[2], 1);
}

static enum sciara_status within(size_t available, enum sciara_determinism determinism,
                                 enum sciara_precision precision) {
  struct sciara_engine_ops engine = *serial;
  engine.determinism = determinism;
  const struct sciara_candidate candidate[] = {{.name = "one", .ops = &engine}, {.name = "none"}};
  struct sciara_validation v = {.problem = &problem, .precision = precision, .steps = 1, .every = 1};
  const size_t known = problem.source->size.available;
  problem.source->size.available = available;
  const enum sciara_status status = sciara_validate(&v, candidate, 2);
  problem.source->size.available = known;
  sciara_validation_free(&v);
  return status;
}

// In memory at the same time: the ground, the states at the start, of serial and of a candidate, references, engines.
TEST(memory_is_checked_first) {
  const struct sciara_engine_ops *in_single;
  expect_ok(sciara_engine_find("serial", SCIARA_RULE_FV3, SCIARA_SINGLE_PRECISION, &in_single));
  const struct sciara_grid *grid = &problem.grid;
  const unsigned record = sciara_scenario_record(&problem.source->scenario);
  const size_t site = sciara_site_memory(grid), state = sciara_state_memory(grid, record);
  const double wet = problem.source->size.wet;
  ck_assert_double_gt(wet, 0);
  const size_t engine = sciara_size_estimate_engine(serial, grid, record, wet, NULL);
  const size_t small = sciara_size_estimate_engine(in_single, grid, record, wet, NULL);
  ck_assert_uint_gt(engine, small);
  fault = NONE;
  const size_t two = site + 3 * state + 2 * engine;
  expect_ok(within(two, SCIARA_EXACT, SCIARA_DOUBLE));
  expect_ok(within(0, SCIARA_EXACT, SCIARA_DOUBLE)); // not known
  ck_assert_int_eq(within(two - 1, SCIARA_EXACT, SCIARA_DOUBLE), SCIARA_ERR_MEMORY);
  const char *said = sciara_last_error();
  char bytes[32], expected[96];
  sciara_print_bytes((double)two, bytes, sizeof bytes);
  snprintf(expected, sizeof expected, "plane.json: all engines together need about %s of memory", bytes);
  ck_assert_msg(strstr(said, expected) && strstr(said, "--engines"), "%s", said);
  // A tolerance engine in single precision: serial and the orders of scatter in single too.
  const struct sciara_engine_ops *scatter;
  expect_ok(sciara_engine_find("scatter", SCIARA_RULE_FV3, SCIARA_SINGLE_PRECISION, &scatter));
  const size_t order = sciara_size_estimate_engine(scatter, grid, record, wet, NULL);
  const size_t three = site + 3 * state + engine + small + SCIARA_SCATTER_ORDERS * order;
  expect_ok(within(three, SCIARA_TOLERANCE, SCIARA_SINGLE_PRECISION));
  ck_assert_int_eq(within(three - 1, SCIARA_TOLERANCE, SCIARA_SINGLE_PRECISION), SCIARA_ERR_MEMORY);
}

static struct sciara_validation scattered(enum sciara_scatter_order order, uint64_t every) {
  struct sciara_candidate candidate = {.name = "scatter", .options = {.order = (int)order}};
  struct sciara_validation v = {
      .problem = &problem, .precision = SCIARA_SINGLE_PRECISION, .steps = 3000, .every = every};
  expect_ok(sciara_engine_find("scatter", SCIARA_RULE_FV3, v.precision, &candidate.ops));
  expect_ok(sciara_validate(&v, &candidate, 1));
  return v;
}

// On the plane the last bits decide where the symmetry breaks: with other clocks the same number of steps is another time.
// At the same time the orders of additions are close to each other, and the tolerance follows from them.
// One order shows what a sanitizer can find.
TEST_EACH(orders_of_additions, sanitized() ? 1 : 2 * SCIARA_SCATTER_ORDERS) {
  OWNED(sciara_validation_free)
  struct sciara_validation v = scattered((enum sciara_scatter_order)(SCIARA_SCATTER_ROWS + _i % SCIARA_SCATTER_ORDERS),
                                         _i < SCIARA_SCATTER_ORDERS ? 300 : 1000);
  const struct sciara_engine_result *e = &v.result[0];
  ck_assert_msg(e->passed, "%s", e->why);
  ck_assert_uint_gt(e->first_differing, 0);
  ck_assert(v.spread.covered > 0 && v.spread.covered < 0.2 && v.spread.misplaced > 0);
  ck_assert(fabs(e->time - e->reference_time) <= 60); // a few steps; by step number it would be an hour
  ck_assert(1 - e->last.jaccard <= v.spread.covered && e->last.misplaced <= v.spread.misplaced);
}

// Fractions and indices of two small states, computed by hand.
TEST(distance) {
  OWNED(destroy_state) struct sciara_state *a, *b;
  expect_ok(sciara_state_clone(problem.state, &a));
  expect_ok(sciara_state_clone(problem.state, &b));
  const double here[5] = {1, 1, 1, 1, 0}, there[5] = {1, 1.0001, 1.05, 0, 2};
  for (int i = 0; i < 5; i++) {
    a->h[1000 + i] = here[i];
    b->h[1000 + i] = there[i];
  }
  const struct sciara_state_difference n = sciara_compare_states(a, b);
  ck_assert_uint_eq(n.differing, 4);
  ck_assert_uint_eq(n.covered, 5);
  ck_assert_double_eq(n.jaccard, 3.0 / 5);
  ck_assert_double_eq(n.covered_within[0], 3.0 / 5);
  ck_assert_double_eq(n.covered_within[1], 2.0 / 5);
  ck_assert_double_eq(n.covered_within[2], 1.0 / 5);
  ck_assert_double_eq(n.max_absolute, 2);
  ck_assert_double_eq(n.max_relative, 1);
  ck_assert_double_eq_tol(n.misplaced, (0.0001 + 0.05 + 1 + 2) / (2 + 2.0001 + 2.05 + 1 + 2), 1e-15);
  const double cells = (double)sciara_grid_cells(&a->grid);
  ck_assert_double_eq(n.all_within[0], (cells - 2) / cells);
  ck_assert(!n.not_a_number);
}

/** Writes config/plane.json with a smaller DEM: one vent in the middle of a flat plane. */
static bool write_scenario(void) {
  if (!mkdtemp(folder)) return false;
  snprintf(scenario, sizeof scenario, "%s/plane.json", folder);
  snprintf(dem, sizeof dem, "%s/plane.asc", folder);
  FILE *f = fopen(dem, "w");
  if (!f) return false;
  fprintf(f, "ncols %d\nnrows %d\nxllcorner 446000\nyllcorner 4346000\ncellsize 10\n", SIDE, SIDE);
  for (int k = 0; k < SIDE * SIDE; k++) fputs(k % SIDE == SIDE - 1 ? "100\n" : "100 ", f);
  if (fclose(f) != 0 || !(f = fopen(scenario, "w"))) return false;
  fprintf(
      f,
      "{\"dem\": {\"path\": \"plane.asc\"}, \"vents\": [{\"row\": %d, \"col\": %d, \"effusion\": {\"slot\": \"10 d\", "
      "\"rates_m3_s\": [5]}}], \"run\": {\"until\": \"solidified\"}}",
      MIDDLE, MIDDLE);
  return fclose(f) == 0;
}

int main(void) {
  // Not engine auto: querying OpenMP for its threads starts it, and no fork may follow that.
  const char *const overrides[] = {"engine.name=\"serial\""};
  const struct sciara_problem_options options = {.overrides = overrides, .override_count = 1};
  if (sciara_engine_find("serial", SCIARA_RULE_FV3, SCIARA_DOUBLE, &serial) != SCIARA_OK || !write_scenario() ||
      sciara_problem_open(scenario, &options, &problem) != SCIARA_OK) {
    fprintf(stderr, "%s\n", sciara_last_error());
    return 1;
  }
  const int failed = tests_run(&tests_here, (struct tests_setting){.seconds = 60});
  sciara_problem_free(&problem);
  unlink(scenario);
  unlink(dem);
  rmdir(folder);
  return failed;
}
