// SPDX-License-Identifier: Apache-2.0
#include "run/barriers.h"

#include <math.h>

#include "base/log.h"
#include "base/text.h"
#include "model/vent_area.h"

/** Whether an edit raises a barrier. What a file holds is not known here. */
static bool is_barrier(const struct sciara_edit *e) {
  return e->path || (!e->closed && (!isnan(e->value[SCIARA_EDIT_HEIGHT]) || !isnan(e->value[SCIARA_EDIT_CREST])));
}

/** The highest surface of lava and rock next to cell i, in cells that the edit has not changed, m; -INFINITY: none. */
static double lava_beside(const struct sciara_state *s, const uint16_t *edit, int64_t i) {
  double most = -INFINITY;
  for (int64_t r = i / s->grid.cols - 1; r <= i / s->grid.cols + 1; r++)
    for (int64_t c = i % s->grid.cols - 1; c <= i % s->grid.cols + 1; c++) {
      const int64_t n = r * s->grid.cols + c;
      if (r < 0 || c < 0 || r >= s->grid.rows || c >= s->grid.cols || edit[n] == edit[i]) continue;
      if (s->h[n] > 0 || s->z[n] > s->z0[n]) most = fmax(most, s->z[n] + s->h[n]);
    }
  return most;
}

/** The fate of edit k; its place is that of the overtopping, or of the least freeboard. */
static struct sciara_run_barrier examine(const struct sciara_problem *p, size_t k) {
  const struct sciara_state *s = p->state;
  const uint16_t *edit = p->site->origin.edit;
  struct sciara_run_barrier b = {.edit = k, .overtopped_s = NAN, .freeboard_m = NAN, .x = NAN, .y = NAN};
  int64_t place = -1;
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++) {
    if (edit[i] != k + 1) continue;
    b.cells++;
    const double over = fmax(s->arrival[i], p->scenario.dem.edits[k].from_s), left = s->z0[i] - lava_beside(s, edit, i);
    if (s->arrival[i] >= 0 && !(over >= b.overtopped_s)) {
      b.overtopped_s = over;
      place = i;
    }
    if (isfinite(left) && !(left >= b.freeboard_m)) {
      b.freeboard_m = left;
      if (isnan(b.overtopped_s)) place = i;
    }
  }
  if (place < 0) return b;
  const struct sciara_point at = sciara_cell_centre(&s->grid, place / s->grid.cols, place % s->grid.cols);
  b.x = at.x;
  b.y = at.y;
  return b;
}

static void say(const char *name, const struct sciara_run_barrier *b) {
  char time[48];
  if (!isnan(b->overtopped_s)) {
    sciara_print_duration(b->overtopped_s, time, sizeof time);
    sciara_log(SCIARA_LOG_INFO, "barrier %s: lava is on it from simulated time %s on, first at x %.10g, y %.10g", name,
               time, b->x, b->y);
  } else if (!isnan(b->freeboard_m)) {
    sciara_log(SCIARA_LOG_INFO,
               "barrier %s: not overtopped; %.3g m are left above the lava beside it, at x %.10g, y %.10g", name,
               b->freeboard_m, b->x, b->y);
  } else {
    sciara_log(SCIARA_LOG_INFO, "barrier %s: lava has not reached it", name);
  }
}

enum sciara_status sciara_barriers_report(const struct sciara_problem *p, struct sciara_run_record *record) {
  for (size_t k = 0; k < p->scenario.dem.edit_count && p->site->origin.edit; k++) {
    const struct sciara_edit *edit = &p->scenario.dem.edits[k];
    if (!is_barrier(edit) || edit->from_s > p->state->time) continue;
    const struct sciara_run_barrier barrier = examine(p, k);
    if (barrier.cells == 0) continue;
    SCIARA_TRY(sciara_run_record_barrier(record, &barrier, edit->name));
    say(edit->name, &barrier);
  }
  return SCIARA_OK;
}
