// SPDX-License-Identifier: Apache-2.0
// What the accepted sets of a space-filling design say of the unknowns: how wide they lie, and which go together.
// Included by this room alone.
#ifndef SCIARA_CALIBRATE_SUPPORT_H
#define SCIARA_CALIBRATE_SUPPORT_H

#include "calibrate/calibration_file.h"

enum { SCIARA_SUPPORT_LEAST = 10 }; ///< accepted sets without which nothing is estimated

/** An unknown in the accepted sets. */
struct sciara_support {
  double median, low, high; ///< the 50th, 5th and 95th percentile
  double spread;            ///< standard deviation, divided by that of values that fill the bounds evenly
};

/**
 * Percentiles (linear between two values), standard deviations and correlations, of logarithms for unknowns with `log`.
 *
 * @param value       rows x unknowns
 * @param accepted    of each row
 * @param support     of each unknown; all NAN with fewer than SCIARA_SUPPORT_LEAST accepted sets
 * @param correlation unknowns x unknowns; NAN likewise, and for an unknown with one value
 */
enum sciara_status sciara_support_make(const struct sciara_calibration_search *s, const double *value,
                                       const bool *accepted, size_t rows, struct sciara_support *support,
                                       double *correlation);

#endif
