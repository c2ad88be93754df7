// SPDX-License-Identifier: Apache-2.0
// Writing a snapshot; the series over those of a run, which contains only the times, and where the data of each time are stored;
// all of them in one file. Chunks in which nothing differs from the dataset's fill value are not stored at all.
#include <hdf5_hl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/text.h"
#include "file/durable.h"
#include "model/field.h"
#include "store/snapshot_layout.h"

/** The file type of field values: little-endian float64 or float32. */
static hid_t type_of_values(const struct sciara_snapshot_context *context) {
  return context->as_double ? H5T_IEEE_F64LE : H5T_IEEE_F32LE;
}

/** Attaches the axes to a field's dataset (time, y, x) and writes its attributes; `type` is that of its values. */
static enum sciara_status describe_field(const struct sciara_layout *l, hid_t dataset, enum sciara_field field,
                                         hid_t type) {
  const struct sciara_field_info *info = sciara_field_describe(field);
  SCIARA_TRY(sciara_hdf5_put_number(dataset, l->path, "_FillValue", type, SCIARA_NODATA_ALTITUDE));
  SCIARA_TRY(sciara_hdf5_put_text(dataset, l->path, "standard_name", info->standard_name));
  SCIARA_TRY(sciara_hdf5_put_text(dataset, l->path, "long_name", info->long_name));
  SCIARA_TRY(sciara_hdf5_put_text(dataset, l->path, "units", info->unit));
  SCIARA_TRY(sciara_hdf5_put_text(dataset, l->path, "grid_mapping", "crs"));
  for (unsigned i = 0; i < 3; i++)
    if (H5DSattach_scale(dataset, l->axes[i], i) < 0)
      return sciara_hdf5_fail(SCIARA_ERR_IO, l->path, "cannot attach the axes to %s", info->name);
  return SCIARA_OK;
}

/** A field of a snapshot, or of all snapshots of a run, on its way into a file. */
struct field_writer {
  const struct sciara_layout *layout;
  enum sciara_field field;
  // What follows is its own.
  hid_t dataset;
  uint64_t sum; ///< of the words of all values that were put
};

static enum sciara_status misfit(const struct sciara_layout *l, const struct sciara_chunk *chunk) {
  const char *name = sciara_field_describe(chunk->field)->name;
  if (!isfinite(chunk->misfit_value))
    return sciara_fail(SCIARA_ERR_NUMERIC,
                       "%s: %s is %g at row %" PRId64 ", column %" PRId64 ", expected finite numbers", l->path, name,
                       chunk->misfit_value, chunk->misfit_row, chunk->misfit_col);
  return sciara_fail(SCIARA_ERR_NUMERIC,
                     "%s: %s is %.17g at row %" PRId64 ", column %" PRId64
                     ", too large for float32 (choose dtype float64)",
                     l->path, name, chunk->misfit_value, chunk->misfit_row, chunk->misfit_col);
}

/** Closes the dataset; returns `status`, or the status of closing if that was SCIARA_OK. */
static enum sciara_status close_snapshot_field(struct field_writer *w, enum sciara_status status) {
  if (w->dataset >= 0 && H5Dclose(w->dataset) < 0 && status == SCIARA_OK)
    status = sciara_hdf5_fail(SCIARA_ERR_IO, w->layout->path, "cannot close %s", sciara_field_describe(w->field)->name);
  w->dataset = H5I_INVALID_HID;
  return status;
}

/** Makes the dataset (time, y, x) with so many times; layout and field are set. On failure it is closed. */
static enum sciara_status open_snapshot_field(struct field_writer *w, size_t times) {
  const struct sciara_layout *l = w->layout;
  const char *name = sciara_field_describe(w->field)->name;
  const hsize_t dims[3] = {times, (hsize_t)l->grid->rows, (hsize_t)l->grid->cols};
  const hsize_t sides[3] = {1, (hsize_t)sciara_chunk_rows(l->grid), (hsize_t)sciara_chunk_cols(l->grid)};
  const double fill = sciara_chunk_fill(w->field);
  const hid_t type = type_of_values(l->context);
  hid_t plist = sciara_hdf5_chunked_plist(3, sides, 1, H5T_NATIVE_DOUBLE, &fill);
  hid_t space = H5Screate_simple(3, dims, NULL);
  enum sciara_status status = SCIARA_OK;
  w->dataset = H5I_INVALID_HID;
  if (plist >= 0 && space >= 0) w->dataset = H5Dcreate2(l->file, name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  if (w->dataset < 0) status = sciara_hdf5_fail(SCIARA_ERR_IO, l->path, "cannot create %s", name);
  if (status == SCIARA_OK) status = describe_field(l, w->dataset, w->field, type);
  if (space >= 0) H5Sclose(space);
  if (plist >= 0) H5Pclose(plist);
  return status == SCIARA_OK ? status : close_snapshot_field(w, status);
}

/**
 * Writes time number `time` of the field: the chunks that the team gives next, which must be of the field and of the
 * grid and type of the file. SCIARA_ERR_NUMERIC names a value that cannot be stored.
 */
static enum sciara_status write_field_at(struct field_writer *w, size_t time, struct sciara_chunk_team *team) {
  const struct sciara_layout *l = w->layout;
  for (int64_t left = sciara_chunks_of(l->grid); left > 0; left--) {
    const struct sciara_chunk *chunk = sciara_chunk_team_next(team);
    if (chunk->misfit) return misfit(l, chunk);
    if (chunk->failed) return sciara_fail(SCIARA_ERR_INTERNAL, "%s: zlib cannot deflate a chunk", l->path);
    if (chunk->plain) continue;
    w->sum += chunk->sum;
    const hsize_t first[3] = {time, (hsize_t)chunk->row, (hsize_t)chunk->col};
    if (H5Dwrite_chunk(w->dataset, H5P_DEFAULT, 0, first, chunk->count, chunk->bytes) < 0)
      return sciara_hdf5_fail(SCIARA_ERR_IO, l->path, "cannot write %s", sciara_field_describe(w->field)->name);
  }
  return SCIARA_OK;
}

/* Thickness has the lowest number, so it is the first field of the file, which is the one ArcGIS shows. */
static enum sciara_status write_fields(const struct sciara_layout *l, struct sciara_chunk_team *team) {
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++) {
    if (!(l->context->fields & (1u << f))) continue;
    struct field_writer w = {.layout = l, .field = (enum sciara_field)f};
    SCIARA_TRY(open_snapshot_field(&w, 1));
    enum sciara_status status = write_field_at(&w, 0, team);
    // HDF5's own checksums do not cover where the chunks lie: a flipped bit there would read as no lava.
    if (status == SCIARA_OK) status = sciara_hdf5_put_hex(w.dataset, l->path, SCIARA_FIELD_CHECKSUM, w.sum);
    SCIARA_TRY(close_snapshot_field(&w, status));
  }
  return SCIARA_OK;
}

size_t sciara_snapshot_memory(const struct sciara_grid *grid, bool as_double, int threads) {
  if (threads > SCIARA_CHUNK_THREADS) threads = SCIARA_CHUNK_THREADS;
  return sciara_chunk_team_memory(grid, as_double, threads < 1 ? 1 : threads) +
         (size_t)grid->rows * sizeof(struct sciara_span);
}

static enum sciara_status put_state(const struct sciara_layout *l, const struct sciara_state *s,
                                    const struct sciara_touched *touched, const struct sciara_ledger *ledger,
                                    uint64_t checksum) {
  const struct {
    const char *name;
    double value;
  } numbers[] = {
      {"time_s", s->time}, // the axis has it too, without a checksum
      {"clock_s", s->clock},
      {"ledger_initial_m3", ledger->initial_m3},
      {"ledger_emitted_m3", ledger->emitted_m3},
      {"ledger_liquid_m3", ledger->liquid_m3},
      {"ledger_solid_m3", ledger->solid_m3},
      {"ledger_lost_m3", ledger->lost_m3},
      {"ledger_residual_m3", ledger->residual_m3},
      {"ledger_bound_m3", ledger->bound_m3},
  };
  SCIARA_TRY(sciara_hdf5_put_int64(l->file, l->path, "sciara_snapshot_format", SCIARA_SNAPSHOT_FORMAT));
  SCIARA_TRY(sciara_hdf5_put_int64(l->file, l->path, "step", (int64_t)s->step));
  SCIARA_TRY(sciara_hdf5_put_int64(l->file, l->path, "liquid_cells", touched->liquid_cells));
  SCIARA_TRY(sciara_hdf5_put_hex(l->file, l->path, "checksum", checksum));
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    SCIARA_TRY(sciara_hdf5_put_double(l->file, l->path, numbers[i].name, numbers[i].value));
  if (ledger->added_m3 > 0 || ledger->removed_m3 > 0) {
    SCIARA_TRY(sciara_hdf5_put_double(l->file, l->path, SCIARA_ADDED_ATTRIBUTE, ledger->added_m3));
    SCIARA_TRY(sciara_hdf5_put_double(l->file, l->path, SCIARA_REMOVED_ATTRIBUTE, ledger->removed_m3));
  }
  if (s->site->sea_cells == 0) return SCIARA_OK;
  return sciara_hdf5_put_double(l->file, l->path, SCIARA_SEA_ATTRIBUTE, ledger->sea_m3);
}

static enum sciara_status write_snapshot(const struct sciara_snapshot_context *context, const struct sciara_state *s,
                                         const struct sciara_touched *touched, const struct sciara_ledger *ledger,
                                         uint64_t checksum, const char *path) {
  const struct sciara_chunk_source source = {
      .grid = &s->grid, .state = s, .touched = touched, .as_double = context->as_double};
  struct sciara_chunk_team *team;
  struct sciara_layout layout;
  SCIARA_TRY(sciara_chunk_team_create(&source, context->fields, context->threads, &team));
  enum sciara_status status = sciara_layout_begin(&layout, path, context, &s->grid, &s->time, 1);
  if (status == SCIARA_OK) {
    status = put_state(&layout, s, touched, ledger, checksum);
    if (status == SCIARA_OK) status = write_fields(&layout, team);
    status = sciara_layout_end(&layout, status);
  }
  sciara_chunk_team_destroy(team);
  return status;
}

enum sciara_status sciara_snapshot_write(const struct sciara_snapshot_context *context, const struct sciara_state *s,
                                         const struct sciara_touched *touched, const struct sciara_ledger *ledger,
                                         uint64_t checksum, const char *path) {
  if (!(context->fields & ((1u << SCIARA_FIELD_COUNT) - 1)))
    return sciara_fail(SCIARA_ERR_USAGE, "%s: a snapshot needs at least one field", path);
  struct sciara_hdf5_session session;
  sciara_hdf5_begin(&session);
  enum sciara_status status = write_snapshot(context, s, touched, ledger, checksum, path);
  sciara_hdf5_end(&session);
  return status;
}

// -------------------------------------------------------------------------------------------------------- the series

/* HDF5 takes '%' in the name of a source for the start of a pattern; "%%" is the sign itself. */
static char *escape_percent(const char *name) {
  char *escaped = (char *)malloc(2 * strlen(name) + 1), *to = escaped;
  if (!escaped) return NULL;
  for (; *name; name++) {
    if (*name == '%') *to++ = '%';
    *to++ = *name;
  }
  *to = '\0';
  return escaped;
}

/* Time i of the field is the whole of the field in snapshot i. */
static enum sciara_status map_source(const struct sciara_layout *l, hid_t plist, hid_t space, hid_t source,
                                     const char *field, hsize_t i, const char *name) {
  const hsize_t start[3] = {i, 0, 0}, count[3] = {1, (hsize_t)l->grid->rows, (hsize_t)l->grid->cols};
  char *escaped = escape_percent(name);
  if (!escaped) return sciara_fail(SCIARA_ERR_MEMORY, "%s: no memory for a name", l->path);
  enum sciara_status status = SCIARA_OK;
  if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) < 0 ||
      H5Pset_virtual(plist, space, escaped, field, source) < 0)
    status = sciara_hdf5_fail(SCIARA_ERR_IO, l->path, "cannot refer to %s", name);
  free(escaped);
  return status;
}

static enum sciara_status write_series_field(const struct sciara_layout *l, enum sciara_field field,
                                             const char *const *names, size_t count) {
  const char *field_name = sciara_field_describe(field)->name;
  const hsize_t dims[3] = {count, (hsize_t)l->grid->rows, (hsize_t)l->grid->cols}, one[3] = {1, dims[1], dims[2]};
  const double missing = NAN;
  const hid_t type = type_of_values(l->context);
  hid_t dataset = H5I_INVALID_HID, plist = sciara_hdf5_dataset_plist();
  hid_t space = H5Screate_simple(3, dims, NULL), source = H5Screate_simple(3, one, NULL);
  enum sciara_status status = SCIARA_OK;
  if (plist < 0 || space < 0 || source < 0 || H5Pset_fill_value(plist, H5T_NATIVE_DOUBLE, &missing) < 0) {
    status = sciara_hdf5_fail(SCIARA_ERR_IO, l->path, "cannot lay out %s", field_name);
    goto cleanup;
  }
  for (size_t i = 0; i < count; i++) SCIARA_TRY_GOTO(map_source(l, plist, space, source, field_name, i, names[i]));
  dataset = H5Dcreate2(l->file, field_name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  if (dataset < 0) {
    status = sciara_hdf5_fail(SCIARA_ERR_IO, l->path, "cannot create %s", field_name);
    goto cleanup;
  }
  SCIARA_TRY_GOTO(describe_field(l, dataset, field, type));
cleanup:
  if (dataset >= 0 && H5Dclose(dataset) < 0 && status == SCIARA_OK)
    status = sciara_hdf5_fail(SCIARA_ERR_IO, l->path, "cannot close %s", field_name);
  if (source >= 0) H5Sclose(source);
  if (space >= 0) H5Sclose(space);
  if (plist >= 0) H5Pclose(plist);
  return status;
}

static enum sciara_status write_series(const struct sciara_snapshot_context *context, const struct sciara_grid *grid,
                                       const char *path, const char *const *names, const double *times, size_t count) {
  struct sciara_layout layout;
  SCIARA_TRY(sciara_layout_begin(&layout, path, context, grid, times, count));
  enum sciara_status status = SCIARA_OK;
  for (int f = 0; f < SCIARA_FIELD_COUNT && status == SCIARA_OK; f++)
    if (context->fields & (1u << f)) status = write_series_field(&layout, (enum sciara_field)f, names, count);
  return sciara_layout_end(&layout, status);
}

enum sciara_status sciara_series_write(const struct sciara_snapshot_context *context, const struct sciara_grid *grid,
                                       const char *folder, const char *const *names, const double *times,
                                       size_t count) {
  if (count == 0) return sciara_fail(SCIARA_ERR_USAGE, "%s: a series needs at least one snapshot", folder);
  char *path;
  SCIARA_TRY(sciara_path_in(folder, SCIARA_SERIES_NAME, &path));
  struct sciara_hdf5_session session;
  sciara_hdf5_begin(&session);
  enum sciara_status status = write_series(context, grid, path, names, times, count);
  sciara_hdf5_end(&session);
  free(path);
  return status;
}

/** snapshots/NNNNNNNN.nc, of which the field of the same name is taken. */
static bool is_own_snapshot(const char *name, const char *file, const char *source) {
  static const char folder[] = "snapshots/";
  const size_t n = sizeof folder - 1;
  if (strncmp(file, folder, n) != 0 || (*source == '/' ? strcmp(source + 1, name) : strcmp(source, name)) != 0)
    return false;
  const size_t digits = strspn(file + n, "0123456789");
  return digits >= 8 && strcmp(file + n + digits, ".nc") == 0;
}

enum sciara_status sciara_series_check(const char *path) {
  struct sciara_hdf5_session session;
  hid_t file;
  sciara_hdf5_begin(&session);
  const enum sciara_status status = sciara_hdf5_series_open(path, is_own_snapshot, &file);
  if (status == SCIARA_OK) H5Fclose(file);
  sciara_hdf5_end(&session);
  return status;
}

// ---------------------------------------------------------------------------------------------------- all in one file

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
  if (!sciara_grid_same(&m->last.grid, &s->grid))
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
static enum sciara_status put_values(const struct merge *m, struct field_writer *w, size_t time, const double *values) {
  const struct sciara_chunk_source source = {.grid = &m->last.grid, .values = values, .as_double = m->last.as_double};
  struct sciara_chunk_team *team;
  struct sciara_hdf5_session session;
  SCIARA_TRY(sciara_chunk_team_create(&source, 1u << w->field, 1, &team));
  sciara_hdf5_begin(&session);
  const enum sciara_status status = write_field_at(w, time, team);
  sciara_hdf5_end(&session);
  sciara_chunk_team_destroy(team);
  return status;
}

/** One snapshot at a time is open, and one field of it in memory. */
static enum sciara_status put_snapshot_field(const struct merge *m, struct field_writer *w, double *values) {
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
    struct field_writer w = {.layout = layout, .field = (enum sciara_field)f};
    sciara_hdf5_begin(&session);
    status = open_snapshot_field(&w, m->count);
    sciara_hdf5_end(&session);
    if (status != SCIARA_OK) goto cleanup;
    status = put_snapshot_field(m, &w, values);
    sciara_hdf5_begin(&session);
    status = close_snapshot_field(&w, status);
    sciara_hdf5_end(&session);
    if (status != SCIARA_OK) goto cleanup;
  }
cleanup:
  sciara_free(values);
  return status;
}

static enum sciara_status write_snapshot_file(const struct merge *m) {
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
                                                  .rule_edition = s->rule_edition,
                                                  .emission_from_s = s->emission_from_s,
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
  if (status == SCIARA_OK) status = write_snapshot_file(&m);
  sciara_free(m.times);
  sciara_snapshot_close(&m.last);
  return status;
}
