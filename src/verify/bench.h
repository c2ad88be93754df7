// SPDX-License-Identifier: Apache-2.0
// How long the steps of engines take, told only of engines whose result is right.
#ifndef SCIARA_VERIFY_BENCH_H
#define SCIARA_VERIFY_BENCH_H

#include "engine/engine.h"
#include "run/problem.h"
#include "verify/bench_records.h"

enum { SCIARA_BENCH_LEAST_REPEATS = 5, SCIARA_BENCH_MOST_REPEATS = 99 };

/** An engine to measure. */
struct sciara_bench_candidate {
  const struct sciara_engine_ops *ops;
  struct sciara_engine_options options;
  int threads;           ///< of an engine that has threads; 0: as of sciara_engine_threads
  char options_text[96]; ///< for people: "threads=2"; "": none
};

enum sciara_bench_result {
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
  struct sciara_bench_candidate candidate;
  enum sciara_bench_result result;
  char *why;               ///< why it is not verified; owned, may be NULL
  uint64_t warm_up, steps; ///< done before the first stretch, and in each; the case's, or fewer
  bool compared;           ///< there is a checksum
  uint64_t checksum;       ///< of the state after the last stretch
  uint64_t warm_up_cell_steps;
  double seconds[SCIARA_BENCH_MOST_REPEATS]; ///< of each stretch, spent in `advance`
  uint64_t cell_steps[SCIARA_BENCH_MOST_REPEATS];
  struct sciara_spread us_per_step, ns_per_cell_step;
  double cell_steps_per_s; ///< median
  double speedup;          ///< serial's time of a cell-step over that of this engine, stretch by stretch: the median
  double loop_per_s;       ///< sciara_register_loop on as many threads; 0: not measured
  double scaling, loop_scaling; ///< over the fewest threads of the same engine, cell-steps and loop; 0: not measured
  bool memory_told;
  size_t host, device; ///< bytes, as the engine predicts for the grid
  size_t peak;         ///< highest resident memory of the process meanwhile, bytes; 0: not known
};

/**
 * One problem, all engines. They start from problem->state; a warm-up is not timed; then come `repeats` stretches of
 * `steps` steps, one after the other, each timed. The state after the last stretch is verified, so that every timed step
 * counts: an exact engine must have the checksum of serial and its cell-steps in each stretch, one of the class tolerance
 * must pass sciara_engine_result_compare beside serial of the same precision.
 *
 * What serial comes to is in the records, or serial does all the steps itself. With records each engine, serial too, may
 * do fewer steps in a stretch, so that all stretches take `seconds`, but never fewer than `every`. The state of an exact
 * engine that has the recorded checksum is then the state of serial: one of the class tolerance does as many steps as the
 * longest of these, and is held against its state. The engine that `auto` picks comes first, those of that class last.
 */
struct sciara_bench_case {
  // In.
  const char *name;
  const struct sciara_problem *problem;
  enum sciara_precision precision;
  uint64_t warm_up, steps;
  uint64_t every; ///< both are multiples of it; records hold all steps that are
  int repeats;
  double seconds;                             ///< that the stretches of an engine may take, with records; 0: no limit
  const struct sciara_bench_records *records; ///< may be NULL
  double (*clock)(void);                      ///< what stretches are timed with, s; NULL: sciara_wallclock
  double
      until; ///< by sciara_wallclock: an engine that would end later, judged by the slowest so far, is left out; 0: no
  void (*done)(void *context, const struct sciara_bench_case *c, const struct sciara_bench_row *row); ///< may be NULL
  void *context;
  // Out. Release with sciara_bench_case_free.
  int64_t rows, cols, liquid_cells; ///< at the start
  uint64_t first_step;              ///< steps done before the warm-up
  uint64_t problem_hash;            ///< sciara_bench_fingerprint
  bool recorded;                    ///< what serial comes to was in the records
  struct sciara_bench_row *row;     ///< the first is serial
  size_t count;
};

/**
 * Measures serial and the candidates (of which serial itself is passed over). A candidate that fails is a row, not an
 * error; if serial disagrees with the records no candidate is measured. SCIARA_ERR_INPUT when nothing is liquid any more
 * before the last stretch ends, SCIARA_ERR_USAGE for a number of repeats that is not allowed.
 */
enum sciara_status sciara_bench_measure(struct sciara_bench_case *c, const struct sciara_bench_candidate *candidate,
                                        size_t count);
void sciara_bench_case_free(struct sciara_bench_case *c);

/** Records serial's state after every `every` steps of a case, until all are done; problem->state goes along. */
enum sciara_status sciara_bench_record(struct sciara_bench_case *c, struct sciara_bench_records *into);

/**
 * SCIARA_ERR_MEMORY when measuring, or recording with one state, takes more than `available` bytes of the host (0: not known), the state at the start
 * included.
 */
enum sciara_status sciara_bench_fits(const struct sciara_grid *grid, int states, int64_t liquid_cells,
                                     const struct sciara_bench_candidate *candidate, size_t count, size_t available);

enum { SCIARA_BENCH_STATES = 3 }; ///< of a measurement: at the start, of serial at the end, of the engine at the end

/** Moves the state of a problem on to a step, with serial. */
enum sciara_status sciara_bench_advance(const struct sciara_problem *p, enum sciara_precision precision, uint64_t step);

#endif
