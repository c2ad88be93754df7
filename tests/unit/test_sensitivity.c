// SPDX-License-Identifier: Apache-2.0
// Designs of sensitivity and their estimates, on the function of Ishigami and Homma (1990), whose values are known, and on
// random rows, whose intervals must cover them as often as they say. Numbers of a calibration: cli/sensitivity.py.
#include "calibrate/sensitivity.h"
#include "model/random.h"
#include "support/owned.h"

enum { N = 3, ROWS = 2048, TRAJECTORIES = 4096, SETS = 60, SMALL = 256 };

static const uint64_t seeds[N] = {11, 12, 13};
static const double known_first[N] = {0.31390519, 0.44241114, 0}, known_total[N] = {0.55758886, 0.44241114, 0.24368366};

/** The function with a = 7, b = 0.1 of a point of the unit cube. */
static double ishigami(const double *u) {
  const double pi = 3.14159265358979323846, x = pi * (2 * u[0] - 1), y = pi * (2 * u[1] - 1), z = pi * (2 * u[2] - 1);
  return sin(x) + 7 * sin(y) * sin(y) + 0.1 * z * z * z * z * sin(x);
}

static double *reserve(size_t count) {
  double *out = calloc(count, sizeof *out);
  ck_assert_ptr_nonnull(out);
  return out;
}

static double *scores_of(const double *points, size_t count) {
  double *score = reserve(count);
  for (size_t k = 0; k < count; k++) score[k] = ishigami(points + k * N);
  return score;
}

static void saltelli(const double *score, size_t groups, uint64_t seed, struct sciara_sobol_index *first,
                     struct sciara_sobol_index *total, size_t *used) {
  expect_ok(sciara_saltelli_indices(score, groups, N, seed, first, total, used));
}

// -------------------------------------------------------------------------------------------------------------- Morris

/**
 * On four levels sin x moves by sqrt(3)/2 in each step, sin2 y by 3/4, and z^4 is pi^4 or pi^4/81: means and deviations
 * are sums of few terms.
 */
TEST(effects_of_ishigami) {
  const double rise = sqrt(3) / 2 / (2.0 / 3), high = 97.40909103400244, low = high / 81,
               steep = 0.1 * (high - low) * sqrt(3) / 2 / (2.0 / 3);
  const struct sciara_morris_effect known[N] = {
      {rise * (1 + 0.05 * (high + low)), rise * (1 + 0.05 * (high + low)), rise * 0.05 * (high - low)},
      {0, 7.875, 7.875},
      {0, steep / 2, steep * sqrt(0.5)}};
  const double root = sqrt(TRAJECTORIES), star_deviation[N] = {known[0].sigma, 0, steep / 2};
  OWNED(free_memory) double *points = reserve((size_t)TRAJECTORIES * (N + 1) * N), *score;
  struct sciara_morris_effect effect[N];
  size_t used;
  sciara_morris_points(seeds, TRAJECTORIES, N, points);
  score = scores_of(points, (size_t)TRAJECTORIES * (N + 1));
  sciara_morris_effects(points, score, TRAJECTORIES, N, effect, &used);
  ck_assert_uint_eq(used, TRAJECTORIES);
  for (int k = 0; k < N; k++) {
    ck_assert_double_eq_tol(effect[k].mu, known[k].mu, 4 * known[k].sigma / root + 1e-12);
    ck_assert_double_eq_tol(effect[k].mu_star, known[k].mu_star, 4 * star_deviation[k] / root + 1e-12);
    ck_assert_double_eq_tol(effect[k].sigma, known[k].sigma, 0.03 * known[k].sigma);
  }
  ck_assert(effect[1].mu_star > effect[2].mu_star && effect[0].mu_star > effect[2].mu_star);
}

// ------------------------------------------------------------------------------------------------------------ Saltelli

TEST(indices_of_ishigami) {
  OWNED(free_memory) double *points = reserve((size_t)ROWS * (N + 2) * N), *score;
  struct sciara_sobol_index first[N], total[N];
  size_t used;
  expect_ok(sciara_saltelli_points(seeds, ROWS, N, points));
  score = scores_of(points, (size_t)ROWS * (N + 2));
  saltelli(score, ROWS, 5, first, total, &used);
  ck_assert_uint_eq(used, ROWS);
  for (int k = 0; k < N; k++) { // half an interval is two standard errors of random rows; these are more even
    ck_assert_double_eq_tol(first[k].value, known_first[k], 0.5 * (first[k].high - first[k].low));
    ck_assert_double_eq_tol(total[k].value, known_total[k], 0.5 * (total[k].high - total[k].low));
    ck_assert_double_eq_tol(first[k].value, known_first[k], 0.02);
    ck_assert_double_eq_tol(total[k].value, known_total[k], 0.02);
    ck_assert(first[k].low <= known_first[k] && known_first[k] <= first[k].high);
    ck_assert(total[k].low <= known_total[k] && known_total[k] <= total[k].high);
  }
}

/** Of independent random rows 95 % of the intervals cover the truth; of 360 that depend on each other a little, 85 to 99 %. */
TEST(intervals_cover_as_often_as_they_say) {
  OWNED(free_memory) double *points = reserve((size_t)SMALL * (N + 2) * N);
  struct sciara_sobol_index first[N], total[N];
  size_t covered = 0, used;
  for (uint64_t set = 0; set < SETS; set++) {
    for (size_t g = 0; g < SMALL; g++) {
      double *own = points + g * (N + 2) * N;
      for (size_t k = 0; k < 2 * N; k++)
        own[k] = sciara_unit(sciara_draw_bits(
            (struct sciara_draw){.seed = set, .stream = SCIARA_STREAM_DRAW, .dimension = (uint32_t)k, .index = g}));
      for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < N; k++) own[(2 + i) * N + k] = own[(i == k) * N + k];
    }
    OWNED(free_memory) double *score = scores_of(points, (size_t)SMALL * (N + 2));
    saltelli(score, SMALL, set, first, total, &used);
    for (int k = 0; k < N; k++) {
      covered += first[k].low <= known_first[k] && known_first[k] <= first[k].high;
      covered += total[k].low <= known_total[k] && known_total[k] <= total[k].high;
    }
  }
  ck_assert_msg(covered >= 0.85 * 6 * SETS && covered <= 0.99 * 6 * SETS, "%zu of %d", covered, 6 * SETS);
}

RUN_TESTS()
