// SPDX-License-Identifier: Apache-2.0
#include "file/durable.h"

#include <string.h>
#include <strings.h>
#include <sys/stat.h>

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
