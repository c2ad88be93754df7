// SPDX-License-Identifier: Apache-2.0
// Writing a snapshot. Chunks in which nothing differs from the dataset's fill value are not stored at all.
#include <inttypes.h>
#include <math.h>

#include "model/field.h"
#include "store/snapshot_layout.h"

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

enum sciara_status sciara_field_writer_open(struct sciara_field_writer *w, size_t times) {
  const struct sciara_layout *l = w->layout;
  const char *name = sciara_field_describe(w->field)->name;
  const hsize_t dims[3] = {times, (hsize_t)l->grid->rows, (hsize_t)l->grid->cols};
  const hsize_t sides[3] = {1, (hsize_t)sciara_chunk_rows(l->grid), (hsize_t)sciara_chunk_cols(l->grid)};
  const double fill = sciara_chunk_fill(w->field);
  const hid_t type = sciara_layout_type(l->context);
  hid_t plist = sciara_hdf5_chunked_plist(3, sides, 1, H5T_NATIVE_DOUBLE, &fill);
  hid_t space = H5Screate_simple(3, dims, NULL);
  enum sciara_status status = SCIARA_OK;
  w->dataset = H5I_INVALID_HID;
  if (plist >= 0 && space >= 0) w->dataset = H5Dcreate2(l->file, name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  if (w->dataset < 0) status = sciara_hdf5_fail(SCIARA_ERR_IO, l->path, "cannot create %s", name);
  if (status == SCIARA_OK) status = sciara_layout_describe(l, w->dataset, w->field, type);
  if (space >= 0) H5Sclose(space);
  if (plist >= 0) H5Pclose(plist);
  return status == SCIARA_OK ? status : sciara_field_writer_close(w, status);
}

enum sciara_status sciara_field_writer_put(struct sciara_field_writer *w, size_t time, struct sciara_chunk_team *team) {
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

enum sciara_status sciara_field_writer_close(struct sciara_field_writer *w, enum sciara_status status) {
  if (w->dataset >= 0 && H5Dclose(w->dataset) < 0 && status == SCIARA_OK)
    status = sciara_hdf5_fail(SCIARA_ERR_IO, w->layout->path, "cannot close %s", sciara_field_describe(w->field)->name);
  w->dataset = H5I_INVALID_HID;
  return status;
}

/* Thickness has the lowest number, so it is the first field of the file, which is the one ArcGIS shows. */
static enum sciara_status write_fields(const struct sciara_layout *l, struct sciara_chunk_team *team) {
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++) {
    if (!(l->context->fields & (1u << f))) continue;
    struct sciara_field_writer w = {.layout = l, .field = (enum sciara_field)f};
    SCIARA_TRY(sciara_field_writer_open(&w, 1));
    enum sciara_status status = sciara_field_writer_put(&w, 0, team);
    // HDF5's own checksums do not cover where the chunks lie: a flipped bit there would read as no lava.
    if (status == SCIARA_OK) status = sciara_hdf5_put_hex(w.dataset, l->path, SCIARA_FIELD_CHECKSUM, w.sum);
    SCIARA_TRY(sciara_field_writer_close(&w, status));
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
