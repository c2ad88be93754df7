// SPDX-License-Identifier: Apache-2.0
#include "store/hazard_nc.h"

#include <hdf5_hl.h>

#include "base/mem.h"
#include "store/snapshot_layout.h"

/** The name of a variable, as CF recommends it: letters, digits and underscores. */
static void variable_name(const char *name, char *out, size_t capacity) {
  size_t k = 0;
  for (; name[k] && k + 1 < capacity; k++) out[k] = name[k] == '.' ? 'p' : name[k];
  out[k] = '\0';
}

static enum sciara_status describe_hazard(const struct sciara_layout *l, hid_t dataset,
                                          const struct sciara_hazard_file *f, const struct sciara_hazard_field *field) {
  SCIARA_TRY(sciara_hdf5_put_number(dataset, l->path, "_FillValue", H5T_IEEE_F32LE, SCIARA_NODATA_ALTITUDE));
  SCIARA_TRY(sciara_hdf5_put_text(dataset, l->path, "long_name", field->long_name));
  SCIARA_TRY(sciara_hdf5_put_text(dataset, l->path, "units", field->units));
  SCIARA_TRY(sciara_hdf5_put_text(dataset, l->path, "grid_mapping", "crs"));
  SCIARA_TRY(sciara_hdf5_put_text(dataset, l->path, "comment", f->comment));
  for (unsigned i = 0; i < 2; i++)
    if (H5DSattach_scale(dataset, l->axes[i + 1], i) < 0)
      return sciara_hdf5_fail(SCIARA_ERR_IO, l->path, "cannot attach the axes to %s", field->name);
  return SCIARA_OK;
}

static enum sciara_status put_hazard_field(const struct sciara_layout *l, const struct sciara_hazard_file *f, size_t k,
                                           double *values) {
  const hsize_t dims[2] = {(hsize_t)l->grid->rows, (hsize_t)l->grid->cols};
  const hsize_t sides[2] = {(hsize_t)sciara_chunk_rows(l->grid), (hsize_t)sciara_chunk_cols(l->grid)};
  const float fill = (float)SCIARA_NODATA_ALTITUDE;
  char name[128];
  enum sciara_status status = SCIARA_OK;
  variable_name(f->field[k].name, name, sizeof name);
  f->fill(f->context, k, values);
  const hid_t plist = sciara_hdf5_chunked_plist(2, sides, 1, H5T_NATIVE_FLOAT, &fill);
  const hid_t space = H5Screate_simple(2, dims, NULL);
  hid_t dataset = H5I_INVALID_HID;
  if (plist >= 0 && space >= 0)
    dataset = H5Dcreate2(l->file, name, H5T_IEEE_F32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  if (dataset < 0 || H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
    status = sciara_hdf5_fail(SCIARA_ERR_IO, l->path, "cannot write %s", name);
  if (status == SCIARA_OK) status = describe_hazard(l, dataset, f, &f->field[k]);
  if (dataset >= 0 && H5Dclose(dataset) < 0 && status == SCIARA_OK)
    status = sciara_hdf5_fail(SCIARA_ERR_IO, l->path, "cannot close %s", name);
  if (space >= 0) H5Sclose(space);
  if (plist >= 0) H5Pclose(plist);
  return status;
}

static enum sciara_status write_hazard(const struct sciara_hazard_file *f, const char *path, double *values) {
  const struct sciara_snapshot_context context = {.title = f->title,
                                                  .georef = f->georef,
                                                  .dem_hash = f->dem_hash,
                                                  .model_rule = f->model_rule,
                                                  .rule_edition = f->rule_edition};
  struct sciara_layout layout;
  SCIARA_TRY(sciara_layout_begin(&layout, path, &context, f->grid, NULL, 0));
  enum sciara_status status = sciara_hdf5_put_text(layout.file, path, "comment", f->comment);
  for (size_t k = 0; k < f->count && status == SCIARA_OK; k++) status = put_hazard_field(&layout, f, k, values);
  return sciara_layout_end(&layout, status);
}

enum sciara_status sciara_hazard_nc_write(const struct sciara_hazard_file *f, const char *path) {
  double *values;
  SCIARA_TRY(SCIARA_NEW(values, sciara_grid_cells(f->grid), "a map"));
  struct sciara_hdf5_session session;
  sciara_hdf5_begin(&session);
  const enum sciara_status status = write_hazard(f, path, values);
  sciara_hdf5_end(&session);
  sciara_free(values);
  return status;
}
