// SPDX-License-Identifier: Apache-2.0
// Publishing a dataset that lies in memory as a file. Private to io.
#ifndef SCIARA_IO_RASTER_WRITE_H
#define SCIARA_IO_RASTER_WRITE_H

#include <gdal.h>

#include "io/gdal_support.h"

/**
 * Copies `memory` to PATH.part in the driver's format, syncs and renames. On failure nothing is left. Takes a
 * writing scope.
 */
enum sciara_status sciara_dataset_publish(struct sciara_gdal_scope *scope, GDALDatasetH memory, const char *driver,
                                          const char *const *options, const char *path);

#endif
