// SPDX-License-Identifier: Apache-2.0
// Scenarios that are made, not read: that of a program, and a first one for a DEM.
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

static bool put_place(cJSON *item, const struct sciara_vent *v) {
  static const char *const names[][2] = {
      [SCIARA_VENT_XY] = {"x", "y"}, [SCIARA_VENT_LONLAT] = {"lon", "lat"}, [SCIARA_VENT_ROWCOL] = {"col", "row"}};
  if (v->place != SCIARA_VENT_LINE)
    return cJSON_AddNumberToObject(item, names[v->place][0], v->points[0]) &&
           cJSON_AddNumberToObject(item, names[v->place][1], v->points[1]);
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
  return (v->radius_m == 0 || cJSON_AddNumberToObject(item, "radius_m", v->radius_m)) &&
         (v->width_m == 0 || cJSON_AddNumberToObject(item, "width_m", v->width_m));
}

/** What JSON cannot hold, or could not be said with its JSON path: the rest is checked with the scenario. */
static enum sciara_status check_vent(const struct sciara_vent *v) {
  if (!v->points || !v->times_s || !v->rates_m3_s || v->rate_count < 1)
    return sciara_fail(SCIARA_ERR_USAGE,
                       "sciara_scenario_add_vent: expected points, times and at least one rate, found fewer");
  const bool line = v->place == SCIARA_VENT_LINE;
  if ((unsigned)v->place > SCIARA_VENT_LINE)
    return sciara_fail(SCIARA_ERR_USAGE, "sciara_scenario_add_vent: expected a place from 0 to %d, found %d",
                       SCIARA_VENT_LINE, (int)v->place);
  if (line ? v->point_count < 2 : v->point_count != 1)
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
    if (!isfinite(v->times_s[k]) || (k > 0 && v->times_s[k] <= v->times_s[k - 1]))
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

/** Whether it names the file of its DEM. */
static bool names_dem(const struct sciara_scenario *s) {
  const cJSON *dem = cJSON_GetObjectItemCaseSensitive((const cJSON *)s->root, "dem");
  return dem && (!cJSON_IsObject(dem) || cJSON_GetObjectItemCaseSensitive(dem, "path"));
}

enum sciara_status sciara_scenario_draft_check_dem(const struct sciara_scenario *s, bool has_site, bool of_memory) {
  if (!has_site && !cJSON_GetObjectItemCaseSensitive((const cJSON *)s->root, "dem"))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: dem: expected a DEM, or a site in the call; found neither", s->path);
  if (of_memory && names_dem(s))
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s: dem.path: expected none, because the site was made from an array; found a DEM", s->path);
  return SCIARA_OK;
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
  if (dem && !names_dem(s) && !put_dem(copy, dem)) status = sciara_scenario_no_memory();
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

// -------------------------------------------------------------------------------------------------- a first scenario

static bool add_effusion(cJSON *vent, const struct sciara_default_request *q) {
  cJSON *effusion = cJSON_AddObjectToObject(vent, "effusion");
  if (q->rates) return effusion && cJSON_AddStringToObject(effusion, "csv", q->rates);
  if (!effusion || !cJSON_AddStringToObject(effusion, "slot", q->duration)) return false;
  cJSON *rates = cJSON_AddArrayToObject(effusion, "rates_m3_s");
  return rates && cJSON_AddItemToArray(rates, cJSON_CreateNumber(q->rate));
}

static bool add_place(cJSON *vent, const struct sciara_default_request *q, const struct sciara_default_vent *v) {
  if (v->count == 1)
    return cJSON_AddNumberToObject(vent, v->lonlat ? "lon" : "x", v->at->x) &&
           cJSON_AddNumberToObject(vent, v->lonlat ? "lat" : "y", v->at->y);
  cJSON *line = cJSON_AddArrayToObject(vent, "line");
  for (size_t k = 0; k < v->count; k++)
    if (!sciara_json_put_pair(line, v->at[k].x, v->at[k].y)) return false;
  return (!v->lonlat || cJSON_AddTrueToObject(vent, "lonlat")) &&
         (!(q->width > 0) || cJSON_AddNumberToObject(vent, "width_m", q->width));
}

static bool add_vent(cJSON *list, const struct sciara_default_request *q, size_t k) {
  const struct sciara_default_vent *v = &q->vents[k];
  char name[32];
  snprintf(name, sizeof name, "%s %zu", v->count > 1 ? "fissure" : "vent", k + 1);
  cJSON *vent = sciara_json_put(list, NULL, cJSON_CreateObject());
  return cJSON_AddStringToObject(vent, "name", name) && add_place(vent, q, v) &&
         cJSON_AddStringToObject(vent, "start", "0 s") && add_effusion(vent, q);
}

/** The effusion of vents that an override gave without one. */
static bool complete_vents(cJSON *root, const struct sciara_default_request *q) {
  cJSON *vents = cJSON_GetObjectItemCaseSensitive(root, "vents"), *vent;
  if (!q->rates && !q->duration) return true;
  if (cJSON_IsArray(vents)) cJSON_ArrayForEach(vent, vents) {
      if (!cJSON_IsObject(vent) || cJSON_GetObjectItemCaseSensitive(vent, "effusion")) continue;
      if (!add_effusion(vent, q)) return false;
    }
  return true;
}

/** The keys without a default, in the order of the manual. */
static bool add_given(cJSON *root, const struct sciara_default_request *q) {
  bool good = (!q->schema || cJSON_AddStringToObject(root, "$schema", q->schema)) &&
              (q->title ? cJSON_AddStringToObject(root, "title", q->title) : cJSON_AddNullToObject(root, "title"));
  cJSON *dem = good ? cJSON_AddObjectToObject(root, "dem") : NULL;
  good = dem && cJSON_AddStringToObject(dem, "path", q->dem);
  cJSON *vents = good ? cJSON_AddArrayToObject(root, "vents") : NULL;
  good = vents != NULL;
  for (size_t k = 0; good && k < q->vent_count; k++) good = add_vent(vents, q, k);
  return good;
}

/** Removes an empty object, such as "initial": its keys have no defaults. */
static void drop_empty(cJSON *parent, const char *name) {
  cJSON *object = cJSON_GetObjectItemCaseSensitive(parent, name);
  if (cJSON_IsObject(object) && !object->child) cJSON_Delete(cJSON_DetachItemViaPointer(parent, object));
}

/** A sheet of lava may stop by its strength and stay hot for years: its runs end when the front rests. */
static bool choose_end(cJSON *root) {
  if (!sciara_is_sheet(sciara_scenario_rule_of(cJSON_GetObjectItemCaseSensitive(root, "model")))) return true;
  cJSON *run = cJSON_GetObjectItemCaseSensitive(root, "run");
  if (!run) run = cJSON_AddObjectToObject(root, "run");
  return run && (!cJSON_IsObject(run) || cJSON_GetObjectItemCaseSensitive(run, "until") ||
                 cJSON_AddStringToObject(run, "until", sciara_until_rules[SCIARA_UNTIL_FRONT].name));
}

/** Overrides add keys at the end: the order of the manual. */
static void put_in_order(cJSON *root) {
  static const char *const last[] = {"model", "boundary", "run", "output", "engine"};
  for (size_t k = 0; k < sizeof last / sizeof *last; k++) {
    cJSON *item = cJSON_DetachItemFromObjectCaseSensitive(root, last[k]);
    if (item) cJSON_AddItemToArray(root, item); // which keeps its name
  }
}

enum sciara_status sciara_scenario_default(const struct sciara_default_request *request, const char *const *overrides,
                                           size_t override_count, struct sciara_text *out) {
  enum sciara_status status = SCIARA_OK;
  cJSON *root = cJSON_CreateObject();
  if (!root || !add_given(root, request)) status = sciara_scenario_no_memory();
  for (size_t k = 0; status == SCIARA_OK && k < override_count; k++)
    status = sciara_scenario_override(SCIARA_NEW_SCENARIO, root, overrides[k]);
  if (status == SCIARA_OK && !complete_vents(root, request)) status = sciara_scenario_no_memory();
  if (status == SCIARA_OK && !choose_end(root)) status = sciara_scenario_no_memory();
  if (status == SCIARA_OK) status = sciara_scenario_fill(root);
  if (status == SCIARA_OK) {
    drop_empty(cJSON_GetObjectItemCaseSensitive(root, "initial"), "observed");
    drop_empty(root, "initial");
    drop_empty(cJSON_GetObjectItemCaseSensitive(root, "dem"), "error");
    put_in_order(root);
    status = sciara_json_print(root, out);
  }
  if (status == SCIARA_OK) status = sciara_text_append(out, "\n");
  cJSON_Delete(root);
  return status;
}
