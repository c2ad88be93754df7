// SPDX-License-Identifier: Apache-2.0
// Comparison of a simulated lava field with an observed one: scores (docs/validation.md defines them).
#ifndef SCIARA_ANALYSIS_EXTENT_H
#define SCIARA_ANALYSIS_EXTENT_H

#include "file/georef.h"
#include "model/grid.h"

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
