// SPDX-License-Identifier: Apache-2.0
#include "terrain/dem_gdal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "file/georef.h"
#include "terrain/vector_shapes.h"

// ------------------------------------------------------------------------------------------------------------- edits

/** One edit while it is applied. */
struct work {
  struct sciara_dem *dem;
  const struct sciara_notes *notes;
  const struct sciara_edit *edit;
  size_t number;    ///< its index
  uint8_t *mask;    ///< cells of one shape
  uint8_t *waits;   ///< of each cell: what will be done there, enum sciara_edit_value, plus 1; 0: nothing
  double *value;    ///< of that, m
  double *altitude; ///< that it changes: of the DEM, or as it will be at the time of the edit
  int64_t changed, missing;
  double low, high, volume; ///< changes of the altitude, m; their sum, m
};

static enum sciara_status change_cell(struct work *w, int64_t i, enum sciara_edit_value what, double value) {
  struct sciara_dem *d = w->dem;
  if (!d->valid[i] || (d->sea && d->sea[i])) {
    w->missing++;
    return SCIARA_OK;
  }
  const double before = w->altitude[i], after = sciara_edit_apply(what, value, before);
  if (!(after >= SCIARA_ALTITUDE_MIN && after <= SCIARA_ALTITUDE_MAX) || after == SCIARA_NODATA_ALTITUDE)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "row %" PRId64 ", column %" PRId64 ": expected an altitude of %g to %g m after the edit, found "
                       "%g m",
                       i / d->grid.cols, i % d->grid.cols, SCIARA_ALTITUDE_MIN, SCIARA_ALTITUDE_MAX, after);
  if (w->edit->from_s > 0) // also where it changes nothing now: there may be rock then
    SCIARA_TRY(sciara_ground_changes_add(&d->changes, (struct sciara_ground_op){i, what, value}));
  if (after == before) return SCIARA_OK;
  w->altitude[i] = after;
  w->changed += d->edit[i] != w->number + 1; // by works of several kinds perhaps
  d->edit[i] = (uint16_t)(w->number + 1);
  w->low = fmin(w->low, after - before);
  w->high = fmax(w->high, after - before);
  w->volume += after - before;
  return SCIARA_OK;
}

static enum sciara_status apply_waiting(struct work *w, int64_t i) {
  const uint8_t what = w->waits[i];
  w->waits[i] = 0;
  return what ? change_cell(w, i, (enum sciara_edit_value)(what - 1), w->value[i]) : SCIARA_OK;
}

/**
 * A line or polygon of the edit. Parts of a feature and features of a file that overlap are one work, as is a dam in two pieces: a
 * cell is changed once, by the larger of two changes of a kind; of two altitudes the last one counts.
 */
static enum sciara_status add_to_cell(struct work *w, int64_t i, enum sciara_edit_value what, double value) {
  const bool same = w->waits[i] == (uint8_t)what + 1, larger = fabs(value) > fabs(w->value[i]);
  if (!same) SCIARA_TRY(apply_waiting(w, i)); // works of different kinds are done one after the other
  if (!same || what == SCIARA_EDIT_LEVEL || (what == SCIARA_EDIT_CREST ? value > w->value[i] : larger))
    w->value[i] = value;
  w->waits[i] = (uint8_t)(what + 1);
  return SCIARA_OK;
}

/** SCIARA_ERR_INPUT, with the range, if a point lies outside the grid. */
static enum sciara_status points_check(const struct sciara_grid *g, const struct sciara_point *points, size_t count) {
  for (size_t k = 0; k < count; k++) {
    const struct sciara_point p = points[k];
    if (sciara_grid_has(g, p)) continue;
    const int d = sciara_grid_place_decimals(g);
    return sciara_fail(
        SCIARA_ERR_INPUT,
        "point %zu: expected x from %.*f to %.*f and y from %.*f to %.*f (the DEM), found x %.*f, y %.*f", k, d,
        g->west, d, sciara_grid_east(g), d, sciara_grid_south(g), d, g->north, d, p.x, d, p.y);
  }
  return SCIARA_OK;
}

static enum sciara_status add_shape(void *context, const struct sciara_shape *shape) {
  struct work *w = (struct work *)context;
  const struct sciara_grid *g = &w->dem->grid;
  enum sciara_edit_value what;
  const bool closed = shape->kind == SCIARA_POI_ZONE;
  SCIARA_TRY(sciara_edit_choose(shape->value, closed, &what));
  SCIARA_TRY(points_check(g, shape->points, shape->ends[shape->rings - 1]));
  memset(w->mask, 0, (size_t)sciara_grid_cells(g));
  if (closed)
    SCIARA_TRY(sciara_mark_polygon(g, shape->points, shape->ends, shape->rings, w->mask));
  else
    SCIARA_TRY(sciara_mark_line(g, shape->points, shape->ends[0], shape->value[SCIARA_EDIT_WIDTH], w->mask));
  for (int64_t i = 0; i < sciara_grid_cells(g); i++)
    if (w->mask[i]) SCIARA_TRY(add_to_cell(w, i, what, shape->value[what]));
  return SCIARA_OK;
}

/** A shape of a file: its columns, and for what they do not say the values of the edit. */
static enum sciara_status add_feature(void *context, const struct sciara_shape *shape) {
  const struct work *w = (const struct work *)context;
  struct sciara_shape whole = *shape;
  bool says = false;
  for (int k = SCIARA_EDIT_HEIGHT; k < SCIARA_EDIT_VALUES; k++) says |= !isnan(whole.value[k]);
  for (int k = 0; k < SCIARA_EDIT_VALUES; k++)
    if (isnan(whole.value[k]) && (k == SCIARA_EDIT_WIDTH || !says)) whole.value[k] = w->edit->value[k];
  return sciara_fail_context(add_shape(context, &whole), "%s, feature %" PRId64, w->edit->path, shape->feature + 1);
}

/** The altitudes of a raster, where it has some. */
static enum sciara_status apply_raster(const struct sciara_ground_request *q, struct work *w) {
  const int64_t cells = sciara_grid_cells(&w->dem->grid);
  double *values;
  SCIARA_TRY(SCIARA_NEW(values, (size_t)cells, "new altitudes of the ground"));
  const struct sciara_dem_request file = {.path = w->edit->raster,
                                          .band = 1,
                                          .extra_drivers = q->extra_drivers,
                                          .extra_driver_count = q->extra_driver_count,
                                          .notes = q->notes};
  enum sciara_status status = sciara_raster_read_on_grid_with(&file, &w->dem->grid, w->dem->georef.crs_wkt, values);
  for (int64_t i = 0; i < cells && status == SCIARA_OK; i++)
    if (values[i] != 0 && values[i] != SCIARA_NODATA_ALTITUDE) status = change_cell(w, i, SCIARA_EDIT_LEVEL, values[i]);
  sciara_free(values);
  return status;
}

static void report_ground(const struct work *w) {
  const double cell = w->dem->grid.cell_size;
  char from[80] = "";
  if (w->edit->from_s > 0) snprintf(from, sizeof from, " at simulated time %s", SCIARA_DURATION(w->edit->from_s));
  if (w->changed == 0) {
    sciara_note(w->notes, SCIARA_LOG_WARNING, "dem.edits[%zu] (%s) changes no cell%s", w->number, w->edit->name, from);
  } else {
    char low[32], high[32];
    snprintf(low, sizeof low, "%.4g", w->low);
    snprintf(high, sizeof high, "%.4g", w->high);
    const bool same = strcmp(low, high) == 0;
    sciara_note(w->notes, SCIARA_LOG_INFO, "dem.edits[%zu] (%s): %" PRId64 " %s changed by %s%s%s m, %.6g m3 in all%s",
                w->number, w->edit->name, w->changed, sciara_plural((uint64_t)w->changed, "cell is", "cells are"), low,
                same ? "" : " to ", same ? "" : high, w->volume * cell * cell, from);
  }
  if (w->missing > 0)
    sciara_note(w->notes, SCIARA_LOG_WARNING, "dem.edits[%zu] (%s): %" PRId64 " of its cells %s so", w->number,
                w->edit->name, w->missing,
                sciara_plural((uint64_t)w->missing, "is NODATA or sea and stays", "are NODATA or sea and stay"));
}

/** Adds the points of an edit that the scenario gives, in degrees perhaps. */
static enum sciara_status add_points(struct work *w) {
  const struct sciara_edit *edit = w->edit;
  struct sciara_point *points;
  SCIARA_TRY(SCIARA_NEW(points, edit->point_count + 1, "the points of an edit"));
  if (edit->point_count > 0) memcpy(points, edit->points, edit->point_count * sizeof *points);
  struct sciara_shape shape = {.kind = edit->closed ? SCIARA_POI_ZONE : SCIARA_POI_LINE,
                               .points = points,
                               .ends = &edit->point_count,
                               .rings = 1};
  memcpy(shape.value, edit->value, sizeof shape.value);
  const struct sciara_grid *g = &w->dem->grid;
  const char *wkt = w->dem->georef.crs_wkt;
  enum sciara_status status = SCIARA_OK;
  if (edit->lonlat) status = sciara_georef_place(wkt, g, points, edit->point_count);
  if (!edit->lonlat && edit->point_count > 0)
    status = sciara_georef_suspect_degrees(wkt, g, points[0],
                                           "\"lonlat\": true says that they are degrees, longitude first");
  if (status == SCIARA_OK) status = add_shape(w, &shape);
  sciara_free(points);
  return status;
}

/** Whether an edit is done at a simulated time, not before the run. */
static bool is_dated(const struct sciara_edit *edit) { return edit->from_s > 0; }

static enum sciara_status apply_edit(const struct sciara_ground_request *q, size_t k, struct work *w) {
  const struct sciara_edit *edit = &q->edits[k];
  *w = (struct work){.dem = w->dem,
                     .notes = q->notes,
                     .edit = edit,
                     .number = k,
                     .mask = w->mask,
                     .waits = w->waits,
                     .value = w->value,
                     .altitude = w->altitude,
                     .low = INFINITY,
                     .high = -INFINITY};
  enum sciara_status status;
  if (edit->raster) {
    status = apply_raster(q, w);
  } else if (edit->path) {
    const struct sciara_shapes_request file = {.path = edit->path,
                                               .layer = edit->layer,
                                               .place = edit->place,
                                               .crs_wkt = w->dem->georef.crs_wkt,
                                               .grid = &w->dem->grid,
                                               .extra_drivers = q->extra_drivers,
                                               .extra_driver_count = q->extra_driver_count,
                                               .notes = q->notes,
                                               .values = true,
                                               .no_time = !is_dated(edit),
                                               .on_grid = true,
                                               .visit = add_feature,
                                               .context = w};
    status = sciara_shapes_read(&file);
  } else {
    status = add_points(w);
  }
  for (int64_t i = 0; i < sciara_grid_cells(&w->dem->grid) && status == SCIARA_OK; i++) status = apply_waiting(w, i);
  if (status == SCIARA_ERR_USAGE) return status; // of an option, not of the scenario
  if (status != SCIARA_OK) return sciara_fail_context(status, "dem.edits[%zu] (%s)", k, edit->name);
  report_ground(w);
  return SCIARA_OK;
}

/** Does the edits before the run, or lists what those at simulated times will do. */
static enum sciara_status apply_edits(const struct sciara_ground_request *q, bool dated, struct sciara_dem *dem) {
  struct work w = {.dem = dem, .altitude = dem->altitude};
  const size_t cells = (size_t)sciara_grid_cells(&dem->grid);
  double *later = NULL;
  size_t count = 0;
  enum sciara_status status = SCIARA_OK;
  for (size_t k = 0; k < q->edit_count; k++) count += is_dated(&q->edits[k]) == dated;
  if (count == 0) return SCIARA_OK;
  if (!dem->edit) SCIARA_TRY_GOTO(SCIARA_NEW(dem->edit, cells, "the edits of the ground"));
  SCIARA_TRY_GOTO(SCIARA_NEW(w.mask, cells, "the cells of an edit"));
  SCIARA_TRY_GOTO(SCIARA_NEW(w.waits, cells, "the cells of an edit"));
  SCIARA_TRY_GOTO(SCIARA_NEW(w.value, cells, "the cells of an edit"));
  if (dated) {
    SCIARA_TRY_GOTO(SCIARA_NEW(later, cells, "the ground after its edits"));
    memcpy(later, dem->altitude, cells * sizeof *later);
    w.altitude = later;
  }
  for (size_t k = 0; k < q->edit_count; k++) {
    const struct sciara_edit *edit = &q->edits[k];
    if (is_dated(edit) != dated) continue;
    if (dated) SCIARA_TRY_GOTO(sciara_ground_changes_begin(&dem->changes, edit->from_s, edit->name, k));
    SCIARA_TRY_GOTO(apply_edit(q, k, &w));
  }
cleanup:
  sciara_free(w.mask);
  sciara_free(w.waits);
  sciara_free(w.value);
  sciara_free(later);
  return status;
}

// --------------------------------------------------------------------------------------------------------------- sea

enum { LARGE = 50 }; ///< cells at one altitude that may be a sea

/** Points out cells of altitude 0 that may be sea. */
static enum sciara_status suspect_sea(const struct sciara_ground_request *q, const struct sciara_dem *d) {
  const int64_t cells = sciara_grid_cells(&d->grid);
  const struct sciara_low_ground at_zero = {.level = 0, .exactly = true};
  int64_t zero = 0, valid = 0, count;
  uint8_t *mask;
  for (int64_t i = 0; i < cells; i++) {
    zero += d->valid[i] && d->altitude[i] == 0;
    valid += d->valid[i];
  }
  if (zero < LARGE || zero == valid) return SCIARA_OK;
  SCIARA_TRY(SCIARA_NEW(mask, (size_t)cells, "cells of altitude 0"));
  const enum sciara_status status = sciara_mark_connected(&d->grid, d->altitude, d->valid, at_zero, mask, &count);
  sciara_free(mask);
  if (status == SCIARA_OK && count >= LARGE)
    sciara_note(q->notes, SCIARA_LOG_WARNING,
                "%" PRId64
                " cells at the edge of the DEM have an altitude of exactly 0 m and look like sea; lava flows "
                "over them as over land. \"dem.sea\": 0 declares them as sea",
                count);
  return status;
}

/** Adds a polygon to the mask. */
static enum sciara_status add_polygon(void *context, const struct sciara_shape *shape) {
  struct sciara_dem *d = (struct sciara_dem *)context;
  if (shape->kind != SCIARA_POI_ZONE)
    return sciara_fail(SCIARA_ERR_INPUT, "feature %" PRId64 ": expected a polygon, found a line", shape->feature + 1);
  return sciara_mark_polygon(&d->grid, shape->points, shape->ends, shape->rings, d->sea);
}

static enum sciara_status find_cells(const struct sciara_ground_request *q, struct sciara_dem *d) {
  const int64_t cells = sciara_grid_cells(&d->grid);
  int64_t count;
  if (q->sea->rule == SCIARA_SEA_LEVEL) {
    const struct sciara_low_ground low = {.level = q->sea->level};
    return sciara_mark_connected(&d->grid, d->altitude, d->valid, low, d->sea, &count);
  }
  if (q->sea->rule == SCIARA_SEA_FILE) {
    const struct sciara_shapes_request file = {.path = q->sea->path,
                                               .crs_wkt = d->georef.crs_wkt,
                                               .grid = &d->grid,
                                               .extra_drivers = q->extra_drivers,
                                               .extra_driver_count = q->extra_driver_count,
                                               .notes = q->notes,
                                               .visit = add_polygon,
                                               .context = d};
    const enum sciara_status status = sciara_shapes_read(&file);
    return status == SCIARA_OK || status == SCIARA_ERR_USAGE ? status : sciara_fail_context(status, "dem.sea");
  }
  for (int64_t i = 0; i < cells; i++) d->sea[i] = !d->valid[i];
  return SCIARA_OK;
}

static enum sciara_status find_sea(const struct sciara_ground_request *q, struct sciara_dem *d) {
  const int64_t cells = sciara_grid_cells(&d->grid);
  double lowest = 0;
  int64_t sea = 0, land = 0;
  SCIARA_TRY(SCIARA_NEW(d->sea, (size_t)cells, "the sea"));
  SCIARA_TRY(find_cells(q, d));
  for (int64_t i = 0; i < cells; i++)
    if (d->valid[i]) lowest = fmin(lowest, d->altitude[i]);
  for (int64_t i = 0; i < cells; i++) {
    if (d->sea[i] && !d->valid[i]) d->altitude[i] = lowest;
    if (d->sea[i]) d->valid[i] = 1;
    sea += d->sea[i];
    land += d->valid[i] && !d->sea[i];
  }
  if (land == 0)
    return sciara_fail(SCIARA_ERR_INPUT, "dem.sea: expected land, found sea in all %" PRId64 " cells", sea);
  if (sea == 0)
    sciara_note(q->notes, SCIARA_LOG_WARNING, "dem.sea: no cell of the DEM is sea by this rule");
  else
    sciara_note(q->notes, SCIARA_LOG_INFO, "dem.sea: %" PRId64 " %s sea, %" PRId64 " land", sea,
                sciara_plural((uint64_t)sea, "cell is", "cells are"), land);
  return SCIARA_OK;
}

enum sciara_status sciara_dem_shape_ground(const struct sciara_ground_request *request, struct sciara_dem *dem) {
  SCIARA_TRY(apply_edits(request, false, dem));
  if (request->sea->rule == SCIARA_SEA_NONE)
    SCIARA_TRY(suspect_sea(request, dem));
  else
    SCIARA_TRY(find_sea(request, dem));
  SCIARA_TRY(sciara_dem_plan_changes(request, dem));
  dem->hash = sciara_dem_hash(dem);
  return SCIARA_OK;
}

enum sciara_status sciara_dem_plan_changes(const struct sciara_ground_request *request, struct sciara_dem *dem) {
  return apply_edits(request, true, dem);
}
