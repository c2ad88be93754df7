// SPDX-License-Identifier: Apache-2.0
// Claims about the records of serial: a record is found again, it is used only for its own problem, a wrong record or a
// wrong engine gets no time, and a repetition that is shortened is still verified.
#include "bench/bench.h"
#include "bench/bench_scenes.h"
#include "model/state.h"
#include "support/folder.h"
#include "support/writable.h"

enum {
  SIZE = 64,
  WARM_UP = 6,
  STEPS = 6,
  EVERY = 2,
  REPEATS = 5,
  END = WARM_UP + REPEATS * STEPS,
  COUNT = END / EVERY, // of what is recorded
};

static const struct sciara_engine_ops *serial;
static struct sciara_problem problem;
static struct sciara_bench_records records;

static struct sciara_bench_case a_case(void) {
  return (struct sciara_bench_case){.name = "dense",
                                    .problem = &problem,
                                    .warm_up = WARM_UP,
                                    .steps = STEPS,
                                    .every = EVERY,
                                    .repeats = REPEATS,
                                    .records = &records};
}

static void make_problem(void) { expect_ok(sciara_scene_make(SCIARA_SCENE_DENSE, SIZE, SCIARA_DOUBLE, &problem)); }

/** The problem at its start, and its records. */
static void setup(void) {
  folder_make();
  make_problem();
  struct sciara_bench_case c = a_case();
  expect_ok(sciara_bench_record(&c, &records));
  sciara_problem_free(&problem);
  make_problem();
  ck_assert_uint_eq(records.count, COUNT);
}

static void teardown(void) {
  folder_remove();
  sciara_problem_free(&problem);
  sciara_bench_records_free(&records);
}

// ------------------------------------------------------------------------------------------------------------ the file

TEST(what_is_recorded) {
  struct sciara_state *s = problem.state;
  const uint64_t hash = sciara_bench_fingerprint(&problem, SCIARA_DOUBLE);
  for (uint64_t step = EVERY; step <= 3 * EVERY; step += EVERY) {
    const struct sciara_bench_record *r = sciara_bench_record_find(&records, hash, SCIARA_DOUBLE, step);
    expect_ok(sciara_bench_advance(&problem, SCIARA_DOUBLE, step));
    ck_assert_ptr_nonnull(r);
    ck_assert_uint_eq(r->checksum, sciara_state_checksum(s));
    ck_assert(r->clock == s->clock && r->liquid_cells == sciara_state_liquid_cells(s));
    ck_assert_uint_eq(r->cell_steps, step * (SIZE - 2) * (SIZE - 2));
    ck_assert(r->rows == SIZE && r->cols == SIZE && r->start == 0);
  }
  ck_assert_ptr_null(sciara_bench_record_find(&records, hash, SCIARA_DOUBLE, EVERY + 1));
  ck_assert_ptr_null(sciara_bench_record_find(&records, hash, SCIARA_SINGLE_PRECISION, EVERY));
  ck_assert_ptr_null(sciara_bench_record_find(&records, hash ^ 1, SCIARA_DOUBLE, EVERY));
}

TEST(another_problem_has_another_fingerprint) {
  const uint64_t hash = sciara_bench_fingerprint(&problem, SCIARA_DOUBLE);
  struct sciara_state *s = problem.state;
  const int64_t middle = SIZE * SIZE / 2 + SIZE / 2;
#define CHANGES(what, value)                                                    \
  do {                                                                          \
    const double kept = (what);                                                 \
    (what) = (value);                                                           \
    ck_assert_uint_ne(hash, sciara_bench_fingerprint(&problem, SCIARA_DOUBLE)); \
    (what) = kept;                                                              \
    ck_assert_uint_eq(hash, sciara_bench_fingerprint(&problem, SCIARA_DOUBLE)); \
  } while (0)
  CHANGES(s->h[middle], nextafter(s->h[middle], 9));
  CHANGES(writable_ground(s)[middle], s->z0[middle] + 1);
  CHANGES(s->clock, 2);
  CHANGES(problem.params.cooling, 2);
  CHANGES(problem.grid.cell_size, 11);
#undef CHANGES
  problem.boundary = SCIARA_BOUNDARY_CLOSED;
  ck_assert_uint_ne(hash, sciara_bench_fingerprint(&problem, SCIARA_DOUBLE));
}

TEST(written_and_read_again) {
  const char *file = in_folder("records.csv");
  OWNED(sciara_bench_records_free) struct sciara_bench_records again;
  struct sciara_bench_record other = records.row[0];
  snprintf(other.name, sizeof other.name, "another");
  other.precision = SCIARA_SINGLE_PRECISION;
  other.problem++;
  expect_ok(sciara_bench_record_add(&records, &other));
  expect_ok(sciara_bench_records_write(&records, file)); // sorts
  expect_ok(sciara_bench_records_read(file, &again));
  ck_assert_uint_eq(again.count, COUNT + 1);
  ck_assert_str_eq(again.row[0].name, "another");
  for (size_t k = 0; k < again.count; k++) {
    const struct sciara_bench_record *a = &records.row[k], *b = &again.row[k];
    ck_assert_str_eq(a->name, b->name);
    ck_assert(a->rows == b->rows && a->cols == b->cols && a->start == b->start && a->precision == b->precision);
    ck_assert(a->problem == b->problem && a->step == b->step && a->cell_steps == b->cell_steps);
    ck_assert(a->clock == b->clock && a->liquid_cells == b->liquid_cells && a->residual == b->residual);
    ck_assert_uint_eq(a->checksum, b->checksum);
    if (k > 0) ck_assert_uint_eq(b->step, k * EVERY);
  }
  sciara_bench_records_drop(&again, &again.row[1]);
  ck_assert_uint_eq(again.count, 1);
  ck_assert_str_eq(again.row[0].name, "another");
}

#define HEADER "case,rows,cols,start,precision,problem,step,cell_steps,clock_s,liquid_cells,residual_m3,checksum\n"
#define ROW "dense,64,64,0,double,0123456789abcdef,1,3844,1.5,3844,1e-9,fedcba9876543210\n"

TEST(files_that_are_refused) {
  const char *file = in_folder("records.csv");
  const struct {
    const char *text, *message;
  } cases[] = {
      {"", ":1: expected the header "},
      {"case\n", ":1: expected the header "},
      {HEADER "dense\n", ":2: expected 12 values, found 1"},
      {HEADER ROW "dense,64,64,0,double,0123456789abcdef,2,3844,1.5,3844,1e-9,fedcba9876543210,\n",
       ":3: expected 12 values, found 13"},
      {HEADER ROW ROW, ":3: expected each step of a problem once, found \"1\""},
      {HEADER ",64,64,0,double,0123456789abcdef,1,3844,1.5,3844,1e-9,fedcba9876543210\n", "expected a name"},
      {HEADER "dense,64,-1,0,double,0123456789abcdef,1,3844,1.5,3844,1e-9,fedcba9876543210\n",
       "expected a whole number of columns, found \"-1\""},
      {HEADER "dense,64,64,0,half,0123456789abcdef,1,3844,1.5,3844,1e-9,fedcba9876543210\n",
       "expected double or single, found \"half\""},
      {HEADER "dense,64,64,0,double,0123456789ABCDEF,1,3844,1.5,3844,1e-9,fedcba9876543210\n",
       "expected 16 hexadecimal"},
      {HEADER "dense,64,64,9,double,0123456789abcdef,1,3844,1.5,3844,1e-9,fedcba9876543210\n", "not before the start"},
      {HEADER "dense,64,64,0,double,0123456789abcdef,1,3844,nan,3844,1e-9,fedcba9876543210\n",
       "expected a clock, found \"nan\""},
      {HEADER "dense,64,64,0,double,0123456789abcdef,1,3844,1.5,3844,1e-9,fedcba987654321\n",
       "expected 16 hexadecimal"},
  };
  struct sciara_bench_records read;
  write_text(file, HEADER ROW);
  expect_ok(sciara_bench_records_read(file, &read));
  ck_assert_uint_eq(read.count, 1);
  sciara_bench_records_free(&read);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    write_text(file, cases[k].text);
    expect_error(sciara_bench_records_read(file, &read), SCIARA_ERR_INPUT, cases[k].message);
    ck_assert(!read.row && read.count == 0);
  }
}

// ------------------------------------------------------------------------------------------------------- measurements

static bool slow, wrong; ///< of the engine that follows

static double now; ///< s

/** A clock that advances only with the steps of the slow engine, apart from a microsecond each time that it is read. */
static double fake_clock(void) { return now += 1e-6; }

static enum sciara_status advance(void *engine, const struct sciara_stop *stop,
                                  struct sciara_engine_progress *progress) {
  const uint64_t before = progress->step;
  SCIARA_TRY(serial->advance(engine, stop, progress));
  if (slow) now += 0.03 * (double)(progress->step - before);
  return SCIARA_OK;
}

static enum sciara_status download(void *engine, struct sciara_state *s) {
  SCIARA_TRY(serial->download(engine, s));
  const int64_t middle = SIZE * SIZE / 2 + SIZE / 2;
  if (wrong) s->h[middle] = nextafter(s->h[middle], 0);
  return SCIARA_OK;
}

static struct sciara_engine_ops other;

static struct sciara_bench_candidate candidate(enum sciara_determinism determinism, bool is_slow, bool is_wrong) {
  other = *serial;
  other.name = "other";
  other.determinism = determinism;
  other.advance = advance;
  other.download = download;
  slow = is_slow;
  wrong = is_wrong;
  return (struct sciara_bench_candidate){.ops = &other};
}

static void measure(struct sciara_bench_case *c, const struct sciara_bench_candidate *candidates, size_t count) {
  c->clock = fake_clock;
  expect_ok(sciara_bench_measure(c, candidates, count));
}

static void expect_no_time(const struct sciara_bench_row *row, enum sciara_bench_result result, const char *why) {
  ck_assert_int_eq(row->result, result);
  ck_assert_msg(row->why && strstr(row->why, why), "\"%s\" lacks \"%s\"", row->why, why);
  for (int n = 0; n < SCIARA_BENCH_MOST_REPEATS; n++) ck_assert_double_eq(row->seconds[n], 0);
  ck_assert_double_eq(row->us_per_step.median, 0);
}

TEST(a_wrong_record_gives_no_time) {
  const struct sciara_bench_candidate x = candidate(SCIARA_EXACT, false, false);
  OWNED(sciara_bench_case_free) struct sciara_bench_case c = a_case();
  records.row[COUNT - 1 - STEPS / EVERY].cell_steps++;
  measure(&c, &x, 1);
  expect_no_time(&c.row[0], SCIARA_BENCH_FAILED, "cell-steps in repetition 4, serial counts");
}

/** For each cell-step: the ratio is one in five, although serial did more steps. */
static void expect_speedup(const struct sciara_bench_case *c) {
  const struct sciara_bench_row *a = &c->row[0], *b = &c->row[1];
  ck_assert_int_eq(b->result, SCIARA_BENCH_VERIFIED);
  ck_assert_uint_eq(a->steps, STEPS);
  bool found = false;
  for (int n = 0; n < REPEATS; n++) {
    const double here = a->seconds[n] / (double)a->cell_steps[n], there = b->seconds[n] / (double)b->cell_steps[n];
    found = found || fabs(b->speedup / (here / there) - 1) < 1e-9;
  }
  ck_assert(found);
}

/** serial takes little time: only the slow engine does fewer steps. */
TEST(slow_ones_do_fewer_steps) {
  for (int is_wrong = 0; is_wrong < 2; is_wrong++) {
    const struct sciara_bench_candidate x = candidate(SCIARA_EXACT, true, is_wrong);
    OWNED(sciara_bench_case_free) struct sciara_bench_case c = a_case();
    c.seconds = 0.55; // 30 ms a step: three steps in a repetition, of which two are recorded
    measure(&c, &x, 1);
    ck_assert_uint_eq(c.row[1].warm_up, WARM_UP);
    ck_assert_uint_eq(c.row[1].steps, EVERY);
    if (is_wrong)
      expect_no_time(&c.row[1], SCIARA_BENCH_FAILED, "recorded is");
    else
      expect_speedup(&c);
  }
}

/** An engine of the class tolerance is compared with the state of the exact engine that got furthest. */
TEST(tolerance_is_compared_with_a_state) {
  const struct sciara_engine_ops *openmp;
  expect_ok(sciara_engine_find("openmp", SCIARA_RULE_FV3, SCIARA_DOUBLE, &openmp));
  for (int is_wrong = 0; is_wrong < 2; is_wrong++) {
    const struct sciara_bench_candidate list[] = {candidate(SCIARA_TOLERANCE, true, is_wrong),
                                                  {.ops = openmp, .threads = 1}};
    OWNED(sciara_bench_case_free) struct sciara_bench_case c = a_case();
    c.seconds = 0.4;
    measure(&c, list, 2);
    ck_assert_str_eq(c.row[1].candidate.ops->name, "openmp");
    ck_assert_str_eq(c.row[2].candidate.ops->name, "other");
    const uint64_t furthest = c.row[0].steps > c.row[1].steps ? c.row[0].steps : c.row[1].steps;
    ck_assert_uint_eq(c.row[2].steps, furthest);
    ck_assert_int_eq(c.row[2].result, SCIARA_BENCH_VERIFIED); // one bit is within its bounds
    ck_assert_uint_eq(c.row[2].checksum == c.row[1].checksum, !is_wrong && furthest == c.row[1].steps);
  }
}

TEST(checksums_in_parallel) {
  struct sciara_problem p;
  expect_ok(sciara_scene_make(SCIARA_SCENE_DENSE, 1501, SCIARA_DOUBLE, &p));
  ck_assert_uint_eq(sciara_checksum_in_parallel(p.state), sciara_state_checksum(p.state));
  p.state->h[1501 * 1501 - 1] = 1; // the last cell of the last thread
  ck_assert_uint_eq(sciara_checksum_in_parallel(p.state), sciara_state_checksum(p.state));
  sciara_problem_free(&p);
  ck_assert_uint_eq(sciara_checksum_in_parallel(problem.state), sciara_state_checksum(problem.state));
}

int main(void) {
  if (sciara_engine_find("serial", SCIARA_RULE_FV3, SCIARA_DOUBLE, &serial) != SCIARA_OK) return 1;
  return tests_run(&tests_here, (struct tests_setting){.setup = setup, .teardown = teardown});
}
