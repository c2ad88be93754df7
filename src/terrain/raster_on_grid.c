// SPDX-License-Identifier: Apache-2.0
// Rasters that lie on the grid of a DEM already read.
#include <inttypes.h>
#include <math.h>

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

static enum sciara_status fail_off_grid(const struct sciara_source *s, const struct sciara_grid *g) {
  struct sciara_text command = {0};
  enum sciara_status status = SCIARA_OK;
  double east = g->west + (double)g->cols * g->cell_size, south = g->north - (double)g->rows * g->cell_size;
  SCIARA_TRY_GOTO(sciara_text_append(
      &command, "gdalwarp -te %.15g %.15g %.15g %.15g -ts %" PRId64 " %" PRId64 " -r bilinear -ot Float32 ", g->west,
      south, east, g->north, g->cols, g->rows));
  SCIARA_TRY_GOTO(sciara_shell_quote(&command, s->path));
  status = sciara_fail(
      SCIARA_ERR_INPUT,
      "%s: %" PRId64 " rows x %" PRId64 " columns of %.10g x %.10g from %.12g, %.12g; the DEM has %" PRId64
      " x %" PRId64
      " of %.10g from %.12g, %.12g. Put it on the DEM's grid with: %s on-grid.tif (and -t_srs if its CRS is another)",
      s->path, s->rows, s->cols, s->dx, s->dy, s->west, s->north, g->rows, g->cols, g->cell_size, g->west, g->north,
      command.data);
cleanup:
  sciara_text_free(&command);
  return status;
}

enum sciara_status sciara_raster_read_on_grid(const char *path, const struct sciara_grid *grid, double *values) {
  return sciara_raster_read_on_grid_with(NULL, 0, path, grid, values);
}

enum sciara_status sciara_raster_read_on_grid_with(const char *const *extra_drivers, size_t extra_count,
                                                   const char *path, const struct sciara_grid *grid, double *values) {
  struct sciara_gdal_scope scope;
  sciara_gdal_enter(&scope, false);
  enum sciara_status status = SCIARA_OK;
  struct sciara_source source = {0};
  uint8_t *valid = NULL;
  const int64_t all[4] = {0, 0, grid->rows, grid->cols};
  SCIARA_TRY_GOTO(sciara_source_open(&scope, path, 1, extra_drivers, extra_count, &source));
  if (!on_grid(&source, grid)) {
    status = fail_off_grid(&source, grid);
    goto cleanup;
  }
  SCIARA_TRY_GOTO(SCIARA_NEW(valid, sciara_grid_cells(grid), "mask of a raster"));
  SCIARA_TRY_GOTO(sciara_source_read(&scope, &source, all, values, valid));
  for (int64_t i = 0; i < sciara_grid_cells(grid); i++) {
    if (!valid[i]) values[i] = 0;
    if (isfinite(values[i])) continue;
    status = sciara_fail(SCIARA_ERR_INPUT,
                         "%s: cell row %" PRId64 ", column %" PRId64 " is %g; a finite number or NODATA is needed",
                         path, i / grid->cols, i % grid->cols, values[i]);
    goto cleanup;
  }
cleanup:
  sciara_free(valid);
  sciara_source_close(&source);
  sciara_gdal_leave(&scope);
  return status;
}
