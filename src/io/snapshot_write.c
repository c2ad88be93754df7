// SPDX-License-Identifier: Apache-2.0
// Writing a snapshot. Chunks in which nothing differs from the dataset's fill value are not stored at all.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "io/snapshot_field.h"
#include "model/field.h"

enum { CHUNK_SIDE = SCIARA_CHUNK_SIDE };

/* 0 is "no lava", and most of the grid holds none. Lava that never came is the missing value of arrival_time. */
double sciara_field_fill(enum sciara_field field) {
  return field == SCIARA_FIELD_ARRIVAL_TIME ? SCIARA_NODATA_ALTITUDE : 0.0;
}

static enum sciara_status misfit(const struct sciara_field_writer *w, int64_t row, int64_t col, double v) {
  const char *name = sciara_field_describe(w->field)->name;
  if (!isfinite(v))
    return sciara_fail(SCIARA_ERR_NUMERIC,
                       "%s: %s is %g at row %" PRId64 ", column %" PRId64 ", allowed are finite numbers",
                       w->layout->path, name, v, row, col);
  return sciara_fail(SCIARA_ERR_NUMERIC,
                     "%s: %s is %.17g at row %" PRId64 ", column %" PRId64
                     ", too large for float32 (choose dtype float64)",
                     w->layout->path, name, v, row, col);
}

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* Whether lava never was in this part of a row. Most rows are such, and this loop is quicker than the one in pack. */
static bool is_plain_row(const struct sciara_field_writer *w, int64_t row, int64_t col0, int64_t cols) {
  const double *part = w->values + row * w->layout->grid->cols + col0;
  const uint64_t bare = bits_of(w->field == SCIARA_FIELD_ARRIVAL_TIME ? SCIARA_NEVER : w->fill);
  uint64_t differs = 0;
  for (int64_t c = 0; c < cols; c++) differs |= bits_of(part[c]) ^ bare;
  return differs == 0;
}

/*
 * Copies a chunk's part of the grid, in the type of the file, into w->chunk, and adds it to the sum; *plain tells whether
 * every bit of it is that of the fill value.
 */
static enum sciara_status pack(struct sciara_field_writer *w, int64_t row0, int64_t col0, int64_t rows, int64_t cols,
                               bool *plain) {
  const bool as_double = w->layout->context->as_double;
  float *narrow = (float *)w->chunk;
  double *wide = (double *)w->chunk;
  *plain = true;
  for (int64_t r = 0; r < rows; r++) {
    if (is_plain_row(w, row0 + r, col0, cols)) {
      if (as_double)
        for (int64_t k = r * cols; k < (r + 1) * cols; k++) wide[k] = w->fill;
      else
        for (int64_t k = r * cols; k < (r + 1) * cols; k++) narrow[k] = (float)w->fill;
      continue;
    }
    for (int64_t c = 0, k = r * cols; c < cols; c++, k++) {
      double v = w->values[(row0 + r) * w->layout->grid->cols + col0 + c];
      if (w->field == SCIARA_FIELD_ARRIVAL_TIME && v == SCIARA_NEVER) v = SCIARA_NODATA_ALTITUDE;
      const double stored = as_double ? v : (double)(float)v;
      if (!isfinite(stored)) return misfit(w, row0 + r, col0 + c, v);
      w->sum += sciara_field_word((row0 + r) * w->layout->grid->cols + col0 + c, stored, w->fill);
      if (as_double)
        wide[k] = v;
      else
        narrow[k] = (float)v;
      *plain = *plain && stored == w->fill && signbit(stored) == signbit(w->fill);
    }
  }
  return SCIARA_OK;
}

static enum sciara_status store(const struct sciara_field_writer *w, int64_t row0, int64_t col0, int64_t rows,
                                int64_t cols) {
  const hsize_t start[3] = {w->time, (hsize_t)row0, (hsize_t)col0}, count[3] = {1, (hsize_t)rows, (hsize_t)cols};
  hid_t memory = H5Screate_simple(3, count, NULL);
  hid_t type = w->layout->context->as_double ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT;
  enum sciara_status status = SCIARA_OK;
  if (memory < 0 || H5Sselect_hyperslab(w->space, H5S_SELECT_SET, start, NULL, count, NULL) < 0 ||
      H5Dwrite(w->dataset, type, memory, w->space, H5P_DEFAULT, w->chunk) < 0)
    status = sciara_hdf5_fail(SCIARA_ERR_IO, w->layout->path, "cannot write %s", sciara_field_describe(w->field)->name);
  if (memory >= 0) H5Sclose(memory);
  return status;
}

static enum sciara_status write_chunks(struct sciara_field_writer *w) {
  const struct sciara_grid *g = w->layout->grid;
  for (int64_t r = 0; r < g->rows; r += CHUNK_SIDE)
    for (int64_t c = 0; c < g->cols; c += CHUNK_SIDE) {
      int64_t rows = g->rows - r < CHUNK_SIDE ? g->rows - r : CHUNK_SIDE;
      int64_t cols = g->cols - c < CHUNK_SIDE ? g->cols - c : CHUNK_SIDE;
      bool plain;
      SCIARA_TRY(pack(w, r, c, rows, cols, &plain));
      if (!plain) SCIARA_TRY(store(w, r, c, rows, cols));
    }
  return SCIARA_OK;
}

static hid_t field_plist(const struct sciara_grid *g, double fill) {
  const hsize_t chunk[3] = {1, (hsize_t)(g->rows < CHUNK_SIDE ? g->rows : CHUNK_SIDE),
                            (hsize_t)(g->cols < CHUNK_SIDE ? g->cols : CHUNK_SIDE)};
  hid_t plist = sciara_hdf5_dataset_plist();
  if (plist >= 0 && H5Pset_chunk(plist, 3, chunk) >= 0 && H5Pset_shuffle(plist) >= 0 && H5Pset_deflate(plist, 1) >= 0 &&
      H5Pset_fletcher32(plist) >= 0 && H5Pset_fill_value(plist, H5T_NATIVE_DOUBLE, &fill) >= 0)
    return plist;
  if (plist >= 0) H5Pclose(plist);
  return H5I_INVALID_HID;
}

enum sciara_status sciara_field_writer_open(struct sciara_field_writer *w, size_t times) {
  const struct sciara_layout *l = w->layout;
  const char *name = sciara_field_describe(w->field)->name;
  const hsize_t dims[3] = {times, (hsize_t)l->grid->rows, (hsize_t)l->grid->cols};
  const hid_t type = sciara_layout_type(l->context);
  w->fill = sciara_field_fill(w->field);
  w->sum = 0;
  w->dataset = H5I_INVALID_HID;
  enum sciara_status status = SCIARA_OK;
  hid_t plist = field_plist(l->grid, w->fill);
  w->space = H5Screate_simple(3, dims, NULL);
  if (plist >= 0 && w->space >= 0)
    w->dataset = H5Dcreate2(l->file, name, type, w->space, H5P_DEFAULT, plist, H5P_DEFAULT);
  if (w->dataset < 0) status = sciara_hdf5_fail(SCIARA_ERR_IO, l->path, "cannot create %s", name);
  if (status == SCIARA_OK) status = sciara_layout_describe(l, w->dataset, w->field, type);
  if (plist >= 0) H5Pclose(plist);
  return status == SCIARA_OK ? status : sciara_field_writer_close(w, status);
}

enum sciara_status sciara_field_writer_put(struct sciara_field_writer *w, size_t time, const double *values) {
  w->time = time;
  w->values = values;
  return write_chunks(w);
}

enum sciara_status sciara_field_writer_close(struct sciara_field_writer *w, enum sciara_status status) {
  if (w->dataset >= 0 && H5Dclose(w->dataset) < 0 && status == SCIARA_OK)
    status = sciara_hdf5_fail(SCIARA_ERR_IO, w->layout->path, "cannot close %s", sciara_field_describe(w->field)->name);
  if (w->space >= 0) H5Sclose(w->space);
  w->dataset = w->space = H5I_INVALID_HID;
  return status;
}

/* HDF5's own checksums do not cover where the chunks lie: a flipped bit there would read as no lava. */
static enum sciara_status put_sum(const struct sciara_field_writer *w) {
  char digits[17];
  snprintf(digits, sizeof digits, "%016" PRIx64, w->sum);
  return sciara_hdf5_put_text(w->dataset, w->layout->path, SCIARA_FIELD_CHECKSUM, digits);
}

/* Thickness has the lowest number, so it is the first field of the file, which is the one ArcGIS shows. */
static enum sciara_status write_fields(const struct sciara_layout *l, const struct sciara_state *s) {
  double *values = NULL, *chunk = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(values, sciara_grid_cells(l->grid), "a field to write"));
  SCIARA_TRY_GOTO(SCIARA_NEW(chunk, CHUNK_SIDE * CHUNK_SIDE, "a chunk to write"));
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++) {
    if (!(l->context->fields & (1u << f))) continue;
    sciara_field_derive(s, (enum sciara_field)f, values);
    struct sciara_field_writer w = {.layout = l, .field = (enum sciara_field)f, .chunk = chunk};
    SCIARA_TRY_GOTO(sciara_field_writer_open(&w, 1));
    status = sciara_field_writer_put(&w, 0, values);
    if (status == SCIARA_OK) status = put_sum(&w);
    SCIARA_TRY_GOTO(sciara_field_writer_close(&w, status));
  }
cleanup:
  sciara_free(values);
  sciara_free(chunk);
  return status;
}

size_t sciara_snapshot_memory(const struct sciara_grid *grid) {
  return ((size_t)sciara_grid_cells(grid) + CHUNK_SIDE * CHUNK_SIDE) * sizeof(double);
}

static enum sciara_status put_state(const struct sciara_layout *l, const struct sciara_state *s,
                                    const struct sciara_ledger *ledger, uint64_t checksum) {
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
  char digits[17];
  snprintf(digits, sizeof digits, "%016" PRIx64, checksum);
  SCIARA_TRY(sciara_hdf5_put_int64(l->file, l->path, "sciara_snapshot_format", SCIARA_SNAPSHOT_FORMAT));
  SCIARA_TRY(sciara_hdf5_put_int64(l->file, l->path, "step", (int64_t)s->step));
  SCIARA_TRY(sciara_hdf5_put_int64(l->file, l->path, "liquid_cells", sciara_state_liquid_cells(s)));
  SCIARA_TRY(sciara_hdf5_put_text(l->file, l->path, "checksum", digits));
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    SCIARA_TRY(sciara_hdf5_put_double(l->file, l->path, numbers[i].name, numbers[i].value));
  return SCIARA_OK;
}

static enum sciara_status write_snapshot(const struct sciara_snapshot_context *context, const struct sciara_state *s,
                                         const struct sciara_ledger *ledger, uint64_t checksum, const char *path) {
  struct sciara_layout layout;
  SCIARA_TRY(sciara_layout_begin(&layout, path, context, &s->grid, &s->time, 1));
  enum sciara_status status = put_state(&layout, s, ledger, checksum);
  if (status == SCIARA_OK) status = write_fields(&layout, s);
  return sciara_layout_end(&layout, status);
}

enum sciara_status sciara_snapshot_write(const struct sciara_snapshot_context *context, const struct sciara_state *s,
                                         const struct sciara_ledger *ledger, uint64_t checksum, const char *path) {
  if (!(context->fields & ((1u << SCIARA_FIELD_COUNT) - 1)))
    return sciara_fail(SCIARA_ERR_USAGE, "%s: a snapshot needs at least one field", path);
  struct sciara_hdf5_session session;
  sciara_hdf5_begin(&session);
  enum sciara_status status = write_snapshot(context, s, ledger, checksum, path);
  sciara_hdf5_end(&session);
  return status;
}
