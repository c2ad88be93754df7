// SPDX-License-Identifier: Apache-2.0
// The public interface: what a search needs of a calibration file.
#include "sciara.h"

#include "run_case.h"
#include "support/owned.h"

static char observed[96], fit[96];

#define OK(call) ck_assert_msg((call) == SCIARA_OK, "%s", sciara_last_error())
#define REFUSED(call, status, part)                                                      \
  do {                                                                                   \
    ck_assert_int_eq(call, status);                                                      \
    ck_assert_msg(strstr(sciara_last_error(), part) != NULL, "%s", sciara_last_error()); \
  } while (0)

/** The observed extent is that of a run with relaxation 0.4. */
static void setup(void) {
  static const char *const keys[] = {"model.relaxation=0.4"};
  OWNED(close_run) struct sciara *s;
  run_case_make("\"fields\": [\"deposit\"]");
  snprintf(observed, sizeof observed, "%s/mapped.tif", folder);
  snprintf(fit, sizeof fit, "%s/fit.json", folder);
  OK(sciara_open(in_folder("s.json"), keys, 1, &s));
  OK(sciara_run(s));
  OK(sciara_write_map(s, SCIARA_FIELD_DEPOSIT, observed));
  write_text(fit,
             "{\"pairs\": [{\"scenario\": \"s.json\", \"observed\": \"mapped.tif\"}], \"budget\": 9, \"unknowns\":"
             " [{\"key\": \"model.relaxation\", \"min\": 0.1, \"max\": 0.7}, {\"key\": \"rate_scale\", \"min\": 0.5,"
             " \"max\": 2, \"log\": true}]}");
}

struct taken {
  size_t count, until; ///< 0: all
  double jaccard[8], runout[8];
  char status[8][10];
};

static bool take(void *context, const struct sciara_calibration_score *score) {
  struct taken *t = context;
  const size_t k = t->count++;
  ck_assert_uint_eq(score->row, 3 + k);
  t->jaccard[k] = score->jaccard;
  t->runout[k] = score->runout ? *score->runout : -1;
  snprintf(t->status[k], sizeof t->status[k], "%s", score->status);
  ck_assert((score->error != NULL) == (strcmp(score->status, "invalid") == 0));
  ck_assert(!score->pair || *score->pair == score->jaccard);
  return true;
}

static bool until(void *context) {
  const struct taken *t = context;
  return t->until == 0 || t->count < t->until;
}

static struct sciara_calibration *begin(int workers) {
  const struct sciara_calibration_setup with = {.file = fit, .workers = workers};
  struct sciara_calibration *c;
  const char *said;
  OK(sciara_calibration_open(&with, &c));
  OK(sciara_calibration_describe(c, &said));
  ck_assert_ptr_nonnull(strstr(said, "\"population\""));
  OK(sciara_calibration_begin(c, 0, &said));
  ck_assert_ptr_nonnull(strstr(said, "\"bounds\""));
  return c;
}

TEST(values_and_scores) {
  static const double points[] = {0.5, 0.5, 1, 0, 0, 1};
  double values[8] = {0};
  struct taken taken = {0};
  struct sciara_calibration *c = begin(2);
  OK(sciara_calibration_values(c, 0, points, 3, values));
  ck_assert_double_eq(values[0], 0.1 + 0.5 * (0.7 - 0.1));
  ck_assert_double_eq_tol(values[1], 1, 1e-15);
  ck_assert_double_eq(values[2], 0.7);
  ck_assert_double_eq_tol(values[5], 2, 1e-15);
  values[0] = 0.4;
  values[1] = 1;
  values[6] = 7; // no relaxation
  values[7] = 1;
  const struct sciara_calibration_rows rows = {
      .values = values, .count = 4, .first = 3, .receive = take, .go_on = until, .context = &taken};
  OK(sciara_calibration_compute(c, &rows));
  ck_assert_uint_eq(taken.count, 4);
  ck_assert_double_eq(taken.jaccard[0], 1);
  ck_assert_double_eq(taken.runout[0], 1);
  ck_assert_double_lt(taken.jaccard[2], 1);
  ck_assert_str_eq(taken.status[1], "ok");
  ck_assert_str_eq(taken.status[3], "invalid");
  ck_assert_double_nan(taken.jaccard[3]);
  REFUSED(sciara_calibration_write_page(c, &(size_t){0}, 1, "[]", "en", folder), SCIARA_ERR_USAGE, "maps are kept");
  sciara_calibration_close(c);
}

/** After a cancellation nothing is received, and nothing more is computed before another beginning. */
TEST(cancelled) {
  static const double values[16] = {0.4, 1, 0.4, 1, 0.4, 1, 0.4, 1, 0.4, 1, 0.4, 1, 0.4, 1, 0.4, 1};
  struct taken taken = {.until = 1};
  struct sciara_calibration *c = begin(1);
  const struct sciara_calibration_rows rows = {
      .values = values, .count = 8, .first = 3, .receive = take, .go_on = until, .context = &taken};
  OK(sciara_calibration_compute(c, &rows));
  const size_t count = taken.count;
  ck_assert(count >= 1 && count <= 8);
  taken.until = 0;
  if (count < 8) {
    OK(sciara_calibration_compute(c, &rows));
    ck_assert_uint_eq(taken.count, count);
  }
  sciara_calibration_close(c);
}

static void count_problem(void *context, const char *text) {
  ck_assert_ptr_nonnull(strstr(text, "fit.json: "));
  ++*(int *)context;
}

TEST(refused) {
  int problems = 0;
  const char *said;
  double values[2];
  struct sciara_calibration_setup with = {.file = fit, .problem = count_problem, .context = &problems};
  struct sciara_calibration *c;
  struct sciara_calibration_rows rows = {.values = values};
  REFUSED(sciara_calibration_open(NULL, &c), SCIARA_ERR_USAGE, "setup");
  with.workers = 5000;
  REFUSED(sciara_calibration_open(&with, &c), SCIARA_ERR_USAGE, "expected 0 to 4096 workers, found 5000");
  with.workers = 1;
  OK(sciara_calibration_open(&with, &c));
  REFUSED(sciara_calibration_begin(c, 1, &said), SCIARA_ERR_USAGE, "one of 1 searches, found 1");
  REFUSED(sciara_calibration_values(c, 0, values, 1, values), SCIARA_ERR_USAGE, "has begun");
  REFUSED(sciara_calibration_compute(c, &rows), SCIARA_ERR_USAGE, "has begun");
  sciara_calibration_close(c);
  write_text(fit, "{\"pairs\": 1, \"budget\": -1, \"unknowns\": []}");
  REFUSED(sciara_calibration_open(&with, &c), SCIARA_ERR_INPUT, "fit.json: ");
  ck_assert_ptr_null(c);
  ck_assert_int_ge(problems, 2);
  sciara_calibration_close(NULL);
}

RUN_TESTS(.setup = setup, .teardown = folder_remove)
