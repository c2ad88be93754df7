// SPDX-License-Identifier: Apache-2.0
#include "terrain/dem_parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "terrain/dem_gdal.h"

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
                                         struct sciara_dem_treatment *t, double out[4]) {
  OGRSpatialReferenceH wgs84 = NULL;
  if (!t->to)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: names no CRS, so longitude and latitude cannot be placed on it", q->path);
  SCIARA_TRY(sciara_srs_parse(SCIARA_SOURCE_DEGREES, &wgs84));
  const enum sciara_status status = change_box(q->path, wgs84, t->to, degrees, out);
  OSRRelease(wgs84);
  return status;
}

/** The points with their margin. */
static enum sciara_status box_of_points(const struct sciara_dem_request *q, struct sciara_dem_treatment *t) {
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
static bool may_be_degrees(const struct sciara_source *s, const struct sciara_dem_treatment *t) {
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
                                        const struct sciara_dem_treatment *t, int64_t spare, int64_t window[4]) {
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
static double cell_in_metres(const struct sciara_source *s, const struct sciara_dem_treatment *t) {
  const double metres = t->from && OSRIsGeographic(t->from) ? 111e3 : 1;
  return fmax(s->dx, s->dy) * metres;
}

static enum sciara_status choose_box(const struct sciara_dem_request *q, const struct sciara_source *s,
                                     struct sciara_dem_treatment *t, int64_t window[4]) {
  if (q->margin_m > 0)
    SCIARA_TRY(box_of_points(q, t));
  else if (q->box && q->box_is_lonlat)
    SCIARA_TRY(box_of_degrees(q, q->box, t, t->box));
  else if (q->box)
    memcpy(t->box, q->box, sizeof t->box);
  t->has_box = true;
  const double ratio = q->cell_size_m > 0 ? ceil(q->cell_size_m / (0.3 * cell_in_metres(s, t))) : 0;
  const int64_t spare = q->cell_size_m > 0 ? REACH + REACH * (int64_t)fmin(ratio, 1e6) : 0;
  return window_of_box(q, s, t, spare, window);
}

enum sciara_status sciara_dem_part_choose(const struct sciara_dem_request *q, const struct sciara_source *s,
                                          struct sciara_dem_treatment *t, int64_t window[4]) {
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
static void raster_box(const struct sciara_dem_request *q, const struct sciara_source *s,
                       const struct sciara_dem_treatment *t, double out[4]) {
  const double width = (double)s->cols * s->dx, height = (double)s->rows * s->dy, most = 60;
  const double box[4] = {s->west, s->north - height, s->west + width, s->north};
  memcpy(out, box, sizeof box);
  if (!t->from || sciara_srs_is_same(t->from, t->to)) return;
  const bool vast = OSRIsGeographic(t->from) && (width > most || height > most); // its box says little in a projection
  if (vast || change_box(q->path, t->from, t->to, box, out) != SCIARA_OK) memset(out, 0, sizeof box);
}

struct sciara_dem_window sciara_dem_part_window(const struct sciara_dem_request *q, const struct sciara_source *s,
                                                const struct sciara_dem_treatment *t, const int64_t window[4]) {
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
