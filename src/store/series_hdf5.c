// SPDX-License-Identifier: Apache-2.0
// The series over the snapshots of a run: contains only the times, and where the data of each time are stored.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file/durable.h"
#include "file/hdf5_file.h"
#include "model/field.h"
#include "store/snapshot_layout.h"

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
  const hid_t type = sciara_layout_type(l->context);
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
  SCIARA_TRY_GOTO(sciara_layout_describe(l, dataset, field, type));
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

// ---------------------------------------------------------------------------------------------------------- checking

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
