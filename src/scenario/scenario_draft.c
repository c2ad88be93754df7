// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario_draft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "file/durable.h"
#include "scenario/scenario_keys.h"

static const char NAME[] = "scenario"; ///< in messages, of one that is in no file

static enum sciara_status no_memory(void) { return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a scenario"); }

// ---------------------------------------------------------------------------------------------------- open and close

/** Takes over `path` (malloc'd). */
static enum sciara_status parse(char *path, const char *text, size_t length, struct sciara_scenario **out) {
  struct sciara_scenario *s = NULL;
  cJSON *root = NULL;
  enum sciara_status status = path ? SCIARA_OK : no_memory();
  if (status == SCIARA_OK) status = sciara_json_parse(path, text, length, &root);
  if (status == SCIARA_OK && !cJSON_IsObject(root))
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: expected a JSON object, found another value", path);
  if (status == SCIARA_OK) status = SCIARA_NEW(s, 1, "a scenario");
  if (status == SCIARA_OK) {
    *s = (struct sciara_scenario){.path = path, .root = root};
    *out = s;
    return SCIARA_OK;
  }
  cJSON_Delete(root);
  free(path);
  return status;
}

enum sciara_status sciara_scenario_open(const char *path, struct sciara_scenario **out) {
  if (!out) return sciara_fail(SCIARA_ERR_USAGE, "sciara_scenario_open: out is NULL");
  *out = NULL;
  if (!path) return sciara_fail(SCIARA_ERR_USAGE, "sciara_scenario_open: path is NULL");
  char *text = NULL;
  size_t length = 0;
  SCIARA_TRY(sciara_file_read(path, SCIARA_JSON_MAX_BYTES, &text, &length));
  const enum sciara_status status = parse(sciara_format("%s", path), text, length, out);
  free(text);
  return status;
}

enum sciara_status sciara_scenario_from_json(const char *json, const char *folder, struct sciara_scenario **out) {
  if (!out) return sciara_fail(SCIARA_ERR_USAGE, "sciara_scenario_from_json: out is NULL");
  *out = NULL;
  if (!json) return sciara_fail(SCIARA_ERR_USAGE, "sciara_scenario_from_json: json is NULL");
  return parse(folder ? sciara_path_join(folder, NAME) : sciara_format("%s", NAME), json, strlen(json), out);
}

enum sciara_status sciara_scenario_create(struct sciara_scenario **out) {
  if (!out) return sciara_fail(SCIARA_ERR_USAGE, "sciara_scenario_create: out is NULL");
  return sciara_scenario_from_json("{\"vents\": []}", NULL, out);
}

void sciara_scenario_close(struct sciara_scenario *s) {
  if (!s) return;
  cJSON_Delete((cJSON *)s->root);
  sciara_text_free(&s->print);
  free(s->path);
  sciara_free(s);
}

// ------------------------------------------------------------------------------------------------------------ values

enum sciara_status sciara_scenario_set(struct sciara_scenario *s, const char *key, const char *value) {
  if (!s || !key || !value) return sciara_fail(SCIARA_ERR_USAGE, "sciara_scenario_set: an argument is NULL");
  if (strchr(key, '='))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: found the key \"%s\", expected no \"=\"", s->path, key);
  char *override = sciara_format("%s=%s", key, value);
  if (!override) return no_memory();
  const enum sciara_status status = sciara_scenario_override(s->path, (cJSON *)s->root, override);
  free(override);
  return status;
}

enum sciara_status sciara_scenario_set_number(struct sciara_scenario *s, const char *key, double value) {
  char text[32];
  if (!isfinite(value))
    return sciara_fail(SCIARA_ERR_USAGE, "sciara_scenario_set_number: %s: found %g, expected a finite number",
                       key ? key : "key", value);
  sciara_json_number(value, text, sizeof text);
  return sciara_scenario_set(s, key, text);
}

/** Adds an item to an array or, with a name, to an object; what could not be added is deleted. */
static cJSON *put(cJSON *parent, const char *name, cJSON *item) {
  if (parent && item && (name ? cJSON_AddItemToObject(parent, name, item) : cJSON_AddItemToArray(parent, item)))
    return item;
  cJSON_Delete(item);
  return NULL;
}

static bool put_number(cJSON *parent, const char *name, double value) {
  return put(parent, name, cJSON_CreateNumber(value)) != NULL;
}

static bool put_pair(cJSON *array, double a, double b) {
  cJSON *pair = put(array, NULL, cJSON_CreateArray());
  return pair && put_number(pair, NULL, a) && put_number(pair, NULL, b);
}

static bool put_place(cJSON *item, const struct sciara_vent *v) {
  static const char *const names[][2] = {
      [SCIARA_VENT_XY] = {"x", "y"}, [SCIARA_VENT_LONLAT] = {"lon", "lat"}, [SCIARA_VENT_ROWCOL] = {"col", "row"}};
  if (v->place != SCIARA_VENT_LINE)
    return put_number(item, names[v->place][0], v->points[0]) && put_number(item, names[v->place][1], v->points[1]);
  cJSON *line = put(item, "line", cJSON_CreateArray());
  bool done = line != NULL;
  for (size_t k = 0; done && k < v->point_count; k++) done = put_pair(line, v->points[2 * k], v->points[2 * k + 1]);
  return done;
}

static bool put_rates(cJSON *item, const struct sciara_vent *v) {
  cJSON *table = put(put(item, "effusion", cJSON_CreateObject()), "table", cJSON_CreateArray());
  bool done = table != NULL;
  for (size_t k = 0; done && k < v->rate_count; k++) done = put_pair(table, v->times_s[k], v->rates_m3_s[k]);
  return done && put_pair(table, v->times_s[v->rate_count], 0);
}

static bool put_area(cJSON *item, const struct sciara_vent *v) {
  return (v->radius_m == 0 || put_number(item, "radius_m", v->radius_m)) &&
         (v->width_m == 0 || put_number(item, "width_m", v->width_m));
}

/** What JSON cannot hold, or could not be said with its place: the rest is checked with the scenario. */
static enum sciara_status check_vent(const struct sciara_vent *v) {
  if (!v->points || !v->times_s || !v->rates_m3_s || v->rate_count < 1)
    return sciara_fail(SCIARA_ERR_USAGE, "sciara_scenario_add_vent: expected points, times and at least one rate");
  const bool line = v->place == SCIARA_VENT_LINE;
  if ((unsigned)v->place > SCIARA_VENT_LINE || (line ? v->point_count < 2 : v->point_count != 1))
    return sciara_fail(SCIARA_ERR_USAGE, "sciara_scenario_add_vent: found %zu points, expected %s", v->point_count,
                       line ? "at least 2 of a line" : "1");
  for (size_t k = 0; k < 2 * v->point_count; k++)
    if (!isfinite(v->points[k]))
      return sciara_fail(SCIARA_ERR_USAGE, "sciara_scenario_add_vent: point %zu: found %g, expected a finite number",
                         k / 2, v->points[k]);
  if (!isfinite(v->radius_m) || !isfinite(v->width_m))
    return sciara_fail(SCIARA_ERR_USAGE,
                       "sciara_scenario_add_vent: found a radius of %g m and a width of %g m, expected finite numbers",
                       v->radius_m, v->width_m);
  for (size_t k = 0; k <= v->rate_count; k++)
    if (!isfinite(v->times_s[k]) || (k < v->rate_count && !(v->times_s[k] < v->times_s[k + 1])))
      return sciara_fail(SCIARA_ERR_USAGE, "sciara_scenario_add_vent: time %zu: found %g s, expected ascending times",
                         k, v->times_s[k]);
  for (size_t k = 0; k < v->rate_count; k++)
    if (!isfinite(v->rates_m3_s[k]))
      return sciara_fail(SCIARA_ERR_USAGE,
                         "sciara_scenario_add_vent: rate %zu: found %g m3/s, expected a finite number", k,
                         v->rates_m3_s[k]);
  return SCIARA_OK;
}

enum sciara_status sciara_scenario_add_vent(struct sciara_scenario *s, const struct sciara_vent *vent) {
  if (!s || !vent) return sciara_fail(SCIARA_ERR_USAGE, "sciara_scenario_add_vent: an argument is NULL");
  SCIARA_TRY(check_vent(vent));
  cJSON *root = (cJSON *)s->root, *vents = cJSON_GetObjectItemCaseSensitive(root, "vents");
  if (!vents) vents = put(root, "vents", cJSON_CreateArray());
  if (!vents) return no_memory();
  if (!cJSON_IsArray(vents))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: vents: expected an array, found another value", s->path);
  cJSON *item = cJSON_CreateObject();
  const bool done = item && (!vent->name || put(item, "name", cJSON_CreateString(vent->name))) &&
                    put_place(item, vent) && put_area(item, vent) && put_rates(item, vent);
  if (done) return put(vents, NULL, item) ? SCIARA_OK : no_memory();
  cJSON_Delete(item);
  return no_memory();
}

// -------------------------------------------------------------------------------------------------------------- text

bool sciara_scenario_draft_has_dem(const struct sciara_scenario *s) {
  return cJSON_GetObjectItemCaseSensitive((const cJSON *)s->root, "dem") != NULL;
}

enum sciara_status sciara_scenario_draft_text(const struct sciara_scenario *s, const char *dem,
                                              struct sciara_text *out) {
  cJSON *copy = cJSON_Duplicate((const cJSON *)s->root, true);
  if (!copy) return no_memory();
  enum sciara_status status = SCIARA_OK;
  if (dem && !sciara_scenario_draft_has_dem(s) && !put(copy, "dem", cJSON_Parse(dem))) status = no_memory();
  if (status == SCIARA_OK) status = sciara_json_print(copy, out);
  cJSON_Delete(copy);
  return status;
}

enum sciara_status sciara_scenario_json(struct sciara_scenario *s, const char **out) {
  if (!s || !out) return sciara_fail(SCIARA_ERR_USAGE, "sciara_scenario_json: an argument is NULL");
  *out = NULL;
  sciara_text_free(&s->print);
  s->print = (struct sciara_text){0};
  SCIARA_TRY(sciara_scenario_draft_text(s, NULL, &s->print));
  *out = s->print.data;
  return SCIARA_OK;
}
