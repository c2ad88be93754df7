// SPDX-License-Identifier: Apache-2.0
// A scenario that a program builds.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "file/durable.h"
#include "scenario/scenario_keys.h"
#include "sciara.h"

static const char NAME[] = "scenario"; ///< in messages, of one that is in no file

// ---------------------------------------------------------------------------------------------------- open and close

/** Takes over `path` (malloc'd). */
static enum sciara_status parse(char *path, const char *text, size_t length, struct sciara_scenario **out) {
  struct sciara_scenario *s = NULL;
  cJSON *root = NULL;
  enum sciara_status status = path ? SCIARA_OK : sciara_scenario_no_memory();
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
  if (!out) return sciara_fail(SCIARA_ERR_USAGE, "sciara_scenario_open: expected out, found NULL");
  *out = NULL;
  if (!path) return sciara_fail(SCIARA_ERR_USAGE, "sciara_scenario_open: expected the path, found NULL");
  char *text = NULL;
  size_t length = 0;
  SCIARA_TRY(sciara_file_read(path, SCIARA_JSON_MAX_BYTES, &text, &length));
  const enum sciara_status status = parse(sciara_format("%s", path), text, length, out);
  free(text);
  return status;
}

enum sciara_status sciara_scenario_from_json(const char *json, const char *folder, struct sciara_scenario **out) {
  if (!out) return sciara_fail(SCIARA_ERR_USAGE, "sciara_scenario_from_json: expected out, found NULL");
  *out = NULL;
  if (!json) return sciara_fail(SCIARA_ERR_USAGE, "sciara_scenario_from_json: expected json, found NULL");
  return parse(folder ? sciara_path_join(folder, NAME) : sciara_format("%s", NAME), json, strlen(json), out);
}

enum sciara_status sciara_scenario_create(struct sciara_scenario **out) {
  if (!out) return sciara_fail(SCIARA_ERR_USAGE, "sciara_scenario_create: expected out, found NULL");
  return sciara_scenario_from_json("{\"vents\": []}", NULL, out);
}

static void free_initial(struct sciara_initial_lava *lava) {
  sciara_free(lava->thickness);
  sciara_free(lava->temperature);
  *lava = (struct sciara_initial_lava){0};
}

void sciara_scenario_close(struct sciara_scenario *s) {
  if (!s) return;
  cJSON_Delete((cJSON *)s->root);
  sciara_text_free(&s->print);
  free_initial(&s->initial);
  free(s->path);
  sciara_free(s);
}

// ------------------------------------------------------------------------------------------------------------ values

enum sciara_status sciara_scenario_set(struct sciara_scenario *s, const char *key, const char *value) {
  if (!s || !key || !value)
    return sciara_fail(SCIARA_ERR_USAGE, "sciara_scenario_set: expected a scenario, a key and a value; found NULL");
  if (strchr(key, '='))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected a key without \"=\", found \"%s\"", s->path, key);
  char *override = sciara_format("%s=%s", key, value);
  if (!override) return sciara_scenario_no_memory();
  const enum sciara_status status = sciara_scenario_override(s->path, (cJSON *)s->root, override);
  free(override);
  return status;
}

enum sciara_status sciara_scenario_set_number(struct sciara_scenario *s, const char *key, double value) {
  char text[32];
  if (!isfinite(value))
    return sciara_fail(SCIARA_ERR_USAGE, "sciara_scenario_set_number: %s: expected a finite number, found %g",
                       key ? key : "key", value);
  sciara_json_number(value, text, sizeof text);
  return sciara_scenario_set(s, key, text);
}

static bool put_draft_number(cJSON *object, const char *name, double value) {
  return sciara_json_put(object, name, cJSON_CreateNumber(value)) != NULL;
}

static bool put_place(cJSON *item, const struct sciara_vent *v) {
  static const char *const names[][2] = {
      [SCIARA_VENT_XY] = {"x", "y"}, [SCIARA_VENT_LONLAT] = {"lon", "lat"}, [SCIARA_VENT_ROWCOL] = {"col", "row"}};
  if (v->place != SCIARA_VENT_LINE)
    return put_draft_number(item, names[v->place][0], v->points[0]) &&
           put_draft_number(item, names[v->place][1], v->points[1]);
  cJSON *line = sciara_json_put(item, "line", cJSON_CreateArray());
  bool done = line != NULL;
  for (size_t k = 0; done && k < v->point_count; k++)
    done = sciara_json_put_pair(line, v->points[2 * k], v->points[2 * k + 1]);
  return done;
}

static bool put_rates(cJSON *item, const struct sciara_vent *v) {
  cJSON *table = sciara_json_put(sciara_json_put(item, "effusion", cJSON_CreateObject()), "table", cJSON_CreateArray());
  bool done = table != NULL;
  for (size_t k = 0; done && k < v->rate_count; k++)
    done = sciara_json_put_pair(table, v->times_s[k], v->rates_m3_s[k]);
  return done && sciara_json_put_pair(table, v->times_s[v->rate_count], 0);
}

static bool put_area(cJSON *item, const struct sciara_vent *v) {
  return (v->radius_m == 0 || put_draft_number(item, "radius_m", v->radius_m)) &&
         (v->width_m == 0 || put_draft_number(item, "width_m", v->width_m));
}

/** What JSON cannot hold, or could not be said with its JSON path: the rest is checked with the scenario. */
static enum sciara_status check_vent(const struct sciara_vent *v) {
  if (!v->points || !v->times_s || !v->rates_m3_s || v->rate_count < 1)
    return sciara_fail(SCIARA_ERR_USAGE,
                       "sciara_scenario_add_vent: expected points, times and at least one rate, found fewer");
  const bool line = v->place == SCIARA_VENT_LINE;
  if ((unsigned)v->place > SCIARA_VENT_LINE || (line ? v->point_count < 2 : v->point_count != 1))
    return sciara_fail(SCIARA_ERR_USAGE, "sciara_scenario_add_vent: expected %s, found %zu",
                       line ? "at least 2 points of a line" : "1 point", v->point_count);
  for (size_t k = 0; k < 2 * v->point_count; k++)
    if (!isfinite(v->points[k]))
      return sciara_fail(SCIARA_ERR_USAGE, "sciara_scenario_add_vent: point %zu: expected a finite number, found %g",
                         k / 2, v->points[k]);
  if (!isfinite(v->radius_m) || !isfinite(v->width_m))
    return sciara_fail(SCIARA_ERR_USAGE,
                       "sciara_scenario_add_vent: found a radius of %g m and a width of %g m, expected finite numbers",
                       v->radius_m, v->width_m);
  for (size_t k = 0; k <= v->rate_count; k++)
    if (!isfinite(v->times_s[k]) || (k < v->rate_count && !(v->times_s[k] < v->times_s[k + 1])))
      return sciara_fail(SCIARA_ERR_USAGE, "sciara_scenario_add_vent: time %zu: expected ascending times, found %g s",
                         k, v->times_s[k]);
  for (size_t k = 0; k < v->rate_count; k++)
    if (!isfinite(v->rates_m3_s[k]))
      return sciara_fail(SCIARA_ERR_USAGE,
                         "sciara_scenario_add_vent: rate %zu: expected a finite number, found %g m3/s", k,
                         v->rates_m3_s[k]);
  return SCIARA_OK;
}

enum sciara_status sciara_scenario_add_vent(struct sciara_scenario *s, const struct sciara_vent *vent) {
  if (!s || !vent)
    return sciara_fail(SCIARA_ERR_USAGE, "sciara_scenario_add_vent: expected a scenario and a vent, found NULL");
  SCIARA_TRY(check_vent(vent));
  cJSON *root = (cJSON *)s->root, *vents = cJSON_GetObjectItemCaseSensitive(root, "vents");
  if (!vents) vents = sciara_json_put(root, "vents", cJSON_CreateArray());
  if (!vents) return sciara_scenario_no_memory();
  if (!cJSON_IsArray(vents))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: vents: expected an array, found another value", s->path);
  cJSON *item = cJSON_CreateObject();
  const bool done = item && (!vent->name || sciara_json_put(item, "name", cJSON_CreateString(vent->name))) &&
                    put_place(item, vent) && put_area(item, vent) && put_rates(item, vent);
  if (done) return sciara_json_put(vents, NULL, item) ? SCIARA_OK : sciara_scenario_no_memory();
  cJSON_Delete(item);
  return sciara_scenario_no_memory();
}

// ------------------------------------------------------------------------------------------------------ initial lava

static enum sciara_status copy_array(const double *values, size_t count, const char *what, double **out) {
  SCIARA_TRY(SCIARA_NEW(*out, count, what));
  memcpy(*out, values, count * sizeof *values);
  return SCIARA_OK;
}

/** The key "initial", with the name of arrays for values. */
static bool put_initial(cJSON *root, bool temperature) {
  cJSON *item = cJSON_CreateObject();
  const bool done = item && sciara_json_put(item, "thickness", cJSON_CreateString(SCIARA_MEMORY_LAYER)) &&
                    (!temperature || sciara_json_put(item, "temperature", cJSON_CreateString(SCIARA_MEMORY_LAYER)));
  if (!done) {
    cJSON_Delete(item);
    return false;
  }
  cJSON_DeleteItemFromObjectCaseSensitive(root, "initial");
  return sciara_json_put(root, "initial", item) != NULL;
}

enum sciara_status sciara_scenario_set_initial_lava(struct sciara_scenario *s, int64_t rows, int64_t cols,
                                                    const double *thickness, const double *temperature) {
  if (!s || !thickness)
    return sciara_fail(SCIARA_ERR_USAGE,
                       "sciara_scenario_set_initial_lava: expected a scenario and a thickness, found NULL");
  if (rows < 1 || cols < 1 || rows > INT32_MAX || cols > INT32_MAX)
    return sciara_fail(SCIARA_ERR_USAGE,
                       "sciara_scenario_set_initial_lava: expected 1 to %d rows and columns, found %" PRId64
                       " rows and %" PRId64 " columns",
                       INT32_MAX, rows, cols);
  enum sciara_status status;
  const size_t cells = (size_t)rows * (size_t)cols;
  struct sciara_initial_lava lava = {.rows = rows, .cols = cols};
  SCIARA_TRY_GOTO(copy_array(thickness, cells, "the initial thickness", &lava.thickness));
  if (temperature) SCIARA_TRY_GOTO(copy_array(temperature, cells, "the initial temperature", &lava.temperature));
  SCIARA_TRY_GOTO(put_initial((cJSON *)s->root, temperature != NULL) ? SCIARA_OK : sciara_scenario_no_memory());
  free_initial(&s->initial);
  s->initial = lava;
  return SCIARA_OK;
cleanup:
  free_initial(&lava);
  return status;
}

// -------------------------------------------------------------------------------------------------------------- text

bool sciara_scenario_draft_has_dem(const struct sciara_scenario *s) {
  return cJSON_GetObjectItemCaseSensitive((const cJSON *)s->root, "dem") != NULL;
}

bool sciara_scenario_draft_names_dem(const struct sciara_scenario *s) {
  const cJSON *dem = cJSON_GetObjectItemCaseSensitive((const cJSON *)s->root, "dem");
  return dem && (!cJSON_IsObject(dem) || cJSON_GetObjectItemCaseSensitive(dem, "path"));
}

/** Adds the members of the DEM of a site that the scenario does not have. */
static bool put_dem(cJSON *root, const char *text) {
  cJSON *site = cJSON_Parse(text), *dem = cJSON_GetObjectItemCaseSensitive(root, "dem");
  if (!dem) return sciara_json_put(root, "dem", site) != NULL;
  cJSON *path = cJSON_DetachItemFromObjectCaseSensitive(site, "path");
  cJSON_Delete(site);
  return sciara_json_put(dem, "path", path) != NULL;
}

enum sciara_status sciara_scenario_draft_text(const struct sciara_scenario *s, const char *dem,
                                              struct sciara_text *out) {
  cJSON *copy = cJSON_Duplicate((const cJSON *)s->root, true);
  if (!copy) return sciara_scenario_no_memory();
  enum sciara_status status = SCIARA_OK;
  if (dem && !sciara_scenario_draft_names_dem(s) && !put_dem(copy, dem)) status = sciara_scenario_no_memory();
  if (status == SCIARA_OK) status = sciara_json_print(copy, out);
  cJSON_Delete(copy);
  return status;
}

enum sciara_status sciara_scenario_json(struct sciara_scenario *s, const char **out) {
  if (!s || !out) return sciara_fail(SCIARA_ERR_USAGE, "sciara_scenario_json: expected a scenario and out, found NULL");
  *out = NULL;
  sciara_text_free(&s->print);
  s->print = (struct sciara_text){0};
  SCIARA_TRY(sciara_scenario_draft_text(s, NULL, &s->print));
  *out = s->print.data;
  return SCIARA_OK;
}
