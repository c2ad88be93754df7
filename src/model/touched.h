// SPDX-License-Identifier: Apache-2.0
// Where lava has been. It never reaches most of a map, and work on a whole state can skip that part.
#ifndef SCIARA_MODEL_TOUCHED_H
#define SCIARA_MODEL_TOUCHED_H

#include "model/state.h"

SCIARA_BEGIN_DECLS

/** Columns begin .. end - 1; none if both are equal. */
struct sciara_span {
  int64_t begin, end;
};

/** For every row a part. Outside this part all fields are bit-identical to bare ground. */
struct sciara_touched {
  struct sciara_span *rows; ///< one per row; owned
  int64_t liquid_cells;     ///< cells with h > 0
};

/** Finds these parts in one pass over the state. After a failure there is nothing to release. */
enum sciara_status sciara_touched_find(const struct sciara_state *s, struct sciara_touched *out);

/** The same in portions: first rows without touched cells, then some rows at a time, in any thread. */
enum sciara_status sciara_touched_make(const struct sciara_grid *grid, struct sciara_touched *out);
void sciara_touched_add(struct sciara_touched *touched, const struct sciara_state *s, int64_t first_row,
                        int64_t end_row);

void sciara_touched_release(struct sciara_touched *touched);

SCIARA_END_DECLS
#endif
