// SPDX-License-Identifier: Apache-2.0
#include "io/raster_write.h"

#include <stdlib.h>
#include <unistd.h>

#include "io/durable.h"

enum sciara_status sciara_dataset_publish(struct sciara_gdal_scope *scope, GDALDatasetH memory, const char *driver,
                                          const char *const *options, const char *path) {
  GDALDriverH format = GDALGetDriverByName(driver);
  if (!format) return sciara_fail(SCIARA_ERR_IO, "%s: this GDAL cannot write %s", path, driver);
  char *part = sciara_format("%s.part", path), *plain = part ? sciara_gdal_plain_path(part) : NULL;
  enum sciara_status status = plain ? SCIARA_OK : sciara_fail(SCIARA_ERR_MEMORY, "no memory for the path of %s", path);
  if (plain) {
    sciara_gdal_reset(scope);
    GDALDatasetH copy = GDALCreateCopy(format, plain, memory, FALSE, (char **)(uintptr_t)options, NULL, NULL);
    bool made = copy != NULL;
    if (copy) GDALClose(copy); // returns nothing: a full disk shows only in the errors raised meanwhile
    if (!made || scope->failed)
      status = sciara_fail(SCIARA_ERR_IO, "%s: cannot be written: %s", path, sciara_gdal_message(scope));
    if (status == SCIARA_OK) status = sciara_file_publish(part, path);
    if (status != SCIARA_OK) unlink(part);
  }
  free(plain);
  free(part);
  return status;
}
