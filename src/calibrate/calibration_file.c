// SPDX-License-Identifier: Apache-2.0
#include "calibrate/calibration_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/detmath.h"
#include "base/hash.h"
#include "base/mem.h"
#include "ensemble/ensemble_json.h"
#include "ensemble/members.h"
#include "file/durable.h"

enum {
  BUDGET_MOST = 1000000, // as in the table of keys
  NAMES = 3,             // of a pair
  EXTENTS_MOST = 100,
  MORRIS_LEAST = 4,    // trajectories, without which nothing is estimated
  SALTELLI_LEAST = 32, // rows
  SALTELLI_MOST = 18,  // unknowns: two Sobol' dimensions each
};

const char *const sciara_calibration_designs[SCIARA_DESIGNS] = {[SCIARA_DESIGN_CMAES] = "cma-es",
                                                                [SCIARA_DESIGN_LHS] = "lhs",
                                                                [SCIARA_DESIGN_SOBOL] = "sobol",
                                                                [SCIARA_DESIGN_MORRIS] = "morris",
                                                                [SCIARA_DESIGN_SALTELLI] = "saltelli"};

/** A file that is being read. */
struct reading {
  struct sciara_ensemble_reading r;
  struct sciara_calibration_file *file;
  const char *const *extra_drivers;
  size_t extra_driver_count;
};

void sciara_calibration_file_free(struct sciara_calibration_file *f) {
  for (size_t k = 0; f->scenario && k < f->scenario_count; k++) free(f->scenario[k]);
  for (size_t k = 0; f->name && k < f->name_count; k++) free(f->name[k]);
  sciara_free(f->scenario);
  sciara_free(f->hash);
  sciara_free(f->name);
  sciara_observed_list_free(&f->extents);
  for (size_t k = 0; f->search && k < f->search_count; k++) {
    free(f->search[k].model);
    sciara_free(f->search[k].unknown);
    sciara_free(f->search[k].disc);
    sciara_variation_free(&f->search[k].prior);
  }
  sciara_free(f->search);
  cJSON_Delete(f->tree);
  *f = (struct sciara_calibration_file){0};
}

/** Evaluations of a trajectory or a row of a design of sensitivity; 0: it is another design. */
static size_t group_of(const struct sciara_calibration_search *s) {
  return s->file->design == SCIARA_DESIGN_MORRIS     ? s->unknown_count + 1
         : s->file->design == SCIARA_DESIGN_SALTELLI ? s->unknown_count + 2
                                                     : 0;
}

enum sciara_status sciara_calibration_set(const struct sciara_calibration_search *s, const double *value,
                                          const struct sciara_scenario_spec *scenario, struct sciara_key_set *out) {
  const char *key[1 + SCIARA_UNKNOWNS_MOST] = {"model"}, *text[1 + SCIARA_UNKNOWNS_MOST] = {s->model};
  char number[SCIARA_UNKNOWNS_MOST][40];
  const size_t first = s->model ? 1 : 0, count = sciara_unknowns_keys(s, value, key + first, number);
  for (size_t k = 0; k < count; k++) text[first + k] = number[k];
  return sciara_key_set_make(key, text, first + count, scenario, out);
}

// --------------------------------------------------------------------------------------------------------------- pairs

/** The number of a scenario, which is added if it is new. Takes over `path`. */
static size_t place_scenario(struct sciara_calibration_file *f, char *path) {
  for (size_t k = 0; k < f->scenario_count; k++)
    if (strcmp(f->scenario[k], path) == 0) {
      free(path);
      return k;
    }
  f->scenario[f->scenario_count] = path;
  return f->scenario_count++;
}

static enum sciara_status read_pair(const struct reading *c, const cJSON *pair, size_t k) {
  const struct sciara_ensemble_reading *r = &c->r;
  struct sciara_calibration_file *f = c->file;
  const cJSON *region = sciara_json_get(pair, "region"), *layer = sciara_json_get(pair, "layer"),
              *at = sciara_json_get(pair, "at"), *date = sciara_json_get(pair, "date"),
              *dates = sciara_json_get(pair, "dates");
  char *scenario = NULL, **name = f->name + NAMES * k;
  if (at && date) return sciara_ensemble_refuse(r, "pairs", k, "date", "it together with at", "one of the two");
  if (dates && (at || date))
    return sciara_ensemble_refuse(r, "pairs", k, "dates", "it together with at or date", "one of the three");
  SCIARA_TRY(sciara_ensemble_path(r, sciara_json_get(pair, "observed"), &name[0]));
  if (region) SCIARA_TRY(sciara_ensemble_path(r, region, &name[1]));
  SCIARA_TRY(sciara_ensemble_path(r, sciara_json_get(pair, "scenario"), &scenario));
  const size_t number = place_scenario(f, scenario);
  name[2] = sciara_format("%s: pairs[%zu]", r->file, k);
  if (!name[2]) return sciara_no_memory("a calibration");
  const struct sciara_evaluate_observed one = {.scenario = number,
                                               .path = name[0],
                                               .layer = layer ? layer->valuestring : NULL,
                                               .json_path = name[2],
                                               .region = name[1],
                                               .at_s = at ? sciara_scenario_seconds(at) : (double)INFINITY,
                                               .at_date = date ? date->valuestring : NULL,
                                               .weight = sciara_json_double(pair, "weight", 1),
                                               .held_out = cJSON_IsTrue(sciara_json_get(pair, "hold_out"))};
  return sciara_observed_add(&f->extents, &one, f->scenario[number], dates ? dates->valuestring : NULL,
                             c->extra_drivers, c->extra_driver_count);
}

static enum sciara_status read_pairs(const struct reading *c) {
  const struct sciara_ensemble_reading *r = &c->r;
  struct sciara_calibration_file *f = c->file;
  const cJSON *pairs = sciara_json_get(f->tree, "pairs"), *pair;
  const size_t count = (size_t)cJSON_GetArraySize(pairs);
  size_t fitted = 0, k = 0;
  SCIARA_TRY(SCIARA_NEW(f->scenario, count, "the pairs"));
  SCIARA_TRY(SCIARA_NEW(f->hash, count, "the pairs"));
  SCIARA_TRY(SCIARA_NEW(f->name, NAMES * count, "the pairs"));
  f->name_count = NAMES * count;
  cJSON_ArrayForEach(pair, pairs) SCIARA_TRY(read_pair(c, pair, k++));
  f->observed = f->extents.item;
  f->pair_count = f->extents.count;
  for (k = 0; k < f->pair_count; k++) fitted += !f->observed[k].held_out;
  if (f->pair_count > EXTENTS_MOST) {
    char found[32];
    snprintf(found, sizeof found, "%zu", f->pair_count);
    return sciara_ensemble_refuse(r, "pairs", SCIARA_NO_INDEX, NULL, found, "at most 100 extents with all their dates");
  }
  if (fitted > 0) return SCIARA_OK;
  return sciara_ensemble_refuse(r, "pairs", SCIARA_NO_INDEX, NULL, "none", "at least one pair that is not a hold_out");
}

// ------------------------------------------------------------------------------------------------------------ searches

/** Its name is that of a folder. */
static enum sciara_status check_name(const struct sciara_ensemble_reading *r, const struct sciara_calibration_file *f,
                                     size_t k) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  const char *name = f->search[k].name;
  char found[SCIARA_QUOTED_WORD];
  snprintf(found, sizeof found, "\"%.80s\"", name);
  if (strspn(name, letters) != strlen(name) || strlen(name) >= SCIARA_SEARCH_NAME)
    return sciara_ensemble_refuse(r, "searches", k, "name", found,
                                  "the name of a folder: 1 to 64 letters from a to z, digits, - and _");
  for (size_t n = 0; n < k; n++)
    if (strcasecmp(f->search[n].name, name) == 0)
      return sciara_ensemble_refuse(r, "searches", k, "name", found, "each name once, in upper or lower case");
  return SCIARA_OK;
}

static enum sciara_status read_search(const struct sciara_ensemble_reading *r, const cJSON *entry, size_t k,
                                      struct sciara_calibration_file *f) {
  struct sciara_calibration_search *s = &f->search[k];
  const cJSON *model = sciara_json_get(entry, "model");
  s->name = sciara_json_get(entry, "name")->valuestring;
  snprintf(s->path, sizeof s->path, "searches[%zu].", k);
  sciara_diagnostics_add(r->diagnostics, check_name(r, f, k));
  if (model) SCIARA_TRY(sciara_json_text(model, &s->model));
  return sciara_unknowns_read(r, sciara_json_get(entry, "unknowns"), s);
}

/** Each search has its share of the budget, rounded so that nothing is left; without shares all have the same. */
static enum sciara_status share_budget(const struct sciara_ensemble_reading *r, const cJSON *searches,
                                       struct sciara_calibration_file *f) {
  const cJSON *entry;
  size_t given = 0, k = 0, before = 0;
  double sum = 0, share[SCIARA_SEARCHES_MOST] = {0};
  char found[64];
  cJSON_ArrayForEach(entry, searches) {
    share[k] = sciara_json_double(entry, "share", 1 / (double)f->search_count);
    sum += share[k++];
    given += sciara_json_get(entry, "share") != NULL;
  }
  if (given > 0 && given < f->search_count)
    return sciara_ensemble_refuse(r, "searches", SCIARA_NO_INDEX, NULL, "share in some of them",
                                  "share in all searches, or in none, which then have equal parts of the budget");
  snprintf(found, sizeof found, "a sum of %.6g", sum);
  if (!(fabs(sum - 1) <= 1e-6))
    return sciara_ensemble_refuse(r, "searches", SCIARA_NO_INDEX, NULL, found, "shares whose sum is 1");
  for (k = 0, sum = 0; k < f->search_count; k++) {
    sum += share[k];
    const size_t end = k + 1 < f->search_count ? (size_t)floor(sum * (double)f->budget + 0.5) : f->budget;
    f->search[k].budget = end - before;
    before = end;
  }
  return SCIARA_OK;
}

/** Either the file has the keys of a search, or each item of "searches" has. */
static enum sciara_status read_searches(const struct sciara_ensemble_reading *r, struct sciara_calibration_file *f) {
  const cJSON *searches = sciara_json_get(f->tree, "searches"), *unknowns = sciara_json_get(f->tree, "unknowns"),
              *entry;
  const size_t count = searches ? (size_t)cJSON_GetArraySize(searches) : 1;
  size_t k = 0;
  if (searches && unknowns)
    return sciara_ensemble_refuse(r, "searches", SCIARA_NO_INDEX, NULL, "them together with unknowns",
                                  "one of the two: each search has its own unknowns");
  if (!searches && !unknowns)
    return sciara_ensemble_refuse(r, "unknowns", SCIARA_NO_INDEX, NULL, "nothing", "unknowns, or searches");
  if (count == 0) return sciara_ensemble_refuse(r, "searches", SCIARA_NO_INDEX, NULL, "none", "at least one search");
  SCIARA_TRY(SCIARA_NEW(f->search, count, "the searches"));
  f->search_count = count;
  for (k = 0; k < count; k++) f->search[k].file = f;
  if (!searches) {
    f->search->budget = f->budget;
    return sciara_unknowns_read(r, unknowns, f->search);
  }
  k = 0;
  cJSON_ArrayForEach(entry, searches) sciara_diagnostics_add(r->diagnostics, read_search(r, entry, k++, f));
  return share_budget(r, searches, f);
}

static enum sciara_status refuse_budget(const struct sciara_calibration_search *s, const char *allowed) {
  if (!s->name)
    return sciara_fail(SCIARA_ERR_INPUT, "%s: budget: expected %s; found %zu", s->file->path, allowed, s->budget);
  return sciara_fail(SCIARA_ERR_INPUT, "%s: %sshare: expected %s; found %zu of the budget of %zu", s->file->path,
                     s->path, allowed, s->budget, s->file->budget);
}

/** There is a generation at least; a design of sensitivity has whole trajectories or rows, and enough of them. */
static enum sciara_status check_budget(const struct sciara_ensemble_reading *r, struct sciara_calibration_search *s) {
  const size_t size = group_of(s), n = s->unknown_count;
  const bool morris = s->file->design == SCIARA_DESIGN_MORRIS;
  char found[64], allowed[192];
  if (s->budget == 0) return refuse_budget(s, "at least one evaluation");
  s->population = s->file->population > 0 ? s->file->population : 4 + (int)(3 * sciara_ln((double)n));
  snprintf(allowed, sizeof allowed, "at least a generation, %d", s->population);
  if (s->file->design == SCIARA_DESIGN_CMAES && s->budget < (size_t)s->population) return refuse_budget(s, allowed);
  if (size == 0) return SCIARA_OK;
  snprintf(found, sizeof found, "%zu", n);
  snprintf(allowed, sizeof allowed, "at most %d with the design \"saltelli\"", SALTELLI_MOST);
  if (!morris && n > SALTELLI_MOST) return sciara_unknowns_refuse(r, s, SCIARA_NO_INDEX, NULL, found, allowed);
  const size_t least = size * (morris ? MORRIS_LEAST : SALTELLI_LEAST), most = BUDGET_MOST / size * size;
  const size_t below = s->budget / size * size, above = below + size;
  if (below == s->budget && below >= least) return SCIARA_OK;
  int length =
      snprintf(allowed, sizeof allowed, "a multiple of %zu, the evaluations of a %s, at least %zu; nearest: ", size,
               morris ? "trajectory" : "row", least);
  if (below < least || above > most)
    snprintf(allowed + length, sizeof allowed - (size_t)length, "%zu", below < least ? least : most);
  else
    snprintf(allowed + length, sizeof allowed - (size_t)length, "%zu or %zu", below, above);
  return refuse_budget(s, allowed);
}

// ----------------------------------------------------------------------------------------------------------- scenarios

/** What stands for the content of a scenario and of the files of its rates. */
static uint64_t hash_of(const struct sciara_scenario_spec *s) {
  uint64_t hash = sciara_hash_bytes(SCIARA_HASH_BEGIN, s->json, strlen(s->json));
  for (size_t k = 0; k < s->vent_count; k++) {
    const struct sciara_vent_spec *v = &s->vents[k];
    hash = sciara_hash_bytes(hash, v->edges, (v->rate_count + 1) * sizeof *v->edges);
    hash = sciara_hash_bytes(hash, v->rates, v->rate_count * sizeof *v->rates);
  }
  return hash;
}

enum sciara_status sciara_calibration_scenario(const struct sciara_calibration_file *f, size_t n,
                                               struct sciara_scenario_spec *out) {
  SCIARA_TRY(sciara_scenario_read(f->scenario[n], NULL, 0, &sciara_no_notes, out));
  if (hash_of(out) == f->hash[n]) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: expected the scenario and its rates as when the calibration of %s began, found a change",
                     f->scenario[n], f->path);
}

/** Reads a scenario with a set of keys. */
static enum sciara_status read_with(const char *path, const struct sciara_key_set *keys,
                                    struct sciara_scenario_spec *out) {
  char **override;
  SCIARA_TRY(SCIARA_NEW(override, keys->count, "the unknowns"));
  enum sciara_status status = SCIARA_OK;
  for (size_t k = 0; k < keys->count && status == SCIARA_OK; k++) {
    override[k] = sciara_format("%s=%s", keys->key[k], keys->value[k]);
    if (!override[k]) status = sciara_no_memory("a calibration");
  }
  if (status == SCIARA_OK)
    status = sciara_scenario_read(path, (const char *const *) override, keys->count, &sciara_no_notes, out);
  for (size_t k = 0; k < keys->count; k++) free(override[k]);
  sciara_free(override);
  return status;
}

/** The middle of the bounds must be a valid scenario. */
static enum sciara_status check_middle(const struct sciara_calibration_search *s, size_t n,
                                       const struct sciara_scenario_spec *scenario) {
  double value[SCIARA_UNKNOWNS_MOST];
  struct sciara_scenario_spec middle = {0};
  struct sciara_key_set keys = {0};
  sciara_unknowns_middle(s, value); // vents: where they are
  enum sciara_status status = sciara_calibration_set(s, value, scenario, &keys);
  if (status == SCIARA_OK) status = read_with(s->file->scenario[n], &keys, &middle);
  sciara_scenario_free(&middle);
  sciara_key_set_free(&keys);
  if (status != SCIARA_OK)
    sciara_fail_context(status, "%s: %sunknowns: in the middle of their bounds", s->file->path, s->path);
  return status == SCIARA_ERR_USAGE ? SCIARA_ERR_INPUT : status;
}

/** The rule that a scenario has in a search; reads its model. */
static enum sciara_status find_rule(const struct sciara_calibration_search *s, size_t n,
                                    const struct sciara_scenario_spec *scenario, enum sciara_rule_kind *rule) {
  struct sciara_scenario_spec changed = {0};
  struct sciara_key_set keys = {0};
  const char *key = "model";
  *rule = scenario->params.rule;
  if (!s->model) return SCIARA_OK;
  enum sciara_status status = sciara_key_set_make(&key, (const char *const *)&s->model, 1, scenario, &keys);
  if (status == SCIARA_OK) status = read_with(s->file->scenario[n], &keys, &changed);
  if (status == SCIARA_OK) *rule = changed.params.rule;
  sciara_scenario_free(&changed);
  sciara_key_set_free(&keys);
  if (status != SCIARA_OK) sciara_fail_context(status, "%s: %smodel", s->file->path, s->path);
  return status == SCIARA_ERR_USAGE ? SCIARA_ERR_INPUT : status;
}

/** Keys of "model" are keys of the rule that a scenario has in a search. */
static void check_rule(const struct sciara_ensemble_reading *r, const struct sciara_calibration_search *s,
                       const char *scenario, enum sciara_rule_kind rule) {
  char plain[256], found[384], allowed[SCIARA_QUOTED_WORD], counterpart[SCIARA_COUNTERPART_TEXT];
  const struct sciara_prior *prior = s->prior.prior;
  snprintf(allowed, sizeof allowed, "a prior of rule %s, which %s%s has", sciara_rule_name(rule),
           s->model ? s->path : scenario, s->model ? "model" : "");
  if (prior && prior->rule != rule) {
    snprintf(found, sizeof found, "\"%s\", a prior of rule %s", prior->name, sciara_rule_name(prior->rule));
    sciara_diagnostics_add(r->diagnostics,
                           sciara_unknowns_refuse(r, s, s->unknown[s->prior_first].entry, "prior", found, allowed));
  }
  for (size_t k = 0; k < s->unknown_count; k++) {
    if (s->unknown[k].of_prior) continue;
    if (!sciara_member_key_plain(s->unknown[k].key, plain, sizeof plain) || strncmp(plain, "model.", 6) != 0) continue;
    const struct sciara_scenario_key *key = sciara_scenario_key_find("model", plain + 6);
    if (!key || sciara_scenario_key_is_of(key, rule)) continue;
    sciara_scenario_counterpart(plain + 6, counterpart);
    snprintf(found, sizeof found, "\"%s\", a key of %s%s", plain, sciara_scenario_key_rule(key), counterpart);
    snprintf(allowed, sizeof allowed, "a key of rule %s, which %s%s has", sciara_rule_name(rule),
             s->model ? s->path : scenario, s->model ? "model" : "");
    sciara_diagnostics_add(r->diagnostics, sciara_unknowns_refuse(r, s, s->unknown[k].entry, "key", found, allowed));
  }
}

/** What a search needs of scenario `n`. */
static enum sciara_status check_search(struct sciara_calibration_search *s, size_t n,
                                       const struct sciara_scenario_spec *scenario,
                                       struct sciara_diagnostics *diagnostics) {
  const struct sciara_ensemble_reading r = {.file = s->file->path, .diagnostics = diagnostics};
  const size_t before = diagnostics->count;
  enum sciara_rule_kind rule;
  SCIARA_TRY(find_rule(s, n, scenario, &rule));
  if (n == 0) s->rule = rule;
  check_rule(&r, s, s->file->scenario[n], rule);
  sciara_unknowns_take_positions(&r, s, n, scenario);
  return diagnostics->count == before ? check_middle(s, n, scenario) : SCIARA_OK;
}

/**
 * Reads the scenarios of a file as they are, with the model of each search, and in the middle of its bounds, which must be
 * valid; sets their hashes and the rules of the searches. Problems are added to `diagnostics`.
 */
static void check_scenarios(struct sciara_calibration_file *f, struct sciara_diagnostics *diagnostics) {
  bool refused[SCIARA_SEARCHES_MOST] = {false}; // the same would be said of each scenario
  for (size_t n = 0; n < f->scenario_count; n++) {
    struct sciara_scenario_spec spec = {0};
    const size_t before = diagnostics->count;
    sciara_scenario_read_all(f->scenario[n], NULL, 0, &sciara_no_notes, &spec,
                             diagnostics); // they are said once, by the evaluator
    const bool valid = diagnostics->count == before;
    if (valid) f->hash[n] = hash_of(&spec);
    for (size_t k = 0; k < f->search_count && valid; k++) {
      const size_t present = diagnostics->count;
      if (!refused[k]) sciara_diagnostics_add(diagnostics, check_search(&f->search[k], n, &spec, diagnostics));
      refused[k] |= diagnostics->count > present;
    }
    sciara_scenario_free(&spec);
  }
}

// ----------------------------------------------------------------------------------------------------------------- all

static enum sciara_status read_design(const struct sciara_ensemble_reading *r, struct sciara_calibration_file *f) {
  const cJSON *design = sciara_json_get(f->tree, "design");
  for (size_t k = 0; design && k < SCIARA_DESIGNS; k++)
    if (strcmp(design->valuestring, sciara_calibration_designs[k]) == 0) f->design = (enum sciara_calibration_design)k;
  f->budget = (size_t)sciara_json_double(f->tree, "budget", 0);
  f->population = (int)sciara_json_double(f->tree, "population", 0);
  f->seed = (uint64_t)sciara_json_double(f->tree, "seed", 1);
  f->min_thickness_m = sciara_json_double(f->tree, "min_thickness_m", 0);
  f->run_out_penalty = sciara_json_double(f->tree, "runout_penalty", 0);
  const bool each_counts = f->design == SCIARA_DESIGN_MORRIS || f->design == SCIARA_DESIGN_SALTELLI;
  const cJSON *early = sciara_json_get(f->tree, "early_stop");
  f->early_stop = early ? cJSON_IsTrue(early) : !each_counts;
  if (f->early_stop && each_counts)
    return sciara_ensemble_refuse(r, "early_stop", SCIARA_NO_INDEX, NULL, "true",
                                  "false with the designs \"morris\" and \"saltelli\", which need every score");
  if (f->population > 0 && f->design != SCIARA_DESIGN_CMAES)
    return sciara_ensemble_refuse(r, "population", SCIARA_NO_INDEX, NULL, "it with another design",
                                  "it only with the design \"cma-es\"");
  return SCIARA_OK;
}

static enum sciara_status read_tree(const struct reading *c) {
  const struct sciara_ensemble_reading *r = &c->r;
  struct sciara_calibration_file *f = c->file;
  SCIARA_TRY(sciara_json_read(f->path, &f->tree));
  sciara_tree_check(f->path, f->tree, SCIARA_CALIBRATION_KEYS, r->diagnostics);
  if (r->diagnostics->count > 0) return SCIARA_OK;
  SCIARA_TRY(read_design(r, f));
  SCIARA_TRY(read_pairs(c));
  SCIARA_TRY(read_searches(r, f));
  if (r->diagnostics->count == 0) check_scenarios(f, r->diagnostics);
  for (size_t k = 0; k < f->search_count && r->diagnostics->count == 0; k++) SCIARA_TRY(check_budget(r, &f->search[k]));
  return SCIARA_OK;
}

void sciara_calibration_file_read(const char *path, const char *const *extra_drivers, size_t extra_driver_count,
                                  struct sciara_calibration_file *out, struct sciara_diagnostics *diagnostics) {
  char *folder = sciara_path_folder(path);
  const struct reading c = {.r = {.file = path, .folder = folder, .diagnostics = diagnostics},
                            .file = out,
                            .extra_drivers = extra_drivers,
                            .extra_driver_count = extra_driver_count};
  *out = (struct sciara_calibration_file){.path = path};
  sciara_diagnostics_add(diagnostics, folder ? read_tree(&c) : sciara_no_memory("a calibration"));
  free(folder);
}
