// SPDX-License-Identifier: Apache-2.0
// Completes a checked tree: adds the defaults of absent keys.
#include <string.h>

#include "model/params.h"
#include "scenario/scenario_keys.h"

static enum sciara_status fill_object(cJSON *object, const char *schema);

enum sciara_rule_kind sciara_scenario_rule_of(const cJSON *model) {
  const cJSON *rule = cJSON_GetObjectItemCaseSensitive(model, "rule");
  const cJSON *preset = cJSON_GetObjectItemCaseSensitive(model, "preset");
  enum sciara_rule_kind out = SCIARA_RULE_DEFAULT;
  if (cJSON_IsString(rule) && sciara_rule_find(rule->valuestring, &out)) return out;
  const struct sciara_preset *set = cJSON_IsString(preset) ? sciara_preset_find(preset->valuestring) : NULL;
  return set ? set->params.rule : SCIARA_RULE_DEFAULT;
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

/** An object that is filled. */
struct filling {
  cJSON *object;
  const cJSON *last;                 ///< of its children as given; those after it were added, and have other names
  enum sciara_rule_kind rule;        ///< of an object with keys of rules
  const struct sciara_preset *model; ///< the preset of "model"; NULL: another object
};

static struct filling filling_of(cJSON *object, const char *schema) {
  struct filling f = {.object = object,
                      .last = object->child ? object->child->prev : NULL}; // of the first it is the last
  f.rule = sciara_scenario_rule_of(object);
  const cJSON *preset = strcmp(schema, "model") == 0 ? cJSON_GetObjectItemCaseSensitive(object, "preset") : NULL;
  if (preset && cJSON_IsString(preset)) f.model = sciara_preset_find(preset->valuestring);
  return f;
}

static cJSON *given_child(const struct filling *f, const char *name) {
  for (cJSON *child = f->object->child; child; child = child != f->last ? child->next : NULL)
    if (*child->string == *name && strcmp(child->string, name) == 0) return child;
  return NULL;
}

/** The value of a parameter in the preset of the object "model"; false for any other key. */
static bool value_of_preset(const struct filling *f, const char *name, double *out) {
  size_t count;
  const struct sciara_param_info *table = sciara_param_table(&count);
  for (size_t k = 0; f->model && k < count; k++)
    if (*table[k].key == *name && strcmp(table[k].key, name) == 0) {
      memcpy(out, (const char *)&f->model->params + table[k].offset, sizeof *out);
      return true;
    }
  return false;
}

/** Adds the default of an absent key, or descends into a present one. */
static enum sciara_status fill_key(const struct filling *f, const struct sciara_scenario_key *key, const char *name) {
  cJSON *child = given_child(f, name);
  if (key->type == SCIARA_KEY_OBJECT && !child && !(child = cJSON_AddObjectToObject(f->object, name)))
    return sciara_scenario_no_memory();
  if (key->type == SCIARA_KEY_OBJECT) return fill_object(child, key->path);
  if (key->type == SCIARA_KEY_OBJECTS) {
    cJSON *item;
    cJSON_ArrayForEach(item, child) SCIARA_TRY(fill_object(item, sciara_scenario_key_items(key)->path));
    return SCIARA_OK;
  }
  if (child || !key->preset) return SCIARA_OK;
  if (key->rules && !sciara_scenario_key_is_of(key, f->rule)) return SCIARA_OK;
  double value;
  if (value_of_preset(f, name, &value))
    return cJSON_AddNumberToObject(f->object, name, value) ? SCIARA_OK : sciara_scenario_no_memory();
  SCIARA_TRY(sciara_json_parse(key->path, key->preset, strlen(key->preset), &child));
  return sciara_json_put(f->object, name, child) ? SCIARA_OK : sciara_scenario_no_memory();
}

static enum sciara_status fill_object(cJSON *object, const char *schema) {
  if (!cJSON_IsObject(object)) return SCIARA_OK; // of the wrong type, or a vent that was removed
  if (strcmp(schema, "model") == 0) SCIARA_TRY(fill_rule(object));
  const struct filling f = filling_of(object, schema);
  size_t count;
  const struct sciara_scenario_key *keys = sciara_scenario_keys(&count);
  for (size_t i = 0; i < count; i++) {
    const char *name = sciara_scenario_key_name(&keys[i], schema);
    if (name) SCIARA_TRY(fill_key(&f, &keys[i], name));
  }
  return SCIARA_OK;
}

enum sciara_status sciara_scenario_fill(cJSON *root) { return fill_object(root, ""); }

enum sciara_status sciara_scenario_fill_from(cJSON *root, cJSON *filled) {
  cJSON *child;
  const struct filling f = filling_of(root, "");
  cJSON_ArrayForEach(child, root) {
    const struct sciara_scenario_key *key = sciara_scenario_key_find("", child->string);
    if (key && !(child->type & cJSON_IsReference)) SCIARA_TRY(fill_key(&f, key, child->string));
  }
  cJSON_ArrayForEach(child, filled) {
    const bool there = cJSON_GetObjectItemCaseSensitive(root, child->string) != NULL;
    if (!there && !cJSON_AddItemReferenceToObject(root, child->string, child)) return sciara_scenario_no_memory();
  }
  return SCIARA_OK;
}
