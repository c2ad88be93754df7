// SPDX-License-Identifier: Apache-2.0
// What a run knows about its ground: the cells of its edits, and the ground that it leaves, for a run after it.
#include <stdlib.h>
#include <unistd.h>

#include "analysis/front.h"
#include "base/mem.h"
#include "export/export.h"
#include "run/run_folder.h"
#include "terrain/dem_gdal.h"

/** dem.tif of the run with its marks. */
static enum sciara_status read_dem(const struct sciara_target *t, struct sciara_dem *out) {
  char *path;
  if (!t->folder)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected a run folder, whose %s has the ground; found a snapshot alone",
                       t->path, SCIARA_RUN_DEM);
  SCIARA_TRY(sciara_run_file(t->folder, SCIARA_RUN_DEM, &path));
  enum sciara_status status =
      sciara_dem_read(&(struct sciara_dem_request){.path = path, .band = 1, .own = true, .marked = true}, out);
  const struct sciara_grid *a = &out->grid, *b = &t->snapshot.grid;
  if (status == SCIARA_OK && (a->rows != b->rows || a->cols != b->cols)) {
    sciara_dem_free(out);
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: is not the ground of %s: it has another size", path, t->path);
  }
  free(path);
  return status;
}

/** The scenario of the run. */
static enum sciara_status read_scenario(const struct sciara_target *t, struct sciara_scenario_spec *out) {
  *out = (struct sciara_scenario_spec){0};
  if (!t->snapshot.scenario_json) return sciara_fail(SCIARA_ERR_INPUT, "%s: holds no scenario", t->path);
  return sciara_computed_scenario(t->snapshot.path, t->snapshot.scenario_json, "its scenario", out);
}

static enum sciara_status find_dem(const struct sciara_target *t, bool *found) {
  char *path;
  *found = false;
  if (!t->folder) return SCIARA_OK;
  SCIARA_TRY(sciara_run_file(t->folder, SCIARA_RUN_DEM, &path));
  *found = access(path, R_OK) == 0;
  free(path);
  return SCIARA_OK;
}

enum sciara_status sciara_export_edits(const struct sciara_target *t, bool required, struct sciara_zones *out) {
  struct sciara_dem dem = {0};
  struct sciara_scenario_spec scenario = {0};
  const char **labels = NULL;
  enum sciara_status status;
  bool found;
  SCIARA_TRY(find_dem(t, &found));
  if (!required && !found) return SCIARA_OK;
  SCIARA_TRY_GOTO(read_dem(t, &dem));
  if (!dem.edit) {
    if (required) status = sciara_fail(SCIARA_ERR_INPUT, "%s: its scenario has no dem.edits", t->folder);
    goto cleanup;
  }
  SCIARA_TRY_GOTO(read_scenario(t, &scenario));
  SCIARA_TRY_GOTO(SCIARA_NEW(labels, scenario.dem.edit_count + 1, "the names of the edits"));
  for (size_t k = 0; k < scenario.dem.edit_count; k++) labels[k] = scenario.dem.edits[k].name;
  SCIARA_TRY_GOTO(sciara_zones_numbered(sciara_export_layer_names[SCIARA_EXPORT_EDITS], dem.edit,
                                        sciara_grid_cells(&dem.grid), labels, scenario.dem.edit_count, out));
cleanup:
  sciara_free((void *)labels);
  sciara_scenario_free(&scenario);
  sciara_dem_free(&dem);
  return status;
}

enum sciara_status sciara_export_read_marks(const struct sciara_target *t, struct sciara_export_marks *out) {
  struct sciara_scenario_spec scenario = {0};
  struct sciara_dem dem = {0};
  enum sciara_status status;
  *out = (struct sciara_export_marks){0};
  bool found;
  SCIARA_TRY(find_dem(t, &found));
  if (!t->snapshot.scenario_json || !found) return SCIARA_OK;
  SCIARA_TRY_GOTO(read_scenario(t, &scenario));
  if (scenario.dem.edit_count == 0 && !t->snapshot.has_sea && !scenario.observed.outline) goto cleanup;
  SCIARA_TRY_GOTO(read_dem(t, &dem));
  *out = (struct sciara_export_marks){.sea = dem.sea, .edit = dem.edit, .observed = dem.observed};
  dem.sea = NULL;
  dem.edit = NULL;
  dem.observed = NULL;
  if (!out->observed || !scenario.observed.outline) goto cleanup;
  out->observed_name = sciara_format("%s", scenario.observed.outline);
  if (!out->observed_name) status = sciara_no_memory("the name of an outline");
cleanup:
  sciara_scenario_free(&scenario);
  sciara_dem_free(&dem);
  return status;
}

void sciara_export_marks_free(struct sciara_export_marks *marks) {
  sciara_free(marks->sea);
  sciara_free(marks->edit);
  sciara_free(marks->observed);
  free(marks->observed_name);
  *marks = (struct sciara_export_marks){0};
}

/** The first edit that changed the ground during the run, up to the snapshot; NULL: none, so that dem.tif is its ground. */
static const struct sciara_edit *first_dated(const struct sciara_scenario_spec *scenario, double time_s) {
  for (size_t k = 0; k < scenario->dem.edit_count; k++)
    if (scenario->dem.edits[k].from_s > 0 && scenario->dem.edits[k].from_s <= time_s) return &scenario->dem.edits[k];
  return NULL;
}

/** Where there are edits the snapshot knows its ground: altitude, with the solid lava, and liquid lava. */
static enum sciara_status take_edited(struct sciara_target *t, const struct sciara_edit *edit, struct sciara_dem *dem,
                                      const double *deposit) {
  const int64_t cells = sciara_grid_cells(&dem->grid);
  double *altitude = NULL, *liquid = NULL;
  enum sciara_status status;
  if (!sciara_snapshot_has(&t->snapshot, SCIARA_FIELD_ALTITUDE) ||
      !sciara_snapshot_has(&t->snapshot, SCIARA_FIELD_THICKNESS))
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: the edit \"%s\" changed the ground at %.10g s, after that of %s: expected a snapshot with "
                       "the fields altitude and thickness, found one without; add them to output.fields of the "
                       "scenario and run it again",
                       t->path, edit->name, edit->from_s, SCIARA_RUN_DEM);
  SCIARA_TRY_GOTO(SCIARA_NEW(altitude, cells, "the altitudes"));
  SCIARA_TRY_GOTO(SCIARA_NEW(liquid, cells, "the liquid lava"));
  SCIARA_TRY_GOTO(sciara_target_read(t, SCIARA_FIELD_ALTITUDE, altitude));
  SCIARA_TRY_GOTO(sciara_target_read(t, SCIARA_FIELD_THICKNESS, liquid));
  for (int64_t i = 0; i < cells; i++)
    if (dem->edit[i] && dem->altitude[i] != SCIARA_NODATA_ALTITUDE)
      dem->altitude[i] = altitude[i] + liquid[i] - deposit[i];
cleanup:
  sciara_free(altitude);
  sciara_free(liquid);
  return status;
}

/** Adds the deposit; cells that were NODATA before they became sea are NODATA again. */
static enum sciara_status add_deposit(const struct sciara_export_job *job, struct sciara_dem *dem) {
  const int64_t cells = sciara_grid_cells(&dem->grid);
  struct sciara_scenario_spec scenario = {0};
  const struct sciara_edit *dated;
  double *deposit = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(deposit, cells, "the deposit"));
  SCIARA_TRY_GOTO(sciara_target_read(job->target, SCIARA_FIELD_DEPOSIT, deposit));
  if (dem->sea || dem->edit) SCIARA_TRY_GOTO(read_scenario(job->target, &scenario));
  dated = dem->edit ? first_dated(&scenario, job->target->snapshot.time_s) : NULL;
  if (dated) SCIARA_TRY_GOTO(take_edited(job->target, dated, dem, deposit));
  const bool no_altitude = scenario.dem.sea.rule == SCIARA_SEA_NODATA;
  for (int64_t i = 0; i < cells; i++) {
    if (dem->sea && dem->sea[i] && no_altitude) dem->altitude[i] = SCIARA_NODATA_ALTITUDE;
    if (dem->altitude[i] != SCIARA_NODATA_ALTITUDE) dem->altitude[i] += deposit[i];
  }
cleanup:
  sciara_scenario_free(&scenario);
  sciara_free(deposit);
  return status;
}

enum sciara_status sciara_export_ground(const struct sciara_export_job *job, const char *path) {
  struct sciara_dem dem = {0};
  enum sciara_status status;
  SCIARA_TRY_GOTO(read_dem(job->target, &dem));
  SCIARA_TRY_GOTO(add_deposit(job, &dem));
  const struct sciara_map map = {.grid = &dem.grid,
                                 .georef = &job->target->snapshot.georef,
                                 .values = dem.altitude,
                                 .nodata = SCIARA_NODATA_ALTITUDE,
                                 .name = "altitude after the eruption",
                                 .unit = "m",
                                 .title = job->target->snapshot.title};
  SCIARA_TRY_GOTO(sciara_export_make_folder(path));
  SCIARA_TRY_GOTO(sciara_map_write_geotiff(&map, true, path));
cleanup:
  sciara_dem_free(&dem);
  return status;
}
