// SPDX-License-Identifier: Apache-2.0
#include "app/bundled.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/program.h"
#include "base/text.h"
#include "file/durable.h"
#include "file/json_strict.h"
#include "plan/plan.h"

/** PREFIX/share/sciara/config; NULL if there is no such folder. */
static char *installed_folder(void) {
  char *prefix = sciara_program_prefix(), *config = prefix ? sciara_format("%s/share/sciara/config", prefix) : NULL;
  char *real = config ? realpath(config, NULL) : NULL;
  free(config);
  free(prefix);
  return real;
}

enum sciara_status sciara_bundled_find(const char *name, char **path) {
  SCIARA_TRY(sciara_path_in("config", name, path));
  if (access(*path, R_OK) == 0) return SCIARA_OK;
  free(*path);
  *path = NULL;
  char *folder = installed_folder();
  if (!folder) return SCIARA_OK;
  const enum sciara_status status = sciara_path_in(folder, name, path);
  free(folder);
  if (status != SCIARA_OK || access(*path, R_OK) == 0) return status;
  free(*path);
  *path = NULL;
  return SCIARA_OK;
}

/** NAME.json, not NAME.schema.json. */
static int is_scenario(const struct dirent *entry) {
  const size_t length = strlen(entry->d_name);
  return length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0 && !strstr(entry->d_name, ".schema.");
}

/** Whether a file is an ensemble file: JSON with the key "base". False for one that cannot be read. */
static bool is_ensemble_file(const char *path) {
  cJSON *root = NULL;
  const bool found =
      sciara_json_read(path, &root) == SCIARA_OK && cJSON_IsString(cJSON_GetObjectItemCaseSensitive(root, "base"));
  cJSON_Delete(root);
  sciara_error_clear();
  return found;
}

enum sciara_status sciara_bundled_list(struct sciara_text *out) {
  char *folder = installed_folder();
  struct dirent **entry = NULL;
  const int count = folder ? scandir(folder, &entry, is_scenario, alphasort) : 0;
  enum sciara_status status = SCIARA_OK;
  for (int k = 0; k < count; k++) {
    char *path = NULL;
    if (status == SCIARA_OK) status = sciara_path_in(folder, entry[k]->d_name, &path);
    if (status == SCIARA_OK && !is_ensemble_file(path)) status = sciara_text_showf(out, "%s\n", path);
    free(path);
    free(entry[k]);
  }
  free((void *)entry);
  free(folder);
  if (status == SCIARA_OK && count <= 0)
    status = sciara_fail(SCIARA_ERR_IO, "no scenarios are installed with this program (PREFIX/share/sciara/config)");
  return status;
}
