// SPDX-License-Identifier: Apache-2.0
#include "ensemble/ensemble_json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "ensemble/ensemble.h"
#include "file/csv.h"
#include "file/durable.h"

// ------------------------------------------------------------------------------------------------ what a plan declares

// What a plan says of its base beyond what members are computed from: the file of the DEM, the edits of the ground, and the
// ranges of what varies.
enum sciara_status sciara_declared_take(const char *dem, const struct sciara_edit *edits, size_t count,
                                        struct sciara_declared *out) {
  if (dem && !(out->dem = sciara_format("%s", sciara_path_name(dem))))
    return sciara_no_memory("what an ensemble declares");
  SCIARA_TRY(SCIARA_NEW(out->edits, count + 1, "the edits of the ground"));
  for (; out->edit_count < count; out->edit_count++) {
    const struct sciara_edit *from = &edits[out->edit_count];
    struct sciara_edit *to = &out->edits[out->edit_count];
    const char *file = from->raster ? from->raster : from->path;
    to->name = sciara_format("%s", from->name);
    to->from_s = from->from_s;
    memcpy(to->value, from->value, sizeof to->value);
    if (file) to->path = sciara_format("%s", sciara_path_name(file));
    if (!to->name || (file && !to->path)) {
      out->edit_count++;
      return sciara_no_memory("what an ensemble declares");
    }
  }
  return SCIARA_OK;
}

enum sciara_status sciara_declared_add_range(struct sciara_declared *d, const char *key, double low, double high) {
  SCIARA_TRY(sciara_resize((void **)&d->range, d->range_count, d->range_count + 1, sizeof *d->range,
                           "the ranges of what varies"));
  d->range[d->range_count] = (struct sciara_declared_range){sciara_format("%s", key), low, high};
  return d->range[d->range_count++].key ? SCIARA_OK : sciara_no_memory("what an ensemble declares");
}

// ---------------------------------------------------------------------------------------------------------------- file

static bool put_edit(cJSON *list, const struct sciara_edit *e) {
  cJSON *item = sciara_json_push(list);
  bool whole = item && cJSON_AddStringToObject(item, "name", e->name) &&
               (!e->path || cJSON_AddStringToObject(item, "file", e->path)) &&
               (!(e->from_s > 0) || cJSON_AddNumberToObject(item, "from_s", e->from_s));
  for (int k = 0; k < SCIARA_EDIT_VALUES && whole; k++)
    whole = isnan(e->value[k]) ||
            cJSON_AddNumberToObject(item, sciara_edit_value_name((enum sciara_edit_value)k), e->value[k]);
  return whole;
}

/** The part "declared" of ensemble.json; false: no memory. */
static bool declared_put(cJSON *root, const struct sciara_declared *d) {
  cJSON *all = cJSON_AddObjectToObject(root, "declared");
  bool whole = all && (!d->dem || cJSON_AddStringToObject(all, "dem", d->dem));
  if (whole && d->density_outside > 0)
    whole = cJSON_AddNumberToObject(all, "density_outside", d->density_outside) != NULL;
  cJSON *edits = whole ? cJSON_AddArrayToObject(all, "edits") : NULL;
  cJSON *ranges = whole ? cJSON_AddArrayToObject(all, "ranges") : NULL;
  whole = edits && ranges;
  for (size_t k = 0; k < d->edit_count && whole; k++) whole = put_edit(edits, &d->edits[k]);
  for (size_t k = 0; k < d->range_count && whole; k++) {
    cJSON *item = sciara_json_push(ranges);
    whole = item && cJSON_AddStringToObject(item, "key", d->range[k].key) &&
            cJSON_AddNumberToObject(item, "low", d->range[k].low) &&
            cJSON_AddNumberToObject(item, "high", d->range[k].high);
  }
  return whole;
}

static enum sciara_status refuse_declared(const char *path, const char *what) {
  return sciara_fail(SCIARA_ERR_INPUT, "%s: declared: expected %s, found something else", path, what);
}

static enum sciara_status read_edit(const char *path, const cJSON *item, struct sciara_edit *out) {
  const cJSON *name = sciara_json_get(item, "name"), *file = sciara_json_get(item, "file"),
              *from = sciara_json_get(item, "from_s");
  if (!cJSON_IsString(name) || (file && !cJSON_IsString(file)) || (from && !cJSON_IsNumber(from)))
    return refuse_declared(path, "edits with a name, a file and a time");
  for (int k = 0; k < SCIARA_EDIT_VALUES; k++) {
    const cJSON *value = sciara_json_get(item, sciara_edit_value_name((enum sciara_edit_value)k));
    if (value && !cJSON_IsNumber(value)) return refuse_declared(path, "numbers of edits");
    out->value[k] = value ? value->valuedouble : NAN;
  }
  out->name = sciara_format("%s", name->valuestring);
  if (file) out->path = sciara_format("%s", file->valuestring);
  if (from) out->from_s = from->valuedouble;
  return out->name && (!file || out->path) ? SCIARA_OK : sciara_no_memory("what an ensemble declares");
}

static enum sciara_status read_ranges(const char *path, const cJSON *list, struct sciara_declared *out) {
  const cJSON *item;
  cJSON_ArrayForEach(item, list) {
    const cJSON *key = sciara_json_get(item, "key"), *low = sciara_json_get(item, "low"),
                *high = sciara_json_get(item, "high");
    if (!cJSON_IsString(key) || !cJSON_IsNumber(low) || !cJSON_IsNumber(high))
      return refuse_declared(path, "ranges with a key, low and high");
    SCIARA_TRY(sciara_declared_add_range(out, key->valuestring, low->valuedouble, high->valuedouble));
  }
  return SCIARA_OK;
}

/** Reads it back; it may be absent. @param path of the file, for errors */
static enum sciara_status declared_read(const char *path, const cJSON *root, struct sciara_declared *out) {
  const cJSON *all = sciara_json_get(root, "declared"), *dem = sciara_json_get(all, "dem"),
              *edits = sciara_json_get(all, "edits"), *ranges = sciara_json_get(all, "ranges"),
              *outside = sciara_json_get(all, "density_outside"), *item;
  if (!all) return SCIARA_OK;
  if ((dem && !cJSON_IsString(dem)) || !cJSON_IsArray(edits) || !cJSON_IsArray(ranges))
    return refuse_declared(path, "dem, edits and ranges");
  if (outside && !cJSON_IsNumber(outside)) return refuse_declared(path, "a number as density_outside");
  if (outside) out->density_outside = outside->valuedouble;
  if (dem && !(out->dem = sciara_format("%s", dem->valuestring))) return sciara_no_memory("what an ensemble declares");
  SCIARA_TRY(SCIARA_NEW(out->edits, (size_t)cJSON_GetArraySize(edits) + 1, "the edits of the ground"));
  cJSON_ArrayForEach(item, edits) SCIARA_TRY(read_edit(path, item, &out->edits[out->edit_count++]));
  return read_ranges(path, ranges, out);
}

#define FORMAT "sciara ensemble"
enum { VERSION = 1 };

const char *const sciara_sample_methods[SCIARA_SAMPLE_METHODS] = {[SCIARA_SAMPLE_FULL] = "full",
                                                                  [SCIARA_SAMPLE_RANDOM] = "random",
                                                                  [SCIARA_SAMPLE_LHS] = "lhs",
                                                                  [SCIARA_SAMPLE_SOBOL] = "sobol",
                                                                  [SCIARA_SAMPLE_TABLE] = "table"};

uint64_t sciara_ensemble_hash(const struct sciara_ensemble *e) {
  const uint64_t size = e->batch_size, count = e->members.count;
  uint64_t hash = sciara_hash_bytes(SCIARA_HASH_BEGIN, e->base, strlen(e->base) + 1);
  hash = sciara_hash_bytes(hash, &size, sizeof size);
  hash = sciara_hash_bytes(hash, &count, sizeof count);
  hash = sciara_hash_bytes(hash, e->members.hash, e->members.count * sizeof *e->members.hash);
  if (e->rule_edition > 1) hash = sciara_hash_bytes(hash, &e->rule_edition, sizeof e->rule_edition);
  return e->initial_hash ? sciara_hash_bytes(hash, &e->initial_hash, sizeof e->initial_hash) : hash;
}

static uint64_t hash_text(uint64_t hash, const char *text) { return sciara_hash_bytes(hash, text, strlen(text) + 1); }

static uint64_t hash_number(uint64_t hash, double number) { return sciara_hash_bytes(hash, &number, sizeof number); }

/** The hash of vents, events and sample, on which no member depends, but the results; without `sample.draws`. */
static uint64_t hash_lists(const struct sciara_ensemble *e) {
  uint64_t hash = hash_text(SCIARA_HASH_BEGIN, sciara_sample_methods[e->method]);
  hash = hash_text(hash, e->vents_drawn ? "drawn" : "all");
  hash = sciara_hash_bytes(hash, &e->replicates, sizeof e->replicates);
  hash = sciara_hash_bytes(hash, &e->seed, sizeof e->seed);
  hash = sciara_hash_bytes(hash, &e->vent_count, sizeof e->vent_count);
  hash = sciara_hash_bytes(hash, &e->event_count, sizeof e->event_count);
  for (size_t k = 0; k < e->vent_count; k++) {
    const struct sciara_ensemble_vent *v = &e->vents[k];
    hash = hash_number(hash_text(hash, v->name), v->weight);
    hash = sciara_hash_bytes(hash, v->points, v->point_count * sizeof *v->points);
  }
  for (size_t k = 0; k < e->event_count; k++) {
    const struct sciara_ensemble_event *c = &e->events[k];
    hash = hash_number(hash_number(hash_number(hash_text(hash, c->name), c->weight), c->volume_m3), c->duration_s);
  }
  return hash;
}

static const char *column_name(size_t k) {
  static const char *const names[SCIARA_ENSEMBLE_GROUPINGS] = {"stratum", "replicate", "vent", "event"};
  return k < SCIARA_ENSEMBLE_GROUPINGS ? names[k] : sciara_drawn_names[k - SCIARA_ENSEMBLE_GROUPINGS];
}

void sciara_ensemble_columns_hash(const struct sciara_members *m, uint64_t hash[SCIARA_ENSEMBLE_COLUMNS]) {
  const int64_t *const groupings[SCIARA_ENSEMBLE_GROUPINGS] = {m->stratum, m->replicate, m->vent, m->event};
  for (size_t k = 0; k < SCIARA_ENSEMBLE_COLUMNS; k++) {
    const void *column =
        k < SCIARA_ENSEMBLE_GROUPINGS ? (const void *)groupings[k] : m->drawn[k - SCIARA_ENSEMBLE_GROUPINGS];
    hash[k] = sciara_hash_bytes(SCIARA_HASH_BEGIN, column, m->count * sizeof(int64_t)); // doubles have the same size
  }
}

// ----------------------------------------------------------------------------------------------------------- writing

/** An object whose parts may run out of memory: one flag at the end. */
static bool put_text(cJSON *object, const char *name, const char *text) {
  return cJSON_AddStringToObject(object, name, text) != NULL;
}

static bool put_number(cJSON *object, const char *name, double value) {
  return cJSON_AddNumberToObject(object, name, value) != NULL;
}

static bool put_vents(cJSON *root, const struct sciara_ensemble *e) {
  cJSON *list = cJSON_AddArrayToObject(root, "vents");
  bool whole = list != NULL;
  for (size_t k = 0; k < e->vent_count && whole; k++) {
    cJSON *item = sciara_json_push(list);
    whole = item && put_text(item, "name", e->vents[k].name) && put_number(item, "weight", e->vents[k].weight) &&
            sciara_json_put_points(item, "points", e->vents[k].points, e->vents[k].point_count);
  }
  list = cJSON_AddArrayToObject(root, "events");
  whole = whole && list;
  for (size_t k = 0; k < e->event_count && whole; k++) {
    cJSON *item = sciara_json_push(list);
    whole = item && put_text(item, "name", e->events[k].name) && put_number(item, "weight", e->events[k].weight) &&
            put_number(item, "volume_m3", e->events[k].volume_m3) &&
            put_number(item, "duration_s", e->events[k].duration_s);
  }
  return whole;
}

static bool put_rows(cJSON *root, const struct sciara_members *m) {
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  bool whole = list != NULL;
  for (size_t i = 0; i < m->count && whole; i++) {
    char text[48];
    snprintf(text, sizeof text, "%" PRId64 " %016" PRIx64, m->id[i], m->hash[i]);
    whole = sciara_json_put(list, NULL, cJSON_CreateString(text)) != NULL;
  }
  return whole;
}

static bool put_columns(cJSON *root, const struct sciara_members *m) {
  cJSON *columns = cJSON_AddObjectToObject(root, "columns");
  uint64_t hash[SCIARA_ENSEMBLE_COLUMNS];
  bool whole = columns != NULL;
  sciara_ensemble_columns_hash(m, hash);
  for (size_t k = 0; k < SCIARA_ENSEMBLE_COLUMNS && whole; k++)
    whole = sciara_json_put_hash(columns, column_name(k), hash[k]);
  return whole;
}

/** To what random numbers belong; a plan that does not say it is of an earlier version. */
#define DRAWS_BY_KEY "by key"
#define DRAWS_BY_PLACE "by place"

static bool put_sample(cJSON *root, const struct sciara_ensemble *e) {
  cJSON *sample = cJSON_AddObjectToObject(root, "sample");
  char seed[24];
  snprintf(seed, sizeof seed, "%" PRIu64, e->seed);
  return sample && put_text(sample, "method", sciara_sample_methods[e->method]) &&
         put_text(sample, "vents", e->vents_drawn ? "drawn" : "all") &&
         put_text(sample, "draws", e->draws_by_key ? DRAWS_BY_KEY : DRAWS_BY_PLACE) &&
         put_number(sample, "replicates", (double)e->replicates) && put_text(sample, "seed", seed);
}

static bool put_copy(cJSON *root, const char *name, const cJSON *value) {
  return !value || sciara_json_put(root, name, cJSON_Duplicate(value, true));
}

static enum sciara_status make_tree(const struct sciara_ensemble *e, const struct sciara_ensemble_given *r,
                                    cJSON *root) {
  cJSON *base = NULL;
  SCIARA_TRY(sciara_json_parse("the base scenario", e->base, strlen(e->base), &base));
  bool whole = put_text(root, "format", FORMAT) && put_number(root, "version", VERSION) &&
               put_text(root, "program", SCIARA_VERSION) && (!e->title || put_text(root, "title", e->title)) &&
               sciara_json_put_hash(root, "hash", e->hash) && sciara_json_put_hash(root, "site_hash", e->site_hash) &&
               sciara_json_put_hash(root, "lists_hash", hash_lists(e)) &&
               (!e->initial_hash || sciara_json_put_hash(root, "initial_hash", e->initial_hash)) &&
               (!(e->rule_edition > 1) || put_number(root, "rule_edition", (double)e->rule_edition)) &&
               put_number(root, "batch_size", (double)e->batch_size) &&
               (!(e->time_zero_s > 0) || put_number(root, "time_zero_s", e->time_zero_s)) && put_sample(root, e) &&
               put_copy(root, "base", base) && put_copy(root, "result", r->result) && put_copy(root, "stop", r->stop) &&
               (!r->left_out || !r->left_out->child || put_copy(root, SCIARA_ENSEMBLE_LEFT_OUT, r->left_out)) &&
               declared_put(root, &e->declared) && put_vents(root, e) && put_columns(root, &e->members) &&
               put_rows(root, &e->members);
  cJSON_Delete(base);
  return whole ? SCIARA_OK : sciara_no_memory("an ensemble");
}

enum sciara_status sciara_ensemble_json_write(const struct sciara_ensemble *e, const struct sciara_ensemble_given *r) {
  cJSON *root = cJSON_CreateObject();
  enum sciara_status status = root ? make_tree(e, r, root) : sciara_no_memory("an ensemble");
  if (status == SCIARA_OK) status = sciara_json_write(root, e->folder, SCIARA_ENSEMBLE_JSON);
  cJSON_Delete(root);
  return status;
}

// ----------------------------------------------------------------------------------------------------------- reading

static enum sciara_status refuse_json(const char *path, const char *key, const char *allowed) {
  return sciara_fail(SCIARA_ERR_INPUT, "%s: %s: expected %s, found something else", path, key, allowed);
}

static bool get_hash(const cJSON *root, const char *name, uint64_t *out) {
  const cJSON *value = sciara_json_get(root, name);
  return cJSON_IsString(value) && sciara_csv_hash(value->valuestring, out);
}

/** A whole number from `low` to `high`. */
static bool get_whole(const cJSON *object, const char *name, double low, double high, size_t *out) {
  const cJSON *value = sciara_json_get(object, name);
  if (!cJSON_IsNumber(value) || !(value->valuedouble >= low && value->valuedouble <= high) ||
      value->valuedouble != floor(value->valuedouble))
    return false;
  *out = (size_t)value->valuedouble;
  return true;
}

static bool get_finite(const cJSON *object, const char *name, double *out) {
  const cJSON *value = sciara_json_get(object, name);
  if (!cJSON_IsNumber(value) || !(value->valuedouble >= 0)) return false;
  *out = value->valuedouble;
  return true;
}

static enum sciara_status get_name(const char *path, const char *key, const cJSON *object, char **out) {
  const cJSON *name = sciara_json_get(object, "name");
  if (!cJSON_IsString(name)) return refuse_json(path, key, "a name");
  return sciara_copy(name->valuestring, "an ensemble", out);
}

static enum sciara_status read_vent(const char *path, const cJSON *item, struct sciara_ensemble_vent *v) {
  const cJSON *points = sciara_json_get(item, "points"), *point;
  SCIARA_TRY(get_name(path, "vents", item, &v->name));
  if (!get_finite(item, "weight", &v->weight)) return refuse_json(path, "vents", "a weight, 0 or more");
  if (!cJSON_IsArray(points) || cJSON_GetArraySize(points) < 1) return refuse_json(path, "vents", "points [x, y]");
  cJSON_ArrayForEach(point, points) if (!cJSON_IsArray(point) || cJSON_GetArraySize(point) != 2 ||
                                        !cJSON_IsNumber(point->child) || !cJSON_IsNumber(point->child->next)) {
    return refuse_json(path, "vents", "points [x, y]");
  }
  return sciara_json_points(points, &v->points, &v->point_count);
}

static enum sciara_status read_event(const char *path, const cJSON *item, struct sciara_ensemble_event *e) {
  SCIARA_TRY(get_name(path, "events", item, &e->name));
  if (get_finite(item, "weight", &e->weight) && get_finite(item, "volume_m3", &e->volume_m3) &&
      get_finite(item, "duration_s", &e->duration_s))
    return SCIARA_OK;
  return refuse_json(path, "events", "weight, volume_m3 and duration_s, 0 or more");
}

static enum sciara_status read_lists(const char *path, const cJSON *root, struct sciara_ensemble *out) {
  const cJSON *vents = sciara_json_get(root, "vents"), *events = sciara_json_get(root, "events"), *item;
  if (!cJSON_IsArray(vents) || !cJSON_IsArray(events)) return refuse_json(path, "vents and events", "arrays");
  SCIARA_TRY(SCIARA_NEW(out->vents, (size_t)cJSON_GetArraySize(vents), "the vents"));
  cJSON_ArrayForEach(item, vents) SCIARA_TRY(read_vent(path, item, &out->vents[out->vent_count++]));
  SCIARA_TRY(SCIARA_NEW(out->events, (size_t)cJSON_GetArraySize(events), "the events"));
  cJSON_ArrayForEach(item, events) SCIARA_TRY(read_event(path, item, &out->events[out->event_count++]));
  return SCIARA_OK;
}

static enum sciara_status read_sample(const char *path, const cJSON *root, struct sciara_ensemble *out) {
  const cJSON *sample = sciara_json_get(root, "sample"), *method = sciara_json_get(sample, "method"),
              *vents = sciara_json_get(sample, "vents"), *seed = sciara_json_get(sample, "seed");
  bool found = false;
  for (size_t k = 0; cJSON_IsString(method) && k < SCIARA_SAMPLE_METHODS; k++)
    if (strcmp(sciara_sample_methods[k], method->valuestring) == 0) {
      out->method = (enum sciara_sample_method)k;
      found = true;
    }
  if (!found || !cJSON_IsString(vents) || !cJSON_IsString(seed) || !sciara_csv_whole(seed->valuestring, &out->seed) ||
      !get_whole(sample, "replicates", 1, 1000, &out->replicates))
    return refuse_json(path, "sample", "method, vents, replicates and seed");
  const cJSON *draws = sciara_json_get(sample, "draws");
  out->draws_by_key = cJSON_IsString(draws) && strcmp(draws->valuestring, DRAWS_BY_KEY) == 0;
  out->vents_drawn = strcmp(vents->valuestring, "drawn") == 0;
  return SCIARA_OK;
}

static enum sciara_status read_json_rows(const char *path, const cJSON *root, struct sciara_ensemble_rows *rows) {
  const cJSON *list = sciara_json_get(root, "rows"), *item;
  const size_t count = (size_t)cJSON_GetArraySize(list);
  if (!cJSON_IsArray(list) || count == 0) return refuse_json(path, "rows", "an id and a hash for each member");
  SCIARA_TRY(SCIARA_NEW(rows->id, count, "the rows of an ensemble"));
  SCIARA_TRY(SCIARA_NEW(rows->hash, count, "the rows of an ensemble"));
  cJSON_ArrayForEach(item, list) {
    char *blank = cJSON_IsString(item) ? strchr(item->valuestring, ' ') : NULL;
    if (blank) *blank = '\0';
    if (!blank || !sciara_csv_size(item->valuestring, &rows->id[rows->count]) ||
        !sciara_csv_hash(blank + 1, &rows->hash[rows->count]) ||
        (rows->count > 0 && rows->id[rows->count] <= rows->id[rows->count - 1]))
      return refuse_json(path, "rows", "ascending ids, each with a hash");
    rows->count++;
  }
  return SCIARA_OK;
}

static enum sciara_status read_columns(const char *path, const cJSON *root, struct sciara_ensemble_rows *rows) {
  const cJSON *columns = sciara_json_get(root, "columns");
  rows->has_columns = columns != NULL;
  for (size_t k = 0; k < SCIARA_ENSEMBLE_COLUMNS && columns; k++) {
    if (k >= SCIARA_ENSEMBLE_GROUPINGS && !sciara_json_get(columns, column_name(k))) break;
    if (!get_hash(columns, column_name(k), &rows->column[k]))
      return refuse_json(path, "columns", "16 hexadecimal digits for each column");
    rows->columns++;
  }
  return SCIARA_OK;
}

/** The keys of the ensemble file that are stored as they were given. */
static enum sciara_status read_result(const char *path, const cJSON *root, struct sciara_ensemble *out) {
  static const char *const names[] = {"result", "stop"};
  struct sciara_diagnostics diagnostics = {0};
  const struct sciara_ensemble_reading r = {.file = path, .folder = ".", .diagnostics = &diagnostics};
  for (size_t k = 0; k < 2; k++) {
    const cJSON *value = sciara_json_get(root, names[k]);
    if (value && !sciara_scenario_passes(sciara_scenario_key_find(SCIARA_ENSEMBLE_KEYS, names[k]), value))
      return refuse_json(path, names[k], "what an ensemble file may have");
  }
  sciara_result_read(&r, sciara_json_get(root, "result"), sciara_json_get(root, "stop"), &out->result, &out->stop);
  return sciara_diagnostics_end(&diagnostics);
}

static const char *text_of(const cJSON *object, const char *key) {
  const cJSON *value = sciara_json_get(object, key);
  return cJSON_IsString(value) ? value->valuestring : "";
}

static enum sciara_status read_left(const char *path, const cJSON *item, struct sciara_ensemble_left *out) {
  int kind = SCIARA_POI_KINDS - 1, where = SCIARA_POI_WHERES - 1;
  while (kind >= 0 && strcmp(text_of(item, "kind"), sciara_poi_kind_name((enum sciara_poi_kind)kind)) != 0) kind--;
  while (where > SCIARA_POI_ON_LAND &&
         strcmp(text_of(item, "state"), sciara_poi_where_name((enum sciara_poi_where)where)) != 0)
    where--;
  if (kind < 0 || where <= SCIARA_POI_ON_LAND || !*text_of(item, "reason"))
    return refuse_json(path, SCIARA_ENSEMBLE_LEFT_OUT, "objects with name, kind, state and reason");
  out->kind = (enum sciara_poi_kind)kind;
  out->where = (enum sciara_poi_where)where;
  SCIARA_TRY(get_name(path, SCIARA_ENSEMBLE_LEFT_OUT, item, &out->name));
  return sciara_copy(text_of(item, "reason"), "an ensemble", &out->reason);
}

/** The places of files that are no sites; plans of earlier versions do not have them. */
static enum sciara_status read_left_out(const char *path, const cJSON *root, struct sciara_ensemble_result *out) {
  const cJSON *list = sciara_json_get(root, SCIARA_ENSEMBLE_LEFT_OUT), *item;
  SCIARA_TRY(SCIARA_NEW(out->left, (size_t)cJSON_GetArraySize(list), "places"));
  cJSON_ArrayForEach(item, list) SCIARA_TRY(read_left(path, item, &out->left[out->left_count++]));
  return SCIARA_OK;
}

static enum sciara_status read_tree(const char *path, const cJSON *root, struct sciara_ensemble *out,
                                    struct sciara_ensemble_rows *rows) {
  const cJSON *format = sciara_json_get(root, "format"), *title = sciara_json_get(root, "title"),
              *base = sciara_json_get(root, "base");
  size_t version = 0;
  if (!cJSON_IsString(format) || strcmp(format->valuestring, FORMAT) != 0)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: expected the file of a planned ensemble, found another JSON file", path);
  if (!get_whole(root, "version", 1, VERSION, &version))
    return sciara_fail(SCIARA_ERR_INPUT, "%s: version: expected %d, found one that this program does not know", path,
                       VERSION);
  if (!get_hash(root, "hash", &out->hash) || !get_hash(root, "site_hash", &out->site_hash))
    return refuse_json(path, "hash and site_hash", "16 hexadecimal digits");
  if (sciara_json_get(root, "initial_hash") && !get_hash(root, "initial_hash", &out->initial_hash))
    return refuse_json(path, "initial_hash", "16 hexadecimal digits");
  rows->has_lists = sciara_json_get(root, "lists_hash") != NULL;
  if (rows->has_lists && !get_hash(root, "lists_hash", &rows->lists))
    return refuse_json(path, "lists_hash", "16 hexadecimal digits");
  if (!get_whole(root, "batch_size", 1, SCIARA_BATCH_LARGEST, &out->batch_size))
    return refuse_json(path, "batch_size", "a whole number, 1 to 256");
  size_t edition = 1;
  if (sciara_json_get(root, "rule_edition") && !get_whole(root, "rule_edition", 1, 1000, &edition))
    return refuse_json(path, "rule_edition", "a whole number, 1 or more");
  out->rule_edition = (int64_t)edition;
  if (sciara_json_get(root, "time_zero_s") && !get_finite(root, "time_zero_s", &out->time_zero_s))
    return refuse_json(path, "time_zero_s", "a time, 0 or more");
  if (cJSON_IsString(title)) out->title = sciara_format("%s", title->valuestring);
  SCIARA_TRY(read_sample(path, root, out));
  SCIARA_TRY(cJSON_IsObject(base) ? sciara_json_text(base, &out->base) : refuse_json(path, "base", "a scenario"));
  SCIARA_TRY(declared_read(path, root, &out->declared));
  SCIARA_TRY(read_lists(path, root, out));
  SCIARA_TRY(read_result(path, root, out));
  SCIARA_TRY(read_left_out(path, root, &out->result));
  SCIARA_TRY(read_columns(path, root, rows));
  return read_json_rows(path, root, rows);
}

enum sciara_status sciara_ensemble_json_read(const char *folder, struct sciara_ensemble *out,
                                             struct sciara_ensemble_rows *rows) {
  cJSON *root = NULL;
  char *path;
  *out = (struct sciara_ensemble){0};
  *rows = (struct sciara_ensemble_rows){0};
  SCIARA_TRY(sciara_path_in(folder, SCIARA_ENSEMBLE_JSON, &path));
  out->folder = sciara_format("%s", folder);
  enum sciara_status status = out->folder ? sciara_json_read(path, &root) : sciara_no_memory("an ensemble");
  if (status == SCIARA_OK) status = read_tree(path, root, out, rows);
  cJSON_Delete(root);
  free(path);
  return status;
}

void sciara_ensemble_rows_free(struct sciara_ensemble_rows *rows) {
  sciara_free(rows->id);
  sciara_free(rows->hash);
  *rows = (struct sciara_ensemble_rows){0};
}

enum { MOST_NAMED = 20 };

/** Adds ", id 7 (changed)" for one of the first rows that differ. */
static void name_row(struct sciara_text *list, size_t *count, int64_t id, const char *how) {
  if ((*count)++ < MOST_NAMED) sciara_text_append(list, "%sid %" PRId64 "%s", list->length ? ", " : "", id, how);
}

enum sciara_status sciara_ensemble_rows_check(const char *name, const struct sciara_ensemble_rows *planned,
                                              const struct sciara_members *m) {
  struct sciara_text list = {0};
  size_t i = 0, k = 0, count = 0;
  while (i < m->count || k < planned->count) {
    if (k == planned->count || (i < m->count && m->id[i] < planned->id[k])) {
      name_row(&list, &count, m->id[i++], " (new)");
    } else if (i == m->count || planned->id[k] < m->id[i]) {
      name_row(&list, &count, planned->id[k++], " (missing)");
    } else {
      if (m->hash[i] != planned->hash[k]) name_row(&list, &count, m->id[i], "");
      i++, k++;
    }
  }
  if (count > 0)
    sciara_fail(SCIARA_ERR_INPUT, "%s: expected the table as it was planned, found %zu %s: %s%s", name, count,
                sciara_plural(count, "row that differs", "rows that differ"), list.data ? list.data : "",
                count > MOST_NAMED ? ", ..." : "");
  sciara_text_free(&list);
  return count > 0 ? SCIARA_ERR_INPUT : SCIARA_OK;
}

enum sciara_status sciara_ensemble_columns_check(const char *name, const struct sciara_ensemble_rows *planned,
                                                 const struct sciara_members *m) {
  uint64_t hash[SCIARA_ENSEMBLE_COLUMNS];
  sciara_ensemble_columns_hash(m, hash);
  for (size_t k = 0; k < planned->columns; k++)
    if (hash[k] != planned->column[k])
      return sciara_fail(SCIARA_ERR_INPUT,
                         "%s: expected the table as it was planned, found other values in the column \"%s\"; if you "
                         "remove the table, 'sciara ensemble plan' with the same file and folder writes it again",
                         name, column_name(k));
  return SCIARA_OK;
}

/** SCIARA_ERR_INPUT if a column of members.csv names an item that a list of ensemble.json does not have; -1: none. */
static enum sciara_status check_items(const struct sciara_ensemble *e, const char *list, const int64_t *item,
                                      size_t count) {
  for (size_t i = 0; i < e->members.count; i++)
    if (item[i] < -1 || item[i] >= (int64_t)count)
      return sciara_fail(SCIARA_ERR_INPUT,
                         "%s/%s: %s: expected the list to which members.csv refers, found %zu %s, but %" PRId64
                         " for member %" PRId64 ", counted from 0",
                         e->folder, SCIARA_ENSEMBLE_JSON, list, count, sciara_plural(count, "item", "items"), item[i],
                         e->members.id[i]);
  return SCIARA_OK;
}

enum sciara_status sciara_ensemble_lists_check(const struct sciara_ensemble *e,
                                               const struct sciara_ensemble_rows *planned) {
  if (planned->has_lists && planned->lists != hash_lists(e))
    return sciara_fail(SCIARA_ERR_INPUT,
                       "%s/%s: expected vents, events and sample as they were planned, found changed ones; 'sciara "
                       "ensemble plan' with the same file and folder writes them again",
                       e->folder, SCIARA_ENSEMBLE_JSON);
  if (e->method == SCIARA_SAMPLE_TABLE) return SCIARA_OK; // its columns are of another program
  SCIARA_TRY(check_items(e, "vents", e->members.vent, e->vent_count));
  return check_items(e, "events", e->members.event, e->event_count);
}
