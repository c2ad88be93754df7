// SPDX-License-Identifier: Apache-2.0
// Measures the functions of base/detmath.h against MPFR in units in the last place. Shared by the long measurement
// and the unit test.
#ifndef SCIARA_TESTS_DETMATH_ULP_H
#define SCIARA_TESTS_DETMATH_ULP_H

#include <math.h>
#include <mpfr.h>
#include <stddef.h>
#include <stdint.h>

#include "base/detmath.h"

/** Where arguments are drawn: [lo, hi], evenly, or evenly in the bits (so by magnitude; then 0 < lo). */
struct ulp_range {
  double lo, hi;
  int share; // of the arguments, in hundredths
  int by_bits;
};

enum { ULP_RANGES = 4 };

/** One function: its format, its exact counterpart and the ranges to draw from. */
struct ulp_function {
  const char *name;
  int bits;         // of the significand
  int min_exponent; // the smallest subnormal is 2^min_exponent
  int max_exponent; // the largest number is below 2^max_exponent
  double (*value)(double);
  int (*exact)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  double edge; // multiples of this are edges as well; 0: none
  struct ulp_range range[ULP_RANGES];
};

/** The largest error seen, its argument, and how many arguments were tried. */
struct ulp_worst {
  double error, at;
  uint64_t count;
};

static double ulp_expf(double x) { return (double)sciara_expf((float)x); }
static double ulp_cbrtf(double x) { return (double)sciara_cbrtf((float)x); }
static double ulp_sqrtf(double x) { return (double)sciara_sqrtf((float)x); }

#define ULP_DOUBLE 53, -1074, 1024
#define ULP_SINGLE 24, -149, 128
#define ULP_HALF_LN2 0x1.62e42fefa39efp-2

// The first range of each function is the domain of the model; the others cover the rest of the format.
// clang-format off
static const struct ulp_function ulp_functions[] = {
    {"exp", ULP_DOUBLE, sciara_exp, mpfr_exp, ULP_HALF_LN2,
     {{-7, 7, 70, 0}, {-746, 710, 20, 0}, {0x1p-60, 1, 10, 1}}},
    {"expf", ULP_SINGLE, ulp_expf, mpfr_exp, ULP_HALF_LN2,
     {{-7, 7, 70, 0}, {-105, 89, 20, 0}, {0x1p-30, 1, 10, 1}}},
    {"ln", ULP_DOUBLE, sciara_ln, mpfr_log, 0,
     {{1e-3, 1e3, 30, 1}, {0.5, 2, 30, 0}, {0.99, 1.01, 10, 0}, {0x1p-1074, 0x1.fffffffffffffp+1023, 30, 1}}},
    {"cbrt", ULP_DOUBLE, sciara_cbrt, mpfr_cbrt, 0,
     {{1, 1e12, 60, 1}, {1, 8, 20, 0}, {0x1p-1074, 0x1.fffffffffffffp+1023, 20, 1}}},
    {"cbrtf", ULP_SINGLE, ulp_cbrtf, mpfr_cbrt, 0,
     {{1, 1e12, 60, 1}, {1, 8, 20, 0}, {0x1p-149, 0x1.fffffep+127, 20, 1}}},
    {"sqrt", ULP_DOUBLE, sciara_sqrt, mpfr_sqrt, 0, {{0x1p-1074, 0x1.fffffffffffffp+1023, 100, 1}}},
    {"sqrtf", ULP_SINGLE, ulp_sqrtf, mpfr_sqrt, 0, {{0x1p-149, 0x1.fffffep+127, 100, 1}}},
};
// clang-format on

enum { ULP_FUNCTIONS = sizeof ulp_functions / sizeof *ulp_functions };

/** A reproducible stream of 64-bit numbers (a Weyl sequence put through a mixer). */
static uint64_t ulp_random(uint64_t *state) {
  uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

static double ulp_draw(const struct ulp_range *range, uint64_t *state) {
  const uint64_t number = ulp_random(state);
  if (!range->by_bits) return range->lo + (range->hi - range->lo) * ((double)(number >> 11) * 0x1p-53);
  const uint64_t lo = sciara_double_bits(range->lo), span = sciara_double_bits(range->hi) - lo + 1;
  return sciara_double_from_bits(lo + number % span);
}

/**
 * The error of f at x in ulps: |value - exact| over the distance of the format's numbers at the exact value.
 * Infinity counts as 2^max_exponent, and is right for all that lies beyond; a wrong NaN or infinity counts as infinite.
 */
static double ulp_error(const struct ulp_function *f, double x, mpfr_ptr argument, mpfr_ptr exact) {
  double value = f->value(x);
  mpfr_set_d(argument, x, MPFR_RNDN);
  f->exact(exact, argument, MPFR_RNDN);
  if (mpfr_nan_p(exact)) return isnan(value) ? 0.0 : (double)INFINITY;
  if (isnan(value)) return (double)INFINITY;
  if (mpfr_inf_p(exact)) return value == mpfr_get_d(exact, MPFR_RNDN) ? 0.0 : (double)INFINITY;
  if (mpfr_zero_p(exact)) return value == 0.0 ? 0.0 : (double)INFINITY;
  int unit = (int)mpfr_get_exp(exact) - f->bits;
  if (unit < f->min_exponent) unit = f->min_exponent;
  if (isinf(value)) {
    mpfr_set_ui_2exp(argument, 1, f->max_exponent, MPFR_RNDN);
    if (value < 0.0) mpfr_neg(argument, argument, MPFR_RNDN);
    if (mpfr_cmpabs(exact, argument) >= 0 && mpfr_sgn(exact) == mpfr_sgn(argument)) return 0.0;
  } else {
    mpfr_set_d(argument, value, MPFR_RNDN);
  }
  mpfr_sub(exact, exact, argument, MPFR_RNDA);
  mpfr_mul_2si(exact, exact, -unit, MPFR_RNDA);
  return fabs(mpfr_get_d(exact, MPFR_RNDA));
}

/** Tries x (rounded to the format) and, when around > 0, that many neighbours on either side. */
static void ulp_try(const struct ulp_function *f, double x, int around, mpfr_t work[2], struct ulp_worst *worst) {
  const int single = f->bits == 24;
  double at = single ? (double)(float)x : x;
  for (int k = 0; k < around; k++)
    at = single ? (double)nextafterf((float)at, -INFINITY) : nextafter(at, (double)-INFINITY);
  for (int k = -around; k <= around; k++) {
    const double error = ulp_error(f, at, work[0], work[1]);
    if (!(error <= worst->error)) *worst = (struct ulp_worst){error, at, worst->count};
    worst->count++;
    if (k < around) at = single ? (double)nextafterf((float)at, INFINITY) : nextafter(at, (double)INFINITY);
  }
}

/** Every power of two of the format, of either sign, and every multiple of f->edge, with 3 neighbours on each side. */
static void ulp_edges(const struct ulp_function *f, mpfr_t work[2], struct ulp_worst *worst) {
  for (int e = f->min_exponent; e < f->max_exponent; e++) {
    ulp_try(f, ldexp(1.0, e), 3, work, worst);
    ulp_try(f, -ldexp(1.0, e), 3, work, worst);
  }
  const int multiples = f->edge > 0.0 ? 2200 : 0;
  for (int k = -multiples; k <= multiples; k++) ulp_try(f, k * f->edge, 3, work, worst);
}

/** The worst of n drawn arguments and all edges. */
static struct ulp_worst ulp_measure(const struct ulp_function *f, uint64_t n) {
  struct ulp_worst worst = {0.0, 0.0, 0};
  mpfr_t work[2];
  mpfr_inits2(f->bits == 24 ? 64 : 110, work[0], work[1], (mpfr_ptr)NULL);
  ulp_edges(f, work, &worst);
  for (size_t i = 0; i < ULP_RANGES; i++) {
    uint64_t state = 1 + i, draws = n / 100 * (uint64_t)f->range[i].share;
    for (uint64_t k = 0; k < draws; k++) ulp_try(f, ulp_draw(&f->range[i], &state), 0, work, &worst);
  }
  mpfr_clears(work[0], work[1], (mpfr_ptr)NULL);
  mpfr_free_cache();
  return worst;
}

#endif
