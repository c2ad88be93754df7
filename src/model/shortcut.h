// SPDX-License-Identifier: Apache-2.0
// Whether a neighbour is eliminated (tau1.3-5), decided without a division and a root wherever the result is certain.
//
// A neighbour is eliminated when he <= hc cos(theta), cos(theta) = 1 / sqrt(1 + q q). Both sides are positive, so in
// exact arithmetic this is he he (1 + q q) <= hc hc. The two comparisons differ by a few roundings. If the two sides
// differ by more than SCIARA_SHORTCUT_SLACK, relative, both comparisons give the same result. If they do not, or if a
// number is so large or so small that its square might overflow or underflow, the answer is "in doubt", and the caller
// evaluates the rule itself.
#ifndef SCIARA_MODEL_SHORTCUT_H
#define SCIARA_MODEL_SHORTCUT_H

#include "model/cell.h"

#define SCIARA_SHORTCUT_SLACK ((real)(sizeof(real) == sizeof(double) ? 0x1p-36 : 0x1p-14))
/** Squares are valid between 1 / MOST and MOST, with 1 + q q <= STEEPEST: then no square has underflowed. */
#define SCIARA_SHORTCUT_MOST ((real)(sizeof(real) == sizeof(double) ? 0x1p800 : 0x1p80))
#define SCIARA_SHORTCUT_STEEPEST ((real)(sizeof(real) == sizeof(double) ? 0x1p200 : 0x1p40))

#if !SCIARA_SHEET // the question arises in fv3 alone

struct sciara_shortcut {
  bool open;  ///< lava may flow there; undefined if in doubt
  bool doubt; ///< the caller has to evaluate sciara_slope_open_with
};

/** The result of sciara_slope_open_with for the same arguments, h >= 0 and hc >= 0. */
SCIARA_HD struct sciara_shortcut sciara_shortcut_open(const struct sciara_rule *rule, real h, real hc, real top,
                                                      real head) {
  const bool blocked = sciara_is_blocked(h, top, head);
  const real effective = top <= head ? h : (head + h) - top;
  const real apparent = h - effective; // 0 where effective is h
  const real q = ((apparent + (real)0.5 * effective) - top) * rule->inverse_cell_size;
  const real steep = 1 + q * q, limit = hc * hc;
  const real square = (effective * effective) * steep;
  const real least = 1 / SCIARA_SHORTCUT_MOST, most = SCIARA_SHORTCUT_MOST;
  const bool good =
      (steep <= SCIARA_SHORTCUT_STEEPEST) & (square >= least) & (square <= most) & (limit >= least) & (limit <= most);
  const bool above = square > limit * (1 + SCIARA_SHORTCUT_SLACK), below = square < limit * (1 - SCIARA_SHORTCUT_SLACK);
  const struct sciara_shortcut answer = {(bool)(!blocked & above), (bool)(!blocked & !(good & (above | below)))};
  return answer;
}

#endif

#endif
