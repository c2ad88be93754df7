// SPDX-License-Identifier: Apache-2.0
// Claims about model/random.h, and points.h and curve.h of src/ensemble: known values, uniformity, exact volumes.
#include "model/random.h"
#include "plan/ensemble_file.h"
#include "plan/points.h"

TEST(test_philox) { // the known answers of Random123
  static const struct {
    uint32_t counter[4], key[2], answer[4];
  } known[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
       {0xffffffff, 0xffffffff},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    uint32_t out[4];
    sciara_philox(known[k].counter, known[k].key, out);
    ck_assert_mem_eq(out, known[k].answer, sizeof out);
  }
  ck_assert_double_eq(sciara_unit(0), 0x1p-53);
  ck_assert_double_eq(sciara_unit(UINT64_MAX), 1 - 0x1p-53);
}

TEST(test_sobol_begin) { // the first points as published for these numbers, in the order of binary numbers
  static const double known[3][8] = {{0, 0.5, 0.25, 0.75, 0.125, 0.625, 0.375, 0.875},
                                     {0, 0.5, 0.75, 0.25, 0.625, 0.125, 0.375, 0.875},
                                     {0, 0.5, 0.75, 0.25, 0.375, 0.875, 0.625, 0.125}};
  for (uint32_t d = 0; d < 3; d++)
    for (uint32_t i = 0; i < 8; i++) ck_assert_double_eq(sciara_sobol_digits(d, i) * 0x1p-32, known[d][i]);
  ck_assert_double_eq(sciara_sobol_digits(3, 3) * 0x1p-32, 0.25);
  ck_assert_double_eq(sciara_sobol_digits(4, 3) * 0x1p-32, 0.75);
}

TEST(
    test_sobol_numbers) { // those of every dimension, folded: computed from the table of S. Joe and F. Kuo that SciPy has
  uint64_t folded = 0;
  for (uint32_t d = 0; d < SCIARA_SOBOL_DIMENSIONS; d++) folded = 31 * folded + sciara_sobol_digits(d, UINT32_MAX);
  ck_assert_uint_eq(folded, UINT64_C(2561564890320651967));
}

/** Seeds for dimensions with the names "0", "1" and so on. */
static const uint64_t *seeds_of(uint64_t seed) {
  static uint64_t seeds[SCIARA_SOBOL_DIMENSIONS + 1];
  char name[24];
  for (size_t d = 0; d < sizeof seeds / sizeof *seeds; d++) {
    snprintf(name, sizeof name, "%zu", d);
    seeds[d] = sciara_points_seed(seed, name);
  }
  return seeds;
}

/** Whether 2^bits points have one point in each interval of length 2^-bits. */
static void check_intervals(const double *u, size_t stride, int bits) {
  const size_t count = (size_t)1 << bits;
  unsigned char seen[1024] = {0};
  for (size_t i = 0; i < count; i++) {
    const double x = u[i * stride];
    ck_assert(x > 0 && x < 1);
    const size_t k = (size_t)(x * (double)count);
    ck_assert_msg(!seen[k], "two points in interval %zu", k);
    seen[k] = 1;
  }
}

TEST(test_sobol_is_even) { // in each dimension, and in pairs of dimensions; scrambling keeps this
  enum { BITS = 8, COUNT = 1 << BITS, D = SCIARA_SOBOL_DIMENSIONS };
  double *u = malloc(sizeof *u * COUNT * D);
  ck_assert_ptr_nonnull(u);
  expect_ok(sciara_points_make(SCIARA_SAMPLE_SOBOL, seeds_of(7), 3, COUNT, D, u));
  for (size_t d = 0; d < D; d++) check_intervals(u + d, D, BITS);
  unsigned char seen[16][16] = {{0}}; // dimensions 1 and 2 are a (0, 8, 2)-net
  for (size_t i = 0; i < COUNT; i++) seen[(int)(16 * u[i * D])][(int)(16 * u[i * D + 1])]++;
  for (int a = 0; a < 16; a++)
    for (int b = 0; b < 16; b++) ck_assert_uint_eq(seen[a][b], 1);
  for (uint32_t d = 0; d < D; d++) { // every direction number is used: 32 points fill 32 intervals
    uint32_t mask = 0;
    for (uint32_t i = 0; i < 32; i++) mask |= UINT32_C(1) << (sciara_sobol_digits(d, i) >> 27);
    ck_assert_uint_eq(mask, UINT32_MAX);
  }
  ck_assert_int_eq(sciara_points_make(SCIARA_SAMPLE_SOBOL, seeds_of(7), 3, 2, D + 1, u), SCIARA_ERR_INPUT);
  free(u);
}

TEST(test_scramblings_are_independent) { // the mean over designs is unbiased; the integral error is small
  enum { COUNT = 64, DESIGNS = 64 };
  double u[COUNT * 2], sum = 0, squares = 0;
  for (uint32_t k = 0; k < DESIGNS; k++) {
    double mean = 0;
    expect_ok(sciara_points_make(SCIARA_SAMPLE_SOBOL, seeds_of(1), k, COUNT, 2, u));
    for (size_t i = 0; i < COUNT; i++) mean += u[2 * i] * u[2 * i + 1] / COUNT;
    sum += mean / DESIGNS;
    squares += (mean - 0.25) * (mean - 0.25) / DESIGNS;
  }
  ck_assert_double_eq_tol(sum, 0.25, 0.0005);
  ck_assert(squares > 0 && sqrt(squares) < 0.004); // independent draws: 0.0275
  ck_assert_uint_ne(sciara_sobol_scramble(1, 0, 0), sciara_sobol_scramble(1, 1, 0));
  ck_assert_uint_ne(sciara_sobol_scramble(1, 0, 0), sciara_sobol_scramble(2, 0, 0));
}

TEST(test_lhs) { // one point in each interval of each dimension, whatever the number of points
  static const size_t counts[] = {1, 2, 7, 100, 333};
  double *u = malloc(sizeof *u * 333 * 5);
  ck_assert_ptr_nonnull(u);
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
    for (uint32_t design = 0; design < 3; design++) {
      const size_t n = counts[c];
      expect_ok(sciara_points_make(SCIARA_SAMPLE_LHS, seeds_of(11), design, n, 5, u));
      for (size_t d = 0; d < 5; d++) {
        unsigned char seen[333] = {0};
        for (size_t i = 0; i < n; i++) {
          const double x = u[i * 5 + d];
          ck_assert(x > 0 && x < 1);
          ck_assert(!seen[(size_t)(x * (double)n)]);
          seen[(size_t)(x * (double)n)] = 1;
        }
      }
    }
  double rank = 0; // the orders of two dimensions do not depend on each other
  expect_ok(sciara_points_make(SCIARA_SAMPLE_LHS, seeds_of(11), 0, 333, 5, u));
  for (size_t i = 0; i < 333; i++) rank += (u[5 * i] - 0.5) * (u[5 * i + 1] - 0.5) * 12 / 333;
  ck_assert(fabs(rank) < 0.15);
  free(u);
}

TEST(test_random) { // moments, and values that no later version may change
  enum { COUNT = 20000 };
  double *u = malloc(sizeof *u * COUNT * 2), mean = 0, square = 0, product = 0;
  ck_assert_ptr_nonnull(u);
  expect_ok(sciara_points_make(SCIARA_SAMPLE_RANDOM, seeds_of(5), 0, COUNT, 2, u));
  for (size_t i = 0; i < COUNT; i++) {
    mean += u[2 * i] / COUNT;
    square += u[2 * i] * u[2 * i] / COUNT;
    product += u[2 * i] * u[2 * i + 1] / COUNT;
  }
  ck_assert_double_eq_tol(mean, 0.5, 0.01);
  ck_assert_double_eq_tol(square, 1.0 / 3, 0.01);
  ck_assert_double_eq_tol(product, 0.25, 0.01);
  double again[6]; // fewer points are the first of more
  expect_ok(sciara_points_make(SCIARA_SAMPLE_RANDOM, seeds_of(5), 0, 3, 2, again));
  ck_assert_mem_eq(again, u, sizeof again);
  free(u);
}

TEST(test_coordinates_belong_to_names) { // in any other place a dimension has the same numbers
  enum { COUNT = 16 };
  static const enum sciara_sample_method methods[] = {SCIARA_SAMPLE_RANDOM, SCIARA_SAMPLE_LHS};
  const uint64_t a = sciara_points_seed(3, "a"), b = sciara_points_seed(3, "b"), c = sciara_points_seed(3, "c");
  double one[COUNT * 3], other[COUNT * 2];
  for (size_t m = 0; m < 2; m++) {
    expect_ok(sciara_points_make(methods[m], (const uint64_t[]){a, b, c}, 1, COUNT, 3, one));
    expect_ok(sciara_points_make(methods[m], (const uint64_t[]){c, a}, 1, COUNT, 2, other));
    for (size_t i = 0; i < COUNT; i++) {
      ck_assert_double_eq(one[3 * i], other[2 * i + 1]);
      ck_assert_double_eq(one[3 * i + 2], other[2 * i]);
      ck_assert_double_ne(one[3 * i], one[3 * i + 1]);
    }
  }
  ck_assert_uint_ne(a, sciara_points_seed(4, "a"));
}

TEST(test_normal_quantile) { // values of AS 241, and of tables
  ck_assert_double_eq(sciara_normal_quantile(0.5), 0);
  ck_assert_double_eq_tol(sciara_normal_quantile(0.25), -0.6744897501960817, 1e-15);
  ck_assert_double_eq_tol(sciara_normal_quantile(0.001), -3.090232306167814, 4e-15);
  ck_assert_double_eq_tol(sciara_normal_quantile(1e-20), -9.262340089798408, 1e-14);
  ck_assert_double_eq_tol(sciara_normal_quantile(0.975), 1.959963984540054, 2e-15);
  for (int k = 1; k < 2000; k++) { // against the error function of the library
    const double p = k / 2000.0, z = sciara_normal_quantile(p);
    ck_assert_double_eq_tol(0.5 * erfc(-z / sqrt(2.0)), p, 1e-15);
    ck_assert(z > sciara_normal_quantile((k - 1 + 0.001) / 2000.0)); // ascending
    ck_assert_double_eq_tol(sciara_normal_probability(z), p, 4e-16);
  }
  ck_assert_double_eq(sciara_normal_probability(-100), 0x1p-53);
  ck_assert_double_eq(sciara_normal_probability(100), 1 - 0x1p-53);
}

static double volume_of(const double *rates, size_t slots, double duration) {
  double sum = 0;
  for (size_t k = 0; k < slots; k++)
    sum += rates[k] * ((double)(k + 1) * (duration / (double)slots) - (double)k * (duration / (double)slots));
  return sum;
}

TEST(test_curves) { // the volume is exact for each shape and number of slots; it ascends from 0 to 1
  static const double edges[] = {0, 10, 30, 100}, table[] = {1, 5, 0.5};
  static const size_t slots[] = {1, 2, 20, 997};
  double rates[997];
  for (int kind = SCIARA_CURVE_CONSTANT; kind <= SCIARA_CURVE_TABLE; kind++)
    for (double peak = 0; peak <= 1; peak += 0.25) {
      const struct sciara_curve c = {
          .kind = (enum sciara_curve_kind)kind, .peak = peak, .decay = 0.2, .edges = edges, .rates = table, .count = 3};
      double before = 0;
      ck_assert_double_eq(sciara_curve_share(&c, 0), 0);
      ck_assert_double_eq(sciara_curve_share(&c, 1), 1);
      for (int k = 1; k <= 1000; k++) {
        const double share = sciara_curve_share(&c, k / 1000.0);
        ck_assert_msg(share >= before && share <= 1, "curve %d, peak %g, at %d: %.17g after %.17g", kind, peak, k,
                      share, before);
        before = share;
      }
      for (size_t s = 0; s < sizeof slots / sizeof *slots; s++) {
        sciara_curve_rates(&c, 1.234e6, 86400, slots[s], rates);
        ck_assert_double_eq_tol(volume_of(rates, slots[s], 86400), 1.234e6, 1.234e6 * 1e-13);
      }
    }
}

RUN_TESTS(.one_process = true)
