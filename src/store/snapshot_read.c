// SPDX-License-Identifier: Apache-2.0
// Reading a snapshot. A file from elsewhere is accepted only if it is consistent.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "file/gdal_support.h"
#include "file/hdf5_file.h"
#include "geometry/grid.h"
#include "model/cell.h"
#include "model/field.h"
#include "store/snapshot_hdf5.h"
#include "store/snapshot_layout.h"

/* Opens a dataset of `rank` dimensions and gives their lengths. */
static enum sciara_status open_dataset(const struct sciara_snapshot *s, const char *name, int rank, hsize_t *dims,
                                       hid_t *dataset) {
  const enum sciara_hdf5_storage storage = rank == 3 ? SCIARA_HDF5_IN_CHUNKS : SCIARA_HDF5_IN_ONE_PIECE;
  SCIARA_TRY(sciara_hdf5_dataset_open(s->file, s->path, name, storage, dataset));
  hid_t space = H5Dget_space(*dataset);
  bool fits = space >= 0 && H5Sget_simple_extent_ndims(space) == rank &&
              (rank == 0 || H5Sget_simple_extent_dims(space, dims, NULL) == rank);
  if (space >= 0) H5Sclose(space);
  if (fits) return SCIARA_OK;
  H5Dclose(*dataset);
  *dataset = H5I_INVALID_HID;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: expected %s with the %d dimensions of a snapshot", s->path, name, rank);
}

/* Length of an axis and the first of its values. */
static enum sciara_status read_axis(const struct sciara_snapshot *s, const char *name, int64_t *length, double *first) {
  hsize_t dims[1] = {0};
  hid_t axis;
  SCIARA_TRY(open_dataset(s, name, 1, dims, &axis));
  enum sciara_status status = SCIARA_OK;
  const hsize_t start = 0, one = 1;
  hid_t space = H5Dget_space(axis), memory = H5Screate_simple(1, &one, NULL), type = H5Dget_type(axis);
  if (type < 0 || H5Tequal(type, H5T_IEEE_F64LE) <= 0)
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: axis %s: expected float64", s->path, name);
  else if (dims[0] < 1 || dims[0] > INT32_MAX)
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: axis %s: expected 1 to %d values, found %" PRIuHSIZE, s->path, name,
                         INT32_MAX, dims[0]);
  else if (space < 0 || memory < 0 || H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &one, NULL) < 0 ||
           H5Dread(axis, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, first) < 0)
    status = sciara_hdf5_fail(SCIARA_ERR_INPUT, s->path, "cannot read axis %s", name);
  else
    *length = (int64_t)dims[0];
  if (type >= 0) H5Tclose(type);
  if (space >= 0) H5Sclose(space);
  if (memory >= 0) H5Sclose(memory);
  H5Dclose(axis);
  return status;
}

/* Whether all values of an axis are the cell centres that the attributes say. */
static enum sciara_status check_axis(const struct sciara_snapshot *s, const char *name, int64_t length, double edge,
                                     double step) {
  enum { PIECE = 512 };
  double values[PIECE] = {0};
  hsize_t unused[1];
  hid_t axis;
  SCIARA_TRY(open_dataset(s, name, 1, unused, &axis));
  enum sciara_status status = SCIARA_OK;
  hid_t space = H5Dget_space(axis);
  for (int64_t at = 0; at < length && status == SCIARA_OK; at += PIECE) {
    const hsize_t start = (hsize_t)at, count = (hsize_t)(length - at < PIECE ? length - at : PIECE);
    hid_t memory = H5Screate_simple(1, &count, NULL);
    if (space < 0 || memory < 0 || H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL) < 0 ||
        H5Dread(axis, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) < 0)
      status = sciara_hdf5_fail(SCIARA_ERR_INPUT, s->path, "cannot read axis %s", name);
    for (int64_t k = 0; k < (int64_t)count && status == SCIARA_OK; k++) {
      const double centre = edge + ((double)(at + k) + 0.5) * step;
      if (!(fabs(values[k] - centre) <= 1e-3 * fabs(step)))
        status = sciara_fail(SCIARA_ERR_INPUT, "%s: axis %s: expected %.17g, found %.17g as value %" PRId64, s->path,
                             name, centre, values[k], at + k);
    }
    if (memory >= 0) H5Sclose(memory);
  }
  if (space >= 0) H5Sclose(space);
  H5Dclose(axis);
  return status;
}

/* The attribute has HDF5's checksum, the axis has none. Files of earlier versions have the axis alone. */
static enum sciara_status check_time(const struct sciara_snapshot *s) {
  double time = 0;
  if (!isfinite(s->time_s)) return sciara_fail(SCIARA_ERR_INPUT, "%s: time is %g", s->path, s->time_s);
  if (H5Aexists(s->file, "time_s") == 0) return SCIARA_OK;
  SCIARA_TRY(sciara_hdf5_get_double(s->file, s->path, "time_s", &time));
  if (time == s->time_s) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: axis time: expected the value of the attribute time_s, %.17g; found %.17g",
                     s->path, time, s->time_s);
}

static enum sciara_status read_grid(struct sciara_snapshot *s) {
  struct sciara_grid *g = &s->grid;
  int64_t times = 0;
  double x = 0, y = 0;
  size_t cells;
  SCIARA_TRY(read_axis(s, "time", &times, &s->time_s));
  SCIARA_TRY(read_axis(s, "y", &g->rows, &y));
  SCIARA_TRY(read_axis(s, "x", &g->cols, &x));
  if (times != 1)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected 1 time in a snapshot, found %" PRId64, s->path, times);
  if (sciara_size_mul((size_t)g->rows, (size_t)g->cols, &cells) != SCIARA_OK ||
      sciara_size_mul(cells, sizeof(double), &cells) != SCIARA_OK)
    return sciara_fail_context(SCIARA_ERR_INPUT, "%s", s->path);
  SCIARA_TRY(sciara_hdf5_get_double(s->file, s->path, "cell_size_m", &g->cell_size));
  SCIARA_TRY(sciara_hdf5_get_double(s->file, s->path, "west_m", &g->west));
  SCIARA_TRY(sciara_hdf5_get_double(s->file, s->path, "north_m", &g->north));
  const double half = 0.5 * g->cell_size;
  if (!(g->cell_size > 0) || !(fabs(x - g->west - half) <= 1e-3 * half) || !(fabs(g->north - y - half) <= 1e-3 * half))
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: attributes cell_size_m %g, west_m %.17g, north_m %.17g do not fit axes that begin "
                       "at x %.17g, y %.17g",
                       s->path, g->cell_size, g->west, g->north, x, y);
  SCIARA_TRY(check_time(s));
  SCIARA_TRY(check_axis(s, "x", g->cols, g->west, g->cell_size));
  return check_axis(s, "y", g->rows, g->north, -g->cell_size);
}

static enum sciara_status read_ledger(struct sciara_snapshot *s) {
  struct sciara_ledger *l = &s->ledger;
  const struct {
    const char *name;
    double *value;
  } numbers[] = {
      {"ledger_initial_m3", &l->initial_m3}, {"ledger_emitted_m3", &l->emitted_m3},
      {"ledger_liquid_m3", &l->liquid_m3},   {"ledger_solid_m3", &l->solid_m3},
      {"ledger_lost_m3", &l->lost_m3},       {"ledger_residual_m3", &l->residual_m3},
      {"ledger_bound_m3", &l->bound_m3},     {"clock_s", &s->clock_s},
  };
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    SCIARA_TRY(sciara_hdf5_get_double(s->file, s->path, numbers[i].name, numbers[i].value));
  if (H5Aexists(s->file, SCIARA_ADDED_ATTRIBUTE) > 0) {
    SCIARA_TRY(sciara_hdf5_get_double(s->file, s->path, SCIARA_ADDED_ATTRIBUTE, &l->added_m3));
    SCIARA_TRY(sciara_hdf5_get_double(s->file, s->path, SCIARA_REMOVED_ATTRIBUTE, &l->removed_m3));
  }
  if (H5Aexists(s->file, SCIARA_FROM_ATTRIBUTE) > 0)
    SCIARA_TRY(sciara_hdf5_get_double(s->file, s->path, SCIARA_FROM_ATTRIBUTE, &s->emission_from_s));
  s->has_sea = H5Aexists(s->file, SCIARA_SEA_ATTRIBUTE) > 0;
  return s->has_sea ? sciara_hdf5_get_double(s->file, s->path, SCIARA_SEA_ATTRIBUTE, &l->sea_m3) : SCIARA_OK;
}

static enum sciara_status read_texts(struct sciara_snapshot *s) {
  SCIARA_TRY(sciara_hdf5_get_text(s->file, s->path, "title", &s->title));
  SCIARA_TRY(sciara_hdf5_get_text(s->file, s->path, "start", &s->start));
  SCIARA_TRY(sciara_hdf5_get_text(s->file, s->path, "scenario_json", &s->scenario_json));
  SCIARA_TRY(sciara_hdf5_get_text(s->file, s->path, "model_rule", &s->model_rule));
  SCIARA_TRY(sciara_hdf5_get_text(s->file, s->path, "model_preset", &s->model_preset));
  s->rule_edition = 1;
  if (H5Aexists(s->file, SCIARA_EDITION_ATTRIBUTE) > 0)
    SCIARA_TRY(sciara_hdf5_get_int64(s->file, s->path, SCIARA_EDITION_ATTRIBUTE, &s->rule_edition));
  SCIARA_TRY(sciara_hdf5_get_text(s->file, s->path, "source", &s->source));
  SCIARA_TRY(sciara_hdf5_get_text(s->file, s->path, "engine", &s->engine));
  SCIARA_TRY(sciara_hdf5_get_text(s->file, s->path, "precision", &s->precision));
  hsize_t unused[1];
  hid_t crs;
  SCIARA_TRY(open_dataset(s, "crs", 0, unused, &crs));
  enum sciara_status status = sciara_hdf5_get_text(crs, s->path, "crs_wkt", &s->georef.crs_wkt);
  if (status == SCIARA_OK && s->georef.crs_wkt) status = sciara_crs_text_check(s->path, s->georef.crs_wkt);
  if (status == SCIARA_OK) status = sciara_hdf5_get_text(crs, s->path, "crs_name", &s->georef.crs_name);
  H5Dclose(crs);
  return status;
}

static enum sciara_status read_header(struct sciara_snapshot *s) {
  int64_t format = 0, step = 0;
  SCIARA_TRY(sciara_hdf5_get_int64(s->file, s->path, "sciara_snapshot_format", &format));
  if (format != SCIARA_SNAPSHOT_FORMAT)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: sciara_snapshot_format: expected %d, found %" PRId64
                       ": written by another version of the program",
                       s->path, SCIARA_SNAPSHOT_FORMAT, format);
  SCIARA_TRY(sciara_hdf5_get_int64(s->file, s->path, "step", &step));
  SCIARA_TRY(sciara_hdf5_get_int64(s->file, s->path, "liquid_cells", &s->liquid_cells));
  if (step < 0 || s->liquid_cells < 0)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: expected no negative number, found step %" PRId64 " and liquid_cells %" PRId64, s->path,
                       step, s->liquid_cells);
  s->step = (uint64_t)step;
  SCIARA_TRY(sciara_hdf5_get_hex(s->file, s->path, "checksum", &s->checksum));
  return sciara_hdf5_get_hex(s->file, s->path, "dem_hash", &s->dem_hash);
}

/* Shape, type and checksum of an open field; *as_double: which of the two types. */
static enum sciara_status check_dataset(const struct sciara_snapshot *s, const char *name, const hsize_t *dims,
                                        hid_t dataset, bool *as_double) {
  const hid_t type = H5Dget_type(dataset);
  *as_double = type >= 0 && H5Tequal(type, H5T_IEEE_F64LE) > 0;
  const bool fits = *as_double || (type >= 0 && H5Tequal(type, H5T_IEEE_F32LE) > 0);
  if (type >= 0) H5Tclose(type);
  if (dims[0] != 1 || dims[1] != (hsize_t)s->grid.rows || dims[2] != (hsize_t)s->grid.cols)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: %s: expected 1 x %" PRId64 " x %" PRId64 " values as the axes have, found %" PRIuHSIZE
                       " x %" PRIuHSIZE " x %" PRIuHSIZE,
                       s->path, name, s->grid.rows, s->grid.cols, dims[0], dims[1], dims[2]);
  if (!fits || (s->fields != 0 && s->as_double != *as_double))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: %s: expected float32 or float64, the same for all fields", s->path, name);
  if (H5Aexists(dataset, SCIARA_FIELD_CHECKSUM) > 0 || s->rule == SCIARA_CHECKSUM_OPTIONAL) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: %s: the checksum of its values is missing (attribute " SCIARA_FIELD_CHECKSUM
                     "); --allow-missing-checksum reads files of version 0.1.0 and "
                     "others without one, but then damage is not noticed",
                     s->path, name);
}

/* One field, if it exists. */
static enum sciara_status check_field(struct sciara_snapshot *s, enum sciara_field field) {
  const char *name = sciara_field_describe(field)->name;
  htri_t exists = H5Lexists(s->file, name, H5P_DEFAULT);
  if (exists < 0) return sciara_hdf5_fail(SCIARA_ERR_INPUT, s->path, "cannot look for %s", name);
  if (!exists) return SCIARA_OK;
  hsize_t dims[3] = {0};
  hid_t dataset;
  bool as_double;
  SCIARA_TRY(open_dataset(s, name, 3, dims, &dataset));
  const enum sciara_status status = check_dataset(s, name, dims, dataset, &as_double);
  if (status == SCIARA_OK) {
    s->as_double = as_double;
    s->fields |= 1u << field;
    if (H5Aexists(dataset, SCIARA_FIELD_CHECKSUM) == 0) s->unchecked |= 1u << field;
  }
  H5Dclose(dataset);
  return status;
}

static enum sciara_status read_snapshot(struct sciara_snapshot *s) {
  SCIARA_TRY(sciara_hdf5_file_open(s->path, &s->file));
  SCIARA_TRY(read_header(s));
  SCIARA_TRY(read_grid(s));
  SCIARA_TRY(read_ledger(s));
  SCIARA_TRY(read_texts(s));
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++) SCIARA_TRY(check_field(s, (enum sciara_field)f));
  if (s->fields == 0) return sciara_fail(SCIARA_ERR_INPUT, "%s: there is no field in this snapshot", s->path);
  return SCIARA_OK;
}

enum sciara_status sciara_snapshot_open(const char *path, struct sciara_snapshot *out) {
  return sciara_snapshot_open_as(path, SCIARA_CHECKSUM_REQUIRED, out);
}

enum sciara_status sciara_snapshot_open_as(const char *path, enum sciara_checksum_rule rule,
                                           struct sciara_snapshot *out) {
  *out = (struct sciara_snapshot){.file = H5I_INVALID_HID, .rule = rule};
  out->path = sciara_format("%s", path);
  if (!out->path) return sciara_fail(SCIARA_ERR_MEMORY, "%s: no memory for a path", path);
  struct sciara_hdf5_session session;
  sciara_hdf5_begin(&session);
  enum sciara_status status = read_snapshot(out);
  sciara_hdf5_end(&session);
  if (status != SCIARA_OK) sciara_snapshot_close(out);
  return status;
}

/* The values are those that were written. */
static enum sciara_status check_values(const struct sciara_snapshot *s, hid_t dataset, enum sciara_field field,
                                       const double *values) {
  const char *name = sciara_field_describe(field)->name;
  const double fill = sciara_chunk_fill(field);
  uint64_t expected = 0, sum = 0;
  if (s->unchecked >> field & 1u) return SCIARA_OK;
  SCIARA_TRY(sciara_hdf5_get_hex(dataset, s->path, SCIARA_FIELD_CHECKSUM, &expected));
  for (int64_t i = 0; i < sciara_grid_cells(&s->grid); i++) sum += sciara_chunk_word(i, values[i], fill);
  if (sum == expected) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: %s is damaged: expected checksum %016" PRIx64 ", found %016" PRIx64,
                     s->path, name, expected, sum);
}

static enum sciara_status read_snapshot_field(const struct sciara_snapshot *s, enum sciara_field field, double *out) {
  const char *name = sciara_field_describe(field)->name;
  hsize_t dims[3] = {0};
  hid_t dataset;
  SCIARA_TRY(open_dataset(s, name, 3, dims, &dataset));
  struct sciara_chunk_guard guard;
  enum sciara_status status = sciara_chunk_guard_open(&guard, dataset, s->path, name, NULL);
  if (status == SCIARA_OK) status = sciara_chunk_guard_look_at_all(&guard);
  sciara_chunk_guard_close(&guard);
  if (status == SCIARA_OK && H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0)
    status = sciara_hdf5_fail(SCIARA_ERR_INPUT, s->path, "%s is damaged", name);
  if (status == SCIARA_OK) status = check_values(s, dataset, field, out);
  H5Dclose(dataset);
  return status;
}

enum sciara_status sciara_snapshot_read(struct sciara_snapshot *s, enum sciara_field field, double *out) {
  const struct sciara_field_info *info = sciara_field_describe(field);
  if (!info || !(s->fields & (1u << field)))
    return sciara_fail(SCIARA_ERR_USAGE, "%s: there is no field %s in this snapshot", s->path,
                       info ? info->name : "of that number");
  struct sciara_hdf5_session session;
  sciara_hdf5_begin(&session);
  enum sciara_status status = read_snapshot_field(s, field, out);
  sciara_hdf5_end(&session);
  return status;
}

void sciara_snapshot_close(struct sciara_snapshot *s) {
  if (s->path && s->file >= 0) {
    struct sciara_hdf5_session session;
    sciara_hdf5_begin(&session);
    H5Fclose(s->file);
    sciara_hdf5_end(&session);
  }
  sciara_georef_free(&s->georef);
  char *owned[] = {s->title,  s->start,  s->scenario_json, s->model_rule, s->model_preset,
                   s->source, s->engine, s->precision,     s->path};
  for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) free(owned[i]);
  *s = (struct sciara_snapshot){.file = H5I_INVALID_HID};
}

// -------------------------------------------------------------------------------------- fields that follow from others

enum { SOURCES = 3 };

/** What a field follows from; unused entries repeat the first. */
struct recipe {
  enum sciara_field field, from[SOURCES];
};

static const struct recipe recipes[] = {
    {SCIARA_FIELD_DEPOSIT, {SCIARA_FIELD_THICKNESS, SCIARA_FIELD_SOLID_THICKNESS, SCIARA_FIELD_THICKNESS}},
    {SCIARA_FIELD_SOLID_THICKNESS, {SCIARA_FIELD_DEPOSIT, SCIARA_FIELD_THICKNESS, SCIARA_FIELD_DEPOSIT}},
    {SCIARA_FIELD_SPEED, {SCIARA_FIELD_THICKNESS, SCIARA_FIELD_MOMENTUM_X, SCIARA_FIELD_MOMENTUM_Y}},
};

static const struct recipe *find_recipe(const struct sciara_snapshot *s, enum sciara_field field) {
  for (size_t k = 0; k < sizeof recipes / sizeof *recipes; k++) {
    const struct recipe *r = &recipes[k];
    bool held = r->field == field;
    for (int i = 0; i < SOURCES; i++) held = held && (s->fields >> r->from[i] & 1u);
    if (held) return r;
  }
  return NULL;
}

static double follow(enum sciara_field field, double a, double b, double c) {
  if (field == SCIARA_FIELD_DEPOSIT) return a + b;
  if (field == SCIARA_FIELD_SOLID_THICKNESS) return a - b;
  return a > 0 ? sciara_speed(a, b, c) : 0;
}

bool sciara_snapshot_has(const struct sciara_snapshot *s, enum sciara_field field) {
  return (s->fields >> field & 1u) || find_recipe(s, field);
}

enum sciara_status sciara_snapshot_obtain(struct sciara_snapshot *s, enum sciara_field field, double *out) {
  const struct recipe *r = s->fields >> field & 1u ? NULL : find_recipe(s, field);
  if (!r) return sciara_snapshot_read(s, field, out);
  const int64_t cells = sciara_grid_cells(&s->grid);
  double *from[SOURCES] = {NULL};
  enum sciara_status status;
  for (int i = 0; i < SOURCES; i++) {
    SCIARA_TRY_GOTO(SCIARA_NEW(from[i], cells, "a field to derive another from"));
    SCIARA_TRY_GOTO(sciara_snapshot_read(s, r->from[i], from[i]));
  }
  for (int64_t i = 0; i < cells; i++)
    out[i] = from[0][i] == SCIARA_NODATA_ALTITUDE ? SCIARA_NODATA_ALTITUDE
                                                  : follow(field, from[0][i], from[1][i], from[2][i]);
cleanup:
  for (int i = 0; i < SOURCES; i++) sciara_free(from[i]);
  return status;
}
