// SPDX-License-Identifier: Apache-2.0
// The optimiser of calibrations: its points stay in the cube and depend on seed and values alone, and a start ends when it
// should. How many values it needs is compared with another implementation in accuracy/cmaes_reference.py.
#include "base/status.h"
#include "calibrate/cmaes.h"

enum { N = 3 };

static struct sciara_cmaes *make(uint64_t seed, double sigma, double least) {
  struct sciara_cmaes *c;
  const struct sciara_cmaes_setup setup = {.dimension = N, .seed = seed, .sigma = sigma, .least = least};
  expect_ok(sciara_cmaes_create(&setup, &c));
  return c;
}

static double bowl(const double *u) {
  double sum = 0;
  for (int i = 0; i < N; i++) sum += (u[i] - 0.2 * (i + 1)) * (u[i] - 0.2 * (i + 1));
  return sum;
}

typedef double function(const double *u);

/** One generation; the best of its values. */
static double advance(struct sciara_cmaes *c, function *of, enum sciara_cmaes_end *end) {
  double values[4096], best = INFINITY;
  const int count = sciara_cmaes_population(c);
  const double *const points = sciara_cmaes_ask(c);
  ck_assert_int_le(count, 4096);
  for (int k = 0; k < count * N; k++) ck_assert(points[k] >= 0 && points[k] <= 1);
  for (int k = 0; k < count; k++) {
    values[k] = of(points + k * N);
    best = fmin(best, values[k]);
  }
  expect_ok(sciara_cmaes_tell(c, values, end));
  return best;
}

/** Generations until the first start ends. */
static int generations(struct sciara_cmaes *c, function *of, enum sciara_cmaes_end *end, double *best) {
  *best = INFINITY;
  for (int g = 1; g < 10000; g++) {
    *best = fmin(*best, advance(c, of, end));
    if (*end != SCIARA_CMAES_GOES_ON) return g;
  }
  ck_abort_msg("no end");
}

TEST(same_values_same_points) {
  struct sciara_cmaes *a = make(7, 0, 0), *b = make(7, 0, 0), *other = make(8, 0, 0);
  enum sciara_cmaes_end end;
  ck_assert_int_ne(memcmp(sciara_cmaes_ask(a), sciara_cmaes_ask(other), N * sizeof(double)), 0);
  for (int g = 0; g < 300; g++) { // beyond the first restart
    ck_assert_int_eq(sciara_cmaes_population(a), sciara_cmaes_population(b));
    ck_assert_mem_eq(sciara_cmaes_ask(a), sciara_cmaes_ask(b), (size_t)sciara_cmaes_population(a) * N * sizeof(double));
    advance(a, bowl, &end);
    advance(b, bowl, &end);
  }
  ck_assert_int_gt(sciara_cmaes_restarts(a), 0);
  sciara_cmaes_destroy(a);
  sciara_cmaes_destroy(b);
  sciara_cmaes_destroy(other);
}

static double corner(const double *u) { return u[0] - u[1] + (u[2] - 0.5) * (u[2] - 0.5); }
static double constant(const double *u) { return 0 * u[0]; }
static double rings(const double *u) { return floor(1000 * bowl(u)) / 1000; }
static double unknown(const double *u) { return u[0] < 0.5 ? NAN : bowl(u); }

TEST(finds_a_minimum_on_the_border) {
  struct sciara_cmaes *c = make(1, 0, 0);
  enum sciara_cmaes_end end;
  double best;
  generations(c, corner, &end, &best);
  ck_assert_double_le(best, -1 + 1e-6);
  sciara_cmaes_destroy(c);
}

TEST(ends) {
  enum sciara_cmaes_end end;
  double best;
  struct sciara_cmaes *c = make(1, 0, 0);
  const int population = sciara_cmaes_population(c);
  ck_assert_int_eq(population, 4 + 3); // 4 + 3 ln 3
  ck_assert_int_lt(generations(c, constant, &end, &best), 40);
  ck_assert_int_eq(end, SCIARA_CMAES_TIES);
  ck_assert_int_eq(sciara_cmaes_restarts(c), 1);
  ck_assert_int_eq(sciara_cmaes_population(c), 2 * population);
  sciara_cmaes_destroy(c);

  c = make(1, 0, 1e-3);
  generations(c, bowl, &end, &best);
  ck_assert_int_eq(end, SCIARA_CMAES_SMALL);
  ck_assert_double_lt(best, 1e-6);
  sciara_cmaes_destroy(c);

  c = make(1, 0, 0); // the value that scores have: steps, and much that is equal
  generations(c, rings, &end, &best);
  ck_assert_double_eq(best, 0);
  sciara_cmaes_destroy(c);
}

/** A member that fails has no score. */
TEST(unknown_values_are_worst) {
  struct sciara_cmaes *c = make(3, 0, 1e-4);
  enum sciara_cmaes_end end;
  double best;
  generations(c, unknown, &end, &best);
  ck_assert_double_lt(best, 0.3 * 0.3 + 1e-4); // the minimum where values are known: u[0] = 0.5
  ck_assert_double_gt(best, 0.3 * 0.3 - 1e-12);
  sciara_cmaes_destroy(c);
}

TEST(refused) {
  struct sciara_cmaes *c;
  const double outside[N] = {0.5, 1.5, 0.5};
  const struct sciara_cmaes_setup setups[] = {{.dimension = 0},
                                              {.dimension = SCIARA_CMAES_DIMENSIONS + 1},
                                              {.dimension = N, .population = 3},
                                              {.dimension = N, .sigma = -1},
                                              {.dimension = N, .least = NAN},
                                              {.dimension = N, .mean = outside}};
  for (size_t k = 0; k < sizeof setups / sizeof *setups; k++) {
    ck_assert_int_eq(sciara_cmaes_create(&setups[k], &c), SCIARA_ERR_USAGE);
    ck_assert_ptr_null(c);
  }
}

RUN_TESTS()
