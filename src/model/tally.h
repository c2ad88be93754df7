// SPDX-License-Identifier: Apache-2.0
// What the cells of a step have in common: its clock, and how often lava came to an end.
#ifndef SCIARA_MODEL_TALLY_H
#define SCIARA_MODEL_TALLY_H

#include "base/portable.h"
#include "model/cell.h"

/** The clock of a step in which `t_opt` is the smallest time of all cells, s: r t_opt. */
SCIARA_HD real sciara_clock(const struct sciara_rule *rule, real t_opt) { return rule->relaxation * t_opt; }

/** How many times the lava of a cell came to an end, by the way in which it did. */
struct sciara_tally {
  uint64_t rock; ///< solidified
  uint64_t lost; ///< left through the rim
  uint64_t sea;  ///< entered the sea
};

/** Counts the outcome of a step for a cell. */
SCIARA_HD void sciara_tally_count(struct sciara_tally *tally, enum sciara_outcome outcome) {
  tally->rock += outcome == SCIARA_OUTCOME_ROCK;
  tally->lost += outcome == SCIARA_OUTCOME_LOST;
  tally->sea += outcome == SCIARA_OUTCOME_SEA;
}

#endif
