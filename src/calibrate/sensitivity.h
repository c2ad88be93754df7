// SPDX-License-Identifier: Apache-2.0
// How much a score changes with each unknown: designs of points in the unit cube, and what their scores say.
//
// Morris (M. Morris 1991, Factorial sampling plans for preliminary computational experiments, Technometrics 33, 161-174;
// mu*: F. Campolongo et al. 2007, Environ. Model. Softw. 22, 1509-1518): a group is a trajectory of n + 1 points, each of
// which differs from the one before in one unknown.
// Saltelli (A. Saltelli et al. 2010, Variance based sensitivity analysis of model output, Comput. Phys. Commun. 181,
// 259-270): a group is a row of A, the row of B, and n times the row of A with one unknown from B.
// Included by this room alone.
#ifndef SCIARA_CALIBRATE_SENSITIVITY_H
#define SCIARA_CALIBRATE_SENSITIVITY_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "plan/points.h"

enum {
  SCIARA_MORRIS_LEVELS = 4,
  SCIARA_MORRIS_LEAST = 4,    ///< trajectories without which nothing is estimated
  SCIARA_SALTELLI_LEAST = 32, ///< rows likewise
  SCIARA_SALTELLI_UNKNOWNS = SCIARA_SOBOL_DIMENSIONS / 2,
  SCIARA_RESAMPLES = 1000, ///< of the bootstrap
};

/** Compares two numbers, for qsort; a percentile of numbers in this order, between two of them in proportion. */
int sciara_ascending(const void *a, const void *b);
double sciara_percentile(const double *sorted, size_t count, double part);

/**
 * The points of `groups` trajectories on a grid of SCIARA_MORRIS_LEVELS levels from 0 to 1, with steps of 2/3.
 *
 * @param seed   of each unknown, all different
 * @param points groups x (n + 1) x n
 */
void sciara_morris_points(const uint64_t *seed, size_t groups, size_t n, double *points);

/**
 * The points of `groups` rows; those of A and B are Sobol' points of 2 n dimensions.
 *
 * @param seed   of each unknown, all different
 * @param n      at most SCIARA_SALTELLI_UNKNOWNS; more: SCIARA_ERR_INPUT
 * @param points groups x (n + 2) x n
 */
enum sciara_status sciara_saltelli_points(const uint64_t *seed, size_t groups, size_t n, double *points);

/** Elementary effects of an unknown: changes of the score, divided by the part of the range that the unknown moved. */
struct sciara_morris_effect {
  double mu, mu_star, sigma; ///< mean, mean without sign, standard deviation
};

/**
 * @param points  as made
 * @param score   groups x (n + 1); NAN: there is none, and the trajectory is left out
 * @param effect  n; all NAN if `used` is below SCIARA_MORRIS_LEAST
 * @param used    trajectories that have all scores
 */
void sciara_morris_effects(const double *points, const double *score, size_t groups, size_t n,
                           struct sciara_morris_effect *effect, size_t *used);

/** A part of the variance, and the ends of its interval: the 2.5th and 97.5th percentiles of the bootstrap. */
struct sciara_sobol_index {
  double value, low, high;
};

/**
 * First-order indices (the estimator of Saltelli et al. 2010, of scores less their mean) and total ones (M. Jansen 1999).
 * Mean and variance are those of A and B together. The bootstrap draws whole rows.
 *
 * @param score groups x (n + 2); NAN: there is none, and the row is left out
 * @param seed  of the bootstrap
 * @param first, total n each; all NAN if `used` is below SCIARA_SALTELLI_LEAST or all scores are equal; the ends NAN if
 *                     those of a resample are
 * @param used  rows that have all scores
 */
enum sciara_status sciara_saltelli_indices(const double *score, size_t groups, size_t n, uint64_t seed,
                                           struct sciara_sobol_index *first, struct sciara_sobol_index *total,
                                           size_t *used);

#endif
