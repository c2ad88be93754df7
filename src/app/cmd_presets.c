// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "app/command.h"
#include "app/output.h"
#include "base/text.h"
#include "model/params.h"

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

/** Appends `"key": "text", `. */
static void append_text(struct sciara_text *t, const char *key, const char *text) {
  sciara_text_append(t, "\"%s\": \"", key);
  sciara_text_append_json(t, text);
  sciara_text_append(t, "\", ");
}

static void append_preset(struct sciara_text *t, const struct sciara_preset *p) {
  size_t count;
  const struct sciara_param_info *params = sciara_param_table(&count);
  sciara_text_append(t, "{");
  append_text(t, "name", p->name);
  append_text(t, "eruption", p->event);
  sciara_text_append(t, "\"cell_size_m\": %.15g, ", p->cell_size_m);
  append_text(t, "source", p->source);
  append_text(t, "rule", sciara_rule_name(p->params.rule));
  sciara_text_append(t, "\"model\": {");
  const char *separator = "";
  for (size_t k = 0; k < count; k++) {
    if (!sciara_param_is_of(&params[k], p->params.rule)) continue;
    sciara_text_append(t, "%s\"%s\": %.15g", separator, params[k].key, value_of(p, &params[k]));
    separator = ", ";
  }
  sciara_text_append(t, "}}");
}

static enum sciara_status print_json(const struct sciara_preset *table, size_t count) {
  struct sciara_text text = {0};
  sciara_text_append(&text, "{\"default\": \"%s\", \"presets\": [", SCIARA_PRESET_DEFAULT);
  for (size_t k = 0; k < count; k++) {
    if (k > 0) sciara_text_append(&text, ",");
    append_preset(&text, &table[k]);
  }
  return sciara_print_text(sciara_text_append(&text, "]}\n"), &text);
}

static enum sciara_status execute(const struct sciara_arguments *arguments) {
  size_t count;
  const struct sciara_preset *table = sciara_preset_table(&count);
  if (sciara_argument_given(arguments, "json")) return print_json(table, count);
  for (size_t k = 0; k < count; k++) print_preset(&table[k]);
  sciara_print("default: %s\n", SCIARA_PRESET_DEFAULT);
  return SCIARA_OK;
}

const struct sciara_command sciara_cmd_presets = {
    .name = "presets",
    .summary = "list the named sets of model parameters",
    .operands = "",
    .options = options,
    .details =
        "For each: the eruption and the cell size that it was calibrated with, its source, and its values. A scenario "
        "chooses one\n"
        "with the key model.preset; any other key of \"model\" changes a single parameter.\n",
    .execute = execute,
};
