// SPDX-License-Identifier: Apache-2.0
// The evolution strategy with covariance matrix adaptation (CMA-ES): N. Hansen 2016, The CMA evolution strategy: a
// tutorial, arXiv:1604.00772, with negative weights; restarts with twice the population: A. Auger and N. Hansen 2005, A
// restart CMA evolution strategy with increasing population size, CEC 2005, doi:10.1109/CEC.2005.1554902.
//
// It minimises in the unit cube. Values that were told once and are told again after the same seed give the same points,
// bit by bit, on every machine: a list of evaluations is enough to resume.
#ifndef SCIARA_CALIBRATE_CMAES_H
#define SCIARA_CALIBRATE_CMAES_H

#include <stdint.h>

#include "base/status.h"

enum { SCIARA_CMAES_DIMENSIONS = 64 };

/** Why the points of a start no longer improve. */
enum sciara_cmaes_end {
  SCIARA_CMAES_GOES_ON,
  SCIARA_CMAES_TIES,       ///< the best values of the last generations, and all of this one, are equal
  SCIARA_CMAES_STAGNATION, ///< the medians of the last third of many generations are no better than those of the first
  SCIARA_CMAES_SMALL,      ///< the distribution is smaller than `least` in every direction
  SCIARA_CMAES_NUMERIC,    ///< the distribution is too elongated, or too narrow for its mean, to be continued
};

struct sciara_cmaes_setup {
  int dimension;      ///< 1 to SCIARA_CMAES_DIMENSIONS
  int population;     ///< points in a generation of the first start, at least 4; 0: 4 + 3 ln(dimension)
  const double *mean; ///< of the first start, in the unit cube; NULL: its centre
  double sigma;       ///< standard deviation at each start, above 0; 0: 0.3
  double least;       ///< standard deviation at which a start ends, relative to `sigma`; 0: 1e-12
  uint64_t seed;
};

struct sciara_cmaes;

/** @return SCIARA_ERR_USAGE for numbers outside their ranges, SCIARA_ERR_MEMORY. */
enum sciara_status sciara_cmaes_create(const struct sciara_cmaes_setup *setup, struct sciara_cmaes **out);
void sciara_cmaes_destroy(struct sciara_cmaes *c);

/** Points in the present generation: it doubles with each restart. */
int sciara_cmaes_population(const struct sciara_cmaes *c);

/** Starts before the present one. */
int sciara_cmaes_restarts(const struct sciara_cmaes *c);

/** The points of the present generation: population x dimension coordinates in [0, 1], the same at every call. */
const double *sciara_cmaes_ask(const struct sciara_cmaes *c);

/**
 * Takes the values of the points and makes the next generation; after an end, that of a new start from a random mean.
 *
 * @param values one for each point, the smaller the better; NaN counts as infinite; of equal values the first counts as
 *               better
 * @param end    why the present start ended, or SCIARA_CMAES_GOES_ON
 * @return SCIARA_ERR_MEMORY where the larger population of a restart finds none
 */
enum sciara_status sciara_cmaes_tell(struct sciara_cmaes *c, const double *values, enum sciara_cmaes_end *end);

#endif
