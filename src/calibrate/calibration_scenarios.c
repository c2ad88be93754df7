// SPDX-License-Identifier: Apache-2.0
#include "calibrate/calibration_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "calibrate/unknowns.h"
#include "ensemble/ensemble_reading.h"
#include "ensemble/member_keys.h"

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
  SCIARA_TRY(sciara_scenario_read(f->scenario[n], NULL, 0, out));
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
    if (!override[k]) status = sciara_fail(SCIARA_ERR_MEMORY, "no memory for a calibration");
  }
  if (status == SCIARA_OK) status = sciara_scenario_read(path, (const char *const *) override, keys->count, out);
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
  for (size_t k = 0; k < s->unknown_count; k++)
    value[k] = sciara_unknown_value(&s->unknown[k], 0.5); // vents: where they are
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
static void check_rule(const struct sciara_calibration_search *s, const char *scenario, enum sciara_rule_kind rule,
                       struct sciara_diagnostics *diagnostics) {
  char plain[256], place[64], found[384], allowed[SCIARA_QUOTED_WORD], counterpart[SCIARA_COUNTERPART_TEXT];
  const struct sciara_ensemble_reading r = {.file = s->file->path, .diagnostics = diagnostics};
  for (size_t k = 0; k < s->unknown_count; k++) {
    if (!sciara_member_key_plain(s->unknown[k].key, plain, sizeof plain) || strncmp(plain, "model.", 6) != 0) continue;
    const struct sciara_scenario_key *key = sciara_scenario_key_find("model", plain + 6);
    if (!key || sciara_scenario_key_is_of(key, rule)) continue;
    snprintf(place, sizeof place, "%sunknowns", s->path);
    sciara_scenario_counterpart(plain + 6, counterpart);
    snprintf(found, sizeof found, "\"%s\", a key of %s%s", plain, sciara_scenario_key_rule(key), counterpart);
    snprintf(allowed, sizeof allowed, "a key of rule %s, which %s%s has", sciara_rule_name(rule),
             s->model ? s->path : scenario, s->model ? "model" : "");
    sciara_diagnostics_add(diagnostics, sciara_ensemble_refuse(&r, place, s->unknown[k].entry, "key", found, allowed));
  }
}

/** Takes the places of the vents whose positions are searched. */
static void take_discs(const struct sciara_calibration_search *s, size_t n, const struct sciara_scenario_spec *scenario,
                       struct sciara_diagnostics *diagnostics) {
  char place[64], found[160], allowed[400];
  const struct sciara_ensemble_reading r = {.file = s->file->path, .diagnostics = diagnostics};
  snprintf(place, sizeof place, "%sunknowns", s->path);
  for (size_t k = 0; k < s->unknown_count; k++) {
    const struct sciara_unknown *u = &s->unknown[k];
    if (!u->disc || u->axis > 0) continue;
    sciara_vent_disc_take(u->disc, scenario, n == 0, found, allowed);
    if (*found) sciara_diagnostics_add(diagnostics, sciara_ensemble_refuse(&r, place, u->entry, "key", found, allowed));
  }
}

static enum sciara_status check_search(struct sciara_calibration_search *s, size_t n,
                                       const struct sciara_scenario_spec *scenario,
                                       struct sciara_diagnostics *diagnostics) {
  const size_t before = diagnostics->count;
  enum sciara_rule_kind rule;
  SCIARA_TRY(find_rule(s, n, scenario, &rule));
  if (n == 0) s->rule = rule;
  check_rule(s, s->file->scenario[n], rule, diagnostics);
  take_discs(s, n, scenario, diagnostics);
  return diagnostics->count == before ? check_middle(s, n, scenario) : SCIARA_OK;
}

void sciara_calibration_scenarios_check(struct sciara_calibration_file *f, struct sciara_diagnostics *diagnostics) {
  bool refused[SCIARA_SEARCHES_MOST] = {false}; // the same would be said of each scenario
  for (size_t n = 0; n < f->scenario_count; n++) {
    struct sciara_scenario_spec spec = {0};
    const size_t before = diagnostics->count;
    sciara_scenario_read_all(f->scenario[n], NULL, 0, &spec, diagnostics);
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
