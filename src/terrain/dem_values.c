// SPDX-License-Identifier: Apache-2.0
// A DEM that a program has in memory.
#include <inttypes.h>
#include <math.h>

#include "base/log.h"
#include "base/mem.h"
#include "file/gdal_support.h"
#include "terrain/dem_gdal.h"
#include "terrain/dem_parts.h"

static const char NAME[] = "the array of altitudes"; ///< in messages

enum { MOST_ROWS = INT32_MAX };

static enum sciara_status check_grid(const struct sciara_grid *g) {
  if (!(g->cell_size > 0 && g->cell_size <= 1e6))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: the side of its cells: expected above 0 to 1e6 m, found %g m", NAME,
                       g->cell_size);
  if (!(fabs(g->west) <= 1e9 && fabs(g->north) <= 1e9))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: its north-western corner: expected -1e9 to 1e9 m, found %g, %g", NAME,
                       g->west, g->north);
  if (g->rows > MOST_ROWS || g->cols > MOST_ROWS)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: expected at most %d rows and columns, found %" PRId64 " rows and %" PRId64 " columns", NAME,
                       MOST_ROWS, g->rows, g->cols);
  return sciara_patch_check_size(NAME, g->rows, g->cols, SCIARA_RUN_BYTES_PER_CELL);
}

/** A metre of the CRS is to be one on the ground. */
static enum sciara_status read_crs(const char *crs, const struct sciara_grid *g, struct sciara_georef *out) {
  const double bounds[4] = {g->west, sciara_grid_south(g), sciara_grid_east(g), g->north};
  OGRSpatialReferenceH srs;
  double scale = 1;
  SCIARA_TRY(sciara_georef_from_name(crs, out));
  SCIARA_TRY(sciara_srs_parse(crs, &srs));
  const enum sciara_status status = sciara_crs_scale(srs, bounds, &scale);
  OSRRelease(srs);
  if (status != SCIARA_OK) return sciara_fail_context(status, "%s", NAME);
  if (sciara_crs_scale_is_sound(scale)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: expected a CRS in which 1 m on the ground is %g to %g m, found \"%s\", in which it is %.4g m",
                     NAME, 1 - SCIARA_CRS_SCALE_SLACK, 1 + SCIARA_CRS_SCALE_SLACK, crs, scale);
}

static enum sciara_status copy_altitudes(const double *altitude, struct sciara_dem *out) {
  const int64_t cells = sciara_grid_cells(&out->grid);
  int64_t valid = 0;
  for (int64_t i = 0; i < cells; i++) {
    const double z = altitude[i];
    out->valid[i] = !isnan(z) && z != SCIARA_NODATA_ALTITUDE;
    out->altitude[i] = out->valid[i] ? z : SCIARA_NODATA_ALTITUDE;
    valid += out->valid[i];
    if (out->valid[i] && !(z >= SCIARA_ALTITUDE_MIN && z <= SCIARA_ALTITUDE_MAX))
      return sciara_fail(SCIARA_ERR_INPUT,
                         "%s: row %" PRId64 ", column %" PRId64
                         ": expected %g to %g m, or NaN outside the DEM; found %g m",
                         NAME, i / out->grid.cols, i % out->grid.cols, SCIARA_ALTITUDE_MIN, SCIARA_ALTITUDE_MAX, z);
  }
  if (valid == 0)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected altitudes, found NaN or %g in every cell", NAME,
                       SCIARA_NODATA_ALTITUDE);
  return SCIARA_OK;
}

enum sciara_status sciara_dem_from_values(const struct sciara_grid *grid, const char *crs, const double *altitude,
                                          struct sciara_dem *out) {
  enum sciara_status status;
  *out = (struct sciara_dem){.grid = *grid};
  SCIARA_TRY(check_grid(grid));
  if (crs)
    SCIARA_TRY_GOTO(read_crs(crs, grid, &out->georef));
  else
    sciara_log(SCIARA_LOG_WARNING,
               "%s: no CRS is given; its coordinates are taken to be metres, and maps will have no CRS", NAME);
  SCIARA_TRY_GOTO(SCIARA_NEW(out->altitude, sciara_grid_cells(grid), NAME));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->valid, sciara_grid_cells(grid), NAME));
  SCIARA_TRY_GOTO(copy_altitudes(altitude, out));
  out->hash = sciara_dem_hash(out);
  return SCIARA_OK;
cleanup:
  sciara_dem_free(out);
  return status;
}
