// SPDX-License-Identifier: Apache-2.0
#include "sim/vent_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "scenario/scenario_keys.h"
#include "terrain/poi_file.h"

static const char degrees[] = "EPSG:4326";

static enum sciara_status no_memory(void) { return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a scenario"); }

/** The feature of the vent, a point or a line. */
static enum sciara_status read_feature(struct sciara_vent_spec *v, const struct sciara_vent_files *with) {
  const struct sciara_pois_request request = {.path = v->file,
                                              .layer = v->layer,
                                              .place = v->feature,
                                              .crs_wkt = with->grid ? with->crs_wkt : degrees,
                                              .grid = with->grid,
                                              .extra_drivers = with->extra_drivers,
                                              .extra_driver_count = with->extra_driver_count};
  struct sciara_pois pois = {0};
  SCIARA_TRY(sciara_pois_read(&request, &pois));
  struct sciara_poi *poi = &pois.poi[0];
  const bool line = poi->kind == SCIARA_POI_LINE;
  const size_t parts = poi->point_count ? sciara_poi_parts(poi) : 0;
  enum sciara_status status = SCIARA_OK;
  if (parts != 1 || (line ? poi->point_count < 2 : poi->kind != SCIARA_POI_POINT || poi->point_count != 1)) {
    status = sciara_fail(SCIARA_ERR_INPUT,
                         "%s: place \"%.60s\": expected a point or a line of one part, found a %s of %zu %s", v->file,
                         poi->name, sciara_poi_kind_name(poi->kind), parts, sciara_plural(parts, "part", "parts"));
  } else {
    v->points = poi->points; // it is the vent's now
    v->point_count = poi->point_count;
    poi->points = NULL;
    v->lonlat = line && !with->grid;
    v->place = line ? SCIARA_VENT_LINE : with->grid ? SCIARA_VENT_XY : SCIARA_VENT_LONLAT;
  }
  sciara_pois_free(&pois);
  free(v->file);
  v->file = NULL;
  return status;
}

static bool put(cJSON *vent, const char *key, cJSON *value) {
  cJSON_DeleteItemFromObjectCaseSensitive(vent, key);
  if (value && cJSON_AddItemToObject(vent, key, value)) return true;
  cJSON_Delete(value);
  return false;
}

static cJSON *line_of(const struct sciara_vent_spec *v) {
  cJSON *line = cJSON_CreateArray();
  for (size_t k = 0; k < v->point_count; k++) {
    cJSON *pair = cJSON_CreateDoubleArray((const double[]){v->points[k].x, v->points[k].y}, 2);
    if (line && pair && cJSON_AddItemToArray(line, pair)) continue;
    cJSON_Delete(pair);
    cJSON_Delete(line);
    return NULL;
  }
  return line;
}

/** The same in the text of the scenario. */
static bool put_place(cJSON *vent, const struct sciara_vent_spec *v) {
  static const char *const of_file[] = {"file", "layer", "place", "lonlat"};
  for (size_t k = 0; k < sizeof of_file / sizeof *of_file; k++)
    cJSON_DeleteItemFromObjectCaseSensitive(vent, of_file[k]);
  if (!put(vent, "name", cJSON_CreateString(v->name))) return false;
  if (v->place == SCIARA_VENT_LINE)
    return put(vent, "line", line_of(v)) && (!v->lonlat || put(vent, "lonlat", cJSON_CreateTrue()));
  const bool is_lonlat = v->place == SCIARA_VENT_LONLAT;
  return put(vent, is_lonlat ? "lon" : "x", cJSON_CreateNumber(v->points[0].x)) &&
         put(vent, is_lonlat ? "lat" : "y", cJSON_CreateNumber(v->points[0].y));
}

static enum sciara_status place_vent(struct sciara_vent_spec *v, const struct sciara_vent_files *with, size_t index,
                                     cJSON *vent) {
  if (v->file) {
    SCIARA_TRY(read_feature(v, with));
    if (vent) SCIARA_TRY(sciara_vent_area_check(vent, v->place, index));
  }
  if (v->lonlat && with->grid) {
    SCIARA_TRY(sciara_georef_place(with->crs_wkt, with->grid, v->points, v->point_count));
    v->lonlat = false;
  }
  return !vent || put_place(vent, v) ? SCIARA_OK : no_memory();
}

static bool is_to_do(const struct sciara_vent_spec *v, const struct sciara_vent_files *with) {
  return v->file || (v->lonlat && with->grid && v->point_count > 0);
}

enum sciara_status sciara_scenario_place_vents(struct sciara_scenario_spec *s, const struct sciara_vent_files *with) {
  cJSON *root = NULL;
  struct sciara_text text = {0};
  enum sciara_status status = SCIARA_OK;
  size_t first = 0;
  while (first < s->vent_count && !is_to_do(&s->vents[first], with)) first++;
  if (first == s->vent_count) return SCIARA_OK;
  if (s->json)
    SCIARA_TRY(sciara_json_parse(s->path, s->json, strlen(s->json), &root)); // a member of a base has no text
  for (size_t k = first; k < s->vent_count && status == SCIARA_OK; k++) {
    if (!is_to_do(&s->vents[k], with)) continue;
    cJSON *vent = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(root, "vents"), (int)k);
    status = place_vent(&s->vents[k], with, k, vent);
    if (status != SCIARA_OK) status = sciara_fail_context(status, "%s: vents[%zu] (%s)", s->path, k, s->vents[k].name);
  }
  if (status == SCIARA_OK && root) status = sciara_json_print(root, &text);
  cJSON_Delete(root);
  if (status != SCIARA_OK || !text.data) {
    sciara_text_free(&text);
    return status;
  }
  free(s->json);
  s->json = text.data;
  return SCIARA_OK;
}
