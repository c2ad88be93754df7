// SPDX-License-Identifier: Apache-2.0
#include "run/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

static const char header[] = "step,time_s,clock_s,active_cells,launched_threads,eta,vents_s,time_evaluation_s,flows_s,"
                             "mass_and_momentum_s,temperature_s,other_s,timed_steps\n";

static enum sciara_status io_failure(const char *path, const char *doing) {
  return sciara_fail(SCIARA_ERR_IO, "%s: cannot %s: %s", path, doing, strerror(errno));
}

// ------------------------------------------------------------------------------------------------------------- file

/** Checks that a file is a profile or empty: only such a file may be replaced. */
static enum sciara_status check_replaceable(int fd, const char *path) {
  char found[sizeof header] = "";
  struct stat about;
  if (fstat(fd, &about) != 0) return io_failure(path, "examine");
  if (!S_ISREG(about.st_mode)) return sciara_fail(SCIARA_ERR_INPUT, "%s: is not a regular file", path);
  const ssize_t length = pread(fd, found, sizeof found - 1, 0);
  if (length < 0) return io_failure(path, "read");
  if (length == 0 || strcmp(found, header) == 0) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: is not a profile; --overwrite replaces only a profile", path);
}

/** Opens a new file, or with `overwrite` an existing one. */
static enum sciara_status open_file(const char *path, bool overwrite, int *fd, bool *is_new) {
  *fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  *is_new = *fd >= 0;
  if (*is_new) return SCIARA_OK;
  if (errno != EEXIST) return io_failure(path, "open");
  if (!overwrite) return sciara_fail(SCIARA_ERR_INPUT, "%s: already exists; --overwrite replaces it", path);
  *fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
  return *fd >= 0 ? SCIARA_OK : io_failure(path, "open");
}

enum sciara_status sciara_profile_open(struct sciara_profile *p, const char *path, uint64_t every, bool overwrite) {
  *p = (struct sciara_profile){.every = every};
  int fd;
  bool is_new;
  SCIARA_TRY(open_file(path, overwrite, &fd, &is_new));
  enum sciara_status status = is_new ? SCIARA_OK : check_replaceable(fd, path);
  char *copy = status == SCIARA_OK ? sciara_format("%s", path) : NULL;
  if (status == SCIARA_OK && !copy) status = sciara_no_memory("the path of a profile");
  if (status != SCIARA_OK) {
    close(fd);
    if (is_new) unlink(path);
    return status;
  }
  p->fd = fd;
  p->path = copy;
  p->is_new = is_new;
  return SCIARA_OK;
}

void sciara_profile_close(struct sciara_profile *p) {
  if (!p->path) return;
  close(p->fd);
  if (p->is_new && !p->begun) unlink(p->path);
  free(p->path);
  *p = (struct sciara_profile){0};
}

/**
 * Writes complete lines at once, so that readers of the growing file never see a partial line, unless the disk is full.
 */
static enum sciara_status append(const struct sciara_profile *p, const char *text, size_t length) {
  while (length > 0) {
    const ssize_t written = write(p->fd, text, length);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return io_failure(p->path, "write");
    text += written;
    length -= (size_t)written;
  }
  return SCIARA_OK;
}

// ------------------------------------------------------------------------------------------------------------- rows

/** The profile of the engine so far; zeros if it has none. */
static enum sciara_status ask(const struct sciara_simulation *s, struct sciara_engine_profile *out) {
  *out = (struct sciara_engine_profile){.timed_steps = 0};
  return s->ops->profile ? s->ops->profile(s->engine, out) : SCIARA_OK;
}

enum sciara_status sciara_profile_begin(struct sciara_profile *p, const struct sciara_simulation *s) {
  SCIARA_TRY(ask(s, &p->last));
  p->row_step = s->progress.step;
  p->begun = true;
  if (ftruncate(p->fd, 0) != 0) return io_failure(p->path, "write");
  return append(p, header, sizeof header - 1);
}

uint64_t sciara_profile_next(const struct sciara_profile *p) {
  if (!p->path) return UINT64_MAX;
  return p->every < UINT64_MAX - p->row_step ? p->row_step + p->every : UINT64_MAX;
}

/** launched_threads and eta: both empty if no threads are launched. */
static enum sciara_status print_launched(struct sciara_text *row, double launched, double active) {
  if (!(launched > 0)) return sciara_text_append(row, ",,");
  SCIARA_TRY(sciara_text_append(row, ",%.12g,", launched));
  return launched > active ? sciara_text_append(row, "%.9g", active / (launched - active)) : SCIARA_OK;
}

static enum sciara_status print_row(const struct sciara_profile *p, const struct sciara_engine_progress *at,
                                    const struct sciara_engine_profile *now, struct sciara_text *row) {
  const uint64_t timed = now->timed_steps - p->last.timed_steps;
  const double launched = (double)(now->launched - p->last.launched) / (double)(at->step - p->row_step);
  SCIARA_TRY(
      sciara_text_append(row, "%" PRIu64 ",%.17g,%.17g,%" PRId64, at->step, at->time, at->clock, at->liquid_cells));
  SCIARA_TRY(print_launched(row, launched, (double)at->liquid_cells));
  for (int k = 0; k < SCIARA_PROCESSES; k++)
    SCIARA_TRY(timed ? sciara_text_append(row, ",%.9g", now->seconds[k] - p->last.seconds[k])
                     : sciara_text_append(row, ","));
  return sciara_text_append(row, ",%" PRIu64 "\n", timed);
}

enum sciara_status sciara_profile_add(struct sciara_profile *p, const struct sciara_simulation *s) {
  if (!p->path || s->progress.step == p->row_step) return SCIARA_OK;
  struct sciara_engine_profile now;
  struct sciara_text row = {0};
  SCIARA_TRY(ask(s, &now));
  enum sciara_status status = print_row(p, &s->progress, &now, &row);
  if (status == SCIARA_OK) status = append(p, row.data, row.length);
  sciara_text_free(&row);
  p->row_step = s->progress.step;
  p->last = now;
  return status;
}
