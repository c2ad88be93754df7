// SPDX-License-Identifier: Apache-2.0
// A first scenario for a DEM.
#include "scenario/scenario_keys.h"

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
