// SPDX-License-Identifier: Apache-2.0
#include "store/snapshot_layout.h"

#include <hdf5_hl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "base/date.h"
#include "base/mem.h"
#include "file/georef_cf.h"
#include "model/field.h"

static const char references[] =
    "Spataro: Parallel GPU/CUDA implementation of the lava flow model SCIARA-fv3; Spataro et al., PDP 2014";

hid_t sciara_layout_type(const struct sciara_snapshot_context *context) {
  return context->as_double ? H5T_IEEE_F64LE : H5T_IEEE_F32LE;
}

static enum sciara_status put_global(const struct sciara_layout *l) {
  const struct sciara_snapshot_context *c = l->context;
  char hash[17];
  snprintf(hash, sizeof hash, "%016llx", (unsigned long long)c->dem_hash);
  const struct {
    const char *name, *text;
  } texts[] = {
      {"Conventions", "CF-1.8"},
      {"title", c->title ? c->title : "Lava flow simulation"},
      {"source", "sciara " SCIARA_VERSION " (git " SCIARA_GIT_HASH "), cellular automaton SCIARA-fv3"},
      {"history", c->history},
      {"references", references},
      {"program_version", SCIARA_VERSION},
      {"git_hash", SCIARA_GIT_HASH},
      {"engine", c->engine},
      {"precision", c->precision},
      {"start", c->start},
      {"scenario_json", c->scenario_json},
      {"model_preset", c->model_preset},
      {"dem_hash", hash},
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    SCIARA_TRY(sciara_hdf5_put_text(l->file, l->path, texts[i].name, texts[i].text));
  SCIARA_TRY(sciara_hdf5_put_double(l->file, l->path, "cell_size_m", l->grid->cell_size));
  SCIARA_TRY(sciara_hdf5_put_double(l->file, l->path, "west_m", l->grid->west));
  return sciara_hdf5_put_double(l->file, l->path, "north_m", l->grid->north);
}

/* A dimension scale of doubles; *axis stays open. */
static enum sciara_status put_axis(const struct sciara_layout *l, const char *name, const double *values, hsize_t count,
                                   hid_t *axis) {
  hid_t plist = sciara_hdf5_dataset_plist(), space = H5Screate_simple(1, &count, NULL);
  enum sciara_status status = SCIARA_OK;
  if (plist >= 0 && space >= 0)
    *axis = H5Dcreate2(l->file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  if (*axis < 0 || H5Dwrite(*axis, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0 ||
      H5DSset_scale(*axis, name) < 0)
    status = sciara_hdf5_fail(SCIARA_ERR_IO, l->path, "cannot write axis %s", name);
  if (plist >= 0) H5Pclose(plist);
  if (space >= 0) H5Sclose(space);
  return status;
}

/* CF requires the start of the eruption in the units of the time axis; an eruption without a date has plain seconds. */
static enum sciara_status time_units(const struct sciara_layout *l, char *units, size_t capacity) {
  const char *start = l->context->start;
  char date[SCIARA_DATE_SIZE];
  const bool offset = start && strlen(start) > sizeof "2006-07-14" && strpbrk(start + sizeof "2006-07-14", "+-");
  if (start && (offset || !sciara_date_after(start, 0, date)))
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: start of the eruption: expected UTC in the form 2006-07-14T23:30:00Z, found \"%s\"",
                       l->path, start);
  if (start)
    snprintf(units, capacity, "seconds since %.10s %.8s UTC", date, date + sizeof "2006-07-14");
  else
    snprintf(units, capacity, "s");
  return SCIARA_OK;
}

static enum sciara_status put_time(struct sciara_layout *l, const double *times, size_t count) {
  char units[64];
  SCIARA_TRY(time_units(l, units, sizeof units));
  SCIARA_TRY(put_axis(l, "time", times, count, &l->axes[0]));
  SCIARA_TRY(sciara_hdf5_put_text(l->axes[0], l->path, "standard_name", "time"));
  SCIARA_TRY(sciara_hdf5_put_text(l->axes[0], l->path, "long_name", "simulated time since the start of the eruption"));
  SCIARA_TRY(sciara_hdf5_put_text(l->axes[0], l->path, "units", units));
  return sciara_hdf5_put_text(l->axes[0], l->path, "calendar", l->context->start ? "standard" : NULL);
}

/* Cell centres along one axis: first + i * step. */
static enum sciara_status put_centres(struct sciara_layout *l, int which, const char *name, double edge, double step,
                                      int64_t count) {
  char text[48];
  double *values;
  SCIARA_TRY(SCIARA_NEW(values, count, "coordinates of the grid"));
  for (int64_t i = 0; i < count; i++) values[i] = edge + ((double)i + 0.5) * step;
  enum sciara_status status = put_axis(l, name, values, (hsize_t)count, &l->axes[which]);
  sciara_free(values);
  SCIARA_TRY(status);
  snprintf(text, sizeof text, "projection_%s_coordinate", name);
  SCIARA_TRY(sciara_hdf5_put_text(l->axes[which], l->path, "standard_name", text));
  snprintf(text, sizeof text, "%s of the cell centre", name);
  SCIARA_TRY(sciara_hdf5_put_text(l->axes[which], l->path, "long_name", text));
  return sciara_hdf5_put_text(l->axes[which], l->path, "units", "m");
}

/* GDAL's six numbers; in the C locale, for tools read them with a point. */
static void print_transform(const struct sciara_grid *g, char *text, size_t capacity) {
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = (locale_t)0;
  if (c) before = uselocale(c);
  snprintf(text, capacity, "%.17g %.17g 0 %.17g 0 %.17g", g->west, g->cell_size, g->north, -g->cell_size);
  if (!c) return;
  uselocale(before);
  freelocale(c);
}

/* What CF says of the projection, for readers that know no WKT. */
static enum sciara_status put_grid_mapping(const struct sciara_layout *l, hid_t crs, const char *wkt) {
  struct sciara_cf_attribute list[SCIARA_CF_MOST];
  size_t count;
  SCIARA_TRY(sciara_georef_cf(wkt, list, &count));
  for (size_t k = 0; k < count; k++) {
    const struct sciara_cf_attribute *a = &list[k];
    SCIARA_TRY(a->count ? sciara_hdf5_put_doubles(crs, l->path, a->name, a->value, (size_t)a->count)
                        : sciara_hdf5_put_text(crs, l->path, a->name, a->text));
  }
  return SCIARA_OK;
}

static enum sciara_status put_crs(const struct sciara_layout *l) {
  const char *wkt = l->context->georef ? l->context->georef->crs_wkt : NULL;
  const char *name = l->context->georef ? l->context->georef->crs_name : NULL;
  char transform[160];
  print_transform(l->grid, transform, sizeof transform);
  const int zero = 0;
  hid_t plist = sciara_hdf5_dataset_plist(), space = H5Screate(H5S_SCALAR), crs = H5I_INVALID_HID;
  enum sciara_status status = SCIARA_OK;
  if (plist >= 0 && space >= 0) crs = H5Dcreate2(l->file, "crs", H5T_STD_I32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  if (crs < 0 || H5Dwrite(crs, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &zero) < 0) {
    status = sciara_hdf5_fail(SCIARA_ERR_IO, l->path, "cannot write crs");
    goto cleanup;
  }
  SCIARA_TRY_GOTO(sciara_hdf5_put_text(crs, l->path, "long_name", "coordinate reference system of x and y"));
  SCIARA_TRY_GOTO(sciara_hdf5_put_text(crs, l->path, "crs_name", name));
  SCIARA_TRY_GOTO(sciara_hdf5_put_text(crs, l->path, "crs_wkt", wkt));
  SCIARA_TRY_GOTO(sciara_hdf5_put_text(crs, l->path, "spatial_ref", wkt));
  SCIARA_TRY_GOTO(sciara_hdf5_put_text(crs, l->path, "GeoTransform", transform));
  SCIARA_TRY_GOTO(put_grid_mapping(l, crs, wkt));
cleanup:
  if (crs >= 0 && H5Dclose(crs) < 0 && status == SCIARA_OK)
    status = sciara_hdf5_fail(SCIARA_ERR_IO, l->path, "cannot close crs");
  if (plist >= 0) H5Pclose(plist);
  if (space >= 0) H5Sclose(space);
  return status;
}

enum sciara_status sciara_layout_begin(struct sciara_layout *layout, const char *path,
                                       const struct sciara_snapshot_context *context, const struct sciara_grid *grid,
                                       const double *times, size_t count) {
  *layout = (struct sciara_layout){.path = path,
                                   .context = context,
                                   .grid = grid,
                                   .file = H5I_INVALID_HID,
                                   .axes = {H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID}};
  enum sciara_status status;
  SCIARA_TRY(sciara_hdf5_image_create(path, &layout->file));
  SCIARA_TRY_GOTO(put_global(layout));
  if (count > 0) SCIARA_TRY_GOTO(put_time(layout, times, count));
  SCIARA_TRY_GOTO(put_centres(layout, 1, "y", grid->north, -grid->cell_size, grid->rows));
  SCIARA_TRY_GOTO(put_centres(layout, 2, "x", grid->west, grid->cell_size, grid->cols));
  SCIARA_TRY_GOTO(put_crs(layout));
  return SCIARA_OK;
cleanup:
  return sciara_layout_end(layout, status);
}

enum sciara_status sciara_layout_describe(const struct sciara_layout *layout, hid_t dataset, enum sciara_field field,
                                          hid_t type) {
  const struct sciara_field_info *info = sciara_field_describe(field);
  SCIARA_TRY(sciara_hdf5_put_number(dataset, layout->path, "_FillValue", type, SCIARA_NODATA_ALTITUDE));
  SCIARA_TRY(sciara_hdf5_put_text(dataset, layout->path, "standard_name", info->standard_name));
  SCIARA_TRY(sciara_hdf5_put_text(dataset, layout->path, "long_name", info->long_name));
  SCIARA_TRY(sciara_hdf5_put_text(dataset, layout->path, "units", info->unit));
  SCIARA_TRY(sciara_hdf5_put_text(dataset, layout->path, "grid_mapping", "crs"));
  for (unsigned i = 0; i < 3; i++)
    if (H5DSattach_scale(dataset, layout->axes[i], i) < 0)
      return sciara_hdf5_fail(SCIARA_ERR_IO, layout->path, "cannot attach the axes to %s", info->name);
  return SCIARA_OK;
}

enum sciara_status sciara_layout_end(struct sciara_layout *layout, enum sciara_status status) {
  for (int i = 0; i < 3; i++)
    if (layout->axes[i] >= 0 && H5Dclose(layout->axes[i]) < 0 && status == SCIARA_OK)
      status = sciara_hdf5_fail(SCIARA_ERR_IO, layout->path, "cannot close the axes");
  if (status == SCIARA_OK)
    status = sciara_hdf5_image_publish(layout->file, layout->path);
  else
    H5Fclose(layout->file);
  layout->file = H5I_INVALID_HID;
  return status;
}
