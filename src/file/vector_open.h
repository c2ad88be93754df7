// SPDX-License-Identifier: Apache-2.0
// Opening a vector file from anywhere: only with drivers that open nothing else.
#ifndef SCIARA_FILE_VECTOR_OPEN_H
#define SCIARA_FILE_VECTOR_OPEN_H

#include <gdal.h>
#include <ogr_api.h>

#include "file/gdal_support.h"

/** The drivers that any vector file may use; NULL at the end. */
extern const char *const sciara_vector_drivers[];

/** All drivers that may be used, those of the caller last; release with CSLDestroy. */
char **sciara_vector_allowed(const char *const *extra, size_t extra_count);

/**
 * Opens a file in the file system of the inputs (gdal_support.h), or, with the drivers that the user vouches for, by its path.
 *
 * @param name    of the file, from sciara_gdal_files_allow
 * @param looks   receives the driver whose format the file has; NULL: of no driver that may be used
 * @param dataset receives the file; NULL: it has no driver, or is damaged
 */
enum sciara_status sciara_vector_open(const char *path, const char *name, const char *const *extra, size_t extra_count,
                                      GDALDriverH *looks, GDALDatasetH *dataset);

/** Appends the names of the file that a command makes of this one, "houses-placed.gpkg", and of this one. */
enum sciara_status sciara_vector_append_names(struct sciara_text *out, const char *path, const char *suffix);

/**
 * Refuses a layer in degrees whose coordinates are metres, or have latitude before longitude, and one without a CRS whose
 * coordinates look like degrees, with the command that cures it.
 *
 * @param crs_wkt of the grid; NULL: nothing is refused
 * @param box     west, south, east and north of the grid; NULL: only metres are noticed
 */
enum sciara_status sciara_vector_check_degrees(const char *path, OGRLayerH layer, const char *crs_wkt,
                                               const double *box);

#endif
