// SPDX-License-Identifier: Apache-2.0
// The JSON Schema (draft-07) of a scenario, from the table of keys.
#include <math.h>
#include <string.h>

#include "model/field.h"
#include "model/params.h"
#include "scenario/scenario_keys.h"

// Every node can run out of memory. cJSON then returns NULL and each cJSON_Add... of a NULL fails harmlessly, so one
// flag at the end shows whether the tree is complete.
struct builder {
  bool broken;
};

static cJSON *put(struct builder *b, cJSON *parent, const char *name, cJSON *item) {
  cJSON *added = sciara_json_put(parent, name, item);
  b->broken |= !added;
  return added;
}

static cJSON *push(struct builder *b, cJSON *array, cJSON *item) { return put(b, array, NULL, item); }

static void put_text(struct builder *b, cJSON *object, const char *name, const char *text) {
  put(b, object, name, cJSON_CreateString(text));
}

static void put_schema_number(struct builder *b, cJSON *object, const char *name, double value) {
  put(b, object, name, cJSON_CreateNumber(value));
}

/** "type": "number" and its range. */
static void put_range(struct builder *b, cJSON *node, const char *type, const struct sciara_scenario_key *key) {
  put_text(b, node, "type", type);
  if (!(key->low < key->high)) return;
  put_schema_number(b, node, key->low_allowed ? "minimum" : "exclusiveMinimum", key->low);
  put_schema_number(b, node, "maximum", key->high);
}

static void put_not_empty(struct builder *b, cJSON *node) {
  put_text(b, node, "type", "string");
  put_schema_number(b, node, "minLength", 1);
}

static void put_pattern(struct builder *b, cJSON *node, const char *pattern) {
  put_text(b, node, "type", "string");
  put_text(b, node, "pattern", pattern);
}

static void put_choices(struct builder *b, cJSON *node, const char *choices) {
  char name[64];
  cJSON *list = put(b, node, "enum", cJSON_CreateArray());
  while (sciara_scenario_list_next(&choices, '|', name, sizeof name)) push(b, list, cJSON_CreateString(name));
}

/** An array of `low` to `high` items; returns the schema of the items. */
static cJSON *put_array(struct builder *b, cJSON *node, double low, double high) {
  put_text(b, node, "type", "array");
  put_schema_number(b, node, "minItems", low);
  put_schema_number(b, node, "maxItems", high);
  return put(b, node, "items", cJSON_CreateObject());
}

static void put_window(struct builder *b, cJSON *node, const struct sciara_scenario_key *key) {
  put_text(b, node, "type", "array");
  put_schema_number(b, node, "minItems", 4);
  put_schema_number(b, node, "maxItems", 4);
  cJSON *items = put(b, node, "items", cJSON_CreateArray());
  for (int i = 0; i < 4; i++) {
    struct sciara_scenario_key entry = {.low = i < 2 ? 0 : 1, .low_allowed = true, .high = key->high};
    put_range(b, push(b, items, cJSON_CreateObject()), "integer", &entry);
  }
}

static void put_fields(struct builder *b, cJSON *node, const struct sciara_scenario_key *key) {
  cJSON *items = put_array(b, node, key->low, SCIARA_FIELD_COUNT);
  cJSON *list = put(b, items, "enum", cJSON_CreateArray());
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++)
    push(b, list, cJSON_CreateString(sciara_field_describe((enum sciara_field)f)->name));
  put(b, node, "uniqueItems", cJSON_CreateTrue());
}

static void put_date(struct builder *b, cJSON *node) {
  put_pattern(
      b, node,
      "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])([T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]+)?)?"
      "(Z| ?UTC|[+-](0[0-9]|1[0-4])(:?[0-5][0-9])?)?)?$");
}

#define NUMBER "([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?"

/** Adds the allowed forms of a value to `node`, or as alternatives to its "anyOf". */
static void put_duration(struct builder *b, cJSON *any, const struct sciara_scenario_key *key) {
  if (key->choices) put_choices(b, push(b, any, cJSON_CreateObject()), key->choices);
  put_range(b, push(b, any, cJSON_CreateObject()), "number", key);
  put_pattern(b, push(b, any, cJSON_CreateObject()),
              "^ *([+]?" NUMBER " *|(?=.*[a-z])([+]?" NUMBER " *d)?( *[+]?" NUMBER " *h)?( *[+]?" NUMBER
              " *min)?( *[+]?" NUMBER " *s)?)$");
  if (key->dated) put_date(b, push(b, any, cJSON_CreateObject()));
}

/** Rows of a duration and a number. */
static void put_schema_table(struct builder *b, cJSON *node, const struct sciara_scenario_key *key) {
  const struct sciara_scenario_key time = {.type = SCIARA_KEY_DURATION, .low_allowed = true, .high = SCIARA_TIME_MAX};
  cJSON *row = put_array(b, node, 2, SCIARA_KEY_MAX_RATES), *items;
  put_text(b, row, "type", "array");
  put(b, row, "minItems", cJSON_CreateNumber(2));
  put(b, row, "maxItems", cJSON_CreateNumber(2));
  items = put(b, row, "items", cJSON_CreateArray());
  put_duration(b, put(b, push(b, items, cJSON_CreateObject()), "anyOf", cJSON_CreateArray()), &time);
  put_range(b, push(b, items, cJSON_CreateObject()), "number", key);
}

/** A value that is neither an array nor an object. */
static void put_scalars(struct builder *b, cJSON *node) {
  static const char *const types[] = {"number", "string", "boolean", "null"};
  cJSON *list = put(b, node, "type", cJSON_CreateArray());
  for (size_t k = 0; k < sizeof types / sizeof *types; k++) push(b, list, cJSON_CreateString(types[k]));
}

static void put_object(struct builder *b, cJSON *node, const char *schema, const char *alternatives);

/** The schema of one form of a value; objects and arrays included. */
static void put_form(struct builder *b, cJSON *node, const struct sciara_scenario_key *key) {
  const struct sciara_scenario_key *items;
  switch (key->type) {
    case SCIARA_KEY_ANY: break;
    case SCIARA_KEY_OBJECT: put_object(b, node, key->path, key->alternatives); break;
    case SCIARA_KEY_MODEL: put_object(b, node, "model", NULL); break;
    case SCIARA_KEY_OBJECTS:
      items = sciara_scenario_key_items(key);
      put_object(b, put_array(b, node, 0, key->high), items->path, items->alternatives);
      break;
    case SCIARA_KEY_STRING: put_not_empty(b, node); break;
    case SCIARA_KEY_CHOICE: put_choices(b, node, key->choices); break;
    case SCIARA_KEY_BOOLEAN: put_text(b, node, "type", "boolean"); break;
    case SCIARA_KEY_NUMBER: put_range(b, node, "number", key); break;
    case SCIARA_KEY_INTEGER: put_range(b, node, "integer", key); break;
    case SCIARA_KEY_DATE: put_date(b, node); break;
    case SCIARA_KEY_WINDOW: put_window(b, node, key); break;
    case SCIARA_KEY_BOX: put_range(b, put_array(b, node, 4, 4), "number", key); break;
    case SCIARA_KEY_POINTS:
      put_range(b, put_array(b, put_array(b, node, 2, SCIARA_KEY_MAX_POINTS), 2, 2), "number", key);
      break;
    case SCIARA_KEY_RATES: put_range(b, put_array(b, node, 1, sciara_scenario_key_most(key)), "number", key); break;
    case SCIARA_KEY_TABLE: put_schema_table(b, node, key); break;
    case SCIARA_KEY_FIELDS: put_fields(b, node, key); break;
    case SCIARA_KEY_PAIR:
    case SCIARA_KEY_INTERVAL: put_range(b, put_array(b, node, 2, 2), "number", key); break;
    case SCIARA_KEY_DURATIONS:
      put_duration(b, put(b, put_array(b, node, 1, sciara_scenario_key_most(key)), "anyOf", cJSON_CreateArray()), key);
      break;
    case SCIARA_KEY_VALUES: put_scalars(b, put_array(b, node, 1, SCIARA_KEY_MAX_VALUES)); break;
    case SCIARA_KEY_DURATION:
    case SCIARA_KEY_SEA:
    case SCIARA_KEY_LAYER: break; // several forms: put_value
  }
}

static void put_value(struct builder *b, cJSON *node, const struct sciara_scenario_key *key) {
  const bool layer = key->type == SCIARA_KEY_LAYER || key->type == SCIARA_KEY_SEA;
  bool several = key->type == SCIARA_KEY_DURATION || layer;
  bool nullable = sciara_scenario_key_nullable(key);
  put_text(b, node, "description", key->description);
  const char *rule = sciara_scenario_key_rule(key);
  if (rule) put_text(b, node, "$comment", rule);
  if (key->preset) put(b, node, "default", cJSON_Parse(key->preset));
  if (!several && !nullable) {
    put_form(b, node, key);
    return;
  }
  cJSON *any = put(b, node, "anyOf", cJSON_CreateArray());
  if (key->type == SCIARA_KEY_DURATION) {
    put_duration(b, any, key);
  } else if (layer) {
    put_range(b, push(b, any, cJSON_CreateObject()), "number", key);
    put_not_empty(b, push(b, any, cJSON_CreateObject()));
  } else {
    put_form(b, push(b, any, cJSON_CreateObject()), key);
  }
  if (nullable) put_text(b, push(b, any, cJSON_CreateObject()), "type", "null");
}

/** "oneOf": one alternative for each set of required keys. */
static void put_alternatives(struct builder *b, cJSON *node, const char *alternatives) {
  char set[64], name[64];
  cJSON *one = put(b, node, "oneOf", cJSON_CreateArray());
  while (sciara_scenario_list_next(&alternatives, '|', set, sizeof set)) {
    cJSON *required = put(b, push(b, one, cJSON_CreateObject()), "required", cJSON_CreateArray());
    for (const char *rest = set; sciara_scenario_list_next(&rest, ',', name, sizeof name);)
      push(b, required, cJSON_CreateString(name));
  }
}

/** Required keys, and keys that require others; left out if there are none. */
static void put_presence(struct builder *b, cJSON *node, const char *schema) {
  size_t count;
  const struct sciara_scenario_key *keys = sciara_keys_of(schema, &count);
  cJSON *required = NULL, *dependencies = NULL;
  for (size_t i = 0; i < count; i++) {
    const char *name = sciara_scenario_key_name(&keys[i], schema);
    if (!name) continue;
    if (keys[i].required && !required) required = put(b, node, "required", cJSON_CreateArray());
    if (keys[i].required) push(b, required, cJSON_CreateString(name));
    if (keys[i].needs && !dependencies) dependencies = put(b, node, "dependencies", cJSON_CreateObject());
    if (keys[i].needs) push(b, put(b, dependencies, name, cJSON_CreateArray()), cJSON_CreateString(keys[i].needs));
  }
}

/** The names of the presets of a rule as an "enum". */
static void put_presets(struct builder *b, cJSON *node, enum sciara_rule_kind rule) {
  size_t count;
  const struct sciara_preset *table = sciara_preset_table(&count);
  cJSON *list = put(b, node, "enum", cJSON_CreateArray());
  for (size_t k = 0; k < count; k++)
    if (table[k].params.rule == rule) push(b, list, cJSON_CreateString(table[k].name));
}

/** An alternative that an object has `key`; returns its "properties". */
static cJSON *push_has(struct builder *b, cJSON *any, const char *key) {
  cJSON *alternative = push(b, any, cJSON_CreateObject());
  push(b, put(b, alternative, "required", cJSON_CreateArray()), cJSON_CreateString(key));
  return put(b, alternative, "properties", cJSON_CreateObject());
}

/** What an object "model" of a rule looks like: it names the rule, or only a preset of it, or for the default neither. */
static void put_has_rule(struct builder *b, cJSON *node, enum sciara_rule_kind rule) {
  cJSON *any = put(b, node, "anyOf", cJSON_CreateArray());
  cJSON *named = push_has(b, any, "rule");
  put_text(b, put(b, named, "rule", cJSON_CreateObject()), "const", sciara_rule_name(rule));
  cJSON *meant = push_has(b, any, "preset");
  put(b, meant, "rule", cJSON_CreateFalse());
  put_presets(b, put(b, meant, "preset", cJSON_CreateObject()), rule);
  if (rule != SCIARA_RULE_DEFAULT) return;
  cJSON *neither = put(b, push(b, any, cJSON_CreateObject()), "properties", cJSON_CreateObject());
  put(b, neither, "rule", cJSON_CreateFalse());
  put(b, neither, "preset", cJSON_CreateFalse());
}

/** The rules of "model": the keys of other rules are not allowed, nor their presets. */
static void put_rules(struct builder *b, cJSON *node) {
  size_t count;
  const struct sciara_scenario_key *keys = sciara_scenario_keys(&count);
  cJSON *all = put(b, node, "allOf", cJSON_CreateArray());
  for (int rule = 0; rule < SCIARA_RULES; rule++) {
    cJSON *one = push(b, all, cJSON_CreateObject());
    put_has_rule(b, put(b, one, "if", cJSON_CreateObject()), (enum sciara_rule_kind)rule);
    cJSON *then = put(b, put(b, one, "then", cJSON_CreateObject()), "properties", cJSON_CreateObject());
    put_presets(b, put(b, then, "preset", cJSON_CreateObject()), (enum sciara_rule_kind)rule);
    for (size_t i = 0; i < count; i++) {
      const char *name = sciara_scenario_key_name(&keys[i], "model");
      if (name && !sciara_scenario_key_is_of(&keys[i], (enum sciara_rule_kind)rule))
        put(b, then, name, cJSON_CreateFalse());
    }
  }
}

static void put_object(struct builder *b, cJSON *node, const char *schema, const char *alternatives) {
  size_t count;
  const struct sciara_scenario_key *keys = sciara_keys_of(schema, &count);
  put_text(b, node, "type", "object");
  put(b, node, "additionalProperties", cJSON_CreateFalse());
  put_presence(b, node, schema);
  if (alternatives) put_alternatives(b, node, alternatives);
  if (strcmp(schema, "model") == 0) put_rules(b, node);
  cJSON *properties = put(b, node, "properties", cJSON_CreateObject());
  for (size_t i = 0; i < count; i++) {
    const char *name = sciara_scenario_key_name(&keys[i], schema);
    if (name) put_value(b, put(b, properties, name, cJSON_CreateObject()), &keys[i]);
  }
}

/** "vents" may be empty only with initial lava: the rule about two branches. */
static const char source_rule[] = "[{\"properties\": {\"vents\": {\"minItems\": 1}}},"
                                  " {\"required\": [\"initial\"], \"properties\": {\"initial\": "
                                  "{\"anyOf\": [{\"required\": [\"thickness\"]}, {\"required\": [\"checkpoint\"]}]}}}]";

/** What the schemas have of their own. */
static const struct {
  const char *keys, *id, *title;
  const char *rule; ///< NULL, or the "anyOf" of the top level
} files[] = {[SCIARA_SCHEMA_SCENARIO] = {"", "urn:sciara:scenario-schema",
                                         "Scenario of sciara, the lava flow simulator", source_rule},
             [SCIARA_SCHEMA_ENSEMBLE] = {SCIARA_ENSEMBLE_KEYS, "urn:sciara:ensemble-schema",
                                         "Ensemble file of sciara, the lava flow simulator", NULL},
             [SCIARA_SCHEMA_CALIBRATION] = {SCIARA_CALIBRATION_KEYS, "urn:sciara:calibration-schema",
                                            "Calibration file of sciara, the lava flow simulator",
                                            "[{\"required\": [\"unknowns\"], \"properties\": {\"searches\": false}},"
                                            " {\"required\": [\"searches\"], \"properties\": {\"unknowns\": false}}]"}};

enum sciara_status sciara_schema(enum sciara_schema_of of, struct sciara_text *out) {
  struct builder b = {0};
  cJSON *root = cJSON_CreateObject();
  put_text(&b, root, "$schema", "http://json-schema.org/draft-07/schema#");
  put_text(&b, root, "$id", files[of].id); // identifies any copy of it
  put_text(&b, root, "title", files[of].title);
  if (files[of].rule) put(&b, root, "anyOf", cJSON_Parse(files[of].rule));
  put_object(&b, root, files[of].keys, NULL);
  enum sciara_status status = b.broken || !root ? sciara_no_memory("the JSON Schema") : SCIARA_OK;
  if (status == SCIARA_OK) status = sciara_json_print(root, out);
  if (status == SCIARA_OK) status = sciara_text_append(out, "\n");
  cJSON_Delete(root);
  return status;
}

// ---------------------------------------------------------------------------------- the tables of docs/scenario.md

/** Text inside a table: a bar would end the cell. */
static enum sciara_status append_cell(struct sciara_text *out, const char *text) {
  for (const char *p = text; *p; p++)
    SCIARA_TRY(*p == '|' ? sciara_text_append(out, "\\|") : sciara_text_append_bytes(out, p, 1));
  return SCIARA_OK;
}

static enum sciara_status append_default(struct sciara_text *out, const struct sciara_scenario_key *key) {
  double value;
  char number[40];
  if (key->required) return sciara_text_append(out, "required");
  if (!key->preset) return sciara_text_append(out, "absent");
  if (!sciara_parse_double(key->preset, &value)) return sciara_text_append(out, "`%s`", key->preset);
  sciara_json_number(value, number, sizeof number);
  return sciara_text_append(out, "`%s`", number);
}

static enum sciara_status append_row(struct sciara_text *out, const struct sciara_scenario_key *key, const char *name) {
  char allowed[1024];
  sciara_scenario_key_allowed(key, allowed, sizeof allowed);
  SCIARA_TRY(sciara_text_append(out, "| `%s` | ", name));
  SCIARA_TRY(append_default(out, key));
  SCIARA_TRY(sciara_text_append(out, " | "));
  SCIARA_TRY(append_cell(out, allowed));
  SCIARA_TRY(sciara_text_append(out, " | "));
  SCIARA_TRY(append_cell(out, key->description));
  const char *rule = sciara_scenario_key_rule(key);
  if (rule) SCIARA_TRY(sciara_text_append(out, " (%s)", rule));
  if (key->needs) SCIARA_TRY(sciara_text_append(out, " (with `%s`)", key->needs));
  return sciara_text_append(out, " |\n");
}

/** "Exactly one of `x` and `y`, or `line`." */
static enum sciara_status append_alternatives(struct sciara_text *out, const char *alternatives) {
  char set[64], name[64];
  SCIARA_TRY(sciara_text_append(out, "Exactly one of these is given: "));
  for (bool first = true; sciara_scenario_list_next(&alternatives, '|', set, sizeof set); first = false) {
    const char *rest = set;
    SCIARA_TRY(sciara_text_append(out, "%s", first ? "" : *alternatives ? ", " : " or "));
    for (bool one = true; sciara_scenario_list_next(&rest, ',', name, sizeof name); one = false)
      SCIARA_TRY(sciara_text_append(out, "%s`%s`", one ? "" : " and ", name));
  }
  return sciara_text_append(out, ".\n\n");
}

/** The table of one object's keys; `title` is its JSON path as errors print it. */
static enum sciara_status append_section(struct sciara_text *out, const char *schema, const char *title,
                                         const char *description, const char *alternatives) {
  size_t count;
  const struct sciara_scenario_key *keys = sciara_scenario_keys(&count);
  SCIARA_TRY(sciara_text_append(out, "## %s\n\n", title));
  if (description) SCIARA_TRY(sciara_text_append(out, "%c%s.\n\n", description[0] - ('a' - 'A'), description + 1));
  if (alternatives) SCIARA_TRY(append_alternatives(out, alternatives));
  SCIARA_TRY(sciara_text_append(out, "| key | default | allowed | meaning |\n|---|---|---|---|\n"));
  for (size_t i = 0; i < count; i++) {
    const char *name = sciara_scenario_key_name(&keys[i], schema);
    if (name) SCIARA_TRY(append_row(out, &keys[i], name));
  }
  return sciara_text_append(out, "\n");
}

enum sciara_status sciara_scenario_manual(struct sciara_text *out) {
  size_t count;
  const struct sciara_scenario_key *keys = sciara_scenario_keys(&count);
  SCIARA_TRY(append_section(out, "", "Top level", NULL, NULL));
  for (size_t i = 0; i < count; i++) {
    if (keys[i].type != SCIARA_KEY_OBJECT) continue;
    char title[128];
    snprintf(title, sizeof title, "`%s`", keys[i].path);
    SCIARA_TRY(append_section(out, keys[i].path, title, keys[i].description, keys[i].alternatives));
  }
  return SCIARA_OK;
}
