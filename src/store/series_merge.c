// SPDX-License-Identifier: Apache-2.0
#include "store/snapshot_hdf5.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/text.h"
#include "model/field.h"
#include "store/snapshot_layout.h"

/** The snapshots that become one file. */
struct merge {
  const char *const *paths;
  size_t count;
  enum sciara_checksum_rule rule;
  const char *path;            ///< of the file
  struct sciara_snapshot last; ///< speaks for all of them; open
  double *times;
};

static enum sciara_status check_memory(const struct merge *m) {
  const size_t available = sciara_memory_available();
  const struct sciara_grid *grid = &m->last.grid;
  size_t bytes =
      2 * (size_t)sciara_grid_cells(grid) * sizeof(double) + sciara_chunk_team_memory(grid, m->last.as_double, 1);
  for (size_t k = 0; k < m->count; k++) {
    struct stat info;
    if (stat(m->paths[k], &info) == 0) bytes += (size_t)info.st_size;
  }
  if (available == 0 || bytes <= available) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_MEMORY, "%s: merging the snapshots needs about %zu MB of memory, %zu MB are free",
                     m->path, bytes / 1000000, available / 1000000);
}

/** Whether a snapshot can stand in one file with the last one. */
static enum sciara_status check_fits(const struct merge *m, const struct sciara_snapshot *s) {
  const struct sciara_grid *a = &m->last.grid, *b = &s->grid;
  if (a->rows != b->rows || a->cols != b->cols || a->cell_size != b->cell_size || a->west != b->west ||
      a->north != b->north)
    return sciara_fail(SCIARA_ERR_INPUT, "%s and %s have different grids", s->path, m->last.path);
  if (s->fields != m->last.fields || s->as_double != m->last.as_double)
    return sciara_fail(SCIARA_ERR_INPUT, "%s and %s have different fields, or the same fields with different types",
                       s->path, m->last.path);
  return SCIARA_OK;
}

/** Opens each snapshot once, for its time and to see whether it fits. */
static enum sciara_status read_headers(struct merge *m) {
  SCIARA_TRY(SCIARA_NEW(m->times, m->count, "the times of a series"));
  for (size_t k = 0; k < m->count; k++) {
    struct sciara_snapshot s;
    SCIARA_TRY(sciara_snapshot_open_as(m->paths[k], m->rule, &s));
    enum sciara_status status = check_fits(m, &s);
    m->times[k] = s.time_s;
    sciara_snapshot_close(&s);
    SCIARA_TRY(status);
    if (k > 0 && !(m->times[k] > m->times[k - 1]))
      return sciara_fail(SCIARA_ERR_INPUT, "%s: time %.17g s: expected a later time than %.17g s of %s", m->paths[k],
                         m->times[k], m->times[k - 1], m->paths[k - 1]);
  }
  return SCIARA_OK;
}

/** Writes the values of one snapshot. */
static enum sciara_status put_values(const struct merge *m, struct sciara_field_writer *w, size_t time,
                                     const double *values) {
  const struct sciara_chunk_source source = {.grid = &m->last.grid, .values = values, .as_double = m->last.as_double};
  struct sciara_chunk_team *team;
  struct sciara_hdf5_session session;
  SCIARA_TRY(sciara_chunk_team_create(&source, 1u << w->field, 1, &team));
  sciara_hdf5_begin(&session);
  const enum sciara_status status = sciara_field_writer_put(w, time, team);
  sciara_hdf5_end(&session);
  sciara_chunk_team_destroy(team);
  return status;
}

/** One snapshot at a time is open, and one field of it in memory. */
static enum sciara_status put_field(const struct merge *m, struct sciara_field_writer *w, double *values) {
  enum sciara_status status = SCIARA_OK;
  for (size_t k = 0; k < m->count && status == SCIARA_OK; k++) {
    struct sciara_snapshot s;
    SCIARA_TRY(sciara_snapshot_open_as(m->paths[k], m->rule, &s));
    status = sciara_snapshot_read(&s, w->field, values);
    sciara_snapshot_close(&s);
    if (status == SCIARA_OK) status = put_values(m, w, k, values);
  }
  return status;
}

static enum sciara_status put_fields(const struct merge *m, const struct sciara_layout *layout) {
  double *values = NULL;
  struct sciara_hdf5_session session;
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(values, sciara_grid_cells(&m->last.grid), "a field to write"));
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++) {
    if (!(m->last.fields >> f & 1u)) continue;
    struct sciara_field_writer w = {.layout = layout, .field = (enum sciara_field)f};
    sciara_hdf5_begin(&session);
    status = sciara_field_writer_open(&w, m->count);
    sciara_hdf5_end(&session);
    if (status != SCIARA_OK) goto cleanup;
    status = put_field(m, &w, values);
    sciara_hdf5_begin(&session);
    status = sciara_field_writer_close(&w, status);
    sciara_hdf5_end(&session);
    if (status != SCIARA_OK) goto cleanup;
  }
cleanup:
  sciara_free(values);
  return status;
}

static enum sciara_status write_file(const struct merge *m) {
  const struct sciara_snapshot *s = &m->last;
  char *history = sciara_format("sciara export --format nc: %zu snapshots merged", m->count);
  if (!history) return sciara_fail(SCIARA_ERR_MEMORY, "%s: no memory for a text", m->path);
  const struct sciara_snapshot_context context = {.georef = &s->georef,
                                                  .fields = s->fields,
                                                  .as_double = s->as_double,
                                                  .title = s->title,
                                                  .start = s->start,
                                                  .scenario_json = s->scenario_json,
                                                  .model_rule = s->model_rule,
                                                  .model_preset = s->model_preset,
                                                  .history = history,
                                                  .engine = s->engine,
                                                  .precision = s->precision,
                                                  .dem_hash = s->dem_hash};
  struct sciara_layout layout;
  struct sciara_hdf5_session session;
  sciara_hdf5_begin(&session);
  enum sciara_status status = sciara_layout_begin(&layout, m->path, &context, &s->grid, m->times, m->count);
  sciara_hdf5_end(&session);
  if (status == SCIARA_OK) {
    status = put_fields(m, &layout);
    sciara_hdf5_begin(&session);
    status = sciara_layout_end(&layout, status);
    sciara_hdf5_end(&session);
  }
  free(history);
  return status;
}

enum sciara_status sciara_series_merge(const char *const *paths, size_t count, enum sciara_checksum_rule rule,
                                       const char *path) {
  if (count == 0) return sciara_fail(SCIARA_ERR_USAGE, "%s: a series needs at least one snapshot", path);
  struct merge m = {.paths = paths, .count = count, .rule = rule, .path = path};
  SCIARA_TRY(sciara_snapshot_open_as(paths[count - 1], rule, &m.last));
  enum sciara_status status = check_memory(&m);
  if (status == SCIARA_OK) status = read_headers(&m);
  if (status == SCIARA_OK) status = write_file(&m);
  sciara_free(m.times);
  sciara_snapshot_close(&m.last);
  return status;
}
