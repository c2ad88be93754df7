// SPDX-License-Identifier: Apache-2.0
#include "analysis/observation_parts.h"

#include <math.h>

#include "base/log.h"
#include "terrain/dem_source.h"

struct sciara_bounds sciara_bounds_empty(void) {
  return (struct sciara_bounds){INFINITY, INFINITY, -INFINITY, -INFINITY};
}

void sciara_bounds_add(struct sciara_bounds *b, double x, double y) {
  if (x < b->west) b->west = x;
  if (y < b->south) b->south = y;
  if (x > b->east) b->east = x;
  if (y > b->north) b->north = y;
}

struct sciara_bounds sciara_bounds_of_grid(const struct sciara_grid *g) {
  return (struct sciara_bounds){g->west, sciara_grid_south(g), sciara_grid_east(g), g->north};
}

void sciara_observation_note_crs(const struct sciara_observation_request *q, OGRSpatialReferenceH srs) {
  if (srs && q->crs_wkt) return;
  sciara_log(SCIARA_LOG_INFO, "%s: %s, so its coordinates are taken to be those of the run", q->path,
             srs ? "the run has no CRS" : "names no CRS");
}

enum sciara_status sciara_observation_transform(struct sciara_gdal_scope *scope,
                                                const struct sciara_observation_request *q, OGRSpatialReferenceH srs,
                                                bool to_grid, OGRCoordinateTransformationH *out) {
  *out = NULL;
  sciara_observation_note_crs(q, srs);
  if (!srs || !q->crs_wkt) return SCIARA_OK;
  return sciara_srs_transform(scope, q->path, srs, q->crs_wkt, "the run", !to_grid, out);
}

enum sciara_status sciara_observation_check_place(const struct sciara_observation_request *q,
                                                  const struct sciara_bounds *found) {
  const struct sciara_bounds g = sciara_bounds_of_grid(q->grid);
  const double slack = 1e-6 * q->grid->cell_size;
  if (!(found->east > g.west && found->west < g.east && found->north > g.south && found->south < g.north))
    return sciara_fail(
        SCIARA_ERR_INPUT,
        "%s: is outside the grid of the run: it has x %.9g to %.9g and y %.9g to %.9g, the grid has x %.9g "
        "to %.9g and y %.9g to %.9g",
        q->path, found->west, found->east, found->south, found->north, g.west, g.east, g.south, g.north);
  if (found->west < g.west - slack || found->east > g.east + slack || found->south < g.south - slack ||
      found->north > g.north + slack)
    sciara_log(SCIARA_LOG_WARNING,
               "%s: the observation extends beyond the grid of the run (x %.9g to %.9g, y %.9g to %.9g); the part "
               "outside is not counted",
               q->path, found->west, found->east, found->south, found->north);
  return SCIARA_OK;
}
