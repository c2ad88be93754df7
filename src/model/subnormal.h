// SPDX-License-Identifier: Apache-2.0
// Momentum that has decreased to a subnormal number. In every step lava keeps a fraction of its momentum, with the
// usual parameters more than half. So a momentum without new contributions decreases to one of the smallest numbers
// above 0 and stays there, because the product rounds to the same number. On many processors operations on such numbers
// take a hundred times as long as on others. Here they are done with normal numbers: the results are bit-identical, the
// time is shorter.
#ifndef SCIARA_MODEL_SUBNORMAL_H
#define SCIARA_MODEL_SUBNORMAL_H

#include "model/cell.h"

/** Whether x is subnormal: not 0, and smaller than every normal number. */
SCIARA_HD bool sciara_is_subnormal(real x) {
  const real least = (real)(sizeof(real) == sizeof(double) ? DBL_MIN : (double)FLT_MIN);
  return (x < least) & (x > -least) & (x != 0);
}

/**
 * x >= 0 rounded to an integer. x is itself the rounded value of an exact number. *odd is set if rounding the exact
 * number directly to a number of the rule could give another result: if x lies in the middle between two integers, or
 * above the numbers whose spacing is that of the subnormal numbers.
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
 * Subnormal numbers are integers times the smallest of them, and every result is rounded to such an integer. Rounding
 * to 53 bits first changes the integer only if the first result is the middle between two integers. In this case, and
 * if an integer is large, the operations are done as written.
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
