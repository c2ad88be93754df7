// SPDX-License-Identifier: Apache-2.0
// Claims about bench/bench.h and bench/bench_scenes.h: what the scenes contain, and that a wrong engine gets no time.
#include "bench/bench.h"
#include "bench/bench_report.h"
#include "bench/bench_scenes.h"

static const struct sciara_engine_ops *serial;

// -------------------------------------------------------------------------------------------------------------- scenes

static struct sciara_problem scene(enum sciara_scene which, int64_t size, enum sciara_precision precision) {
  struct sciara_problem p;
  expect_ok(sciara_scene_make(which, size, precision, &p));
  const struct sciara_grid grid = sciara_scene_grid(which, size);
  ck_assert_int_eq(p.grid.rows, grid.rows);
  ck_assert_int_eq(p.grid.cols, grid.cols);
  if (which != SCIARA_SCENE_TIGHT) ck_assert(grid.rows == size && grid.cols == size);
  return p;
}

TEST(sparse_has_a_thousandth) {
  const int64_t sizes[] = {64, 100, 512, 1024, 1500};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    OWNED(sciara_problem_free) struct sciara_problem p = scene(SCIARA_SCENE_SPARSE, sizes[k], SCIARA_DOUBLE);
    const double share = (double)sciara_state_liquid_cells(p.state) / (double)(sizes[k] * sizes[k]);
    ck_assert_int_eq(sciara_state_liquid_cells(p.state), sciara_scene_liquid(SCIARA_SCENE_SPARSE, sizes[k]));
    if (sizes[k] % 512 == 0) ck_assert(share > 0.0009 && share < 0.0011);
    for (int64_t i = 0; i < sizes[k] * sizes[k]; i++)
      if (p.state->h[i] > 0) ck_assert_int_eq(p.state->kind[i], SCIARA_CELL_INTERIOR);
  }
}

TEST(sizes_that_are_refused) {
  const int64_t sizes[] = {-1, 0, 63, 65537, INT64_MAX};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    struct sciara_problem p;
    ck_assert_int_eq(sciara_scene_make(SCIARA_SCENE_DENSE, sizes[k], SCIARA_DOUBLE, &p), SCIARA_ERR_INPUT);
    ck_assert_ptr_null(p.state);
  }
}

// ------------------------------------------------------------------------------------------------------- wrong engines

static enum { NONE, BIT, CLOCK, COUNT, STOPS, NOTHING, LEAK, MEMORY } fault;
static int downloads; ///< of the faulty engine

static enum sciara_status upload(void *engine, const struct sciara_state *s) {
  if (fault == MEMORY) return sciara_fail(SCIARA_ERR_MEMORY, "no memory");
  return serial->upload(engine, s);
}

static enum sciara_status download(void *engine, struct sciara_state *s) {
  downloads++;
  if (fault == NOTHING) return SCIARA_OK;
  SCIARA_TRY(serial->download(engine, s));
  const int64_t cell = s->grid.cols * (s->grid.rows / 2) + s->grid.cols / 2;
  if (fault == BIT) s->h[cell] = nextafter(s->h[cell], 0);
  if (fault == CLOCK) s->clock = nextafter(s->clock, 0);
  if (fault == LEAK) s->h[cell] += 1;
  return SCIARA_OK;
}

static enum sciara_status advance(void *engine, const struct sciara_stop *stop,
                                  struct sciara_engine_progress *progress) {
  SCIARA_TRY(serial->advance(engine, stop, progress));
  if (fault == COUNT) progress->cell_steps *= 2; // reports twice as many
  if (fault == STOPS && progress->step > 20) return sciara_fail(SCIARA_ERR_NUMERIC, "step 20: it is over");
  return SCIARA_OK;
}

static int rows_seen;

static void count_row(void *context, const struct sciara_bench_case *c, const struct sciara_bench_row *row) {
  ck_assert_ptr_eq(context, &rows_seen);
  ck_assert(row->result != SCIARA_BENCH_VERIFIED || row->seconds[c->repeats - 1] > 0);
  rows_seen++;
}

/** Measures the faulty engine and expects this result for it. */
static void expect(int what, enum sciara_determinism determinism, enum sciara_bench_result result, const char *why) {
  OWNED(sciara_problem_free) struct sciara_problem p = scene(SCIARA_SCENE_DENSE, 64, SCIARA_DOUBLE);
  struct sciara_engine_ops faulty = *serial;
  faulty.name = "faulty";
  faulty.determinism = determinism;
  faulty.upload = upload;
  faulty.download = download;
  faulty.advance = advance;
  const struct sciara_bench_candidate candidates[] = {{.ops = &faulty}, {.ops = serial}};
  OWNED(sciara_bench_case_free)
  struct sciara_bench_case c = {
      .name = "dense", .problem = &p, .warm_up = 3, .steps = 4, .repeats = 5, .done = count_row, .context = &rows_seen};
  fault = what;
  downloads = rows_seen = 0;
  expect_ok(sciara_bench_measure(&c, candidates, 2));
  ck_assert_uint_eq(c.count, 2); // serial is the reference already
  ck_assert_int_eq(rows_seen, 2);
  ck_assert_int_eq(c.liquid_cells, 62 * 62);
  const struct sciara_bench_row *reference = &c.row[0], *row = &c.row[1];
  ck_assert_str_eq(reference->candidate.ops->name, "serial");
  ck_assert_int_eq(reference->result, SCIARA_BENCH_VERIFIED);
  ck_assert_double_eq(reference->speedup, 1);
  ck_assert_uint_ge(reference->cell_steps[0], 4 * 62 * 62);
  ck_assert_msg(row->result == result, "fault %d: found \"%s\" (%s)", what, sciara_bench_result_name(row->result),
                row->why ? row->why : "");
  if (why) ck_assert_msg(row->why && strstr(row->why, why), "\"%s\" lacks \"%s\"", row->why, why);
  if (result == SCIARA_BENCH_VERIFIED) {
    ck_assert_ptr_null(row->why);
    ck_assert(row->us_per_step.least > 0 && row->us_per_step.least <= row->us_per_step.median &&
              row->us_per_step.median <= row->us_per_step.most);
    ck_assert(row->speedup > 0 && row->cell_steps_per_s > 0);
    ck_assert_uint_eq(row->checksum == reference->checksum, what == NONE);
  } else { // no time can be had
    for (int n = 0; n < SCIARA_BENCH_MOST_REPEATS; n++) ck_assert_double_eq(row->seconds[n], 0);
    ck_assert_double_eq(row->us_per_step.median, 0);
    ck_assert_double_eq(row->speedup, 0);
  }
}

TEST(wrong_engines_get_no_time) {
  expect(NONE, SCIARA_EXACT, SCIARA_BENCH_VERIFIED, NULL);
  expect(BIT, SCIARA_EXACT, SCIARA_BENCH_FAILED,
         "not bit-identical to serial: thickness in row 32, column 32; differing cells: 1");
  expect(CLOCK, SCIARA_EXACT, SCIARA_BENCH_FAILED, "not bit-identical to serial after step 23: clock");
  expect(COUNT, SCIARA_EXACT, SCIARA_BENCH_FAILED, "cell-steps in repetition 1, serial counts");
  expect(STOPS, SCIARA_EXACT, SCIARA_BENCH_FAILED, "step 20: it is over");
  expect(NOTHING, SCIARA_EXACT, SCIARA_BENCH_FAILED, "not bit-identical to serial");
  expect(MEMORY, SCIARA_EXACT, SCIARA_BENCH_LEFT_OUT, "no memory");
  expect(NONE, SCIARA_TOLERANCE, SCIARA_BENCH_VERIFIED, NULL);
  expect(BIT, SCIARA_TOLERANCE, SCIARA_BENCH_VERIFIED, NULL);
  expect(LEAK, SCIARA_TOLERANCE, SCIARA_BENCH_FAILED, "the mass balance has a residual of");
  expect(NOTHING, SCIARA_TOLERANCE, SCIARA_BENCH_FAILED, "a NaN");
}

TEST(one_comparison_after_the_last_repetition) {
  expect(NONE, SCIARA_EXACT, SCIARA_BENCH_VERIFIED, NULL);
  ck_assert_int_eq(downloads, 1);
}

// ----------------------------------------------------------------------------------------------------- what is refused

// With an even number of repetitions the median lies between the two in the middle; so does that of the speedups.
TEST(medians) {
  const double seconds[] = {4e-3, 1e-3, 8e-3, 2e-3, 16e-3, 32e-3}, of_serial[] = {8e-3, 8e-3, 8e-3, 8e-3, 8e-3, 8e-3};
  struct sciara_bench_row row = {.steps = 10}, reference = {.steps = 10};
  for (int n = 0; n < 6; n++) {
    row.seconds[n] = seconds[n];
    reference.seconds[n] = of_serial[n];
    row.cell_steps[n] = reference.cell_steps[n] = 1000;
  }
  sciara_bench_summarise(&reference, 6, &row);
  ck_assert_double_eq_tol(row.us_per_step.median, 600, 1e-9); // between 400 and 800
  ck_assert_double_eq_tol(row.us_per_step.least, 100, 1e-9);
  ck_assert_double_eq_tol(row.us_per_step.most, 3200, 1e-9);
  ck_assert_double_eq_tol(row.ns_per_cell_step.median, 6000, 1e-9);
  ck_assert_double_eq_tol(row.cell_steps_per_s, 1e9 / 6000, 1e-6);
  ck_assert_double_eq_tol(row.speedup, 1.5, 1e-12); // between 2 and 1
  sciara_bench_summarise(&reference, 5, &row);      // 1, 2, 4, 8, 16
  ck_assert_double_eq_tol(row.us_per_step.median, 400, 1e-9);
  ck_assert_double_eq_tol(row.speedup, 2, 1e-12);
}

int main(void) {
  if (sciara_engine_find("serial", SCIARA_RULE_FV3, SCIARA_DOUBLE, &serial) != SCIARA_OK) return 1;
  return tests_run(&tests_here, (struct tests_setting){.seconds = 0});
}
