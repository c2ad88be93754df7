// SPDX-License-Identifier: Apache-2.0
// The Moore neighbourhood: 0 is the cell itself; 1 N, 2 W, 3 E, 4 S, 5 NW, 6 SW, 7 SE, 8 NE. Row 0 is the northern row.
#ifndef SCIARA_MODEL_MOORE_H
#define SCIARA_MODEL_MOORE_H

#include <stdint.h>

#include "base/portable.h"

enum { SCIARA_MOORE = 9 }; ///< cells of the neighbourhood, the cell itself included

/** Row offset of neighbour i (south is +1). */
SCIARA_HD int sciara_moore_row(int i) {
  const signed char row[SCIARA_MOORE] = {0, -1, 0, 0, 1, -1, 1, 1, -1};
  return row[i];
}

/** Column offset of neighbour i (east is +1). */
SCIARA_HD int sciara_moore_col(int i) {
  const signed char col[SCIARA_MOORE] = {0, 0, -1, 1, 0, -1, -1, 1, 1};
  return col[i];
}

/** Index offset of neighbour i in a row-major array of `stride` cells a row. */
SCIARA_HD int64_t sciara_moore_offset(int i, int64_t stride) {
  return sciara_moore_row(i) * stride + sciara_moore_col(i);
}

/** The neighbour that has this cell as its neighbour i: 4,3,2,1,7,8,5,6 for 1..8. */
SCIARA_HD int sciara_moore_reverse(int i) {
  const signed char reverse[SCIARA_MOORE] = {0, 4, 3, 2, 1, 7, 8, 5, 6};
  return reverse[i];
}

#endif
