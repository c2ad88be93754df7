// SPDX-License-Identifier: Apache-2.0
// Whether the folder of a calibration is new, or that of the same one.
#include "calibrate/calibration_record.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/text.h"
#include "ensemble/ensemble_json.h"
#include "file/durable.h"

/** Whether a name in a folder is left by a start that was killed. */
static enum sciara_status look_at(const char *folder, const char *name, const char *inner, bool *is_new) {
  *is_new = strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, SCIARA_CALIBRATION_JSON ".part") == 0 ||
            (!inner && strcmp(name, SCIARA_EVALUATIONS_CSV) == 0);
  if (*is_new || !inner || strcmp(name, inner) != 0) return SCIARA_OK;
  bool exists;
  char *path;
  SCIARA_TRY(sciara_path_in(folder, name, &path));
  const enum sciara_status status = sciara_calibration_folder_is_new(path, NULL, &exists, is_new);
  free(path);
  return status;
}

enum sciara_status sciara_calibration_folder_is_new(const char *folder, const char *inner, bool *exists, bool *is_new) {
  DIR *directory = opendir(folder);
  enum sciara_status status = SCIARA_OK;
  *exists = directory || errno != ENOENT;
  *is_new = true;
  if (!directory)
    return *exists ? sciara_fail(SCIARA_ERR_IO, "%s: cannot read this folder: %s", folder, strerror(errno)) : SCIARA_OK;
  while (status == SCIARA_OK && *is_new) {
    errno = 0;
    const struct dirent *entry = readdir(directory);
    if (!entry && errno != 0)
      status = sciara_fail(SCIARA_ERR_IO, "%s: cannot read this folder: %s", folder, strerror(errno));
    if (!entry) break;
    status = look_at(folder, entry->d_name, inner, is_new);
  }
  closedir(directory);
  return status;
}

enum sciara_status sciara_calibration_folder_is_own(const char *folder) {
  struct stat about;
  if (lstat(folder, &about) != 0 || S_ISDIR(about.st_mode)) return SCIARA_OK; // what is missing is made
  return sciara_fail(SCIARA_ERR_INPUT, "%s: expected a folder, found %s", folder,
                     S_ISLNK(about.st_mode) ? "a symbolic link" : "a file");
}

/** The first difference of two values. */
struct difference {
  char path[512], was[128], now[128];
};

static bool note_difference(const cJSON *was, const cJSON *now, const struct sciara_json_path *at,
                            struct difference *out) {
  snprintf(out->was, sizeof out->was, "nothing");
  snprintf(out->now, sizeof out->now, "nothing");
  sciara_json_path_print(at, out->path, sizeof out->path);
  if (was) sciara_json_describe(was, out->was, sizeof out->was);
  if (now) sciara_json_describe(now, out->now, sizeof out->now);
  return true;
}

static bool is_equal(const cJSON *a, const cJSON *b) {
  if (cJSON_IsNumber(a)) return cJSON_IsNumber(b) && a->valuedouble == b->valuedouble;
  return cJSON_Compare(a, b, true);
}

static bool find_difference(const cJSON *was, const cJSON *now, const struct sciara_json_path *at,
                            struct difference *out) {
  const cJSON *child, *other;
  if (!was || !now) return note_difference(was, now, at, out);
  if (cJSON_IsObject(was) && cJSON_IsObject(now)) {
    cJSON_ArrayForEach(child, was) {
      const struct sciara_json_path inner = {.parent = at, .key = child->string};
      if (find_difference(child, sciara_json_get(now, child->string), &inner, out)) return true;
    }
    cJSON_ArrayForEach(child, now) {
      const struct sciara_json_path inner = {.parent = at, .key = child->string};
      if (!sciara_json_get(was, child->string)) return note_difference(NULL, child, &inner, out);
    }
    return false;
  }
  if (cJSON_IsArray(was) && cJSON_IsArray(now)) {
    struct sciara_json_path inner = {.parent = at};
    for (child = was->child, other = now->child; child || other; inner.index++) {
      if (find_difference(child, other, &inner, out)) return true;
      child = child ? child->next : NULL;
      other = other ? other->next : NULL;
    }
    return false;
  }
  return !is_equal(was, now) && note_difference(was, now, at, out);
}

/** Whether the values of `key` of two lists are equal, where the old one has it; else the number of the first that is not. */
static bool find_changed(const cJSON *was, const cJSON *now, const char *key, size_t *index) {
  const cJSON *a = was ? was->child : NULL, *b = now->child;
  for (*index = 0; b; ++*index, a = a->next, b = b->next) {
    const cJSON *old = a ? sciara_json_get(a, key) : NULL;
    if (!a || (old && !cJSON_Compare(old, sciara_json_get(b, key), true))) return true;
  }
  return false;
}

static enum sciara_status check_file(const struct sciara_calibration_file *f, const char *folder, const char *path,
                                     const cJSON *old) {
  const cJSON *format = sciara_json_get(old, "format");
  struct difference d;
  if (!cJSON_IsString(format) || strcmp(format->valuestring, SCIARA_CALIBRATION_FORMAT) != 0)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: format: expected \"" SCIARA_CALIBRATION_FORMAT "\", found something else",
                       path);
  if (find_difference(sciara_json_get(old, "file"), f->tree, NULL, &d))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: %s: expected %s as when the calibration of %s began, found %s", f->path,
                       d.path, d.was, folder, d.now);
  return SCIARA_OK;
}

static void warn_of_version(const char *path, const cJSON *old) {
  const cJSON *program = sciara_json_get(old, "program");
  if (!cJSON_IsString(program) || strcmp(program->valuestring, SCIARA_VERSION) != 0)
    sciara_log(SCIARA_LOG_WARNING, "%s: the calibration began with another version of the program", path);
}

/** A value of each item of a list. */
static enum sciara_status check_part(const char *folder, const cJSON *old, const cJSON *inputs, const char *list,
                                     const char *key, const char *what) {
  size_t index;
  const cJSON *now = sciara_json_get(inputs, list);
  if (!find_changed(sciara_json_get(old, list), now, key, &index)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "%s: expected %s as when the calibration of %s began, found a change",
                     sciara_json_get(cJSON_GetArrayItem(now, (int)index), "path")->valuestring, what, folder);
}

/** Scores of one edition of a rule say nothing about those of another. */
static enum sciara_status check_edition(const char *folder, const cJSON *old, const cJSON *inputs) {
  const cJSON *was = sciara_json_get(old, "rule_edition");
  const double edition = cJSON_IsNumber(was) ? was->valuedouble : 1,
               here = sciara_json_get(inputs, "rule_edition")->valuedouble;
  if (edition == here) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: evaluated with edition %g of its rule, expected edition %g, which is that of this program: "
                     "begin another calibration",
                     folder, edition, here);
}

/** The contents of scenarios and extents. An earlier version noted fewer of them. */
static enum sciara_status check_inputs(const char *folder, const cJSON *old, const cJSON *inputs) {
  SCIARA_TRY(check_edition(folder, old, inputs));
  SCIARA_TRY(check_part(folder, old, inputs, "scenarios", "hash", "the scenario and its rates"));
  for (int k = 0; k < SCIARA_INPUTS; k++)
    SCIARA_TRY(check_part(folder, old, inputs, "scenarios", sciara_input_table[k].name, sciara_input_table[k].what));
  SCIARA_TRY(check_part(folder, old, inputs, "extents", "cells", "the observed extent and its region"));
  return check_part(folder, old, inputs, "extents", "date", "the date of the observed extent");
}

static enum sciara_status check(const struct sciara_calibration_file *f, const char *folder, const cJSON *inputs) {
  char *path;
  cJSON *old = NULL;
  SCIARA_TRY(sciara_path_in(folder, SCIARA_CALIBRATION_JSON, &path));
  enum sciara_status status = sciara_json_read(path, &old);
  if (status == SCIARA_OK) status = check_file(f, folder, path, old);
  if (status == SCIARA_OK && inputs) status = check_inputs(folder, old, inputs);
  if (status == SCIARA_OK && (!inputs || !f->search->name)) warn_of_version(path, old); // once for several searches
  cJSON_Delete(old);
  free(path);
  return status;
}

enum sciara_status sciara_calibration_record_check(const struct sciara_calibration_record *r) {
  cJSON *inputs = cJSON_CreateObject();
  const bool made = inputs && sciara_calibration_inputs_put(r, inputs);
  const enum sciara_status status =
      made ? check(r->search->file, r->folder, inputs) : sciara_no_memory("a calibration");
  cJSON_Delete(inputs);
  return status;
}

enum sciara_status sciara_calibration_file_check(const struct sciara_calibration_file *f, const char *folder) {
  return check(f, folder, NULL);
}
