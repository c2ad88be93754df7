// SPDX-License-Identifier: Apache-2.0
#include "ensemble/ensemble_sample.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"

// --------------------------------------------------------------------------------------------- two halves of the vents

static const double same_m = 1e-6; // coordinates that differ by less are equal but for rounding

/** Numbers the different coordinates in ascending order, and adds its number to that of each point. @param sorted room for them */
static void add_ranks(const struct sciara_point *points, size_t count, bool y, struct sciara_keyed *sorted,
                      int64_t *rank) {
  int64_t number = 0;
  for (size_t k = 0; k < count; k++) sorted[k] = (struct sciara_keyed){y ? points[k].y : points[k].x, k};
  qsort(sorted, count, sizeof *sorted, sciara_by_key);
  for (size_t k = 0; k < count; k++) {
    if (k > 0 && sorted[k].key - sorted[k - 1].key > same_m) number++;
    rank[sorted[k].index] += number;
  }
}

enum sciara_status sciara_points_colour(const struct sciara_point *points, size_t count, int64_t *colour) {
  struct sciara_keyed *sorted;
  int64_t some = 0;
  SCIARA_TRY(SCIARA_NEW(sorted, count + 1, "colours of points"));
  for (size_t k = 0; k < count; k++) colour[k] = 0;
  add_ranks(points, count, true, sorted, colour);
  add_ranks(points, count, false, sorted, colour);
  for (size_t k = 0; k < count; k++) some |= (colour[k] ^ colour[0]) & 1;
  if (!some) { // an oblique line, or every other place of a grid: by rows
    for (size_t k = 0; k < count; k++) colour[k] = 0;
    add_ranks(points, count, true, sorted, colour);
  }
  const int64_t first = colour[0];
  for (size_t k = 0; k < count; k++) colour[k] = (colour[k] ^ first) & 1;
  sciara_free(sorted);
  return SCIARA_OK;
}

// --------------------------------------------------------------------------------------------------------- the sample

static enum sciara_error_kind kind_of_sample(const struct sciara_ensemble *e) {
  switch (e->method) {
    case SCIARA_SAMPLE_LHS:
    case SCIARA_SAMPLE_SOBOL: return SCIARA_ERROR_REPLICATES;
    case SCIARA_SAMPLE_FULL: return e->vent_count > 1 ? SCIARA_ERROR_GRID : SCIARA_ERROR_UNKNOWN;
    case SCIARA_SAMPLE_RANDOM:
    case SCIARA_SAMPLE_TABLE: break;
  }
  return SCIARA_ERROR_STRATA;
}

/** Stratum, replicate or colour of each member. */
static enum sciara_status group_members(const struct sciara_ensemble *e, int64_t *group) {
  const struct sciara_members *m = &e->members;
  const enum sciara_error_kind kind = kind_of_sample(e);
  int64_t *colour = NULL;
  struct sciara_point *point = NULL;
  enum sciara_status status = SCIARA_OK;
  if (kind == SCIARA_ERROR_GRID) {
    SCIARA_TRY(SCIARA_NEW(colour, e->vent_count, "the vents of an ensemble"));
    status = SCIARA_NEW(point, e->vent_count, "the vents of an ensemble");
    for (size_t v = 0; v < e->vent_count && point; v++) point[v] = e->vents[v].points[0];
    if (status == SCIARA_OK) status = sciara_points_colour(point, e->vent_count, colour);
    sciara_free(point);
  }
  for (size_t k = 0; k < m->count; k++) {
    const int64_t vent = m->vent[k];
    // After an observation the weight of a stratum too depends on what its draws do: all members are draws of one.
    group[k] = kind == SCIARA_ERROR_REPLICATES                       ? m->replicate[k]
               : kind == SCIARA_ERROR_STRATA && e->observed          ? 0
               : kind == SCIARA_ERROR_STRATA                         ? m->stratum[k]
               : colour && vent >= 0 && (size_t)vent < e->vent_count ? colour[vent]
                                                                     : -1;
  }
  sciara_free(colour);
  return status;
}

enum sciara_status sciara_sample_of_members(const struct sciara_ensemble *e, const struct sciara_batches *b,
                                            size_t count, const double *weight, const uint8_t *unpaired,
                                            struct sciara_sample *out) {
  struct sciara_sample_input in = {.count = count, .weight = weight, .kind = kind_of_sample(e)};
  uint8_t *state = NULL;
  double *end = NULL;
  int64_t *group = NULL;
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(state, count, "the members of an ensemble"));
  SCIARA_TRY_GOTO(SCIARA_NEW(end, count, "the members of an ensemble"));
  SCIARA_TRY_GOTO(SCIARA_NEW(group, e->members.count, "the members of an ensemble"));
  SCIARA_TRY_GOTO(group_members(e, group));
  for (size_t m = 0; m < count; m++) {
    const struct sciara_footprint *f = &b->member[m];
    const bool open = f->id < 0 || f->failed || (unpaired && unpaired[m]);
    state[m] = open ? SCIARA_MEMBER_OPEN : f->censored ? SCIARA_MEMBER_CENSORED : SCIARA_MEMBER_COMPLETE;
    end[m] = f->end_s;
  }
  in.state = state;
  in.end_s = end;
  in.group = group;
  in.stratum = e->members.stratum;
  SCIARA_TRY_GOTO(sciara_sample_make(&in, out));
  if (e->observed) out->even = false; // weights that depend on the draws
cleanup:
  sciara_free(state);
  sciara_free(end);
  sciara_free(group);
  return status;
}

enum sciara_status sciara_sample_of_plan(const struct sciara_ensemble *e, struct sciara_sample *out) {
  struct sciara_footprint *member;
  SCIARA_TRY(SCIARA_NEW(member, e->members.count + 1, "the members of an ensemble"));
  const struct sciara_batches finished = {.member = member};
  const enum sciara_status status =
      sciara_sample_of_members(e, &finished, e->members.count, e->members.weight, NULL, out);
  sciara_free(member);
  return status;
}

// ------------------------------------------------------------------------------------------------------ the stop rule

/** The strata of an ensemble, numbered from 0: their own numbers may be any. */
struct strata {
  size_t count;
  uint32_t *of;           ///< of each member
  double *whole, *prefix; ///< sums of the weights of the members: of all, and of the first
};

static void free_strata(struct strata *s) {
  sciara_free(s->of);
  sciara_free(s->whole);
  sciara_free(s->prefix);
}

/** Sums of the weights of each stratum, over the first `count` members. */
static void sum_strata(const struct sciara_ensemble *e, const struct strata *s, size_t count, double *sum) {
  for (size_t k = 0; k < s->count; k++) sum[k] = 0;
  for (size_t m = 0; m < count; m++) sum[s->of[m]] += e->members.weight[m];
}

/** Release with free_strata, also after a failure. */
static enum sciara_status find_strata(const struct sciara_ensemble *e, struct strata *s) {
  const size_t members = e->members.count;
  *s = (struct strata){0};
  SCIARA_TRY(sciara_strata_number(e->members.stratum, members, &s->of, &s->count));
  SCIARA_TRY(SCIARA_NEW(s->whole, s->count + 1, "the strata of an ensemble"));
  SCIARA_TRY(SCIARA_NEW(s->prefix, s->count + 1, "the strata of an ensemble"));
  sum_strata(e, s, members, s->whole);
  return SCIARA_OK;
}

/**
 * Weights for a prefix: each stratum has the weight that it has in the whole ensemble. False if one would have no
 * member.
 */
static bool weigh_prefix(const struct sciara_ensemble *e, struct strata *s, size_t count, double *weight) {
  sum_strata(e, s, count, s->prefix);
  for (size_t k = 0; k < s->count; k++)
    if (s->whole[k] > 0 && s->prefix[k] == 0) return false;
  for (size_t m = 0; m < count; m++) {
    const size_t k = s->of[m];
    weight[m] = s->prefix[k] > 0 ? e->members.weight[m] * s->whole[k] / s->prefix[k] : 0;
  }
  return true;
}

/**
 * Whether the errors at all places are small enough. A place that no member, or every member, reaches has no spread from which
 * an error could follow: the bound for no hit stands for it.
 */
static enum sciara_status is_enough(const struct sciara_ensemble *e, const struct sciara_sample *s,
                                    const struct sciara_poi_hits *pois, bool *enough) {
  struct sciara_sample_scratch x;
  uint32_t *hit = NULL;
  const struct sciara_question q = sciara_question_make(s, INFINITY);
  enum sciara_status status;
  *enough = !isnan(s->critical) && s->open == 0;
  SCIARA_TRY(sciara_sample_scratch_make(s, &x));
  SCIARA_TRY_GOTO(SCIARA_NEW(hit, s->count + 1, "the members that reach a place"));
  for (size_t k = 0; k < pois->pois && *enough; k++) {
    const size_t hits = sciara_poi_members(pois, s, k, e->stop.deposit_m, INFINITY, hit);
    const struct sciara_estimate p = sciara_sample_estimate(s, &q, hit, hits, &x);
    const double error = p.error > 0 ? p.error : sciara_sample_zero_bound(s);
    *enough = error <= e->stop.standard_error;
  }
cleanup:
  sciara_sample_scratch_free(&x);
  sciara_free(hit);
  return status;
}

static enum sciara_status try_prefix(const struct sciara_ensemble *e, const struct sciara_batches *b,
                                     const struct sciara_poi_hits *pois, size_t batches, const double *weight,
                                     bool *enough) {
  struct sciara_sample s = {0};
  const enum sciara_status made = sciara_sample_of_members(e, b, sciara_batch_end(e, batches - 1), weight, NULL, &s);
  *enough = false;
  if (made == SCIARA_ERR_INPUT) return SCIARA_OK; // nothing is finished
  SCIARA_TRY(made);
  const enum sciara_status status = is_enough(e, &s, pois, enough);
  sciara_sample_free(&s);
  return status;
}

enum sciara_status sciara_stop_weights(const struct sciara_ensemble *e, const struct sciara_batches *b,
                                       const struct sciara_poi_hits *pois, double *weight, size_t *batches) {
  struct strata strata;
  enum sciara_status status;
  *batches = 0;
  SCIARA_TRY_GOTO(find_strata(e, &strata));
  for (size_t k = 1; k <= e->batch_count && b->present[k - 1] && *batches == 0; k++) {
    bool enough = false;
    if (!weigh_prefix(e, &strata, sciara_batch_end(e, k - 1), weight)) continue;
    SCIARA_TRY_GOTO(try_prefix(e, b, pois, k, weight, &enough));
    if (enough) *batches = k;
  }
cleanup:
  free_strata(&strata);
  return status;
}

enum sciara_status sciara_stop_prefix(const struct sciara_ensemble *e, const struct sciara_batches *b,
                                      const struct sciara_poi_hits *pois, size_t *batches) {
  double *weight;
  *batches = 0;
  if (e->stop.standard_error == 0 || pois->pois == 0) return SCIARA_OK;
  SCIARA_TRY(SCIARA_NEW(weight, e->members.count, "the weights of an ensemble"));
  const enum sciara_status status = sciara_stop_weights(e, b, pois, weight, batches);
  sciara_free(weight);
  return status;
}
