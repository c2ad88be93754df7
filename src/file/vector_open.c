// SPDX-License-Identifier: Apache-2.0
#include "file/vector_open.h"

#include <cpl_string.h>
#include <stdlib.h>

// Others open addresses on the network, or files that name other files.
const char *const sciara_vector_drivers[] = {"GPKG", "ESRI Shapefile", "GeoJSON",         "FlatGeobuf",
                                             "KML",  "MapInfo File",   (const char *)NULL};

char **sciara_vector_allowed(const char *const *extra, size_t extra_count) {
  char **list = NULL;
  for (const char *const *name = sciara_vector_drivers; *name; name++) list = CSLAddString(list, *name);
  for (size_t i = 0; i < extra_count; i++) list = CSLAddString(list, extra[i]);
  return list;
}

enum sciara_status sciara_vector_open(const char *path, const char *name, const char *const *extra, size_t extra_count,
                                      GDALDriverH *looks, GDALDatasetH *dataset) {
  static const unsigned how = GDAL_OF_VECTOR | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR;
  *dataset = NULL;
  *looks = GDALIdentifyDriverEx(name, GDAL_OF_VECTOR, sciara_vector_drivers, NULL);
  if (*looks) {
    *dataset = GDALOpenEx(name, how, sciara_vector_drivers, NULL, NULL);
    return SCIARA_OK;
  }
  if (extra_count == 0) return SCIARA_OK;
  char **drivers = NULL, *plain = sciara_gdal_plain_path(path);
  if (!plain) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for the path of %s", path);
  for (size_t i = 0; i < extra_count; i++) drivers = CSLAddString(drivers, extra[i]);
  *looks = GDALIdentifyDriverEx(plain, GDAL_OF_VECTOR, (const char *const *)drivers, NULL);
  if (*looks) *dataset = GDALOpenEx(plain, how, (const char *const *)drivers, NULL, NULL);
  CSLDestroy(drivers);
  free(plain);
  return SCIARA_OK;
}
