// SPDX-License-Identifier: Apache-2.0
#include "model/params.h"

#include <string.h>

static const struct sciara_preset table[] = {
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
  *count = sizeof table / sizeof *table;
  return table;
}

const struct sciara_preset *sciara_preset_of_rule(enum sciara_rule_kind rule) {
  const struct sciara_preset *p = table;
  while (p->params.rule != rule) p++; // each rule has one: unit.params
  return p;
}

const struct sciara_preset *sciara_preset_find(const char *name) {
  for (size_t k = 0; k < sizeof table / sizeof *table; k++)
    if (strcmp(table[k].name, name) == 0) return &table[k];
  return NULL;
}
