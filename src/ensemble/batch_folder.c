// SPDX-License-Identifier: Apache-2.0
#include "ensemble/batch_folder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "file/durable.h"

size_t sciara_batch_begin(const struct sciara_ensemble *e, size_t batch) { return batch * e->batch_size; }

size_t sciara_batch_end(const struct sciara_ensemble *e, size_t batch) {
  const size_t end = (batch + 1) * e->batch_size;
  return end < e->members.count ? end : e->members.count;
}

char *sciara_batch_path(const struct sciara_ensemble *e, size_t batch) {
  return sciara_format("%s/" SCIARA_ENSEMBLE_BATCHES "/%06zu.h5", e->folder, batch);
}

static char *members_path(const struct sciara_batch_folder *folder, size_t batch) {
  return sciara_format("%s/" SCIARA_ENSEMBLE_FINISHED "/%06zu", folder->ensemble->folder, batch);
}

static char *member_path(const struct sciara_batch_folder *folder, size_t member) {
  const struct sciara_ensemble *e = folder->ensemble;
  return sciara_format("%s/" SCIARA_ENSEMBLE_FINISHED "/%06zu/%" PRId64 ".h5", e->folder, member / e->batch_size,
                       e->members.id[member]);
}

char *sciara_member_checkpoint_path(const struct sciara_batch_folder *folder, size_t member) {
  const struct sciara_ensemble *e = folder->ensemble;
  return sciara_format("%s/" SCIARA_ENSEMBLE_FINISHED "/%06zu/%" PRId64 ".checkpoint.h5", e->folder,
                       member / e->batch_size, e->members.id[member]);
}

static struct sciara_batch_header header_of(const struct sciara_batch_folder *folder, size_t batch) {
  return (struct sciara_batch_header){.ensemble_hash = folder->ensemble->hash,
                                      .site_hash = folder->ensemble->site_hash,
                                      .rows = folder->rows,
                                      .cols = folder->cols,
                                      .batch = (int64_t)batch};
}

// ------------------------------------------------------------------------------------------- what belongs to the plan

/** Names the members of a file whose rows differ from those of the table. */
static enum sciara_status compare_rows(const struct sciara_ensemble *e, const char *path, size_t first,
                                       const struct sciara_footprint *f, size_t count) {
  enum { MOST = 8 };
  struct sciara_text ids = {0};
  size_t differ = 0;
  for (size_t k = 0; k < count; k++) {
    const size_t m = first + k;
    if (m < e->members.count && f[k].id == e->members.id[m] && f[k].row_hash == e->members.hash[m]) continue;
    if (differ++ < MOST) sciara_text_append(&ids, "%s%" PRId64, differ > 1 ? ", " : "", f[k].id);
  }
  enum sciara_status status = SCIARA_OK;
  if (differ > 0)
    status = sciara_fail(SCIARA_ERR_INPUT,
                         "%s: expected the members of this plan, found %zu that were computed with another row of %s: "
                         "%s%s",
                         path, differ, SCIARA_ENSEMBLE_MEMBERS, ids.data ? ids.data : "", differ > MOST ? ", ..." : "");
  sciara_text_free(&ids);
  return status;
}

/** Whether a file belongs to the ensemble: `count` members from `first` on. */
static enum sciara_status check_origin(const struct sciara_batch_folder *folder, const char *path,
                                       const struct sciara_batch_header *h, size_t first,
                                       const struct sciara_footprint *f, size_t count, size_t expected) {
  const struct sciara_ensemble *e = folder->ensemble;
  if (h->site_hash != e->site_hash || (folder->rows && (h->rows != folder->rows || h->cols != folder->cols)))
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: expected results on the ground %016" PRIx64 ", found those of another ensemble: ground "
                       "%016" PRIx64 ", %" PRId64 " rows, %" PRId64 " columns",
                       path, e->site_hash, h->site_hash, h->rows, h->cols);
  SCIARA_TRY(compare_rows(e, path, first, f, count));
  if (count != expected || h->batch != (int64_t)(first / e->batch_size))
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: expected batch %zu with %zu members, found batch %" PRId64 " with %zu: another plan", path,
                       first / e->batch_size, expected, h->batch, count);
  if (h->ensemble_hash == e->hash) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: expected the ensemble %016" PRIx64 ", found %016" PRIx64
                     ": its base scenario, its initial lava or another batch differs",
                     path, e->hash, h->ensemble_hash);
}

enum sciara_status sciara_batch_is_whole(const struct sciara_batch_folder *folder, size_t batch,
                                         struct sciara_member_done *states, bool *whole) {
  const struct sciara_ensemble *e = folder->ensemble;
  const size_t first = sciara_batch_begin(e, batch), expected = sciara_batch_end(e, batch) - first;
  struct sciara_batch_header h;
  struct sciara_footprint *f = NULL;
  size_t count = 0;
  void *file = NULL;
  enum sciara_status status = SCIARA_OK;
  char *path = sciara_batch_path(folder->ensemble, batch);
  *whole = false;
  if (!path) return sciara_no_memory("the name of a file");
  if (access(path, F_OK) != 0) goto cleanup;
  SCIARA_TRY_GOTO(sciara_batch_open(path, &h, &f, &count, &file));
  SCIARA_TRY_GOTO(check_origin(folder, path, &h, first, f, count, expected));
  *whole = true;
  for (size_t k = 0; states && k < count; k++)
    states[first + k] = (struct sciara_member_done){true, f[k].failed, f[k].censored};
cleanup:
  sciara_batch_close(file);
  sciara_batch_release(f, count);
  free(path);
  return status;
}

// ------------------------------------------------------------------------------------------------- finished members

bool sciara_member_is_stored(const struct sciara_batch_folder *folder, size_t member) {
  char *path = member_path(folder, member);
  const bool stored = path && access(path, F_OK) == 0;
  free(path);
  return stored;
}

/** Opens the file of a member: *f is its only member, without cells. SCIARA_ERR_INPUT if it belongs to another plan. */
static enum sciara_status open_member(const struct sciara_batch_folder *folder, size_t member, const char *path,
                                      struct sciara_footprint **f, size_t *count, void **file) {
  struct sciara_batch_header h;
  const struct sciara_ensemble *e = folder->ensemble;
  SCIARA_TRY(sciara_batch_open(path, &h, f, count, file));
  if (*count == 1 && h.ensemble_hash == e->hash && h.site_hash == e->site_hash && (*f)->id == e->members.id[member] &&
      (*f)->row_hash == e->members.hash[member])
    return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: expected a member of this plan, found another", path);
}

/** Reads a finished member into *f, with its cells. SCIARA_ERR_INPUT and SCIARA_ERR_IO: it must be computed again. */
static enum sciara_status read_member(const struct sciara_batch_folder *folder, size_t member, const char *path,
                                      struct sciara_footprint *f) {
  struct sciara_footprint *all = NULL;
  size_t count = 0;
  void *file = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(open_member(folder, member, path, &all, &count, &file));
  SCIARA_TRY_GOTO(sciara_batch_cells(file, 0, all));
  *f = *all;
  *all = (struct sciara_footprint){0};
cleanup:
  sciara_batch_close(file);
  sciara_batch_release(all, count);
  return status;
}

bool sciara_member_look(const struct sciara_batch_folder *folder, size_t member, struct sciara_member_done *state) {
  struct sciara_footprint *f = NULL;
  size_t count = 0;
  void *file = NULL;
  char *path = member_path(folder, member);
  const bool stored = path && access(path, F_OK) == 0;
  if (stored && open_member(folder, member, path, &f, &count, &file) == SCIARA_OK)
    *state = (struct sciara_member_done){true, f->failed, f->censored};
  sciara_batch_close(file);
  sciara_batch_release(f, count);
  free(path);
  return stored;
}

enum sciara_status sciara_member_find(const struct sciara_batch_folder *folder, size_t member,
                                      struct sciara_member_done *state) {
  struct sciara_footprint f = {0};
  char *path = member_path(folder, member);
  if (!path) return sciara_no_memory("the name of a file");
  enum sciara_status status = SCIARA_OK;
  *state = (struct sciara_member_done){0};
  if (access(path, F_OK) == 0) {
    status = read_member(folder, member, path, &f);
    if (status == SCIARA_OK) {
      *state = (struct sciara_member_done){true, f.failed, f.censored};
    } else if (status == SCIARA_ERR_INPUT) {
      sciara_log(SCIARA_LOG_WARNING, "%s; the member is computed again", sciara_last_error());
      unlink(path);
      status = SCIARA_OK;
    } else if (status == SCIARA_ERR_IO && access(path, F_OK) != 0 && errno == ENOENT) {
      status = SCIARA_OK; // another process has made the batch
    }
    sciara_footprint_free(&f);
  }
  free(path);
  return status;
}

/** A file of a batch that may be removed when nobody needs it: not one that the user put there. */
static bool is_left_over(const char *name, bool whole) {
  const char *end = strrchr(name, '.');
  if (!isdigit((unsigned char)*name) || !end) return false;
  return strstr(name, ".checkpoint.h5") || (whole && (strcmp(end, ".h5") == 0 || strcmp(end, ".part") == 0));
}

void sciara_batch_sweep(const struct sciara_batch_folder *folder, size_t batch, bool whole) {
  char *path = members_path(folder, batch);
  const int fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1; // not through a link
  DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
  const struct dirent *entry;
  while (dir && (entry = readdir(dir)))
    if (is_left_over(entry->d_name, whole)) unlinkat(fd, entry->d_name, 0);
  if (fd >= 0 && !dir) close(fd);
  if (dir) closedir(dir);
  if (dir) rmdir(path); // unless it holds anything else
  free(path);
}

/** Whether the batch has been made, perhaps by another process. */
static bool has_batch(const struct sciara_batch_folder *folder, size_t batch) {
  char *path = sciara_batch_path(folder->ensemble, batch);
  const bool found = path && access(path, F_OK) == 0;
  free(path);
  return found;
}

enum sciara_status sciara_member_folder_make(const struct sciara_batch_folder *folder, size_t member) {
  const size_t batch = member / folder->ensemble->batch_size;
  char *path = members_path(folder, batch);
  if (!path) return sciara_no_memory("the name of a file");
  const bool needed = access(path, F_OK) != 0 && !has_batch(folder, batch);
  const enum sciara_status status = needed ? sciara_folder_make(path) : SCIARA_OK;
  free(path);
  return status;
}

/** Writes the file of a member; synced if it has a checkpoint, which is then removed. */
static enum sciara_status write_member(const struct sciara_batch_folder *folder, size_t member,
                                       const struct sciara_footprint *f) {
  const struct sciara_batch_header h = header_of(folder, member / folder->ensemble->batch_size);
  char *path = member_path(folder, member), *checkpoint = sciara_member_checkpoint_path(folder, member);
  enum sciara_status status =
      path && checkpoint ? sciara_member_folder_make(folder, member) : sciara_no_memory("the name of a file");
  const bool synced = checkpoint && access(checkpoint, F_OK) == 0;
  if (status == SCIARA_OK) status = sciara_batch_write(path, &h, f, 1, synced);
  if (status == SCIARA_OK && synced) unlink(checkpoint);
  free(checkpoint);
  free(path);
  return status;
}

enum sciara_status sciara_member_store(const struct sciara_batch_folder *folder, size_t member,
                                       struct sciara_footprint *f) {
  const size_t batch = member / folder->ensemble->batch_size;
  f->id = folder->ensemble->members.id[member];
  f->row_hash = folder->ensemble->members.hash[member];
  const enum sciara_status status = has_batch(folder, batch) ? SCIARA_OK : write_member(folder, member, f);
  if (!has_batch(folder, batch)) return status;
  sciara_batch_sweep(folder, batch, true); // another process was faster; it may have removed what was written here
  return SCIARA_OK;
}

static void drop_kept(const struct sciara_batch_folder *folder, size_t batch) {
  struct sciara_footprint f;
  for (size_t m = sciara_batch_begin(folder->ensemble, batch); m < sciara_batch_end(folder->ensemble, batch); m++)
    if (sciara_kept_take(folder->kept, m, &f)) sciara_footprint_free(&f);
}

/** Takes all members; *missing is the first that must be computed again. */
static enum sciara_status take_batch_members(const struct sciara_batch_folder *folder, size_t batch,
                                             struct sciara_footprint *f, size_t *missing) {
  const size_t first = sciara_batch_begin(folder->ensemble, batch), end = sciara_batch_end(folder->ensemble, batch);
  for (size_t m = first; m < end && *missing == SIZE_MAX; m++) {
    if (sciara_kept_take(folder->kept, m, &f[m - first])) continue;
    char *path = member_path(folder, m);
    if (!path) return sciara_no_memory("the name of a file");
    const enum sciara_status status = read_member(folder, m, path, &f[m - first]);
    if (status == SCIARA_ERR_INPUT) unlink(path);
    free(path);
    if (status == SCIARA_ERR_INPUT || status == SCIARA_ERR_IO)
      *missing = m;
    else if (status != SCIARA_OK)
      return status;
  }
  return SCIARA_OK;
}

enum sciara_status sciara_batch_join(const struct sciara_batch_folder *folder, size_t batch, size_t *missing) {
  const struct sciara_ensemble *e = folder->ensemble;
  const struct sciara_batch_header h = header_of(folder, batch);
  const size_t count = sciara_batch_end(e, batch) - sciara_batch_begin(e, batch);
  struct sciara_footprint *f = NULL;
  char *path = sciara_batch_path(folder->ensemble, batch);
  bool whole = false;
  enum sciara_status status;
  *missing = SIZE_MAX;
  SCIARA_TRY_GOTO(path ? SCIARA_OK : sciara_no_memory("the name of a file"));
  SCIARA_TRY_GOTO(sciara_batch_is_whole(folder, batch, NULL, &whole));
  SCIARA_TRY_GOTO(SCIARA_NEW(f, count, "the members of a batch"));
  if (!whole) SCIARA_TRY_GOTO(take_batch_members(folder, batch, f, missing));
  if (*missing != SIZE_MAX) { // another process may have made the batch and removed its members
    SCIARA_TRY_GOTO(sciara_batch_is_whole(folder, batch, NULL, &whole));
    if (!whole) goto cleanup;
    *missing = SIZE_MAX;
  }
  if (!whole) SCIARA_TRY_GOTO(sciara_batch_write(path, &h, f, count, true));
  sciara_batch_sweep(folder, batch, true);
  drop_kept(folder, batch);
cleanup:
  sciara_batch_release(f, count);
  free(path);
  return status;
}
