// SPDX-License-Identifier: Apache-2.0
// Weights of the members of an ensemble after an observation: w J^b, J the Jaccard index of the observed extent and what
// lava of the member has reached by its time. docs/ensemble-statistics.md says what such weights mean.
#ifndef SCIARA_CALIBRATE_REWEIGHT_H
#define SCIARA_CALIBRATE_REWEIGHT_H

#include "ensemble/ensemble.h"
#include "ensemble/footprints.h"

/** b is at most SCIARA_REWEIGHT_MOST, in steps of 1 / SCIARA_REWEIGHT_STEPS. */
enum { SCIARA_REWEIGHT_MOST = 50, SCIARA_REWEIGHT_STEPS = 1000 };

/** What was observed, and how far it may count. */
struct sciara_reweight_options {
  const uint8_t *covered; ///< rows x cols of the DEM: the observed extent, 0 or 1
  double at_s;            ///< its simulated time, s
  double zero_s;          ///< the simulated time from which members count, s
  double min_thickness_m; ///< a largest deposit up to here is no lava
  double least_share;     ///< n_eff stays at or above this share of what it was; in (0, 1]
  int threads;            ///< at most, for reading
};

/** Zero-initialise; release with sciara_reweight_free. */
struct sciara_reweight {
  double *jaccard;      ///< of each member; NAN: not finished, or failed
  double *weight;       ///< of each member; the sum is that of the planned weights
  double exponent;      ///< b
  double before, after; ///< n_eff = (sum w)^2 / sum w^2 of the finished members
  size_t finished;      ///< members that are finished and have a weight above 0
  size_t none;          ///< of them, with J = 0
  size_t early;         ///< of them, at a limit before the time of the observation: what they had reached counts
  size_t best;          ///< the first member with the largest J
  double median;        ///< of J
  int64_t observed;     ///< cells
};

/**
 * b is the largest of its values for which n_eff is large enough. A member that is not finished has its planned weight
 * times the mean factor of the finished ones of its stratum, or of all of them if there is none.
 *
 * @param e with its planned weights
 * @return SCIARA_ERR_INPUT if no member is finished, a member ends before the observation by its own stop rule or all do
 *         at a limit, all J are 0, or members with J = 0 alone lower n_eff too much
 */
enum sciara_status sciara_reweight_make(const struct sciara_ensemble *e, const struct sciara_batches *b,
                                        const struct sciara_reweight_options *options, struct sciara_reweight *out);
void sciara_reweight_free(struct sciara_reweight *w);

/**
 * SCIARA_ERR_INPUT if a member that counts ends before the time of an observation, s, by a stop rule of its own, which says
 * nothing about that time; or if all end before at a limit.
 *
 * @param early receives how many end before at a limit: what they had reached counts
 */
enum sciara_status sciara_members_reach(const struct sciara_batches *b, const struct sciara_sample *sample, double at_s,
                                        size_t *early);

#endif
