// SPDX-License-Identifier: Apache-2.0
// The calls on files that the shim replaces. Calls inside the C library are out of its reach, so the streams of
// stdio are replaced by streams whose functions call those in this file.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "shim.h"

enum { DESCRIPTORS = 4096 };
static struct {
  bool ours, writes;
  FILE *stream;
} known[DESCRIPTORS];

static bool is_known(int fd) { return fd >= 0 && fd < DESCRIPTORS && known[fd].ours; }

// ------------------------------------------------------------------------------------------------- a disk that is full

static int64_t used; ///< bytes in the files of the root, as far as they were written by this process

static int64_t size_of(const char *path) {
  struct stat about;
  return syscall(SYS_newfstatat, AT_FDCWD, path, &about, 0) == 0 && S_ISREG(about.st_mode) ? about.st_size : 0;
}

/** How many of the `count` bytes of a write there is room for. */
static size_t room(int fd, int64_t offset, size_t count) {
  struct stat about;
  if (shim_word != SHIM_BUDGET || syscall(SYS_fstat, fd, &about) != 0) return count;
  const int64_t growth = offset + (int64_t)count - about.st_size;
  if (growth <= 0) return count;
  const int64_t over = used + growth - (int64_t)shim_number;
  const size_t fits = over <= 0 ? count : (size_t)over < count ? count - (size_t)over : 0;
  used += growth - (over > 0 ? over : 0);
  if (over > 0 && shim_counts) shim_counts->done++;
  return fits;
}

// ---------------------------------------------------------------------------------------------------------- open, close

static int open_below(const char *path, const char *resolved, int flags, mode_t mode) {
  const bool changes = (flags & (O_CREAT | O_TRUNC)) != 0;
  shim_enter();
  const int64_t size = changes && (flags & O_TRUNC) ? size_of(resolved) : 0;
  int fd = -1;
  if (!changes || shim_count(SHIM_OPEN) != SHIM_REFUSE) fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
  if (fd >= 0) {
    used -= size;
    if (fd < DESCRIPTORS) {
      known[fd].ours = true;
      known[fd].writes = (flags & O_ACCMODE) != O_RDONLY;
      known[fd].stream = NULL;
    }
    shim_log(SHIM_OPEN, fd, flags, resolved, NULL, NULL, 0);
  } else if (changes) {
    shim_log(shim_failed(SHIM_OPEN), -1, flags, resolved, NULL, NULL, 0);
  }
  shim_leave();
  return fd;
}

static int open_any(int folder, const char *path, int flags, mode_t mode) {
  char resolved[PATH_MAX];
  if ((folder == AT_FDCWD || path[0] == '/') && shim_is_ours(path, resolved))
    return open_below(path, resolved, flags, mode);
  return (int)syscall(SYS_openat, folder, path, flags, mode);
}

static mode_t mode_of(int flags, va_list list) { return flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0; }

#define OPEN(name, folder, ...)                 \
  int name(__VA_ARGS__, int flags, ...);        \
  int name(__VA_ARGS__, int flags, ...) {       \
    va_list list;                               \
    va_start(list, flags);                      \
    const mode_t mode = mode_of(flags, list);   \
    va_end(list);                               \
    return open_any(folder, path, flags, mode); \
  }
OPEN(open, AT_FDCWD, const char *path)
OPEN(open64, AT_FDCWD, const char *path)
OPEN(openat, folder, int folder, const char *path)
OPEN(openat64, folder, int folder, const char *path)

#define OPEN_2(name)                     \
  int name(const char *path, int flags); \
  int name(const char *path, int flags) { return open_any(AT_FDCWD, path, flags, 0); }
OPEN_2(__open_2)
OPEN_2(__open64_2)

int close(int fd) {
  if (!is_known(fd)) return (int)syscall(SYS_close, fd);
  shim_enter();
  const bool writes = known[fd].writes;
  known[fd].ours = false;
  const enum shim_action action = writes ? shim_count(SHIM_CLOSE) : SHIM_GO;
  const int kept = errno;
  int result = (int)syscall(SYS_close, fd); // closed even on an error, as on Linux
  shim_log(SHIM_CLOSE, fd, 0, NULL, NULL, NULL, 0);
  if (action == SHIM_REFUSE) {
    result = -1;
    errno = kept;
  }
  shim_leave();
  return result;
}

// -------------------------------------------------------------------------------------------------------------- writing

/** `offset` < 0: the position of the descriptor. */
static ssize_t write_below(int fd, const void *bytes, size_t count, int64_t offset) {
  shim_enter();
  ssize_t n = -1;
  const int64_t end = (int64_t)syscall(SYS_fcntl, fd, F_GETFL) & O_APPEND ? syscall(SYS_lseek, fd, 0, SEEK_END) : -1;
  const int64_t at = offset >= 0 ? offset : end >= 0 ? end : syscall(SYS_lseek, fd, 0, SEEK_CUR);
  const enum shim_action action = shim_count(SHIM_WRITE);
  if (action != SHIM_REFUSE) {
    const size_t allowed = room(fd, at, action == SHIM_HALF && count > 1 ? count / 2 : count);
    if (allowed == 0 && count > 0)
      errno = ENOSPC;
    else
      n = offset >= 0 ? syscall(SYS_pwrite64, fd, bytes, allowed, offset) : syscall(SYS_write, fd, bytes, allowed);
    if (action == SHIM_HALF && shim_is_torn()) shim_die();
    if (n > 0) shim_log(SHIM_WRITE, fd, at, NULL, NULL, bytes, (size_t)n);
  }
  if (n <= 0) shim_log(shim_failed(SHIM_WRITE), fd, at, NULL, NULL, NULL, 0);
  shim_leave();
  return n;
}

ssize_t write(int fd, const void *bytes, size_t count) {
  return is_known(fd) ? write_below(fd, bytes, count, -1) : syscall(SYS_write, fd, bytes, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
  return is_known(fd) ? write_below(fd, bytes, count, offset) : syscall(SYS_pwrite64, fd, bytes, count, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) { return pwrite(fd, bytes, count, offset); }

ssize_t writev(int fd, const struct iovec *parts, int count) {
  if (!is_known(fd)) return syscall(SYS_writev, fd, parts, count);
  ssize_t sum = 0;
  for (int k = 0; k < count; k++) {
    const ssize_t n = write_below(fd, parts[k].iov_base, parts[k].iov_len, -1);
    if (n < 0) return sum > 0 ? sum : n;
    sum += n;
    if ((size_t)n < parts[k].iov_len) break;
  }
  return sum;
}

int ftruncate(int fd, off_t size) {
  if (!is_known(fd)) return (int)syscall(SYS_ftruncate, fd, size);
  struct stat about = {0};
  shim_enter();
  int result = -1;
  if (shim_count(SHIM_TRUNCATE) != SHIM_REFUSE) {
    syscall(SYS_fstat, fd, &about);
    result = (int)syscall(SYS_ftruncate, fd, size);
  }
  if (result == 0) {
    if (size < about.st_size) used -= about.st_size - size;
    shim_log(SHIM_TRUNCATE, fd, size, NULL, NULL, NULL, 0);
  } else {
    shim_log(shim_failed(SHIM_TRUNCATE), fd, size, NULL, NULL, NULL, 0);
  }
  shim_leave();
  return result;
}

int ftruncate64(int fd, off64_t size) { return ftruncate(fd, size); }

static int sync_below(int fd, long call) {
  if (!is_known(fd)) return (int)syscall(call, fd);
  shim_enter();
  const int result = shim_count(SHIM_SYNC) == SHIM_REFUSE ? -1 : 0; // the test does not wait for a disk
  shim_log(result == 0 ? SHIM_SYNC : shim_failed(SHIM_SYNC), fd, 0, NULL, NULL, NULL, 0);
  shim_leave();
  return result;
}

int fsync(int fd) { return sync_below(fd, SYS_fsync); }
int fdatasync(int fd) { return sync_below(fd, SYS_fdatasync); }

// ---------------------------------------------------------------------------------------------------------------- names

int rename(const char *from, const char *to) {
  char a[PATH_MAX], b[PATH_MAX];
  if (!shim_is_ours(from, a) || !shim_is_ours(to, b)) return (int)syscall(SYS_rename, from, to);
  shim_enter();
  const int64_t size = size_of(b);
  const int result = shim_count(SHIM_RENAME) == SHIM_REFUSE ? -1 : (int)syscall(SYS_rename, from, to);
  if (result == 0) used -= size;
  shim_log(result == 0 ? SHIM_RENAME : shim_failed(SHIM_RENAME), -1, 0, a, b, NULL, 0);
  shim_leave();
  return result;
}

/** unlink, mkdir and rmdir: `call` with the remaining argument after the path. */
static int name_below(enum shim_kind kind, const char *path, const char *resolved, long call, mode_t mode) {
  shim_enter();
  const int64_t size = kind == SHIM_UNLINK ? size_of(resolved) : 0;
  const int result = shim_count(kind) == SHIM_REFUSE ? -1 : (int)syscall(call, path, mode);
  if (result == 0) used -= size;
  shim_log(result == 0 ? kind : shim_failed(kind), -1, 0, resolved, NULL, NULL, 0);
  shim_leave();
  return result;
}

int unlink(const char *path) {
  char resolved[PATH_MAX];
  return shim_is_ours(path, resolved) ? name_below(SHIM_UNLINK, path, resolved, SYS_unlink, 0)
                                      : (int)syscall(SYS_unlink, path);
}

int rmdir(const char *path) {
  char resolved[PATH_MAX];
  return shim_is_ours(path, resolved) ? name_below(SHIM_RMDIR, path, resolved, SYS_rmdir, 0)
                                      : (int)syscall(SYS_rmdir, path);
}

int remove(const char *path) {
  struct stat about;
  const bool folder =
      syscall(SYS_newfstatat, AT_FDCWD, path, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(about.st_mode);
  return folder ? rmdir(path) : unlink(path);
}

int mkdir(const char *path, mode_t mode) {
  char resolved[PATH_MAX];
  return shim_is_ours(path, resolved) ? name_below(SHIM_MKDIR, path, resolved, SYS_mkdir, mode)
                                      : (int)syscall(SYS_mkdir, path, mode);
}

// ---------------------------------------------------------------------------------------------------------------- stdio

static int descriptor(const void *cookie) { return (int)(intptr_t)cookie; }

static ssize_t stream_read(void *cookie, char *bytes, size_t count) {
  return syscall(SYS_read, descriptor(cookie), bytes, count);
}

static ssize_t stream_write(void *cookie, const char *bytes, size_t count) {
  size_t written = 0; // after a short write a stream of the C library continues; one with functions reports an error
  while (written < count) {
    const ssize_t n = write(descriptor(cookie), bytes + written, count - written);
    if (n <= 0) break;
    written += (size_t)n;
  }
  return (ssize_t)written;
}

static int stream_seek(void *cookie, off64_t *offset, int whence) {
  const off64_t at = syscall(SYS_lseek, descriptor(cookie), *offset, whence);
  if (at < 0) return -1;
  *offset = at;
  return 0;
}

static int stream_close(void *cookie) { return close(descriptor(cookie)); }

static const cookie_io_functions_t stream_functions = {
    .read = stream_read, .write = stream_write, .seek = stream_seek, .close = stream_close};

static int flags_of(const char *mode) {
  const int access = strchr(mode, '+') ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;
  const int makes = mode[0] == 'w' ? O_CREAT | O_TRUNC : mode[0] == 'a' ? O_CREAT | O_APPEND : 0;
  return access | makes | (strchr(mode, 'e') ? O_CLOEXEC : 0) | (strchr(mode, 'x') ? O_EXCL : 0);
}

static FILE *open_stream(const char *path, const char *mode) {
  const int fd = open_any(AT_FDCWD, path, flags_of(mode), 0666);
  if (fd < 0) return NULL;
  FILE *stream = fopencookie((void *)(intptr_t)fd, mode, stream_functions);
  if (!stream)
    close(fd);
  else if (fd < DESCRIPTORS)
    known[fd].stream = stream;
  return stream;
}

FILE *fopen(const char *path, const char *mode) { return open_stream(path, mode); }
FILE *fopen64(const char *path, const char *mode) { return open_stream(path, mode); }

int fileno(FILE *stream) {
  if (stream == stdout) return 1;
  for (int fd = 0; fd < DESCRIPTORS; fd++)
    if (known[fd].stream == stream) return fd;
  return fileno_unlocked(stream);
}

// ------------------------------------------------------------------------------------------------------- what is printed

static ssize_t say(void *cookie, const char *bytes, size_t count) {
  (void)cookie;
  shim_enter();
  const ssize_t n = syscall(SYS_write, 1, bytes, count);
  if (n > 0) shim_log(SHIM_SAY, 1, 0, NULL, NULL, bytes, (size_t)n);
  shim_leave();
  return n < 0 ? 0 : n;
}

__attribute__((constructor)) static void begin(void) {
  shim_begin();
  FILE *heard = fopencookie(NULL, "w", (cookie_io_functions_t){.write = say});
  if (heard) stdout = heard;
}
