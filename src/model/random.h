// SPDX-License-Identifier: Apache-2.0
// Random numbers that depend on nothing but their index: Philox4x32-10 (J. Salmon et al. 2011, Parallel random numbers:
// as easy as 1, 2, 3, SC '11, doi:10.1145/2063384.2063405), of integers alone; and the normal distribution, of +, -, x, /
// and detmath alone. So every machine draws the same.
#ifndef SCIARA_MODEL_RANDOM_H
#define SCIARA_MODEL_RANDOM_H

#include <stdint.h>

/** Ten rounds of Philox4x32 on counter[4] with key[2]. */
static inline void sciara_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
  uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]}, k[2] = {key[0], key[1]};
  for (int round = 0; round < 10; round++) {
    const uint64_t a = UINT64_C(0xD2511F53) * c[0], b = UINT64_C(0xCD9E8D57) * c[2];
    const uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ k[1],
                              (uint32_t)a};
    for (int i = 0; i < 4; i++) c[i] = next[i];
    k[0] += UINT32_C(0x9E3779B9); // the golden ratio
    k[1] += UINT32_C(0xBB67AE85); // the square root of 3, minus 1
  }
  for (int i = 0; i < 4; i++) out[i] = c[i];
}

/** What a number is for: no two of them ever share a counter. */
enum sciara_stream {
  SCIARA_STREAM_DRAW,     ///< a coordinate of a point
  SCIARA_STREAM_SHUFFLE,  ///< the order of the strata of a Latin hypercube
  SCIARA_STREAM_SCRAMBLE, ///< the digits of Sobol' points
  SCIARA_STREAM_SEED,     ///< the seed of a member
  SCIARA_STREAM_GROUND,   ///< the error of the altitude of a cell
};

/** Where a number belongs. */
struct sciara_draw {
  uint64_t seed;
  enum sciara_stream stream;
  uint32_t design;    ///< which of the independent sets of points
  uint32_t dimension; ///< below 2^24
  uint64_t index;
};

/** 64 random bits. */
static inline uint64_t sciara_draw_bits(struct sciara_draw d) {
  const uint32_t counter[4] = {(uint32_t)d.index, (uint32_t)(d.index >> 32), d.design,
                               d.dimension << 8 | (uint32_t)d.stream};
  const uint32_t key[2] = {(uint32_t)d.seed, (uint32_t)(d.seed >> 32)};
  uint32_t out[4];
  sciara_philox(counter, key, out);
  return (uint64_t)out[1] << 32 | out[0];
}

/** The number in (0, 1) of 64 bits: an odd multiple of 2^-53, so neither 0 nor 1. */
static inline double sciara_unit(uint64_t bits) { return ((double)(bits >> 12) + 0.5) * 0x1p-52; }

// ------------------------------------------------------------------------------------------- the normal distribution

/**
 * The inverse of the normal distribution function, for p in (0, 1): algorithm AS 241, PPND16 (M. Wichura 1988, Appl.
 * Statist. 37, 477-484). Relative error below 1e-15.
 */
double sciara_normal_quantile(double p);

/**
 * The normal distribution function: the p in [2^-53, 1 - 2^-53] whose quantile is nearest to z, by bisection. So the
 * two are inverse to each other within the spacing of p, 2^-53.
 */
double sciara_normal_probability(double z);

#endif
