// SPDX-License-Identifier: Apache-2.0
// Named sets of parameters: presets.def.
#ifndef SCIARA_MODEL_PRESETS_H
#define SCIARA_MODEL_PRESETS_H

#include "model/params.h"

SCIARA_BEGIN_DECLS

/** One entry of presets.def. */
struct sciara_preset {
  const char *name;
  double cell_size_m; /**< of the cells with which the set was calibrated */
  const char *event, *source;
  struct sciara_params params;
};

/** The name of the first one. */
#define SCIARA_PRESET_DEFAULT "thesis-etna-2006"

/** The names, for a table of keys: "a|b|". */
extern const char sciara_preset_choices[];

/** The table, and its length in *count. */
const struct sciara_preset *sciara_preset_table(size_t *count);

/** The first set of a rule. */
const struct sciara_preset *sciara_preset_of_rule(enum sciara_rule_kind rule);

/** The set of that name, or NULL. */
const struct sciara_preset *sciara_preset_find(const char *name);

SCIARA_END_DECLS
#endif
