// SPDX-License-Identifier: Apache-2.0
// Observed outlines: polygons of a vector file, burnt into the cells whose centres they hold.
#include <cpl_string.h>
#include <gdal_alg.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <ogr_api.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/observation_parts.h"
#include "base/log.h"
#include "file/vector_dates.h"
#include "file/vector_open.h"
#include "file/vector_place.h"

/** What is being read. */
struct outline {
  struct sciara_gdal_scope *scope;
  const struct sciara_observation_request *request;
  struct sciara_vector_place place;
  GDALDatasetH mask;           ///< bytes, on the grid
  struct sciara_bounds bounds; ///< of the polygons so far, in the CRS of the grid
  int64_t feature;             ///< number of the one that is read, from 0
  int64_t polygons, others, elsewhere;
};

/** An empty mask of bytes on the grid. */
static enum sciara_status make_mask(struct outline *o) {
  const struct sciara_grid *g = o->request->grid;
  double place[6] = {g->west, g->cell_size, 0, g->north, 0, -g->cell_size};
  if (g->rows <= INT_MAX && g->cols <= INT_MAX)
    o->mask = GDALCreate(GDALGetDriverByName("MEM"), "", (int)g->cols, (int)g->rows, 1, GDT_Byte, NULL);
  if (o->mask && GDALSetGeoTransform(o->mask, place) == CE_None) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_MEMORY, "%s: no mask of %" PRId64 " x %" PRId64 " cells: %s", o->request->path, g->cols,
                     g->rows, sciara_gdal_message(o->scope));
}

static enum sciara_status burn(struct outline *o, OGRGeometryH polygon) {
  int band = 1;
  double one = 1;
  OGREnvelope e;
  OGR_G_GetEnvelope(polygon, &e);
  if (OGR_G_IsEmpty(polygon)) return SCIARA_OK;
  sciara_bounds_add(&o->bounds, e.MinX, e.MinY);
  sciara_bounds_add(&o->bounds, e.MaxX, e.MaxY);
  o->polygons++;
  // One at a time: within a call overlapping polygons would cut holes into each other.
  if (GDALRasterizeGeometries(o->mask, 1, &band, 1, &polygon, NULL, NULL, &one, NULL, NULL, NULL) == CE_None)
    return SCIARA_OK;
  return sciara_fail(sciara_gdal_status(o->scope, SCIARA_ERR_INPUT), "%s: a polygon cannot be brought to the grid: %s",
                     o->request->path, sciara_gdal_message(o->scope));
}

/** Burns every polygon that the geometry, a collection perhaps, holds. */
static enum sciara_status burn_all(struct outline *o, OGRGeometryH geometry) {
  const OGRwkbGeometryType type = OGR_GT_Flatten(OGR_G_GetGeometryType(geometry));
  if (type == wkbPolygon || type == wkbTriangle) return burn(o, geometry);
  if (!OGR_GT_IsSubClassOf(type, wkbGeometryCollection)) {
    o->others++;
    return SCIARA_OK;
  }
  for (int i = 0; i < OGR_G_GetGeometryCount(geometry); i++) SCIARA_TRY(burn_all(o, OGR_G_GetGeometryRef(geometry, i)));
  return SCIARA_OK;
}

/** Takes over the geometry, in the CRS of the grid. */
static enum sciara_status add_geometry(struct outline *o, OGRGeometryH geometry) {
  OGRGeometryH placed;
  SCIARA_TRY(sciara_vector_place_take(&o->place, o->feature, geometry, &placed));
  const enum sciara_status status = placed ? burn_all(o, placed) : SCIARA_OK;
  o->elsewhere += !placed;
  OGR_G_DestroyGeometry(placed);
  return status;
}

static enum sciara_status read_layer(struct outline *o, OGRLayerH layer) {
  const struct sciara_observation_request *q = o->request;
  OGRFeatureH feature;
  enum sciara_status status = SCIARA_OK;
  const struct sciara_bounds b = sciara_bounds_of_grid(q->grid);
  const double box[4] = {b.west, b.south, b.east, b.north};
  SCIARA_TRY(sciara_vector_check_degrees(q->path, layer, q->crs_wkt, box));
  OGRSpatialReferenceH srs = sciara_vector_srs(layer);
  sciara_observation_note_crs(q, srs);
  SCIARA_TRY(sciara_vector_place_open(o->scope, q->path, srs, q->crs_wkt, "the run", q->grid, &o->place));
  struct sciara_vector_date of = {.field = -1};
  if (q->date_field)
    of = (struct sciara_vector_date){.field = OGR_L_FindFieldIndex(layer, q->date_field, true), .date = q->date};
  else if (!q->region)
    SCIARA_TRY(sciara_vector_choose_date(q->path, layer, q->when, q->date_hint ? q->date_hint : "", NULL, &of));
  sciara_gdal_reset(o->scope);
  OGR_L_ResetReading(layer);
  for (; status == SCIARA_OK && (feature = OGR_L_GetNextFeature(layer)); o->feature++) {
    OGRGeometryH geometry = OGR_F_GetGeometryRef(feature);
    if (geometry && sciara_vector_has_date(feature, &of)) status = add_geometry(o, geometry);
    OGR_F_Destroy(feature);
  }
  if (status == SCIARA_OK && o->scope->failed) // a damaged file ends early
    status = sciara_fail(sciara_gdal_status(o->scope, SCIARA_ERR_INPUT),
                         "%s: cannot be read whole, it may be truncated: %s", q->path, sciara_gdal_message(o->scope));
  if (status != SCIARA_OK) return status;
  if (o->polygons == 0 && o->elsewhere > 0)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: is outside the grid of the run: its polygons lie far from it", q->path);
  if (o->feature == 0)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: layer \"%s\" has no features", q->path, OGR_L_GetName(layer));
  if (o->polygons == 0)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: layer \"%s\" holds no polygon (%" PRId64 " lines, points and the like); the outline of the "
                       "lava is needed as polygons",
                       q->path, OGR_L_GetName(layer), o->others);
  if (o->others > 0)
    sciara_log(SCIARA_LOG_WARNING, "%s: %" PRId64 " lines, points and the like are left out", q->path, o->others);
  return sciara_observation_check_place(q, &o->bounds);
}

/** The requested layer, or the only one that may hold polygons, or the only one. */
static enum sciara_status choose_layer(const struct sciara_observation_request *q, GDALDatasetH dataset,
                                       OGRLayerH *out) {
  struct sciara_vector_layer found;
  enum sciara_status status = sciara_vector_find_layer(dataset, q->layer, SCIARA_VECTOR_POLYGONS, &found);
  const char *there = found.names.data ? found.names.data : "others";
  *out = found.layer;
  if (status != SCIARA_OK || found.layer)
    ; // found, or no memory
  else if (q->layer)
    status = sciara_observation_refuse(q, "layer", "expected a layer of %s, found \"%s\"; there are %s", q->path,
                                       q->layer, there);
  else if (found.suitable == 0)
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: expected a layer of polygons, found %d layers without any", q->path,
                         found.count);
  else if (q->json_path)
    status = sciara_observation_refuse(q, "layer", "expected one of the %d layers of polygons of %s, %s; found none",
                                       found.suitable, q->path, there);
  else
    status = sciara_fail(SCIARA_ERR_USAGE, "%s: has %d layers of polygons, %s; --observed-layer NAME chooses one",
                         q->path, found.suitable, there);
  sciara_text_free(&found.names);
  return status;
}

static enum sciara_status collect(const struct outline *o, GDALDatasetH dataset, struct sciara_observation *out) {
  const struct sciara_grid *g = o->request->grid;
  const int cols = (int)g->cols, rows = (int)g->rows;
  if (GDALRasterIO(GDALGetRasterBand(o->mask, 1), GF_Read, 0, 0, cols, rows, out->covered, cols, rows, GDT_Byte, 0,
                   0) != CE_None)
    return sciara_fail(SCIARA_ERR_INTERNAL, "%s: the mask cannot be read: %s", o->request->path,
                       sciara_gdal_message(o->scope));
  out->polygons = o->polygons;
  return sciara_copy(GDALGetDriverShortName(GDALGetDatasetDriver(dataset)), "an observed extent", &out->driver);
}

static enum sciara_status read_dataset(struct outline *o, GDALDatasetH dataset, struct sciara_observation *out,
                                       struct sciara_observation_dates *dates) {
  OGRLayerH layer;
  enum sciara_status status;
  SCIARA_TRY_GOTO(choose_layer(o->request, dataset, &layer));
  if (dates) return sciara_observation_list_dates(o->scope, o->request, layer, dates);
  SCIARA_TRY_GOTO(make_mask(o));
  SCIARA_TRY_GOTO(read_layer(o, layer));
  SCIARA_TRY_GOTO(collect(o, dataset, out));
cleanup:
  sciara_vector_place_close(&o->place);
  if (o->mask) GDALClose(o->mask);
  return status;
}

/** A file that is no outline in an allowed format may still be a raster; for others the error lists the formats. */
static enum sciara_status refuse_other_formats(const struct sciara_observation_request *q, const char *file,
                                               char **drivers) {
  GDALDriverH looks = GDALIdentifyDriver(file, NULL);
  if (looks && GDALGetMetadataItem(looks, GDAL_DCAP_RASTER, NULL)) return SCIARA_OK;
  struct sciara_text list = {0};
  enum sciara_status status = SCIARA_OK;
  for (int i = 0; drivers[i] && status == SCIARA_OK; i++)
    status = sciara_text_append(&list, "%s%s", i ? ", " : "", drivers[i]);
  const char *name = looks ? GDALGetDriverShortName(looks) : NULL;
  if (status == SCIARA_OK && name)
    status = sciara_fail(SCIARA_ERR_INPUT,
                         "%s: format %s is not among those allowed for polygons (%s); --allow-driver %s would allow it",
                         q->path, name, list.data, name);
  else if (status == SCIARA_OK)
    status = sciara_fail(SCIARA_ERR_INPUT,
                         "%s: is neither a raster nor a file of polygons in one of the formats allowed (%s)", q->path,
                         list.data);
  sciara_text_free(&list);
  return status;
}

enum sciara_status sciara_observation_read_vector(struct sciara_gdal_scope *scope,
                                                  const struct sciara_observation_request *q, bool *is_vector,
                                                  struct sciara_observation *out,
                                                  struct sciara_observation_dates *dates) {
  *is_vector = false;
  char *name, **drivers = NULL;
  GDALDatasetH dataset = NULL;
  GDALDriverH looks = NULL;
  enum sciara_status status;
  SCIARA_TRY(sciara_gdal_files_allow(q->path, &name));
  drivers = sciara_vector_allowed(q->extra_drivers, q->extra_driver_count);
  SCIARA_TRY_GOTO(sciara_vector_open(q->path, name, q->extra_drivers, q->extra_driver_count, &looks, &dataset));
  if (!looks) {
    status = refuse_other_formats(q, name, drivers);
    goto cleanup;
  }
  const bool may_be_raster = GDALGetMetadataItem(looks, GDAL_DCAP_RASTER, NULL) != NULL; // GeoPackages hold either
  const int layers = dataset ? GDALDatasetGetLayerCount(dataset) : 0;
  if (layers == 0 && may_be_raster) goto cleanup;
  *is_vector = true;
  if (layers == 0) {
    status = sciara_fail(sciara_gdal_status(scope, SCIARA_ERR_INPUT), "%s: cannot be opened as %s: %s", q->path,
                         GDALGetDriverShortName(looks), dataset ? "it has no layer" : sciara_gdal_message(scope));
    goto cleanup;
  }
  struct outline o = {.scope = scope, .request = q, .bounds = sciara_bounds_empty()};
  status = read_dataset(&o, dataset, out, dates);
cleanup:
  if (dataset) GDALClose(dataset);
  CSLDestroy(drivers);
  sciara_gdal_files_forbid(name);
  return status;
}
