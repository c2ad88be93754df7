// SPDX-License-Identifier: Apache-2.0
// The public interface: an ensemble of eight members is planned, computed in two parts, reduced and queried.
#include "sciara.h"

#include <sys/stat.h>

#include "run_case.h"

enum { MEMBERS = 8 };

static char file[96], place[96]; ///< the ensemble file, and the folder of the ensemble

/** Four vents in a row, with two classes of eruptions: the full table. */
static void setup(void) {
  run_case_make("\"fields\": [\"deposit\"]");
  snprintf(file, sizeof file, "%s/e.json", folder);
  snprintf(place, sizeof place, "%s/e", folder);
  write_text(in_folder("b.json"),
             "{\"dem\": {\"path\": \"dem.asc\", \"crs\": \"EPSG:32633\"}, \"run\": {\"until\": \"30 min\"},"
             " \"vents\": [{\"row\": 8, \"col\": 20, \"effusion\": {\"slot\": \"1 h\", \"rates_m3_s\": [5]}}]}");
  write_text(in_folder("v.csv"), "name,x,y,p\nwest,500105,4177235,1\ninner,500155,4177235,2\nouter,500205,4177235,1\n"
                                 "east,500305,4177235,4\n");
  write_text(in_folder("e.json"),
             "{\"base\": \"b.json\", \"vents\": {\"table\": \"v.csv\", \"weights\": {\"column\": \"p\"}},"
             " \"events\": [{\"name\": \"small\", \"weight\": 3, \"volume_m3\": 2000, \"duration\": \"10 min\"},"
             "  {\"name\": \"large\", \"weight\": 1, \"volume_m3\": 20000, \"duration\": \"20 min\"}],"
             " \"sample\": {\"method\": \"full\"},"
             " \"result\": {\"thickness_m\": [0, 1], \"within\": [\"10 min\", \"30 min\"]}}");
}

static bool exists(const char *name) {
  struct stat about;
  char path[128];
  snprintf(path, sizeof path, "%s/%s", place, name);
  return stat(path, &about) == 0;
}

/** Planned, and computed as a whole. */
static struct sciara_ensemble_progress finish(void) {
  const struct sciara_ensemble_run_options options = {.workers = 2, .engine = "serial"};
  struct sciara_ensemble_progress p;
  expect_ok(sciara_ensemble_make_plan(file, place, false));
  expect_ok(sciara_ensemble_run(place, &options, &p));
  return p;
}

TEST(a_plan_is_computed) {
  struct sciara_ensemble_progress p;
  expect_ok(sciara_ensemble_make_plan(file, place, false));
  expect_ok(sciara_ensemble_read_progress(place, &p));
  ck_assert(p.total == MEMBERS && p.finished == 0 && p.to_go_s < 0);
  p = finish();
  ck_assert(p.total == MEMBERS && p.finished == MEMBERS && p.now == MEMBERS);
  ck_assert(p.failed == 0 && p.censored == 0);
  expect_ok(sciara_ensemble_run(place, NULL, &p));
  ck_assert_msg(p.finished == MEMBERS && p.now == 0, "finished members are not computed again");
  expect_ok(sciara_ensemble_run(place, NULL, NULL));
  expect_ok(sciara_ensemble_read_progress(place, &p));
  ck_assert(p.total == MEMBERS && p.finished == MEMBERS && p.now == 0 && p.to_go_s == 0);
  ck_assert(p.per_hour > MEMBERS && p.per_hour <= 3600.0 * MEMBERS); // in whole seconds
}

/** What the function for progress has seen. */
struct seen {
  size_t calls, most;
  bool proceed;
};

static bool watch(void *context, const struct sciara_ensemble_progress *now) {
  struct seen *s = (struct seen *)context;
  s->calls++;
  if (now->finished > s->most) s->most = now->finished;
  ck_assert_uint_eq(now->total, MEMBERS);
  return s->proceed;
}

TEST(progress_and_cancel) {
  struct seen seen = {.proceed = false};
  struct sciara_ensemble_run_options options = {.workers = 1, .progress = watch, .context = &seen};
  struct sciara_ensemble_progress p;
  // Members that take longer than the first call of the function.
  write_text(in_folder("b.json"),
             "{\"dem\": {\"path\": \"dem.asc\"}, \"run\": {\"until\": \"40 d\"}, \"model\": {\"clock_max_s\": 0.5},"
             " \"vents\": [{\"row\": 8, \"col\": 20, \"effusion\": {\"slot\": \"1 h\", \"rates_m3_s\": [5]}}]}");
  expect_ok(sciara_ensemble_make_plan(file, place, false));
  expect_ok(sciara_ensemble_run(place, &options, &p));
  ck_assert_uint_ge(seen.calls, 1);
  ck_assert_msg(p.finished < MEMBERS, "a call that was cancelled has computed all members");
}

TEST(reduced) {
  finish();
  expect_ok(sciara_ensemble_reduce(place, NULL));
  ck_assert(exists("hazard.nc") && exists("sites.csv") && exists("maps/probability_0m.tif"));
  ck_assert(!exists("maps/probability_0m.png"));
  const struct sciara_ensemble_reduce_options options = {.pictures = true, .threads = 2, .all = true};
  expect_ok(sciara_ensemble_reduce(place, &options));
  ck_assert(exists("maps/probability_0m.png"));
}

TEST(files_that_are_refused) {
  const struct sciara_ensemble_answer *a = (const struct sciara_ensemble_answer *)file;
  struct sciara_ensemble_progress p = {.total = 7};
  expect_error(sciara_ensemble_make_plan("/nowhere/e.json", place, false), SCIARA_ERR_IO, "/nowhere/e.json");
  ck_assert(!exists("ensemble.json"));
  write_text(in_folder("bad.json"), "{\"base\": \"b.json\", \"evnts\": []}");
  char bad[96];
  snprintf(bad, sizeof bad, "%s/bad.json", folder);
  expect_error(sciara_ensemble_make_plan(bad, place, false), SCIARA_ERR_INPUT, "evnts");
  expect_error(sciara_ensemble_read_progress(place, &p), SCIARA_ERR_IO, place);
  ck_assert_uint_eq(p.total, 0);
  expect_error(sciara_ensemble_run(place, NULL, NULL), SCIARA_ERR_IO, place);
  expect_error(sciara_ensemble_reduce(place, NULL), SCIARA_ERR_IO, place);
  expect_error(sciara_ensemble_query(place, 500155, 4177235, &a), SCIARA_ERR_IO, place);
  ck_assert_ptr_null(a);
  expect_ok(sciara_ensemble_make_plan(file, place, false));
  expect_error(sciara_ensemble_reduce(place, NULL), SCIARA_ERR_INPUT, "finished");
  expect_error(sciara_ensemble_query(place, 500155, 4177235, &a), SCIARA_ERR_INPUT, "finished");
  expect_error(sciara_ensemble_query(place, 0, 0, &a), SCIARA_ERR_INPUT,
               "expected a place on the DEM (x from 500000.000 to 500400.000");
}

TEST(arguments_that_are_refused) {
  const struct sciara_ensemble_answer *a;
  expect_ok(sciara_ensemble_make_plan(file, place, false));
  struct sciara_ensemble_run_options o = {.has_ids = true, .first_id = 2, .last_id = 1};
  expect_error(sciara_ensemble_run(place, &o, NULL), SCIARA_ERR_USAGE, "first_id <= last_id, found 2 and 1");
  o = (struct sciara_ensemble_run_options){.has_ids = true, .first_id = 8, .last_id = 9};
  expect_error(sciara_ensemble_run(place, &o, NULL), SCIARA_ERR_USAGE, "found 8 to 9");
  o = (struct sciara_ensemble_run_options){.part = 3, .parts = 2};
  expect_error(sciara_ensemble_run(place, &o, NULL), SCIARA_ERR_USAGE, "part 3 of 2");
  o = (struct sciara_ensemble_run_options){.part = 1};
  expect_error(sciara_ensemble_run(place, &o, NULL), SCIARA_ERR_USAGE, "part 1 of 0");
  o = (struct sciara_ensemble_run_options){.workers = -1};
  expect_error(sciara_ensemble_run(place, &o, NULL), SCIARA_ERR_USAGE, "found -1");
  o = (struct sciara_ensemble_run_options){.engine = "steam"};
  expect_error(sciara_ensemble_run(place, &o, NULL), SCIARA_ERR_USAGE, "steam");
  const struct sciara_ensemble_reduce_options r = {.threads = 1025};
  expect_error(sciara_ensemble_reduce(place, &r), SCIARA_ERR_USAGE, "1025");
  expect_error(sciara_ensemble_query(place, (double)NAN, 0, &a), SCIARA_ERR_USAGE, "finite");
  expect_error(sciara_ensemble_query(NULL, 0, 0, &a), SCIARA_ERR_USAGE, "found NULL");
  expect_error(sciara_ensemble_query(place, 0, 0, NULL), SCIARA_ERR_USAGE, "found NULL");
  expect_error(sciara_ensemble_make_plan(NULL, place, false), SCIARA_ERR_USAGE, "found NULL");
  expect_error(sciara_ensemble_make_plan(file, NULL, false), SCIARA_ERR_USAGE, "found NULL");
  expect_error(sciara_ensemble_run(NULL, NULL, NULL), SCIARA_ERR_USAGE, "found NULL");
  expect_error(sciara_ensemble_read_progress(place, NULL), SCIARA_ERR_USAGE, "found NULL");
  expect_error(sciara_ensemble_reduce(NULL, NULL), SCIARA_ERR_USAGE, "found NULL");
  struct sciara_ensemble_verify_options by = {.threads = -1};
  expect_error(sciara_ensemble_verify(NULL, &by), SCIARA_ERR_USAGE, "found NULL");
  expect_error(sciara_ensemble_verify(place, NULL), SCIARA_ERR_USAGE, "found NULL");
  expect_error(sciara_ensemble_verify(place, &by), SCIARA_ERR_USAGE, "the path of an observed extent, found NULL");
  by.observed = file;
  expect_error(sciara_ensemble_verify(place, &by), SCIARA_ERR_USAGE, "0 to 1024 threads, found -1");
  sciara_ensemble_release(NULL);
}

RUN_TESTS(.setup = setup, .teardown = folder_remove)
