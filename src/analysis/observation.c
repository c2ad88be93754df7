// SPDX-License-Identifier: Apache-2.0
#include "analysis/observation.h"

#include <cpl_string.h>
#include <gdal_alg.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <ogr_api.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/mem.h"
#include "file/gdal_support.h"
#include "file/hdf5_file.h"
#include "file/vector_open.h"
#include "file/vector_place.h"
#include "terrain/dem_source.h"

// ----------------------------------------------------------------------------------------------------------- its place

// The CRS and bounds of an observation, compared with those of the grid of the run.

/** West, south, east and north end. */
struct sciara_bounds {
  double west, south, east, north;
};

/** Bounds of nothing yet. */
static struct sciara_bounds bounds_empty(void) {
  return (struct sciara_bounds){INFINITY, INFINITY, -INFINITY, -INFINITY};
}

static void bounds_add(struct sciara_bounds *b, double x, double y) {
  if (x < b->west) b->west = x;
  if (y < b->south) b->south = y;
  if (x > b->east) b->east = x;
  if (y > b->north) b->north = y;
}

static struct sciara_bounds bounds_of_grid(const struct sciara_grid *g) {
  return (struct sciara_bounds){g->west, sciara_grid_south(g), sciara_grid_east(g), g->north};
}

/** Says in the log that coordinates are taken as they are, if one of the two CRS is not known. */
static void observation_note_crs(const struct sciara_observation_request *q, OGRSpatialReferenceH srs) {
  if (srs && q->crs_wkt) return;
  sciara_log(SCIARA_LOG_INFO, "%s: %s, so its coordinates are taken to be those of the run", q->path,
             srs ? "the run has no CRS" : "names no CRS");
}

/**
 * How coordinates of the observation become those of the grid, or back (`to_grid` false). *out is NULL where they are
 * the same, or one of the two CRS is not known; that is then said in the log.
 */
static enum sciara_status observation_transform(struct sciara_gdal_scope *scope,
                                                const struct sciara_observation_request *q, OGRSpatialReferenceH srs,
                                                bool to_grid, OGRCoordinateTransformationH *out) {
  *out = NULL;
  observation_note_crs(q, srs);
  if (!srs || !q->crs_wkt) return SCIARA_OK;
  return sciara_srs_transform(scope, q->path, srs, q->crs_wkt, "the run", !to_grid, out);
}

/** Refuses an observation (bounds in the CRS of the grid) that lies off the grid, and says when it reaches beyond. */
static enum sciara_status observation_check_place(const struct sciara_observation_request *q,
                                                  const struct sciara_bounds *found) {
  const struct sciara_bounds g = bounds_of_grid(q->grid);
  const double slack = 1e-6 * q->grid->cell_size;
  if (!(found->east > g.west && found->west < g.east && found->north > g.south && found->south < g.north))
    return sciara_fail(
        SCIARA_ERR_INPUT,
        "%s: is outside the grid of the run: it has x %.9g to %.9g and y %.9g to %.9g, the grid has x %.9g "
        "to %.9g and y %.9g to %.9g",
        q->path, found->west, found->east, found->south, found->north, g.west, g.east, g.south, g.north);
  if (found->west < g.west - slack || found->east > g.east + slack || found->south < g.south - slack ||
      found->north > g.north + slack)
    sciara_log(SCIARA_LOG_WARNING,
               "%s: the observation extends beyond the grid of the run (x %.9g to %.9g, y %.9g to %.9g); the part "
               "outside is not counted",
               q->path, found->west, found->east, found->south, found->north);
  return SCIARA_OK;
}

/** An error in the key "layer" or "dates" of a file, or in the option for it. */
static enum sciara_status observation_refuse(const struct sciara_observation_request *q, const char *key,
                                             const char *format, ...) {
  const char *option = strcmp(key, "layer") == 0 ? "--observed-layer" : "--dates";
  char text[1024];
  va_list values;
  va_start(values, format);
  sciara_vprint(text, sizeof text, format, values);
  va_end(values);
  if (!q->json_path) return sciara_fail(SCIARA_ERR_USAGE, "%s: %s", option, text);
  return sciara_fail(SCIARA_ERR_INPUT, "%s.%s: %s", q->json_path, key, text);
}

// --------------------------------------------------------------------------------------------------- dates of outlines

enum { MOST_DATES = 1000 };

/** Whether all features that have a value in a field have a date there, and one has. */
static bool holds_dates(OGRLayerH layer, int field) {
  OGRFeatureH feature;
  bool some = false, all = true;
  OGR_L_ResetReading(layer);
  while (all && (feature = OGR_L_GetNextFeature(layer))) {
    double date;
    const bool is = sciara_vector_date_of(feature, field, &date);
    all = is || !OGR_F_IsFieldSetAndNotNull(feature, field);
    some = some || is;
    OGR_F_Destroy(feature);
  }
  return some && all;
}

/** The field that is named, or the only one with dates; -1: there is none, and none is needed. */
static enum sciara_status find_field(const struct sciara_observation_request *q, OGRLayerH layer, int *out) {
  OGRFeatureDefnH definition = OGR_L_GetLayerDefn(layer);
  struct sciara_text all = {0}, dated = {0};
  const bool any = strcmp(q->date_field, SCIARA_OBSERVATION_DATES_AUTO) == 0;
  int count = 0;
  *out = any ? -1 : OGR_L_FindFieldIndex(layer, q->date_field, true);
  for (int k = 0; k < OGR_FD_GetFieldCount(definition); k++) {
    const char *name = OGR_Fld_GetNameRef(OGR_FD_GetFieldDefn(definition, k));
    sciara_text_append(&all, "%s\"%s\"", all.data ? ", " : "", name);
    if (!any || !holds_dates(layer, k)) continue;
    sciara_text_append(&dated, "%s\"%s\"", dated.data ? ", " : "", name);
    *out = k;
    count++;
  }
  enum sciara_status status = SCIARA_OK;
  if (any && count == 0 && q->dates_optional)
    ;
  else if (any && count != 1)
    status = observation_refuse(q, "dates", "expected one field with dates in %s, found %s; its fields are %s", q->path,
                                count > 1 ? dated.data : "none", all.data ? all.data : "none");
  else if (*out < 0)
    status = observation_refuse(q, "dates", "expected a field of %s, found \"%s\"; there are %s", q->path,
                                q->date_field, all.data ? all.data : "none");
  sciara_text_free(&all);
  sciara_text_free(&dated);
  return status;
}

/** Inserts a date in order among those before, unless it is there. */
static bool add_date(struct sciara_observation_dates *d, double date) {
  size_t at = d->count;
  while (at > 0 && d->date[at - 1] > date) at--;
  if (at > 0 && d->date[at - 1] == date) return true;
  if (d->count == MOST_DATES) return false;
  memmove(d->date + at + 1, d->date + at, (d->count - at) * sizeof *d->date);
  d->date[at] = date;
  d->count++;
  return true;
}

/** The dates of the features of a layer. */
static enum sciara_status observation_list_dates(struct sciara_gdal_scope *scope,
                                                 const struct sciara_observation_request *q, OGRLayerH layer,
                                                 struct sciara_observation_dates *out) {
  OGRFeatureH feature;
  enum sciara_status status = SCIARA_OK;
  int field;
  SCIARA_TRY(find_field(q, layer, &field));
  if (field < 0) return SCIARA_OK;
  const char *name = OGR_Fld_GetNameRef(OGR_FD_GetFieldDefn(OGR_L_GetLayerDefn(layer), field));
  SCIARA_TRY(sciara_copy(name, "dates", &out->field));
  SCIARA_TRY(SCIARA_NEW(out->date, MOST_DATES, "the dates of outlines"));
  sciara_gdal_reset(scope);
  OGR_L_ResetReading(layer);
  for (long long k = 1; status == SCIARA_OK && (feature = OGR_L_GetNextFeature(layer)); k++) {
    double date;
    if (!sciara_vector_date_of(feature, field, &date))
      status = sciara_fail(
          SCIARA_ERR_INPUT,
          "%s: feature %lld: %.80s: expected a date such as 2006-07-14 or 2006-07-14T12:00Z, found \"%.80s\"", q->path,
          k, name, OGR_F_GetFieldAsString(feature, field));
    else if (!add_date(out, date))
      status = sciara_fail(SCIARA_ERR_INPUT, "%s: expected at most %d dates, found more", q->path, (int)MOST_DATES);
    OGR_F_Destroy(feature);
  }
  if (status == SCIARA_OK && scope->failed)
    status = sciara_fail(sciara_gdal_status(scope, SCIARA_ERR_INPUT),
                         "%s: cannot be read whole, it may be truncated: %s", q->path, sciara_gdal_message(scope));
  return status;
}

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
  bounds_add(&o->bounds, e.MinX, e.MinY);
  bounds_add(&o->bounds, e.MaxX, e.MaxY);
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
  const struct sciara_bounds b = bounds_of_grid(q->grid);
  const double box[4] = {b.west, b.south, b.east, b.north};
  SCIARA_TRY(sciara_vector_check_degrees(q->path, layer, q->crs_wkt, box));
  OGRSpatialReferenceH srs = sciara_vector_srs(layer);
  observation_note_crs(q, srs);
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
  const char *others = sciara_plural((uint64_t)o->others, "line or point", "lines and points");
  if (o->polygons == 0)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: layer \"%s\" holds no polygon, but %" PRId64 " %s; the outline of the lava is needed as "
                       "polygons",
                       q->path, OGR_L_GetName(layer), o->others, others);
  if (o->others > 0)
    sciara_log(SCIARA_LOG_WARNING, "%s: %" PRId64 " %s left out: only polygons have an area", q->path, o->others,
               sciara_plural((uint64_t)o->others, "line or point is", "lines and points are"));
  return observation_check_place(q, &o->bounds);
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
    status =
        observation_refuse(q, "layer", "expected a layer of %s, found \"%s\"; there are %s", q->path, q->layer, there);
  else if (found.suitable == 0)
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: expected a layer of polygons, found %d layers without any", q->path,
                         found.count);
  else if (q->json_path)
    status = observation_refuse(q, "layer", "expected one of the %d layers of polygons of %s, %s; found none",
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
  if (!o->request->region && !memchr(out->covered, 1, (size_t)sciara_grid_cells(g)))
    sciara_log(SCIARA_LOG_WARNING, "%s: no cell has its centre in its polygons, so nothing counts as observed",
               o->request->path);
  out->polygons = o->polygons;
  return sciara_copy(GDALGetDriverShortName(GDALGetDatasetDriver(dataset)), "an observed extent", &out->driver);
}

static enum sciara_status read_dataset(struct outline *o, GDALDatasetH dataset, struct sciara_observation *out,
                                       struct sciara_observation_dates *dates) {
  OGRLayerH layer;
  enum sciara_status status;
  SCIARA_TRY_GOTO(choose_layer(o->request, dataset, &layer));
  if (dates) return observation_list_dates(o->scope, o->request, layer, dates);
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
  struct sciara_text list = {0}, found = {0};
  enum sciara_status status = sciara_source_explain(q->path, &found);
  for (int i = 0; drivers[i] && status == SCIARA_OK; i++)
    status = sciara_text_append(&list, "%s%s", i ? ", " : "", drivers[i]);
  const char *name = looks ? GDALGetDriverShortName(looks) : NULL;
  if (status == SCIARA_OK && name)
    status = sciara_fail(SCIARA_ERR_INPUT,
                         "%s: format %s is not among those allowed for polygons (%s); --allow-driver %s would allow it",
                         q->path, name, list.data, name);
  else if (status == SCIARA_OK)
    status = sciara_fail(SCIARA_ERR_INPUT,
                         "%s: is neither a raster nor a file of polygons in one of the formats allowed (%s)%s%s",
                         q->path, list.data, found.length ? ": it " : "", found.length ? found.data : "");
  sciara_text_free(&list);
  sciara_text_free(&found);
  return status;
}

/**
 * Fill out->covered and the rest, or, if `dates` is not NULL, the dates alone. *is_vector: false when the file holds no layer
 * at all and may be a raster.
 */
static enum sciara_status observation_read_vector(struct sciara_gdal_scope *scope,
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
  struct outline o = {.scope = scope, .request = q, .bounds = bounds_empty()};
  status = read_dataset(&o, dataset, out, dates);
cleanup:
  if (dataset) GDALClose(dataset);
  CSLDestroy(drivers);
  sciara_gdal_files_forbid(name);
  return status;
}

// ------------------------------------------------------------------------------------------------------------ a raster

// Each cell of the run takes the value of the raster at its centre.

enum { STRIP_CELLS = 1 << 22 }; // read at once: rasters may be far larger than the grid

/** What is being read. */
struct sampling {
  struct sciara_gdal_scope *scope;
  const struct sciara_observation_request *request;
  const struct sciara_source *source;
  OGRCoordinateTransformationH to_raster, to_grid; ///< NULL: none is needed
  int64_t *at;                                     ///< of each cell of the grid: the raster's cell, or -1
  double *sample;                                  ///< of each cell of the grid
  double *x, *y, *value;                           ///< of a row of either
  uint8_t *valid;
  int *good;
  struct sciara_bounds bounds; ///< centres of the cells above 0, in the CRS of the grid
  double one_value;            ///< the first value above 0; 0 while there is none
  bool several_values;
  bool fractions;  ///< a value above 0 is no whole number
  double highest;  ///< of all values
  int64_t broken;  ///< cells of the raster that are NaN or infinite
  int64_t missing; ///< cells of the grid that have no value
};

/** Transforms the first points of x and y; `good` says which exist in the other CRS. */
static void transform(OGRCoordinateTransformationH by, int64_t count, struct sampling *s) {
  for (int64_t k = 0; k < count; k++) s->good[k] = 1;
  if (by) OCTTransformEx(by, (int)count, s->x, s->y, NULL, s->good); // fails as a whole if one point does
}

/** How far x lies east of `west`; in degrees within a turn, as rasters may count from -180 or from 0, and past 180. */
static double east_of(double west, double x, double turn) {
  const double east = x - west;
  return turn > 0 ? east - turn * floor(east / turn) : east;
}

/** Which cell of the raster lies under the centre of each cell of the grid. */
static int64_t locate(struct sampling *s) {
  const struct sciara_grid *g = s->request->grid;
  const struct sciara_source *r = s->source;
  const double turn = sciara_srs_turn(r->srs);
  int64_t inside = 0;
  for (int64_t row = 0; row < g->rows; row++) {
    for (int64_t col = 0; col < g->cols; col++) {
      s->x[col] = g->west + ((double)col + 0.5) * g->cell_size;
      s->y[col] = g->north - ((double)row + 0.5) * g->cell_size;
    }
    transform(s->to_raster, g->cols, s);
    for (int64_t col = 0; col < g->cols; col++) {
      const double i = floor((r->north - s->y[col]) / r->dy), j = floor(east_of(r->west, s->x[col], turn) / r->dx);
      const bool in = s->good[col] && i >= 0 && i < (double)r->rows && j >= 0 && j < (double)r->cols;
      s->at[row * g->cols + col] = in ? (int64_t)i * r->cols + (int64_t)j : -1;
      inside += in;
    }
  }
  return inside;
}

/** Where the raster itself lies, by its corners: for the diagnostic of one that is off the grid. */
static struct sciara_bounds bounds_of(struct sampling *s) {
  const struct sciara_source *r = s->source;
  struct sciara_bounds b = bounds_empty();
  for (int k = 0; k < 4; k++) {
    s->x[k] = r->west + (k % 2 ? (double)r->cols * r->dx : 0);
    s->y[k] = r->north - (k / 2 ? (double)r->rows * r->dy : 0);
  }
  transform(s->to_grid, 4, s);
  for (int k = 0; k < 4; k++) bounds_add(&b, s->x[k], s->y[k]);
  return b;
}

/** Takes note of a row of the raster: where it is above 0, and with how many different values. */
static void look_at_row(struct sampling *s, int64_t row, const double *value, const uint8_t *valid) {
  const struct sciara_source *r = s->source;
  int64_t count = 0;
  for (int64_t c = 0; c < r->cols; c++) {
    if (!valid[c] || !(value[c] > 0)) continue;
    if (s->one_value == 0) s->one_value = value[c];
    s->several_values = s->several_values || value[c] != s->one_value;
    s->fractions = s->fractions || value[c] != floor(value[c]);
    s->highest = fmax(s->highest, value[c]);
    s->x[count] = r->west + ((double)c + 0.5) * r->dx;
    s->y[count++] = r->north - ((double)row + 0.5) * r->dy;
  }
  transform(s->to_grid, count, s);
  for (int64_t k = 0; k < count; k++)
    if (s->good[k]) bounds_add(&s->bounds, s->x[k], s->y[k]);
}

/** Turns NaN and infinities to NODATA, as in a DEM. */
static void drop_broken(struct sampling *s, int64_t cells) {
  for (int64_t k = 0; k < cells; k++)
    if (s->valid[k] && !isfinite(s->value[k])) {
      s->valid[k] = 0;
      s->broken++;
    }
}

/** Gives the cells of the grid that lie in a strip of the raster their values. */
static void take_samples(struct sampling *s, int64_t first, int64_t count) {
  const int64_t cells = sciara_grid_cells(s->request->grid);
  for (int64_t i = 0; i < cells; i++) {
    const int64_t k = s->at[i] - first;
    if (s->at[i] < 0 || k < 0 || k >= count) continue;
    s->sample[i] = s->valid[k] && s->value[k] > 0 ? s->value[k] : 0;
    s->missing -= s->valid[k];
  }
}

static enum sciara_status read_strips(struct sampling *s, int64_t strip) {
  const struct sciara_source *r = s->source;
  for (int64_t row = 0; row < r->rows; row += strip) {
    const int64_t rows = r->rows - row < strip ? r->rows - row : strip;
    const int64_t window[4] = {row, 0, rows, r->cols};
    SCIARA_TRY(sciara_source_read(s->scope, r, window, s->value, s->valid));
    drop_broken(s, rows * r->cols);
    for (int64_t k = 0; k < rows; k++) look_at_row(s, row + k, s->value + k * r->cols, s->valid + k * r->cols);
    take_samples(s, row * r->cols, rows * r->cols);
  }
  return SCIARA_OK;
}

/** Whether the values are thickness in m, and no marks. Feet would pass every other check. */
static enum sciara_status is_thickness(const struct sampling *s, bool *thickness) {
  static const char *const metre[] = {"m", "metre", "metres", "meter", "meters"};
  const GDALDataType type = GDALGetRasterDataType(s->source->band);
  const char *unit = GDALGetRasterUnitType(s->source->band);
  bool in_metres = false;
  for (size_t i = 0; i < sizeof metre / sizeof *metre; i++) in_metres = in_metres || strcasecmp(unit, metre[i]) == 0;
  // a scale makes fractions of whole numbers
  *thickness = s->several_values && (in_metres || s->fractions || type == GDT_Float32 || type == GDT_Float64);
  if (!*thickness || in_metres || !unit[0]) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: its values are in \"%s\"; thickness is needed in m, or one value for all lava",
                     s->request->path, unit);
}

enum { THICKEST = 300 }; ///< m: few lava flows are thicker, and only of rhyolite

/** Points out values that are hardly thickness, though their type is: counts of paths, classes, altitudes. */
static enum sciara_status doubt_thickness(const struct sampling *s) {
  struct sciara_text command = {0};
  const char *path = s->request->path;
  enum sciara_status status = SCIARA_OK;
  if (s->fractions && s->highest > THICKEST)
    sciara_log(SCIARA_LOG_WARNING,
               "%s: its values reach %.10g and are scored as thickness in m; no lava flow is thicker than %d m", path,
               s->highest, THICKEST);
  if (s->fractions) return SCIARA_OK;
  SCIARA_TRY_GOTO(sciara_text_append(&command, "gdal_translate -ot UInt32 -a_nodata 0 "));
  SCIARA_TRY_GOTO(sciara_source_append_paths(path, "-extent", &command));
  sciara_log(SCIARA_LOG_WARNING,
             "%s: its values are whole numbers up to %.10g, such as counts of flow paths or classes, and are scored as "
             "thickness in m; to score only where they are above 0: %s",
             path, s->highest, command.data);
cleanup:
  sciara_text_free(&command);
  return status;
}

static enum sciara_status collect_values(struct sampling *s, struct sciara_observation *out) {
  const struct sciara_observation_request *q = s->request;
  bool thickness;
  SCIARA_TRY(is_thickness(s, &thickness));
  if (thickness) SCIARA_TRY(doubt_thickness(s));
  if (s->broken > 0)
    sciara_log(SCIARA_LOG_WARNING, "%s: %" PRId64 " %s NaN or infinite, taken as NODATA", q->path, s->broken,
               sciara_plural((uint64_t)s->broken, "cell is", "cells are"));
  const double least = thickness ? q->min_thickness_m : 0;
  int64_t covered = 0;
  for (int64_t i = 0; i < sciara_grid_cells(q->grid); i++) covered += out->covered[i] = s->sample[i] > least;
  if (s->several_values && covered == sciara_grid_cells(q->grid))
    sciara_log(SCIARA_LOG_WARNING,
               "%s: its values are above %.10g, up to %.10g, in every cell of the run, so all count as covered: where "
               "there is no lava 0 is expected, or NODATA",
               q->path, least, s->highest);
  if (s->missing > 0)
    sciara_log(SCIARA_LOG_INFO, "%s: has no value for %" PRId64 " %s of the run, taken as not covered", q->path,
               s->missing, sciara_plural((uint64_t)s->missing, "cell", "cells"));
  SCIARA_TRY(sciara_copy(GDALGetDriverShortName(GDALGetDatasetDriver(s->source->dataset)), "an observed extent",
                         &out->driver));
  if (thickness) {
    out->thickness = s->sample;
    s->sample = NULL;
  }
  return s->one_value > 0 ? observation_check_place(q, &s->bounds) : SCIARA_OK;
}

static enum sciara_status take_memory(struct sampling *s, int64_t strip) {
  const int64_t cells = sciara_grid_cells(s->request->grid), cols = s->request->grid->cols;
  const int64_t row = cols > s->source->cols ? cols : s->source->cols;
  s->missing = cells;
  SCIARA_TRY(SCIARA_NEW(s->at, cells, "places in an observed raster"));
  SCIARA_TRY(SCIARA_NEW(s->sample, cells, "values of an observed raster"));
  SCIARA_TRY(SCIARA_NEW(s->x, row < 4 ? 4 : row, "coordinates of a row"));
  SCIARA_TRY(SCIARA_NEW(s->y, row < 4 ? 4 : row, "coordinates of a row"));
  SCIARA_TRY(SCIARA_NEW(s->good, row < 4 ? 4 : row, "coordinates of a row"));
  SCIARA_TRY(SCIARA_NEW(s->value, strip * s->source->cols, "rows of an observed raster"));
  return SCIARA_NEW(s->valid, strip * s->source->cols, "rows of an observed raster");
}

static enum sciara_status read_source(struct sampling *s, struct sciara_observation *out) {
  const struct sciara_source *r = s->source;
  int64_t strip = STRIP_CELLS / r->cols;
  strip = strip < 1 ? 1 : strip < r->rows ? strip : r->rows;
  SCIARA_TRY(observation_transform(s->scope, s->request, r->srs, false, &s->to_raster));
  if (s->to_raster) SCIARA_TRY(observation_transform(s->scope, s->request, r->srs, true, &s->to_grid));
  SCIARA_TRY(take_memory(s, strip));
  if (locate(s) == 0) {
    const struct sciara_bounds b = bounds_of(s);
    SCIARA_TRY(observation_check_place(s->request, &b));
    return sciara_fail(SCIARA_ERR_INPUT, "%s: no cell of the run has its centre in this raster", s->request->path);
  }
  SCIARA_TRY(read_strips(s, strip));
  return collect_values(s, out);
}

static enum sciara_status observation_read_raster(struct sciara_gdal_scope *scope,
                                                  const struct sciara_observation_request *q,
                                                  struct sciara_observation *out) {
  struct sciara_source source = {0};
  sciara_gdal_reset(scope);
  SCIARA_TRY(sciara_source_open(scope, q->path, 1, q->extra_drivers, q->extra_driver_count, NULL, &source));
  struct sampling s = {.scope = scope, .request = q, .source = &source, .bounds = bounds_empty()};
  const enum sciara_status status = read_source(&s, out);
  if (s.to_raster) OCTDestroyCoordinateTransformation(s.to_raster);
  if (s.to_grid) OCTDestroyCoordinateTransformation(s.to_grid);
  sciara_free(s.at);
  sciara_free(s.sample);
  sciara_free(s.x);
  sciara_free(s.y);
  sciara_free(s.value);
  sciara_free(s.valid);
  sciara_free(s.good);
  sciara_source_close(&source);
  return status;
}

/** What GDAL may open, before it does. */
static enum sciara_status check_file(const struct sciara_observation_request *request) {
  SCIARA_TRY(sciara_source_check_file(request->path));
  SCIARA_TRY(sciara_hdf5_check_foreign(request->path));
  for (size_t i = 0; i < request->extra_driver_count; i++)
    SCIARA_TRY(sciara_source_check_driver(request->extra_drivers[i]));
  return SCIARA_OK;
}

enum sciara_status sciara_observation_read(const struct sciara_observation_request *request,
                                           struct sciara_observation *out) {
  *out = (struct sciara_observation){0};
  struct sciara_gdal_scope scope;
  sciara_gdal_enter(&scope, false);
  enum sciara_status status;
  bool is_vector = false;
  SCIARA_TRY_GOTO(check_file(request));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->covered, sciara_grid_cells(request->grid), "the observed extent"));
  SCIARA_TRY_GOTO(observation_read_vector(&scope, request, &is_vector, out, NULL));
  if (!is_vector && request->layer)
    status = observation_refuse(request, "layer", "%s is a raster and has no layers", request->path);
  else if (!is_vector)
    status = observation_read_raster(&scope, request, out);
cleanup:
  if (status != SCIARA_OK) sciara_observation_free(out);
  sciara_gdal_leave(&scope);
  return status;
}

void sciara_observation_free(struct sciara_observation *o) {
  sciara_free(o->covered);
  sciara_free(o->thickness);
  free(o->driver);
  *o = (struct sciara_observation){0};
}

enum sciara_status sciara_observation_dates_read(const struct sciara_observation_request *request,
                                                 struct sciara_observation_dates *out) {
  struct sciara_gdal_scope scope;
  bool is_vector = false;
  *out = (struct sciara_observation_dates){0};
  sciara_gdal_enter(&scope, false);
  enum sciara_status status = check_file(request);
  if (status == SCIARA_OK) status = observation_read_vector(&scope, request, &is_vector, NULL, out);
  if (status == SCIARA_OK && !is_vector && !request->dates_optional)
    status = observation_refuse(request, "dates", "%s is a raster and has no dates", request->path);
  if (status != SCIARA_OK) sciara_observation_dates_free(out);
  sciara_gdal_leave(&scope);
  return status;
}

void sciara_observation_dates_free(struct sciara_observation_dates *d) {
  free(d->field);
  sciara_free(d->date);
  *d = (struct sciara_observation_dates){0};
}
