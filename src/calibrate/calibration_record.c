// SPDX-License-Identifier: Apache-2.0
#include "calibrate/calibration_record.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "calibrate/calibration_file.h"
#include "calibrate/cases.h"
#include "calibrate/sensitivity.h"
#include "ensemble/ensemble_json.h"
#include "ensemble/members.h"
#include "file/durable.h"
#include "scenario/scenario_keys.h"

enum { VERSION = 1 };

// -------------------------------------------------------------------------------------------------- calibration.json

bool sciara_calibration_inputs_put(const struct sciara_calibration_record *r, cJSON *root) {
  const struct sciara_calibration_file *f = r->search->file;
  cJSON *scenarios = cJSON_AddArrayToObject(root, "scenarios"), *extents = cJSON_AddArrayToObject(root, "extents");
  bool whole = scenarios && extents &&
               sciara_json_put_number(root, "rule_edition", (double)sciara_rule_edition(r->search->rule)); // absent: 1
  for (size_t k = 0; k < f->scenario_count && whole; k++) {
    cJSON *item = sciara_json_push(scenarios);
    whole =
        item && sciara_json_put_plain(item, "path", f->scenario[k]) && sciara_json_put_hash(item, "hash", f->hash[k]);
    for (int n = 0; n < SCIARA_INPUTS && whole; n++)
      whole = sciara_json_put_hash(item, sciara_input_table[n].name, r->inputs[k].hash[n]);
  }
  for (size_t k = 0; k < f->pair_count && whole; k++) {
    cJSON *item = sciara_json_push(extents);
    whole = item && sciara_json_put_plain(item, "path", f->observed[k].path) &&
            (!f->observed[k].at_date || sciara_json_put_plain(item, "date", f->observed[k].at_date)) &&
            sciara_json_put_hash(item, "cells", r->cells[k]);
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
    cJSON *item = sciara_json_push(restarts);
    whole = item && sciara_json_put_number(item, "evaluations", (double)r->restart[k].evaluations) &&
            sciara_json_put_plain(item, "reason", reasons[r->restart[k].reason]);
  }
  return whole;
}

static bool put_best(const struct sciara_calibration_record *r, cJSON *root) {
  const struct sciara_calibration_file *f = r->search->file;
  const struct sciara_calibration_search *s = r->search;
  if (r->best == SIZE_MAX) return cJSON_AddNullToObject(root, "best") != NULL;
  cJSON *best = cJSON_AddObjectToObject(root, "best"), *values = cJSON_AddObjectToObject(best, "values"),
        *pairs = cJSON_AddArrayToObject(best, "pairs");
  bool whole = values && pairs && sciara_json_put_number(best, "number", (double)(r->best + 1)) &&
               sciara_json_put_number(best, "score", r->table->score[r->best]);
  for (size_t k = 0; k < s->unknown_count && whole; k++)
    whole = sciara_json_put_number(values, s->unknown[k].key, r->table->value[r->best * s->unknown_count + k]);
  for (size_t k = 0; k < f->pair_count && whole; k++) {
    cJSON *item = sciara_json_push(pairs);
    whole = item && sciara_json_put_plain(item, "observed", f->observed[k].path) &&
            sciara_json_put_number(item, "jaccard", r->table->jaccard[r->best * f->pair_count + k]) &&
            cJSON_AddBoolToObject(item, "hold_out", f->observed[k].held_out);
  }
  return whole;
}

size_t sciara_calibration_count(const struct sciara_calibration_record *r, enum sciara_evaluate_status status) {
  size_t count = 0;
  for (size_t row = 0; row < r->table->count; row++) count += r->table->status[row] == status;
  return count;
}

/** The beginning of calibration.json. */
static cJSON *begin_record(const struct sciara_calibration_file *f, const char *search, const char *status) {
  cJSON *root = cJSON_CreateObject();
  const bool whole =
      root && sciara_json_put_plain(root, "format", SCIARA_CALIBRATION_FORMAT) &&
      sciara_json_put_number(root, "version", VERSION) && sciara_json_put_plain(root, "program", SCIARA_VERSION) &&
      sciara_json_put_plain(root, "status", status) && (!search || sciara_json_put_plain(root, "search", search)) &&
      sciara_json_put(root, "file", cJSON_Duplicate(f->tree, true));
  if (whole) return root;
  cJSON_Delete(root);
  return NULL;
}

enum sciara_status sciara_calibration_record_write(const struct sciara_calibration_record *r) {
  cJSON *root = begin_record(r->search->file, r->search->name, r->status);
  const bool whole =
      root && sciara_calibration_inputs_put(r, root) &&
      sciara_json_put_number(root, "evaluations", (double)r->table->count) &&
      sciara_json_put_number(root, "without_score", (double)r->failed) &&
      sciara_json_put_number(root, "stopped", (double)sciara_calibration_count(r, SCIARA_EVALUATE_STOPPED)) &&
      sciara_json_put_number(root, "rested", (double)sciara_calibration_count(r, SCIARA_EVALUATE_RESTED)) &&
      put_restarts(r, root) && put_best(r, root);
  const enum sciara_status status =
      whole ? sciara_json_write(root, r->folder, SCIARA_CALIBRATION_JSON) : sciara_no_memory("a calibration");
  cJSON_Delete(root);
  return status;
}

static bool put_searches(const struct sciara_calibration_record *r, size_t count, cJSON *root) {
  cJSON *searches = cJSON_AddArrayToObject(root, "searches");
  bool whole = searches;
  for (size_t k = 0; k < count && whole; k++) {
    cJSON *item = sciara_json_push(searches);
    const bool any = r[k].best != SIZE_MAX;
    whole = item && sciara_json_put_plain(item, "name", r[k].search->name) &&
            sciara_json_put_plain(item, "rule", sciara_rule_name(r[k].search->rule)) &&
            sciara_json_put_plain(item, "status", r[k].status) &&
            sciara_json_put_number(item, "budget", (double)r[k].search->budget) &&
            sciara_json_put_number(item, "evaluations", (double)r[k].table->count) &&
            (any ? sciara_json_put_number(item, "score", r[k].table->score[r[k].best])
                 : cJSON_AddNullToObject(item, "score") != NULL);
  }
  return whole;
}

enum sciara_status sciara_calibration_records_write(const char *folder, const char *status,
                                                    const struct sciara_calibration_record *r, size_t count,
                                                    size_t best) {
  cJSON *root = begin_record(r->search->file, NULL, status);
  bool whole = root && put_searches(r, count, root);
  whole = whole && (best < count ? put_best(&r[best], root) : cJSON_AddNullToObject(root, "best") != NULL);
  if (whole && best < count)
    whole = sciara_json_put_plain(cJSON_GetObjectItemCaseSensitive(root, "best"), "search", r[best].search->name);
  const enum sciara_status written =
      whole ? sciara_json_write(root, folder, SCIARA_CALIBRATION_JSON) : sciara_no_memory("a calibration");
  cJSON_Delete(root);
  return written;
}

// ----------------------------------------------------------------------------------------------------------- best.json

/** The keys of a row for a scenario without changes. */
static enum sciara_status keys_of(const struct sciara_calibration_record *r, size_t row,
                                  const struct sciara_scenario_spec *scenario, struct sciara_key_set *out) {
  return sciara_calibration_set(r->search, &r->table->value[row * r->search->unknown_count], scenario, out);
}

/** Scenario `n` with the best values, its paths as they were written. */
static enum sciara_status best_tree(const struct sciara_calibration_record *r, size_t n, cJSON **root) {
  const char *path = r->search->file->scenario[n];
  struct sciara_scenario_spec scenario = {0};
  struct sciara_key_set keys = {0};
  enum sciara_status status = sciara_calibration_scenario(r->search->file, n, &scenario);
  if (status == SCIARA_OK) status = keys_of(r, r->best, &scenario, &keys);
  if (status == SCIARA_OK) status = sciara_json_read(path, root);
  for (size_t k = 0; k < keys.count && status == SCIARA_OK; k++)
    status = sciara_scenario_override_key(path, *root, keys.key[k], keys.value[k]);
  sciara_scenario_free(&scenario);
  sciara_key_set_free(&keys);
  return status;
}

enum sciara_status sciara_calibration_best_print(const struct sciara_calibration_record *r, size_t n,
                                                 struct sciara_text *out) {
  cJSON *root = NULL;
  enum sciara_status status = best_tree(r, n, &root);
  if (status == SCIARA_OK) status = sciara_json_print(root, out);
  cJSON_Delete(root);
  return status;
}

enum sciara_status sciara_calibration_best_write(const struct sciara_calibration_record *r, const char *folder) {
  char *from = sciara_path_folder(r->search->file->scenario[0]);
  cJSON *root = NULL;
  enum sciara_status status = from ? best_tree(r, 0, &root) : sciara_no_memory("a calibration");
  if (status == SCIARA_OK) status = sciara_scenario_move(root, from);
  free(from);
  cJSON_DeleteItemFromObjectCaseSensitive(root, "$schema");
  cJSON_DeleteItemFromObjectCaseSensitive(cJSON_GetObjectItemCaseSensitive(root, "output"), "folder");
  if (status == SCIARA_OK) status = sciara_json_write(root, folder, "best.json");
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
                                     struct sciara_members *m) {
  const struct sciara_calibration_search *s = r->search;
  struct sciara_key_set keys = {0};
  enum sciara_status status = keys_of(r, row, NULL, &keys); // those of rates act on the base of an ensemble
  if (status == SCIARA_OK && at == 0)
    status = sciara_members_create(count, (const char *const *)keys.key, keys.count, m);
  if (status == SCIARA_OK) {
    m->id[at] = (int64_t)row + 1;
    m->weight[at] = 1;
    for (size_t k = 0; k < s->unknown_count; k++)
      for (size_t d = 0; d < SCIARA_DRAWN_COUNT; d++)
        if (strcmp(s->unknown[k].key, sciara_drawn_names[d]) == 0)
          m->drawn[d][at] = r->table->value[row * s->unknown_count + k];
  }
  for (size_t k = 0; k < keys.count && status == SCIARA_OK; k++) status = sciara_members_set(m, at, k, keys.value[k]);
  sciara_key_set_free(&keys);
  return status;
}

enum sciara_status sciara_calibration_accepted_write(const struct sciara_calibration_record *r) {
  struct sciara_members m = {0};
  char *path;
  size_t count = 0, at = 0;
  SCIARA_TRY(sciara_path_in(r->folder, "accepted.csv", &path));
  enum sciara_status status = SCIARA_OK;
  for (size_t row = 0; row < r->table->count; row++) count += sciara_calibration_is_accepted(r, row);
  for (size_t row = 0; row < r->table->count && status == SCIARA_OK; row++)
    if (sciara_calibration_is_accepted(r, row)) status = put_member(r, row, at++, count, &m);
  if (status == SCIARA_OK && count > 0) status = sciara_members_write(&m, path, NULL);
  if (status == SCIARA_OK && count == 0)
    sciara_log(SCIARA_LOG_WARNING, "%s: not written, for no set covers any of what was observed", path);
  sciara_members_free(&m);
  free(path);
  return status;
}

// ----------------------------------------------------------------------------------------------------- sensitivity.csv

static void set_morris(const struct sciara_calibration_record *r, const double *points, struct sciara_effects *out) {
  struct sciara_morris_effect effect[SCIARA_UNKNOWNS_MOST];
  *out = (struct sciara_effects){.groups = "trajectories",
                                 .of = r->search->budget / sciara_calibration_group(r->search),
                                 .least = SCIARA_MORRIS_LEAST,
                                 .name = {"mu", "mu_star", "sigma"},
                                 .count = 3};
  sciara_morris_effects(points, r->table->score, out->of, r->search->unknown_count, effect, &out->used);
  for (size_t k = 0; k < r->search->unknown_count; k++) {
    out->value[k][0] = effect[k].mu;
    out->value[k][1] = effect[k].mu_star;
    out->value[k][2] = effect[k].sigma;
  }
}

enum sciara_status sciara_calibration_effects(const struct sciara_calibration_record *r, const double *points,
                                              struct sciara_effects *out) {
  const size_t n = r->search->unknown_count;
  struct sciara_sobol_index first[SCIARA_SALTELLI_UNKNOWNS], total[SCIARA_SALTELLI_UNKNOWNS];
  if (r->search->file->design == SCIARA_DESIGN_MORRIS) {
    set_morris(r, points, out);
    return SCIARA_OK;
  }
  *out = (struct sciara_effects){
      .groups = "rows",
      .of = r->search->budget / sciara_calibration_group(r->search),
      .least = SCIARA_SALTELLI_LEAST,
      .name = {"first_order", "first_order_low", "first_order_high", "total", "total_low", "total_high"},
      .count = 6};
  SCIARA_TRY(sciara_saltelli_indices(r->table->score, out->of, n, r->search->file->seed, first, total, &out->used));
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
  char *path;
  SCIARA_TRY(sciara_path_in(r->folder, "sensitivity.csv", &path));
  sciara_text_append(&text, "unknown,%s", effects->groups);
  for (size_t n = 0; n < effects->count; n++) sciara_text_append(&text, ",%s", effects->name[n]);
  for (size_t k = 0; k < r->search->unknown_count; k++) {
    sciara_text_append(&text, "\n%s,%zu", r->search->unknown[k].key, effects->used);
    for (size_t n = 0; n < effects->count; n++) {
      char number[40] = "";
      if (!isnan(effects->value[k][n])) sciara_json_number(effects->value[k][n], number, sizeof number);
      sciara_text_append(&text, ",%s", number);
    }
  }
  enum sciara_status status = sciara_text_append(&text, "\n");
  if (status == SCIARA_OK) status = sciara_file_replace(path, text.data, text.length);
  if (status == SCIARA_OK) warn(path, effects);
  sciara_text_free(&text);
  free(path);
  return status;
}
