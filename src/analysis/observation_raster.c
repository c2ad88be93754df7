// SPDX-License-Identifier: Apache-2.0
// Observed rasters: each cell of the run takes the value of the raster at its centre.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analysis/observation_parts.h"
#include "base/log.h"
#include "base/mem.h"
#include "terrain/dem_source.h"

enum { STRIP_CELLS = 1 << 22 }; // read at once: rasters may be far larger than the grid

/** What is being read. */
struct sampling {
  struct sciara_gdal_scope *scope;
  const struct sciara_observation_request *request;
  const struct sciara_source *source;
  OGRCoordinateTransformationH to_raster, to_grid; ///< NULL: none is needed
  int64_t *at;                                     ///< of each cell of the grid: the raster's cell, or -1
  double *sample;                                  ///< of each cell of the grid
  double *x, *y, *value;                           ///< of a row of either
  uint8_t *valid;
  int *good;
  struct sciara_bounds bounds; ///< centres of the cells above 0, in the CRS of the grid
  double one_value;            ///< the first value above 0; 0 while there is none
  bool several_values;
  bool fractions;  ///< a value above 0 is no whole number
  double highest;  ///< of all values
  int64_t broken;  ///< cells of the raster that are NaN or infinite
  int64_t missing; ///< cells of the grid that have no value
};

/** Transforms the first points of x and y; `good` says which exist in the other CRS. */
static void transform(OGRCoordinateTransformationH by, int64_t count, struct sampling *s) {
  for (int64_t k = 0; k < count; k++) s->good[k] = 1;
  if (by) OCTTransformEx(by, (int)count, s->x, s->y, NULL, s->good); // fails as a whole if one point does
}

/** How far x lies east of `west`; in degrees within a turn, as rasters may count from -180 or from 0, and past 180. */
static double east_of(double west, double x, double turn) {
  const double east = x - west;
  return turn > 0 ? east - turn * floor(east / turn) : east;
}

/** Which cell of the raster lies under the centre of each cell of the grid. */
static int64_t locate(struct sampling *s) {
  const struct sciara_grid *g = s->request->grid;
  const struct sciara_source *r = s->source;
  const double turn = sciara_srs_turn(r->srs);
  int64_t inside = 0;
  for (int64_t row = 0; row < g->rows; row++) {
    for (int64_t col = 0; col < g->cols; col++) {
      s->x[col] = g->west + ((double)col + 0.5) * g->cell_size;
      s->y[col] = g->north - ((double)row + 0.5) * g->cell_size;
    }
    transform(s->to_raster, g->cols, s);
    for (int64_t col = 0; col < g->cols; col++) {
      const double i = floor((r->north - s->y[col]) / r->dy), j = floor(east_of(r->west, s->x[col], turn) / r->dx);
      const bool in = s->good[col] && i >= 0 && i < (double)r->rows && j >= 0 && j < (double)r->cols;
      s->at[row * g->cols + col] = in ? (int64_t)i * r->cols + (int64_t)j : -1;
      inside += in;
    }
  }
  return inside;
}

/** Where the raster itself lies, by its corners: for the diagnostic of one that is off the grid. */
static struct sciara_bounds bounds_of(struct sampling *s) {
  const struct sciara_source *r = s->source;
  struct sciara_bounds b = sciara_bounds_empty();
  for (int k = 0; k < 4; k++) {
    s->x[k] = r->west + (k % 2 ? (double)r->cols * r->dx : 0);
    s->y[k] = r->north - (k / 2 ? (double)r->rows * r->dy : 0);
  }
  transform(s->to_grid, 4, s);
  for (int k = 0; k < 4; k++) sciara_bounds_add(&b, s->x[k], s->y[k]);
  return b;
}

/** Takes note of a row of the raster: where it is above 0, and with how many different values. */
static void look_at_row(struct sampling *s, int64_t row, const double *value, const uint8_t *valid) {
  const struct sciara_source *r = s->source;
  int64_t count = 0;
  for (int64_t c = 0; c < r->cols; c++) {
    if (!valid[c] || !(value[c] > 0)) continue;
    if (s->one_value == 0) s->one_value = value[c];
    s->several_values = s->several_values || value[c] != s->one_value;
    s->fractions = s->fractions || value[c] != floor(value[c]);
    s->highest = fmax(s->highest, value[c]);
    s->x[count] = r->west + ((double)c + 0.5) * r->dx;
    s->y[count++] = r->north - ((double)row + 0.5) * r->dy;
  }
  transform(s->to_grid, count, s);
  for (int64_t k = 0; k < count; k++)
    if (s->good[k]) sciara_bounds_add(&s->bounds, s->x[k], s->y[k]);
}

/** Turns NaN and infinities to NODATA, as in a DEM. */
static void drop_broken(struct sampling *s, int64_t cells) {
  for (int64_t k = 0; k < cells; k++)
    if (s->valid[k] && !isfinite(s->value[k])) {
      s->valid[k] = 0;
      s->broken++;
    }
}

/** Gives the cells of the grid that lie in a strip of the raster their values. */
static void take_samples(struct sampling *s, int64_t first, int64_t count) {
  const int64_t cells = sciara_grid_cells(s->request->grid);
  for (int64_t i = 0; i < cells; i++) {
    const int64_t k = s->at[i] - first;
    if (s->at[i] < 0 || k < 0 || k >= count) continue;
    s->sample[i] = s->valid[k] && s->value[k] > 0 ? s->value[k] : 0;
    s->missing -= s->valid[k];
  }
}

static enum sciara_status read_strips(struct sampling *s, int64_t strip) {
  const struct sciara_source *r = s->source;
  for (int64_t row = 0; row < r->rows; row += strip) {
    const int64_t rows = r->rows - row < strip ? r->rows - row : strip;
    const int64_t window[4] = {row, 0, rows, r->cols};
    SCIARA_TRY(sciara_source_read(s->scope, r, window, s->value, s->valid));
    drop_broken(s, rows * r->cols);
    for (int64_t k = 0; k < rows; k++) look_at_row(s, row + k, s->value + k * r->cols, s->valid + k * r->cols);
    take_samples(s, row * r->cols, rows * r->cols);
  }
  return SCIARA_OK;
}

/** Whether the values are thickness in m, and no marks. Feet would pass every other check. */
static enum sciara_status is_thickness(const struct sampling *s, bool *thickness) {
  static const char *const metre[] = {"m", "metre", "metres", "meter", "meters"};
  const GDALDataType type = GDALGetRasterDataType(s->source->band);
  const char *unit = GDALGetRasterUnitType(s->source->band);
  bool in_metres = false;
  for (size_t i = 0; i < sizeof metre / sizeof *metre; i++) in_metres = in_metres || strcasecmp(unit, metre[i]) == 0;
  *thickness = s->several_values && (in_metres || type == GDT_Float32 || type == GDT_Float64);
  if (!*thickness || in_metres || !unit[0]) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: its values are in \"%s\"; thickness is needed in m, or one value for all lava",
                     s->request->path, unit);
}

enum { THICKEST = 300 }; ///< m: few lava flows are thicker, and only of rhyolite

/** Points out values that are hardly thickness, though their type is: counts of paths, classes, altitudes. */
static enum sciara_status doubt_thickness(const struct sampling *s) {
  struct sciara_text command = {0};
  const char *path = s->request->path;
  enum sciara_status status = SCIARA_OK;
  if (s->fractions && s->highest > THICKEST)
    sciara_log(SCIARA_LOG_WARNING,
               "%s: its values reach %.10g and are scored as thickness in m; no lava flow is thicker than %d m", path,
               s->highest, THICKEST);
  if (s->fractions) return SCIARA_OK;
  SCIARA_TRY_GOTO(sciara_text_append(&command, "gdal_translate -ot UInt32 -a_nodata 0 "));
  SCIARA_TRY_GOTO(sciara_source_append_paths(path, "-extent", &command));
  sciara_log(SCIARA_LOG_WARNING,
             "%s: its values are whole numbers up to %.10g, such as counts of flow paths or classes, and are scored as "
             "thickness in m; to score only where they are above 0: %s",
             path, s->highest, command.data);
cleanup:
  sciara_text_free(&command);
  return status;
}

static enum sciara_status collect(struct sampling *s, struct sciara_observation *out) {
  const struct sciara_observation_request *q = s->request;
  bool thickness;
  SCIARA_TRY(is_thickness(s, &thickness));
  if (thickness) SCIARA_TRY(doubt_thickness(s));
  if (s->broken > 0)
    sciara_log(SCIARA_LOG_WARNING, "%s: %" PRId64 " %s NaN or infinite, taken as NODATA", q->path, s->broken,
               sciara_plural((uint64_t)s->broken, "cell is", "cells are"));
  const double least = thickness ? q->min_thickness_m : 0;
  for (int64_t i = 0; i < sciara_grid_cells(q->grid); i++) out->covered[i] = s->sample[i] > least;
  if (s->missing > 0)
    sciara_log(SCIARA_LOG_INFO, "%s: has no value for %" PRId64 " %s of the run, taken as not covered", q->path,
               s->missing, sciara_plural((uint64_t)s->missing, "cell", "cells"));
  SCIARA_TRY(sciara_copy(GDALGetDriverShortName(GDALGetDatasetDriver(s->source->dataset)), "an observed extent",
                         &out->driver));
  if (thickness) {
    out->thickness = s->sample;
    s->sample = NULL;
  }
  return s->one_value > 0 ? sciara_observation_check_place(q, &s->bounds) : SCIARA_OK;
}

static enum sciara_status take_memory(struct sampling *s, int64_t strip) {
  const int64_t cells = sciara_grid_cells(s->request->grid), cols = s->request->grid->cols;
  const int64_t row = cols > s->source->cols ? cols : s->source->cols;
  s->missing = cells;
  SCIARA_TRY(SCIARA_NEW(s->at, cells, "places in an observed raster"));
  SCIARA_TRY(SCIARA_NEW(s->sample, cells, "values of an observed raster"));
  SCIARA_TRY(SCIARA_NEW(s->x, row < 4 ? 4 : row, "coordinates of a row"));
  SCIARA_TRY(SCIARA_NEW(s->y, row < 4 ? 4 : row, "coordinates of a row"));
  SCIARA_TRY(SCIARA_NEW(s->good, row < 4 ? 4 : row, "coordinates of a row"));
  SCIARA_TRY(SCIARA_NEW(s->value, strip * s->source->cols, "rows of an observed raster"));
  return SCIARA_NEW(s->valid, strip * s->source->cols, "rows of an observed raster");
}

static enum sciara_status read_source(struct sampling *s, struct sciara_observation *out) {
  const struct sciara_source *r = s->source;
  int64_t strip = STRIP_CELLS / r->cols;
  strip = strip < 1 ? 1 : strip < r->rows ? strip : r->rows;
  SCIARA_TRY(sciara_observation_transform(s->scope, s->request, r->srs, false, &s->to_raster));
  if (s->to_raster) SCIARA_TRY(sciara_observation_transform(s->scope, s->request, r->srs, true, &s->to_grid));
  SCIARA_TRY(take_memory(s, strip));
  if (locate(s) == 0) {
    const struct sciara_bounds b = bounds_of(s);
    SCIARA_TRY(sciara_observation_check_place(s->request, &b));
    return sciara_fail(SCIARA_ERR_INPUT, "%s: no cell of the run has its centre in this raster", s->request->path);
  }
  SCIARA_TRY(read_strips(s, strip));
  return collect(s, out);
}

enum sciara_status sciara_observation_read_raster(struct sciara_gdal_scope *scope,
                                                  const struct sciara_observation_request *q,
                                                  struct sciara_observation *out) {
  struct sciara_source source = {0};
  sciara_gdal_reset(scope);
  SCIARA_TRY(sciara_source_open(scope, q->path, 1, q->extra_drivers, q->extra_driver_count, NULL, &source));
  struct sampling s = {.scope = scope, .request = q, .source = &source, .bounds = sciara_bounds_empty()};
  const enum sciara_status status = read_source(&s, out);
  if (s.to_raster) OCTDestroyCoordinateTransformation(s.to_raster);
  if (s.to_grid) OCTDestroyCoordinateTransformation(s.to_grid);
  sciara_free(s.at);
  sciara_free(s.sample);
  sciara_free(s.x);
  sciara_free(s.y);
  sciara_free(s.value);
  sciara_free(s.valid);
  sciara_free(s.good);
  sciara_source_close(&source);
  return status;
}
