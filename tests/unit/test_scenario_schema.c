// SPDX-License-Identifier: Apache-2.0
// Claims about the table of scenario keys: the reader, the schema and the manual agree with it.
#include "file/durable.h"
#include "scenario/scenario_keys.h"
#include "support/owned.h"
#include "support/scenario_files.h"

/** "vents[].start" in the form of an override: "vents.0.start". */
static void print_override(const struct sciara_scenario_key *key, char *buffer, size_t capacity) {
  const char *bracket = strstr(key->path, "[]");
  if (bracket)
    snprintf(buffer, capacity, "%.*s.0%s=%s", (int)(bracket - key->path), key->path, bracket + 2, key->preset);
  else
    snprintf(buffer, capacity, "%s=%s", key->path, key->preset);
}

TEST(test_table) { // every default may be written, changes nothing, and every key is described
  size_t count, params;
  const struct sciara_scenario_key *keys = sciara_scenario_keys(&count);
  const struct sciara_param_info *param = sciara_param_table(&params);
  struct sciara_params standard = sciara_params_default();
  for (size_t i = 0; i < count; i++) {
    ck_assert_ptr_nonnull(keys[i].description);
    for (size_t j = 0; j < i; j++) ck_assert_str_ne(keys[i].path, keys[j].path);
    if (!keys[i].preset || !sciara_scenario_key_is_of(&keys[i], SCIARA_RULE_FV3)) continue;
    char override[256];
    print_override(&keys[i], override, sizeof override);
    struct sciara_scenario_spec s = scenario_read_ok(scenario_minimal, override);
    ck_assert_mem_eq(&s.params, &standard, sizeof standard);
    sciara_scenario_free(&s);
  }
  for (size_t i = 0; i < params; i++) ck_assert_ptr_nonnull(sciara_scenario_key_find("model", param[i].key));
}

TEST(test_schema_names_every_key) {
  OWNED(sciara_text_free) struct sciara_text schema = {0}, manual = {0};
  expect_ok(sciara_schema(SCIARA_SCHEMA_SCENARIO, &schema));
  expect_ok(sciara_scenario_manual(&manual));
  cJSON *tree;
  expect_ok(sciara_json_parse("schema", schema.data, schema.length, &tree));
  ck_assert_str_eq(cJSON_GetObjectItemCaseSensitive(tree, "$schema")->valuestring,
                   "http://json-schema.org/draft-07/schema#");
  size_t count;
  const struct sciara_scenario_key *keys = sciara_scenario_keys(&count);
  for (size_t i = 0; i < count; i++) {
    char part[64], row[80];
    const cJSON *node = tree;
    for (const char *rest = keys[i].path; sciara_scenario_list_next(&rest, '.', part, sizeof part);) {
      char *bracket = strstr(part, "[]");
      if (bracket) *bracket = '\0';
      node = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(node, "properties"), part);
      if (bracket) node = cJSON_GetObjectItemCaseSensitive(node, "items");
      ck_assert_msg(node, "%s is not in the schema", keys[i].path);
    }
    const size_t length = strlen(keys[i].path);
    bool items =
        length > 2 && strcmp(keys[i].path + length - 2, "[]") == 0; // has a section of its own instead of a row
    const char *dot = items ? NULL : strrchr(keys[i].path, '.');
    snprintf(row, sizeof row, items ? "## `%s`" : "| `%s` |", dot ? dot + 1 : keys[i].path);
    ck_assert_msg(strstr(manual.data, row), "%s is not in the manual", row);
  }
  cJSON_Delete(tree);
}

/** @param whole the file has nothing else */
static void is_in_file(const char *name, const struct sciara_text *text, bool whole) {
  char file[512];
  OWNED(free_memory) char *committed = NULL;
  size_t length;
  snprintf(file, sizeof file, "%s/%s", SCIARA_SOURCE_DIR, name);
  expect_ok(sciara_file_read(file, 1 << 20, &committed, &length));
  ck_assert_msg(strstr(committed, text->data) && (!whole || length == text->length),
                "%s is not what the table of keys gives now", name);
}

TEST(test_committed_files) {
  OWNED(sciara_text_free) struct sciara_text schema = {0}, manual = {0};
  expect_ok(sciara_schema(SCIARA_SCHEMA_SCENARIO, &schema));
  expect_ok(sciara_scenario_manual(&manual));
  is_in_file("config/scenario.schema.json", &schema, true);
  is_in_file("docs/scenario.md", &manual, false);
}

RUN_TESTS(.setup = scenario_setup, .teardown = folder_remove)
