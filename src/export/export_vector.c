// SPDX-License-Identifier: Apache-2.0
// The formats of polygons, lines and points: GeoPackage, GeoJSON, KML.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/front.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "export/export.h"
#include "map/vector_ogr.h"
#include "model/field.h"
#include "picture/map_picture.h"
#include "run/run_facts.h"

const char *const sciara_export_layer_names[SCIARA_EXPORT_LAYERS] = {
    "outline", "thickness_classes", "arrival", "edits", "front_lines", "run_out", "fissures", "vents"};

enum sciara_export_layer sciara_export_layer_find(const char *name) {
  int k = 0;
  while (k < SCIARA_EXPORT_LAYERS && strcmp(name, sciara_export_layer_names[k]) != 0) k++;
  return (enum sciara_export_layer)k;
}

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
    step = sciara_isochrone_step(values, cells, SCIARA_NODATA_ALTITUDE);
    sciara_log(SCIARA_LOG_INFO, "no --isochrones given: one every %s", SCIARA_DURATION(step));
  }
  SCIARA_TRY_GOTO(sciara_zones_isochrones(values, cells, SCIARA_NODATA_ALTITUDE, step, t->snapshot.start, out));
cleanup:
  sciara_free(values);
  return status;
}

/** One layer; what has no name afterwards was left out. */
static enum sciara_status make_vector_layer(const struct sciara_export_job *job, const struct sciara_map *map,
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

/** Everything that a file may hold. Zero-initialise; release with free_content. */
struct content {
  struct sciara_zones layers[SCIARA_EXPORT_FRONT_LINES]; ///< those that there are
  struct sciara_zones own;                               ///< isochrones that are no layer
  struct sciara_zones covered; ///< isochrones of what lava covers, for front lines and run-out points
  double *deposit;             ///< NULL: not known
  struct sciara_polygons all;
  struct sciara_vent_cells vents;
  struct sciara_map_dressing dressing;
  struct sciara_vector_marks marks[3];
  struct sciara_point *at; ///< of the run-out points
};

static void free_content(struct content *c) {
  for (size_t k = 0; k < SCIARA_EXPORT_FRONT_LINES; k++) sciara_zones_free(&c->layers[k]);
  for (size_t k = 0; k < 3; k++) sciara_free(c->marks[k].mark);
  sciara_zones_free(&c->own);
  sciara_zones_free(&c->covered);
  sciara_vent_cells_free(&c->vents);
  sciara_map_dressing_free(&c->dressing);
  sciara_free(c->deposit);
  sciara_free(c->at);
}

static bool included(enum sciara_export_layer which, enum sciara_export_layer layer) {
  return which == SCIARA_EXPORT_LAYERS || which == layer;
}

/** Counts the layer of marks that was made last, or releases it if it is empty and was not requested. */
static void keep_layer(struct content *c, bool requested) {
  struct sciara_vector_marks *m = &c->marks[c->all.mark_layers];
  if (m->count > 0 || requested) {
    c->all.mark_layers++;
    return;
  }
  sciara_free(m->mark);
  *m = (struct sciara_vector_marks){0};
}

/** Points of the vents, or lines of the fissures; a file of all layers has only those that have some. */
static enum sciara_status take_vents(struct content *c, enum sciara_export_layer which, bool lines) {
  const struct sciara_vent_marks *vents = &c->dressing.marks;
  const enum sciara_export_layer layer = lines ? SCIARA_EXPORT_FISSURES : SCIARA_EXPORT_VENTS;
  if (!included(which, layer)) return SCIARA_OK;
  struct sciara_vector_marks *m = &c->marks[c->all.mark_layers];
  *m = (struct sciara_vector_marks){.name = sciara_export_layer_names[layer], .lines = lines, .named = true};
  SCIARA_TRY(SCIARA_NEW(m->mark, vents->count + 1, "the vents of a map"));
  for (size_t k = 0; k < vents->count; k++)
    if ((vents->mark[k].count > 1) == lines)
      m->mark[m->count++] = (struct sciara_vector_mark){.label = vents->mark[k].name,
                                                        .points = vents->mark[k].points,
                                                        .count = vents->mark[k].count,
                                                        .from_s = NAN,
                                                        .until_s = NAN,
                                                        .metres = NAN};
  keep_layer(c, which == layer);
  return SCIARA_OK;
}

/** Adds the run-out of the cells with a value > 0, which the lava covers up to the time. */
static void add_run_out(struct content *c, const struct sciara_grid *g, const double *covered, const char *label,
                        double time) {
  struct sciara_vector_marks *m = &c->marks[c->all.mark_layers];
  const struct sciara_run_out out = sciara_run_out_find(&c->vents, fmin(time, c->all.latest_s), g, covered);
  if (!out.found) return;
  if (m->count > 0) m->mark[m->count - 1].until_s = time;
  c->at[m->count] = (struct sciara_point){g->west + ((double)out.col + 0.5) * g->cell_size,
                                          g->north - ((double)out.row + 0.5) * g->cell_size};
  m->mark[m->count] = (struct sciara_vector_mark){
      .label = label, .points = &c->at[m->count], .count = 1, .from_s = time, .until_s = NAN, .metres = out.metres};
  m->count++;
}

/** The farthest point at the end of each isochrone; of the snapshot alone where the arrival is not known. */
static enum sciara_status take_run_outs(struct content *c, enum sciara_export_layer which,
                                        const struct sciara_map *map) {
  const int64_t cells = sciara_grid_cells(map->grid);
  const struct sciara_zones *z = &c->covered;
  const size_t zones = z->count;
  double *covered = NULL;
  enum sciara_status status = SCIARA_OK;
  if (!included(which, SCIARA_EXPORT_RUN_OUT)) return SCIARA_OK;
  struct sciara_vector_marks *m = &c->marks[c->all.mark_layers];
  *m = (struct sciara_vector_marks){
      .name = sciara_export_layer_names[SCIARA_EXPORT_RUN_OUT], .timed = zones > 0, .distant = true};
  SCIARA_TRY_GOTO(SCIARA_NEW(m->mark, zones + 1, "the run-out points of a map"));
  SCIARA_TRY_GOTO(SCIARA_NEW(c->at, zones + 1, "the run-out points of a map"));
  SCIARA_TRY_GOTO(SCIARA_NEW(covered, cells, "the lava at a time"));
  for (size_t k = 0; k < zones; k++) {
    if (z->zone[k].cells == 0) continue;
    for (int64_t i = 0; i < cells; i++) covered[i] = z->member[i] > 0 && z->member[i] <= (int32_t)k + 1;
    add_run_out(c, map->grid, covered, z->zone[k].label, fmin(z->zone[k].upper, c->all.latest_s));
  }
  if (zones == 0) add_run_out(c, map->grid, c->deposit ? c->deposit : map->values, "lava", NAN);
  keep_layer(c, which == SCIARA_EXPORT_RUN_OUT);
cleanup:
  sciara_free(covered);
  return status;
}

/** The deposit of the snapshot; it stays NULL where the snapshot does not tell it. */
static enum sciara_status take_deposit(struct sciara_snapshot *s, struct content *c) {
  if (!sciara_snapshot_has(s, SCIARA_FIELD_DEPOSIT)) return SCIARA_OK;
  SCIARA_TRY(SCIARA_NEW(c->deposit, sciara_grid_cells(&s->grid), "the deposit of a snapshot"));
  return sciara_snapshot_obtain(s, SCIARA_FIELD_DEPOSIT, c->deposit);
}

/** The isochrones without the cells that have no deposit: where lava entered the sea or left the domain it covers nothing. */
static enum sciara_status take_covered(struct content *c, const struct sciara_zones *times, int64_t cells) {
  struct sciara_zones *z = &c->covered;
  *z = *times;
  z->member = NULL;
  z->zone = NULL;
  SCIARA_TRY(SCIARA_NEW(z->member, cells, "the zones of a map"));
  SCIARA_TRY(SCIARA_NEW(z->zone, z->count, "the zones of a map"));
  for (size_t k = 0; k < z->count; k++) z->zone[k] = times->zone[k];
  if (c->all.start) sciara_zones_name_ends(z, SCIARA_ENGLISH, c->all.start, c->all.latest_s, true);
  for (int64_t i = 0; i < cells; i++) {
    const int32_t zone = times->member[i];
    if (zone > 0 && c->deposit && !(c->deposit[i] > 0))
      z->zone[zone - 1].cells--;
    else
      z->member[i] = zone;
  }
  return SCIARA_OK;
}

/** Vents, run-out points, front lines. */
static enum sciara_status take_marks(const struct sciara_export_job *job, enum sciara_export_layer which,
                                     const struct sciara_map *map, struct content *c) {
  struct sciara_map_picture unused = {.map = map};
  SCIARA_TRY(sciara_export_vents(job->target, map, &unused, &c->dressing, &c->vents));
  c->all.marks = c->marks;
  const struct sciara_zones *times = NULL; // none where the arrival is not known
  const bool lines = included(which, SCIARA_EXPORT_FRONT_LINES);
  for (size_t k = 0; k < c->all.count; k++)
    if (c->layers[k].lower && strcmp(c->layers[k].lower, "from_s") == 0) times = &c->layers[k];
  if (which == SCIARA_EXPORT_FRONT_LINES || which == SCIARA_EXPORT_RUN_OUT) {
    SCIARA_TRY(date(job, lines || job->isochrones_s > 0, &c->own));
    if (c->own.name) times = &c->own;
  }
  if (lines || included(which, SCIARA_EXPORT_RUN_OUT)) SCIARA_TRY(take_deposit(&job->target->snapshot, c));
  if (times) SCIARA_TRY(take_covered(c, times, sciara_grid_cells(map->grid)));
  if (lines && times) c->all.fronts = &c->covered;
  SCIARA_TRY(take_run_outs(c, which, map));
  SCIARA_TRY(take_vents(c, which, true));
  return take_vents(c, which, false);
}

/** All layers, or only `which`, handed to the writer of the format. */
static enum sciara_status write_layers(const struct sciara_export_job *job, enum sciara_export_layer which,
                                       enum sciara_status (*writer)(const struct sciara_polygons *, const char *),
                                       const char *path) {
  struct sciara_map map;
  struct content c = {0};
  size_t count = 0;
  double *values;
  SCIARA_TRY(check_field(job->field));
  SCIARA_TRY(sciara_export_read_map(job, &map, &values));
  enum sciara_status status;
  for (int k = 0; k < SCIARA_EXPORT_FRONT_LINES; k++) {
    if (!included(which, (enum sciara_export_layer)k)) continue;
    SCIARA_TRY_GOTO(
        make_vector_layer(job, &map, (enum sciara_export_layer)k, which != SCIARA_EXPORT_LAYERS, &c.layers[count]));
    if (c.layers[count].name) count++;
  }
  c.all = (struct sciara_polygons){.grid = map.grid,
                                   .georef = map.georef,
                                   .layers = c.layers,
                                   .count = count,
                                   .title = map.title,
                                   .latest_s = job->target->snapshot.time_s,
                                   .start = job->target->snapshot.start};
  if (which >= SCIARA_EXPORT_FRONT_LINES) SCIARA_TRY_GOTO(take_marks(job, which, &map, &c));
  SCIARA_TRY_GOTO(sciara_export_make_folder(path));
  SCIARA_TRY_GOTO(writer(&c.all, path));
cleanup:
  free_content(&c);
  sciara_free(values);
  return status;
}

static void warn_without_crs(const struct sciara_export_job *job) {
  if (!job->target->snapshot.georef.crs_wkt)
    sciara_log(SCIARA_LOG_WARNING, "%s: the run names no CRS: the polygons are in the coordinates of its grid",
               job->target->path);
}

enum sciara_status sciara_export_gpkg(const struct sciara_export_job *job, const char *path) {
  warn_without_crs(job);
  return write_layers(job, SCIARA_EXPORT_LAYERS, sciara_polygons_write_gpkg, path);
}

enum sciara_status sciara_export_geojson(const struct sciara_export_job *job, const char *path) {
  warn_without_crs(job);
  return write_layers(job, sciara_export_layer_find(job->layer), sciara_polygons_write_geojson, path);
}

enum sciara_status sciara_export_kml(const struct sciara_export_job *job, const char *path) {
  if (!job->target->snapshot.georef.crs_wkt)
    return sciara_fail(
        SCIARA_ERR_INPUT,
        "%s: KML is in longitude and latitude, and the run names no CRS: name it with dem.crs, or export "
        "gpkg or geojson",
        job->target->path);
  return write_layers(job, SCIARA_EXPORT_LAYERS, sciara_polygons_write_kml, path);
}
