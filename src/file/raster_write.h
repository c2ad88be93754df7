// SPDX-License-Identifier: Apache-2.0
// Writing a dataset in memory to a file.
#ifndef SCIARA_FILE_RASTER_WRITE_H
#define SCIARA_FILE_RASTER_WRITE_H

#include <gdal.h>

#include "file/gdal_support.h"

/**
 * Encodes `memory` in the driver's format, in memory, and writes it as an atomic file (sciara_file_replace). Requires a
 * writing scope.
 */
enum sciara_status sciara_dataset_publish(struct sciara_gdal_scope *scope, GDALDatasetH memory, const char *driver,
                                          const char *const *options, const char *path);

#endif
