// SPDX-License-Identifier: Apache-2.0
// Reading a digital elevation model, and rasters on its grid, through GDAL; the ground of a run, which is a DEM with the
// edits of its scenario, and its sea.
#ifndef SCIARA_TERRAIN_DEM_GDAL_H
#define SCIARA_TERRAIN_DEM_GDAL_H

#include "base/log.h"
#include "file/georef.h"
#include "geometry/dem_window.h"
#include "geometry/grid.h"
#include "model/ground_change.h"

// Descriptions of the bands of dem.tif that mark cells: those of the sea, by number those of ground edits, and those
// in the outline of the lava with which a run begins.
#define SCIARA_DEM_SEA "sea"
#define SCIARA_DEM_EDIT "edit"
#define SCIARA_DEM_OBSERVED "observed"

// Metadata of a dem.tif: members of struct sciara_dem.
#define SCIARA_DEM_COARSE "coarse_m"
#define SCIARA_DEM_WINDOW "window"

/** A point in the CRS of the grid, or in degrees (WGS 84). */
struct sciara_dem_point {
  double x, y;
  bool is_lonlat;
};

/** Which raster to read and how; at most one of window, box and margin_m. */
struct sciara_dem_request {
  const char *path;
  int band;              ///< 1-based
  const int64_t *window; ///< first row, first column, rows, columns; NULL: all of it
  const double *box;     ///< west, south, east, north of the part to use, clipped to the raster; NULL: all of it
  bool box_is_lonlat;    ///< in degrees (WGS 84); else in the CRS of the grid
  double margin_m;       ///< the part within this distance of the points below, in x and y; 0: all of it
  const struct sciara_dem_point *points;
  size_t point_count;
  /** Metric CRS to warp to (EPSG:n, WKT, PROJ), or, for a DEM that names none, the one it is in or "local";
   *  NULL: its own. */
  const char *crs;
  double cell_size_m;               ///< warp to cells of this side; 0: that of the DEM
  const char *const *extra_drivers; ///< GDAL driver names allowed beyond the built-in list
  size_t extra_driver_count;
  double nodata; ///< also NODATA, with `has_nodata`: a value that the file does not declare
  bool has_nodata;
  const struct sciara_notes *notes; ///< receive what is noticed; NULL: the log
  bool own;                         ///< the dem.tif of a run or of an ensemble: without a CRS it is in metres
  bool marked; ///< also reads the bands "sea", "edit" and "observed", which the dem.tif of a run may have
};

/** A DEM in memory; release with sciara_dem_free. */
struct sciara_dem {
  struct sciara_grid grid;
  struct sciara_georef georef;
  double *altitude;  ///< rows x cols, m; SCIARA_NODATA_ALTITUDE where not valid
  uint8_t *valid;    ///< rows x cols, 0 or 1
  uint8_t *sea;      ///< rows x cols, 1 where a valid cell is sea; NULL: no sea is declared
  uint16_t *edit;    ///< rows x cols: number of the last edit of the cell, from 1, or 0; NULL: no edits
  uint8_t *observed; ///< rows x cols, 1 in the outline of initial.observed; NULL: there is none
  struct sciara_ground_changes changes; ///< edits at simulated times
  uint64_t
      hash;     ///< of rows, cols, cell size, origin, validity, altitudes and, if there are, sea and changes: FNV-1a 64
  char *driver; ///< GDAL's short name of the format
  double coarse_m; ///< side of the much larger cells from which its cells were made, m; 0: there are none
  struct sciara_dem_window window;
};

/** What is doubtful about a DEM with that coarse_m: a sentence, from malloc; NULL: no memory. */
char *sciara_dem_coarse_text(const char *path, double coarse_m, double cell_size);

/** Reads and checks; every diagnostic names the file, what was found and what is allowed. */
enum sciara_status sciara_dem_read(const struct sciara_dem_request *request, struct sciara_dem *out);

/** The window alone of a dem.tif. */
enum sciara_status sciara_dem_read_window(const char *path, struct sciara_dem_window *out);

/** The band "observed" alone of a dem.tif, if that is on this grid, to be released with sciara_free; NULL: there is none. */
enum sciara_status sciara_dem_observed_read(const char *path, const struct sciara_grid *grid, uint8_t **out);

void sciara_dem_free(struct sciara_dem *dem);

/**
 * Refuses values by which files mark cells without altitude, if they stand apart from all others, and points out any other
 * such value: as sciara_dem_read does. @param path of the file with a header that they come from, for messages
 */
enum sciara_status sciara_altitudes_check(const char *path, const struct sciara_grid *grid, double *altitude,
                                          uint8_t *valid);

/**
 * A DEM from values in memory, which are copied: NaN and SCIARA_NODATA_ALTITUDE are outside of it.
 *
 * @param crs a projected CRS in metres (EPSG:n, WKT, PROJ); NULL: not known
 * @return SCIARA_ERR_INPUT for a grid, a CRS or an altitude that no DEM has
 */
enum sciara_status sciara_dem_from_values(const struct sciara_grid *grid, const char *crs, const double *altitude,
                                          struct sciara_dem *out);

/** The hash of a DEM whose other members are set. */
uint64_t sciara_dem_hash(const struct sciara_dem *dem);

/**
 * Reads a raster that must lie on the grid of a DEM (same rows, cols, cell size and origin), such as initial lava.
 * NODATA reads as 0.
 *
 * @param crs_wkt of the DEM; a raster that names another CRS is refused. NULL: unknown, so nothing is compared
 * @param values  rows x cols doubles
 */
enum sciara_status sciara_raster_read_on_grid(const char *path, const struct sciara_grid *grid, const char *crs_wkt,
                                              double *values);

/** sciara_raster_read_on_grid with path, drivers and notes of a request. */
enum sciara_status sciara_raster_read_on_grid_with(const struct sciara_dem_request *request,
                                                   const struct sciara_grid *grid, const char *crs_wkt, double *values);

// -------------------------------------------------------------------------------- the ground of a run, in dem_ground.c

/** What a scenario says about the ground. */
struct sciara_ground_request {
  const struct sciara_edit *edits; ///< applied in this order
  size_t edit_count;
  const struct sciara_sea *sea;
  const char *const *extra_drivers; ///< GDAL drivers allowed for vector files beyond the built-in list
  size_t extra_driver_count;
  const struct sciara_notes *notes; ///< receive what is noticed; NULL: the log
};

/**
 * Applies the edits to a DEM and finds its sea: altitudes, dem->edit, dem->sea and dem->hash. Cells of the sea are valid;
 * those that the DEM gives no altitude lie at 0 m, or at its lowest altitude if that is lower. Each edit is reported as a
 * message, and so are cells that may be an undeclared sea. SCIARA_ERR_INPUT, with the JSON path, for an edit outside
 * the DEM or without a value, an altitude out of range, or a sea that leaves no land.
 */
enum sciara_status sciara_dem_shape_ground(const struct sciara_ground_request *request, struct sciara_dem *dem);

/** Lists what the edits at simulated times will do, in dem->changes, for a DEM that has the others already. */
enum sciara_status sciara_dem_plan_changes(const struct sciara_ground_request *request, struct sciara_dem *dem);

#endif
