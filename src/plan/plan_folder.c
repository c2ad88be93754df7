// SPDX-License-Identifier: Apache-2.0
// What a plan writes: the base as members use it, their ground, and the other files of the folder.
#include "plan/planning.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "ensemble/ensemble.h"
#include "ensemble/ensemble_json.h"
#include "ensemble/members.h"
#include "file/durable.h"
#include "run/state_files.h"
#include "scenario/scenario_keys.h"
#include "setup/scenario_site.h"
#include "setup/setup.h"
#include "store/checkpoint_hdf5.h"

// ------------------------------------------------------------------------------------------------------------ the base

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

// ---------------------------------------------------------------------------------------------------------- its ground

/** Compares a site with the one that was written. */
static bool is_same_site(const struct sciara_site *a, const struct sciara_site *b) {
  const size_t cells = (size_t)sciara_grid_cells(&a->grid);
  return a->grid.rows == b->grid.rows && a->grid.cols == b->grid.cols && a->grid.cell_size == b->grid.cell_size &&
         memcmp(a->kind, b->kind, cells) == 0 && memcmp(a->z0, b->z0, cells * sizeof *a->z0) == 0;
}

/** Copies the checkpoint with which members begin. SCIARA_ERR_INPUT if it is no longer the one that was read. */
static enum sciara_status write_checkpoint(const struct sciara_planning *p) {
  enum { MOST = INT32_MAX };
  const char *from = p->base.source->scenario.initial_checkpoint;
  struct sciara_checkpoint copy = {0};
  char *path, *bytes = NULL;
  size_t count = 0;
  if (!from) return SCIARA_OK;
  SCIARA_TRY(sciara_path_in(p->e.folder, SCIARA_ENSEMBLE_CHECKPOINT, &path));
  enum sciara_status status = sciara_file_read(from, MOST, &bytes, &count);
  if (status == SCIARA_OK) status = sciara_file_replace(path, bytes, count);
  free(bytes);
  if (status == SCIARA_OK) status = sciara_checkpoint_verify(path, &copy);
  if (status == SCIARA_OK && copy.checksum != p->base.source->checkpoint_checksum)
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: changed while it was copied to %s: plan again", from, path);
  sciara_checkpoint_free(&copy);
  free(path);
  return status;
}

/** Writes the ground of a site so that a scenario with the key "dem" of sciara_plan_base_make reads the same site. */
static enum sciara_status write_dem(const struct sciara_problem *base, const char *path) {
  const struct sciara_site *site = sciara_site_unchanged(base->site);
  const int64_t cells = sciara_grid_cells(&site->grid);
  double *values;
  if (base->source->scenario.dem.sea.rule != SCIARA_SEA_NODATA) return sciara_ground_write(base, NULL, path);
  SCIARA_TRY(SCIARA_NEW(values, (size_t)cells, "the ground")); // this rule finds the sea where there is no altitude
  for (int64_t i = 0; i < cells; i++)
    values[i] = site->kind[i] == SCIARA_CELL_SEA ? SCIARA_NODATA_ALTITUDE : site->z0[i];
  const enum sciara_status status = sciara_ground_write(base, values, path);
  sciara_free(values);
  return status;
}

/** Writes dem.tif, and finds that members which read it have the site of the base. */
static enum sciara_status write_ground(struct sciara_planning *p) {
  const struct sciara_problem_options options = {0};
  const struct sciara_site *site = NULL;
  struct sciara_scenario_spec scenario = {.alone = true, .notes = &sciara_no_notes}; // said of the base
  struct sciara_diagnostics diagnostics = {0};
  cJSON *root = NULL;
  char *path, *real = NULL;
  SCIARA_TRY(sciara_path_in(p->e.folder, SCIARA_ENSEMBLE_DEM, &path));
  enum sciara_status status = write_dem(&p->base, path);
  if (status == SCIARA_OK && !(real = realpath(path, NULL))) status = sciara_no_memory("an ensemble");
  if (status == SCIARA_OK) status = sciara_plan_base_make(&p->base, &p->x, &p->e.members, real, &root);
  if (status == SCIARA_OK) sciara_scenario_take(path, root, NULL, &scenario, &diagnostics);
  if (status == SCIARA_OK) status = sciara_diagnostics_status(&diagnostics);
  if (status == SCIARA_OK) status = sciara_scenario_site_read(&scenario, &options, &site);
  if (status == SCIARA_OK && !is_same_site(sciara_site_unchanged(p->base.site), site))
    status = sciara_fail(SCIARA_ERR_INTERNAL, "%s: expected the ground of the base, found another after writing", path);
  if (status == SCIARA_OK) p->e.site_hash = site->origin.hash;
  sciara_site_release(site);
  sciara_scenario_free(&scenario);
  sciara_diagnostics_free(&diagnostics);
  cJSON_Delete(root);
  free(path);
  free(real);
  return status == SCIARA_OK ? write_checkpoint(p) : status;
}

// ---------------------------------------------------------------------------------------------------------- the folder

/** Whether a table has the columns that this plan writes: an earlier attempt may have ended before ensemble.json. */
static bool has_columns_of(const struct sciara_planning *p, const struct sciara_members *m) {
  uint64_t mine[SCIARA_ENSEMBLE_COLUMNS], found[SCIARA_ENSEMBLE_COLUMNS];
  sciara_ensemble_columns_hash(&p->e.members, mine);
  sciara_ensemble_columns_hash(m, found);
  return memcmp(mine, found, sizeof mine) == 0;
}

/** Refuses a folder whose table was edited after it was planned: it would be replaced. */
static enum sciara_status check_table(const struct sciara_planning *p, const struct sciara_ensemble_rows *planned) {
  struct sciara_members m = {0};
  char *path;
  SCIARA_TRY(sciara_path_in(p->e.folder, SCIARA_ENSEMBLE_MEMBERS, &path));
  enum sciara_status status = SCIARA_OK;
  if (access(path, F_OK) == 0) {
    status = sciara_members_read(path, NULL, &m);
    if (status == SCIARA_OK) status = sciara_ensemble_rows_check(path, planned, &m);
    if (status == SCIARA_OK && !has_columns_of(p, &m)) status = sciara_ensemble_columns_check(path, planned, &m);
    sciara_members_free(&m);
  }
  free(path);
  return status;
}

/** An earlier version did not note the content of initial lava: what it planned in the folder stays as it is. */
static void follow_earlier_version(struct sciara_planning *p, const struct sciara_ensemble *old) {
  const uint64_t hash = p->e.hash, initial = p->e.initial_hash;
  if (old->initial_hash || !initial) return;
  p->e.initial_hash = 0;
  p->e.hash = sciara_ensemble_hash(&p->e);
  if (p->e.hash == old->hash) return;
  p->e.initial_hash = initial;
  p->e.hash = hash;
}

/** The folder holds another ensemble: it is replaced if that is wanted, no process is at work in it and no result is lost. */
static enum sciara_status inspect_other(const struct sciara_planning *p, bool overwrite,
                                        const struct sciara_ensemble_rows *planned, int *lock) {
  if (overwrite) SCIARA_TRY(sciara_ensemble_lock_to_plan(p->e.folder, lock));
  if (overwrite && !sciara_ensemble_has_results(p->e.folder)) return SCIARA_OK;
  enum sciara_status status = sciara_ensemble_rows_check(p->e.folder, planned, &p->e.members);
  if (status != SCIARA_OK && p->x.skipped > 0)
    sciara_log(SCIARA_LOG_INFO, "%s: a plan has no members of weight 0; to retain them, write 0 in %s/%s instead",
               p->r.file, p->e.folder, SCIARA_ENSEMBLE_WEIGHTS);
  if (status == SCIARA_OK)
    status = sciara_fail(
        SCIARA_ERR_INPUT,
        "%s: expected the ensemble that is planned there, found another base, DEM, initial lava or batch size",
        p->e.folder);
  return overwrite ? sciara_fail_context(status, "the folder has results, which --overwrite does not remove") : status;
}

/** A file gives other members than in an earlier version, if they are drawn. */
static void report_other_draws(const struct sciara_planning *p, const struct sciara_ensemble *old) {
  const bool drawn = p->e.method != SCIARA_SAMPLE_FULL && p->e.method != SCIARA_SAMPLE_TABLE;
  if (!drawn || old->draws_by_key || old->method != p->e.method) return;
  sciara_log(
      SCIARA_LOG_INFO,
      "%s: was planned by an earlier version, whose random numbers depended on the order of the keys in vary; this "
      "version draws other members from the same file. The folder can still be run and reduced; plan anew in "
      "another one",
      p->e.folder);
}

/** Whether a folder without ensemble.json is that of a plan that was interrupted: it has the lock, and no results. */
static enum sciara_status is_interrupted(const char *folder, bool *is) {
  char *json, *lock;
  SCIARA_TRY(sciara_path_in(folder, SCIARA_ENSEMBLE_JSON, &json));
  const enum sciara_status status = sciara_path_in(folder, SCIARA_ENSEMBLE_LOCK, &lock);
  *is =
      status == SCIARA_OK && access(json, F_OK) != 0 && access(lock, F_OK) == 0 && !sciara_ensemble_has_results(folder);
  free(json);
  free(lock);
  return status;
}

/**
 * What may happen to the folder. *same: it holds this very ensemble, whose weights and results are replaced. The base of
 * p->e is that of the folder.
 *
 * @param lock receives the lock of a folder that is replaced
 */
static enum sciara_status inspect_folder(struct sciara_planning *p, bool overwrite, bool *same, int *lock) {
  struct sciara_ensemble old;
  struct sciara_ensemble_rows rows;
  uint64_t ground = 0;
  bool exists = false, empty = true;
  *same = false;
  SCIARA_TRY(sciara_folder_is_empty(p->e.folder, &exists, &empty));
  if (!exists || empty) return SCIARA_OK;
  SCIARA_TRY(sciara_ensemble_refuse_links(p->e.folder));
  bool interrupted;
  SCIARA_TRY(is_interrupted(p->e.folder, &interrupted));
  if (interrupted) {
    sciara_log(SCIARA_LOG_INFO, "%s: holds a plan that was interrupted; it is planned anew", p->e.folder);
    return SCIARA_OK;
  }
  SCIARA_TRY(sciara_site_hash(p->base.site, &ground));
  enum sciara_status status = sciara_ensemble_json_read(p->e.folder, &old, &rows);
  if (status == SCIARA_OK) follow_earlier_version(p, &old);
  if (status != SCIARA_OK) {
    status = sciara_fail(SCIARA_ERR_INPUT, "%s: expected an empty folder or one of an ensemble, found other files",
                         p->e.folder);
  } else if (old.hash == p->e.hash && old.site_hash == ground) {
    *same = true;
    p->e.site_hash = old.site_hash;
    status = check_table(p, &rows);
  } else {
    report_other_draws(p, &old);
    status = inspect_other(p, overwrite, &rows, lock);
  }
  sciara_ensemble_rows_free(&rows);
  sciara_ensemble_free(&old);
  return status;
}

static enum sciara_status write_folder(struct sciara_planning *p, bool same) {
  const struct sciara_ensemble_given given = {.result = sciara_json_get(p->root, "result"),
                                              .stop = sciara_json_get(p->root, "stop"),
                                              .left_out = sciara_json_get(p->root, SCIARA_ENSEMBLE_LEFT_OUT)};
  char *members, *weights;
  SCIARA_TRY(sciara_path_in(p->e.folder, SCIARA_ENSEMBLE_MEMBERS, &members));
  enum sciara_status status = sciara_path_in(p->e.folder, SCIARA_ENSEMBLE_WEIGHTS, &weights);
  if (status == SCIARA_OK) status = sciara_members_write(&p->e.members, members, weights);
  if (status == SCIARA_OK) status = sciara_ensemble_json_write(&p->e, &given);
  if (status == SCIARA_OK && same)
    sciara_log(SCIARA_LOG_INFO, "%s: holds the same members: only weights and results are replaced", p->e.folder);
  free(members);
  free(weights);
  return status;
}

/** Replaces the base by the one in the folder, whose DEM is relative to it. */
static enum sciara_status take_base_of_folder(struct sciara_planning *p) {
  cJSON *root;
  SCIARA_TRY(sciara_plan_base_make(&p->base, &p->x, &p->e.members, SCIARA_ENSEMBLE_DEM, &root));
  const enum sciara_status status = sciara_json_text(root, &p->e.base);
  cJSON_Delete(root);
  SCIARA_TRY(status);
  p->e.initial_hash = sciara_initial_lava_hash(&p->base);
  p->e.rule_edition = sciara_members_have_rules(&p->e.members) ? sciara_rules_edition(SCIARA_RULES_ALL)
                                                               : sciara_rule_edition(p->base.params.rule);
  p->e.hash = sciara_ensemble_hash(&p->e);
  return SCIARA_OK;
}

enum sciara_status sciara_plan_write(struct sciara_planning *p, const char *folder, bool overwrite) {
  bool same;
  int lock = -1;
  enum sciara_status status;
  if (!p->base.site) return sciara_fail(SCIARA_ERR_INTERNAL, "%s: its base has no ground", p->r.file);
  SCIARA_TRY(sciara_copy(folder, "an ensemble", &p->e.folder));
  SCIARA_TRY_GOTO(take_base_of_folder(p));
  SCIARA_TRY_GOTO(inspect_folder(p, overwrite, &same, &lock));
  SCIARA_TRY_GOTO(sciara_folder_make(folder));
  if (!same && lock < 0) SCIARA_TRY_GOTO(sciara_ensemble_lock_to_plan(folder, &lock));
  // These are of members of another plan, whose results are gone.
  if (!same) SCIARA_TRY_GOTO(sciara_file_remove(folder, SCIARA_ENSEMBLE_LOG));
  if (!same) SCIARA_TRY_GOTO(sciara_file_remove(folder, SCIARA_ENSEMBLE_OBSERVED));
  if (!same) SCIARA_TRY_GOTO(write_ground(p));
  SCIARA_TRY_GOTO(write_folder(p, same));
cleanup:
  sciara_ensemble_unlock(lock);
  return status;
}
