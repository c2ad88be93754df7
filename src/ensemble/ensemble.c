// SPDX-License-Identifier: Apache-2.0
#include "ensemble/ensemble.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "ensemble/ensemble_folder.h"
#include "ensemble/ensemble_json.h"
#include "ensemble/members.h"
#include "file/durable.h"

void sciara_ensemble_free(struct sciara_ensemble *e) {
  for (size_t k = 0; k < e->vent_count; k++) {
    free(e->vents[k].name);
    sciara_free(e->vents[k].points);
  }
  for (size_t k = 0; k < e->event_count; k++) free(e->events[k].name);
  sciara_free(e->vents);
  sciara_free(e->events);
  sciara_result_free(&e->result);
  sciara_members_free(&e->members);
  sciara_declared_free(&e->declared);
  free(e->folder);
  free(e->title);
  free(e->base);
  free(e->observed);
  sciara_free(e->jaccard);
  sciara_scenario_base_free(e->scenario);
  *e = (struct sciara_ensemble){0};
}

/** The path of the checkpoint, if members begin with one. */
static enum sciara_status resolve_checkpoint(const char *folder, cJSON *root) {
  cJSON *initial = cJSON_GetObjectItemCaseSensitive(root, "initial");
  if (!cJSON_GetObjectItemCaseSensitive(initial, "checkpoint")) return SCIARA_OK;
  char *path;
  SCIARA_TRY(sciara_path_in(folder, SCIARA_ENSEMBLE_CHECKPOINT, &path));
  cJSON *name = cJSON_CreateString(path);
  free(path);
  if (name && cJSON_ReplaceItemInObjectCaseSensitive(initial, "checkpoint", name)) return SCIARA_OK;
  cJSON_Delete(name);
  return sciara_no_memory("an ensemble");
}

/** Parses the base; the paths of its DEM and of its checkpoint become absolute. */
static enum sciara_status read_ensemble_base(struct sciara_ensemble *e) {
  cJSON *root = NULL;
  char *folder = realpath(e->folder, NULL), *path = NULL;
  enum sciara_status status =
      folder ? sciara_path_in(folder, SCIARA_ENSEMBLE_DEM, &path) : sciara_no_memory("an ensemble");
  if (status == SCIARA_OK) status = sciara_json_parse("the base scenario", e->base, strlen(e->base), &root);
  cJSON *dem = cJSON_GetObjectItemCaseSensitive(root, "dem"), *name = path ? cJSON_CreateString(path) : NULL;
  if (status == SCIARA_OK && !(name && cJSON_ReplaceItemInObjectCaseSensitive(dem, "path", name))) {
    status = sciara_fail(SCIARA_ERR_INPUT, "%s/%s: base.dem.path: expected %s, found nothing", e->folder,
                         SCIARA_ENSEMBLE_JSON, SCIARA_ENSEMBLE_DEM);
    cJSON_Delete(name);
  }
  if (status == SCIARA_OK) status = resolve_checkpoint(folder, root);
  if (status == SCIARA_OK)
    status = sciara_scenario_base_make(root, &e->scenario);
  else
    cJSON_Delete(root);
  free(path);
  free(folder);
  return status;
}

static enum sciara_status read_ensemble_members(struct sciara_ensemble *e, const struct sciara_ensemble_rows *rows) {
  char *members, *weights;
  SCIARA_TRY(sciara_path_in(e->folder, SCIARA_ENSEMBLE_MEMBERS, &members));
  enum sciara_status status = sciara_path_in(e->folder, SCIARA_ENSEMBLE_WEIGHTS, &weights);
  if (status == SCIARA_OK)
    status = sciara_members_read(members, access(weights, F_OK) == 0 ? weights : NULL, &e->members);
  if (status == SCIARA_OK) status = sciara_ensemble_rows_check(members, rows, &e->members);
  if (status == SCIARA_OK) status = sciara_ensemble_columns_check(members, rows, &e->members);
  if (status == SCIARA_OK && !rows->has_columns)
    sciara_log(SCIARA_LOG_INFO,
               "%s: an earlier version planned it: changes of stratum, replicate, vent and event are not noticed; "
               "'sciara ensemble plan' with the same file and folder adds what is missing",
               members);
  free(members);
  free(weights);
  return status;
}

/** Weights that follow from an observed extent, if there are any. */
static enum sciara_status read_observed(struct sciara_ensemble *e) {
  char *path;
  SCIARA_TRY(sciara_path_in(e->folder, SCIARA_ENSEMBLE_OBSERVED, &path));
  enum sciara_status status = SCIARA_OK;
  if (access(path, F_OK) == 0) status = sciara_observed_weights_read(path, &e->members, &e->jaccard, &e->observed);
  free(path);
  return status;
}

static enum sciara_status open_folder(const char *folder, bool planned, struct sciara_ensemble *out) {
  struct sciara_ensemble_rows rows;
  *out = (struct sciara_ensemble){0};
  SCIARA_TRY(sciara_ensemble_refuse_links(folder));
  enum sciara_status status = sciara_ensemble_json_read(folder, out, &rows);
  if (status == SCIARA_OK) status = read_ensemble_members(out, &rows);
  if (status == SCIARA_OK) status = sciara_ensemble_lists_check(out, &rows);
  if (status == SCIARA_OK && !planned) status = read_observed(out);
  sciara_ensemble_rows_free(&rows);
  if (status == SCIARA_OK && out->hash != sciara_ensemble_hash(out))
    status = sciara_fail(SCIARA_ERR_INPUT,
                         "%s/%s: expected the ensemble as it was planned, found a changed base or batch size", folder,
                         SCIARA_ENSEMBLE_JSON);
  if (status == SCIARA_OK) {
    out->batch_count = (out->members.count + out->batch_size - 1) / out->batch_size;
    status = read_ensemble_base(out);
  }
  if (status != SCIARA_OK) sciara_ensemble_free(out);
  return status;
}

enum sciara_status sciara_ensemble_open(const char *folder, struct sciara_ensemble *out) {
  return open_folder(folder, false, out);
}

enum sciara_status sciara_ensemble_open_planned(const char *folder, struct sciara_ensemble *out) {
  return open_folder(folder, true, out);
}

/** Members go on with the edition of the rules with which they were planned alone. */
static enum sciara_status check_edition(const struct sciara_ensemble *e) {
  char names[SCIARA_RULES_TEXT];
  unsigned rules;
  if (e->rule_edition == sciara_rules_edition(SCIARA_RULES_ALL)) return SCIARA_OK;
  SCIARA_TRY(sciara_ensemble_rules(e, &rules));
  if (e->rule_edition == sciara_rules_edition(rules)) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: planned with edition %" PRId64 " of rule %s, expected edition %" PRId64
                     ", which this program has: the lava moves by another law. The results can be read, but not "
                     "continued: plan it again in another folder",
                     e->folder, e->rule_edition, sciara_rules_name(rules, names), sciara_rules_edition(rules));
}

enum sciara_status sciara_ensemble_open_to_run(const char *folder, struct sciara_ensemble *out, int *lock) {
  char *path;
  enum sciara_status status = SCIARA_OK;
  *lock = -1;
  SCIARA_TRY(sciara_path_in(folder, SCIARA_ENSEMBLE_JSON, &path));
  // First: what is read then stays as it is. Nothing is made in a folder that holds no ensemble.
  if (access(path, F_OK) == 0) status = sciara_ensemble_lock_to_run(folder, lock);
  free(path);
  if (status == SCIARA_OK) status = sciara_ensemble_open(folder, out);
  if (status == SCIARA_OK) {
    status = check_edition(out);
    if (status == SCIARA_OK) return SCIARA_OK;
    sciara_ensemble_free(out);
  }
  sciara_ensemble_unlock(*lock);
  *lock = -1;
  return status;
}

void sciara_ensemble_start(const struct sciara_ensemble *e, char start[SCIARA_DATE_SIZE]) {
  sciara_date_after(sciara_scenario_base_values(e->scenario)->start, 0, start);
}

enum sciara_status sciara_ensemble_take_time(const struct sciara_ensemble *e, const char *option, const char *text,
                                             double *at_s, double *when) {
  char start[SCIARA_DATE_SIZE], begin[48 + SCIARA_MINUTE_SIZE];
  sciara_ensemble_start(e, start);
  SCIARA_TRY(sciara_take_time(option, text, start, e->folder, at_s));
  *when = sciara_date_at(start, *at_s);
  if (*at_s > e->time_zero_s) return SCIARA_OK;
  sciara_print_duration(e->time_zero_s, begin, sizeof begin);
  sciara_append_minute(start, e->time_zero_s, begin, sizeof begin);
  return sciara_fail(SCIARA_ERR_USAGE,
                     "%s: expected a simulated time after %s, when the members of %s begin; found \"%s\"", option,
                     begin, e->folder, text);
}

struct sciara_scenario_member sciara_ensemble_member(const struct sciara_ensemble *e, size_t member,
                                                     char name[SCIARA_MEMBER_NAME]) {
  const struct sciara_members *m = &e->members;
  snprintf(name, SCIARA_MEMBER_NAME, "member %" PRId64, m->id[member]);
  return (struct sciara_scenario_member){
      .base = e->scenario,
      .name = name,
      .key = (const char *const *)m->key,
      .value = m->key_count > 0 ? (const char *const *)m->value + member * m->key_count : NULL,
      .key_count = m->key_count};
}

enum sciara_status sciara_ensemble_scenario(const struct sciara_ensemble *e, size_t member, struct sciara_text *json) {
  char name[SCIARA_MEMBER_NAME];
  const struct sciara_scenario_member m = sciara_ensemble_member(e, member, name);
  return sciara_scenario_member_print(&m, json);
}

bool sciara_members_have_rules(const struct sciara_members *m) {
  static const char *const names[] = {"model", "model.rule", "model.preset"};
  char name[256];
  for (size_t k = 0; k < m->key_count; k++)
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
      if (sciara_member_key_plain(m->key[k], name, sizeof name) && strcmp(name, names[n]) == 0) return true;
  return false;
}

enum sciara_status sciara_ensemble_rules(const struct sciara_ensemble *e, unsigned *out) {
  const size_t count = sciara_members_have_rules(&e->members) ? e->members.count : e->members.count > 0;
  *out = 0;
  for (size_t i = 0; i < count && *out != SCIARA_RULES_ALL; i++) {
    char name[SCIARA_MEMBER_NAME];
    const struct sciara_scenario_member m = sciara_ensemble_member(e, i, name);
    struct sciara_scenario_spec scenario = {0};
    const enum sciara_status status = sciara_scenario_member_values(&m, true, NULL, &scenario);
    if (status == SCIARA_OK) *out |= 1u << scenario.params.rule;
    sciara_scenario_free(&scenario);
    if (status == SCIARA_ERR_MEMORY) return status;
  }
  if (*out == 0) *out = SCIARA_RULES_FV3; // planned by an earlier version, with members that are no longer valid
  return SCIARA_OK;
}
