// SPDX-License-Identifier: Apache-2.0
// Lava at rest: a liquid cell from which nothing flows, and nothing will as long as it cools and nothing changes around it,
// so that an engine need not evaluate it in every step. It changes no bit: what is told is true whatever the roundings.
//
// While the ground and the thickness of a cell and of its neighbours keep their bits, time evaluation depends on two things
// that fade: the momentum, and with it the kinetic head; and the temperature, with which the critical height grows. Both
// close directions and open none.
#ifndef SCIARA_MODEL_REST_H
#define SCIARA_MODEL_REST_H

#include "model/cell.h"

/** Relative room for rounding: much more than any of the comparisons below needs. */
#define SCIARA_REST_SLACK ((real)(sizeof(real) == sizeof(double) ? 0x1p-36 : 0x1p-12))

/**
 * he / cos(theta), m, in a direction with kinetic head `head`, m: the critical height that closes it; 0 when lava cannot
 * climb there. It grows with the head as long as h is less than four sides of a cell.
 */
SCIARA_HD real sciara_rest_height(const struct sciara_rule *rule, real h, real top, real head) {
  const real reach = head + h;
  if (reach <= top) return 0;
  const real effective = top <= head ? h : reach - top;
  const real q = sciara_real_div((h - (real)0.5 * effective) - top, rule->cell_size);
  return effective * sciara_real_sqrt(1 + q * q);
}

/**
 * Whether every direction is closed, and stays so at any temperature up to T and with any smaller momentum in the same
 * direction. False when that cannot be said, though nothing may flow now.
 *
 * @param z, h, T, px, py of the cell, h > 0
 * @param zn, hn          of the neighbours 1..8 (entry 0 unused)
 */
SCIARA_HD bool sciara_rests(const struct sciara_rule *rule, real z, real h, real T, real px, real py,
                            const real zn[SCIARA_MOORE], const real hn[SCIARA_MOORE]) {
  const real vx = sciara_real_div(px, h), vy = sciara_real_div(py, h);
  const real most = sciara_real_div(vx * vx + vy * vy, rule->gravity); // head: at least that of any direction
  const real closed = sciara_critical_height(rule, T) * (1 - SCIARA_REST_SLACK);
  if (!(rule->hc_b < 0) || !(h + most < 4 * rule->cell_size)) return false;
  for (int i = 1; i < SCIARA_MOORE; i++)
    if (!(sciara_rest_height(rule, h, sciara_top(i, z, zn[i], hn[i]), most) < closed)) return false;
  return true;
}

#endif
