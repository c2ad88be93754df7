// SPDX-License-Identifier: Apache-2.0
// Random numbers for tests: the same in every run and on every machine.
#ifndef SCIARA_TESTS_SUPPORT_RANDOM_H
#define SCIARA_TESTS_SUPPORT_RANDOM_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/real.h"

static uint64_t seed = 1;

/** SplitMix64. */
static inline uint64_t random_bits(void) {
  uint64_t x = seed += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/** A number from low to high, rounded to the precision of the rule. */
static inline real uniform(double low, double high) {
  return (real)(low + (high - low) * (double)(random_bits() >> 11) / 0x1p53);
}

/** So many numbers below x > 0. */
static inline real just_below(real x, int steps) {
  for (; steps > 0; steps--) x = (real)(sizeof(real) == 4 ? nextafterf((float)x, 0) : nextafter((double)x, 0));
  return x;
}

/** True with probability 1 / one_in. */
static inline bool chance(unsigned one_in) { return random_bits() % one_in == 0; }

#endif
