// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/date.h"
#include "base/mem.h"
#include "base/text.h"
#include "ensemble/batch_folder.h"
#include "ensemble/execute.h"
#include "ensemble/ground.h"
#include "ensemble/stop_rule.h"
#include "file/durable.h"
#include "store/checkpoint_hdf5.h"

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
static bool has_checkpoint(const struct sciara_batch_folder *folder, size_t member) {
  const struct sciara_ensemble *e = folder->ensemble;
  struct sciara_checkpoint c = {0};
  char *path = sciara_member_checkpoint_path(folder, member);
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
  if (status == SCIARA_OK) status = sciara_stop_find(e, site, &out->enough);
  sciara_site_release(site);
  return status;
}

enum sciara_status sciara_ensemble_read_status(const struct sciara_ensemble *e, struct sciara_ensemble_status *out) {
  const struct sciara_batch_folder folder = {.ensemble = e};
  struct sciara_member_done *states;
  enum sciara_status status = SCIARA_OK;
  bool first = false;
  *out = (struct sciara_ensemble_status){.members = e->members.count, .batches = e->batch_count};
  SCIARA_TRY(SCIARA_NEW(states, e->members.count, "the states of the members"));
  for (size_t b = 0; b < e->batch_count && status == SCIARA_OK; b++) {
    bool whole = false;
    status = sciara_batch_is_whole(&folder, b, states, &whole);
    out->whole += whole;
    first |= whole && b == 0;
    if (whole) out->bytes += size_of(e, b);
    for (size_t m = sciara_batch_begin(e, b); m < sciara_batch_end(e, b); m++) {
      const bool stored = !whole && sciara_member_look(&folder, m, &states[m]), finished = states[m].finished;
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
