// SPDX-License-Identifier: Apache-2.0
// A queue of members, in the order of task_list.h, and workers that take the next one.
#include "ensemble/execute.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/date.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/share.h"
#include "base/text.h"
#include "base/wallclock.h"
#include "ensemble/ensemble.h"
#include "ensemble/ensemble_sample.h"
#include "ensemble/task_list.h"
#include "file/durable.h"
#include "member/compute.h"
#include "member/crew.h"
#include "model/window.h"
#include "setup/cost.h"
#include "setup/setup.h"
#include "sim/choose_engine.h"
#include "store/checkpoint_hdf5.h"

// -------------------------------------------------------------------------------------------------- the files
// The results in the folder of an ensemble: batches/NNNNNN.h5, each whole, and members/NNNNNN/ID.h5 for the finished
// members of a batch that is not yet whole. The latter are not synced: after a loss of power some may have to be
// computed again. They are removed as soon as their batch is on the disk. A member that takes long has
// members/NNNNNN/ID.checkpoint.h5, with which it continues, until it is finished.

/** An ensemble and the map of its site. */
struct batch_folder {
  const struct sciara_ensemble *ensemble;
  int64_t rows, cols;                  ///< 0: unknown; then not compared
  struct sciara_kept_footprints *kept; ///< what need not be read to make batches, or NULL
};

/** What is known of a member. */
struct member_done {
  bool finished, failed, censored;
};

static char *members_path(const struct batch_folder *folder, size_t batch) {
  return sciara_format("%s/" SCIARA_ENSEMBLE_FINISHED "/%06zu", folder->ensemble->folder, batch);
}

static char *member_path(const struct batch_folder *folder, size_t member) {
  const struct sciara_ensemble *e = folder->ensemble;
  return sciara_format("%s/" SCIARA_ENSEMBLE_FINISHED "/%06zu/%" PRId64 ".h5", e->folder, member / e->batch_size,
                       e->members.id[member]);
}

/** The path of its checkpoint, malloc'd; NULL: no memory. */
static char *member_checkpoint_path(const struct batch_folder *folder, size_t member) {
  const struct sciara_ensemble *e = folder->ensemble;
  return sciara_format("%s/" SCIARA_ENSEMBLE_FINISHED "/%06zu/%" PRId64 ".checkpoint.h5", e->folder,
                       member / e->batch_size, e->members.id[member]);
}

static struct sciara_batch_header header_of(const struct batch_folder *folder, size_t batch) {
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
static enum sciara_status check_origin(const struct batch_folder *folder, const char *path,
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

/**
 * Whether a batch is whole. Sets states[sciara_batch_begin .. sciara_batch_end - 1] if it is.
 *
 * @return SCIARA_ERR_INPUT for a batch of another ensemble or another table of members: the message names what differs
 */
static enum sciara_status batch_is_whole(const struct batch_folder *folder, size_t batch, struct member_done *states,
                                         bool *whole) {
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
    states[first + k] = (struct member_done){true, f[k].failed, f[k].censored};
cleanup:
  sciara_batch_close(file);
  sciara_batch_release(f, count);
  free(path);
  return status;
}

// ------------------------------------------------------------------------------------------------- finished members

/** Whether the file of a finished member exists; it may be damaged. */
static bool member_is_stored(const struct batch_folder *folder, size_t member) {
  char *path = member_path(folder, member);
  const bool stored = path && access(path, F_OK) == 0;
  free(path);
  return stored;
}

/** Opens the file of a member: *f is its only member, without cells. SCIARA_ERR_INPUT if it belongs to another plan. */
static enum sciara_status open_member(const struct batch_folder *folder, size_t member, const char *path,
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
static enum sciara_status read_member(const struct batch_folder *folder, size_t member, const char *path,
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

/**
 * member_is_stored; sets its state if the file belongs to the plan, by ids and hashes: no cells are read. Removes nothing.
 */
static bool member_look(const struct batch_folder *folder, size_t member, struct member_done *state) {
  struct sciara_footprint *f = NULL;
  size_t count = 0;
  void *file = NULL;
  char *path = member_path(folder, member);
  const bool stored = path && access(path, F_OK) == 0;
  if (stored && open_member(folder, member, path, &f, &count, &file) == SCIARA_OK)
    *state = (struct member_done){true, f->failed, f->censored};
  sciara_batch_close(file);
  sciara_batch_release(f, count);
  free(path);
  return stored;
}

/**
 * Reads the state of a member from its file, and its cells; a file that is damaged or belongs to another table is removed, and
 * the member is not finished.
 */
static enum sciara_status member_find(const struct batch_folder *folder, size_t member, struct member_done *state) {
  struct sciara_footprint f = {0};
  char *path = member_path(folder, member);
  if (!path) return sciara_no_memory("the name of a file");
  enum sciara_status status = SCIARA_OK;
  *state = (struct member_done){0};
  if (access(path, F_OK) == 0) {
    status = read_member(folder, member, path, &f);
    if (status == SCIARA_OK) {
      *state = (struct member_done){true, f.failed, f.censored};
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

/**
 * Removes the checkpoints of the members of a batch, of all processes. If the batch is whole, also their other files, and
 * what writers that were killed have left; one that still writes notices that the batch is there.
 */
static void batch_sweep(const struct batch_folder *folder, size_t batch, bool whole) {
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
static bool has_batch(const struct batch_folder *folder, size_t batch) {
  char *path = sciara_batch_path(folder->ensemble, batch);
  const bool found = path && access(path, F_OK) == 0;
  free(path);
  return found;
}

/** Makes the folder for the files of a member, unless its batch has been made. */
static enum sciara_status member_folder_make(const struct batch_folder *folder, size_t member) {
  const size_t batch = member / folder->ensemble->batch_size;
  char *path = members_path(folder, batch);
  if (!path) return sciara_no_memory("the name of a file");
  const bool needed = access(path, F_OK) != 0 && !has_batch(folder, batch);
  const enum sciara_status status = needed ? sciara_folder_make(path) : SCIARA_OK;
  free(path);
  return status;
}

/** Writes the file of a member; synced if it has a checkpoint, which is then removed. */
static enum sciara_status write_member(const struct batch_folder *folder, size_t member,
                                       const struct sciara_footprint *f) {
  const struct sciara_batch_header h = header_of(folder, member / folder->ensemble->batch_size);
  char *path = member_path(folder, member), *checkpoint = member_checkpoint_path(folder, member);
  enum sciara_status status =
      path && checkpoint ? member_folder_make(folder, member) : sciara_no_memory("the name of a file");
  const bool synced = checkpoint && access(checkpoint, F_OK) == 0;
  if (status == SCIARA_OK) status = sciara_batch_write(path, &h, f, 1, synced);
  if (status == SCIARA_OK && synced) unlink(checkpoint);
  free(checkpoint);
  free(path);
  return status;
}

/**
 * Writes the file of a finished member, and removes its checkpoint, for which the file is on the disk first; sets its id
 * and the hash of its row. If another process has made the batch in the meantime, nothing is written.
 */
static enum sciara_status member_store(const struct batch_folder *folder, size_t member, struct sciara_footprint *f) {
  const size_t batch = member / folder->ensemble->batch_size;
  f->id = folder->ensemble->members.id[member];
  f->row_hash = folder->ensemble->members.hash[member];
  const enum sciara_status status = has_batch(folder, batch) ? SCIARA_OK : write_member(folder, member, f);
  if (!has_batch(folder, batch)) return status;
  batch_sweep(folder, batch, true); // another process was faster; it may have removed what was written here
  return SCIARA_OK;
}

static void drop_kept(const struct batch_folder *folder, size_t batch) {
  struct sciara_footprint f;
  for (size_t m = sciara_batch_begin(folder->ensemble, batch); m < sciara_batch_end(folder->ensemble, batch); m++)
    if (sciara_kept_take(folder->kept, m, &f)) sciara_footprint_free(&f);
}

/** Takes all members; *missing is the first that must be computed again. */
static enum sciara_status take_batch_members(const struct batch_folder *folder, size_t batch,
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

/**
 * Makes a batch of its members, from folder->kept and from their files, and removes both. *missing: SIZE_MAX, or a
 * member that must be computed again because its file is damaged or gone. A batch that another process has made in the
 * meantime is fine.
 */
static enum sciara_status batch_join(const struct batch_folder *folder, size_t batch, size_t *missing) {
  const struct sciara_ensemble *e = folder->ensemble;
  const struct sciara_batch_header h = header_of(folder, batch);
  const size_t count = sciara_batch_end(e, batch) - sciara_batch_begin(e, batch);
  struct sciara_footprint *f = NULL;
  char *path = sciara_batch_path(folder->ensemble, batch);
  bool whole = false;
  enum sciara_status status;
  *missing = SIZE_MAX;
  SCIARA_TRY_GOTO(path ? SCIARA_OK : sciara_no_memory("the name of a file"));
  SCIARA_TRY_GOTO(batch_is_whole(folder, batch, NULL, &whole));
  SCIARA_TRY_GOTO(SCIARA_NEW(f, count, "the members of a batch"));
  if (!whole) SCIARA_TRY_GOTO(take_batch_members(folder, batch, f, missing));
  if (*missing != SIZE_MAX) { // another process may have made the batch and removed its members
    SCIARA_TRY_GOTO(batch_is_whole(folder, batch, NULL, &whole));
    if (!whole) goto cleanup;
    *missing = SIZE_MAX;
  }
  if (!whole) SCIARA_TRY_GOTO(sciara_batch_write(path, &h, f, count, true));
  batch_sweep(folder, batch, true);
  drop_kept(folder, batch);
cleanup:
  sciara_batch_release(f, count);
  free(path);
  return status;
}

enum {
  TICK_MS = 200,
  STOP_TESTS = 8,     // the next test of the stop rule: after 1/8 more batches
  CHECKPOINT_S = 600, // between two checkpoints of a member, unless the options say otherwise
};

struct work {
  const struct sciara_ensemble *e;
  const struct sciara_execute_options *options;
  struct batch_folder folder;
  struct sciara_compute_setup setup;
  struct sciara_crew crew;
  // What follows, with the lock of the crew once there are workers.
  struct member_done *states; ///< of all members
  bool *selected;             ///< batches of the slice
  bool *whole;                ///< batches that are there
  size_t *open;               ///< members of each batch that are not finished
  struct sciara_task *tasks;
  size_t task_count, next;
  bool takes_memory; ///< to place a member does: it begins with lava, or a vent has an area
  bool has_stop;     ///< the stop rule counts
  size_t next_test;  ///< whole batches at the beginning with which it is tested again
  struct sciara_execute_progress now;
  int unstored; ///< a checkpoint could not be written
  double begin;
  double length_done, length_all;
};

// ------------------------------------------------------------------------------------------------------------- slice

/** Whether a batch belongs to the slice that the options name. */
static bool is_selected(const struct work *w, size_t batch) {
  const struct sciara_execute_options *o = w->options;
  const struct sciara_ensemble *e = w->e;
  const size_t first = sciara_batch_begin(e, batch), last = sciara_batch_end(e, batch) - 1;
  if (o->parts > 0) {
    const size_t begin = e->batch_count * (o->part - 1) / o->parts, end = e->batch_count * o->part / o->parts;
    if (batch < begin || batch >= end) return false;
  }
  return !o->has_ids || (e->members.id[last] >= o->first_id && e->members.id[first] <= o->last_id);
}

static enum sciara_status select_batches(struct work *w) {
  size_t batches = 0, last = 0, first = SIZE_MAX;
  for (size_t b = 0; b < w->e->batch_count; b++) {
    w->selected[b] = is_selected(w, b);
    if (!w->selected[b]) continue;
    if (first == SIZE_MAX) first = b;
    last = b;
    batches++;
    w->now.total += sciara_batch_end(w->e, b) - sciara_batch_begin(w->e, b);
  }
  if (batches == 0 && w->options->has_ids)
    return sciara_fail(
        SCIARA_ERR_USAGE, "expected ids of members from %" PRId64 " to %" PRId64 ", found %" PRId64 " to %" PRId64,
        w->e->members.id[0], w->e->members.id[w->e->members.count - 1], w->options->first_id, w->options->last_id);
  if (batches > 0 && batches < w->e->batch_count)
    sciara_log(SCIARA_LOG_INFO, "batches %zu to %zu: the %zu members %" PRId64 " to %" PRId64, first, last,
               w->now.total, w->e->members.id[sciara_batch_begin(w->e, first)],
               w->e->members.id[sciara_batch_end(w->e, last) - 1]);
  return SCIARA_OK;
}

static void count_state(struct sciara_execute_progress *now, const struct member_done *state) {
  now->finished += state->finished;
  now->failed += state->failed;
  now->censored += state->censored;
}

/** Finds what is finished already: every batch must belong to the ensemble, also one outside the slice. */
static enum sciara_status find_finished(struct work *w) {
  for (size_t b = 0; b < w->e->batch_count; b++) {
    bool whole;
    SCIARA_TRY(batch_is_whole(&w->folder, b, w->states, &whole));
    for (size_t m = sciara_batch_begin(w->e, b); w->selected[b] && m < sciara_batch_end(w->e, b); m++) {
      w->whole[b] = whole;
      if (!whole) SCIARA_TRY(member_find(&w->folder, m, &w->states[m]));
      count_state(&w->now, &w->states[m]);
      if (whole) continue;
      w->open[b] += !w->states[m].finished;
      w->task_count += !w->states[m].finished;
    }
  }
  return SCIARA_OK;
}

// ------------------------------------------------------------------------------------------------------------- limits

/** Makes the list of tasks, with what they need together. It is empty if the run has been cancelled. */
static enum sciara_status make_tasks(struct work *w, struct sciara_member_need *needs) {
  const int threads = w->options->workers > 0 ? w->options->workers : sciara_usable_cores();
  const struct sciara_task_estimate how = {.ensemble = w->e,
                                           .setup = &w->setup,
                                           .bytes_per_cell =
                                               sciara_member_bytes_per_cell(w->crew.ops, SCIARA_FOOTPRINT_RECORD),
                                           .threads = w->takes_memory ? 1 : threads,
                                           .cancel = w->options->cancel};
  size_t n = 0;
  SCIARA_TRY(SCIARA_NEW(w->tasks, w->task_count, "the list of members"));
  for (size_t m = 0; m < w->e->members.count; m++)
    if (w->selected[m / w->e->batch_size] && !w->states[m].finished) w->tasks[n++].member = m;
  SCIARA_TRY(sciara_tasks_estimate(&how, w->tasks, n, needs));
  if (w->options->cancel && __atomic_load_n(w->options->cancel, __ATOMIC_RELAXED)) w->task_count = n = 0;
  for (size_t k = 0; k < n; k++) w->length_all += w->tasks[k].length;
  return SCIARA_OK;
}

// ---------------------------------------------------------------------------------------------------------- stop rule

/** The number of whole batches, from the first on, with which the stop rule holds; 0: it does not, or there is none. */
static enum sciara_status find_stop(const struct sciara_ensemble *e, const struct sciara_site *site, size_t *batches) {
  struct sciara_batches done = {0};
  struct sciara_poi_hits hits = {0};
  uint8_t *sea = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_batches_open(e, &done));
  SCIARA_TRY_GOTO(sciara_site_sea(site, &sea));
  done.sea = sea;
  SCIARA_TRY_GOTO(sciara_poi_hits_make(e->result.pois, e->result.poi_count, &site->grid, e->members.count, &hits));
  const struct sciara_footprint_source source = sciara_batches_source(&done);
  SCIARA_TRY_GOTO(sciara_footprints_visit(&source, 1, sciara_poi_hits_visit, &hits));
  SCIARA_TRY_GOTO(sciara_stop_prefix(e, &done, &hits, batches));
cleanup:
  sciara_poi_hits_free(&hits);
  sciara_free(sea);
  sciara_batches_free(&done);
  return status;
}

/**
 * Tests the stop rule, and ends the work if it holds. What counts is the shortest prefix of whole batches, whenever the
 * test is made; so the results do not depend on the time of the test.
 */
static enum sciara_status test_stop(struct work *w) {
  size_t prefix = 0, enough = 0;
  pthread_mutex_lock(&w->crew.lock);
  while (prefix < w->e->batch_count && w->whole[prefix]) prefix++;
  const bool due = w->has_stop && w->now.enough == 0 && prefix >= w->next_test;
  if (due) w->next_test = prefix + 1 + prefix / STOP_TESTS;
  pthread_mutex_unlock(&w->crew.lock);
  if (!due) return SCIARA_OK;
  SCIARA_TRY(find_stop(w->e, w->setup.site, &enough));
  if (enough == 0) return SCIARA_OK;
  pthread_mutex_lock(&w->crew.lock);
  w->now.enough = enough; // whoever finds it finds the same
  pthread_mutex_unlock(&w->crew.lock);
  sciara_crew_halt(&w->crew, SCIARA_CANCEL_DROP);
  return SCIARA_OK;
}

// ------------------------------------------------------------------------------------------------------------ workers

static enum sciara_crew_next take_task(void *context, struct sciara_crew_task *task, bool *last) {
  struct work *w = (struct work *)context;
  const bool some = w->next < w->task_count;
  if (some) task->item = &w->tasks[w->next++];
  *last = w->next == w->task_count;
  return some ? SCIARA_CREW_TASK : SCIARA_CREW_NONE;
}

/** Adds a line to log.csv. Several threads and processes may do so: the file is locked, so that one of them writes the head. */
static enum sciara_status execution_log_add(const struct sciara_ensemble *e, size_t member,
                                            const struct sciara_footprint *f) {
  static const char head[] =
      "ended_utc,id,batch,host,process,seconds,stop,failed,censored,end_s,steps,cell_steps,checksum\n";
  char *path, now[SCIARA_DATE_SIZE], host[64] = "", line[512];
  SCIARA_TRY(sciara_path_in(e->folder, SCIARA_ENSEMBLE_LOG, &path));
  if (gethostname(host, sizeof host - 1) != 0) *host = '\0';
  sciara_date_now(now);
  snprintf(line, sizeof line, "%s,%" PRId64 ",%zu,%s,%ld,%.6g,%s,%d,%d,%.17g,%" PRIu64 ",%" PRIu64 ",%016" PRIx64 "\n",
           now, f->id, member / e->batch_size, host, (long)getpid(), f->seconds, sciara_end_name(f->stop), f->failed,
           f->censored, f->end_s, f->steps, f->cell_steps, f->checksum);
  const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  struct stat about;
  if (fd >= 0) flock(fd, LOCK_EX); // best effort: where there are no locks, the head may stand twice
  bool written = fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
  if (written && about.st_size == 0) written = write(fd, head, sizeof head - 1) == (ssize_t)(sizeof head - 1);
  if (written) written = write(fd, line, strlen(line)) == (ssize_t)strlen(line); // one write: lines do not mix
  enum sciara_status status = SCIARA_OK;
  if (!written) status = sciara_fail(SCIARA_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
  if (fd >= 0) close(fd);
  free(path);
  return status;
}

/** Computes a member and stores it; *done is false if it was cancelled. */
static enum sciara_status compute(const struct work *w, int worker, size_t member, struct member_done *state,
                                  bool *done) {
  struct sciara_compute_setup setup = w->setup;
  struct sciara_footprint f = {0};
  char name[SCIARA_MEMBER_NAME];
  const struct sciara_scenario_member scenario = sciara_ensemble_member(w->e, member, name);
  bool cancelled = false;
  setup.device = sciara_crew_device(&w->crew, worker);
  setup.slot = sciara_crew_slot(&w->crew, worker);
  char *checkpoint = member_checkpoint_path(&w->folder, member);
  setup.checkpoint = checkpoint;
  setup.ensemble_hash = w->e->hash;
  setup.row_hash = w->e->members.hash[member];
  enum sciara_status status = checkpoint ? SCIARA_OK : sciara_no_memory("the name of a file");
  if (status == SCIARA_OK) status = member_folder_make(&w->folder, member);
  if (status == SCIARA_OK) status = sciara_compute_member(&setup, &scenario, &f, &cancelled);
  *done = status == SCIARA_OK && !cancelled;
  if (*done) status = member_store(&w->folder, member, &f);
  if (*done && status == SCIARA_OK) status = execution_log_add(w->e, member, &f);
  *state = (struct member_done){true, f.failed, f.censored};
  if (*done && status == SCIARA_OK) sciara_kept_put(w->folder.kept, member, &f);
  sciara_footprint_free(&f);
  free(checkpoint);
  return status;
}

/** Counts a finished member; true: it was the last one of its batch. */
static bool count_finished(struct work *w, const struct sciara_task *task, const struct member_done *state) {
  pthread_mutex_lock(&w->crew.lock);
  w->states[task->member] = *state;
  count_state(&w->now, state);
  w->now.now++;
  w->length_done += task->length;
  const bool last = --w->open[task->member / w->e->batch_size] == 0;
  pthread_mutex_unlock(&w->crew.lock);
  return last;
}

/** A member whose file is gone is computed again by the worker that finds it. */
static enum sciara_status join_batch(struct work *w, int worker, size_t batch) {
  size_t missing;
  for (;;) {
    struct member_done state;
    bool done;
    SCIARA_TRY(batch_join(&w->folder, batch, &missing));
    if (missing == SIZE_MAX) break;
    SCIARA_TRY(compute(w, worker, missing, &state, &done));
    if (!done) return SCIARA_OK;
  }
  pthread_mutex_lock(&w->crew.lock);
  w->whole[batch] = true;
  pthread_mutex_unlock(&w->crew.lock);
  return SCIARA_OK;
}

static enum sciara_status do_task(void *context, int worker, const struct sciara_crew_task *of) {
  struct work *w = (struct work *)context;
  const struct sciara_task *task = (const struct sciara_task *)of->item;
  struct member_done state = {0};
  bool done = true;
  // Another process may have finished it since.
  if (member_is_stored(&w->folder, task->member)) SCIARA_TRY(member_find(&w->folder, task->member, &state));
  if (!state.finished) SCIARA_TRY(compute(w, worker, task->member, &state, &done));
  if (!done || !count_finished(w, task, &state)) return SCIARA_OK;
  SCIARA_TRY(join_batch(w, worker, task->member / w->e->batch_size));
  return test_stop(w);
}

static void report(struct work *w) {
  pthread_mutex_lock(&w->crew.lock);
  struct sciara_execute_progress now = w->now;
  const double share = w->length_all > 0 ? w->length_done / w->length_all : 0;
  pthread_mutex_unlock(&w->crew.lock);
  now.seconds = sciara_wallclock() - w->begin;
  now.per_hour = now.now > 0 ? 3600 * (double)now.now / now.seconds : 0;
  now.to_go_s = now.finished == now.total ? 0 : share > 0 ? now.seconds * (1 - share) / share : -1;
  w->now.seconds = now.seconds;
  w->now.per_hour = now.per_hour;
  w->now.to_go_s = now.to_go_s;
  if (w->options->progress) w->options->progress(w->options->context, &now);
}

/** Waits until all workers have ended, passing on a cancellation. */
static void watch(struct work *w) {
  int running;
  do {
    const struct timespec pause = {.tv_nsec = TICK_MS * 1000000L / 4};
    nanosleep(&pause, NULL);
    if (w->options->cancel && __atomic_load_n(w->options->cancel, __ATOMIC_RELAXED))
      sciara_crew_halt(&w->crew, SCIARA_CANCEL_STORE);
    pthread_mutex_lock(&w->crew.lock);
    running = w->crew.running;
    pthread_mutex_unlock(&w->crew.lock);
    report(w);
  } while (running > 0);
}

// ---------------------------------------------------------------------------------------------------------- execution

/** Reads the site, and finds the engine, from the first member: what is wrong there ends the run, not the member. */
static enum sciara_status open_site(struct work *w) {
  struct sciara_problem problem = {0};
  struct sciara_diagnostics diagnostics = {0};
  char name[SCIARA_MEMBER_NAME];
  enum sciara_status status;
  const struct sciara_scenario_member first = sciara_ensemble_member(w->e, 0, name);
  SCIARA_TRY_GOTO(sciara_ensemble_site_read(w->e, NULL, &w->setup.site));
  w->folder.rows = w->setup.site->grid.rows;
  w->folder.cols = w->setup.site->grid.cols;
  sciara_compute_place(&w->setup, &first, NULL, &problem, &diagnostics);
  w->takes_memory = problem.state || sciara_problem_has_area(&problem);
  if (problem.engine.name) {
    SCIARA_TRY_GOTO(sciara_engine_choose(&problem.engine, problem.params.rule, problem.notes, &w->crew.ops));
    w->crew.options = sciara_chosen_options(&problem.engine);
  }
  SCIARA_TRY_GOTO(sciara_diagnostics_status(&diagnostics));
  SCIARA_TRY_GOTO(sciara_initial_lava_check(&problem, w->e->initial_hash));
  w->setup.initial_hash = w->e->initial_hash;
  w->setup.ground = sciara_site_checksum(w->setup.site);
cleanup:
  sciara_problem_free(&problem);
  sciara_diagnostics_free(&diagnostics);
  return status;
}

/** Batches whose members were all finished when an earlier run was ended; and what is left of members of whole ones. */
static enum sciara_status join_leftovers(struct work *w) {
  for (size_t b = 0; b < w->e->batch_count; b++) {
    bool whole = false;
    if (!w->selected[b] || w->open[b] > 0) continue;
    SCIARA_TRY(batch_is_whole(&w->folder, b, NULL, &whole));
    if (whole)
      batch_sweep(&w->folder, b, true);
    else
      SCIARA_TRY(join_batch(w, 0, b));
  }
  return SCIARA_OK;
}

static enum sciara_status make_folders(const struct work *w) {
  static const char *const names[] = {SCIARA_ENSEMBLE_BATCHES, SCIARA_ENSEMBLE_FINISHED};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) SCIARA_TRY(sciara_folder_make_in(w->e->folder, names[k]));
  return SCIARA_OK;
}

static enum sciara_status execute(struct work *w) {
  struct sciara_member_need needs = {0};
  struct sciara_capacity most;
  SCIARA_TRY(SCIARA_NEW(w->states, w->e->members.count, "the states of the members"));
  SCIARA_TRY(SCIARA_NEW(w->selected, w->e->batch_count, "the batches"));
  SCIARA_TRY(SCIARA_NEW(w->whole, w->e->batch_count, "the batches"));
  SCIARA_TRY(SCIARA_NEW(w->open, w->e->batch_count, "the batches"));
  SCIARA_TRY(open_site(w));
  SCIARA_TRY(select_batches(w));
  SCIARA_TRY(find_finished(w));
  SCIARA_TRY(make_folders(w));
  SCIARA_TRY(join_leftovers(w));
  SCIARA_TRY(test_stop(w));
  if (w->task_count == 0 || w->now.enough > 0) return SCIARA_OK;
  SCIARA_TRY(make_tasks(w, &needs));
  if (w->task_count == 0) return SCIARA_OK; // cancelled
  const struct sciara_capacity_request request = {.name = w->e->folder,
                                                  .grid = &w->setup.site->grid,
                                                  .ops = w->crew.ops,
                                                  .workers = w->options->workers,
                                                  .members = w->task_count};
  SCIARA_TRY(sciara_capacity_find(&request, &needs, &most));
  w->setup.margin = most.margin;
  w->folder.kept = sciara_kept_create(w->e->members.count, most.kept);
  sciara_tasks_order(w->tasks, w->task_count, w->e->batch_size, (size_t)most.workers, w->has_stop);
  sciara_log(SCIARA_LOG_INFO, "engine: %s; %d %s at a time, %zu to compute", w->crew.ops->name, most.workers,
             sciara_plural((uint64_t)most.workers, "member", "members"), w->task_count);
  SCIARA_TRY(sciara_crew_make_slots(&w->crew, &w->setup.site->grid, most.cells, most.workers));
  SCIARA_TRY(sciara_crew_start(&w->crew, most.workers));
  watch(w);
  return sciara_crew_join(&w->crew);
}

/** The stop rule holds: the other members are not computed. */
static void drop_checkpoints(const struct work *w) {
  for (size_t b = 0; b < w->e->batch_count; b++)
    if (!w->whole[b]) batch_sweep(&w->folder, b, false);
}

enum sciara_status sciara_ensemble_execute(const struct sciara_ensemble *e,
                                           const struct sciara_execute_options *options,
                                           struct sciara_execute_progress *out) {
  struct work w = {.e = e, .options = options, .folder = {.ensemble = e}, .begin = sciara_wallclock()};
  w.setup =
      (struct sciara_compute_setup){.engine = options->engine, .threads = 1, .device = -1, .cancel = &w.crew.halt};
  w.setup.unstored = &w.unstored;
  w.setup.checkpoint_wall_s = options->checkpoint_wall_s > 0 ? options->checkpoint_wall_s : CHECKPOINT_S;
  w.has_stop = e->stop.standard_error > 0 && !options->all && !options->has_ids && options->parts == 0;
  w.next_test = 1;
  const struct sciara_crew_queue queue = {take_task, do_task, SCIARA_CANCEL_STORE, &w};
  sciara_crew_init(&w.crew, &queue);
  const enum sciara_status status = execute(&w);
  if (w.now.enough > 0) drop_checkpoints(&w);
  report(&w);
  *out = w.now;
  sciara_crew_free(&w.crew);
  sciara_kept_destroy(w.folder.kept);
  sciara_site_release(w.setup.site);
  sciara_free(w.states);
  sciara_free(w.selected);
  sciara_free(w.whole);
  sciara_free(w.open);
  sciara_free(w.tasks);
  return status;
}

// ------------------------------------------------------------------------------------------------- what a folder holds

enum { LOG_MOST = 1 << 30, HOUR = 3600 };

/** Members that ended in the last hour, and the time in which they were computed. */
struct lately {
  double members;
  double begin, end; ///< s since 1970: when the first of them began, and the last one ended
};

/** Counts a line of log.csv: ended_utc,id,batch,host,process,seconds,... */
static void count_line(char *line, double since, struct lately *l) {
  enum { SECONDS = 5 };
  double when, seconds = 0;
  bool zoned;
  char *field = line;
  for (int k = 0; k < SECONDS && field; k++) {
    field = strchr(field, ',');
    if (field) *field++ = '\0';
  }
  if (!sciara_parse_date(line, &when, &zoned) || when < since) return;
  if (field) seconds = strtod(field, NULL);
  const double begin = when - (seconds > 0 ? seconds : 0); // also where it is not a number
  if (l->members == 0 || begin < l->begin) l->begin = begin;
  if (l->members == 0 || when > l->end) l->end = when;
  l->members++;
}

/** The speed of the last hour by log.csv. What began before it counts from its beginning. */
static void read_speed(const struct sciara_ensemble *e, struct sciara_ensemble_status *out) {
  char *path = sciara_path_join(e->folder, SCIARA_ENSEMBLE_LOG), *text = NULL;
  size_t length;
  const double since = (double)time(NULL) - HOUR;
  struct lately l = {0};
  if (path && sciara_file_read(path, LOG_MOST, &text, &length) == SCIARA_OK)
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
      *end = '\0';
      count_line(line, since, &l);
    }
  out->last_hour = l.members;
  out->last_s = fmax(1, l.end - fmax(l.begin, since)); // the log has whole seconds
  out->per_hour = HOUR * l.members / out->last_s;
  free(text);
  free(path);
}

static double size_of(const struct sciara_ensemble *e, size_t batch) {
  struct stat about;
  char *path = sciara_batch_path(e, batch);
  const double bytes = path && stat(path, &about) == 0 ? (double)about.st_size : 0;
  free(path);
  return bytes;
}

/** Whether the member continues from a checkpoint: one of another plan is not used. */
static bool has_checkpoint(const struct batch_folder *folder, size_t member) {
  const struct sciara_ensemble *e = folder->ensemble;
  struct sciara_checkpoint c = {0};
  char *path = member_checkpoint_path(folder, member);
  const bool found = path && access(path, F_OK) == 0 && sciara_checkpoint_read_header(path, &c) == SCIARA_OK &&
                     c.identity.of_member && c.ensemble_hash == e->hash && c.row_hash == e->members.hash[member];
  sciara_checkpoint_free(&c);
  free(path);
  return found;
}

/** Tests the stop rule, which asks for the first batches. */
static enum sciara_status read_stop(const struct sciara_ensemble *e, struct sciara_ensemble_status *out) {
  const struct sciara_site *site = NULL;
  enum sciara_status status = sciara_ensemble_site_read(e, NULL, &site);
  if (status == SCIARA_OK) status = find_stop(e, site, &out->enough);
  sciara_site_release(site);
  return status;
}

enum sciara_status sciara_ensemble_read_status(const struct sciara_ensemble *e, struct sciara_ensemble_status *out) {
  const struct batch_folder folder = {.ensemble = e};
  struct member_done *states;
  enum sciara_status status = SCIARA_OK;
  bool first = false;
  *out = (struct sciara_ensemble_status){.members = e->members.count, .batches = e->batch_count};
  SCIARA_TRY(SCIARA_NEW(states, e->members.count, "the states of the members"));
  for (size_t b = 0; b < e->batch_count && status == SCIARA_OK; b++) {
    bool whole = false;
    status = batch_is_whole(&folder, b, states, &whole);
    out->whole += whole;
    first |= whole && b == 0;
    if (whole) out->bytes += size_of(e, b);
    for (size_t m = sciara_batch_begin(e, b); m < sciara_batch_end(e, b); m++) {
      const bool stored = !whole && member_look(&folder, m, &states[m]), finished = states[m].finished;
      out->single += stored && finished;
      out->unusable += stored && !finished;
      out->finished += finished;
      out->begun += !finished && has_checkpoint(&folder, m);
      out->failed += states[m].failed;
      out->censored += states[m].censored;
    }
  }
  sciara_free(states);
  if (status == SCIARA_OK && e->stop.standard_error > 0 && first && out->finished < out->members)
    status = read_stop(e, out);
  if (status == SCIARA_OK) read_speed(e, out); // whose errors would replace the message
  return status;
}
