// SPDX-License-Identifier: Apache-2.0
#include "run/checkpoints.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "file/durable.h"
#include "model/soundness.h"
#include "setup/setup.h"
#include "sim/agenda.h"

enum sciara_status sciara_checkpoints_begin(struct sciara_checkpoints *c, const struct sciara_simulation *s,
                                            const char *folder, uint64_t ground, const char *history,
                                            const char *started_utc) {
  *c = (struct sciara_checkpoints){0};
  SCIARA_TRY(sciara_path_in(folder, SCIARA_CHECKPOINT_FOLDER, &c->folder));
  c->keep_every = s->problem.source->scenario.output.keep_every_s;
  c->keep_all = s->problem.source->scenario.output.keep_all;
  c->last = s->progress.time;
  return sciara_checkpoint_describe(s, ground, history, started_utc, &c->header);
}

void sciara_checkpoints_end(struct sciara_checkpoints *c) {
  sciara_checkpoint_free(&c->header);
  free(c->folder);
  free(c->marked);
  *c = (struct sciara_checkpoints){0};
}

// ------------------------------------------------------------------------------------------------------------ files

char *sciara_checkpoint_path(const char *folder, uint64_t step) {
  return sciara_format("%s/%08" PRIu64 ".h5", folder, step);
}

static bool name_ends(const char *name, const char *end) {
  return strspn(name, "0123456789") >= 8 && strcmp(name + strspn(name, "0123456789"), end) == 0;
}

bool sciara_is_checkpoint_name(const char *name) { return name_ends(name, ".h5") || name_ends(name, ".h5.part"); }

static int newest_first(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? 1 : x > y ? -1 : 0;
}

static enum sciara_status add_step(uint64_t **steps, size_t *count, uint64_t step) {
  uint64_t *more = realloc(*steps, (*count + 1) * sizeof *more);
  if (!more) return sciara_no_memory("a checkpoint");
  *steps = more;
  more[(*count)++] = step;
  return SCIARA_OK;
}

enum sciara_status sciara_checkpoints_list(const char *folder, uint64_t **steps, size_t *count) {
  *steps = NULL;
  *count = 0;
  DIR *dir = opendir(folder);
  if (!dir && errno == ENOENT) return SCIARA_OK;
  if (!dir) return sciara_fail(SCIARA_ERR_IO, "%s: cannot be read: %s", folder, strerror(errno));
  enum sciara_status status = SCIARA_OK;
  for (const struct dirent *entry; status == SCIARA_OK && (entry = readdir(dir));)
    if (name_ends(entry->d_name, ".h5")) status = add_step(steps, count, strtoull(entry->d_name, NULL, 10));
  closedir(dir);
  if (status != SCIARA_OK) {
    free(*steps);
    *steps = NULL;
    *count = 0;
  } else if (*count > 0) {
    qsort(*steps, *count, sizeof **steps, newest_first);
  }
  return status;
}

/** An undamaged checkpoint of this step exists: it is now the newest of those that are retained. */
static void remember(struct sciara_checkpoints *c, uint64_t step) {
  if (c->kept_count > 0 && c->kept[0] == step) return; // the same state again
  memmove(c->kept + 1, c->kept, (SCIARA_CHECKPOINTS_KEPT - 1) * sizeof *c->kept);
  c->kept[0] = step;
  if (c->kept_count < SCIARA_CHECKPOINTS_KEPT) c->kept_count++;
}

/** The checkpoint of this step is never removed. */
static enum sciara_status mark(struct sciara_checkpoints *c, uint64_t step) {
  return add_step(&c->marked, &c->marked_count, step);
}

/** Whether the run keeps a checkpoint of this simulated time, s, the next after c->last. */
static bool is_to_keep(const struct sciara_checkpoints *c, double time) {
  return c->keep_all || (c->keep_every > 0 && sciara_next_multiple(c->keep_every, c->last) <= time);
}

// Older ones are retained without a check of their content: they are the only reserve until a newer one is written.
enum sciara_status sciara_checkpoints_found(struct sciara_checkpoints *c, uint64_t step) {
  uint64_t *steps;
  size_t count;
  SCIARA_TRY(sciara_checkpoints_list(c->folder, &steps, &count));
  enum sciara_status status = SCIARA_OK;
  const bool keeps = c->keep_all || c->keep_every > 0;
  for (size_t k = count; k-- > 0;) {
    if (steps[k] < step) remember(c, steps[k]);
    if (keeps && steps[k] <= step && status == SCIARA_OK) status = mark(c, steps[k]);
  }
  free(steps);
  remember(c, step);
  return status;
}

static bool is_kept(const struct sciara_checkpoints *c, uint64_t step) {
  for (size_t k = 0; k < c->kept_count; k++)
    if (c->kept[k] == step) return true;
  for (size_t k = 0; k < c->marked_count; k++)
    if (c->marked[k] == step) return true;
  return false;
}

/**
 * Removes all others: the third newest, and all that were found to be damaged. A failure here is no error of the run.
 */
static void remove_others(const struct sciara_checkpoints *c) {
  uint64_t *steps;
  size_t count;
  if (sciara_checkpoints_list(c->folder, &steps, &count) != SCIARA_OK) return;
  for (size_t k = 0; k < count; k++) {
    char *path = is_kept(c, steps[k]) ? NULL : sciara_checkpoint_path(c->folder, steps[k]);
    if (path) unlink(path);
    free(path);
  }
  free(steps);
}

enum sciara_status sciara_checkpoints_write(struct sciara_checkpoints *c, const struct sciara_output *o,
                                            uint64_t snapshots) {
  struct sciara_checkpoint *h = &c->header;
  SCIARA_TRY(sciara_state_check_sound(o->state, &h->identity.params));
  SCIARA_TRY(sciara_folder_make(c->folder));
  char *path = sciara_checkpoint_path(c->folder, o->state->step);
  if (!path) return sciara_no_memory("a checkpoint");
  h->losses = o->progress.losses;
  h->snapshots = snapshots;
  h->next_snapshot_s = o->next_snapshot_s;
  h->wall_s = o->wall_s;
  h->compute_s = o->compute_s;
  h->output_wait_s = o->output_wait_s;
  const enum sciara_status status = sciara_checkpoint_write(h, o->state, path);
  free(path);
  SCIARA_TRY(status);
  remember(c, h->step);
  if (is_to_keep(c, o->state->time)) SCIARA_TRY(mark(c, h->step));
  c->last = o->state->time;
  remove_others(c);
  return SCIARA_OK;
}

enum sciara_status sciara_checkpoints_attribute(const struct sciara_checkpoints *c, enum sciara_status status) {
  char *why = sciara_format("%s", sciara_last_error());
  char *path = c->kept_count > 0 ? sciara_checkpoint_path(c->folder, c->kept[0]) : NULL;
  if (why && path)
    sciara_fail(status, "%s; the last valid checkpoint is %s", why, path);
  else if (why)
    sciara_fail(status, "%s; there is no checkpoint", why);
  free(path);
  free(why);
  return status;
}
