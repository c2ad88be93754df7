// SPDX-License-Identifier: Apache-2.0
#include "ensemble/ensemble_folder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "file/durable.h"
#include "setup/scenario_site.h"

size_t sciara_batch_begin(const struct sciara_ensemble *e, size_t batch) { return batch * e->batch_size; }

size_t sciara_batch_end(const struct sciara_ensemble *e, size_t batch) {
  const size_t end = (batch + 1) * e->batch_size;
  return end < e->members.count ? end : e->members.count;
}

char *sciara_batch_path(const struct sciara_ensemble *e, size_t batch) {
  return sciara_format("%s/" SCIARA_ENSEMBLE_BATCHES "/%06zu.h5", e->folder, batch);
}

// -------------------------------------------------------------------------------------------------------------- links

static enum sciara_status refuse_link(const char *folder, const char *name) {
  return sciara_link_refuse(folder, name, "a file or folder of the ensemble",
                            ", which is not followed; put what it points to in its place");
}

/** What is done with an entry of a folder, by its name; `levels` of folders may follow below it. */
typedef enum sciara_status visit_entry(void *context, const char *folder, const char *name, int levels);

/** Every entry whose name begins with a digit, as those that the program makes; none if the folder is absent. */
static enum sciara_status visit(const char *folder, int levels, visit_entry *entry_of, void *context) {
  const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
  enum sciara_status status = SCIARA_OK;
  const struct dirent *entry;
  if (fd >= 0 && !dir) close(fd);
  while (dir && status == SCIARA_OK && (entry = readdir(dir)))
    if (isdigit((unsigned char)*entry->d_name)) status = entry_of(context, folder, entry->d_name, levels);
  if (dir) closedir(dir);
  return status;
}

/** Visits the folder `name` of this folder. */
static enum sciara_status visit_below(const char *folder, const char *name, int levels, visit_entry *entry_of,
                                      void *context) {
  char *path;
  SCIARA_TRY(sciara_path_in(folder, name, &path));
  const enum sciara_status status = visit(path, levels, entry_of, context);
  free(path);
  return status;
}

static enum sciara_status refuse_entry(void *context, const char *folder, const char *name, int levels) {
  SCIARA_TRY(refuse_link(folder, name));
  return levels > 0 ? visit_below(folder, name, levels - 1, refuse_entry, context) : SCIARA_OK;
}

enum sciara_status sciara_ensemble_refuse_links(const char *folder) {
  static const char *const names[] = {SCIARA_ENSEMBLE_JSON,     SCIARA_ENSEMBLE_MEMBERS,    SCIARA_ENSEMBLE_WEIGHTS,
                                      SCIARA_ENSEMBLE_DEM,      SCIARA_ENSEMBLE_MAPS,       SCIARA_ENSEMBLE_BATCHES,
                                      SCIARA_ENSEMBLE_FINISHED, SCIARA_ENSEMBLE_CHECKPOINT, SCIARA_ENSEMBLE_LOG,
                                      SCIARA_ENSEMBLE_LOCK,     SCIARA_ENSEMBLE_OBSERVED};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) SCIARA_TRY(refuse_link(folder, names[k]));
  SCIARA_TRY(visit_below(folder, SCIARA_ENSEMBLE_BATCHES, 0, refuse_entry, NULL));
  return visit_below(folder, SCIARA_ENSEMBLE_FINISHED, 1, refuse_entry, NULL);
}

// ------------------------------------------------------------------------------------------------------------ results

static enum sciara_status find_result(void *context, const char *folder, const char *name, int levels) {
  bool *found = (bool *)context;
  *found |= strcmp(name + strspn(name, "0123456789"), ".h5") == 0;
  return levels > 0 ? visit_below(folder, name, levels - 1, find_result, context) : SCIARA_OK;
}

bool sciara_ensemble_has_results(const char *folder) {
  bool found = false;
  enum sciara_status status = visit_below(folder, SCIARA_ENSEMBLE_BATCHES, 0, find_result, &found);
  if (status == SCIARA_OK) status = visit_below(folder, SCIARA_ENSEMBLE_FINISHED, 1, find_result, &found);
  return found || status != SCIARA_OK;
}

// --------------------------------------------------------------------------------------------------------------- lock

/** The lock file; *fd is -1 where it can be neither written nor read. */
static enum sciara_status open_lock(const char *folder, int *fd) {
  char *path;
  const int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  struct stat about;
  enum sciara_status status = SCIARA_OK;
  *fd = -1;
  SCIARA_TRY(sciara_path_in(folder, SCIARA_ENSEMBLE_LOCK, &path));
  *fd = open(path, O_RDWR | O_CREAT | flags, 0666);
  if (*fd < 0) *fd = open(path, O_RDONLY | flags);
  if (*fd >= 0 && (fstat(*fd, &about) != 0 || !S_ISREG(about.st_mode))) {
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: expected a file, found something else; remove it", path);
    close(*fd);
    *fd = -1;
  }
  free(path);
  return status;
}

/** Whether somebody else holds the lock; file systems that cannot lock hold none. */
static bool is_held(int fd, int operation) {
  int result;
  do {
    result = flock(fd, operation | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  return result != 0 && errno == EWOULDBLOCK;
}

enum sciara_status sciara_ensemble_lock_to_run(const char *folder, int *lock) {
  int result;
  SCIARA_TRY(open_lock(folder, lock));
  if (*lock < 0 || !is_held(*lock, LOCK_SH)) return SCIARA_OK;
  sciara_log(SCIARA_LOG_INFO, "%s: another process plans this ensemble; waiting for it to finish", folder);
  do {
    result = flock(*lock, LOCK_SH);
  } while (result != 0 && errno == EINTR);
  return SCIARA_OK;
}

enum sciara_status sciara_ensemble_lock_to_plan(const char *folder, int *lock) {
  SCIARA_TRY(open_lock(folder, lock));
  if (*lock < 0 || !is_held(*lock, LOCK_EX)) return SCIARA_OK;
  close(*lock);
  *lock = -1;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: a process computes members of the ensemble in this folder, or plans it; end it first",
                     folder);
}

void sciara_ensemble_unlock(int lock) {
  if (lock >= 0) close(lock);
}

// -------------------------------------------------------------------------------------------------------------- log.csv

// ---------------------------------------------------------------------------------------------------------- its ground

/** The DEM of the folder must still be that of the plan. */
static enum sciara_status check_hash(const struct sciara_ensemble *e, uint64_t found) {
  if (found == e->site_hash) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s/%s: expected the ground %016" PRIx64 " of the plan, found %016" PRIx64
                     "; put back the file of the plan ('sciara ensemble plan' in another folder writes it), or a file "
                     "that dem.sea or dem.edits of its base names",
                     e->folder, SCIARA_ENSEMBLE_DEM, e->site_hash, found);
}

enum sciara_status sciara_ensemble_site_read(const struct sciara_ensemble *e, const struct sciara_notes *notes,
                                             const struct sciara_site **out) {
  struct sciara_scenario_spec spec = {0};
  char name[SCIARA_MEMBER_NAME];
  const struct sciara_scenario_member first = sciara_ensemble_member(e, 0, name);
  enum sciara_status status = sciara_scenario_member_values(&first, false, notes, &spec);
  spec.dem.error = (struct sciara_ground_error){0};
  if (status == SCIARA_OK) status = sciara_scenario_site_read(&spec, &(struct sciara_problem_options){0}, out);
  if (status == SCIARA_OK) status = check_hash(e, (*out)->origin.hash);
  sciara_scenario_free(&spec);
  return status;
}

/** Compares the hash of the DEM; of a site with a sea or with edits at simulated times it is another one. */
static enum sciara_status check_ground(const struct sciara_ensemble *e, const struct sciara_dem *dem) {
  const struct sciara_site *site = NULL;
  if (dem->hash == e->site_hash) return SCIARA_OK;
  const enum sciara_status status = sciara_ensemble_site_read(e, &sciara_no_notes, &site);
  sciara_site_release(site);
  return status;
}

enum sciara_status sciara_ensemble_dem_read(const struct sciara_ensemble *e, struct sciara_dem *out) {
  char *path;
  SCIARA_TRY(sciara_path_in(e->folder, SCIARA_ENSEMBLE_DEM, &path));
  const struct sciara_dem_request request = {.path = path, .band = 1, .own = true, .marked = true};
  enum sciara_status status = sciara_dem_read(&request, out);
  if (status == SCIARA_OK) status = check_ground(e, out);
  free(path);
  return status;
}
