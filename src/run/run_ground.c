// SPDX-License-Identifier: Apache-2.0
// The ground in the folder of a run or an ensemble: dem.tif, and the warnings of run.json about it, the lava on it and the
// lava that is still to come.
#include "run/state_files.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "file/json_strict.h"
#include "map/raster_gdal.h"
#include "setup/outflow.h"
#include "terrain/dem_gdal.h"

/** Adds a warning that is a text alone, unless there is one of its kind. */
static enum sciara_status warn(struct sciara_run_json *run_json, const char *kind, const char *text) {
  if (sciara_run_json_warning(run_json, kind)) return SCIARA_OK;
  return sciara_run_json_warn(
      run_json, &(struct sciara_run_warning){.kind = (char *)(uintptr_t)kind, .text = (char *)(uintptr_t)text});
}

/** Notes that the cells were made of much larger ones. */
static enum sciara_status warn_coarse(const struct sciara_problem *p, struct sciara_run_json *run_json) {
  const double coarse = p->site->origin.coarse_m;
  if (!(coarse > 0) || sciara_run_json_warning(run_json, SCIARA_WARNING_DEM)) return SCIARA_OK;
  char *text = sciara_dem_coarse_text(p->source->scenario.dem.path, coarse, p->site->grid.cell_size);
  if (!text) return sciara_no_memory("a warning");
  const enum sciara_status status = sciara_run_json_warn(
      run_json,
      &(struct sciara_run_warning){.kind = (char *)(uintptr_t)SCIARA_WARNING_DEM, .coarse_m = coarse, .text = text});
  free(text);
  return status;
}

enum sciara_status sciara_ground_warn(const struct sciara_problem *p, struct sciara_run_json *run_json) {
  char text[SCIARA_MISFIT_TEXT];
  SCIARA_TRY(warn_coarse(p, run_json));
  if (p->source->observed_warning) SCIARA_TRY(warn(run_json, SCIARA_WARNING_OBSERVED, p->source->observed_warning));
  if (!sciara_params_misfit(&p->params, p->grid.cell_size)) return SCIARA_OK;
  sciara_misfit_print(p->grid.cell_size, text);
  return warn(run_json, SCIARA_WARNING_CELLS, text);
}

enum sciara_status sciara_tower_warn(const struct sciara_problem *p, const struct sciara_state *state,
                                     const struct sciara_touched *touched, struct sciara_run_json *run_json,
                                     const char **new_text) {
  struct sciara_run_warning tower;
  *new_text = NULL;
  SCIARA_TRY(sciara_tower_watch(p, state, touched, sciara_run_json_warning(run_json, SCIARA_WARNING_VENT),
                                sciara_run_json_warning(run_json, SCIARA_WARNING_TOWER), &tower));
  if (!tower.kind) return SCIARA_OK;
  const enum sciara_status status = sciara_run_json_warn(run_json, &tower);
  free(tower.text);
  if (status == SCIARA_OK) *new_text = run_json->warnings[run_json->warning_count - 1].text;
  return status;
}

bool sciara_tower_is_noticed(const struct sciara_run_json *run_json) {
  return sciara_run_json_warning(run_json, SCIARA_WARNING_VENT) ||
         sciara_run_json_warning(run_json, SCIARA_WARNING_TOWER);
}

enum sciara_status sciara_run_off_warn(const struct sciara_problem *p, struct sciara_run_json *run_json) {
  char *text;
  SCIARA_TRY(sciara_observed_run_off(p, &text));
  if (!text) return SCIARA_OK;
  sciara_log(SCIARA_LOG_WARNING, "%s", text);
  const enum sciara_status status = warn(run_json, SCIARA_WARNING_OBSERVED, text);
  free(text);
  return status;
}

enum sciara_status sciara_rest_warn(const struct sciara_simulation *s, struct sciara_run_json *run_json) {
  char *text;
  if (s->finished != SCIARA_STOP_FRONT) return SCIARA_OK;
  SCIARA_TRY(sciara_front_rest_text(s->problem.vents, s->progress.time, &text));
  if (!text) return SCIARA_OK;
  sciara_log(SCIARA_LOG_WARNING, "%s", text);
  const enum sciara_status status = warn(run_json, SCIARA_WARNING_EFFUSION, text);
  free(text);
  return status;
}

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
