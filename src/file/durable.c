// SPDX-License-Identifier: Apache-2.0
#include "file/durable.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/text.h"

static enum sciara_status out_of_memory(const char *what) {
  return sciara_fail(SCIARA_ERR_MEMORY, "%s: no memory for a path", what);
}

static enum sciara_status io_failure(const char *path, const char *doing) {
  return sciara_fail(SCIARA_ERR_IO, "%s: cannot %s: %s", path, doing, strerror(errno));
}

static int open_again(const char *path, int flags) {
  int fd;
  do {
    fd = open(path, flags | O_CLOEXEC | O_NONBLOCK, 0666); // does not wait for the other end of a named pipe
  } while (fd < 0 && errno == EINTR);
  return fd;
}

static int fsync_again(int fd) {
  int result;
  do {
    result = fsync(fd);
  } while (result != 0 && errno == EINTR);
  return result;
}

/** For messages. */
static const char *kind_of_file(mode_t mode) {
  if (S_ISREG(mode)) return "file";
  if (S_ISDIR(mode)) return "folder";
  if (S_ISFIFO(mode)) return "named pipe";
  if (S_ISSOCK(mode)) return "socket";
  return "device";
}

// ------------------------------------------------------------------------------------------------------- input files

static enum sciara_status check_kind(const char *path, const struct stat *about) {
  if (S_ISREG(about->st_mode)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: is a %s, expected a file", path, kind_of_file(about->st_mode));
}

enum sciara_status sciara_input_check(const char *path) {
  struct stat about;
  if (stat(path, &about) != 0) return io_failure(path, "open");
  SCIARA_TRY(check_kind(path, &about));
  return access(path, R_OK) == 0 ? SCIARA_OK : io_failure(path, "open");
}

// First checked by name, because opening a device may already have an effect; checked again in case it was replaced.
enum sciara_status sciara_input_open(const char *path, int *fd) {
  *fd = -1;
  struct stat about;
  if (stat(path, &about) != 0) return io_failure(path, "open");
  SCIARA_TRY(check_kind(path, &about));
  const int opened = open_again(path, O_RDONLY | O_NOCTTY);
  if (opened < 0) return io_failure(path, "open");
  const enum sciara_status status = fstat(opened, &about) == 0 ? check_kind(path, &about) : io_failure(path, "open");
  if (status != SCIARA_OK) {
    close(opened);
    return status;
  }
  *fd = opened;
  return SCIARA_OK;
}

enum sciara_status sciara_input_stream(const char *path, FILE **out) {
  int fd;
  *out = NULL;
  SCIARA_TRY(sciara_input_open(path, &fd));
  *out = fdopen(fd, "r");
  if (*out) return SCIARA_OK;
  const enum sciara_status status = sciara_fail(SCIARA_ERR_MEMORY, "%s: no memory to read it", path);
  close(fd);
  return status;
}

/* Grows *buffer so that it has room for at least one more byte than `length` and the NUL, never beyond limit + 2. */
static enum sciara_status grow(const char *path, char **buffer, size_t length, size_t limit, size_t *capacity) {
  if (length + 1 < *capacity) return SCIARA_OK;
  size_t needed = *capacity == 0 ? 65536 : *capacity * 2;
  if (needed > limit + 2) needed = limit + 2;
  char *fresh = (char *)realloc(*buffer, needed);
  if (!fresh) return sciara_fail(SCIARA_ERR_MEMORY, "%s: no memory for %zu bytes", path, needed);
  *buffer = fresh;
  *capacity = needed;
  return SCIARA_OK;
}

/* Requests one byte beyond the limit, to distinguish a file of exactly `limit` bytes from a larger one. */
static enum sciara_status read_all(int fd, const char *path, size_t limit, char **buffer, size_t *length) {
  size_t capacity = 0;
  for (;;) {
    SCIARA_TRY(grow(path, buffer, *length, limit, &capacity));
    ssize_t n = read(fd, *buffer + *length, capacity - 1 - *length);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return io_failure(path, "read");
    if (n == 0) break;
    *length += (size_t)n;
    if (*length > limit)
      return sciara_fail(SCIARA_ERR_INPUT, "%s: the file is larger than the %zu bytes allowed", path, limit);
  }
  (*buffer)[*length] = '\0';
  return SCIARA_OK;
}

enum sciara_status sciara_file_read(const char *path, size_t limit, char **out, size_t *count) {
  *out = NULL;
  *count = 0;
  if (limit > SIZE_MAX / 4) limit = SIZE_MAX / 4;
  int fd;
  SCIARA_TRY(sciara_input_open(path, &fd));
  char *buffer = NULL;
  size_t length = 0;
  enum sciara_status status = read_all(fd, path, limit, &buffer, &length);
  close(fd);
  if (status != SCIARA_OK) {
    free(buffer);
    return status;
  }
  *out = buffer;
  *count = length;
  return SCIARA_OK;
}

// ------------------------------------------------------------------------------------------------------ atomic files

enum sciara_status sciara_file_sync(const char *path) {
  int fd = open_again(path, O_RDONLY);
  if (fd < 0) return io_failure(path, "open to sync it");
  if (fsync_again(fd) != 0) {
    enum sciara_status status = io_failure(path, "sync to disk");
    close(fd);
    return status;
  }
  if (close(fd) != 0) return io_failure(path, "close");
  return SCIARA_OK;
}

/* Some network file systems do not support fsync of a folder and return EINVAL: nothing more can be done there. */
static enum sciara_status folder_sync(const char *path) {
  int fd = open_again(path, O_RDONLY | O_DIRECTORY);
  if (fd < 0) return io_failure(path, "open the folder to sync it");
  if (fsync_again(fd) != 0 && errno != EINVAL) {
    enum sciara_status status = io_failure(path, "sync the folder to disk");
    close(fd);
    return status;
  }
  close(fd);
  return SCIARA_OK;
}

/** fsync of the folder of a file: its name is then permanent. */
static enum sciara_status sync_folder_of(const char *path) {
  char *folder = sciara_path_folder(path);
  if (!folder) return out_of_memory(path);
  enum sciara_status status = folder_sync(folder);
  free(folder);
  return status;
}

/* The file is complete: give it its name, or remove it. */
static enum sciara_status give_name(const char *part, const char *path, bool synced) {
  struct stat about; // neither a file nor a link, so not an earlier product: /dev/null, a named pipe
  if (lstat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISLNK(about.st_mode) && !S_ISDIR(about.st_mode)) {
    unlink(part);
    return sciara_fail(SCIARA_ERR_IO, "%s: is a device, a pipe or a socket, and is not replaced by a file", path);
  }
  if (rename(part, path) != 0) {
    enum sciara_status status = sciara_fail(SCIARA_ERR_IO, "%s: cannot rename to %s: %s", part, path, strerror(errno));
    unlink(part);
    return status;
  }
  return synced ? sync_folder_of(path) : SCIARA_OK;
}

static enum sciara_status write_all(int fd, const char *path, const unsigned char *bytes, size_t count) {
  while (count > 0) {
    ssize_t n = write(fd, bytes, count);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return io_failure(path, "write");
    bytes += n;
    count -= (size_t)n;
  }
  return SCIARA_OK;
}

static enum sciara_status check_regular(int fd, const char *path) {
  struct stat about;
  if (fstat(fd, &about) != 0) return io_failure(path, "examine");
  if (S_ISREG(about.st_mode)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_IO, "%s: is a %s, expected a file; remove it", path, kind_of_file(about.st_mode));
}

static enum sciara_status replace_through(const char *part, const char *path, const void *bytes, size_t count,
                                          bool synced) {
  enum sciara_status status;
  int fd = open_again(part, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
  if (fd < 0)
    return errno == ELOOP ? sciara_fail(SCIARA_ERR_IO, "%s: this is a symbolic link; remove it", part)
                          : io_failure(part, "create");
  status = check_regular(fd, part);
  if (status != SCIARA_OK) { // not created here, so not removed
    close(fd);
    return status;
  }
  status = write_all(fd, part, (const unsigned char *)bytes, count);
  // Synced through the descriptor that wrote: one opened later may not get an error from before.
  if (status == SCIARA_OK && synced && fsync_again(fd) != 0) status = io_failure(part, "sync to disk");
  if (close(fd) != 0 && status == SCIARA_OK) status = io_failure(part, "close");
  if (status == SCIARA_OK) return give_name(part, path, synced);
  unlink(part);
  return status;
}

enum sciara_status sciara_text_write(const char *path, enum sciara_status made, struct sciara_text *text) {
  if (made == SCIARA_OK) made = sciara_file_replace(path, text->data, text->length);
  sciara_text_free(text);
  return made;
}

enum sciara_status sciara_file_replace(const char *path, const void *bytes, size_t count) {
  char *part = sciara_format("%s.part", path);
  if (!part) return out_of_memory(path);
  const enum sciara_status status = replace_through(part, path, bytes, count, true);
  free(part);
  return status;
}

enum sciara_status sciara_file_replace_shared(const char *path, const void *bytes, size_t count, bool synced) {
  static unsigned serial;
  char host[64] = "";
  if (gethostname(host, sizeof host) != 0) *host = '\0';
  host[sizeof host - 1] = '\0';
  char *part =
      sciara_format("%s.%s-%ld-%u.part", path, host, (long)getpid(), __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED));
  if (!part) return out_of_memory(path);
  const enum sciara_status status = replace_through(part, path, bytes, count, synced);
  free(part);
  return status;
}

// ------------------------------------------------------------------------------------------------- folders and paths

/* Makes one level; the new entry is synced in its parent. */
static enum sciara_status folder_make_one(const char *path) {
  if (mkdir(path, 0777) == 0) return sync_folder_of(path);
  int cause = errno;
  struct stat info;
  if (stat(path, &info) == 0) {
    if (S_ISDIR(info.st_mode)) return SCIARA_OK;
    return sciara_fail(SCIARA_ERR_IO, "%s: cannot make this folder: a file of that name exists", path);
  }
  errno = cause;
  return io_failure(path, "make this folder");
}

enum sciara_status sciara_folder_make(const char *path) {
  if (path[0] == '\0') return sciara_fail(SCIARA_ERR_IO, "cannot make a folder without a name");
  char *prefix = sciara_format("%s", path);
  if (!prefix) return out_of_memory(path);
  enum sciara_status status = SCIARA_OK;
  size_t length = strlen(prefix);
  while (length > 1 && prefix[length - 1] == '/') prefix[--length] = '\0';
  for (size_t i = 1; i <= length && status == SCIARA_OK; i++) {
    if (prefix[i] != '/' && prefix[i] != '\0') continue;
    if (prefix[i - 1] == '/' && i < length) continue; // "a//b"
    char kept = prefix[i];
    prefix[i] = '\0';
    status = folder_make_one(prefix);
    prefix[i] = kept;
  }
  free(prefix);
  return status;
}

enum sciara_status sciara_folder_is_empty(const char *path, bool *exists, bool *empty) {
  *exists = false;
  *empty = true;
  DIR *folder = opendir(path);
  if (!folder) {
    if (errno == ENOENT) return SCIARA_OK;
    return io_failure(path, "read this folder");
  }
  *exists = true;
  enum sciara_status status = SCIARA_OK;
  for (;;) {
    errno = 0;
    const struct dirent *entry = readdir(folder);
    if (!entry) {
      if (errno != 0) status = io_failure(path, "read this folder");
      break;
    }
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    *empty = false;
    break;
  }
  closedir(folder);
  return status;
}

double sciara_disk_free(const char *folder) {
  char path[PATH_MAX];
  struct statvfs disk;
  if ((size_t)snprintf(path, sizeof path, "%s", folder) >= sizeof path) return 0;
  while (statvfs(path, &disk) != 0) {
    char *end = strrchr(path, '/');
    if (strcmp(path, ".") == 0 || strcmp(path, "/") == 0) return 0;
    if (end)
      end[end == path] = 0;
    else
      snprintf(path, sizeof path, ".");
  }
  return (double)disk.f_bavail * (double)disk.f_frsize;
}

char *sciara_path_join(const char *folder, const char *name) {
  size_t length = strlen(folder);
  if (name[0] == '/' || length == 0) return sciara_format("%s", name);
  return sciara_format("%s%s%s", folder, folder[length - 1] == '/' ? "" : "/", name);
}

enum sciara_status sciara_path_in(const char *folder, const char *name, char **out) {
  *out = sciara_path_join(folder, name);
  return *out ? SCIARA_OK : sciara_fail(SCIARA_ERR_MEMORY, "no memory for the path of %s", name);
}

enum sciara_status sciara_folder_make_in(const char *folder, const char *name) {
  char *path;
  SCIARA_TRY(sciara_path_in(folder, name, &path));
  const enum sciara_status status = sciara_folder_make(path);
  free(path);
  return status;
}

enum sciara_status sciara_link_refuse(const char *folder, const char *name, const char *expected, const char *cure) {
  char *path;
  struct stat about;
  SCIARA_TRY(sciara_path_in(folder, name, &path));
  enum sciara_status status = SCIARA_OK;
  if (lstat(path, &about) == 0 && S_ISLNK(about.st_mode))
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: expected %s, found a symbolic link%s", path, expected, cure);
  free(path);
  return status;
}

enum sciara_status sciara_file_remove(const char *folder, const char *name) {
  char *path;
  SCIARA_TRY(sciara_path_in(folder, name, &path));
  enum sciara_status status = SCIARA_OK;
  if (unlink(path) != 0 && errno != ENOENT)
    status = sciara_fail(SCIARA_ERR_IO, "%s: cannot be removed: %s", path, strerror(errno));
  free(path);
  return status;
}

char *sciara_path_folder(const char *path) {
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/') length--; // "a/b/" is in "a"
  while (length > 0 && path[length - 1] != '/') length--;
  if (length == 0) return sciara_format(".");
  while (length > 1 && path[length - 1] == '/') length--;
  return sciara_format("%.*s", (int)length, path);
}

static enum sciara_status real_folder(const char *folder, char **out) {
  *out = realpath(folder, NULL);
  return *out ? SCIARA_OK : sciara_fail(SCIARA_ERR_IO, "%s: %s", folder, strerror(errno));
}

/** Length of the longest folder that contains both, including the "/" at its end. */
static size_t common_folder(const char *a, const char *b) {
  size_t common = 0;
  for (size_t i = 0;; i++) {
    const bool end_a = a[i] == '/' || !a[i], end_b = b[i] == '/' || !b[i];
    if (end_a && end_b && i > 0) common = i;
    if (!a[i] || !b[i] || a[i] != b[i]) return common;
  }
}

static enum sciara_status relative_to(const char *from, const char *to, const char *name, char **out) {
  struct sciara_text text = {0};
  enum sciara_status status = SCIARA_OK;
  const size_t common = common_folder(from, to);
  for (const char *p = from + common; *p && status == SCIARA_OK; p++)
    if (*p == '/' && p[1]) status = sciara_text_append(&text, "../");
  const char *rest = to + common;
  while (*rest == '/') rest++;
  if (status == SCIARA_OK) status = sciara_text_append(&text, "%s%s%s", rest, *rest ? "/" : "", name);
  if (status != SCIARA_OK) sciara_text_free(&text);
  *out = text.data;
  return status;
}

enum sciara_status sciara_path_relative(const char *folder, const char *path, char **out) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  char *holder = sciara_path_folder(path), *from = NULL, *to = NULL;
  *out = NULL;
  enum sciara_status status = holder ? SCIARA_OK : sciara_no_memory("a path");
  if (status == SCIARA_OK) status = real_folder(folder, &from);
  if (status == SCIARA_OK) status = real_folder(holder, &to);
  if (status == SCIARA_OK) status = relative_to(from, to, name, out);
  free(holder);
  free(from);
  free(to);
  return status;
}

// ----------------------------------------------------------------------------------------------- names of output files

enum sciara_status sciara_refuse_existing(const char *path, bool overwrite) {
  struct stat about;
  if (stat(path, &about) != 0) return SCIARA_OK;
  if (!S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: is a device, a pipe or a socket, and is not replaced by a file", path);
  if (overwrite) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: already exists; --overwrite replaces it", path);
}

bool sciara_has_extension(const char *path, const char *extension) {
  const size_t n = strlen(path), m = strlen(extension);
  return n > m + 1 && path[n - m - 1] == '.' && path[n - m - 2] != '/' && strcasecmp(path + n - m, extension) == 0;
}
