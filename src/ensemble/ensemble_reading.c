// SPDX-License-Identifier: Apache-2.0
#include "ensemble/ensemble_json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "file/durable.h"

enum sciara_status sciara_ensemble_refuse(const struct sciara_ensemble_reading *r, const char *object, size_t index,
                                          const char *name, const char *found, const char *allowed) {
  const struct sciara_json_path top = {.key = object}, item = {.parent = &top, .index = index};
  const struct sciara_json_path *parent = index == SCIARA_NO_INDEX ? &top : &item;
  const struct sciara_json_path path = {.parent = parent, .key = name};
  return sciara_scenario_refuse(r->file, name ? &path : parent, found, allowed);
}

void sciara_ensemble_report(const struct sciara_ensemble_reading *r, const char *object, size_t index, const char *name,
                            const char *found, const char *allowed) {
  sciara_diagnostics_add(r->diagnostics, sciara_ensemble_refuse(r, object, index, name, found, allowed));
}

const cJSON *sciara_json_get(const cJSON *object, const char *name) {
  return cJSON_GetObjectItemCaseSensitive(object, name);
}

double sciara_json_double(const cJSON *object, const char *name, double preset) {
  const cJSON *value = sciara_json_get(object, name);
  return cJSON_IsNumber(value) ? value->valuedouble : preset;
}

enum sciara_status sciara_ensemble_path(const struct sciara_ensemble_reading *r, const cJSON *value, char **out) {
  return sciara_path_in(r->folder, value->valuestring, out);
}

enum sciara_status sciara_json_points(const cJSON *array, struct sciara_point **out, size_t *count) {
  const cJSON *point;
  *count = 0;
  SCIARA_TRY(SCIARA_NEW(*out, (size_t)cJSON_GetArraySize(array), "points"));
  cJSON_ArrayForEach(point, array)(*out)[(*count)++] =
      (struct sciara_point){point->child->valuedouble, point->child->next->valuedouble};
  return SCIARA_OK;
}

cJSON *sciara_json_push(cJSON *array) { return sciara_json_put(array, NULL, cJSON_CreateObject()); }

bool sciara_json_put_hash(cJSON *object, const char *name, uint64_t hash) {
  char text[20];
  snprintf(text, sizeof text, "%016" PRIx64, hash);
  return cJSON_AddStringToObject(object, name, text) != NULL;
}

bool sciara_json_put_plain(cJSON *object, const char *name, const char *text) {
  struct sciara_text plain = {0};
  const bool whole = sciara_is_utf8(text) || sciara_text_append_plain(&plain, text) == SCIARA_OK;
  const bool added = whole && cJSON_AddStringToObject(object, name, plain.data ? plain.data : text);
  sciara_text_free(&plain);
  return added;
}

bool sciara_json_put_points(cJSON *object, const char *name, const struct sciara_point *points, size_t count) {
  cJSON *list = cJSON_AddArrayToObject(object, name);
  for (size_t k = 0; list && k < count; k++)
    if (!sciara_json_put_pair(list, points[k].x, points[k].y)) return false;
  return list != NULL;
}

enum sciara_status sciara_ensemble_name(const cJSON *object, const char *preset, size_t number, char **out) {
  const cJSON *name = sciara_json_get(object, "name");
  *out = name ? sciara_format("%s", name->valuestring) : sciara_format("%s %zu", preset, number);
  return *out ? SCIARA_OK : sciara_no_memory("an ensemble");
}

// ------------------------------------------------------------------------------------------------------------ result

/** Numbers of results that are equal in the 9 digits of the names of maps and columns: relative difference at most this. */
#define SAME_NAME 1e-8

/** The numbers or durations of result.`key`, ascending, each once; `preset` if there is none. */
static enum sciara_status read_numbers(const struct sciara_ensemble_reading *r, const cJSON *result, const char *key,
                                       const double *preset, size_t preset_count, double **out, size_t *count) {
  const cJSON *array = sciara_json_get(result, key);
  const size_t given = array ? (size_t)cJSON_GetArraySize(array) : preset_count;
  const cJSON *item;
  size_t k = 0;
  SCIARA_TRY(SCIARA_NEW(*out, given, "numbers of the results"));
  cJSON_ArrayForEach(item, array) {
    if (cJSON_IsString(item) && sciara_scenario_date_valid(item->valuestring))
      return sciara_fail(
          SCIARA_ERR_INPUT,
          "%s: result.%s[%zu]: expected a duration, or run.start in the base as well, from which a date is "
          "counted; found \"%s\"",
          r->file, key, k, item->valuestring);
    (*out)[k++] = sciara_scenario_seconds(item);
  }
  for (; !array && k < given; k++) (*out)[k] = preset[k];
  if (given > 0) qsort(*out, given, sizeof **out, sciara_ascending);
  *count = 0;
  for (k = 0; k < given; k++) {
    const double value = (*out)[k], before = *count > 0 ? (*out)[*count - 1] : -1;
    if (*count > 0 && value == before) continue;
    if (*count > 0 && value - before <= SAME_NAME * value)
      return sciara_fail(SCIARA_ERR_INPUT,
                         "%s: result.%s: expected numbers that differ in their first 8 digits, found %.17g and %.17g",
                         r->file, key, before, value);
    (*out)[(*count)++] = value;
  }
  return SCIARA_OK;
}

enum { FEWEST_CORNERS = 3 };

static enum sciara_status read_corners(const struct sciara_ensemble_reading *r, const char *path, const cJSON *polygon,
                                       struct sciara_point **points, size_t *count) {
  if (cJSON_GetArraySize(polygon) < FEWEST_CORNERS)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: %s.polygon: expected at least 3 corners, found %d", r->file, path,
                       cJSON_GetArraySize(polygon));
  return sciara_json_points(polygon, points, count);
}

/** The ends of the parts of a line or a zone. */
static enum sciara_status read_ends(const struct sciara_ensemble_reading *r, const char *path, const cJSON *ends,
                                    struct sciara_poi *out) {
  const cJSON *end;
  size_t before = 0;
  SCIARA_TRY(SCIARA_NEW(out->ends, (size_t)cJSON_GetArraySize(ends), "the parts of a place"));
  cJSON_ArrayForEach(end, ends) {
    const double value = end->valuedouble;
    if (!(value > (double)before && value <= (double)out->point_count) || value != floor(value))
      return sciara_fail(SCIARA_ERR_INPUT,
                         "%s: %s.ends: expected ascending whole numbers up to that of its points, %zu; found %g",
                         r->file, path, out->point_count, value);
    before = out->ends[out->parts++] = (size_t)value;
  }
  if (before == out->point_count) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: %s.ends: expected the number of its points, %zu, as the last one; found %zu", r->file, path,
                     out->point_count, before);
}

static enum sciara_status read_poi(const struct sciara_ensemble_reading *r, const cJSON *poi, size_t index,
                                   struct sciara_poi *out) {
  char path[64];
  const cJSON *polygon = sciara_json_get(poi, "polygon"), *line = sciara_json_get(poi, "line"),
              *points = sciara_json_get(poi, "points"), *ends = sciara_json_get(poi, "ends");
  snprintf(path, sizeof path, "result.sites[%zu]", index);
  SCIARA_TRY(sciara_ensemble_name(poi, "site", index + 1, &out->name));
  out->kind = polygon ? SCIARA_POI_ZONE : line ? SCIARA_POI_LINE : SCIARA_POI_POINT;
  if (polygon) SCIARA_TRY(read_corners(r, path, polygon, &out->points, &out->point_count));
  if (line || points) SCIARA_TRY(sciara_json_points(line ? line : points, &out->points, &out->point_count));
  if (ends && (polygon || line)) return read_ends(r, path, ends, out);
  if (polygon || line || points) return SCIARA_OK;
  SCIARA_TRY(SCIARA_NEW(out->points, 1, "a place"));
  out->points[0] = (struct sciara_point){sciara_json_double(poi, "x", 0), sciara_json_double(poi, "y", 0)};
  out->point_count = 1;
  return SCIARA_OK;
}

static enum sciara_status read_zone_rate(const struct sciara_ensemble_reading *r, const cJSON *rate, size_t index,
                                         struct sciara_ensemble_rate *out) {
  char path[64];
  const cJSON *polygon = sciara_json_get(rate, "polygon"), *interval = sciara_json_get(rate, "interval");
  snprintf(path, sizeof path, "result.eruptions_per_year[%zu]", index);
  SCIARA_TRY(sciara_ensemble_name(rate, "zone", index + 1, &out->name));
  out->per_year = out->low = out->high = sciara_json_double(rate, "rate", 0);
  if (interval) {
    out->low = interval->child->valuedouble;
    out->high = interval->child->next->valuedouble;
  }
  if (!(out->low <= out->per_year && out->per_year <= out->high))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: %s.interval: expected an interval that holds the rate %g, found %g to %g",
                       r->file, path, out->per_year, out->low, out->high);
  return polygon ? read_corners(r, path, polygon, &out->points, &out->point_count) : SCIARA_OK;
}

static void read_pois(const struct sciara_ensemble_reading *r, const cJSON *pois, struct sciara_ensemble_result *out) {
  const cJSON *poi;
  const enum sciara_status status = SCIARA_NEW(out->pois, (size_t)cJSON_GetArraySize(pois), "the places");
  sciara_diagnostics_add(r->diagnostics, status);
  if (status != SCIARA_OK || !pois) return;
  cJSON_ArrayForEach(poi, pois) {
    const size_t k = out->poi_count++;
    sciara_diagnostics_add(r->diagnostics, read_poi(r, poi, k, &out->pois[k]));
    for (size_t n = 0; n < k; n++)
      if (out->pois[k].name && out->pois[n].name && strcmp(out->pois[k].name, out->pois[n].name) == 0)
        sciara_diagnostics_add(r->diagnostics,
                               sciara_fail(SCIARA_ERR_INPUT,
                                           "%s: result.sites[%zu].name: expected a different name for each site, found "
                                           "\"%.60s\" twice",
                                           r->file, k, out->pois[k].name));
  }
}

static void read_rates_per_year(const struct sciara_ensemble_reading *r, const cJSON *rates,
                                struct sciara_ensemble_result *out) {
  const cJSON *rate;
  const enum sciara_status status = SCIARA_NEW(out->rates, (size_t)cJSON_GetArraySize(rates), "the eruption rates");
  sciara_diagnostics_add(r->diagnostics, status);
  if (status != SCIARA_OK || !rates) return;
  cJSON_ArrayForEach(rate, rates) {
    const size_t k = out->rate_count++;
    sciara_diagnostics_add(r->diagnostics, read_zone_rate(r, rate, k, &out->rates[k]));
  }
}

void sciara_result_read(const struct sciara_ensemble_reading *r, const cJSON *result, const cJSON *stop,
                        struct sciara_ensemble_result *out, struct sciara_ensemble_stop *rule) {
  static const double deposit[] = {0, 1}, within[] = {86400, 3 * 86400, 7 * 86400}, quantiles[] = {0.05, 0.5, 0.95};
  *out = (struct sciara_ensemble_result){0};
  sciara_diagnostics_add(r->diagnostics,
                         read_numbers(r, result, "thickness_m", deposit, 2, &out->deposit_m, &out->deposit_count));
  sciara_diagnostics_add(r->diagnostics,
                         read_numbers(r, result, "within", within, 3, &out->within_s, &out->within_count));
  sciara_diagnostics_add(r->diagnostics,
                         read_numbers(r, result, "quantiles", quantiles, 3, &out->quantiles, &out->quantile_count));
  sciara_diagnostics_add(r->diagnostics, read_numbers(r, result, "years", NULL, 0, &out->years, &out->year_count));
  read_pois(r, sciara_json_get(result, "sites"), out);
  read_rates_per_year(r, sciara_json_get(result, "eruptions_per_year"), out);
  if (out->year_count > 0 && out->rate_count == 0)
    sciara_ensemble_report(r, "result", SCIARA_NO_INDEX, "years", "it alone",
                           "the key only together with \"eruptions_per_year\"");
  rule->standard_error = sciara_json_double(stop, "standard_error", 0);
  rule->deposit_m = sciara_json_double(stop, "thickness_m", 0);
  if (stop && out->poi_count == 0)
    sciara_ensemble_report(r, "stop", SCIARA_NO_INDEX, NULL, "no sites", "result.sites, at which the error is found");
}
