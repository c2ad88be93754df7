// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

#include "analysis/front.h"
#include "analysis/observation.h"
#include "base/mem.h"
#include "base/text.h"
#include "export/export.h"
#include "export/picture_look.h"
#include "file/durable.h"
#include "map/colour_ramp.h"
#include "model/field.h"
#include "picture/frames.h"
#include "picture/map_picture.h"
#include "run/run_facts.h"
#include "run/run_folder.h"

/** A picture that is being made. Zero-initialise; release with export_picture_free. */
struct export_picture {
  struct sciara_map map;
  struct sciara_map_picture picture; ///< refers to `map`
  double *values, *thickness, *altitude;
  double fronts_s; ///< from one front that is drawn to the next; 0: none are drawn
  struct sciara_observation observed;
  struct sciara_export_marks marks;
  struct sciara_pois places;
  struct sciara_vent_cells vents;
  struct sciara_map_dressing dressing;
  struct sciara_picture_parts parts;
  struct sciara_map_facts facts;
};

enum sciara_status sciara_export_vents(const struct sciara_target *t, const struct sciara_map *map,
                                       struct sciara_map_picture *picture, struct sciara_map_dressing *dressing,
                                       struct sciara_vent_cells *cells) {
  const struct sciara_snapshot *s = &t->snapshot;
  struct sciara_scenario_spec scenario;
  enum sciara_status status = sciara_computed_scenario(s->path, s->scenario_json, "its vents", &scenario);
  if (status == SCIARA_OK) status = sciara_vent_cells_of(&scenario, &s->grid, &s->georef, cells);
  if (status == SCIARA_OK && s->scenario_json)
    status = sciara_map_dressing_make(&scenario, &t->run_json, map, picture, dressing);
  sciara_scenario_free(&scenario);
  return status;
}

/** Fronts are drawn where they are asked for, and on a map of the arrival with dates; in all frames of the last snapshot. */
static double front_step(const struct sciara_export_job *job, const struct export_picture *p) {
  if (job->isochrones_s > 0 || job->field != SCIARA_FIELD_ARRIVAL_TIME || !p->picture.start) return job->isochrones_s;
  return sciara_isochrone_step(p->values, sciara_grid_cells(p->map.grid), SCIARA_NODATA_ALTITUDE);
}

/** Draws them as of a snapshot, with the values, which are overwritten later. */
static enum sciara_status read_fronts(struct sciara_snapshot *snapshot, struct export_picture *p) {
  SCIARA_TRY(sciara_snapshot_obtain(snapshot, SCIARA_FIELD_ARRIVAL_TIME, p->values));
  for (int64_t i = 0; i < sciara_grid_cells(p->map.grid); i++)
    if (sciara_field_is_empty(SCIARA_FIELD_ARRIVAL_TIME, p->values[i], p->values[i]))
      p->values[i] = SCIARA_NODATA_ALTITUDE;
  return sciara_map_dressing_fronts(&p->dressing, p->values, p->fronts_s, &p->picture);
}

/** The places of the job on the grid of the snapshot; none without a file. Zero-initialise and free them. */
static enum sciara_status export_read_places(const struct sciara_export_job *job,
                                             const struct sciara_snapshot *snapshot, struct sciara_pois *out) {
  const struct sciara_pois_request request = {.path = job->assets,
                                              .layer = job->assets_layer,
                                              .crs_wkt = snapshot->georef.crs_wkt,
                                              .grid = &snapshot->grid,
                                              .extra_drivers = job->observed.extra_drivers,
                                              .extra_driver_count = job->observed.extra_driver_count};
  return job->assets ? sciara_pois_read(&request, out) : SCIARA_OK;
}

/**
 * Takes ground, vents and the observed extent. Then the values come, with export_picture_read, of all snapshots that
 * are to be shown in one frame, and export_picture_look.
 */
static enum sciara_status export_picture_prepare(const struct sciara_export_job *job, struct export_picture *out) {
  struct sciara_target *t = job->target;
  const struct sciara_field_info *info = sciara_field_describe(job->field);
  const struct sciara_snapshot *s = &t->snapshot;
  const int64_t cells = sciara_grid_cells(&s->grid);
  SCIARA_TRY(SCIARA_NEW(out->values, cells, "a map"));
  SCIARA_TRY(sciara_target_read(t, job->field, out->values)); // says what it holds if it is not there
  if (s->fields >> SCIARA_FIELD_THICKNESS & 1u) SCIARA_TRY(SCIARA_NEW(out->thickness, cells, "a map"));
  SCIARA_TRY(sciara_target_read_ground(t, &out->altitude));
  out->map = (struct sciara_map){.grid = &s->grid,
                                 .georef = &s->georef,
                                 .values = out->values,
                                 .nodata = SCIARA_NODATA_ALTITUDE,
                                 .name = info->name,
                                 .unit = info->unit,
                                 .title = job->look.title ? job->look.title : s->title};
  out->picture.map = &out->map;
  out->picture.language = job->look.language;
  out->picture.high = job->scale_to_m;
  out->picture.altitude = out->altitude;
  SCIARA_TRY(sciara_export_read_marks(t, &out->marks));
  out->picture.sea = out->marks.sea;
  out->picture.edits = out->marks.edit;
  out->picture.start = s->start;
  sciara_target_warn(t, &out->picture);
  SCIARA_TRY(sciara_export_vents(t, &out->map, &out->picture, &out->dressing, &out->vents));
  if (!job->look.title && out->dressing.title.data) out->map.title = out->dressing.title.data;
  SCIARA_TRY(sciara_export_read_observed(job, s, &out->observed));
  out->picture.observed = out->observed.covered ? out->observed.covered : out->marks.observed;
  SCIARA_TRY(export_read_places(job, s, &out->places));
  out->picture.pois = out->places.poi;
  out->picture.poi_count = out->places.count;
  if (out->observed.covered) out->picture.observed_s = NULL;
  out->fronts_s = front_step(job, out);
  if (out->observed.covered) sciara_map_bounds_add_mask(&out->dressing.bounds, &s->grid, out->observed.covered);
  return SCIARA_OK;
}

/** Reads what is covered into the values, which are overwritten later: the deposit, else the liquid lava. */
static enum sciara_status read_picture_lava(struct sciara_snapshot *snapshot, struct export_picture *p) {
  const bool whole = sciara_snapshot_has(snapshot, SCIARA_FIELD_DEPOSIT);
  if (!whole && !(snapshot->fields >> SCIARA_FIELD_THICKNESS & 1u)) return SCIARA_OK;
  SCIARA_TRY(sciara_snapshot_obtain(snapshot, whole ? SCIARA_FIELD_DEPOSIT : SCIARA_FIELD_THICKNESS, p->values));
  sciara_map_dressing_lava(&p->dressing, &p->vents, snapshot->time_s, p->values, &snapshot->ledger, &p->picture);
  return SCIARA_OK;
}

/** Values, time, lava and volumes of a snapshot on the same grid. */
static enum sciara_status export_picture_read(const struct sciara_export_job *job, struct sciara_snapshot *snapshot,
                                              struct export_picture *p) {
  const struct sciara_grid *g = &snapshot->grid;
  if (g->rows != p->map.grid->rows || g->cols != p->map.grid->cols)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: lies on another grid than the last snapshot of the run", snapshot->path);
  SCIARA_TRY(read_picture_lava(snapshot, p));
  p->picture.time_s = &snapshot->time_s;
  if (p->fronts_s > 0) SCIARA_TRY(read_fronts(snapshot, p));
  SCIARA_TRY(sciara_snapshot_obtain(snapshot, job->field, p->values));
  if (p->thickness) SCIARA_TRY(sciara_snapshot_read(snapshot, SCIARA_FIELD_THICKNESS, p->thickness));
  for (int64_t i = 0; i < sciara_grid_cells(g); i++)
    if (sciara_field_is_empty(job->field, p->values[i], p->thickness ? p->thickness[i] : p->values[i]))
      p->values[i] = SCIARA_NODATA_ALTITUDE;
  sciara_map_facts_free(&p->facts);
  SCIARA_TRY(sciara_export_facts(snapshot, job->field, p->map.title, &p->facts));
  SCIARA_TRY(sciara_map_dressing_tell(&p->dressing, &p->facts));
  p->map.facts = &p->facts;
  return SCIARA_OK;
}

/** Takes the options of the job: the part that is shown is that of all lava read so far. */
static enum sciara_status export_picture_look(const struct sciara_export_job *job, struct export_picture *p) {
  struct sciara_dem_window window;
  SCIARA_TRY(sciara_picture_look_apply(&job->look, &p->dressing.bounds, &p->picture, &p->parts));
  SCIARA_TRY(sciara_target_window(job->target, &window));
  return sciara_export_tell_left_out(&p->places, p->map.grid, p->picture.window, &window);
}

static void export_picture_free(struct export_picture *p) {
  sciara_free(p->values);
  sciara_free(p->thickness);
  sciara_free(p->altitude);
  sciara_observation_free(&p->observed);
  sciara_export_marks_free(&p->marks);
  sciara_pois_free(&p->places);
  sciara_vent_cells_free(&p->vents);
  sciara_map_dressing_free(&p->dressing);
  sciara_picture_parts_free(&p->parts);
  sciara_map_facts_free(&p->facts);
  *p = (struct export_picture){0};
}

enum sciara_status sciara_export_png(const struct sciara_export_job *job, const char *path) {
  struct export_picture p = {0};
  enum sciara_status status;
  SCIARA_TRY_GOTO(export_picture_prepare(job, &p));
  SCIARA_TRY_GOTO(export_picture_read(job, &job->target->snapshot, &p));
  SCIARA_TRY_GOTO(export_picture_look(job, &p));
  SCIARA_TRY_GOTO(sciara_export_make_folder(path));
  SCIARA_TRY_GOTO(sciara_map_write_png(&p.picture, path));
cleanup:
  export_picture_free(&p);
  return status;
}

/** Opens a snapshot of the run and takes its values; close it. */
static enum sciara_status open_frame(const struct sciara_export_job *job, size_t k, struct export_picture *p,
                                     struct sciara_snapshot *out) {
  char *path;
  SCIARA_TRY(sciara_run_file(job->target->folder, job->target->run_json.snapshots[k].name, &path));
  enum sciara_status status = sciara_snapshot_open_as(path, job->target->snapshot.rule, out);
  free(path);
  if (status != SCIARA_OK) return status;
  status = export_picture_read(job, out, p);
  if (status != SCIARA_OK) sciara_snapshot_close(out);
  return status;
}

/** The range of all snapshots, so that a colour means the same in every frame; their lava is the part that is shown. */
static enum sciara_status find_range(const struct sciara_export_job *job, struct export_picture *p) {
  double ends[2] = {INFINITY, -INFINITY}; // lowest and highest value; sciara_ramp_range leaves out what is not finite
  for (size_t k = 0; k < job->target->run_json.snapshot_count; k++) {
    struct sciara_snapshot snapshot;
    SCIARA_TRY(open_frame(job, k, p, &snapshot));
    for (int64_t i = 0; i < sciara_grid_cells(p->map.grid); i++) {
      if (!isfinite(p->values[i]) || p->values[i] == p->map.nodata) continue;
      ends[0] = fmin(ends[0], p->values[i]);
      ends[1] = fmax(ends[1], p->values[i]);
    }
    sciara_snapshot_close(&snapshot);
  }
  p->dressing.volumes.always_left_map = p->dressing.volumes.left_map > 0;
  p->dressing.volumes.always_entered_sea = p->dressing.volumes.entered_sea > 0;
  if (!(job->scale_to_m > 0))
    sciara_ramp_range(sciara_ramp_for(p->map.name), ends, 2, p->map.nodata, &p->picture.low, &p->picture.high);
  return SCIARA_OK;
}

static enum sciara_status write_frames(const struct sciara_export_job *job, struct export_picture *p,
                                       const char *folder) {
  for (size_t k = 0; k < job->target->run_json.snapshot_count; k++) {
    struct sciara_snapshot snapshot;
    SCIARA_TRY(open_frame(job, k, p, &snapshot));
    char *path = sciara_frame_path(folder, k + 1);
    const enum sciara_status status = path ? sciara_map_write_png(&p->picture, path) : sciara_no_memory("a path");
    free(path);
    sciara_snapshot_close(&snapshot);
    SCIARA_TRY(status);
  }
  return SCIARA_OK;
}

enum sciara_status sciara_export_frames(const struct sciara_export_job *job, const char *folder) {
  struct export_picture p = {0};
  struct sciara_text command = {0};
  enum sciara_status status = SCIARA_OK;
  if (job->target->run_json.snapshot_count > SCIARA_FRAMES_MOST)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: has %zu snapshots: expected at most %d for frames", job->target->folder,
                       job->target->run_json.snapshot_count, SCIARA_FRAMES_MOST);
  SCIARA_TRY_GOTO(export_picture_prepare(job, &p));
  SCIARA_TRY_GOTO(find_range(job, &p));
  SCIARA_TRY_GOTO(export_picture_look(job, &p));
  if (job->overwrite) SCIARA_TRY_GOTO(sciara_frames_clear(folder)); // a longer film's last frames would stay
  SCIARA_TRY_GOTO(sciara_folder_make(folder));
  SCIARA_TRY_GOTO(write_frames(job, &p, folder));
  SCIARA_TRY_GOTO(sciara_frames_command(folder, &command));
  SCIARA_TRY_GOTO(sciara_text_append(job->note, "%s", command.data));
cleanup:
  sciara_text_free(&command);
  export_picture_free(&p);
  return status;
}
