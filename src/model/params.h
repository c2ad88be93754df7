// SPDX-License-Identifier: Apache-2.0
// Parameters of the model as a user gives them, limits derived from them, and named sets of them.
#ifndef SCIARA_MODEL_PARAMS_H
#define SCIARA_MODEL_PARAMS_H

#include "base/status.h"
#include "rules/rules.def"

SCIARA_BEGIN_DECLS

#define SCIARA_GRAVITY 9.81 ///< g, m/s2

/** How lava moves: the lines of rules.def. */
#define SCIARA_RULE(IDENTIFIER, name, edition, KIND, published, with) SCIARA_RULE_##IDENTIFIER,
enum sciara_rule_kind { SCIARA_EACH_RULE(SCIARA_RULE, ) SCIARA_RULES, SCIARA_RULE_DEFAULT = 0 };
#undef SCIARA_RULE

/** The names, for a table of keys: "fv3|bingham|". */
extern const char sciara_rule_choices[];

/** The names, for people: "fv3, bingham". */
const char *sciara_rule_list(void);

/** The name of a model in files: "cellular automaton SCIARA-fv3"; of another rule with its name. */
const char *sciara_rule_title(enum sciara_rule_kind rule);

enum { SCIARA_RULES_TEXT = 64 + 16 * SCIARA_RULES };

/** Prints the names of some rules, bits 1 << enum sciara_rule_kind: "bingham", "fv3, bingham". Returns `text`. */
const char *sciara_rules_name(unsigned rules, char text[SCIARA_RULES_TEXT]);

/** Prints the name in files of a model with some rules: sciara_rule_title, of several rules with all their names. */
const char *sciara_rules_title(unsigned rules, char text[SCIARA_RULES_TEXT]);

/** "fv3"; "" for a value that is no rule. */
const char *sciara_rule_name(enum sciara_rule_kind rule);

/** The edition of a rule here, from 1 on: see rules.def. */
int64_t sciara_rule_edition(enum sciara_rule_kind rule);

/** The latest edition of some rules, bits 1 << enum sciara_rule_kind. */
int64_t sciara_rules_edition(unsigned rules);

/** Finds the rule of that name; false if there is none. */
bool sciara_rule_find(const char *name, enum sciara_rule_kind *out);

/**
 * Physical parameters, SI units; see params.def for unit, default and range of each. The others, which are absent by
 * default, follow at the end.
 */
struct sciara_params {
#define SCIARA_PARAM(member, ...) double member;
#define SCIARA_REFERENCE(member, ...) double member;
#include "model/params.def"
#undef SCIARA_PARAM
#undef SCIARA_REFERENCE
  enum sciara_rule_kind rule;
};

// Side of the cells for which the defaults were calibrated, and the range in which they are used without a warning, m.
#define SCIARA_CELL_CALIBRATED 10.0
#define SCIARA_CELL_LEAST 8.0
#define SCIARA_CELL_MOST 12.5

// Bits of the rules that have a parameter, or an engine: one rule, those of a kind, all.
#define SCIARA_RULE(IDENTIFIER, name, edition, KIND, published, with) \
  SCIARA_RULES_##IDENTIFIER = 1u << SCIARA_RULE_##IDENTIFIER,
enum { SCIARA_EACH_RULE(SCIARA_RULE, ) SCIARA_RULES_ALL = (1u << SCIARA_RULES) - 1 };
#undef SCIARA_RULE
enum sciara_flow_kind {
  SCIARA_FLOW_SLOPES, ///< lava runs down slopes, with a speed that it keeps in part
  SCIARA_FLOW_SHEET   ///< a sheet of a fluid: what flows follows from thickness and surface
};
#define SCIARA_RULE(IDENTIFIER, name, edition, KIND, published, with) \
  | (SCIARA_FLOW_##KIND == SCIARA_FLOW_##with ? 1u << SCIARA_RULE_##IDENTIFIER : 0u)
enum {
  SCIARA_RULES_SLOPES = 0u SCIARA_EACH_RULE(SCIARA_RULE, SLOPES),
  SCIARA_RULES_SHEET = 0u SCIARA_EACH_RULE(SCIARA_RULE, SHEET)
};
#undef SCIARA_RULE

/** Whether lava moves as a sheet in a rule. */
static inline bool sciara_is_sheet(enum sciara_rule_kind rule) { return SCIARA_RULES_SHEET >> rule & 1u; }

/** One line of params.def. */
struct sciara_param_info {
  unsigned rules; /**< bits 1 << enum sciara_rule_kind of the rules that have it */
  const char *key, *unit, *description;
  size_t offset; /**< of the member in struct sciara_params */
  double preset, low, high;
  bool low_allowed; /**< whether `low` itself may be given */
};

/** The references of params.def, without a default; their number in *count. */
const struct sciara_param_info *sciara_reference_table(size_t *count);

/** The table, and its length in *count. */
const struct sciara_param_info *sciara_param_table(size_t *count);

/** Whether a rule has a parameter. */
static inline bool sciara_param_is_of(const struct sciara_param_info *info, enum sciara_rule_kind rule) {
  return info->rules >> rule & 1u;
}

/**
 * Hashes the parameters of the rule, and of what is absent by default (references, a rule other than fv3) only what is
 * given: the hash of earlier versions for all that they could compute.
 */
uint64_t sciara_params_hash(uint64_t hash, const struct sciara_params *p);

/** The values of params.def for a rule; the parameters that the rule does not have are 0. */
struct sciara_params sciara_params_of_rule(enum sciara_rule_kind rule);

/** sciara_params_of_rule(SCIARA_RULE_FV3). */
struct sciara_params sciara_params_default(void);

/**
 * Whether the parameters are those of fv3 that depend on the size of the cells, at their defaults, on cells for which they
 * were not calibrated. On finer cells both references cure that.
 */
bool sciara_params_misfit(const struct sciara_params *p, double cell_size);

enum { SCIARA_MISFIT_TEXT = 160 };

/** Says that there are such parameters: a sentence without the point. */
void sciara_misfit_print(double cell_size, char text[SCIARA_MISFIT_TEXT]);

/**
 * Ranges of every parameter of the rule, T_sol < T_vent, and for bingham viscosities that do not fall with the
 * temperature and yield strengths that are both 0 or both above. The error names the JSON key.
 */
enum sciara_status sciara_params_check(const struct sciara_params *p);

/**
 * The lowest temperature of liquid lava, K, less one millionth, because in single precision T_sol itself is
 * rounded. Host only.
 */
static inline double sciara_coldest(const struct sciara_params *p) { return (1 - 1e-6) * p->T_sol; }

/**
 * The highest temperature of liquid lava, K. In double precision mixing and rounding do not heat lava by 1 %; a fault in an
 * engine can, and so can rounding in single precision with rule fv3 over many thousands of steps. Host only.
 */
static inline double sciara_hottest(const struct sciara_params *p) { return 1.01 * p->T_vent; }

/** What happens to lava at the rim of the domain. */
enum sciara_boundary { SCIARA_BOUNDARY_OPEN, SCIARA_BOUNDARY_CLOSED };

// ---------------------------------------------------------------------------------------------------------- named sets

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
