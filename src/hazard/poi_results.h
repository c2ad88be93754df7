// SPDX-License-Identifier: Apache-2.0
// The results at places: probabilities, times, which vents and classes reach them, convergence, and the stop rule.
#ifndef SCIARA_HAZARD_POI_RESULTS_H
#define SCIARA_HAZARD_POI_RESULTS_H

#include "ensemble/poi_hits.h"
#include "hazard/hazard.h"

/** A probability at a place. */
struct sciara_poi_probability {
  struct sciara_estimate estimate;
  /** From half of the members each, in which the strata have equal weights; of strata with members in both halves. NAN: none. */
  double half[2];
};

/** The results at one place. Zero-initialise; release with sciara_poi_result_free. */
struct sciara_poi_result {
  struct sciara_poi_probability *deposit; ///< of result->deposit_m
  struct sciara_poi_probability *within;  ///< of result->within_s
  double *quantile[SCIARA_QUANTILES];     ///< result->quantiles over hits; NAN with fewer than SCIARA_HITS_LEAST hits
  double covered, covered_error;          ///< mean share of what lies on land that lava covers; NAN: nothing does
  double *years;                          ///< years x deposit_m x (value, low, high): P_T; NULL: there are no rates
};

/**
 * Computes them.
 *
 * @param land how much of the place lies on land
 * @param rule with rates, for P_T; NULL: none
 */
enum sciara_status sciara_poi_result_make(const struct sciara_poi_hits *h, const struct sciara_sample *s,
                                          const struct sciara_ensemble_result *result, size_t poi, double land,
                                          const struct sciara_hazard_rule *rule, struct sciara_poi_result *out);
void sciara_poi_result_free(struct sciara_poi_result *r);

/** What the eruptions of one vent and class do at a place. */
struct sciara_contribution {
  int64_t vent, event; ///< -1: not given
  size_t members, hits;
  double weight;       ///< share of all weight
  double contribution; ///< share of the weight of all hits: P(vent, class | place)
  double probability;  ///< P(hit | vent, class)
  double arrival;      ///< weighted median over hits, s; NAN with fewer than SCIARA_HITS_LEAST
};

/** By vent and class, or by one of them; the other is then -1. */
enum sciara_contribution_of { SCIARA_BY_VENT_AND_EVENT, SCIARA_BY_VENT, SCIARA_BY_EVENT };

/**
 * The contributions to H(place, deposit_m), by vent, then class. *out is from sciara_alloc.
 *
 * @param vent, event of each member
 */
enum sciara_status sciara_contributions(const struct sciara_poi_hits *h, const struct sciara_sample *s, size_t poi,
                                        double deposit_m, const int64_t *vent, const int64_t *event,
                                        enum sciara_contribution_of by, struct sciara_contribution **out,
                                        size_t *count);

#endif
