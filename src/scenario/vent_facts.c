// SPDX-License-Identifier: Apache-2.0
#include "scenario/vent_facts.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

/** A vertex of a vent in the CRS of the grid; row and column stand for the centre of the cell. */
static enum sciara_status place_point(const struct sciara_vent_spec *spec, size_t k, const struct sciara_grid *g,
                                      const struct sciara_georef *georef, struct sciara_point *out) {
  const struct sciara_point p = spec->points[k];
  *out = p;
  if (spec->place == SCIARA_VENT_ROWCOL)
    *out = (struct sciara_point){g->west + (p.x + 0.5) * g->cell_size, g->north - (p.y + 0.5) * g->cell_size};
  if (spec->place == SCIARA_VENT_LONLAT || spec->lonlat)
    return sciara_georef_from_lonlat(georef->crs_wkt, p.x, p.y, &out->x, &out->y);
  return SCIARA_OK;
}

static enum sciara_status add(struct sciara_vent_marks *m, const struct sciara_vent_spec *spec,
                              const struct sciara_grid *grid, const struct sciara_georef *georef) {
  struct sciara_vent_mark *mark = &m->mark[m->count++];
  SCIARA_TRY(sciara_copy(spec->name ? spec->name : "", "the vents of a map", &mark->name));
  SCIARA_TRY(SCIARA_NEW(mark->points, spec->point_count, "the vents of a map"));
  mark->count = spec->point_count;
  for (size_t k = 0; k < mark->count; k++) SCIARA_TRY(place_point(spec, k, grid, georef, &mark->points[k]));
  return SCIARA_OK;
}

enum sciara_status sciara_vent_marks_make(const struct sciara_scenario_spec *scenario, const struct sciara_grid *grid,
                                          const struct sciara_georef *georef, struct sciara_vent_marks *out) {
  enum sciara_status status = SCIARA_OK;
  *out = (struct sciara_vent_marks){0};
  if (scenario->vent_count == 0) return SCIARA_OK;
  SCIARA_TRY(SCIARA_NEW(out->mark, scenario->vent_count, "the vents of a map"));
  for (size_t k = 0; k < scenario->vent_count && status == SCIARA_OK; k++)
    if (scenario->vents[k].point_count > 0) status = add(out, &scenario->vents[k], grid, georef);
  if (status != SCIARA_OK) sciara_vent_marks_free(out);
  return status;
}

void sciara_vent_marks_free(struct sciara_vent_marks *m) {
  for (size_t k = 0; k < m->count; k++) {
    free(m->mark[k].name);
    sciara_free(m->mark[k].points);
  }
  sciara_free(m->mark);
  *m = (struct sciara_vent_marks){0};
}

// ---------------------------------------------------------------------------------------------------- what they emit

enum sciara_status sciara_scenario_emission_of(const struct sciara_scenario_spec *s, const struct sciara_vents *vents,
                                               double from, struct sciara_emission *out) {
  const bool later = from > 0;
  SCIARA_TRY(
      sciara_vents_emission(vents, later ? from : -INFINITY, later ? sciara_limits_end(&s->run) : INFINITY, out));
  out->from_s = later ? from : 0;
  return SCIARA_OK;
}

enum sciara_status sciara_scenario_emission(const struct sciara_scenario_spec *s, double from,
                                            struct sciara_emission *out) {
  struct sciara_vents *vents = sciara_vents_create();
  bool known = s->vent_count > 0;
  if (!vents) return SCIARA_ERR_MEMORY;
  enum sciara_status status = SCIARA_OK;
  for (size_t k = 0; k < s->vent_count && status == SCIARA_OK; k++) {
    const struct sciara_vent_spec *v = &s->vents[k];
    known &= v->edges != NULL;
    if (v->edges) status = sciara_vents_add(vents, 0, 0, (int64_t)v->rate_count, v->edges, v->rates);
  }
  if (status == SCIARA_OK) status = sciara_scenario_emission_of(s, vents, from, out);
  if (!known) out->volume_m3 = NAN;
  sciara_vents_destroy(vents);
  return status;
}
