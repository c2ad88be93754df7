// SPDX-License-Identifier: Apache-2.0
// A run whose snapshots are written while it computes: a slow disk slows it down and changes no byte, and however it ends,
// what it has acknowledged is complete. With an engine whose states are copied at once (serial) and with one that keeps
// them until they are written (checked), as GPUs do. The linker puts the functions below in place of the C library's
// (--wrap, tests/CMakeLists.txt).
#include <dirent.h>
#include <time.h>

#include "file/durable.h"
#include "run/run.h"
#include "run_case.h"
#include "store/run_json.h"
#include "store/snapshot_hdf5.h"
#include "support/owned.h"

static const char *const engines[] = {"serial", "checked"};

static struct {
  int slow_ms;  ///< additional time of an fsync
  int fails_at; ///< number of the snapshot, from 0, for which there is no room on the disk; -1: none
  int writes;   ///< of snapshots
} disk;

int __real_fsync(int fd);
ssize_t __real_write(int fd, const void *bytes, size_t count);
int __wrap_fsync(int fd);
ssize_t __wrap_write(int fd, const void *bytes, size_t count);

int __wrap_fsync(int fd) {
  const struct timespec t = {.tv_nsec = disk.slow_ms * 1000000L};
  nanosleep(&t, NULL);
  return __real_fsync(fd);
}

ssize_t __wrap_write(int fd, const void *bytes, size_t count) {
  char link[64], name[256];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, name, sizeof name - 1);
  name[length > 0 ? length : 0] = '\0';
  if (strstr(name, "/snapshots/") && disk.writes++ == disk.fails_at) {
    errno = ENOSPC;
    return -1;
  }
  return __real_write(fd, bytes, count);
}

// ---------------------------------------------------------------------------------------------------------- the run

static void setup(void) {
  run_case_make("\"every\": \"15 s\", \"dtype\": \"float64\"");
  disk.slow_ms = disk.writes = 0;
  disk.fails_at = -1;
}

/** What is reported while a run is under way. */
struct watch {
  int acknowledged, cancel, cancel_at; ///< how many snapshots; set at that number
};

static void on_snapshot(void *context, const char *path) {
  struct watch *w = (struct watch *)context;
  ck_assert_int_eq(access(path, R_OK), 0);
  if (++w->acknowledged == w->cancel_at) __atomic_store_n(&w->cancel, 1, __ATOMIC_RELAXED);
}

static bool stalls; ///< of a step that fails: because the time does not advance

/** Runs s.json into out; `bad`: the step that fails, 0: none does. */
static enum sciara_status run(const char *engine, struct watch *watch, uint64_t bad, struct sciara_run_result *result) {
  OWNED(destroy_simulation) struct sciara_simulation *s = run_case_open(engine);
  ck_assert_int_eq(sciara_simulation_keeps(s), strcmp(engine, "checked") == 0);
  if (bad) run_case_fail(s, stalls, bad);
  const struct sciara_run_options how = {
      .history = "a test", .cancel = &watch->cancel, .observer = {.context = watch, .acknowledged = on_snapshot}};
  const enum sciara_status status = sciara_run_to_end(s, &how, result);
  return status;
}

/** Every snapshot of the record is complete; there is no other file in their folder. */
static void expect_whole(const struct sciara_run_json *r) {
  char *snapshots = sciara_path_join(out, "snapshots");
  DIR *d = opendir(snapshots);
  ck_assert_ptr_nonnull(d);
  size_t files = 0;
  for (const struct dirent *e; (e = readdir(d));) files += e->d_name[0] != '.';
  closedir(d);
  free(snapshots);
  ck_assert_uint_eq(files, r->snapshot_count);
  for (size_t k = 0; k < r->snapshot_count; k++) {
    OWNED(sciara_snapshot_close) struct sciara_snapshot s;
    double values[30 * 40];
    OWNED(free_memory) char *path = sciara_path_join(out, r->snapshots[k].name);
    expect_ok(sciara_snapshot_open(path, &s));
    ck_assert_uint_eq(s.step, r->snapshots[k].step);
    ck_assert_uint_eq(s.checksum, r->snapshots[k].checksum);
    expect_ok(sciara_snapshot_read(&s, SCIARA_FIELD_THICKNESS, values));
  }
}

/** State and ledger of the record are those of its last snapshot, not of a later step. */
static void expect_last_state(const struct sciara_run_json *r) {
  OWNED(sciara_snapshot_close) struct sciara_snapshot s;
  OWNED(free_memory) char *path = sciara_path_join(out, r->snapshots[r->snapshot_count - 1].name);
  expect_ok(sciara_snapshot_open(path, &s));
  ck_assert_uint_eq(r->step, s.step);
  ck_assert_double_eq(r->time_s, s.time_s);
  ck_assert_double_eq(r->clock_s, s.clock_s);
  ck_assert_int_eq(r->liquid_cells, s.liquid_cells);
  ck_assert_int_eq(memcmp(&r->ledger, &s.ledger, sizeof s.ledger), 0);
}

// ------------------------------------------------------------------------------------------------------------ tests

static void expect_same_file(const char *a, const char *b, const char *name) {
  char *path[2] = {sciara_path_join(a, name), sciara_path_join(b, name)}, *bytes[2];
  size_t count[2];
  for (int k = 0; k < 2; k++) expect_ok(sciara_file_read(path[k], 1 << 24, &bytes[k], &count[k]));
  ck_assert_msg(count[0] == count[1] && memcmp(bytes[0], bytes[1], count[0]) == 0, "%s differs", name);
  for (int k = 0; k < 2; k++) {
    free(bytes[k]);
    free(path[k]);
  }
}

TEST_EACH(slow_disk, 2) {
  char fast[96];
  struct watch watch = {0}, slow_watch = {0};
  struct sciara_run_result result;
  expect_ok(run(engines[_i], &watch, 0, &result));
  snprintf(fast, sizeof fast, "%s/fast", folder);
  ck_assert_int_eq(rename(out, fast), 0); // so that both were written under the same name
  disk.slow_ms = 10;
  expect_ok(run(engines[_i], &slow_watch, 0, &result));
  OWNED(sciara_run_json_free) struct sciara_run_json a = run_case_record(fast), b = run_case_record(out);
  expect_whole(&b);
  ck_assert_uint_ge(b.snapshot_count, 10);
  ck_assert_uint_eq(a.snapshot_count, b.snapshot_count);
  ck_assert_int_eq(slow_watch.acknowledged, (int)b.snapshot_count);
  for (size_t k = 0; k < b.snapshot_count; k++) {
    ck_assert_uint_eq(a.snapshots[k].checksum, b.snapshots[k].checksum);
    expect_same_file(fast, out, b.snapshots[k].name);
  }
  expect_same_file(fast, out, "series.nc");
  // Each takes four fsyncs; after the last step the run waits for the last three.
  const double least = 0.04 * ((double)b.snapshot_count - 4) - b.compute_s;
  ck_assert_msg(b.output_wait_s >= least && b.output_wait_s > 0, "%g s waited, at least %g", b.output_wait_s, least);
  ck_assert_msg(a.output_wait_s < b.output_wait_s, "%g s waited, %g for a slow disk", a.output_wait_s, b.output_wait_s);
  ck_assert_double_le(b.compute_s + b.output_wait_s, b.wall_s);
}

// There is room for `fails_at` snapshots; when the next one fails, another is waiting behind it.
TEST_EACH(full_disk, 8) {
  struct watch watch = {0};
  struct sciara_run_result result;
  disk.slow_ms = 10;
  disk.fails_at = _i / 2;
  expect_error(run(engines[_i % 2], &watch, 0, &result), SCIARA_ERR_IO, strerror(ENOSPC));
  OWNED(sciara_run_json_free) struct sciara_run_json r = run_case_record(out);
  ck_assert_int_eq(r.status, SCIARA_RUN_FAILED);
  ck_assert_ptr_nonnull(strstr(r.stop_reason, strerror(ENOSPC)));
  ck_assert_uint_eq(r.snapshot_count, (size_t)disk.fails_at);
  if (disk.fails_at > 0)
    expect_last_state(&r);
  else
    ck_assert(r.step == 0 && r.time_s == 0 && r.ledger.emitted_m3 == 0);
  ck_assert_int_eq(watch.acknowledged, disk.fails_at);
  ck_assert_int_eq(disk.writes, disk.fails_at + 1); // nothing was tried after it
  expect_whole(&r);
}

// What was taken before a step failed is written completely and reported.
TEST_EACH(failed_step, 2) {
  struct watch watch = {0}, undisturbed = {0};
  struct sciara_run_result result;
  expect_ok(run(engines[_i], &undisturbed, 0, &result));
  OWNED(sciara_run_json_free) struct sciara_run_json whole = run_case_record(out);
  const uint64_t bad = whole.snapshots[3].step + 1;
  char command[128];
  snprintf(command, sizeof command, "rm -r '%s'", out);
  ck_assert_int_eq(system(command), 0);
  disk.slow_ms = 10;
  expect_error(run(engines[_i], &watch, bad, &result), SCIARA_ERR_NUMERIC, "planted");
  OWNED(sciara_run_json_free) struct sciara_run_json r = run_case_record(out);
  ck_assert_int_eq(r.status, SCIARA_RUN_FAILED);
  expect_last_state(&r);
  ck_assert_uint_eq(r.snapshot_count, 4);
  ck_assert_int_eq(watch.acknowledged, 4);
  for (size_t k = 0; k < 4; k++) ck_assert_uint_eq(r.snapshots[k].checksum, whole.snapshots[k].checksum);
  expect_whole(&r);
}

// The time does not advance after a step: the run has failed, and its last state is written.
TEST_EACH(time_that_stands_still, 2) {
  struct watch watch = {0};
  struct sciara_run_result result;
  stalls = true;
  expect_error(run(engines[_i], &watch, 77, &result), SCIARA_ERR_NUMERIC, "step 77: planted");
  ck_assert_int_eq(result.end.reason, SCIARA_STOP_STALLED);
  OWNED(sciara_run_json_free) struct sciara_run_json r = run_case_record(out);
  ck_assert_int_eq(r.status, SCIARA_RUN_FAILED);
  ck_assert_ptr_nonnull(strstr(r.stop_reason, "step 77: planted"));
  ck_assert_uint_eq(r.step, 77);
  ck_assert_uint_gt(r.snapshot_count, 1);
  ck_assert_uint_eq(r.snapshots[r.snapshot_count - 1].step, 77);
  ck_assert_int_eq(watch.acknowledged, (int)r.snapshot_count);
  expect_whole(&r);
}

/** The engine's own table except for `download`, which delivers an invalid temperature. */
static enum sciara_status (*real_download)(void *, struct sciara_state *);

static enum sciara_status download(void *engine, struct sciara_state *state) {
  const enum sciara_status status = real_download(engine, state);
  for (int64_t i = 0; i < sciara_grid_cells(&state->grid); i++)
    if (state->h[i] > 0) state->T[i] = 10;
  return status;
}

// A run does not end well with an invalid last state, even if only the thickness is written of it.
TEST(unsound_end) {
  struct sciara_simulation *s = run_case_open("serial");
  struct sciara_engine_ops spoiling = *s->ops;
  struct sciara_run_result result;
  struct watch watch = {0};
  real_download = spoiling.download;
  spoiling.download = download;
  s->ops = &spoiling;
  s->problem.source->scenario.output.every_s = 0;
  s->keeps = false;
  s->problem.source->scenario.output.fields = 1u << SCIARA_FIELD_THICKNESS;
  const struct sciara_run_options how = {.history = "a test",
                                         .observer = {.context = &watch, .acknowledged = on_snapshot}};
  expect_error(sciara_run_to_end(s, &how, &result), SCIARA_ERR_NUMERIC, "temperature is 10");
  sciara_simulation_destroy(s);
  OWNED(sciara_run_json_free) struct sciara_run_json r = run_case_record(out);
  ck_assert_int_eq(r.status, SCIARA_RUN_FAILED);
  ck_assert(r.snapshot_count == 0 && watch.acknowledged == 0);
}

// Stopped from outside while snapshots are being written: they are completed, and the state at the end is written too.
TEST_EACH(cancelled, 2) {
  struct watch watch = {.cancel_at = 2};
  struct sciara_run_result result;
  disk.slow_ms = 10;
  expect_ok(run(engines[_i], &watch, 0, &result));
  ck_assert_int_eq(result.end.reason, SCIARA_STOP_CANCEL);
  OWNED(sciara_run_json_free) struct sciara_run_json r = run_case_record(out);
  ck_assert_int_eq(r.status, SCIARA_RUN_STOPPED);
  ck_assert_uint_ge(r.snapshot_count, 3);
  ck_assert_uint_le(r.snapshot_count, 8);
  ck_assert_int_eq(watch.acknowledged, (int)r.snapshot_count);
  ck_assert_uint_eq(r.snapshots[r.snapshot_count - 1].step, r.step);
  expect_whole(&r);
}

RUN_TESTS(.setup = setup, .teardown = folder_remove)
