// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario_keys.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/field.h"
#include "model/params.h"
#include "model/prior.h"
#include "scenario/rates_csv.h"

enum {
#define SCIARA_KEY(path_, type_, ...) +1
  OWN_KEYS = 0
#include "scenario/scenario_keys.def"
#undef SCIARA_KEY
  ,
  MOST_KEYS = OWN_KEYS + (int)SCIARA_MOST_SETTINGS
};

static struct sciara_scenario_key table[MOST_KEYS] = {
#define SCIARA_KEY(path_, type_, ...) {.path = path_, .type = type_, __VA_ARGS__},
#include "scenario/scenario_keys.def"
#undef SCIARA_KEY
};
static const struct sciara_scenario_key ensemble_table[] = {
#define SCIARA_KEY(path_, type_, ...) {.path = path_, .type = type_, __VA_ARGS__},
#include "scenario/ensemble_keys.def"
#undef SCIARA_KEY
};
static const struct sciara_scenario_key calibration_table[] = {
#define SCIARA_KEY(path_, type_, ...) {.path = path_, .type = type_, __VA_ARGS__},
#include "scenario/calibration_keys.def"
#undef SCIARA_KEY
};
static struct sciara_settings engine_options; ///< declared once, constant from then on
static _Atomic size_t keys = OWN_KEYS;        ///< number in the table; set last, so that a reader sees complete entries
static pthread_mutex_t declaring = PTHREAD_MUTEX_INITIALIZER;

/** The key "engine.NAME" of an option. */
static struct sciara_scenario_key key_of(const struct sciara_setting *s, const char *path, const char *needs) {
  struct sciara_scenario_key key = {.path = path, .preset = "null", .needs = needs, .description = s->description};
  key.type = s->type == SCIARA_SETTING_CHOICE ? SCIARA_KEY_CHOICE : SCIARA_KEY_INTEGER;
  key.choices = s->choices;
  key.low = s->low;
  key.high = s->high;
  key.low_allowed = true;
  return key;
}

void sciara_scenario_declare_options(struct sciara_settings options) {
  enum { LONGEST = 64 };
  static char paths[SCIARA_MOST_SETTINGS][LONGEST];
  pthread_mutex_lock(&declaring);
  if (atomic_load(&keys) == OWN_KEYS) {
    for (size_t k = 0; k < options.count && k < SCIARA_MOST_SETTINGS; k++) {
      snprintf(paths[k], LONGEST, "engine.%s", options.setting[k].name);
      table[OWN_KEYS + k] = key_of(&options.setting[k], paths[k], options.setting[k].needs);
    }
    engine_options = options;
    atomic_store(&keys, OWN_KEYS + options.count);
  }
  pthread_mutex_unlock(&declaring);
}

struct sciara_settings sciara_scenario_declared_options(void) {
  struct sciara_settings none = {0};
  if (atomic_load(&keys) == OWN_KEYS) return none;
  return engine_options;
}

const struct sciara_scenario_key *sciara_scenario_keys(size_t *count) {
  *count = atomic_load(&keys);
  return table;
}

const struct sciara_scenario_key *sciara_keys_of(const char *schema, size_t *count) {
  if (strncmp(schema, SCIARA_ENSEMBLE_KEYS, strlen(SCIARA_ENSEMBLE_KEYS)) == 0) {
    *count = sizeof ensemble_table / sizeof *ensemble_table;
    return ensemble_table;
  }
  if (strncmp(schema, SCIARA_CALIBRATION_KEYS, strlen(SCIARA_CALIBRATION_KEYS)) == 0) {
    *count = sizeof calibration_table / sizeof *calibration_table;
    return calibration_table;
  }
  return sciara_scenario_keys(count);
}

/** What follows `parent` in the path of a key, NULL if it is in another object: most differ in their first characters. */
static const char *after(const struct sciara_scenario_key *key, const char *parent) {
  const char *rest = key->path;
  for (; *parent; parent++, rest++)
    if (*rest != *parent) return NULL;
  return rest == key->path || *rest++ == '.' ? rest : NULL;
}

const char *sciara_scenario_key_name(const struct sciara_scenario_key *key, const char *parent) {
  const char *name = after(key, parent);
  for (const char *c = name; c && *c; c++)
    if (*c == '.' || *c == '[') return NULL;
  return name;
}

const struct sciara_scenario_key *sciara_scenario_key_find(const char *parent, const char *name) {
  size_t count;
  const struct sciara_scenario_key *of = sciara_keys_of(parent, &count);
  if (strpbrk(name, ".[")) return NULL;
  for (size_t i = 0; i < count; i++) {
    const char *rest = after(&of[i], parent);
    if (rest && *rest == *name && strcmp(rest, name) == 0) return &of[i];
  }
  return NULL;
}

const struct sciara_scenario_key *sciara_scenario_key_items(const struct sciara_scenario_key *key) {
  size_t n = strlen(key->path), count;
  const struct sciara_scenario_key *of = sciara_keys_of(key->path, &count);
  for (size_t i = 0; i < count; i++)
    if (strncmp(of[i].path, key->path, n) == 0 && strcmp(of[i].path + n, "[]") == 0) return &of[i];
  return NULL;
}

const char *sciara_scenario_key_rule(const struct sciara_scenario_key *key) {
#define NAME(IDENTIFIER, name, edition, KIND, published, with) "rule " #name,
  static const char *const names[] = {SCIARA_EACH_RULE(NAME, )};
  for (int k = 0; k < SCIARA_RULES; k++)
    if (key->rules == 1u << k) return names[k];
  return NULL;
}

bool sciara_scenario_key_nullable(const struct sciara_scenario_key *key) {
  return key->preset && strcmp(key->preset, "null") == 0;
}

bool sciara_scenario_list_next(const char **rest, char separator, char *buffer, size_t capacity) {
  if (!*rest || !**rest) return false;
  const char *end = strchr(*rest, separator);
  size_t n = end ? (size_t)(end - *rest) : strlen(*rest);
  snprintf(buffer, capacity, "%.*s", (int)n, *rest);
  *rest = end ? end + 1 : *rest + n;
  return true;
}

void sciara_scenario_key_range(const struct sciara_scenario_key *key, char *buffer, size_t capacity) {
  char low[40], high[40];
  bool plain = key->type == SCIARA_KEY_FIELDS || key->type == SCIARA_KEY_OBJECTS; // there low and high are counts
  const char *unit = key->type == SCIARA_KEY_DURATION || key->type == SCIARA_KEY_DURATIONS ? "s"
                     : key->unit && strcmp(key->unit, "1") != 0                            ? key->unit
                                                                                           : "";
  buffer[0] = '\0';
  if (plain || !(key->low < key->high)) return;
  sciara_json_number(key->low, low, sizeof low);
  sciara_json_number(key->high, high, sizeof high);
  snprintf(buffer, capacity, "%s%s to %s%s%s", key->low_allowed ? "" : "above ", low, high, *unit ? " " : "", unit);
}

void sciara_scenario_list_choices(const char *choices, char *buffer, size_t capacity) {
  char name[64];
  size_t length = 0;
  buffer[0] = '\0';
  for (bool first = true; sciara_scenario_list_next(&choices, '|', name, sizeof name); first = false) {
    const char *glue = first ? "" : *choices ? ", " : " or ";
    int n = snprintf(buffer + length, capacity - length, "%s\"%s\"", glue, name);
    if (n < 0 || (size_t)n >= capacity - length) return;
    length += (size_t)n;
  }
}

static void list_fields(char *buffer, size_t capacity) {
  size_t length = 0;
  for (int f = 0; f < SCIARA_FIELD_COUNT; f++) {
    int n = snprintf(buffer + length, capacity - length, "%s%s", f ? ", " : "",
                     sciara_field_describe((enum sciara_field)f)->name);
    if (n < 0 || (size_t)n >= capacity - length) return;
    length += (size_t)n;
  }
}

/** Without a limit of its own. */
static int most_of(enum sciara_key_type type) {
  return type == SCIARA_KEY_RATES ? SCIARA_KEY_MAX_RATES : SCIARA_KEY_MAX_VALUES;
}

int sciara_scenario_key_most(const struct sciara_scenario_key *key) {
  return key->most > 0 ? key->most : most_of(key->type);
}

void sciara_scenario_key_allowed(const struct sciara_scenario_key *key, char *buffer, size_t capacity) {
  char range[96], list[512];
  sciara_scenario_key_range(key, range, sizeof range);
  const char *glue = *range ? ", " : "", *null = sciara_scenario_key_nullable(key) ? ", or null" : "";
  sciara_scenario_list_choices(key->choices, list, sizeof list);
  switch (key->type) {
    case SCIARA_KEY_ANY: snprintf(buffer, capacity, "anything"); break;
    case SCIARA_KEY_MODEL:
    case SCIARA_KEY_OBJECT: snprintf(buffer, capacity, "an object"); break;
    case SCIARA_KEY_OBJECTS: snprintf(buffer, capacity, "an array of at most %.0f objects", key->high); break;
    case SCIARA_KEY_STRING: snprintf(buffer, capacity, "a text that is not empty%s", null); break;
    case SCIARA_KEY_CHOICE: snprintf(buffer, capacity, "%s%s", list, null); break;
    case SCIARA_KEY_BOOLEAN: snprintf(buffer, capacity, "true or false"); break;
    case SCIARA_KEY_NUMBER: snprintf(buffer, capacity, "a number%s%s%s", glue, range, null); break;
    case SCIARA_KEY_INTEGER: snprintf(buffer, capacity, "a whole number%s%s%s", glue, range, null); break;
    case SCIARA_KEY_DURATION:
      snprintf(buffer, capacity, "%s%sa duration (seconds, or text such as \"6 h\" or \"3 d\")%s%s%s%s", list,
               *list ? ", or " : "", glue, range, key->dated ? ", or with run.start a date" : "", null);
      break;
    case SCIARA_KEY_LAYER:
      snprintf(buffer, capacity, "a number%s%s, or the path of a raster%s", glue, range, null);
      break;
    case SCIARA_KEY_SEA:
      snprintf(buffer, capacity, "a level%s%s, %s, or the path of a vector file%s", glue, range, list, null);
      break;
    case SCIARA_KEY_DATE:
      snprintf(buffer, capacity,
               "a date \"YYYY-MM-DDThh:mmZ\", perhaps with seconds, a space for T, +02:00 for Z or no zone (UTC), or "
               "\"YYYY-MM-DD\"%s",
               null);
      break;
    case SCIARA_KEY_WINDOW:
      snprintf(buffer, capacity,
               "[first row, first column, rows, columns], whole numbers%s%s, rows and columns from 1%s", glue, range,
               null);
      break;
    case SCIARA_KEY_BOX:
      snprintf(buffer, capacity, "[west, south, east, north], numbers%s%s, west below east%s and south below north%s",
               glue, range, strcmp(key->unit, "degrees") == 0 ? " (above it only across 180 degrees)" : "", null);
      break;
    case SCIARA_KEY_POINTS:
      snprintf(buffer, capacity, "an array of 2 to %d points [x, y]%s%s", SCIARA_KEY_MAX_POINTS, glue, range);
      break;
    case SCIARA_KEY_RATES:
      snprintf(buffer, capacity, "an array of 1 to %d numbers%s%s", sciara_scenario_key_most(key), glue, range);
      break;
    case SCIARA_KEY_TABLE:
      snprintf(buffer, capacity, "an array of 2 to %d rows [duration, number%s%s]", SCIARA_KEY_MAX_RATES, glue, range);
      break;
    case SCIARA_KEY_FIELDS:
      list_fields(list, sizeof list);
      snprintf(buffer, capacity, "an array of %sdifferent names of fields: %s", key->low > 0 ? "one or more " : "",
               list);
      break;
    case SCIARA_KEY_PAIR: snprintf(buffer, capacity, "an array of 2 numbers%s%s", glue, range); break;
    case SCIARA_KEY_INTERVAL:
      snprintf(buffer, capacity, "[low, high], numbers%s%s, low below high", glue, range);
      break;
    case SCIARA_KEY_DURATIONS:
      snprintf(buffer, capacity, "an array of 1 to %d durations (seconds, or text such as \"6 h\" or \"3 d\")%s%s%s",
               sciara_scenario_key_most(key), glue, range, key->dated ? ", or with run.start dates" : "");
      break;
    case SCIARA_KEY_VALUES:
      snprintf(buffer, capacity, "an array of 1 to %d numbers, texts, true, false or null", SCIARA_KEY_MAX_VALUES);
      break;
  }
}

enum sciara_status sciara_scenario_refuse(const char *file, const struct sciara_json_path *path, const char *found,
                                          const char *allowed) {
  char where[512];
  sciara_json_path_print(path, where, sizeof where);
  return sciara_fail(SCIARA_ERR_INPUT, "%s: %s: expected %s; found %s", file, where, allowed, found);
}

enum sciara_status sciara_scenario_unknown_key(const char *file, const char *parent, const char *name,
                                               const struct sciara_json_path *path, const char **meant) {
  const char *names[MOST_KEYS];
  char allowed[1024] = "no key here", where[512];
  size_t length = 0, count = 0, all;
  const struct sciara_scenario_key *of = sciara_keys_of(parent, &all);
  for (size_t i = 0; i < all && count < MOST_KEYS; i++) {
    const char *key = sciara_scenario_key_name(&of[i], parent);
    if (!key) continue;
    int n = snprintf(allowed + length, sizeof allowed - length, "%s%s", count ? ", " : "", key);
    if (n > 0 && (size_t)n < sizeof allowed - length) length += (size_t)n;
    names[count++] = key;
  }
  *meant = sciara_closest_name(name, names, count);
  if (*meant) snprintf(allowed + length, sizeof allowed - length, " (did you mean \"%s\"?)", *meant);
  sciara_json_path_print(path, where, sizeof where);
  return sciara_fail(SCIARA_ERR_INPUT, "%s: %s: unknown key, expected %s", file, where, allowed);
}

double sciara_scenario_seconds(const cJSON *value) {
  double seconds = 0;
  if (cJSON_IsNumber(value)) return value->valuedouble;
  if (cJSON_IsString(value) && !sciara_parse_duration(value->valuestring, &seconds)) seconds = 0;
  return seconds;
}

const char *sciara_scenario_settable_key(size_t k) {
  for (size_t i = 0; i < atomic_load(&keys); i++) {
    const enum sciara_key_type type = table[i].type;
    const bool is_value = type != SCIARA_KEY_ANY && type != SCIARA_KEY_OBJECT && type != SCIARA_KEY_OBJECTS;
    if (is_value && !strstr(table[i].path, "[]") && k-- == 0) return table[i].path;
  }
  return NULL;
}
