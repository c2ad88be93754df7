// SPDX-License-Identifier: Apache-2.0
#include "terrain/dem_gdal.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "file/gdal_support.h"
#include "model/params.h"
#include "terrain/dem_altitudes.h"
#include "terrain/dem_source.h"

/** What is to be done with an opened DEM. CRS are owned; both may be NULL. */
struct treatment {
  OGRSpatialReferenceH from, to;
  double box[4]; ///< west, south, east and north of the requested part, in `to`
  bool has_box;
  double cell;
  bool warp;
};

// ------------------------------------------------------------------------------------------------ a part of the raster

/** Transforms a box between two CRS, of which neither is NULL. */
static enum sciara_status change_box(const char *path, OGRSpatialReferenceH from, OGRSpatialReferenceH to,
                                     const double box[4], double out[4]) {
  const bool done = sciara_srs_change_box(from, to, box, out);
  for (int k = 0; k < 4; k++)
    if (!done || !isfinite(out[k]))
      return sciara_fail(SCIARA_ERR_INPUT, "%s: the window cannot be placed in the CRS of the DEM", path);
  return SCIARA_OK;
}

static enum sciara_status box_of_degrees(const struct sciara_dem_request *q, const double degrees[4],
                                         struct treatment *t, double out[4]) {
  OGRSpatialReferenceH wgs84 = NULL;
  if (!t->to)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: names no CRS, so longitude and latitude cannot be placed on it", q->path);
  SCIARA_TRY(sciara_srs_parse(SCIARA_SOURCE_DEGREES, &wgs84));
  const enum sciara_status status = change_box(q->path, wgs84, t->to, degrees, out);
  OSRRelease(wgs84);
  return status;
}

/** The points with their margin. */
static enum sciara_status box_of_points(const struct sciara_dem_request *q, struct treatment *t) {
  double *b = t->box;
  if (q->point_count == 0)
    return sciara_fail(SCIARA_ERR_INPUT, "dem.window_margin_m: expected vents given by x,y, lon,lat or a line");
  memcpy(b, (const double[4]){INFINITY, INFINITY, -INFINITY, -INFINITY}, 4 * sizeof *b);
  for (size_t k = 0; k < q->point_count; k++) {
    const struct sciara_dem_point *at = &q->points[k];
    double x[4] = {at->x, at->y, at->x, at->y};
    if (at->is_lonlat) SCIARA_TRY(box_of_degrees(q, (const double[4]){at->x, at->y, at->x, at->y}, t, x));
    b[0] = fmin(b[0], x[0] - q->margin_m);
    b[1] = fmin(b[1], x[1] - q->margin_m);
    b[2] = fmax(b[2], x[2] + q->margin_m);
    b[3] = fmax(b[3], x[3] + q->margin_m);
  }
  return SCIARA_OK;
}

enum { REACH = 4 }; ///< cells around the window that resampling may read, in cells of the raster or of the grid

/** Turns a box in degrees to the longitudes of the raster, which may count from -180 or from 0, and past 180. */
static void turn_box(const struct sciara_source *s, double turn, double b[4]) {
  if (!(turn > 0)) return;
  if (b[2] < b[0]) b[2] += turn; // PROJ's box across 180 degrees
  const double middle = s->west + 0.5 * (double)s->cols * s->dx;
  const double turns = round((middle - 0.5 * (b[0] + b[2])) / turn);
  b[0] += turns * turn;
  b[2] += turns * turn;
}

/** A window with cells at both ends of a raster of all longitudes would lose those at one of them. */
static enum sciara_status check_seam(const struct sciara_dem_request *q, const struct sciara_source *s, double turn,
                                     const double b[4]) {
  const double east = s->west + (double)s->cols * s->dx, south = s->north - (double)s->rows * s->dy;
  const bool past_east = b[2] > east + s->dx && b[2] - turn > s->west + s->dx;
  const bool past_west = b[0] < s->west - s->dx && b[0] + turn < east - s->dx;
  if (!(turn > 0) || !(past_east || past_west)) return SCIARA_OK;
  struct sciara_text command = {0};
  const double spare = 2 * REACH; // cells around the window
  const double left = s->west + (floor((b[0] - s->west) / s->dx) - spare) * s->dx;
  const double right = s->west + (ceil((b[2] - s->west) / s->dx) + spare) * s->dx;
  const double top = fmin(s->north, s->north - (floor((s->north - b[3]) / s->dy) - spare) * s->dy);
  const double bottom = fmax(south, s->north - (ceil((s->north - b[1]) / s->dy) + spare) * s->dy);
  enum sciara_status status = sciara_text_append(&command, "gdalwarp -te %.12g %.12g %.12g %.12g -tr %.12g %.12g ",
                                                 left, bottom, right, top, s->dx, s->dy);
  if (status == SCIARA_OK) status = sciara_source_append_paths(q->path, "-part", &command);
  if (status == SCIARA_OK)
    status = sciara_fail(SCIARA_ERR_INPUT,
                         "%s: the window crosses x = %.9g, where the raster ends and begins again; cut out that part "
                         "with: %s",
                         q->path, past_east ? east : s->west, command.data);
  sciara_text_free(&command);
  return status;
}

/** Whether a window in x and y would lie on the raster as longitude and latitude. */
static bool may_be_degrees(const struct sciara_source *s, const struct treatment *t) {
  OGRSpatialReferenceH degrees, own = t->from ? t->from : t->to;
  const double east = s->west + (double)s->cols * s->dx, south = s->north - (double)s->rows * s->dy;
  double b[4];
  if (!own || fabs(t->box[0]) > 360 || fabs(t->box[2]) > 360 || fabs(t->box[1]) > 90 || fabs(t->box[3]) > 90)
    return false;
  if (sciara_srs_parse(SCIARA_SOURCE_DEGREES, &degrees) != SCIARA_OK) return false;
  const bool placed = sciara_srs_change_box(degrees, own, t->box, b);
  OSRRelease(degrees);
  if (!placed) return false;
  turn_box(s, sciara_srs_turn(own), b);
  return b[0] < east && b[2] > s->west && b[1] < s->north && b[3] > south;
}

/** Rows and columns of the raster that the box covers; `spare` more on each side, for what is to be resampled. */
static enum sciara_status window_of_box(const struct sciara_dem_request *q, const struct sciara_source *s,
                                        const struct treatment *t, int64_t spare, int64_t window[4]) {
  double b[4];
  memcpy(b, t->box, sizeof b);
  if (t->from && !sciara_srs_is_same(t->from, t->to)) SCIARA_TRY(change_box(q->path, t->to, t->from, t->box, b));
  const double turn = sciara_srs_turn(t->from);
  turn_box(s, turn, b);
  SCIARA_TRY(check_seam(q, s, turn, b));
  const double east = s->west + (double)s->cols * s->dx, south = s->north - (double)s->rows * s->dy;
  const bool overlaps = b[0] < east && b[2] > s->west && b[1] < s->north && b[3] > south;
  if (!overlaps && may_be_degrees(s, t))
    return sciara_fail(
        SCIARA_ERR_INPUT,
        "%s: expected a window in metres in the CRS of the DEM, found x %.9g to %.9g and y %.9g to %.9g, which are "
        "longitude and latitude of a place on the raster: call the key window_lonlat",
        q->path, t->box[0], t->box[2], t->box[1], t->box[3]);
  if (!overlaps)
    return sciara_fail(
        SCIARA_ERR_INPUT,
        "%s: expected a window that overlaps the raster, x %.9g to %.9g and y %.9g to %.9g; found x %.9g "
        "to %.9g and y %.9g to %.9g",
        q->path, s->west, east, south, s->north, b[0], b[2], b[1], b[3]);
  if (b[0] < s->west || b[2] > east || b[1] < south || b[3] > s->north)
    sciara_note(q->notes, SCIARA_LOG_INFO, "%s: the window extends beyond the raster and is cut at its edge", q->path);
  const double slack = 1e-6;
  const double left = floor((b[0] - s->west) / s->dx + slack), right = ceil((b[2] - s->west) / s->dx - slack);
  const double top = floor((s->north - b[3]) / s->dy + slack), bottom = ceil((s->north - b[1]) / s->dy - slack);
  const double reach = (double)spare;
  window[0] = (int64_t)fmax(top - reach, 0);
  window[1] = (int64_t)fmax(left - reach, 0);
  window[2] = (int64_t)fmin(bottom + reach, (double)s->rows) - window[0];
  window[3] = (int64_t)fmin(right + reach, (double)s->cols) - window[1];
  return SCIARA_OK;
}

/** The length of a cell of the raster, m, in the CRS of the grid, about. */
static double dem_cell_in_metres(const struct sciara_source *s, const struct treatment *t) {
  const double metres = t->from && OSRIsGeographic(t->from) ? 111e3 : 1;
  return fmax(s->dx, s->dy) * metres;
}

static enum sciara_status choose_box(const struct sciara_dem_request *q, const struct sciara_source *s,
                                     struct treatment *t, int64_t window[4]) {
  if (q->margin_m > 0)
    SCIARA_TRY(box_of_points(q, t));
  else if (q->box && q->box_is_lonlat)
    SCIARA_TRY(box_of_degrees(q, q->box, t, t->box));
  else if (q->box)
    memcpy(t->box, q->box, sizeof t->box);
  t->has_box = true;
  const double ratio = q->cell_size_m > 0 ? ceil(q->cell_size_m / (0.3 * dem_cell_in_metres(s, t))) : 0;
  const int64_t spare = q->cell_size_m > 0 ? REACH + REACH * (int64_t)fmin(ratio, 1e6) : 0;
  return window_of_box(q, s, t, spare, window);
}

/**
 * Chooses the window [first row, first column, rows, columns] of the raster that is read; it is larger than the requested
 * part if that is to be resampled. The CRS of the treatment are known; its box is set if one is requested.
 */
static enum sciara_status dem_part_choose(const struct sciara_dem_request *q, const struct sciara_source *s,
                                          struct treatment *t, int64_t window[4]) {
  if (q->box || q->margin_m > 0) return choose_box(q, s, t, window);
  const int64_t all[4] = {0, 0, s->rows, s->cols};
  memcpy(window, q->window ? q->window : all, sizeof all);
  const int64_t *w = window;
  if (w[0] < 0 || w[1] < 0 || w[2] < 1 || w[3] < 1 || w[0] > s->rows - w[2] || w[1] > s->cols - w[3])
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: the window [row %" PRId64 ", column %" PRId64 ", %" PRId64 " rows, %" PRId64
                       " columns] does not lie within its %" PRId64 " rows x %" PRId64 " columns",
                       q->path, w[0], w[1], w[2], w[3], s->rows, s->cols);
  return SCIARA_OK;
}

/** West, south, east and north of the whole raster, in the CRS of the grid; all 0: not known. */
static void raster_box(const struct sciara_dem_request *q, const struct sciara_source *s, const struct treatment *t,
                       double out[4]) {
  const double width = (double)s->cols * s->dx, height = (double)s->rows * s->dy, most = 60;
  const double box[4] = {s->west, s->north - height, s->west + width, s->north};
  memcpy(out, box, sizeof box);
  if (!t->from || sciara_srs_is_same(t->from, t->to)) return;
  const bool vast = OSRIsGeographic(t->from) && (width > most || height > most); // its box says little in a projection
  if (vast || change_box(q->path, t->from, t->to, box, out) != SCIARA_OK) memset(out, 0, sizeof box);
}

/** What is known of a window that was chosen; a whole raster may itself be one of another. */
static struct sciara_dem_window dem_part_window(const struct sciara_dem_request *q, const struct sciara_source *s,
                                                const struct treatment *t, const int64_t window[4]) {
  const bool cut = t->warp && t->has_box; // what is read has cells beyond the box, with which its rim is resampled
  if (window[2] == s->rows && window[3] == s->cols && !cut)
    return sciara_dem_window_parse(GDALGetMetadataItem(s->dataset, SCIARA_DEM_WINDOW, NULL));
  struct sciara_dem_window w = {.key = q->margin_m > 0    ? "dem.window_margin_m"
                                       : q->window        ? "dem.window"
                                       : q->box_is_lonlat ? "dem.window_lonlat"
                                                          : "dem.window_xy",
                                .margin_m = q->margin_m > 0 ? q->margin_m : 0};
  raster_box(q, s, t, w.raster);
  return w;
}

// --------------------------------------------------------------------------------------------------------------- units

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
static enum sciara_status dem_check_altitude_unit(const struct sciara_dem_request *q, const struct sciara_source *s) {
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

static enum sciara_status refuse_dem(const struct sciara_dem_request *q, const struct sciara_source *s,
                                     const char *found) {
  struct sciara_text command = {0};
  enum sciara_status status = sciara_source_suggest_warp(s, q->crs, q->cell_size_m, &command);
  if (status == SCIARA_OK)
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: %s; square cells in metres are needed. Make them with: %s", q->path,
                         found, command.data);
  sciara_text_free(&command);
  return status;
}

/**
 * A DEM in degrees: the keys with which it is warped when it is read, to the cells on which a rule was calibrated: the
 * default one, or from cells that are too large for it the advised one.
 */
static enum sciara_status refuse_degrees(const struct sciara_dem_request *q, const struct sciara_source *s) {
  const int utm = sciara_source_utm(s);
  const bool given = q->cell_size_m > 0, coarse = !given && sciara_source_round_cell(s) > SCIARA_CELL_MOST;
  const enum sciara_rule_kind rule = coarse ? SCIARA_RULE_ADVISED : SCIARA_RULE_DEFAULT;
  const double cell = given ? q->cell_size_m : sciara_preset_of_rule(rule)->cell_size_m;
  char found[192], crs[32], cells[48] = "", set[48] = "";
  snprintf(found, sizeof found, "its cells are %.9g x %.9g degrees", s->dx, s->dy);
  if (!q->crs && !utm) return refuse_dem(q, s, found);
  snprintf(crs, sizeof crs, "EPSG:%d", utm);
  if (!given) snprintf(cells, sizeof cells, " to cells of %g m", cell);
  if (coarse) snprintf(set, sizeof set, " --set model.rule=%s", sciara_rule_name(rule));
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: %s; square cells in metres are needed. These keys have it warped%s: --set dem.crs=%s --set "
                     "dem.cell_size_m=%.10g%s",
                     q->path, found, cells, q->crs ? q->crs : crs, cell, set);
}

/** Whether the coordinates are said to be metres from somewhere, of an experiment perhaps. */
static bool is_local(const struct sciara_dem_request *q) { return q->crs && strcmp(q->crs, "local") == 0; }

/** Fills `to` from the request and `from` from the DEM, or from the request where the DEM names none. */
static enum sciara_status choose_crs(const struct sciara_dem_request *q, const struct sciara_source *s,
                                     struct treatment *t) {
  if (is_local(q)) {
    if (!s->srs || OSRIsLocal(s->srs)) return SCIARA_OK;
    return sciara_fail(SCIARA_ERR_INPUT, "dem.crs: \"local\" is for a raster that names no CRS; %s names \"%s\"",
                       q->path, OSRGetName(s->srs));
  }
  if (q->crs) {
    SCIARA_TRY(sciara_fail_context(sciara_srs_parse(q->crs, &t->to), "dem.crs"));
    if (!sciara_srs_is_metric(t->to))
      return sciara_fail(
          SCIARA_ERR_INPUT,
          "dem.crs: expected a projected CRS in metres (UTM zones: EPSG:326zz north, 327zz south), found \"%s\"",
          q->crs);
  }
  if (s->srs) {
    t->from = OSRClone(s->srs);
    if (!t->to) t->to = OSRClone(s->srs);
  } else if (t->to) {
    t->from = OSRClone(t->to);
    sciara_note(q->notes, SCIARA_LOG_INFO, "%s: names no CRS; it is taken to be in %s", q->path, q->crs);
  }
  return SCIARA_OK;
}

static enum sciara_status check_unknown_crs(const struct sciara_dem_request *q, const struct sciara_source *s) {
  if (is_local(q) || q->own) return SCIARA_OK;
  double south = s->north - s->dy * (double)s->rows, east = s->west + s->dx * (double)s->cols;
  if (s->dx < 0.1 && s->west >= -180 && east <= 360 && south >= -90 && s->north <= 90) {
    char found[160];
    snprintf(found, sizeof found,
             "names no CRS and has cells of %g at %g, %g: these look like degrees (if they are metres: \"dem.crs\": "
             "\"local\")",
             s->dx, s->west, s->north);
    struct sciara_source guess = *s; // for the command only
    guess.guess = SCIARA_SOURCE_DEGREES;
    SCIARA_TRY(sciara_srs_parse(guess.guess, &guess.srs));
    const enum sciara_status status = refuse_dem(q, &guess, found);
    OSRRelease(guess.srs);
    return status;
  }
  if (!q->crs)
    sciara_note(q->notes, SCIARA_LOG_WARNING,
                "%s: names no CRS; its coordinates are taken to be metres, and maps will have no CRS", q->path);
  return SCIARA_OK;
}

static enum sciara_status check_units(const struct sciara_dem_request *q, const struct sciara_source *s,
                                      const struct treatment *t) {
  if (!s->srs) return check_unknown_crs(q, s);
  char found[256];
  const char *unit = NULL;
  bool asked = q->crs && q->cell_size_m > 0;
  if (OSRIsLocal(s->srs)) {
    double metres = OSRGetLinearUnits(s->srs, NULL);
    if (fabs(metres - 1) < 1e-9) {
      sciara_note(q->notes, SCIARA_LOG_WARNING, "%s: its CRS is local, not tied to the Earth", q->path);
      return SCIARA_OK;
    }
    return sciara_fail(SCIARA_ERR_INPUT, "%s: its local CRS has units of %g m; metres are needed", q->path, metres);
  }
  if (OSRIsGeographic(s->srs)) return asked ? SCIARA_OK : refuse_degrees(q, s);
  if (!OSRIsProjected(s->srs))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: its CRS is neither projected nor geographic", q->path);
  if (sciara_srs_is_metric(t->from)) return SCIARA_OK;
  double metres = OSRGetLinearUnits(s->srs, (char **)&unit);
  snprintf(found, sizeof found,
           "its coordinates are in units of %.10g m (%s) (or give dem.crs and dem.cell_size_m to have it warped)",
           metres, unit ? unit : "unnamed");
  return asked ? SCIARA_OK : refuse_dem(q, s, found);
}

/** West, south, east and north of a window of the raster in the CRS `to`. */
static enum sciara_status window_bounds(const struct sciara_source *s, const int64_t w[4], const struct treatment *t,
                                        OGRSpatialReferenceH to, double bounds[4]) {
  const double west = s->west + (double)w[1] * s->dx, north = s->north - (double)w[0] * s->dy;
  const double east = west + (double)w[3] * s->dx, south = north - (double)w[2] * s->dy;
  memcpy(bounds, (const double[4]){west, south, east, north}, 4 * sizeof *bounds);
  if (to == t->from) return SCIARA_OK;
  if (sciara_srs_change_box(t->from, to, (const double[4]){west, south, east, north}, bounds)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: cannot be placed in the CRS that it is to be warped to", s->path);
}

static enum sciara_status refuse_target(const struct sciara_dem_request *q, const struct sciara_source *s,
                                        const struct treatment *t, double scale) {
  struct sciara_source source = *s; // for the command only
  struct sciara_text command = {0};
  enum sciara_status status = SCIARA_OK;
  if (!s->srs) {
    source.srs = t->from;
    source.guess = q->crs;
    source.scale = scale;
    status = sciara_source_suggest_warp(&source, NULL, q->cell_size_m, &command);
  }
  if (status == SCIARA_OK)
    status = sciara_fail(SCIARA_ERR_INPUT,
                         "dem.crs: expected a CRS in which 1 m on the ground is %g to %g m, such as EPSG:%d; found "
                         "\"%s\", in which it is %.4g m at the DEM%s%s",
                         1 - SCIARA_CRS_SCALE_SLACK, 1 + SCIARA_CRS_SCALE_SLACK, sciara_source_utm(&source), q->crs,
                         scale, command.data ? "; warp the DEM with: " : "", command.data ? command.data : "");
  sciara_text_free(&command);
  return status;
}

static enum sciara_status refuse_own(const struct sciara_dem_request *q, const struct sciara_source *s, double scale) {
  struct sciara_source source = *s; // for the command only
  char found[160];
  source.scale = scale;
  snprintf(
      found, sizeof found,
      "1 m on the ground is %.4g m in its CRS, expected %g to %g m (or give dem.crs and dem.cell_size_m to have it "
      "warped)",
      scale, 1 - SCIARA_CRS_SCALE_SLACK, 1 + SCIARA_CRS_SCALE_SLACK);
  return refuse_dem(q, &source, found);
}

/** A metre of the CRS, that of the DEM and the one to warp to, must be one on the ground: the model knows no other. */
static enum sciara_status check_scale(const struct sciara_dem_request *q, const struct sciara_source *s,
                                      const int64_t window[4], const struct treatment *t) {
  double bounds[4], scale;
  const bool warped = q->crs && q->cell_size_m > 0;
  if (q->crs && !is_local(q)) {
    SCIARA_TRY(window_bounds(s, window, t, s->srs ? t->to : t->from, bounds));
    const enum sciara_status status = sciara_crs_scale(t->to, bounds, &scale);
    if (status != SCIARA_OK) return sciara_fail_context(status, "dem.crs");
    if (!sciara_crs_scale_is_sound(scale)) return refuse_target(q, s, t, scale);
  }
  if (!s->srs || warped || !sciara_srs_is_metric(s->srs)) return SCIARA_OK;
  SCIARA_TRY(window_bounds(s, window, t, t->from, bounds));
  SCIARA_TRY(sciara_fail_context(sciara_crs_scale(s->srs, bounds, &scale), "%s", q->path));
  return sciara_crs_scale_is_sound(scale) ? SCIARA_OK : refuse_own(q, s, scale);
}

static enum sciara_status choose_treatment(const struct sciara_dem_request *q, const struct sciara_source *s,
                                           const int64_t window[4], struct treatment *t) {
  if (!(q->cell_size_m >= 0) || !isfinite(q->cell_size_m))
    return sciara_fail(SCIARA_ERR_INPUT, "dem.cell_size_m: expected above 0, found %g", q->cell_size_m);
  SCIARA_TRY(dem_check_altitude_unit(q, s)); // first: a warp may convert altitudes and keep the name of their unit
  SCIARA_TRY(check_units(q, s, t));
  SCIARA_TRY(check_scale(q, s, window, t));
  bool same = !t->from || sciara_srs_is_same(t->from, t->to);
  // What is left out of account may displace the far corner by a hundredth of a cell, and no slope by more than 1e-4.
  double uneven = fabs(s->dx - s->dy) / s->dx, longest = (double)(s->rows > s->cols ? s->rows : s->cols);
  bool square = uneven <= 1e-4 && uneven * longest <= SCIARA_SOURCE_SLACK;
  if (!square && q->cell_size_m == 0) {
    char found[160];
    snprintf(found, sizeof found, "its cells are not square, %.12g x %.12g (or give dem.cell_size_m to have it warped)",
             s->dx, s->dy);
    return refuse_dem(q, s, found);
  }
  t->cell = q->cell_size_m > 0 ? q->cell_size_m : s->dx;
  t->warp = !same || !square || fabs(t->cell - s->dx) > 1e-9 * s->dx;
  if (!t->warp) t->cell = s->dx;
  return SCIARA_OK;
}

uint64_t sciara_dem_hash(const struct sciara_dem *d) {
  const struct sciara_grid *g = &d->grid;
  size_t cells = (size_t)sciara_grid_cells(g);
  const double position[3] = {g->cell_size, g->west, g->north};
  uint64_t hash = sciara_hash_bytes(SCIARA_HASH_BEGIN, &g->rows, sizeof g->rows);
  hash = sciara_hash_bytes(hash, &g->cols, sizeof g->cols);
  hash = sciara_hash_bytes(hash, position, sizeof position);
  hash = sciara_hash_bytes(hash, d->valid, cells);
  hash = sciara_hash_bytes(hash, d->altitude, cells * sizeof *d->altitude);
  if (d->sea) hash = sciara_hash_bytes(hash, d->sea, cells);
  const uint64_t changes = sciara_ground_changes_hash(&d->changes);
  return changes ? sciara_hash_bytes(hash, &changes, sizeof changes) : hash;
}

/** Whether a band may hold altitudes: it is no mask, and no mark of a dem.tif of this program. */
static bool may_be_altitude(GDALRasterBandH band) {
  const char *name = GDALGetDescription(band);
  return GDALGetRasterColorInterpretation(band) != GCI_AlphaBand && strcmp(name, SCIARA_DEM_SEA) != 0 &&
         strcmp(name, SCIARA_DEM_EDIT) != 0 && strcmp(name, SCIARA_DEM_OBSERVED) != 0;
}

/** Says which of several bands is taken, and that a colour is no altitude. */
static void report_band(const struct sciara_dem_request *q, const struct sciara_source *s) {
  const GDALColorInterp colour = GDALGetRasterColorInterpretation(s->band);
  const bool is_colour = colour >= GCI_PaletteIndex && colour <= GCI_BlackBand;
  const char *name = GDALGetDescription(s->band);
  const int count = GDALGetRasterCount(s->dataset);
  int others = 0;
  for (int k = 1; k <= count; k++) others += k != q->band && may_be_altitude(GDALGetRasterBand(s->dataset, k));
  if (q->own || (others == 0 && !is_colour)) return;
  sciara_note(q->notes, q->band == 1 || is_colour ? SCIARA_LOG_WARNING : SCIARA_LOG_INFO,
              "%s: band %d of %d%s%.60s%s is taken as altitudes%s%s%s; dem.band chooses another one", q->path, q->band,
              count, *name ? ", \"" : "", name, *name ? "\"," : "", is_colour ? ", but is a colour of a picture (" : "",
              is_colour ? GDALGetColorInterpretationName(colour) : "", is_colour ? ")" : "");
}

/** Says what was read and how. */
static void report_dem(const struct sciara_source *s, const struct sciara_dem *d, int64_t hidden) {
  char siblings[256];
  sciara_gdal_files_opened(s->name, siblings, sizeof siblings);
  sciara_note(s->notes, SCIARA_LOG_INFO,
              "%s: %s%s%s, %" PRId64 " rows x %" PRId64 " columns of %.10g m, %s, %" PRId64 " %s NODATA", s->path,
              d->driver, siblings[0] ? ", with " : "", siblings[0] ? siblings + 2 : "", d->grid.rows, d->grid.cols,
              d->grid.cell_size, d->georef.crs_name ? d->georef.crs_name : "no CRS", hidden,
              sciara_plural((uint64_t)hidden, "cell", "cells"));
}

char *sciara_dem_coarse_text(const char *path, double coarse_m, double cell_size) {
  return sciara_format(
      "%s: its cells of %.3g m are resampled to %.10g m: they have the relief of a DEM of %.3g m, without its gullies, "
      "levees and roads, and lava runs out differently than on a DEM of %.10g m",
      path, coarse_m, cell_size, coarse_m, cell_size);
}

/**
 * Small cells made of large ones pass every test of their size: that is said.
 *
 * @param side of the cells of the raster; they may be made of larger ones, which its metadata say
 */
static enum sciara_status judge_cells(const struct sciara_dem_request *q, const struct sciara_source *s, double side,
                                      struct sciara_dem *out) {
  enum { COARSE = 4, LARGE_M = 60 }; // from larger cells also where the small ones are not that small
  const char *made_of = GDALGetMetadataItem(s->dataset, SCIARA_DEM_COARSE, NULL);
  const double cell = out->grid.cell_size;
  double coarse = 0;
  if (!made_of || !sciara_parse_double(made_of, &coarse) || !(coarse > side)) coarse = side;
  if (!(coarse > COARSE * cell || (coarse > LARGE_M && coarse > 1.5 * cell))) return SCIARA_OK;
  out->coarse_m = coarse;
  if (q->own) return SCIARA_OK; // it was said when the run or the ensemble began
  char *text = sciara_dem_coarse_text(q->path, coarse, cell);
  if (!text) return sciara_no_memory("a warning");
  sciara_note(q->notes, SCIARA_LOG_WARNING, "%s", text);
  free(text);
  return SCIARA_OK;
}

enum sciara_status sciara_dem_read_window(const char *path, struct sciara_dem_window *out) {
  struct sciara_gdal_scope scope;
  struct sciara_source source = {0};
  sciara_gdal_enter(&scope, false);
  const enum sciara_status status = sciara_source_open(&scope, path, 1, NULL, 0, NULL, &source);
  if (status == SCIARA_OK) *out = sciara_dem_window_parse(GDALGetMetadataItem(source.dataset, SCIARA_DEM_WINDOW, NULL));
  sciara_source_close(&source);
  sciara_gdal_leave(&scope);
  return status;
}

/** Moves the patch into the DEM. */
static enum sciara_status finish(const struct sciara_source *s, const struct treatment *treatment,
                                 struct sciara_patch *patch, struct sciara_dem *out) {
  out->grid = (struct sciara_grid){.rows = patch->rows,
                                   .cols = patch->cols,
                                   .cell_size = treatment->cell,
                                   .west = patch->west,
                                   .north = patch->north};
  out->altitude = patch->altitude;
  out->valid = patch->valid;
  patch->altitude = NULL;
  patch->valid = NULL;
  int64_t cells = sciara_grid_cells(&out->grid), valid = 0;
  for (int64_t i = 0; i < cells; i++) valid += out->valid[i];
  if (valid == 0) return sciara_fail(SCIARA_ERR_INPUT, "%s: every cell is NODATA after warping", s->path);
  SCIARA_TRY(sciara_georef_from_srs(treatment->to, &out->georef));
  SCIARA_TRY(sciara_copy(GDALGetDriverShortName(GDALGetDatasetDriver(s->dataset)), "a DEM", &out->driver));
  out->hash = sciara_dem_hash(out);
  report_dem(s, out, cells - valid);
  return SCIARA_OK;
}

/** The band of the dem.tif of a run with this name, as whole numbers; *out stays NULL if there is none. */
static enum sciara_status read_mark(struct sciara_gdal_scope *scope, const struct sciara_source *s, const char *name,
                                    GDALDataType type, size_t bytes, void **out) {
  GDALRasterBandH band = NULL;
  for (int k = 2; k <= GDALGetRasterCount(s->dataset); k++)
    if (strcmp(GDALGetDescription(GDALGetRasterBand(s->dataset, k)), name) == 0)
      band = GDALGetRasterBand(s->dataset, k);
  if (!band) return SCIARA_OK;
  const int cols = (int)s->cols, rows = (int)s->rows;
  SCIARA_TRY(sciara_alloc(out, (size_t)(s->rows * s->cols), bytes, "marks of a DEM"));
  if (GDALRasterIO(band, GF_Read, 0, 0, cols, rows, *out, cols, rows, type, 0, 0) == CE_None) return SCIARA_OK;
  return sciara_fail(sciara_gdal_status(scope, SCIARA_ERR_INPUT), "%s: band \"%s\" cannot be read: %s", s->path, name,
                     sciara_gdal_message(scope));
}

static enum sciara_status read_marks(struct sciara_gdal_scope *scope, const struct sciara_source *s,
                                     struct sciara_dem *out) {
  void *sea = NULL, *edit = NULL, *observed = NULL;
  enum sciara_status status = read_mark(scope, s, SCIARA_DEM_SEA, GDT_Byte, sizeof *out->sea, &sea);
  if (status == SCIARA_OK) status = read_mark(scope, s, SCIARA_DEM_EDIT, GDT_UInt16, sizeof *out->edit, &edit);
  if (status == SCIARA_OK) status = read_mark(scope, s, SCIARA_DEM_OBSERVED, GDT_Byte, sizeof(uint8_t), &observed);
  out->sea = (uint8_t *)sea;
  out->edit = (uint16_t *)edit;
  out->observed = (uint8_t *)observed;
  return status;
}

enum sciara_status sciara_dem_read(const struct sciara_dem_request *request, struct sciara_dem *out) {
  *out = (struct sciara_dem){0};
  struct sciara_gdal_scope scope;
  sciara_gdal_enter(&scope, false);
  enum sciara_status status = SCIARA_OK;
  struct sciara_source source = {0};
  struct treatment treatment = {0};
  struct sciara_patch patch = {0}, warped = {0};
  double side = 0; // of cells that are not warped: that of the DEM
  int64_t window[4] = {0};
  SCIARA_TRY_GOTO(sciara_source_open(&scope, request->path, request->band, request->extra_drivers,
                                     request->extra_driver_count, request->notes, &source));
  report_band(request, &source);
  SCIARA_TRY_GOTO(choose_crs(request, &source, &treatment));
  SCIARA_TRY_GOTO(dem_part_choose(request, &source, &treatment, window));
  SCIARA_TRY_GOTO(choose_treatment(request, &source, window, &treatment));
  // A source that will be warped is held twice (here and in GDAL) while it is read, but never simulated.
  SCIARA_TRY_GOTO(sciara_patch_read(&scope, &source, window, treatment.warp ? 32 : SCIARA_RUN_BYTES_PER_CELL,
                                    request->has_nodata ? &request->nodata : NULL, &patch));
  if (treatment.warp) {
    const char *how;
    const struct sciara_patch raster = {.rows = source.rows,
                                        .cols = source.cols,
                                        .west = source.west,
                                        .north = source.north,
                                        .dx = source.dx,
                                        .dy = source.dy};
    const struct sciara_warp warp = {.path = request->path,
                                     .source = &patch,
                                     .whole = treatment.has_box ? &raster : &patch,
                                     .from = treatment.from,
                                     .to = treatment.to,
                                     .cell = treatment.cell,
                                     .box = treatment.has_box ? treatment.box : NULL};
    SCIARA_TRY_GOTO(sciara_patch_warp(&scope, &warp, &how, &side, &warped));
    sciara_note(request->notes, SCIARA_LOG_INFO, "%s: cells of %.3g m are warped %s to cells of %.10g m", request->path,
                side, how, treatment.cell);
  }
  SCIARA_TRY_GOTO(finish(&source, &treatment, treatment.warp ? &warped : &patch, out));
  SCIARA_TRY_GOTO(judge_cells(request, &source, side, out));
  out->window = dem_part_window(request, &source, &treatment, window);
  if (request->marked) SCIARA_TRY_GOTO(read_marks(&scope, &source, out));
cleanup:
  if (status != SCIARA_OK) sciara_dem_free(out);
  sciara_patch_free(&patch);
  sciara_patch_free(&warped);
  OSRRelease(treatment.from);
  OSRRelease(treatment.to);
  sciara_source_close(&source);
  sciara_gdal_leave(&scope);
  return status;
}

enum sciara_status sciara_dem_observed_read(const char *path, const struct sciara_grid *grid, uint8_t **out) {
  struct sciara_gdal_scope scope;
  struct sciara_source source = {0};
  void *observed = NULL;
  enum sciara_status status;
  sciara_gdal_enter(&scope, false);
  SCIARA_TRY_GOTO(sciara_source_open(&scope, path, 1, NULL, 0, NULL, &source));
  if (source.rows == grid->rows && source.cols == grid->cols)
    SCIARA_TRY_GOTO(read_mark(&scope, &source, SCIARA_DEM_OBSERVED, GDT_Byte, sizeof(uint8_t), &observed));
cleanup:
  *out = (uint8_t *)observed;
  sciara_source_close(&source);
  sciara_gdal_leave(&scope);
  return status;
}

void sciara_dem_free(struct sciara_dem *dem) {
  sciara_free(dem->altitude);
  sciara_free(dem->valid);
  sciara_free(dem->sea);
  sciara_free(dem->edit);
  sciara_free(dem->observed);
  sciara_ground_changes_free(&dem->changes);
  free(dem->driver);
  sciara_georef_free(&dem->georef);
  *dem = (struct sciara_dem){0};
}
