// SPDX-License-Identifier: Apache-2.0
#include "run/run_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/durable.h"
#include "store/run_json.h"

/** Whether `real` is `folder` or inside it; both without links. */
static bool lies_below(const char *folder, const char *real) {
  const size_t n = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
  return strncmp(real, folder, n) == 0 && (real[n] == '/' || real[n] == '\0');
}

enum sciara_status sciara_run_file_check(const char *folder, const char *path) {
  char *absolute = realpath(folder, NULL), *real = absolute ? realpath(path, NULL) : NULL;
  struct stat info;
  const bool absent = !real && errno == ENOENT && (lstat(path, &info) != 0 || !S_ISLNK(info.st_mode));
  enum sciara_status status = SCIARA_OK;
  if (!absent && !(real && lies_below(absolute, real)))
    status = real || errno == ENOENT || errno == ELOOP
                 ? sciara_fail(SCIARA_ERR_INPUT,
                               "%s: expected a file of the run, found a symbolic link to outside the run folder", path)
                 : sciara_fail(SCIARA_ERR_IO, "%s: cannot open: %s", path, strerror(errno));
  free(real);
  free(absolute);
  return status;
}

enum sciara_status sciara_run_file(const char *folder, const char *name, char **path) {
  SCIARA_TRY(sciara_path_in(folder, name, path));
  const enum sciara_status status = sciara_run_file_check(folder, *path);
  if (status == SCIARA_OK) return status;
  free(*path);
  *path = NULL;
  return status;
}

/** A folder without run.json; that of an ensemble is recognised. */
static enum sciara_status refuse_folder(const char *folder) {
  char *ensemble = sciara_path_join(folder, "ensemble.json");
  const bool is_ensemble = ensemble && access(ensemble, F_OK) == 0;
  free(ensemble);
  return sciara_fail(SCIARA_ERR_INPUT, "%s: is not a run folder: it holds no %s%s", folder, SCIARA_RUN_JSON,
                     is_ensemble ? "; it is the folder of an ensemble, of which 'sciara ensemble status' tells" : "");
}

enum sciara_status sciara_run_file_json(const char *folder, struct sciara_run_json *out) {
  char *path;
  *out = (struct sciara_run_json){0};
  SCIARA_TRY(sciara_run_file(folder, SCIARA_RUN_JSON, &path));
  const enum sciara_status status = access(path, F_OK) == 0 ? sciara_run_json_read(path, out) : refuse_folder(folder);
  free(path);
  return status;
}
