// SPDX-License-Identifier: Apache-2.0
// Two sets of values on one grid, cell by cell.
#ifndef SCIARA_ANALYSIS_COMPARE_H
#define SCIARA_ANALYSIS_COMPARE_H

#include <stddef.h>
#include <stdint.h>

/** How two arrays differ. */
struct sciara_difference {
  size_t differing;    ///< cells whose bits differ
  size_t beyond;       ///< cells with |a - b| > tolerance max(1, |a|), or where only one is a number
  size_t one;          ///< cells where only one is a number: they count as differing, and not in what follows
  double max_absolute; ///< max |a - b|
  double max_relative; ///< max |a - b| / max(|a|, |b|), 0 where both are 0
  size_t first;        ///< index of the first differing cell; count when there is none
  double jaccard;      ///< cells where both are > 0 over cells where any is; 1 when there are none
};

/** Compares a[count] with b[count]. */
struct sciara_difference sciara_compare_values(const double *a, const double *b, size_t count, double tolerance);

/** Jaccard index: cells in both sets over cells in either; 1 for two empty sets, which are equal. */
static inline double sciara_jaccard(int64_t both, int64_t either) {
  return either > 0 ? (double)both / (double)either : 1;
}

#endif
