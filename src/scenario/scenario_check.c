// SPDX-License-Identifier: Apache-2.0
// Checks a tree of JSON against the table of keys: types, ranges, unknown, missing and contradicting keys. All problems
// are found, not only the first.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "model/field.h"
#include "model/params.h"
#include "scenario/scenario_keys.h"

/** The file of the tree, and the problems so far. */
struct check {
  const char *file;
  struct sciara_diagnostics *diagnostics;
  bool any_length; ///< lists may be longer than `most` of their key
  enum sciara_start start;
  double start_s; ///< of run.start
};

/** How many items a list may have. */
static int most_items(const struct check *c, const struct sciara_scenario_key *key) {
  struct sciara_scenario_key any = *key;
  any.most = 0;
  return sciara_scenario_key_most(c->any_length ? &any : key);
}

static void refuse_found(const struct check *c, const struct sciara_json_path *path, const char *found,
                         const char *allowed) {
  sciara_diagnostics_add(c->diagnostics, sciara_scenario_refuse(c->file, path, found, allowed));
}

static void refuse_value(const struct check *c, const struct sciara_json_path *path, const cJSON *value,
                         const char *allowed) {
  char found[128];
  if (sciara_diagnostics_full(c->diagnostics)) { // a million invalid rates must not take long
    sciara_diagnostics_add(c->diagnostics, SCIARA_ERR_INPUT);
    return;
  }
  sciara_json_describe(value, found, sizeof found);
  refuse_found(c, path, found, allowed);
}

/** A duration as text among numbers: says how many seconds it is. */
static void hint_at_seconds(const cJSON *value, char *text, size_t capacity) {
  const cJSON *item;
  double seconds;
  cJSON_ArrayForEach(item, value) {
    if (!cJSON_IsString(item) || !sciara_parse_duration(item->valuestring, &seconds)) continue;
    const size_t used = strlen(text);
    snprintf(text + used, capacity - used, " (durations here are in seconds: %.10g for \"%.20s\")", seconds,
             item->valuestring);
    return;
  }
}

/** A range in place of a number of an event: says where ranges belong. */
static void hint_at_vary(const struct sciara_json_path *path, const cJSON *value, const struct sciara_scenario_key *key,
                         char *text, size_t capacity) {
  static const char events[] = "ensemble:.events[].";
  const char *name = path && path->key && path->parent ? path->key : "";
  const size_t used = strlen(text);
  if (strncmp(key->path, events, sizeof events - 1) != 0 || !cJSON_IsArray(value)) return;
  if (strcmp(name, "volume_m3") != 0 && strcmp(name, "duration") != 0) return;
  snprintf(
      text + used, capacity - used,
      " (a range belongs into vary: {\"key\": \"events.%zu.%s\", \"uniform\": [LOW, HIGH]}, beside one value here)",
      path->parent->index, name);
}

/** Rejects a value of the wrong type. */
static void refuse_type(const struct check *c, const struct sciara_json_path *path, const cJSON *value,
                        const struct sciara_scenario_key *key) {
  char allowed[1024];
  sciara_scenario_key_allowed(key, allowed, sizeof allowed);
  if (key->type == SCIARA_KEY_INTERVAL && cJSON_IsArray(value)) hint_at_seconds(value, allowed, sizeof allowed);
  if (key->path) hint_at_vary(path, value, key, allowed, sizeof allowed);
  refuse_value(c, path, value, allowed);
}

typedef void check_function(const struct check *c, const struct sciara_json_path *path, const cJSON *value,
                            const struct sciara_scenario_key *key);

/** Whether an array has from `least` to `most` items; anything else is rejected. */
static bool has_items(const struct check *c, const struct sciara_json_path *path, const cJSON *value,
                      const struct sciara_scenario_key *key, int least, int most) {
  const int size = cJSON_IsArray(value) ? cJSON_GetArraySize(value) : -1;
  if (size < least || size > most) refuse_type(c, path, value, key);
  return size >= least && size <= most;
}

/** Checks each item of an array. */
static void check_each(const struct check *c, const struct sciara_json_path *path, const cJSON *array,
                       const struct sciara_scenario_key *item_key, check_function *check_item) {
  struct sciara_json_path inner = {.parent = path};
  const cJSON *item;
  cJSON_ArrayForEach(item, array) {
    check_item(c, &inner, item, item_key);
    inner.index++;
  }
}

static bool is_pair(const cJSON *value) { return cJSON_IsArray(value) && cJSON_GetArraySize(value) == 2; }

bool sciara_scenario_key_holds(const struct sciara_scenario_key *key, double v) {
  if (!(key->low < key->high)) return true;
  return (key->low_allowed ? v >= key->low : v > key->low) && v <= key->high;
}

static void check_key_range(const struct check *c, const struct sciara_json_path *path, const cJSON *value,
                            const struct sciara_scenario_key *key, double v) {
  if (sciara_scenario_key_holds(key, v)) return;
  char allowed[96];
  sciara_scenario_key_range(key, allowed, sizeof allowed);
  refuse_value(c, path, value, allowed);
}

static bool is_integral(double v) { return v == floor(v) && fabs(v) < 9007199254740992.0; } // 2^53

static void check_number(const struct check *c, const struct sciara_json_path *path, const cJSON *value,
                         const struct sciara_scenario_key *key) {
  if (cJSON_IsNumber(value) && (key->type != SCIARA_KEY_INTEGER || is_integral(value->valuedouble)))
    check_key_range(c, path, value, key, value->valuedouble);
  else
    refuse_type(c, path, value, key);
}

static bool is_choice(const struct sciara_scenario_key *key, const cJSON *value) {
  char name[64];
  for (const char *rest = key->choices; sciara_scenario_list_next(&rest, '|', name, sizeof name);)
    if (cJSON_IsString(value) && strcmp(value->valuestring, name) == 0) return true;
  return false;
}

/** Whether a text is meant as a date: it begins with a year. */
static bool is_key_date(const cJSON *value) {
  return cJSON_IsString(value) && strspn(value->valuestring, "0123456789") == 4 && value->valuestring[4] == '-';
}

/** Refuses a date in place of a time: it has no run.start, or is too early, else it were a number already. */
static void refuse_date(const struct check *c, const struct sciara_json_path *path, const cJSON *value,
                        const struct sciara_scenario_key *key) {
  static const struct sciara_scenario_key date = {.type = SCIARA_KEY_DATE};
  char start[SCIARA_DATE_SIZE], allowed[256];
  sciara_print_date(c->start_s, start);
  sciara_scenario_key_allowed(&date, allowed, sizeof allowed);
  if (!sciara_scenario_date_valid(value->valuestring))
    refuse_value(c, path, value, allowed);
  else if (c->start == SCIARA_START_ABSENT)
    refuse_value(c, path, value, "a duration, or run.start as well, from which a date is counted");
  else if (c->start == SCIARA_START_GIVEN) {
    snprintf(allowed, sizeof allowed, "a date %s run.start, %s", key->low_allowed ? "not before" : "after", start);
    refuse_value(c, path, value, allowed);
  }
}

/** Whether a time of years after run.start would, counted from 1970, be less than one after it. */
static bool is_unix_time(const struct check *c, double time) {
  static const double year = 365.25 * 86400;
  return c->start == SCIARA_START_GIVEN && time > 3 * year && time >= c->start_s && time < c->start_s + year;
}

static void refuse_unix_time(const struct check *c, const struct sciara_json_path *path, const cJSON *value,
                             double time) {
  char date[SCIARA_DATE_SIZE], allowed[128];
  sciara_print_date(time, date);
  snprintf(allowed, sizeof allowed, "a time after run.start, or the date \"%s\" in place of this Unix time", date);
  refuse_value(c, path, value, allowed);
}

static void check_duration(const struct check *c, const struct sciara_json_path *path, const cJSON *value,
                           const struct sciara_scenario_key *key) {
  double seconds = value->valuedouble;
  if (is_choice(key, value)) return;
  const bool is =
      cJSON_IsNumber(value) || (cJSON_IsString(value) && sciara_parse_duration(value->valuestring, &seconds));
  if (is && key->dated && is_unix_time(c, seconds))
    refuse_unix_time(c, path, value, seconds);
  else if (is)
    check_key_range(c, path, value, key, seconds);
  else if (key->dated && is_key_date(value))
    refuse_date(c, path, value, key);
  else
    refuse_type(c, path, value, key);
}

/** A number of a window [first row, first column, rows, columns]. */
static void check_extent(const struct check *c, const struct sciara_json_path *path, const cJSON *value,
                         const struct sciara_scenario_key *window) {
  const struct sciara_scenario_key number = {
      .type = SCIARA_KEY_INTEGER, .low = path->index < 2 ? 0 : 1, .low_allowed = true, .high = window->high};
  check_number(c, path, value, &number);
}

/** The range of the array, as that of one item in it. */
static struct sciara_scenario_key item_of(const struct sciara_scenario_key *array, enum sciara_key_type type) {
  struct sciara_scenario_key item = *array;
  item.type = type;
  return item;
}

static void check_box(const struct check *c, const struct sciara_json_path *path, const cJSON *value,
                      const struct sciara_scenario_key *key) {
  double v[4] = {0};
  int n = 0;
  const cJSON *item;
  bool right = cJSON_IsArray(value) && cJSON_GetArraySize(value) == 4;
  if (right) cJSON_ArrayForEach(item, value) {
      right &= cJSON_IsNumber(item) && sciara_scenario_key_holds(key, item->valuedouble);
      v[n++] = item->valuedouble;
    }
  // Across 180 degrees west is above east, by more than half a turn.
  const bool crosses = key->unit && strcmp(key->unit, "degrees") == 0 && v[0] - v[2] > 180 && v[0] - v[2] < 360;
  if (!right || !(v[0] < v[2] || crosses) || !(v[1] < v[3])) refuse_type(c, path, value, key);
}

static void check_point(const struct check *c, const struct sciara_json_path *path, const cJSON *value,
                        const struct sciara_scenario_key *coordinate) {
  if (is_pair(value))
    check_each(c, path, value, coordinate, check_number);
  else
    refuse_value(c, path, value, "a point [x, y]");
}

static void check_key_row(const struct check *c, const struct sciara_json_path *path, const cJSON *value,
                          const struct sciara_scenario_key *rate) {
  static const struct sciara_scenario_key time = {
      .type = SCIARA_KEY_DURATION, .low_allowed = true, .high = SCIARA_TIME_MAX};
  const struct sciara_json_path first = {.parent = path}, second = {.parent = path, .index = 1};
  if (is_pair(value)) {
    check_duration(c, &first, value->child, &time);
    check_number(c, &second, value->child->next, rate);
  } else {
    refuse_value(c, path, value, "a row [time, rate]");
  }
}

/** An array of what another function checks, each with the range of the array. */
static void check_numbers(const struct check *c, const struct sciara_json_path *path, const cJSON *value,
                          const struct sciara_scenario_key *key, int least, int most, check_function *check_item) {
  const struct sciara_scenario_key number = item_of(key, SCIARA_KEY_NUMBER);
  if (has_items(c, path, value, key, least, most)) check_each(c, path, value, &number, check_item);
}

/** Two numbers; those of an interval ascend. */
static void check_interval(const struct check *c, const struct sciara_json_path *path, const cJSON *value,
                           const struct sciara_scenario_key *key) {
  bool right = is_pair(value);
  const cJSON *first = right ? value->child : NULL, *second = right ? first->next : NULL;
  right = right && cJSON_IsNumber(first) && cJSON_IsNumber(second) &&
          sciara_scenario_key_holds(key, first->valuedouble) && sciara_scenario_key_holds(key, second->valuedouble);
  if (!right || (key->type == SCIARA_KEY_INTERVAL && !(first->valuedouble < second->valuedouble)))
    refuse_type(c, path, value, key);
}

static void check_simple(const struct check *c, const struct sciara_json_path *path, const cJSON *value,
                         const struct sciara_scenario_key *key) {
  (void)key;
  if (cJSON_IsArray(value) || cJSON_IsObject(value))
    refuse_value(c, path, value, "a number, a text, true, false or null");
}

/** A date passes: whoever knows from when it counts places it. */
static void check_duration_or_date(const struct check *c, const struct sciara_json_path *path, const cJSON *value,
                                   const struct sciara_scenario_key *key) {
  if (!key->dated || !cJSON_IsString(value) || !sciara_scenario_date_valid(value->valuestring))
    check_duration(c, path, value, key);
}

/** Durations, or values that are neither arrays nor objects. */
static void check_list(const struct check *c, const struct sciara_json_path *path, const cJSON *value,
                       const struct sciara_scenario_key *key) {
  const struct sciara_scenario_key duration = item_of(key, SCIARA_KEY_DURATION);
  if (has_items(c, path, value, key, 1, most_items(c, key)))
    check_each(c, path, value, &duration, key->type == SCIARA_KEY_DURATIONS ? check_duration_or_date : check_simple);
}

static void refuse_field(const struct check *c, const struct sciara_json_path *path, const cJSON *value) {
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
  refuse_value(c, path, value, allowed);
}

static void check_fields(const struct check *c, const struct sciara_json_path *path, const cJSON *value,
                         const struct sciara_scenario_key *key) {
  if (!has_items(c, path, value, key, (int)key->low, INT_MAX)) return;
  struct sciara_json_path inner = {.parent = path};
  unsigned seen = 0;
  const cJSON *item;
  cJSON_ArrayForEach(item, value) {
    enum sciara_field field = cJSON_IsString(item) ? sciara_field_find(item->valuestring) : SCIARA_FIELD_COUNT;
    if (field == SCIARA_FIELD_COUNT)
      refuse_field(c, &inner, item);
    else if (seen & 1u << field)
      refuse_value(c, &inner, item, "each field once");
    else
      seen |= 1u << field;
    inner.index++;
  }
}

static void check_object(const struct check *c, const struct sciara_json_path *path, const cJSON *object,
                         const char *schema, const char *alternatives);

static bool is_key_text(const cJSON *value) { return cJSON_IsString(value) && value->valuestring[0] != '\0'; }

static void check_value(const struct check *c, const struct sciara_json_path *path, const cJSON *value,
                        const struct sciara_scenario_key *key) {
  bool right = true;
  if (cJSON_IsNull(value) && sciara_scenario_key_nullable(key)) return;
  switch (key->type) {
    case SCIARA_KEY_ANY: break;
    case SCIARA_KEY_OBJECT:
      right = cJSON_IsObject(value);
      if (right) check_object(c, path, value, key->path, key->alternatives);
      break;
    case SCIARA_KEY_MODEL:
      right = cJSON_IsObject(value);
      if (right) check_object(c, path, value, "model", NULL);
      break;
    case SCIARA_KEY_OBJECTS:
      if (has_items(c, path, value, key, 0, (int)key->high))
        check_each(c, path, value, sciara_scenario_key_items(key), check_value);
      break;
    case SCIARA_KEY_STRING: right = is_key_text(value); break;
    case SCIARA_KEY_CHOICE: right = is_choice(key, value); break;
    case SCIARA_KEY_BOOLEAN: right = cJSON_IsBool(value); break;
    case SCIARA_KEY_NUMBER:
    case SCIARA_KEY_INTEGER: check_number(c, path, value, key); break;
    case SCIARA_KEY_DURATION: check_duration(c, path, value, key); break;
    case SCIARA_KEY_SEA:
    case SCIARA_KEY_LAYER:
      right = cJSON_IsNumber(value) || is_key_text(value);
      if (cJSON_IsNumber(value)) check_number(c, path, value, key);
      break;
    case SCIARA_KEY_DATE: right = cJSON_IsString(value) && sciara_scenario_date_valid(value->valuestring); break;
    case SCIARA_KEY_WINDOW:
      if (has_items(c, path, value, key, 4, 4)) check_each(c, path, value, key, check_extent);
      break;
    case SCIARA_KEY_BOX: check_box(c, path, value, key); break;
    case SCIARA_KEY_POINTS: check_numbers(c, path, value, key, 2, SCIARA_KEY_MAX_POINTS, check_point); break;
    case SCIARA_KEY_RATES: check_numbers(c, path, value, key, 1, most_items(c, key), check_number); break;
    case SCIARA_KEY_TABLE: check_numbers(c, path, value, key, 2, SCIARA_KEY_MAX_RATES, check_key_row); break;
    case SCIARA_KEY_FIELDS: check_fields(c, path, value, key); break;
    case SCIARA_KEY_PAIR:
    case SCIARA_KEY_INTERVAL: check_interval(c, path, value, key); break;
    case SCIARA_KEY_DURATIONS:
    case SCIARA_KEY_VALUES: check_list(c, path, value, key); break;
  }
  if (!right) refuse_type(c, path, value, key);
}

// ------------------------------------------------------------------------------------------------ keys of another rule

void sciara_scenario_counterpart(const char *key, char text[SCIARA_COUNTERPART_TEXT]) {
  static const char *const pairs[][2] = {{"dissipation_vent", "viscosity_vent_Pa_s"},
                                         {"dissipation_sol", "viscosity_sol_Pa_s"},
                                         {"critical_height_vent_m", "yield_strength_vent_Pa"},
                                         {"critical_height_sol_m", "yield_strength_sol_Pa"},
                                         {"cooling", "radiating_share"}};
  *text = '\0';
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
    for (int i = 0; i < 2; i++)
      if (strcmp(key, pairs[k][i]) == 0)
        snprintf(text, SCIARA_COUNTERPART_TEXT, ", whose counterpart is model.%s", pairs[k][1 - i]);
}

/** What does not belong to the rule of a "model". */
struct strange {
  const char *file;
  const struct sciara_json_path *path;
  enum sciara_rule_kind rule;
  const cJSON *key; ///< the first one
  size_t keys;
  const struct sciara_preset *preset; ///< of another rule; NULL: it is of this rule, or none is given
  char names[256];                    ///< of the keys
};

static enum sciara_status refuse_key(const struct strange *s) {
  const struct sciara_scenario_key *key = sciara_scenario_key_find("model", s->key->string);
  enum sciara_rule_kind other = (enum sciara_rule_kind)0;
  while (!sciara_scenario_key_is_of(key, other)) other = (enum sciara_rule_kind)(other + 1); // one has it
  char found[128], allowed[256], counterpart[SCIARA_COUNTERPART_TEXT];
  sciara_scenario_counterpart(s->key->string, counterpart);
  snprintf(found, sizeof found, "a key of rule \"%s\"%s", sciara_rule_name(other), counterpart);
  snprintf(allowed, sizeof allowed, "a key of rule \"%s\", or \"rule\": \"%s\"", sciara_rule_name(s->rule),
           sciara_rule_name(other));
  return sciara_scenario_refuse(s->file, &(struct sciara_json_path){.parent = s->path, .key = s->key->string}, found,
                                allowed);
}

static enum sciara_status refuse_preset(const struct strange *s) {
  char found[128], allowed[256];
  snprintf(found, sizeof found, "\"%s\", a set of rule \"%s\"", s->preset->name,
           sciara_rule_name(s->preset->params.rule));
  snprintf(allowed, sizeof allowed, "a set of rule \"%s\"", sciara_rule_name(s->rule));
  return sciara_scenario_refuse(s->file, &(struct sciara_json_path){.parent = s->path, .key = "preset"}, found,
                                allowed);
}

/** Many keys are one problem: the file was written for another rule. */
static enum sciara_status refuse_all(const struct strange *s) {
  char found[512], allowed[256];
  snprintf(found, sizeof found, "%zu %s of another rule: %s", s->keys, sciara_plural(s->keys, "key", "keys"), s->names);
  snprintf(
      allowed, sizeof allowed,
      "keys of rule \"%s\" (write the file anew: 'sciara init DEM ... --set model.rule=%s'; or remove those of the "
      "other rule)",
      sciara_rule_name(s->rule), sciara_rule_name(s->rule));
  return sciara_scenario_refuse(s->file, s->path, found, allowed);
}

/** Refuses keys of a "model" that its rule does not have, and a preset of another rule. */
static void check_model(const char *file, const struct sciara_json_path *path, const cJSON *model,
                        struct sciara_diagnostics *diagnostics) {
  struct strange s = {.file = file, .path = path, .rule = sciara_scenario_rule_of(model)};
  const cJSON *child, *preset = cJSON_GetObjectItemCaseSensitive(model, "preset");
  cJSON_ArrayForEach(child, model) {
    const struct sciara_scenario_key *key = sciara_scenario_key_find("model", child->string);
    if (!key || sciara_scenario_key_is_of(key, s.rule)) continue;
    const size_t length = strlen(s.names);
    snprintf(s.names + length, sizeof s.names - length, "%s%s", s.keys++ ? ", " : "", child->string);
    if (!s.key) s.key = child;
  }
  s.preset = cJSON_IsString(preset) ? sciara_preset_find(preset->valuestring) : NULL;
  if (s.preset && s.preset->params.rule == s.rule) s.preset = NULL;
  if (s.preset && s.keys > 0) {
    const size_t length = strlen(s.names);
    snprintf(s.names + length, sizeof s.names - length, ", preset");
    s.keys++;
  }
  if (s.keys > 1)
    sciara_diagnostics_add(diagnostics, refuse_all(&s));
  else if (s.keys == 1)
    sciara_diagnostics_add(diagnostics, refuse_key(&s));
  else if (s.preset)
    sciara_diagnostics_add(diagnostics, refuse_preset(&s));
}

// ---------------------------------------------------------------------------------------------------------- objects

static bool has(const cJSON *object, const char *name) {
  return cJSON_GetObjectItemCaseSensitive(object, name) != NULL;
}

/**
 * Known keys for which unknown ones were probably meant: one mistyped key is one problem, without an additional missing
 * key.
 */
struct meant {
  const char *name[8];
  size_t count;
};

static bool given_or_meant(const cJSON *object, const struct meant *meant, const char *name) {
  for (size_t k = 0; k < meant->count; k++)
    if (strcmp(meant->name[k], name) == 0) return true;
  return has(object, name);
}

/** Whether a key exists but is null, which is equivalent to no key. */
static bool is_left_to_default(const cJSON *object, const struct sciara_scenario_key *key, const char *name) {
  return key->preset && strcmp(key->preset, "null") == 0 &&
         cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(object, name));
}

static void refuse_unknown(const struct check *c, const struct sciara_json_path *path, const char *schema,
                           struct meant *meant) {
  if (sciara_diagnostics_full(c->diagnostics)) {
    sciara_diagnostics_add(c->diagnostics, SCIARA_ERR_INPUT);
    return;
  }
  const char *closest;
  sciara_diagnostics_add(c->diagnostics, sciara_scenario_unknown_key(c->file, schema, path->key, path, &closest));
  if (closest && meant->count < sizeof meant->name / sizeof *meant->name) meant->name[meant->count++] = closest;
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

/**
 * Checks that exactly one set of keys is given: the first key of each set represents it (`needs` ensures that sets are
 * complete).
 */
static void check_alternatives(const struct check *c, const struct sciara_json_path *path, const cJSON *object,
                               const struct meant *meant, const char *alternatives) {
  char set[64], first[64], found[256] = "", allowed[256];
  int given = 0;
  for (const char *rest = alternatives; sciara_scenario_list_next(&rest, '|', set, sizeof set);) {
    const char *inner = set;
    if (!sciara_scenario_list_next(&inner, ',', first, sizeof first) || !given_or_meant(object, meant, first)) continue;
    size_t length = strlen(found);
    snprintf(found + length, sizeof found - length, "%s%s", given++ ? " together with " : "", first);
  }
  if (given == 1) return;
  print_alternatives(alternatives, allowed, sizeof allowed);
  if (given > 1 && strstr(found, "line") && sciara_scenario_key_find("vents[]", first)) {
    const size_t length = strlen(allowed);
    snprintf(allowed + length, sizeof allowed - length,
             " (a vent is a point or a line: 'sciara init' makes a line with --fissure X,Y,X,Y or --fissure-lonlat "
             "LON,LAT,LON,LAT in place of --vent)");
  }
  refuse_found(c, path, given ? found : "none of them", allowed);
}

/** Checks required keys, and keys that need another one; returns whether all of the latter are given. */
static bool check_presence(const struct check *c, const struct sciara_json_path *path, const cJSON *object,
                           const struct meant *meant, const char *schema) {
  size_t count;
  const struct sciara_scenario_key *keys = sciara_keys_of(schema, &count);
  bool paired = true;
  for (size_t i = 0; i < count; i++) {
    const char *name = keys[i].required || keys[i].needs ? sciara_scenario_key_name(&keys[i], schema) : NULL;
    if (!name) continue;
    struct sciara_json_path inner = {.parent = path, .key = name};
    char allowed[1024];
    if (keys[i].required && !given_or_meant(object, meant, name)) {
      sciara_scenario_key_allowed(&keys[i], allowed, sizeof allowed);
      refuse_found(c, &inner, "nothing (the key is required)", allowed);
    }
    const char *needs = is_left_to_default(object, &keys[i], name) ? NULL : keys[i].needs;
    if (needs && has(object, name) &&
        (!given_or_meant(object, meant, needs) || is_left_to_default(object, &keys[i], needs))) {
      snprintf(allowed, sizeof allowed, "the key only together with \"%s\"", keys[i].needs);
      refuse_found(c, &inner, "it alone", allowed);
      paired = false;
    }
  }
  return paired;
}

static void check_object(const struct check *c, const struct sciara_json_path *path, const cJSON *object,
                         const char *schema, const char *alternatives) {
  struct meant meant = {.count = 0};
  const cJSON *child;
  cJSON_ArrayForEach(child, object) {
    if (child->type & cJSON_IsReference) continue;
    struct sciara_json_path inner = {.parent = path, .key = child->string};
    const struct sciara_scenario_key *key = sciara_scenario_key_find(schema, child->string);
    if (key)
      check_value(c, &inner, child, key);
    else
      refuse_unknown(c, &inner, schema, &meant);
  }
  if (strcmp(schema, "model") == 0) check_model(c->file, path, object, c->diagnostics);
  const bool paired = check_presence(c, path, object, &meant, schema);
  if (alternatives && paired)
    check_alternatives(c, path, object, &meant, alternatives); // otherwise the missing key was already reported
}

/** The only rule about two branches of the tree; checked if both have the right type. */
static void check_source(const struct check *c, const cJSON *root) {
  const cJSON *vents = cJSON_GetObjectItemCaseSensitive(root, "vents");
  const cJSON *initial = cJSON_GetObjectItemCaseSensitive(root, "initial");
  if (!cJSON_IsArray(vents) || cJSON_GetArraySize(vents) > 0) return;
  if (initial &&
      (!cJSON_IsObject(initial) || has(initial, "thickness") || has(initial, "checkpoint") || has(initial, "observed")))
    return;
  refuse_found(c, &(struct sciara_json_path){.key = "vents"}, "none",
               "at least one vent, unless initial.thickness, initial.checkpoint or initial.observed is given");
}

/** Whether the tree is an object, whose keys are then checked. */
static bool check_tree(const struct check *c, const cJSON *root, const char *schema) {
  if (cJSON_IsObject(root))
    check_object(c, NULL, root, schema, NULL);
  else
    refuse_value(c, NULL, root, "an object");
  return cJSON_IsObject(root);
}

void sciara_scenario_check(const char *file, const cJSON *root, struct sciara_diagnostics *diagnostics) {
  struct check c = {.file = file, .diagnostics = diagnostics};
  c.start = sciara_scenario_start(root, &c.start_s);
  if (check_tree(&c, root, "")) check_source(&c, root);
}

void sciara_tree_check(const char *file, const cJSON *root, const char *keys, struct sciara_diagnostics *diagnostics) {
  check_tree(&(struct check){.file = file, .diagnostics = diagnostics}, root, keys);
}

bool sciara_scenario_passes(const struct sciara_scenario_key *key, const cJSON *value) {
  struct sciara_diagnostics diagnostics = {0};
  const struct check c = {.file = "", .diagnostics = &diagnostics, .any_length = true};
  check_value(&c, NULL, value, key);
  const bool passes = diagnostics.count == 0;
  sciara_diagnostics_free(&diagnostics);
  return passes;
}
