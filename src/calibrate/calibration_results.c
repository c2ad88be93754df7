// SPDX-License-Identifier: Apache-2.0
#include "calibrate/calibration_results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "calibrate/cases.h"
#include "ensemble/ensemble_json.h"
#include "ensemble/members.h"
#include "file/durable.h"
#include "scenario/scenario_keys.h"

/** Appends a tree, which may be NULL for want of memory, and deletes it. */
static enum sciara_status print_tree(cJSON *root, bool whole, struct sciara_text *out) {
  const enum sciara_status status = root && whole ? sciara_json_print(root, out) : sciara_no_memory("a calibration");
  cJSON_Delete(root);
  return status;
}

// ------------------------------------------------------------------------------------------------------------ the file

static bool put_unknowns(const struct sciara_calibration_search *s, cJSON *search) {
  cJSON *unknowns = cJSON_AddArrayToObject(search, "unknowns");
  bool whole = unknowns;
  for (size_t k = 0; k < s->unknown_count && whole; k++) {
    const struct sciara_unknown *u = &s->unknown[k];
    cJSON *item = sciara_json_push(unknowns);
    whole = item && sciara_json_put_plain(item, "key", u->key) && cJSON_AddBoolToObject(item, "log", u->log) &&
            cJSON_AddBoolToObject(item, "of_prior", u->of_prior) &&
            (!u->disc || sciara_json_put_number(item, "disc", (double)u->disc->vent));
  }
  return whole;
}

static bool put_searches(const struct sciara_calibration_file *f, cJSON *root) {
  cJSON *searches = cJSON_AddArrayToObject(root, "searches");
  bool whole = searches;
  for (size_t k = 0; k < f->search_count && whole; k++) {
    const struct sciara_calibration_search *s = &f->search[k];
    cJSON *item = sciara_json_push(searches);
    whole = item && (!s->name || sciara_json_put_plain(item, "name", s->name)) &&
            sciara_json_put_plain(item, "rule", sciara_rule_name(s->rule)) &&
            sciara_json_put_number(item, "budget", (double)s->budget) &&
            sciara_json_put_number(item, "population", s->population) && put_unknowns(s, item);
  }
  return whole;
}

static bool put_pairs(const struct sciara_calibration_file *f, cJSON *root) {
  cJSON *pairs = cJSON_AddArrayToObject(root, "pairs");
  bool whole = pairs;
  for (size_t k = 0; k < f->pair_count && whole; k++) {
    const struct sciara_evaluate_observed *o = &f->observed[k];
    cJSON *item = sciara_json_push(pairs);
    whole = item && sciara_json_put_plain(item, "scenario", f->scenario[o->scenario]) &&
            sciara_json_put_plain(item, "observed", o->path) &&
            (!o->region || sciara_json_put_plain(item, "region", o->region)) &&
            sciara_json_put_number(item, "at_s", o->at_s) &&
            (!o->at_date || sciara_json_put_plain(item, "date", o->at_date)) &&
            sciara_json_put_number(item, "weight", o->weight) && cJSON_AddBoolToObject(item, "hold_out", o->held_out);
  }
  return whole;
}

enum sciara_status sciara_calibration_print(const struct sciara_calibration_file *f, struct sciara_text *out) {
  cJSON *root = cJSON_CreateObject();
  const bool whole = root && sciara_json_put(root, "file", cJSON_Duplicate(f->tree, true)) &&
                     sciara_json_put_plain(root, "design", sciara_calibration_designs[f->design]) &&
                     sciara_json_put_number(root, "budget", (double)f->budget) &&
                     sciara_json_put_number(root, "seed", (double)f->seed) &&
                     cJSON_AddBoolToObject(root, "early_stop", f->early_stop) &&
                     sciara_json_put_number(root, "runout_penalty", f->run_out_penalty) && put_pairs(f, root) &&
                     put_searches(f, root);
  return print_tree(root, whole, out);
}

// ------------------------------------------------------------------------------------------------------ what it reads

/** The hash of the cells of an observed extent and its region. */
static uint64_t hash_of_extent(const struct sciara_cases *c, size_t observed) {
  const struct sciara_case_observed *o = &c->observed[observed];
  const struct sciara_site *site = c->scenario[c->options->observed[observed].scenario].setup.site;
  const size_t cells = (size_t)sciara_grid_cells(&site->grid);
  const uint64_t hash = sciara_hash_bytes(SCIARA_HASH_BEGIN, o->covered, cells);
  return o->region ? sciara_hash_bytes(hash, o->region, cells) : hash;
}

/** As in calibration.json. */
static bool put_hashes(const struct sciara_calibration_search *s, const struct sciara_cases *c, cJSON *root) {
  const struct sciara_calibration_file *f = s->file;
  cJSON *scenarios = cJSON_AddArrayToObject(root, "scenarios"), *extents = cJSON_AddArrayToObject(root, "extents");
  bool whole = scenarios && extents &&
               sciara_json_put_number(root, "rule_edition", (double)sciara_rule_edition(s->rule)); // absent: 1
  for (size_t k = 0; k < f->scenario_count && whole; k++) {
    cJSON *item = sciara_json_push(scenarios);
    whole =
        item && sciara_json_put_plain(item, "path", f->scenario[k]) && sciara_json_put_hash(item, "hash", f->hash[k]);
    for (int n = 0; n < SCIARA_INPUTS && whole; n++)
      whole = sciara_json_put_hash(item, sciara_input_table[n].name, c->scenario[k].inputs.hash[n]);
  }
  for (size_t k = 0; k < f->pair_count && whole; k++) {
    cJSON *item = sciara_json_push(extents);
    whole = item && sciara_json_put_plain(item, "path", f->observed[k].path) &&
            (!f->observed[k].at_date || sciara_json_put_plain(item, "date", f->observed[k].at_date)) &&
            sciara_json_put_hash(item, "cells", hash_of_extent(c, k));
  }
  return whole;
}

enum sciara_status sciara_calibration_inputs_print(const struct sciara_calibration_search *s,
                                                   const struct sciara_cases *c, struct sciara_text *out) {
  cJSON *root = cJSON_CreateObject(), *inputs = root ? cJSON_AddObjectToObject(root, "inputs") : NULL,
        *names = root ? cJSON_AddObjectToObject(root, "names") : NULL,
        *bounds = root ? cJSON_AddArrayToObject(root, "bounds") : NULL;
  bool whole = inputs && names && bounds && put_hashes(s, c, inputs);
  for (int n = 0; n < SCIARA_INPUTS && whole; n++)
    whole = sciara_json_put_plain(names, sciara_input_table[n].name, sciara_input_table[n].what);
  for (size_t k = 0; k < s->unknown_count && whole; k++)
    whole = sciara_json_put_pair(bounds, s->unknown[k].min, s->unknown[k].max);
  return print_tree(root, whole, out);
}

// ----------------------------------------------------------------------------------------------------------- best.json

/** Scenario `n` with a set of values, its paths as they were written. */
static enum sciara_status best_tree(const struct sciara_calibration_search *s, size_t n, const double *value,
                                    cJSON **root) {
  const char *path = s->file->scenario[n];
  struct sciara_scenario_spec scenario = {0};
  struct sciara_key_set keys = {0};
  enum sciara_status status = sciara_calibration_scenario(s->file, n, &scenario);
  if (status == SCIARA_OK) status = sciara_calibration_set(s, value, &scenario, &keys);
  if (status == SCIARA_OK) status = sciara_json_read(path, root);
  for (size_t k = 0; k < keys.count && status == SCIARA_OK; k++)
    status = sciara_scenario_override_key(path, *root, keys.key[k], keys.value[k]);
  sciara_scenario_free(&scenario);
  sciara_key_set_free(&keys);
  return status;
}

enum sciara_status sciara_calibration_best_print(const struct sciara_calibration_search *s, size_t n,
                                                 const double *value, struct sciara_text *out) {
  cJSON *root = NULL;
  enum sciara_status status = best_tree(s, n, value, &root);
  if (status == SCIARA_OK) status = sciara_json_print(root, out);
  cJSON_Delete(root);
  return status;
}

enum sciara_status sciara_calibration_best_write(const struct sciara_calibration_search *s, const double *value,
                                                 const char *folder) {
  char *from = sciara_path_folder(s->file->scenario[0]);
  cJSON *root = NULL;
  enum sciara_status status = from ? best_tree(s, 0, value, &root) : sciara_no_memory("a calibration");
  if (status == SCIARA_OK) status = sciara_scenario_move(root, from);
  free(from);
  cJSON_DeleteItemFromObjectCaseSensitive(root, "$schema");
  cJSON_DeleteItemFromObjectCaseSensitive(cJSON_GetObjectItemCaseSensitive(root, "output"), "folder");
  if (status == SCIARA_OK) status = sciara_json_write(root, folder, "best.json");
  cJSON_Delete(root);
  return status;
}

// -------------------------------------------------------------------------------------------------------- accepted.csv

/** Sets member `at` of a table of `count`, which is made with the first one. */
static enum sciara_status put_member(const struct sciara_calibration_search *s, size_t row, const double *value,
                                     size_t at, size_t count, struct sciara_members *m) {
  struct sciara_key_set keys = {0};
  enum sciara_status status = sciara_calibration_set(s, value, NULL, &keys); // rates act on the base of an ensemble
  if (status == SCIARA_OK && at == 0)
    status = sciara_members_create(count, (const char *const *)keys.key, keys.count, m);
  if (status == SCIARA_OK) {
    m->id[at] = (int64_t)row + 1;
    m->weight[at] = 1;
    for (size_t k = 0; k < s->unknown_count; k++)
      for (size_t d = 0; d < SCIARA_DRAWN_COUNT; d++)
        if (strcmp(s->unknown[k].key, sciara_drawn_names[d]) == 0) m->drawn[d][at] = value[k];
  }
  for (size_t k = 0; k < keys.count && status == SCIARA_OK; k++) status = sciara_members_set(m, at, k, keys.value[k]);
  sciara_key_set_free(&keys);
  return status;
}

enum sciara_status sciara_calibration_sets_write(const struct sciara_calibration_search *s, const size_t *row,
                                                 const double *value, size_t count, const char *folder) {
  struct sciara_members m = {0};
  char *path;
  SCIARA_TRY(sciara_path_in(folder, "accepted.csv", &path));
  enum sciara_status status = SCIARA_OK;
  for (size_t at = 0; at < count && status == SCIARA_OK; at++)
    status = put_member(s, row[at], value + at * s->unknown_count, at, count, &m);
  if (status == SCIARA_OK) status = sciara_members_write(&m, path, NULL);
  sciara_members_free(&m);
  free(path);
  return status;
}
