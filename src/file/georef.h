// SPDX-License-Identifier: Apache-2.0
// The coordinate reference system that a DEM came with, carried from input to every output.
#ifndef SCIARA_FILE_GEOREF_H
#define SCIARA_FILE_GEOREF_H

#include "base/status.h"

/** Owned strings (malloc). */
struct sciara_georef {
  char *crs_wkt;  ///< WKT as GDAL exports it (WKT1_GDAL readable by every tool), or NULL when the DEM names none
  char *crs_name; ///< for people: "WGS 84 / UTM zone 33N (EPSG:32633)", or NULL
};

void sciara_georef_free(struct sciara_georef *g);

/**
 * From what a person wrote ("EPSG:32633", WKT, PROJ); refused unless projected in metres. No file, no network is
 * read.
 */
enum sciara_status sciara_georef_from_name(const char *crs, struct sciara_georef *out);

/** Where a point given in degrees (WGS 84) lies in the CRS `crs_wkt`. */
enum sciara_status sciara_georef_from_lonlat(const char *crs_wkt, double lon, double lat, double *x, double *y);

#endif
