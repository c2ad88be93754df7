// SPDX-License-Identifier: Apache-2.0
#include "terrain/dem_parts.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <gdal.h>
#include <gdal_alg.h>
#include <gdalwarper.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>

#include "base/mem.h"
#include "base/text.h"
#include "geometry/grid.h"

// NODATA within a warp: farther from any altitude than the tolerance of GDAL's comparisons.
static const double hole = -1e30;

void sciara_patch_free(struct sciara_patch *p) {
  sciara_free(p->altitude);
  sciara_free(p->valid);
  p->altitude = NULL;
  p->valid = NULL;
}

enum sciara_status sciara_patch_check_size(const char *path, int64_t rows, int64_t cols, int64_t bytes_per_cell) {
  if (rows < 3 || cols < 3)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: %" PRId64 " rows x %" PRId64 " columns; at least 3 x 3 cells are needed",
                       path, rows, cols);
  if (rows > INT_MAX || cols > INT_MAX)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: %" PRId64 " x %" PRId64 " cells; at most %d each way", path, rows, cols,
                       INT_MAX);
  double need = (double)rows * (double)cols * (double)bytes_per_cell, have = (double)sciara_memory_available();
  if (!(have > 0 && need > have)) return SCIARA_OK;
  char needed[32], available[32];
  sciara_print_bytes(need, needed, sizeof needed);
  sciara_print_bytes(have, available, sizeof available);
  return sciara_fail(SCIARA_ERR_MEMORY,
                     "%s: %" PRId64 " x %" PRId64 " cells take about %s at %" PRId64
                     " bytes each, %s are free; take a part with dem.window_margin_m (5000: so many m around the "
                     "vents), or larger cells with dem.cell_size_m",
                     path, rows, cols, needed, bytes_per_cell, available);
}

enum sciara_status sciara_patch_alloc(struct sciara_patch *p) {
  size_t cells;
  p->altitude = NULL;
  p->valid = NULL;
  SCIARA_TRY(sciara_size_mul((size_t)p->rows, (size_t)p->cols, &cells));
  SCIARA_TRY(SCIARA_NEW(p->altitude, cells, "altitudes of a DEM"));
  enum sciara_status status = SCIARA_NEW(p->valid, cells, "mask of a DEM");
  if (status != SCIARA_OK) sciara_patch_free(p);
  return status;
}

/** A dataset in memory with that many double bands, placed; NULL on failure. */
static GDALDatasetH placed_dataset(const struct sciara_patch *p, OGRSpatialReferenceH srs, int bands) {
  GDALDatasetH d = GDALCreate(GDALGetDriverByName("MEM"), "", (int)p->cols, (int)p->rows, bands, GDT_Float64, NULL);
  if (!d) return NULL;
  double t[6] = {p->west, p->dx, 0, p->north, 0, -p->dy};
  if (GDALSetGeoTransform(d, t) == CE_None && (!srs || GDALSetSpatialRef(d, srs) == CE_None)) return d;
  GDALClose(d);
  return NULL;
}

/** A dataset in memory with one double band, all of it NODATA; NULL on failure. */
static GDALDatasetH memory_dataset(const struct sciara_patch *p, OGRSpatialReferenceH srs) {
  GDALDatasetH d = placed_dataset(p, srs, 1);
  if (!d) return NULL;
  GDALRasterBandH band = GDALGetRasterBand(d, 1);
  if (GDALSetRasterNoDataValue(band, hole) == CE_None && GDALFillRaster(band, hole, 0) == CE_None) return d;
  GDALClose(d);
  return NULL;
}

static GDALDatasetH source_dataset(const struct sciara_patch *p, OGRSpatialReferenceH srs) {
  GDALDatasetH d = memory_dataset(p, srs);
  if (!d) return NULL;
  GDALRasterBandH band = GDALGetRasterBand(d, 1);
  struct sciara_patch row = {.rows = 1, .cols = p->cols};
  bool good = sciara_patch_alloc(&row) == SCIARA_OK;
  for (int64_t r = 0; r < p->rows && good; r++) {
    for (int64_t c = 0; c < p->cols; c++)
      row.altitude[c] = p->valid[r * p->cols + c] ? p->altitude[r * p->cols + c] : hole;
    good = GDALRasterIO(band, GF_Write, 0, (int)r, (int)p->cols, 1, row.altitude, (int)p->cols, 1, GDT_Float64, 0, 0) ==
           CE_None;
  }
  sciara_patch_free(&row);
  if (good) return d;
  GDALClose(d);
  return NULL;
}

/** West, south, east and north end of a raster in the target CRS. */
static bool target_extent(const struct sciara_patch *p, OGRSpatialReferenceH from, OGRSpatialReferenceH to,
                          double extent[4]) {
  if (!from || !to) {
    extent[0] = p->west;
    extent[1] = p->north - p->dy * (double)p->rows;
    extent[2] = p->west + p->dx * (double)p->cols;
    extent[3] = p->north;
    return true;
  }
  char *wkt = NULL;
  void *transform = NULL;
  double t[6];
  int cols, rows;
  bool done = false;
  GDALDatasetH empty = placed_dataset(p, from, 0);
  if (empty && OSRExportToWkt(to, &wkt) == OGRERR_NONE)
    transform = GDALCreateGenImgProjTransformer(empty, NULL, NULL, wkt, FALSE, 0, 1);
  if (transform)
    done = GDALSuggestedWarpOutput2(empty, GDALGenImgProjTransform, transform, t, &cols, &rows, extent, 0) == CE_None;
  if (transform) GDALDestroyGenImgProjTransformer(transform);
  if (empty) GDALClose(empty);
  CPLFree(wkt);
  return done && isfinite(extent[0]) && isfinite(extent[1]) && isfinite(extent[2]) && isfinite(extent[3]);
}

/** Columns and rows of the target, from multiples of the cell; the rounding of corners that are multiples is forgiven. */
struct aligned {
  double first_col, first_row, cols, rows;
};

static struct aligned align(const double extent[4], double cell) {
  const double slack = 1e-6;
  struct aligned a = {.first_col = floor(extent[0] / cell + slack), .first_row = floor(extent[1] / cell + slack)};
  a.cols = ceil(extent[2] / cell - slack) - a.first_col;
  a.rows = ceil(extent[3] / cell - slack) - a.first_row;
  return a;
}

/** The raster by whose sides cells are resampled, in the target CRS. */
struct reference {
  double extent[4];
  double dx, dy;         ///< sides of its cells, m
  double xscale, yscale; ///< cells of the target for each of its cells
};

static bool refer(const struct sciara_warp *w, const struct sciara_patch *p, struct reference *out) {
  if (!target_extent(p, w->from, w->to, out->extent)) return false;
  const struct aligned a = align(out->extent, w->cell);
  out->dx = (out->extent[2] - out->extent[0]) / (double)p->cols;
  out->dy = (out->extent[3] - out->extent[1]) / (double)p->rows;
  out->xscale = a.cols / (double)p->cols;
  out->yscale = a.rows / (double)p->rows;
  return true;
}

static bool is_near(double a, double b) { return fabs(a - b) <= 0.25 * b; }

/**
 * The whole raster, so that a part receives the same values; or the part if the raster is so large (a continent) that its
 * cells have other sides there.
 */
static bool choose_reference(const struct sciara_warp *w, struct reference *out) {
  struct reference whole;
  if (!refer(w, w->source, out)) return false;
  if (refer(w, w->whole, &whole) && is_near(whole.dx, out->dx) && is_near(whole.dy, out->dy)) *out = whole;
  return true;
}

/** How to resample. */
static GDALResampleAlg choose_method(const struct reference *r, double cell, const char **how) {
  const double ratio = cell / sqrt(r->dx * r->dy);
  *how = ratio >= 1.5 ? "by averaging" : ratio <= 1 / 1.5 ? "by a cubic spline" : "bilinearly";
  return ratio >= 1.5 ? GRA_Average : ratio <= 1 / 1.5 ? GRA_CubicSpline : GRA_Bilinear;
}

static void clip(const double box[4], double extent[4]) {
  extent[0] = fmax(extent[0], box[0]);
  extent[1] = fmax(extent[1], box[1]);
  extent[2] = fmin(extent[2], box[2]);
  extent[3] = fmin(extent[3], box[3]);
}

/** The target: outward to multiples of the cell. */
static enum sciara_status place_target(const struct sciara_warp *w, const double extent[4], struct sciara_patch *out) {
  const struct aligned a = align(extent, w->cell);
  if (!(a.cols < INT_MAX && a.rows < INT_MAX))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: cells of %g m would make %g x %g of them; at most %d each way", w->path,
                       w->cell, a.rows, a.cols, INT_MAX);
  *out = (struct sciara_patch){.rows = (int64_t)a.rows, .cols = (int64_t)a.cols, .dx = w->cell, .dy = w->cell};
  out->west = a.first_col * w->cell;
  out->north = (a.first_row + a.rows) * w->cell;
  return sciara_patch_check_size(w->path, out->rows, out->cols, SCIARA_RUN_BYTES_PER_CELL);
}

/** Resamples with the scale of the reference. GDAL would take it, and the width of its filter, from the cells at hand. */
static bool resample(const struct reference *r, GDALResampleAlg method, GDALDatasetH source, GDALDatasetH target) {
  GDALWarpOptions *options = GDALCreateWarpOptions();
  char x[40], y[40];
  snprintf(x, sizeof x, "%.17g", r->xscale);
  snprintf(y, sizeof y, "%.17g", r->yscale);
  options->papszWarpOptions = CSLSetNameValue(options->papszWarpOptions, "XSCALE", x);
  options->papszWarpOptions = CSLSetNameValue(options->papszWarpOptions, "YSCALE", y);
  // No approximation of the transform (0): the result does not depend on how GDAL cuts the work.
  const CPLErr done = GDALReprojectImage(source, NULL, target, NULL, method, 0, 0, NULL, NULL, options);
  GDALDestroyWarpOptions(options);
  return done == CE_None;
}

static bool collect_warped(GDALDatasetH d, struct sciara_patch *out) {
  int cols = (int)out->cols, rows = (int)out->rows;
  if (GDALRasterIO(GDALGetRasterBand(d, 1), GF_Read, 0, 0, cols, rows, out->altitude, cols, rows, GDT_Float64, 0, 0) !=
      CE_None)
    return false;
  for (int64_t i = 0; i < out->rows * out->cols; i++) {
    out->valid[i] = out->altitude[i] > 0.5 * hole;
    if (!out->valid[i]) out->altitude[i] = SCIARA_NODATA_ALTITUDE;
  }
  return true;
}

enum sciara_status sciara_patch_warp(struct sciara_gdal_scope *scope, const struct sciara_warp *w, const char **how,
                                     double *side, struct sciara_patch *out) {
  *out = (struct sciara_patch){0};
  enum sciara_status status = SCIARA_OK;
  bool same = !w->from || !w->to;
  struct reference reference;
  GDALDatasetH target = NULL, before = source_dataset(w->source, same ? NULL : w->from);
  sciara_gdal_reset(scope);
  if (!before || !choose_reference(w, &reference)) goto failed;
  const GDALResampleAlg method = choose_method(&reference, w->cell, how);
  *side = sqrt(reference.dx * reference.dy);
  if (w->box) clip(w->box, reference.extent);
  SCIARA_TRY_GOTO(place_target(w, reference.extent, out));
  target = memory_dataset(out, same ? NULL : w->to);
  if (!target || !resample(&reference, method, before, target) || scope->failed) goto failed;
  SCIARA_TRY_GOTO(sciara_patch_alloc(out));
  if (collect_warped(target, out)) goto cleanup;
failed:
  status = sciara_fail(sciara_gdal_status(scope, SCIARA_ERR_INPUT), "%s: cannot be warped: %s", w->path,
                       sciara_gdal_message(scope));
cleanup:
  if (target) GDALClose(target);
  if (before) GDALClose(before);
  if (status != SCIARA_OK) sciara_patch_free(out);
  return status;
}
