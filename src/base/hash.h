// SPDX-License-Identifier: Apache-2.0
// Hashes that distinguish contents. They are not cryptographic: they give no protection against deliberate changes.
#ifndef SCIARA_BASE_HASH_H
#define SCIARA_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define SCIARA_HASH_BEGIN UINT64_C(0xcbf29ce484222325)

/** FNV-1a, 64 bits: continues from `hash`, initially SCIARA_HASH_BEGIN. A change of one byte changes the result. */
static inline uint64_t sciara_hash_bytes(uint64_t hash, const void *bytes, size_t count) {
  for (const unsigned char *b = (const unsigned char *)bytes; count > 0; count--)
    hash = (hash ^ *b++) * UINT64_C(0x100000001b3);
  return hash;
}

/** The finaliser of splitmix64: every bit of the input affects every bit of the output, and it is one-to-one. */
static inline uint64_t sciara_hash_mix(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/**
 * A term of a sum over (field, cell, bits). The sum depends on positions and bits, but not on the order of the terms.
 */
static inline uint64_t sciara_hash_word(uint64_t field, uint64_t cell, uint64_t bits) {
  return sciara_hash_mix(bits + sciara_hash_mix(cell + sciara_hash_mix(field + 0x9e3779b97f4a7c15u)));
}

#endif
