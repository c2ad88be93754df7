// SPDX-License-Identifier: Apache-2.0
#include "file/raster_write.h"

#include <cpl_vsi.h>
#include <stdlib.h>

#include "file/durable.h"

/** Writes `memory` as a file of GDAL's file system in memory. */
static enum sciara_status encode(struct sciara_gdal_scope *scope, GDALDatasetH memory, const char *driver,
                                 const char *const *options, const char *name, const char *path) {
  GDALDriverH format = GDALGetDriverByName(driver);
  if (!format) return sciara_fail(SCIARA_ERR_IO, "%s: this GDAL cannot write %s", path, driver);
  sciara_gdal_reset(scope);
  GDALDatasetH copy = GDALCreateCopy(format, name, memory, FALSE, (char **)(uintptr_t)options, NULL, NULL);
  bool made = copy != NULL;
  if (copy) GDALClose(copy); // returns no status: a failure shows only in the errors raised meanwhile
  if (made && !scope->failed) return SCIARA_OK;
  return sciara_fail(sciara_gdal_status(scope, SCIARA_ERR_IO), "%s: cannot be written: %s", path,
                     sciara_gdal_message(scope));
}

// Not directly to the disk: GDAL reports no error if the last bytes of a file do not fit there.
enum sciara_status sciara_dataset_publish(struct sciara_gdal_scope *scope, GDALDatasetH memory, const char *driver,
                                          const char *const *options, const char *path) {
  char *name = sciara_format("/vsimem/sciara-%p/raster", (void *)scope); // two threads, two names
  if (!name) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for the path of %s", path);
  enum sciara_status status = encode(scope, memory, driver, options, name, path);
  if (status == SCIARA_OK) {
    vsi_l_offset size = 0;
    const GByte *bytes = VSIGetMemFileBuffer(name, &size, FALSE);
    status = bytes ? sciara_file_replace(path, bytes, (size_t)size)
                   : sciara_fail(SCIARA_ERR_IO, "%s: GDAL made no file", path);
  }
  VSIUnlink(name);
  free(name);
  return status;
}
