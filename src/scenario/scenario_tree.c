// SPDX-License-Identifier: Apache-2.0
// What changes the tree of a scenario before it is checked: overrides "a.b=value", as if it had been written so; dates; paths that
// are relative to another folder.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file/durable.h"
#include "scenario/scenario_keys.h"

// --------------------------------------------------------------------------------------------------------- overrides

enum { MAX_PARTS = SCIARA_JSON_MAX_DEPTH };

static const char NO_OBJECT[] = "?"; ///< an object that is not in the table: it has no known keys

/** An override and its parts. */
struct override {
  const char *file;       ///< of the scenario, for errors
  const char *key, *text; ///< as given: the key, perhaps with what follows it, and the value
  size_t key_length;
  char *path; ///< a copy of the key, split at the dots
  const char *parts[MAX_PARTS];
  size_t count;
  cJSON *value; ///< owned until it is in the tree
};

static const char form[] = "KEY=VALUE, with KEY such as engine.name or vents.0.x";

/** Splits "vents.0.x" or "vents[0].x" into its names. */
static enum sciara_status cut_path(struct override *o) {
  o->path = sciara_format("%.*s", (int)o->key_length, o->key);
  if (!o->path) return sciara_no_memory("an override");
  char *to = o->path;
  for (const char *from = o->path; *from; from++) // the other form of an index, as printed in errors
    if (*from != ']') *to++ = *from == '[' ? '.' : *from;
  *to = '\0';
  for (char *part = o->path; part;) {
    char *dot = strchr(part, '.');
    if (dot) *dot = '\0';
    if (*part == '\0' || o->count == MAX_PARTS)
      return sciara_fail(SCIARA_ERR_USAGE, "override \"%.*s=%s\": expected %s, found an invalid key",
                         (int)o->key_length, o->key, o->text, form);
    o->parts[o->count++] = part;
    part = dot ? dot + 1 : NULL;
  }
  return SCIARA_OK;
}

/** JSON, or else the text itself as a string. */
static enum sciara_status read_value(struct override *o) {
  enum { LONGEST = 60 };
  char name[LONGEST + 16];
  const int key = o->key_length < LONGEST ? (int)o->key_length : LONGEST, equals = key < LONGEST;
  snprintf(name, sizeof name, "override \"%.*s%.*s%.*s\"", key, o->key, equals, "=", LONGEST - key - equals, o->text);
  if (sciara_json_scan(name, o->text, strlen(o->text)) == SCIARA_OK)
    return sciara_json_parse(name, o->text, strlen(o->text), &o->value);
  sciara_error_clear(); // text that is not JSON is not an error here
  o->value = cJSON_CreateString(o->text);
  return o->value ? SCIARA_OK : sciara_no_memory("an override");
}

static enum sciara_status put_in_object(struct override *o, cJSON *object, const char *name) {
  bool there = cJSON_GetObjectItemCaseSensitive(object, name) != NULL;
  bool done = there ? cJSON_ReplaceItemInObjectCaseSensitive(object, name, o->value)
                    : cJSON_AddItemToObject(object, name, o->value);
  if (!done) return sciara_no_memory("an override");
  o->value = NULL; // now owned by the tree
  return SCIARA_OK;
}

/** The item of an array that a part such as "12" names. */
static enum sciara_status find_item(const struct override *o, cJSON *array, const char *part,
                                    const struct sciara_json_path *path, cJSON **item, int *index) {
  int size = cJSON_GetArraySize(array);
  size_t digits = strspn(part, "0123456789");
  *index = digits > 0 && digits < 8 && part[digits] == '\0' ? atoi(part) : -1;
  if (*index < 0 || *index >= size) {
    char found[96], allowed[64];
    snprintf(found, sizeof found, "the index \"%.60s\" in an override", part);
    snprintf(allowed, sizeof allowed, size > 0 ? "an index from 0 to %d" : "no index, the array is empty", size - 1);
    return sciara_scenario_refuse(o->file, path, found, allowed);
  }
  *item = cJSON_GetArrayItem(array, *index);
  return SCIARA_OK;
}

/** One level: a cursor in the tree, and its entry in the table. */
struct cursor {
  cJSON *node;
  const char *schema; ///< object in the table; NULL if only an index can follow
  struct sciara_json_path path[MAX_PARTS];
};

static enum sciara_status step_into_array(struct override *o, struct cursor *c, size_t i) {
  cJSON *item = NULL;
  int index = 0;
  SCIARA_TRY(find_item(o, c->node, o->parts[i], i ? &c->path[i - 1] : NULL, &item, &index));
  c->path[i] = (struct sciara_json_path){.parent = i ? &c->path[i - 1] : NULL, .index = (size_t)index};
  if (i + 1 == o->count) {
    if (!cJSON_ReplaceItemInArray(c->node, index, o->value)) return sciara_no_memory("an override");
    o->value = NULL;
    return SCIARA_OK; // the old item is freed
  }
  c->node = item;
  return SCIARA_OK;
}

static enum sciara_status step_into_object(struct override *o, struct cursor *c, size_t i) {
  const char *name = o->parts[i], *meant;
  c->path[i] = (struct sciara_json_path){.parent = i ? &c->path[i - 1] : NULL, .key = name};
  const struct sciara_scenario_key *key = c->schema ? sciara_scenario_key_find(c->schema, name) : NULL;
  if (!key) return sciara_scenario_unknown_key(o->file, c->schema ? c->schema : NO_OBJECT, name, &c->path[i], &meant);
  if (i + 1 == o->count) return put_in_object(o, c->node, name);
  cJSON *child = cJSON_GetObjectItemCaseSensitive(c->node, name);
  if (!child && key->type == SCIARA_KEY_OBJECT) {
    child = cJSON_AddObjectToObject(c->node, name);
    if (!child) return sciara_no_memory("an override");
  }
  if (!child)
    return sciara_scenario_refuse(o->file, &c->path[i], "nothing in the scenario", "an override of the whole key");
  const struct sciara_scenario_key *items = key->type == SCIARA_KEY_OBJECTS ? sciara_scenario_key_items(key) : NULL;
  c->schema = key->type == SCIARA_KEY_OBJECT ? key->path : items ? items->path : NULL;
  c->node = child;
  return SCIARA_OK;
}

static enum sciara_status put_in_tree(struct override *o, cJSON *root) {
  struct cursor c = {.node = root, .schema = ""};
  for (size_t i = 0; i < o->count; i++) {
    if (c.node && c.node->type & cJSON_IsReference)
      return sciara_fail(SCIARA_ERR_INTERNAL, "%s: override of a key that other scenarios share", o->file);
    if (cJSON_IsArray(c.node)) {
      SCIARA_TRY(step_into_array(o, &c, i));
    } else if (cJSON_IsObject(c.node)) {
      SCIARA_TRY(step_into_object(o, &c, i));
    } else {
      char found[128];
      sciara_json_describe(c.node, found, sizeof found);
      return sciara_scenario_refuse(o->file, i ? &c.path[i - 1] : NULL, found,
                                    "an object or an array, for an override inside it");
    }
  }
  return SCIARA_OK;
}

static enum sciara_status put_override(struct override *o, cJSON *root) {
  enum sciara_status status = cut_path(o);
  if (status == SCIARA_OK) status = read_value(o);
  if (status == SCIARA_OK) status = put_in_tree(o, root);
  cJSON_Delete(o->value);
  free(o->path);
  return status;
}

enum sciara_status sciara_scenario_override_key(const char *file, cJSON *root, const char *key, const char *value) {
  struct override o = {.file = file, .key = key, .key_length = strlen(key), .text = value};
  return put_override(&o, root);
}

enum sciara_status sciara_scenario_override(const char *file, cJSON *root, const char *text) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text)
    return sciara_fail(SCIARA_ERR_USAGE, "override \"%s\": expected %s, found no key and value", text, form);
  struct override o = {.file = file, .key = text, .key_length = (size_t)(equals - text), .text = equals + 1};
  return put_override(&o, root);
}

// ------------------------------------------------------------------------------------------------------------- dates

// Dates stand in place of simulated times: they are replaced by the seconds from run.start, so that only the check knows of dates.

bool sciara_scenario_date_valid(const char *text) {
  char utc[SCIARA_DATE_SIZE];
  double seconds;
  bool zoned;
  if (!sciara_parse_date(text, &seconds, &zoned)) return false;
  sciara_print_date(seconds, utc); // with an offset it may lie in another year
  return *utc != '\0';
}

void sciara_scenario_date(const char *text, char date[SCIARA_DATE_SIZE]) {
  double seconds = 0;
  bool zoned;
  sciara_parse_date(text, &seconds, &zoned);
  sciara_print_date(seconds, date);
}

/** The seconds from run.start to a valid date; false: this is none, or it is too early for the key. */
static bool place_date(const struct sciara_scenario_key *key, const cJSON *value, double start, double *out) {
  bool zoned;
  if (!key->dated || !cJSON_IsString(value) || !sciara_scenario_date_valid(value->valuestring)) return false;
  sciara_parse_date(value->valuestring, out, &zoned);
  *out -= start;
  return key->low_allowed ? *out >= key->low : *out > key->low;
}

static enum sciara_status place_in(cJSON *object, const char *schema, double start) {
  double seconds;
  for (cJSON *child = cJSON_IsObject(object) ? object->child : NULL, *next, *item; child; child = next) {
    const struct sciara_scenario_key *key = sciara_scenario_key_find(schema, child->string);
    next = child->next;
    if (!key || child->type & cJSON_IsReference) continue;
    if (key->type == SCIARA_KEY_OBJECT) SCIARA_TRY(place_in(child, key->path, start));
    if (key->type == SCIARA_KEY_OBJECTS && cJSON_IsArray(child))
      cJSON_ArrayForEach(item, child) SCIARA_TRY(place_in(item, sciara_scenario_key_items(key)->path, start));
    if (!place_date(key, child, start, &seconds)) continue;
    cJSON *number = cJSON_CreateNumber(seconds);
    if (number && cJSON_ReplaceItemInObjectCaseSensitive(object, child->string, number)) continue;
    cJSON_Delete(number);
    return sciara_scenario_no_memory();
  }
  return SCIARA_OK;
}

enum sciara_start sciara_scenario_start(const cJSON *root, double *seconds) {
  const cJSON *start = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(root, "run"), "start");
  bool zoned;
  *seconds = 0;
  if (!start || cJSON_IsNull(start)) return SCIARA_START_ABSENT;
  if (!cJSON_IsString(start) || !sciara_scenario_date_valid(start->valuestring)) return SCIARA_START_REFUSED;
  sciara_parse_date(start->valuestring, seconds, &zoned);
  *seconds = floor(*seconds); // as files have it
  return SCIARA_START_GIVEN;
}

enum sciara_status sciara_scenario_place_dates(cJSON *root) {
  double start;
  return sciara_scenario_start(root, &start) == SCIARA_START_GIVEN ? place_in(root, "", start) : SCIARA_OK;
}

// ------------------------------------------------------------------------------------------------------ another folder

static enum sciara_status make_absolute(const char *folder, cJSON *object, const char *name, const char *text) {
  char *path;
  SCIARA_TRY(sciara_path_in(folder, text, &path));
  char *real = realpath(path, NULL);
  cJSON *item = cJSON_CreateString(real ? real : path);
  free(path);
  free(real);
  return sciara_json_replace(object, name, item) ? SCIARA_OK : sciara_scenario_no_memory();
}

/** Whether a text is no path: a word, or the name of an array. */
static bool is_word(const struct sciara_scenario_key *key, const char *text) {
  char choice[64];
  const char *rest = key->choices;
  while (rest && sciara_scenario_list_next(&rest, '|', choice, sizeof choice))
    if (strcmp(choice, text) == 0) return true;
  return strcmp(text, SCIARA_MEMORY_LAYER) == 0;
}

/** Moves a key. @param path the rest of it, below `object` */
static enum sciara_status move(const char *folder, const struct sciara_scenario_key *key, const char *path,
                               cJSON *object) {
  const size_t n = strcspn(path, ".[");
  char name[64];
  cJSON *item;
  snprintf(name, sizeof name, "%.*s", (int)n, path);
  cJSON *value = cJSON_GetObjectItemCaseSensitive(object, name);
  if (!path[n])
    return cJSON_IsString(value) && !is_word(key, value->valuestring)
               ? make_absolute(folder, object, name, value->valuestring)
               : SCIARA_OK;
  if (path[n] == '.') return move(folder, key, path + n + 1, value);
  cJSON_ArrayForEach(item, value) SCIARA_TRY(move(folder, key, path + n + strlen("[]."), item));
  return SCIARA_OK;
}

enum sciara_status sciara_scenario_move(cJSON *root, const char *folder) {
  size_t count;
  const struct sciara_scenario_key *keys = sciara_scenario_keys(&count);
  for (size_t k = 0; k < count; k++)
    if (keys[k].is_path) SCIARA_TRY(move(folder, &keys[k], keys[k].path, root));
  return SCIARA_OK;
}
