// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/csv.h"
#include "file/json_strict.h"
#include "store/run_json.h"

/** An object that is read, and its JSON path. */
struct node {
  const char *file;
  const cJSON *object;
  const struct sciara_json_path *path; ///< of the object; NULL is the top level
};

/** @param key NULL: the object itself is wrong */
static enum sciara_status refuse(const struct node *at, const char *key, const cJSON *found, const char *allowed) {
  const struct sciara_json_path path = {.parent = at->path, .key = key};
  char name[256], value[128] = "nothing";
  sciara_json_path_print(key ? &path : at->path, name, sizeof name);
  if (found) sciara_json_describe(found, value, sizeof value);
  return sciara_fail(SCIARA_ERR_INPUT, "%s: %s: expected %s, found %s", at->file, name, allowed, value);
}

static const cJSON *member(const struct node *at, const char *key) {
  return cJSON_GetObjectItemCaseSensitive(at->object, key);
}

static enum sciara_status get_text(const struct node *at, const char *key, char **out) {
  const cJSON *value = member(at, key);
  if (value && cJSON_IsNull(value)) return SCIARA_OK;
  if (!value || !cJSON_IsString(value)) return refuse(at, key, value, "a text or null");
  return sciara_run_json_set(out, value->valuestring);
}

static enum sciara_status get_utc(const struct node *at, const char *key, char out[SCIARA_DATE_SIZE]) {
  const cJSON *value = member(at, key);
  if (value && cJSON_IsNull(value)) return SCIARA_OK;
  static const char form[] = "0000-00-00T00:00:00Z";
  bool fits = value && cJSON_IsString(value) && strlen(value->valuestring) == sizeof form - 1;
  for (size_t i = 0; fits && form[i]; i++) {
    char c = value->valuestring[i];
    fits = form[i] == '0' ? c >= '0' && c <= '9' : c == form[i];
  }
  if (!value || !fits) return refuse(at, key, value, "a time as \"2006-07-14T23:30:00Z\" or null");
  memcpy(out, value->valuestring, sizeof form);
  return SCIARA_OK;
}

static enum sciara_status get_number(const struct node *at, const char *key, double *out) {
  const cJSON *value = member(at, key);
  *out = NAN;
  if (value && cJSON_IsNull(value)) return SCIARA_OK;
  if (!value || !cJSON_IsNumber(value)) return refuse(at, key, value, "a number or null");
  *out = value->valuedouble;
  return SCIARA_OK;
}

static enum sciara_status get_count(const struct node *at, const char *key, double limit, uint64_t *out) {
  const cJSON *value = member(at, key);
  if (!cJSON_IsNumber(value) || !(value->valuedouble >= 0) || value->valuedouble > limit ||
      value->valuedouble != floor(value->valuedouble)) {
    char allowed[64];
    snprintf(allowed, sizeof allowed, "a whole number from 0 to %.0f", limit);
    return refuse(at, key, value, allowed);
  }
  *out = (uint64_t)value->valuedouble;
  return SCIARA_OK;
}

static enum sciara_status get_hex(const struct node *at, const char *key, uint64_t *out) {
  const cJSON *value = member(at, key);
  return cJSON_IsString(value) && sciara_csv_hash(value->valuestring, out)
             ? SCIARA_OK
             : refuse(at, key, value, "a text of 16 hexadecimal digits");
}

static enum sciara_status get_object(const struct node *at, const char *key, struct sciara_json_path *path,
                                     struct node *out) {
  const cJSON *value = member(at, key);
  if (!cJSON_IsObject(value)) return refuse(at, key, value, "an object");
  *path = (struct sciara_json_path){.parent = at->path, .key = key};
  *out = (struct node){.file = at->file, .object = value, .path = path};
  return SCIARA_OK;
}

static const double largest_count = 9007199254740992.0; // 2^53: whole numbers beyond it are not exact in JSON

static enum sciara_status read_status(const struct node *root, struct sciara_run_json *r) {
  const cJSON *format = member(root, "format"), *status = member(root, "status");
  if (!cJSON_IsNumber(format) || format->valuedouble != SCIARA_RUN_FORMAT)
    return refuse(root, "format", format, "1: no run record, or one of another version of the program");
  for (int s = 0; cJSON_IsString(status) && sciara_run_status_name((enum sciara_run_status)s); s++) {
    if (strcmp(status->valuestring, sciara_run_status_name((enum sciara_run_status)s)) != 0) continue;
    r->status = (enum sciara_run_status)s;
    return SCIARA_OK;
  }
  return refuse(root, "status", status, "running, complete, stopped or failed");
}

static enum sciara_status read_origin(const struct node *root, struct sciara_run_json *r) {
  struct sciara_json_path path;
  struct node at = {0};
  SCIARA_TRY(get_text(root, "stop_reason", &r->stop_reason));
  SCIARA_TRY(get_text(root, "scenario", &r->scenario));
  SCIARA_TRY(get_hex(root, "dem_hash", &r->dem_hash));
  if (member(root, "model_rule")) SCIARA_TRY(get_text(root, "model_rule", &r->model_rule));
  uint64_t edition = 1;
  if (member(root, "model_rule_edition")) SCIARA_TRY(get_count(root, "model_rule_edition", INT32_MAX, &edition));
  r->rule_edition = (int64_t)edition;
  if (member(root, "model_preset")) SCIARA_TRY(get_text(root, "model_preset", &r->model_preset));
  SCIARA_TRY(get_object(root, "engine", &path, &at));
  SCIARA_TRY(get_text(&at, "name", &r->engine));
  SCIARA_TRY(get_text(&at, "precision", &r->precision));
  uint64_t threads = 0;
  SCIARA_TRY(get_count(&at, "threads", INT32_MAX, &threads));
  r->threads = (int)threads;
  SCIARA_TRY(get_object(root, "versions", &path, &at));
  SCIARA_TRY(get_text(&at, "sciara", &r->program_version));
  SCIARA_TRY(get_text(&at, "git", &r->git_hash));
  SCIARA_TRY(get_text(&at, "hdf5", &r->hdf5_version));
  return get_text(&at, "gdal", &r->gdal_version);
}

static enum sciara_status read_parent(const struct node *root, struct sciara_run_json *r) {
  if (!member(root, "parent")) return SCIARA_OK;
  struct sciara_json_path path;
  struct node at = {0};
  SCIARA_TRY(get_object(root, "parent", &path, &at));
  SCIARA_TRY(get_text(&at, "folder", &r->parent));
  SCIARA_TRY(get_count(&at, "step", largest_count, &r->parent_step));
  return get_hex(&at, "checksum", &r->parent_checksum);
}

static enum sciara_status read_emission(const struct node *root, struct sciara_run_json *r) {
  struct sciara_json_path path;
  struct node at = {0};
  r->emission.volume_m3 = NAN; // earlier versions did not write it
  if (!member(root, "emission")) return SCIARA_OK;
  SCIARA_TRY(get_object(root, "emission", &path, &at));
  SCIARA_TRY(get_number(&at, "volume_m3", &r->emission.volume_m3));
  SCIARA_TRY(get_number(&at, "begin_s", &r->emission.begin_s));
  SCIARA_TRY(get_number(&at, "end_s", &r->emission.end_s));
  SCIARA_TRY(get_number(&at, "peak_m3_s", &r->emission.peak_m3_s));
  return member(&at, "from_s") ? get_number(&at, "from_s", &r->emission.from_s) : SCIARA_OK;
}

static enum sciara_status read_resumption(const struct node *at, struct sciara_run_json *r) {
  uint64_t step = 0;
  SCIARA_TRY(get_count(at, "step", largest_count, &step));
  SCIARA_TRY(sciara_run_json_resume(r, step, NULL));
  struct sciara_run_resumption *last = &r->resumptions[r->resumption_count - 1];
  SCIARA_TRY(get_utc(at, "utc", last->utc));
  return get_text(at, "engine", &last->engine);
}

static enum sciara_status read_cell(const struct node *at, struct sciara_run_warning *w) {
  const cJSON *cell = member(at, "cell"), *row = cJSON_GetArrayItem(cell, 0), *col = cJSON_GetArrayItem(cell, 1);
  const bool two = cJSON_IsArray(cell) && cJSON_GetArraySize(cell) == 2 && cJSON_IsNumber(row) && cJSON_IsNumber(col);
  if (!two || !(row->valuedouble >= 0 && row->valuedouble <= INT32_MAX) ||
      !(col->valuedouble >= 0 && col->valuedouble <= INT32_MAX))
    return refuse(at, "cell", cell, "[row, column]");
  w->row = (int64_t)row->valuedouble;
  w->col = (int64_t)col->valuedouble;
  return SCIARA_OK;
}

static enum sciara_status read_warning(const struct node *at, struct sciara_run_json *r) {
  const cJSON *kind = member(at, "kind"), *text = member(at, "text");
  struct sciara_run_warning w = {0};
  if (!cJSON_IsString(kind)) return refuse(at, "kind", kind, "a text");
  if (!cJSON_IsString(text)) return refuse(at, "text", text, "a text");
  w.kind = kind->valuestring;
  w.text = text->valuestring;
  if (strcmp(w.kind, SCIARA_WARNING_DEM) == 0) {
    SCIARA_TRY(get_number(at, "coarse_m", &w.coarse_m));
    if (!(w.coarse_m > 0 && isfinite(w.coarse_m)))
      return refuse(at, "coarse_m", member(at, "coarse_m"), "a number above 0");
    return sciara_run_json_warn(r, &w);
  }
  if (!sciara_run_warning_has_cell(&w)) return sciara_run_json_warn(r, &w);
  SCIARA_TRY(read_cell(at, &w));
  SCIARA_TRY(get_number(at, "x", &w.x));
  SCIARA_TRY(get_number(at, "y", &w.y));
  SCIARA_TRY(get_number(at, "time_s", &w.time_s));
  w.height_m = NAN;
  if (member(at, "height_m")) SCIARA_TRY(get_number(at, "height_m", &w.height_m));
  return sciara_run_json_warn(r, &w);
}

static enum sciara_status read_barrier(const struct node *at, struct sciara_run_json *r) {
  const cJSON *name = member(at, "name");
  struct sciara_run_barrier b = {0};
  uint64_t edit = 0, cells = 0;
  if (!cJSON_IsString(name)) return refuse(at, "name", name, "a text");
  SCIARA_TRY(get_count(at, "edit", largest_count, &edit));
  SCIARA_TRY(get_count(at, "cells", largest_count, &cells));
  SCIARA_TRY(get_number(at, "overtopped_s", &b.overtopped_s));
  SCIARA_TRY(get_number(at, "freeboard_m", &b.freeboard_m));
  SCIARA_TRY(get_number(at, "x", &b.x));
  SCIARA_TRY(get_number(at, "y", &b.y));
  b.edit = (size_t)edit;
  b.cells = (int64_t)cells;
  return sciara_run_json_barrier(r, &b, name->valuestring);
}

/** Reads each object of a list that may be absent. */
static enum sciara_status read_list(const struct node *root, const char *key, struct sciara_run_json *r,
                                    enum sciara_status (*read)(const struct node *, struct sciara_run_json *)) {
  const cJSON *list = member(root, key), *item;
  if (!list) return SCIARA_OK;
  if (!cJSON_IsArray(list)) return refuse(root, key, list, "an array of objects");
  const struct sciara_json_path list_path = {.parent = root->path, .key = key};
  size_t index = 0;
  cJSON_ArrayForEach(item, list) {
    const struct sciara_json_path path = {.parent = &list_path, .index = index++};
    const struct node at = {.file = root->file, .object = item, .path = &path};
    if (!cJSON_IsObject(item)) return refuse(&at, NULL, item, "an object");
    SCIARA_TRY(read(&at, r));
  }
  return SCIARA_OK;
}

static enum sciara_status read_progress(const struct node *root, struct sciara_run_json *r) {
  struct sciara_json_path path;
  struct node at = {0};
  SCIARA_TRY(get_object(root, "timing", &path, &at));
  SCIARA_TRY(get_utc(&at, "started_utc", r->started_utc));
  SCIARA_TRY(get_utc(&at, "updated_utc", r->updated_utc));
  SCIARA_TRY(get_utc(&at, "ended_utc", r->ended_utc));
  SCIARA_TRY(get_number(&at, "wall_s", &r->wall_s));
  SCIARA_TRY(get_number(&at, "compute_s", &r->compute_s));
  r->output_wait_s = NAN; // earlier versions did not write it
  if (member(&at, "output_wait_s")) SCIARA_TRY(get_number(&at, "output_wait_s", &r->output_wait_s));
  SCIARA_TRY(get_object(root, "state", &path, &at));
  uint64_t liquid = 0;
  SCIARA_TRY(get_count(&at, "step", largest_count, &r->step));
  SCIARA_TRY(get_number(&at, "time_s", &r->time_s));
  SCIARA_TRY(get_number(&at, "clock_s", &r->clock_s));
  SCIARA_TRY(get_count(&at, "liquid_cells", largest_count, &liquid));
  r->liquid_cells = (int64_t)liquid;
  SCIARA_TRY(get_object(root, "ledger", &path, &at));
  SCIARA_TRY(get_number(&at, "initial_m3", &r->ledger.initial_m3));
  SCIARA_TRY(get_number(&at, "emitted_m3", &r->ledger.emitted_m3));
  if (member(&at, "added_m3")) {
    SCIARA_TRY(get_number(&at, "added_m3", &r->ledger.added_m3));
    SCIARA_TRY(get_number(&at, "removed_m3", &r->ledger.removed_m3));
  }
  SCIARA_TRY(get_number(&at, "liquid_m3", &r->ledger.liquid_m3));
  SCIARA_TRY(get_number(&at, "solid_m3", &r->ledger.solid_m3));
  SCIARA_TRY(get_number(&at, "lost_m3", &r->ledger.lost_m3));
  r->lost_from_s = NAN; // not known while the run goes on, or in files of earlier versions
  if (member(&at, "lost_from_s")) SCIARA_TRY(get_number(&at, "lost_from_s", &r->lost_from_s));
  r->has_sea = member(&at, "sea_m3") != NULL;
  if (r->has_sea) SCIARA_TRY(get_number(&at, "sea_m3", &r->ledger.sea_m3));
  SCIARA_TRY(get_number(&at, "residual_m3", &r->ledger.residual_m3));
  return get_number(&at, "bound_m3", &r->ledger.bound_m3);
}

/* Checks that a name points into the run folder, independent of the origin of the file. */
static bool stays_inside(const char *name) {
  if (name[0] == '\0' || name[0] == '/') return false;
  for (const char *part = name; part; part = strchr(part, '/')) {
    if (*part == '/') part++;
    if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) return false;
  }
  return true;
}

static enum sciara_status read_snapshot(const struct node *at, struct sciara_run_json *r) {
  struct sciara_run_snapshot s = {0};
  const cJSON *name = member(at, "name");
  if (!cJSON_IsString(name) || !stays_inside(name->valuestring))
    return refuse(at, "name", name, "a path relative to the run folder, without \"..\"");
  SCIARA_TRY(get_count(at, "step", largest_count, &s.step));
  SCIARA_TRY(get_number(at, "time_s", &s.time_s));
  SCIARA_TRY(get_hex(at, "checksum", &s.checksum));
  return sciara_run_json_add(r, name->valuestring, s.step, s.time_s, s.checksum);
}

static enum sciara_status read_snapshots(const struct node *root, struct sciara_run_json *r) {
  const cJSON *list = member(root, "snapshots"), *item;
  if (!cJSON_IsArray(list)) return refuse(root, "snapshots", list, "an array");
  const struct sciara_json_path list_path = {.parent = root->path, .key = "snapshots"};
  size_t index = 0;
  cJSON_ArrayForEach(item, list) {
    const struct sciara_json_path path = {.parent = &list_path, .index = index++};
    const struct node at = {.file = root->file, .object = item, .path = &path};
    if (!cJSON_IsObject(item)) return refuse(&at, "name", NULL, "an object for each snapshot");
    SCIARA_TRY(read_snapshot(&at, r));
  }
  return SCIARA_OK;
}

static enum sciara_status read_root(const struct node *root, struct sciara_run_json *r) {
  if (!cJSON_IsObject(root->object)) return sciara_fail(SCIARA_ERR_INPUT, "%s: this is no JSON object", root->file);
  SCIARA_TRY(read_status(root, r));
  SCIARA_TRY(read_origin(root, r));
  SCIARA_TRY(read_parent(root, r));
  SCIARA_TRY(read_emission(root, r));
  SCIARA_TRY(read_list(root, "resumed", r, read_resumption));
  SCIARA_TRY(read_progress(root, r));
  SCIARA_TRY(read_list(root, "warnings", r, read_warning));
  SCIARA_TRY(read_list(root, "barriers", r, read_barrier));
  return read_snapshots(root, r);
}

enum sciara_status sciara_run_json_read(const char *path, struct sciara_run_json *out) {
  memset(out, 0, sizeof *out);
  cJSON *tree;
  SCIARA_TRY(sciara_json_read(path, &tree));
  const struct node root = {.file = path, .object = tree, .path = NULL};
  enum sciara_status status = read_root(&root, out);
  if (status != SCIARA_OK) sciara_run_json_free(out);
  cJSON_Delete(tree);
  return status;
}
