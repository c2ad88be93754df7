// SPDX-License-Identifier: Apache-2.0
// The gdalwarp command that a diagnostic proposes.
#include <cpl_conv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "file/crs_scale.h"
#include "terrain/dem_source.h"

/** Longitude and latitude of the middle of a raster; false if its CRS does not define it. */
static bool middle_lonlat(const struct sciara_source *s, double *lon, double *lat) {
  if (!s->srs) return false;
  double t[6] = {0};
  if (GDALGetGeoTransform(s->dataset, t) != CE_None) return false;
  double c = 0.5 * (double)s->cols, r = 0.5 * (double)s->rows;
  *lon = t[0] + c * t[1] + r * t[2];
  *lat = t[3] + c * t[4] + r * t[5];
  OGRSpatialReferenceH wgs84;
  if (sciara_srs_parse(SCIARA_SOURCE_DEGREES, &wgs84) != SCIARA_OK) return false;
  OGRCoordinateTransformationH change = OCTNewCoordinateTransformation(s->srs, wgs84);
  bool done = change && OCTTransform(change, 1, lon, lat, NULL) && isfinite(*lon) && isfinite(*lat);
  if (change) OCTDestroyCoordinateTransformation(change);
  OSRRelease(wgs84);
  return done && fabs(*lat) <= 90;
}

double sciara_source_turn(OGRSpatialReferenceH srs) {
  return srs && OSRIsGeographic(srs) ? 2 * M_PI / OSRGetAngularUnits(srs, NULL) : 0;
}

/** EPSG code of the UTM zone (beyond 84 N and 80 S: of the polar stereographic grid). */
static int utm_code(double lon, double lat) {
  if (lat > 84) return 32661;
  if (lat < -80) return 32761;
  double turned = fmod(lon + 180.0, 360.0);
  if (turned < 0) turned += 360.0;
  return (lat >= 0 ? 32600 : 32700) + (int)(turned / 6.0) + 1;
}

/** A round number not above `cell` that keeps its detail: 30.9 gives 30, 10.3 and 9.999 give 10, 2.06 gives 2. */
static double round_cell(double cell) {
  cell *= 1.01; // just below a round number is that number
  if (cell >= 10) return 5 * floor(cell / 5);
  if (cell >= 1) return floor(cell);
  double decade = pow(10, floor(log10(cell)));
  return decade * floor(cell / decade);
}

int sciara_source_utm(const struct sciara_source *s) {
  double lon, lat;
  return middle_lonlat(s, &lon, &lat) ? utm_code(lon, lat) : 0;
}

static double cell_in_metres(const struct sciara_source *s) {
  const double radius = 6371000; // of the Earth: the number is only proposed, then rounded
  double cell = s->dx < s->dy ? s->dx : s->dy;
  if (s->srs && OSRIsGeographic(s->srs)) return s->dy * OSRGetAngularUnits(s->srs, NULL) * radius;
  if (s->scale > 0) return cell / s->scale * (1 + SCIARA_CRS_SCALE_SLACK);
  return s->srs && OSRIsProjected(s->srs) ? cell * OSRGetLinearUnits(s->srs, NULL) : cell;
}

double sciara_source_round_cell(const struct sciara_source *s) { return round_cell(cell_in_metres(s)); }

enum sciara_status sciara_source_suggest_scale(const struct sciara_source *s, double factor, struct sciara_text *out) {
  SCIARA_TRY(sciara_text_append(out, "gdal_translate -ot Float32 -scale 0 1 0 %.16g ", factor));
  if (s->srs && OSRIsCompound(s->srs)) { // its vertical part would still name the unit
    OGRSpatialReferenceH flat = OSRClone(s->srs);
    OSRStripVertical(flat);
    enum sciara_status status = sciara_text_append(out, "-a_srs ");
    if (status == SCIARA_OK) status = sciara_shell_append_crs(out, flat);
    OSRRelease(flat);
    SCIARA_TRY(status);
    SCIARA_TRY(sciara_text_append(out, " "));
  }
  return sciara_source_append_paths(s->path, "-metres", out);
}

enum sciara_status sciara_source_suggest_north_up(const struct sciara_source *s, const double t[6],
                                                  struct sciara_text *out) {
  const double x[2] = {t[0], t[0] + t[1] * (double)s->cols}, y[2] = {t[3], t[3] + t[5] * (double)s->rows};
  SCIARA_TRY(sciara_text_append(out, "gdalwarp -te %.12g %.12g %.12g %.12g -ts %d %d ", fmin(x[0], x[1]),
                                fmin(y[0], y[1]), fmax(x[0], x[1]), fmax(y[0], y[1]), (int)s->cols, (int)s->rows));
  return sciara_source_append_paths(s->path, "-north-up", out);
}

enum sciara_status sciara_source_append_paths(const char *path, const char *what, struct sciara_text *out) {
  SCIARA_TRY(sciara_shell_quote(out, path));
  char *target = sciara_format("%.*s%s.tif", (int)sciara_path_stem(path), path, what);
  if (!target) return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a command");
  enum sciara_status status = sciara_text_append(out, " ");
  if (status == SCIARA_OK) status = sciara_shell_quote(out, target);
  free(target);
  return status;
}

enum sciara_status sciara_source_suggest_warp(const struct sciara_source *s, const char *crs, double cell,
                                              struct sciara_text *out) {
  SCIARA_TRY(sciara_text_append(out, "gdalwarp"));
  if (s->guess) {
    SCIARA_TRY(sciara_text_append(out, " -s_srs "));
    SCIARA_TRY(sciara_shell_quote(out, s->guess));
  }
  if (crs) {
    SCIARA_TRY(sciara_text_append(out, " -t_srs "));
    SCIARA_TRY(sciara_shell_quote(out, crs));
  } else if (s->srs && (!sciara_srs_is_metric(s->srs) || s->scale > 0)) {
    const int utm = sciara_source_utm(s);
    SCIARA_TRY(utm ? sciara_text_append(out, " -t_srs EPSG:%d", utm) : sciara_text_append(out, " -t_srs EPSG:CODE"));
  }
  if (cell == 0 && s->dx > 0) cell = sciara_source_round_cell(s);
  if (cell > 0) SCIARA_TRY(sciara_text_append(out, " -tr %.10g %.10g -tap", cell, cell));
  if (s->srs && OSRIsCompound(s->srs)) SCIARA_TRY(sciara_text_append(out, " -novshift")); // altitudes stay
  SCIARA_TRY(sciara_text_append(out, " -r bilinear -ot Float32 -dstnodata -9999 "));
  return sciara_source_append_paths(s->path, "-metric", out);
}
