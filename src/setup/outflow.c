// SPDX-License-Identifier: Apache-2.0
#include "setup/outflow.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "geometry/polyline.h"
#include "model/tower.h"

static double length_of(const struct sciara_vent_spec *v) {
  double length = 0;
  for (size_t k = 1; k < v->point_count; k++)
    length += hypot(v->points[k].x - v->points[k - 1].x, v->points[k].y - v->points[k - 1].y);
  return length;
}

/** Whether vents j and k, without an area, emit in the same cell; so does k itself. */
static bool same_cell(const struct sciara_problem *p, size_t j, size_t k) {
  const struct sciara_placement *a = &p->source->placed[j], *b = &p->source->placed[k];
  if (j == k) return true;
  return a->count == 1 && b->count == 1 && p->source->scenario.vents[j].reach_m == 0 &&
         p->source->scenario.vents[k].reach_m == 0 && p->vents->row[a->first] == p->vents->row[b->first] &&
         p->vents->col[a->first] == p->vents->col[b->first];
}

/** A change of a rate. */
struct change {
  double time, rate;
};

static int by_time(const void *a, const void *b) {
  const double p = ((const struct change *)a)->time, q = ((const struct change *)b)->time;
  return (p > q) - (p < q);
}

/** The largest rate at one time of the vents in the cell of vent k, m3/s, and their number. */
static enum sciara_status find_peak(const struct sciara_problem *p, size_t k, struct sciara_outflow *out) {
  const struct sciara_scenario_spec *s = &p->source->scenario;
  struct change *change;
  size_t room = 1, count = 0;
  double rate = 0;
  for (size_t j = 0; j < s->vent_count; j++) {
    if (!same_cell(p, j, k)) continue;
    room += 2 * s->vents[j].rate_count;
    out->group++;
  }
  for (size_t n = 0; n < s->vents[k].rate_count && out->group == 1; n++)
    out->peak = fmax(out->peak, s->vents[k].rates[n]);
  if (out->group == 1) return SCIARA_OK;
  SCIARA_TRY(SCIARA_NEW(change, room, "the rates of the vents"));
  for (size_t j = 0; j < s->vent_count; j++)
    for (size_t n = 0; n < s->vents[j].rate_count && same_cell(p, j, k); n++) {
      change[count++] = (struct change){s->vents[j].edges[n], s->vents[j].rates[n]};
      change[count++] = (struct change){s->vents[j].edges[n + 1], -s->vents[j].rates[n]};
    }
  qsort(change, count, sizeof *change, by_time);
  for (size_t n = 0; n < count; n++) {
    rate += change[n].rate;
    if (n + 1 == count || change[n + 1].time > change[n].time) out->peak = fmax(out->peak, rate);
  }
  sciara_free(change);
  return SCIARA_OK;
}

static const double TURN = 6.283185307179586; ///< 2 pi

/**
 * How many times the rate of one cell a vent can carry on cells of this side.
 *
 * @param cells how many cells of the side `w` of the grid it has; larger ones are counted by its area
 */
static double carries(const struct sciara_vent_spec *v, double side, double w, double cells) {
  const bool line = v->place == SCIARA_VENT_LINE;
  const double length = line ? length_of(v) : 0, reach = v->reach_m;
  if (side > w) cells = line ? length / side * fmax(1, 2 * reach / side) : TURN / 2 * reach * reach / (side * side);
  return sciara_tower_carries(side, cells, line ? 2 * (length + 2 * reach) : TURN * reach);
}

/** Side of the cells that brings the load of a vent to SCIARA_TOWER_AIM: of larger cells a vent has fewer. */
static double find_cell_size(const struct sciara_problem *p, const struct sciara_vent_spec *v, double peak) {
  const double w = p->grid.cell_size;
  double low = w, high = sciara_tower_cell_size(w, sciara_tower_load(&p->params, w, peak));
  for (int k = 0; k < 50; k++) {
    const double side = 0.5 * (low + high), load = sciara_tower_load(&p->params, side, peak) / carries(v, side, w, 0);
    *(load > SCIARA_TOWER_AIM ? &low : &high) = side;
  }
  return high;
}

/** Rounded up to three digits, so that the printed value suffices. */
static double round_up(double value) {
  const double unit = value > 0 && isfinite(value) ? pow(10, floor(log10(value)) - 2) : 1;
  return ceil(value / unit - 1e-9) * unit;
}

static enum sciara_status describe_outflow(const struct sciara_problem *p, size_t k, struct sciara_outflow *out) {
  const struct sciara_vent_spec *v = &p->source->scenario.vents[k];
  const struct sciara_params *params = &p->params;
  const bool line = v->place == SCIARA_VENT_LINE;
  const double w = p->grid.cell_size, cells = (double)p->source->placed[k].count;
  SCIARA_TRY(find_peak(p, k, out));
  const double whole = sciara_tower_load(params, w, out->peak);
  const double most = out->peak / cells; // of a cell
  out->x = whole / carries(v, w, w, cells);
  out->height = sciara_tower_height(w, out->x);
  out->reach = round_up(line ? sciara_tower_width(w, whole, length_of(v)) : sciara_tower_radius(w, whole));
  out->cell_size = round_up(find_cell_size(p, v, out->peak));
  out->surge = most * params->relaxation * params->t_max / (w * w);
  out->clock_max = most > 0 ? w * w * w / (most * params->relaxation) : (double)INFINITY;
  return SCIARA_OK;
}

enum sciara_status sciara_outflows_of(const struct sciara_problem *p, struct sciara_outflow **out) {
  enum sciara_status status = SCIARA_NEW(*out, p->source->scenario.vent_count + 1, "estimates for the vents");
  for (size_t k = 0, j; k < p->source->scenario.vent_count && status == SCIARA_OK; k++) {
    for (j = 0; j < k && !same_cell(p, j, k);) j++;
    if (j < k)
      (*out)[k] = (*out)[j];
    else if (p->source->placed[k].count > 0)
      status = describe_outflow(p, k, &(*out)[k]);
  }
  if (status == SCIARA_OK) return SCIARA_OK;
  sciara_free(*out);
  *out = NULL;
  return status;
}

bool sciara_outflow_surges(const struct sciara_problem *p, const struct sciara_outflow *o) {
  const double least = sciara_tower_least(&p->params, p->grid.cell_size);
  return o->height <= least && o->surge > least;
}

enum sciara_status sciara_outflow_warn(const struct sciara_problem *p) {
  struct sciara_outflow *all;
  if (!sciara_has_towers(&p->params)) return SCIARA_OK;
  SCIARA_TRY(sciara_outflows_of(p, &all));
  for (size_t k = 0; k < p->source->scenario.vent_count; k++) {
    const struct sciara_vent_spec *v = &p->source->scenario.vents[k];
    const struct sciara_outflow *o = &all[k];
    char with[64] = "";
    if (!(o->x >= 1)) continue;
    if (o->group > 1) snprintf(with, sizeof with, " with the other %zu in its cell", o->group - 1);
    sciara_note(
        p->notes, SCIARA_LOG_WARNING,
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
  return *out ? SCIARA_OK : sciara_no_memory("a warning");
}

/** Takes over `text` (malloc'd). */
static enum sciara_status make_warning(const struct sciara_problem *p, const struct sciara_state *s, const char *kind,
                                       const struct sciara_tower *at, char *text, struct sciara_run_warning *out) {
  if (!text) return sciara_no_memory("a warning");
  const struct sciara_point centre = sciara_cell_centre(&s->grid, at->row, at->col);
  *out = (struct sciara_run_warning){.kind = (char *)(uintptr_t)kind,
                                     .row = p->row + at->row,
                                     .col = p->col + at->col,
                                     .x = centre.x,
                                     .y = centre.y,
                                     .time_s = s->time,
                                     .height_m = at->height,
                                     .text = text};
  return SCIARA_OK;
}

static enum sciara_status watch_vents(const struct sciara_problem *p, const struct sciara_state *s, double least,
                                      struct sciara_run_warning *out) {
  for (size_t k = 0; k < p->source->scenario.vent_count; k++) {
    const struct sciara_placement *placed = &p->source->placed[k];
    struct sciara_tower at;
    bool found;
    SCIARA_TRY(sciara_tower_find_vent(s, p->vents, placed->first, placed->count, least, &found, &at));
    if (!found) continue;
    char *why;
    SCIARA_TRY(explain(p, k, &why));
    char *text = sciara_format("vents[%zu] (%s) stands %.3g m above the cells around it in row %" PRId64
                               ", column %" PRId64 ", first seen in step %" PRIu64 " (%.6g s): %s",
                               k, p->source->scenario.vents[k].name, at.height, p->row + at.row, p->col + at.col,
                               s->step, s->time, why);
    free(why);
    return make_warning(p, s, SCIARA_WARNING_VENT, &at, text, out);
  }
  return SCIARA_OK;
}

enum sciara_status sciara_tower_watch(const struct sciara_problem *p, const struct sciara_state *s,
                                      const struct sciara_touched *touched, bool of_vent, bool of_cell,
                                      struct sciara_run_warning *out) {
  const double least = sciara_tower_least(&p->params, s->grid.cell_size);
  struct sciara_tower at;
  *out = (struct sciara_run_warning){.kind = NULL};
  if (!sciara_has_towers(&p->params) || of_vent) return SCIARA_OK; // its tower is no other problem
  SCIARA_TRY(watch_vents(p, s, least, out));
  if (out->kind || of_cell || !sciara_tower_find(s, touched, least, &at)) return SCIARA_OK;
  char *text =
      sciara_format("row %" PRId64 ", column %" PRId64
                    ": lava stands %.3g m above all neighbouring cells, first seen in step %" PRIu64 " (%.6g s); %s",
                    p->row + at.row, p->col + at.col, at.height, s->step, s->time, ADVICE);
  return make_warning(p, s, SCIARA_WARNING_TOWER, &at, text, out);
}
