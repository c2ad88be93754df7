// SPDX-License-Identifier: Apache-2.0
// The statistics of an ensemble: estimates, bounds, errors and quantiles from weights and hits. Pure functions; the formulas
// are in docs/ensemble-statistics.md.
#ifndef SCIARA_ENSEMBLE_SAMPLE_H
#define SCIARA_ENSEMBLE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/** What is known of a member. */
enum sciara_member_state {
  SCIARA_MEMBER_OPEN,     ///< not computed, or failed: nothing
  SCIARA_MEMBER_COMPLETE, ///< everything
  SCIARA_MEMBER_CENSORED, ///< only what happened up to its end: other hits may have followed
};

/** What the error of an estimate is estimated from. */
enum sciara_error_kind {
  SCIARA_ERROR_STRATA,     ///< independent draws within strata
  SCIARA_ERROR_REPLICATES, ///< independent randomisations of a design (LHS, Sobol')
  SCIARA_ERROR_GRID,       ///< no draws: two halves of the grid of vents, like the colours of a chessboard
  SCIARA_ERROR_UNKNOWN,    ///< no draws and no grid of vents: no error is given
};

enum {
  SCIARA_REPLICATES_LEAST = 8, ///< fewer give no error
  SCIARA_HITS_LEAST = 10,      ///< of members: with fewer hits there are no conditional quantiles and means
};

/** The members, `count` each. */
struct sciara_sample_input {
  size_t count;
  const double *weight; ///< >= 0, of the plan
  const uint8_t *state; ///< enum sciara_member_state
  const double *end_s;  ///< of a censored member: the simulated time up to which it is known
  /** Stratum, replicate, or colour (0 or 1) of the vent; -1: none, which is a stratum of its own, but no replicate or colour. */
  const int64_t *group;
  enum sciara_error_kind kind;
  const int64_t *stratum; ///< of each member; NULL: `group`, and no weights are restored
};

/** Finished members of one stratum, or of strata with a single draw each and equal weights, which were joined. */
struct sciara_sample_group {
  double weight, squares; ///< sums of w and of w^2
  size_t members;
};

/** Zero-initialise; release with sciara_sample_free. Members of weight 0 belong to no group and are never hits. */
struct sciara_sample {
  size_t count;
  enum sciara_error_kind kind;
  /** Weights of the plan; of finished members, restored: so that those of a stratum have its whole weight together. */
  double *weight;
  double *planned; ///< weights of the plan: for bounds, in which open members have their own
  double *end_s;
  uint8_t *state;
  uint32_t *stratum; ///< of each member, numbered from 0
  size_t strata;
  size_t restored, lost; ///< strata of which some, or all, of the weight is open
  double lost_weight;    ///< of the latter, as a fraction of all weight
  uint32_t *group;       ///< of each member, its index in `groups`; SCIARA_NO_GROUP: none
  struct sciara_sample_group *groups;
  size_t group_count;
  double all, done, open; ///< sums of weights, in member order: of the plan, restored, of the plan
  double largest;         ///< largest weight of a finished member divided by `done`
  size_t finished;        ///< members that are done, of weight above 0
  size_t censored;        ///< of them
  size_t zero;            ///< members of weight 0
  size_t joined;          ///< strata with a single draw, joined with others of equal weight
  size_t single;          ///< strata with a single draw and a weight of their own: then there is no error
  bool has_error;         ///< there are enough draws, replicates or colours
  bool even;              ///< the finished members of each stratum have equal weights
  double critical;        ///< 97.5 % quantile of Student's t for the draws or replicates; NAN: no sampling error
};

#define SCIARA_NO_GROUP UINT32_MAX

/** Whether a member is finished and has a weight above 0. In a sample without an error no member has a group. */
static inline bool sciara_sample_counts(const struct sciara_sample *s, size_t member) {
  return s->state[member] != SCIARA_MEMBER_OPEN && s->weight[member] > 0;
}

/** Numbers the strata of members from 0: their own numbers may be any. @param stratum receives an array from sciara_alloc */
enum sciara_status sciara_strata_number(const int64_t *number, size_t count, uint32_t **stratum, size_t *strata);

/** SCIARA_ERR_INPUT if no member of weight above 0 is finished: there is no result. */
enum sciara_status sciara_sample_make(const struct sciara_sample_input *in, struct sciara_sample *out);
void sciara_sample_free(struct sciara_sample *s);

/** Memory that one thread needs for estimates; zero-initialise. */
struct sciara_sample_scratch {
  double *weight, *squares; ///< of the hits of each group; 0 between calls
  uint32_t *touched;
};

enum sciara_status sciara_sample_scratch_make(const struct sciara_sample *s, struct sciara_sample_scratch *out);
void sciara_sample_scratch_free(struct sciara_sample_scratch *x);

/** The sum of the planned weights of the censored members that end before a time, s; INFINITY: of all of them. */
double sciara_sample_censored(const struct sciara_sample *s, double before_s, size_t *count);

/** A question that each member answers with yes (a hit), no or, censored before `until_s`, with "not yet". */
struct sciara_question {
  double until_s;  ///< INFINITY: at any time
  double censored; ///< sciara_sample_censored of it
  size_t censored_count;
};

struct sciara_question sciara_question_make(const struct sciara_sample *s, double until_s);

/** The answer: a probability. NAN: there is none. */
struct sciara_estimate {
  double value;     ///< sum of w of the hits / sum of w of the finished members
  double low, high; ///< whatever open and censored members may turn out to be
  double error;     ///< standard error, or the difference of the grid; NAN also without any hit
  size_t hits;      ///< members
};

/**
 * The estimate from the members that are hits: finished, of weight above 0, in ascending order.
 *
 * @param x of this thread
 */
struct sciara_estimate sciara_sample_estimate(const struct sciara_sample *s, const struct sciara_question *q,
                                              const uint32_t *hit, size_t hits, struct sciara_sample_scratch *x);

/** The weighted mean of a value of each finished member, and its error. @param value of s->count */
void sciara_sample_mean(const struct sciara_sample *s, const double *value, struct sciara_sample_scratch *x,
                        double *mean, double *error);

/** The upper 95 % bound of a probability without any hit; NAN unless the members were drawn, with equal weights in a stratum. */
double sciara_sample_zero_bound(const struct sciara_sample *s);

/** A 95 % interval. NAN: there is none. */
struct sciara_interval {
  double low, high;
};

/**
 * The 95 % interval of a probability as far as it is due to the draws, whose number is that of which the error, enlarged by
 * the largest weight, would be the error. Without any hit, or with hits alone, it ends at the bound.
 */
struct sciara_interval sciara_sample_interval(const struct sciara_sample *s, const struct sciara_estimate *e);

/** The 97.5 % quantile of Student's t. @param degrees >= 1 */
double sciara_student(double degrees);

/** A value of a member in a form that sorts by value, then by member. */
typedef uint64_t sciara_ranked;

/** The value, which must be >= 0 and finite. */
sciara_ranked sciara_rank(float value, uint32_t member);
float sciara_ranked_value(sciara_ranked r);
static inline uint32_t sciara_ranked_member(sciara_ranked r) { return (uint32_t)r; }

/** Sorts `count` values whose members ascend; `room` has the same length. */
void sciara_ranked_sort(sciara_ranked *values, size_t count, sciara_ranked *room);

/**
 * Fills cumulative[k] with the weights of the values 0 to k, in this order.
 *
 * @return their sum
 */
double sciara_ranked_cumulate(const struct sciara_sample *s, const sciara_ranked *sorted, size_t count,
                              double *cumulative);

/**
 * Index of the first value at which the cumulated weight reaches `weight`, up to rounding; `count`: it never does.
 */
size_t sciara_ranked_find(const double *cumulative, size_t count, double weight);

#endif
