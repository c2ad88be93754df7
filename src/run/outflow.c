// SPDX-License-Identifier: Apache-2.0
#include "run/outflow.h"

#include <math.h>

#include "base/log.h"
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

/** The largest rate of a cell of the vent, m3/s. */
static double largest_of_cells(const struct sciara_vents *v, const struct sciara_placement *at) {
  const int64_t first = v->first[at->first], end = v->first[at->first + at->count];
  return largest(v->rate + first, (size_t)(end - first));
}

static double carries(const struct sciara_problem *p, size_t k) {
  const struct sciara_vent_spec *v = &p->scenario.vents[k];
  const bool line = v->place == SCIARA_VENT_LINE;
  const double turn = 6.283185307179586, perimeter = line ? 2 * (length_of(v) + 2 * v->reach_m) : turn * v->reach_m;
  return sciara_tower_carries(p->grid.cell_size, (double)p->placed[k].count, perimeter);
}

struct sciara_outflow sciara_outflow_of(const struct sciara_problem *p, size_t k) {
  const struct sciara_vent_spec *v = &p->scenario.vents[k];
  const struct sciara_params *params = &p->scenario.params;
  const double w = p->grid.cell_size;
  struct sciara_outflow out = {.peak = largest(v->rates, v->rate_count)};
  const double whole = sciara_tower_load(params, w, out.peak); // if one cell emitted it all
  if (v->reach_m > 0)
    out.x = whole / carries(p, k);
  else
    out.x = sciara_tower_load(params, w, largest_of_cells(p->vents, &p->placed[k]));
  out.height = sciara_tower_height(w, out.x);
  out.reach = v->place == SCIARA_VENT_LINE ? sciara_tower_width(w, whole, length_of(v)) : sciara_tower_radius(w, whole);
  out.cell_size = sciara_tower_cell_size(w, out.x);
  return out;
}

void sciara_outflow_warn(const struct sciara_problem *p) {
  for (size_t k = 0; k < p->scenario.vent_count; k++) {
    const struct sciara_vent_spec *v = &p->scenario.vents[k];
    if (p->placed[k].count == 0) continue;
    const struct sciara_outflow o = sciara_outflow_of(p, k);
    if (!(o.x >= 1)) continue;
    sciara_log(
        SCIARA_LOG_WARNING,
        "vents[%zu] (%s): x = %.3g at its peak rate of %.6g m3/s: cells of %g m cannot pass on so much lava, and it "
        "piles up without bound (docs/model.md, Towers); %s = %.3g or dem.cell_size_m = %.3g brings x to %g",
        k, v->name, o.x, o.peak, p->grid.cell_size, v->place == SCIARA_VENT_LINE ? "width_m" : "radius_m", o.reach,
        o.cell_size, SCIARA_TOWER_AIM);
  }
}
