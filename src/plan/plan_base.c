// SPDX-License-Identifier: Apache-2.0
#include "plan/planning.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ensemble/members.h"
#include "scenario/scenario_keys.h"
#include "setup/scenario_site.h"

/** Replaces, or adds, a key; takes over `value`. */
static enum sciara_status put_base_value(cJSON *object, const char *name, cJSON *value) {
  return sciara_json_replace(object, name, value) ? SCIARA_OK : sciara_no_memory("a scenario");
}

static enum sciara_status put_json(cJSON *object, const char *name, const char *text) {
  cJSON *value = NULL;
  SCIARA_TRY(sciara_json_parse(name, text, strlen(text), &value));
  return put_base_value(object, name, value);
}

/** The edits at simulated times, which dem.tif does not have. */
static enum sciara_status put_edits(const struct sciara_scenario_spec *s, cJSON *dem) {
  cJSON *all = NULL, *dated = cJSON_CreateArray();
  if (!s->dem.edits_json || !dated) {
    cJSON_Delete(dated);
    return s->dem.edits_json ? sciara_no_memory("a scenario") : SCIARA_OK;
  }
  enum sciara_status status = sciara_json_parse("dem.edits", s->dem.edits_json, strlen(s->dem.edits_json), &all);
  for (size_t k = 0; k < s->dem.edit_count && status == SCIARA_OK; k++) {
    cJSON *item = cJSON_DetachItemFromArray(all, 0);
    const bool kept = s->dem.edits[k].from_s > 0;
    if (kept && !cJSON_HasObjectItem(item, "name") && !cJSON_AddStringToObject(item, "name", s->dem.edits[k].name))
      status = sciara_no_memory("a scenario");
    if (kept)
      cJSON_AddItemToArray(dated, item);
    else
      cJSON_Delete(item);
  }
  cJSON_Delete(all);
  if (status == SCIARA_OK && cJSON_GetArraySize(dated) > 0) return put_base_value(dem, "edits", dated);
  cJSON_Delete(dated);
  return status;
}

/** The key "dem" of members: the site as it is, and the sea again where the file does not have it. */
static enum sciara_status put_dem(const struct sciara_problem *base, const char *path, cJSON *root) {
  const cJSON *old = sciara_json_get(root, "dem"), *sea = sciara_json_get(old, "sea");
  cJSON *dem = cJSON_CreateObject(), *copy = sea ? cJSON_Duplicate(sea, true) : NULL;
  enum sciara_status status =
      dem && cJSON_AddStringToObject(dem, "path", path) ? SCIARA_OK : sciara_no_memory("a scenario");
  const char *crs = base->source->scenario.dem.crs; // "local" is not written in the file
  if (status == SCIARA_OK && crs && strcmp(crs, "local") == 0 && !cJSON_AddStringToObject(dem, "crs", crs))
    status = sciara_no_memory("a scenario");
  if (status == SCIARA_OK && sea && !cJSON_IsNull(sea))
    status = put_base_value(dem, "sea", copy);
  else
    cJSON_Delete(copy);
  if (status == SCIARA_OK) status = put_edits(&base->source->scenario, dem);
  if (status == SCIARA_OK) return put_base_value(root, "dem", dem);
  cJSON_Delete(dem);
  return status;
}

/** The effusion of vent k of the base: with the times of its table, in which its own times are. */
static enum sciara_status put_effusion(const struct sciara_vent_spec *v, cJSON *vent) {
  struct sciara_text text = {0};
  enum sciara_status status = sciara_rates_effusion(v->edges, v->rates, v->rate_count, 1, &text);
  if (status == SCIARA_OK) status = put_json(vent, "effusion", text.data);
  static const char *const in_table[] = {"start", "from", "until"};
  for (size_t k = 0; status == SCIARA_OK && k < sizeof in_table / sizeof *in_table; k++)
    cJSON_DeleteItemFromObjectCaseSensitive(vent, in_table[k]);
  sciara_text_free(&text);
  return status;
}

/** The one vent of the base takes the form of the first vent of the plan. */
static enum sciara_status put_place(const struct sciara_expansion *x, cJSON *vent) {
  static const char *const places[] = {"x", "y", "lon", "lat", "row", "col", "line"};
  const struct sciara_ensemble_vent *v = x->vents.count ? &x->vents.vent[0] : NULL;
  if (!v) return SCIARA_OK;
  for (size_t k = 0; k < sizeof places / sizeof *places; k++) cJSON_DeleteItemFromObjectCaseSensitive(vent, places[k]);
  cJSON_DeleteItemFromObjectCaseSensitive(vent, x->vents.lines ? "radius_m" : "width_m");
  if (!x->vents.lines) {
    SCIARA_TRY(put_base_value(vent, "x", cJSON_CreateNumber(v->points[0].x)));
    return put_base_value(vent, "y", cJSON_CreateNumber(v->points[0].y));
  }
  return sciara_json_put_points(vent, "line", v->points, v->point_count) ? SCIARA_OK : sciara_no_memory("a scenario");
}

/**
 * The key "initial" of members that begin with the state of a checkpoint, which is a file next to the DEM: without observed
 * lava if the base is that checkpoint itself.
 */
static enum sciara_status put_checkpoint(const struct sciara_problem *base, const char *dem, cJSON *root) {
  char checksum[20], *real = dem ? NULL : realpath(base->source->scenario.initial_checkpoint, NULL);
  char *path = dem ? sciara_format("%.*s" SCIARA_ENSEMBLE_CHECKPOINT, (int)(sciara_path_name(dem) - dem), dem)
                   : sciara_format("%s", real ? real : base->source->scenario.initial_checkpoint);
  const cJSON *observed =
      base->source->observed_hash ? sciara_json_get(sciara_json_get(root, "initial"), "observed") : NULL;
  cJSON *initial = cJSON_CreateObject();
  snprintf(checksum, sizeof checksum, "%016" PRIx64, base->source->checkpoint_checksum);
  const bool made = path && initial && cJSON_AddStringToObject(initial, "checkpoint", path) &&
                    cJSON_AddStringToObject(initial, "checksum", checksum) &&
                    (!observed || sciara_json_put(initial, "observed", cJSON_Duplicate(observed, true)));
  free(path);
  free(real);
  if (made) return put_base_value(root, "initial", initial);
  cJSON_Delete(initial);
  return sciara_no_memory("a scenario");
}

/** Whether members change a part of the effusion of vent k, so that it keeps the form that it has in the base. */
static bool is_changed(const struct sciara_members *m, size_t k, const cJSON *vent) {
  static const char *const parts[] = {"rates_m3_s", "slot"};
  char name[64];
  const cJSON *effusion = sciara_json_get(vent, "effusion");
  for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
    snprintf(name, sizeof name, "vents.%zu.effusion.%s", k, parts[p]);
    for (size_t i = 0; i < m->key_count && sciara_json_get(effusion, "slot"); i++)
      if (sciara_member_key_same(m->key[i], name)) return true;
  }
  return false;
}

static enum sciara_status put_vents(const struct sciara_problem *base, const struct sciara_expansion *x,
                                    const struct sciara_members *m, cJSON *root) {
  cJSON *vents = cJSON_GetObjectItemCaseSensitive(root, "vents"), *vent;
  size_t k = 0;
  cJSON_ArrayForEach(vent, vents) {
    const struct sciara_vent_spec *v = &base->source->scenario.vents[k++];
    if (x->event_count == 0) {
      if (!is_changed(m, k - 1, vent)) SCIARA_TRY(put_effusion(v, vent));
    } else { // a member's own; the start of the vent stays
      struct sciara_text text = {0};
      enum sciara_status status =
          sciara_event_effusion(&x->events[0], x->events[0].volume_m3, x->events[0].duration_s, 1, &text);
      if (status == SCIARA_OK) status = put_json(vent, "effusion", text.data);
      if (status == SCIARA_OK && sciara_problem_begins_later(base)) // events begin now
        status = put_base_value(vent, "start", cJSON_CreateNumber(base->state->time));
      sciara_text_free(&text);
      SCIARA_TRY(status);
    }
    SCIARA_TRY(put_place(x, vent));
  }
  return SCIARA_OK;
}

/** The key "dem" of the base, its paths absolute. */
static enum sciara_status put_own_dem(const struct sciara_problem *base, cJSON *root) {
  struct sciara_text text = {0};
  enum sciara_status status = sciara_site_append_dem(base->site, &text);
  if (status == SCIARA_OK) status = put_json(root, "dem", text.data);
  sciara_text_free(&text);
  return status;
}

static enum sciara_status change(const struct sciara_problem *base, const struct sciara_expansion *x,
                                 const struct sciara_members *m, const char *dem, cJSON *root) {
  SCIARA_TRY(sciara_scenario_move(root, base->source->scenario.folder));
  if (base->source->scenario.initial_checkpoint) SCIARA_TRY(put_checkpoint(base, dem, root));
  SCIARA_TRY(dem ? put_dem(base, dem, root) : put_own_dem(base, root));
  cJSON_DeleteItemFromObjectCaseSensitive(root, "$schema");
  cJSON_DeleteItemFromObjectCaseSensitive(root, "output");
  return put_vents(base, x, m, root);
}

enum sciara_status sciara_plan_base_make(const struct sciara_problem *base, const struct sciara_expansion *x,
                                         const struct sciara_members *m, const char *dem, cJSON **out) {
  const struct sciara_scenario_spec *s = &base->source->scenario;
  SCIARA_TRY(sciara_json_parse(s->path, s->json, strlen(s->json), out));
  const enum sciara_status status = change(base, x, m, dem, *out);
  if (status == SCIARA_OK) return SCIARA_OK;
  cJSON_Delete(*out);
  *out = NULL;
  return status;
}
