// SPDX-License-Identifier: Apache-2.0
#include "terrain/dem_altitudes.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <gdal.h>
#include <gdal_alg.h>
#include <gdalwarper.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "file/gdal_support.h"
#include "geometry/grid.h"
#include "terrain/dem_gdal.h"

// --------------------------------------------------------------------------------------------------- cells in memory

void sciara_patch_free(struct sciara_patch *p) {
  sciara_free(p->altitude);
  sciara_free(p->valid);
  p->altitude = NULL;
  p->valid = NULL;
}

/** Whether rows x cols cells can be had: both at least 3 (else no cell has 8 neighbours), memory for them free. */
static enum sciara_status check_size(const char *path, int64_t rows, int64_t cols, int64_t bytes_per_cell) {
  if (rows < 3 || cols < 3)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: %" PRId64 " rows x %" PRId64 " columns; at least 3 x 3 cells are needed",
                       path, rows, cols);
  if (rows > INT_MAX || cols > INT_MAX)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: %" PRId64 " x %" PRId64 " cells; at most %d each way", path, rows, cols,
                       INT_MAX);
  double need = (double)rows * (double)cols * (double)bytes_per_cell, have = (double)sciara_memory_available();
  if (!(have > 0 && need > have)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_MEMORY,
                     "%s: %" PRId64 " x %" PRId64 " cells take about %s at %" PRId64
                     " bytes each, %s are free; take a part with dem.window_margin_m (5000: so many m around the "
                     "vents), or larger cells with dem.cell_size_m",
                     path, rows, cols, SCIARA_BYTES(need), bytes_per_cell, SCIARA_BYTES(have));
}

static enum sciara_status take_memory(struct sciara_patch *p) {
  size_t cells;
  p->altitude = NULL;
  p->valid = NULL;
  SCIARA_TRY(sciara_size_mul((size_t)p->rows, (size_t)p->cols, &cells));
  SCIARA_TRY(SCIARA_NEW(p->altitude, cells, "altitudes of a DEM"));
  enum sciara_status status = SCIARA_NEW(p->valid, cells, "mask of a DEM");
  if (status != SCIARA_OK) sciara_patch_free(p);
  return status;
}

// ------------------------------------------------------------------------------------------ a DEM that a program has

static const char NAME[] = "the array of altitudes"; ///< in messages

enum { MOST_ROWS = INT32_MAX };

static enum sciara_status check_grid(const struct sciara_grid *g) {
  if (!(g->cell_size > 0 && g->cell_size <= 1e6))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: the side of its cells: expected above 0 to 1e6 m, found %g m", NAME,
                       g->cell_size);
  if (!(fabs(g->west) <= 1e9 && fabs(g->north) <= 1e9))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: its north-western corner: expected -1e9 to 1e9 m, found %g, %g", NAME,
                       g->west, g->north);
  if (g->rows > MOST_ROWS || g->cols > MOST_ROWS)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: expected at most %d rows and columns, found %" PRId64 " rows and %" PRId64 " columns", NAME,
                       MOST_ROWS, g->rows, g->cols);
  return check_size(NAME, g->rows, g->cols, SCIARA_RUN_BYTES_PER_CELL);
}

/** A metre of the CRS is to be one on the ground. */
static enum sciara_status read_crs(const char *crs, const struct sciara_grid *g, struct sciara_georef *out) {
  const double bounds[4] = {g->west, sciara_grid_south(g), sciara_grid_east(g), g->north};
  OGRSpatialReferenceH srs;
  double scale = 1;
  SCIARA_TRY(sciara_georef_from_name(crs, out));
  SCIARA_TRY(sciara_srs_parse(crs, &srs));
  const enum sciara_status status = sciara_crs_scale(srs, bounds, &scale);
  OSRRelease(srs);
  if (status != SCIARA_OK) return sciara_fail_context(status, "%s", NAME);
  if (sciara_crs_scale_is_sound(scale)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: expected a CRS in which 1 m on the ground is %g to %g m, found \"%s\", in which it is %.4g m",
                     NAME, 1 - SCIARA_CRS_SCALE_SLACK, 1 + SCIARA_CRS_SCALE_SLACK, crs, scale);
}

static enum sciara_status copy_altitudes(const double *altitude, struct sciara_dem *out) {
  const int64_t cells = sciara_grid_cells(&out->grid);
  int64_t valid = 0;
  for (int64_t i = 0; i < cells; i++) {
    const double z = altitude[i];
    out->valid[i] = !isnan(z) && z != SCIARA_NODATA_ALTITUDE;
    out->altitude[i] = out->valid[i] ? z : SCIARA_NODATA_ALTITUDE;
    valid += out->valid[i];
    if (out->valid[i] && !(z >= SCIARA_ALTITUDE_MIN && z <= SCIARA_ALTITUDE_MAX))
      return sciara_fail(SCIARA_ERR_INPUT,
                         "%s: row %" PRId64 ", column %" PRId64
                         ": expected %g to %g m, or NaN outside the DEM; found %g m",
                         NAME, i / out->grid.cols, i % out->grid.cols, SCIARA_ALTITUDE_MIN, SCIARA_ALTITUDE_MAX, z);
  }
  if (valid == 0)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected altitudes, found NaN or %g in every cell", NAME,
                       SCIARA_NODATA_ALTITUDE);
  return SCIARA_OK;
}

enum sciara_status sciara_dem_from_values(const struct sciara_grid *grid, const char *crs, const double *altitude,
                                          struct sciara_dem *out) {
  enum sciara_status status;
  *out = (struct sciara_dem){.grid = *grid};
  SCIARA_TRY(check_grid(grid));
  if (crs)
    SCIARA_TRY_GOTO(read_crs(crs, grid, &out->georef));
  else
    sciara_log(SCIARA_LOG_WARNING,
               "%s: no CRS is given; its coordinates are taken to be metres, and maps will have no CRS", NAME);
  SCIARA_TRY_GOTO(SCIARA_NEW(out->altitude, sciara_grid_cells(grid), NAME));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->valid, sciara_grid_cells(grid), NAME));
  SCIARA_TRY_GOTO(copy_altitudes(altitude, out));
  out->hash = sciara_dem_hash(out);
  return SCIARA_OK;
cleanup:
  sciara_dem_free(out);
  return status;
}

// -------------------------------------------------------------------------------------- values that are no altitudes

/** By which files mark cells without altitude: limits of 16-bit types, and numbers of nines; 55537 is -9999 modulo 2^16. */
static const double marks[] = {-32768, -32767, 32767, 65535, 55537, -9999, 9999, -99999, 99999, -999};
enum { MARKS = sizeof marks / sizeof *marks, LOWEST = MARKS, HIGHEST, VALUES };

static const double highest_ground = 22000; ///< m: no mountain of the solar system is higher
static const double deepest_ground = -1000; ///< m: no land of the Earth is as deep

/** A stored value that may be no altitude. */
struct suspect {
  double value;
  int64_t count, first;
  double nearest; ///< distance of the nearest other value; INFINITY: there is none
};

/** The values of a patch, and how they become altitudes. */
struct stored {
  const char *path;
  const struct sciara_notes *notes; ///< receive what is noticed; NULL: the log
  bool is_raster; ///< that GDAL can write anew with a NODATA value; else the header of the file takes one
  const int64_t *window;
  const struct sciara_patch *patch;
  double scale, offset;
  double apart; ///< how far a value stands apart that no ground around it leads up or down to: two cells, in its unit
};

static int64_t cells_of(const struct stored *s) { return s->patch->rows * s->patch->cols; }

static double altitude_of(const struct stored *s, double value) { return value * s->scale + s->offset; }

static enum sciara_status fail_altitude(const struct stored *s, const struct suspect *v) {
  const double z = altitude_of(s, v->value);
  struct sciara_text cure = {0}, found = {0};
  enum sciara_status status = sciara_text_append(&found, "%.9g m", z);
  if (status == SCIARA_OK && z != v->value) status = sciara_text_append(&found, " (stored as %.17g)", v->value);
  if (status == SCIARA_OK && v->count > 1)
    status = sciara_text_append(&found, ", like %" PRId64 " %s", v->count - 1,
                                sciara_plural((uint64_t)v->count - 1, "other", "others"));
  if (status == SCIARA_OK && s->is_raster) {
    status = sciara_text_append(&cure, "give it as dem.nodata, or declare it with: gdal_translate -a_nodata %.17g ",
                                v->value);
    if (status == SCIARA_OK) status = sciara_shell_quote(&cure, s->path);
    if (status == SCIARA_OK) status = sciara_text_append(&cure, " declared.tif");
  } else if (status == SCIARA_OK) {
    status = sciara_text_append(&cure, "declare it as NODATA_value in the header");
  }
  if (status == SCIARA_OK)
    status = sciara_fail(SCIARA_ERR_INPUT,
                         "%s: cell row %" PRId64 ", column %" PRId64
                         " has altitude %s, probably a NODATA value that the file does not declare; %s",
                         s->path, s->window[0] + v->first / s->patch->cols, s->window[1] + v->first % s->patch->cols,
                         found.data, cure.data);
  sciara_text_free(&cure);
  sciara_text_free(&found);
  return status;
}

/** The altitudes of a patch above a limit. */
struct beyond {
  double limit, highest;
  int64_t count, different; ///< different: those that are not the highest
};

static struct beyond find_beyond(const struct stored *s, double limit) {
  struct beyond b = {.limit = limit, .highest = limit};
  int64_t highest = 0; // cells that are
  for (int64_t i = 0; i < cells_of(s); i++) {
    const double z = altitude_of(s, s->patch->altitude[i]);
    if (!s->patch->valid[i] || !isfinite(z) || !(z > limit)) continue;
    b.count++;
    highest = z > b.highest ? 1 : highest + (z == b.highest);
    b.highest = fmax(b.highest, z);
  }
  b.different = b.count - highest;
  return b;
}

/** Units of altitudes that are too large, where they make a mountain of the highest: at least 100, at most 10,000 m. */
static const struct {
  double metres;
  const char *plural;
} small_units[] = {{0.3048, "feet"}, {0.1, "decimetres"}, {0.01, "centimetres"}, {0.001, "millimetres"}};

/** Whether altitudes above a limit are in a smaller unit than metres, and not a few marks. */
static bool are_in_other_unit(const struct beyond *b) {
  enum { MANY = 10 };
  return b->count >= MANY && 2 * b->different > b->count && b->highest <= 1e7;
}

/** Says so, as an error above the altitudes that a DEM may have, else as a warning. */
static enum sciara_status report_unit(const struct sciara_source *source, const struct beyond *b) {
  static const char form[] =
      "%s: %" PRId64 " cells have altitudes above %g m, up to %.9g m: they are probably not in metres%s";
  struct sciara_text cures = {0};
  enum sciara_status status = SCIARA_OK;
  for (size_t k = 0; k < sizeof small_units / sizeof *small_units; k++) {
    const double mountain = b->highest * small_units[k].metres;
    if (mountain < 100 || mountain > 1e4) continue;
    SCIARA_TRY_GOTO(
        sciara_text_append(&cures, "%s they are %s: ", cures.length ? "; if" : ". If", small_units[k].plural));
    SCIARA_TRY_GOTO(sciara_source_suggest_scale(source, small_units[k].metres, &cures));
  }
  if (b->limit < SCIARA_ALTITUDE_MAX)
    sciara_note(source->notes, SCIARA_LOG_WARNING, form, source->path, b->count, b->limit, b->highest, cures.data);
  else
    status = sciara_fail(SCIARA_ERR_INPUT, form, source->path, b->count, b->limit, b->highest, cures.data);
cleanup:
  sciara_text_free(&cures);
  return status;
}

/** A cell that is below the ground by its mark; -1: there is none. */
static int64_t find_low_mark(const struct stored *s) {
  for (int64_t i = 0; i < cells_of(s); i++)
    for (int k = 0; k < MARKS && s->patch->valid[i]; k++)
      if (marks[k] < 0 && s->patch->altitude[i] == marks[k]) return i;
  return -1;
}

/** A cell with an altitude that no place has: a mark, or one of many in another unit, which is scaled without marks. */
static enum sciara_status refuse_cell(const struct stored *s, const struct sciara_source *source, int64_t cell) {
  const struct beyond b = find_beyond(s, SCIARA_ALTITUDE_MAX);
  if (are_in_other_unit(&b)) {
    const int64_t mark = find_low_mark(s);
    if (mark < 0) return report_unit(source, &b);
    cell = mark;
  }
  return fail_altitude(s, &(struct suspect){.value = s->patch->altitude[cell], .count = 1, .first = cell});
}

/** Turns NaN and infinities to NODATA, and refuses altitudes that no place has. */
static enum sciara_status check_range(const struct stored *s, const struct sciara_source *source) {
  const struct sciara_patch *p = s->patch;
  int64_t broken = 0, first = -1, left = 0;
  for (int64_t i = 0; i < cells_of(s); i++) {
    if (!p->valid[i]) continue;
    const double z = altitude_of(s, p->altitude[i]);
    if (!isfinite(z)) {
      if (broken++ == 0) first = i;
      p->valid[i] = 0;
      continue;
    }
    left++;
    if (z < SCIARA_ALTITUDE_MIN || z > SCIARA_ALTITUDE_MAX || z == SCIARA_NODATA_ALTITUDE)
      return refuse_cell(s, source, i);
  }
  if (broken > 0)
    sciara_note(s->notes, SCIARA_LOG_WARNING,
                "%s: %" PRId64 " %s NaN or infinite, taken as NODATA; the first is row %" PRId64 ", column %" PRId64,
                s->path, broken, sciara_plural((uint64_t)broken, "cell is", "cells are"),
                s->window[0] + first / p->cols, s->window[1] + first % p->cols);
  return left > 0 ? SCIARA_OK : sciara_fail(SCIARA_ERR_INPUT, "%s: every cell is NODATA", s->path);
}

static void count_cell(struct suspect *v, int64_t i) {
  if (v->count++ == 0) v->first = i;
}

/** Counts the marks, the lowest and the highest value. */
static void find_suspects(const struct stored *s, struct suspect v[VALUES]) {
  const struct sciara_patch *p = s->patch;
  double lowest = INFINITY, highest = -INFINITY;
  for (int64_t i = 0; i < cells_of(s); i++) {
    if (!p->valid[i]) continue;
    lowest = fmin(lowest, p->altitude[i]);
    highest = fmax(highest, p->altitude[i]);
  }
  for (int k = 0; k < VALUES; k++) {
    const double value = k == LOWEST ? lowest : k == HIGHEST ? highest : marks[k];
    v[k] = (struct suspect){.value = value, .nearest = INFINITY};
    if (value < lowest || value > highest) continue;
    for (int64_t i = 0; i < cells_of(s); i++) {
      if (!p->valid[i]) continue;
      const double distance = fabs(p->altitude[i] - value);
      if (distance == 0)
        count_cell(&v[k], i);
      else if (distance < v[k].nearest)
        v[k].nearest = distance;
    }
  }
}

/** Whether enough cells at the edge have the value to be a sea, which is pointed out elsewhere. */
static bool is_at_edge(const struct stored *s, double value) {
  const int64_t rows = s->patch->rows, cols = s->patch->cols;
  for (int64_t i = 0; i < cells_of(s); i++) {
    const int64_t r = i / cols, c = i % cols;
    if ((r == 0 || c == 0 || r == rows - 1 || c == cols - 1) && s->patch->valid[i] && s->patch->altitude[i] == value)
      return true;
  }
  return false;
}

/** Points out a lowest or highest value that stands far from all others, as the bottom of a hole does. */
static void warn_if_apart(const struct stored *s, const struct suspect *v, double rest) {
  const double z = altitude_of(s, v->value);
  const bool zero = z == 0;
  if (!isfinite(v->nearest) || rest == 0) return; // no ground to compare with
  if (!(v->nearest > (zero ? 0.5 : 1) * s->apart && (zero || v->nearest > 0.2 * rest))) return;
  if (zero && is_at_edge(s, v->value)) return;
  sciara_note(s->notes, SCIARA_LOG_WARNING,
              "%s: %" PRId64 " %s an altitude of exactly %.9g m, %.4g m from all others; the first is row %" PRId64
              ", column %" PRId64 ". If this is no ground, give %.9g as dem.nodata",
              s->path, v->count, sciara_plural((uint64_t)v->count, "cell has", "cells have"), z,
              v->nearest * fabs(s->scale), s->window[0] + v->first / s->patch->cols,
              s->window[1] + v->first % s->patch->cols, v->value);
}

static enum sciara_status check_suspects(const struct stored *s) {
  struct suspect v[VALUES];
  find_suspects(s, v);
  for (int k = 0; k < MARKS; k++)
    if (v[k].count > 0 && (v[k].nearest > s->apart || fabs(altitude_of(s, v[k].value)) > highest_ground))
      return fail_altitude(s, &v[k]);
  const double range = v[HIGHEST].value - v[LOWEST].value;
  warn_if_apart(s, &v[LOWEST], range - v[LOWEST].nearest);
  warn_if_apart(s, &v[HIGHEST], range - v[HIGHEST].nearest);
  return SCIARA_OK;
}

/** Whether a CRS is on the Earth, where no mountain is above 9000 m. */
static bool is_earth(OGRSpatialReferenceH srs) {
  return srs && !OSRIsLocal(srs) && fabs(OSRGetSemiMajor(srs, NULL) - 6.375e6) < 1e5;
}

/**
 * Applies scale and offset, and turns NaN and infinities to NODATA. Refuses altitudes that no place has, and values by
 * which files mark cells without altitude, if they stand apart from all others; points out any other such value.
 */
static enum sciara_status to_altitudes(const struct sciara_source *source, const int64_t window[4],
                                       struct sciara_patch *p) {
  struct stored s = {.path = source->path, .notes = source->notes, .is_raster = true, .window = window, .patch = p};
  const double degree = source->srs && OSRIsGeographic(source->srs) ? 111e3 : 1; // m
  sciara_source_scale_of(source, &s.scale, &s.offset);
  s.apart = 2 * fmax(source->dx, source->dy) * degree / fabs(s.scale);
  SCIARA_TRY(check_range(&s, source));
  SCIARA_TRY(check_suspects(&s));
  const struct beyond high = find_beyond(&s, is_earth(source->srs) ? 9000 : highest_ground);
  if (are_in_other_unit(&high)) SCIARA_TRY(report_unit(source, &high));
  if ((!source->srs || is_earth(source->srs)) && find_beyond(&s, deepest_ground).count == 0)
    sciara_note(s.notes, SCIARA_LOG_WARNING,
                "%s: expected altitudes above the sea, found none above %g m: these may be depths, and lava would flow "
                "on the floor of the sea as on land",
                s.path, deepest_ground);
  sciara_source_scale(source, (size_t)cells_of(&s), p->altitude);
  for (int64_t i = 0; i < cells_of(&s); i++)
    if (!p->valid[i]) p->altitude[i] = SCIARA_NODATA_ALTITUDE;
  return SCIARA_OK;
}

enum sciara_status sciara_patch_read(struct sciara_gdal_scope *scope, const struct sciara_source *s,
                                     const int64_t window[4], int64_t bytes_per_cell, const double *nodata,
                                     struct sciara_patch *out) {
  *out = (struct sciara_patch){.rows = window[2], .cols = window[3], .dx = s->dx, .dy = s->dy};
  out->west = s->west + (double)window[1] * s->dx;
  out->north = s->north - (double)window[0] * s->dy;
  SCIARA_TRY(check_size(s->path, out->rows, out->cols, bytes_per_cell));
  SCIARA_TRY(take_memory(out));
  SCIARA_TRY(sciara_source_read_stored(scope, s, window, nodata, out->altitude, out->valid));
  return to_altitudes(s, window, out);
}

enum sciara_status sciara_altitudes_check(const char *path, const struct sciara_grid *grid, double *altitude,
                                          uint8_t *valid) {
  static const int64_t window[4] = {0};
  struct sciara_patch p = {.rows = grid->rows, .cols = grid->cols, .altitude = altitude, .valid = valid};
  const struct stored s = {.path = path, .window = window, .patch = &p, .scale = 1, .apart = 2 * grid->cell_size};
  return check_suspects(&s);
}

// ----------------------------------------------------------------------------------------------------------- warping

// NODATA within a warp: farther from any altitude than the tolerance of GDAL's comparisons.
static const double hole = -1e30;

/** A dataset in memory with that many double bands, placed; NULL on failure. */
static GDALDatasetH placed_dataset(const struct sciara_patch *p, OGRSpatialReferenceH srs, int bands) {
  GDALDatasetH d = GDALCreate(GDALGetDriverByName("MEM"), "", (int)p->cols, (int)p->rows, bands, GDT_Float64, NULL);
  if (!d) return NULL;
  double t[6] = {p->west, p->dx, 0, p->north, 0, -p->dy};
  if (GDALSetGeoTransform(d, t) == CE_None && (!srs || GDALSetSpatialRef(d, srs) == CE_None)) return d;
  GDALClose(d);
  return NULL;
}

/** A dataset in memory with one double band, all of it NODATA; NULL on failure. */
static GDALDatasetH memory_dataset(const struct sciara_patch *p, OGRSpatialReferenceH srs) {
  GDALDatasetH d = placed_dataset(p, srs, 1);
  if (!d) return NULL;
  GDALRasterBandH band = GDALGetRasterBand(d, 1);
  if (GDALSetRasterNoDataValue(band, hole) == CE_None && GDALFillRaster(band, hole, 0) == CE_None) return d;
  GDALClose(d);
  return NULL;
}

static GDALDatasetH source_dataset(const struct sciara_patch *p, OGRSpatialReferenceH srs) {
  GDALDatasetH d = memory_dataset(p, srs);
  if (!d) return NULL;
  GDALRasterBandH band = GDALGetRasterBand(d, 1);
  struct sciara_patch row = {.rows = 1, .cols = p->cols};
  bool good = take_memory(&row) == SCIARA_OK;
  for (int64_t r = 0; r < p->rows && good; r++) {
    for (int64_t c = 0; c < p->cols; c++)
      row.altitude[c] = p->valid[r * p->cols + c] ? p->altitude[r * p->cols + c] : hole;
    good = GDALRasterIO(band, GF_Write, 0, (int)r, (int)p->cols, 1, row.altitude, (int)p->cols, 1, GDT_Float64, 0, 0) ==
           CE_None;
  }
  sciara_patch_free(&row);
  if (good) return d;
  GDALClose(d);
  return NULL;
}

/** West, south, east and north end of a raster in the target CRS. */
static bool target_extent(const struct sciara_patch *p, OGRSpatialReferenceH from, OGRSpatialReferenceH to,
                          double extent[4]) {
  if (!from || !to) {
    extent[0] = p->west;
    extent[1] = p->north - p->dy * (double)p->rows;
    extent[2] = p->west + p->dx * (double)p->cols;
    extent[3] = p->north;
    return true;
  }
  char *wkt = NULL;
  void *transform = NULL;
  double t[6];
  int cols, rows;
  bool done = false;
  GDALDatasetH empty = placed_dataset(p, from, 0);
  if (empty && OSRExportToWkt(to, &wkt) == OGRERR_NONE)
    transform = GDALCreateGenImgProjTransformer(empty, NULL, NULL, wkt, FALSE, 0, 1);
  if (transform)
    done = GDALSuggestedWarpOutput2(empty, GDALGenImgProjTransform, transform, t, &cols, &rows, extent, 0) == CE_None;
  if (transform) GDALDestroyGenImgProjTransformer(transform);
  if (empty) GDALClose(empty);
  CPLFree(wkt);
  return done && isfinite(extent[0]) && isfinite(extent[1]) && isfinite(extent[2]) && isfinite(extent[3]);
}

/** Columns and rows of the target, from multiples of the cell; the rounding of corners that are multiples is forgiven. */
struct aligned {
  double first_col, first_row, cols, rows;
};

static struct aligned align(const double extent[4], double cell) {
  const double slack = 1e-6;
  struct aligned a = {.first_col = floor(extent[0] / cell + slack), .first_row = floor(extent[1] / cell + slack)};
  a.cols = ceil(extent[2] / cell - slack) - a.first_col;
  a.rows = ceil(extent[3] / cell - slack) - a.first_row;
  return a;
}

/** The raster by whose sides cells are resampled, in the target CRS. */
struct reference {
  double extent[4];
  double dx, dy;         ///< sides of its cells, m
  double xscale, yscale; ///< cells of the target for each of its cells
};

static bool refer(const struct sciara_warp *w, const struct sciara_patch *p, struct reference *out) {
  if (!target_extent(p, w->from, w->to, out->extent)) return false;
  const struct aligned a = align(out->extent, w->cell);
  out->dx = (out->extent[2] - out->extent[0]) / (double)p->cols;
  out->dy = (out->extent[3] - out->extent[1]) / (double)p->rows;
  out->xscale = a.cols / (double)p->cols;
  out->yscale = a.rows / (double)p->rows;
  return true;
}

static bool is_near(double a, double b) { return fabs(a - b) <= 0.25 * b; }

/**
 * The whole raster, so that a part receives the same values; or the part if the raster is so large (a continent) that its
 * cells have other sides there.
 */
static bool choose_reference(const struct sciara_warp *w, struct reference *out) {
  struct reference whole;
  if (!refer(w, w->source, out)) return false;
  if (refer(w, w->whole, &whole) && is_near(whole.dx, out->dx) && is_near(whole.dy, out->dy)) *out = whole;
  return true;
}

/** How to resample. */
static GDALResampleAlg choose_method(const struct reference *r, double cell, const char **how) {
  const double ratio = cell / sqrt(r->dx * r->dy);
  *how = ratio >= 1.5 ? "by averaging" : ratio <= 1 / 1.5 ? "by a cubic spline" : "bilinearly";
  return ratio >= 1.5 ? GRA_Average : ratio <= 1 / 1.5 ? GRA_CubicSpline : GRA_Bilinear;
}

static void clip(const double box[4], double extent[4]) {
  extent[0] = fmax(extent[0], box[0]);
  extent[1] = fmax(extent[1], box[1]);
  extent[2] = fmin(extent[2], box[2]);
  extent[3] = fmin(extent[3], box[3]);
}

/** The target: outward to multiples of the cell. */
static enum sciara_status place_target(const struct sciara_warp *w, const double extent[4], struct sciara_patch *out) {
  const struct aligned a = align(extent, w->cell);
  if (!(a.cols < INT_MAX && a.rows < INT_MAX))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: cells of %g m would make %g x %g of them; at most %d each way", w->path,
                       w->cell, a.rows, a.cols, INT_MAX);
  *out = (struct sciara_patch){.rows = (int64_t)a.rows, .cols = (int64_t)a.cols, .dx = w->cell, .dy = w->cell};
  out->west = a.first_col * w->cell;
  out->north = (a.first_row + a.rows) * w->cell;
  return check_size(w->path, out->rows, out->cols, SCIARA_RUN_BYTES_PER_CELL);
}

/** Resamples with the scale of the reference. GDAL would take it, and the width of its filter, from the cells at hand. */
static bool resample(const struct reference *r, GDALResampleAlg method, GDALDatasetH source, GDALDatasetH target) {
  GDALWarpOptions *options = GDALCreateWarpOptions();
  char x[40], y[40];
  snprintf(x, sizeof x, "%.17g", r->xscale);
  snprintf(y, sizeof y, "%.17g", r->yscale);
  options->papszWarpOptions = CSLSetNameValue(options->papszWarpOptions, "XSCALE", x);
  options->papszWarpOptions = CSLSetNameValue(options->papszWarpOptions, "YSCALE", y);
  // No approximation of the transform (0): the result does not depend on how GDAL cuts the work.
  const CPLErr done = GDALReprojectImage(source, NULL, target, NULL, method, 0, 0, NULL, NULL, options);
  GDALDestroyWarpOptions(options);
  return done == CE_None;
}

static bool collect_warped(GDALDatasetH d, struct sciara_patch *out) {
  int cols = (int)out->cols, rows = (int)out->rows;
  if (GDALRasterIO(GDALGetRasterBand(d, 1), GF_Read, 0, 0, cols, rows, out->altitude, cols, rows, GDT_Float64, 0, 0) !=
      CE_None)
    return false;
  for (int64_t i = 0; i < out->rows * out->cols; i++) {
    out->valid[i] = out->altitude[i] > 0.5 * hole;
    if (!out->valid[i]) out->altitude[i] = SCIARA_NODATA_ALTITUDE;
  }
  return true;
}

enum sciara_status sciara_patch_warp(struct sciara_gdal_scope *scope, const struct sciara_warp *w, const char **how,
                                     double *side, struct sciara_patch *out) {
  *out = (struct sciara_patch){0};
  enum sciara_status status = SCIARA_OK;
  bool same = !w->from || !w->to;
  struct reference reference;
  GDALDatasetH target = NULL, before = source_dataset(w->source, same ? NULL : w->from);
  sciara_gdal_reset(scope);
  if (!before || !choose_reference(w, &reference)) goto failed;
  const GDALResampleAlg method = choose_method(&reference, w->cell, how);
  *side = sqrt(reference.dx * reference.dy);
  if (w->box) clip(w->box, reference.extent);
  SCIARA_TRY_GOTO(place_target(w, reference.extent, out));
  target = memory_dataset(out, same ? NULL : w->to);
  if (!target || !resample(&reference, method, before, target) || scope->failed) goto failed;
  SCIARA_TRY_GOTO(take_memory(out));
  if (collect_warped(target, out)) goto cleanup;
failed:
  status = sciara_fail(sciara_gdal_status(scope, SCIARA_ERR_INPUT), "%s: cannot be warped: %s", w->path,
                       sciara_gdal_message(scope));
cleanup:
  if (target) GDALClose(target);
  if (before) GDALClose(before);
  if (status != SCIARA_OK) sciara_patch_free(out);
  return status;
}
