// SPDX-License-Identifier: Apache-2.0
#include "calibrate/reweight.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"
#include "ensemble/ensemble_sample.h"

void sciara_reweight_free(struct sciara_reweight *w) {
  sciara_free(w->jaccard);
  sciara_free(w->weight);
  *w = (struct sciara_reweight){0};
}

/** What the steps of sciara_reweight_make share. */
struct making {
  const struct sciara_reweight_options *options;
  struct sciara_reweight *out;
  struct sciara_sample sample; ///< with the planned weights, restored within strata
};

// -------------------------------------------------------------------------------------------------------------- scores

static enum sciara_status score_members(void *context, size_t member, const struct sciara_footprint *f) {
  const struct making *m = (const struct making *)context;
  const struct sciara_reweight_options *o = m->options;
  int64_t hits = 0, run = 0;
  for (int64_t n = 0; n < f->count; n++) {
    const bool reached = (double)f->arrival[n] <= o->at_s - o->zero_s && (double)f->max_deposit[n] > o->min_thickness_m;
    run += reached;
    hits += reached && o->covered[f->cell[n]];
  }
  m->out->jaccard[member] = (double)hits / (double)(run + m->out->observed - hits);
  return SCIARA_OK;
}

enum sciara_status sciara_members_reach(const struct sciara_batches *b, const struct sciara_sample *sample, double at_s,
                                        size_t *early) {
  const double zero_s = b->ensemble->time_zero_s;
  const char *at = SCIARA_DURATION(at_s);
  *early = 0;
  for (size_t k = 0; k < sample->count; k++) {
    const struct sciara_footprint *f = &b->member[k];
    if (!sciara_sample_counts(sample, k) || zero_s + f->end_s >= at_s) continue;
    *early += f->censored;
    if (f->censored || f->stop != SCIARA_STOP_TIME) continue;
    return sciara_fail(SCIARA_ERR_INPUT, "member %" PRId64 " ends at %s: expected an observation up to then, found %s",
                       f->id, SCIARA_DURATION(zero_s + f->end_s), at);
  }
  if (*early < sample->finished) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT, "expected members that reach the time of the observation, %s, found none", at);
}

static enum sciara_status summarise(struct making *m) {
  struct sciara_reweight *w = m->out;
  double *sorted;
  size_t count = 0;
  SCIARA_TRY(SCIARA_NEW(sorted, w->finished + 1, "the scores of the members"));
  for (size_t k = 0; k < m->sample.count; k++) {
    if (!sciara_sample_counts(&m->sample, k)) continue;
    if (count == 0 || w->jaccard[k] > w->jaccard[w->best]) w->best = k;
    w->none += w->jaccard[k] == 0;
    sorted[count++] = w->jaccard[k];
  }
  qsort(sorted, count, sizeof *sorted, sciara_ascending);
  w->median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
  sciara_free(sorted);
  if (w->none < w->finished) return SCIARA_OK;
  return sciara_fail(SCIARA_ERR_INPUT,
                     "expected a member that reaches what was observed by %.10g s, found none of the %zu finished "
                     "ones: all have J = 0",
                     m->options->at_s, w->finished);
}

// ------------------------------------------------------------------------------------------------------------- weights

/** (J / best J)^b of a finished member. */
static double factor(const struct making *m, size_t member, double exponent) {
  const double j = m->out->jaccard[member], best = m->out->jaccard[m->out->best];
  return j > 0 ? pow(j / best, exponent) : 0;
}

/** n_eff with an exponent above 0; with 0 that of the planned weights. */
static double effective(const struct making *m, double exponent) {
  const struct sciara_sample *s = &m->sample;
  double sum = 0, squares = 0;
  for (size_t k = 0; k < s->count; k++) {
    if (!sciara_sample_counts(s, k)) continue;
    const double w = s->weight[k] / s->done * (exponent > 0 ? factor(m, k, exponent) : 1);
    sum += w;
    squares += w * w;
  }
  return sum * sum / squares;
}

static bool is_enough(const struct making *m, int step) {
  return effective(m, (double)step / SCIARA_REWEIGHT_STEPS) >= m->options->least_share * m->out->before;
}

/**
 * n_eff need not fall steadily where planned weights are unequal: the search comes down in coarse steps and then divides
 * the last one.
 */
static enum sciara_status find_exponent(struct making *m) {
  enum { COARSE = SCIARA_REWEIGHT_STEPS / 10 };
  struct sciara_reweight *w = m->out;
  int low = SCIARA_REWEIGHT_MOST * SCIARA_REWEIGHT_STEPS, high = low;
  w->before = effective(m, 0);
  while (low > 0 && !is_enough(m, low)) {
    high = low;
    low -= COARSE;
  }
  if (low <= 0) low = 1;
  if (!is_enough(m, low))
    return sciara_fail(
        SCIARA_ERR_INPUT,
        "%zu of the %zu finished members have J = 0: without them n_eff is at most %.1f, below %g of %.1f; "
        "--min-effective sets this share",
        w->none, w->finished, effective(m, (double)low / SCIARA_REWEIGHT_STEPS), m->options->least_share, w->before);
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (is_enough(m, middle))
      low = middle;
    else
      high = middle;
  }
  w->exponent = (double)low / SCIARA_REWEIGHT_STEPS;
  w->after = effective(m, w->exponent);
  return SCIARA_OK;
}

static enum sciara_status make_weights(struct making *m) {
  const struct sciara_sample *s = &m->sample;
  double *before = NULL, *after = NULL, all = 0, sum = 0, planned = 0;
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(before, s->strata + 1, "the strata of an ensemble"));
  SCIARA_TRY_GOTO(SCIARA_NEW(after, s->strata + 1, "the strata of an ensemble"));
  for (size_t k = 0; k < s->count; k++) {
    planned += s->planned[k];
    if (!sciara_sample_counts(s, k)) continue;
    const double f = factor(m, k, m->out->exponent);
    before[s->stratum[k]] += s->planned[k];
    after[s->stratum[k]] += s->planned[k] * f;
    all += s->weight[k] / s->done * f;
  }
  for (size_t k = 0; k < s->count; k++) {
    const size_t of = s->stratum[k];
    m->out->weight[k] = s->planned[k] * (sciara_sample_counts(s, k) ? factor(m, k, m->out->exponent)
                                         : before[of] > 0           ? after[of] / before[of]
                                                                    : all);
    sum += m->out->weight[k];
  }
  for (size_t k = 0; k < s->count; k++) m->out->weight[k] *= planned / sum;
cleanup:
  sciara_free(before);
  sciara_free(after);
  return status;
}

static enum sciara_status make_weighting(const struct sciara_batches *b, struct making *m) {
  const struct sciara_footprint_source source = sciara_batches_source(b);
  struct sciara_reweight *w = m->out;
  w->finished = m->sample.finished;
  SCIARA_TRY(sciara_members_reach(b, &m->sample, m->options->at_s, &w->early));
  SCIARA_TRY(SCIARA_NEW(w->jaccard, m->sample.count, "the scores of the members"));
  SCIARA_TRY(SCIARA_NEW(w->weight, m->sample.count, "the weights of the members"));
  for (size_t k = 0; k < m->sample.count; k++) w->jaccard[k] = NAN;
  for (int64_t i = 0; i < b->rows * b->cols; i++) w->observed += m->options->covered[i] != 0;
  SCIARA_TRY(sciara_footprints_visit(&source, m->options->threads, score_members, m));
  SCIARA_TRY(summarise(m));
  SCIARA_TRY(find_exponent(m));
  return make_weights(m);
}

enum sciara_status sciara_reweight_make(const struct sciara_ensemble *e, const struct sciara_batches *b,
                                        const struct sciara_reweight_options *options, struct sciara_reweight *out) {
  struct making m = {.options = options, .out = out};
  *out = (struct sciara_reweight){0};
  SCIARA_TRY(sciara_sample_of_members(e, b, e->members.count, e->members.weight, NULL, &m.sample));
  const enum sciara_status status = make_weighting(b, &m);
  sciara_sample_free(&m.sample);
  if (status != SCIARA_OK) sciara_reweight_free(out);
  return status;
}
