// SPDX-License-Identifier: Apache-2.0
#include "plan/planning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "file/georef.h"
#include "terrain/poi_file.h"

enum { MOST_SITES = 10000 };

/** What is being resolved. */
struct work {
  const struct sciara_ensemble_reading *r;
  const struct sciara_problem *base;
  cJSON *left_out; ///< the places of files that are no sites: name, kind, state, reason
};

/** Replaces, or adds, a key; takes over `value`. */
static enum sciara_status put_place_value(cJSON *object, const char *key, cJSON *value) {
  return sciara_json_replace(object, key, value) ? SCIARA_OK : sciara_no_memory("the places of an ensemble");
}

static enum sciara_status put_points(cJSON *object, const char *key, const struct sciara_point *points, size_t count) {
  cJSON_DeleteItemFromObjectCaseSensitive(object, key);
  return sciara_json_put_points(object, key, points, count) ? SCIARA_OK : sciara_no_memory("the places of an ensemble");
}

// ------------------------------------------------------------------------------------------------------------- degrees

/** An array of points in degrees becomes one of the grid. */
static enum sciara_status place_points(const struct work *w, cJSON *object, const char *key, bool on_grid) {
  const cJSON *array = sciara_json_get(object, key);
  struct sciara_point *points = NULL;
  size_t count = 0;
  if (!array) return SCIARA_OK;
  enum sciara_status status = sciara_json_points(array, &points, &count);
  if (status == SCIARA_OK)
    status = sciara_georef_place(w->base->source->georef.crs_wkt, on_grid ? &w->base->grid : NULL, points, count);
  if (status == SCIARA_OK) status = put_points(object, key, points, count);
  sciara_free(points);
  return status;
}

/** A box in degrees becomes one in the CRS of the DEM. */
static enum sciara_status place_box(const struct work *w, cJSON *object, const char *key) {
  const cJSON *box = sciara_json_get(object, key);
  double side[4], out[4];
  if (!box) return SCIARA_OK;
  for (int k = 0; k < 4; k++) side[k] = cJSON_GetArrayItem(box, k) ? cJSON_GetArrayItem(box, k)->valuedouble : 0;
  SCIARA_TRY(sciara_georef_place_box(w->base->source->georef.crs_wkt, &w->base->grid, side, out));
  for (int k = 0; k < 4; k++) out[k] = round(out[k] * 1e3) / 1e3;
  sciara_log(SCIARA_LOG_INFO, "%s: %s: x %.3f to %.3f, y %.3f to %.3f in the CRS of the DEM", w->r->file, key, out[0],
             out[2], out[1], out[3]);
  return put_place_value(object, key, cJSON_CreateDoubleArray(out, 4));
}

/** A site at lon and lat becomes one at x and y. */
static enum sciara_status place_lonlat(const struct work *w, cJSON *site) {
  struct sciara_point p = {sciara_json_double(site, "lon", 0), sciara_json_double(site, "lat", 0)};
  if (!sciara_json_get(site, "lon")) return SCIARA_OK;
  SCIARA_TRY(sciara_georef_place(w->base->source->georef.crs_wkt, &w->base->grid, &p, 1));
  cJSON_DeleteItemFromObjectCaseSensitive(site, "lon");
  cJSON_DeleteItemFromObjectCaseSensitive(site, "lat");
  SCIARA_TRY(put_place_value(site, "x", cJSON_CreateNumber(p.x)));
  return put_place_value(site, "y", cJSON_CreateNumber(p.y));
}

/** Whether the key "lonlat" says that coordinates are in degrees; removes it. */
static bool take_lonlat(cJSON *object) {
  const bool lonlat = cJSON_IsTrue(sciara_json_get(object, "lonlat"));
  cJSON_DeleteItemFromObjectCaseSensitive(object, "lonlat");
  return lonlat;
}

// --------------------------------------------------------------------------------------------------------------- files

static const char *text_of(const cJSON *object, const char *key) {
  const cJSON *value = sciara_json_get(object, key);
  return value ? value->valuestring : NULL;
}

/** The places of the file that an object names. */
static enum sciara_status read_places(const struct work *w, const cJSON *object, struct sciara_pois *out) {
  char *path = NULL;
  SCIARA_TRY(sciara_ensemble_path(w->r, sciara_json_get(object, "file"), &path));
  const struct sciara_pois_request request = {.path = path,
                                              .layer = text_of(object, "layer"),
                                              .name_column = text_of(object, "names"),
                                              .place = text_of(object, "place"),
                                              .crs_wkt = w->base->source->georef.crs_wkt,
                                              .grid = &w->base->grid,
                                              .most = MOST_SITES};
  const enum sciara_status status = sciara_pois_read(&request, out);
  free(path);
  return status;
}

/** The one line or ring of a place becomes an array of points. */
static enum sciara_status take_place(const struct work *w, cJSON *object, enum sciara_poi_kind kind, const char *key) {
  static const char *const keys[] = {"file", "layer", "place"};
  struct sciara_pois pois = {0};
  if (!sciara_json_get(object, "file")) return SCIARA_OK;
  SCIARA_TRY(read_places(w, object, &pois));
  const struct sciara_poi *poi = &pois.poi[0];
  enum sciara_status status = SCIARA_OK;
  if (pois.count > 1)
    status = sciara_fail(SCIARA_ERR_INPUT, "place \"%.60s\": expected one feature of this name, found %zu", poi->name,
                         pois.count);
  else if (poi->kind != kind || poi->point_count == 0 || sciara_poi_parts(poi) != 1)
    status = sciara_fail(SCIARA_ERR_INPUT, "place \"%.60s\": expected a %s of one part, found a %s of %zu", poi->name,
                         sciara_poi_kind_name(kind), sciara_poi_kind_name(poi->kind),
                         poi->point_count ? sciara_poi_parts(poi) : 0);
  const bool closed = kind == SCIARA_POI_ZONE && poi->point_count > 1 &&
                      poi->points[0].x == poi->points[poi->point_count - 1].x &&
                      poi->points[0].y == poi->points[poi->point_count - 1].y;
  if (status == SCIARA_OK) status = put_points(object, key, poi->points, poi->point_count - closed);
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) cJSON_DeleteItemFromObjectCaseSensitive(object, keys[k]);
  sciara_pois_free(&pois);
  return status;
}

/** A place as a site. */
static enum sciara_status make_site(const struct sciara_poi *poi, cJSON *site) {
  static const char *const keys[SCIARA_POI_KINDS] = {"points", "line", "polygon"};
  SCIARA_TRY(put_place_value(site, "name", cJSON_CreateString(poi->name)));
  if (poi->kind == SCIARA_POI_POINT && poi->point_count == 1) {
    SCIARA_TRY(put_place_value(site, "x", cJSON_CreateNumber(poi->points[0].x)));
    return put_place_value(site, "y", cJSON_CreateNumber(poi->points[0].y));
  }
  if (poi->point_count > SCIARA_KEY_MAX_POINTS)
    return sciara_fail(SCIARA_ERR_INPUT, "site \"%.60s\": expected at most %d points, found %zu", poi->name,
                       SCIARA_KEY_MAX_POINTS, poi->point_count);
  SCIARA_TRY(put_points(site, keys[poi->kind], poi->points, poi->point_count));
  if (poi->kind == SCIARA_POI_POINT || sciara_poi_parts(poi) == 1) return SCIARA_OK;
  cJSON *ends = cJSON_CreateArray();
  for (size_t k = 0; ends && k < poi->parts; k++)
    if (!cJSON_AddItemToArray(ends, cJSON_CreateNumber((double)poi->ends[k]))) {
      cJSON_Delete(ends);
      return sciara_no_memory("the places of an ensemble");
    }
  return put_place_value(site, "ends", ends);
}

/** Says which places of a file are left out, and why. @param why of each place */
static enum sciara_status tell_left(const struct work *w, const cJSON *site, const struct sciara_pois *pois,
                                    const enum sciara_poi_where *why) {
  const struct sciara_dem_window *window = &w->base->site->origin.window;
  enum sciara_status status = SCIARA_OK;
  bool *left;
  SCIARA_TRY(SCIARA_NEW(left, pois->count + 1, "places"));
  for (int of = SCIARA_POI_ON_LAND + 1; of < SCIARA_POI_WHERES; of++) {
    struct sciara_text names = {0};
    char text[SCIARA_DEM_WINDOW_TEXT];
    size_t count = 0;
    for (size_t k = 0; k < pois->count; k++) count += left[k] = why[k] == (enum sciara_poi_where)of;
    if (count == 0) continue;
    SCIARA_TRY_GOTO(sciara_pois_append_names(pois, left, SCIARA_POIS_NAMED, &names));
    sciara_log(SCIARA_LOG_WARNING, "%s: %s: %zu of its %zu places %s left out, %s: %s", w->r->file,
               text_of(site, "file"), count, pois->count, sciara_plural(count, "is", "are"),
               sciara_poi_where_text((enum sciara_poi_where)of, window, text), names.data);
    sciara_text_free(&names);
  }
cleanup:
  sciara_free(left);
  return status;
}

/** Notes a place that is left out, for the tables of the results. */
static enum sciara_status note_left(const struct work *w, const struct sciara_poi *poi, enum sciara_poi_where why,
                                    cJSON *list) {
  char text[SCIARA_POI_REASON];
  cJSON *one = sciara_json_push(list);
  if (!one) return sciara_no_memory("the places of an ensemble");
  SCIARA_TRY(put_place_value(one, "name", cJSON_CreateString(poi->name)));
  SCIARA_TRY(put_place_value(one, "kind", cJSON_CreateString(sciara_poi_kind_name(poi->kind))));
  SCIARA_TRY(put_place_value(one, "state", cJSON_CreateString(sciara_poi_where_name(why))));
  const char *reason = sciara_poi_where_reason(poi, why, &w->base->site->origin.window, text);
  return put_place_value(one, "reason", cJSON_CreateString(reason));
}

/** Whether a place has cells on the DEM: ON_LAND, whatever they are; else why it has none. */
static enum sciara_status find_left(const struct work *w, const struct sciara_poi *poi, bool elsewhere,
                                    enum sciara_poi_where *why) {
  struct sciara_poi_cells cells;
  SCIARA_TRY(sciara_poi_cells_make(poi, &w->base->grid, &cells));
  const bool empty = !elsewhere && !(cells.size.all > 0);
  *why = cells.count > 0 ? SCIARA_POI_ON_LAND : empty ? SCIARA_POI_EMPTY : SCIARA_POI_OUTSIDE;
  *why = sciara_poi_where_of(poi, *why, &w->base->site->origin.window);
  sciara_poi_cells_free(&cells);
  return SCIARA_OK;
}

/** Adds the places of a file to the sites; what has no geometry, or lies too far away, is left out. */
static enum sciara_status add_places(const struct work *w, const cJSON *site, cJSON *sites) {
  struct sciara_pois pois = {0};
  size_t count = 0;
  enum sciara_poi_where *why = NULL;
  enum sciara_status status = read_places(w, site, &pois);
  if (status == SCIARA_OK) status = SCIARA_NEW(why, pois.count + 1, "places");
  for (size_t k = 0; k < pois.count && status == SCIARA_OK; k++) {
    status = find_left(w, &pois.poi[k], pois.elsewhere[k], &why[k]);
    if (status != SCIARA_OK) break;
    const bool left = why[k] != SCIARA_POI_ON_LAND;
    count += left;
    if (left) status = note_left(w, &pois.poi[k], why[k], w->left_out);
    if (left) continue;
    cJSON *one = sciara_json_push(sites);
    if (!one) status = sciara_no_memory("the places of an ensemble");
    if (status == SCIARA_OK) status = make_site(&pois.poi[k], one);
    if (status == SCIARA_OK && cJSON_GetArraySize(sites) > MOST_SITES)
      status = sciara_fail(SCIARA_ERR_INPUT, "expected at most %d sites in all, found more", MOST_SITES);
  }
  if (status == SCIARA_OK) status = tell_left(w, site, &pois, why);
  if (status == SCIARA_OK && count == pois.count)
    status = sciara_fail(SCIARA_ERR_INPUT, "expected places on the DEM, found none");
  sciara_free(why);
  sciara_pois_free(&pois);
  return status;
}

// --------------------------------------------------------------------------------------------------------------- parts

static enum sciara_status resolve_site(const struct work *w, cJSON *site, cJSON *sites) {
  if (sciara_json_get(site, "file")) return add_places(w, site, sites);
  if (!sciara_json_get(site, "name"))
    return sciara_fail(SCIARA_ERR_INPUT,
                       "name: expected a text that is not empty, found nothing (the key is required)");
  SCIARA_TRY(place_lonlat(w, site));
  const bool lonlat = take_lonlat(site);
  if (lonlat) SCIARA_TRY(place_points(w, site, "points", false));
  if (lonlat) SCIARA_TRY(place_points(w, site, "line", false));
  if (lonlat) SCIARA_TRY(place_points(w, site, "polygon", false));
  return sciara_json_put(sites, NULL, cJSON_Duplicate(site, true)) ? SCIARA_OK
                                                                   : sciara_no_memory("the places of an ensemble");
}

static void resolve_sites(const struct work *w, cJSON *result) {
  cJSON *old = cJSON_GetObjectItemCaseSensitive(result, "sites"), *sites = cJSON_CreateArray(), *site;
  size_t k = 0;
  if (!old || !sites) {
    cJSON_Delete(sites);
    return;
  }
  cJSON_ArrayForEach(site, old) {
    const enum sciara_status status = resolve_site(w, site, sites);
    sciara_diagnostics_add(w->r->diagnostics, sciara_fail_context(status, "%s: result.sites[%zu]", w->r->file, k));
    k++;
  }
  sciara_diagnostics_add(w->r->diagnostics, put_place_value(result, "sites", sites));
}

/** A polygon, extent or line of an object, which is removed from its parent if it cannot be read. */
static bool resolve_object(const struct work *w, cJSON *object, enum sciara_poi_kind kind, const char *key,
                           const char *name, size_t index) {
  enum sciara_status status = take_place(w, object, kind, key);
  if (status == SCIARA_OK && take_lonlat(object)) {
    status = place_points(w, object, key, true);
    if (status == SCIARA_OK) status = place_box(w, object, "extent");
  }
  if (status == SCIARA_OK) return true;
  status = index == SCIARA_NO_INDEX ? sciara_fail_context(status, "%s: %s", w->r->file, name)
                                    : sciara_fail_context(status, "%s: %s[%zu]", w->r->file, name, index);
  sciara_diagnostics_add(w->r->diagnostics, status);
  return false;
}

void sciara_plan_places_resolve(const struct sciara_ensemble_reading *r, const struct sciara_problem *base,
                                cJSON *root) {
  struct work w = {.r = r, .base = base};
  cJSON *vents = cJSON_GetObjectItemCaseSensitive(root, "vents"),
        *result = cJSON_GetObjectItemCaseSensitive(root, "result");
  cJSON *grid = cJSON_GetObjectItemCaseSensitive(vents, "grid"),
        *line = cJSON_GetObjectItemCaseSensitive(vents, "line");
  cJSON *rates = cJSON_GetObjectItemCaseSensitive(result, "eruptions_per_year"), *rate;
  bool good = true;
  size_t k = 0;
  if (!base->site) return;
  if (grid) good = resolve_object(&w, grid, SCIARA_POI_ZONE, "polygon", "vents.grid", SCIARA_NO_INDEX);
  if (line) good = resolve_object(&w, line, SCIARA_POI_LINE, "coordinates", "vents.line", SCIARA_NO_INDEX) && good;
  if (!good) cJSON_DeleteItemFromObjectCaseSensitive(root, "vents");
  cJSON_ArrayForEach(rate, rates)
      resolve_object(&w, rate, SCIARA_POI_ZONE, "polygon", "result.eruptions_per_year", k++);
  w.left_out = result ? cJSON_AddArrayToObject(root, SCIARA_ENSEMBLE_LEFT_OUT) : NULL;
  if (w.left_out) resolve_sites(&w, result);
}
