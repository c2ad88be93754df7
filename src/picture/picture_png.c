// SPDX-License-Identifier: Apache-2.0
#include "file/raster_write.h"
#include "picture/picture.h"

enum sciara_status sciara_picture_write_png(const struct sciara_picture *p, const char *path) {
  struct sciara_gdal_scope scope;
  sciara_gdal_enter(&scope, true);
  int width = (int)p->width, height = (int)p->height;
  enum sciara_status status = SCIARA_OK;
  GDALDatasetH d = GDALCreate(GDALGetDriverByName("MEM"), "", width, height, 3, GDT_Byte, NULL);
  if (!d || GDALDatasetRasterIO(d, GF_Write, 0, 0, width, height, p->rgb, width, height, GDT_Byte, 3, NULL, 3,
                                3 * (int)p->stride, 1) != CE_None)
    status = sciara_fail(sciara_gdal_status(&scope, SCIARA_ERR_IO), "%s: the picture cannot be prepared: %s", path,
                         sciara_gdal_message(&scope));
  if (status == SCIARA_OK) status = sciara_dataset_publish(&scope, d, "PNG", NULL, path);
  if (d) GDALClose(d);
  sciara_gdal_leave(&scope);
  return status;
}
