// SPDX-License-Identifier: Apache-2.0
// How long the steps of engines take, told only of engines whose result is right.
#ifndef SCIARA_SIM_BENCH_H
#define SCIARA_SIM_BENCH_H

#include "engine/engine.h"
#include "sim/problem.h"

enum { SCIARA_BENCH_LEAST_REPEATS = 5, SCIARA_BENCH_MOST_REPEATS = 99 };

/** An engine to measure. */
struct sciara_contender {
  const struct sciara_engine_ops *ops;
  struct sciara_engine_options options;
  int threads;           ///< of an engine that has threads; 0: all cores
  char options_text[96]; ///< for people: "threads=2"; "": none
};

enum sciara_bench_verdict {
  SCIARA_BENCH_LEFT_OUT, ///< not run
  SCIARA_BENCH_FAILED,   ///< another result than serial, or none: there are no times
  SCIARA_BENCH_VERIFIED, ///< there are times
};

/** Of the stretches. */
struct sciara_spread {
  double median, least, most;
};

/** What became of one engine. Where it was not verified all numbers of time are 0. */
struct sciara_bench_row {
  struct sciara_contender contender;
  enum sciara_bench_verdict verdict;
  char *why;                                 ///< why it is not verified; owned, may be NULL
  bool compared;                             ///< there is a checksum
  uint64_t checksum;                         ///< of the state after the last stretch
  double seconds[SCIARA_BENCH_MOST_REPEATS]; ///< of each stretch, spent in `advance`
  uint64_t cell_steps[SCIARA_BENCH_MOST_REPEATS];
  struct sciara_spread us_per_step, ns_per_cell_step;
  double cell_steps_per_s; ///< median
  double speedup;          ///< time of serial over that of this engine, stretch by stretch: the median
  bool memory_told;
  size_t host, device; ///< bytes, as the engine foretells for the grid
  size_t peak;         ///< highest resident memory of the process meanwhile, bytes; 0: not known
};

/**
 * One problem, all engines. They start from problem->state; a warm-up is not timed; then come `repeats` stretches of
 * `steps` steps, one after the other, each timed. The state after the last stretch is verified, so that every timed step
 * counts: an exact engine must have the checksum of serial and its cell-steps in each stretch, one of the class tolerance
 * must pass sciara_verdict_look beside serial of the same precision.
 */
struct sciara_bench_case {
  // In.
  const char *name;
  const struct sciara_problem *problem;
  enum sciara_precision precision;
  uint64_t warm_up, steps;
  int repeats;
  double
      until; ///< by sciara_wallclock: an engine that would end later, judged by the slowest so far, is left out; 0: no
  void (*done)(void *context, const struct sciara_bench_case *c, const struct sciara_bench_row *row); ///< may be NULL
  void *context;
  // Out. Release with sciara_bench_case_free.
  int64_t rows, cols, liquid_cells; ///< at the start
  uint64_t first_step;              ///< steps done before the warm-up
  uint64_t checksum;                ///< of serial
  struct sciara_bench_row *row;     ///< the first is serial
  size_t count;
};

/**
 * Measures serial and the contenders (of which serial itself is passed over). A contender that fails is a row, not an
 * error. SCIARA_ERR_INPUT when nothing is liquid any more before the last stretch ends, SCIARA_ERR_USAGE for a number of
 * repeats that is not allowed.
 */
enum sciara_status sciara_bench_measure(struct sciara_bench_case *c, const struct sciara_contender *contender,
                                        size_t count);
void sciara_bench_case_free(struct sciara_bench_case *c);

/**
 * SCIARA_ERR_MEMORY when measuring takes more than `available` bytes of the host (0: not known), the state at the start
 * included.
 */
enum sciara_status sciara_bench_fits(const struct sciara_grid *grid, int64_t liquid_cells,
                                     const struct sciara_contender *contender, size_t count, size_t available);

/** Moves the state of a problem on to a step, with serial. */
enum sciara_status sciara_bench_advance(const struct sciara_problem *p, enum sciara_precision precision, uint64_t step);

#endif
