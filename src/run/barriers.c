// SPDX-License-Identifier: Apache-2.0
#include "run/barriers.h"

#include <math.h>
#include <stdio.h>

#include "base/date.h"
#include "base/text.h"
#include "geometry/polyline.h"
#include "model/field.h"
#include "model/ground_change.h"
#include "setup/setup.h"

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

/** When edit k was done: at its time, or at the beginning of a run from a checkpoint whose own run did not have it, s. */
static double done_at(const struct sciara_problem *p, size_t k) {
  const struct sciara_ground_changes *c = p->site->changes;
  const double from = p->source->scenario.dem.edits[k].from_s;
  for (size_t n = p->source->changes_before; c && n < c->count; n++)
    if (c->change[n].number == k) return fmax(from, p->source->emission_from_s);
  return from;
}

/** Whether edit k is still to come: the last step of a run may pass its time. */
static bool is_to_come(const struct sciara_problem *p, size_t k) {
  const struct sciara_ground_changes *c = p->site->changes;
  for (size_t n = p->site->changes_done; c && n < c->count; n++)
    if (c->change[n].number == k) return true;
  return false;
}

/** The fate of edit k; its point is that of the overtopping, or of the least freeboard. */
static struct sciara_run_barrier examine(const struct sciara_problem *p, size_t k) {
  const struct sciara_state *s = p->state;
  const uint16_t *edit = p->site->origin.edit;
  struct sciara_run_barrier b = {.edit = k, .overtopped_s = NAN, .freeboard_m = NAN, .x = NAN, .y = NAN};
  const double from = done_at(p, k);
  int64_t cell = -1;
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++) {
    if (edit[i] != k + 1) continue;
    b.cells++;
    const double over = fmax(s->arrival[i], from);
    const double left = s->z0[i] - lava_beside(s, edit, i);
    const bool before = s->arrival[i] < from && !(sciara_deposit(s->h[i], s->z[i], s->z0[i]) > 0); // and left nothing
    if (s->arrival[i] >= 0 && !before && !(over >= b.overtopped_s)) {
      b.overtopped_s = over;
      cell = i;
    }
    if (isfinite(left) && !(left >= b.freeboard_m)) {
      b.freeboard_m = left;
      if (isnan(b.overtopped_s)) cell = i;
    }
  }
  if (cell < 0) return b;
  const struct sciara_point at = sciara_cell_centre(&s->grid, cell / s->grid.cols, cell % s->grid.cols);
  b.x = at.x;
  b.y = at.y;
  return b;
}

void sciara_barrier_describe(const struct sciara_run_barrier *b, const char *start, char text[SCIARA_BARRIER_TEXT]) {
  if (!isnan(b->overtopped_s))
    snprintf(text, SCIARA_BARRIER_TEXT, "lava is on it from simulated time %s on, first at x %.10g, y %.10g",
             SCIARA_MOMENT(start, b->overtopped_s), b->x, b->y);
  else if (!isnan(b->freeboard_m))
    snprintf(text, SCIARA_BARRIER_TEXT, "not overtopped; %.3g m are left above the lava beside it, at x %.10g, y %.10g",
             b->freeboard_m, b->x, b->y);
  else
    snprintf(text, SCIARA_BARRIER_TEXT, "lava has not reached it");
}

enum sciara_status sciara_barriers_find(const struct sciara_problem *p, struct sciara_run_json *run_json) {
  for (size_t k = 0; k < p->source->scenario.dem.edit_count && p->site->origin.edit; k++) {
    const struct sciara_edit *edit = &p->source->scenario.dem.edits[k];
    if (!is_barrier(edit) || is_to_come(p, k)) continue;
    const struct sciara_run_barrier barrier = examine(p, k);
    if (barrier.cells > 0) SCIARA_TRY(sciara_run_json_barrier(run_json, &barrier, edit->name));
  }
  return SCIARA_OK;
}
