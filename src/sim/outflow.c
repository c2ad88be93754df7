// SPDX-License-Identifier: Apache-2.0
#include "sim/outflow.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "model/moore.h"
#include "model/polyline.h"
#include "model/tower.h"

static double largest(const double *values, size_t count) {
  double most = 0;
  for (size_t k = 0; k < count; k++) most = fmax(most, values[k]);
  return most;
}

static double length_of(const struct sciara_vent_spec *v) {
  double length = 0;
  for (size_t k = 1; k < v->point_count; k++)
    length += hypot(v->points[k].x - v->points[k - 1].x, v->points[k].y - v->points[k - 1].y);
  return length;
}

// ------------------------------------------------------------------------------------------------------------ groups

/** A cell of a vent of the scenario. */
struct vent_cell {
  int64_t cell;
  size_t vent;
  double rate; ///< its largest one, m3/s
};

/** What the vents of a group have in common; held by the one with the lowest index. */
struct group {
  size_t parent; ///< another vent of the group, or itself for the first one
  size_t vents;
  int64_t cells, sides; ///< of the group; sides of its cells that no cell of it adjoins
  double most;          ///< largest sum of the rates of a cell, m3/s
  double peak;          ///< largest rate of all at one time, m3/s
};

struct groups {
  const struct sciara_problem *problem;
  struct group *of; ///< by vent
  struct vent_cell *cell;
  size_t cells;
};

static int by_cell(const void *a, const void *b) {
  const int64_t p = ((const struct vent_cell *)a)->cell, q = ((const struct vent_cell *)b)->cell;
  return (p > q) - (p < q);
}

static size_t first_of(struct group *of, size_t vent) {
  while (of[vent].parent != vent) vent = of[vent].parent = of[of[vent].parent].parent;
  return vent;
}

static void join(struct group *of, size_t a, size_t b) {
  const size_t p = first_of(of, a), q = first_of(of, b);
  of[p > q ? p : q].parent = p > q ? q : p;
}

static const struct vent_cell *find_cell(const struct groups *g, int64_t cell) {
  const struct vent_cell key = {.cell = cell};
  return (const struct vent_cell *)bsearch(&key, g->cell, g->cells, sizeof key, by_cell);
}

static enum sciara_status list_cells(struct groups *g) {
  const struct sciara_problem *p = g->problem;
  const struct sciara_vents *v = p->vents;
  SCIARA_TRY(SCIARA_NEW(g->cell, (size_t)v->count + 1, "the cells of the vents"));
  for (size_t k = 0; k < p->scenario.vent_count; k++) {
    const struct sciara_placement *at = &p->placed[k];
    for (int64_t i = at->first; i < at->first + at->count; i++)
      g->cell[g->cells++] =
          (struct vent_cell){.cell = v->row[i] * p->grid.cols + v->col[i],
                             .vent = k,
                             .rate = largest(v->rate + v->first[i], (size_t)(v->first[i + 1] - v->first[i]))};
  }
  qsort(g->cell, g->cells, sizeof *g->cell, by_cell);
  return SCIARA_OK;
}

/** Joins the vents of the same and of neighbouring cells. Vents lie on interior cells, which have 8 neighbours. */
static void join_neighbours(struct groups *g) {
  for (size_t k = 0; k < g->cells; k++) {
    if (k > 0 && g->cell[k - 1].cell == g->cell[k].cell) join(g->of, g->cell[k - 1].vent, g->cell[k].vent);
    for (int n = 1; n < SCIARA_MOORE; n++) {
      const struct vent_cell *other = find_cell(g, g->cell[k].cell + sciara_moore_offset(n, g->problem->grid.cols));
      if (other) join(g->of, other->vent, g->cell[k].vent);
    }
  }
}

/** Counts the cells of each group, and their sides outside; finds the most loaded cell. */
static void measure(struct groups *g) {
  for (size_t k = 0, next; k < g->cells; k = next) {
    struct group *group = &g->of[first_of(g->of, g->cell[k].vent)];
    double sum = 0;
    for (next = k; next < g->cells && g->cell[next].cell == g->cell[k].cell; next++) sum += g->cell[next].rate;
    group->cells++;
    group->most = fmax(group->most, sum);
    for (int n = 1; n <= 4; n++)
      group->sides += !find_cell(g, g->cell[k].cell + sciara_moore_offset(n, g->problem->grid.cols));
  }
}

/** A change of the rate of a group. */
struct change {
  size_t group;
  double time, rate;
};

static int by_group_and_time(const void *a, const void *b) {
  const struct change *p = (const struct change *)a, *q = (const struct change *)b;
  if (p->group != q->group) return p->group < q->group ? -1 : 1;
  return (p->time > q->time) - (p->time < q->time);
}

/** The largest sum of the rates of each group of more than one vent; of the others their largest rate. */
static enum sciara_status find_peaks(struct groups *g) {
  const struct sciara_scenario_spec *s = &g->problem->scenario;
  struct change *change;
  size_t room = 1, count = 0;
  for (size_t k = 0; k < s->vent_count; k++) room += 2 * s->vents[k].rate_count;
  SCIARA_TRY(SCIARA_NEW(change, room, "the rates of the vents"));
  for (size_t k = 0; k < s->vent_count; k++) {
    const struct sciara_vent_spec *v = &s->vents[k];
    const size_t group = first_of(g->of, k);
    if (g->of[group].vents == 1) g->of[group].peak = largest(v->rates, v->rate_count);
    for (size_t i = 0; i < v->rate_count && g->of[group].vents > 1; i++) {
      change[count++] = (struct change){group, v->edges[i], v->rates[i]};
      change[count++] = (struct change){group, v->edges[i + 1], -v->rates[i]};
    }
  }
  qsort(change, count, sizeof *change, by_group_and_time);
  double rate = 0;
  for (size_t k = 0; k < count; k++) {
    struct group *group = &g->of[change[k].group];
    rate += change[k].rate;
    const bool last = k + 1 == count || change[k + 1].group != change[k].group;
    if (last || change[k + 1].time > change[k].time) group->peak = fmax(group->peak, rate);
    if (last) rate = 0;
  }
  sciara_free(change);
  return SCIARA_OK;
}

static enum sciara_status make_groups(const struct sciara_problem *p, struct groups *g) {
  const size_t vents = p->scenario.vent_count;
  *g = (struct groups){.problem = p};
  SCIARA_TRY(SCIARA_NEW(g->of, vents + 1, "the groups of the vents"));
  for (size_t k = 0; k < vents; k++) g->of[k].parent = k;
  SCIARA_TRY(list_cells(g));
  join_neighbours(g);
  for (size_t k = 0; k < vents; k++) g->of[first_of(g->of, k)].vents++;
  measure(g);
  return find_peaks(g);
}

static void free_groups(struct groups *g) {
  sciara_free(g->of);
  sciara_free(g->cell);
}

// ---------------------------------------------------------------------------------------------------------- outflows

static const double TURN = 6.283185307179586; ///< 2 pi

/**
 * How many times the rate of one cell the cells of a vent alone, or of a group, can carry. The sides of the cells of a
 * disc add up to 4/pi of its perimeter.
 */
static double carries(const struct sciara_problem *p, const struct group *g, size_t k) {
  const struct sciara_vent_spec *v = &p->scenario.vents[k];
  const bool line = v->place == SCIARA_VENT_LINE;
  double perimeter = line ? 2 * (length_of(v) + 2 * v->reach_m) : TURN * v->reach_m;
  if (g->vents > 1) perimeter = TURN / 8 * (double)g->sides * p->grid.cell_size;
  return sciara_tower_carries(p->grid.cell_size, (double)g->cells, perimeter);
}

static struct sciara_outflow describe(const struct sciara_problem *p, const struct group *g, size_t k) {
  const struct sciara_vent_spec *v = &p->scenario.vents[k];
  const struct sciara_params *params = &p->scenario.params;
  const double w = p->grid.cell_size, most = fmin(g->most, g->peak); // vents of one cell may emit one after the other
  struct sciara_outflow out = {.peak = g->peak, .group = g->vents};
  const double whole = sciara_tower_load(params, w, out.peak), one = sciara_tower_load(params, w, most);
  const bool area = v->reach_m > 0 || g->vents > 1;
  out.x = area ? fmax(one, whole / carries(p, g, k)) : one;
  out.height = sciara_tower_height(w, out.x);
  out.reach = v->place == SCIARA_VENT_LINE ? sciara_tower_width(w, whole, length_of(v)) : sciara_tower_radius(w, whole);
  out.cell_size = sciara_tower_cell_size(w, out.x);
  out.surge = most * params->relaxation * params->t_max / (w * w);
  out.clock_max = most > 0 ? w * w * w / (most * params->relaxation) : (double)INFINITY;
  return out;
}

enum sciara_status sciara_outflows_of(const struct sciara_problem *p, struct sciara_outflow **out) {
  struct groups groups;
  *out = NULL;
  enum sciara_status status = make_groups(p, &groups);
  if (status == SCIARA_OK) status = SCIARA_NEW(*out, p->scenario.vent_count + 1, "estimates for the vents");
  for (size_t k = 0; k < p->scenario.vent_count && status == SCIARA_OK; k++)
    if (p->placed[k].count > 0) (*out)[k] = describe(p, &groups.of[first_of(groups.of, k)], k);
  free_groups(&groups);
  return status;
}

bool sciara_outflow_surges(const struct sciara_problem *p, const struct sciara_outflow *o) {
  const double least = sciara_tower_least(&p->scenario.params, p->grid.cell_size);
  return o->height <= least && o->surge > least;
}

enum sciara_status sciara_outflow_warn(const struct sciara_problem *p) {
  struct sciara_outflow *all;
  if (!sciara_has_towers(&p->scenario.params)) return SCIARA_OK;
  SCIARA_TRY(sciara_outflows_of(p, &all));
  for (size_t k = 0; k < p->scenario.vent_count; k++) {
    const struct sciara_vent_spec *v = &p->scenario.vents[k];
    const struct sciara_outflow *o = &all[k];
    char with[64] = "";
    if (!(o->x >= 1)) continue;
    if (o->group > 1) snprintf(with, sizeof with, " with the %zu vents at the same place", o->group - 1);
    sciara_note(
        p->scenario.notes, SCIARA_LOG_WARNING,
        "vents[%zu] (%s)%s: x = %.3g at its peak rate of %.6g m3/s: cells of %g m cannot pass on so much lava, and it "
        "piles up without bound (docs/model.md, Towers); %s = %.3g or dem.cell_size_m = %.3g brings x to %g",
        k, v->name, with, o->x, o->peak, p->grid.cell_size, v->place == SCIARA_VENT_LINE ? "width_m" : "radius_m",
        o->reach, o->cell_size, SCIARA_TOWER_AIM);
  }
  sciara_free(all);
  return SCIARA_OK;
}

// ---------------------------------------------------------------------------------------------------- towers in states

static const char ADVICE[] =
    "the model cannot represent this (docs/model.md, Towers); give the vent an area "
    "(vents[].radius_m, or width_m of a line) or use larger cells: 'sciara check' prints which "
    "suffice";

/** Why lava stands at vent k, and what helps; malloc'd, NULL: no memory. */
static enum sciara_status explain(const struct sciara_problem *p, size_t k, char **out) {
  struct sciara_outflow *all;
  SCIARA_TRY(sciara_outflows_of(p, &all));
  if (sciara_outflow_surges(p, &all[k]))
    *out =
        sciara_format("one step of the largest clock brings up to %.3g m into a cell while no lava flows; the model "
                      "cannot represent this (docs/model.md, Towers); set model.clock_max_s to %.3g or less, or give "
                      "the vent an area (vents[].radius_m, or width_m of a line)",
                      all[k].surge, all[k].clock_max);
  else
    *out = sciara_format("it emits more than they take; %s", ADVICE);
  sciara_free(all);
  return *out ? SCIARA_OK : sciara_fail(SCIARA_ERR_MEMORY, "no memory for a warning");
}

/** Adds the warning; takes over `text` (malloc'd). */
static enum sciara_status add(const struct sciara_problem *p, struct sciara_run_json *run_json,
                              const struct sciara_state *s, const char *kind, const struct sciara_tower *at, char *text,
                              const char **new_text) {
  if (!text) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a warning");
  const struct sciara_point centre = sciara_cell_centre(&s->grid, at->row, at->col);
  const enum sciara_status status =
      sciara_run_json_warn(run_json, &(struct sciara_run_warning){.kind = (char *)(uintptr_t)kind,
                                                                  .row = p->row + at->row,
                                                                  .col = p->col + at->col,
                                                                  .x = centre.x,
                                                                  .y = centre.y,
                                                                  .time_s = s->time,
                                                                  .height_m = at->height,
                                                                  .text = text});
  free(text);
  if (status == SCIARA_OK) *new_text = run_json->warnings[run_json->warning_count - 1].text;
  return status;
}

static enum sciara_status watch_vents(const struct sciara_problem *p, const struct sciara_state *s, double least,
                                      struct sciara_run_json *run_json, const char **new_text) {
  for (size_t k = 0; k < p->scenario.vent_count; k++) {
    const struct sciara_placement *placed = &p->placed[k];
    struct sciara_tower at;
    bool found;
    SCIARA_TRY(sciara_tower_find_vent(s, p->vents, placed->first, placed->count, least, &found, &at));
    if (!found) continue;
    char *why;
    SCIARA_TRY(explain(p, k, &why));
    char *text =
        sciara_format("vents[%zu] (%s) stands %.3g m above the cells around it in row %" PRId64 ", column %" PRId64
                      ", first seen in step %" PRIu64 " (%.6g s): %s",
                      k, p->scenario.vents[k].name, at.height, p->row + at.row, p->col + at.col, s->step, s->time, why);
    free(why);
    return add(p, run_json, s, SCIARA_WARNING_VENT, &at, text, new_text);
  }
  return SCIARA_OK;
}

enum sciara_status sciara_tower_watch(const struct sciara_problem *p, const struct sciara_state *s,
                                      const struct sciara_touched *touched, struct sciara_run_json *run_json,
                                      const char **new_text) {
  const double least = sciara_tower_least(&p->scenario.params, s->grid.cell_size);
  struct sciara_tower at;
  *new_text = NULL;
  if (!sciara_has_towers(&p->scenario.params)) return SCIARA_OK;
  if (sciara_run_json_warning(run_json, SCIARA_WARNING_VENT)) return SCIARA_OK; // its tower is no other problem
  SCIARA_TRY(watch_vents(p, s, least, run_json, new_text));
  if (*new_text || sciara_run_json_warning(run_json, SCIARA_WARNING_TOWER) ||
      !sciara_tower_find(s, touched, least, &at))
    return SCIARA_OK;
  char *text =
      sciara_format("row %" PRId64 ", column %" PRId64
                    ": lava stands %.3g m above all neighbouring cells, first seen in step %" PRIu64 " (%.6g s); %s",
                    p->row + at.row, p->col + at.col, at.height, s->step, s->time, ADVICE);
  return add(p, run_json, s, SCIARA_WARNING_TOWER, &at, text, new_text);
}

bool sciara_tower_is_noticed(const struct sciara_run_json *run_json) {
  return sciara_run_json_warning(run_json, SCIARA_WARNING_VENT) ||
         sciara_run_json_warning(run_json, SCIARA_WARNING_TOWER);
}
