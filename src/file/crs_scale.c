// SPDX-License-Identifier: Apache-2.0
#include "file/crs_scale.h"

#include <math.h>

#include "file/gdal_support.h"

static const double reach =
    50; ///< m, to either side of a point: far above rounding, far below the distance over which a scale varies

/** The ellipsoid of a CRS, and the transformation to longitude and latitude on it. */
struct earth {
  OGRSpatialReferenceH degrees;
  OGRCoordinateTransformationH change;
  double major, e2, unit; ///< m; square of the eccentricity; rad
};

static bool earth_open(OGRSpatialReferenceH srs, struct earth *e) {
  *e = (struct earth){.degrees = OSRCloneGeogCS(srs)};
  if (!e->degrees) return false;
  OSRSetAxisMappingStrategy(e->degrees, OAMS_TRADITIONAL_GIS_ORDER);
  const double flattening = OSRGetInvFlattening(srs, NULL) > 0 ? 1 / OSRGetInvFlattening(srs, NULL) : 0;
  e->major = OSRGetSemiMajor(srs, NULL);
  e->e2 = flattening * (2 - flattening);
  e->unit = OSRGetAngularUnits(e->degrees, NULL);
  e->change = OCTNewCoordinateTransformation(srs, e->degrees);
  return e->change != NULL;
}

static void earth_close(struct earth *e) {
  if (e->change) OCTDestroyCoordinateTransformation(e->change);
  OSRRelease(e->degrees);
}

/** The position in space of a point of the CRS, on the ellipsoid. */
static bool in_space(const struct earth *e, double x, double y, double out[3]) {
  if (!OCTTransform(e->change, 1, &x, &y, NULL) || !isfinite(x) || !isfinite(y)) return false;
  const double lon = x * e->unit, lat = y * e->unit, normal = e->major / sqrt(1 - e->e2 * sin(lat) * sin(lat));
  out[0] = normal * cos(lat) * cos(lon);
  out[1] = normal * cos(lat) * sin(lon);
  out[2] = normal * (1 - e->e2) * sin(lat);
  return true;
}

/** The scale at a point in four directions; the one that differs most from 1 replaces *scale. */
static bool add_place(const struct earth *e, double x, double y, double *scale) {
  static const double direction[4][2] = {{1, 0}, {0, 1}, {M_SQRT1_2, M_SQRT1_2}, {M_SQRT1_2, -M_SQRT1_2}};
  for (int k = 0; k < 4; k++) {
    const double dx = reach * direction[k][0], dy = reach * direction[k][1];
    double a[3], b[3];
    if (!in_space(e, x - dx, y - dy, a) || !in_space(e, x + dx, y + dy, b)) return false;
    const double ground = hypot(hypot(b[0] - a[0], b[1] - a[1]), b[2] - a[2]);
    const double found = ground > 0 ? 2 * reach / ground : INFINITY;
    if (fabs(log(found)) > fabs(log(*scale))) *scale = found;
  }
  return true;
}

enum sciara_status sciara_crs_scale(OGRSpatialReferenceH srs, const double bounds[4], double *scale) {
  struct sciara_gdal_scope scope;
  struct earth earth;
  sciara_gdal_enter(&scope, false);
  *scale = 1;
  int known = 0;
  if (earth_open(srs, &earth)) {
    const double x = 0.5 * (bounds[0] + bounds[2]), y = 0.5 * (bounds[1] + bounds[3]);
    known += add_place(&earth, x, y, scale);
    for (int k = 0; k < 4; k++) known += add_place(&earth, bounds[k % 2 ? 2 : 0], bounds[k / 2 ? 3 : 1], scale);
  }
  enum sciara_status status = SCIARA_OK;
  if (known == 0)
    status = sciara_fail(sciara_gdal_status(&scope, SCIARA_ERR_INPUT),
                         "PROJ cannot transform that point of the CRS: %s", sciara_gdal_message(&scope));
  earth_close(&earth);
  sciara_gdal_leave(&scope);
  return status;
}

bool sciara_crs_scale_is_sound(double scale) { return fabs(scale - 1) <= SCIARA_CRS_SCALE_SLACK; }
