// SPDX-License-Identifier: Apache-2.0
// Files are complete or absent: what a replacement leaves behind when it succeeds, and when it fails.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "file/durable.h"

static char folder[64];

static void setup(void) {
  snprintf(folder, sizeof folder, "/tmp/sciara-durable-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void teardown(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  ck_assert_int_eq(system(command), 0);
}

/* The path of a name in the test's folder; released by the caller. */
static char *inside(const char *name) {
  char *path = sciara_path_join(folder, name);
  ck_assert_ptr_nonnull(path);
  return path;
}

static bool is_there(const char *path) { return access(path, F_OK) == 0; }

static void assert_content(const char *path, const char *expected) {
  char *bytes;
  size_t count;
  ck_assert_int_eq(sciara_file_read(path, 1 << 20, &bytes, &count), SCIARA_OK);
  ck_assert_uint_eq(count, strlen(expected));
  ck_assert_str_eq(bytes, expected);
  free(bytes);
}

TEST(replace_writes_then_replaces) {
  char *path = inside("run.json"), *part = inside("run.json.part");
  ck_assert_int_eq(sciara_file_replace(path, "one", 3), SCIARA_OK);
  assert_content(path, "one");
  ck_assert_int_eq(sciara_file_replace(path, "second", 6), SCIARA_OK);
  assert_content(path, "second");
  ck_assert_int_eq(sciara_file_replace(path, "", 0), SCIARA_OK);
  assert_content(path, "");
  ck_assert(!is_there(part));
  free(path);
  free(part);
}

TEST(replace_recovers_from_a_leftover) {
  char *path = inside("run.json"), *part = inside("run.json.part");
  ck_assert_int_eq(sciara_file_replace(part, "left by a killed process", 24), SCIARA_OK);
  ck_assert_int_eq(sciara_file_replace(path, "new", 3), SCIARA_OK);
  assert_content(path, "new");
  ck_assert(!is_there(part));
  free(path);
  free(part);
}

/* A limit on the file size stands for a full disk: write() fails half-way. It is lifted again before anything is
   asserted, because Check writes files too. */
TEST(failed_write_leaves_the_earlier_file) {
  char *path = inside("run.json"), *part = inside("run.json.part");
  ck_assert_int_eq(sciara_file_replace(path, "earlier", 7), SCIARA_OK);
  struct rlimit before, tight;
  getrlimit(RLIMIT_FSIZE, &before);
  tight = before;
  tight.rlim_cur = 4096;
  signal(SIGXFSZ, SIG_IGN);
  char *big = (char *)calloc(1, 100000);
  ck_assert_ptr_nonnull(big);
  setrlimit(RLIMIT_FSIZE, &tight);
  enum sciara_status status = sciara_file_replace(path, big, 100000);
  setrlimit(RLIMIT_FSIZE, &before);
  ck_assert_int_eq(status, SCIARA_ERR_IO);
  ck_assert_ptr_nonnull(strstr(sciara_last_error(), "run.json.part"));
  ck_assert_ptr_nonnull(strstr(sciara_last_error(), strerror(EFBIG)));
  ck_assert(!is_there(part));
  assert_content(path, "earlier");
  free(big);
  free(path);
  free(part);
}

TEST(replace_over_a_folder_fails_and_cleans_up) {
  char *path = inside("taken"), *part = inside("taken.part");
  ck_assert_int_eq(sciara_folder_make(path), SCIARA_OK);
  ck_assert_int_eq(sciara_file_replace(path, "x", 1), SCIARA_ERR_IO);
  ck_assert_ptr_nonnull(strstr(sciara_last_error(), "taken"));
  ck_assert(!is_there(part));
  free(path);
  free(part);
}

TEST(replace_in_a_missing_folder_names_it) {
  char *path = inside("absent/run.json");
  ck_assert_int_eq(sciara_file_replace(path, "x", 1), SCIARA_ERR_IO);
  ck_assert_ptr_nonnull(strstr(sciara_last_error(), "absent/run.json.part"));
  ck_assert_ptr_nonnull(strstr(sciara_last_error(), strerror(ENOENT)));
  free(path);
}

TEST(publish_moves_the_part) {
  char *path = inside("a.nc"), *part = inside("a.nc.part");
  ck_assert_int_eq(sciara_file_replace(part, "data", 4), SCIARA_OK);
  ck_assert_int_eq(sciara_file_publish(part, path), SCIARA_OK);
  ck_assert(!is_there(part));
  assert_content(path, "data");
  ck_assert_int_eq(sciara_file_publish(part, path), SCIARA_ERR_IO);
  assert_content(path, "data");
  ck_assert_int_eq(sciara_file_sync(path), SCIARA_OK);
  ck_assert_int_eq(sciara_file_sync(part), SCIARA_ERR_IO);
  free(path);
  free(part);
}

TEST(read_keeps_to_its_limit) {
  char *path = inside("text");
  char *bytes;
  size_t count;
  ck_assert_int_eq(sciara_file_replace(path, "a\0b45", 5), SCIARA_OK);
  ck_assert_int_eq(sciara_file_read(path, 5, &bytes, &count), SCIARA_OK);
  ck_assert_uint_eq(count, 5);
  ck_assert_int_eq(memcmp(bytes, "a\0b45", 6), 0); // the NUL after it included
  free(bytes);
  ck_assert_int_eq(sciara_file_read(path, 4, &bytes, &count), SCIARA_ERR_INPUT);
  ck_assert_ptr_null(bytes);
  ck_assert_ptr_nonnull(strstr(sciara_last_error(), "4 bytes"));
  ck_assert_int_eq(sciara_file_read(path, SIZE_MAX, &bytes, &count), SCIARA_OK);
  free(bytes);
  ck_assert_int_eq(sciara_file_read(folder, 100, &bytes, &count), SCIARA_ERR_INPUT);
  ck_assert_int_eq(sciara_file_read("/dev/zero", 1000, &bytes, &count), SCIARA_ERR_INPUT);
  free(path);
}

TEST(read_grows_to_a_large_file) {
  enum { SIZE = 300001 };
  char *path = inside("large"), *big = (char *)malloc(SIZE), *bytes;
  size_t count;
  ck_assert_ptr_nonnull(big);
  for (size_t i = 0; i < SIZE; i++) big[i] = (char)(i % 251);
  ck_assert_int_eq(sciara_file_replace(path, big, SIZE), SCIARA_OK);
  ck_assert_int_eq(sciara_file_read(path, SIZE, &bytes, &count), SCIARA_OK);
  ck_assert_uint_eq(count, SIZE);
  ck_assert_int_eq(memcmp(bytes, big, SIZE), 0);
  free(bytes);
  free(big);
  free(path);
}

TEST(folders_are_made_with_their_parents) {
  char *path = inside("a//b/c/"), *file = inside("a/b/c/f"), *below = inside("a/b/c/f/d");
  ck_assert_int_eq(sciara_folder_make(path), SCIARA_OK);
  ck_assert_int_eq(sciara_folder_make(path), SCIARA_OK);
  bool exists, empty;
  ck_assert_int_eq(sciara_folder_is_empty(path, &exists, &empty), SCIARA_OK);
  ck_assert(exists && empty);
  ck_assert_int_eq(sciara_file_replace(file, "x", 1), SCIARA_OK);
  ck_assert_int_eq(sciara_folder_is_empty(path, &exists, &empty), SCIARA_OK);
  ck_assert(exists && !empty);
  ck_assert_int_eq(sciara_folder_is_empty(file, &exists, &empty), SCIARA_ERR_IO);
  ck_assert_int_eq(sciara_folder_make(file), SCIARA_ERR_IO);
  ck_assert_int_eq(sciara_folder_make(below), SCIARA_ERR_IO);
  ck_assert_int_eq(sciara_folder_make(""), SCIARA_ERR_IO);
  ck_assert_int_eq(sciara_folder_make("/"), SCIARA_OK);
  char *absent = inside("nowhere");
  ck_assert_int_eq(sciara_folder_is_empty(absent, &exists, &empty), SCIARA_OK);
  ck_assert(!exists && empty);
  free(absent);
  free(path);
  free(file);
  free(below);
}

static const struct {
  const char *folder, *name, *joined;
} joins[] = {{"a", "b", "a/b"}, {"a/", "b", "a/b"}, {"/", "b", "/b"}, {"a", "/b", "/b"}, {"", "b", "b"}};

TEST_EACH(paths_join, sizeof joins / sizeof joins[0]) {
  char *path = sciara_path_join(joins[_i].folder, joins[_i].name), *again;
  ck_assert_str_eq(path, joins[_i].joined);
  ck_assert_int_eq(sciara_path_in(joins[_i].folder, joins[_i].name, &again), SCIARA_OK);
  ck_assert_str_eq(again, joins[_i].joined);
  free(path);
  free(again);
}

static const struct {
  const char *path, *folder;
} parts[] = {{"a/b", "a"},  {"a", "."},    {"/a", "/"},      {"/", "/"},
             {"a/b/", "a"}, {"a//b", "a"}, {"/a/b.c", "/a"}, {"", "."}};

TEST_EACH(paths_have_a_folder, sizeof parts / sizeof parts[0]) {
  char *path = sciara_path_folder(parts[_i].path);
  ck_assert_str_eq(path, parts[_i].folder);
  free(path);
}

RUN_TESTS(.setup = setup, .teardown = teardown)
