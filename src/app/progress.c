// SPDX-License-Identifier: Apache-2.0
#include "app/progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "app/messages.h"
#include "base/wallclock.h"

static const double terminal_interval = 0.1, message_interval = 30; // s

void sciara_progress_begin(struct sciara_progress_view *v, double every) {
  const double now = sciara_wallclock();
  *v = (struct sciara_progress_view){
      .every = every > 0 ? every : message_interval, .begin = now, .last_shown = now, .last_kept = now};
}

double sciara_progress_share(const struct sciara_simulation *s) {
  const struct sciara_engine_progress *p = &s->progress;
  // Without a time limit the end of the emission is the best estimate.
  const double end = isfinite(s->until_time) ? s->until_time : sciara_vents_end(s->problem.vents);
  double share = end > 0 ? p->time / end : 0;
  if (s->until_step != UINT64_MAX) share = fmax(share, (double)p->step / (double)s->until_step);
  return share < 1 ? share : 1;
}

/** Estimated seconds to go, from the completed fraction; below 0 if it cannot be estimated yet. */
static double time_to_go(double elapsed, double share) {
  return share >= 1 ? 0 : share > 1e-4 && elapsed >= 1 ? elapsed * (1 - share) / share : -1;
}

static double smooth(double mean, double value) { return mean > 0 ? 0.8 * mean + 0.2 * value : value; }

static void print_line(const struct sciara_progress_view *v, const struct sciara_engine_progress *p, double share,
                       double to_go, char *line, size_t size) {
  char simulated[48], left[48], eta[64] = "ETA -";
  sciara_print_duration(p->time, simulated, sizeof simulated);
  sciara_print_duration(to_go > 0 ? to_go : 0, left, sizeof left);
  if (to_go >= 0) snprintf(eta, sizeof eta, "ETA %s", left);
  // The most important values first: a narrow terminal cuts off the end.
  snprintf(line, size,
           "simulated %s  %3.0f %%  %s  %.4g x real time  %.0f steps/s  %" PRId64 " liquid cells  %.4g m3 emitted",
           simulated, 100 * share, share < 1 ? eta : "cooling", v->real_times, v->speed, p->liquid_cells, p->emitted);
}

static void print_json(const struct sciara_progress_view *v, const struct sciara_engine_progress *p, double share,
                       double to_go, char *json, size_t size) {
  char left[32] = "null";
  if (to_go >= 0 && share < 1) snprintf(left, sizeof left, "%.1f", to_go);
  snprintf(json, size,
           "{\"step\":%" PRIu64 ",\"simulated_s\":%.17g,\"share\":%.6f,\"eta_s\":%s,\"times_real_time\":%.6g,"
           "\"steps_per_s\":%.6g,\"liquid_cells\":%" PRId64 ",\"emitted_m3\":%.17g}",
           p->step, p->time, share, left, v->real_times, v->speed, p->liquid_cells, p->emitted);
}

void sciara_progress_show(struct sciara_progress_view *v, const struct sciara_simulation *s) {
  const bool as_line = sciara_messages_have_line();
  const double now = sciara_wallclock(), passed = now - v->last_shown;
  if (!sciara_messages_shown() || passed < (as_line ? terminal_interval : v->every)) return;
  const struct sciara_engine_progress *p = &s->progress;
  v->speed = smooth(v->speed, (double)(p->step - v->last_step) / passed);
  v->real_times = smooth(v->real_times, (p->time - v->last_time) / passed);
  v->last_shown = now;
  v->last_step = p->step;
  v->last_time = p->time;
  const double share = sciara_progress_share(s), to_go = time_to_go(now - v->begin, share);
  char line[256], json[512];
  print_line(v, p, share, to_go, line, sizeof line);
  if (as_line) {
    sciara_progress_line(line);
    return;
  }
  print_json(v, p, share, to_go, json, sizeof json);
  const bool keep = now - v->last_kept >= message_interval; // run.log does not grow with this interval
  if (keep) v->last_kept = now;
  sciara_messages_progress(line, json, keep);
}
