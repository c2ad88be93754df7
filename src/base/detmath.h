// SPDX-License-Identifier: Apache-2.0
// Exponential, natural logarithm, cube root and square root with bit-identical results on all machines. They consist of
// + - * / and the square root instruction, each correctly rounded, and of integer operations: no libm, no fma, no
// tables. They need contraction off (-ffp-contract=off, --fmad=false) and -fno-math-errno, so that sqrt is the bare
// instruction.
//
// The functions named _normal have no branches. They are for loops over lanes whose arguments are known to be in range.
// The general functions give bit-identical results there; for other arguments they take one branch, to _rare.
//
// Every function is within 1 ulp of the exact value over its whole domain (tests/accuracy/detmath_mpfr.c measures it).
// The coefficients are minimax fits, found by Remez exchange: tools/detmath_coefficients.py prints them.
#ifndef SCIARA_BASE_DETMATH_H
#define SCIARA_BASE_DETMATH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/portable.h"
#include "base/real.h"

SCIARA_HD uint64_t sciara_double_bits(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

SCIARA_HD double sciara_double_from_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

SCIARA_HD uint32_t sciara_float_bits(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

SCIARA_HD float sciara_float_from_bits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/** The square root, correctly rounded. */
SCIARA_HD double sciara_sqrt(double x) { return sqrt(x); }

/** The square root in single precision, correctly rounded. */
SCIARA_HD float sciara_sqrtf(float x) { return sqrtf(x); }

// --- exponential -----------------------------------------------------------------------------------------------------
// x = k ln2 + r with |r| <= ln2/2, and exp(x) = 2^k (1 + r + r^2 q(r)). ln2 is split so that k times its high part is
// exact; then high = x - k ln2_high is exact too, and r = high - low. The rounding error of 1 + high is added back, so
// little more than the last rounding remains. Adding 1.5 * 2^52 rounds to an integer, which then is in the low bits.

/** e^x / 2^k, in about [0.7, 1.42]; *k (modulo 2^64) is the power of two. |x| <= 746, or NaN: then NaN and any k. */
SCIARA_HD double sciara_exp_reduced(double x, uint64_t *k) {
  const double shift = 0x1.8p52, ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;
  const double shifted = x * 0x1.71547652b82fep+0 + shift;
  const double whole = shifted - shift;
  const double high = x - whole * ln2_high;
  const double low = whole * ln2_low;
  const double r = high - low;
  const double r2 = r * r, r4 = r2 * r2;
  const double q01 = 0x1.000000000000ap-1 + r * 0x1.55555555554f9p-3;
  const double q23 = 0x1.55555555507f4p-5 + r * 0x1.1111111127e74p-7;
  const double q45 = 0x1.6c16c1844a27cp-10 + r * 0x1.a01a0129b7bddp-13;
  const double q67 = 0x1.a01999b03fccfp-16 + r * 0x1.71df2628d2af9p-19;
  const double q89 = 0x1.28adcc10ff0c1p-22 + r * 0x1.ad7f01aca6459p-26;
  const double q = (q01 + r2 * q23) + r4 * ((q45 + r2 * q67) + r4 * q89);
  const double sum = 1.0 + high;
  const double lost = high - (sum - 1.0);
  *k = sciara_double_bits(shifted) - sciara_double_bits(shift);
  return sum + (lost + (r2 * q - low));
}

/** e^x where |x| <= 708: the result is normal. NaN gives NaN. Straight-line. */
SCIARA_HD double sciara_exp_normal(double x) {
  uint64_t k;
  const double y = sciara_exp_reduced(x, &k);
  return y * sciara_double_from_bits((k + 1023) << 52);
}

/**
 * e^x of any x. The power of two is applied in two halves: only the second can round. The clamps leave NaN as it is.
 */
SCIARA_HD double sciara_exp_rare(double x) {
  const double above = x < -746.0 ? -746.0 : x;
  uint64_t k;
  const double y = sciara_exp_reduced(above > 710.0 ? 710.0 : above, &k);
  const uint64_t half = (k + 2048) >> 1;
  return y * sciara_double_from_bits((half - 1) << 52) * sciara_double_from_bits((k + 2047 - half) << 52);
}

/** e^x. Overflows to infinity, underflows through the subnormals to zero; NaN gives NaN. */
SCIARA_HD double sciara_exp(double x) {
  const int usual = x >= -708.0 && x <= 708.0;
  return usual ? sciara_exp_normal(x) : sciara_exp_rare(x);
}

/** As sciara_exp_reduced, in single precision: |x| <= 105 or NaN; *k is modulo 2^32. */
SCIARA_HD float sciara_expf_reduced(float x, uint32_t *k) {
  const float shift = 0x1.8p23f, ln2_high = 0x1.62e4p-1f, ln2_low = 0x1.7f7d1cp-20f;
  const float shifted = x * 0x1.715476p+0f + shift;
  const float whole = shifted - shift;
  const float high = x - whole * ln2_high;
  const float low = whole * ln2_low;
  const float r = high - low;
  const float r2 = r * r;
  const float q01 = 0x1.fffffcp-2f + r * 0x1.55549p-3f;
  const float q23 = 0x1.5558f4p-5f + r * 0x1.123a68p-7f;
  const float q = q01 + r2 * (q23 + r2 * 0x1.6a2358p-10f);
  const float sum = 1.0f + high;
  const float lost = high - (sum - 1.0f);
  *k = sciara_float_bits(shifted) - sciara_float_bits(shift);
  return sum + (lost + (r2 * q - low));
}

/** e^x where |x| <= 87, computed in single precision. NaN gives NaN. Straight-line. */
SCIARA_HD float sciara_expf_normal(float x) {
  uint32_t k;
  const float y = sciara_expf_reduced(x, &k);
  return y * sciara_float_from_bits((k + 127) << 23);
}

/** As sciara_exp_rare, in single precision. */
SCIARA_HD float sciara_expf_rare(float x) {
  const float above = x < -105.0f ? -105.0f : x;
  uint32_t k;
  const float y = sciara_expf_reduced(above > 89.0f ? 89.0f : above, &k);
  const uint32_t half = (k + 256) >> 1;
  return y * sciara_float_from_bits((half - 1) << 23) * sciara_float_from_bits((k + 255 - half) << 23);
}

/** e^x in single precision, computed in single precision. */
SCIARA_HD float sciara_expf(float x) {
  const int usual = x >= -87.0f && x <= 87.0f;
  return usual ? sciara_expf_normal(x) : sciara_expf_rare(x);
}

// --- logarithm -------------------------------------------------------------------------------------------------------

/** ln of a positive normal number: x = 2^k m, m in [1/sqrt2, sqrt2), ln m = 2 atanh(s), s = (m - 1) / (m + 1). */
SCIARA_HD double sciara_ln_normal(double x, double k) {
  uint64_t bits = sciara_double_bits(x) - UINT64_C(0x3fe6a09e667f3bcd);
  const double exponent = k + (double)((int32_t)((bits >> 52) ^ 0x800) - 0x800);
  const double m = sciara_double_from_bits((bits & UINT64_C(0xfffffffffffff)) + UINT64_C(0x3fe6a09e667f3bcd));
  // s in two parts: the remainder of the division is found by splitting s and the divisor into short exact factors.
  const double f = m - 1.0;
  const double d = 2.0 + f, d_low = f - (d - 2.0);
  const double s = f / d;
  const double s1 = sciara_double_from_bits(sciara_double_bits(s) & UINT64_C(0xfffffffff8000000)), s2 = s - s1;
  const double d1 = sciara_double_from_bits(sciara_double_bits(d) & UINT64_C(0xfffffffff8000000)), d2 = d - d1;
  const double remainder = (((f - s1 * d1) - s1 * d2) - s2 * d1) - s2 * d2;
  const double s_low = (remainder - s * d_low) / d;
  const double z = s * s, z2 = z * z;
  const double p01 = 0x1.5555555555555p-1 + z * 0x1.9999999999e0ep-2;
  const double p23 = 0x1.249249242a146p-2 + z * 0x1.c71c725a61891p-3;
  const double p45 = 0x1.745cddc5d592ep-3 + z * 0x1.3b20bebeec688p-3;
  const double p67 = 0x1.0f5b16663ef1ep-3 + z * 0x1.0f72941744f31p-3;
  const double p = (p01 + z2 * p23) + (z2 * z2) * (p45 + z2 * p67);
  const double tail = s * z * p + 2.0 * s_low + exponent * 0x1.ef35793c7673p-45;
  const double head = exponent * 0x1.62e42fefa38p-1; // exact
  const double sum = head + 2.0 * s;
  const double part = sum - head; // the part of 2s that is in the sum; |head| > |2s| or head = 0
  return sum + ((2.0 * s - part) + tail);
}

/** The natural logarithm: -infinity for 0, NaN below 0 and for NaN, infinity for infinity. Not for the inner loop. */
SCIARA_HD double sciara_ln(double x) {
  if (x >= 0x1p-1022 && x <= 0x1.fffffffffffffp+1023) return sciara_ln_normal(x, 0.0);
  if (x == 0.0) return sciara_double_from_bits(UINT64_C(0xfff0000000000000));
  if (x < 0.0) return sciara_double_from_bits(UINT64_C(0x7ff8000000000000));
  if (x < 1.0) return sciara_ln_normal(x * 0x1p54, -54.0);
  return x + x; // infinity, NaN
}

// --- cube root -------------------------------------------------------------------------------------------------------
// 1. The binary form of x, divided by 3 and subtracted from a constant, gives y ~ x^(-1/3) within 4 %: x y^3 = 1 - e,
//    |e| < 0.12.
// 2. x y^2 p(e), with p ~ (1 - e)^(-2/3), is the cube root within 2^-17 (single: 2^-8). Truncated to 17 (8) bits it is
//    t, whose cube is exact; p is made a little too small so that t never exceeds the root (no overflow at the top).
// 3. Then x - t^3 is exact as well, d = (x - t^3) / x is small, and t (1 - d)^(-1/3) = t + t d q(d). The correction is
//    small, so its own rounding matters little: the result is nearly correctly rounded.
// The only division, 1/x, depends on no other result, and there is no branch. The division of the binary form by 3 is a
// product of 32-bit factors, which vector units support.

/** The cube root of a positive normal number; NaN gives NaN. Straight-line. */
SCIARA_HD double sciara_cbrt_normal(double x) {
  const double inverse = 1.0 / x;
  const uint64_t third = ((sciara_double_bits(x) >> 32) * 0x55555556u) >> 32;
  const double y = sciara_double_from_bits((0x553ef800u - third) << 32);
  const double xy2 = x * y * y;
  const double e = 1.0 - xy2 * y;
  const double p =
      (0x1.fffe37ea0c8e8p-1 + e * 0x1.555bee1270d8ep-1) + (e * e) * (0x1.1ef406ab3b16cp-1 + e * 0x1.f2ab58bffd7c1p-2);
  const double t = sciara_double_from_bits(sciara_double_bits(xy2 * p) & UINT64_C(0xfffffff000000000));
  const double d = (x - t * t * t) * inverse;
  const double q = (0x1.555555555569p-2 + d * 0x1.c71c719d4ec7dp-3) + (d * d) * 0x1.62065039eb5a4p-3;
  return t + (t * d) * q;
}

/** The cube root of zero, subnormal, negative and infinite numbers and NaN. */
SCIARA_HD double sciara_cbrt_rare(double x) {
  const uint64_t sign = sciara_double_bits(x) & (UINT64_C(1) << 63);
  const double a = sciara_double_from_bits(sciara_double_bits(x) ^ sign);
  if (x == 0.0 || !(a <= 0x1.fffffffffffffp+1023)) return x + x;
  const double root = a < 0x1p-1022 ? sciara_cbrt_normal(a * 0x1p54) * 0x1p-18 : sciara_cbrt_normal(a);
  return sciara_double_from_bits(sciara_double_bits(root) | sign);
}

/** The cube root of any double, with the sign of x. */
SCIARA_HD double sciara_cbrt(double x) {
  const int usual = x >= 0x1p-1022 && x <= 0x1.fffffffffffffp+1023;
  return usual ? sciara_cbrt_normal(x) : sciara_cbrt_rare(x);
}

/**
 * The cube root in single precision, computed in single precision, of a finite number of at least 2^-120 (below 2^-125
 * the cube of t would not be exact). NaN gives NaN. Straight-line.
 */
SCIARA_HD float sciara_cbrtf_normal(float x) {
  const float inverse = 1.0f / x;
  const uint32_t third = (uint32_t)(((uint64_t)sciara_float_bits(x) * 0x55555556u) >> 32);
  const float y = sciara_float_from_bits(0x54a24000u - third);
  const float xy2 = x * y * y;
  const float e = 1.0f - xy2 * y;
  const float p = 0x1.fffe08p-1f + e * 0x1.5395fep-1f;
  const float t = sciara_float_from_bits(sciara_float_bits(xy2 * p) & 0xffff0000u);
  const float d = (x - t * t * t) * inverse;
  const float q = (0x1.5555ep-2f + d * 0x1.c67facp-3f) + (d * d) * 0x1.7adbd2p-3f;
  return t + (t * d) * q;
}

/** As sciara_cbrt_rare, in single precision. */
SCIARA_HD float sciara_cbrtf_rare(float x) {
  const uint32_t sign = sciara_float_bits(x) & 0x80000000u;
  const float a = sciara_float_from_bits(sciara_float_bits(x) ^ sign);
  if (x == 0.0f || !(a <= 0x1.fffffep+127f)) return x + x;
  const float root = a < 0x1p-120f ? sciara_cbrtf_normal(a * 0x1p24f) * 0x1p-8f : sciara_cbrtf_normal(a);
  return sciara_float_from_bits(sciara_float_bits(root) | sign);
}

/** The cube root of any float, with the sign of x. */
SCIARA_HD float sciara_cbrtf(float x) {
  const int usual = x >= 0x1p-120f && x <= 0x1.fffffep+127f;
  return usual ? sciara_cbrtf_normal(x) : sciara_cbrtf_rare(x);
}

// --- in the precision of the rule ------------------------------------------------------------------------------------

#if defined SCIARA_FAST && SCIARA_ON_DEVICE
// The GPU's own approximations, which may differ between GPU models. They are used nowhere else.
SCIARA_HD real sciara_real_exp(real x) { return __expf(x); }
SCIARA_HD real sciara_real_cbrt(real x) { return __powf(x, 0x1.555556p-2f); }
SCIARA_HD real sciara_real_sqrt(real x) { return sqrtf(x); } // the approximate one: -prec-sqrt=false
#elif defined SCIARA_SINGLE
SCIARA_HD real sciara_real_exp(real x) { return sciara_expf(x); }
SCIARA_HD real sciara_real_cbrt(real x) { return sciara_cbrtf(x); }
SCIARA_HD real sciara_real_sqrt(real x) { return sciara_sqrtf(x); }
#else
SCIARA_HD real sciara_real_exp(real x) { return sciara_exp(x); }
SCIARA_HD real sciara_real_cbrt(real x) { return sciara_cbrt(x); }
SCIARA_HD real sciara_real_sqrt(real x) { return sciara_sqrt(x); }
#endif

/** a / b, correctly rounded unless SCIARA_FAST. */
#if defined SCIARA_FAST && SCIARA_ON_DEVICE
SCIARA_HD real sciara_real_div(real a, real b) { return __fdividef(a, b); }
#else
SCIARA_HD real sciara_real_div(real a, real b) { return a / b; }
#endif

#if SCIARA_ON_DEVICE && !defined SCIARA_FAST
/** a b + c, rounded once; only for exact division. Written as inline assembly, so that a test can recognise it. */
SCIARA_HD real sciara_real_fma(real a, real b, real c) {
  real sum;
#ifdef SCIARA_SINGLE
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(sum) : "f"(a), "f"(b), "f"(c));
#else
  asm("fma.rn.f64 %0, %1, %2, %3;" : "=d"(sum) : "d"(a), "d"(b), "d"(c));
#endif
  return sum;
}
#endif

/**
 * a / b, correctly rounded unless SCIARA_FAST, for a known, correctly rounded 1 / b: on the GPU three operations
 * instead of a dozen. By Markstein's theorem (IBM J. Res. Dev. 34 (1990) 111) q = a (1 / b) is within an ulp, its
 * remainder a - b q is exact as long as nothing underflows, and q + remainder (1 / b) then rounds as a / b does.
 */
SCIARA_HD real sciara_real_div_by(real a, real b, real inverse) {
#if SCIARA_ON_DEVICE && !defined SCIARA_FAST
#ifdef SCIARA_SINGLE
  const real least = 0x1p-80f, most = 0x1p80f;
#else
  const real least = 0x1p-900, most = 0x1p900;
#endif
  const real size = a < 0 ? -a : a;
  if (!(a == 0 || (size >= least && size <= most))) return a / b;
  const real q = a * inverse;
  return sciara_real_fma(sciara_real_fma(-b, q, a), inverse, q);
#else
  (void)inverse;
  return sciara_real_div(a, b);
#endif
}

/** Divisors for which sciara_real_div_tiny needs no plain division. */
SCIARA_HD int sciara_is_usual_divisor(real b) { return b >= (real)0x1p-40 && b <= (real)0x1p40; }

/**
 * a / b as sciara_real_div_by, also without a plain division where a or the quotient is tiny or subnormal: such a
 * dividend is multiplied by a power of two, and the quotient q divided by it. If that rounds, to a multiple of the
 * smallest number, it rounds the exact quotient likewise: multiples and the middles between them are numbers that q
 * could be, so rounding to q has not crossed one. Only where q is itself such a middle the exact quotient may lie on
 * either side.
 *
 * @param usual sciara_is_usual_divisor(b)
 */
SCIARA_HD real sciara_real_div_tiny(real a, real b, real inverse, int usual) {
#if SCIARA_ON_DEVICE && !defined SCIARA_FAST
#ifdef SCIARA_SINGLE
  const real low = 0x1p-60f, most = 0x1p80f, up = 0x1p96f, down = 0x1p-96f, middle = 0x1p-54f; // 2^-150 times up
#else
  const real low = 0x1p-600, most = 0x1p900, up = 0x1p700, down = 0x1p-700, middle = 0x1p-375; // 2^-1075 times up
#endif
  const real size = a < 0 ? -a : a;
  const real scale = size < low ? up : 1, back = size < low ? down : 1;
  const real scaled = a * scale;
  const real first = scaled * inverse;
  const real q = sciara_real_fma(sciara_real_fma(-b, first, scaled), inverse, first);
  const real quotient = q * back;
  const real off = sciara_real_fma(-quotient, scale, q); // 0 if `back` has not rounded
  if (!usual | !(size <= most) | (off == middle) | (off == -middle)) return a / b;
  return a == 0 ? a : quotient; // with its sign
#else
  (void)inverse, (void)usual;
  return sciara_real_div(a, b);
#endif
}

#endif
