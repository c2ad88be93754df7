// SPDX-License-Identifier: Apache-2.0
// The Moore neighbourhood: 0 is the cell itself; 1 N, 2 W, 3 E, 4 S, 5 NW, 6 SW, 7 SE, 8 NE. Row 0 is the northern row.
#ifndef SCIARA_GEOMETRY_MOORE_H
#define SCIARA_GEOMETRY_MOORE_H

#include <stdint.h>

#include "base/portable.h"

enum { SCIARA_MOORE = 9 }; ///< cells of the neighbourhood, the cell itself included

// The tables are packed into numbers, so that a GPU thread need not read memory: bits 2 i and 2 i + 1 hold entry i plus
// 1 of a table of offsets.

/** Row offset of neighbour i (south is +1): 0, -1, 0, 0, 1, -1, 1, 1, -1. */
SCIARA_HD int sciara_moore_row(int i) { return (int)(0xa251u >> (2 * i) & 3u) - 1; }

/** Column offset of neighbour i (east is +1): 0, 0, -1, 1, 0, -1, -1, 1, 1. */
SCIARA_HD int sciara_moore_col(int i) { return (int)(0x28185u >> (2 * i) & 3u) - 1; }

/** Index offset of neighbour i in a row-major array of `stride` cells a row. */
SCIARA_HD int64_t sciara_moore_offset(int i, int64_t stride) {
  return sciara_moore_row(i) * stride + sciara_moore_col(i);
}

/** The neighbour that has this cell as its neighbour i: 4,3,2,1,7,8,5,6 for 1..8. */
SCIARA_HD int sciara_moore_reverse(int i) { return (int)(UINT64_C(0x658712340) >> (4 * i) & 15u); }

#endif
