// SPDX-License-Identifier: Apache-2.0
#include "plan/points.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "model/random.h"

// ------------------------------------------------------------------------------------------------------------ Sobol'

/** A primitive polynomial of this degree, its inner coefficients as bits, and the first direction numbers. */
static const struct {
  uint8_t degree, polynomial, m[7];
} joe_kuo[SCIARA_SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
    {7, 50, {1, 3, 1, 3, 5, 53, 69}},
    {7, 55, {1, 1, 5, 5, 23, 33, 13}},
    {7, 56, {1, 1, 7, 7, 1, 61, 123}},
    {7, 59, {1, 1, 7, 9, 13, 61, 49}},
    {7, 62, {1, 3, 3, 5, 3, 55, 33}},
};

/** The direction numbers of a dimension; bit 31 - k of v[k] is set, and none below it. */
static void directions(uint32_t dimension, uint32_t v[32]) {
  if (dimension == 0) {
    for (int k = 0; k < 32; k++) v[k] = UINT32_C(1) << (31 - k);
    return;
  }
  const int s = joe_kuo[dimension - 1].degree, a = joe_kuo[dimension - 1].polynomial;
  for (int k = 0; k < s; k++) v[k] = (uint32_t)joe_kuo[dimension - 1].m[k] << (31 - k);
  for (int k = s; k < 32; k++) {
    v[k] = v[k - s] ^ v[k - s] >> s;
    for (int j = 1; j < s; j++)
      if (a >> (s - 1 - j) & 1) v[k] ^= v[k - j];
  }
}

/** The coordinate of point `index`, in the order of binary numbers. */
static uint32_t combine(const uint32_t v[32], uint32_t index) {
  uint32_t digits = 0;
  for (int k = 0; index; index >>= 1, k++)
    if (index & 1) digits ^= v[k];
  return digits;
}

uint32_t sciara_sobol_digits(uint32_t dimension, uint32_t index) {
  uint32_t v[32];
  directions(dimension, v);
  return combine(v, index);
}

uint32_t sciara_sobol_scramble(uint64_t seed, uint32_t design, uint32_t digits) {
  uint32_t out = 0;
  for (int k = 0; k < 32; k++) {
    const uint64_t before = k ? digits >> (32 - k) : 0; // the first k digits
    const struct sciara_draw flip = {.seed = seed,
                                     .stream = SCIARA_STREAM_SCRAMBLE,
                                     .design = design,
                                     .index = before | UINT64_C(1) << k}; // a different number for each prefix
    out |= ((digits >> (31 - k) & 1) ^ (uint32_t)(sciara_draw_bits(flip) & 1)) << (31 - k);
  }
  return out;
}

// ----------------------------------------------------------------------------------------------------------- designs

uint64_t sciara_points_seed(uint64_t seed, const char *name) {
  return sciara_hash_mix(seed ^ sciara_hash_bytes(SCIARA_HASH_BEGIN, name, strlen(name)));
}

static uint64_t bits_of(uint64_t seed, enum sciara_stream stream, uint32_t design, uint64_t index) {
  return sciara_draw_bits((struct sciara_draw){.seed = seed, .stream = stream, .design = design, .index = index});
}

static void make_random(const uint64_t *seed, uint32_t design, size_t count, size_t dimensions, double *values) {
  for (size_t i = 0; i < count; i++)
    for (size_t d = 0; d < dimensions; d++)
      values[i * dimensions + d] = sciara_unit(bits_of(seed[d], SCIARA_STREAM_DRAW, design, i));
}

/** A uniform whole number below `bound`: draws again where the numbers of 64 bits do not divide evenly. */
static uint64_t below(uint64_t bound, uint64_t seed, uint32_t design, uint64_t *next) {
  const uint64_t uneven = UINT64_MAX % bound + 1 == bound ? 0 : UINT64_MAX % bound + 1;
  for (;;) {
    const uint64_t bits = bits_of(seed, SCIARA_STREAM_SHUFFLE, design, (*next)++);
    if (bits <= UINT64_MAX - uneven) return bits % bound;
  }
}

static enum sciara_status make_lhs(const uint64_t *seed, uint32_t design, size_t count, size_t dimensions,
                                   double *values) {
  size_t *order;
  SCIARA_TRY(SCIARA_NEW(order, count, "a Latin hypercube"));
  for (size_t d = 0; d < dimensions; d++) {
    uint64_t next = 0;
    for (size_t i = 0; i < count; i++) order[i] = i;
    for (size_t i = count; i > 1; i--) { // R. Durstenfeld 1964
      const size_t k = (size_t)below(i, seed[d], design, &next), moved = order[i - 1];
      order[i - 1] = order[k];
      order[k] = moved;
    }
    for (size_t i = 0; i < count; i++) {
      const double inside = sciara_unit(bits_of(seed[d], SCIARA_STREAM_DRAW, design, i));
      const double u = ((double)order[i] + inside) / (double)count;
      values[i * dimensions + d] = u < 1 ? u : 1 - 0x1p-53;
    }
  }
  sciara_free(order);
  return SCIARA_OK;
}

static enum sciara_status make_sobol(const uint64_t *seed, uint32_t design, size_t count, size_t dimensions,
                                     double *values) {
  uint32_t v[32];
  if (dimensions > SCIARA_SOBOL_DIMENSIONS)
    return sciara_fail(SCIARA_ERR_INPUT, "expected at most %d dimensions of Sobol' points, found %zu",
                       SCIARA_SOBOL_DIMENSIONS, dimensions);
  if (count > UINT32_MAX)
    return sciara_fail(SCIARA_ERR_INPUT, "expected at most %u Sobol' points, found %zu", UINT32_MAX, count);
  for (size_t d = 0; d < dimensions; d++) {
    directions((uint32_t)d, v);
    for (size_t i = 0; i < count; i++) {
      const uint64_t digits = sciara_sobol_scramble(seed[d], design, combine(v, (uint32_t)i));
      const uint64_t lower = bits_of(seed[d], SCIARA_STREAM_DRAW, design, i) & UINT32_MAX;
      values[i * dimensions + d] = sciara_unit(digits << 32 | lower);
    }
  }
  return SCIARA_OK;
}

enum sciara_status sciara_points_make(enum sciara_sample_method method, const uint64_t *seed, uint32_t design,
                                      size_t count, size_t dimensions, double *values) {
  if (method == SCIARA_SAMPLE_LHS) return make_lhs(seed, design, count, dimensions, values);
  if (method == SCIARA_SAMPLE_SOBOL) return make_sobol(seed, design, count, dimensions, values);
  make_random(seed, design, count, dimensions, values);
  return SCIARA_OK;
}
