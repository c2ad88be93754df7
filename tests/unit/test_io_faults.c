// SPDX-License-Identifier: Apache-2.0
// The order in which files reach the disk, and a failure of every call that can fail. The linker puts the functions below
// in place of those of the C library, HDF5 and zlib (--wrap, tests/CMakeLists.txt).
#include <hdf5.h>
#include <pthread.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/mem.h"
#include "map/raster_gdal.h"
#include "snapshot_case.h"
#include "store/chunk.h"
#include "support/owned.h"

enum call {
  NO_CALL,
  WRITE,
  READ,
  FSYNC_FILE,
  FSYNC_FOLDER,
  CLOSE,
  RENAME,
  MKDIR,
  H5D_CLOSE,
  H5F_CLOSE,
  H5D_WRITE_CHUNK,
  ALLOC,
  DEFLATE_INIT,
  DEFLATE // by any thread; all others are calls of the thread of the test
};

/** The call that fails: the number of the first failure, how many fail, and the error; how many bytes a read or write
    moves; which calls were made, and the memory that was allocated. */
static struct {
  enum call fails;
  int after, times, error;
  size_t most;
  bool recording;
  size_t taken; ///< bytes that were allocated
  char said[4096];
} plan;

static void begin_plan(enum call fails, int times, int error) {
  memset(&plan, 0, sizeof plan);
  plan.fails = fails;
  plan.times = times;
  plan.error = error;
  plan.recording = true;
}

/** Back to the real functions, for Check itself uses them. */
static void end_plan(void) { plan.recording = false; }

/** The status of an action while a call fails. */
static enum sciara_status status_of_action;
#define WHILE_FAILING(call, times, error, action) \
  (begin_plan(call, times, error), status_of_action = (action), end_plan(), status_of_action)

static void note(const char *word) {
  const size_t length = strlen(plan.said);
  snprintf(plan.said + length, sizeof plan.said - length, "%s%s", length > 0 ? ", " : "", word);
}

static bool is_planned(enum call call) {
  if (plan.fails != call || plan.after-- > 0 || plan.times == 0) return false;
  plan.times--;
  return true;
}

/** Records a call; returns whether it must fail. */
static bool fails(enum call call, const char *word) {
  if (!plan.recording) return false;
  if (word) note(word);
  if (!is_planned(call)) return false;
  errno = plan.error;
  return true;
}

static size_t at_most(size_t count) { return plan.recording && plan.most > 0 && count > plan.most ? plan.most : count; }

static bool is_folder(int fd) {
  struct stat about;
  return fstat(fd, &about) == 0 && S_ISDIR(about.st_mode);
}

/** A function of which the tests decide whether a call fails, and the one behind it. */
#define WRAPPED(type, name, ...)   \
  type __real_##name(__VA_ARGS__); \
  type __wrap_##name(__VA_ARGS__);
WRAPPED(ssize_t, write, int fd, const void *bytes, size_t count)
WRAPPED(ssize_t, read, int fd, void *bytes, size_t count)
WRAPPED(int, fsync, int fd)
WRAPPED(int, close, int fd)
WRAPPED(int, rename, const char *from, const char *to)
WRAPPED(int, mkdir, const char *name, mode_t mode)
WRAPPED(herr_t, H5Dclose, hid_t dataset)
WRAPPED(herr_t, H5Fclose, hid_t file)
WRAPPED(herr_t, H5Dwrite_chunk, hid_t dataset, hid_t how, uint32_t left_out, const hsize_t *first, size_t count,
        const void *bytes)
WRAPPED(enum sciara_status, sciara_alloc, void **out, size_t count, size_t size, const char *what)
WRAPPED(int, deflateInit2_, z_streamp z, int level, int method, int window, int memory, int strategy,
        const char *version, int size)
WRAPPED(int, deflate, z_streamp z, int flush)

ssize_t __wrap_write(int fd, const void *bytes, size_t count) {
  return fails(WRITE, NULL) ? -1 : __real_write(fd, bytes, at_most(count));
}

ssize_t __wrap_read(int fd, void *bytes, size_t count) {
  return fails(READ, NULL) ? -1 : __real_read(fd, bytes, at_most(count));
}

int __wrap_fsync(int fd) {
  const bool folder_ = is_folder(fd);
  return fails(folder_ ? FSYNC_FOLDER : FSYNC_FILE, folder_ ? "sync folder" : "sync file") ? -1 : __real_fsync(fd);
}

// The descriptor is closed even on an error, as on Linux.
int __wrap_close(int fd) {
  const bool bad = fails(is_folder(fd) ? NO_CALL : CLOSE, NULL);
  const int error = errno, result = __real_close(fd);
  if (!bad) return result;
  errno = error;
  return -1;
}

int __wrap_rename(const char *from, const char *to) { return fails(RENAME, "rename") ? -1 : __real_rename(from, to); }

int __wrap_mkdir(const char *name, mode_t mode) { return fails(MKDIR, "make folder") ? -1 : __real_mkdir(name, mode); }

herr_t __wrap_H5Dclose(hid_t dataset) {
  const herr_t result = __real_H5Dclose(dataset);
  return fails(H5D_CLOSE, NULL) ? -1 : result;
}

herr_t __wrap_H5Fclose(hid_t file) {
  const herr_t result = __real_H5Fclose(file);
  return fails(H5F_CLOSE, NULL) ? -1 : result;
}

herr_t __wrap_H5Dwrite_chunk(hid_t dataset, hid_t how, uint32_t left_out, const hsize_t *first, size_t count,
                             const void *bytes) {
  return fails(H5D_WRITE_CHUNK, NULL) ? -1 : __real_H5Dwrite_chunk(dataset, how, left_out, first, count, bytes);
}

enum sciara_status __wrap_sciara_alloc(void **out, size_t count, size_t size, const char *what) {
  *out = NULL;
  if (plan.recording) plan.taken += count * size;
  return fails(ALLOC, NULL) ? sciara_fail(SCIARA_ERR_MEMORY, "%s: none", what)
                            : __real_sciara_alloc(out, count, size, what);
}

int __wrap_deflateInit2_(z_streamp z, int level, int method, int window, int memory, int strategy, const char *version,
                         int size) {
  return fails(DEFLATE_INIT, NULL) ? Z_MEM_ERROR
                                   : __real_deflateInit2_(z, level, method, window, memory, strategy, version, size);
}

int __wrap_deflate(z_streamp z, int flush) {
  static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&one_at_a_time);
  const bool failing = plan.recording && plan.fails == DEFLATE && is_planned(DEFLATE);
  pthread_mutex_unlock(&one_at_a_time);
  const int result = __real_deflate(z, flush); // the result is all that is left to check
  return failing ? Z_STREAM_ERROR : result;
}

// -------------------------------------------------------------------------------------------------------------- files

static void assert_content(const char *expected) {
  OWNED(free_memory) char *bytes;
  size_t count;
  expect_ok(sciara_file_read(path, 100, &bytes, &count));
  ck_assert_str_eq(bytes, expected);
}

static bool part_is_there(void) { return access(in_folder("00000123.nc.part"), F_OK) == 0; }

TEST(a_name_is_given_to_a_file_that_is_on_the_disk) {
  expect_ok(WHILE_FAILING(NO_CALL, 0, 0, sciara_file_replace(path, "data", 4)));
  ck_assert_str_eq(plan.said, "sync file, rename, sync folder");
  assert_content("data");
}

TEST(a_folder_is_entered_in_its_parent) {
  const char *below = in_folder("a/b");
  expect_ok(WHILE_FAILING(NO_CALL, 0, 0, sciara_folder_make(below)));
  const char *end = strstr(plan.said, "make folder, sync folder"); // those above exist: nothing to sync
  ck_assert_ptr_nonnull(end);
  ck_assert_str_eq(end, "make folder, sync folder, make folder, sync folder");
}

static const struct {
  enum call call;
  int error;
} replace_faults[] = {{WRITE, ENOSPC}, {WRITE, EIO}, {FSYNC_FILE, EIO}, {CLOSE, EDQUOT}, {RENAME, ENOSPC}};

TEST_EACH(a_failed_call_leaves_the_earlier_file, sizeof replace_faults / sizeof *replace_faults) {
  expect_ok(sciara_file_replace(path, "earlier", 7));
  expect_error(
      WHILE_FAILING(replace_faults[_i].call, 1, replace_faults[_i].error, sciara_file_replace(path, "later", 5)),
      SCIARA_ERR_IO, strerror(replace_faults[_i].error));
  ck_assert(!part_is_there());
  assert_content("earlier");
}

// Some network file systems have no fsync of a folder: EINVAL is not an error, any other number is.
TEST(a_folder_that_cannot_be_synced) {
  expect_ok(WHILE_FAILING(FSYNC_FOLDER, 1, EINVAL, sciara_file_replace(path, "data", 4)));
  expect_error(WHILE_FAILING(FSYNC_FOLDER, 1, EIO, sciara_file_replace(path, "data", 4)), SCIARA_ERR_IO, folder);
}

static const enum call interrupted[] = {WRITE, READ, FSYNC_FILE, FSYNC_FOLDER};

TEST_EACH(interrupted_calls_continue, sizeof interrupted / sizeof *interrupted) {
  OWNED(free_memory) char *bytes = NULL;
  size_t count = 0;
  begin_plan(interrupted[_i], 3, EINTR);
  plan.most = 1; // a byte at a time
  enum sciara_status status = sciara_file_replace(path, "data", 4);
  if (status == SCIARA_OK) status = sciara_file_read(path, 100, &bytes, &count);
  end_plan();
  expect_ok(status);
  ck_assert_uint_eq(count, 4);
  ck_assert_str_eq(bytes, "data");
}

TEST(a_failed_read_is_an_error) {
  char *bytes;
  size_t count;
  expect_ok(sciara_file_replace(path, "data", 4));
  ck_assert_int_eq(WHILE_FAILING(READ, 1, EIO, sciara_file_read(path, 100, &bytes, &count)), SCIARA_ERR_IO);
  ck_assert_ptr_null(bytes);
}

TEST(a_folder_that_cannot_be_made) {
  const char *below = in_folder("a");
  expect_error(WHILE_FAILING(MKDIR, 9, ENOSPC, sciara_folder_make(below)), SCIARA_ERR_IO, below, strerror(ENOSPC));
}

// ---------------------------------------------------------------------------------------------------------- snapshots

// HDF5 reports an error in data that it buffers only when the dataset or the file is closed.
TEST(hdf5_fails_at_close) {
  struct sciara_state *s = make_state(30, 40);
  struct sciara_snapshot_context c = context_of_test();
  int datasets = 0; // crs, the fields, the axes: each in its order
  for (bool failed = true; failed; datasets += failed) {
    begin_plan(H5D_CLOSE, 1, EIO);
    plan.after = datasets;
    enum sciara_status status = write_state(&c, s, path);
    end_plan();
    failed = plan.times == 0;
    ck_assert_int_eq(status, failed ? SCIARA_ERR_IO : SCIARA_OK);
    ck_assert(!failed || (access(path, F_OK) != 0 && !part_is_there()));
  }
  ck_assert_int_eq(datasets, 1 + SCIARA_FIELD_COUNT + 3);
  ck_assert_int_eq(WHILE_FAILING(H5F_CLOSE, 1, EIO, write_state(&c, s, path)), SCIARA_ERR_IO);
  WRITES(&c, s, path); // the library still works
  assert_fields_read_back(s, path, false);
}

static const struct {
  enum call call;
  enum sciara_status status;
  const char *said;
} chunk_faults[] = {{H5D_WRITE_CHUNK, SCIARA_ERR_IO, "cannot write"},
                    {ALLOC, SCIARA_ERR_MEMORY, "none"},
                    {DEFLATE_INIT, SCIARA_ERR_MEMORY, "no memory to deflate"},
                    {DEFLATE, SCIARA_ERR_INTERNAL, "zlib cannot deflate"}};

// Each of the calls that chunks need fails once: the snapshot is abandoned, and all threads end.
TEST_EACH(chunks_that_cannot_be_made, 3 * (int)(sizeof chunk_faults / sizeof *chunk_faults)) {
  const int fault = _i / 3, threads = 1 + _i % 3;
  struct sciara_state *s = make_state(300, 520);
  struct sciara_snapshot_context c = context_of_test();
  OWNED(sciara_touched_release) struct sciara_touched touched;
  struct sciara_ledger ledger;
  c.threads = threads;
  sciara_ledger_form(s, sciara_rounding_usual(DBL_EPSILON), &ledger);
  expect_ok(sciara_touched_find(s, 1, &touched));
  int calls = 0;
  for (bool failed = true; failed; calls += failed) {
    begin_plan(chunk_faults[fault].call, 1, EIO);
    plan.after = calls;
    const enum sciara_status status = sciara_snapshot_write(&c, s, &touched, &ledger, 7, path);
    end_plan();
    failed = plan.times == 0;
    ck_assert_int_eq(status, failed ? chunk_faults[fault].status : SCIARA_OK);
    ck_assert_msg(!failed || strstr(sciara_last_error(), chunk_faults[fault].said), "%s", sciara_last_error());
    ck_assert(!failed || (access(path, F_OK) != 0 && !part_is_there()));
  }
  ck_assert_int_ge(calls, chunk_faults[fault].call == DEFLATE_INIT ? threads : 3);
  assert_fields_read_back(s, path, false); // the last one written
}

// What `check` predicts is the memory with the most threads, in addition to the coordinates and the memory of HDF5 itself.
TEST_EACH(memory_is_predicted, 2) {
  struct sciara_state *s = make_state(300, 520);
  struct sciara_snapshot_context c = context_of_test();
  OWNED(sciara_touched_release) struct sciara_touched touched;
  struct sciara_ledger ledger;
  c.threads = SCIARA_CHUNK_THREADS;
  c.as_double = _i;
  sciara_ledger_form(s, sciara_rounding_usual(DBL_EPSILON), &ledger);
  begin_plan(NO_CALL, 0, 0);
  expect_ok(sciara_touched_find(s, 1, &touched));
  expect_ok(sciara_snapshot_write(&c, s, &touched, &ledger, 7, path));
  end_plan();
  const size_t coordinates = (300 + 520) * sizeof(double), zlib = SCIARA_CHUNK_THREADS * 270336;
  ck_assert_uint_eq(sciara_snapshot_memory(&s->grid, _i, c.threads) + coordinates, plan.taken + zlib);
}

RUN_TESTS(.setup = setup, .teardown = teardown)
