// SPDX-License-Identifier: Apache-2.0
#include "map/vector_parts.h"

#include <gdal.h>
#include <gdal_alg.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>

/** The zones as a raster in memory, 0 outside. */
static GDALDatasetH zone_raster(const struct sciara_grid *g, const struct sciara_zones *zones) {
  const int cols = (int)g->cols, rows = (int)g->rows;
  double transform[6] = {g->west, g->cell_size, 0, g->north, 0, -g->cell_size};
  GDALDatasetH d = GDALCreate(GDALGetDriverByName("MEM"), "", cols, rows, 1, GDT_Int32, NULL);
  if (d && GDALSetGeoTransform(d, transform) == CE_None &&
      GDALRasterIO(GDALGetRasterBand(d, 1), GF_Write, 0, 0, cols, rows, zones->member, cols, rows, GDT_Int32, 0, 0) ==
          CE_None)
    return d;
  if (d) GDALClose(d);
  return NULL;
}

/** A layer in memory with the one field "zone". */
static GDALDatasetH scratch_layer(OGRLayerH *layer) {
  GDALDriverH driver = GDALGetDriverByName("Memory");
  if (!driver) driver = GDALGetDriverByName("MEM"); // later versions of GDAL have one for both
  GDALDatasetH d = driver ? GDALCreate(driver, "", 0, 0, 0, GDT_Unknown, NULL) : NULL;
  *layer = d ? GDALDatasetCreateLayer(d, "zones", NULL, wkbPolygon, NULL) : NULL;
  OGRFieldDefnH field = OGR_Fld_Create("zone", OFTInteger);
  const bool made = *layer && OGR_L_CreateField(*layer, field, FALSE) == OGRERR_NONE;
  OGR_Fld_Destroy(field);
  if (made) return d;
  if (d) GDALClose(d);
  return NULL;
}

/** Each polygon goes to the multipolygon of its zone. */
static bool gather(OGRLayerH layer, const struct sciara_zones *zones, OGRGeometryH *out) {
  bool good = true;
  OGR_L_ResetReading(layer);
  for (OGRFeatureH feature; good && (feature = OGR_L_GetNextFeature(layer)); OGR_F_Destroy(feature)) {
    const int zone = OGR_F_GetFieldAsInteger(feature, 0);
    OGRGeometryH polygon = OGR_F_StealGeometry(feature);
    good = polygon && zone >= 1 && (size_t)zone <= zones->count;
    if (good && !out[zone - 1]) out[zone - 1] = OGR_G_CreateGeometry(wkbMultiPolygon);
    good = good && OGR_G_AddGeometryDirectly(out[zone - 1], polygon) == OGRERR_NONE;
    if (!good && polygon) OGR_G_DestroyGeometry(polygon);
  }
  return good;
}

/** Checks that the area of the polygons is that of the cells, which is reported as area_m2. */
static enum sciara_status check_areas(const struct sciara_grid *g, const struct sciara_zones *zones,
                                      const OGRGeometryH *polygons, const char *path) {
  for (size_t k = 0; k < zones->count; k++) {
    const double cells = (double)zones->zone[k].cells * g->cell_size * g->cell_size;
    const double drawn = polygons[k] ? OGR_G_Area(polygons[k]) : 0;
    if (!(fabs(drawn - cells) <= 1e-6 * cells))
      return sciara_fail(SCIARA_ERR_INTERNAL, "%s: layer %s, zone %s: the polygons have %.17g m2, the cells %.17g m2",
                         path, zones->name, zones->zone[k].label, drawn, cells);
  }
  return SCIARA_OK;
}

enum sciara_status sciara_polygonize(struct sciara_gdal_scope *scope, const struct sciara_grid *grid,
                                     const struct sciara_zones *zones, const char *path, OGRGeometryH *out) {
  if (grid->rows > INT_MAX || grid->cols > INT_MAX)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: polygons are made of at most %d rows and columns", path, INT_MAX);
  for (size_t k = 0; k < zones->count; k++) out[k] = NULL;
  OGRLayerH layer = NULL;
  GDALDatasetH raster = zone_raster(grid, zones), scratch = scratch_layer(&layer);
  GDALRasterBandH band = raster ? GDALGetRasterBand(raster, 1) : NULL;
  enum sciara_status status = SCIARA_OK;
  // The band is its own mask: cells of no zone are 0.
  if (!band || !scratch || GDALPolygonize(band, band, layer, 0, NULL, NULL, NULL) != CE_None ||
      !gather(layer, zones, out))
    status = sciara_fail(sciara_gdal_status(scope, SCIARA_ERR_IO), "%s: the polygons cannot be made: %s", path,
                         sciara_gdal_message(scope));
  if (status == SCIARA_OK) status = check_areas(grid, zones, out, path);
  if (status != SCIARA_OK) sciara_polygons_free(out, zones->count);
  if (raster) GDALClose(raster);
  if (scratch) GDALClose(scratch);
  return status;
}

void sciara_polygons_free(OGRGeometryH *polygons, size_t count) {
  for (size_t k = 0; k < count; k++) {
    if (polygons[k]) OGR_G_DestroyGeometry(polygons[k]);
    polygons[k] = NULL;
  }
}
