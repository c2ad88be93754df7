// SPDX-License-Identifier: Apache-2.0
// What the accepted sets of a space-filling design say of the unknowns: how wide they lie, and which go together.
// Included by this room alone.
#ifndef SCIARA_CALIBRATE_SUPPORT_H
#define SCIARA_CALIBRATE_SUPPORT_H

#include "calibrate/calibration_record.h"

enum { SCIARA_SUPPORT_LEAST = 10 }; ///< accepted sets without which nothing is estimated

/** From this correlation on neither of two unknowns is identifiable without the other. */
#define SCIARA_SUPPORT_TOGETHER 0.7

/** Whether the observed extents determine an unknown: spread below 0.5, below 0.9, or more. */
enum sciara_identifiable { SCIARA_IDENTIFIABLE, SCIARA_WEAKLY_IDENTIFIABLE, SCIARA_NOT_IDENTIFIABLE };

/** An unknown in the accepted sets. */
struct sciara_support {
  double median, low, high; ///< the 50th, 5th and 95th percentile
  double spread;            ///< standard deviation, divided by that of values that fill the bounds evenly
  enum sciara_identifiable identifiable;
};

/** What the accepted sets say. */
struct sciara_supported {
  size_t accepted;                                     ///< sets; 0 of a design that does not fill the bounds evenly
  struct sciara_support unknown[SCIARA_UNKNOWNS_MOST]; ///< all NAN with fewer than SCIARA_SUPPORT_LEAST accepted sets
  double correlation[SCIARA_UNKNOWNS_MOST][SCIARA_UNKNOWNS_MOST]; ///< NAN likewise, and for an unknown with one value
};

/** Percentiles (linear between two values), standard deviations and correlations, of logarithms for unknowns with `log`. */
enum sciara_status sciara_support_make(const struct sciara_calibration_record *r, struct sciara_supported *out);

/** A message: which unknowns are identifiable, and which are not. */
enum sciara_status sciara_support_log(const struct sciara_calibration_record *r, const struct sciara_supported *s);

#endif
