// SPDX-License-Identifier: Apache-2.0
// The window of a raster that is a DEM: what lies outside of it may lie on the raster, but lava is not computed there.
#ifndef SCIARA_GEOMETRY_DEM_WINDOW_H
#define SCIARA_GEOMETRY_DEM_WINDOW_H

#include <stdbool.h>

/** By the key of the scenario that asks for it. */
struct sciara_dem_window {
  const char *key;  ///< "dem.window_margin_m", "dem.window_xy", ..., static; NULL: the DEM is a whole raster
  double margin_m;  ///< around the vents, if that is the key
  double raster[4]; ///< west, south, east and north of the whole raster, in the CRS of the DEM; all 0: not known
};

enum { SCIARA_DEM_WINDOW_TEXT = 192 };

/** "dem.window_margin_m=5000 of 499000 4170000 502000 4180000", "dem.window_xy", or "". */
void sciara_dem_window_print(const struct sciara_dem_window *window, char text[SCIARA_DEM_WINDOW_TEXT]);

/** Reads such a text. NULL, and what it does not know, is a whole raster. */
struct sciara_dem_window sciara_dem_window_parse(const char *text);

/** Where something lies that is not on the DEM: "outside the DEM", or outside which window, and that there is no lava. */
void sciara_dem_window_outside(const struct sciara_dem_window *window, char text[SCIARA_DEM_WINDOW_TEXT]);

#endif
