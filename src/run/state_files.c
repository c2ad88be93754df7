// SPDX-License-Identifier: Apache-2.0
#include "run/state_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/share.h"
#include "file/durable.h"
#include "file/json_strict.h"
#include "map/raster_gdal.h"
#include "map/words.h"
#include "model/field.h"
#include "model/state.h"
#include "picture/map_picture.h"
#include "run/barriers.h"
#include "run/run_facts.h"
#include "setup/outflow.h"
#include "setup/setup.h"
#include "sim/choose_engine.h"
#include "store/run_json.h"
#include "terrain/dem_gdal.h"

struct sciara_snapshot_context sciara_simulation_snapshots(const struct sciara_simulation *s, const char *history) {
  const struct sciara_problem *p = &s->problem;
  return (struct sciara_snapshot_context){.georef = &p->source->georef,
                                          .fields = p->source->scenario.output.fields,
                                          .as_double = p->source->scenario.output.as_double,
                                          .title = p->source->scenario.title,
                                          .start = p->source->scenario.start,
                                          .scenario_json = p->source->scenario.json,
                                          .model_rule = sciara_rule_name(p->params.rule),
                                          .model_preset = p->source->scenario.model,
                                          .rule_edition = sciara_rule_edition(p->params.rule),
                                          .history = history,
                                          .engine = s->ops->name,
                                          .precision = sciara_precision_name(sciara_chosen_precision(&p->engine)),
                                          .dem_hash = p->site->origin.hash,
                                          .emission_from_s = p->source->emission_from_s,
                                          .threads = sciara_free_cores(s->threads)};
}

/** Whether the current state has a tower. */
static enum sciara_status has_tower(const struct sciara_problem *p, bool *has) {
  struct sciara_touched touched;
  struct sciara_run_warning tower;
  SCIARA_TRY(sciara_touched_find(p->state, 1, &touched));
  const enum sciara_status status = sciara_tower_watch(p, p->state, &touched, false, false, &tower);
  *has = tower.kind;
  free(tower.text);
  sciara_touched_release(&touched);
  return status;
}

/** The field; NODATA where a map has nothing to show. */
static void take_field(const struct sciara_problem *p, enum sciara_field field, double *values) {
  sciara_field_derive(p->state, field, values);
  for (int64_t i = 0; i < sciara_grid_cells(&p->grid); i++)
    if (sciara_field_is_empty(field, values[i], p->state->h[i])) values[i] = SCIARA_NODATA_ALTITUDE;
}

/** Draws the map of `field` as `sciara export` does by default. `values` receive the deposit first: no second array is taken. */
static enum sciara_status write_picture(struct sciara_simulation *s, const struct sciara_map *map,
                                        struct sciara_map_facts *facts, enum sciara_field field, double *values,
                                        const char *path) {
  const struct sciara_problem *p = &s->problem;
  struct sciara_map_dressing dressing = {0};
  struct sciara_ledger ledger;
  struct sciara_run_json own = {0};
  struct sciara_map_picture picture = {
      .map = map, .altitude = p->state->z0, .time_s = &s->progress.time, .start = p->source->scenario.start};
  enum sciara_status status;
  uint8_t *sea = NULL;
  double *first_s = NULL;
  bool tower = false;
  SCIARA_TRY(sciara_simulation_ledger(s, &ledger));
  SCIARA_TRY(has_tower(p, &tower));
  picture.warning = tower;
  picture.coarse_m = p->site->origin.coarse_m;
  SCIARA_TRY_GOTO(sciara_site_sea(p->site, &sea));
  picture.sea = sea;
  picture.edits = p->site->origin.edit;
  picture.observed = p->source->observed;
  SCIARA_TRY_GOTO(
      sciara_scenario_emission_of(&p->source->scenario, p->vents, p->source->emission_from_s, &own.emission));
  SCIARA_TRY_GOTO(sciara_barriers_find(p, &own));
  SCIARA_TRY_GOTO(sciara_map_dressing_make(&p->source->scenario, &own, map, &picture, &dressing));
  sciara_field_derive(p->state, SCIARA_FIELD_DEPOSIT, values);
  SCIARA_TRY_GOTO(SCIARA_NEW(first_s, p->vents->count + 1, "the times of vents"));
  for (int64_t k = 0; k < p->vents->count; k++) first_s[k] = sciara_vents_first(p->vents, k);
  const struct sciara_vent_cells vents = {
      .row = p->vents->row, .col = p->vents->col, .first_s = first_s, .count = (size_t)p->vents->count};
  sciara_map_dressing_lava(&dressing, &vents, s->progress.time, values, &ledger, &picture);
  SCIARA_TRY_GOTO(sciara_map_dressing_tell(&dressing, facts));
  const struct sciara_map_window window = sciara_map_window_around(&dressing.bounds, map->grid);
  picture.window = &window;
  take_field(p, field, values);
  if (field == SCIARA_FIELD_ARRIVAL_TIME && picture.start)
    SCIARA_TRY_GOTO(sciara_map_dressing_fronts(&dressing, values, 0, &picture));
  SCIARA_TRY_GOTO(sciara_map_write_png(&picture, path));
cleanup:
  sciara_map_dressing_free(&dressing);
  sciara_run_json_free(&own);
  sciara_free(first_s);
  sciara_free(sea);
  return status;
}

enum sciara_status sciara_simulation_write_map(struct sciara_simulation *s, enum sciara_field field, bool as_picture,
                                               const char *path) {
  const struct sciara_problem *p = &s->problem;
  const struct sciara_field_info *info = sciara_field_describe(field);
  struct sciara_map_facts facts = {0};
  struct sciara_text title = {0};
  double *values = NULL;
  enum sciara_status status;
  SCIARA_TRY(sciara_simulation_sync(s));
  SCIARA_TRY_GOTO(SCIARA_NEW(values, sciara_grid_cells(&p->grid), "a map"));
  if (as_picture)
    SCIARA_TRY_GOTO(sciara_word_title(&title, SCIARA_ENGLISH, p->source->scenario.title, p->source->scenario.dem.edits,
                                      p->source->scenario.dem.edit_count));
  const char *shown = as_picture ? title.data : p->source->scenario.title;
  const struct sciara_run_moment moment = {
      .title = shown, .start = p->source->scenario.start, .time_s = s->progress.time, .step = s->progress.step};
  SCIARA_TRY_GOTO(sciara_run_facts_make(&moment, &p->source->scenario, field, &facts));
  const struct sciara_map map = {.grid = &p->grid,
                                 .georef = &p->source->georef,
                                 .values = values,
                                 .nodata = SCIARA_NODATA_ALTITUDE,
                                 .name = info->name,
                                 .unit = info->unit,
                                 .title = shown,
                                 .facts = &facts};
  take_field(p, field, values);
  status = as_picture ? write_picture(s, &map, &facts, field, values, path) : sciara_map_write_cog(&map, path);
cleanup:
  sciara_map_facts_free(&facts);
  sciara_text_free(&title);
  sciara_free(values);
  return status;
}

enum sciara_status sciara_simulation_write_maps(struct sciara_simulation *s, const char *folder,
                                                void (*written)(void *context, const char *path), void *context) {
  const unsigned maps = s->problem.source->scenario.output.maps;
  if (!maps) return SCIARA_OK;
  char name[64], *path;
  enum sciara_status status = sciara_folder_make_in(folder, "maps");
  for (int k = 0; status == SCIARA_OK && k < 2 * SCIARA_FIELD_COUNT; k++) {
    const enum sciara_field field = (enum sciara_field)(k / 2);
    const bool as_picture = k % 2 == 1;
    if (!(maps >> field & 1u)) continue;
    snprintf(name, sizeof name, "maps/%s.%s", sciara_field_describe(field)->name, as_picture ? "png" : "tif");
    SCIARA_TRY(sciara_path_in(folder, name, &path));
    status = sciara_simulation_write_map(s, field, as_picture, path);
    if (status == SCIARA_OK && written) written(context, path);
    free(path);
  }
  return status;
}

// ----------------------------------------------------------------------- the ground, also in the folder of an ensemble

/** What dem.tif tells its readers: the window of the DEM, and the cells of which its own were made. */
static enum sciara_status find_facts(const struct sciara_site *site, struct sciara_map_facts *facts) {
  char text[40], window[SCIARA_DEM_WINDOW_TEXT];
  sciara_dem_window_print(&site->origin.window, window);
  SCIARA_TRY(sciara_map_facts_add(facts, SCIARA_DEM_WINDOW, window));
  if (!(site->origin.coarse_m > 0)) return SCIARA_OK;
  sciara_json_number(site->origin.coarse_m, text, sizeof text);
  return sciara_map_facts_add(facts, SCIARA_DEM_COARSE, text);
}

enum sciara_status sciara_ground_write(const struct sciara_problem *p, const double *values, const char *path) {
  const struct sciara_site *site = sciara_site_unchanged(p->site);
  struct sciara_map_mark marks[3];
  struct sciara_map_facts facts = {0};
  struct sciara_map map = {.grid = &site->grid,
                           .georef = &p->source->georef,
                           .values = values ? values : site->z0,
                           .nodata = SCIARA_NODATA_ALTITUDE,
                           .name = "altitude before the eruption",
                           .unit = "m",
                           .title = p->source->scenario.title,
                           .facts = &facts,
                           .marks = marks};
  uint8_t *sea = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_site_sea(site, &sea));
  if (sea) marks[map.mark_count++] = (struct sciara_map_mark){.name = SCIARA_DEM_SEA, .bytes = sea};
  if (site->origin.edit)
    marks[map.mark_count++] = (struct sciara_map_mark){.name = SCIARA_DEM_EDIT, .words = site->origin.edit};
  if (p->source->observed)
    marks[map.mark_count++] = (struct sciara_map_mark){.name = SCIARA_DEM_OBSERVED, .bytes = p->source->observed};
  SCIARA_TRY_GOTO(find_facts(site, &facts));
  SCIARA_TRY_GOTO(sciara_map_write_geotiff(&map, true, path));
cleanup:
  sciara_map_facts_free(&facts);
  sciara_free(sea);
  return status;
}
