// SPDX-License-Identifier: Apache-2.0
#include "run/run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/durable.h"
#include "picture/frames.h"
#include "run/checkpoints.h"
#include "store/run_json.h"

#define PART ".part"
#define UNFINISHED "run.json.part"

bool sciara_is_folder(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool ends_with(const char *name, const char *suffix) {
  const size_t n = strlen(name), m = strlen(suffix);
  return n > m && strcmp(name + n - m, suffix) == 0;
}

/** Eight digits and ".nc", or such a file that is incomplete. */
static bool is_snapshot(const char *name) {
  return strspn(name, "0123456789") >= 8 && (ends_with(name, ".nc") || ends_with(name, ".nc.part"));
}

/** The default names of `run` and `export`: FIELD or another stem, and a suffix; or such a file that is incomplete. */
static bool is_map(const char *name) {
  static const char *const ends[] = {".tif", ".qml", ".png", ".gpkg", ".geojson", ".kml", ".nc", ".csv", ".html"};
  static const char *const stems[] = {"outline", "thickness_classes", "arrival", "series", "page", "edits", "ground"};
  const size_t stem = strcspn(name, "."), length = strlen(name);
  const size_t end = ends_with(name, ".part") ? length - strlen(".part") : length;
  bool known = false, suffix = false;
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++) {
    const char *field = sciara_field_name((enum sciara_field)f);
    known |= strlen(field) == stem && strncmp(field, name, stem) == 0;
  }
  for (size_t k = 0; k < sizeof stems / sizeof *stems; k++)
    known |= strlen(stems[k]) == stem && strncmp(stems[k], name, stem) == 0;
  for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
    suffix |= end > stem && strlen(ends[k]) == end - stem && strncmp(ends[k], name + stem, end - stem) == 0;
  return known && suffix;
}

static enum sciara_status remove_products(const char *folder, const char *sub, bool (*is_product)(const char *name)) {
  char *path;
  SCIARA_TRY(sciara_path_in(folder, sub, &path));
  enum sciara_status status = SCIARA_OK;
  DIR *dir = opendir(path);
  if (dir) {
    for (struct dirent *entry; status == SCIARA_OK && (entry = readdir(dir));)
      if (is_product(entry->d_name)) status = sciara_file_remove(path, entry->d_name);
    closedir(dir);
  } else if (errno != ENOENT) {
    status = sciara_fail(SCIARA_ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
  }
  free(path);
  return status;
}

/** Whether a run into `folder` (both absolute) removes or writes this file. */
static bool is_product(const char *folder, const char *file) {
  static const char *const products[] = {SCIARA_RUN_JSON, SCIARA_RUN_DEM, SCIARA_RUN_LOG, "series.nc",
                                         "snapshots/",    "maps/",        "checkpoints/"};
  const size_t n = strlen(folder);
  if (strncmp(file, folder, n) != 0 || file[n] != '/') return false;
  for (size_t k = 0; k < sizeof products / sizeof *products; k++) {
    const size_t length = strlen(products[k]);
    const bool is_folder = products[k][length - 1] == '/';
    if (is_folder ? strncmp(file + n + 1, products[k], length) == 0 : strcmp(file + n + 1, products[k]) == 0)
      return true;
  }
  return false;
}

static enum sciara_status spare_inputs(const char *folder, const char *const *inputs, size_t count) {
  char *absolute = realpath(folder, NULL);
  enum sciara_status status = SCIARA_OK;
  for (size_t k = 0; absolute && status == SCIARA_OK && k < count; k++) {
    char *file = inputs[k] ? realpath(inputs[k], NULL) : NULL;
    if (file && is_product(absolute, file))
      status = sciara_fail(SCIARA_ERR_INPUT,
                           "%s: the run reads this file and would replace it; choose an output "
                           "folder other than %s",
                           inputs[k], folder);
    free(file);
  }
  free(absolute);
  return status;
}

/** Removes the frames of films of fields, in maps/FIELD.frames, and folders that are then empty. */
static enum sciara_status remove_frames(const char *folder) {
  enum sciara_status status = SCIARA_OK;
  for (int f = 0; f < SCIARA_FIELD_COUNT && status == SCIARA_OK; f++) {
    char *frames = sciara_format("%s/maps/%s.frames", folder, sciara_field_name((enum sciara_field)f));
    if (!frames) return sciara_no_memory("a path");
    status = sciara_frames_clear(frames);
    if (status == SCIARA_OK) rmdir(frames); // fails if other files are left, which do not belong to the run
    free(frames);
  }
  return status;
}

/** Renames run.json to the name that it has while it is written: its contents are no longer guaranteed. */
static enum sciara_status withdraw_record(const char *folder) {
  char *run_json, *part;
  SCIARA_TRY(sciara_path_in(folder, SCIARA_RUN_JSON, &run_json));
  enum sciara_status status = sciara_path_in(folder, UNFINISHED, &part);
  if (status == SCIARA_OK && rename(run_json, part) != 0 && errno != ENOENT)
    status = sciara_fail(SCIARA_ERR_IO, "%s: cannot be renamed: %s", run_json, strerror(errno));
  free(run_json);
  free(part);
  return status == SCIARA_OK ? sciara_file_sync(folder) : status;
}

static enum sciara_status remove_run(const char *folder) {
  static const char *const files[] = {"series.nc",    "series.nc" PART,    SCIARA_RUN_DEM,
                                      SCIARA_RUN_LOG, SCIARA_RUN_DEM PART, NULL};
  SCIARA_TRY(withdraw_record(folder)); // first, and synced: without it the other files are not a run
  for (const char *const *name = files; *name; name++) SCIARA_TRY(sciara_file_remove(folder, *name));
  SCIARA_TRY(remove_products(folder, "snapshots", is_snapshot));
  SCIARA_TRY(remove_products(folder, "maps", is_map));
  SCIARA_TRY(remove_products(folder, SCIARA_CHECKPOINT_FOLDER, sciara_is_checkpoint_name));
  char *checkpoints;
  SCIARA_TRY(sciara_path_in(folder, SCIARA_CHECKPOINT_FOLDER, &checkpoints));
  rmdir(checkpoints); // fails if other files are left, which do not belong to the run
  free(checkpoints);
  SCIARA_TRY(remove_frames(folder));
  return sciara_file_sync(folder); // before the new run.json: an old series.nc would refer to removed files
}

enum sciara_status sciara_run_folder_lock(const char *folder, int *lock) {
  *lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (*lock < 0) return sciara_fail(SCIARA_ERR_IO, "%s: cannot be opened: %s", folder, strerror(errno));
  if (flock(*lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return SCIARA_OK; // some file systems cannot lock
  close(*lock);
  *lock = -1;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: another run is writing to this folder", folder);
}

static enum sciara_status look_for(const char *folder, const char *name, bool *found) {
  char *path;
  SCIARA_TRY(sciara_path_in(folder, name, &path));
  *found |= access(path, F_OK) == 0;
  free(path);
  return SCIARA_OK;
}

/**
 * Checks that the folder holds a run, or one that was interrupted before its first run.json or while it was replaced.
 */
static enum sciara_status require_run(const char *folder) {
  bool found = false;
  SCIARA_TRY(look_for(folder, SCIARA_RUN_JSON, &found));
  SCIARA_TRY(look_for(folder, UNFINISHED, &found));
  if (found) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: the output folder is not empty and holds no run (no %s); --overwrite replaces only a run",
                     folder, SCIARA_RUN_JSON);
}

static enum sciara_status refuse_link(const char *folder, const char *name) {
  return sciara_link_refuse(folder, name, "a file or folder made by a run",
                            "; remove the link, or name the folder that it points to as the output");
}

enum sciara_status sciara_run_folder_refuse_links(const char *folder) {
  static const char *const names[] = {"snapshots", "maps", "checkpoints", SCIARA_RUN_JSON, UNFINISHED, SCIARA_RUN_LOG};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) SCIARA_TRY(refuse_link(folder, names[k]));
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++) {
    char name[64];
    snprintf(name, sizeof name, "maps/%s.frames", sciara_field_name((enum sciara_field)f));
    SCIARA_TRY(refuse_link(folder, name));
  }
  return SCIARA_OK;
}

enum sciara_status sciara_run_folder_prepare(const char *folder, bool overwrite, const char *const *inputs,
                                             size_t count, int *lock) {
  bool exists, empty;
  *lock = -1;
  SCIARA_TRY(sciara_folder_is_empty(folder, &exists, &empty));
  const bool full = exists && !empty;
  if (full && !overwrite)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: the output folder is not empty; --overwrite replaces the run in it",
                       folder);
  if (full) SCIARA_TRY(require_run(folder));
  if (full) SCIARA_TRY(sciara_run_folder_refuse_links(folder));
  if (full) SCIARA_TRY(spare_inputs(folder, inputs, count));
  SCIARA_TRY(sciara_folder_make(folder));
  SCIARA_TRY(sciara_run_folder_lock(folder, lock));
  return full ? remove_run(folder) : SCIARA_OK;
}

static bool is_cut_checkpoint(const char *name) { return sciara_is_checkpoint_name(name) && ends_with(name, ".part"); }

static int by_number(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

enum sciara_status sciara_run_folder_sweep(const char *folder, const uint64_t *steps, size_t count) {
  char *path;
  SCIARA_TRY(sciara_path_in(folder, "snapshots", &path));
  enum sciara_status status = SCIARA_OK;
  DIR *dir = opendir(path);
  for (const struct dirent *entry; dir && status == SCIARA_OK && (entry = readdir(dir));) {
    const uint64_t step = strtoull(entry->d_name, NULL, 10);
    const bool listed = count > 0 && bsearch(&step, steps, count, sizeof *steps, by_number);
    if (is_snapshot(entry->d_name) && (!listed || ends_with(entry->d_name, ".part")))
      status = sciara_file_remove(path, entry->d_name);
  }
  if (dir) closedir(dir);
  free(path);
  return status == SCIARA_OK ? remove_products(folder, SCIARA_CHECKPOINT_FOLDER, is_cut_checkpoint) : status;
}

// --------------------------------------------------------------------------------------------------- reading its files

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
