// SPDX-License-Identifier: Apache-2.0
// The results at places: probabilities, times, which vents and classes reach them.
#include "hazard/reduction.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

/** What is computed from, and memory for it. */
struct work {
  const struct sciara_poi_hits *h;
  const struct sciara_sample *s;
  size_t poi;
  struct sciara_hazard_scratch x;
  uint8_t *half;          ///< of each member: 0, 1, or 2 for neither
  double *half_weight[2]; ///< of each stratum in each half
};

static void work_free(struct work *w) {
  sciara_hazard_scratch_free(&w->x);
  sciara_free(w->half);
  for (int k = 0; k < 2; k++) sciara_free(w->half_weight[k]);
}

/** Divides the finished members: strata by turns, replicates by turns. The halves of a grid are what its difference is from. */
static enum sciara_status divide(struct work *w) {
  const struct sciara_sample *s = w->s;
  uint8_t *turn;
  SCIARA_TRY(SCIARA_NEW(turn, s->strata + 1, "halves of strata"));
  for (size_t m = 0; m < s->count; m++) {
    w->half[m] = 2;
    if (s->group[m] == SCIARA_NO_GROUP || s->kind == SCIARA_ERROR_GRID) continue;
    w->half[m] = s->kind == SCIARA_ERROR_STRATA ? turn[s->stratum[m]] : (uint8_t)(s->group[m] % 2);
    turn[s->stratum[m]] = !turn[s->stratum[m]];
    w->half_weight[w->half[m]][s->stratum[m]] += s->weight[m];
  }
  sciara_free(turn);
  return SCIARA_OK;
}

static enum sciara_status work_make(const struct sciara_poi_hits *h, const struct sciara_sample *s, size_t poi,
                                    struct work *w) {
  static const char what[] = "the results at a place";
  *w = (struct work){.h = h, .s = s, .poi = poi};
  SCIARA_TRY(sciara_hazard_scratch_make(s, true, &w->x));
  SCIARA_TRY(SCIARA_NEW(w->half, s->count + 1, what));
  for (int k = 0; k < 2; k++) SCIARA_TRY(SCIARA_NEW(w->half_weight[k], s->strata + 1, what));
  return divide(w);
}

/** The probability from the members of each half alone, which have the whole weight of their strata. */
static void put_halves(const struct work *w, size_t hits, double half[2]) {
  double hit[2] = {0}, all = 0;
  for (size_t k = 0; k < w->s->strata; k++)
    if (w->half_weight[0][k] > 0 && w->half_weight[1][k] > 0) all += w->half_weight[0][k] + w->half_weight[1][k];
  for (size_t k = 0; k < hits; k++) {
    const uint32_t stratum = w->s->stratum[w->x.hit[k]];
    const uint8_t of = w->half[w->x.hit[k]];
    if (of > 1 || !(w->half_weight[!of][stratum] > 0)) continue;
    const double share = w->s->weight[w->x.hit[k]] / w->half_weight[of][stratum];
    hit[of] += share * (w->half_weight[0][stratum] + w->half_weight[1][stratum]);
  }
  for (int k = 0; k < 2; k++) half[k] = all > 0 ? hit[k] / all : NAN;
}

static struct sciara_poi_probability probability(struct work *w, double deposit_m, double until_s) {
  const struct sciara_question q = sciara_question_make(w->s, until_s);
  const size_t hits = sciara_poi_members(w->h, w->s, w->poi, deposit_m, until_s, w->x.hit);
  struct sciara_poi_probability p;
  p.estimate = sciara_sample_estimate(w->s, &q, w->x.hit, hits, &w->x.sample);
  put_halves(w, hits, p.half);
  return p;
}

/** Quantiles over the members that reach the place. */
static void put_quantiles(struct work *w, const struct sciara_ensemble_result *result, enum sciara_footprint_value of,
                          double *out) {
  const size_t hits = sciara_poi_members(w->h, w->s, w->poi, 0, INFINITY, w->x.hit);
  bool known = true;
  for (size_t k = 0; k < hits; k++) {
    const float value = sciara_poi_hit(w->h, w->poi, w->x.hit[k])->value[of];
    known &= !isnan(value);
    w->x.ranked[k] = sciara_rank(value, w->x.hit[k]);
  }
  sciara_ranked_sort(w->x.ranked, hits, w->x.room);
  const double total = sciara_ranked_cumulate(w->s, w->x.ranked, hits, w->x.cumulative);
  for (size_t k = 0; k < result->quantile_count; k++) {
    const size_t at = sciara_ranked_find(w->x.cumulative, hits, result->quantiles[k] * total);
    out[k] = known && hits >= SCIARA_HITS_LEAST && at < hits ? (double)sciara_ranked_value(w->x.ranked[at]) : NAN;
  }
}

static void put_covered(struct work *w, double land, struct sciara_poi_result *out) {
  out->covered = out->covered_error = NAN;
  if (!(land > 0)) return;
  for (size_t m = 0; m < w->s->count; m++) w->x.value[m] = sciara_poi_hit(w->h, w->poi, m)->covered / land;
  sciara_sample_mean(w->s, w->x.value, &w->x.sample, &out->covered, &out->covered_error);
  if (!(out->covered > 0)) out->covered_error = NAN; // as that of a probability without hits
}

static enum sciara_status put_years(struct work *w, const struct sciara_ensemble_result *result,
                                    const struct sciara_hazard_rule *rule, struct sciara_poi_result *out) {
  static const enum sciara_layer_part parts[] = {SCIARA_PART_VALUE, SCIARA_PART_LOW, SCIARA_PART_HIGH};
  enum { PARTS = sizeof parts / sizeof *parts };
  SCIARA_TRY(SCIARA_NEW(out->years, PARTS * result->year_count * result->deposit_count + 1, "P_T"));
  double *value = out->years;
  for (size_t y = 0; y < result->year_count; y++)
    for (size_t k = 0; k < result->deposit_count; k++) {
      const size_t hits = sciara_poi_members(w->h, w->s, w->poi, result->deposit_m[k], INFINITY, w->x.hit);
      for (size_t part = 0; part < PARTS; part++)
        *value++ = sciara_hazard_years(rule, parts[part], result->years[y], w->x.hit, hits);
    }
  return SCIARA_OK;
}

enum sciara_status sciara_poi_result_make(const struct sciara_poi_hits *h, const struct sciara_sample *s,
                                          const struct sciara_ensemble_result *result, size_t poi, double land,
                                          const struct sciara_hazard_rule *rule, struct sciara_poi_result *out) {
  static const char what[] = "the results at a place";
  struct work w;
  *out = (struct sciara_poi_result){0};
  enum sciara_status status;
  SCIARA_TRY_GOTO(work_make(h, s, poi, &w));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->deposit, result->deposit_count + 1, what));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->within, result->within_count + 1, what));
  for (int q = 0; q < SCIARA_QUANTILES; q++)
    SCIARA_TRY_GOTO(SCIARA_NEW(out->quantile[q], result->quantile_count + 1, what));
  for (size_t k = 0; k < result->deposit_count; k++) out->deposit[k] = probability(&w, result->deposit_m[k], INFINITY);
  for (size_t k = 0; k < result->within_count; k++) out->within[k] = probability(&w, 0, result->within_s[k]);
  for (int q = 0; q < SCIARA_QUANTILES; q++) put_quantiles(&w, result, sciara_quantiles[q].value, out->quantile[q]);
  put_covered(&w, land, out);
  if (rule && rule->rate) SCIARA_TRY_GOTO(put_years(&w, result, rule, out));
cleanup:
  work_free(&w);
  if (status != SCIARA_OK) sciara_poi_result_free(out);
  return status;
}

void sciara_poi_result_free(struct sciara_poi_result *r) {
  sciara_free(r->deposit);
  sciara_free(r->within);
  for (int q = 0; q < SCIARA_QUANTILES; q++) sciara_free(r->quantile[q]);
  sciara_free(r->years);
  *r = (struct sciara_poi_result){0};
}

// ------------------------------------------------------------------------------------------------------ contributions

/** A finished member in the order of vent and class. */
struct entry {
  int64_t vent, event;
  uint32_t member;
};

static int by_class(const void *a, const void *b) {
  const struct entry *p = (const struct entry *)a, *q = (const struct entry *)b;
  if (p->vent != q->vent) return p->vent < q->vent ? -1 : 1;
  if (p->event != q->event) return p->event < q->event ? -1 : 1;
  return p->member < q->member ? -1 : p->member > q->member;
}

/** The contribution of the members in entry[0..count), all of one vent and class. */
static struct sciara_contribution contribution(struct work *w, const struct entry *entry, size_t count,
                                               double deposit_m, double all_hits) {
  struct sciara_contribution c = {.vent = entry[0].vent, .event = entry[0].event, .members = count, .arrival = NAN};
  double own = 0, hit = 0;
  for (size_t k = 0; k < count; k++) {
    const struct sciara_poi_hit *h = sciara_poi_hit(w->h, w->poi, entry[k].member);
    const double weight = w->s->weight[entry[k].member];
    own += weight;
    if (!sciara_poi_is_hit(h, deposit_m)) continue;
    hit += weight;
    w->x.ranked[c.hits++] = sciara_rank(h->arrival, entry[k].member);
  }
  sciara_ranked_sort(w->x.ranked, c.hits, w->x.room);
  const double total = sciara_ranked_cumulate(w->s, w->x.ranked, c.hits, w->x.cumulative);
  if (c.hits >= SCIARA_HITS_LEAST)
    c.arrival = (double)sciara_ranked_value(w->x.ranked[sciara_ranked_find(w->x.cumulative, c.hits, 0.5 * total)]);
  c.weight = own / w->s->done;
  c.probability = hit / own;
  c.contribution = all_hits > 0 ? hit / all_hits : 0;
  return c;
}

static enum sciara_status contribute(struct work *w, double deposit_m, const int64_t *vent, const int64_t *event,
                                     enum sciara_contribution_of by, struct entry *entry,
                                     struct sciara_contribution *out, size_t *count) {
  const size_t hits = sciara_poi_members(w->h, w->s, w->poi, deposit_m, INFINITY, w->x.hit);
  double all_hits = 0;
  size_t members = 0;
  for (size_t k = 0; k < hits; k++) all_hits += w->s->weight[w->x.hit[k]];
  for (size_t m = 0; m < w->s->count; m++)
    if (w->s->state[m] != SCIARA_MEMBER_OPEN && w->s->weight[m] > 0)
      entry[members++] =
          (struct entry){by == SCIARA_BY_EVENT ? -1 : vent[m], by == SCIARA_BY_VENT ? -1 : event[m], (uint32_t)m};
  qsort(entry, members, sizeof *entry, by_class);
  for (size_t k = 0, end; k < members; k = end) {
    for (end = k + 1; end < members && entry[end].vent == entry[k].vent && entry[end].event == entry[k].event;) end++;
    out[(*count)++] = contribution(w, entry + k, end - k, deposit_m, all_hits);
  }
  return SCIARA_OK;
}

enum sciara_status sciara_contributions(const struct sciara_poi_hits *h, const struct sciara_sample *s, size_t poi,
                                        double deposit_m, const int64_t *vent, const int64_t *event,
                                        enum sciara_contribution_of by, struct sciara_contribution **out,
                                        size_t *count) {
  struct work w;
  struct entry *entry = NULL;
  enum sciara_status status;
  *out = NULL;
  *count = 0;
  SCIARA_TRY_GOTO(work_make(h, s, poi, &w));
  SCIARA_TRY_GOTO(SCIARA_NEW(entry, s->count + 1, "the contributions of vents"));
  SCIARA_TRY_GOTO(SCIARA_NEW(*out, s->finished + 1, "the contributions of vents"));
  SCIARA_TRY_GOTO(contribute(&w, deposit_m, vent, event, by, entry, *out, count));
cleanup:
  work_free(&w);
  sciara_free(entry);
  if (status == SCIARA_OK) return status;
  sciara_free(*out);
  *out = NULL;
  return status;
}
