// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeseries.h"

#include <inttypes.h>
#include <math.h>

#include "analysis/front.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "file/durable.h"
#include "map/run_out.h"

static const char header[] = "time_s,step,area_m2,liquid_m3,solid_m3,front_distance_m,max_thickness_m,"
                             "mean_effusion_m3_s,cumulative_volume_m3";

/** What the next row needs to know of those before. */
struct course {
  double time_s, emitted_m3;
  bool has_sea; ///< of the first snapshot: there are columns for the lava that left the map and that entered the sea
  bool warned_no_deposit, warned_no_vents;
};

/** What the map of a snapshot says; NAN: not known. */
struct extent {
  double area_m2, front_m, max_m;
};

static void warn_once(bool *warned, const char *path, const char *what) {
  if (!*warned) sciara_log(SCIARA_LOG_WARNING, "%s: %s", path, what);
  *warned = true;
}

static enum sciara_status measure(struct course *course, struct sciara_snapshot *s, struct extent *out) {
  const struct sciara_grid *g = &s->grid;
  const int64_t cells = sciara_grid_cells(g);
  *out = (struct extent){NAN, NAN, NAN};
  if (!sciara_snapshot_has(s, SCIARA_FIELD_DEPOSIT)) {
    warn_once(&course->warned_no_deposit, s->path,
              "holds no field \"deposit\", nor thickness and solid_thickness: area, front and thickness stay empty");
    return SCIARA_OK;
  }
  double *deposit = NULL, most = 0;
  int64_t covered = 0;
  struct sciara_vent_cells vents = {0};
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(deposit, cells, "the deposit of a snapshot"));
  SCIARA_TRY_GOTO(sciara_snapshot_obtain(s, SCIARA_FIELD_DEPOSIT, deposit));
  for (int64_t i = 0; i < cells; i++) {
    covered += deposit[i] > 0;
    most = fmax(most, deposit[i]);
  }
  out->area_m2 = (double)covered * g->cell_size * g->cell_size;
  out->max_m = most;
  SCIARA_TRY_GOTO(sciara_vent_cells_read(s->path, s->scenario_json, g, &s->georef, &vents));
  if (vents.count > 0)
    out->front_m = sciara_run_out_find(&vents, s->time_s, g, deposit).metres;
  else
    warn_once(&course->warned_no_vents, s->path, "names no vents: the distance of the front stays empty");
cleanup:
  sciara_vent_cells_free(&vents);
  sciara_free(deposit);
  return status;
}

/** A number, or nothing where it is not known. */
static enum sciara_status append(struct sciara_text *out, double value, char after) {
  if (isnan(value)) return sciara_text_append(out, "%c", after);
  return sciara_text_append(out, "%.15g%c", value, after);
}

static enum sciara_status append_row(struct course *course, struct sciara_snapshot *s, struct sciara_text *out) {
  struct extent extent;
  SCIARA_TRY(measure(course, s, &extent));
  const double span = s->time_s - course->time_s;
  const double effusion = span > 0 ? (s->ledger.emitted_m3 - course->emitted_m3) / span : NAN;
  SCIARA_TRY(sciara_text_append(out, "%.17g,%" PRIu64 ",", s->time_s, s->step));
  SCIARA_TRY(append(out, extent.area_m2, ','));
  SCIARA_TRY(append(out, s->ledger.liquid_m3, ','));
  SCIARA_TRY(append(out, s->ledger.solid_m3, ','));
  SCIARA_TRY(append(out, extent.front_m, ','));
  SCIARA_TRY(append(out, extent.max_m, ','));
  SCIARA_TRY(append(out, effusion, ','));
  SCIARA_TRY(append(out, s->ledger.emitted_m3, course->has_sea ? ',' : '\n'));
  if (course->has_sea) {
    SCIARA_TRY(append(out, s->ledger.lost_m3, ','));
    SCIARA_TRY(append(out, s->ledger.sea_m3, '\n'));
  }
  course->time_s = s->time_s;
  course->emitted_m3 = s->ledger.emitted_m3;
  return SCIARA_OK;
}

/**
 * The time from which the lava of a run was emitted: 0, but that of the observation where it begins with observed lava. NAN: that of
 * a checkpoint, which the first snapshot does not tell.
 */
static enum sciara_status find_begin(const struct sciara_snapshot *s, double *time_s) {
  struct sciara_scenario_spec scenario;
  const enum sciara_status status = sciara_computed_scenario(s->path, s->scenario_json, "its start", &scenario);
  if (scenario.initial_checkpoint)
    *time_s = NAN;
  else
    *time_s = scenario.observed.outline ? fmax(scenario.observed.time_s, 0) : 0;
  sciara_scenario_free(&scenario);
  return status;
}

enum sciara_status sciara_timeseries_write(const char *const *paths, size_t count, enum sciara_checksum_rule rule,
                                           const char *path) {
  struct sciara_text text = {0};
  struct course course = {0};
  enum sciara_status status = count > 0 ? SCIARA_OK : sciara_text_append(&text, "%s\n", header);
  for (size_t k = 0; k < count && status == SCIARA_OK; k++) {
    struct sciara_snapshot s;
    status = sciara_snapshot_open_as(paths[k], rule, &s);
    if (status != SCIARA_OK) break;
    if (k == 0) course.has_sea = s.has_sea;
    if (k == 0) status = find_begin(&s, &course.time_s);
    if (k == 0 && status == SCIARA_OK)
      status = sciara_text_append(&text, "%s%s\n", header, s.has_sea ? ",left_map_m3,entered_sea_m3" : "");
    if (status == SCIARA_OK) status = append_row(&course, &s, &text);
    sciara_snapshot_close(&s);
  }
  return sciara_text_write(path, status, &text);
}
