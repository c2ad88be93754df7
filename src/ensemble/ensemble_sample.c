// SPDX-License-Identifier: Apache-2.0
#include "ensemble/ensemble_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

// --------------------------------------------------------------------------------------------- two halves of the vents

static const double same_m = 1e-6; // coordinates that differ by less are equal but for rounding

/** A point and where it lies along an axis or a line. */
struct position {
  double at;
  size_t point;
};

static int by_position(const void *a, const void *b) {
  const struct position *p = (const struct position *)a, *q = (const struct position *)b;
  if (p->at != q->at) return p->at < q->at ? -1 : 1;
  return (p->point > q->point) - (p->point < q->point);
}

/** The smallest distance above 0 between coordinates; 0: they are all equal. */
static double grid_step(const struct sciara_point *points, size_t count, bool y, struct position *position) {
  double step = 0;
  for (size_t k = 0; k < count; k++) position[k] = (struct position){y ? points[k].y : points[k].x, k};
  qsort(position, count, sizeof *position, by_position);
  double from = position[0].at;
  for (size_t k = 1; k < count; k++) {
    const double d = position[k].at - from;
    if (d <= same_m) continue;
    if (step == 0 || d < step) step = d;
    from = position[k].at;
  }
  return step;
}

/** Steps from the first point; false if it lies between the points of the grid. */
static bool steps_to(double d, double step, int64_t *out) {
  const double n = step > 0 ? d / step : 0;
  *out = llround(n);
  return fabs(n - (double)*out) < 1e-3;
}

/** Colours of a chessboard, or of its rows. False: the points are no grid, or all of one colour. */
static bool colour_grid(const struct sciara_point *points, size_t count, double dx, double dy, bool rows,
                        int64_t *colour) {
  int64_t i, j, some = 0;
  for (size_t k = 0; k < count; k++) {
    if (!steps_to(points[k].x - points[0].x, dx, &i) || !steps_to(points[k].y - points[0].y, dy, &j)) return false;
    colour[k] = llabs(rows ? j : i + j) % 2;
    some |= colour[k];
  }
  return some != 0;
}

/** The point that is farthest from that of index `from`. */
static size_t farthest(const struct sciara_point *points, size_t count, size_t from) {
  const struct sciara_point p = points[from];
  size_t best = from;
  double most = 0;
  for (size_t k = 0; k < count; k++) {
    const double d = hypot(points[k].x - p.x, points[k].y - p.y);
    if (d > most) most = d, best = k;
  }
  return best;
}

/** By turns along the line on which all points lie; those at one place have one colour. False: they are on no line. */
static bool colour_line(const struct sciara_point *points, size_t count, struct position *position, int64_t *colour) {
  const size_t begin = farthest(points, count, 0), end = farthest(points, count, begin);
  const struct sciara_point a = points[begin], b = points[end];
  const double length = hypot(b.x - a.x, b.y - a.y), off = 1e-3 + 1e-6 * length;
  if (length <= same_m) return false;
  const double x = (b.x - a.x) / length, y = (b.y - a.y) / length;
  for (size_t k = 0; k < count; k++) {
    const double dx = points[k].x - a.x, dy = points[k].y - a.y;
    if (fabs(dx * y - dy * x) > off) return false;
    position[k] = (struct position){dx * x + dy * y, k};
  }
  qsort(position, count, sizeof *position, by_position);
  int64_t turn = 0;
  for (size_t k = 0; k < count; k++) {
    if (k > 0 && position[k].at - position[k - 1].at > same_m) turn = !turn;
    colour[position[k].point] = turn;
  }
  return true;
}

enum sciara_status sciara_points_colour(const struct sciara_point *points, size_t count, int64_t *colour) {
  struct position *position;
  SCIARA_TRY(SCIARA_NEW(position, count + 1, "colours of points"));
  const double dx = grid_step(points, count, false, position), dy = grid_step(points, count, true, position);
  if (!colour_grid(points, count, dx, dy, false, colour) && !colour_line(points, count, position, colour) &&
      !colour_grid(points, count, dx, dy, true, colour))
    for (size_t k = 0; k < count; k++) colour[k] = (int64_t)(k % 2);
  sciara_free(position);
  return SCIARA_OK;
}

// --------------------------------------------------------------------------------------------------------------- sample

// --------------------------------------------------------------------------------------------------------- the sample

static enum sciara_error_kind kind_of(const struct sciara_ensemble *e) {
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
  const enum sciara_error_kind kind = kind_of(e);
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
  struct sciara_sample_input in = {.count = count, .weight = weight, .kind = kind_of(e)};
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

size_t sciara_batches_members(const struct sciara_ensemble *e, size_t batches) {
  const size_t members = batches * e->batch_size;
  return members < e->members.count ? members : e->members.count;
}

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
  const enum sciara_status made = sciara_sample_of_members(e, b, sciara_batches_members(e, batches), weight, NULL, &s);
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
    if (!weigh_prefix(e, &strata, sciara_batches_members(e, k), weight)) continue;
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
