// SPDX-License-Identifier: Apache-2.0
#include "run/barriers.h"

#include <math.h>
#include <stdio.h>

#include "base/date.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "model/field.h"
#include "model/ground_change.h"
#include "model/moore.h"
#include "model/polyline.h"

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

// -------------------------------------------------------------------------------------------------- the lava behind it

/** Cells in the order in which they were added. */
struct cells {
  int64_t *cell;
  size_t count, room;
};

/** A cell on the way out of a hollow. */
struct rise {
  double altitude;
  int64_t cell, over; ///< cell of the barrier that was crossed on the way to it first; -1: none
};

/** The ground around a barrier. */
struct drainage {
  const struct sciara_state *s;
  const uint16_t *edit;
  uint16_t barrier; ///< its number in `edit`
  int64_t *
      crossing; ///< of each cell: 1 + the cell of the barrier that its line of steepest descent crosses; -1: none; 0: unknown
  int64_t *hollow; ///< of each cell that a hollow was left through: 1 + the lowest cell of that hollow
  uint8_t *held;   ///< cells of lava that stands against the barrier
  struct cells path, queue;
  struct rise *rim; ///< a heap, the lowest first
  size_t rim_count, rim_room;
};

static void drainage_free(struct drainage *d) {
  sciara_free(d->crossing);
  sciara_free(d->hollow);
  sciara_free(d->held);
  sciara_free(d->path.cell);
  sciara_free(d->queue.cell);
  sciara_free(d->rim);
}

static enum sciara_status add(struct cells *c, int64_t cell) {
  if (c->count == c->room) {
    c->room = 2 * c->room + 64;
    SCIARA_TRY(sciara_resize((void **)&c->cell, c->count, c->room, sizeof *c->cell, "the lava behind a barrier"));
  }
  c->cell[c->count++] = cell;
  return SCIARA_OK;
}

/** The cell next to a cell in a direction, or beyond the barrier if that is next; to is -1 if that is outside of the DEM. */
struct way {
  int64_t to, over; ///< over: the first cell of the barrier on the way; -1: none
  double distance;  ///< cells
};

static struct way look(const struct drainage *d, int64_t cell, int direction) {
  const struct sciara_grid *g = &d->s->grid;
  const int down = sciara_moore_row(direction), right = sciara_moore_col(direction);
  const double side = down && right ? sqrt(2) : 1;
  struct way w = {.to = cell, .over = -1};
  int64_t row = cell / g->cols, col = cell % g->cols;
  do {
    row += down;
    col += right;
    w.to = row * g->cols + col;
    w.distance += side;
    if (row < 0 || col < 0 || row >= g->rows || col >= g->cols || d->s->kind[w.to] == SCIARA_CELL_NODATA)
      return (struct way){.to = -1, .over = w.over};
    if (w.over < 0 && d->edit[w.to] == d->barrier) w.over = w.to;
  } while (d->edit[w.to] == d->barrier);
  return w;
}

/** The steepest way down; to is -1 if there is none. */
static struct way descend(const struct drainage *d, int64_t cell) {
  struct way best = {.to = -1, .over = -1};
  double most = 0;
  for (int k = 1; k < SCIARA_MOORE; k++) {
    const struct way w = look(d, cell, k);
    const double slope = w.to < 0 ? 0 : (d->s->z0[cell] - d->s->z0[w.to]) / w.distance;
    if (slope > most) best = w;
    most = fmax(most, slope);
  }
  return best;
}

/** Adds a cell to the rim of a hollow. */
static enum sciara_status add_rise(struct drainage *d, struct rise r) {
  if (d->rim_count == d->rim_room) {
    d->rim_room = 2 * d->rim_room + 64;
    SCIARA_TRY(sciara_resize((void **)&d->rim, d->rim_count, d->rim_room, sizeof *d->rim, "the hollows of the ground"));
  }
  size_t k = d->rim_count++;
  for (; k > 0 && d->rim[(k - 1) / 2].altitude > r.altitude; k = (k - 1) / 2) d->rim[k] = d->rim[(k - 1) / 2];
  d->rim[k] = r;
  return SCIARA_OK;
}

/** Takes the lowest cell off the rim, which has one. */
static struct rise take_rise(struct drainage *d) {
  const struct rise lowest = d->rim[0], last = d->rim[--d->rim_count];
  size_t k = 0;
  for (size_t next = 1; next < d->rim_count; next = 2 * k + 1) {
    if (next + 1 < d->rim_count && d->rim[next + 1].altitude < d->rim[next].altitude) next++;
    if (d->rim[next].altitude >= last.altitude) break;
    d->rim[k] = d->rim[next];
    k = next;
  }
  d->rim[k] = last;
  return lowest;
}

/** The way out of a hollow, over the lowest ground, to a cell below its lowest cell; to is -1 where that is outside of the DEM. */
static enum sciara_status leave_hollow(struct drainage *d, int64_t bottom, struct way *out) {
  *out = (struct way){.to = -1, .over = -1};
  d->rim_count = 0;
  d->hollow[bottom] = bottom + 1;
  SCIARA_TRY(add_rise(d, (struct rise){d->s->z0[bottom], bottom, -1}));
  while (d->rim_count > 0) {
    const struct rise at = take_rise(d);
    if (at.altitude < d->s->z0[bottom]) {
      *out = (struct way){.to = at.cell, .over = at.over};
      return SCIARA_OK;
    }
    for (int k = 1; k < SCIARA_MOORE; k++) {
      const struct way w = look(d, at.cell, k);
      if (w.to < 0 && w.over < 0) return SCIARA_OK; // over the edge of the DEM
      if (w.to < 0 || d->hollow[w.to] == bottom + 1) continue;
      d->hollow[w.to] = bottom + 1;
      SCIARA_TRY(add_rise(d, (struct rise){d->s->z0[w.to], w.to, at.over >= 0 ? at.over : w.over}));
    }
  }
  return SCIARA_OK;
}

/** Follows the line of steepest descent from a cell: *out as `crossing`. */
static enum sciara_status find_crossing(struct drainage *d, int64_t cell, int64_t *out) {
  d->path.count = 0;
  *out = d->crossing[cell];
  for (int64_t at = cell; *out == 0;) {
    struct way w = descend(d, at);
    SCIARA_TRY(add(&d->path, at));
    if (w.to < 0) SCIARA_TRY(leave_hollow(d, at, &w));
    at = w.to;
    *out = w.over >= 0 ? w.over + 1 : at < 0 ? -1 : d->crossing[at];
  }
  for (size_t k = 0; k < d->path.count; k++) d->crossing[d->path.cell[k]] = *out;
  return SCIARA_OK;
}

/** Adds the lava of a cell up to the crest, and the cell to the queue, if it stands against the barrier. */
static enum sciara_status hold(struct drainage *d, int64_t cell, double *height) {
  const struct sciara_state *s = d->s;
  const double top = s->z[cell] + s->h[cell];
  int64_t crossing;
  if (s->kind[cell] == SCIARA_CELL_NODATA || d->held[cell] || d->edit[cell] == d->barrier || !(top > s->z0[cell]))
    return SCIARA_OK;
  SCIARA_TRY(find_crossing(d, cell, &crossing));
  if (crossing < 0 || !(s->z0[crossing - 1] > s->z0[cell])) return SCIARA_OK;
  *height += fmin(top, s->z0[crossing - 1]) - s->z0[cell];
  d->held[cell] = 1;
  return add(&d->queue, cell);
}

/** The lava that barrier k holds, m3: docs/formats.md#runjson. */
static enum sciara_status measure_held(const struct sciara_problem *p, size_t k, double *out) {
  const struct sciara_grid *g = &p->state->grid;
  const int64_t cells = sciara_grid_cells(g);
  struct drainage d = {.s = p->state, .edit = p->site->origin.edit, .barrier = (uint16_t)(k + 1)};
  double height = 0;
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(d.crossing, cells, "the ground around a barrier"));
  SCIARA_TRY_GOTO(SCIARA_NEW(d.hollow, cells, "the ground around a barrier"));
  SCIARA_TRY_GOTO(SCIARA_NEW(d.held, cells, "the ground around a barrier"));
  for (int64_t i = 0; i < cells; i++)
    if (d.edit[i] == d.barrier) SCIARA_TRY_GOTO(add(&d.queue, i));
  for (size_t n = 0; n < d.queue.count; n++) {
    const int64_t row = d.queue.cell[n] / g->cols, col = d.queue.cell[n] % g->cols;
    for (int m = 1; m < SCIARA_MOORE; m++) {
      const int64_t r = row + sciara_moore_row(m), c = col + sciara_moore_col(m);
      if (r >= 0 && c >= 0 && r < g->rows && c < g->cols) SCIARA_TRY_GOTO(hold(&d, r * g->cols + c, &height));
    }
  }
  *out = height * g->cell_size * g->cell_size;
cleanup:
  drainage_free(&d);
  return status;
}

// ---------------------------------------------------------------------------------------------------------- its report

/** When edit k was done: at its time, or at the beginning of a run from a checkpoint whose own run did not have it, s. */
static double done_at(const struct sciara_problem *p, size_t k) {
  const struct sciara_ground_changes *c = p->site->changes;
  const double from = p->scenario.dem.edits[k].from_s;
  for (size_t n = p->changes_before; c && n < c->count; n++)
    if (c->change[n].number == k) return fmax(from, p->emission_from_s);
  return from;
}

/** The fate of edit k; its point is that of the overtopping, or of the least freeboard. */
static struct sciara_run_barrier examine(const struct sciara_problem *p, size_t k) {
  const struct sciara_state *s = p->state;
  const uint16_t *edit = p->site->origin.edit;
  struct sciara_run_barrier b = {
      .edit = k, .overtopped_s = NAN, .freeboard_m = NAN, .held_m3 = NAN, .x = NAN, .y = NAN};
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
  char time[48 + SCIARA_MINUTE_SIZE], held[64] = "";
  if (b->held_m3 > 0) snprintf(held, sizeof held, "; %.6g m3 of lava stand against it", b->held_m3);
  if (!isnan(b->overtopped_s)) {
    sciara_print_duration(b->overtopped_s, time, sizeof time);
    sciara_append_minute(start, b->overtopped_s, time, sizeof time);
    snprintf(text, SCIARA_BARRIER_TEXT, "lava is on it from simulated time %s on, first at x %.10g, y %.10g%s", time,
             b->x, b->y, held);
  } else if (!isnan(b->freeboard_m)) {
    snprintf(text, SCIARA_BARRIER_TEXT,
             "not overtopped; %.3g m are left above the lava beside it, at x %.10g, y %.10g%s", b->freeboard_m, b->x,
             b->y, held);
  } else {
    snprintf(text, SCIARA_BARRIER_TEXT, "lava has not reached it");
  }
}

enum sciara_status sciara_barriers_find(const struct sciara_problem *p, struct sciara_run_json *run_json) {
  for (size_t k = 0; k < p->scenario.dem.edit_count && p->site->origin.edit; k++) {
    const struct sciara_edit *edit = &p->scenario.dem.edits[k];
    if (!is_barrier(edit) || edit->from_s > p->state->time) continue;
    const struct sciara_run_barrier barrier = examine(p, k);
    if (barrier.cells > 0) SCIARA_TRY(sciara_run_json_barrier(run_json, &barrier, edit->name));
  }
  return SCIARA_OK;
}

enum sciara_status sciara_barriers_report(const struct sciara_problem *p, struct sciara_run_json *run_json) {
  SCIARA_TRY(sciara_barriers_find(p, run_json));
  for (size_t k = 0; k < run_json->barrier_count; k++) {
    struct sciara_run_barrier *barrier = &run_json->barriers[k];
    char text[SCIARA_BARRIER_TEXT];
    SCIARA_TRY(measure_held(p, barrier->edit, &barrier->held_m3));
    sciara_barrier_describe(barrier, p->scenario.run.start, text);
    sciara_log(SCIARA_LOG_INFO, "barrier %s: %s", barrier->name, text);
  }
  return SCIARA_OK;
}
