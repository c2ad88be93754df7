// SPDX-License-Identifier: Apache-2.0
// Where lava has been: most of a map it never reaches, and what goes over a whole state need not go there.
#ifndef SCIARA_MODEL_TOUCHED_H
#define SCIARA_MODEL_TOUCHED_H

#include "model/state.h"

SCIARA_BEGIN_DECLS

/** Columns begin .. end - 1; none when they are equal. */
struct sciara_span {
  int64_t begin, end;
};

/** Of every row the part outside of which every bit of every field is that of the bare ground. */
struct sciara_touched {
  struct sciara_span *rows; ///< one a row; owned
  int64_t liquid_cells;     ///< cells with h > 0
};

/** Finds it in one pass over the state. After a failure there is nothing to release. */
enum sciara_status sciara_touched_find(const struct sciara_state *s, struct sciara_touched *out);

/** The same in parts: first rows in which nothing is touched, then some rows at a time, by whatever threads. */
enum sciara_status sciara_touched_make(const struct sciara_grid *grid, struct sciara_touched *out);
void sciara_touched_add(struct sciara_touched *touched, const struct sciara_state *s, int64_t first_row,
                        int64_t end_row);

void sciara_touched_release(struct sciara_touched *touched);

SCIARA_END_DECLS
#endif
