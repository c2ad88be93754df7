// SPDX-License-Identifier: Apache-2.0
// What several ranks cost a step, measured alone (docs/scaling.md).
#ifndef SCIARA_BENCH_BENCH_COMM_H
#define SCIARA_BENCH_BENCH_COMM_H

#include "bench/bench.h"
#include "comm/comm.h"

/** A row: a command, a vote, or messages to and from both neighbours. */
struct sciara_bench_comm {
  const char *what;        ///< "command", "vote", "halo"
  size_t bytes;            ///< of each message; 8 of a vote, 0 of a command
  struct sciara_spread us; ///< of one, over the repetitions
};

enum { SCIARA_BENCH_COMM_ROWS = 10 };

/** Measures all rows; verifies what arrives. SCIARA_ERR_USAGE for a single rank. */
enum sciara_status sciara_bench_comm(struct sciara_comm *c, struct sciara_bench_comm row[SCIARA_BENCH_COMM_ROWS]);

#endif
