// SPDX-License-Identifier: Apache-2.0
// The unit of the altitudes of a raster, which must be the metre.
#include <math.h>
#include <string.h>
#include <strings.h>

#include "terrain/dem_part.h"

/** Whether a unit is a kind of foot, and how many metres it has. */
static bool is_foot(const char *unit, double *metres) {
  if (!strcasestr(unit, "ft") && !strcasestr(unit, "foot") && !strcasestr(unit, "feet")) return false;
  *metres = strcasestr(unit, "us") || strcasestr(unit, "survey") ? 1200.0 / 3937 : 0.3048;
  return true;
}

/** Undeclared NODATA would be multiplied with the altitudes. @param lowest stored value */
static enum sciara_status check_sentinel(const struct sciara_dem_request *q, const struct sciara_source *s,
                                         double lowest) {
  static const double known[] = {-9999, -32768, -32767, -99999, -999999};
  double scale, offset;
  sciara_source_scale_of(s, &scale, &offset);
  bool sentinel = lowest * scale + offset < -40000; // feet: no place is so deep
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) sentinel = sentinel || lowest == known[k];
  if (!sentinel) return SCIARA_OK;
  struct sciara_text command = {0};
  enum sciara_status status = sciara_text_append(&command, "gdal_translate -a_nodata %.17g ", lowest);
  if (status == SCIARA_OK) status = sciara_source_append_paths(q->path, "-declared", &command);
  if (status == SCIARA_OK)
    status = sciara_fail(SCIARA_ERR_INPUT,
                         "%s: its lowest %s is %.9g, probably a NODATA value that the file does not declare; "
                         "declare it with: %s",
                         q->path, scale == 1 && offset == 0 ? "altitude" : "stored value", lowest, command.data);
  sciara_text_free(&command);
  return status;
}

/** Says how to get metres. The name of a unit outlives a conversion, so it does not show what the numbers are. */
static enum sciara_status fail_feet(const struct sciara_dem_request *q, const struct sciara_source *s, const char *unit,
                                    double metres) {
  struct sciara_text convert = {0}, rename = {0};
  double range[2] = {NAN, NAN}, scale, offset;
  enum sciara_status status = SCIARA_OK;
  GDALComputeRasterMinMax(s->band, FALSE, range); // on failure they stay NAN
  SCIARA_TRY_GOTO(check_sentinel(q, s, range[0]));
  sciara_source_scale_of(s, &scale, &offset);
  for (int k = 0; k < 2; k++) range[k] = range[k] * scale + offset;
  SCIARA_TRY_GOTO(sciara_source_suggest_scale(s, metres, &convert));
  SCIARA_TRY_GOTO(sciara_source_suggest_scale(s, 1, &rename));
  status = sciara_fail(SCIARA_ERR_INPUT,
                       "%s: its altitudes (%.6g to %.6g) are in \"%s\" by its metadata; metres are needed. If they are "
                       "feet: %s; if they are metres already (gdalwarp and gdal_calc.py convert altitudes and keep the "
                       "name of the unit): %s",
                       q->path, fmin(range[0], range[1]), fmax(range[0], range[1]), unit, convert.data, rename.data);
cleanup:
  sciara_text_free(&convert);
  sciara_text_free(&rename);
  return status;
}

/** Altitudes in feet would pass every other check. Not every format has a unit: the CRS may name it. */
enum sciara_status sciara_dem_check_altitude_unit(const struct sciara_dem_request *q, const struct sciara_source *s) {
  static const char *const metre[] = {"", "m", "metre", "metres", "meter", "meters"};
  const char *unit = GDALGetRasterUnitType(s->band);
  double metres;
  if (is_foot(unit, &metres)) return fail_feet(q, s, unit, metres);
  if (s->srs && OSRIsCompound(s->srs)) {
    const char *vertical = "";
    metres = OSRGetTargetLinearUnits(s->srs, "VERT_CS", (char **)&vertical);
    if (fabs(metres - 1) > 1e-9) return fail_feet(q, s, vertical, metres);
  }
  for (size_t i = 0; i < sizeof metre / sizeof *metre; i++)
    if (strcasecmp(unit, metre[i]) == 0) return SCIARA_OK;
  sciara_note(q->notes, SCIARA_LOG_WARNING, "%s: the unit of its altitudes is \"%s\"; they are taken to be metres",
              q->path, unit);
  return SCIARA_OK;
}
