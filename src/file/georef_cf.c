// SPDX-License-Identifier: Apache-2.0
#include "file/georef_cf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "file/gdal_support.h"

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
  struct sciara_cf_attribute *out;
  size_t count;
};

static void add_number(struct list *l, const char *name, double value) {
  l->out[l->count++] = (struct sciara_cf_attribute){.name = name, .value = {value}, .count = 1};
}

static void add_text(struct list *l, const char *name, const char *text) {
  if (!text || !text[0]) return;
  struct sciara_cf_attribute *a = &l->out[l->count++];
  *a = (struct sciara_cf_attribute){.name = name};
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

static void describe(struct list *l, const struct projection *p) {
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

enum sciara_status sciara_georef_cf(const char *wkt, struct sciara_cf_attribute out[SCIARA_CF_MOST], size_t *count) {
  struct list l = {.out = out};
  *count = 0;
  if (!wkt) return SCIARA_OK;
  SCIARA_TRY(sciara_srs_parse(wkt, &l.srs));
  const char *name = OSRGetAttrValue(l.srs, "PROJECTION", 0);
  for (size_t k = 0; name && OSRIsProjected(l.srs) && k < sizeof projections / sizeof *projections; k++)
    if (strcmp(projections[k].wkt, name) == 0) describe(&l, &projections[k]);
  OSRRelease(l.srs);
  *count = l.count;
  return SCIARA_OK;
}
