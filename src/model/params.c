// SPDX-License-Identifier: Apache-2.0
#include "model/params.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"

#define NAME(IDENTIFIER, name, edition, KIND, published, with) #name,
static const char *const rule_names[] = {SCIARA_EACH_RULE(NAME, )};

#define CHOICE(IDENTIFIER, name, edition, KIND, published, with) #name "|"
const char sciara_rule_choices[] = SCIARA_EACH_RULE(CHOICE, );

const char *sciara_rule_title(enum sciara_rule_kind rule) {
#define TITLE(IDENTIFIER, name, edition, KIND, published, with) "cellular automaton SCIARA, rule " #name,
  static const char *const titles[] = {SCIARA_EACH_RULE(TITLE, )};
  return rule == SCIARA_RULE_FV3 ? "cellular automaton SCIARA-fv3" : titles[rule]; // as in files of earlier versions
}

const char *sciara_rule_list(void) {
#define LISTED(IDENTIFIER, name, edition, KIND, published, with) ", " #name
  static const char list[] = SCIARA_EACH_RULE(LISTED, );
  return list + strlen(", ");
}

static const char *append_names(unsigned rules, const char *separator, char text[SCIARA_RULES_TEXT]) {
  const char *before = *text ? separator : "";
  for (int k = 0; k < SCIARA_RULES; k++) {
    if (!(rules >> k & 1u)) continue;
    const size_t length = strlen(text);
    snprintf(text + length, SCIARA_RULES_TEXT - length, "%s%s", before, rule_names[k]);
    before = separator;
  }
  return text;
}

const char *sciara_rules_name(unsigned rules, char text[SCIARA_RULES_TEXT]) {
  *text = '\0';
  return append_names(rules, ", ", text);
}

const char *sciara_rules_title(unsigned rules, char text[SCIARA_RULES_TEXT]) {
  snprintf(text, SCIARA_RULES_TEXT, "cellular automaton SCIARA, rules");
  for (int k = 0; k < SCIARA_RULES; k++)
    if (rules == 1u << k) return sciara_rule_title((enum sciara_rule_kind)k);
  return append_names(rules, " ", text);
}

const char *sciara_rule_name(enum sciara_rule_kind rule) { return rule < SCIARA_RULES ? rule_names[rule] : ""; }

int64_t sciara_rule_edition(enum sciara_rule_kind rule) {
#define EDITION(IDENTIFIER, name, edition, KIND, published, with) edition,
  static const int64_t editions[] = {SCIARA_EACH_RULE(EDITION, )};
  return editions[rule];
}

int64_t sciara_rules_edition(unsigned rules) {
  int64_t latest = 1;
  for (int k = 0; k < SCIARA_RULES; k++)
    if (rules >> k & 1u && sciara_rule_edition((enum sciara_rule_kind)k) > latest)
      latest = sciara_rule_edition((enum sciara_rule_kind)k);
  return latest;
}

bool sciara_rule_find(const char *name, enum sciara_rule_kind *out) {
  for (int k = 0; k < SCIARA_RULES; k++)
    if (strcmp(rule_names[k], name) == 0) {
      *out = (enum sciara_rule_kind)k;
      return true;
    }
  return false;
}

static const struct sciara_param_info table[] = {
#define SCIARA_PARAM(member_, RULES_, key_, unit_, preset_, low_, low_allowed_, high_, text_) \
  {.rules = SCIARA_RULES_##RULES_,                                                            \
   .key = key_,                                                                               \
   .unit = unit_,                                                                             \
   .description = text_,                                                                      \
   .offset = offsetof(struct sciara_params, member_),                                         \
   .preset = preset_,                                                                         \
   .low = low_,                                                                               \
   .high = high_,                                                                             \
   .low_allowed = low_allowed_},
#include "model/params.def"
#undef SCIARA_PARAM
};

static const struct sciara_param_info references[] = {
#define SCIARA_PARAM(...)
#define SCIARA_REFERENCE(member_, RULES_, key_, text_) \
  {.rules = SCIARA_RULES_##RULES_,                     \
   .key = key_,                                        \
   .unit = "m",                                        \
   .description = text_,                               \
   .offset = offsetof(struct sciara_params, member_),  \
   .high = 1e6},
#include "model/params.def"
#undef SCIARA_PARAM
#undef SCIARA_REFERENCE
};

const struct sciara_param_info *sciara_reference_table(size_t *count) {
  *count = sizeof references / sizeof *references;
  return references;
}

const struct sciara_param_info *sciara_param_table(size_t *count) {
  *count = sizeof table / sizeof *table;
  return table;
}

uint64_t sciara_params_hash(uint64_t hash, const struct sciara_params *p) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (sciara_param_is_of(&table[i], p->rule))
      hash = sciara_hash_bytes(hash, (const char *)p + table[i].offset, sizeof(double));
  for (size_t i = 0; i < sizeof references / sizeof *references; i++) {
    double value;
    memcpy(&value, (const char *)p + references[i].offset, sizeof value);
    if (!(value > 0)) continue;
    if (i > 0) hash = sciara_hash_bytes(hash, references[i].key, strlen(references[i].key));
    hash = sciara_hash_bytes(hash, &value, sizeof value);
  }
  const char *name = sciara_rule_name(p->rule);
  return p->rule == SCIARA_RULE_FV3 ? hash : sciara_hash_bytes(hash, name, strlen(name));
}

struct sciara_params sciara_params_of_rule(enum sciara_rule_kind rule) {
  struct sciara_params p = {.rule = rule};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (sciara_param_is_of(&table[i], rule)) memcpy((char *)&p + table[i].offset, &table[i].preset, sizeof(double));
  return p;
}

struct sciara_params sciara_params_default(void) {
  return sciara_params_of_rule(SCIARA_RULE_FV3);
}

static enum sciara_status check_sheet_params(const struct sciara_params *p) {
  if (p->viscosity_sol < p->viscosity_vent)
    return sciara_fail(SCIARA_ERR_INPUT,
                       "model.viscosity_sol_Pa_s: found %.17g, expected at least model.viscosity_vent_Pa_s = %.17g: "
                       "colder lava is not thinner",
                       p->viscosity_sol, p->viscosity_vent);
  if ((p->yield_vent > 0) != (p->yield_sol > 0))
    return sciara_fail(
        SCIARA_ERR_INPUT,
        "model.yield_strength_%s_Pa: found 0, expected a yield strength above 0 at both temperatures, or 0 "
        "at both (Newtonian lava)",
        p->yield_vent > 0 ? "sol" : "vent");
  return SCIARA_OK;
}

bool sciara_params_misfit(const struct sciara_params *p, double cell_size) {
  const struct sciara_params d = sciara_params_default();
  const bool preset = p->rule == SCIARA_RULE_FV3 && p->dP_sol == d.dP_sol && p->dP_vent == d.dP_vent &&
                      p->hc_sol == d.hc_sol && p->hc_vent == d.hc_vent && p->cooling == d.cooling;
  const bool cured = cell_size < SCIARA_CELL_LEAST && p->cooling_reference > 0 && p->critical_height_reference > 0;
  return preset && !cured && (cell_size < SCIARA_CELL_LEAST || cell_size > SCIARA_CELL_MOST);
}

void sciara_misfit_print(double cell_size, char text[SCIARA_MISFIT_TEXT]) {
  snprintf(text, SCIARA_MISFIT_TEXT,
           "cells of %.6g m: the default parameters of rule fv3 belong to cells of %g to %g m, and lava runs out "
           "differently on others",
           cell_size, SCIARA_CELL_LEAST, SCIARA_CELL_MOST);
}

enum sciara_status sciara_params_check(const struct sciara_params *p) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const struct sciara_param_info *info = &table[i];
    if (!sciara_param_is_of(info, p->rule)) continue;
    double v;
    memcpy(&v, (const char *)p + info->offset, sizeof v);
    bool above = info->low_allowed ? v >= info->low : v > info->low;
    if (!isfinite(v) || !above || v > info->high)
      return sciara_fail(SCIARA_ERR_INPUT, "model.%s: found %.17g, expected %s%g to %g %s", info->key, v,
                         info->low_allowed ? "" : "above ", info->low, info->high, info->unit);
  }
  if (!(p->T_sol < p->T_vent))
    return sciara_fail(SCIARA_ERR_INPUT, "model.T_sol_K: found %.17g, expected below model.T_vent_K = %.17g", p->T_sol,
                       p->T_vent);
  return sciara_is_sheet(p->rule) ? check_sheet_params(p) : SCIARA_OK;
}

// ---------------------------------------------------------------------------------------------------------- named sets

static const struct sciara_preset presets[] = {
#define SCIARA_PRESET(name_, cell_size_, event_, source_, ...) \
  {.name = name_, .cell_size_m = cell_size_, .event = event_, .source = source_, .params = {__VA_ARGS__}},
#include "model/presets.def"
#undef SCIARA_PRESET
};

const char sciara_preset_choices[] =
#define SCIARA_PRESET(name_, ...) name_ "|"
#include "model/presets.def"
#undef SCIARA_PRESET
    ;

const struct sciara_preset *sciara_preset_table(size_t *count) {
  *count = sizeof presets / sizeof *presets;
  return presets;
}

const struct sciara_preset *sciara_preset_of_rule(enum sciara_rule_kind rule) {
  const struct sciara_preset *p = presets;
  while (p->params.rule != rule) p++; // each rule has one: unit.params
  return p;
}

const struct sciara_preset *sciara_preset_find(const char *name) {
  for (size_t k = 0; k < sizeof presets / sizeof *presets; k++)
    if (strcmp(presets[k].name, name) == 0) return &presets[k];
  return NULL;
}
