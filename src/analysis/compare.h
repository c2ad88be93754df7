// SPDX-License-Identifier: Apache-2.0
// Comparison of two maps on one grid: of their values, cell by cell, and of a simulated lava field with an observed one by
// scores (docs/validation.md defines them).
#ifndef SCIARA_ANALYSIS_COMPARE_H
#define SCIARA_ANALYSIS_COMPARE_H

#include <stddef.h>
#include <stdint.h>

#include "geometry/grid.h"

// -------------------------------------------------------------------------------------------------------------- values

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

// ------------------------------------------------------------------------------------------------------------- extents

/** Two extents on one grid. Each array has rows x cols entries; in masks everything but 0 counts. */
struct sciara_extents {
  const struct sciara_grid *grid;
  const uint8_t *run, *observed;
  const uint8_t *vents;             ///< cells of the vents, or NULL
  const double *run_thickness;      ///< m; or NULL
  const double *observed_thickness; ///< m; or NULL
};

/** run - observed over some cells; NAN over none. */
struct sciara_thickness_error {
  int64_t cells;
  double mean_m, rmse_m;
};

/** Scores without a value, such as a fraction of nothing, are NAN. */
struct sciara_extent_scores {
  int64_t hits, misses, excess;         ///< cells: of both; of the observed alone; of the run alone
  double jaccard;                       ///< J = hits / (hits + misses + excess)
  double e1;                            ///< sqrt(J)
  double tpr;                           ///< hits / (hits + misses)
  double ppv;                           ///< hits / (hits + excess)
  double f1;                            ///< 2 hits / (2 hits + misses + excess)
  double area_ratio;                    ///< run / observed
  double run_out_m, observed_run_out_m; ///< greatest distance of a cell from the nearest vent, centre to centre
  double run_out_ratio;                 ///< run / observed
  double hausdorff_m;                   ///< greatest distance of a cell of one from the nearest of the other
  struct sciara_thickness_error both;   ///< over the hits
  struct sciara_thickness_error any;    ///< over hits, misses and excess
};

enum sciara_status sciara_extents_score(const struct sciara_extents *e, struct sciara_extent_scores *out);

/**
 * The square of the distance from the centre of each cell to the centre of the nearest cell of the set, in cells, by
 * integers alone; INT64_MAX everywhere when the set is empty. Takes time in proportion to rows x cols, whatever the
 * set (Meijster, Roerdink and Hesselink 2000).
 *
 * @param set rows x cols; not 0: the cell belongs to it
 * @param out rows x cols
 */
enum sciara_status sciara_distance_squared(int64_t rows, int64_t cols, const uint8_t *set, int64_t *out);

#endif
