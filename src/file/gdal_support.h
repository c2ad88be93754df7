// SPDX-License-Identifier: Apache-2.0
// Common parts of the readers and writers of rasters: GDAL without output, plain file names, and CRS.
#ifndef SCIARA_FILE_GDAL_SUPPORT_H
#define SCIARA_FILE_GDAL_SUPPORT_H

#include <ogr_srs_api.h>

#include "base/text.h"
#include "file/georef.h"

enum { SCIARA_GDAL_SETTINGS = 6 };

/** A scope in which GDAL prints nothing; its last message is stored for an error of this program. */
struct sciara_gdal_scope {
  char message[1024];                 ///< the last error, or the last warning if there was no error
  bool failed;                        ///< an error, not only a warning, was raised
  bool no_memory;                     ///< an error reported a lack of memory
  int no_room;                        ///< errno of a full disk, quota or file when an error was raised; 0: none
  char *before[SCIARA_GDAL_SETTINGS]; ///< settings to restore
  bool writes;
};

/**
 * Enters the scope and prepares GDAL once: its drivers, no network for PROJ, and the file system of the inputs.
 * Within the scope GDAL contacts no server; with `writes` it leaves no .aux.xml behind. Leave it in the same thread.
 */
void sciara_gdal_enter(struct sciara_gdal_scope *scope, bool writes);
void sciara_gdal_leave(struct sciara_gdal_scope *scope);

/** Clears the messages of GDAL so far. */
void sciara_gdal_reset(struct sciara_gdal_scope *scope);

/** "No space left on device" or similar if that was the cause, else GDAL's last message, or "GDAL gives no reason". */
const char *sciara_gdal_message(const struct sciara_gdal_scope *scope);

/**
 * SCIARA_ERR_MEMORY if GDAL or a library below it had no memory, so that the input is not the cause; else `otherwise`.
 */
enum sciara_status sciara_gdal_status(const struct sciara_gdal_scope *scope, enum sciara_status otherwise);

/**
 * A name of the same file that GDAL cannot take for a virtual file system or a connection string ("./NETCDF:a.nc"),
 * malloc'd; NULL without memory.
 */
char *sciara_gdal_plain_path(const char *path);

// The files that GDAL may open for an input. GDAL searches the folder of a raster for files that describe it, opens
// them with any of its drivers, and follows their references to other files and to servers. So instead of the path of
// an input it gets a name in a file system of this program, /vsisciara/, which contains only the input and the siblings
// that belong to its format.

#define SCIARA_GDAL_FILES "/vsisciara/" ///< prefix of the names; the path follows

/** Registers the file system with GDAL. Once per process, before the first use. */
void sciara_gdal_files_install(void);

/**
 * Checks an input and its siblings, and lets GDAL read them: the input as *name, until sciara_gdal_files_forbid. A
 * sibling that is not a regular file, or whose CRS names a file, is SCIARA_ERR_INPUT, and so are a NetCDF file whose header
 * is damaged, and a GeoPackage with changes in a log beside it.
 */
enum sciara_status sciara_gdal_files_allow(const char *path, char **name);

/** Siblings of the input that GDAL has opened: ", dem.prj, dem.hdr"; "" if none. */
void sciara_gdal_files_opened(const char *name, char *out, size_t capacity);

/** Ends this and releases the name; NULL is allowed. */
void sciara_gdal_files_forbid(char *name);

/** Removes the prefix from a message or name made by GDAL, in place. */
void sciara_gdal_files_strip(char *text);

/**
 * Checks the header of a file that another library will open (netcdf_header.c): every list fits in the file, names have 1
 * to 256 bytes, dimensions exist, types belong to the format, and the values of every variable lie after the header and in
 * the file. A file that does not begin like CDF-1, CDF-2 or CDF-5 passes. SCIARA_ERR_INPUT names the byte, what was found
 * and what is expected; SCIARA_ERR_IO: the file cannot be read.
 */
enum sciara_status sciara_netcdf_check_header(const char *path);

/** Appends a path as one word of a shell command: 'it'\''s.tif'. */
enum sciara_status sciara_shell_quote(struct sciara_text *out, const char *path);

/** Appends a CRS as one word of a shell command: EPSG:32633, or its text. A file may name any authority: others are quoted. */
enum sciara_status sciara_shell_append_crs(struct sciara_text *out, OGRSpatialReferenceH srs);

/** The CRS named by the user ("EPSG:32633", WKT, PROJ), axes in x, y order; reads no file and no network.
 * Release with OSRRelease.
 */
enum sciara_status sciara_srs_parse(const char *text, OGRSpatialReferenceH *out);

/** Checks that a CRS that GDAL has read from the file `path` names no file by a path (sciara_crs_text_check). */
enum sciara_status sciara_srs_check(const char *path, OGRSpatialReferenceH srs);

/** Whether the CRS is projected with coordinates in metres. */
bool sciara_srs_is_metric(OGRSpatialReferenceH srs);

/** Whether two CRS are the same, whatever the order of their axes. */
bool sciara_srs_is_same(OGRSpatialReferenceH a, OGRSpatialReferenceH b);

/** What a turn around the Earth adds to x, in units of the CRS: 360 if it is geographic, in degrees; 0 if it is not. */
double sciara_srs_turn(OGRSpatialReferenceH srs);

/**
 * The transformation from the CRS of the file `path` to `crs_wkt`, or back; NULL: they are the same. Axes are in x, y order.
 *
 * @param whose crs_wkt is, for the error: "the DEM"
 */
enum sciara_status sciara_srs_transform(const struct sciara_gdal_scope *scope, const char *path,
                                        OGRSpatialReferenceH srs, const char *crs_wkt, const char *whose, bool back,
                                        OGRCoordinateTransformationH *out);

/** Brings a box (west, south, east, north) from one CRS to another, which may be the same array; false: it has none there. */
bool sciara_srs_change_box(OGRSpatialReferenceH from, OGRSpatialReferenceH to, const double box[4], double out[4]);

/** WKT and name of a CRS; `srs` NULL gives an empty georef. */
enum sciara_status sciara_georef_from_srs(OGRSpatialReferenceH srs, struct sciara_georef *out);

/**
 * Texts of CRS from files may name other files (grids, init files), which PROJ would open: SCIARA_ERR_INPUT if `text` (WKT,
 * a PROJ string, or anything that holds one) names a file by a path: "+nadgrids=/tmp/x", PARAMETERFILE["...","../x"]. Names
 * without a folder are allowed: PROJ searches for them among its own files.
 *
 * @param where the start of the message: a file or a key
 */
enum sciara_status sciara_crs_text_check(const char *where, const char *text);

// The length of a metre in a projected CRS: Web Mercator enlarges lengths by a quarter at the latitude of Etna.
#define SCIARA_CRS_SCALE_SLACK 0.005 ///< largest relative difference of a length from that on the ground

/**
 * The scale of a projected CRS in metres, within a rectangle: the length in the CRS of 1 m on the ellipsoid, at the
 * middle or a corner and in the direction where it differs most from 1. SCIARA_ERR_INPUT if PROJ cannot transform such
 * a point.
 *
 * @param bounds west, south, east, north in the CRS
 */
enum sciara_status sciara_crs_scale(OGRSpatialReferenceH srs, const double bounds[4], double *scale);

/** Whether a scale is close enough to 1. */
bool sciara_crs_scale_is_sound(double scale);

#endif
