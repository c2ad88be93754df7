// SPDX-License-Identifier: Apache-2.0
#include "file/vector_open.h"
#include "base/text.h"

#include <cpl_string.h>
#include <math.h>
#include <ogr_api.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/** The drivers that any vector file may use. Others open addresses on the network, or files that name other files. */
static const char *const vector_drivers[] = {"GPKG", "ESRI Shapefile", "GeoJSON",         "FlatGeobuf",
                                             "KML",  "MapInfo File",   (const char *)NULL};

char **sciara_vector_allowed(const char *const *extra, size_t extra_count) {
  char **list = NULL;
  for (const char *const *name = vector_drivers; *name; name++) list = CSLAddString(list, *name);
  for (size_t i = 0; i < extra_count; i++) list = CSLAddString(list, extra[i]);
  return list;
}

enum sciara_status sciara_vector_open(const char *path, const char *name, const char *const *extra, size_t extra_count,
                                      GDALDriverH *looks, GDALDatasetH *dataset) {
  static const unsigned how = GDAL_OF_VECTOR | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR;
  *dataset = NULL;
  *looks = GDALIdentifyDriverEx(name, GDAL_OF_VECTOR, vector_drivers, NULL);
  if (*looks) {
    *dataset = GDALOpenEx(name, how, vector_drivers, NULL, NULL);
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

/** Whether a layer may hold geometry of one of the kinds; what holds any geometry may hold all. */
static bool may_hold(OGRLayerH layer, unsigned kinds) {
  const OGRwkbGeometryType type = OGR_GT_Flatten(OGR_L_GetGeomType(layer));
  if (type == wkbNone) return false;
  if (type == wkbUnknown || type == wkbGeometryCollection) return true;
  if (type == wkbPoint || type == wkbMultiPoint) return kinds & SCIARA_VECTOR_POINTS;
  if (OGR_GT_IsCurve(type) || OGR_GT_IsSubClassOf(type, wkbMultiCurve)) return kinds & SCIARA_VECTOR_LINES;
  return kinds & SCIARA_VECTOR_POLYGONS;
}

enum sciara_status sciara_vector_find_layer(GDALDatasetH dataset, const char *name, unsigned kinds,
                                            struct sciara_vector_layer *out) {
  enum sciara_status status = SCIARA_OK;
  *out = (struct sciara_vector_layer){.count = GDALDatasetGetLayerCount(dataset)};
  for (int i = 0; i < out->count; i++) out->suitable += may_hold(GDALDatasetGetLayer(dataset, i), kinds);
  for (int i = 0; i < out->count && status == SCIARA_OK; i++) {
    OGRLayerH layer = GDALDatasetGetLayer(dataset, i);
    const bool suits = may_hold(layer, kinds), only = suits ? out->suitable == 1 : out->count == 1;
    if (name ? strcmp(OGR_L_GetName(layer), name) == 0 : only) out->layer = layer;
    if (suits || out->suitable == 0)
      status = sciara_text_append(&out->names, "%s\"%s\"", out->names.length ? ", " : "", OGR_L_GetName(layer));
  }
  return status;
}

enum sciara_status sciara_vector_append_names(struct sciara_text *out, const char *path, const char *suffix) {
  char *target = sciara_format("%.*s-%s.gpkg", (int)sciara_path_stem(path), path, suffix);
  if (!target) return sciara_no_memory("a command");
  enum sciara_status status = sciara_shell_quote(out, target);
  free(target);
  if (status == SCIARA_OK) status = sciara_text_append(out, " ");
  return status == SCIARA_OK ? sciara_shell_quote(out, path) : status;
}

/** The coordinates are most likely those of the grid. */
static enum sciara_status fail_metres(const char *path, const OGREnvelope *e, OGRSpatialReferenceH grid) {
  struct sciara_text command = {0};
  enum sciara_status status = SCIARA_OK;
  SCIARA_TRY_GOTO(sciara_text_append(&command, "ogr2ogr -a_srs "));
  SCIARA_TRY_GOTO(sciara_shell_append_crs(&command, grid));
  SCIARA_TRY_GOTO(sciara_text_append(&command, " "));
  SCIARA_TRY_GOTO(sciara_vector_append_names(&command, path, "placed"));
  status = sciara_fail(SCIARA_ERR_INPUT,
                       "%s: is in degrees (as GeoJSON without \"crs\" is), but has coordinates beyond 180 degrees: x "
                       "%.9g to %.9g, y %.9g to %.9g. If they are metres in the CRS of the DEM, name it with: %s",
                       path, e->MinX, e->MaxX, e->MinY, e->MaxY, command.data);
cleanup:
  sciara_text_free(&command);
  return status;
}

static enum sciara_status fail_swapped(const char *path, const OGREnvelope *e) {
  struct sciara_text command = {0};
  enum sciara_status status = sciara_text_append(
      &command, "ogr2ogr -s_srs EPSG:4326 -t_srs EPSG:4326 -ct '+proj=pipeline +step +proj=axisswap +order=2,1' ");
  if (status == SCIARA_OK) status = sciara_vector_append_names(&command, path, "placed");
  if (status == SCIARA_OK)
    status = sciara_fail(SCIARA_ERR_INPUT,
                         "%s: has latitude before longitude (%.9g to %.9g, %.9g to %.9g): so it lies off the DEM, and "
                         "the other way round on it. Exchange them with: %s",
                         path, e->MinX, e->MaxX, e->MinY, e->MaxY, command.data);
  sciara_text_free(&command);
  return status;
}

/** Without a CRS; so coordinates are those of the grid, from which they are far, but could be degrees. */
static enum sciara_status fail_nameless(const char *path, const OGREnvelope *e) {
  struct sciara_text command = {0};
  enum sciara_status status = sciara_text_append(&command, "ogr2ogr -a_srs EPSG:4326 ");
  if (status == SCIARA_OK) status = sciara_vector_append_names(&command, path, "placed");
  if (status == SCIARA_OK)
    status = sciara_fail(SCIARA_ERR_INPUT,
                         "%s: names no CRS, and its coordinates (x %.9g to %.9g, y %.9g to %.9g) look like degrees and "
                         "lie off the DEM. If they are longitude and latitude, say so with: %s",
                         path, e->MinX, e->MaxX, e->MinY, e->MaxY, command.data);
  sciara_text_free(&command);
  return status;
}

OGRSpatialReferenceH sciara_vector_srs(OGRLayerH layer) {
  OGRSpatialReferenceH srs = OGR_L_GetSpatialRef(layer);
  const char *name = srs ? OSRGetName(srs) : NULL;
  OGREnvelope e;
  if (!name || strncasecmp(name, "undefined", strlen("undefined")) != 0) return srs;
  if (OSRIsLocal(srs)) return NULL;
  const bool degrees = OGR_L_GetExtent(layer, &e, TRUE) == OGRERR_NONE && fabs(e.MinX) <= 360 && fabs(e.MaxX) <= 360 &&
                       fabs(e.MinY) <= 90 && fabs(e.MaxY) <= 90;
  return degrees ? srs : NULL; // GDAL calls any CRS that it does not have an undefined geographic one
}

static bool overlaps(const double a[4], const double b[4]) {
  return a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1];
}

enum sciara_status sciara_vector_check_degrees(const char *path, OGRLayerH layer, const char *crs_wkt,
                                               const double *box) {
  OGRSpatialReferenceH own = sciara_vector_srs(layer), grid = NULL;
  OGREnvelope e;
  if ((own && !OSRIsGeographic(own)) || !crs_wkt || OGR_L_GetExtent(layer, &e, TRUE) != OGRERR_NONE) return SCIARA_OK;
  if (!own) {
    const double around[4] = {e.MinX, e.MinY, e.MaxX, e.MaxY};
    const bool degrees = fmax(fabs(e.MinX), fabs(e.MaxX)) <= 360 && fmax(fabs(e.MinY), fabs(e.MaxY)) <= 90;
    return box && degrees && !overlaps(around, box) ? fail_nameless(path, &e) : SCIARA_OK;
  }
  SCIARA_TRY(sciara_srs_parse(crs_wkt, &grid));
  enum sciara_status status = SCIARA_OK;
  double where[4];
  const double found[4] = {e.MinX, e.MinY, e.MaxX, e.MaxY}, swapped[4] = {e.MinY, e.MinX, e.MaxY, e.MaxX};
  OGRSpatialReferenceH degrees = OSRClone(own);
  OSRSetAxisMappingStrategy(degrees, OAMS_TRADITIONAL_GIS_ORDER);
  if (fmax(fabs(e.MinX), fabs(e.MaxX)) > 720 || fmax(fabs(e.MinY), fabs(e.MaxY)) > 720)
    status = fail_metres(path, &e, grid);
  else if (box && sciara_srs_change_box(grid, degrees, box, where) && !overlaps(found, where) &&
           overlaps(swapped, where))
    status = fail_swapped(path, &e);
  OSRRelease(degrees);
  OSRRelease(grid);
  return status;
}
