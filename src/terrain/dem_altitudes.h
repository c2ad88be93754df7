// SPDX-License-Identifier: Apache-2.0
// Altitudes in memory, read from an opened raster that becomes a DEM; they may be resampled to square cells of a projected CRS.
// Included by this room alone.
#ifndef SCIARA_TERRAIN_DEM_ALTITUDES_H
#define SCIARA_TERRAIN_DEM_ALTITUDES_H

#include "terrain/dem_source.h"

/** Altitudes with their position; dx and dy may differ only before a warp. Release with sciara_patch_free. */
struct sciara_patch {
  int64_t rows, cols;
  double west, north, dx, dy;
  double *altitude; ///< rows x cols
  uint8_t *valid;   ///< rows x cols, 0 or 1
};

void sciara_patch_free(struct sciara_patch *p);

/** Bytes of memory per cell that a simulation takes: what a DEM is checked against. */
#define SCIARA_RUN_BYTES_PER_CELL 120

/**
 * Reads the altitudes of a window of a raster, at least 3 x 3 cells, else none has 8 neighbours. Scale and offset are applied; NaN
 * and infinities are NODATA. Refuses altitudes that no place has, and values by which files mark cells without altitude, if they
 * stand apart from all others; points out any other such value.
 *
 * @param bytes_per_cell that must be free
 * @param nodata         also NODATA, a value that the file does not declare; NULL: there is none
 * @param out            release it in any case
 */
enum sciara_status sciara_patch_read(struct sciara_gdal_scope *scope, const struct sciara_source *s,
                                     const int64_t window[4], int64_t bytes_per_cell, const double *nodata,
                                     struct sciara_patch *out);

/** A warp. */
struct sciara_warp {
  const char *path;                  ///< of the raster, for messages
  const struct sciara_patch *source; ///< the cells to resample
  const struct sciara_patch *whole;  ///< size and position of the raster of which the source is a part
  OGRSpatialReferenceH from, to;     ///< CRS; both NULL: none is known
  double cell;                       ///< side of the cells to make, m
  const double *box; ///< west, south, east and north of the part to make, in `to`; NULL: all of the whole
};

/**
 * Resamples without NODATA cells leaking in; the corners of the result are whole multiples of the cell. Cells at least 1.5
 * times as large as those of the raster receive averages, cells at most two thirds as large the values of a cubic spline,
 * which has no edges along the cells of the raster, and others are interpolated bilinearly. The values of a part are those
 * of the whole if the source contains what lies within a few cells around it.
 *
 * @param how  set to "by averaging", "by a cubic spline" or "bilinearly"
 * @param side set to the side of the cells of the raster, m
 */
enum sciara_status sciara_patch_warp(struct sciara_gdal_scope *scope, const struct sciara_warp *warp, const char **how,
                                     double *side, struct sciara_patch *out);

#endif
