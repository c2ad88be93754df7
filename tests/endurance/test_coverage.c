// SPDX-License-Identifier: Apache-2.0
// How often the intervals, errors and bounds of an ensemble hold, for draws of known probability; prints a row for each case.
#include "ensemble/sample.h"

enum { MOST = 800, SEEDS = 20000 };

/** Strata of equal or unequal weights, each with `count` draws of its own probability. */
struct design {
  const char *name;
  int strata, count;
  double weight[6]; ///< repeated
  int weights;
  double low, high; ///< probability of the first and of the last stratum
  bool replicates;  ///< each stratum is a replicate
};

static const struct design designs[] = {
    {"200 draws, H 0.5", 1, 200, {1}, 1, 0.5, 0.5, false},
    {"200 draws, H 0.05", 1, 200, {1}, 1, 0.05, 0.05, false},
    {"200 draws, H 0.015", 1, 200, {1}, 1, 0.015, 0.015, false},
    {"20 strata of 10, 0 to 1", 20, 10, {1}, 1, 0, 1, false},
    {"50 strata of 2, 0.01", 50, 2, {1}, 1, 0.01, 0.01, false},
    {"60 strata of 1, 0 to 1", 60, 1, {1}, 1, 0, 1, false},
    {"6 unequal strata of 2, 0.5", 6, 2, {40, 1, 25, 0.5, 20, 1}, 6, 0.5, 0.5, false},
    {"6 unequal strata of 10, 0.1", 6, 10, {40, 1, 25, 0.5, 20, 1}, 6, 0.1, 0.1, false},
    {"8 replicates of 25, 0.2", 8, 25, {1}, 1, 0.2, 0.2, true},
};

static uint64_t state;

/** The generator splitmix64. */
static double uniform(void) {
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static double chance(const struct design *d, int s) {
  return d->strata > 1 ? d->low + (d->high - d->low) * s / (d->strata - 1) : d->low;
}

/** One ensemble: its estimate and interval. */
static struct sciara_interval draw(const struct design *d, struct sciara_estimate *e) {
  static double weight[MOST], end[MOST];
  static uint8_t done[MOST];
  static int64_t group[MOST];
  static uint32_t hit[MOST];
  size_t n = 0, hits = 0;
  for (int s = 0; s < d->strata; s++)
    for (int k = 0; k < d->count; k++, n++) {
      weight[n] = d->weight[s % d->weights] / d->count;
      group[n] = s;
      done[n] = SCIARA_MEMBER_COMPLETE;
      if (uniform() < chance(d, s)) hit[hits++] = (uint32_t)n;
    }
  const struct sciara_sample_input in = {.count = n,
                                         .weight = weight,
                                         .state = done,
                                         .end_s = end,
                                         .group = group,
                                         .kind = d->replicates ? SCIARA_ERROR_REPLICATES : SCIARA_ERROR_STRATA};
  OWNED(sciara_sample_free) struct sciara_sample sample;
  OWNED(sciara_sample_scratch_free) struct sciara_sample_scratch x;
  expect_ok(sciara_sample_make(&in, &sample));
  expect_ok(sciara_sample_scratch_make(&sample, &x));
  const struct sciara_question q = sciara_question_make(&sample, INFINITY);
  *e = sciara_sample_estimate(&sample, &q, hit, hits, &x);
  const struct sciara_interval i = sciara_sample_interval(&sample, e);
  return i;
}

TEST_EACH(intervals_cover, sizeof designs / sizeof *designs) {
  const struct design *d = &designs[_i];
  double sum = 0, all = 0, mean = 0, squares = 0, errors = 0;
  int covered = 0, errors_cover = 0;
  state = (uint64_t)_i + 1;
  for (int s = 0; s < d->strata; s++) {
    sum += d->weight[s % d->weights] * chance(d, s);
    all += d->weight[s % d->weights];
  }
  const double truth = sum / all;
  for (int k = 0; k < SEEDS; k++) {
    struct sciara_estimate e;
    const struct sciara_interval i = draw(d, &e);
    const double error = isnan(e.error) ? 0 : e.error;
    covered += i.low <= truth + 1e-12 && truth <= i.high + 1e-12;
    errors_cover += fabs(e.value - truth) <= 1.96 * error;
    mean += e.value / SEEDS;
    squares += e.value * e.value / SEEDS;
    errors += error * error / SEEDS;
  }
  printf("| %s | %.4f | %.4f | %.3f | %.3f |\n", d->name, sqrt(squares - mean * mean), sqrt(errors),
         (double)errors_cover / SEEDS, (double)covered / SEEDS);
  fflush(stdout);
  ck_assert_msg(covered >= 0.94 * SEEDS, "%s: %d of %d", d->name, covered, SEEDS);
  ck_assert_msg(errors > 0.95 * (squares - mean * mean), "%s: errors too small", d->name);
}

RUN_TESTS(.seconds = 300)
