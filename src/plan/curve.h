// SPDX-License-Identifier: Apache-2.0
// How the effusion rate of an eruption changes with time: shapes with exact integrals.
// Included by this room alone.
#ifndef SCIARA_PLAN_CURVE_H
#define SCIARA_PLAN_CURVE_H

#include "base/status.h"

enum sciara_curve_kind {
  SCIARA_CURVE_CONSTANT,
  SCIARA_CURVE_BELL,        ///< rises from 0 to the peak and falls to 0, each as u^2 (3 - 2 u)
  SCIARA_CURVE_EXPONENTIAL, ///< exp(-x / decay)
  SCIARA_CURVE_WANING,      ///< rises linearly to the peak, then falls as exp(-(x - peak) / decay)
  SCIARA_CURVE_TABLE,       ///< a table of rates
};

/** A shape over the share x of the duration, 0 to 1. */
struct sciara_curve {
  enum sciara_curve_kind kind;
  double peak;                 ///< bell, waning: share at which the rate is largest, 0 to 1
  double decay;                ///< exponential, waning: share in which the rate falls by the factor e, above 0
  const double *edges, *rates; ///< table: count + 1 ascending times and count rates, any units; the sum is above 0
  size_t count;
};

/** The share of the volume emitted until the share x of the duration; 0 at 0, exactly 1 at 1. */
double sciara_curve_share(const struct sciara_curve *c, double x);

/**
 * The rates of `slots` equal parts of the duration: each has the volume of its part of the curve, whatever their
 * number. The sum of rate * duration / slots is `volume` up to the rounding of the sum.
 */
void sciara_curve_rates(const struct sciara_curve *c, double volume_m3, double duration_s, size_t slots,
                        double *rates_m3_s);

#endif
