// SPDX-License-Identifier: Apache-2.0
#include "export/run_exposure.h"

#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/order.h"
#include "export/export.h"

/** The lava of a run while it is read. */
struct reading {
  struct sciara_target *target;
  double *arrival, *deposit, *most;
  uint8_t *kind, *mapped;
};

static void reading_free(struct reading *r) {
  sciara_free(r->arrival);
  sciara_free(r->deposit);
  sciara_free(r->most);
  sciara_free(r->kind);
  sciara_free(r->mapped);
}

static enum sciara_status read_field(struct reading *r, enum sciara_field field, double **out) {
  SCIARA_TRY(SCIARA_NEW(*out, sciara_grid_cells(&r->target->snapshot.grid), "the lava of a run"));
  return sciara_target_read(r->target, field, *out);
}

/** What the cells are, and where lava was mapped: of a snapshot that lies alone, NODATA where its deposit says so. */
static enum sciara_status read_kinds(struct reading *r) {
  struct sciara_target *t = r->target;
  const size_t cells = (size_t)sciara_grid_cells(&t->snapshot.grid);
  struct sciara_export_marks marks = {0};
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(r->kind, cells, "the kinds of cells"));
  SCIARA_TRY_GOTO(sciara_export_read_marks(t, &marks));
  for (size_t i = 0; i < cells; i++)
    r->kind[i] = marks.sea && marks.sea[i]                 ? SCIARA_CELL_SEA
                 : r->deposit[i] == SCIARA_NODATA_ALTITUDE ? SCIARA_CELL_NODATA
                                                           : SCIARA_CELL_INTERIOR;
  r->mapped = marks.observed;
  marks.observed = NULL;
cleanup:
  sciara_export_marks_free(&marks);
  return status;
}

static enum sciara_status read_exposure_lava(struct reading *r) {
  const struct sciara_snapshot *s = &r->target->snapshot;
  SCIARA_TRY(read_field(r, SCIARA_FIELD_DEPOSIT, &r->deposit));
  if (sciara_snapshot_has(s, SCIARA_FIELD_MAX_DEPOSIT)) SCIARA_TRY(read_field(r, SCIARA_FIELD_MAX_DEPOSIT, &r->most));
  if (sciara_snapshot_has(s, SCIARA_FIELD_ARRIVAL_TIME))
    SCIARA_TRY(read_field(r, SCIARA_FIELD_ARRIVAL_TIME, &r->arrival));
  else
    sciara_log(SCIARA_LOG_WARNING,
               "%s: holds no field \"arrival_time\": when lava arrives is not known (output.fields of the scenario "
               "decides)",
               r->target->path);
  return read_kinds(r);
}

/** Takes the times, in ascending order and each once, or makes some up to the last arrival. */
static enum sciara_status choose_times(const struct reading *r, double zero, const double *times, size_t count,
                                       struct sciara_run_exposure *out) {
  const int64_t cells = sciara_grid_cells(&r->target->snapshot.grid);
  double last = 0;
  if (!r->arrival) return SCIARA_OK;
  for (int64_t i = 0; i < cells; i++) last = fmax(last, r->arrival[i] - zero);
  const double step = sciara_isochrone_step(&last, 1, SCIARA_NODATA_ALTITUDE);
  const size_t made = times ? count : (size_t)ceil(last / step);
  SCIARA_TRY(SCIARA_NEW(out->times, made + 1, "times"));
  for (size_t k = 0; k < made; k++) out->times[k] = times ? times[k] : step * (double)(k + 1);
  qsort(out->times, made, sizeof *out->times, sciara_ascending);
  for (size_t k = 0; k < made; k++)
    if (k == 0 || out->times[k] > out->times[out->time_count - 1]) out->times[out->time_count++] = out->times[k];
  if (!times) sciara_log(SCIARA_LOG_INFO, "what is covered is reported every %s (--within)", SCIARA_DURATION(step));
  return SCIARA_OK;
}

enum sciara_status sciara_run_exposure_make(struct sciara_target *target, const struct sciara_pois_request *request,
                                            const double *times, size_t time_count, struct sciara_run_exposure *out) {
  const struct sciara_snapshot *s = &target->snapshot;
  struct sciara_pois_request q = *request;
  struct reading r = {.target = target};
  enum sciara_status status;
  double zero;
  *out = (struct sciara_run_exposure){0};
  q.crs_wkt = s->georef.crs_wkt;
  SCIARA_TRY_GOTO(sciara_target_window(target, &out->window));
  SCIARA_TRY_GOTO(sciara_target_begin(target, &zero));
  SCIARA_TRY_GOTO(read_exposure_lava(&r));
  SCIARA_TRY_GOTO(choose_times(&r, zero, times, time_count, out));
  const struct sciara_exposure_lava lava = {.grid = &s->grid,
                                            .kind = r.kind,
                                            .arrival = r.arrival,
                                            .deposit = r.deposit,
                                            .max_deposit = r.most,
                                            .mapped = r.mapped};
  SCIARA_TRY_GOTO(sciara_exposure_read(&lava, &q, zero, out->times, out->time_count, &out->pois, &out->exposure));
cleanup:
  reading_free(&r);
  if (status != SCIARA_OK) sciara_run_exposure_free(out);
  return status;
}

void sciara_run_exposure_free(struct sciara_run_exposure *e) {
  sciara_exposure_free(&e->exposure);
  sciara_pois_free(&e->pois);
  sciara_free(e->times);
  *e = (struct sciara_run_exposure){0};
}
