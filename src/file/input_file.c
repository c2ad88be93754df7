// SPDX-License-Identifier: Apache-2.0
#include "file/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *sciara_file_kind(mode_t mode) {
  if (S_ISREG(mode)) return "file";
  if (S_ISDIR(mode)) return "folder";
  if (S_ISFIFO(mode)) return "named pipe";
  if (S_ISSOCK(mode)) return "socket";
  return "device";
}

static enum sciara_status cannot_open(const char *path) {
  return sciara_fail(SCIARA_ERR_IO, "%s: cannot open: %s", path, strerror(errno));
}

static enum sciara_status check_kind(const char *path, const struct stat *about) {
  if (S_ISREG(about->st_mode)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: is a %s, expected a file", path, sciara_file_kind(about->st_mode));
}

enum sciara_status sciara_input_check(const char *path) {
  struct stat about;
  if (stat(path, &about) != 0) return cannot_open(path);
  SCIARA_TRY(check_kind(path, &about));
  return access(path, R_OK) == 0 ? SCIARA_OK : cannot_open(path);
}

// First checked by name, because opening a device may already have an effect; checked again in case it was replaced.
enum sciara_status sciara_input_open(const char *path, int *fd) {
  *fd = -1;
  struct stat about;
  if (stat(path, &about) != 0) return cannot_open(path);
  SCIARA_TRY(check_kind(path, &about));
  int opened;
  do {
    opened = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  } while (opened < 0 && errno == EINTR);
  if (opened < 0) return cannot_open(path);
  const enum sciara_status status = fstat(opened, &about) == 0 ? check_kind(path, &about) : cannot_open(path);
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
