// SPDX-License-Identifier: Apache-2.0
// What all bands must agree on in a step, in 8 bytes: the smallest time and four flags; there is no room
// for a fifth. Merged in any order it is the same.
#ifndef SCIARA_COMM_VOTE_H
#define SCIARA_COMM_VOTE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/portable.h"

/** Flags of a vote. One that any band sets is set in the merged vote. */
enum sciara_vote_flag {
  SCIARA_VOTE_LIQUID = 1, ///< the band has liquid lava
  SCIARA_VOTE_ERROR = 2,  ///< its step has failed: all leave the step
  SCIARA_VOTE_STOP = 4,   ///< all return at the end of this step
  SCIARA_VOTE_THICK = 8,  ///< a cell is thicker than allowed
  SCIARA_VOTE_FLAGS = 15
};

// A time has the exponents of a float and all bits of a double: the upper 60 bits of the vote. The flags are the lower 4.
enum { SCIARA_VOTE_FLAG_BITS = 4, SCIARA_VOTE_MANTISSA = 52, SCIARA_VOTE_BIAS = 1023 - 127 };

/** Whether a vote can hold this time: 2^-126 s (1e-38) or more, less than 2^128 s. NaN: no. */
SCIARA_HD bool sciara_vote_holds(double t_opt) { return t_opt >= 0x1p-126 && t_opt < 0x1p128; }

/** The vote of a band with a time that it can hold, s, and bits of enum sciara_vote_flag. */
SCIARA_HD uint64_t sciara_vote_make(double t_opt, unsigned flags) {
  uint64_t bits;
  memcpy(&bits, &t_opt, sizeof bits);
  return (bits - ((uint64_t)SCIARA_VOTE_BIAS << SCIARA_VOTE_MANTISSA)) << SCIARA_VOTE_FLAG_BITS | flags;
}

/** The time of a vote, s, with every bit. */
SCIARA_HD double sciara_vote_time(uint64_t vote) {
  const uint64_t bits = (vote >> SCIARA_VOTE_FLAG_BITS) + ((uint64_t)SCIARA_VOTE_BIAS << SCIARA_VOTE_MANTISSA);
  double t_opt;
  memcpy(&t_opt, &bits, sizeof t_opt);
  return t_opt;
}

/** The vote of two bands: the smaller time, and the flags of both. */
SCIARA_HD uint64_t sciara_vote_merge(uint64_t a, uint64_t b) {
  const uint64_t flags = (a | b) & SCIARA_VOTE_FLAGS, x = a & ~(uint64_t)SCIARA_VOTE_FLAGS,
                 y = b & ~(uint64_t)SCIARA_VOTE_FLAGS;
  return (x < y ? x : y) | flags;
}

#endif
