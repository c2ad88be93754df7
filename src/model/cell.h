// SPDX-License-Identifier: Apache-2.0
// The physics as functions of values: they know no index, no grid and no thread. Shared by C and CUDA. How lava moves is the
// file of the rule in src/rules that is compiled here; what every rule has stands in lava.h, which it uses, and here:
// cooling, solidification, loss.
//
// The basis are functions for one direction (one neighbour i). The functions for a cell at
// the end only combine them, so that several vector lanes or GPU lanes can work on one cell. Every operation is written
// in the order and grouping of the specification (docs/model.md), so results are bit-identical wherever this compiles.
#ifndef SCIARA_MODEL_CELL_H
#define SCIARA_MODEL_CELL_H

#include <stdbool.h>

#include "base/real.h"
#include "geometry/grid.h"

// How lava moves is a matter of the rule. Its file defines the kind of its flow (SCIARA_SHEET), struct sciara_rule and
// sciara_rule_make, struct sciara_evaluation, sciara_cell_evaluate, struct sciara_outflow(s), sciara_cell_flow,
// sciara_cell_stays and sciara_inflow_add.
#define SCIARA_QUOTE_(text) #text
#define SCIARA_QUOTE(text) SCIARA_QUOTE_(text)
// clang-format off
#include SCIARA_QUOTE(rules/SCIARA_RULE_NAME.h)
// clang-format on

// ------------------------------------------------------------------------------------------------- heat, rock and loss

/** tau3: 1 + D. Cooling divides the temperature by its cube root. */
SCIARA_HD real sciara_cooling(const struct sciara_rule *rule, real t, real h, real T) {
  const real D = sciara_real_div((rule->cooling * t) * ((T * T) * T), h);
  return 1 + D;
}

/**
 * tau3: temperature at the end of a step of `t` seconds for lava of thickness h > 0 and mixed temperature T, K.
 * The lava is rock when the result is <= rule->T_sol.
 */
SCIARA_HD real sciara_cool(const struct sciara_rule *rule, real t, real h, real T) {
  return sciara_real_div(T, sciara_real_cbrt(sciara_cooling(rule, t, h, T)));
}

/**
 * Whether `inflow` surely stays liquid in a step of `t` seconds: true only if sciara_cool gives a temperature well
 * above T_sol. The test is whether T^3 / (1 + D), T = sciara_mixed, exceeds T_sol^3 by a thousandth. It needs no division
 * and no root, so its result is known long before the temperature, which can be computed later. False means undecided:
 * the lava is near T_sol, or so thin that the powers might underflow.
 */
SCIARA_HD bool sciara_surely_liquid(const struct sciara_rule *rule, const struct sciara_inflow *inflow, real t) {
#ifdef SCIARA_SINGLE
  const real thin = (real)1e-8;
#else
  const real thin = 1e-60;
#endif
  const real heat = SCIARA_HEAT_FROM > 0 ? inflow->heat + inflow->h * SCIARA_HEAT_FROM : inflow->heat;
  const real h2 = inflow->h * inflow->h, heat3 = (heat * heat) * heat; // T^3 h^3
  const real sol3 = (rule->T_sol * rule->T_sol) * rule->T_sol * (real)1.001;
  return inflow->h >= thin && heat3 * inflow->h > sol3 * (h2 * h2 + (rule->cooling * t) * heat3);
}

/**
 * gamma: thickness h after `volume` m3 of lava were emitted in a cell. `cell_size` is a double, so that V / (w w) is
 * rounded once.
 */
SCIARA_HD real sciara_cell_emit(real h, double volume, double cell_size) {
  return h + (real)(volume / (cell_size * cell_size));
}

/** The outcome of a step for a cell. */
enum sciara_outcome {
  SCIARA_OUTCOME_DRY,
  SCIARA_OUTCOME_LIQUID,
  SCIARA_OUTCOME_ROCK,
  SCIARA_OUTCOME_LOST, ///< left the domain through the rim
  SCIARA_OUTCOME_SEA   ///< entered the sea
};

/** Whether lava that reaches a cell of this kind is lost. */
SCIARA_HD bool sciara_takes_lava(uint8_t kind) { return kind == SCIARA_CELL_RIM || kind == SCIARA_CELL_SEA; }

/** The outcome of a cell: where the lava that sciara_cell_settle found lost has gone. */
SCIARA_HD enum sciara_outcome sciara_outcome_in(bool sea, enum sciara_outcome outcome) {
  return sea && outcome == SCIARA_OUTCOME_LOST ? SCIARA_OUTCOME_SEA : outcome;
}

/**
 * End of tau2, rim and tau3 of a cell that collected `inflow` in a step of `t` seconds: loss through the rim or to the
 * sea, cooling, solidification. Lava reaches a rim cell only if the boundary is open.
 *
 * @param rim sciara_takes_lava
 * @param T   set to the temperature of lava that stays liquid, K
 * @param bad set if a NaN is found
 */
SCIARA_HD enum sciara_outcome sciara_cell_settle(const struct sciara_rule *rule, bool rim,
                                                 const struct sciara_inflow *inflow, real t, real *T, bool *bad) {
  if (sciara_is_nan(inflow->h)) *bad = true;
  if (!(inflow->h > 0)) return SCIARA_OUTCOME_DRY;
  if (rim) return SCIARA_OUTCOME_LOST;
  *T = sciara_cool(rule, t, inflow->h, sciara_mixed(inflow->heat, inflow->h));
  if (sciara_is_nan(*T)) *bad = true;
  return *T <= rule->T_sol ? SCIARA_OUTCOME_ROCK : SCIARA_OUTCOME_LIQUID;
}

/** Thickness of solidified lava, m: how much the ground has risen. */
SCIARA_HD real sciara_solid(real z, real z0) { return z - z0; }

/** Speed of lava of thickness h > 0, m/s. */
SCIARA_HD real sciara_speed(real h, real px, real py) {
  return sciara_real_div(sciara_real_sqrt(px * px + py * py), h);
}

#endif
