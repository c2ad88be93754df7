// SPDX-License-Identifier: Apache-2.0
// What the readers and writers of rasters share: a quiet GDAL, plain file names, and CRS from text. Private to io.
#ifndef SCIARA_FILE_GDAL_SUPPORT_H
#define SCIARA_FILE_GDAL_SUPPORT_H

#include <ogr_srs_api.h>

#include "base/text.h"
#include "file/georef.h"

enum { SCIARA_GDAL_SETTINGS = 5 };

/** A stretch of code in which GDAL prints nothing; its last complaint is kept for an error of ours. */
struct sciara_gdal_scope {
  char message[1024];                 ///< the last error, or the last warning when there was no error
  bool failed;                        ///< an error, not only a warning, was raised
  bool no_memory;                     ///< it said that memory was out
  int no_room;                        ///< errno of a full disk, quota or file when an error was raised; 0: none
  char *before[SCIARA_GDAL_SETTINGS]; ///< settings to restore
  bool writes;
};

/**
 * Enters the scope and prepares GDAL once: its drivers, no network for PROJ, and the file system of gdal_files.h. Within
 * the scope GDAL contacts no server; with `writes` it leaves no .aux.xml behind. Leave it in the same thread.
 */
void sciara_gdal_enter(struct sciara_gdal_scope *scope, bool writes);
void sciara_gdal_leave(struct sciara_gdal_scope *scope);

/** Forgets what GDAL said so far. */
void sciara_gdal_reset(struct sciara_gdal_scope *scope);

/** "No space left on device" and the like if that was the cause, else GDAL's last complaint, or "GDAL gives no reason". */
const char *sciara_gdal_message(const struct sciara_gdal_scope *scope);

/** SCIARA_ERR_MEMORY when GDAL or what lies below it had no memory, else `otherwise`: the input is not to blame. */
enum sciara_status sciara_gdal_status(const struct sciara_gdal_scope *scope, enum sciara_status otherwise);

/**
 * A name of the same file that GDAL cannot take for a virtual file system or a connection string ("./NETCDF:a.nc"),
 * malloc'd; NULL when memory is out.
 */
char *sciara_gdal_plain_path(const char *path);

/** Appends a path as one word of a shell command: 'it'\''s.tif'. */
enum sciara_status sciara_shell_quote(struct sciara_text *out, const char *path);

/**
 * The CRS that a person named ("EPSG:32633", WKT, PROJ), axes in x, y order; no file and no network is read for it.
 * Release with OSRRelease.
 */
enum sciara_status sciara_srs_parse(const char *text, OGRSpatialReferenceH *out);

/** Whether a CRS that GDAL has read from the file `path` names no file by a path (crs_text.h). */
enum sciara_status sciara_srs_check(const char *path, OGRSpatialReferenceH srs);

/** Whether the CRS is projected with coordinates in metres. */
bool sciara_srs_is_metric(OGRSpatialReferenceH srs);

/** WKT and name of a CRS; `srs` NULL gives an empty georef. */
enum sciara_status sciara_georef_from_srs(OGRSpatialReferenceH srs, struct sciara_georef *out);

#endif
