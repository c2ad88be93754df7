// SPDX-License-Identifier: Apache-2.0
#include "calibrate/calibration_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "calibrate/sensitivity.h"
#include "ensemble/ensemble_reading.h"
#include "ensemble/member_keys.h"
#include "file/durable.h"
#include "model/detmath.h"
#include "plan/points.h"

enum {
  BUDGET_MOST = 1000000, // as in the table of keys
  NAMES = 3,             // of a pair
  EXTENTS_MOST = 100,
};

/** A file that is being read. */
struct reading {
  struct sciara_ensemble_reading r;
  struct sciara_calibration_file *file;
  const char *const *extra_drivers;
  size_t extra_driver_count;
};

static enum sciara_status no_memory(void) { return sciara_fail(SCIARA_ERR_MEMORY, "no memory for a calibration"); }

void sciara_calibration_file_free(struct sciara_calibration_file *f) {
  for (size_t k = 0; f->scenario && k < f->scenario_count; k++) free(f->scenario[k]);
  for (size_t k = 0; f->name && k < f->name_count; k++) free(f->name[k]);
  sciara_free(f->scenario);
  sciara_free(f->hash);
  sciara_free(f->name);
  sciara_observed_list_free(&f->extents);
  sciara_free(f->unknown);
  cJSON_Delete(f->tree);
  *f = (struct sciara_calibration_file){0};
}

double sciara_unknown_value(const struct sciara_unknown *u, double coordinate) {
  const double low = u->log ? sciara_ln(u->min) : u->min, high = u->log ? sciara_ln(u->max) : u->max;
  const double at = low + coordinate * (high - low), value = u->log ? sciara_exp(at) : at;
  return value < u->min ? u->min : value > u->max ? u->max : value;
}

size_t sciara_calibration_group(const struct sciara_calibration_file *f) {
  return f->design == SCIARA_DESIGN_MORRIS     ? f->unknown_count + 1
         : f->design == SCIARA_DESIGN_SALTELLI ? f->unknown_count + 2
                                               : 0;
}

enum sciara_status sciara_calibration_set(const struct sciara_calibration_file *f, const double *value,
                                          const struct sciara_scenario_spec *scenario, struct sciara_key_set *out) {
  const char *key[SCIARA_UNKNOWNS_MOST], *text[SCIARA_UNKNOWNS_MOST];
  char number[SCIARA_UNKNOWNS_MOST][40];
  for (size_t k = 0; k < f->unknown_count; k++) {
    sciara_json_number(value[k], number[k], sizeof number[k]);
    key[k] = f->unknown[k].key;
    text[k] = number[k];
  }
  return sciara_key_set_make(key, text, f->unknown_count, scenario, out);
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
  if (!name[2]) return no_memory();
  const struct sciara_evaluate_observed one = {.scenario = number,
                                               .path = name[0],
                                               .layer = layer ? layer->valuestring : NULL,
                                               .place = name[2],
                                               .region = name[1],
                                               .at_s = at ? sciara_scenario_seconds(at) : (double)INFINITY,
                                               .at_date = date ? date->valuestring : NULL,
                                               .weight = sciara_json_double(pair, "weight", 1),
                                               .held_out = cJSON_IsTrue(sciara_json_get(pair, "hold_out"))};
  return sciara_observed_add(&f->extents, &one, dates ? dates->valuestring : NULL, c->extra_drivers,
                             c->extra_driver_count);
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

// ------------------------------------------------------------------------------------------------------------ unknowns

/** Whether a bound lies in the range of its key. */
static bool is_allowed(const struct sciara_scenario_key *key, double bound) {
  if (!(key->low < key->high)) return true;
  return bound <= key->high && (key->low_allowed ? bound >= key->low : bound > key->low);
}

static enum sciara_status check_bounds(const struct sciara_ensemble_reading *r, size_t k,
                                       const struct sciara_scenario_key *key, const struct sciara_unknown *u) {
  const double bounds[2] = {u->min, u->max};
  static const char *const names[2] = {"min", "max"};
  char found[40], allowed[192];
  for (size_t n = 0; n < 2; n++) {
    if (is_allowed(key, bounds[n])) continue;
    sciara_json_number(bounds[n], found, sizeof found);
    sciara_scenario_key_allowed(key, allowed, sizeof allowed);
    return sciara_ensemble_refuse(r, "unknowns", k, names[n], found, allowed);
  }
  sciara_json_number(u->max, found, sizeof found);
  if (!(u->min < u->max)) return sciara_ensemble_refuse(r, "unknowns", k, "max", found, "a number above min");
  sciara_json_number(u->min, found, sizeof found);
  if (u->log && !(u->min > 0))
    return sciara_ensemble_refuse(r, "unknowns", k, "min", found, "a number above 0 together with log");
  return SCIARA_OK;
}

static enum sciara_status read_unknown(const struct sciara_ensemble_reading *r, const cJSON *entry, size_t k,
                                       struct sciara_calibration_file *f) {
  struct sciara_unknown *u = &f->unknown[k];
  static const struct sciara_scenario_key rate_scale = {
      .path = SCIARA_RATE_SCALE, .type = SCIARA_KEY_NUMBER, .low_allowed = true, .high = SCIARA_RATE_SCALE_MAX};
  const struct sciara_scenario_key *key = &rate_scale;
  enum sciara_status status = SCIARA_OK;
  *u = (struct sciara_unknown){.key = sciara_json_get(entry, "key")->valuestring,
                               .min = sciara_json_double(entry, "min", 0),
                               .max = sciara_json_double(entry, "max", 0),
                               .log = cJSON_IsTrue(sciara_json_get(entry, "log"))};
  if (strcmp(u->key, SCIARA_RATE_SCALE) != 0) status = sciara_member_key_check(u->key, &key);
  if (status != SCIARA_OK) return sciara_fail_context(status, "%s: unknowns[%zu].key", r->file, k);
  if (key->type != SCIARA_KEY_NUMBER && key->type != SCIARA_KEY_DURATION)
    return sciara_ensemble_refuse(r, "unknowns", k, "key", u->key, "a key whose value is a number or a duration");
  for (size_t n = 0; n < k; n++)
    if (sciara_member_key_same(f->unknown[n].key, u->key))
      return sciara_ensemble_refuse(r, "unknowns", k, "key", u->key, "each key once");
  return check_bounds(r, k, key, u);
}

/** Keys of "model" are keys of the rule of every scenario. */
static void check_rule(const struct sciara_ensemble_reading *r, const struct sciara_calibration_file *f,
                       const char *scenario, enum sciara_rule_kind rule) {
  for (size_t k = 0; k < f->unknown_count; k++) {
    char plain[256], found[320], allowed[SCIARA_QUOTED_WORD];
    if (!sciara_member_key_plain(f->unknown[k].key, plain, sizeof plain) || strncmp(plain, "model.", 6) != 0) continue;
    const struct sciara_scenario_key *key = sciara_scenario_key_find("model", plain + 6);
    if (!key || sciara_scenario_key_is_of(key, rule)) continue;
    snprintf(found, sizeof found, "\"%s\", a key of %s", plain, sciara_scenario_key_rule(key));
    snprintf(allowed, sizeof allowed, "a key of rule %s, which %s has", sciara_rule_name(rule), scenario);
    sciara_diagnostics_add(r->diagnostics, sciara_ensemble_refuse(r, "unknowns", k, "key", found, allowed));
  }
}

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

enum sciara_status sciara_calibration_scenario(const struct sciara_calibration_file *f,
                                               struct sciara_scenario_spec *out) {
  SCIARA_TRY(sciara_scenario_read(f->scenario[0], NULL, 0, out));
  if (hash_of(out) == f->hash[0]) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "%s: expected the scenario and its rates as when the calibration of %s began, found a change",
                     f->scenario[0], f->path);
}

/** The middle of the bounds must be a valid scenario. */
static enum sciara_status check_middle(const struct sciara_calibration_file *f, size_t n,
                                       const struct sciara_scenario_spec *scenario) {
  double value[SCIARA_UNKNOWNS_MOST];
  struct sciara_scenario_spec middle = {0};
  struct sciara_key_set keys = {0};
  char **override;
  for (size_t k = 0; k < f->unknown_count; k++) value[k] = sciara_unknown_value(&f->unknown[k], 0.5);
  enum sciara_status status = sciara_calibration_set(f, value, scenario, &keys);
  if (status == SCIARA_OK) status = SCIARA_NEW(override, keys.count, "the unknowns");
  if (status == SCIARA_OK) {
    for (size_t k = 0; k < keys.count && status == SCIARA_OK; k++) {
      override[k] = sciara_format("%s=%s", keys.key[k], keys.value[k]);
      if (!override[k]) status = no_memory();
    }
    if (status == SCIARA_OK)
      status = sciara_scenario_read(f->scenario[n], (const char *const *) override, keys.count, &middle);
    for (size_t k = 0; k < keys.count; k++) free(override[k]);
    sciara_free(override);
  }
  sciara_scenario_free(&middle);
  sciara_key_set_free(&keys);
  if (status != SCIARA_OK) sciara_fail_context(status, "%s: unknowns: in the middle of their bounds", f->path);
  return status == SCIARA_ERR_USAGE ? SCIARA_ERR_INPUT : status;
}

/** Reads each scenario as it is, for its rule, and in the middle of the bounds. */
static enum sciara_status check_scenarios(const struct sciara_ensemble_reading *r, struct sciara_calibration_file *f) {
  enum sciara_status status = SCIARA_OK;
  for (size_t n = 0; n < f->scenario_count && status == SCIARA_OK; n++) {
    struct sciara_scenario_spec spec = {0};
    const size_t before = r->diagnostics->count;
    sciara_scenario_read_all(f->scenario[n], NULL, 0, &spec, r->diagnostics);
    if (r->diagnostics->count == before) {
      f->hash[n] = hash_of(&spec);
      check_rule(r, f, f->scenario[n], spec.params.rule);
    }
    if (r->diagnostics->count == before) status = check_middle(f, n, &spec);
    sciara_scenario_free(&spec);
  }
  return status;
}

static enum sciara_status read_unknowns(const struct sciara_ensemble_reading *r, struct sciara_calibration_file *f) {
  const cJSON *unknowns = sciara_json_get(f->tree, "unknowns"), *entry;
  SCIARA_TRY(SCIARA_NEW(f->unknown, (size_t)cJSON_GetArraySize(unknowns), "the unknowns"));
  cJSON_ArrayForEach(entry, unknowns) {
    const size_t k = f->unknown_count++;
    sciara_diagnostics_add(r->diagnostics, read_unknown(r, entry, k, f));
  }
  if (f->unknown_count == 0)
    return sciara_ensemble_refuse(r, "unknowns", SCIARA_NO_INDEX, NULL, "none", "at least one unknown");
  if (f->design == SCIARA_DESIGN_SOBOL && f->unknown_count > SCIARA_SOBOL_DIMENSIONS) {
    char found[32], allowed[64];
    snprintf(found, sizeof found, "%zu", f->unknown_count);
    snprintf(allowed, sizeof allowed, "at most %d with the design \"sobol\"", SCIARA_SOBOL_DIMENSIONS);
    return sciara_ensemble_refuse(r, "unknowns", SCIARA_NO_INDEX, NULL, found, allowed);
  }
  return r->diagnostics->count > 0 ? SCIARA_OK : check_scenarios(r, f);
}

// ----------------------------------------------------------------------------------------------------------------- all

static enum sciara_status read_design(const struct sciara_ensemble_reading *r, struct sciara_calibration_file *f) {
  static const char *const names[] = {[SCIARA_DESIGN_CMAES] = "cma-es",
                                      [SCIARA_DESIGN_LHS] = "lhs",
                                      [SCIARA_DESIGN_SOBOL] = "sobol",
                                      [SCIARA_DESIGN_MORRIS] = "morris",
                                      [SCIARA_DESIGN_SALTELLI] = "saltelli"};
  const cJSON *design = sciara_json_get(f->tree, "design");
  for (size_t k = 0; design && k < sizeof names / sizeof *names; k++)
    if (strcmp(design->valuestring, names[k]) == 0) f->design = (enum sciara_calibration_design)k;
  f->budget = (size_t)sciara_json_double(f->tree, "budget", 0);
  f->population = (int)sciara_json_double(f->tree, "population", 0);
  f->seed = (uint64_t)sciara_json_double(f->tree, "seed", 1);
  f->min_thickness_m = sciara_json_double(f->tree, "min_thickness_m", 0);
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

/** A design of sensitivity has whole trajectories or rows, and enough of them. */
static enum sciara_status check_groups(const struct sciara_ensemble_reading *r,
                                       const struct sciara_calibration_file *f) {
  const size_t size = sciara_calibration_group(f), n = f->unknown_count;
  const bool morris = f->design == SCIARA_DESIGN_MORRIS;
  char found[32], allowed[192];
  if (size == 0) return SCIARA_OK;
  snprintf(found, sizeof found, "%zu", n);
  snprintf(allowed, sizeof allowed, "at most %d with the design \"saltelli\"", SCIARA_SALTELLI_UNKNOWNS);
  if (!morris && n > SCIARA_SALTELLI_UNKNOWNS)
    return sciara_ensemble_refuse(r, "unknowns", SCIARA_NO_INDEX, NULL, found, allowed);
  const size_t least = size * (morris ? SCIARA_MORRIS_LEAST : SCIARA_SALTELLI_LEAST), most = BUDGET_MOST / size * size;
  const size_t below = f->budget / size * size, above = below + size;
  if (below == f->budget && below >= least) return SCIARA_OK;
  int length =
      snprintf(allowed, sizeof allowed, "a multiple of %zu, the evaluations of a %s, at least %zu; nearest: ", size,
               morris ? "trajectory" : "row", least);
  if (below < least || above > most)
    snprintf(allowed + length, sizeof allowed - (size_t)length, "%zu", below < least ? least : most);
  else
    snprintf(allowed + length, sizeof allowed - (size_t)length, "%zu or %zu", below, above);
  snprintf(found, sizeof found, "%zu", f->budget);
  return sciara_ensemble_refuse(r, "budget", SCIARA_NO_INDEX, NULL, found, allowed);
}

static enum sciara_status read_tree(const struct reading *c) {
  const struct sciara_ensemble_reading *r = &c->r;
  struct sciara_calibration_file *f = c->file;
  SCIARA_TRY(sciara_json_read(f->path, &f->tree));
  sciara_calibration_tree_check(f->path, f->tree, r->diagnostics);
  if (r->diagnostics->count > 0) return SCIARA_OK;
  SCIARA_TRY(read_design(r, f));
  SCIARA_TRY(read_pairs(c));
  SCIARA_TRY(read_unknowns(r, f));
  return r->diagnostics->count > 0 ? SCIARA_OK : check_groups(r, f);
}

void sciara_calibration_file_read(const char *path, const char *const *extra_drivers, size_t extra_driver_count,
                                  struct sciara_calibration_file *out, struct sciara_diagnostics *diagnostics) {
  char *folder = sciara_path_folder(path);
  const struct reading c = {.r = {.file = path, .folder = folder, .diagnostics = diagnostics},
                            .file = out,
                            .extra_drivers = extra_drivers,
                            .extra_driver_count = extra_driver_count};
  *out = (struct sciara_calibration_file){.path = path};
  sciara_diagnostics_add(diagnostics, folder ? read_tree(&c) : no_memory());
  free(folder);
}
