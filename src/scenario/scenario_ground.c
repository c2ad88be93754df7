// SPDX-License-Identifier: Apache-2.0
// The keys dem.nodata, dem.sea, dem.edits and dem.error of a checked scenario.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "scenario/scenario_keys.h"

static const cJSON *get_ground_item(const cJSON *object, const char *name) {
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, name);
  return cJSON_IsNull(value) ? NULL : value;
}

static enum sciara_status take_sea(const cJSON *value, const char *folder, struct sciara_sea *out) {
  if (!value) return SCIARA_OK;
  if (cJSON_IsNumber(value)) {
    *out = (struct sciara_sea){.rule = SCIARA_SEA_LEVEL, .level = value->valuedouble};
    return SCIARA_OK;
  }
  out->rule = strcmp(value->valuestring, "nodata") == 0 ? SCIARA_SEA_NODATA : SCIARA_SEA_FILE;
  return out->rule == SCIARA_SEA_FILE ? sciara_scenario_copy(value, folder, &out->path) : SCIARA_OK;
}

static enum sciara_status take_points(const cJSON *array, struct sciara_edit *edit) {
  const size_t count = (size_t)cJSON_GetArraySize(array);
  const cJSON *point;
  if (!array) return SCIARA_OK;
  if (edit->closed && count < 3)
    return sciara_fail(SCIARA_ERR_INPUT, "polygon: expected at least 3 points, found %zu", count);
  SCIARA_TRY(SCIARA_NEW(edit->points, count, "the points of an edit"));
  cJSON_ArrayForEach(point, array) {
    edit->points[edit->point_count++] =
        (struct sciara_point){point->child->valuedouble, point->child->next->valuedouble};
  }
  return SCIARA_OK;
}

/** Rejects values that the form of an edit does not have. */
static enum sciara_status check_values(const struct sciara_edit *e) {
  enum sciara_edit_value what;
  if (e->path || e->raster) return SCIARA_OK; // its features decide, or its cells
  SCIARA_TRY(sciara_edit_choose(e->value, e->closed, &what));
  for (int k = 0; k < SCIARA_EDIT_VALUES; k++)
    if (!isnan(e->value[k]) && (k >= SCIARA_EDIT_RAISE) != e->closed)
      return sciara_fail(SCIARA_ERR_INPUT, "expected %s for a %s, found %s",
                         e->closed ? "raise_m or level_m" : "width_m and one of height_m, crest_m, depth_m",
                         e->closed ? "polygon" : "line", sciara_edit_value_name((enum sciara_edit_value)k));
  return SCIARA_OK;
}

static enum sciara_status take_edit(const cJSON *item, const char *folder, size_t index, struct sciara_edit *out) {
  const cJSON *polygon = get_ground_item(item, "polygon");
  out->closed = polygon != NULL;
  for (int k = 0; k < SCIARA_EDIT_VALUES; k++) {
    const cJSON *value = get_ground_item(item, sciara_edit_value_name((enum sciara_edit_value)k));
    out->value[k] = value ? value->valuedouble : (double)NAN;
  }
  SCIARA_TRY(sciara_scenario_copy(get_ground_item(item, "name"), NULL, &out->name));
  if (!out->name) out->name = sciara_format("edit %zu", index + 1);
  if (!out->name) return sciara_scenario_no_memory();
  SCIARA_TRY(sciara_scenario_copy(get_ground_item(item, "layer"), NULL, &out->layer));
  SCIARA_TRY(sciara_scenario_copy(get_ground_item(item, "place"), NULL, &out->place));
  out->lonlat = cJSON_IsTrue(get_ground_item(item, "lonlat"));
  SCIARA_TRY(sciara_scenario_copy(get_ground_item(item, "file"), folder, &out->path));
  SCIARA_TRY(sciara_scenario_copy(get_ground_item(item, "dem"), folder, &out->raster));
  const cJSON *from = get_ground_item(item, "from");
  if (from) out->from_s = sciara_scenario_seconds(from);
  SCIARA_TRY(take_points(polygon ? polygon : get_ground_item(item, "line"), out));
  return check_values(out);
}

/** The edits in one line, with absolute paths: scenarios in other folders may use it. */
static enum sciara_status print_edits(const cJSON *edits, struct sciara_scenario_spec *s) {
  struct sciara_text text = {0};
  cJSON *copy = cJSON_Duplicate(edits, true), *item;
  enum sciara_status status = copy ? SCIARA_OK : sciara_scenario_no_memory();
  size_t k = 0;
  cJSON_ArrayForEach(item, copy) {
    const struct sciara_edit *edit = &s->dem.edits[k++];
    const char *path = edit->raster ? edit->raster : edit->path, *name = edit->raster ? "dem" : "file";
    char *real = path ? realpath(path, NULL) : NULL;
    if (path && !cJSON_ReplaceItemInObjectCaseSensitive(item, name, cJSON_CreateString(real ? real : path)))
      status = sciara_scenario_no_memory();
    free(real);
  }
  if (status == SCIARA_OK) status = sciara_json_print(copy, &text);
  for (char *c = text.data; c && *c; c++)
    if (*c == '\n') *c = ' ';
  cJSON_Delete(copy);
  s->dem.edits_json = text.data;
  return status;
}

/** The edits are listed in the order of their times. */
static enum sciara_status check_order(const struct sciara_scenario_spec *s, size_t k) {
  const struct sciara_edit *edit = &s->dem.edits[k];
  if (k == 0 || edit->from_s >= edit[-1].from_s) return SCIARA_OK;
  return sciara_fail(
      SCIARA_ERR_INPUT,
      "from: expected %.10g s, the time of the edit before it, or later: edits are listed in the order of "
      "their times; found %.10g s%s",
      edit[-1].from_s, edit->from_s, edit->from_s > 0 ? "" : " (before the run)");
}

static enum sciara_status take_edits(const cJSON *edits, const char *folder, struct sciara_scenario_spec *s,
                                     struct sciara_diagnostics *diagnostics) {
  const size_t before = diagnostics->count;
  const cJSON *item;
  if (!edits || cJSON_GetArraySize(edits) == 0) return SCIARA_OK;
  SCIARA_TRY(SCIARA_NEW(s->dem.edits, cJSON_GetArraySize(edits), "the edits of the ground"));
  cJSON_ArrayForEach(item, edits) {
    const size_t k = s->dem.edit_count++;
    enum sciara_status status = take_edit(item, folder, k, &s->dem.edits[k]);
    if (status == SCIARA_OK) status = check_order(s, k);
    if (status != SCIARA_OK)
      sciara_diagnostics_add(diagnostics, sciara_fail_context(status, "%s: dem.edits[%zu]", s->path, k));
  }
  return diagnostics->count == before ? print_edits(edits, s) : SCIARA_OK;
}

static void take_error(const cJSON *error, struct sciara_ground_error *out) {
  const cJSON *sd = get_ground_item(error, "sd_m"), *length = get_ground_item(error, "correlation_m"),
              *seed = get_ground_item(error, "seed");
  if (!sd || !length) return; // not given, or reported
  *out = (struct sciara_ground_error){
      .sd_m = sd->valuedouble, .correlation_m = length->valuedouble, .seed = seed ? (uint64_t)seed->valuedouble : 1};
}

void sciara_scenario_ground(const char *folder, const cJSON *root, struct sciara_scenario_spec *out,
                            struct sciara_diagnostics *diagnostics) {
  const cJSON *dem = get_ground_item(root, "dem"), *nodata = get_ground_item(dem, "nodata");
  out->dem.has_nodata = nodata != NULL;
  out->dem.nodata = nodata ? nodata->valuedouble : 0;
  take_error(get_ground_item(dem, "error"), &out->dem.error);
  sciara_diagnostics_add(diagnostics, take_sea(get_ground_item(dem, "sea"), folder, &out->dem.sea));
  sciara_diagnostics_add(diagnostics, take_edits(get_ground_item(dem, "edits"), folder, out, diagnostics));
}
