// SPDX-License-Identifier: Apache-2.0
// An opened raster, north up whatever the file's order of rows, and its cells as doubles.
#ifndef SCIARA_TERRAIN_DEM_SOURCE_H
#define SCIARA_TERRAIN_DEM_SOURCE_H

#include <gdal.h>

#include "base/log.h"
#include "file/gdal_support.h"

/** Row 0 is the northern row of the raster: x = west + (c + 1/2) dx, y = north - (r + 1/2) dy, dx and dy > 0. */
struct sciara_source {
  const char *path; ///< as the user gave it
  GDALDatasetH dataset;
  GDALRasterBandH band;
  GDALRasterBandH alpha;    ///< band that is 0 where there is no value; NULL: none
  OGRSpatialReferenceH srs; ///< owned; NULL when the file names none
  int64_t rows, cols;
  double west, north, dx, dy;
  bool south_up;     ///< the first row of the file is the southern one
  const char *guess; ///< CRS in `srs` that the file itself does not name; NULL: it does, or there is none
  double scale;      ///< length of 1 m on the ground in the CRS, if it is not to be used for that; 0: no matter
  char *name;        ///< of the file for GDAL (gdal_support.h)
  const struct sciara_notes *notes; ///< receive what is noticed; NULL: the log
};

/** How much the far corner of a grid may be displaced by what is neglected, in cells. */
#define SCIARA_SOURCE_SLACK 0.01

#define SCIARA_SOURCE_DEGREES "EPSG:4326" ///< longitude and latitude

/** Whether `path` is a file that can be read, and no connection string, URL or virtual file system of GDAL. */
enum sciara_status sciara_source_check_file(const char *path);

/** Whether GDAL has a driver of this name; the error suggests the closest (SCIARA_ERR_USAGE). */
enum sciara_status sciara_source_check_driver(const char *name);

/** EPSG code of the UTM zone (near the poles: of the stereographic grid) in which the middle lies; 0: not known. */
int sciara_source_utm(const struct sciara_source *s);

/** Opens and checks format, band, kind of data and position. Call within a GDAL scope. */
enum sciara_status sciara_source_open(struct sciara_gdal_scope *scope, const char *path, int band,
                                      const char *const *extra_drivers, size_t extra_count,
                                      const struct sciara_notes *notes, struct sciara_source *out);

/** sciara_source_open for a picture on the map, whatever its bands are; out->band is the first. */
enum sciara_status sciara_source_open_image(struct sciara_gdal_scope *scope, const char *path,
                                            const char *const *extra_drivers, size_t extra_count,
                                            struct sciara_source *out);

void sciara_source_close(struct sciara_source *s);

/**
 * Reads the cells [row, col, rows, cols], row 0 in the north, scale and offset of the band applied.
 *
 * @param values rows x cols
 * @param valid  rows x cols: 0 where the band's NODATA value, its mask or an alpha band says so, else 1
 */
enum sciara_status sciara_source_read(struct sciara_gdal_scope *scope, const struct sciara_source *s,
                                      const int64_t window[4], double *values, uint8_t *valid);

/** About the side of its cells in m, a round number that keeps its detail. */
double sciara_source_round_cell(const struct sciara_source *s);

/** Appends the command that multiplies the altitudes by `factor`, applies scale and offset and drops the name of their unit. */
enum sciara_status sciara_source_suggest_scale(const struct sciara_source *s, double factor, struct sciara_text *out);

/** Appends the quoted path, and that of a GeoTIFF in the same folder with `what` in its name, for a command to make. */
enum sciara_status sciara_source_append_paths(const char *path, const char *what, struct sciara_text *out);

/** Appends the latter alone. */
enum sciara_status sciara_source_append_target(const char *path, const char *what, struct sciara_text *out);

#define SCIARA_SOURCE_METRES "-metres" ///< in the name of the file that sciara_source_suggest_scale makes

/**
 * sciara_source_read without scale and offset: the values that the file holds, of which NODATA is one.
 *
 * @param nodata also NODATA, as the type of the band holds it; NULL: there is no other
 */
enum sciara_status sciara_source_read_stored(struct sciara_gdal_scope *scope, const struct sciara_source *s,
                                             const int64_t window[4], const double *nodata, double *values,
                                             uint8_t *valid);

/** Scale and offset of the band; 1 and 0 if it has none. */
void sciara_source_scale_of(const struct sciara_source *s, double *scale, double *offset);

/** Applies them to stored values. */
void sciara_source_scale(const struct sciara_source *s, size_t cells, double *values);

/**
 * Appends the gdalwarp command that makes an acceptable DEM of this raster.
 *
 * @param crs  target ("EPSG:32633"); NULL: the UTM zone of the raster's middle unless its own CRS is metric or absent
 * @param cell target side in m; 0: about that of the raster
 */
enum sciara_status sciara_source_suggest_warp(const struct sciara_source *s, const char *crs, double cell,
                                              struct sciara_text *out);

/**
 * Appends what a file is that no reader accepts, by its first bytes, and what helps: "is compressed by gzip; unpack it with: gzip
 * -dc 'a.tif.gz' > 'a.tif'". Appends nothing if they say nothing.
 */
enum sciara_status sciara_source_explain(const char *path, struct sciara_text *out);

#endif
