// SPDX-License-Identifier: Apache-2.0
// What varies from member to member: keys, their distributions, priors, and correlations between keys.
#ifndef SCIARA_PLAN_VARIATION_H
#define SCIARA_PLAN_VARIATION_H

#include "ensemble/ensemble_json.h"
#include "model/prior.h"

struct sciara_declared;
struct sciara_event_spec;

enum sciara_vary_target {
  SCIARA_VARY_KEY,
  SCIARA_VARY_RATE,
  SCIARA_VARY_VOLUME,
  SCIARA_VARY_DURATION,
  SCIARA_VARY_GROUND ///< the standard deviation of the errors of altitudes
};

enum { SCIARA_VARY_NAME = 256 }; ///< bytes of a key, with its end

/** One varied key. */
struct sciara_vary_spec {
  char *key;
  char name[SCIARA_VARY_NAME]; ///< sciara_member_key_plain of it, from which its random numbers follow
  size_t rank;                 ///< its place in the order of the names: that of its coordinate in a point
  size_t entry;                ///< its number in "vary": that of the prior or of the sets, if it is a key of these
  bool of_sets;                ///< VALUES: a column of sets, which all have one rank: a draw is a row
  bool multiplies;             ///< what is drawn multiplies the value of the varied key `base`
  size_t base;
  enum sciara_vary_target target;
  size_t event;         ///< VOLUME, DURATION: of which event
  double correlation_m; ///< GROUND: correlation length, m
  enum sciara_distribution kind;
  double a, b;      ///< lowest and highest; mean and standard deviation; median and standard deviation of the logarithm
  double low, high; ///< range of the results: of the key, and of "truncate"
  bool low_allowed;
  double from, to; ///< shares of the distribution at its ends: only the part between them is used
  char **value;    ///< VALUES: as in members.csv
  double *share;   ///< VALUES: probability of each; the sum is 1
  size_t count;
};

struct sciara_variation {
  struct sciara_vary_spec *vary;
  size_t count;
  double *lower; ///< count x count, by rank: Cholesky factor of the correlations; NULL: all are independent
  const struct sciara_prior *prior; ///< NULL: none
  size_t prior_first;               ///< its keys, in the order of its margins, begin here
};

/** The keys of a prior alone. Release with sciara_variation_free, also after a failure. */
enum sciara_status sciara_variation_of_prior(const struct sciara_prior *prior, struct sciara_variation *out);

/** Whether varied key k is one of the prior. */
bool sciara_variation_is_of_prior(const struct sciara_variation *v, size_t k);

/**
 * The parts "vary" and "correlation", which may be NULL. Every key that does not exist, that a member must not set or
 * whose values are out of its range is a problem.
 *
 * @param event_count   of "events"; `by_volume` says which of them have a volume
 * @param vents_given   the plan sets the places of vents, so no key may
 */
void sciara_variation_read(const struct sciara_ensemble_reading *r, const cJSON *vary, const cJSON *correlation,
                           const struct sciara_event_spec *events, size_t event_count, bool vents_given,
                           struct sciara_variation *out);
/** Adds the ranges from which keys are drawn evenly, or evenly in their logarithm. */
void sciara_variation_free(struct sciara_variation *v);

/** Makes u[count], independent coordinates in (0, 1), correlated; by rank. */
void sciara_variation_correlate(const struct sciara_variation *v, double *u);

/** The number of varied key k, whose distribution is continuous, at the point u[count] of (0, 1), by rank: within its range. */
double sciara_variation_number(const struct sciara_variation *v, size_t k, const double *u);

#endif
