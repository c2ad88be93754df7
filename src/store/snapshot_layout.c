// SPDX-License-Identifier: Apache-2.0
#include "store/snapshot_layout.h"

#include <hdf5_hl.h>
#include <locale.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/date.h"
#include "base/mem.h"
#include "base/status.h"
#include "file/gdal_support.h"
#include "model/params.h"

/* A CRS as CF has it (CF-1.8, appendix F): attributes of a grid mapping, for readers that know no WKT. */
enum { CF_MOST = 24 };

/** An attribute: a text, or one or two numbers. */
struct cf_attribute {
  const char *name;
  char text[128];  ///< if there are no numbers
  double value[2]; ///< degrees or m
  int count;       ///< of numbers; 0: a text
};

/** A parameter of WKT and the attribute of CF for it. */
struct parameter {
  const char *wkt, *cf;
};

/** A projection; WKT's name, CF's, and their parameters besides the false origin. */
struct projection {
  const char *wkt, *cf;
  struct parameter parameter[4];
};

static const struct projection projections[] = {
    {"Transverse_Mercator",
     "transverse_mercator",
     {{"central_meridian", "longitude_of_central_meridian"},
      {"latitude_of_origin", "latitude_of_projection_origin"},
      {"scale_factor", "scale_factor_at_central_meridian"}}},
    {"Lambert_Conformal_Conic_2SP",
     "lambert_conformal_conic",
     {{"central_meridian", "longitude_of_central_meridian"}, {"latitude_of_origin", "latitude_of_projection_origin"}}},
    {"Albers_Conic_Equal_Area",
     "albers_conical_equal_area",
     {{"longitude_of_center", "longitude_of_central_meridian"},
      {"latitude_of_center", "latitude_of_projection_origin"}}},
    {"Lambert_Azimuthal_Equal_Area",
     "lambert_azimuthal_equal_area",
     {{"longitude_of_center", "longitude_of_projection_origin"},
      {"latitude_of_center", "latitude_of_projection_origin"}}},
    {"Azimuthal_Equidistant",
     "azimuthal_equidistant",
     {{"longitude_of_center", "longitude_of_projection_origin"},
      {"latitude_of_center", "latitude_of_projection_origin"}}},
    {"Mercator_1SP",
     "mercator",
     {{"central_meridian", "longitude_of_projection_origin"}, {"scale_factor", "scale_factor_at_projection_origin"}}},
    {"Mercator_2SP",
     "mercator",
     {{"central_meridian", "longitude_of_projection_origin"}, {"standard_parallel_1", "standard_parallel"}}},
    {"Polar_Stereographic", "polar_stereographic", {{"central_meridian", "straight_vertical_longitude_from_pole"}}},
};

/** The list that is being made. */
struct list {
  OGRSpatialReferenceH srs;
  struct cf_attribute *out;
  size_t count;
};

static void add_number(struct list *l, const char *name, double value) {
  l->out[l->count++] = (struct cf_attribute){.name = name, .value = {value}, .count = 1};
}

static void add_text(struct list *l, const char *name, const char *text) {
  if (!text || !text[0]) return;
  struct cf_attribute *a = &l->out[l->count++];
  *a = (struct cf_attribute){.name = name};
  snprintf(a->text, sizeof a->text, "%s", text);
}

static double parameter_of(const struct list *l, const char *name, double preset) {
  return OSRGetProjParm(l->srs, name, preset, NULL);
}

/** Two standard parallels are one attribute; of equal ones there is one. */
static void add_parallels(struct list *l) {
  const double first = parameter_of(l, "standard_parallel_1", 0),
               second = parameter_of(l, "standard_parallel_2", first);
  add_number(l, "standard_parallel", first);
  if (first == second) return;
  l->out[l->count - 1].value[1] = second;
  l->out[l->count - 1].count = 2;
}

/** WKT 1 has the parallel of true scale, or the pole and a scale, in one parameter. */
static void add_pole(struct list *l) {
  const double latitude = parameter_of(l, "latitude_of_origin", 90);
  add_number(l, "latitude_of_projection_origin", latitude < 0 ? -90 : 90);
  if (fabs(latitude) == 90)
    add_number(l, "scale_factor_at_projection_origin", parameter_of(l, "scale_factor", 1));
  else
    add_number(l, "standard_parallel", latitude);
}

static void add_earth(struct list *l) {
  char *prime = NULL;
  const double inverse_flattening = OSRGetInvFlattening(l->srs, NULL);
  add_number(l, "semi_major_axis", OSRGetSemiMajor(l->srs, NULL));
  if (inverse_flattening > 0)
    add_number(l, "inverse_flattening", inverse_flattening);
  else
    add_number(l, "semi_minor_axis", OSRGetSemiMinor(l->srs, NULL));
  add_number(l, "longitude_of_prime_meridian", OSRGetPrimeMeridian(l->srs, &prime));
  add_text(l, "prime_meridian_name", prime);
  add_text(l, "reference_ellipsoid_name", OSRGetAttrValue(l->srs, "SPHEROID", 0));
  add_text(l, "horizontal_datum_name", OSRGetAttrValue(l->srs, "DATUM", 0));
  add_text(l, "geographic_crs_name", OSRGetAttrValue(l->srs, "GEOGCS", 0));
  add_text(l, "projected_crs_name", OSRGetAttrValue(l->srs, "PROJCS", 0));
}

static void describe_projection(struct list *l, const struct projection *p) {
  add_text(l, "grid_mapping_name", p->cf);
  for (size_t k = 0; k < 4 && p->parameter[k].wkt; k++)
    add_number(l, p->parameter[k].cf,
               parameter_of(l, p->parameter[k].wkt, strcmp(p->parameter[k].wkt, "scale_factor") == 0 ? 1 : 0));
  if (strcmp(p->cf, "lambert_conformal_conic") == 0 || strcmp(p->cf, "albers_conical_equal_area") == 0)
    add_parallels(l);
  if (strcmp(p->cf, "polar_stereographic") == 0) add_pole(l);
  add_number(l, "false_easting", parameter_of(l, "false_easting", 0));
  add_number(l, "false_northing", parameter_of(l, "false_northing", 0));
  add_earth(l);
}

/**
 * The attributes of a projected CRS in metres.
 *
 * @param wkt   NULL: there are none
 * @param count receives their number; 0 for a projection that CF does not describe
 */
static enum sciara_status georef_cf(const char *wkt, struct cf_attribute out[CF_MOST], size_t *count) {
  struct list l = {.out = out};
  *count = 0;
  if (!wkt) return SCIARA_OK;
  SCIARA_TRY(sciara_srs_parse(wkt, &l.srs));
  const char *name = OSRGetAttrValue(l.srs, "PROJECTION", 0);
  for (size_t k = 0; name && OSRIsProjected(l.srs) && k < sizeof projections / sizeof *projections; k++)
    if (strcmp(projections[k].wkt, name) == 0) describe_projection(&l, &projections[k]);
  OSRRelease(l.srs);
  *count = l.count;
  return SCIARA_OK;
}

/** Where the equations of each rule were published. */
#define REFERENCE(IDENTIFIER, name, edition, KIND, published, with) published,
static const char *const references[SCIARA_RULES] = {SCIARA_EACH_RULE(REFERENCE, )};

static enum sciara_status put_global(const struct sciara_layout *l) {
  const struct sciara_snapshot_context *c = l->context;
  char source[192], title[SCIARA_RULES_TEXT], published[SCIARA_RULES * 192] = "";
  unsigned rules = 0;
  for (int k = 0; k < SCIARA_RULES; k++) {
    const char *names = c->model_rule ? c->model_rule : sciara_rule_name(SCIARA_RULE_FV3);
    if (!sciara_has_word(names, sciara_rule_name((enum sciara_rule_kind)k))) continue;
    const size_t length = strlen(published);
    snprintf(published + length, sizeof published - length, "%s%s", length ? "; " : "", references[k]);
    rules |= 1u << k;
  }
  snprintf(source, sizeof source, "sciara " SCIARA_VERSION " (git " SCIARA_GIT_HASH "), %s",
           sciara_rules_title(rules, title));
  const struct {
    const char *name, *text;
  } texts[] = {
      {"Conventions", "CF-1.8"},
      {"title", c->title ? c->title : "Lava flow simulation"},
      {"source", source},
      {"history", c->history},
      {"references", published},
      {"program_version", SCIARA_VERSION},
      {"git_hash", SCIARA_GIT_HASH},
      {"engine", c->engine},
      {"precision", c->precision},
      {"start", c->start},
      {"scenario_json", c->scenario_json},
      {"model_rule", c->model_rule},
      {"model_preset", c->model_preset},
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    SCIARA_TRY(sciara_hdf5_put_text(l->file, l->path, texts[i].name, texts[i].text));
  SCIARA_TRY(sciara_hdf5_put_hex(l->file, l->path, "dem_hash", c->dem_hash));
  SCIARA_TRY(sciara_hdf5_put_double(l->file, l->path, "cell_size_m", l->grid->cell_size));
  SCIARA_TRY(sciara_hdf5_put_double(l->file, l->path, "west_m", l->grid->west));
  if (c->rule_edition > 1)
    SCIARA_TRY(sciara_hdf5_put_int64(l->file, l->path, SCIARA_EDITION_ATTRIBUTE, c->rule_edition));
  if (c->emission_from_s > 0)
    SCIARA_TRY(sciara_hdf5_put_double(l->file, l->path, SCIARA_FROM_ATTRIBUTE, c->emission_from_s));
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

static enum sciara_status put_time_axis(struct sciara_layout *l, const double *times, size_t count) {
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
  struct cf_attribute list[CF_MOST];
  size_t count;
  SCIARA_TRY(georef_cf(wkt, list, &count));
  for (size_t k = 0; k < count; k++) {
    const struct cf_attribute *a = &list[k];
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
  if (count > 0) SCIARA_TRY_GOTO(put_time_axis(layout, times, count));
  SCIARA_TRY_GOTO(put_centres(layout, 1, "y", grid->north, -grid->cell_size, grid->rows));
  SCIARA_TRY_GOTO(put_centres(layout, 2, "x", grid->west, grid->cell_size, grid->cols));
  SCIARA_TRY_GOTO(put_crs(layout));
  return SCIARA_OK;
cleanup:
  return sciara_layout_end(layout, status);
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
