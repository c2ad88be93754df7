// SPDX-License-Identifier: Apache-2.0
#include "setup/setup.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/date.h"
#include "base/mem.h"
#include "geometry/polyline.h"
#include "model/params.h"
#include "model/range.h"
#include "scenario/scenario_keys.h"
#include "setup/cost.h"
#include "setup/scenario_site.h"
#include "sim/choose_engine.h"
#include "terrain/dem_gdal.h"
#include "terrain/poi_file.h"

// The vents of a problem: from places in a scenario to cells with their part of the rate.
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
  if (pois.count > 1) {
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: place \"%.60s\": expected one feature of this name, found %zu", v->file,
                         poi->name, pois.count);
  } else if (parts != 1 || (line ? poi->point_count < 2 : poi->kind != SCIARA_POI_POINT || poi->point_count != 1)) {
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

/**
 * Gives vents that are features of vector files, and fissures in degrees, their points, in the scenario and in its text, so that no
 * file is needed any more. Without a site, files are read in degrees and lines in degrees stay. SCIARA_ERR_INPUT, with the key of
 * the vent, for a feature that is no point and no line of one part, and for points off the DEM in degrees.
 */
static enum sciara_status problem_find_vents(struct sciara_problem *p, const struct sciara_problem_options *options) {
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
    status = sciara_fail_context(find_vent(p, options, k, vent), "%s: vents[%zu] (%s)", s->path, k, s->vents[k].name);
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

/** Makes vents and placed from the scenario, and the rounding; an invalid vent is a diagnostic. */
static enum sciara_status problem_place_vents(struct sciara_problem *p, struct sciara_diagnostics *diagnostics) {
  p->vents = sciara_vents_create();
  if (!p->vents) return SCIARA_ERR_MEMORY;
  SCIARA_TRY(SCIARA_NEW(p->source->placed, p->source->scenario.vent_count, "the places of the vents"));
  for (size_t k = 0; k < p->source->scenario.vent_count; k++) sciara_diagnostics_add(diagnostics, place_vent(p, k));
  return sciara_problem_make_rounding(p);
}

static void release_source(struct sciara_source *s) {
  sciara_free(s->placed);
  sciara_free(s->observed);
  free(s->observed_warning);
  sciara_scenario_free(&s->scenario);
  sciara_free(s);
}

bool sciara_problem_begin(struct sciara_problem *p, struct sciara_diagnostics *diagnostics) {
  *p = (struct sciara_problem){.release = release_source};
  sciara_diagnostics_add(diagnostics, SCIARA_NEW(p->source, 1, "a scenario"));
  return p->source;
}

/** Takes over from the scenario what is stepped. */
static void take_terms(struct sciara_problem *p) {
  const struct sciara_scenario_spec *s = &p->source->scenario;
  p->params = s->params;
  p->boundary = s->boundary;
  p->run = s->run;
  p->engine = s->engine;
  p->notes = s->notes;
}

/** Takes the site given by the options, or reads the DEM. */
static enum sciara_status take_site(struct sciara_problem *p, const struct sciara_problem_options *options) {
  if (options->site && options->ground)
    return sciara_fail(SCIARA_ERR_INTERNAL, "a shared site and the ground of a run folder exclude each other");
  if (options->site) {
    SCIARA_TRY(sciara_scenario_site_check(&p->source->scenario, options->site));
    SCIARA_TRY(sciara_scenario_site_share(&p->source->scenario, options, &p->site));
  } else {
    SCIARA_TRY(sciara_scenario_site_read(&p->source->scenario, options, &p->site));
  }
  if (p->engine.single_precision)
    sciara_note(p->notes, SCIARA_LOG_INFO, "single precision: altitudes and initial lava are rounded to float");
  p->grid = p->site->grid;
  p->source->georef = (struct sciara_georef){.crs_wkt = p->site->origin.crs_wkt, .crs_name = p->site->origin.crs_name};
  return SCIARA_OK;
}

/** Makes the state of the bare ground. */
static enum sciara_status make_state(struct sciara_problem *p) {
  const struct sciara_scenario_spec *s = &p->source->scenario;
  SCIARA_TRY(sciara_state_create_on(p->site, sciara_scenario_record(s), &p->state));
  p->state->clock = sciara_problem_first_clock(p);
  return SCIARA_OK;
}

// ----------------------------------------------------------------------------------------------------- initial lava

/** Fills values[cells] from an array of the caller, of rows x cols. */
static enum sciara_status copy_layer(const struct sciara_grid *g, const struct sciara_initial_lava *lava,
                                     const double *array, double *values) {
  if (lava->rows != g->rows || lava->cols != g->cols)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "expected %" PRId64 " rows and %" PRId64 " columns, as the DEM has; found %" PRId64
                       " rows and %" PRId64 " columns",
                       g->rows, g->cols, lava->rows, lava->cols);
  for (int64_t i = 0; i < sciara_grid_cells(g); i++)
    values[i] = isnan(array[i]) || array[i] == SCIARA_NODATA_ALTITUDE ? 0 : array[i];
  return SCIARA_OK;
}

/** Fills values[cells] from `array`, if there is one and the layer says so, or from a raster on the grid of the DEM. */
static enum sciara_status read_path(const struct sciara_problem *p, const struct sciara_problem_options *options,
                                    const char *path, const double *array, double *values) {
  const struct sciara_grid *g = &p->grid;
  if (array && sciara_path_is_of_memory(path)) return copy_layer(g, options->initial, array, values);
  const struct sciara_dem_request request = {.path = path,
                                             .extra_drivers = options->extra_drivers,
                                             .extra_driver_count = options->extra_driver_count,
                                             .notes = p->notes};
  const enum sciara_status status = sciara_raster_read_on_grid_with(&request, g, p->source->georef.crs_wkt, values);
  if (!sciara_path_is_of_memory(path)) return status;
  if (status != SCIARA_ERR_IO) return status;
  return sciara_fail(status,
                     "expected a raster or a number, found \"%s\", which stands for an array of the program that "
                     "wrote this scenario",
                     SCIARA_MEMORY_LAYER);
}

/** Fills values[cells] from a constant (on interior cells), a raster on the grid of the DEM, or an array. */
static enum sciara_status read_layer(const struct sciara_problem *p, const struct sciara_problem_options *options,
                                     const struct sciara_layer_spec *layer, double preset, double *values) {
  const struct sciara_state *s = p->state;
  const bool of_thickness = layer == &p->source->scenario.initial_thickness;
  if (layer->path) {
    const struct sciara_initial_lava *lava = options->initial;
    const double *array = !lava ? NULL : of_thickness ? lava->thickness : lava->temperature;
    const enum sciara_status status = read_path(p, options, layer->path, array, values);
    if (status == SCIARA_OK || status == SCIARA_ERR_USAGE) return status;
    return sciara_fail_context(status, "%s: initial.%s", p->source->scenario.path,
                               of_thickness ? "thickness" : "temperature");
  }
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++)
    values[i] = s->kind[i] == SCIARA_CELL_INTERIOR ? (layer->given ? layer->value : preset) : 0;
  return SCIARA_OK;
}

static enum sciara_status check_initial(const struct sciara_problem *p, int64_t i, double h, double T) {
  const struct sciara_state *s = p->state;
  const struct sciara_params *params = &p->params;
  const int64_t row = i / s->grid.cols, col = i % s->grid.cols;
  if (!(h >= 0 && h <= 1000))
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: initial.thickness: row %" PRId64 ", column %" PRId64 ": expected 0 to 1000 m, found %g",
                       p->source->scenario.path, row, col, h);
  if (h > 0 && s->kind[i] != SCIARA_CELL_INTERIOR)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: initial.thickness: row %" PRId64 ", column %" PRId64
                       ": expected lava only in cells with 8 valid neighbours, found %g m in %s",
                       p->source->scenario.path, row, col, h,
                       s->kind[i] == SCIARA_CELL_RIM   ? "a cell on the rim"
                       : s->kind[i] == SCIARA_CELL_SEA ? "a cell of the sea"
                                                       : "a NODATA cell");
  const struct sciara_range *range = sciara_range_of(p->engine.single_precision);
  if (h > 0 && !sciara_range_holds(range, h))
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: initial.thickness: row %" PRId64 ", column %" PRId64
                       ": expected 0 or at least %.6g m in %s precision, found %.15g",
                       p->source->scenario.path, row, col, range->least_normal, range->name, h);
  if (h > 0 && !(T > params->T_sol && T <= params->T_vent))
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: initial.temperature: row %" PRId64 ", column %" PRId64
                       ": expected above %g to %g K, found %g",
                       p->source->scenario.path, row, col, params->T_sol, params->T_vent, T);
  return SCIARA_OK;
}

static enum sciara_status place_initial_lava(struct sciara_problem *p, const struct sciara_problem_options *options) {
  const struct sciara_scenario_spec *scenario = &p->source->scenario;
  struct sciara_state *s = p->state;
  if (!scenario->initial_thickness.given && !scenario->initial_thickness.path) return SCIARA_OK;
  if (!scenario->initial_temperature.given && !scenario->initial_temperature.path)
    sciara_note(p->notes, SCIARA_LOG_INFO, "initial lava: no initial.temperature is given, %g K (T_vent_K) is used",
                scenario->params.T_vent);
  SCIARA_TRY(read_layer(p, options, &scenario->initial_thickness, 0, s->h));
  SCIARA_TRY(read_layer(p, options, &scenario->initial_temperature, scenario->params.T_vent, s->T));
  const double area = s->grid.cell_size * s->grid.cell_size;
  double sum = 0;
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++) {
    SCIARA_TRY(check_initial(p, i, s->h[i], s->T[i])); // before rounding, which may raise T_vent by an ulp
    if (scenario->engine.single_precision) {
      s->h[i] = (double)(float)s->h[i];
      s->T[i] = (double)(float)s->T[i];
    }
    if (!(s->h[i] > 0)) {
      s->h[i] = s->T[i] = 0;
      continue;
    }
    s->arrival[i] = 0;
    sum += s->h[i];
  }
  s->initial = area * sum;
  return SCIARA_OK;
}

// ----------------------------------------------------------------------------------------- limits of the precision

/** Checks that the lava emitted in a step is a normal number of the precision, for every rate and part of a slot. */
static enum sciara_status check_rates(const struct sciara_problem *p, int64_t vent) {
  const struct sciara_vents *v = p->vents;
  const bool single = p->engine.single_precision;
  const double least = sciara_least_rate(v, vent, &p->params, p->grid.cell_size, single);
  for (int64_t k = v->first[vent]; k < v->first[vent + 1]; k++)
    if (v->rate[k] > 0 && !(v->rate[k] >= least))
      return sciara_fail(SCIARA_ERR_INPUT,
                         "expected 0 or at least %.3g m3/s, found %.15g m3/s from %.15g to %.15g s in row %" PRId64
                         ", column %" PRId64 ": a lower rate may underflow in %s precision",
                         least, v->rate[k], v->begin[k], v->end[k], v->row[vent], v->col[vent],
                         sciara_range_of(single)->name);
  return SCIARA_OK;
}

static enum sciara_status refuse_time(const struct sciara_problem *p, const char *what, double found, double latest) {
  return sciara_fail(
      SCIARA_ERR_INPUT,
      "%s: %s: expected at most %.6g s unless run.max_steps is given, found %.15g s: at later times a step of at most "
      "%.6g s (model.relaxation times model.clock_max_s) is lost in the rounding of the time",
      p->source->scenario.path, what, latest, found, sciara_largest_clock(&p->params, p->engine.single_precision));
}

/** Checks that steps of the largest clock can reach the end of the run, if time ends it. */
static enum sciara_status check_end(const struct sciara_problem *p) {
  const struct sciara_scenario_spec *s = &p->source->scenario;
  const double latest = sciara_latest_time(&s->params, s->engine.single_precision);
  const double end = sciara_limits_end(&s->run), vents_end = sciara_vents_end(p->vents);
  if (s->run.max_steps != UINT64_MAX || end <= latest) return SCIARA_OK;
  const bool by_until = s->run.until == SCIARA_UNTIL_TIME && s->run.until_s == end;
  if (isfinite(end)) return refuse_time(p, by_until ? "run.until" : "run.max_time", end, latest);
  return vents_end <= latest ? SCIARA_OK : refuse_time(p, "vents: end of the effusion", vents_end, latest);
}

/** Compares scenario, cells and vents with the limits of the precision. */
static void check_ranges(const struct sciara_problem *p, struct sciara_diagnostics *diagnostics) {
  const struct sciara_scenario_spec *s = &p->source->scenario;
  enum sciara_status status = sciara_cell_size_check(&s->params, p->grid.cell_size, s->engine.single_precision);
  sciara_diagnostics_add(diagnostics, sciara_fail_context(status, "%s", s->path));
  for (size_t k = 0; k < s->vent_count; k++) {
    const struct sciara_placement *at = &p->source->placed[k];
    status = SCIARA_OK;
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): all vents are placed
    for (int64_t n = at->first; n < at->first + at->count && status == SCIARA_OK; n++) status = check_rates(p, n);
    sciara_diagnostics_add(diagnostics, sciara_fail_context(status, "%s: vents[%zu].effusion", s->path, k));
  }
  status = sciara_volume_check(sciara_vents_total(p->vents), p->grid.cell_size);
  sciara_diagnostics_add(diagnostics, sciara_fail_context(status, "%s: vents", s->path));
  sciara_diagnostics_add(diagnostics, check_end(p));
}

/** Places the vents of the scenario and checks them; what stood there before is returned to the caller. */
static enum sciara_status replace_vents(struct sciara_problem *p, struct sciara_vents **vents,
                                        struct sciara_placement **placed) {
  struct sciara_diagnostics diagnostics = {0};
  *vents = p->vents;
  *placed = p->source->placed;
  p->vents = NULL;
  p->source->placed = NULL;
  sciara_diagnostics_add(&diagnostics, problem_place_vents(p, &diagnostics));
  if (diagnostics.count == 0) check_ranges(p, &diagnostics);
  return sciara_diagnostics_end(&diagnostics);
}

/** Takes the change back. */
static void scenario_undo_effusion(struct sciara_scenario_spec *s, struct sciara_effusion_change *change) {
  struct sciara_vent_spec *spec = &s->vents[change->vent];
  sciara_free(spec->edges);
  sciara_free(spec->rates);
  free(s->json);
  *spec = change->before;
  s->json = change->json;
}

static enum sciara_status set_rate(struct sciara_problem *p, size_t k, double now, double rate, double until) {
  struct sciara_effusion_change change;
  const struct sciara_rounding rounding = p->rounding;
  struct sciara_vents *vents;
  struct sciara_placement *placed;
  SCIARA_TRY(sciara_scenario_change_effusion(&p->source->scenario, k, now, rate, until, &change));
  const enum sciara_status status = replace_vents(p, &vents, &placed);
  if (status != SCIARA_OK) { // back to what was there
    sciara_vents_destroy(p->vents);
    sciara_free(p->source->placed);
    p->vents = vents;
    p->source->placed = placed;
    p->rounding = rounding;
    scenario_undo_effusion(&p->source->scenario, &change);
    return status;
  }
  sciara_vents_destroy(vents);
  sciara_free(placed);
  sciara_scenario_release_effusion(&change);
  return SCIARA_OK;
}

enum sciara_status sciara_simulation_set_rate(struct sciara_simulation *s, size_t vent, double rate, double until) {
  SCIARA_TRY(sciara_simulation_sync(s));
  SCIARA_TRY(set_rate(&s->problem, vent, s->progress.time, rate, until));
  return sciara_simulation_change_vents(s);
}

// ------------------------------------------------------------------------------------------------------------ whole

static enum sciara_status place_on_site(struct sciara_problem *p, const struct sciara_problem_options *options,
                                        struct sciara_diagnostics *diagnostics) {
  if (p->source->scenario.dem.margin_m > 0) SCIARA_TRY(problem_find_vents(p, options)); // the DEM depends on them
  SCIARA_TRY(take_site(p, options));
  SCIARA_TRY(problem_find_vents(p, options));
  return problem_place_vents(p, diagnostics);
}

bool sciara_problem_place_on_map(struct sciara_problem *p, const struct sciara_problem_options *options,
                                 const struct sciara_engine_ops **ops, struct sciara_diagnostics *diagnostics) {
  const bool scenario_passed = diagnostics->count == 0;
  enum sciara_status on_map = SCIARA_ERR_INPUT; // if the name of the DEM was rejected
  *ops = NULL;
  if (!p->source) return false;
  take_terms(p);
  if (p->source->scenario.dem.path) {
    on_map = place_on_site(p, options, diagnostics);
    sciara_diagnostics_add(diagnostics, on_map);
  }
  if (p->engine.name) { // otherwise nothing of the scenario could be read
    const enum sciara_status found = sciara_engine_choose(&p->engine, p->params.rule, p->notes, ops);
    if (!options->any_engine) sciara_diagnostics_add(diagnostics, found);
    if (found == SCIARA_OK)
      sciara_diagnostics_add(diagnostics, sciara_engine_check_bands(&p->engine, *ops, options->ranks));
  }
  if (!scenario_passed || on_map != SCIARA_OK) return false;
  const size_t before = diagnostics->count;
  check_ranges(p, diagnostics);
  return diagnostics->count == before; // other numbers cannot be used either
}

enum sciara_status sciara_problem_start(struct sciara_problem *p, const struct sciara_problem_options *options) {
  const bool replaced = options->ground || options->bare;
  if (p->source->scenario.initial_checkpoint && !replaced)
    SCIARA_TRY(sciara_initial_checkpoint_take(p));
  else
    SCIARA_TRY(make_state(p));
  if (replaced) return SCIARA_OK;
  SCIARA_TRY(sciara_problem_change_due(p));
  return p->source->scenario.observed.outline ? sciara_initial_observed_take(p, options)
                                              : place_initial_lava(p, options);
}
