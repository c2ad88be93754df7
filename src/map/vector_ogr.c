// SPDX-License-Identifier: Apache-2.0
#include "map/vector_ogr.h"

#include <cpl_conv.h>
#include <cpl_vsi.h>
#include <gdal.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "file/durable.h"
#include "map/colour_ramp.h"
#include "map/polygonize.h"

/** A format of polygons, with the settings for GDAL's driver. */
struct format {
  const char *driver, *suffix;
  const char *label;   ///< name of the field that says what a zone is
  const char *unknown; ///< what stands for the CRS of a run that names none; NULL: nothing
  OGRFieldType cells;  ///< what can hold a number of cells
  bool styled;         ///< features have colours
};

/** A file on its way: a dataset in GDAL's file system in memory. */
struct product {
  struct sciara_gdal_scope scope;
  const struct sciara_polygons *polygons;
  const struct format *format;
  const char *path; ///< final name
  char *memory;     ///< name in memory
  OGRSpatialReferenceH srs;
  OGRCoordinateTransformationH change; ///< from the CRS of the grid to that of the file; NULL: they are the same
  GDALDatasetH dataset;
};

static enum sciara_status gdal_failure(const struct product *p) {
  return sciara_fail(sciara_gdal_status(&p->scope, SCIARA_ERR_IO), "%s: cannot be written: %s", p->path,
                     sciara_gdal_message(&p->scope));
}

static enum sciara_status begin(struct product *p, const struct format *format, const char *const *options) {
  const char *wkt = p->polygons->georef ? p->polygons->georef->crs_wkt : NULL;
  if (!wkt) wkt = format->unknown;
  sciara_gdal_enter(&p->scope, true);
  p->format = format;
  p->memory = sciara_format("/vsimem/sciara-%p/product.%s", (void *)p, format->suffix); // two threads, two names
  if (!p->memory) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for the path of %s", p->path);
  if (wkt) SCIARA_TRY(sciara_srs_parse(wkt, &p->srs));
  GDALDriverH driver = GDALGetDriverByName(format->driver);
  if (!driver) return sciara_fail(SCIARA_ERR_IO, "%s: this GDAL cannot write %s", p->path, format->driver);
  p->dataset = GDALCreate(driver, p->memory, 0, 0, 0, GDT_Unknown, (char **)(uintptr_t)options);
  return p->dataset ? SCIARA_OK : gdal_failure(p);
}

/** Closes the dataset; its bytes become the file unless `status` is a failure. */
static enum sciara_status end(struct product *p, enum sciara_status status) {
  if (p->dataset) GDALClose(p->dataset); // returns nothing: what went wrong shows only in the errors raised meanwhile
  if (status == SCIARA_OK && p->scope.failed) status = gdal_failure(p);
  if (status == SCIARA_OK) {
    vsi_l_offset size = 0;
    const GByte *bytes = VSIGetMemFileBuffer(p->memory, &size, FALSE);
    status = bytes ? sciara_file_replace(p->path, bytes, (size_t)size) : gdal_failure(p);
  }
  if (p->memory) VSIUnlink(p->memory);
  free(p->memory);
  if (p->change) OCTDestroyCoordinateTransformation(p->change);
  OSRRelease(p->srs);
  sciara_gdal_leave(&p->scope);
  return status;
}

static bool add_field(OGRLayerH layer, const char *name, OGRFieldType type) {
  OGRFieldDefnH field = OGR_Fld_Create(name, type);
  const bool made = OGR_L_CreateField(layer, field, TRUE) == OGRERR_NONE;
  OGR_Fld_Destroy(field);
  return made;
}

static bool add_fields(OGRLayerH layer, const struct format *format, const struct sciara_zones *z) {
  return add_field(layer, format->label, OFTString) && (!z->lower || add_field(layer, z->lower, OFTReal)) &&
         (!z->upper || add_field(layer, z->upper, OFTReal)) && add_field(layer, "area_m2", OFTReal) &&
         add_field(layer, "cells", format->cells);
}

/** Colours of zone k: its area see-through, its border darker; a zone without a ramp is a line alone. */
static void set_style(OGRFeatureH f, const struct sciara_zones *z, size_t k) {
  char style[96] = "PEN(c:#C81414FF,w:2px);BRUSH(fc:#00000000)";
  uint8_t c[3];
  if (z->ramp) {
    sciara_ramp_colour(sciara_ramp_for(z->ramp), ((double)k + 0.5) / (double)z->count, c);
    snprintf(style, sizeof style, "PEN(c:#%02X%02X%02XFF,w:1px);BRUSH(fc:#%02X%02X%02XB0)", c[0] / 2, c[1] / 2,
             c[2] / 2, c[0], c[1], c[2]);
  }
  OGR_F_SetStyleString(f, style);
}

/** Zone k; takes the polygons. An edge that is not finite stays NULL. */
static bool add_feature(OGRLayerH layer, const struct product *p, const struct sciara_zones *z, size_t k,
                        OGRGeometryH polygons) {
  const struct sciara_zone *zone = &z->zone[k];
  const double cell = p->polygons->grid->cell_size * p->polygons->grid->cell_size;
  OGRFeatureH f = OGR_F_Create(OGR_L_GetLayerDefn(layer));
  OGR_F_SetFieldString(f, OGR_F_GetFieldIndex(f, p->format->label), zone->label);
  if (z->lower && isfinite(zone->lower)) OGR_F_SetFieldDouble(f, OGR_F_GetFieldIndex(f, z->lower), zone->lower);
  if (z->upper && isfinite(zone->upper)) OGR_F_SetFieldDouble(f, OGR_F_GetFieldIndex(f, z->upper), zone->upper);
  OGR_F_SetFieldDouble(f, OGR_F_GetFieldIndex(f, "area_m2"), (double)zone->cells * cell);
  OGR_F_SetFieldInteger64(f, OGR_F_GetFieldIndex(f, "cells"), zone->cells);
  if (p->format->styled) set_style(f, z, k);
  const bool placed = !p->change || OGR_G_Transform(polygons, p->change) == OGRERR_NONE;
  const bool done =
      OGR_F_SetGeometryDirectly(f, polygons) == OGRERR_NONE && placed && OGR_L_CreateFeature(layer, f) == OGRERR_NONE;
  OGR_F_Destroy(f);
  return done;
}

static enum sciara_status add_layer(struct product *p, const struct sciara_zones *z, const char *const *options) {
  OGRGeometryH *polygons = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(polygons, z->count + 1, "the polygons of a layer"));
  SCIARA_TRY_GOTO(sciara_polygonize(&p->scope, p->polygons->grid, z, p->path, polygons));
  OGRLayerH layer = GDALDatasetCreateLayer(p->dataset, z->name, p->srs, wkbMultiPolygon, (char **)(uintptr_t)options);
  bool good = layer && add_fields(layer, p->format, z);
  for (size_t k = 0; k < z->count && good; k++) {
    if (!polygons[k]) continue;
    good = add_feature(layer, p, z, k, polygons[k]);
    polygons[k] = NULL;
  }
  if (!good) status = gdal_failure(p);
cleanup:
  if (polygons) sciara_polygons_free(polygons, z->count);
  sciara_free(polygons);
  return status;
}

enum sciara_status sciara_polygons_write_gpkg(const struct sciara_polygons *polygons, const char *path) {
  // GeoPackage's own name for metres from somewhere; without any CRS GDAL would say degrees.
  static const struct format format = {.driver = "GPKG",
                                       .suffix = "gpkg",
                                       .label = "label",
                                       .cells = OFTInteger64,
                                       .unknown = "LOCAL_CS[\"Undefined Cartesian SRS\",UNIT[\"metre\",1]]"};
  struct product p = {.polygons = polygons, .path = path};
  char *description = sciara_format("DESCRIPTION=%s", polygons->title ? polygons->title : "lava");
  if (!description) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for %s", path);
  const char *const options[] = {"GEOMETRY_NAME=geom", description, NULL};
  enum sciara_status status = begin(&p, &format, NULL);
  if (status == SCIARA_OK && GDALDatasetStartTransaction(p.dataset, FALSE) != OGRERR_NONE) status = gdal_failure(&p);
  for (size_t k = 0; k < polygons->count && status == SCIARA_OK; k++)
    status = add_layer(&p, &polygons->layers[k], options);
  if (status == SCIARA_OK && GDALDatasetCommitTransaction(p.dataset) != OGRERR_NONE) status = gdal_failure(&p);
  free(description);
  return end(&p, status);
}

enum sciara_status sciara_polygons_write_geojson(const struct sciara_polygons *polygons, const char *path) {
  static const struct format format = {
      .driver = "GeoJSON", .suffix = "geojson", .label = "label", .cells = OFTInteger64};
  static const char *const wgs84[] = {"RFC7946=YES", "WRITE_NAME=YES", NULL}, *const plain[] = {"WRITE_NAME=YES", NULL};
  struct product p = {.polygons = polygons, .path = path};
  enum sciara_status status = begin(&p, &format, NULL);
  if (status == SCIARA_OK) status = add_layer(&p, &polygons->layers[0], p.srs ? wgs84 : plain);
  return end(&p, status);
}

/** From now on polygons go from the CRS of the grid to WGS 84, x the longitude. */
static enum sciara_status change_to_wgs84(struct product *p) {
  OGRSpatialReferenceH from = p->srs;
  p->srs = NULL;
  enum sciara_status status = sciara_srs_parse("EPSG:4326", &p->srs);
  if (status == SCIARA_OK && !(p->change = OCTNewCoordinateTransformation(from, p->srs)))
    status = sciara_fail(sciara_gdal_status(&p->scope, SCIARA_ERR_INPUT), "%s: the CRS cannot be changed to WGS 84: %s",
                         p->path, sciara_gdal_message(&p->scope));
  OSRRelease(from);
  return status;
}

enum sciara_status sciara_polygons_write_kml(const struct sciara_polygons *polygons, const char *path) {
  static const struct format format = {
      .driver = "LIBKML", .suffix = "kml", .label = "Name", .cells = OFTReal, .styled = true};
  if (!polygons->georef || !polygons->georef->crs_wkt)
    return sciara_fail(SCIARA_ERR_USAGE, "%s: KML needs a CRS", path);
  struct product p = {.polygons = polygons, .path = path};
  struct sciara_text name = {0};
  sciara_text_append(&name, "NAME=");
  SCIARA_TRY(sciara_text_append_plain(&name, polygons->title ? polygons->title : "lava"));
  const char *const options[] = {name.data, NULL}, *const folder[] = {"FOLDER=YES", NULL};
  enum sciara_status status = begin(&p, &format, options);
  if (status == SCIARA_OK) status = change_to_wgs84(&p);
  for (size_t k = 0; k < polygons->count && status == SCIARA_OK; k++)
    status = add_layer(&p, &polygons->layers[k], folder);
  sciara_text_free(&name);
  return end(&p, status);
}
