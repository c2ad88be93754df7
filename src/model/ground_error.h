// SPDX-License-Identifier: Apache-2.0
// Random errors of altitudes that are correlated in space: one possible ground among those that a DEM with errors allows.
#ifndef SCIARA_MODEL_GROUND_ERROR_H
#define SCIARA_MODEL_GROUND_ERROR_H

#include "model/grid.h"

SCIARA_BEGIN_DECLS

/** A stationary normal distribution with the mean 0. The correlation of two cells at the distance d is exp(-(d/L)^2). */
struct sciara_ground_error {
  double sd_m;          ///< standard deviation, m; 0: no error
  double correlation_m; ///< L, m: at this distance the correlation is 1/e; 0: cells are independent
  uint64_t seed;
};

enum { SCIARA_GROUND_ERROR_MOST_CELLS = 500 }; ///< largest correlation length, in sides of cells

/**
 * Adds the errors to altitude[rows x cols] where land[rows x cols] is not 0. White noise of the cells is smoothed with a
 * Gaussian kernel that ends at three standard deviations, so the error of a cell depends on the seed and on its row and
 * column alone.
 *
 * @return SCIARA_ERR_INPUT for a correlation length above SCIARA_GROUND_ERROR_MOST_CELLS, or an altitude that leaves the
 *         range of altitudes: the error names the cell
 */
enum sciara_status sciara_ground_error_add(const struct sciara_ground_error *e, const struct sciara_grid *grid,
                                           const uint8_t *land, double *altitude);

SCIARA_END_DECLS
#endif
