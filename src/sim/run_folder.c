// SPDX-License-Identifier: Apache-2.0
#include "sim/run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/durable.h"

bool sciara_is_folder(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static enum sciara_status remove_file(const char *folder, const char *name) {
  char *path = sciara_path_join(folder, name);
  if (!path) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a path");
  enum sciara_status status = SCIARA_OK;
  if (unlink(path) != 0 && errno != ENOENT)
    status = sciara_fail(SCIARA_ERR_IO, "%s: cannot be removed: %s", path, strerror(errno));
  free(path);
  return status;
}

static bool ends_with(const char *name, const char *suffix) {
  const size_t n = strlen(name), m = strlen(suffix);
  return n > m && strcmp(name + n - m, suffix) == 0;
}

/** Eight digits and ".nc", or such a file cut short. */
static bool is_snapshot(const char *name) {
  return strspn(name, "0123456789") >= 8 && (ends_with(name, ".nc") || ends_with(name, ".nc.part"));
}

static bool is_map(const char *name) {
  return ends_with(name, ".tif") || ends_with(name, ".tif.part") || ends_with(name, ".qml") || ends_with(name, ".png");
}

static enum sciara_status remove_products(const char *folder, const char *sub, bool (*is_product)(const char *name)) {
  char *path = sciara_path_join(folder, sub);
  if (!path) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a path");
  enum sciara_status status = SCIARA_OK;
  DIR *dir = opendir(path);
  if (dir) {
    for (struct dirent *entry; status == SCIARA_OK && (entry = readdir(dir));)
      if (is_product(entry->d_name)) status = remove_file(path, entry->d_name);
    closedir(dir);
  } else if (errno != ENOENT) {
    status = sciara_fail(SCIARA_ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
  }
  free(path);
  return status;
}

enum sciara_status sciara_run_folder_prepare(const char *folder, bool overwrite) {
  bool exists, empty;
  SCIARA_TRY(sciara_folder_is_empty(folder, &exists, &empty));
  if (exists && !empty && !overwrite)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: the output folder is not empty; --overwrite replaces the run in it",
                       folder);
  if (exists && !empty) {
    SCIARA_TRY(remove_file(folder, SCIARA_RUN_JSON)); // first: without it the rest is no run
    SCIARA_TRY(remove_file(folder, "series.nc"));
    SCIARA_TRY(remove_file(folder, SCIARA_RUN_DEM));
    SCIARA_TRY(remove_file(folder, SCIARA_RUN_LOG));
    SCIARA_TRY(remove_products(folder, "snapshots", is_snapshot));
    SCIARA_TRY(remove_products(folder, "maps", is_map));
  }
  char *snapshots = sciara_path_join(folder, "snapshots");
  if (!snapshots) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a path");
  enum sciara_status status = sciara_folder_make(folder);
  if (status == SCIARA_OK) status = sciara_folder_make(snapshots);
  free(snapshots);
  return status;
}
