// SPDX-License-Identifier: Apache-2.0
// The files that GDAL may open for an input. GDAL looks beside a raster for files that describe it, opens whatever stands
// there with any driver it has, and follows what is written in them to other files and to servers. So it does not get
// the path of an input but a name in a file system of ours, /vsisciara/, which holds the input and the siblings that its
// format is made of, and nothing else. Private to the readers and writers of rasters and outlines.
#ifndef SCIARA_FILE_GDAL_FILES_H
#define SCIARA_FILE_GDAL_FILES_H

#include "base/status.h"

#define SCIARA_GDAL_FILES "/vsisciara/" ///< prefix of the names; what follows is the path

/** Makes the file system known to GDAL. Once per process, before the first use. */
void sciara_gdal_files_install(void);

/**
 * Checks an input and its siblings, and lets GDAL read them: the input as *name, until sciara_gdal_files_forbid. A
 * sibling that is no regular file, or whose CRS names a file, is SCIARA_ERR_INPUT.
 */
enum sciara_status sciara_gdal_files_allow(const char *path, char **name);

/** Ends that and releases the name; NULL is allowed. */
void sciara_gdal_files_forbid(char *name);

/** Takes the prefix out of a message or name that GDAL made, in place. */
void sciara_gdal_files_strip(char *text);

#endif
