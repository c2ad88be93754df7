// SPDX-License-Identifier: Apache-2.0
// Claims about plan/variation.h: what a prior draws at a point, for each shape; ratios and correlations.
#include "model/prior.h"
#include "plan/variation.h"

// Quantiles of the normal distribution and its probabilities, from tables.
#define Q80 0.84162123357291442
#define P1 0.84134474606854293 // of 1

static const struct sciara_prior shapes = {
    .name = "shapes",
    .rule = SCIARA_RULE_BINGHAM,
    .margin = {{"density_kg_m3", .kind = SCIARA_DIST_UNIFORM, .low = 1000, .high = 3000},
               {"viscosity_vent_Pa_s", .kind = SCIARA_DIST_LOG_UNIFORM, .low = 1e3, .high = 1e7},
               {"viscosity_sol_Pa_s", .times = "viscosity_vent_Pa_s", .kind = SCIARA_DIST_NORMAL, .middle = 10,
                .spread = 2, .low = 1, .high = 1e3},
               {"friction", .kind = SCIARA_DIST_LOGNORMAL, .middle = 0.05, .spread = 0.5, .low = 1e-9, .high = 0.05}},
    .pair = {{"viscosity_vent_Pa_s", "density_kg_m3", 0.6}}};

static double number_of(const struct sciara_variation *v, size_t margin, double at[4], bool correlate) {
  double u[4];
  for (size_t k = 0; k < 4; k++) u[v->vary[k].rank] = at[k];
  if (correlate) sciara_variation_correlate(v, u);
  return sciara_variation_number(v, margin, u);
}

TEST(each_shape) {
  OWNED(sciara_variation_free) struct sciara_variation v;
  double at[4] = {0.25, 0.75, 0.8, 0.4};
  expect_ok(sciara_variation_of_prior(&shapes, &v));
  ck_assert_double_eq_tol(number_of(&v, 0, at, false), 1500, 1e-9);
  ck_assert_double_eq_tol(number_of(&v, 1, at, false), 1e6, 1e-6);
  ck_assert_double_eq_tol(number_of(&v, 2, at, false), 1e6 * (10 + 2 * Q80),
                          20); // truncated at 4.5 standard deviations
  ck_assert_double_eq_tol(number_of(&v, 3, at, false), 0.05 * exp(-0.5 * Q80),
                          1e-9); // the lower half: 0.4 of it is 0.2
}

TEST(correlated) { // the second in the order of the names follows the first
  OWNED(sciara_variation_free) struct sciara_variation v;
  double at[4] = {P1, 0.5, 0.5, 0.5};
  expect_ok(sciara_variation_of_prior(&shapes, &v));
  ck_assert_uint_lt(v.vary[0].rank, v.vary[1].rank);
  const double share = 0.5 * erfc(-0.6 / sqrt(2));
  ck_assert_double_eq_tol(number_of(&v, 0, at, true), 1000 + 2000 * P1, 1e-9);
  ck_assert_double_eq_tol(log10(number_of(&v, 1, at, true)), 3 + 4 * share, 1e-12);
}

TEST(those_of_the_table) { // their correlations can hold together; in the middle are the middles
  size_t count;
  const struct sciara_prior *list = sciara_prior_table(&count);
  for (size_t i = 0; i < count; i++) {
    OWNED(sciara_variation_free) struct sciara_variation v;
    double u[SCIARA_PRIOR_MARGINS];
    expect_ok(sciara_variation_of_prior(&list[i], &v));
    ck_assert_uint_eq(v.count, sciara_prior_margins(&list[i]));
    for (size_t k = 0; k < v.count; k++) u[k] = 0.5;
    sciara_variation_correlate(&v, u);
    for (size_t k = 0; k < v.count; k++) {
      const struct sciara_prior_margin *m = &list[i].margin[k];
      if (m->kind == SCIARA_DIST_LOG_UNIFORM && !m->times)
        ck_assert_double_eq_tol(sciara_variation_number(&v, k, u) / sqrt(m->low * m->high), 1, 1e-12);
    }
  }
}

RUN_TESTS(.one_process = true)
