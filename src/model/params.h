// SPDX-License-Identifier: Apache-2.0
// Parameters of the model as a user gives them, and limits derived from them.
#ifndef SCIARA_MODEL_PARAMS_H
#define SCIARA_MODEL_PARAMS_H

#include "base/status.h"

SCIARA_BEGIN_DECLS

#define SCIARA_GRAVITY 9.81 ///< g, m/s2

/**
 * Physical parameters, SI units; see params.def for unit, default and range of each. The others, which are absent by
 * default, follow at the end.
 */
struct sciara_params {
#define SCIARA_PARAM(member, key, unit, preset, low, low_allowed, high, text) double member;
#include "model/params.def"
#undef SCIARA_PARAM
  double cooling_reference; ///< side of the cells whose cooling is kept on cells of any size, m; 0: none
};

// Side of the cells for which the defaults were calibrated, and the range in which they are used without a warning, m.
#define SCIARA_CELL_CALIBRATED 10.0
#define SCIARA_CELL_LEAST 8.0
#define SCIARA_CELL_MOST 12.5

/** One line of params.def. */
struct sciara_param_info {
  const char *key, *unit, *description;
  size_t offset; /**< of the member in struct sciara_params */
  double preset, low, high;
  bool low_allowed; /**< whether `low` itself may be given */
};

/** The table, and its length in *count. */
const struct sciara_param_info *sciara_param_table(size_t *count);

/** The values of params.def. */
struct sciara_params sciara_params_default(void);

/** Ranges of every parameter and T_sol < T_vent; the error names the JSON key. */
enum sciara_status sciara_params_check(const struct sciara_params *p);

/**
 * The lowest temperature of liquid lava, K, less a margin of one millionth, because in single precision T_sol itself is
 * rounded. Host only.
 */
static inline double sciara_coldest(const struct sciara_params *p) { return (1 - 1e-6) * p->T_sol; }

/**
 * The highest temperature of liquid lava, K. Mixing and rounding cannot heat lava by 1 % in any number of steps; a
 * fault in an engine can. Host only.
 */
static inline double sciara_hottest(const struct sciara_params *p) { return 1.01 * p->T_vent; }

/** What happens to lava at the rim of the domain. */
enum sciara_boundary { SCIARA_BOUNDARY_OPEN, SCIARA_BOUNDARY_CLOSED };

SCIARA_END_DECLS
#endif
