// SPDX-License-Identifier: Apache-2.0
// The geometry of a vector layer on a grid: projections fold, wrap and tear far from the place that they are made for, so
// geometry is cut to the surroundings of the grid before it is transformed.
#ifndef SCIARA_FILE_VECTOR_PLACE_H
#define SCIARA_FILE_VECTOR_PLACE_H

#include <ogr_api.h>

#include "file/gdal_support.h"

/** From the CRS of a layer to that of a grid. */
struct sciara_vector_place {
  const struct sciara_gdal_scope *scope;
  const char *path, *whose;               ///< of the file; whose CRS that of the grid is, for errors
  OGRCoordinateTransformationH transform; ///< NULL: the CRS are the same, or one is not known
  double turn;                            ///< of x around the Earth; 0: x is no longitude
  bool bounded;                           ///< there is a grid, and a transformation
  double grid[4], cell;                   ///< west, south, east, north of the grid, and the size of its cells
  double near[4];                         ///< the grid in the CRS of the layer
  double window[4]; ///< where the transformation is sound, around the grid, in the CRS of the layer
  int64_t cut;      ///< geometries of which a part outside the window was left out
};

/**
 * Prepares the placing of a layer; release with sciara_vector_place_close. SCIARA_ERR_INPUT if its CRS cannot be transformed.
 *
 * @param srs     of the layer; NULL: not known, coordinates are those of the grid
 * @param crs_wkt of the grid; NULL: not known, likewise
 * @param grid    NULL: geometry may lie anywhere and is only transformed
 */
enum sciara_status sciara_vector_place_open(const struct sciara_gdal_scope *scope, const char *path,
                                            OGRSpatialReferenceH srs, const char *crs_wkt, const char *whose,
                                            const struct sciara_grid *grid, struct sciara_vector_place *out);
void sciara_vector_place_close(struct sciara_vector_place *p);

/**
 * Takes over points, lines and polygons of a geometry, which may be a collection: without arcs and heights, in the CRS of the
 * grid, edges divided so that they follow their course. What lies beyond the surroundings of the grid (30 degrees, or less if the
 * CRS of the grid does not reach so far) is cut off; a polygon around the grid stays one. The faces of surfaces (TIN) are
 * polygons.
 *
 * @param feature number in the file, from 0
 * @param out     receives a geometry or a collection, without points if all of it is empty; NULL: all of it lies elsewhere.
 *                Release with OGR_G_DestroyGeometry
 * @return SCIARA_ERR_INPUT for coordinates that are not finite or cannot be transformed, and for a polygon or line that jumps
 *         from one end of the longitudes to the other, so that it can be read in two ways that differ on the grid
 */
enum sciara_status sciara_vector_place_take(struct sciara_vector_place *p, int64_t feature, OGRGeometryH geometry,
                                            OGRGeometryH *out);

#endif
