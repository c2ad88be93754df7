// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "app/command.h"
#include "app/output.h"
#include "base/text.h"
#include "model/params.h"
#include "model/prior.h"

static const struct sciara_option options[] = {
    {"json", 0, NULL, "print the list as JSON"},
    {0},
};

static double value_of(const struct sciara_preset *p, const struct sciara_param_info *param) {
  double value;
  memcpy(&value, (const char *)&p->params + param->offset, sizeof value);
  return value;
}

static void print_preset(const struct sciara_preset *p) {
  size_t count;
  const struct sciara_param_info *params = sciara_param_table(&count);
  sciara_print("%s\n", p->name);
  sciara_print("  rule:      %s\n", sciara_rule_name(p->params.rule));
  sciara_print("  eruption:  %s\n", p->event);
  sciara_print("  cell size: %g m\n", p->cell_size_m);
  sciara_print("  source:    %s\n", p->source);
  for (size_t k = 0; k < count; k++) {
    if (!sciara_param_is_of(&params[k], p->params.rule)) continue;
    sciara_print("  %-24s %10.15g%s%s\n", params[k].key, value_of(p, &params[k]),
                 strcmp(params[k].unit, "1") == 0 ? "" : " ", strcmp(params[k].unit, "1") == 0 ? "" : params[k].unit);
  }
}

/** Whether a distribution is given by two ends; the others by two numbers with these names, and are truncated. */
static bool has_ends(const struct sciara_prior_margin *m) {
  return m->kind == SCIARA_DIST_UNIFORM || m->kind == SCIARA_DIST_LOG_UNIFORM;
}

static const char *middle_name(const struct sciara_prior_margin *m) {
  return m->kind == SCIARA_DIST_LOGNORMAL ? "median" : "mean";
}

static const char *spread_name(const struct sciara_prior_margin *m) {
  return m->kind == SCIARA_DIST_LOGNORMAL ? "sd_log" : "sd";
}

static void print_prior(const struct sciara_prior *p) {
  sciara_print("%s\n", p->name);
  sciara_print("  prior of rule: %s\n", sciara_rule_name(p->rule));
  sciara_print("  lava:          %s\n", p->lava);
  sciara_print("  source:        %s\n", p->source);
  for (size_t k = 0; k < sciara_prior_margins(p); k++) {
    const struct sciara_prior_margin *m = &p->margin[k];
    sciara_print("  %-24s %s", m->key, sciara_distribution_name(m->kind));
    if (!has_ends(m)) sciara_print(", %s %.15g, %s %.15g,", middle_name(m), m->middle, spread_name(m), m->spread);
    sciara_print(" %.15g to %.15g%s%s\n", m->low, m->high, m->times ? ", times " : "", m->times ? m->times : "");
  }
  for (size_t k = 0; k < sciara_prior_pairs(p); k++)
    sciara_print("  correlation of %s and %s: %.15g\n", p->pair[k].first, p->pair[k].second, p->pair[k].coefficient);
}

static void append_preset(struct sciara_text *t, const struct sciara_preset *p) {
  size_t count;
  const struct sciara_param_info *params = sciara_param_table(&count);
  sciara_put_json_text(t, "{", "name", p->name);
  sciara_put_json_text(t, ", ", "eruption", p->event);
  sciara_text_append(t, ", \"cell_size_m\": %.15g", p->cell_size_m);
  sciara_put_json_text(t, ", ", "source", p->source);
  sciara_put_json_text(t, ", ", "rule", sciara_rule_name(p->params.rule));
  sciara_text_append(t, ", \"model\": {");
  const char *separator = "";
  for (size_t k = 0; k < count; k++) {
    if (!sciara_param_is_of(&params[k], p->params.rule)) continue;
    sciara_text_append(t, "%s\"%s\": %.15g", separator, params[k].key, value_of(p, &params[k]));
    separator = ", ";
  }
  sciara_text_append(t, "}}");
}

/** Appends a prior, in the words of an ensemble file. */
static void append_prior(struct sciara_text *t, const struct sciara_prior *p) {
  sciara_put_json_text(t, "{", "name", p->name);
  sciara_put_json_text(t, ", ", "rule", sciara_rule_name(p->rule));
  sciara_put_json_text(t, ", ", "lava", p->lava);
  sciara_put_json_text(t, ", ", "source", p->source);
  sciara_text_append(t, ", \"vary\": [");
  for (size_t k = 0; k < sciara_prior_margins(p); k++) {
    const struct sciara_prior_margin *m = &p->margin[k];
    sciara_text_append(t, "%s{\"key\": \"model.%s\", ", k ? ", " : "", m->key);
    if (m->times) sciara_text_append(t, "\"times\": \"model.%s\", ", m->times);
    sciara_text_append(t, "\"%s\": ", sciara_distribution_name(m->kind));
    if (!has_ends(m))
      sciara_text_append(t, "{\"%s\": %.15g, \"%s\": %.15g}, \"truncate\": ", middle_name(m), m->middle, spread_name(m),
                         m->spread);
    sciara_text_append(t, "[%.15g, %.15g]}", m->low, m->high);
  }
  sciara_text_append(t, "], \"correlation\": [");
  for (size_t k = 0; k < sciara_prior_pairs(p); k++)
    sciara_text_append(t, "%s{\"first\": \"model.%s\", \"second\": \"model.%s\", \"coefficient\": %.15g}",
                       k ? ", " : "", p->pair[k].first, p->pair[k].second, p->pair[k].coefficient);
  sciara_text_append(t, "]}");
}

static enum sciara_status print_presets_json(const struct sciara_preset *table, size_t count) {
  struct sciara_text text = {0};
  sciara_text_append(&text, "{\"default\": \"%s\", \"presets\": [", SCIARA_PRESET_DEFAULT);
  for (size_t k = 0; k < count; k++) {
    if (k > 0) sciara_text_append(&text, ",");
    append_preset(&text, &table[k]);
  }
  const struct sciara_prior *priors = sciara_prior_table(&count);
  sciara_text_append(&text, "], \"priors\": [");
  for (size_t k = 0; k < count; k++) {
    if (k > 0) sciara_text_append(&text, ",");
    append_prior(&text, &priors[k]);
  }
  return sciara_print_text(sciara_text_append(&text, "]}\n"), &text);
}

static enum sciara_status execute_presets(const struct sciara_arguments *arguments) {
  size_t count;
  const struct sciara_preset *table = sciara_preset_table(&count);
  if (sciara_argument_given(arguments, "json")) return print_presets_json(table, count);
  for (size_t k = 0; k < count; k++) print_preset(&table[k]);
  sciara_print("default: %s\n", SCIARA_PRESET_DEFAULT);
  const struct sciara_prior *priors = sciara_prior_table(&count);
  for (size_t k = 0; k < count; k++) print_prior(&priors[k]);
  return SCIARA_OK;
}

const struct sciara_command sciara_cmd_presets = {
    .name = "presets",
    .summary = "list the named sets of model parameters, and priors",
    .operands = "",
    .options = options,
    .details =
        "For each: the eruption and the cell size that it was calibrated with, its source, and its values. A scenario "
        "chooses one\n"
        "with the key model.preset; any other key of \"model\" changes a single parameter.\n"
        "Then the priors: joint distributions of the parameters of a rule, for \"vary\" of an ensemble and "
        "\"unknowns\" "
        "of a calibration.\n",
    .execute = execute_presets,
};
