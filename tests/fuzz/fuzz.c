// SPDX-License-Identifier: Apache-2.0
#include "fuzz.h"

#include <ftw.h>

#include "base/log.h"
#include "base/status.h"

// The allocator refuses more than this at once, like a machine without more memory: readers must handle that. Freed memory
// is kept in a quarantine of 32 MiB, not 256, because the programs run for a long time together with others.
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "allocator_may_return_null=1:max_allocation_size_mb=256:quarantine_size_mb=32:detect_stack_use_after_return=1";
}
const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void) { return "print_stacktrace=1"; }

void fuzz_abort(const char *file, int line, const char *claim) {
  fprintf(stderr, "%s:%d: this does not hold: %s\nthe last error: %s\n", file, line, claim, sciara_last_error());
  abort();
}

static void check_notice(void *context, enum sciara_log_level level, const char *message) {
  (void)context;
  (void)level;
  FUZZ_REQUIRE(message[0] != '\0');
}

static char folder[4096];

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *place) {
  (void)about;
  (void)kind;
  (void)place;
  return remove(path);
}

static void remove_folder(void) { nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS); }

static void make_folder(void) {
  const char *parent = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/sciara-fuzz-XXXXXX", parent && *parent ? parent : "/tmp");
  FUZZ_REQUIRE(mkdtemp(folder) != NULL);
  atexit(remove_folder);
  sciara_log_set_sink(check_notice, NULL);
}

const char *fuzz_path(const char *name) {
  static char paths[8][sizeof folder + 64];
  static size_t next;
  if (!folder[0]) make_folder();
  char *path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

void fuzz_split(const uint8_t *data, size_t size, struct fuzz_part *parts, size_t count) {
  memset(parts, 0, count * sizeof *parts);
  for (size_t i = 0; i < count; i++) {
    const uint8_t *end = i + 1 < count && size > 0 ? (const uint8_t *)memchr(data, FUZZ_SEPARATOR, size) : NULL;
    parts[i] = (struct fuzz_part){.data = data, .size = end ? (size_t)(end - data) : size};
    if (!end) break;
    size -= parts[i].size + 1;
    data = end + 1;
  }
}

const char *fuzz_file(const char *name, struct fuzz_part part) {
  const char *path = fuzz_path(name);
  if (!part.data) {
    unlink(path);
    return path;
  }
  FILE *f = fopen(path, "w");
  FUZZ_REQUIRE(f != NULL);
  FUZZ_REQUIRE(fwrite(part.data, 1, part.size, f) == part.size);
  FUZZ_REQUIRE(fclose(f) == 0);
  return path;
}

void fuzz_check_status(enum sciara_status status) {
  FUZZ_REQUIRE(status != SCIARA_ERR_INTERNAL && status != SCIARA_ERR_DEVICE);
  if (status == SCIARA_OK) return;
  FUZZ_REQUIRE(sciara_last_error()[0] != '\0');
  sciara_error_clear();
}
