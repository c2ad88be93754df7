// SPDX-License-Identifier: Apache-2.0
#include "model/prior.h"

#include <string.h>

static const struct sciara_prior table[] = {
#define SCIARA_PRIOR(name_, rule_, lava_, source_, ...) \
  {.name = name_, .rule = rule_, .lava = lava_, .source = source_, __VA_ARGS__},
#include "model/priors.def"
#undef SCIARA_PRIOR
};

const char sciara_prior_choices[] =
#define SCIARA_PRIOR(name_, ...) name_ "|"
#include "model/priors.def"
#undef SCIARA_PRIOR
    ;

const char *sciara_distribution_name(enum sciara_distribution kind) {
  static const char *const names[] = {[SCIARA_DIST_VALUES] = "values",
                                      [SCIARA_DIST_UNIFORM] = "uniform",
                                      [SCIARA_DIST_LOG_UNIFORM] = "log_uniform",
                                      [SCIARA_DIST_NORMAL] = "normal",
                                      [SCIARA_DIST_LOGNORMAL] = "lognormal"};
  return names[kind];
}

const struct sciara_prior *sciara_prior_table(size_t *count) {
  *count = sizeof table / sizeof *table;
  return table;
}

const struct sciara_prior *sciara_prior_find(const char *name) {
  for (size_t k = 0; k < sizeof table / sizeof *table; k++)
    if (strcmp(table[k].name, name) == 0) return &table[k];
  return NULL;
}

const struct sciara_prior *sciara_prior_of_rule(enum sciara_rule_kind rule) {
  for (size_t k = 0; k < sizeof table / sizeof *table; k++)
    if (table[k].rule == rule) return &table[k];
  return NULL;
}

size_t sciara_prior_margins(const struct sciara_prior *p) {
  size_t count = 0;
  while (count < SCIARA_PRIOR_MARGINS && p->margin[count].key) count++;
  return count;
}

size_t sciara_prior_pairs(const struct sciara_prior *p) {
  size_t count = 0;
  while (count < SCIARA_PRIOR_PAIRS && p->pair[count].first) count++;
  return count;
}
