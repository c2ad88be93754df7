// SPDX-License-Identifier: Apache-2.0
// Which rows of a map belong to which rank, and rows that change hands.
#ifndef SCIARA_ENGINE_BAND_ROWS_H
#define SCIARA_ENGINE_BAND_ROWS_H

#include "comm/comm.h"
#include "model/state.h"

SCIARA_BEGIN_DECLS

/** The most bands of a map. */
enum { SCIARA_MOST_BANDS = 1024 };

/** A division of a map: rank k has the rows first[k] .. first[k + 1] - 1; the ranks from `count` on have none. */
struct sciara_cuts {
  int count;
  int64_t first[SCIARA_MOST_BANDS + 1];
};

/** Rows begin .. end - 1. */
struct sciara_row_range {
  int64_t begin, end;
};

/**
 * Divides a map among `ranks`, or fewer if it has few rows, so that bands have about the same weight.
 *
 * @param weight    of each row, at least 0; the sum fits an int64_t
 * @param tile_rows bands begin at multiples of so many rows, if that leaves each of them as many
 */
struct sciara_cuts sciara_cuts_make(int64_t rows, const int64_t *weight, int ranks, int64_t tile_rows);

/** The rows of a rank, with `halo` rows of its neighbours on each side where there is one; empty if it has none. */
struct sciara_row_range sciara_cuts_rows(const struct sciara_cuts *cuts, int rank, int64_t halo);

/** The rows of a division that are on this rank. */
struct sciara_rows {
  struct sciara_cuts cuts;
  int64_t halo;               ///< rows of neighbours that each state also has
  struct sciara_state *state; ///< of this rank, whose first row is that of sciara_cuts_rows; NULL: it has no rows
  double *z0;                 ///< of the site of that state, where the ground is received too
  uint8_t *kind;              ///< kinds of the cells of that site
};

/**
 * Copies the fields of all cells from one division of a map to another; each rank sends its own rows to those that need
 * them. Called by all. Of the fields recorded on request those travel that `record` names.
 *
 * @param ground z0 and kinds travel too
 */
enum sciara_status sciara_rows_move(struct sciara_comm *c, const struct sciara_rows *from, const struct sciara_rows *to,
                                    unsigned record, bool ground);

SCIARA_END_DECLS
#endif
