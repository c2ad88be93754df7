// SPDX-License-Identifier: Apache-2.0
// The files that GDAL may open for an input. GDAL searches the folder of a raster for files that describe it, opens
// them with any of its drivers, and follows their references to other files and to servers. So instead of the path of
// an input it gets a name in a file system of this program, /vsisciara/, which contains only the input and the siblings
// that belong to its format.
#ifndef SCIARA_FILE_GDAL_FILES_H
#define SCIARA_FILE_GDAL_FILES_H

#include <stddef.h>

#include "base/status.h"

#define SCIARA_GDAL_FILES "/vsisciara/" ///< prefix of the names; the path follows

/** Registers the file system with GDAL. Once per process, before the first use. */
void sciara_gdal_files_install(void);

/**
 * Checks an input and its siblings, and lets GDAL read them: the input as *name, until sciara_gdal_files_forbid. A
 * sibling that is not a regular file, or whose CRS names a file, is SCIARA_ERR_INPUT, and so is a NetCDF file whose header
 * is damaged.
 */
enum sciara_status sciara_gdal_files_allow(const char *path, char **name);

/** Siblings of the input that GDAL has opened: ", dem.prj, dem.hdr"; "" if none. */
void sciara_gdal_files_opened(const char *name, char *out, size_t capacity);

/** Ends this and releases the name; NULL is allowed. */
void sciara_gdal_files_forbid(char *name);

/** Removes the prefix from a message or name made by GDAL, in place. */
void sciara_gdal_files_strip(char *text);

#endif
