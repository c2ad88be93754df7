// SPDX-License-Identifier: Apache-2.0
#include "analysis/front.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "geometry/polyline.h"

/** Adds a cell, unless it lies beyond the grid. */
static enum sciara_status add(struct sciara_vent_cells *v, const struct sciara_grid *g, double row, double col) {
  if (!(row >= 0 && row < (double)g->rows && col >= 0 && col < (double)g->cols)) return SCIARA_OK;
  if (v->count == v->capacity) {
    const size_t capacity = v->capacity ? 2 * v->capacity : 16;
    SCIARA_TRY(sciara_resize((void **)&v->row, v->count, capacity, sizeof *v->row, "cells of the vents"));
    SCIARA_TRY(sciara_resize((void **)&v->col, v->count, capacity, sizeof *v->col, "cells of the vents"));
    SCIARA_TRY(sciara_resize((void **)&v->first_s, v->count, capacity, sizeof *v->first_s, "cells of the vents"));
    v->capacity = capacity;
  }
  v->row[v->count] = (int64_t)row;
  v->col[v->count++] = (int64_t)col;
  return SCIARA_OK;
}

static enum sciara_status add_line(struct sciara_vent_cells *v, const struct sciara_grid *g,
                                   const struct sciara_vent_spec *spec) {
  struct sciara_crossing *crossing = NULL;
  size_t count = 0;
  SCIARA_TRY(sciara_polyline_cells(g, spec->points, spec->point_count, &crossing, &count));
  enum sciara_status status = SCIARA_OK;
  for (size_t k = 0; k < count && status == SCIARA_OK; k++)
    status = add(v, g, (double)crossing[k].row, (double)crossing[k].col);
  sciara_free(crossing);
  return status;
}

static enum sciara_status add_area(struct sciara_vent_cells *v, const struct sciara_grid *g,
                                   const struct sciara_point *points, size_t point_count, double reach) {
  int64_t *cell = NULL;
  size_t count = 0;
  SCIARA_TRY(sciara_vent_area_cells(g, points, point_count, reach, &cell, &count));
  enum sciara_status status = SCIARA_OK;
  for (size_t k = 0; k < count && status == SCIARA_OK; k++) {
    const int64_t row = cell[k] / g->cols, col = cell[k] % g->cols;
    status = add(v, g, (double)row, (double)col);
  }
  sciara_free(cell);
  return status;
}

static enum sciara_status add_vent(struct sciara_vent_cells *v, const struct sciara_grid *g,
                                   const struct sciara_georef *georef, const struct sciara_vent_spec *spec) {
  if (spec->point_count == 0) return SCIARA_OK;
  if (spec->place == SCIARA_VENT_LINE && spec->reach_m > 0)
    return add_area(v, g, spec->points, spec->point_count, spec->reach_m);
  if (spec->place == SCIARA_VENT_LINE) return add_line(v, g, spec);
  double x = spec->points[0].x, y = spec->points[0].y;
  if (spec->place == SCIARA_VENT_ROWCOL && !(spec->reach_m > 0)) return add(v, g, y, x);
  if (spec->place == SCIARA_VENT_LONLAT) SCIARA_TRY(sciara_georef_from_lonlat(georef->crs_wkt, x, y, &x, &y));
  const bool cell = spec->place == SCIARA_VENT_ROWCOL;
  const struct sciara_point point = cell ? sciara_cell_centre(g, (int64_t)y, (int64_t)x) : (struct sciara_point){x, y};
  if (spec->reach_m > 0) return add_area(v, g, &point, 1, spec->reach_m);
  return add(v, g, floor((g->north - y) / g->cell_size), floor((x - g->west) / g->cell_size));
}

/** When a vent emits lava for the first time, s; INFINITY: never; NAN: not known, for its rates are in a file. */
static double first_of(const struct sciara_vent_spec *spec) {
  if (spec->rate_count == 0) return NAN;
  for (size_t k = 0; k < spec->rate_count; k++)
    if (spec->rates[k] > 0) return spec->edges[k];
  return INFINITY;
}

enum sciara_status sciara_computed_scenario(const char *path, const char *json, const char *what,
                                            struct sciara_scenario_spec *out) {
  struct sciara_diagnostics diagnostics = {0};
  *out = (struct sciara_scenario_spec){0};
  if (!json) return SCIARA_OK;
  out->alone = true;
  sciara_scenario_parse(path, json, strlen(json), NULL, 0, out, &diagnostics);
  const bool no_memory = diagnostics.no_memory;
  sciara_diagnostics_free(&diagnostics);
  return no_memory ? sciara_fail(SCIARA_ERR_MEMORY, "%s: no memory for %s", path, what) : SCIARA_OK;
}

enum sciara_status sciara_vent_cells_of(const struct sciara_scenario_spec *scenario, const struct sciara_grid *grid,
                                        const struct sciara_georef *georef, struct sciara_vent_cells *out) {
  enum sciara_status status = SCIARA_OK;
  *out = (struct sciara_vent_cells){0};
  for (size_t k = 0; k < scenario->vent_count && status != SCIARA_ERR_MEMORY; k++) {
    size_t n = out->count;
    status = add_vent(out, grid, georef, &scenario->vents[k]);
    while (n < out->count) out->first_s[n++] = first_of(&scenario->vents[k]);
  }
  if (status != SCIARA_ERR_MEMORY) return SCIARA_OK;
  sciara_vent_cells_free(out);
  return status;
}

enum sciara_status sciara_vent_cells_read(const char *path, const char *json, const struct sciara_grid *grid,
                                          const struct sciara_georef *georef, struct sciara_vent_cells *out) {
  struct sciara_scenario_spec scenario;
  *out = (struct sciara_vent_cells){0};
  enum sciara_status status = sciara_computed_scenario(path, json, "its vents", &scenario);
  if (status == SCIARA_OK) status = sciara_vent_cells_of(&scenario, grid, georef, out);
  sciara_scenario_free(&scenario);
  return status;
}

void sciara_vent_cells_free(struct sciara_vent_cells *v) {
  sciara_free(v->row);
  sciara_free(v->col);
  sciara_free(v->first_s);
  *v = (struct sciara_vent_cells){0};
}
