// SPDX-License-Identifier: Apache-2.0
#include "calibrate/calibration_record.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "calibrate/sensitivity.h"
#include "ensemble/ensemble_reading.h"
#include "ensemble/members.h"
#include "file/durable.h"

#define FORMAT "sciara calibration"
enum { VERSION = 1 };

static enum sciara_status no_memory(void) { return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a calibration"); }

/** Prints a tree, which is then deleted, as a file of the folder. */
static enum sciara_status write_tree(const char *folder, const char *name, cJSON *tree) {
  char *path = sciara_path_join(folder, name);
  struct sciara_text text = {0};
  enum sciara_status status = path ? sciara_json_print(tree, &text) : no_memory();
  if (status == SCIARA_OK) status = sciara_text_append(&text, "\n");
  if (status == SCIARA_OK) status = sciara_file_replace(path, text.data, text.length);
  sciara_text_free(&text);
  cJSON_Delete(tree);
  free(path);
  return status;
}

// -------------------------------------------------------------------------------------------------- calibration.json

/** A path may have bytes that are not UTF-8, with which the file could not be read again: they become U+FFFD. */
static bool put_text(cJSON *object, const char *name, const char *text) {
  struct sciara_text plain = {0};
  const bool whole = sciara_is_utf8(text) || sciara_text_append_plain(&plain, text) == SCIARA_OK;
  const bool added = whole && cJSON_AddStringToObject(object, name, plain.data ? plain.data : text);
  sciara_text_free(&plain);
  return added;
}

static bool put_number(cJSON *object, const char *name, double value) {
  return cJSON_AddNumberToObject(object, name, value) != NULL;
}

static bool put_hash(cJSON *object, const char *name, uint64_t hash) {
  char text[20];
  snprintf(text, sizeof text, "%016" PRIx64, hash);
  return put_text(object, name, text);
}

static cJSON *push_object(cJSON *array) {
  cJSON *item = cJSON_CreateObject();
  if (item && cJSON_AddItemToArray(array, item)) return item;
  cJSON_Delete(item);
  return NULL;
}

/** The contents of scenarios and extents. */
static bool put_inputs(const struct sciara_calibration_record *r, cJSON *root) {
  const struct sciara_calibration_file *f = r->file;
  cJSON *scenarios = cJSON_AddArrayToObject(root, "scenarios"), *extents = cJSON_AddArrayToObject(root, "extents");
  bool whole = scenarios && extents;
  for (size_t k = 0; k < f->scenario_count && whole; k++) {
    cJSON *item = push_object(scenarios);
    whole = item && put_text(item, "path", f->scenario[k]) && put_hash(item, "hash", f->hash[k]) &&
            put_hash(item, "ground", r->ground[k]) && put_hash(item, "initial", r->lava[k]);
  }
  for (size_t k = 0; k < f->pair_count && whole; k++) {
    cJSON *item = push_object(extents);
    whole = item && put_text(item, "path", f->observed[k].path) &&
            (!f->observed[k].at_date || put_text(item, "date", f->observed[k].at_date)) &&
            put_hash(item, "cells", r->cells[k]);
  }
  return whole;
}

static bool put_restarts(const struct sciara_calibration_record *r, cJSON *root) {
  static const char *const reasons[] = {[SCIARA_CMAES_GOES_ON] = "",
                                        [SCIARA_CMAES_TIES] = "equal scores",
                                        [SCIARA_CMAES_STAGNATION] = "no better scores",
                                        [SCIARA_CMAES_SMALL] = "converged",
                                        [SCIARA_CMAES_NUMERIC] = "too elongated"};
  cJSON *restarts = cJSON_AddArrayToObject(root, "restarts");
  bool whole = restarts;
  for (size_t k = 0; k < r->restart_count && whole; k++) {
    cJSON *item = push_object(restarts);
    whole = item && put_number(item, "evaluations", (double)r->restart[k].evaluations) &&
            put_text(item, "reason", reasons[r->restart[k].reason]);
  }
  return whole;
}

static bool put_best(const struct sciara_calibration_record *r, cJSON *root) {
  const struct sciara_calibration_file *f = r->file;
  if (r->best == SIZE_MAX) return cJSON_AddNullToObject(root, "best") != NULL;
  cJSON *best = cJSON_AddObjectToObject(root, "best"), *values = cJSON_AddObjectToObject(best, "values"),
        *pairs = cJSON_AddArrayToObject(best, "pairs");
  bool whole = values && pairs && put_number(best, "number", (double)(r->best + 1)) &&
               put_number(best, "score", r->table->score[r->best]);
  for (size_t k = 0; k < f->unknown_count && whole; k++)
    whole = put_number(values, f->unknown[k].key, r->table->value[r->best * f->unknown_count + k]);
  for (size_t k = 0; k < f->pair_count && whole; k++) {
    cJSON *item = push_object(pairs);
    whole = item && put_text(item, "observed", f->observed[k].path) &&
            put_number(item, "jaccard", r->table->jaccard[r->best * f->pair_count + k]) &&
            cJSON_AddBoolToObject(item, "hold_out", f->observed[k].held_out);
  }
  return whole;
}

static size_t count_of(const struct sciara_calibration_record *r, enum sciara_evaluate_status status) {
  size_t count = 0;
  for (size_t row = 0; row < r->table->count; row++) count += r->table->status[row] == status;
  return count;
}

enum sciara_status sciara_calibration_record_write(const struct sciara_calibration_record *r) {
  cJSON *root = cJSON_CreateObject(), *file = cJSON_Duplicate(r->file->tree, true);
  bool whole = root && file && put_text(root, "format", FORMAT) && put_number(root, "version", VERSION) &&
               put_text(root, "program", SCIARA_VERSION) && put_text(root, "status", r->status);
  whole = whole && cJSON_AddItemToObject(root, "file", file);
  if (!whole) cJSON_Delete(file);
  whole = whole && put_inputs(r, root) && put_number(root, "evaluations", (double)r->table->count) &&
          put_number(root, "without_score", (double)r->failed) &&
          put_number(root, "stopped", (double)count_of(r, SCIARA_EVALUATE_STOPPED)) &&
          put_number(root, "rested", (double)count_of(r, SCIARA_EVALUATE_RESTED)) && put_restarts(r, root) &&
          put_best(r, root);
  if (whole) return write_tree(r->folder, SCIARA_CALIBRATION_JSON, root);
  cJSON_Delete(root);
  return no_memory();
}

// ------------------------------------------------------------------------------------------------------------ resuming

enum sciara_status sciara_calibration_folder_is_new(const char *folder, bool *exists, bool *is_new) {
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
    *is_new = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
              strcmp(entry->d_name, SCIARA_EVALUATIONS_CSV) == 0 ||
              strcmp(entry->d_name, SCIARA_CALIBRATION_JSON ".part") == 0;
  }
  closedir(directory);
  return status;
}

/** The first difference of two values. */
struct difference {
  char place[512], was[128], now[128];
};

static bool note_difference(const cJSON *was, const cJSON *now, const struct sciara_json_path *at,
                            struct difference *out) {
  snprintf(out->was, sizeof out->was, "nothing");
  snprintf(out->now, sizeof out->now, "nothing");
  sciara_json_path_print(at, out->place, sizeof out->place);
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
      const struct sciara_json_path place = {.parent = at, .key = child->string};
      if (find_difference(child, sciara_json_get(now, child->string), &place, out)) return true;
    }
    cJSON_ArrayForEach(child, now) {
      const struct sciara_json_path place = {.parent = at, .key = child->string};
      if (!sciara_json_get(was, child->string)) return note_difference(NULL, child, &place, out);
    }
    return false;
  }
  if (cJSON_IsArray(was) && cJSON_IsArray(now)) {
    struct sciara_json_path place = {.parent = at};
    for (child = was->child, other = now->child; child || other; place.index++) {
      if (find_difference(child, other, &place, out)) return true;
      child = child ? child->next : NULL;
      other = other ? other->next : NULL;
    }
    return false;
  }
  return !is_equal(was, now) && note_difference(was, now, at, out);
}

/** Whether the values of `key` of two lists are equal; else the number of the first that is not. */
static bool find_changed(const cJSON *was, const cJSON *now, const char *key, size_t *index) {
  const cJSON *a = was ? was->child : NULL, *b = now->child;
  for (*index = 0; b; ++*index, a = a->next, b = b->next) {
    const cJSON *old = a ? sciara_json_get(a, key) : NULL;
    if (!old || !cJSON_Compare(old, sciara_json_get(b, key), true)) return true;
  }
  return false;
}

static enum sciara_status check_tree(const struct sciara_calibration_record *r, const char *path, const cJSON *old,
                                     const cJSON *inputs) {
  static const struct {
    const char *list, *key, *what;
  } parts[] = {{"scenarios", "hash", "the scenario and its rates"},
               {"scenarios", "ground", "the ground of the scenario"},
               {"scenarios", "initial", "the initial lava of the scenario"},
               {"extents", "cells", "the observed extent and its region"}};
  const cJSON *format = sciara_json_get(old, "format"), *program = sciara_json_get(old, "program");
  struct difference d;
  if (!cJSON_IsString(format) || strcmp(format->valuestring, FORMAT) != 0)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: format: expected \"" FORMAT "\", found something else", path);
  if (find_difference(sciara_json_get(old, "file"), r->file->tree, NULL, &d))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: %s: expected %s as when the calibration of %s began, found %s",
                       r->file->path, d.place, d.was, r->folder, d.now);
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
    size_t index;
    const cJSON *now = sciara_json_get(inputs, parts[k].list);
    if (!find_changed(sciara_json_get(old, parts[k].list), now, parts[k].key, &index)) continue;
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected %s as when the calibration of %s began, found a change",
                       sciara_json_get(cJSON_GetArrayItem(now, (int)index), "path")->valuestring, parts[k].what,
                       r->folder);
  }
  if (!cJSON_IsString(program) || strcmp(program->valuestring, SCIARA_VERSION) != 0)
    sciara_log(SCIARA_LOG_WARNING, "%s: the calibration began with another version of the program", path);
  return SCIARA_OK;
}

enum sciara_status sciara_calibration_record_check(const struct sciara_calibration_record *r) {
  char *path = sciara_path_join(r->folder, SCIARA_CALIBRATION_JSON);
  cJSON *old = NULL, *inputs = cJSON_CreateObject();
  enum sciara_status status = path && inputs && put_inputs(r, inputs) ? sciara_json_read(path, &old) : no_memory();
  if (status == SCIARA_OK) status = check_tree(r, path, old, inputs);
  cJSON_Delete(old);
  cJSON_Delete(inputs);
  free(path);
  return status;
}

// ----------------------------------------------------------------------------------------------------------- best.json

/** A text key that names a file: its path becomes absolute. */
static enum sciara_status make_absolute(const char *folder, cJSON *object, const char *name) {
  const cJSON *value = sciara_json_get(object, name);
  if (!cJSON_IsString(value)) return SCIARA_OK;
  char *path = sciara_path_join(folder, value->valuestring), *real = path ? realpath(path, NULL) : NULL;
  cJSON *item = path ? cJSON_CreateString(real ? real : path) : NULL;
  free(path);
  free(real);
  if (item && cJSON_ReplaceItemInObjectCaseSensitive(object, name, item)) return SCIARA_OK;
  cJSON_Delete(item);
  return no_memory();
}

static enum sciara_status move_scenario(const char *folder, cJSON *root) {
  cJSON *dem = cJSON_GetObjectItemCaseSensitive(root, "dem"),
        *initial = cJSON_GetObjectItemCaseSensitive(root, "initial"), *item;
  const cJSON *sea = sciara_json_get(dem, "sea");
  SCIARA_TRY(make_absolute(folder, dem, "path"));
  if (cJSON_IsString(sea) && strcmp(sea->valuestring, "nodata") != 0) SCIARA_TRY(make_absolute(folder, dem, "sea"));
  cJSON_ArrayForEach(item, sciara_json_get(dem, "edits")) {
    SCIARA_TRY(make_absolute(folder, item, "file"));
    SCIARA_TRY(make_absolute(folder, item, "dem"));
  }
  cJSON_ArrayForEach(item, sciara_json_get(root, "vents"))
      SCIARA_TRY(make_absolute(folder, cJSON_GetObjectItemCaseSensitive(item, "effusion"), "csv"));
  SCIARA_TRY(make_absolute(folder, initial, "thickness"));
  SCIARA_TRY(make_absolute(folder, initial, "temperature"));
  SCIARA_TRY(make_absolute(folder, initial, "checkpoint"));
  cJSON_DeleteItemFromObjectCaseSensitive(root, "$schema");
  cJSON_DeleteItemFromObjectCaseSensitive(cJSON_GetObjectItemCaseSensitive(root, "output"), "folder");
  return SCIARA_OK;
}

/** The keys of a row for the scenario of the first pair, which is `scenario`. */
static enum sciara_status keys_of(const struct sciara_calibration_record *r, size_t row,
                                  const struct sciara_scenario_spec *scenario, struct sciara_key_set *out) {
  return sciara_calibration_set(r->file, &r->table->value[row * r->file->unknown_count], scenario, out);
}

/** The scenario of the first pair with the best values, its paths as they were written. */
static enum sciara_status best_tree(const struct sciara_calibration_record *r, cJSON **root) {
  const char *path = r->file->scenario[0];
  struct sciara_scenario_spec scenario = {0};
  struct sciara_key_set keys = {0};
  enum sciara_status status = sciara_calibration_scenario(r->file, &scenario);
  if (status == SCIARA_OK) status = keys_of(r, r->best, &scenario, &keys);
  if (status == SCIARA_OK) status = sciara_json_read(path, root);
  for (size_t k = 0; k < keys.count && status == SCIARA_OK; k++)
    status = sciara_scenario_override_key(path, *root, keys.key[k], keys.value[k]);
  sciara_scenario_free(&scenario);
  sciara_key_set_free(&keys);
  return status;
}

enum sciara_status sciara_calibration_best_print(const struct sciara_calibration_record *r, struct sciara_text *out) {
  cJSON *root = NULL;
  enum sciara_status status = best_tree(r, &root);
  if (status == SCIARA_OK) status = sciara_json_print(root, out);
  cJSON_Delete(root);
  return status;
}

enum sciara_status sciara_calibration_best_write(const struct sciara_calibration_record *r) {
  char *folder = sciara_path_folder(r->file->scenario[0]);
  cJSON *root = NULL;
  enum sciara_status status = folder ? best_tree(r, &root) : no_memory();
  if (status == SCIARA_OK) status = move_scenario(folder, root);
  free(folder);
  if (status == SCIARA_OK) return write_tree(r->folder, "best.json", root);
  cJSON_Delete(root);
  return status;
}

// -------------------------------------------------------------------------------------------------------- accepted.csv

bool sciara_calibration_is_accepted(const struct sciara_calibration_record *r, size_t row) {
  return r->table->status[row] != SCIARA_EVALUATE_STOPPED && r->table->score[row] > 0 && // not where there is none
         r->table->score[row] >= SCIARA_ACCEPTED_PART * r->table->score[r->best];
}

/** Sets member `at` of a table, which is made with the first one. */
static enum sciara_status put_member(const struct sciara_calibration_record *r, size_t row, size_t at, size_t count,
                                     const struct sciara_scenario_spec *scenario, struct sciara_members *m) {
  const struct sciara_calibration_file *f = r->file;
  struct sciara_key_set keys = {0};
  enum sciara_status status = keys_of(r, row, scenario, &keys);
  if (status == SCIARA_OK && at == 0)
    status = sciara_members_create(count, (const char *const *)keys.key, keys.count, m);
  if (status == SCIARA_OK) {
    m->id[at] = (int64_t)row + 1;
    m->weight[at] = 1;
    for (size_t k = 0; k < f->unknown_count; k++)
      if (strcmp(f->unknown[k].key, SCIARA_RATE_SCALE) == 0)
        m->drawn[SCIARA_DRAWN_RATE_SCALE][at] = r->table->value[row * f->unknown_count + k];
  }
  for (size_t k = 0; k < keys.count && status == SCIARA_OK; k++) status = sciara_members_set(m, at, k, keys.value[k]);
  sciara_key_set_free(&keys);
  return status;
}

enum sciara_status sciara_calibration_accepted_write(const struct sciara_calibration_record *r) {
  struct sciara_scenario_spec scenario = {0};
  struct sciara_members m = {0};
  char *path = sciara_path_join(r->folder, "accepted.csv");
  size_t count = 0, at = 0;
  enum sciara_status status = path ? sciara_calibration_scenario(r->file, &scenario) : no_memory();
  for (size_t row = 0; row < r->table->count; row++) count += sciara_calibration_is_accepted(r, row);
  for (size_t row = 0; row < r->table->count && status == SCIARA_OK; row++)
    if (sciara_calibration_is_accepted(r, row)) status = put_member(r, row, at++, count, &scenario, &m);
  if (status == SCIARA_OK && count > 0) status = sciara_members_write(&m, path, NULL);
  if (status == SCIARA_OK && count == 0)
    sciara_log(SCIARA_LOG_WARNING, "%s: not written, for no set covers any of what was observed", path);
  sciara_scenario_free(&scenario);
  sciara_members_free(&m);
  free(path);
  return status;
}

// ----------------------------------------------------------------------------------------------------- sensitivity.csv

static void set_morris(const struct sciara_calibration_record *r, const double *points, struct sciara_effects *out) {
  struct sciara_morris_effect effect[SCIARA_UNKNOWNS_MOST];
  *out = (struct sciara_effects){.groups = "trajectories",
                                 .of = r->file->budget / sciara_calibration_group(r->file),
                                 .least = SCIARA_MORRIS_LEAST,
                                 .name = {"mu", "mu_star", "sigma"},
                                 .count = 3};
  sciara_morris_effects(points, r->table->score, out->of, r->file->unknown_count, effect, &out->used);
  for (size_t k = 0; k < r->file->unknown_count; k++) {
    out->value[k][0] = effect[k].mu;
    out->value[k][1] = effect[k].mu_star;
    out->value[k][2] = effect[k].sigma;
  }
}

enum sciara_status sciara_calibration_effects(const struct sciara_calibration_record *r, const double *points,
                                              struct sciara_effects *out) {
  const size_t n = r->file->unknown_count;
  struct sciara_sobol_index first[SCIARA_SALTELLI_UNKNOWNS], total[SCIARA_SALTELLI_UNKNOWNS];
  if (r->file->design == SCIARA_DESIGN_MORRIS) {
    set_morris(r, points, out);
    return SCIARA_OK;
  }
  *out = (struct sciara_effects){
      .groups = "rows",
      .of = r->file->budget / sciara_calibration_group(r->file),
      .least = SCIARA_SALTELLI_LEAST,
      .name = {"first_order", "first_order_low", "first_order_high", "total", "total_low", "total_high"},
      .count = 6};
  SCIARA_TRY(sciara_saltelli_indices(r->table->score, out->of, n, r->file->seed, first, total, &out->used));
  for (size_t k = 0; k < n; k++)
    for (size_t part = 0; part < 2; part++) {
      const struct sciara_sobol_index *index = part == 0 ? &first[k] : &total[k];
      out->value[k][3 * part] = index->value;
      out->value[k][3 * part + 1] = index->low;
      out->value[k][3 * part + 2] = index->high;
    }
  return SCIARA_OK;
}

static void warn(const char *path, const struct sciara_effects *e) {
  if (e->used < e->of)
    sciara_log(SCIARA_LOG_WARNING, "%s: %zu of %zu %s are left out, for an evaluation of each has no score", path,
               e->of - e->used, e->of, e->groups);
  if (e->used < e->least)
    sciara_log(SCIARA_LOG_WARNING, "%s: no values, for which %zu %s with all scores are needed; %zu are there", path,
               e->least, e->groups, e->used);
}

enum sciara_status sciara_calibration_sensitivity_write(const struct sciara_calibration_record *r,
                                                        const struct sciara_effects *effects) {
  struct sciara_text text = {0};
  char *path = sciara_path_join(r->folder, "sensitivity.csv");
  enum sciara_status status = path ? SCIARA_OK : no_memory();
  sciara_text_append(&text, "unknown,%s", effects->groups);
  for (size_t n = 0; n < effects->count; n++) sciara_text_append(&text, ",%s", effects->name[n]);
  for (size_t k = 0; k < r->file->unknown_count; k++) {
    sciara_text_append(&text, "\n%s,%zu", r->file->unknown[k].key, effects->used);
    for (size_t n = 0; n < effects->count; n++) {
      char number[40] = "";
      if (!isnan(effects->value[k][n])) sciara_json_number(effects->value[k][n], number, sizeof number);
      sciara_text_append(&text, ",%s", number);
    }
  }
  if (status == SCIARA_OK) status = sciara_text_append(&text, "\n");
  if (status == SCIARA_OK) status = sciara_file_replace(path, text.data, text.length);
  if (status == SCIARA_OK) warn(path, effects);
  sciara_text_free(&text);
  free(path);
  return status;
}
