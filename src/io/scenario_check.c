// SPDX-License-Identifier: Apache-2.0
// A tree of JSON against the table of keys: types, ranges, unknown, missing and contradicting keys.
#include <math.h>
#include <string.h>

#include "io/scenario_keys.h"
#include "model/field.h"

static enum sciara_status refuse_value(const char *file, const struct sciara_json_path *path, const cJSON *value,
                                       const char *allowed) {
  char found[128];
  sciara_json_describe(value, found, sizeof found);
  return sciara_scenario_refuse(file, path, found, allowed);
}

/** Refuses a value of the wrong type. */
static enum sciara_status refuse_type(const char *file, const struct sciara_json_path *path, const cJSON *value,
                                      const struct sciara_scenario_key *key) {
  char allowed[1024];
  sciara_scenario_key_allowed(key, allowed, sizeof allowed);
  return refuse_value(file, path, value, allowed);
}

static bool in_range(const struct sciara_scenario_key *key, double v) {
  if (!(key->low < key->high)) return true;
  return (key->low_allowed ? v >= key->low : v > key->low) && v <= key->high;
}

static enum sciara_status check_range(const char *file, const struct sciara_json_path *path, const cJSON *value,
                                      const struct sciara_scenario_key *key, double v) {
  if (in_range(key, v)) return SCIARA_OK;
  char allowed[96];
  sciara_scenario_key_range(key, allowed, sizeof allowed);
  return refuse_value(file, path, value, allowed);
}

static enum sciara_status check_number(const char *file, const struct sciara_json_path *path, const cJSON *value,
                                       const struct sciara_scenario_key *key) {
  if (!cJSON_IsNumber(value)) return refuse_type(file, path, value, key);
  return check_range(file, path, value, key, value->valuedouble);
}

static bool is_integral(double v) { return v == floor(v) && fabs(v) < 9007199254740992.0; } // 2^53

static enum sciara_status check_integer(const char *file, const struct sciara_json_path *path, const cJSON *value,
                                        const struct sciara_scenario_key *key) {
  if (!cJSON_IsNumber(value) || !is_integral(value->valuedouble)) return refuse_type(file, path, value, key);
  return check_range(file, path, value, key, value->valuedouble);
}

static bool is_choice(const struct sciara_scenario_key *key, const cJSON *value) {
  char name[64];
  for (const char *rest = key->choices; sciara_scenario_list_next(&rest, '|', name, sizeof name);)
    if (cJSON_IsString(value) && strcmp(value->valuestring, name) == 0) return true;
  return false;
}

static enum sciara_status check_duration(const char *file, const struct sciara_json_path *path, const cJSON *value,
                                         const struct sciara_scenario_key *key) {
  if (is_choice(key, value)) return SCIARA_OK;
  if (cJSON_IsNumber(value)) return check_range(file, path, value, key, value->valuedouble);
  double seconds;
  if (!cJSON_IsString(value) || !sciara_parse_duration(value->valuestring, &seconds))
    return refuse_type(file, path, value, key);
  return check_range(file, path, value, key, seconds);
}

bool sciara_scenario_date_valid(const char *text) {
  static const char form[] = "dddd-dd-ddTdd:dd:ddZ";
  static const int days_of[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (strlen(text) != sizeof form - 1) return false;
  int number[6] = {0}, at = 0; // year, month, day, hour, minute, second
  for (size_t i = 0; form[i]; i++) {
    if (form[i] != 'd' ? text[i] != form[i] : text[i] < '0' || text[i] > '9') return false;
    if (form[i] == 'd')
      number[at] = number[at] * 10 + (text[i] - '0');
    else
      at++;
  }
  int year = number[0], month = number[1];
  if (year < 1 || month < 1 || month > 12) return false;
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  int days = days_of[month - 1] + (month == 2 && leap);
  return number[2] >= 1 && number[2] <= days && number[3] < 24 && number[4] < 60 && number[5] < 60;
}

static enum sciara_status check_window(const char *file, const struct sciara_json_path *path, const cJSON *value,
                                       const struct sciara_scenario_key *key) {
  if (!cJSON_IsArray(value) || cJSON_GetArraySize(value) != 4) return refuse_type(file, path, value, key);
  struct sciara_json_path place = {.parent = path};
  const cJSON *item;
  cJSON_ArrayForEach(item, value) {
    struct sciara_scenario_key entry = {
        .type = SCIARA_KEY_INTEGER, .low = place.index < 2 ? 0 : 1, .low_allowed = true, .high = key->high};
    SCIARA_TRY(check_integer(file, &place, item, &entry));
    place.index++;
  }
  return SCIARA_OK;
}

static enum sciara_status check_points(const char *file, const struct sciara_json_path *path, const cJSON *value,
                                       const struct sciara_scenario_key *key) {
  int size = cJSON_IsArray(value) ? cJSON_GetArraySize(value) : 0;
  if (size < 2 || size > SCIARA_KEY_MAX_POINTS) return refuse_type(file, path, value, key);
  struct sciara_scenario_key coordinate = *key;
  coordinate.type = SCIARA_KEY_NUMBER;
  struct sciara_json_path place = {.parent = path};
  const cJSON *point, *item;
  cJSON_ArrayForEach(point, value) {
    if (!cJSON_IsArray(point) || cJSON_GetArraySize(point) != 2)
      return refuse_value(file, &place, point, "a point [x, y]");
    struct sciara_json_path inner = {.parent = &place};
    cJSON_ArrayForEach(item, point) {
      SCIARA_TRY(check_number(file, &inner, item, &coordinate));
      inner.index++;
    }
    place.index++;
  }
  return SCIARA_OK;
}

static enum sciara_status check_rates(const char *file, const struct sciara_json_path *path, const cJSON *value,
                                      const struct sciara_scenario_key *key) {
  int size = cJSON_IsArray(value) ? cJSON_GetArraySize(value) : 0;
  if (size < 1 || size > SCIARA_KEY_MAX_RATES) return refuse_type(file, path, value, key);
  struct sciara_scenario_key rate = *key;
  rate.type = SCIARA_KEY_NUMBER;
  struct sciara_json_path place = {.parent = path};
  const cJSON *item;
  cJSON_ArrayForEach(item, value) {
    SCIARA_TRY(check_number(file, &place, item, &rate));
    place.index++;
  }
  return SCIARA_OK;
}

static enum sciara_status refuse_field(const char *file, const struct sciara_json_path *path, const cJSON *value) {
  const char *names[SCIARA_FIELD_COUNT];
  char allowed[1024];
  size_t length = 0;
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++) {
    names[f] = sciara_field_describe((enum sciara_field)f)->name;
    length += (size_t)snprintf(allowed + length, sizeof allowed - length, "%s%s", f ? ", " : "", names[f]);
  }
  const char *closest =
      cJSON_IsString(value) ? sciara_closest_name(value->valuestring, names, SCIARA_FIELD_COUNT) : NULL;
  if (closest) snprintf(allowed + length, sizeof allowed - length, " (did you mean \"%s\"?)", closest);
  return refuse_value(file, path, value, allowed);
}

static enum sciara_status check_fields(const char *file, const struct sciara_json_path *path, const cJSON *value,
                                       const struct sciara_scenario_key *key) {
  if (!cJSON_IsArray(value) || cJSON_GetArraySize(value) < (int)key->low) return refuse_type(file, path, value, key);
  struct sciara_json_path place = {.parent = path};
  unsigned seen = 0;
  const cJSON *item;
  cJSON_ArrayForEach(item, value) {
    enum sciara_field field = cJSON_IsString(item) ? sciara_field_find(item->valuestring) : SCIARA_FIELD_COUNT;
    if (field == SCIARA_FIELD_COUNT) return refuse_field(file, &place, item);
    if (seen & 1u << field) return refuse_value(file, &place, item, "each field once");
    seen |= 1u << field;
    place.index++;
  }
  return SCIARA_OK;
}

static enum sciara_status check_object(const char *file, const struct sciara_json_path *path, const cJSON *object,
                                       const char *schema, const char *alternatives);

static enum sciara_status check_objects(const char *file, const struct sciara_json_path *path, const cJSON *value,
                                        const struct sciara_scenario_key *key) {
  if (!cJSON_IsArray(value) || cJSON_GetArraySize(value) > (int)key->high) return refuse_type(file, path, value, key);
  const struct sciara_scenario_key *items = sciara_scenario_key_items(key);
  struct sciara_json_path place = {.parent = path};
  const cJSON *item;
  cJSON_ArrayForEach(item, value) {
    if (!cJSON_IsObject(item)) return refuse_type(file, &place, item, items);
    SCIARA_TRY(check_object(file, &place, item, items->path, items->alternatives));
    place.index++;
  }
  return SCIARA_OK;
}

static enum sciara_status check_value(const char *file, const struct sciara_json_path *path, const cJSON *value,
                                      const struct sciara_scenario_key *key) {
  bool right = true;
  if (cJSON_IsNull(value) && sciara_scenario_key_nullable(key)) return SCIARA_OK;
  switch (key->type) {
    case SCIARA_KEY_ANY: break;
    case SCIARA_KEY_OBJECT:
      if (cJSON_IsObject(value)) return check_object(file, path, value, key->path, key->alternatives);
      right = false;
      break;
    case SCIARA_KEY_OBJECTS: return check_objects(file, path, value, key);
    case SCIARA_KEY_STRING: right = cJSON_IsString(value) && value->valuestring[0] != '\0'; break;
    case SCIARA_KEY_CHOICE: right = is_choice(key, value); break;
    case SCIARA_KEY_NUMBER: return check_number(file, path, value, key);
    case SCIARA_KEY_INTEGER: return check_integer(file, path, value, key);
    case SCIARA_KEY_DURATION: return check_duration(file, path, value, key);
    case SCIARA_KEY_LAYER:
      if (cJSON_IsNumber(value)) return check_number(file, path, value, key);
      right = cJSON_IsString(value) && value->valuestring[0] != '\0';
      break;
    case SCIARA_KEY_DATE: right = cJSON_IsString(value) && sciara_scenario_date_valid(value->valuestring); break;
    case SCIARA_KEY_WINDOW: return check_window(file, path, value, key);
    case SCIARA_KEY_POINTS: return check_points(file, path, value, key);
    case SCIARA_KEY_RATES: return check_rates(file, path, value, key);
    case SCIARA_KEY_FIELDS: return check_fields(file, path, value, key);
  }
  return right ? SCIARA_OK : refuse_type(file, path, value, key);
}

static bool has(const cJSON *object, const char *name) {
  return cJSON_GetObjectItemCaseSensitive(object, name) != NULL;
}

/** "x,y" for people: x and y; the sets of "x,y|line" : x and y, or line. */
static void print_alternatives(const char *alternatives, char *buffer, size_t capacity) {
  size_t length = (size_t)snprintf(buffer, capacity, "exactly one of: ");
  for (const char *p = alternatives; *p && length + 8 < capacity; p++) {
    const char *piece = *p == ',' ? " and " : *p == '|' ? ", " : NULL;
    length += (size_t)(piece ? snprintf(buffer + length, capacity - length, "%s", piece)
                             : snprintf(buffer + length, capacity - length, "%c", *p));
  }
}

/** Exactly one set of keys is given: the first key of each set stands for it (`needs` keeps sets whole). */
static enum sciara_status check_alternatives(const char *file, const struct sciara_json_path *path, const cJSON *object,
                                             const char *alternatives) {
  char set[64], first[64], found[256] = "", allowed[256];
  int given = 0;
  for (const char *rest = alternatives; sciara_scenario_list_next(&rest, '|', set, sizeof set);) {
    const char *inner = set;
    if (!sciara_scenario_list_next(&inner, ',', first, sizeof first) || !has(object, first)) continue;
    size_t length = strlen(found);
    snprintf(found + length, sizeof found - length, "%s%s", given++ ? " together with " : "", first);
  }
  if (given == 1) return SCIARA_OK;
  print_alternatives(alternatives, allowed, sizeof allowed);
  return sciara_scenario_refuse(file, path, given ? found : "none of them", allowed);
}

static enum sciara_status check_presence(const char *file, const struct sciara_json_path *path, const cJSON *object,
                                         const char *schema) {
  size_t count;
  const struct sciara_scenario_key *keys = sciara_scenario_keys(&count);
  for (size_t i = 0; i < count; i++) {
    const char *name = sciara_scenario_key_name(&keys[i], schema);
    if (!name) continue;
    bool given = has(object, name);
    struct sciara_json_path place = {.parent = path, .key = name};
    char allowed[1024];
    if (keys[i].required && !given) {
      sciara_scenario_key_allowed(&keys[i], allowed, sizeof allowed);
      return sciara_scenario_refuse(file, &place, "nothing (the key is required)", allowed);
    }
    if (given && keys[i].needs && !has(object, keys[i].needs)) {
      snprintf(allowed, sizeof allowed, "only together with \"%s\"", keys[i].needs);
      return sciara_scenario_refuse(file, &place, "the key alone", allowed);
    }
  }
  return SCIARA_OK;
}

static enum sciara_status check_object(const char *file, const struct sciara_json_path *path, const cJSON *object,
                                       const char *schema, const char *alternatives) {
  const cJSON *child;
  cJSON_ArrayForEach(child, object) {
    struct sciara_json_path place = {.parent = path, .key = child->string};
    const struct sciara_scenario_key *key = sciara_scenario_key_find(schema, child->string);
    if (!key) return sciara_scenario_unknown_key(file, schema, child->string, &place);
    SCIARA_TRY(check_value(file, &place, child, key));
  }
  SCIARA_TRY(check_presence(file, path, object, schema));
  return alternatives ? check_alternatives(file, path, object, alternatives) : SCIARA_OK;
}

/** The one rule that spans two branches of the tree. */
static enum sciara_status check_source(const char *file, const cJSON *root) {
  const cJSON *vents = cJSON_GetObjectItemCaseSensitive(root, "vents");
  const cJSON *initial = cJSON_GetObjectItemCaseSensitive(root, "initial");
  if (cJSON_GetArraySize(vents) > 0 || has(initial, "thickness")) return SCIARA_OK;
  return sciara_scenario_refuse(file, &(struct sciara_json_path){.key = "vents"}, "no vent",
                                "at least one, unless initial.thickness is given");
}

enum sciara_status sciara_scenario_check(const char *file, const cJSON *root) {
  if (!cJSON_IsObject(root)) return refuse_value(file, NULL, root, "an object");
  SCIARA_TRY(check_object(file, NULL, root, "", NULL));
  return check_source(file, root);
}
