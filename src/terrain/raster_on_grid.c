// SPDX-License-Identifier: Apache-2.0
// Rasters that lie on the grid of a DEM already read.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "terrain/dem_gdal.h"
#include "terrain/dem_source.h"

static bool on_grid(const struct sciara_source *s, const struct sciara_grid *g) {
  const double slack = 1e-6 * g->cell_size; // at every corner
  double width = (double)g->cols * g->cell_size, height = (double)g->rows * g->cell_size;
  return s->rows == g->rows && s->cols == g->cols && fabs(s->west - g->west) <= slack &&
         fabs(s->north - g->north) <= slack && fabs((double)s->cols * s->dx - width) <= slack &&
         fabs((double)s->rows * s->dy - height) <= slack;
}

/** The CRS of a raster and of the DEM, if both have one. */
struct crs_pair {
  struct sciara_georef own; ///< of the raster
  OGRSpatialReferenceH dem; ///< NULL: one of the two has none, so they cannot be compared
  bool same;
};

static enum sciara_status compare_crs(const struct sciara_source *s, const char *crs_wkt, struct crs_pair *c) {
  OGRSpatialReferenceH own = NULL;
  *c = (struct crs_pair){.same = true};
  if (!s->srs || !crs_wkt) return SCIARA_OK;
  SCIARA_TRY(sciara_georef_from_srs(s->srs, &c->own));
  SCIARA_TRY(sciara_srs_parse(crs_wkt, &c->dem));
  if (strcmp(c->own.crs_wkt, crs_wkt) == 0) return SCIARA_OK; // also where parsing loses something
  SCIARA_TRY(sciara_srs_parse(c->own.crs_wkt, &own));
  OSRStripVertical(own); // heights have no part in where a cell lies
  OSRStripVertical(c->dem);
  c->same = sciara_srs_is_same(own, c->dem);
  OSRRelease(own);
  return SCIARA_OK;
}

/** The gdalwarp command that puts a raster on the grid of the DEM. */
static enum sciara_status append_warp(struct sciara_text *out, const struct sciara_source *s, const struct crs_pair *c,
                                      const struct sciara_grid *g) {
  SCIARA_TRY(sciara_text_append(out, "gdalwarp "));
  if (!c->same) {
    SCIARA_TRY(sciara_text_append(out, "-t_srs "));
    SCIARA_TRY(sciara_shell_append_crs(out, c->dem));
    SCIARA_TRY(sciara_text_append(out, " "));
  }
  SCIARA_TRY(sciara_text_append(out, "-te %.15g %.15g %.15g %.15g -ts %" PRId64 " %" PRId64 " -r bilinear -ot Float32 ",
                                g->west, sciara_grid_south(g), sciara_grid_east(g), g->north, g->cols, g->rows));
  SCIARA_TRY(sciara_shell_quote(out, s->path));
  return sciara_text_append(out, " on-grid.tif");
}

static enum sciara_status fail_off_grid(const struct sciara_source *s, const struct crs_pair *c,
                                        const struct sciara_grid *g) {
  struct sciara_text command = {0};
  enum sciara_status status = append_warp(&command, s, c, g);
  if (status == SCIARA_OK)
    status = sciara_fail(SCIARA_ERR_INPUT,
                         "%s: %" PRId64 " rows x %" PRId64 " columns of %.10g x %.10g from %.12g, %.12g; the DEM has "
                         "%" PRId64 " x %" PRId64 " of %.10g from %.12g, %.12g. Put it on the DEM's grid with: %s",
                         s->path, s->rows, s->cols, s->dx, s->dy, s->west, s->north, g->rows, g->cols, g->cell_size,
                         g->west, g->north, command.data);
  sciara_text_free(&command);
  return status;
}

/** The numbers of the raster are those of the DEM, but they stand for other places. */
static enum sciara_status fail_other_crs(const struct sciara_source *s, const struct crs_pair *c,
                                         const struct sciara_grid *g) {
  struct sciara_text warp = {0}, rename = {0};
  struct sciara_georef dem = {0};
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_georef_from_srs(c->dem, &dem));
  SCIARA_TRY_GOTO(append_warp(&warp, s, c, g));
  SCIARA_TRY_GOTO(sciara_shell_append_crs(&rename, c->dem));
  SCIARA_TRY_GOTO(sciara_text_append(&rename, " "));
  SCIARA_TRY_GOTO(sciara_shell_quote(&rename, s->path));
  status = sciara_fail(SCIARA_ERR_INPUT,
                       "%s: expected the CRS of the DEM, %s; found %s. Put it on the DEM's grid with: %s; or, if the "
                       "file only names the wrong CRS, name the right one with: gdal_translate -a_srs %s on-grid.tif",
                       s->path, dem.crs_name, c->own.crs_name, warp.data, rename.data);
cleanup:
  sciara_text_free(&warp);
  sciara_text_free(&rename);
  sciara_georef_free(&dem);
  return status;
}

static enum sciara_status check_place(const struct sciara_source *s, const struct sciara_grid *g, const char *crs_wkt) {
  struct crs_pair c;
  enum sciara_status status = compare_crs(s, crs_wkt, &c);
  if (status == SCIARA_OK && !on_grid(s, g))
    status = fail_off_grid(s, &c, g);
  else if (status == SCIARA_OK && !c.same)
    status = fail_other_crs(s, &c, g);
  sciara_georef_free(&c.own);
  OSRRelease(c.dem);
  return status;
}

enum sciara_status sciara_raster_read_on_grid(const char *path, const struct sciara_grid *grid, const char *crs_wkt,
                                              double *values) {
  return sciara_raster_read_on_grid_with(&(struct sciara_dem_request){.path = path}, grid, crs_wkt, values);
}

enum sciara_status sciara_raster_read_on_grid_with(const struct sciara_dem_request *request,
                                                   const struct sciara_grid *grid, const char *crs_wkt,
                                                   double *values) {
  struct sciara_gdal_scope scope;
  sciara_gdal_enter(&scope, false);
  enum sciara_status status = SCIARA_OK;
  struct sciara_source source = {0};
  uint8_t *valid = NULL;
  const int64_t all[4] = {0, 0, grid->rows, grid->cols};
  SCIARA_TRY_GOTO(sciara_source_open(&scope, request->path, 1, request->extra_drivers, request->extra_driver_count,
                                     request->notes, &source));
  SCIARA_TRY_GOTO(check_place(&source, grid, crs_wkt));
  SCIARA_TRY_GOTO(SCIARA_NEW(valid, sciara_grid_cells(grid), "mask of a raster"));
  SCIARA_TRY_GOTO(sciara_source_read(&scope, &source, all, values, valid));
  for (int64_t i = 0; i < sciara_grid_cells(grid); i++) {
    if (!valid[i]) values[i] = 0;
    if (isfinite(values[i])) continue;
    status = sciara_fail(SCIARA_ERR_INPUT,
                         "%s: cell row %" PRId64 ", column %" PRId64 " is %g; a finite number or NODATA is needed",
                         request->path, i / grid->cols, i % grid->cols, values[i]);
    goto cleanup;
  }
cleanup:
  sciara_free(valid);
  sciara_source_close(&source);
  sciara_gdal_leave(&scope);
  return status;
}
