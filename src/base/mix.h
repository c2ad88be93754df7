// SPDX-License-Identifier: Apache-2.0
// A bijection of 64-bit words in which every bit of the result depends on every bit of the argument: what checksums are made of.
#ifndef SCIARA_BASE_MIX_H
#define SCIARA_BASE_MIX_H

#include <stdint.h>

/** The finaliser of SplitMix64. */
static inline uint64_t sciara_mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

#endif
