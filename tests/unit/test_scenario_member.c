// SPDX-License-Identifier: Apache-2.0
// Claims about scenario/scenario_base.h: the values and problems of a member are those of its text, for every key that a
// member may set; members leave their base as it is.
#include "scenario/scenario_base.h"

#include "ensemble/members.h"
#include "scenario/scenario_keys.h"
#include "support/owned.h"
#include "support/random.h"
#include "support/scenario_files.h"

enum { MEMBERS = 1500, MOST_KEYS = 4, BASES = 5 };

/** Valid by themselves, but for the last, which has a vent that only some members make valid. */
static const char *base_text(int which) {
  static const char *const texts[BASES] = {
      NULL, NULL,
      "{\"dem\": {\"path\": \"dem.tif\", \"error\": {\"sd_m\": 1, \"correlation_m\": 20}}, \"model\": {\"preset\": "
      "\"thesis-etna-2006\", \"cooling\": 2}, \"boundary\": \"closed\", \"initial\": {\"thickness\": 2, "
      "\"temperature\": 1200}, \"vents\": [{\"lon\": 15, \"lat\": 37, \"radius_m\": 20, \"effusion\": {\"table\": [[0, "
      "1], "
      "[3600, 0]]}}], \"run\": {\"until\": \"2 h\", \"start\": \"2006-07-14\", \"max_steps\": 7}, \"engine\": "
      "{\"precision\": "
      "\"single\"}}",
      "{\"dem\": {\"path\": \"dem.tif\", \"sea\": 0, \"edits\": [{\"line\": [[0, 0], [9, 9]], \"width_m\": 5, "
      "\"height_m\": "
      "3}]}, \"vents\": [{\"row\": 3, \"col\": 4, \"effusion\": {\"csv\": \"absent.csv\"}}], \"title\": "
      "\"a\\u00e9\\n\"}",
      "{\"dem\": {\"path\": \"dem.tif\"}, \"vents\": [{\"x\": 1, \"y\": 2}], \"run\": {\"unti\": 5}}"};
  return which == 0 ? scenario_minimal : which == 1 ? scenario_full : texts[which];
}

static cJSON *parse(const char *text) {
  cJSON *tree = NULL;
  expect_ok(sciara_json_parse("base", text, strlen(text), &tree));
  return tree;
}

/** A value of any kind, valid for some key, or a number in the range of this one. */
static void make_value(const char *key, char *buffer, size_t capacity) {
  static const char values[] =
      "|null|true|-1|0|0.1|1|5|1e300|1200.5|6 h|\"0 h\"|solidified|2006-07-15T06:00+02:00|2006-07-13|"
      "front at rest|mean|thesis-etna-2006|no\tname|\"\"|[]|{}|[1, 2, 3]|[[0, 5], [\"1 h\", 3], [7200, 0]]|"
      "[[5, 1], [5, 0]]|[[0, 0], [7, 8], [9, 1]]|{\"sd_m\": 2, \"correlation_m\": 30, \"seed\": 7}|"
      "{\"table\": [[0, 2.5], [600, 0]]}|{\"slot\": \"1 h\", \"rates_m3_s\": [1, 2]}|{\"slot\": 1, \"slot\": 2}|"
      "{\"csv\": \"absent.csv\"}|{\"x\": 3, \"y\": 4, \"effusion\": {\"slot\": 1, \"rates_m3_s\": [3]}}|"
      "[{\"x\": 3, \"y\": 4, \"effusion\": {\"slot\": 1, \"rates_m3_s\": [3]}}]|{\"until\": \"5 h\"}|"
      "{\"cooling\": 0.5}|[1, 2|\xc3\xa9";
  enum { COUNT = 37 };
  const struct sciara_scenario_key *entry;
  expect_ok(sciara_member_key_check(key, &entry));
  if (entry->low < entry->high && chance(2)) {
    snprintf(buffer, capacity, "%.17g", uniform(entry->low, entry->high < 3000 ? entry->high : 3000));
    return;
  }
  const char *value = values;
  const size_t k = random_bits() % (COUNT + 20);
  for (size_t n = 0; n < k && k < COUNT; n++) value = strchr(value, '|') + 1;
  if (k < COUNT)
    snprintf(buffer, capacity, "%.*s", (int)strcspn(value, "|"), value);
  else if (k < COUNT + 12)
    snprintf(buffer, capacity, "%.17g", uniform(0, chance(2) ? 1 : 2000));
  else
    snprintf(buffer, capacity, "%d", (int)(random_bits() % 100));
}

/** The k-th key that members may set: an item of a list is that of its number 0 or 1. False: there are no more. */
static bool member_key(size_t k, char *buffer, size_t capacity) {
  size_t count;
  const struct sciara_scenario_key *keys = sciara_scenario_keys(&count);
  for (size_t i = 0; i < count; i++) {
    size_t length = 0;
    const char *number = chance(2) ? (chance(4) ? "[0]" : ".0") : (chance(8) ? ".2" : ".1");
    buffer[0] = '\0';
    for (const char *p = keys[i].path; *p; p += strncmp(p, "[]", 2) == 0 ? 2 : 1)
      length += (size_t)(strncmp(p, "[]", 2) == 0 ? snprintf(buffer + length, capacity - length, "%s", number)
                                                  : snprintf(buffer + length, capacity - length, "%c", *p));
    if (sciara_member_key_check(buffer, NULL) == SCIARA_OK && k-- == 0) return true;
  }
  return false;
}

static size_t count_member_keys(void) {
  char key[128];
  size_t count = 0;
  while (member_key(count, key, sizeof key)) count++;
  return count;
}

// ----------------------------------------------------------------------------------------------------- independent path

/** The text of a member as a user would get it: the whole base with overrides. NULL: one is refused, as the error says. */
static char *text_of(const char *base, const struct sciara_scenario_member *m) {
  cJSON *root = parse(base);
  struct sciara_text text = {0};
  enum sciara_status status = SCIARA_OK;
  for (size_t k = 0; k < m->key_count && status == SCIARA_OK; k++) {
    OWNED(free_memory) char *override = sciara_format("%s=%s", m->key[k], m->value[k]);
    if (*m->value[k]) status = sciara_scenario_override(m->name, root, override);
  }
  if (status == SCIARA_OK) expect_ok(sciara_json_print(root, &text));
  if (status == SCIARA_OK) expect_ok(sciara_text_append(&text, "\n"));
  cJSON_Delete(root);
  return text.data;
}

static void same_text(const char *a, const char *b) {
  ck_assert_int_eq(a == NULL, b == NULL);
  if (a) ck_assert_str_eq(a, b);
}

static void same_vent(const struct sciara_vent_spec *a, const struct sciara_vent_spec *b) {
  same_text(a->name, b->name);
  ck_assert_int_eq(a->place, b->place);
  ck_assert_uint_eq(a->point_count, b->point_count);
  if (a->points) ck_assert_mem_eq(a->points, b->points, a->point_count * sizeof *a->points);
  ck_assert(a->reach_m == b->reach_m);
  ck_assert_uint_eq(a->rate_count, b->rate_count);
  ck_assert(!a->edges == !b->edges && !a->rates == !b->rates);
  if (a->edges) ck_assert_mem_eq(a->edges, b->edges, (a->rate_count + 1) * sizeof *a->edges);
  if (a->rates) ck_assert_mem_eq(a->rates, b->rates, a->rate_count * sizeof *a->rates);
}

static void same_layer(const struct sciara_layer_spec *a, const struct sciara_layer_spec *b) {
  same_text(a->path, b->path);
  ck_assert(a->value == b->value && a->given == b->given);
}

static void same_ground(const struct sciara_scenario_spec *a, const struct sciara_scenario_spec *b) {
  same_text(a->dem.path, b->dem.path);
  same_text(a->dem.crs, b->dem.crs);
  same_text(a->dem.edits_json, b->dem.edits_json);
  same_text(a->dem.sea.path, b->dem.sea.path);
  ck_assert(a->dem.band == b->dem.band && a->dem.has_window == b->dem.has_window && a->dem.has_box == b->dem.has_box);
  ck_assert(a->dem.margin_m == b->dem.margin_m && a->dem.cell_size_m == b->dem.cell_size_m);
  ck_assert(a->dem.has_nodata == b->dem.has_nodata && a->dem.nodata == b->dem.nodata);
  ck_assert(a->dem.sea.rule == b->dem.sea.rule && a->dem.sea.level == b->dem.sea.level);
  ck_assert_uint_eq(a->dem.edit_count, b->dem.edit_count);
  ck_assert(a->dem.error.sd_m == b->dem.error.sd_m && a->dem.error.correlation_m == b->dem.error.correlation_m);
  ck_assert_uint_eq(a->dem.error.seed, b->dem.error.seed);
}

static void same_values(const struct sciara_scenario_spec *a, const struct sciara_scenario_spec *b) {
  same_text(a->path, b->path);
  same_text(a->title, b->title);
  same_text(a->model, b->model);
  same_text(a->initial_checkpoint, b->initial_checkpoint);
  same_text(a->initial_checksum, b->initial_checksum);
  same_text(a->start, b->start);
  same_text(a->output.folder, b->output.folder);
  same_text(a->engine.name, b->engine.name);
  same_ground(a, b);
  same_layer(&a->initial_thickness, &b->initial_thickness);
  same_layer(&a->initial_temperature, &b->initial_temperature);
  ck_assert(a->alone == b->alone && a->boundary == b->boundary);
  ck_assert_uint_eq(a->vent_count, b->vent_count);
  for (size_t k = 0; k < a->vent_count; k++) same_vent(&a->vents[k], &b->vents[k]);
  ck_assert_mem_eq(&a->params, &b->params, sizeof a->params);
  ck_assert(a->run.until == b->run.until && a->run.until_s == b->run.until_s && a->run.rest_s == b->run.rest_s);
  ck_assert(a->run.thickest_m == b->run.thickest_m && a->run.max_time_s == b->run.max_time_s);
  ck_assert_uint_eq(a->run.max_steps, b->run.max_steps);
  ck_assert(a->output.every_s == b->output.every_s && a->output.checkpoint_every_s == b->output.checkpoint_every_s);
  ck_assert(a->output.checkpoint_wall_s == b->output.checkpoint_wall_s && a->output.fields == b->output.fields);
  ck_assert(a->output.as_double == b->output.as_double && a->output.maps == b->output.maps);
  ck_assert(a->engine.single_precision == b->engine.single_precision && a->engine.fast_math == b->engine.fast_math);
  ck_assert(a->engine.device == b->engine.device && a->engine.threads == b->engine.threads);
  ck_assert(!a->engine.name_overridden && !a->engine.overridden && !b->engine.overridden);
  ck_assert_mem_eq(a->engine.option, b->engine.option, sizeof a->engine.option);
}

/** Compares a member with its text; returns whether it has no problem. */
static bool compare(const char *base, const struct sciara_scenario_member *m, bool alone) {
  OWNED(sciara_scenario_free) struct sciara_scenario_spec found, expected = {0};
  OWNED(sciara_diagnostics_free) struct sciara_diagnostics problems = {0}, known = {0};
  OWNED(sciara_text_free) struct sciara_text printed = {0};
  OWNED(free_memory) char *text = text_of(base, m);
  if (!text) {
    sciara_diagnostics_add(&known, SCIARA_ERR_INPUT);
  } else {
    expected.alone = alone;
    sciara_scenario_parse(m->name, text, strlen(text), NULL, 0, &expected, &known);
  }
  sciara_scenario_member_read(m, alone, NULL, &found, &problems);
  ck_assert_uint_eq(problems.count, known.count);
  for (size_t k = 0; k < known.kept; k++) ck_assert_str_eq(problems.sentence[k], known.sentence[k]);
  ck_assert_int_eq(problems.first, known.first);
  ck_assert_ptr_null(found.json);
  if (text) same_values(&found, &expected);
  ck_assert_int_eq(sciara_scenario_member_print(m, &printed), text ? SCIARA_OK : SCIARA_ERR_INPUT);
  if (text) ck_assert_str_eq(printed.data, text);
  const bool valid = known.count == 0;
  return valid;
}

/** Each key is set many times: alone and together with others. */
TEST_EACH(equals_its_text, BASES) {
  struct sciara_scenario_base *base;
  const char *text = base_text(_i), *key[MOST_KEYS], *value[MOST_KEYS];
  char keys[MOST_KEYS][128], values[MOST_KEYS][256];
  const size_t all = count_member_keys();
  int valid = 0;
  ck_assert_uint_gt(all, 30);
  expect_ok(sciara_scenario_base_make(parse(text), &base));
  for (int n = 0; n < MEMBERS; n++) {
    const size_t count = n == 0 ? 0 : chance(2) ? 1 : 1 + random_bits() % MOST_KEYS;
    for (size_t k = 0; k < count; k++) {
      ck_assert(member_key(k == 0 ? (size_t)n % all : random_bits() % all, keys[k], sizeof keys[k]));
      make_value(keys[k], values[k], sizeof values[k]);
      key[k] = keys[k];
      value[k] = values[k];
    }
    const struct sciara_scenario_member m = {
        .base = base, .name = "member 7", .key = key, .value = value, .key_count = count};
    valid += compare(text, &m, chance(2));
  }
  sciara_scenario_base_free(base);
  const int least = _i == BASES - 1 ? 0 : MEMBERS / 15;
  ck_assert_msg(valid >= least && valid < MEMBERS, "%d valid members", valid);
}

RUN_TESTS(.setup = scenario_setup, .teardown = folder_remove, .seconds = 300)
