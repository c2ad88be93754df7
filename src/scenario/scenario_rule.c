// SPDX-License-Identifier: Apache-2.0
// Keys under "model" that belong to another rule than that of the scenario.
#include <string.h>

#include "model/params.h"
#include "scenario/scenario_keys.h"

void sciara_scenario_counterpart(const char *key, char text[SCIARA_COUNTERPART_TEXT]) {
  static const char *const pairs[][2] = {{"dissipation_vent", "viscosity_vent_Pa_s"},
                                         {"dissipation_sol", "viscosity_sol_Pa_s"},
                                         {"critical_height_vent_m", "yield_strength_vent_Pa"},
                                         {"critical_height_sol_m", "yield_strength_sol_Pa"},
                                         {"cooling", "radiating_share"}};
  *text = '\0';
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
    for (int i = 0; i < 2; i++)
      if (strcmp(key, pairs[k][i]) == 0)
        snprintf(text, SCIARA_COUNTERPART_TEXT, ", whose counterpart is model.%s", pairs[k][1 - i]);
}

/** What does not belong to the rule of a "model". */
struct strange {
  const char *file;
  const struct sciara_json_path *path;
  enum sciara_rule_kind rule;
  const cJSON *key; ///< the first one
  size_t keys;
  const struct sciara_preset *preset; ///< of another rule; NULL: it is of this rule, or none is given
  char names[256];                    ///< of the keys
};

static enum sciara_status refuse_key(const struct strange *s) {
  const struct sciara_scenario_key *key = sciara_scenario_key_find("model", s->key->string);
  const enum sciara_rule_kind other =
      sciara_scenario_key_is_of(key, SCIARA_RULE_FV3) ? SCIARA_RULE_FV3 : SCIARA_RULE_BINGHAM;
  char found[128], allowed[256], counterpart[SCIARA_COUNTERPART_TEXT];
  sciara_scenario_counterpart(s->key->string, counterpart);
  snprintf(found, sizeof found, "a key of rule \"%s\"%s", sciara_rule_name(other), counterpart);
  snprintf(allowed, sizeof allowed, "a key of rule \"%s\", or \"rule\": \"%s\"", sciara_rule_name(s->rule),
           sciara_rule_name(other));
  return sciara_scenario_refuse(s->file, &(struct sciara_json_path){.parent = s->path, .key = s->key->string}, found,
                                allowed);
}

static enum sciara_status refuse_preset(const struct strange *s) {
  char found[128], allowed[256];
  snprintf(found, sizeof found, "\"%s\", a set of rule \"%s\"", s->preset->name,
           sciara_rule_name(s->preset->params.rule));
  snprintf(allowed, sizeof allowed, "a set of rule \"%s\"", sciara_rule_name(s->rule));
  return sciara_scenario_refuse(s->file, &(struct sciara_json_path){.parent = s->path, .key = "preset"}, found,
                                allowed);
}

/** Many keys are one problem: the file was written for another rule. */
static enum sciara_status refuse_all(const struct strange *s) {
  char found[512], allowed[256];
  snprintf(found, sizeof found, "%zu %s of another rule: %s", s->keys, sciara_plural(s->keys, "key", "keys"), s->names);
  snprintf(
      allowed, sizeof allowed,
      "keys of rule \"%s\" (write the file anew: 'sciara init DEM ... --set model.rule=%s'; or remove those of the "
      "other rule)",
      sciara_rule_name(s->rule), sciara_rule_name(s->rule));
  return sciara_scenario_refuse(s->file, s->path, found, allowed);
}

void sciara_scenario_check_rule(const char *file, const struct sciara_json_path *path, const cJSON *model,
                                struct sciara_diagnostics *diagnostics) {
  struct strange s = {.file = file, .path = path, .rule = sciara_scenario_rule_of(model)};
  const cJSON *child, *preset = cJSON_GetObjectItemCaseSensitive(model, "preset");
  cJSON_ArrayForEach(child, model) {
    const struct sciara_scenario_key *key = sciara_scenario_key_find("model", child->string);
    if (!key || sciara_scenario_key_is_of(key, s.rule)) continue;
    const size_t length = strlen(s.names);
    snprintf(s.names + length, sizeof s.names - length, "%s%s", s.keys++ ? ", " : "", child->string);
    if (!s.key) s.key = child;
  }
  s.preset = cJSON_IsString(preset) ? sciara_preset_find(preset->valuestring) : NULL;
  if (s.preset && s.preset->params.rule == s.rule) s.preset = NULL;
  if (s.preset && s.keys > 0) {
    const size_t length = strlen(s.names);
    snprintf(s.names + length, sizeof s.names - length, ", preset");
    s.keys++;
  }
  if (s.keys > 1)
    sciara_diagnostics_add(diagnostics, refuse_all(&s));
  else if (s.keys == 1)
    sciara_diagnostics_add(diagnostics, refuse_key(&s));
  else if (s.preset)
    sciara_diagnostics_add(diagnostics, refuse_preset(&s));
}
