// SPDX-License-Identifier: Apache-2.0
// The table of the formats, what they share, those that take a few lines, and the making of a product.
#include "export/export.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/front.h"
#include "analysis/timeseries.h"
#include "base/date.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "file/durable.h"
#include "model/field.h"
#include "run/run_facts.h"
#include "run/run_folder.h"

const struct sciara_export_format sciara_export_formats[] = {
#define SCIARA_EXPORT_OF_RUN(name_, ...) {.name = #name_, .write = sciara_export_##name_, __VA_ARGS__},
#define SCIARA_EXPORT_OF_ENSEMBLE(name_, ...) \
  {.name = #name_, .write = sciara_export_ensemble_##name_, .of_ensemble = true, __VA_ARGS__},
#include "export/export_formats.def"
    {0}};

bool sciara_export_follows(const struct sciara_export_format *format, const char *option) {
  return format->options && sciara_has_word(format->options, option);
}

enum sciara_status sciara_export_make_folder(const char *path) {
  char *folder = sciara_path_folder(path);
  if (!folder) return sciara_no_memory("the name of a folder");
  const enum sciara_status status = sciara_folder_make(folder);
  free(folder);
  return status;
}

enum sciara_status sciara_export_snapshots(const struct sciara_export_job *job, size_t most,
                                           struct sciara_export_snapshots *out) {
  const struct sciara_target *t = job->target;
  const bool whole_run = t->folder && job->whole_run;
  enum sciara_status status;
  *out = (struct sciara_export_snapshots){.all = whole_run ? t->run_json.snapshot_count : 1};
  const size_t count = out->all < most ? out->all : most, last = out->all - 1;
  SCIARA_TRY_GOTO(SCIARA_NEW(out->paths, count, "the names of the snapshots"));
  for (size_t k = 0; k < count; k++) {
    const size_t at = count == 1 ? last : (k * last + (count - 1) / 2) / (count - 1);
    char *path = NULL;
    if (whole_run)
      SCIARA_TRY_GOTO(sciara_run_file(t->folder, t->run_json.snapshots[at].name, &path));
    else
      path = sciara_format("%s", t->path);
    SCIARA_TRY_GOTO(path ? SCIARA_OK : sciara_no_memory("a path"));
    out->paths[out->count++] = path;
  }
cleanup:
  if (status != SCIARA_OK) sciara_export_snapshots_free(out);
  return status;
}

void sciara_export_snapshots_free(struct sciara_export_snapshots *s) {
  for (size_t k = 0; k < s->count; k++) free(s->paths[k]);
  sciara_free(s->paths);
  *s = (struct sciara_export_snapshots){0};
}

/** NODATA where there is nothing to show; `thickness` may be NULL. */
static void mask_empty(enum sciara_field field, const double *thickness, double *values, int64_t count) {
  for (int64_t i = 0; i < count; i++)
    if (sciara_field_is_empty(field, values[i], thickness ? thickness[i] : values[i]))
      values[i] = SCIARA_NODATA_ALTITUDE;
}

enum sciara_status sciara_export_read_map(const struct sciara_export_job *job, struct sciara_map *map,
                                          double **values) {
  struct sciara_target *t = job->target;
  const struct sciara_field_info *info = sciara_field_describe(job->field);
  const int64_t cells = sciara_grid_cells(&t->snapshot.grid);
  double *thickness = NULL;
  enum sciara_status status;
  *values = NULL;
  SCIARA_TRY_GOTO(SCIARA_NEW(*values, cells, "a map"));
  SCIARA_TRY_GOTO(sciara_target_read(t, job->field, *values));
  if (t->snapshot.fields >> SCIARA_FIELD_THICKNESS & 1u) {
    SCIARA_TRY_GOTO(SCIARA_NEW(thickness, cells, "a map"));
    SCIARA_TRY_GOTO(sciara_target_read(t, SCIARA_FIELD_THICKNESS, thickness));
  }
  mask_empty(job->field, thickness, *values, cells);
  *map = (struct sciara_map){.grid = &t->snapshot.grid,
                             .georef = &t->snapshot.georef,
                             .values = *values,
                             .nodata = SCIARA_NODATA_ALTITUDE,
                             .name = info->name,
                             .unit = info->unit,
                             .title = t->snapshot.title};
cleanup:
  if (status != SCIARA_OK) {
    sciara_free(*values);
    *values = NULL;
  }
  sciara_free(thickness);
  return status;
}

enum sciara_status sciara_export_read_observed(const struct sciara_export_job *job,
                                               const struct sciara_snapshot *snapshot, struct sciara_observation *out) {
  struct sciara_observation_request request = job->observed;
  if (!request.path) return SCIARA_OK;
  request.grid = &snapshot->grid;
  request.crs_wkt = snapshot->georef.crs_wkt;
  request.when = sciara_date_at(snapshot->start, snapshot->time_s);
  return sciara_observation_read(&request, out);
}

/** Whether the box around a place overlaps a grid. */
static bool overlaps(const struct sciara_poi *poi, const struct sciara_grid *g) {
  double box[4];
  sciara_points_box(poi->points, poi->point_count, box);
  return box[2] >= g->west && box[0] < sciara_grid_east(g) && box[1] <= g->north && box[3] > sciara_grid_south(g);
}

/** Names those of `which`. */
static enum sciara_status tell(const struct sciara_pois *pois, const bool *which, const char *why,
                               enum sciara_log_level level) {
  struct sciara_text names = {0};
  size_t count = 0;
  for (size_t k = 0; k < pois->count; k++) count += which[k];
  if (count == 0) return SCIARA_OK;
  const enum sciara_status status = sciara_pois_append_names(pois, which, SCIARA_POIS_NAMED, &names);
  if (status == SCIARA_OK)
    sciara_log(level, "%zu of %zu places %s not on the map, %s: %s", count, pois->count,
               sciara_plural(count, "is", "are"), why, names.data);
  sciara_text_free(&names);
  return status;
}

enum sciara_status sciara_export_tell_left_out(const struct sciara_pois *pois, const struct sciara_grid *grid,
                                               const struct sciara_map_window *shown,
                                               const struct sciara_dem_window *window) {
  char why[SCIARA_DEM_WINDOW_TEXT];
  bool *outside = NULL, *beyond = NULL, *off = NULL; // the window, what is shown, the raster
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(outside, pois->count + 1, "places"));
  SCIARA_TRY_GOTO(SCIARA_NEW(beyond, pois->count + 1, "places"));
  SCIARA_TRY_GOTO(SCIARA_NEW(off, pois->count + 1, "places"));
  for (size_t k = 0; k < pois->count; k++) {
    const struct sciara_poi *poi = &pois->poi[k];
    outside[k] = pois->elsewhere[k] || (poi->point_count > 0 && !overlaps(poi, grid));
    if (!shown || outside[k] || poi->point_count == 0) continue;
    const struct sciara_grid part = sciara_map_window_grid(shown, grid);
    beyond[k] = !overlaps(poi, &part);
  }
  for (size_t k = 0; k < pois->count; k++) {
    off[k] = outside[k] && sciara_poi_where_of(&pois->poi[k], SCIARA_POI_OUTSIDE, window) == SCIARA_POI_BEYOND;
    outside[k] &= !off[k];
  }
  sciara_dem_window_outside(window, why);
  SCIARA_TRY_GOTO(tell(pois, outside, why, SCIARA_LOG_WARNING));
  SCIARA_TRY_GOTO(tell(pois, off, sciara_poi_where_text(SCIARA_POI_BEYOND, window, why), SCIARA_LOG_WARNING));
  SCIARA_TRY_GOTO(tell(pois, beyond, "beyond what it shows (--extent dem shows all)", SCIARA_LOG_INFO));
cleanup:
  sciara_free(outside);
  sciara_free(beyond);
  sciara_free(off);
  return status;
}

enum sciara_status sciara_export_facts(const struct sciara_snapshot *s, enum sciara_field field, const char *title,
                                       struct sciara_map_facts *out) {
  const struct sciara_run_moment moment = {
      .title = title ? title : s->title, .start = s->start, .source = s->source, .time_s = s->time_s, .step = s->step};
  struct sciara_scenario_spec scenario;
  enum sciara_status status = sciara_computed_scenario(s->path, s->scenario_json, "its parameters", &scenario);
  if (status == SCIARA_OK) status = sciara_run_facts_make(&moment, s->scenario_json ? &scenario : NULL, field, out);
  sciara_scenario_free(&scenario);
  return status;
}

// ---------------------------------------------------------------------------------------------- formats of a few lines

/** The style of the map must not replace a file without --overwrite either. */
static enum sciara_status refuse_style(const char *path, bool overwrite) {
  char *style = sciara_format("%.*s.qml", (int)sciara_path_stem(path), path);
  if (!style) return sciara_no_memory("the name of a file");
  const enum sciara_status status = sciara_refuse_existing(style, overwrite);
  free(style);
  return status;
}

enum sciara_status sciara_export_cog(const struct sciara_export_job *job, const char *path) {
  struct sciara_map map;
  double *values;
  SCIARA_TRY(refuse_style(path, job->overwrite));
  SCIARA_TRY(sciara_export_read_map(job, &map, &values));
  struct sciara_map_facts facts = {0};
  enum sciara_status status = sciara_export_facts(&job->target->snapshot, job->field, NULL, &facts);
  map.facts = &facts;
  if (status == SCIARA_OK) status = sciara_export_make_folder(path);
  if (status == SCIARA_OK) status = sciara_map_write_cog(&map, path);
  sciara_map_facts_free(&facts);
  sciara_free(values);
  return status;
}

/** A function that makes one file of several snapshots. */
typedef enum sciara_status series_writer(const char *const *paths, size_t count, enum sciara_checksum_rule rule,
                                         const char *path);

/** A file of all snapshots of a run. */
static enum sciara_status write_series(const struct sciara_export_job *job, series_writer *make, const char *path) {
  struct sciara_export_snapshots all;
  SCIARA_TRY(sciara_export_snapshots(job, SIZE_MAX, &all));
  enum sciara_status status = sciara_export_make_folder(path);
  if (status == SCIARA_OK) status = make((const char *const *)all.paths, all.count, job->target->snapshot.rule, path);
  sciara_export_snapshots_free(&all);
  return status;
}

enum sciara_status sciara_export_nc(const struct sciara_export_job *job, const char *path) {
  return write_series(job, sciara_series_merge, path);
}

enum sciara_status sciara_export_csv(const struct sciara_export_job *job, const char *path) {
  return write_series(job, sciara_timeseries_write, path);
}

// ------------------------------------------------------------------------------------------------- making of a product

/** --scale-to is about thicknesses. */
static enum sciara_status check_scale(const struct sciara_export_job *job) {
  if (!(job->scale_to_m > 0)) return SCIARA_OK;
  if (job->field != SCIARA_FIELD_ALTITUDE && strcmp(sciara_field_describe(job->field)->unit, "m") == 0)
    return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_USAGE, "--scale-to: expected a field of thickness such as deposit (--field); found %s",
                     sciara_field_name(job->field));
}

static void choose_field(const struct sciara_export_format *format, struct sciara_export_job *job) {
  if (job->field != SCIARA_FIELD_COUNT) return;
  const bool has_deposit = sciara_snapshot_has(&job->target->snapshot, SCIARA_FIELD_DEPOSIT);
  job->field = has_deposit ? SCIARA_FIELD_DEPOSIT : SCIARA_FIELD_THICKNESS;
  if (sciara_export_follows(format, "field"))
    sciara_log(SCIARA_LOG_INFO, "no --field given: %s", sciara_field_name(job->field));
}

/** Opens the run or the snapshot; an ensemble is opened by its formats. */
static enum sciara_status open_source(const struct sciara_export_format *format, struct sciara_export_job *job,
                                      struct sciara_target *target) {
  if (format->of_ensemble) return SCIARA_OK;
  SCIARA_TRY(sciara_target_open(job->source, job->checksums, target));
  job->target = target;
  job->whole_run = sciara_is_folder(job->source);
  if (format->needs_folder && !target->folder)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: expected a run, found a single snapshot: --format %s is made from the folder of a run",
                       job->source, format->name);
  choose_field(format, job);
  return SCIARA_OK;
}

/** malloc'd; NULL: no memory. */
static char *default_path(const struct sciara_export_format *format, const struct sciara_export_job *job) {
  const struct sciara_target *t = job->target;
  const char *folder = t ? t->folder : job->source, *name = format->stem;
  if (!name) name = sciara_export_follows(format, "layer") ? job->layer : sciara_field_name(job->field);
  if (folder || !t) return sciara_format("%s/maps/%s.%s", folder, name, *format->extensions);
  const size_t length = strlen(t->path), stem = sciara_has_extension(t->path, "nc") ? length - 3 : length;
  return sciara_format("%.*s.%s.%s", (int)stem, t->path, name, *format->extensions);
}

enum sciara_status sciara_export_make(const struct sciara_export_format *format, struct sciara_export_job *job,
                                      const char *given, char **path) {
  struct sciara_target target = {0};
  enum sciara_status status;
  *path = NULL;
  SCIARA_TRY_GOTO(open_source(format, job, &target));
  SCIARA_TRY_GOTO(check_scale(job));
  *path = given ? sciara_format("%s", given) : default_path(format, job);
  if (!*path) SCIARA_TRY_GOTO(sciara_no_memory("a path"));
  if (!given && target.folder) SCIARA_TRY_GOTO(sciara_run_folder_refuse_links(target.folder));
  SCIARA_TRY_GOTO(sciara_refuse_existing(*path, job->overwrite));
  SCIARA_TRY_GOTO(format->write(job, *path));
cleanup:
  sciara_target_free(&target);
  if (status != SCIARA_OK) {
    free(*path);
    *path = NULL;
  }
  return status;
}
