// SPDX-License-Identifier: Apache-2.0
// What every rule has and uses: constants, early exits, laws of the temperature, heat. Each rule includes this header after
// its own constants.
#ifndef SCIARA_RULE_HERE
#include "model/cell.h"
#elif !defined SCIARA_MODEL_LAVA_H
#define SCIARA_MODEL_LAVA_H

#include <stdbool.h>

#include "geometry/grid.h"
#include "geometry/moore.h"
#include "model/rule.h"

enum { SCIARA_SELF = 1 }; ///< bit 0 of a set of neighbours: the cell itself; bit i: neighbour i

#define SCIARA_SQRT2 ((real)0x1.6a09e667f3bcdp+0)
#define SCIARA_SQRT1_2 ((real)0x1.6a09e667f3bcdp-1)

/**
 * Early exits, used where the remaining operations cannot change the result. A build with SCIARA_BRANCHLESS has none,
 * so that all GPU threads of a warp take the same path.
 */
#ifdef SCIARA_BRANCHLESS
#define SCIARA_LEAVE_IF(condition, value) ((void)0)
#define SCIARA_SKIP_IF(condition) ((void)0)
#else
#define SCIARA_LEAVE_IF(condition, value) \
  if (condition) return value
#define SCIARA_SKIP_IF(condition) \
  if (condition) continue
#endif

/** Whether x is NaN (ordinary comparisons would treat a NaN as dry or as t_max). */
SCIARA_HD bool sciara_is_nan(real x) { return x != x; }

/** Whether x is neither NaN nor infinite. */
SCIARA_HD bool sciara_is_finite(real x) { return x <= SCIARA_REAL_MAX && x >= -SCIARA_REAL_MAX; }

/**
 * Whether the values of a cell that is not dry are valid: its thickness h, m, is positive; its temperature T, K, lies
 * between T_sol and T_vent up to rounding; and both are finite, as are its momentum (px, py), m2/s, and altitude z, m.
 */
SCIARA_HD bool sciara_is_sound(const struct sciara_rule *rule, real z, real h, real T, real px, real py) {
  const bool lava = h > 0 && h <= SCIARA_REAL_MAX && T >= rule->coldest && T <= rule->hottest;
  return lava && sciara_is_finite(px) && sciara_is_finite(py) && sciara_is_finite(z);
}

SCIARA_HD real sciara_max0(real x) { return x < 0 ? (real)0 : x; }

// ---------------------------------------------------------------------------------------------------------- every rule

/** Logarithm of a log-linear law of the temperature T, K. */
SCIARA_HD real sciara_log_of_law(const struct sciara_rule *rule, real ln_sol, real b, real T) {
  return ln_sol + b * (T - rule->T_sol);
}

/** A log-linear law of the temperature T, K: exp(ln_sol + b (T - T_sol)). */
SCIARA_HD real sciara_log_linear(const struct sciara_rule *rule, real ln_sol, real b, real T) {
  return sciara_real_exp(sciara_log_of_law(rule, ln_sol, b, T));
}

/** h0, m: the lava that stays in a cell of thickness h. */
SCIARA_HD real sciara_residual(real h, real leaving) { return sciara_max0(h - leaving); }

/** The lava that a cell collects during tau2: its residual and its inflows. */
struct sciara_inflow {
  real h, px, py; ///< m, m2/s
  real heat;      ///< sum of sciara_heat, m K
};

/** The heat of lava of thickness h at temperature T, K; m K. */
SCIARA_HD real sciara_heat(real h, real T) { return h * (T - SCIARA_HEAT_FROM); }

/** The temperature of lava of thickness h > 0 with that heat, K. */
SCIARA_HD real sciara_mixed(real heat, real h) {
  const real T = sciara_real_div(heat, h);
  return SCIARA_HEAT_FROM > 0 ? T + SCIARA_HEAT_FROM : T; // + 0 would cost an instruction
}

/** Sets the constants of every rule; `cell_size` is the side of a cell in m. Host only. */
static inline void sciara_rule_begin(const struct sciara_params *p, double cell_size, struct sciara_rule *rule) {
  rule->cell_size = (real)cell_size;
  rule->gravity = (real)SCIARA_GRAVITY;
  rule->clock_max = (real)p->t_max;
  rule->relaxation = (real)p->relaxation;
  rule->T_sol = (real)p->T_sol;
  rule->cooling = (real)sciara_cooling_constant(p, cell_size);
  rule->coldest = (real)sciara_coldest(p);
  rule->hottest = (real)sciara_hottest(p);
}

#endif
