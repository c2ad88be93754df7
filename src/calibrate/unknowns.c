// SPDX-License-Identifier: Apache-2.0
#include "calibrate/calibration_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/detmath.h"
#include "base/mem.h"
#include "calibrate/cases.h"
#include "ensemble/ensemble_json.h"
#include "ensemble/members.h"
#include "file/georef.h"
#include "geometry/polyline.h"
#include "plan/points.h"

// -------------------------------------------------------------------------------------------------- positions of vents

/** Part of a cell by which rounding may move a point of the disc. */
static const double SLACK = 1e-6;

/** Longitude and latitude are rounded to so many parts of a degree, 0.1 mm. */
static const double PARTS = 1e9;

/** "position" of "vents.0.position"; NULL: it is no key of a vent. */
static const char *name_in_vent(const char *key, size_t *vent) {
  static const char digits[] = "0123456789";
  static const char start[] = "vents.";
  char plain[256];
  if (!sciara_member_key_plain(key, plain, sizeof plain) || strncmp(plain, start, strlen(start)) != 0) return NULL;
  const char *number = plain + strlen(start);
  const size_t length = strspn(number, digits);
  if (length == 0 || length > 6 || number[length] != '.') return NULL;
  *vent = strtoul(number, NULL, 10);
  return key + strlen(key) - strlen(number + length + 1);
}

/** Whether a key is the position of a vent, "vents.0.position". */
static bool names_position(const char *key, size_t *vent) {
  const char *name = name_in_vent(key, vent);
  return name && strcmp(name, "position") == 0;
}

/** Whether a key that is not known was probably meant as one. */
static bool is_near_position(const char *key) {
  static const char *const position = "position";
  size_t vent;
  const char *name = name_in_vent(key, &vent);
  return name && sciara_closest_name(name, &position, 1);
}

/** Whether a key is a coordinate of the vent. */
static bool disc_has(const struct sciara_vent_disc *d, const char *key) {
  static const char *const names[] = {"x", "y", "lon", "lat", "row", "col", "position"};
  size_t vent = 0;
  const char *name = name_in_vent(key, &vent);
  for (size_t k = 0; name && vent == d->vent && k < sizeof names / sizeof *names; k++)
    if (strcmp(name, names[k]) == 0) return true;
  return false;
}

// ------------------------------------------------------------------------------------------------- discs in a scenario

static void name_keys(struct sciara_vent_disc *d) {
  static const char *const names[][2] = {
      [SCIARA_VENT_XY] = {"x", "y"}, [SCIARA_VENT_LONLAT] = {"lon", "lat"}, [SCIARA_VENT_ROWCOL] = {"col", "row"}};
  const enum sciara_vent_place shown = d->way == SCIARA_VENT_ROWCOL ? SCIARA_VENT_XY : d->way;
  for (int axis = 0; axis < 2; axis++) {
    snprintf(d->key[axis], SCIARA_DISC_KEY, "vents.%zu.%s", d->vent, names[d->way][axis]);
    snprintf(d->column[axis], SCIARA_DISC_KEY, "vents.%zu.%s", d->vent, names[shown][axis]);
  }
}

static void print_position(enum sciara_vent_place way, struct sciara_point at, char *out, size_t capacity) {
  if (way == SCIARA_VENT_ROWCOL)
    snprintf(out, capacity, "row %.0f, col %.0f", at.y, at.x);
  else
    snprintf(out, capacity, way == SCIARA_VENT_LONLAT ? "lon %.12g, lat %.12g" : "x %.12g, y %.12g", at.x, at.y);
}

/**
 * Takes the position of the vent from the first scenario, or compares it with that of another.
 *
 * @param found   what is there in place of what is expected; "": nothing is wrong
 * @param allowed what is expected
 */
static void take_position(struct sciara_vent_disc *d, const struct sciara_scenario_spec *scenario, bool first,
                          char found[160], char allowed[400]) {
  const struct sciara_vent_spec *v = d->vent < scenario->vent_count ? &scenario->vents[d->vent] : NULL;
  const bool named = v && v->file;
  char given[120];
  found[0] = '\0';
  if (!v || named || v->place == SCIARA_VENT_LINE) {
    if (v)
      snprintf(found, 160, "%s", named ? "one of a file" : "a line");
    else
      snprintf(found, 160, "vent %zu, of %zu counted from 0", d->vent, scenario->vent_count);
    snprintf(allowed, 400, "a vent of %.200s with x and y, lon and lat, or row and col", scenario->path);
    return;
  }
  if (first) {
    d->way = v->place;
    d->given = v->points[0];
    name_keys(d);
    return;
  }
  if (v->place == d->way && v->points[0].x == d->given.x && v->points[0].y == d->given.y) return;
  print_position(v->place, v->points[0], found, 160);
  print_position(d->way, d->given, given, sizeof given);
  snprintf(allowed, 400, "the same position in %.120s as in the first scenario, %s", scenario->path, given);
}

// --------------------------------------------------------------------------------------------------- discs on a ground

/** The distance of a point from a cell, which may lie outside the grid; 0: inside. */
static double distance_to(const struct sciara_grid *g, struct sciara_point p, int64_t row, int64_t col) {
  const struct sciara_point c = sciara_cell_centre(g, row, col);
  return hypot(fmax(fabs(p.x - c.x) - 0.5 * g->cell_size, 0), fmax(fabs(p.y - c.y) - 0.5 * g->cell_size, 0));
}

/** The row or column of an offset from the first edge, from -1 to `count`. */
static int64_t index_of(double offset, double cell_size, int64_t count) {
  const double at = floor(offset / cell_size);
  return at < 0 ? -1 : at < (double)count ? (int64_t)at : count;
}

/** False beyond the edges, at a rim or a hole of the DEM, and in the sea. */
static bool can_have_vent(const struct sciara_site *site, int64_t row, int64_t col) {
  const struct sciara_grid *g = &site->grid;
  return row >= 0 && col >= 0 && row < g->rows && col < g->cols &&
         site->kind[row * g->cols + col] == SCIARA_CELL_INTERIOR;
}

/** The nearest of the cells that the disc touches and that cannot have a vent. */
static enum sciara_status check_cells(const struct sciara_vent_disc *d, const struct sciara_site *site,
                                      struct sciara_point centre, const char *name) {
  const struct sciara_grid *g = &site->grid;
  const double reach = d->radius_m + SLACK * g->cell_size, w = g->cell_size;
  const int64_t south = index_of(g->north - centre.y + reach, w, g->rows),
                east = index_of(centre.x - g->west + reach, w, g->cols);
  struct sciara_point worst = {0};
  double nearest = (double)INFINITY;
  for (int64_t r = index_of(g->north - centre.y - reach, w, g->rows); r <= south; r++)
    for (int64_t c = index_of(centre.x - g->west - reach, w, g->cols); c <= east; c++) {
      const double distance = distance_to(g, centre, r, c);
      if (distance > reach || distance >= nearest || can_have_vent(site, r, c)) continue;
      nearest = distance;
      worst = sciara_cell_centre(g, r, c);
    }
  if (!(nearest < (double)INFINITY)) return SCIARA_OK;
  const enum sciara_status status = sciara_vent_place_check(site, &worst, 1);
  return sciara_fail_context(status, "expected less than %.3f m, found %.15g: %s", floor(1000 * nearest) / 1000,
                             d->radius_m, name);
}

/** The disc must touch another cell than that of its centre. */
static enum sciara_status check_several(const struct sciara_vent_disc *d, const char *name) {
  const struct sciara_grid *g = &d->grid;
  const int64_t row = index_of(g->north - d->centre.y, g->cell_size, g->rows),
                col = index_of(d->centre.x - g->west, g->cell_size, g->cols);
  double nearest = (double)INFINITY;
  for (int k = -1; k <= 1; k += 2)
    nearest = fmin(nearest, fmin(distance_to(g, d->centre, row + k, col), distance_to(g, d->centre, row, col + k)));
  if (d->radius_m > nearest) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "expected more than %.15g m, which reaches another cell of %s; found %.15g",
                     nearest, name, d->radius_m);
}

/**
 * Takes the ground of the first scenario, or compares it with that of another. Every cell that the disc touches must be one
 * that can have a vent, and there must be several. SCIARA_ERR_INPUT, without the file and the key.
 */
static enum sciara_status disc_open(struct sciara_vent_disc *d, const struct sciara_site *site, bool first,
                                    const char *name) {
  const struct sciara_grid *g = &site->grid;
  struct sciara_point centre = d->given;
  if (d->way == SCIARA_VENT_LONLAT)
    SCIARA_TRY(sciara_georef_from_lonlat(site->origin.crs_wkt, centre.x, centre.y, &centre.x, &centre.y));
  if (d->way == SCIARA_VENT_ROWCOL) centre = sciara_cell_centre(g, (int64_t)centre.y, (int64_t)centre.x);
  if (!first && d->way == SCIARA_VENT_ROWCOL &&
      (centre.x != d->centre.x || centre.y != d->centre.y || g->cell_size != d->grid.cell_size))
    return sciara_fail(SCIARA_ERR_INPUT,
                       "expected x and y, or lon and lat, in scenarios whose grids differ; found row and col in %s",
                       name);
  if (first) {
    d->grid = *g;
    d->centre = centre;
    d->crs_wkt = site->origin.crs_wkt;
  }
  SCIARA_TRY(check_cells(d, site, centre, name));
  return first ? check_several(d, name) : SCIARA_OK;
}

// ----------------------------------------------------------------------------------------------------------- positions

/** The centre of the cell with a point, as in evaluations.csv. */
static enum sciara_status show(const struct sciara_vent_disc *d, double x, double y, double out[2]) {
  const struct sciara_grid *g = &d->grid;
  const struct sciara_point at = sciara_cell_centre(g, index_of(g->north - y, g->cell_size, g->rows),
                                                    index_of(x - g->west, g->cell_size, g->cols));
  out[0] = at.x;
  out[1] = at.y;
  if (d->way != SCIARA_VENT_LONLAT) return SCIARA_OK;
  SCIARA_TRY(sciara_georef_to_lonlat(d->crs_wkt, 1, &out[0], &out[1]));
  for (int axis = 0; axis < 2; axis++) out[axis] = round(out[axis] * PARTS) / PARTS;
  return SCIARA_OK;
}

/** The ends of each coordinate of its cells, as in evaluations.csv. */
static enum sciara_status disc_bounds(const struct sciara_vent_disc *d, double low[2], double high[2]) {
  for (int axis = 0; axis < 2; axis++) {
    low[axis] = (double)INFINITY;
    high[axis] = -(double)INFINITY;
  }
  for (int corner = 0; corner < 4; corner++) {
    double at[2];
    SCIARA_TRY(show(d, d->centre.x + (corner & 1 ? d->radius_m : -d->radius_m),
                    d->centre.y + (corner & 2 ? d->radius_m : -d->radius_m), at));
    for (int axis = 0; axis < 2; axis++) {
      low[axis] = fmin(low[axis], at[axis]);
      high[axis] = fmax(high[axis], at[axis]);
    }
  }
  return SCIARA_OK;
}

/** The point of the unit disc for one of the unit square: concentric squares become circles (Shirley and Chiu, 1997). */
static struct sciara_point on_unit_disc(const double point[2]) {
  static const double eighth = 0.78539816339744831; // of a turn
  const double a = 2 * point[0] - 1, b = 2 * point[1] - 1;
  const bool flat = fabs(a) > fabs(b);
  if (!flat && b == 0) return (struct sciara_point){0, 0};
  const double radius = flat ? a : b, angle = eighth * (flat ? b / a : a / b), x = radius * cos(angle),
               y = radius * sin(angle);
  return flat ? (struct sciara_point){x, y} : (struct sciara_point){y, x};
}

/** The position at a point of the unit square, as in evaluations.csv: the centre of a cell. */
static enum sciara_status disc_at(const struct sciara_vent_disc *d, const double point[2], double out[2]) {
  const struct sciara_point p = on_unit_disc(point);
  return show(d, d->centre.x + d->radius_m * p.x, d->centre.y + d->radius_m * p.y, out);
}

/** The value of `key[axis]` in a scenario for a coordinate of evaluations.csv. */
static double disc_value(const struct sciara_vent_disc *d, int axis, double coordinate) {
  const struct sciara_grid *g = &d->grid;
  if (d->way != SCIARA_VENT_ROWCOL) return coordinate;
  return axis == 0 ? floor((coordinate - g->west) / g->cell_size) : floor((g->north - coordinate) / g->cell_size);
}

// ------------------------------------------------------------------------------------------------------------- reading

enum sciara_status sciara_unknowns_refuse(const struct sciara_ensemble_reading *r,
                                          const struct sciara_calibration_search *s, size_t index, const char *name,
                                          const char *found, const char *allowed) {
  char path[64];
  snprintf(path, sizeof path, "%sunknowns", s->path);
  return sciara_ensemble_refuse(r, path, index, name, found, allowed);
}

static enum sciara_status check_bounds(const struct sciara_ensemble_reading *r,
                                       const struct sciara_calibration_search *s, size_t k,
                                       const struct sciara_scenario_key *key) {
  const struct sciara_unknown *u = &s->unknown[k];
  const double bounds[2] = {u->min, u->max};
  static const char *const names[2] = {"min", "max"};
  char found[40], allowed[192];
  for (size_t n = 0; n < 2; n++) {
    if (sciara_scenario_key_holds(key, bounds[n])) continue;
    sciara_json_number(bounds[n], found, sizeof found);
    sciara_scenario_key_allowed(key, allowed, sizeof allowed);
    return sciara_unknowns_refuse(r, s, u->entry, names[n], found, allowed);
  }
  sciara_json_number(u->max, found, sizeof found);
  if (!(u->min < u->max)) return sciara_unknowns_refuse(r, s, u->entry, "max", found, "a number above min");
  sciara_json_number(u->min, found, sizeof found);
  if (u->log && !(u->min > 0))
    return sciara_unknowns_refuse(r, s, u->entry, "min", found, "a number above 0 together with log");
  return SCIARA_OK;
}

/** The key of rates that may be meant, or NULL. */
static const char *near_rate_key(const char *key) {
  static const char *const names[] = {SCIARA_RATE_SCALE, SCIARA_RATE_SHAPE};
  return sciara_closest_name(key, names, sizeof names / sizeof *names);
}

/** An unknown is a number that may have any value between two others. */
static enum sciara_status refuse_type(const struct sciara_ensemble_reading *r,
                                      const struct sciara_calibration_search *s, size_t k,
                                      const struct sciara_scenario_key *key) {
  const bool of_rule = strcmp(key->path, "model.rule") == 0 || strcmp(key->path, "model.preset") == 0;
  char found[320];
  snprintf(found, sizeof found, "\"%.250s\"%s", s->unknown[k].key,
           key->type == SCIARA_KEY_INTEGER ? ", a whole number" : "");
  return sciara_unknowns_refuse(
      r, s, s->unknown[k].entry, "key", found,
      of_rule ? "a key whose value is a number or a duration; for several rules or presets \"searches\", each with "
                "its own \"model\""
              : "a key whose value is a number or a duration");
}

/** Refuses a key that another unknown has; `name` is that by which the file gives it. */
static enum sciara_status refuse_again(const struct sciara_ensemble_reading *r,
                                       const struct sciara_calibration_search *s, size_t k, size_t before,
                                       const char *key, bool of_vent) {
  const struct sciara_prior *prior = s->prior.prior;
  char found[320], allowed[96] = "each key once";
  snprintf(found, sizeof found, "%.255s", key);
  if (s->unknown[k].of_prior) snprintf(found, sizeof found, "\"%s\", which has %.200s", prior->name, key);
  if (of_vent) snprintf(allowed, sizeof allowed, "each key once, and no coordinate of a vent beside its position");
  if (s->unknown[before].of_prior) snprintf(allowed, sizeof allowed, "each key once; prior \"%s\" has it", prior->name);
  return sciara_unknowns_refuse(r, s, s->unknown[k].entry, s->unknown[k].of_prior ? "prior" : "key", found, allowed);
}

/** No other unknown may be the same key, or a coordinate of a vent whose position is searched. */
static enum sciara_status check_new(const struct sciara_ensemble_reading *r, const struct sciara_calibration_search *s,
                                    size_t k, const char *key) {
  const struct sciara_unknown *u = &s->unknown[k];
  for (size_t n = 0; n < k; n++) {
    const struct sciara_vent_disc *disc = s->unknown[n].disc;
    if (disc ? disc_has(disc, key)
             : sciara_member_key_same(s->unknown[n].key, key) || (u->disc && disc_has(u->disc, s->unknown[n].key)))
      return refuse_again(r, s, k, n, key, disc || u->disc);
  }
  return SCIARA_OK;
}

/** The position of a vent: two unknowns from `k` on. */
static enum sciara_status read_position(const struct sciara_ensemble_reading *r, const cJSON *entry, size_t vent,
                                        size_t k, struct sciara_calibration_search *s) {
  struct sciara_unknown *u = &s->unknown[k];
  struct sciara_vent_disc *disc = &s->disc[s->disc_count++];
  *disc = (struct sciara_vent_disc){.vent = vent, .radius_m = sciara_json_double(entry, "radius_m", 0)};
  for (int axis = 0; axis < 2; axis++)
    u[axis] = (struct sciara_unknown){.key = disc->column[axis], .entry = u->entry, .disc = disc, .axis = axis};
  s->unknown_count++;
  if (!sciara_json_get(entry, "radius_m"))
    return sciara_unknowns_refuse(r, s, u->entry, "min", "it together with the position of a vent",
                                  "radius_m in place of min and max");
  return check_new(r, s, k, sciara_json_get(entry, "key")->valuestring);
}

/** The keys of a prior: unknowns from `k` on. */
static enum sciara_status read_prior(const struct sciara_ensemble_reading *r, const cJSON *entry, size_t k,
                                     struct sciara_calibration_search *s) {
  struct sciara_unknown *const first = &s->unknown[k];
  const size_t number = first->entry;
  const enum sciara_calibration_design design = s->file->design;
  char found[48];
  s->unknown_count = k; // without a key it is none
  if (sciara_json_get(entry, "key"))
    return sciara_unknowns_refuse(r, s, number, "key", "it together with prior", "one of the two");
  if (s->prior.prior) return sciara_unknowns_refuse(r, s, number, "prior", "a second one", "one prior");
  snprintf(found, sizeof found, "it with the design \"%s\"", sciara_calibration_designs[design]);
  if (design == SCIARA_DESIGN_MORRIS || design == SCIARA_DESIGN_SALTELLI)
    return sciara_unknowns_refuse(
        r, s, number, "prior", found,
        "the design \"cma-es\", \"lhs\" or \"sobol\": effects and indices are those of unknowns that are independent");
  SCIARA_TRY(sciara_variation_of_prior(sciara_prior_find(sciara_json_get(entry, "prior")->valuestring), &s->prior));
  s->prior_first = k;
  for (size_t m = 0; m < s->prior.count; m++) {
    const struct sciara_vary_spec *v = &s->prior.vary[m];
    const struct sciara_unknown *base = v->multiplies ? &first[v->base] : NULL;
    first[m] = (struct sciara_unknown){.key = v->key,
                                       .min = base ? v->low * base->min : v->low,
                                       .max = base ? v->high * base->max : v->high,
                                       .log = v->kind == SCIARA_DIST_LOG_UNIFORM || v->kind == SCIARA_DIST_LOGNORMAL,
                                       .of_prior = true,
                                       .entry = number};
    s->unknown_count++;
  }
  for (size_t m = 0; m < s->prior.count; m++) SCIARA_TRY(check_new(r, s, k + m, s->unknown[k + m].key));
  return SCIARA_OK;
}

static enum sciara_status read_unknown(const struct sciara_ensemble_reading *r, const cJSON *entry, size_t k,
                                       struct sciara_calibration_search *s) {
  struct sciara_unknown *u = &s->unknown[k];
  const char *near = NULL;
  char allowed[96];
  enum sciara_status status = SCIARA_OK;
  size_t vent = 0;
  if (sciara_json_get(entry, "prior")) return read_prior(r, entry, k, s);
  u->key = sciara_json_get(entry, "key")->valuestring;
  u->min = sciara_json_double(entry, "min", 0);
  u->max = sciara_json_double(entry, "max", 0);
  u->log = cJSON_IsTrue(sciara_json_get(entry, "log"));
  if (names_position(u->key, &vent)) return read_position(r, entry, vent, k, s);
  const struct sciara_scenario_key *key = sciara_rate_key(u->key);
  if (!key) status = sciara_member_key_check(u->key, &key);
  if (status != SCIARA_OK) near = near_rate_key(u->key);
  if (status != SCIARA_OK && !near && is_near_position(u->key)) near = "vents.0.position";
  if (near) {
    snprintf(allowed, sizeof allowed, "a key of vents, model or run (did you mean \"%s\"?)", near);
    return sciara_unknowns_refuse(r, s, u->entry, "key", u->key, allowed);
  }
  if (status != SCIARA_OK) return sciara_fail_context(status, "%s: %sunknowns[%zu].key", r->file, s->path, u->entry);
  if (key->type != SCIARA_KEY_NUMBER && key->type != SCIARA_KEY_DURATION) return refuse_type(r, s, k, key);
  if (sciara_json_get(entry, "radius_m"))
    return sciara_unknowns_refuse(r, s, u->entry, "radius_m", "it together with another key",
                                  "it only with the position of a vent, as \"vents.0.position\"");
  SCIARA_TRY(check_new(r, s, k, u->key));
  return check_bounds(r, s, k, key);
}

/** A position is two unknowns. */
static enum sciara_status check_count(const struct sciara_ensemble_reading *r,
                                      const struct sciara_calibration_search *s) {
  const bool sobol = s->file->design == SCIARA_DESIGN_SOBOL;
  const size_t most = sobol ? SCIARA_SOBOL_DIMENSIONS : SCIARA_UNKNOWNS_MOST;
  char found[32], allowed[96];
  if (s->unknown_count == 0) return sciara_unknowns_refuse(r, s, SCIARA_NO_INDEX, NULL, "none", "at least one unknown");
  if (s->unknown_count <= most) return SCIARA_OK;
  snprintf(found, sizeof found, "%zu", s->unknown_count);
  snprintf(allowed, sizeof allowed, "at most %zu%s%s", most, sobol ? " with the design \"sobol\"" : "",
           s->disc_count > 0 ? ", of which a position counts as two" : "");
  return sciara_unknowns_refuse(r, s, SCIARA_NO_INDEX, NULL, found, allowed);
}

enum sciara_status sciara_unknowns_read(const struct sciara_ensemble_reading *r, const cJSON *unknowns,
                                        struct sciara_calibration_search *s) {
  const size_t entries = (size_t)cJSON_GetArraySize(unknowns), before = r->diagnostics->count;
  const cJSON *entry;
  size_t number = 0;
  SCIARA_TRY(SCIARA_NEW(s->unknown, 2 * entries + SCIARA_PRIOR_MARGINS, "the unknowns"));
  SCIARA_TRY(SCIARA_NEW(s->disc, entries, "the unknowns"));
  cJSON_ArrayForEach(entry, unknowns) {
    const size_t k = s->unknown_count++;
    s->unknown[k].entry = number++;
    sciara_diagnostics_add(r->diagnostics, read_unknown(r, entry, k, s));
  }
  return r->diagnostics->count > before ? SCIARA_OK : check_count(r, s);
}

// -------------------------------------------------------------------------------------------------------------- values

/** The value of an unknown at a coordinate in [0, 1] between min and max. */
static double value_between(const struct sciara_unknown *u, double coordinate) {
  const double low = u->log ? sciara_ln(u->min) : u->min, high = u->log ? sciara_ln(u->max) : u->max;
  const double at = low + coordinate * (high - low), value = u->log ? sciara_exp(at) : at;
  return value < u->min ? u->min : value > u->max ? u->max : value;
}

size_t sciara_unknowns_keys(const struct sciara_calibration_search *s, const double *value,
                            const char *key[SCIARA_UNKNOWNS_MOST], char text[SCIARA_UNKNOWNS_MOST][40]) {
  size_t count = 0;
  for (size_t k = 0; k < s->unknown_count; k++) {
    const struct sciara_unknown *u = &s->unknown[k];
    if (u->disc && u->disc->grid.rows == 0) continue;
    key[count] = u->disc ? u->disc->key[u->axis] : u->key;
    sciara_json_number(u->disc ? disc_value(u->disc, u->axis, value[k]) : value[k], text[count], 40);
    count++;
  }
  return count;
}

/** The values of the prior at a point of all unknowns. */
static void values_of_prior(const struct sciara_calibration_search *s, const double *point, double *value) {
  const double least = 0x1p-53; // the ends of a normal distribution are infinite
  double u[SCIARA_PRIOR_MARGINS];
  for (size_t k = 0; k < s->prior.count; k++)
    u[s->prior.vary[k].rank] = fmin(fmax(point[s->prior_first + k], least), 1 - least);
  sciara_variation_correlate(&s->prior, u);
  for (size_t k = 0; k < s->prior.count; k++) value[s->prior_first + k] = sciara_variation_number(&s->prior, k, u);
}

void sciara_unknowns_middle(const struct sciara_calibration_search *s, double *value) {
  double point[SCIARA_UNKNOWNS_MOST];
  for (size_t k = 0; k < s->unknown_count; k++) {
    point[k] = 0.5;
    value[k] = value_between(&s->unknown[k], point[k]);
  }
  values_of_prior(s, point, value);
}

enum sciara_status sciara_unknowns_values(const struct sciara_calibration_search *s, const double *point,
                                          double *value) {
  values_of_prior(s, point, value);
  for (size_t k = 0; k < s->unknown_count; k++) {
    const struct sciara_unknown *u = &s->unknown[k];
    if (!u->disc && !u->of_prior) value[k] = value_between(u, point[k]);
    if (u->disc && u->axis == 0) SCIARA_TRY(disc_at(u->disc, point + k, value + k));
  }
  return SCIARA_OK;
}

void sciara_unknowns_take_positions(const struct sciara_ensemble_reading *r, const struct sciara_calibration_search *s,
                                    size_t n, const struct sciara_scenario_spec *scenario) {
  char found[160], allowed[400];
  for (size_t k = 0; k < s->unknown_count; k++) {
    const struct sciara_unknown *u = &s->unknown[k];
    if (!u->disc || u->axis > 0) continue;
    take_position(u->disc, scenario, n == 0, found, allowed);
    if (*found) sciara_diagnostics_add(r->diagnostics, sciara_unknowns_refuse(r, s, u->entry, "key", found, allowed));
  }
}

/** The disc of unknown `k` and its neighbour. */
static enum sciara_status open_disc(const struct sciara_calibration_search *s, size_t k, const struct sciara_cases *c) {
  struct sciara_unknown *u = &s->unknown[k];
  double low[2], high[2];
  for (size_t n = 0; n < s->file->scenario_count; n++) {
    const enum sciara_status status = disc_open(u->disc, c->scenario[n].setup.site, n == 0, s->file->scenario[n]);
    if (status != SCIARA_OK)
      return sciara_fail_context(status, "%s: %sunknowns[%zu].radius_m", s->file->path, s->path, u->entry);
  }
  SCIARA_TRY(disc_bounds(u->disc, low, high));
  for (int axis = 0; axis < 2; axis++) {
    u[axis].min = low[axis];
    u[axis].max = high[axis];
  }
  return SCIARA_OK;
}

enum sciara_status sciara_unknowns_place(const struct sciara_calibration_search *s, const struct sciara_cases *c) {
  for (size_t k = 0; k < s->unknown_count; k++)
    if (s->unknown[k].disc && s->unknown[k].axis == 0) SCIARA_TRY(open_disc(s, k, c));
  return SCIARA_OK;
}
