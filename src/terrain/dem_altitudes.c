// SPDX-License-Identifier: Apache-2.0
#include "terrain/dem_parts.h"

#include <inttypes.h>
#include <math.h>

#include "base/log.h"
#include "base/mem.h"
#include "file/gdal_support.h"
#include "geometry/grid.h"
#include "terrain/dem_gdal.h"

// A DEM that a program has in memory.
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
  return sciara_patch_check_size(NAME, g->rows, g->cols, SCIARA_RUN_BYTES_PER_CELL);
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

/** By which files mark cells without altitude: limits of 16-bit types, and numbers of nines; 55537 is -9999 modulo 2^16. */
static const double marks[] = {-32768, -32767, 32767, 65535, 55537, -9999, 9999, -99999, 99999, -999};
enum { MARKS = sizeof marks / sizeof *marks, LOWEST = MARKS, HIGHEST, VALUES };

static const double highest_ground = 22000; ///< m: no mountain of the solar system is higher

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

enum sciara_status sciara_patch_to_altitudes(const struct sciara_source *source, const int64_t window[4],
                                             struct sciara_patch *p) {
  struct stored s = {.path = source->path, .notes = source->notes, .is_raster = true, .window = window, .patch = p};
  const double degree = source->srs && OSRIsGeographic(source->srs) ? 111e3 : 1; // m
  sciara_source_scale_of(source, &s.scale, &s.offset);
  s.apart = 2 * fmax(source->dx, source->dy) * degree / fabs(s.scale);
  SCIARA_TRY(check_range(&s, source));
  SCIARA_TRY(check_suspects(&s));
  const struct beyond high = find_beyond(&s, is_earth(source->srs) ? 9000 : highest_ground);
  if (are_in_other_unit(&high)) SCIARA_TRY(report_unit(source, &high));
  sciara_source_scale(source, (size_t)cells_of(&s), p->altitude);
  for (int64_t i = 0; i < cells_of(&s); i++)
    if (!p->valid[i]) p->altitude[i] = SCIARA_NODATA_ALTITUDE;
  return SCIARA_OK;
}

enum sciara_status sciara_altitudes_check(const char *path, const struct sciara_grid *grid, double *altitude,
                                          uint8_t *valid) {
  static const int64_t window[4] = {0};
  struct sciara_patch p = {.rows = grid->rows, .cols = grid->cols, .altitude = altitude, .valid = valid};
  const struct stored s = {.path = path, .window = window, .patch = &p, .scale = 1, .apart = 2 * grid->cell_size};
  return check_suspects(&s);
}
