// SPDX-License-Identifier: Apache-2.0
// Momentum that has faded to a subnormal number. Lava keeps a share of its momentum in every step, more than half of it
// with the usual parameters; so a momentum that nothing renews ends among the last numbers above 0 and stays there, for
// they round to themselves. A product or quotient of such numbers takes many processors a hundred times as long as one
// of others. Here it is computed with other numbers: the same bits, sooner.
#ifndef SCIARA_MODEL_SUBNORMAL_H
#define SCIARA_MODEL_SUBNORMAL_H

#include "model/cell.h"

/** Whether x is subnormal: not 0, and smaller than every normal number. */
SCIARA_HD bool sciara_is_subnormal(real x) {
  const real least = (real)(sizeof(real) == sizeof(double) ? DBL_MIN : (double)FLT_MIN);
  return (x < least) & (x > -least) & (x != 0);
}

/**
 * x >= 0 rounded to an integer. *odd is set where that is not the same as rounding what x was rounded from to a number
 * of the rule: in the middle between two integers, and beyond the numbers that are as dense as the subnormal ones.
 */
SCIARA_HD double sciara_whole(double x, bool *odd) {
  const double shift = 0x1p52, dense = sizeof(real) == sizeof(double) ? 0x1p51 : 0x1p23;
  const double whole = (x + shift) - shift;
  const double off = x - whole;
  if (!(x < dense) || off == 0.5 || off == -0.5) *odd = true;
  return whole;
}

/**
 * (h0 (p / h)) keep, the momentum of a residual, for a subnormal p: see sciara_inflow_residual.
 *
 * Subnormal numbers are integers times the least of them, and every result is rounded to such an integer. A result that
 * was rounded to 53 bits before rounds to another integer only if it had become the middle between two; then, and where
 * an integer gets large, the operations themselves are done.
 */
SCIARA_HD real sciara_fade_subnormal(real p, real h, real h0, real keep) {
  bool odd = !(keep >= 0);
#ifdef SCIARA_SINGLE
  const uint32_t bits = sciara_float_bits(p), sign = bits & 0x80000000u;
#else
  const uint64_t bits = sciara_double_bits(p), sign = bits & UINT64_C(0x8000000000000000);
#endif
  const double speed = sciara_whole((double)(bits ^ sign) / (double)h, &odd);
  const double momentum = sciara_whole((double)h0 * speed, &odd);
  const double kept = sciara_whole(momentum * (double)keep, &odd);
#ifdef SCIARA_SINGLE
  if (!odd) return sciara_float_from_bits(sign | (uint32_t)kept);
#else
  if (!odd) return sciara_double_from_bits(sign | (uint64_t)kept);
#endif
  return (h0 * sciara_real_div(p, h)) * keep;
}

#endif
