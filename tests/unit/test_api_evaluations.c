// SPDX-License-Identifier: Apache-2.0
// The public interface: generations of a search against the map of a run with known parameters.
#include "sciara.h"

#include "run_case.h"
#include "support/owned.h"

static char scenario[96], observed[96];

#define OK(call) ck_assert_msg((call) == SCIARA_OK, "%s", sciara_last_error())

/** The observed extent is that of a run with relaxation 0.4. */
static void setup(void) {
  static const char *const keys[] = {"model.relaxation=0.4"};
  OWNED(close_run) struct sciara *s;
  run_case_make("\"fields\": [\"deposit\"]");
  snprintf(scenario, sizeof scenario, "%s/s.json", folder);
  snprintf(observed, sizeof observed, "%s/mapped.tif", folder);
  OK(sciara_open(scenario, keys, 1, &s));
  OK(sciara_run(s));
  OK(sciara_write_map(s, SCIARA_FIELD_DEPOSIT, observed));
}

static struct sciara_evaluations *open_all(int workers) {
  static const char *scenarios[1];
  static struct sciara_observed extent;
  const struct sciara_evaluations_setup with = {
      .scenarios = scenarios, .scenario_count = 1, .observed = &extent, .observed_count = 1, .workers = workers};
  struct sciara_evaluations *e;
  scenarios[0] = scenario;
  extent.path = observed;
  OK(sciara_evaluations_open(&with, &e));
  return e;
}

/** J of the result with number `k`. */
static double jaccard_of(const char *lines, int k) {
  for (; k > 0; k--) lines = strchr(lines, '\n') + 1;
  return strtod(strstr(lines, "\"jaccard\":") + strlen("\"jaccard\":"), NULL);
}

TEST(generations) {
  struct sciara_evaluations *e = open_all(2);
  const char *found;
  OK(sciara_evaluations_run(e,
                            "{\"id\": 1, \"set\": {\"model.relaxation\": 0.4}}\n\n"
                            "{\"id\": 2, \"set\": {\"model.relaxation\": 0.9, \"run.max_steps\": 60}}\n",
                            NULL, NULL, &found));
  ck_assert_msg(strncmp(found, "{\"id\":1,\"status\":\"ok\",", 22) == 0, "%s", found);
  ck_assert_double_eq(jaccard_of(found, 0), 1);
  ck_assert_double_lt(jaccard_of(found, 1), 0.95);
  char *first = strdup(found);
  OK(sciara_evaluations_run(
      e, "{\"id\": 3, \"set\": {\"model.relaxation\": 7}}\n{\"id\": 4, \"set\": {\"run.max_steps\": 60}}", NULL, NULL,
      &found));
  ck_assert_ptr_nonnull(strstr(found, "{\"id\":3,\"status\":\"error\",\"jaccard\":null,\"error\":\"line 1: "));
  ck_assert_ptr_nonnull(strstr(found, "{\"id\":4,\"status\":\"ok\","));
  OK(sciara_evaluations_run(e, "", NULL, NULL, &found));
  ck_assert_str_eq(found, "");
  OK(sciara_evaluations_run(e,
                            "{\"id\": 1, \"set\": {\"model.relaxation\": 0.4}}\n"
                            "{\"id\": 2, \"set\": {\"model.relaxation\": 0.9, \"run.max_steps\": 60}}\n",
                            NULL, NULL, &found));
  ck_assert_str_eq(found, first);
  free(first);
  sciara_evaluations_close(e);
}

/** Goes on while nothing is done. */
static bool until_first(void *context, size_t done) {
  *(size_t *)context = done;
  return done == 0;
}

TEST(cancelled_and_continued) {
  struct sciara_evaluations *e = open_all(1);
  const char *found;
  char lines[2048] = "";
  size_t seen = 0;
  strcat(lines, "{\"id\": 0, \"set\": {\"run.max_steps\": 5}}\n");
  for (int k = 1; k < 20; k++) strcat(lines, "{\"set\": {\"run.max_steps\": 1000000000, \"model.cooling\": 0}}\n");
  OK(sciara_evaluations_run(e, lines, until_first, &seen, &found));
  ck_assert_uint_eq(seen, 1);
  ck_assert_ptr_eq(strchr(found, '\n') + 1, found + strlen(found)); // one line
  OK(sciara_evaluations_run(e, "{\"id\": 5, \"set\": {\"model.relaxation\": 0.4}}", NULL, NULL, &found));
  ck_assert_double_eq(jaccard_of(found, 0), 1);
  sciara_evaluations_close(e);
}

/** Goes on until both are done. */
static bool until_second(void *context, size_t done) {
  (void)context;
  return done < 2;
}

/** A call may be cancelled when all is done: the next one is as any other. */
TEST(cancelled_at_the_end) {
  struct sciara_evaluations *e = open_all(1);
  const char *found, *lines = "{\"set\": {\"run.max_steps\": 5}}\n{\"set\": {\"run.max_steps\": 60}}\n";
  for (int k = 0; k < 3; k++) {
    OK(sciara_evaluations_run(e, lines, until_second, NULL, &found));
    const char *second = strchr(found, '\n');
    ck_assert_msg(second && strchr(second + 1, '\n'), "call %d: %s", k, found);
  }
  sciara_evaluations_close(e);
}

static void refused(const struct sciara_evaluations_setup *setup, enum sciara_status expected, const char *words) {
  struct sciara_evaluations *e;
  const enum sciara_status status = sciara_evaluations_open(setup, &e);
  ck_assert_msg(status == expected && strstr(sciara_last_error(), words), "%d: %s", (int)status, sciara_last_error());
  ck_assert_ptr_null(e);
}

TEST(wrong_use) {
  const char *const scenarios[] = {scenario}, *found;
  struct sciara_observed extent = {.path = observed};
  const struct sciara_evaluations_setup good = {
      .scenarios = scenarios, .scenario_count = 1, .observed = &extent, .observed_count = 1};
  struct sciara_evaluations_setup bad = good;
  struct sciara_evaluations *e;
  bad.scenario_count = 0;
  refused(&bad, SCIARA_ERR_USAGE, "at least one scenario");
  bad = good;
  bad.observed_count = 0;
  refused(&bad, SCIARA_ERR_USAGE, "expected an observed extent, found none");
  bad = good;
  bad.min_thickness_m = NAN;
  refused(&bad, SCIARA_ERR_USAGE, "min_thickness_m of 0 m or more, found nan");
  bad = good;
  bad.workers = -1;
  refused(&bad, SCIARA_ERR_USAGE, "0 to 4096 workers, found -1");
  refused(NULL, SCIARA_ERR_USAGE, "setup");
  extent.weight = -1;
  refused(&good, SCIARA_ERR_USAGE, "a weight of 0 to 1e6, found -1");
  extent.weight = 1e308;
  refused(&good, SCIARA_ERR_USAGE, "a weight of 0 to 1e6, found 1e+308");
  extent = (struct sciara_observed){.path = observed, .at_s = -5};
  refused(&good, SCIARA_ERR_USAGE, "at_s of 0 s or more, found -5");
  extent = (struct sciara_observed){.path = observed, .scenario = 1};
  refused(&good, SCIARA_ERR_USAGE, "the number of a scenario, found 1");
  extent = (struct sciara_observed){.path = observed, .date = "2006-07-14"};
  refused(&good, SCIARA_ERR_INPUT, "expected run.start in ");
  extent.at_s = 5;
  refused(&good, SCIARA_ERR_USAGE, "one of at_s and date, found 5");
  extent = (struct sciara_observed){.path = observed, .at_s = 5, .dates = "auto"};
  refused(&good, SCIARA_ERR_USAGE, "dates without date and at_s, found 5");
  extent.at_s = 0;
  refused(&good, SCIARA_ERR_USAGE, "is a raster and has no dates");
  extent = (struct sciara_observed){.path = "gone.tif"};
  refused(&good, SCIARA_ERR_IO, "gone.tif");
  ck_assert_int_eq(sciara_evaluations_open(&good, NULL), SCIARA_ERR_USAGE);
  ck_assert_int_eq(sciara_evaluations_run(NULL, "", NULL, NULL, &found), SCIARA_ERR_USAGE);
  e = open_all(0);
  ck_assert_int_eq(sciara_evaluations_run(e, NULL, NULL, NULL, &found), SCIARA_ERR_USAGE);
  ck_assert_int_eq(sciara_evaluations_run(e, "", NULL, NULL, NULL), SCIARA_ERR_USAGE);
  sciara_evaluations_close(e);
  sciara_evaluations_close(NULL);
}

RUN_TESTS(.setup = setup, .teardown = folder_remove)
