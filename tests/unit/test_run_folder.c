// SPDX-License-Identifier: Apache-2.0
// One run at a time in a folder: from its first file to its last no other run gets in, and a run that is refused changes
// nothing. Which files a run may not read, and which it removes.
#include "run/run.h"
#include "run_case.h"
#include "support/owned.h"

int __wrap_fsync(int fd);
int __wrap_fsync(int fd) { // in place of the C library's, by the linker: loss of power is not tested here
  (void)fd;
  return 0;
}

static void setup(void) {
  run_case_make("\"every\": \"60 s\", \"checkpoint_every\": \"60 s\", \"maps\": [\"thickness\"]");
}

static void expect_locked(const char *where) {
  int lock = 0;
  ck_assert_int_eq(sciara_run_folder_lock(where, &lock), SCIARA_ERR_INPUT);
  ck_assert_int_eq(lock, -1);
  expect_said("out: another run is writing to this folder");
}

static void expect_free(const char *where) {
  int lock = -1;
  expect_ok(sciara_run_folder_lock(where, &lock));
  ck_assert_int_ge(lock, 0);
  close(lock);
}

TEST(one_at_a_time) {
  int lock;
  expect_ok(sciara_run_folder_prepare(out, false, NULL, 0, &lock));
  expect_locked(out);
  expect_locked(out); // a diagnostic does not take the lock
  close(lock);
  expect_free(out);
  expect_free(out);
}

/** The callbacks of a run, and whether the folder was locked at each of these moments. */
struct watch {
  int prepared, ticks, acknowledged, written;
  int cancel;
};

static void on_prepared(void *context, const char *where) {
  ((struct watch *)context)->prepared++;
  expect_locked(where);
}

static void on_tick(void *context, const struct sciara_simulation *s) {
  ((struct watch *)context)->ticks++;
  expect_locked(s->problem.source->scenario.output.folder);
}

static void on_acknowledged(void *context, const char *path) {
  (void)path;
  ((struct watch *)context)->acknowledged++;
  expect_locked(out);
}

static void on_written(void *context, const char *path) {
  (void)path;
  ((struct watch *)context)->written++;
  expect_locked(out);
}

static enum sciara_status run(struct sciara_simulation *s, struct sciara_resume *resume, struct watch *watch) {
  struct sciara_run_result result;
  const struct sciara_run_options how = {.history = "a test",
                                         .resume = resume,
                                         .cancel = &watch->cancel,
                                         .observer = {.context = watch,
                                                      .prepared = on_prepared,
                                                      .tick = on_tick,
                                                      .acknowledged = on_acknowledged,
                                                      .written = on_written}};
  const enum sciara_status status = sciara_run_to_end(s, &how, &result);
  sciara_simulation_destroy(s);
  return status;
}

static void expect_watched(const struct watch *w) {
  ck_assert(w->prepared == 1 && w->ticks > 0 && w->acknowledged > 0 && w->written > 0);
}

TEST_EACH(from_the_first_file_to_the_last, 2) {
  struct watch watch = {.cancel = _i}; // a whole run, and one that is stopped at once
  expect_ok(run(run_case_open("serial"), NULL, &watch));
  expect_watched(&watch);
  expect_free(out);
}

TEST(also_when_it_fails) {
  struct watch watch = {0};
  struct sciara_simulation *s = run_case_open("serial");
  run_case_fail(s, false, 1);
  ck_assert_int_eq(run(s, NULL, &watch), SCIARA_ERR_NUMERIC);
  ck_assert(watch.prepared == 1 && watch.ticks == 1);
  expect_free(out);
}

TEST(when_it_is_resumed) {
  struct watch first = {0}, second = {0};
  struct sciara_resume resume;
  struct sciara_simulation *s = run_case_open("serial");
  s->until_step = 60;
  expect_ok(run(s, NULL, &first));
  run_case_find(false, &resume);
  expect_locked(out); // before anything is written
  s = run_case_resume(&resume, "serial", NULL);
  expect_ok(run(s, &resume, &second));
  expect_watched(&second);
  expect_free(out); // also while it is open
  sciara_resume_close(&resume);
  run_case_find(false, &resume);
  sciara_resume_close(&resume); // without resuming
  expect_free(out);
}

TEST(who_is_refused_changes_nothing) {
  struct watch watch = {0};
  struct sciara_resume resume;
  int lock, other;
  expect_ok(run(run_case_open("serial"), NULL, &watch));
  OWNED(sciara_run_json_free) struct sciara_run_json before = run_case_record(out);
  expect_ok(sciara_run_folder_lock(out, &lock));
  ck_assert_int_eq(sciara_run_folder_prepare(out, true, NULL, 0, &other), SCIARA_ERR_INPUT);
  ck_assert_int_eq(other, -1);
  ck_assert_int_eq(run(run_case_open("serial"), NULL, &watch), SCIARA_ERR_INPUT);
  expect_error(sciara_resume_open(out, false, &resume), SCIARA_ERR_INPUT, "another run is writing");
  OWNED(sciara_run_json_free) struct sciara_run_json after = run_case_record(out);
  ck_assert_uint_eq(after.snapshot_count, before.snapshot_count);
  for (size_t k = 0; k < after.snapshot_count; k++) {
    OWNED(free_memory) char *path = sciara_path_join(out, after.snapshots[k].name);
    ck_assert_int_eq(access(path, R_OK), 0);
  }
  expect_ok(sciara_resume_open(out, true, &resume)); // a branch does not change the run
  sciara_resume_close(&resume);
  close(lock);
  expect_ok(sciara_run_folder_prepare(out, true, NULL, 0, &other));
  expect_locked(out);
  close(other);
}

/** FOLDER/out/NAME, with a byte in it. */
static char *make_file(const char *name) {
  char *path = sciara_path_join(out, name), *where = sciara_path_folder(path);
  expect_ok(sciara_folder_make(where));
  expect_ok(sciara_file_replace(path, "x", 1));
  free(where);
  return path;
}

// Inputs of a run are not replaced by it; a file elsewhere does not belong to the run, however similar its name is.
TEST(inputs_are_spared) {
  static const struct {
    const char *name;
    bool refused;
  } inputs[] = {{"dem.tif", true},        {"run.json", true},    {"snapshots/00000001.nc", true},
                {"maps/x.tif", true},     {"other.tif", false},  {"dem.tif.txt", false},
                {"dem/run.json", false},  {"../s.json", false},  {"../out-dem.tif", false},
                {"../outdem.tif", false}, {"../dem.tif", false}, {"../out.snapshots/00000001.nc", false}};
  for (size_t k = 0; k < sizeof inputs / sizeof *inputs; k++) {
    OWNED(free_memory) char *record = make_file("run.json"), *path = make_file(inputs[k].name);
    const char *const read[] = {NULL, path};
    int lock = -1;
    const enum sciara_status status = sciara_run_folder_prepare(out, true, read, 2, &lock);
    ck_assert_msg(status == (inputs[k].refused ? SCIARA_ERR_INPUT : SCIARA_OK), "%s: %s", path, sciara_last_error());
    ck_assert_msg(access(path, F_OK) == 0, "%s is gone", path);
    if (inputs[k].refused) expect_said(path);
    if (lock >= 0) close(lock);
  }
}

// After a run that was interrupted and resumed: snapshots of other steps and truncated files are removed.
TEST(leftovers_are_swept) {
  static const struct {
    const char *name;
    bool stays;
  } files[] = {{"snapshots/00000010.nc", true},    {"snapshots/00000010.nc.part", false},
               {"snapshots/00000020.nc", false},   {"snapshots/00000020.nc.part", false},
               {"snapshots/1234567890.nc", true},  {"snapshots/mine.nc", true},
               {"snapshots/10.nc", true},          {"snapshots/00000010.txt", true},
               {"checkpoints/00000010.h5", true},  {"checkpoints/00000010.h5.part", false},
               {"checkpoints/mine.h5.part", true}, {"maps/deposit.tif.part", true}};
  const uint64_t steps[] = {10, 30, 1234567890};
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) free(make_file(files[k].name));
  expect_ok(sciara_run_folder_sweep(out, steps, 3));
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
    OWNED(free_memory) char *path = sciara_path_join(out, files[k].name);
    ck_assert_msg((access(path, F_OK) == 0) == files[k].stays, "%s", path);
  }
  expect_ok(sciara_run_folder_sweep(out, steps, 0)); // none is listed
  OWNED(free_memory) char *last = sciara_path_join(out, "snapshots/00000010.nc");
  ck_assert_int_ne(access(last, F_OK), 0);
}

RUN_TESTS(.setup = setup, .teardown = folder_remove)
