// SPDX-License-Identifier: Apache-2.0
// What a plan says of its base beyond what members are computed from: the file of the DEM, the edits of the ground, and the
// ranges of what varies.
#include "ensemble/ensemble.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "ensemble/ensemble_json.h"

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

void sciara_declared_free(struct sciara_declared *d) {
  for (size_t k = 0; k < d->edit_count; k++) sciara_edit_free(&d->edits[k]);
  for (size_t k = 0; k < d->range_count; k++) free(d->range[k].key);
  free(d->dem);
  sciara_free(d->edits);
  sciara_free(d->range);
  *d = (struct sciara_declared){0};
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

bool sciara_declared_put(cJSON *root, const struct sciara_declared *d) {
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

enum sciara_status sciara_declared_read(const char *path, const cJSON *root, struct sciara_declared *out) {
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
