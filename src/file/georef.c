// SPDX-License-Identifier: Apache-2.0
#include "file/georef.h"

#include <cpl_conv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file/gdal_support.h"

void sciara_georef_free(struct sciara_georef *g) {
  free(g->crs_wkt);
  free(g->crs_name);
  *g = (struct sciara_georef){0};
}

/** The EPSG CRS that matches `srs` if it has no code itself (as from an ESRI .prj); else a reference to `srs`.
 */
static OGRSpatialReferenceH identified(OGRSpatialReferenceH srs) {
  enum { SURE = 90 }; // of 100
  OGRSpatialReferenceH found = NULL;
  if (!OSRGetAuthorityCode(srs, NULL)) {
    int count = 0, *confidence = NULL;
    OGRSpatialReferenceH *matches = OSRFindMatches(srs, NULL, &count, &confidence);
    if (count > 0 && confidence[0] >= SURE) found = OSRClone(matches[0]);
    OSRFreeSRSArray(matches);
    CPLFree(confidence);
  }
  return found ? found : OSRClone(srs);
}

enum sciara_status sciara_georef_from_srs(OGRSpatialReferenceH srs, struct sciara_georef *out) {
  *out = (struct sciara_georef){0};
  if (!srs) return SCIARA_OK;
  enum sciara_status status = SCIARA_OK;
  struct sciara_gdal_scope scope;
  sciara_gdal_enter(&scope, false);
  char *wkt = NULL;
  OGRSpatialReferenceH known = identified(srs);
  if (OSRExportToWkt(known, &wkt) != OGRERR_NONE) {
    status = sciara_fail(sciara_gdal_status(&scope, SCIARA_ERR_INPUT), "the CRS cannot be written as WKT: %s",
                         sciara_gdal_message(&scope));
    goto cleanup;
  }
  const char *name = OSRGetName(known), *authority = OSRGetAuthorityName(known, NULL),
             *code = OSRGetAuthorityCode(known, NULL);
  if (!name) name = "unnamed";
  out->crs_wkt = sciara_format("%s", wkt);
  out->crs_name = authority && code ? sciara_format("%s (%s:%s)", name, authority, code) : sciara_format("%s", name);
  if (!out->crs_wkt || !out->crs_name) {
    sciara_georef_free(out);
    status = sciara_no_memory("the text of a CRS");
  }
cleanup:
  CPLFree(wkt);
  OSRRelease(known);
  sciara_gdal_leave(&scope);
  return status;
}

enum sciara_status sciara_georef_from_name(const char *crs, struct sciara_georef *out) {
  *out = (struct sciara_georef){0};
  OGRSpatialReferenceH srs;
  SCIARA_TRY(sciara_srs_parse(crs, &srs));
  enum sciara_status status = sciara_srs_is_metric(srs)
                                  ? sciara_georef_from_srs(srs, out)
                                  : sciara_fail(SCIARA_ERR_INPUT, "CRS \"%s\" is not a projected CRS in metres", crs);
  OSRRelease(srs);
  return status;
}

static const char DEGREES[] = "EPSG:4326"; ///< x is the longitude, see sciara_srs_parse

/** The transformation between two CRS, and the one back; NULL: there is none. */
struct change {
  OGRCoordinateTransformationH there, back;
};

static enum sciara_status change_open(const char *from_text, const char *to_text, struct change *out) {
  OGRSpatialReferenceH from = NULL, to = NULL;
  enum sciara_status status;
  *out = (struct change){0};
  SCIARA_TRY_GOTO(sciara_srs_parse(from_text, &from));
  SCIARA_TRY_GOTO(sciara_srs_parse(to_text, &to));
  out->there = OCTNewCoordinateTransformation(from, to);
  if (out->there) out->back = OCTGetInverse(out->there);
cleanup:
  OSRRelease(from);
  OSRRelease(to);
  return status;
}

static void change_close(struct change *c) {
  if (c->there) OCTDestroyCoordinateTransformation(c->there);
  if (c->back) OCTDestroyCoordinateTransformation(c->back);
}

/**
 * A point of the CRS in degrees; false: it has none. Far from the area of a projection its formulas still give coordinates, which
 * may be those of a place near the DEM; the way back tells.
 */
static bool transform(const struct change *c, struct sciara_point *p) {
  const struct sciara_point given = *p;
  if (!(fabs(p->x) <= 360 && fabs(p->y) <= 90) || !OCTTransform(c->there, 1, &p->x, &p->y, NULL)) return false;
  struct sciara_point again = *p;
  if (!isfinite(p->x) || !isfinite(p->y) || !c->back || !OCTTransform(c->back, 1, &again.x, &again.y, NULL))
    return false;
  const double off = remainder(again.x - given.x, 360) * cos(given.y * M_PI / 180);
  return hypot(off, again.y - given.y) < 0.01;
}

enum sciara_status sciara_georef_from_lonlat(const char *crs_wkt, double lon, double lat, double *x, double *y) {
  if (!crs_wkt)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "longitude and latitude require a DEM with a CRS: name it with dem.crs, or give x and y");
  if (!(fabs(lon) <= 360 && fabs(lat) <= 90))
    return sciara_fail(
        SCIARA_ERR_INPUT,
        "lon %g, lat %g: expected a longitude from -180 to 180 (or 0 to 360) and a latitude from -90 to 90", lon, lat);
  struct sciara_gdal_scope scope;
  struct sciara_point p = {lon, lat};
  struct change change;
  sciara_gdal_enter(&scope, false);
  enum sciara_status status = change_open(DEGREES, crs_wkt, &change);
  if (status == SCIARA_OK && !(change.there && transform(&change, &p)))
    status = sciara_fail(sciara_gdal_status(&scope, SCIARA_ERR_INPUT),
                         "lon %.10g, lat %.10g cannot be transformed to the CRS of the DEM: %s", lon, lat,
                         sciara_gdal_message(&scope));
  if (status == SCIARA_OK) *x = p.x, *y = p.y;
  change_close(&change);
  sciara_gdal_leave(&scope);
  return status;
}

enum sciara_status sciara_georef_to_lonlat(const char *crs_wkt, size_t count, double *x, double *y) {
  struct sciara_gdal_scope scope;
  struct change change;
  sciara_gdal_enter(&scope, false);
  enum sciara_status status = change_open(crs_wkt, DEGREES, &change);
  if (status == SCIARA_OK && !change.there)
    status = sciara_fail(sciara_gdal_status(&scope, SCIARA_ERR_INPUT), "the CRS cannot be changed to WGS 84: %s",
                         sciara_gdal_message(&scope));
  for (size_t k = 0; k < count && status == SCIARA_OK; k++)
    if (!OCTTransform(change.there, 1, &x[k], &y[k], NULL) || !isfinite(x[k]) || !isfinite(y[k])) x[k] = y[k] = NAN;
  change_close(&change);
  sciara_gdal_leave(&scope);
  return status;
}

// ------------------------------------------------------------------------------------------------- degrees and a grid

/** Whether the point in degrees lies on the grid. */
static bool would_be_on(const struct change *change, const struct sciara_grid *grid, double lon, double lat) {
  struct sciara_point p = {lon, lat};
  return transform(change, &p) && sciara_grid_has(grid, p);
}

/** @param at the point `p` in the CRS of the grid, off which it lies: perhaps within the range of its degrees */
static enum sciara_status fail_place(const struct change *change, const char *crs_wkt, const struct sciara_grid *g,
                                     struct sciara_point p, struct sciara_point at) {
  const double shown = 1e-4; // of the degrees below
  const double east = sciara_grid_east(g), south = sciara_grid_south(g);
  const int k = sciara_grid_place_decimals(g);
  double lon[] = {g->west, east, g->west, east}, lat[] = {g->north, g->north, south, south};
  const bool swapped = would_be_on(change, g, p.y, p.x);
  SCIARA_TRY(sciara_georef_to_lonlat(crs_wkt, 4, lon, lat));
  const double low[] = {fmin(lon[0], lon[2]), fmin(lat[2], lat[3])},
               high[] = {fmax(lon[1], lon[3]), fmax(lat[0], lat[1])};
  if (p.x >= low[0] - shown && p.x <= high[0] + shown && p.y >= low[1] - shown && p.y <= high[1] + shown)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "expected longitude and latitude on the DEM (x %.*f to %.*f, y %.*f to %.*f in its CRS), found "
                       "lon %.10g, lat %.10g, which is x %.*f, y %.*f",
                       k, g->west, k, east, k, south, k, g->north, p.x, p.y, k, at.x, k, at.y);
  return sciara_fail(
      SCIARA_ERR_INPUT,
      "expected longitude and latitude on the DEM (lon %.6g to %.6g, lat %.6g to %.6g), found lon %.8g, lat "
      "%.8g%s",
      low[0], high[0], low[1], high[1], p.x, p.y,
      swapped ? "; the other way round it lies there: longitude comes first" : "");
}

/** The transformation from degrees to a CRS, or an error. Release with change_close. */
static enum sciara_status change_from_degrees(const struct sciara_gdal_scope *scope, const char *crs_wkt,
                                              struct change *out) {
  SCIARA_TRY(change_open(DEGREES, crs_wkt, out));
  if (out->there) return SCIARA_OK;
  return sciara_fail(sciara_gdal_status(scope, SCIARA_ERR_INPUT), "degrees cannot be brought to the CRS of the DEM: %s",
                     sciara_gdal_message(scope));
}

/** Transforms points to the CRS. @param anywhere those that have no place there become NAN */
static enum sciara_status place_points(const char *crs_wkt, const struct sciara_grid *grid, bool anywhere,
                                       struct sciara_point *points, size_t count) {
  struct sciara_gdal_scope scope;
  struct change change = {0};
  if (!crs_wkt)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "longitude and latitude require a DEM with a CRS: name it with dem.crs, or give x and y");
  sciara_gdal_enter(&scope, false);
  enum sciara_status status = change_from_degrees(&scope, crs_wkt, &change);
  for (size_t k = 0; k < count && status == SCIARA_OK; k++) {
    const struct sciara_point given = points[k];
    const bool placed = transform(&change, &points[k]);
    if (!placed && anywhere && fabs(given.x) <= 360 && fabs(given.y) <= 90)
      points[k] = (struct sciara_point){NAN, NAN};
    else if (!placed)
      status = sciara_fail(SCIARA_ERR_INPUT,
                           "expected a longitude from -180 to 180 (or 0 to 360) and a latitude from -90 to 90 near the "
                           "DEM, found lon %.10g, lat %.10g",
                           given.x, given.y);
    else if (grid && !sciara_grid_has(grid, points[k]))
      status = fail_place(&change, crs_wkt, grid, given, points[k]);
  }
  change_close(&change);
  sciara_gdal_leave(&scope);
  return status;
}

enum sciara_status sciara_georef_place(const char *crs_wkt, const struct sciara_grid *grid, struct sciara_point *points,
                                       size_t count) {
  return place_points(crs_wkt, grid, false, points, count);
}

enum sciara_status sciara_georef_place_anywhere(const char *crs_wkt, struct sciara_point *points, size_t count) {
  return place_points(crs_wkt, NULL, true, points, count);
}

enum sciara_status sciara_georef_place_box(const char *crs_wkt, const struct sciara_grid *grid, const double degrees[4],
                                           double out[4]) {
  enum { STEPS = 20 };
  struct sciara_point p[4 * STEPS];
  for (int k = 0; k < STEPS; k++) {
    const double t = (double)k / STEPS, lon = degrees[0] + t * (degrees[2] - degrees[0]),
                 lat = degrees[1] + t * (degrees[3] - degrees[1]);
    p[4 * k] = (struct sciara_point){lon, degrees[1]};
    p[4 * k + 1] = (struct sciara_point){degrees[0], lat};
    p[4 * k + 2] = (struct sciara_point){degrees[0] + degrees[2] - lon, degrees[3]};
    p[4 * k + 3] = (struct sciara_point){degrees[2], degrees[1] + degrees[3] - lat};
  }
  SCIARA_TRY(sciara_georef_place(crs_wkt, grid, p, 4 * STEPS));
  sciara_points_box(p, 4 * STEPS, out);
  return SCIARA_OK;
}

enum sciara_status sciara_georef_suspect_degrees(const char *crs_wkt, const struct sciara_grid *grid,
                                                 struct sciara_point p, const char *how) {
  struct sciara_gdal_scope scope;
  struct change change = {0};
  if (!crs_wkt || !(fabs(p.x) <= 360 && fabs(p.y) <= 360) || sciara_grid_has(grid, p)) return SCIARA_OK;
  sciara_gdal_enter(&scope, false);
  enum sciara_status status = change_from_degrees(&scope, crs_wkt, &change);
  const bool right = status == SCIARA_OK && would_be_on(&change, grid, p.x, p.y);
  const bool swapped = status == SCIARA_OK && !right && would_be_on(&change, grid, p.y, p.x);
  if (right || swapped)
    status = sciara_fail(SCIARA_ERR_INPUT,
                         "expected metres in the CRS of the DEM, found %.10g, %.10g, which are %s on it: %s", p.x, p.y,
                         right ? "longitude and latitude of a place" : "latitude and longitude of a place", how);
  change_close(&change);
  sciara_gdal_leave(&scope);
  return status;
}
