// SPDX-License-Identifier: Apache-2.0
// Files are complete or absent: what a replacement leaves behind when it succeeds, and when it fails.
#include <signal.h>
#include <sys/resource.h>

#include "file/durable.h"
#include "support/folder.h"
#include "support/owned.h"

static bool is_there(const char *path) { return access(path, F_OK) == 0; }

static void assert_content(const char *path, const char *expected) {
  OWNED(free_memory) char *bytes;
  size_t count;
  expect_ok(sciara_file_read(path, 1 << 20, &bytes, &count));
  ck_assert_uint_eq(count, strlen(expected));
  ck_assert_str_eq(bytes, expected);
}

TEST(replace_writes_then_replaces) {
  const char *path = in_folder("run.json"), *part = in_folder("run.json.part");
  expect_ok(sciara_file_replace(path, "one", 3));
  assert_content(path, "one");
  expect_ok(sciara_file_replace(path, "second", 6));
  assert_content(path, "second");
  expect_ok(sciara_file_replace(path, "", 0));
  assert_content(path, "");
  ck_assert(!is_there(part));
}

TEST(replace_recovers_from_a_leftover) {
  const char *path = in_folder("run.json"), *part = in_folder("run.json.part");
  expect_ok(sciara_file_replace(part, "left by a killed process", 24));
  expect_ok(sciara_file_replace(path, "new", 3));
  assert_content(path, "new");
  ck_assert(!is_there(part));
}

/* A limit on the file size stands for a full disk: write() fails half-way. It is lifted again before anything is
   asserted, because Check writes files too. */
TEST(failed_write_leaves_the_earlier_file) {
  const char *path = in_folder("run.json"), *part = in_folder("run.json.part");
  expect_ok(sciara_file_replace(path, "earlier", 7));
  struct rlimit before, tight;
  getrlimit(RLIMIT_FSIZE, &before);
  tight = before;
  tight.rlim_cur = 4096;
  signal(SIGXFSZ, SIG_IGN);
  OWNED(free_memory) char *big = (char *)calloc(1, 100000);
  ck_assert_ptr_nonnull(big);
  setrlimit(RLIMIT_FSIZE, &tight);
  enum sciara_status status = sciara_file_replace(path, big, 100000);
  setrlimit(RLIMIT_FSIZE, &before);
  expect_error(status, SCIARA_ERR_IO, "run.json.part", strerror(EFBIG));
  ck_assert(!is_there(part));
  assert_content(path, "earlier");
}

TEST(replace_over_a_folder_fails_and_cleans_up) {
  const char *path = in_folder("taken"), *part = in_folder("taken.part");
  expect_ok(sciara_folder_make(path));
  expect_error(sciara_file_replace(path, "x", 1), SCIARA_ERR_IO, "taken");
  ck_assert(!is_there(part));
}

TEST(replace_in_a_missing_folder_names_it) {
  const char *path = in_folder("absent/run.json");
  expect_error(sciara_file_replace(path, "x", 1), SCIARA_ERR_IO, "absent/run.json.part", strerror(ENOENT));
}

TEST(a_file_is_synced) {
  const char *path = in_folder("a.nc");
  expect_ok(sciara_file_replace(path, "data", 4));
  expect_ok(sciara_file_sync(path));
  ck_assert_int_eq(sciara_file_sync(in_folder("b.nc")), SCIARA_ERR_IO);
}

TEST(read_keeps_to_its_limit) {
  const char *path = in_folder("text");
  char *bytes;
  size_t count;
  expect_ok(sciara_file_replace(path, "a\0b45", 5));
  expect_ok(sciara_file_read(path, 5, &bytes, &count));
  ck_assert_uint_eq(count, 5);
  ck_assert_int_eq(memcmp(bytes, "a\0b45", 6), 0); // the NUL after it included
  free(bytes);
  ck_assert_int_eq(sciara_file_read(path, 4, &bytes, &count), SCIARA_ERR_INPUT);
  ck_assert_ptr_null(bytes);
  expect_said("4 bytes");
  expect_ok(sciara_file_read(path, SIZE_MAX, &bytes, &count));
  free(bytes);
  ck_assert_int_eq(sciara_file_read(folder, 100, &bytes, &count), SCIARA_ERR_INPUT);
  ck_assert_int_eq(sciara_file_read("/dev/zero", 1000, &bytes, &count), SCIARA_ERR_INPUT);
}

TEST(read_grows_to_a_large_file) {
  enum { SIZE = 300001 };
  const char *path = in_folder("large");
  OWNED(free_memory) char *big = (char *)malloc(SIZE), *bytes;
  size_t count;
  ck_assert_ptr_nonnull(big);
  for (size_t i = 0; i < SIZE; i++) big[i] = (char)(i % 251);
  expect_ok(sciara_file_replace(path, big, SIZE));
  expect_ok(sciara_file_read(path, SIZE, &bytes, &count));
  ck_assert_uint_eq(count, SIZE);
  ck_assert_int_eq(memcmp(bytes, big, SIZE), 0);
}

TEST(folders_are_made_with_their_parents) {
  const char *path = in_folder("a//b/c/"), *file = in_folder("a/b/c/f"), *below = in_folder("a/b/c/f/d");
  expect_ok(sciara_folder_make(path));
  expect_ok(sciara_folder_make(path));
  bool exists, empty;
  expect_ok(sciara_folder_is_empty(path, &exists, &empty));
  ck_assert(exists && empty);
  expect_ok(sciara_file_replace(file, "x", 1));
  expect_ok(sciara_folder_is_empty(path, &exists, &empty));
  ck_assert(exists && !empty);
  ck_assert_int_eq(sciara_folder_is_empty(file, &exists, &empty), SCIARA_ERR_IO);
  ck_assert_int_eq(sciara_folder_make(file), SCIARA_ERR_IO);
  ck_assert_int_eq(sciara_folder_make(below), SCIARA_ERR_IO);
  ck_assert_int_eq(sciara_folder_make(""), SCIARA_ERR_IO);
  expect_ok(sciara_folder_make("/"));
  const char *absent = in_folder("nowhere");
  expect_ok(sciara_folder_is_empty(absent, &exists, &empty));
  ck_assert(!exists && empty);
}

static const struct {
  const char *folder, *name, *joined;
} joins[] = {{"a", "b", "a/b"}, {"a/", "b", "a/b"}, {"/", "b", "/b"}, {"a", "/b", "/b"}, {"", "b", "b"}};

TEST_EACH(paths_join, sizeof joins / sizeof joins[0]) {
  OWNED(free_memory) char *path = sciara_path_join(joins[_i].folder, joins[_i].name), *again;
  ck_assert_str_eq(path, joins[_i].joined);
  expect_ok(sciara_path_in(joins[_i].folder, joins[_i].name, &again));
  ck_assert_str_eq(again, joins[_i].joined);
}

static const struct {
  const char *path, *folder;
} parts[] = {{"a/b", "a"},  {"a", "."},    {"/a", "/"},      {"/", "/"},
             {"a/b/", "a"}, {"a//b", "a"}, {"/a/b.c", "/a"}, {"", "."}};

TEST_EACH(paths_have_a_folder, sizeof parts / sizeof parts[0]) {
  OWNED(free_memory) char *path = sciara_path_folder(parts[_i].path);
  ck_assert_str_eq(path, parts[_i].folder);
}

RUN_TESTS(.setup = folder_make, .teardown = folder_remove)
