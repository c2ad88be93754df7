// SPDX-License-Identifier: Apache-2.0
// Quiescent cells: nothing flows from such a liquid cell, and nothing will flow while it cools and nothing changes
// around it. So an engine need not evaluate it in every step. This changes no bit: the statement holds for any
// rounding.
//
// As long as the ground and the thickness of a cell and of its neighbours do not change in any bit, time evaluation
// depends on two decreasing quantities: the momentum, which determines the kinetic head; and the temperature, whose
// decrease raises the critical height. Both changes can close directions, and neither opens any. In rule bingham it depends
// on the temperature alone, whose decrease raises the yield strength and with it the plug.
#ifndef SCIARA_MODEL_QUIESCENT_H
#define SCIARA_MODEL_QUIESCENT_H

#include "model/shortcut.h"

/** Relative slack for rounding, much more than any of the comparisons below needs. */
#define SCIARA_QUIESCENT_SLACK ((real)(sizeof(real) == sizeof(double) ? 0x1p-36 : 0x1p-12))

#if SCIARA_SHEET

/**
 * Whether a sheet of thickness h, m, rests, and remains at rest at any temperature up to T, K: no drop is above 0, or the
 * plug is thicker. With G2 the square of the slope the plug is thicker where h2 G2 < P2 (1 + G2): no division, no root.
 * False means undecided: even then it is possible that nothing flows now.
 *
 * @param drop from the surface to those of the neighbours 1..8, m (entry 0 unused)
 */
SCIARA_HD bool sciara_is_quiescent(const struct sciara_rule *rule, real h, real T, const real drop[SCIARA_MOORE]) {
  const real least = 1 / SCIARA_SHORTCUT_MOST, most = SCIARA_SHORTCUT_MOST;
  bool level = true;
  SCIARA_UNROLL
  for (int i = 1; i < SCIARA_MOORE; i++) level &= drop[i] <= 0; // false for NaN
  const real G2 = sciara_slope_squared(rule, drop), P = sciara_plug_law(rule, T);
  const real square = (h * h) * G2, bound = (P * P) * (1 + G2);
  const bool good = (G2 >= least) & (G2 <= SCIARA_SHORTCUT_STEEPEST) & (square >= least) & (bound <= most);
  const bool thin = good & (square < bound * (1 - SCIARA_QUIESCENT_SLACK));
  return (h > 0) & (level | ((rule->plug_b <= 0) & thin));
}

#else

/**
 * he / cos(theta), m, in a direction with kinetic head `head`, m: the critical height that closes the direction; 0 if
 * lava cannot climb there. It grows with the head as long as h is less than four sides of a cell.
 */
SCIARA_HD real sciara_quiescent_height(const struct sciara_rule *rule, real h, real top, real head) {
  const real reach = head + h;
  const real effective = top <= head ? h : reach - top;
  const real q = sciara_real_div((h - (real)0.5 * effective) - top, rule->cell_size);
  const real height = effective * sciara_real_sqrt(1 + q * q);
  return reach <= top ? 0 : height;
}

/**
 * Whether sciara_quiescent_height is surely less than `limit`, m, decided without a division and a root as in
 * shortcut.h. False: undecided.
 */
SCIARA_HD bool sciara_quiescent_below(const struct sciara_rule *rule, real h, real top, real head, real limit) {
  const real reach = head + h;
  const real effective = top <= head ? h : reach - top;
  const real q = ((h - (real)0.5 * effective) - top) * rule->inverse_cell_size;
  const real steep = 1 + q * q, square = (effective * effective) * steep, bound = limit * limit;
  const bool good =
      (steep <= SCIARA_SHORTCUT_STEEPEST) & (bound >= 1 / SCIARA_SHORTCUT_MOST) & (bound <= SCIARA_SHORTCUT_MOST);
  return (limit > 0) & ((reach <= top) | (good & (square < bound * (1 - SCIARA_SHORTCUT_SLACK))));
}

/** An upper bound of the kinetic head of all directions, m: twice what a direction along the velocity would have. */
SCIARA_HD real sciara_quiescent_head(const struct sciara_rule *rule, real vx, real vy) {
  return 2 * ((vx * vx + vy * vy) * rule->inverse_gravity_twice);
}

/**
 * The limit, m, that sciara_quiescent_height of every direction must not reach: the critical height, or -1: undecided.
 */
SCIARA_HD real sciara_quiescent_limit(const struct sciara_rule *rule, real h, real hc, real head) {
  const bool known = (rule->hc_b < 0) & (h + head < 4 * rule->cell_size);
  return known ? hc * (1 - SCIARA_QUIESCENT_SLACK) : -1;
}

/**
 * Whether every direction is closed, and remains closed at any temperature up to T and with any smaller momentum in the
 * same direction. False means undecided: even then it is possible that nothing flows now.
 *
 * @param z, h, T, px, py of the cell, h > 0
 * @param zn, hn          of the neighbours 1..8 (entry 0 unused)
 */
SCIARA_HD bool sciara_is_quiescent(const struct sciara_rule *rule, real z, real h, real T, real px, real py,
                                   const real zn[SCIARA_MOORE], const real hn[SCIARA_MOORE]) {
  const real head = sciara_quiescent_head(rule, sciara_velocity(px, h), sciara_velocity(py, h));
  const real limit = sciara_quiescent_limit(rule, h, sciara_critical_height(rule, T), head);
  for (int i = 1; i < SCIARA_MOORE; i++)
    if (!(sciara_quiescent_height(rule, h, sciara_top(i, z, zn[i], hn[i]), head) < limit)) return false;
  return true;
}

#endif

#endif
