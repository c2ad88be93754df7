// SPDX-License-Identifier: Apache-2.0
// One engine on its way through a warm-up and stretches that are timed.
#ifndef SCIARA_VERIFY_BENCH_RACE_H
#define SCIARA_VERIFY_BENCH_RACE_H

#include "verify/bench.h"

/** How far an engine goes. */
struct sciara_race {
  uint64_t warm_up, steps; ///< of a stretch
  uint64_t every;          ///< both may be shortened to multiples of this, 0: neither
  double seconds;          ///< for all stretches together; 0: no limit
};

/**
 * The warm-up and the stretches from problem->state on; the state after them goes to `to`. What was done, and how long
 * each stretch took, goes to the row.
 */
enum sciara_status sciara_bench_race(const struct sciara_bench_case *c, const struct sciara_race *race,
                                     struct sciara_bench_row *row, struct sciara_state *to);

/** Medians and spread of the stretches of a row, beside those of serial. */
void sciara_bench_summarise(const struct sciara_bench_row *serial, int repeats, struct sciara_bench_row *row);

#endif
