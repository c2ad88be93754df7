// SPDX-License-Identifier: Apache-2.0
// One engine: a warm-up and timed repetitions.
// Included by this room alone.
#ifndef SCIARA_BENCH_BENCH_RACE_H
#define SCIARA_BENCH_BENCH_RACE_H

#include "bench/bench.h"

/** The steps of an engine. */
struct sciara_race {
  uint64_t warm_up, steps; ///< of the warm-up and of a repetition
  uint64_t every;          ///< both may be shortened to multiples of this, 0: neither
  double seconds;          ///< for all repetitions together; 0: no limit
};

/**
 * Executes the warm-up and the repetitions from problem->state; the state after them goes to `to`. The steps, and the
 * time of each repetition, go to the row.
 */
enum sciara_status sciara_bench_race(const struct sciara_bench_case *c, const struct sciara_race *race,
                                     struct sciara_bench_row *row, struct sciara_state *to);

struct sciara_spread sciara_spread_of(const double *value, int count);

/** Medians and spread of the repetitions of a row, relative to those of serial. */
void sciara_bench_summarise(const struct sciara_bench_row *serial, int repeats, struct sciara_bench_row *row);

#endif
