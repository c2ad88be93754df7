// SPDX-License-Identifier: Apache-2.0
#include "support/folder.h"

#include "file/durable.h"

char folder[64];

void folder_make(void) {
  snprintf(folder, sizeof folder, "/tmp/sciara-test-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
}

void folder_remove(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  ck_assert_int_eq(system(command), 0);
}

const char *in_folder(const char *name) {
  static char paths[8][512];
  static int next;
  char *path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

void write_bytes(const char *path, const void *bytes, size_t count) {
  FILE *f = fopen(path, "wb");
  ck_assert_ptr_nonnull(f);
  ck_assert_uint_eq(fwrite(bytes, 1, count, f), count);
  ck_assert_int_eq(fclose(f), 0);
}

void write_text(const char *path, const char *text) { write_bytes(path, text, strlen(text)); }

char *read_bytes(const char *path, size_t *count) {
  char *bytes;
  expect_ok(sciara_file_read(path, 64 << 20, &bytes, count));
  return bytes;
}

void expect_same_bytes(const char *path, const char *other) {
  size_t m, n;
  char *a = read_bytes(path, &m), *b = read_bytes(other, &n);
  ck_assert_uint_eq(m, n);
  ck_assert_mem_eq(a, b, n);
  free(a);
  free(b);
}
