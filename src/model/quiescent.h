// SPDX-License-Identifier: Apache-2.0
// Lava at rest: a liquid cell from which nothing flows, and nothing will as long as it cools and nothing changes around it,
// so that an engine need not evaluate it in every step. It changes no bit: what is told is true whatever the roundings.
//
// While the ground and the thickness of a cell and of its neighbours keep their bits, time evaluation depends on two things
// that fade: the momentum, and with it the kinetic head; and the temperature, with which the critical height grows. Both
// close directions and open none.
#ifndef SCIARA_MODEL_QUIESCENT_H
#define SCIARA_MODEL_QUIESCENT_H

#include "model/cell.h"

/** Relative room for rounding: much more than any of the comparisons below needs. */
#define SCIARA_QUIESCENT_SLACK ((real)(sizeof(real) == sizeof(double) ? 0x1p-36 : 0x1p-12))

/**
 * he / cos(theta), m, in a direction with kinetic head `head`, m: the critical height that closes it; 0 when lava cannot
 * climb there. It grows with the head as long as h is less than four sides of a cell.
 */
SCIARA_HD real sciara_quiescent_height(const struct sciara_rule *rule, real h, real top, real head) {
  const real reach = head + h;
  const real effective = top <= head ? h : reach - top;
  const real q = sciara_real_div((h - (real)0.5 * effective) - top, rule->cell_size);
  const real height = effective * sciara_real_sqrt(1 + q * q);
  return reach <= top ? 0 : height;
}

/** Head, m, at least that of any direction. */
SCIARA_HD real sciara_quiescent_head(const struct sciara_rule *rule, real vx, real vy) {
  return sciara_real_div(vx * vx + vy * vy, rule->gravity);
}

/** What sciara_quiescent_height of every direction must be less than, m: the critical height, or -1: nothing can be said. */
SCIARA_HD real sciara_quiescent_limit(const struct sciara_rule *rule, real h, real hc, real head) {
  const bool known = (rule->hc_b < 0) & (h + head < 4 * rule->cell_size);
  return known ? hc * (1 - SCIARA_QUIESCENT_SLACK) : -1;
}

/**
 * Whether every direction is closed, and stays so at any temperature up to T and with any smaller momentum in the same
 * direction. False when that cannot be said, though nothing may flow now.
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
