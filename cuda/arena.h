// SPDX-License-Identifier: Apache-2.0
#ifndef SCIARA_CUDA_ARENA_H
#define SCIARA_CUDA_ARENA_H

#include <cstddef>
#include <cstdint>

enum { SCIARA_GUARD = 256, SCIARA_MOST_PIECES = 64 }; ///< bytes between two pieces; largest number of pieces

/**
 * Allocates pieces of one block of device memory; without a block it only adds up the sizes. After each piece lies a
 * guard band, which must never be written.
 */
struct sciara_arena {
  char *base;
  size_t used;
  size_t guard[SCIARA_MOST_PIECES]; ///< where the guard bands begin
  int pieces;

  template <class T> T *take(int64_t count) {
    char *piece = base + used;
    used += ((size_t)count * sizeof(T) + SCIARA_GUARD - 1) / SCIARA_GUARD * SCIARA_GUARD;
    if (pieces < SCIARA_MOST_PIECES) guard[pieces++] = used;
    used += SCIARA_GUARD;
    return base ? reinterpret_cast<T *>(piece) : nullptr;
  }
};

#endif
