// SPDX-License-Identifier: Apache-2.0
// The plan, the counts and the log of the shim. It uses system calls directly: the functions of the C library are replaced.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim.h"

struct shim_counts *shim_counts;
enum shim_word shim_word;
uint64_t shim_number;
int shim_errno;

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static char root[PATH_MAX];
static int log_fd = -1;

void shim_enter(void) { pthread_mutex_lock(&one_at_a_time); }

void shim_leave(void) {
  const int kept = errno;
  pthread_mutex_unlock(&one_at_a_time);
  errno = kept;
}

static void read_plan(const char *plan) {
  static const struct {
    const char *name;
    enum shim_word word;
  } words[] = {{"kill", SHIM_KILL},   {"torn", SHIM_TORN},     {"fail", SHIM_FAIL},    {"fail-on", SHIM_FAIL_ON},
               {"short", SHIM_SHORT}, {"budget", SHIM_BUDGET}, {"malloc", SHIM_MALLOC}};
  char name[16] = "";
  if (!plan || sscanf(plan, "%15s %lu %d", name, &shim_number, &shim_errno) < 2) return;
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (strcmp(name, words[k].name) == 0) shim_word = words[k].word;
}

static int open_file(const char *path, int flags) {
  return path ? (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0666) : -1;
}

/** Counts in a mapped file survive SIGKILL. */
static void map_counts(const char *path) {
  const int fd = open_file(path, O_RDWR | O_CREAT | O_TRUNC);
  if (fd < 0) return;
  if (syscall(SYS_ftruncate, fd, sizeof *shim_counts) == 0) {
    void *at = mmap(NULL, sizeof *shim_counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at != MAP_FAILED) shim_counts = (struct shim_counts *)at;
  }
  syscall(SYS_close, fd);
}

static bool started;

bool shim_is_late(void) { return !started && getenv("SCIARA_SHIM_LATE"); }

void shim_start(void) {
  started = true;
  shim_begin();
  shim_find_code();
}

void shim_begin(void) {
  static bool begun;
  if (begun || shim_is_late()) return;
  begun = true;
  const char *folder = getenv("SCIARA_SHIM_ROOT");
  if (folder) snprintf(root, sizeof root, "%s", folder);
  read_plan(getenv("SCIARA_SHIM_PLAN"));
  log_fd = open_file(getenv("SCIARA_SHIM_LOG"), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND);
  map_counts(getenv("SCIARA_SHIM_COUNT"));
}

bool shim_is_ours(const char *path, char *resolved) {
  shim_begin();
  if (!root[0] || !path) return false;
  char folder[PATH_MAX];
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
  const int kept = errno;
  const bool found = realpath(folder[0] ? folder : "/", resolved) != NULL;
  errno = kept;
  if (!found) return false;
  const size_t length = strlen(resolved);
  snprintf(resolved + length, PATH_MAX - length, "/%s", name);
  const size_t n = strlen(root);
  return strncmp(resolved, root, n) == 0 && (resolved[n] == '/' || resolved[n] == '\0');
}

void shim_die(void) {
  syscall(SYS_kill, getpid(), SIGKILL);
  for (;;) pause();
}

static bool can_fail(enum shim_kind kind) { return kind != SHIM_SAY; }

enum shim_action shim_count(enum shim_kind kind) {
  static uint64_t calls;
  calls++;
  if (shim_counts) shim_counts->calls = calls;
  const bool now = calls == shim_number || (shim_word == SHIM_FAIL_ON && calls > shim_number);
  if (!now || !can_fail(kind)) return SHIM_GO;
  if (shim_counts) shim_counts->done++;
  switch (shim_word) {
    case SHIM_TORN:
      if (kind == SHIM_WRITE) return SHIM_HALF;
      shim_die();
    case SHIM_KILL: shim_die();
    case SHIM_SHORT: return kind == SHIM_WRITE ? SHIM_HALF : SHIM_GO;
    case SHIM_FAIL:
    case SHIM_FAIL_ON: errno = shim_errno; return SHIM_REFUSE;
    default:
      if (shim_counts) shim_counts->done--;
      return SHIM_GO;
  }
}

bool shim_is_torn(void) { return shim_word == SHIM_TORN; }

static void put(const void *bytes, size_t count) {
  const char *at = (const char *)bytes;
  while (count > 0) {
    const long n = syscall(SYS_write, log_fd, at, count);
    if (n <= 0) shim_die(); // a log with a gap would prove nothing
    at += n;
    count -= (size_t)n;
  }
}

void shim_log(enum shim_kind kind, int fd, int64_t offset, const char *path, const char *path2, const void *data,
              size_t count) {
  if (log_fd < 0) return;
  const int kept = errno;
  const struct shim_record r = {.kind = (uint32_t)kind,
                                .fd = fd,
                                .offset = offset,
                                .path = path ? (uint32_t)strlen(path) : 0,
                                .path2 = path2 ? (uint32_t)strlen(path2) : 0,
                                .data = count};
  put(&r, sizeof r);
  put(path, r.path);
  put(path2, r.path2);
  put(data, count);
  errno = kept;
}

/** The kernel's value for this program alone: the usage reported to a parent includes that of the parent before exec. */
__attribute__((destructor)) static void note_resident(void) {
  char text[4096] = "";
  const int fd = open_file("/proc/self/status", O_RDONLY);
  const long n = fd < 0 || !shim_counts ? 0 : syscall(SYS_read, fd, text, sizeof text - 1);
  const char *line = n > 0 ? strstr(text, "VmHWM:") : NULL;
  if (line) shim_counts->resident = strtoull(line + 6, NULL, 10) * 1024;
  if (fd >= 0) syscall(SYS_close, fd);
}
