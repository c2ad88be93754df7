// SPDX-License-Identifier: Apache-2.0
// Completes a checked tree: adds the defaults of absent keys.
#include <string.h>

#include "model/params.h"
#include "scenario/scenario_keys.h"

static enum sciara_status fill_object(cJSON *object, const char *schema);

enum sciara_rule_kind sciara_scenario_rule_of(const cJSON *model) {
  const cJSON *rule = cJSON_GetObjectItemCaseSensitive(model, "rule");
  const cJSON *preset = cJSON_GetObjectItemCaseSensitive(model, "preset");
  enum sciara_rule_kind out = SCIARA_RULE_FV3;
  if (cJSON_IsString(rule) && sciara_rule_find(rule->valuestring, &out)) return out;
  const struct sciara_preset *set = cJSON_IsString(preset) ? sciara_preset_find(preset->valuestring) : NULL;
  return set ? set->params.rule : SCIARA_RULE_FV3;
}

/** Adds rule and preset to the object "model": one follows from the other. */
static enum sciara_status fill_rule(cJSON *model) {
  const enum sciara_rule_kind rule = sciara_scenario_rule_of(model);
  if (!cJSON_HasObjectItem(model, "rule") && !cJSON_AddStringToObject(model, "rule", sciara_rule_name(rule)))
    return sciara_scenario_no_memory();
  if (!cJSON_HasObjectItem(model, "preset") &&
      !cJSON_AddStringToObject(model, "preset", sciara_preset_of_rule(rule)->name))
    return sciara_scenario_no_memory();
  return SCIARA_OK;
}

/** The value of a parameter in the preset that the object "model" names; false for any other key. */
static bool value_of_preset(const cJSON *model, const struct sciara_scenario_key *key, const char *name, double *out) {
  if (strncmp(key->path, "model.", strlen("model.")) != 0) return false;
  const cJSON *preset = cJSON_GetObjectItemCaseSensitive(model, "preset"); // filled in before the parameters
  size_t count;
  const struct sciara_param_info *table = sciara_param_table(&count);
  if (!cJSON_IsString(preset)) return false;
  for (size_t k = 0; k < count; k++)
    if (strcmp(table[k].key, name) == 0) {
      memcpy(out, (const char *)&sciara_preset_find(preset->valuestring)->params + table[k].offset, sizeof *out);
      return true;
    }
  return false;
}

/** Adds the default of an absent key, or descends into a present one. */
static enum sciara_status fill_key(cJSON *object, const struct sciara_scenario_key *key, const char *name) {
  cJSON *child = cJSON_GetObjectItemCaseSensitive(object, name);
  if (key->type == SCIARA_KEY_OBJECT && !child && !(child = cJSON_AddObjectToObject(object, name)))
    return sciara_scenario_no_memory();
  if (key->type == SCIARA_KEY_OBJECT) return fill_object(child, key->path);
  if (key->type == SCIARA_KEY_OBJECTS) {
    cJSON *item;
    cJSON_ArrayForEach(item, child) SCIARA_TRY(fill_object(item, sciara_scenario_key_items(key)->path));
    return SCIARA_OK;
  }
  if (child || !key->preset) return SCIARA_OK;
  if (key->rules && !sciara_scenario_key_is_of(key, sciara_scenario_rule_of(object))) return SCIARA_OK;
  double value;
  if (value_of_preset(object, key, name, &value))
    return cJSON_AddNumberToObject(object, name, value) ? SCIARA_OK : sciara_scenario_no_memory();
  SCIARA_TRY(sciara_json_parse(key->path, key->preset, strlen(key->preset), &child));
  return sciara_json_put(object, name, child) ? SCIARA_OK : sciara_scenario_no_memory();
}

static enum sciara_status fill_object(cJSON *object, const char *schema) {
  if (!cJSON_IsObject(object)) return SCIARA_OK; // of the wrong type, or a vent that was removed
  if (strcmp(schema, "model") == 0) SCIARA_TRY(fill_rule(object));
  size_t count;
  const struct sciara_scenario_key *keys = sciara_scenario_keys(&count);
  for (size_t i = 0; i < count; i++) {
    const char *name = sciara_scenario_key_name(&keys[i], schema);
    if (name) SCIARA_TRY(fill_key(object, &keys[i], name));
  }
  return SCIARA_OK;
}

enum sciara_status sciara_scenario_fill(cJSON *root) { return fill_object(root, ""); }

enum sciara_status sciara_scenario_fill_from(cJSON *root, cJSON *filled) {
  cJSON *child;
  cJSON_ArrayForEach(child, root) {
    const struct sciara_scenario_key *key = sciara_scenario_key_find("", child->string);
    if (key && !(child->type & cJSON_IsReference)) SCIARA_TRY(fill_key(root, key, child->string));
  }
  cJSON_ArrayForEach(child, filled) {
    const bool there = cJSON_GetObjectItemCaseSensitive(root, child->string) != NULL;
    if (!there && !cJSON_AddItemReferenceToObject(root, child->string, child)) return sciara_scenario_no_memory();
  }
  return SCIARA_OK;
}
