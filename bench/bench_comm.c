// SPDX-License-Identifier: Apache-2.0
#include "bench/bench_comm.h"

#include "bench/bench_race.h"
#include "engine/banded.h"

enum { REPEATS = 5, SOME = 5, MOST = 20000 };

static const double duration = 0.02; // s of a repetition

/** The median over REPEATS of the mean of many in a row; `some`: so many to find out how many, 0 for commands. */
static enum sciara_status measure(struct sciara_comm *c, size_t bytes, int some, struct sciara_spread *us) {
  double each[REPEATS], once;
  SCIARA_TRY(sciara_banded_measure(c, bytes, some, &once));
  const double fitting = duration / once;
  const int count = some == 0 ? 0 : fitting > MOST ? MOST : fitting < some ? some : (int)fitting;
  for (int n = 0; n < REPEATS; n++) {
    SCIARA_TRY(sciara_banded_measure(c, bytes, count, &each[n]));
    each[n] *= 1e6;
  }
  *us = sciara_spread_of(each, REPEATS);
  return SCIARA_OK;
}

enum sciara_status sciara_bench_comm(struct sciara_comm *c, struct sciara_bench_comm row[SCIARA_BENCH_COMM_ROWS]) {
  int rows = 0;
  if (c->size == 1)
    return sciara_fail(SCIARA_ERR_USAGE, "--suite comm measures several processes; found one. Expected: mpirun -n 2 "
                                         "sciara bench --suite comm");
  row[rows] = (struct sciara_bench_comm){.what = "command"};
  SCIARA_TRY(measure(c, 0, 0, &row[rows++].us));
  row[rows] = (struct sciara_bench_comm){.what = "vote", .bytes = 8};
  SCIARA_TRY(measure(c, 0, SOME, &row[rows++].us));
  for (size_t bytes = 8 << 10; bytes <= 1 << 20; bytes *= 2) {
    row[rows] = (struct sciara_bench_comm){.what = "halo", .bytes = bytes};
    SCIARA_TRY(measure(c, bytes, SOME, &row[rows++].us));
  }
  return SCIARA_OK;
}
