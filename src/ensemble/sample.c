// SPDX-License-Identifier: Apache-2.0
#include "ensemble/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

// A cumulated weight that reaches a share but for rounding has reached it.
#define ROUNDING 1e-12

// Weights that differ by less, as a fraction, are equal: they are sums and quotients of the same numbers.
#define EQUAL 1e-9

void sciara_sample_free(struct sciara_sample *s) {
  sciara_free(s->weight);
  sciara_free(s->planned);
  sciara_free(s->stratum);
  sciara_free(s->end_s);
  sciara_free(s->state);
  sciara_free(s->group);
  sciara_free(s->groups);
  *s = (struct sciara_sample){0};
}

static enum sciara_status copy_members(const struct sciara_sample_input *in, struct sciara_sample *s) {
  SCIARA_TRY(SCIARA_NEW(s->weight, in->count, "the weights of an ensemble"));
  SCIARA_TRY(SCIARA_NEW(s->planned, in->count, "the weights of an ensemble"));
  SCIARA_TRY(SCIARA_NEW(s->end_s, in->count, "the ends of the members of an ensemble"));
  SCIARA_TRY(SCIARA_NEW(s->state, in->count, "the states of the members of an ensemble"));
  SCIARA_TRY(SCIARA_NEW(s->group, in->count, "the strata of an ensemble"));
  s->count = in->count;
  s->kind = in->kind;
  for (size_t m = 0; m < in->count; m++) {
    s->weight[m] = s->planned[m] = in->weight[m];
    s->end_s[m] = in->end_s[m];
    s->state[m] = in->state[m];
    s->group[m] = SCIARA_NO_GROUP;
  }
  return SCIARA_OK;
}

static void add_weights(struct sciara_sample *s) {
  for (size_t m = 0; m < s->count; m++) {
    const double w = s->weight[m];
    s->all += s->planned[m];
    if (w == 0)
      s->zero++;
    else if (s->state[m] == SCIARA_MEMBER_OPEN)
      s->open += w;
    else {
      s->done += w;
      s->finished++;
      s->censored += s->state[m] == SCIARA_MEMBER_CENSORED;
      if (w > s->largest) s->largest = w;
    }
  }
  if (s->done > 0) s->largest /= s->done;
}

/** A member and its group, to be sorted. */
struct item {
  int64_t group;
  size_t member;
  double single; ///< weight of the only member of a stratum; 0: there are more
};

static int samples_by_group(const void *a, const void *b) {
  const struct item *p = (const struct item *)a, *q = (const struct item *)b;
  if (p->group != q->group) return p->group < q->group ? -1 : 1;
  return p->member < q->member ? -1 : p->member > q->member;
}

/** Strata with several members come first. */
static int by_single(const void *a, const void *b) {
  const struct item *p = (const struct item *)a, *q = (const struct item *)b;
  return p->single != q->single ? (p->single < q->single ? -1 : 1) : samples_by_group(a, b);
}

static bool are_equal(double smaller, double larger) { return larger <= smaller * (1 + EQUAL); }

/** The end of the group of members that begins at item k of items sorted by group. */
static size_t end_of(const struct item *item, size_t count, size_t k) {
  const int64_t group = item[k].group;
  while (k < count && item[k].group == group) k++;
  return k;
}

/** The end of the strata with a single member that have the weight of that at item k. */
static size_t end_of_equal(const struct item *item, size_t count, size_t k) {
  const double weight = item[k].single;
  while (k < count && are_equal(weight, item[k].single)) k++;
  return k;
}

/** Joins strata of one member and equal weight, `count` of them, in pairs of neighbours; the last one with the pair before. */
static void join_strata(struct sciara_sample *s, struct item *item, size_t count) {
  qsort(item, count, sizeof *item, samples_by_group);
  for (size_t k = 0; k < count; k++) {
    const bool last = k + 1 == count;
    if (k > 0 && k % 2 == 0 && !last) s->group_count++;
    s->group[item[k].member] = (uint32_t)s->group_count;
  }
  s->group_count++;
  if (count == 1)
    s->single++;
  else
    s->joined += count;
}

/** Numbers the groups. */
static void number_groups(struct sciara_sample *s, struct item *item, size_t count) {
  size_t k = 0;
  qsort(item, count, sizeof *item, samples_by_group);
  for (size_t end; k < count && s->kind == SCIARA_ERROR_STRATA; k = end) {
    end = end_of(item, count, k);
    if (end == k + 1) item[k].single = s->weight[item[k].member];
  }
  qsort(item, count, sizeof *item, by_single);
  for (k = 0; k < count && item[k].single == 0; k++) {
    if (k > 0 && item[k].group != item[k - 1].group) s->group_count++;
    s->group[item[k].member] = (uint32_t)s->group_count;
  }
  s->group_count += k > 0;
  for (size_t end; k < count; k = end) {
    end = end_of_equal(item, count, k);
    join_strata(s, item + k, end - k);
  }
}

/** Whether the members of each stratum have equal weights. `item` has room for all of them. */
static bool are_even(const struct sciara_sample *s, const int64_t *stratum, struct item *item) {
  size_t count = 0;
  for (size_t m = 0; m < s->count; m++)
    if (sciara_sample_counts(s, m)) item[count++] = (struct item){stratum[m], m, s->weight[m]};
  qsort(item, count, sizeof *item, samples_by_group);
  for (size_t k = 1; k < count; k++) {
    const double a = item[k - 1].single, b = item[k].single;
    if (item[k].group == item[k - 1].group && !are_equal(fmin(a, b), fmax(a, b))) return false;
  }
  return true;
}

static void sum_groups(struct sciara_sample *s) {
  for (size_t m = 0; m < s->count; m++) {
    if (s->group[m] == SCIARA_NO_GROUP) continue;
    struct sciara_sample_group *g = &s->groups[s->group[m]];
    g->weight += s->weight[m];
    g->squares += s->weight[m] * s->weight[m];
    g->members++;
  }
}

static bool enough(const struct sciara_sample *s) {
  size_t members = 0;
  for (size_t g = 0; g < s->group_count; g++) members += s->groups[g].members;
  if (members < s->finished) return false; // some have no replicate or vent
  if (s->kind == SCIARA_ERROR_REPLICATES) return s->group_count >= SCIARA_REPLICATES_LEAST;
  if (s->kind == SCIARA_ERROR_GRID) return s->group_count == 2;
  return s->kind == SCIARA_ERROR_STRATA && s->single == 0;
}

/** The critical value of the draws within strata, or of the replicates. */
static double critical_of(const struct sciara_sample *s) {
  if (!s->has_error) return NAN;
  if (s->kind == SCIARA_ERROR_REPLICATES) return sciara_student((double)s->group_count - 1);
  return s->kind == SCIARA_ERROR_STRATA ? sciara_student((double)(s->finished - s->group_count)) : NAN;
}

enum sciara_status sciara_strata_number(const int64_t *number, size_t count, uint32_t **stratum, size_t *strata) {
  struct item *item;
  *strata = 0;
  SCIARA_TRY(SCIARA_NEW(*stratum, count + 1, "the strata of an ensemble"));
  SCIARA_TRY(SCIARA_NEW(item, count + 1, "the strata of an ensemble"));
  for (size_t m = 0; m < count; m++) item[m] = (struct item){.group = number[m], .member = m};
  qsort(item, count, sizeof *item, samples_by_group);
  for (size_t k = 0; k < count; k++) {
    if (k == 0 || item[k].group != item[k - 1].group) ++*strata;
    (*stratum)[item[k].member] = (uint32_t)(*strata - 1);
  }
  sciara_free(item);
  return SCIARA_OK;
}

/** Gives the finished members of each stratum the weight of its open ones, in proportion to their own. */
static enum sciara_status restore_weights(struct sciara_sample *s) {
  double *whole, *done = NULL, all = 0;
  enum sciara_status status;
  SCIARA_TRY(SCIARA_NEW(whole, s->strata + 1, "the strata of an ensemble"));
  SCIARA_TRY_GOTO(SCIARA_NEW(done, s->strata + 1, "the strata of an ensemble"));
  for (size_t m = 0; m < s->count; m++) {
    whole[s->stratum[m]] += s->planned[m];
    if (s->state[m] != SCIARA_MEMBER_OPEN) done[s->stratum[m]] += s->planned[m];
    all += s->planned[m];
  }
  for (size_t k = 0; k < s->strata; k++) {
    s->restored += done[k] > 0 && done[k] < whole[k];
    s->lost += done[k] == 0 && whole[k] > 0;
    if (done[k] == 0) s->lost_weight += whole[k] / all;
  }
  for (size_t m = 0; m < s->count; m++) // a stratum that is done keeps every bit
    if (sciara_sample_counts(s, m)) s->weight[m] *= whole[s->stratum[m]] / done[s->stratum[m]];
cleanup:
  sciara_free(whole);
  sciara_free(done);
  return status;
}

static enum sciara_status make_groups(const struct sciara_sample_input *in, struct sciara_sample *s) {
  struct item *item;
  size_t count = 0;
  SCIARA_TRY(SCIARA_NEW(item, s->count + 1, "the strata of an ensemble"));
  for (size_t m = 0; m < s->count; m++)
    if (sciara_sample_counts(s, m) && (in->group[m] >= 0 || s->kind == SCIARA_ERROR_STRATA))
      item[count++] = (struct item){in->group[m], m, 0};
  number_groups(s, item, count);
  s->even = are_even(s, in->stratum ? in->stratum : in->group, item);
  sciara_free(item);
  SCIARA_TRY(SCIARA_NEW(s->groups, s->group_count + 1, "the strata of an ensemble"));
  sum_groups(s);
  s->has_error = enough(s);
  s->critical = critical_of(s);
  return SCIARA_OK;
}

enum sciara_status sciara_sample_make(const struct sciara_sample_input *in, struct sciara_sample *out) {
  enum sciara_status status;
  *out = (struct sciara_sample){0};
  if (in->count >= SCIARA_NO_GROUP)
    return sciara_fail(SCIARA_ERR_INPUT, "expected fewer than %u members, found %zu", SCIARA_NO_GROUP, in->count);
  SCIARA_TRY_GOTO(copy_members(in, out));
  SCIARA_TRY_GOTO(sciara_strata_number(in->stratum ? in->stratum : in->group, in->count, &out->stratum, &out->strata));
  if (in->stratum) SCIARA_TRY_GOTO(restore_weights(out));
  add_weights(out);
  if (out->finished == 0) {
    status = sciara_fail(SCIARA_ERR_INPUT, "expected at least one finished member of weight above 0, found none of %zu",
                         in->count);
    goto cleanup;
  }
  SCIARA_TRY_GOTO(make_groups(in, out));
  return SCIARA_OK;
cleanup:
  sciara_sample_free(out);
  return status;
}

enum sciara_status sciara_sample_scratch_make(const struct sciara_sample *s, struct sciara_sample_scratch *out) {
  *out = (struct sciara_sample_scratch){0};
  enum sciara_status status;
  SCIARA_TRY_GOTO(SCIARA_NEW(out->weight, s->group_count + 1, "sums over strata"));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->squares, s->group_count + 1, "sums over strata"));
  SCIARA_TRY_GOTO(SCIARA_NEW(out->touched, s->group_count + 1, "a list of strata"));
  return SCIARA_OK;
cleanup:
  sciara_sample_scratch_free(out);
  return status;
}

void sciara_sample_scratch_free(struct sciara_sample_scratch *x) {
  sciara_free(x->weight);
  sciara_free(x->squares);
  sciara_free(x->touched);
  *x = (struct sciara_sample_scratch){0};
}

// ---------------------------------------------------------------------------------------------------------- estimates

static bool is_cut(const struct sciara_sample *s, size_t m, double before_s) {
  return s->state[m] == SCIARA_MEMBER_CENSORED && s->end_s[m] < before_s;
}

double sciara_sample_censored(const struct sciara_sample *s, double before_s, size_t *count) {
  double sum = 0;
  *count = 0;
  for (size_t m = 0; m < s->count; m++) {
    if (!is_cut(s, m, before_s) || s->weight[m] == 0) continue;
    sum += s->planned[m];
    (*count)++;
  }
  return sum;
}

struct sciara_question sciara_question_make(const struct sciara_sample *s, double until_s) {
  struct sciara_question q = {.until_s = until_s};
  q.censored = sciara_sample_censored(s, until_s, &q.censored_count);
  return q;
}

/** Adds the hits up by group; returns the number of groups that have some. */
static size_t add_hits(const struct sciara_sample *s, const uint32_t *hit, size_t hits,
                       struct sciara_sample_scratch *x) {
  size_t touched = 0;
  for (size_t k = 0; k < hits; k++) {
    const uint32_t g = s->group[hit[k]];
    const double w = s->weight[hit[k]];
    if (g == SCIARA_NO_GROUP) continue;
    if (x->weight[g] == 0) x->touched[touched++] = g;
    x->weight[g] += w;
    x->squares[g] += w * w;
  }
  return touched;
}

/** The variance that the draws of one stratum give. */
static double of_stratum(const struct sciara_sample_group *g, double weight, double squares) {
  const double p = weight >= g->weight ? 1 : weight / g->weight, n = (double)g->members;
  const double others = g->squares > squares ? g->squares - squares : 0;
  return n / (n - 1) * (squares * (1 - p) * (1 - p) + others * p * p);
}

static double over_strata(const struct sciara_sample *s, const struct sciara_sample_scratch *x, size_t touched) {
  double variance = 0;
  for (size_t k = 0; k < touched; k++) {
    const uint32_t g = x->touched[k];
    variance += of_stratum(&s->groups[g], x->weight[g], x->squares[g]);
  }
  return sqrt(variance) / s->done;
}

static double between_replicates(const struct sciara_sample *s, const struct sciara_sample_scratch *x, double value) {
  double sum = 0;
  for (size_t g = 0; g < s->group_count; g++) {
    const double d = s->groups[g].weight / s->done * (x->weight[g] / s->groups[g].weight - value);
    sum += d * d;
  }
  const double n = (double)s->group_count;
  return sqrt(n / (n - 1) * sum);
}

static double error_of(const struct sciara_sample *s, const uint32_t *hit, size_t hits, double value,
                       struct sciara_sample_scratch *x) {
  if (!s->has_error || hits == 0) return NAN; // without hits sciara_sample_zero_bound says what is known
  const size_t touched = add_hits(s, hit, hits, x);
  double error = NAN;
  if (s->kind == SCIARA_ERROR_STRATA) error = over_strata(s, x, touched);
  if (s->kind == SCIARA_ERROR_REPLICATES) error = between_replicates(s, x, value);
  if (s->kind == SCIARA_ERROR_GRID)
    error = 0.5 * fabs(x->weight[0] / s->groups[0].weight - x->weight[1] / s->groups[1].weight);
  for (size_t k = 0; k < touched; k++) x->weight[x->touched[k]] = x->squares[x->touched[k]] = 0;
  return error;
}

struct sciara_estimate sciara_sample_estimate(const struct sciara_sample *s, const struct sciara_question *q,
                                              const uint32_t *hit, size_t hits, struct sciara_sample_scratch *x) {
  double sum = 0, own = 0, cut = 0;
  size_t cuts = 0;
  for (size_t k = 0; k < hits; k++) {
    sum += s->weight[hit[k]];
    own += s->planned[hit[k]];
    if (!is_cut(s, hit[k], q->until_s)) continue;
    cut += s->planned[hit[k]];
    cuts++;
  }
  const double unsure = s->open + (cuts == q->censored_count ? 0 : fmax(0, q->censored - cut));
  struct sciara_estimate e = {.value = fmin(1, sum / s->done), .low = fmin(1, own / s->all), .hits = hits};
  e.high = fmin(1, (own + unsure) / s->all);
  e.error = error_of(s, hit, hits, e.value, x);
  return e;
}

/** The means of the groups, in x->weight. */
static void find_group_means(const struct sciara_sample *s, const double *value, struct sciara_sample_scratch *x) {
  for (size_t m = 0; m < s->count; m++)
    if (s->group[m] < s->group_count) x->weight[s->group[m]] += s->weight[m] * value[m];
  for (size_t g = 0; g < s->group_count; g++) x->weight[g] /= s->groups[g].weight;
}

/** The error of the mean of a value, from the means of the groups. */
static double error_of_mean(const struct sciara_sample *s, const double *value, double mean,
                            struct sciara_sample_scratch *x) {
  const double groups = (double)s->group_count;
  double variance = 0;
  if (s->kind == SCIARA_ERROR_GRID) return 0.5 * fabs(x->weight[0] - x->weight[1]);
  if (s->kind == SCIARA_ERROR_REPLICATES) {
    for (size_t g = 0; g < s->group_count; g++) {
      const double d = s->groups[g].weight / s->done * (x->weight[g] - mean);
      variance += d * d;
    }
    return sqrt(groups / (groups - 1) * variance);
  }
  if (s->kind != SCIARA_ERROR_STRATA) return NAN;
  for (size_t m = 0; m < s->count; m++) {
    const uint32_t g = s->group[m];
    if (g >= s->group_count) continue;
    const double d = s->weight[m] / s->done * (value[m] - x->weight[g]);
    x->squares[g] += d * d;
  }
  for (size_t g = 0; g < s->group_count; g++) {
    const double n = (double)s->groups[g].members;
    variance += n / (n - 1) * x->squares[g];
  }
  return sqrt(variance);
}

void sciara_sample_mean(const struct sciara_sample *s, const double *value, struct sciara_sample_scratch *x,
                        double *mean, double *error) {
  double sum = 0;
  for (size_t m = 0; m < s->count; m++)
    if (sciara_sample_counts(s, m)) sum += s->weight[m] * value[m];
  *mean = sum / s->done;
  *error = NAN;
  if (!s->has_error) return;
  find_group_means(s, value, x);
  *error = error_of_mean(s, value, *mean, x);
  for (size_t g = 0; g < s->group_count; g++) x->weight[g] = x->squares[g] = 0;
}

double sciara_sample_zero_bound(const struct sciara_sample *s) {
  const bool drawn = s->kind == SCIARA_ERROR_STRATA || s->kind == SCIARA_ERROR_REPLICATES;
  return drawn && s->even ? fmin(1, 3 * s->largest) : NAN;
}

// M. Abramowitz and I. A. Stegun, 1964, Handbook of Mathematical Functions, 26.7.3 to 26.7.5.

/** The probability that Student's t of n >= 2 degrees of freedom is between -t and t, and its derivative. */
static double student_within(double t, int n, double *slope) {
  const bool odd = n % 2 == 1;
  const double norm = odd ? 2 / M_PI : 1, cos2 = n / (n + t * t), cosine = sqrt(cos2);
  double term = odd ? cosine : 1, sum = term;
  for (int j = odd ? 3 : 2; j <= n - 2; j += 2) {
    term *= (j - 1.0) / j * cos2;
    sum += term;
  }
  *slope = norm * (n - 1) * term * cosine * cos2 / sqrt(n);
  return norm * ((odd ? atan(t / sqrt(n)) : 0) + t / sqrt(n + t * t) * sum);
}

double sciara_student(double degrees) {
  enum { SERIES = 1000 }; // from here on the terms that are left out are below the rounding
  const double z = 1.959963984540054, z2 = z * z, d = degrees;
  if (d < 2) return 12.706204736174705; // tan(0.475 pi)
  if (d < SERIES) {
    double t = z, before = 0, slope;
    while (t > before) { // Newton's steps come from below, for the slope falls
      before = t;
      t += (0.95 - student_within(t, (int)d, &slope)) / slope;
    }
    return before;
  }
  return z + z * ((z2 + 1) / (4 * d) + ((5 * z2 + 16) * z2 + 3) / (96 * d * d) +
                  (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * d * d * d) +
                  ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / (92160 * d * d * d * d));
}

struct sciara_interval sciara_sample_interval(const struct sciara_sample *s, const struct sciara_estimate *e) {
  const double bound = sciara_sample_zero_bound(s), spread = e->value * (1 - e->value);
  if (e->hits == 0) return (struct sciara_interval){isnan(bound) ? NAN : 0, bound};
  if (e->hits == s->finished) return (struct sciara_interval){1 - bound, isnan(bound) ? NAN : 1};
  if (isnan(s->critical) || !(spread > 0)) return (struct sciara_interval){NAN, NAN};
  // Without the largest weight a probability of which all strata are sure would have no interval at all.
  const double v = s->critical * s->critical * (e->error * e->error + s->largest * s->largest) / spread;
  const double middle = (e->value + v / 2) / (1 + v), half = sqrt(v * spread + v * v / 4) / (1 + v);
  return (struct sciara_interval){fmax(0, middle - half), fmin(1, middle + half)};
}

// ---------------------------------------------------------------------------------------------------------- quantiles

sciara_ranked sciara_rank(float value, uint32_t member) {
  uint32_t bits;
  value += 0.0F; // -0 is 0
  memcpy(&bits, &value, sizeof bits);
  return (uint64_t)bits << 32 | member;
}

float sciara_ranked_value(sciara_ranked r) {
  const uint32_t bits = (uint32_t)(r >> 32);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static void insertion_sort(sciara_ranked *v, size_t count) {
  for (size_t k = 1; k < count; k++) {
    const sciara_ranked x = v[k];
    size_t i = k;
    for (; i > 0 && v[i - 1] > x; i--) v[i] = v[i - 1];
    v[i] = x;
  }
}

/** Sorts by eight bits of the value; stable. */
static void sort_digit(const sciara_ranked *from, sciara_ranked *to, size_t count, unsigned shift) {
  size_t at[257] = {0};
  for (size_t k = 0; k < count; k++) at[(from[k] >> shift & 255u) + 1]++;
  for (size_t d = 1; d < 257; d++) at[d] += at[d - 1];
  for (size_t k = 0; k < count; k++) to[at[from[k] >> shift & 255u]++] = from[k];
}

void sciara_ranked_sort(sciara_ranked *values, size_t count, sciara_ranked *room) {
  enum { SMALL = 48 };
  if (count <= SMALL) {
    insertion_sort(values, count);
    return;
  }
  for (unsigned shift = 32; shift < 64; shift += 16) { // the members ascend already
    sort_digit(values, room, count, shift);
    sort_digit(room, values, count, shift + 8);
  }
}

double sciara_ranked_cumulate(const struct sciara_sample *s, const sciara_ranked *sorted, size_t count,
                              double *cumulative) {
  double sum = 0;
  for (size_t k = 0; k < count; k++) cumulative[k] = sum += s->weight[sciara_ranked_member(sorted[k])];
  return sum;
}

size_t sciara_ranked_find(const double *cumulative, size_t count, double weight) {
  const double least = weight * (1 - ROUNDING);
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (cumulative[middle] >= least)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}
