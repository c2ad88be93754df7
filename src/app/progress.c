// SPDX-License-Identifier: Apache-2.0
#include "app/progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "app/messages.h"
#include "base/log.h"
#include "base/wallclock.h"

static const double terminal_interval = 0.1, message_interval = 30; // s

void sciara_progress_begin(struct sciara_progress_view *v) {
  const double now = sciara_wallclock();
  *v = (struct sciara_progress_view){.begin = now, .last_shown = now};
}

double sciara_progress_share(const struct sciara_simulation *s) {
  const struct sciara_engine_progress *p = &s->progress;
  // Without a time limit the end of the emission is the best guess there is.
  const double end = isfinite(s->until_time) ? s->until_time : sciara_vents_end(s->problem.vents);
  double share = end > 0 ? p->time / end : 0;
  if (s->until_step != UINT64_MAX) share = fmax(share, (double)p->step / (double)s->until_step);
  return share < 1 ? share : 1;
}

static void print_eta(double elapsed, double share, char *text, size_t size) {
  if (share >= 1 || !(share > 1e-4) || elapsed < 1) {
    snprintf(text, size, "%s", share >= 1 ? "cooling" : "ETA -");
    return;
  }
  char left[48];
  sciara_print_duration(elapsed * (1 - share) / share, left, sizeof left);
  snprintf(text, size, "ETA %s", left);
}

void sciara_progress_show(struct sciara_progress_view *v, const struct sciara_simulation *s) {
  const bool terminal = isatty(STDERR_FILENO);
  const double now = sciara_wallclock(), passed = now - v->last_shown;
  if (!sciara_messages_wanted() || passed < (terminal ? terminal_interval : message_interval)) return;
  const struct sciara_engine_progress *p = &s->progress;
  const double speed = (double)(p->step - v->last_step) / passed;
  v->speed = v->speed > 0 ? 0.8 * v->speed + 0.2 * speed : speed;
  v->last_shown = now;
  v->last_step = p->step;
  const double share = sciara_progress_share(s);
  char simulated[48], eta[64], line[256];
  sciara_print_duration(p->time, simulated, sizeof simulated);
  print_eta(now - v->begin, share, eta, sizeof eta);
  snprintf(line, sizeof line, "simulated %s  %3.0f %%  %.0f steps/s  %" PRId64 " liquid cells  %.4g m3 emitted  %s",
           simulated, 100 * share, v->speed, p->liquid_cells, p->emitted, eta);
  if (terminal)
    sciara_progress_line(line);
  else
    sciara_log(SCIARA_LOG_INFO, "%s", line);
}
