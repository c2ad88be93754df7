// SPDX-License-Identifier: Apache-2.0
#include "export/export_picture.h"

#include "base/mem.h"
#include "base/text.h"
#include "model/field.h"

const char *const sciara_export_picture_options[] = {"field", "observed", "observed-layer", "allow-driver", "stamp",
                                                     "width", NULL};

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
                                 .title = s->title};
  out->picture.map = &out->map;
  out->picture.altitude = out->altitude;
  out->picture.start = s->start;
  out->picture.stamp = job->stamp;
  out->picture.note = sciara_target_warning(t) ? SCIARA_WARNING_NOTE : NULL;
  out->picture.width = job->width;
  SCIARA_TRY(sciara_export_read_observed(job, s, &out->observed));
  out->picture.observed = out->observed.covered;
  return SCIARA_OK;
}

enum sciara_status sciara_export_picture_read(const struct sciara_export_job *job, struct sciara_snapshot *snapshot,
                                              struct sciara_export_picture *p) {
  const struct sciara_grid *g = &snapshot->grid;
  if (g->rows != p->map.grid->rows || g->cols != p->map.grid->cols)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: lies on another grid than the last snapshot of the run", snapshot->path);
  SCIARA_TRY(sciara_snapshot_obtain(snapshot, job->field, p->values));
  if (p->thickness) SCIARA_TRY(sciara_snapshot_read(snapshot, SCIARA_FIELD_THICKNESS, p->thickness));
  for (int64_t i = 0; i < sciara_grid_cells(g); i++)
    if (sciara_field_is_empty(job->field, p->values[i], p->thickness ? p->thickness[i] : p->values[i]))
      p->values[i] = SCIARA_NODATA_ALTITUDE;
  p->picture.time_s = &snapshot->time_s;
  return SCIARA_OK;
}

void sciara_export_picture_free(struct sciara_export_picture *p) {
  sciara_free(p->values);
  sciara_free(p->thickness);
  sciara_free(p->altitude);
  sciara_observation_free(&p->observed);
  *p = (struct sciara_export_picture){0};
}
