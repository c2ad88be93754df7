// SPDX-License-Identifier: Apache-2.0
#include "terrain/dem_gdal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/hash.h"
#include "base/mem.h"
#include "file/gdal_support.h"
#include "model/params.h"
#include "terrain/dem_parts.h"
#include "terrain/dem_source.h"

static void free_treatment(struct sciara_dem_treatment *t) {
  OSRRelease(t->from);
  OSRRelease(t->to);
}

static enum sciara_status refuse(const struct sciara_dem_request *q, const struct sciara_source *s, const char *found) {
  struct sciara_text command = {0};
  enum sciara_status status = sciara_source_suggest_warp(s, q->crs, q->cell_size_m, &command);
  if (status == SCIARA_OK)
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: %s; square cells in metres are needed. Make them with: %s", q->path,
                         found, command.data);
  sciara_text_free(&command);
  return status;
}

/**
 * A DEM in degrees: the keys with which it is warped when it is read, to the cells for which a rule was calibrated: fv3, or
 * from cells that are too large for it bingham.
 */
static enum sciara_status refuse_degrees(const struct sciara_dem_request *q, const struct sciara_source *s) {
  const int utm = sciara_source_utm(s);
  const bool given = q->cell_size_m > 0, coarse = !given && sciara_source_round_cell(s) > SCIARA_CELL_MOST;
  const enum sciara_rule_kind rule = coarse ? SCIARA_RULE_BINGHAM : SCIARA_RULE_FV3;
  const double cell = given ? q->cell_size_m : sciara_preset_of_rule(rule)->cell_size_m;
  char found[192], crs[32], why[128] = "";
  snprintf(found, sizeof found, "its cells are %.9g x %.9g degrees", s->dx, s->dy);
  if (!q->crs && !utm) return refuse(q, s, found);
  snprintf(crs, sizeof crs, "EPSG:%d", utm);
  if (!given)
    snprintf(why, sizeof why, " to cells of %g m, for which the parameters of rule %s were fitted", cell,
             sciara_rule_name(rule));
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: %s; square cells in metres are needed. These keys have it warped%s: --set dem.crs=%s --set "
                     "dem.cell_size_m=%.10g%s",
                     q->path, found, why, q->crs ? q->crs : crs, cell, coarse ? " --set model.rule=bingham" : "");
}

/** Whether the coordinates are said to be metres from somewhere, of an experiment perhaps. */
static bool is_local(const struct sciara_dem_request *q) { return q->crs && strcmp(q->crs, "local") == 0; }

/** Fills `to` from the request and `from` from the DEM, or from the request where the DEM names none. */
static enum sciara_status choose_crs(const struct sciara_dem_request *q, const struct sciara_source *s,
                                     struct sciara_dem_treatment *t) {
  if (is_local(q)) {
    if (!s->srs || OSRIsLocal(s->srs)) return SCIARA_OK;
    return sciara_fail(SCIARA_ERR_INPUT, "dem.crs: \"local\" is for a raster that names no CRS; %s names \"%s\"",
                       q->path, OSRGetName(s->srs));
  }
  if (q->crs) {
    const enum sciara_status status = sciara_srs_parse(q->crs, &t->to);
    if (status != SCIARA_OK) return sciara_fail_context(status, "dem.crs");
    if (!sciara_srs_is_metric(t->to))
      return sciara_fail(
          SCIARA_ERR_INPUT,
          "dem.crs: expected a projected CRS in metres (UTM zones: EPSG:326zz north, 327zz south), found \"%s\"",
          q->crs);
  }
  if (s->srs) {
    t->from = OSRClone(s->srs);
    if (!t->to) t->to = OSRClone(s->srs);
  } else if (t->to) {
    t->from = OSRClone(t->to);
    sciara_note(q->notes, SCIARA_LOG_INFO, "%s: names no CRS; it is taken to be in %s", q->path, q->crs);
  }
  return SCIARA_OK;
}

static enum sciara_status check_unknown_crs(const struct sciara_dem_request *q, const struct sciara_source *s) {
  if (is_local(q) || q->own) return SCIARA_OK;
  double south = s->north - s->dy * (double)s->rows, east = s->west + s->dx * (double)s->cols;
  if (s->dx < 0.1 && s->west >= -180 && east <= 360 && south >= -90 && s->north <= 90) {
    char found[160];
    snprintf(found, sizeof found,
             "names no CRS and has cells of %g at %g, %g: these look like degrees (if they are metres: \"dem.crs\": "
             "\"local\")",
             s->dx, s->west, s->north);
    struct sciara_source guess = *s; // for the command only
    guess.guess = SCIARA_SOURCE_DEGREES;
    SCIARA_TRY(sciara_srs_parse(guess.guess, &guess.srs));
    const enum sciara_status status = refuse(q, &guess, found);
    OSRRelease(guess.srs);
    return status;
  }
  if (!q->crs)
    sciara_note(q->notes, SCIARA_LOG_WARNING,
                "%s: names no CRS; its coordinates are taken to be metres, and maps will have no CRS", q->path);
  return SCIARA_OK;
}

static enum sciara_status check_units(const struct sciara_dem_request *q, const struct sciara_source *s,
                                      const struct sciara_dem_treatment *t) {
  if (!s->srs) return check_unknown_crs(q, s);
  char found[256];
  const char *unit = NULL;
  bool asked = q->crs && q->cell_size_m > 0;
  if (OSRIsLocal(s->srs)) {
    double metres = OSRGetLinearUnits(s->srs, NULL);
    if (fabs(metres - 1) < 1e-9) {
      sciara_note(q->notes, SCIARA_LOG_WARNING, "%s: its CRS is local, not tied to the Earth", q->path);
      return SCIARA_OK;
    }
    return sciara_fail(SCIARA_ERR_INPUT, "%s: its local CRS has units of %g m; metres are needed", q->path, metres);
  }
  if (OSRIsGeographic(s->srs)) return asked ? SCIARA_OK : refuse_degrees(q, s);
  if (!OSRIsProjected(s->srs))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: its CRS is neither projected nor geographic", q->path);
  if (sciara_srs_is_metric(t->from)) return SCIARA_OK;
  double metres = OSRGetLinearUnits(s->srs, (char **)&unit);
  snprintf(found, sizeof found,
           "its coordinates are in units of %.10g m (%s) (or give dem.crs and dem.cell_size_m to have it warped)",
           metres, unit ? unit : "unnamed");
  return asked ? SCIARA_OK : refuse(q, s, found);
}

/** West, south, east and north of a window of the raster in the CRS `to`. */
static enum sciara_status window_bounds(const struct sciara_source *s, const int64_t w[4],
                                        const struct sciara_dem_treatment *t, OGRSpatialReferenceH to,
                                        double bounds[4]) {
  const double west = s->west + (double)w[1] * s->dx, north = s->north - (double)w[0] * s->dy;
  const double east = west + (double)w[3] * s->dx, south = north - (double)w[2] * s->dy;
  memcpy(bounds, (const double[4]){west, south, east, north}, 4 * sizeof *bounds);
  if (to == t->from) return SCIARA_OK;
  if (sciara_srs_change_box(t->from, to, (const double[4]){west, south, east, north}, bounds)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: cannot be placed in the CRS that it is to be warped to", s->path);
}

static enum sciara_status refuse_target(const struct sciara_dem_request *q, const struct sciara_source *s,
                                        const struct sciara_dem_treatment *t, double scale) {
  struct sciara_source source = *s; // for the command only
  struct sciara_text command = {0};
  enum sciara_status status = SCIARA_OK;
  if (!s->srs) {
    source.srs = t->from;
    source.guess = q->crs;
    source.scale = scale;
    status = sciara_source_suggest_warp(&source, NULL, q->cell_size_m, &command);
  }
  if (status == SCIARA_OK)
    status = sciara_fail(SCIARA_ERR_INPUT,
                         "dem.crs: expected a CRS in which 1 m on the ground is %g to %g m, such as EPSG:%d; found "
                         "\"%s\", in which it is %.4g m at the DEM%s%s",
                         1 - SCIARA_CRS_SCALE_SLACK, 1 + SCIARA_CRS_SCALE_SLACK, sciara_source_utm(&source), q->crs,
                         scale, command.data ? "; warp the DEM with: " : "", command.data ? command.data : "");
  sciara_text_free(&command);
  return status;
}

static enum sciara_status refuse_own(const struct sciara_dem_request *q, const struct sciara_source *s, double scale) {
  struct sciara_source source = *s; // for the command only
  char found[160];
  source.scale = scale;
  snprintf(
      found, sizeof found,
      "1 m on the ground is %.4g m in its CRS, expected %g to %g m (or give dem.crs and dem.cell_size_m to have it "
      "warped)",
      scale, 1 - SCIARA_CRS_SCALE_SLACK, 1 + SCIARA_CRS_SCALE_SLACK);
  return refuse(q, &source, found);
}

/** A metre of the CRS, that of the DEM and the one to warp to, must be one on the ground: the model knows no other. */
static enum sciara_status check_scale(const struct sciara_dem_request *q, const struct sciara_source *s,
                                      const int64_t window[4], const struct sciara_dem_treatment *t) {
  double bounds[4], scale;
  const bool warped = q->crs && q->cell_size_m > 0;
  if (q->crs && !is_local(q)) {
    SCIARA_TRY(window_bounds(s, window, t, s->srs ? t->to : t->from, bounds));
    const enum sciara_status status = sciara_crs_scale(t->to, bounds, &scale);
    if (status != SCIARA_OK) return sciara_fail_context(status, "dem.crs");
    if (!sciara_crs_scale_is_sound(scale)) return refuse_target(q, s, t, scale);
  }
  if (!s->srs || warped || !sciara_srs_is_metric(s->srs)) return SCIARA_OK;
  SCIARA_TRY(window_bounds(s, window, t, t->from, bounds));
  const enum sciara_status status = sciara_crs_scale(s->srs, bounds, &scale);
  if (status != SCIARA_OK) return sciara_fail_context(status, "%s", q->path);
  return sciara_crs_scale_is_sound(scale) ? SCIARA_OK : refuse_own(q, s, scale);
}

static enum sciara_status choose_treatment(const struct sciara_dem_request *q, const struct sciara_source *s,
                                           const int64_t window[4], struct sciara_dem_treatment *t) {
  if (!(q->cell_size_m >= 0) || !isfinite(q->cell_size_m))
    return sciara_fail(SCIARA_ERR_INPUT, "dem.cell_size_m: expected above 0, found %g", q->cell_size_m);
  SCIARA_TRY(
      sciara_dem_check_altitude_unit(q, s)); // first: a warp may convert altitudes and keep the name of their unit
  SCIARA_TRY(check_units(q, s, t));
  SCIARA_TRY(check_scale(q, s, window, t));
  bool same = !t->from || sciara_srs_is_same(t->from, t->to);
  // What is left out of account may displace the far corner by a hundredth of a cell, and no slope by more than 1e-4.
  double uneven = fabs(s->dx - s->dy) / s->dx, longest = (double)(s->rows > s->cols ? s->rows : s->cols);
  bool square = uneven <= 1e-4 && uneven * longest <= SCIARA_SOURCE_SLACK;
  if (!square && q->cell_size_m == 0) {
    char found[160];
    snprintf(found, sizeof found, "its cells are not square, %.12g x %.12g (or give dem.cell_size_m to have it warped)",
             s->dx, s->dy);
    return refuse(q, s, found);
  }
  t->cell = q->cell_size_m > 0 ? q->cell_size_m : s->dx;
  t->warp = !same || !square || fabs(t->cell - s->dx) > 1e-9 * s->dx;
  if (!t->warp) t->cell = s->dx;
  return SCIARA_OK;
}

uint64_t sciara_dem_hash(const struct sciara_dem *d) {
  const struct sciara_grid *g = &d->grid;
  size_t cells = (size_t)sciara_grid_cells(g);
  const double position[3] = {g->cell_size, g->west, g->north};
  uint64_t hash = sciara_hash_bytes(SCIARA_HASH_BEGIN, &g->rows, sizeof g->rows);
  hash = sciara_hash_bytes(hash, &g->cols, sizeof g->cols);
  hash = sciara_hash_bytes(hash, position, sizeof position);
  hash = sciara_hash_bytes(hash, d->valid, cells);
  hash = sciara_hash_bytes(hash, d->altitude, cells * sizeof *d->altitude);
  if (d->sea) hash = sciara_hash_bytes(hash, d->sea, cells);
  const uint64_t changes = sciara_ground_changes_hash(&d->changes);
  return changes ? sciara_hash_bytes(hash, &changes, sizeof changes) : hash;
}

/** Says what was read and how. */
static void report(const struct sciara_source *s, const struct sciara_dem *d, int64_t hidden) {
  char siblings[256];
  sciara_gdal_files_opened(s->name, siblings, sizeof siblings);
  sciara_note(s->notes, SCIARA_LOG_INFO,
              "%s: %s%s%s, %" PRId64 " rows x %" PRId64 " columns of %.10g m, %s, %" PRId64 " %s NODATA", s->path,
              d->driver, siblings[0] ? ", with " : "", siblings[0] ? siblings + 2 : "", d->grid.rows, d->grid.cols,
              d->grid.cell_size, d->georef.crs_name ? d->georef.crs_name : "no CRS", hidden,
              sciara_plural((uint64_t)hidden, "cell", "cells"));
}

char *sciara_dem_coarse_text(const char *path, double coarse_m, double cell_size) {
  return sciara_format(
      "%s: its cells of %.3g m are resampled to %.10g m: they have the relief of a DEM of %.3g m, without its gullies, "
      "levees and roads, and lava runs out differently than on a DEM of %.10g m",
      path, coarse_m, cell_size, coarse_m, cell_size);
}

/**
 * Small cells made of large ones pass every test of their size: that is said.
 *
 * @param side of the cells of the raster; they may be made of larger ones, which its metadata say
 */
static enum sciara_status judge_cells(const struct sciara_dem_request *q, const struct sciara_source *s, double side,
                                      struct sciara_dem *out) {
  enum { COARSE = 4, LARGE_M = 60 }; // from larger cells also where the small ones are not that small
  const char *made_of = GDALGetMetadataItem(s->dataset, SCIARA_DEM_COARSE, NULL);
  const double cell = out->grid.cell_size;
  double coarse = 0;
  if (!made_of || !sciara_parse_double(made_of, &coarse) || !(coarse > side)) coarse = side;
  if (!(coarse > COARSE * cell || (coarse > LARGE_M && coarse > 1.5 * cell))) return SCIARA_OK;
  out->coarse_m = coarse;
  if (q->own) return SCIARA_OK; // it was said when the run or the ensemble began
  char *text = sciara_dem_coarse_text(q->path, coarse, cell);
  if (!text) return sciara_no_memory("a warning");
  sciara_note(q->notes, SCIARA_LOG_WARNING, "%s", text);
  free(text);
  return SCIARA_OK;
}

enum sciara_status sciara_dem_read_window(const char *path, struct sciara_dem_window *out) {
  struct sciara_gdal_scope scope;
  struct sciara_source source = {0};
  sciara_gdal_enter(&scope, false);
  const enum sciara_status status = sciara_source_open(&scope, path, 1, NULL, 0, NULL, &source);
  if (status == SCIARA_OK) *out = sciara_dem_window_parse(GDALGetMetadataItem(source.dataset, SCIARA_DEM_WINDOW, NULL));
  sciara_source_close(&source);
  sciara_gdal_leave(&scope);
  return status;
}

/** Moves the patch into the DEM. */
static enum sciara_status finish(const struct sciara_source *s, const struct sciara_dem_treatment *treatment,
                                 struct sciara_patch *patch, struct sciara_dem *out) {
  out->grid = (struct sciara_grid){.rows = patch->rows,
                                   .cols = patch->cols,
                                   .cell_size = treatment->cell,
                                   .west = patch->west,
                                   .north = patch->north};
  out->altitude = patch->altitude;
  out->valid = patch->valid;
  patch->altitude = NULL;
  patch->valid = NULL;
  int64_t cells = sciara_grid_cells(&out->grid), valid = 0;
  for (int64_t i = 0; i < cells; i++) valid += out->valid[i];
  if (valid == 0) return sciara_fail(SCIARA_ERR_INPUT, "%s: every cell is NODATA after warping", s->path);
  SCIARA_TRY(sciara_georef_from_srs(treatment->to, &out->georef));
  SCIARA_TRY(sciara_copy(GDALGetDriverShortName(GDALGetDatasetDriver(s->dataset)), "a DEM", &out->driver));
  out->hash = sciara_dem_hash(out);
  report(s, out, cells - valid);
  return SCIARA_OK;
}

/** The band of the dem.tif of a run with this name, as whole numbers; *out stays NULL if there is none. */
static enum sciara_status read_mark(struct sciara_gdal_scope *scope, const struct sciara_source *s, const char *name,
                                    GDALDataType type, size_t bytes, void **out) {
  GDALRasterBandH band = NULL;
  for (int k = 2; k <= GDALGetRasterCount(s->dataset); k++)
    if (strcmp(GDALGetDescription(GDALGetRasterBand(s->dataset, k)), name) == 0)
      band = GDALGetRasterBand(s->dataset, k);
  if (!band) return SCIARA_OK;
  const int cols = (int)s->cols, rows = (int)s->rows;
  SCIARA_TRY(sciara_alloc(out, (size_t)(s->rows * s->cols), bytes, "marks of a DEM"));
  if (GDALRasterIO(band, GF_Read, 0, 0, cols, rows, *out, cols, rows, type, 0, 0) == CE_None) return SCIARA_OK;
  return sciara_fail(sciara_gdal_status(scope, SCIARA_ERR_INPUT), "%s: band \"%s\" cannot be read: %s", s->path, name,
                     sciara_gdal_message(scope));
}

static enum sciara_status read_marks(struct sciara_gdal_scope *scope, const struct sciara_source *s,
                                     struct sciara_dem *out) {
  void *sea = NULL, *edit = NULL, *observed = NULL;
  enum sciara_status status = read_mark(scope, s, SCIARA_DEM_SEA, GDT_Byte, sizeof *out->sea, &sea);
  if (status == SCIARA_OK) status = read_mark(scope, s, SCIARA_DEM_EDIT, GDT_UInt16, sizeof *out->edit, &edit);
  if (status == SCIARA_OK) status = read_mark(scope, s, SCIARA_DEM_OBSERVED, GDT_Byte, sizeof(uint8_t), &observed);
  out->sea = (uint8_t *)sea;
  out->edit = (uint16_t *)edit;
  out->observed = (uint8_t *)observed;
  return status;
}

/** Size and position of the whole raster. */
static struct sciara_patch whole_raster(const struct sciara_source *s) {
  return (struct sciara_patch){
      .rows = s->rows, .cols = s->cols, .west = s->west, .north = s->north, .dx = s->dx, .dy = s->dy};
}

enum sciara_status sciara_dem_read(const struct sciara_dem_request *request, struct sciara_dem *out) {
  *out = (struct sciara_dem){0};
  struct sciara_gdal_scope scope;
  sciara_gdal_enter(&scope, false);
  enum sciara_status status = SCIARA_OK;
  struct sciara_source source = {0};
  struct sciara_dem_treatment treatment = {0};
  struct sciara_patch patch = {0}, warped = {0};
  double side = 0; // of cells that are not warped: that of the DEM
  int64_t window[4] = {0};
  SCIARA_TRY_GOTO(sciara_source_open(&scope, request->path, request->band, request->extra_drivers,
                                     request->extra_driver_count, request->notes, &source));
  SCIARA_TRY_GOTO(choose_crs(request, &source, &treatment));
  SCIARA_TRY_GOTO(sciara_dem_part_choose(request, &source, &treatment, window));
  SCIARA_TRY_GOTO(choose_treatment(request, &source, window, &treatment));
  patch = (struct sciara_patch){.rows = window[2], .cols = window[3], .dx = source.dx, .dy = source.dy};
  patch.west = source.west + (double)window[1] * source.dx;
  patch.north = source.north - (double)window[0] * source.dy;
  // A source that will be warped is held twice (here and in GDAL) while it is read, but never simulated.
  SCIARA_TRY_GOTO(
      sciara_patch_check_size(request->path, patch.rows, patch.cols, treatment.warp ? 32 : SCIARA_RUN_BYTES_PER_CELL));
  SCIARA_TRY_GOTO(sciara_patch_alloc(&patch));
  SCIARA_TRY_GOTO(sciara_source_read_stored(&scope, &source, window, patch.altitude, patch.valid));
  if (request->has_nodata)
    sciara_source_hide(&source, request->nodata, (size_t)(patch.rows * patch.cols), patch.altitude, patch.valid);
  SCIARA_TRY_GOTO(sciara_patch_to_altitudes(&source, window, &patch));
  if (treatment.warp) {
    const char *how;
    const struct sciara_patch raster = whole_raster(&source);
    const struct sciara_warp warp = {.path = request->path,
                                     .source = &patch,
                                     .whole = treatment.has_box ? &raster : &patch,
                                     .from = treatment.from,
                                     .to = treatment.to,
                                     .cell = treatment.cell,
                                     .box = treatment.has_box ? treatment.box : NULL};
    SCIARA_TRY_GOTO(sciara_patch_warp(&scope, &warp, &how, &side, &warped));
    sciara_note(request->notes, SCIARA_LOG_INFO, "%s: cells of %.3g m are warped %s to cells of %.10g m", request->path,
                side, how, treatment.cell);
  }
  SCIARA_TRY_GOTO(finish(&source, &treatment, treatment.warp ? &warped : &patch, out));
  SCIARA_TRY_GOTO(judge_cells(request, &source, side, out));
  out->window = sciara_dem_part_window(request, &source, &treatment, window);
  if (request->marked) SCIARA_TRY_GOTO(read_marks(&scope, &source, out));
cleanup:
  if (status != SCIARA_OK) sciara_dem_free(out);
  sciara_patch_free(&patch);
  sciara_patch_free(&warped);
  free_treatment(&treatment);
  sciara_source_close(&source);
  sciara_gdal_leave(&scope);
  return status;
}

enum sciara_status sciara_dem_observed_read(const char *path, const struct sciara_grid *grid, uint8_t **out) {
  struct sciara_gdal_scope scope;
  struct sciara_source source = {0};
  void *observed = NULL;
  enum sciara_status status;
  sciara_gdal_enter(&scope, false);
  SCIARA_TRY_GOTO(sciara_source_open(&scope, path, 1, NULL, 0, NULL, &source));
  if (source.rows == grid->rows && source.cols == grid->cols)
    SCIARA_TRY_GOTO(read_mark(&scope, &source, SCIARA_DEM_OBSERVED, GDT_Byte, sizeof(uint8_t), &observed));
cleanup:
  *out = (uint8_t *)observed;
  sciara_source_close(&source);
  sciara_gdal_leave(&scope);
  return status;
}

void sciara_dem_free(struct sciara_dem *dem) {
  sciara_free(dem->altitude);
  sciara_free(dem->valid);
  sciara_free(dem->sea);
  sciara_free(dem->edit);
  sciara_free(dem->observed);
  sciara_ground_changes_free(&dem->changes);
  free(dem->driver);
  sciara_georef_free(&dem->georef);
  *dem = (struct sciara_dem){0};
}
