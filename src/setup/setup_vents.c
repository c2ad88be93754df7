// SPDX-License-Identifier: Apache-2.0
// The vents of a problem: from places in a scenario to cells with their part of the rate.
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "geometry/polyline.h"
#include "scenario/scenario_keys.h"
#include "setup/setup.h"
#include "terrain/poi_file.h"

// -------------------------------------------------------------------------------------------- features of vector files

static const char degrees[] = "EPSG:4326";

/** The feature of the vent, a point or a line. */
static enum sciara_status read_feature(struct sciara_vent_spec *v, const struct sciara_problem *p,
                                       const struct sciara_problem_options *options) {
  const struct sciara_pois_request request = {.path = v->file,
                                              .layer = v->layer,
                                              .place = v->feature,
                                              .crs_wkt = p->site ? p->source->georef.crs_wkt : degrees,
                                              .grid = p->site ? &p->grid : NULL,
                                              .extra_drivers = options->extra_drivers,
                                              .extra_driver_count = options->extra_driver_count};
  struct sciara_pois pois = {0};
  SCIARA_TRY(sciara_pois_read(&request, &pois));
  struct sciara_poi *poi = &pois.poi[0];
  const bool line = poi->kind == SCIARA_POI_LINE;
  const size_t parts = poi->point_count ? sciara_poi_parts(poi) : 0;
  enum sciara_status status = SCIARA_OK;
  if (parts != 1 || (line ? poi->point_count < 2 : poi->kind != SCIARA_POI_POINT || poi->point_count != 1)) {
    status = sciara_fail(SCIARA_ERR_INPUT,
                         "%s: place \"%.60s\": expected a point or a line of one part, found a %s of %zu %s", v->file,
                         poi->name, sciara_poi_kind_name(poi->kind), parts, sciara_plural(parts, "part", "parts"));
  } else {
    v->points = poi->points; // it is the vent's now
    v->point_count = poi->point_count;
    poi->points = NULL;
    v->lonlat = line && !p->site;
    v->place = line ? SCIARA_VENT_LINE : p->site ? SCIARA_VENT_XY : SCIARA_VENT_LONLAT;
  }
  sciara_pois_free(&pois);
  free(v->file);
  v->file = NULL;
  return status;
}

static cJSON *line_of(const struct sciara_vent_spec *v) {
  cJSON *line = cJSON_CreateArray();
  for (size_t k = 0; k < v->point_count; k++)
    if (!sciara_json_put_pair(line, v->points[k].x, v->points[k].y)) {
      cJSON_Delete(line);
      return NULL;
    }
  return line;
}

/** Puts the place of a vent into the text of the scenario. */
static bool put_place(cJSON *vent, const struct sciara_vent_spec *v) {
  static const char *const of_file[] = {"file", "layer", "place", "lonlat"};
  for (size_t k = 0; k < sizeof of_file / sizeof *of_file; k++)
    cJSON_DeleteItemFromObjectCaseSensitive(vent, of_file[k]);
  if (!sciara_json_replace(vent, "name", cJSON_CreateString(v->name))) return false;
  if (v->place == SCIARA_VENT_LINE)
    return sciara_json_replace(vent, "line", line_of(v)) &&
           (!v->lonlat || sciara_json_replace(vent, "lonlat", cJSON_CreateTrue()));
  const bool is_lonlat = v->place == SCIARA_VENT_LONLAT;
  return sciara_json_replace(vent, is_lonlat ? "lon" : "x", cJSON_CreateNumber(v->points[0].x)) &&
         sciara_json_replace(vent, is_lonlat ? "lat" : "y", cJSON_CreateNumber(v->points[0].y));
}

static enum sciara_status find_vent(const struct sciara_problem *p, const struct sciara_problem_options *options,
                                    size_t index, cJSON *vent) {
  struct sciara_vent_spec *v = &p->source->scenario.vents[index];
  if (v->file) {
    SCIARA_TRY(read_feature(v, p, options));
    if (vent) SCIARA_TRY(sciara_vent_area_check(vent, v->place, index));
  }
  if (v->lonlat && p->site) {
    SCIARA_TRY(sciara_georef_place(p->source->georef.crs_wkt, &p->grid, v->points, v->point_count));
    v->lonlat = false;
  }
  return !vent || put_place(vent, v) ? SCIARA_OK : sciara_no_memory("a scenario");
}

static bool is_to_do(const struct sciara_problem *p, size_t k) {
  const struct sciara_vent_spec *v = &p->source->scenario.vents[k];
  return v->file || (v->lonlat && p->site && v->point_count > 0);
}

enum sciara_status sciara_problem_find_vents(struct sciara_problem *p, const struct sciara_problem_options *options) {
  struct sciara_scenario_spec *s = &p->source->scenario;
  cJSON *root = NULL;
  struct sciara_text text = {0};
  enum sciara_status status = SCIARA_OK;
  size_t first = 0;
  while (first < s->vent_count && !is_to_do(p, first)) first++;
  if (first == s->vent_count) return SCIARA_OK;
  if (s->json)
    SCIARA_TRY(sciara_json_parse(s->path, s->json, strlen(s->json), &root)); // a member of a base has no text
  for (size_t k = first; k < s->vent_count && status == SCIARA_OK; k++) {
    if (!is_to_do(p, k)) continue;
    cJSON *vent = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(root, "vents"), (int)k);
    status = find_vent(p, options, k, vent);
    if (status != SCIARA_OK) status = sciara_fail_context(status, "%s: vents[%zu] (%s)", s->path, k, s->vents[k].name);
  }
  if (status == SCIARA_OK && root) status = sciara_json_print(root, &text);
  cJSON_Delete(root);
  if (status != SCIARA_OK || !text.data) {
    sciara_text_free(&text);
    return status;
  }
  free(s->json);
  s->json = text.data;
  return SCIARA_OK;
}

// --------------------------------------------------------------------------------------------------------------- cells

static enum sciara_status cell_of(const struct sciara_grid *g, double x, double y, int64_t *row, int64_t *col) {
  const double east = sciara_grid_east(g), south = sciara_grid_south(g);
  const int k = sciara_grid_place_decimals(g);
  if (sciara_grid_cell_of(g, (struct sciara_point){x, y}, row, col)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "expected x from %.*f to below %.*f and y from above %.*f to %.*f (the DEM), found x %.*f, y %.*f",
                     k, g->west, k, east, k, south, k, g->north, k, x, k, y);
}

static enum sciara_status check_on_grid(const struct sciara_grid *g, int64_t row, int64_t col) {
  if (row >= 0 && col >= 0 && row < g->rows && col < g->cols) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "expected row 0 to %" PRId64 " and column 0 to %" PRId64 ", found row %" PRId64
                     ", column %" PRId64,
                     g->rows - 1, g->cols - 1, row, col);
}

/** Whether this cell can be a vent. */
static enum sciara_status check_cell(const struct sciara_site *site, int64_t row, int64_t col) {
  const struct sciara_grid *g = &site->grid;
  SCIARA_TRY(check_on_grid(g, row, col));
  const uint8_t kind = site->kind[row * g->cols + col];
  if (kind == SCIARA_CELL_INTERIOR) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "expected a cell whose 8 neighbours are valid, found %s in row %" PRId64 ", column %" PRId64,
                     kind == SCIARA_CELL_RIM   ? "a cell on the rim of the domain"
                     : kind == SCIARA_CELL_SEA ? "a cell of the sea"
                                               : "a NODATA cell",
                     row, col);
}

enum sciara_status sciara_vent_place_check(const struct sciara_site *site, const struct sciara_point *points,
                                           size_t count) {
  struct sciara_crossing *crossing = NULL;
  size_t cells = 0;
  int64_t row = -1, col = -1;
  if (count == 1) {
    SCIARA_TRY(cell_of(&site->grid, points->x, points->y, &row, &col));
    return check_cell(site, row, col);
  }
  enum sciara_status status = sciara_polyline_cells(&site->grid, points, count, &crossing, &cells);
  for (size_t k = 0; k < cells && status == SCIARA_OK; k++) status = check_cell(site, crossing[k].row, crossing[k].col);
  sciara_free(crossing);
  return status;
}

/** The cell of a vent at a point, and the point: the centre of the cell if the cell was given. */
static enum sciara_status locate(const struct sciara_problem *p, const struct sciara_vent_spec *spec, int64_t *row,
                                 int64_t *col, struct sciara_point *point) {
  *point = spec->points[0];
  if (spec->place == SCIARA_VENT_ROWCOL) {
    *row = (int64_t)point->y;
    *col = (int64_t)point->x;
    *point = sciara_cell_centre(&p->grid, *row, *col);
    return check_on_grid(&p->grid, *row, *col);
  }
  if (spec->place == SCIARA_VENT_LONLAT) SCIARA_TRY(sciara_georef_place(p->source->georef.crs_wkt, &p->grid, point, 1));
  return cell_of(&p->grid, point->x, point->y, row, col);
}

static enum sciara_status place_point(struct sciara_problem *p, const struct sciara_vent_spec *spec) {
  int64_t row = -1, col = -1;
  struct sciara_point point;
  SCIARA_TRY(locate(p, spec, &row, &col, &point));
  SCIARA_TRY(check_cell(p->site, row, col));
  return sciara_vents_add(p->vents, row, col, (int64_t)spec->rate_count, spec->edges, spec->rates);
}

/** A fissure: one vent for each cell, with a part of the rate in proportion to its length. */
static enum sciara_status place_line(struct sciara_problem *p, const struct sciara_vent_spec *spec) {
  struct sciara_crossing *crossing = NULL;
  double *rates = NULL, total = 0;
  size_t count = 0;
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_polyline_cells(&p->grid, spec->points, spec->point_count, &crossing, &count));
  SCIARA_TRY_GOTO(SCIARA_NEW(rates, spec->rate_count, "rates of a fissure"));
  for (size_t k = 0; k < count; k++) total += crossing[k].length;
  for (size_t k = 0; k < count; k++) {
    SCIARA_TRY_GOTO(check_cell(p->site, crossing[k].row, crossing[k].col));
    for (size_t n = 0; n < spec->rate_count; n++) rates[n] = spec->rates[n] * (crossing[k].length / total);
    SCIARA_TRY_GOTO(
        sciara_vents_add(p->vents, crossing[k].row, crossing[k].col, (int64_t)spec->rate_count, spec->edges, rates));
  }
cleanup:
  sciara_free(crossing);
  sciara_free(rates);
  return status;
}

enum { MOST_SLOTS_OF_AREA = 50000000 }; ///< rates of all cells of a vent with an area: 1.2 GB

/** Keeps the interior cells of an area; the others are reported, unless the vent is only checked. */
static enum sciara_status drop_cells(const struct sciara_problem *p, const struct sciara_vent_spec *spec,
                                     bool only_check, int64_t *cell, size_t *count) {
  size_t rim = 0, sea = 0, kept = 0;
  char left[96];
  for (size_t k = 0; k < *count; k++) {
    const uint8_t kind = p->site->kind[cell[k]];
    rim += kind == SCIARA_CELL_RIM;
    sea += kind == SCIARA_CELL_SEA;
    if (kind == SCIARA_CELL_INTERIOR) cell[kept++] = cell[k];
  }
  const size_t all = *count, out = all - kept;
  *count = kept;
  snprintf(left, sizeof left, "%zu on the rim of the domain, %zu in the sea, %zu NODATA", rim, sea, out - rim - sea);
  if (kept == 0)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "expected a cell whose 8 neighbours are valid in the area of the vent, found %s", left);
  if (out > 0 && !only_check)
    sciara_note(p->notes, SCIARA_LOG_INFO,
                "%s: %zu of the %zu cells of its area are left out: %s; the others emit the whole rate", spec->name,
                out, all, left);
  if (spec->rate_count <= MOST_SLOTS_OF_AREA / kept) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "the area of the vent: expected at most %d rates in all its cells, found %zu cells with %zu rates",
                     MOST_SLOTS_OF_AREA, kept, spec->rate_count);
}

/** The cells of a vent with an area, in row-major order; release them with sciara_free, also after a failure. */
static enum sciara_status find_area(const struct sciara_problem *p, const struct sciara_vent_spec *spec,
                                    bool only_check, int64_t **cell, size_t *count) {
  const bool line = spec->place == SCIARA_VENT_LINE;
  int64_t row, col;
  struct sciara_point point;
  if (!line) SCIARA_TRY(locate(p, spec, &row, &col, &point));
  SCIARA_TRY(sciara_vent_area_cells(&p->grid, line ? spec->points : &point, line ? spec->point_count : 1, spec->reach_m,
                                    cell, count));
  return drop_cells(p, spec, only_check, *cell, count);
}

/** A vent with an area: one vent for each of its n cells, in row-major order, with the n-th part of the rate. */
static enum sciara_status place_area(struct sciara_problem *p, const struct sciara_vent_spec *spec) {
  int64_t *cell = NULL;
  double *rates = NULL;
  size_t count;
  enum sciara_status status;
  SCIARA_TRY_GOTO(find_area(p, spec, false, &cell, &count));
  SCIARA_TRY_GOTO(SCIARA_NEW(rates, spec->rate_count, "rates of a vent with an area"));
  for (size_t n = 0; n < spec->rate_count; n++) rates[n] = spec->rates[n] * (1 / (double)count);
  for (size_t k = 0; k < count; k++)
    SCIARA_TRY_GOTO(sciara_vents_add(p->vents, cell[k] / p->grid.cols, cell[k] % p->grid.cols,
                                     (int64_t)spec->rate_count, spec->edges, rates));
cleanup:
  sciara_free(cell);
  sciara_free(rates);
  return status;
}

enum sciara_status sciara_vent_check(const struct sciara_problem *p, const struct sciara_vent_spec *spec) {
  int64_t row = -1, col = -1, *cell = NULL;
  size_t count;
  struct sciara_point point;
  if (spec->reach_m > 0) {
    const enum sciara_status status = find_area(p, spec, true, &cell, &count);
    sciara_free(cell);
    return status;
  }
  if (spec->place == SCIARA_VENT_LINE) return sciara_vent_place_check(p->site, spec->points, spec->point_count);
  SCIARA_TRY(locate(p, spec, &row, &col, &point));
  return check_cell(p->site, row, col);
}

bool sciara_problem_has_area(const struct sciara_problem *p) {
  for (size_t k = 0; k < p->source->scenario.vent_count; k++)
    if (p->source->scenario.vents[k].reach_m > 0) return true;
  return false;
}

/** Refuses degrees where metres are expected. */
static enum sciara_status refuse_degrees(const struct sciara_problem *p, const struct sciara_vent_spec *spec) {
  if (spec->place != SCIARA_VENT_XY && spec->place != SCIARA_VENT_LINE) return SCIARA_OK;
  return sciara_georef_suspect_degrees(p->source->georef.crs_wkt, &p->grid, spec->points[0],
                                       spec->place == SCIARA_VENT_LINE
                                           ? "give \"lonlat\": true beside line ('sciara init': --fissure-lonlat)"
                                           : "give lon and lat in place of x and y ('sciara init': --vent-lonlat)");
}

/** One vent of the scenario, if its position was valid. */
static enum sciara_status place_vent(struct sciara_problem *p, size_t k) {
  const struct sciara_vent_spec *spec = &p->source->scenario.vents[k];
  const int64_t first = p->vents->count;
  if (spec->point_count == 0) return SCIARA_OK;
  enum sciara_status status = refuse_degrees(p, spec);
  if (status == SCIARA_OK)
    status = spec->reach_m > 0                 ? place_area(p, spec)
             : spec->place == SCIARA_VENT_LINE ? place_line(p, spec)
                                               : place_point(p, spec);
  if (status != SCIARA_OK)
    return sciara_fail_context(status, "%s: vents[%zu] (%s)", p->source->scenario.path, k, spec->name);
  p->source->placed[k] =
      (struct sciara_placement){.first = first,
                                .count = p->vents->count - first,
                                .altitude = p->site->z0[p->vents->row[first] * p->grid.cols + p->vents->col[first]]};
  return SCIARA_OK;
}

enum sciara_status sciara_problem_place_vents(struct sciara_problem *p, struct sciara_diagnostics *diagnostics) {
  p->vents = sciara_vents_create();
  if (!p->vents) return SCIARA_ERR_MEMORY;
  SCIARA_TRY(SCIARA_NEW(p->source->placed, p->source->scenario.vent_count, "the places of the vents"));
  for (size_t k = 0; k < p->source->scenario.vent_count; k++) sciara_diagnostics_add(diagnostics, place_vent(p, k));
  return sciara_problem_make_rounding(p);
}
