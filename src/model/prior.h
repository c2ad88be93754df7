// SPDX-License-Identifier: Apache-2.0
// Named joint distributions of the parameters of a rule.
#ifndef SCIARA_MODEL_PRIOR_H
#define SCIARA_MODEL_PRIOR_H

#include "model/params.h"

enum sciara_distribution {
  SCIARA_DIST_VALUES,
  SCIARA_DIST_UNIFORM,
  SCIARA_DIST_LOG_UNIFORM,
  SCIARA_DIST_NORMAL,
  SCIARA_DIST_LOGNORMAL
};

/** As in an ensemble file: "log_uniform". */
const char *sciara_distribution_name(enum sciara_distribution kind);

/** The distribution of a key of "model". */
struct sciara_prior_margin {
  const char *key;   ///< without "model."
  const char *times; ///< an earlier key, by which what is drawn is multiplied; NULL: what is drawn is the value
  enum sciara_distribution kind; ///< of numbers
  double middle, spread; ///< NORMAL: mean, standard deviation; LOGNORMAL: median, standard deviation of the logarithm
  double low, high;      ///< only what lies between them is drawn; ends of UNIFORM and LOG_UNIFORM
};

/** A pair that is not independent: correlation of what is drawn, when both are transformed to normal distributions. */
struct sciara_prior_pair {
  const char *first, *second;
  double coefficient;
};

enum { SCIARA_PRIOR_MARGINS = 8, SCIARA_PRIOR_PAIRS = 8 };

/** One entry of priors.def. */
struct sciara_prior {
  const char *name;
  enum sciara_rule_kind rule;
  const char *lava, *source;
  const char *advice; ///< of the first one of a rule, for 'init': "for any basaltic lava; prior aa is narrower"
  struct sciara_prior_margin margin[SCIARA_PRIOR_MARGINS]; ///< up to the first without a key
  struct sciara_prior_pair pair[SCIARA_PRIOR_PAIRS];       ///< up to the first without keys
};

/** The names, for a table of keys: "a|b|". */
extern const char sciara_prior_choices[];

/** The table, and its length in *count. */
const struct sciara_prior *sciara_prior_table(size_t *count);

/** The prior of that name, or NULL. */
const struct sciara_prior *sciara_prior_find(const char *name);

/** The first prior of a rule, or NULL. */
const struct sciara_prior *sciara_prior_of_rule(enum sciara_rule_kind rule);

/** The numbers of its margins and of its pairs. */
size_t sciara_prior_margins(const struct sciara_prior *p);
size_t sciara_prior_pairs(const struct sciara_prior *p);

#endif
