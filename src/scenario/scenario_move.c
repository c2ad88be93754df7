// SPDX-License-Identifier: Apache-2.0
// A scenario that is written to another folder.
#include <stdlib.h>
#include <string.h>

#include "file/durable.h"
#include "scenario/scenario_keys.h"

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
