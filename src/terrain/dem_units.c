// SPDX-License-Identifier: Apache-2.0
// The unit of the altitudes of a raster, which must be the metre.
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "terrain/dem_gdal.h"
#include "terrain/dem_parts.h"

/** Units of length that are neither the metre nor a foot of English name. */
static const struct known {
  const char *names; ///< in lower case
  double metres;
  const char *plural;
} known_units[] = {
    {"dm decimetre decimetres decimeter decimeters dezimeter", 0.1, "decimetres"},
    {"cm centimetre centimetres centimeter centimeters zentimeter", 0.01, "centimetres"},
    {"mm millimetre millimetres millimeter millimeters", 0.001, "millimetres"},
    {"km kilometre kilometres kilometer kilometers", 1000, "kilometres"},
    {"fuss fu\xC3\x9F pied pieds piede piedi pie pies", 0.3048, "feet"},
    {"yd yard yards", 0.9144, "yards"},
    {"in inch inches", 0.0254, "inches"},
    {"fathom fathoms", 1.8288, "fathoms"},
};

/** A unit of length that is not the metre, and how many metres it has; NULL: it is not known. */
static const char *find_unit(const char *unit, double *metres) {
  char lower[32] = "";
  if (strcasestr(unit, "ft") || strcasestr(unit, "foot") || strcasestr(unit, "feet")) {
    *metres = strcasestr(unit, "us") || strcasestr(unit, "survey") ? 1200.0 / 3937 : 0.3048;
    return "feet";
  }
  for (size_t k = 0; k + 1 < sizeof lower && unit[k]; k++) lower[k] = (char)tolower((unsigned char)unit[k]);
  for (size_t k = 0; k < sizeof known_units / sizeof *known_units; k++)
    if (sciara_has_word(known_units[k].names, lower)) {
      *metres = known_units[k].metres;
      return known_units[k].plural;
    }
  return NULL;
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
static enum sciara_status fail_unit(const struct sciara_dem_request *q, const struct sciara_source *s, const char *unit,
                                    const char *plural, double metres) {
  struct sciara_text convert = {0}, rename = {0};
  double range[2] = {NAN, NAN}, scale, offset;
  enum sciara_status status = SCIARA_OK;
  GDALComputeRasterMinMax(s->band, FALSE, range); // on failure they stay NAN
  SCIARA_TRY_GOTO(check_sentinel(q, s, range[0]));
  sciara_source_scale_of(s, &scale, &offset);
  for (int k = 0; k < 2; k++) range[k] = range[k] * scale + offset;
  SCIARA_TRY_GOTO(sciara_source_suggest_scale(s, metres, &convert));
  SCIARA_TRY_GOTO(sciara_source_suggest_scale(s, 1, &rename));
  status =
      sciara_fail(SCIARA_ERR_INPUT,
                  "%s: its altitudes (%.6g to %.6g) are in \"%s\" by its metadata; metres are needed. If they are "
                  "%s: %s; if they are metres already (gdalwarp and gdal_calc.py convert altitudes and keep the "
                  "name of the unit): %s",
                  q->path, fmin(range[0], range[1]), fmax(range[0], range[1]), unit, plural, convert.data, rename.data);
cleanup:
  sciara_text_free(&convert);
  sciara_text_free(&rename);
  return status;
}

/** Coordinates that are not in metres make one doubt altitudes whose unit nothing names; a warp leaves no trace of it. */
static enum sciara_status warn_of_coordinates(const struct sciara_dem_request *q, const struct sciara_source *s) {
  const char *unit = "";
  const double metres = OSRGetLinearUnits(s->srs, (char **)&unit);
  struct sciara_text convert = {0}, path = {0};
  enum sciara_status status = SCIARA_OK;
  if (fabs(metres - 1) <= 1e-9) return SCIARA_OK;
  SCIARA_TRY_GOTO(sciara_source_suggest_scale(s, metres, &convert));
  SCIARA_TRY_GOTO(sciara_text_append(&convert, " && gdal_edit.py -units m "));
  SCIARA_TRY_GOTO(sciara_source_append_target(q->path, SCIARA_SOURCE_METRES, &convert));
  SCIARA_TRY_GOTO(sciara_shell_quote(&path, q->path));
  sciara_note(
      q->notes, SCIARA_LOG_WARNING,
      "%s: its altitudes have no unit, and its coordinates are in \"%s\"; they are taken to be metres. If they are: "
      "gdal_edit.py -units m %s; if they are in that unit too: %s",
      q->path, unit, path.data, convert.data);
cleanup:
  sciara_text_free(&convert);
  sciara_text_free(&path);
  return status;
}

/** Altitudes in feet would pass every other check. Not every format has a unit: the CRS may name it. */
enum sciara_status sciara_dem_check_altitude_unit(const struct sciara_dem_request *q, const struct sciara_source *s) {
  static const char *const metre[] = {"", "m", "metre", "metres", "meter", "meters"};
  const char *unit = GDALGetRasterUnitType(s->band);
  double metres;
  const char *plural = find_unit(unit, &metres);
  const bool vertical = s->srs && OSRIsCompound(s->srs);
  if (plural) return fail_unit(q, s, unit, plural, metres);
  if (vertical) {
    const char *name = "";
    metres = OSRGetTargetLinearUnits(s->srs, "VERT_CS", (char **)&name);
    if (fabs(metres - 1) > 1e-9) {
      plural = find_unit(name, &(double){0});
      return fail_unit(q, s, name, plural ? plural : name, metres);
    }
  }
  if (!*unit && !vertical && s->srs && OSRIsProjected(s->srs)) return warn_of_coordinates(q, s);
  for (size_t i = 0; i < sizeof metre / sizeof *metre; i++)
    if (strcasecmp(unit, metre[i]) == 0) return SCIARA_OK;
  sciara_note(q->notes, SCIARA_LOG_WARNING, "%s: the unit of its altitudes is \"%s\"; they are taken to be metres",
              q->path, unit);
  return SCIARA_OK;
}
