// SPDX-License-Identifier: Apache-2.0
// The coordinate reference system of a DEM, passed on to every output.
#ifndef SCIARA_FILE_GEOREF_H
#define SCIARA_FILE_GEOREF_H

#include <stddef.h>

#include "geometry/polyline.h"

/** Owned strings (malloc). */
struct sciara_georef {
  char *crs_wkt;  ///< WKT as GDAL exports it (WKT1_GDAL readable by every tool), or NULL if the DEM names none
  char *crs_name; ///< for people: "WGS 84 / UTM zone 33N (EPSG:32633)", or NULL
};

void sciara_georef_free(struct sciara_georef *g);

/**
 * From a text of the user ("EPSG:32633", WKT, PROJ); rejected unless projected in metres. Reads no file and no network.
 */
enum sciara_status sciara_georef_from_name(const char *crs, struct sciara_georef *out);

/** Transforms a point given in degrees (WGS 84) to the CRS `crs_wkt`. */
enum sciara_status sciara_georef_from_lonlat(const char *crs_wkt, double lon, double lat, double *x, double *y);

/**
 * Transforms points [longitude, latitude] (WGS 84) in place to the CRS of a grid.
 *
 * @param crs_wkt of the grid; NULL is SCIARA_ERR_INPUT
 * @param grid    all points must lie on it: else SCIARA_ERR_INPUT, with its range in degrees, and whether a point would lie on it
 *                with latitude and longitude exchanged; NULL: they may lie anywhere
 */
enum sciara_status sciara_georef_place(const char *crs_wkt, const struct sciara_grid *grid, struct sciara_point *points,
                                       size_t count);

/** sciara_georef_place for points that may lie anywhere on the Earth: those that are too far away for the CRS become NAN. */
enum sciara_status sciara_georef_place_anywhere(const char *crs_wkt, struct sciara_point *points, size_t count);

/** sciara_georef_place for a box (west, south, east, north) in degrees, whose sides are curved in the CRS: `out` is the box around it. */
enum sciara_status sciara_georef_place_box(const char *crs_wkt, const struct sciara_grid *grid, const double degrees[4],
                                           double out[4]);

/**
 * SCIARA_ERR_INPUT if a point off the grid, whose coordinates should be those of the grid, may be in degrees: it would lie on
 * the grid as longitude and latitude, or the other way round. The message says how degrees are given: `how`.
 */
enum sciara_status sciara_georef_suspect_degrees(const char *crs_wkt, const struct sciara_grid *grid,
                                                 struct sciara_point point, const char *how);

/**
 * Transforms `count` points of the CRS `crs_wkt` in place to longitude and latitude (WGS 84), in degrees; those that have none
 * become NAN.
 */
enum sciara_status sciara_georef_to_lonlat(const char *crs_wkt, size_t count, double *x, double *y);

#endif
