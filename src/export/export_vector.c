// SPDX-License-Identifier: Apache-2.0
// The formats of polygons: GeoPackage, GeoJSON, KML.
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "export/export.h"
#include "map/vector_ogr.h"
#include "model/field.h"

const char *const sciara_export_layer_names[SCIARA_EXPORT_LAYERS] = {"outline", "thickness_classes", "arrival",
                                                                     "edits"};

static enum sciara_status classify(const struct sciara_export_job *job, const struct sciara_map *map,
                                   struct sciara_zones *out) {
  static const double usual[] = {0.5, 1, 2, 5, 10};
  const bool given = job->edge_count > 0;
  if (!given) sciara_log(SCIARA_LOG_INFO, "no --classes given: 0.5,1,2,5,10 (m)");
  return sciara_zones_classes(map->values, sciara_grid_cells(map->grid), map->nodata, given ? job->edges : usual,
                              given ? job->edge_count : sizeof usual / sizeof *usual, out);
}

/** Isochrones; *out stays empty where the run does not say when lava came and nobody asked. */
static enum sciara_status date(const struct sciara_export_job *job, bool required, struct sciara_zones *out) {
  struct sciara_target *t = job->target;
  const int64_t cells = sciara_grid_cells(&t->snapshot.grid);
  const bool given = job->isochrones_s > 0;
  double step = job->isochrones_s, *values = NULL;
  if (!given && !required && !sciara_snapshot_has(&t->snapshot, SCIARA_FIELD_ARRIVAL_TIME)) {
    sciara_log(SCIARA_LOG_WARNING, "%s: holds no field \"arrival_time\": there is no layer \"arrival\"", t->path);
    return SCIARA_OK;
  }
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(values, cells, "a map"));
  SCIARA_TRY_GOTO(sciara_target_read(t, SCIARA_FIELD_ARRIVAL_TIME, values));
  if (!given) {
    char text[48];
    step = sciara_isochrone_step(values, cells, SCIARA_NODATA_ALTITUDE);
    sciara_print_duration(step, text, sizeof text);
    sciara_log(SCIARA_LOG_INFO, "no --isochrones given: one every %s", text);
  }
  SCIARA_TRY_GOTO(sciara_zones_isochrones(values, cells, SCIARA_NODATA_ALTITUDE, step, out));
cleanup:
  sciara_free(values);
  return status;
}

/** One layer; what has no name afterwards was left out. */
static enum sciara_status make_layer(const struct sciara_export_job *job, const struct sciara_map *map,
                                     enum sciara_export_layer which, bool required, struct sciara_zones *out) {
  *out = (struct sciara_zones){0};
  if (which == SCIARA_EXPORT_CLASSES) return classify(job, map, out);
  if (which == SCIARA_EXPORT_ARRIVAL) return date(job, required, out);
  if (which == SCIARA_EXPORT_EDITS) return sciara_export_edits(job->target, required, out);
  return sciara_zones_outline(map->values, sciara_grid_cells(map->grid), map->nodata, out);
}

static bool is_thickness(enum sciara_field field) {
  return sciara_field_describe(field)->quantity == SCIARA_QUANTITY_THICKNESS;
}

static enum sciara_status check_field(enum sciara_field field) {
  struct sciara_text allowed = {0};
  if (is_thickness(field)) return SCIARA_OK;
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++)
    if (is_thickness((enum sciara_field)f))
      sciara_text_append(&allowed, "%s%s", allowed.length ? ", " : "", sciara_field_name((enum sciara_field)f));
  const enum sciara_status status = sciara_fail(
      SCIARA_ERR_USAGE, "--field: expected one of %s; found %s. Outlines and classes are made from a thickness",
      allowed.data ? allowed.data : "them", sciara_field_name(field));
  sciara_text_free(&allowed);
  return status;
}

/** All layers, or only `which`, handed to the writer of the format. */
static enum sciara_status write_layers(const struct sciara_export_job *job, enum sciara_export_layer which,
                                       enum sciara_status (*writer)(const struct sciara_polygons *, const char *),
                                       const char *path) {
  struct sciara_map map;
  struct sciara_zones layers[SCIARA_EXPORT_LAYERS] = {{0}};
  size_t count = 0;
  double *values;
  SCIARA_TRY(check_field(job->field));
  SCIARA_TRY(sciara_export_read_map(job, &map, &values));
  enum sciara_status status;
  for (int k = 0; k < SCIARA_EXPORT_LAYERS; k++) {
    if (which != SCIARA_EXPORT_LAYERS && which != (enum sciara_export_layer)k) continue;
    SCIARA_TRY_GOTO(make_layer(job, &map, (enum sciara_export_layer)k, which != SCIARA_EXPORT_LAYERS, &layers[count]));
    if (layers[count].name) count++;
  }
  const struct sciara_polygons polygons = {
      .grid = map.grid, .georef = map.georef, .layers = layers, .count = count, .title = map.title};
  SCIARA_TRY_GOTO(sciara_export_make_folder(path));
  SCIARA_TRY_GOTO(writer(&polygons, path));
cleanup:
  for (size_t k = 0; k < SCIARA_EXPORT_LAYERS; k++) sciara_zones_free(&layers[k]);
  sciara_free(values);
  return status;
}

static void warn_without_crs(const struct sciara_export_job *job) {
  if (!job->target->snapshot.georef.crs_wkt)
    sciara_log(SCIARA_LOG_WARNING, "%s: the run names no CRS: the polygons are in the coordinates of its grid",
               job->target->path);
}

static enum sciara_status write_gpkg(const struct sciara_export_job *job, const char *path) {
  warn_without_crs(job);
  return write_layers(job, SCIARA_EXPORT_LAYERS, sciara_polygons_write_gpkg, path);
}

static enum sciara_status write_geojson(const struct sciara_export_job *job, const char *path) {
  warn_without_crs(job);
  return write_layers(job, job->layer, sciara_polygons_write_geojson, path);
}

static enum sciara_status write_kml(const struct sciara_export_job *job, const char *path) {
  if (!job->target->snapshot.georef.crs_wkt)
    return sciara_fail(
        SCIARA_ERR_INPUT,
        "%s: KML is in longitude and latitude, and the run names no CRS: name it with dem.crs, or export "
        "gpkg or geojson",
        job->target->path);
  return write_layers(job, SCIARA_EXPORT_LAYERS, sciara_polygons_write_kml, path);
}

static const char *geojson_stem(const struct sciara_export_job *job) { return sciara_export_layer_names[job->layer]; }

const struct sciara_export_format sciara_export_gpkg = {
    .name = "gpkg",
    .extensions = (const char *const[]){"gpkg", NULL},
    .summary = "GeoPackage: polygons of the outline, of thickness classes and of arrival times",
    .options = (const char *const[]){"field", "classes", "isochrones", NULL},
    .write = write_gpkg,
};

const struct sciara_export_format sciara_export_geojson = {
    .name = "geojson",
    .extensions = (const char *const[]){"geojson", "json", NULL},
    .summary = "the polygons of one of these layers, in WGS 84 (RFC 7946)",
    .options = (const char *const[]){"field", "layer", "classes", "isochrones", NULL},
    .stem = geojson_stem,
    .write = write_geojson,
};

const struct sciara_export_format sciara_export_kml = {
    .name = "kml",
    .extensions = (const char *const[]){"kml", NULL},
    .summary = "the polygons of all layers with colours, in WGS 84, for virtual globes",
    .options = (const char *const[]){"field", "classes", "isochrones", NULL},
    .write = write_kml,
};
