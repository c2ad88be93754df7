// SPDX-License-Identifier: Apache-2.0
// The public interface: an ensemble of eight members is planned, computed in two parts, reduced and queried.
#include "sciara.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "run_case.h"

enum { MEMBERS = 8 };

static char file[96], place[96]; ///< the ensemble file, and the folder of the ensemble

static void write_text(const char *name, const char *text) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  ck_assert_ptr_nonnull(f);
  fputs(text, f);
  ck_assert_int_eq(fclose(f), 0);
}

/** Four vents in a row, with two classes of eruptions: the full table. */
static void setup(void) {
  run_case_make("\"fields\": [\"deposit\"]");
  snprintf(file, sizeof file, "%s/e.json", folder);
  snprintf(place, sizeof place, "%s/e", folder);
  write_text("b.json",
             "{\"dem\": {\"path\": \"dem.asc\", \"crs\": \"EPSG:32633\"}, \"run\": {\"until\": \"30 min\"},"
             " \"vents\": [{\"row\": 8, \"col\": 20, \"effusion\": {\"slot\": \"1 h\", \"rates_m3_s\": [5]}}]}");
  write_text("v.csv", "name,x,y,p\nwest,500105,4177235,1\ninner,500155,4177235,2\nouter,500205,4177235,1\n"
                      "east,500305,4177235,4\n");
  write_text("e.json",
             "{\"base\": \"b.json\", \"vents\": {\"table\": \"v.csv\", \"weights\": {\"column\": \"p\"}},"
             " \"events\": [{\"name\": \"small\", \"weight\": 3, \"volume_m3\": 2000, \"duration\": \"10 min\"},"
             "  {\"name\": \"large\", \"weight\": 1, \"volume_m3\": 20000, \"duration\": \"20 min\"}],"
             " \"sample\": {\"method\": \"full\"},"
             " \"result\": {\"thickness_m\": [0, 1], \"within\": [\"10 min\", \"30 min\"]}}");
}

#define OK(call) ck_assert_msg((call) == SCIARA_OK, "%s", sciara_last_error())

static void refused(enum sciara_status expected, enum sciara_status found, const char *words) {
  ck_assert_msg(found == expected, "status %d, expected %d: %s", found, expected, sciara_last_error());
  ck_assert_msg(strstr(sciara_last_error(), words) != NULL, "\"%s\" is not in: %s", words, sciara_last_error());
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
  OK(sciara_ensemble_make_plan(file, place, false));
  OK(sciara_ensemble_run(place, &options, &p));
  return p;
}

TEST(a_plan_is_computed) {
  struct sciara_ensemble_progress p;
  OK(sciara_ensemble_make_plan(file, place, false));
  OK(sciara_ensemble_read_progress(place, &p));
  ck_assert(p.total == MEMBERS && p.finished == 0 && p.to_go_s < 0);
  p = finish();
  ck_assert(p.total == MEMBERS && p.finished == MEMBERS && p.now == MEMBERS);
  ck_assert(p.failed == 0 && p.censored == 0);
  OK(sciara_ensemble_run(place, NULL, &p));
  ck_assert_msg(p.finished == MEMBERS && p.now == 0, "finished members are not computed again");
  OK(sciara_ensemble_run(place, NULL, NULL));
  OK(sciara_ensemble_read_progress(place, &p));
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
  write_text("b.json",
             "{\"dem\": {\"path\": \"dem.asc\"}, \"run\": {\"until\": \"40 d\"}, \"model\": {\"clock_max_s\": 0.5},"
             " \"vents\": [{\"row\": 8, \"col\": 20, \"effusion\": {\"slot\": \"1 h\", \"rates_m3_s\": [5]}}]}");
  OK(sciara_ensemble_make_plan(file, place, false));
  OK(sciara_ensemble_run(place, &options, &p));
  ck_assert_uint_ge(seen.calls, 1);
  ck_assert_msg(p.finished < MEMBERS, "a call that was cancelled has computed all members");
}

TEST(reduced) {
  finish();
  OK(sciara_ensemble_reduce(place, NULL));
  ck_assert(exists("hazard.nc") && exists("sites.csv") && exists("maps/probability_0m.tif"));
  ck_assert(!exists("maps/probability_0m.png"));
  const struct sciara_ensemble_reduce_options options = {.pictures = true, .threads = 2, .all = true};
  OK(sciara_ensemble_reduce(place, &options));
  ck_assert(exists("maps/probability_0m.png"));
}

TEST(files_that_are_refused) {
  const struct sciara_ensemble_answer *a = (const struct sciara_ensemble_answer *)file;
  struct sciara_ensemble_progress p = {.total = 7};
  refused(SCIARA_ERR_IO, sciara_ensemble_make_plan("/nowhere/e.json", place, false), "/nowhere/e.json");
  ck_assert(!exists("ensemble.json"));
  write_text("bad.json", "{\"base\": \"b.json\", \"evnts\": []}");
  char bad[96];
  snprintf(bad, sizeof bad, "%s/bad.json", folder);
  refused(SCIARA_ERR_INPUT, sciara_ensemble_make_plan(bad, place, false), "evnts");
  refused(SCIARA_ERR_IO, sciara_ensemble_read_progress(place, &p), place);
  ck_assert_uint_eq(p.total, 0);
  refused(SCIARA_ERR_IO, sciara_ensemble_run(place, NULL, NULL), place);
  refused(SCIARA_ERR_IO, sciara_ensemble_reduce(place, NULL), place);
  refused(SCIARA_ERR_IO, sciara_ensemble_query(place, 500155, 4177235, &a), place);
  ck_assert_ptr_null(a);
  OK(sciara_ensemble_make_plan(file, place, false));
  refused(SCIARA_ERR_INPUT, sciara_ensemble_reduce(place, NULL), "finished");
  refused(SCIARA_ERR_INPUT, sciara_ensemble_query(place, 500155, 4177235, &a), "finished");
  refused(SCIARA_ERR_INPUT, sciara_ensemble_query(place, 0, 0, &a),
          "expected a place on the DEM (x from 500000.000 to 500400.000");
}

TEST(arguments_that_are_refused) {
  const struct sciara_ensemble_answer *a;
  OK(sciara_ensemble_make_plan(file, place, false));
  struct sciara_ensemble_run_options o = {.has_ids = true, .first_id = 2, .last_id = 1};
  refused(SCIARA_ERR_USAGE, sciara_ensemble_run(place, &o, NULL), "first_id <= last_id, found 2 and 1");
  o = (struct sciara_ensemble_run_options){.has_ids = true, .first_id = 8, .last_id = 9};
  refused(SCIARA_ERR_USAGE, sciara_ensemble_run(place, &o, NULL), "found 8 to 9");
  o = (struct sciara_ensemble_run_options){.part = 3, .parts = 2};
  refused(SCIARA_ERR_USAGE, sciara_ensemble_run(place, &o, NULL), "part 3 of 2");
  o = (struct sciara_ensemble_run_options){.part = 1};
  refused(SCIARA_ERR_USAGE, sciara_ensemble_run(place, &o, NULL), "part 1 of 0");
  o = (struct sciara_ensemble_run_options){.workers = -1};
  refused(SCIARA_ERR_USAGE, sciara_ensemble_run(place, &o, NULL), "found -1");
  o = (struct sciara_ensemble_run_options){.engine = "steam"};
  refused(SCIARA_ERR_USAGE, sciara_ensemble_run(place, &o, NULL), "steam");
  const struct sciara_ensemble_reduce_options r = {.threads = 1025};
  refused(SCIARA_ERR_USAGE, sciara_ensemble_reduce(place, &r), "1025");
  refused(SCIARA_ERR_USAGE, sciara_ensemble_query(place, (double)NAN, 0, &a), "finite");
  refused(SCIARA_ERR_USAGE, sciara_ensemble_query(NULL, 0, 0, &a), "found NULL");
  refused(SCIARA_ERR_USAGE, sciara_ensemble_query(place, 0, 0, NULL), "found NULL");
  refused(SCIARA_ERR_USAGE, sciara_ensemble_make_plan(NULL, place, false), "found NULL");
  refused(SCIARA_ERR_USAGE, sciara_ensemble_make_plan(file, NULL, false), "found NULL");
  refused(SCIARA_ERR_USAGE, sciara_ensemble_run(NULL, NULL, NULL), "found NULL");
  refused(SCIARA_ERR_USAGE, sciara_ensemble_read_progress(place, NULL), "found NULL");
  refused(SCIARA_ERR_USAGE, sciara_ensemble_reduce(NULL, NULL), "found NULL");
  sciara_ensemble_release(NULL);
}

RUN_TESTS(.setup = setup, .teardown = run_case_remove)
