// SPDX-License-Identifier: Apache-2.0
#include "export/run_scores.h"

#include "base/log.h"
#include "base/mem.h"
#include "export/export.h"
#include "picture/extent_png.h"

/** What the run covers: its deposit, else what is still liquid. */
static enum sciara_status read_run(struct sciara_run_scores *j) {
  struct sciara_snapshot *s = &j->target->snapshot;
  const int64_t cells = sciara_grid_cells(&s->grid);
  const bool whole = s->fields >> SCIARA_FIELD_DEPOSIT & 1u;
  j->field = whole ? SCIARA_FIELD_DEPOSIT : SCIARA_FIELD_THICKNESS;
  if (!whole)
    sciara_log(SCIARA_LOG_WARNING,
               "%s: holds no field \"deposit\": only what is still liquid counts as covered (output.fields of the "
               "scenario decides)",
               j->target->path);
  SCIARA_TRY(SCIARA_NEW(j->thickness, cells, "the lava of the run"));
  SCIARA_TRY(SCIARA_NEW(j->run, cells, "the extent of the run"));
  SCIARA_TRY(sciara_target_read(j->target, j->field, j->thickness));
  for (int64_t i = 0; i < cells; i++) {
    if (j->thickness[i] == SCIARA_NODATA_ALTITUDE) j->thickness[i] = 0; // outside the DEM
    j->run[i] = j->thickness[i] > j->min_thickness_m;
  }
  return SCIARA_OK;
}

static enum sciara_status read_vents(struct sciara_run_scores *j) {
  const struct sciara_snapshot *s = &j->target->snapshot;
  SCIARA_TRY(SCIARA_NEW(j->vents, sciara_grid_cells(&s->grid), "the cells of the vents"));
  if (s->scenario_json)
    SCIARA_TRY(sciara_extent_mark_vents(s->scenario_json, &s->grid, &s->georef, j->vents, &j->vent_cells));
  if (j->vent_cells == 0)
    sciara_log(SCIARA_LOG_WARNING, "%s: contains no vents: the run-out is undefined", j->target->path);
  return SCIARA_OK;
}

enum sciara_status sciara_run_scores_make(struct sciara_run_scores *j) {
  const struct sciara_snapshot *s = &j->target->snapshot;
  SCIARA_TRY(read_run(j));
  SCIARA_TRY(read_vents(j));
  j->request.grid = &s->grid;
  j->request.crs_wkt = s->georef.crs_wkt;
  j->request.min_thickness_m = j->min_thickness_m;
  SCIARA_TRY(sciara_observation_read(&j->request, &j->observed));
  const struct sciara_extents extents = {.grid = &s->grid,
                                         .run = j->run,
                                         .observed = j->observed.covered,
                                         .vents = j->vents,
                                         .run_thickness = j->thickness,
                                         .observed_thickness = j->observed.thickness};
  return sciara_extents_score(&extents, &j->scores);
}

enum sciara_status sciara_run_scores_draw(const struct sciara_run_scores *j, const char *path) {
  const struct sciara_snapshot *s = &j->target->snapshot;
  double *altitude = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(sciara_export_read_ground(j->target, &altitude));
  SCIARA_TRY_GOTO(sciara_export_make_folder(path));
  const struct sciara_extent_picture picture = {.grid = &s->grid,
                                                .georef = &s->georef,
                                                .altitude = altitude,
                                                .run = j->run,
                                                .observed = j->observed.covered,
                                                .title = s->title,
                                                .start = s->start,
                                                .time_s = s->time_s};
  SCIARA_TRY_GOTO(sciara_extent_write_png(&picture, path));
cleanup:
  sciara_free(altitude);
  return status;
}

void sciara_run_scores_free(struct sciara_run_scores *j) {
  sciara_observation_free(&j->observed);
  sciara_free(j->thickness);
  sciara_free(j->run);
  sciara_free(j->vents);
  *j = (struct sciara_run_scores){0};
}
