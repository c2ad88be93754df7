// SPDX-License-Identifier: Apache-2.0
// What was observed of an eruption, a mapped outline or a raster, brought to the grid of a run.
#ifndef SCIARA_ANALYSIS_OBSERVATION_H
#define SCIARA_ANALYSIS_OBSERVATION_H

#include "base/text.h"
#include "model/grid.h"

/** What to read, and where it is to lie. */
struct sciara_observation_request {
  const char *path;
  const char *layer;     ///< of a file with several layers of polygons; NULL: there is only one
  const char *layer_key; ///< "fit.json: pairs[0].layer" if a file named the layer, for errors; NULL: --observed-layer
  const struct sciara_grid *grid;
  const char *crs_wkt;              ///< of the grid; NULL: not known
  double min_thickness_m;           ///< thickness up to here is none, where the observation has thickness
  const char *const *extra_drivers; ///< GDAL driver names allowed beyond the built-in lists
  size_t extra_driver_count;
};

/** Zero-initialise; release with sciara_observation_free. */
struct sciara_observation {
  uint8_t *covered;  ///< rows x cols, 0 or 1
  double *thickness; ///< rows x cols, m, 0 where there is none; NULL: the observation has no thickness
  char *driver;      ///< GDAL's short name of the format
  int64_t polygons;  ///< of a vector file; 0: it is a raster
};

/**
 * Reads an outline (polygons in any format of the list, reprojected; a cell is covered if its centre lies in one) or
 * a raster (each cell takes the value at its centre; above 0 is covered). A raster of floating-point numbers, or in
 * metres, with more than one value above 0 holds thickness in m.
 *
 * @return SCIARA_ERR_INPUT when it is neither, holds no polygon, or lies off the grid; SCIARA_ERR_IO when the file is
 *         not there; SCIARA_ERR_USAGE for a driver that does not exist, and without layer_key (with it SCIARA_ERR_INPUT) for such
 *         a layer
 */
enum sciara_status sciara_observation_read(const struct sciara_observation_request *request,
                                           struct sciara_observation *out);
void sciara_observation_free(struct sciara_observation *o);

#endif
