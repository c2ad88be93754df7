// SPDX-License-Identifier: Apache-2.0
#include "calibrate/unknowns.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "ensemble/member_keys.h"
#include "model/detmath.h"
#include "plan/points.h"

enum sciara_status sciara_unknowns_refuse(const struct sciara_ensemble_reading *r,
                                          const struct sciara_calibration_search *s, const char *key, size_t index,
                                          const char *name, const char *found, const char *allowed) {
  char place[64];
  snprintf(place, sizeof place, "%s%s", s->path, key);
  return sciara_ensemble_refuse(r, place, index, name, found, allowed);
}

/** Whether a bound lies in the range of its key. */
static bool is_allowed(const struct sciara_scenario_key *key, double bound) {
  if (!(key->low < key->high)) return true;
  return bound <= key->high && (key->low_allowed ? bound >= key->low : bound > key->low);
}

static enum sciara_status check_bounds(const struct sciara_ensemble_reading *r,
                                       const struct sciara_calibration_search *s, size_t k,
                                       const struct sciara_scenario_key *key) {
  const struct sciara_unknown *u = &s->unknown[k];
  const double bounds[2] = {u->min, u->max};
  static const char *const names[2] = {"min", "max"};
  char found[40], allowed[192];
  for (size_t n = 0; n < 2; n++) {
    if (is_allowed(key, bounds[n])) continue;
    sciara_json_number(bounds[n], found, sizeof found);
    sciara_scenario_key_allowed(key, allowed, sizeof allowed);
    return sciara_unknowns_refuse(r, s, "unknowns", u->entry, names[n], found, allowed);
  }
  sciara_json_number(u->max, found, sizeof found);
  if (!(u->min < u->max)) return sciara_unknowns_refuse(r, s, "unknowns", u->entry, "max", found, "a number above min");
  sciara_json_number(u->min, found, sizeof found);
  if (u->log && !(u->min > 0))
    return sciara_unknowns_refuse(r, s, "unknowns", u->entry, "min", found, "a number above 0 together with log");
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
      r, s, "unknowns", s->unknown[k].entry, "key", found,
      of_rule ? "a key whose value is a number or a duration; for several rules or presets \"searches\", each with "
                "its own \"model\""
              : "a key whose value is a number or a duration");
}

/** No other unknown may be the same key, or a coordinate of a vent whose position is searched. */
static enum sciara_status check_new(const struct sciara_ensemble_reading *r, const struct sciara_calibration_search *s,
                                    size_t k, const char *key) {
  const struct sciara_unknown *u = &s->unknown[k];
  for (size_t n = 0; n < k; n++) {
    const struct sciara_vent_disc *disc = s->unknown[n].disc;
    if (disc ? sciara_vent_disc_has(disc, key)
             : sciara_member_key_same(s->unknown[n].key, key) ||
                   (u->disc && sciara_vent_disc_has(u->disc, s->unknown[n].key)))
      return sciara_unknowns_refuse(
          r, s, "unknowns", u->entry, "key", key,
          disc || u->disc ? "each key once, and none of the place of a vent beside its position" : "each key once");
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
    return sciara_unknowns_refuse(r, s, "unknowns", u->entry, "min", "it together with the position of a vent",
                                  "radius_m in place of min and max");
  return check_new(r, s, k, sciara_json_get(entry, "key")->valuestring);
}

static enum sciara_status read_unknown(const struct sciara_ensemble_reading *r, const cJSON *entry, size_t k,
                                       struct sciara_calibration_search *s) {
  struct sciara_unknown *u = &s->unknown[k];
  const char *near = NULL;
  char allowed[96];
  enum sciara_status status = SCIARA_OK;
  size_t vent = 0;
  u->key = sciara_json_get(entry, "key")->valuestring;
  u->min = sciara_json_double(entry, "min", 0);
  u->max = sciara_json_double(entry, "max", 0);
  u->log = cJSON_IsTrue(sciara_json_get(entry, "log"));
  if (sciara_vent_disc_names(u->key, &vent)) return read_position(r, entry, vent, k, s);
  const struct sciara_scenario_key *key = sciara_rate_key(u->key);
  if (!key) status = sciara_member_key_check(u->key, &key);
  if (status != SCIARA_OK) near = near_rate_key(u->key);
  if (status != SCIARA_OK && !near && sciara_vent_disc_is_near(u->key)) near = "vents.0.position";
  if (near) {
    snprintf(allowed, sizeof allowed, "a key of vents, model or run (did you mean \"%s\"?)", near);
    return sciara_unknowns_refuse(r, s, "unknowns", u->entry, "key", u->key, allowed);
  }
  if (status != SCIARA_OK) return sciara_fail_context(status, "%s: %sunknowns[%zu].key", r->file, s->path, u->entry);
  if (key->type != SCIARA_KEY_NUMBER && key->type != SCIARA_KEY_DURATION) return refuse_type(r, s, k, key);
  if (sciara_json_get(entry, "radius_m"))
    return sciara_unknowns_refuse(r, s, "unknowns", u->entry, "radius_m", "it together with another key",
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
  if (s->unknown_count == 0)
    return sciara_unknowns_refuse(r, s, "unknowns", SCIARA_NO_INDEX, NULL, "none", "at least one unknown");
  if (s->unknown_count <= most) return SCIARA_OK;
  snprintf(found, sizeof found, "%zu", s->unknown_count);
  snprintf(allowed, sizeof allowed, "at most %zu%s%s", most, sobol ? " with the design \"sobol\"" : "",
           s->disc_count > 0 ? ", of which a position counts as two" : "");
  return sciara_unknowns_refuse(r, s, "unknowns", SCIARA_NO_INDEX, NULL, found, allowed);
}

enum sciara_status sciara_unknowns_read(const struct sciara_ensemble_reading *r, const cJSON *unknowns,
                                        struct sciara_calibration_search *s) {
  const size_t entries = (size_t)cJSON_GetArraySize(unknowns);
  const cJSON *entry;
  size_t number = 0;
  SCIARA_TRY(SCIARA_NEW(s->unknown, 2 * entries, "the unknowns"));
  SCIARA_TRY(SCIARA_NEW(s->disc, entries, "the unknowns"));
  cJSON_ArrayForEach(entry, unknowns) {
    const size_t k = s->unknown_count++;
    s->unknown[k].entry = number++;
    sciara_diagnostics_add(r->diagnostics, read_unknown(r, entry, k, s));
  }
  return check_count(r, s);
}

// -------------------------------------------------------------------------------------------------------------- values

double sciara_unknown_value(const struct sciara_unknown *u, double coordinate) {
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
    sciara_json_number(u->disc ? sciara_vent_disc_value(u->disc, u->axis, value[k]) : value[k], text[count], 40);
    count++;
  }
  return count;
}

enum sciara_status sciara_unknowns_values(const struct sciara_calibration_search *s, const double *point,
                                          double *value) {
  for (size_t k = 0; k < s->unknown_count; k++) {
    const struct sciara_unknown *u = &s->unknown[k];
    if (!u->disc) value[k] = sciara_unknown_value(u, point[k]);
    if (u->disc && u->axis == 0) SCIARA_TRY(sciara_vent_disc_at(u->disc, point + k, value + k));
  }
  return SCIARA_OK;
}

/** The disc of unknown `k` and its neighbour. */
static enum sciara_status open_disc(const struct sciara_calibration_search *s, size_t k,
                                    const struct sciara_evaluator *e) {
  struct sciara_unknown *u = &s->unknown[k];
  double low[2], high[2];
  for (size_t n = 0; n < s->file->scenario_count; n++) {
    const enum sciara_status status =
        sciara_vent_disc_open(u->disc, sciara_evaluator_site(e, n), n == 0, s->file->scenario[n]);
    if (status != SCIARA_OK)
      return sciara_fail_context(status, "%s: %sunknowns[%zu].radius_m", s->file->path, s->path, u->entry);
  }
  SCIARA_TRY(sciara_vent_disc_bounds(u->disc, low, high));
  for (int axis = 0; axis < 2; axis++) {
    u[axis].min = low[axis];
    u[axis].max = high[axis];
  }
  return SCIARA_OK;
}

enum sciara_status sciara_unknowns_place(const struct sciara_calibration_search *s, const struct sciara_evaluator *e) {
  for (size_t k = 0; k < s->unknown_count; k++)
    if (s->unknown[k].disc && s->unknown[k].axis == 0) SCIARA_TRY(open_disc(s, k, e));
  return SCIARA_OK;
}
