// SPDX-License-Identifier: Apache-2.0
#include "export/export_picture.h"

#include "base/mem.h"
#include "model/field.h"

enum sciara_status sciara_export_vents(const struct sciara_target *t, const struct sciara_map *map,
                                       struct sciara_map_picture *picture, struct sciara_map_dressing *dressing,
                                       struct sciara_vent_cells *cells) {
  const struct sciara_snapshot *s = &t->snapshot;
  struct sciara_scenario_spec scenario;
  SCIARA_TRY(sciara_vent_cells_read(s->path, s->scenario_json, &s->grid, &s->georef, cells));
  enum sciara_status status = sciara_snapshot_scenario(s, "its vents", &scenario);
  if (status == SCIARA_OK && s->scenario_json)
    status = sciara_map_dressing_make(&scenario, &t->run_json, map, picture, dressing);
  sciara_scenario_free(&scenario);
  return status;
}

/** Fronts are drawn where they are asked for, and on a map of the arrival with dates; in all frames of the last snapshot. */
static enum sciara_status choose_fronts(const struct sciara_export_job *job, struct sciara_export_picture *p) {
  p->fronts_s = job->isochrones_s;
  if (p->fronts_s > 0 || job->field != SCIARA_FIELD_ARRIVAL_TIME || !p->picture.start) return SCIARA_OK;
  p->fronts_s = sciara_isochrone_step(p->values, sciara_grid_cells(p->map.grid), SCIARA_NODATA_ALTITUDE);
  return SCIARA_OK;
}

/** Draws them as of a snapshot, with the values, which are overwritten later. */
static enum sciara_status read_fronts(struct sciara_snapshot *snapshot, struct sciara_export_picture *p) {
  SCIARA_TRY(sciara_snapshot_obtain(snapshot, SCIARA_FIELD_ARRIVAL_TIME, p->values));
  for (int64_t i = 0; i < sciara_grid_cells(p->map.grid); i++)
    if (sciara_field_is_empty(SCIARA_FIELD_ARRIVAL_TIME, p->values[i], p->values[i]))
      p->values[i] = SCIARA_NODATA_ALTITUDE;
  return sciara_map_dressing_fronts(&p->dressing, p->values, p->fronts_s, &p->picture);
}

enum sciara_status sciara_export_picture_prepare(const struct sciara_export_job *job,
                                                 struct sciara_export_picture *out) {
  struct sciara_target *t = job->target;
  const struct sciara_field_info *info = sciara_field_describe(job->field);
  const struct sciara_snapshot *s = &t->snapshot;
  const int64_t cells = sciara_grid_cells(&s->grid);
  SCIARA_TRY(SCIARA_NEW(out->values, cells, "a map"));
  SCIARA_TRY(sciara_target_read(t, job->field, out->values)); // says what it holds if it is not there
  if (s->fields >> SCIARA_FIELD_THICKNESS & 1u) SCIARA_TRY(SCIARA_NEW(out->thickness, cells, "a map"));
  SCIARA_TRY(sciara_export_read_ground(t, &out->altitude));
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
  SCIARA_TRY(sciara_export_read_places(job, s, &out->places));
  out->picture.pois = out->places.poi;
  out->picture.poi_count = out->places.count;
  if (out->observed.covered) out->picture.observed_s = NULL;
  SCIARA_TRY(choose_fronts(job, out));
  if (out->observed.covered) sciara_map_bounds_add_mask(&out->dressing.bounds, &s->grid, out->observed.covered);
  return SCIARA_OK;
}

/** Reads what is covered into the values, which are overwritten later: the deposit, else the liquid lava. */
static enum sciara_status read_picture_lava(struct sciara_snapshot *snapshot, struct sciara_export_picture *p) {
  const bool whole = sciara_snapshot_has(snapshot, SCIARA_FIELD_DEPOSIT);
  if (!whole && !(snapshot->fields >> SCIARA_FIELD_THICKNESS & 1u)) return SCIARA_OK;
  SCIARA_TRY(sciara_snapshot_obtain(snapshot, whole ? SCIARA_FIELD_DEPOSIT : SCIARA_FIELD_THICKNESS, p->values));
  sciara_map_dressing_lava(&p->dressing, &p->vents, snapshot->time_s, p->values, &snapshot->ledger, &p->picture);
  return SCIARA_OK;
}

enum sciara_status sciara_export_picture_read(const struct sciara_export_job *job, struct sciara_snapshot *snapshot,
                                              struct sciara_export_picture *p) {
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

enum sciara_status sciara_export_picture_look(const struct sciara_export_job *job, struct sciara_export_picture *p) {
  struct sciara_dem_window window;
  SCIARA_TRY(sciara_picture_look_apply(&job->look, &p->dressing.bounds, &p->picture, &p->parts));
  SCIARA_TRY(sciara_target_window(job->target, &window));
  return sciara_export_tell_left_out(&p->places, p->map.grid, p->picture.window, &window);
}

void sciara_export_picture_free(struct sciara_export_picture *p) {
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
  *p = (struct sciara_export_picture){0};
}

enum sciara_status sciara_export_png(const struct sciara_export_job *job, const char *path) {
  struct sciara_export_picture p = {0};
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_export_picture_prepare(job, &p));
  SCIARA_TRY_GOTO(sciara_export_picture_read(job, &job->target->snapshot, &p));
  SCIARA_TRY_GOTO(sciara_export_picture_look(job, &p));
  SCIARA_TRY_GOTO(sciara_export_make_folder(path));
  SCIARA_TRY_GOTO(sciara_map_write_png(&p.picture, path));
cleanup:
  sciara_export_picture_free(&p);
  return status;
}
