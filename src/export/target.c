// SPDX-License-Identifier: Apache-2.0
#include "export/target.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/front.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "file/durable.h"
#include "run/run_folder.h"
#include "terrain/dem_gdal.h"

/** @param at_s simulated time of the snapshot, s; INFINITY: the last one */
static enum sciara_status open_run(const char *folder, double at_s, struct sciara_target *t) {
  SCIARA_TRY(sciara_run_file_json(folder, &t->run_json));
  SCIARA_TRY(sciara_copy(folder, "a path", &t->folder));
  if (t->run_json.snapshot_count == 0) return sciara_fail(SCIARA_ERR_INPUT, "%s: the run has no snapshot yet", folder);
  size_t k = t->run_json.snapshot_count - 1;
  if (isfinite(at_s)) {
    if (t->run_json.snapshots[k].time_s < at_s)
      return sciara_fail(SCIARA_ERR_INPUT, "%s: expected a snapshot at %s or later, found the last one at %s", folder,
                         SCIARA_DURATION(at_s), SCIARA_DURATION(t->run_json.snapshots[k].time_s));
    for (k = 0; t->run_json.snapshots[k].time_s < at_s;) k++;
  }
  return sciara_run_file(folder, t->run_json.snapshots[k].name, &t->path);
}

/** Whether run.json lists the snapshot of this file name. */
static bool is_listed(const struct sciara_run_json *run_json, const char *name) {
  const size_t length = strlen(name);
  for (size_t k = 0; k < run_json->snapshot_count; k++) {
    const char *listed = run_json->snapshots[k].name;
    const size_t n = strlen(listed);
    if (n > length && listed[n - length - 1] == '/' && strcmp(listed + n - length, name) == 0) return true;
  }
  return false;
}

/**
 * The run that a snapshot belongs to: DIR of DIR/snapshots/NAME, if its run.json lists it. Anything else is no error:
 * the snapshot then lies alone.
 */
static enum sciara_status find_run(const char *snapshot, struct sciara_target *t) {
  char *real = realpath(snapshot, NULL), *snapshots = real ? sciara_path_folder(real) : NULL, *up = NULL;
  enum sciara_status status = SCIARA_OK;
  if (snapshots && strcmp(sciara_path_name(snapshots), "snapshots") == 0) {
    up = sciara_path_folder(snapshots);
    if (!up) status = sciara_no_memory("a path");
  }
  if (up && sciara_run_file_json(up, &t->run_json) == SCIARA_OK) {
    if (is_listed(&t->run_json, sciara_path_name(real))) {
      t->folder = up;
      up = NULL;
    } else {
      sciara_run_json_free(&t->run_json);
    }
  }
  free(up);
  free(snapshots);
  free(real);
  return status;
}

static enum sciara_status open_target(const char *path, double at_s, enum sciara_checksum_rule rule,
                                      struct sciara_target *out) {
  enum sciara_status status;
  *out = (struct sciara_target){0};
  if (sciara_is_folder(path)) {
    SCIARA_TRY_GOTO(open_run(path, at_s, out));
  } else {
    SCIARA_TRY(sciara_copy(path, "a path", &out->path));
    SCIARA_TRY_GOTO(find_run(path, out));
  }
  SCIARA_TRY_GOTO(sciara_snapshot_open_as(out->path, rule, &out->snapshot));
  if (!out->folder)
    out->run_json.emission = (struct sciara_emission){.volume_m3 = NAN, .from_s = out->snapshot.emission_from_s};
  if (out->snapshot.unchecked)
    sciara_log(SCIARA_LOG_WARNING, "%s: fields without a checksum are read: damage to them is not noticed", out->path);
  return SCIARA_OK;
cleanup:
  sciara_target_free(out);
  return status;
}

enum sciara_status sciara_target_open(const char *path, enum sciara_checksum_rule rule, struct sciara_target *out) {
  return open_target(path, INFINITY, rule, out);
}

enum sciara_status sciara_target_open_at(const char *folder, double at_s, enum sciara_checksum_rule rule,
                                         struct sciara_target *out) {
  *out = (struct sciara_target){0};
  if (!sciara_is_folder(folder))
    return sciara_fail(SCIARA_ERR_USAGE, "--at: expected the folder of a run, found \"%s\"", folder);
  return open_target(folder, at_s, rule, out);
}

void sciara_target_free(struct sciara_target *t) {
  if (t->path) sciara_snapshot_close(&t->snapshot);
  sciara_run_json_free(&t->run_json);
  free(t->folder);
  free(t->path);
  *t = (struct sciara_target){0};
}

enum sciara_status sciara_target_begin(const struct sciara_target *t, double *time_s) {
  struct sciara_scenario_spec scenario;
  const enum sciara_status status =
      sciara_computed_scenario(t->snapshot.path, t->snapshot.scenario_json, "its start", &scenario);
  const double observed = scenario.observed.outline ? fmax(scenario.observed.time_s, 0) : 0;
  *time_s = scenario.initial_checkpoint ? fmax(observed, t->snapshot.emission_from_s) : observed;
  sciara_scenario_free(&scenario);
  return status;
}

void sciara_target_warn(const struct sciara_target *t, struct sciara_map_picture *picture) {
  const struct sciara_run_warning *warning = t->run_json.warnings; // none for a snapshot alone
  for (size_t k = 0; k < t->run_json.warning_count; k++)
    if (strcmp(warning[k].kind, SCIARA_WARNING_DEM) == 0)
      picture->coarse_m = warning[k].coarse_m;
    else if (sciara_run_warning_has_cell(&warning[k]))
      picture->warning = true;
}

enum sciara_status sciara_target_window(const struct sciara_target *t, struct sciara_dem_window *out) {
  char *path;
  *out = (struct sciara_dem_window){.key = NULL};
  if (!t->folder) return SCIARA_OK;
  SCIARA_TRY(sciara_run_file(t->folder, SCIARA_RUN_DEM, &path));
  const enum sciara_status status = access(path, R_OK) == 0 ? sciara_dem_read_window(path, out) : SCIARA_OK;
  free(path);
  return status;
}

enum sciara_status sciara_target_read(struct sciara_target *t, enum sciara_field field, double *values) {
  if (sciara_snapshot_has(&t->snapshot, field)) {
    if (!(t->snapshot.fields >> field & 1u))
      sciara_log(SCIARA_LOG_INFO, "%s: has no field \"%s\"; it is computed from other fields", t->path,
                 sciara_field_name(field));
    return sciara_snapshot_obtain(&t->snapshot, field, values);
  }
  struct sciara_text held = {0};
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++)
    if (t->snapshot.fields >> f & 1u)
      sciara_text_append(&held, "%s%s", held.length ? ", " : "", sciara_field_name((enum sciara_field)f));
  const enum sciara_status status =
      sciara_fail(SCIARA_ERR_INPUT, "%s: holds no field \"%s\"; it holds %s (output.fields of the scenario decides)",
                  t->path, sciara_field_name(field), held.data ? held.data : "none");
  sciara_text_free(&held);
  return status;
}

/** The DEM of the run, if it is there and has the size of the snapshot; else the snapshot's own altitude; else *found is false. */
static enum sciara_status find_ground(struct sciara_target *t, double *altitude, bool *found) {
  const struct sciara_grid *grid = &t->snapshot.grid;
  *found = true;
  if (t->folder) {
    char *path;
    SCIARA_TRY(sciara_run_file(t->folder, SCIARA_RUN_DEM, &path));
    if (access(path, R_OK) == 0) {
      struct sciara_dem dem;
      const enum sciara_status status =
          sciara_dem_read(&(struct sciara_dem_request){.path = path, .band = 1, .own = true}, &dem);
      const bool fits = status == SCIARA_OK && dem.grid.rows == grid->rows && dem.grid.cols == grid->cols;
      if (fits) memcpy(altitude, dem.altitude, (size_t)sciara_grid_cells(grid) * sizeof *altitude);
      if (status == SCIARA_OK) sciara_dem_free(&dem);
      free(path);
      if (fits || status != SCIARA_OK) return status;
    } else {
      free(path);
    }
  }
  if (t->snapshot.fields >> SCIARA_FIELD_ALTITUDE & 1u)
    return sciara_snapshot_read(&t->snapshot, SCIARA_FIELD_ALTITUDE, altitude);
  *found = false;
  return SCIARA_OK;
}

enum sciara_status sciara_target_read_ground(struct sciara_target *t, double **altitude) {
  bool found = false;
  enum sciara_status status;
  SCIARA_TRY(SCIARA_NEW(*altitude, sciara_grid_cells(&t->snapshot.grid), "the ground of a map"));
  SCIARA_TRY_GOTO(find_ground(t, *altitude, &found));
  if (!found)
    sciara_log(SCIARA_LOG_WARNING,
               "%s: no altitude is at hand (no dem.tif of the run, no field \"altitude\"): the ground is drawn flat",
               t->path);
  return SCIARA_OK;
cleanup:
  sciara_free(*altitude);
  *altitude = NULL;
  return status;
}
