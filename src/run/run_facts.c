// SPDX-License-Identifier: Apache-2.0
#include "run/run_facts.h"

#include <stdio.h>

#include "base/date.h"
#include "file/json_strict.h"
#include "model/field.h"

static enum sciara_status add_number(struct sciara_map_facts *f, const char *name, double value) {
  char text[40];
  sciara_json_number(value, text, sizeof text);
  return sciara_map_facts_add(f, name, text);
}

/** The date of the map; none without that of the start. */
static enum sciara_status add_date(struct sciara_map_facts *f, const struct sciara_run_moment *m) {
  char text[SCIARA_DATE_SIZE];
  return sciara_date_after(m->start, m->time_s, text) ? sciara_map_facts_add(f, "Date", text) : SCIARA_OK;
}

static enum sciara_status add_parameters(struct sciara_map_facts *f, const struct sciara_params *p) {
  struct sciara_text t = {0};
  char number[40];
#define SCIARA_PARAM(member, RULES, key, ...)                            \
  if (SCIARA_RULES_##RULES >> p->rule & 1u) {                            \
    sciara_json_number(p->member, number, sizeof number);                \
    sciara_text_append(&t, "%s" key "=%s", t.length ? " " : "", number); \
  }
#include "model/params.def"
#undef SCIARA_PARAM
  const enum sciara_status status = t.failed == SCIARA_OK ? sciara_map_facts_add(f, "Parameters", t.data) : t.failed;
  sciara_text_free(&t);
  return status;
}

/** The program that computed the map, and its rule. @param source NULL: this one */
static enum sciara_status add_software(struct sciara_map_facts *f, const char *source, enum sciara_rule_kind rule) {
  char text[192];
  snprintf(text, sizeof text, "sciara " SCIARA_VERSION " (git " SCIARA_GIT_HASH "), %s", sciara_rule_title(rule));
  return sciara_map_facts_add(f, "Software", source ? source : text);
}

enum sciara_status sciara_run_facts_make(const struct sciara_run_moment *m, const struct sciara_scenario_spec *scenario,
                                         enum sciara_field field, struct sciara_map_facts *out) {
  const struct sciara_field_info *info = sciara_field_describe(field);
  SCIARA_TRY(sciara_map_facts_add(out, "Title", m->title));
  SCIARA_TRY(add_software(out, m->source, scenario ? scenario->params.rule : SCIARA_RULE_FV3));
  if (info) SCIARA_TRY(sciara_map_facts_add(out, "Field", info->name));
  if (info) SCIARA_TRY(sciara_map_facts_add(out, "Unit", info->unit));
  SCIARA_TRY(sciara_map_facts_add(out, "Start", m->start));
  SCIARA_TRY(add_date(out, m));
  SCIARA_TRY(add_number(out, "SimulatedTime_s", m->time_s));
  SCIARA_TRY(add_number(out, "Step", (double)m->step));
  if (!scenario) return SCIARA_OK;
  SCIARA_TRY(sciara_map_facts_add(out, "Rule", sciara_rule_name(scenario->params.rule)));
  return add_parameters(out, &scenario->params);
}
