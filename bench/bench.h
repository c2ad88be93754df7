// SPDX-License-Identifier: Apache-2.0
// The time of the steps of engines, reported only for engines whose result was verified.
#ifndef SCIARA_BENCH_BENCH_H
#define SCIARA_BENCH_BENCH_H

#include "bench/bench_records.h"
#include "engine/engine.h"
#include "sim/problem.h"

enum { SCIARA_BENCH_LEAST_REPEATS = 5, SCIARA_BENCH_MOST_REPEATS = 99 };

/** An engine to measure. */
struct sciara_bench_candidate {
  const struct sciara_engine_ops *ops;
  struct sciara_engine_options options;
  int threads;           ///< of an engine that uses threads; 0: chosen by sciara_engine_threads
  char options_text[96]; ///< for people: "threads=2"; "": none
};

enum sciara_bench_result {
  SCIARA_BENCH_LEFT_OUT, ///< not run
  SCIARA_BENCH_FAILED,   ///< the result differs from serial, or there is none: no times
  SCIARA_BENCH_VERIFIED, ///< there are times
};

/** Statistics over the repetitions. */
struct sciara_spread {
  double median, least, most;
};

/** The result of one engine. If it was not verified, all times are 0. */
struct sciara_bench_row {
  struct sciara_bench_candidate candidate;
  enum sciara_bench_result result;
  char *why;               ///< why it is not verified; owned, may be NULL
  uint64_t warm_up, steps; ///< before the first repetition, and in each one; as in the case, or fewer
  bool compared;           ///< there is a checksum
  uint64_t checksum;       ///< of the state after the last repetition
  uint64_t warm_up_cell_steps;
  double seconds[SCIARA_BENCH_MOST_REPEATS]; ///< of each repetition, spent in `advance`
  uint64_t cell_steps[SCIARA_BENCH_MOST_REPEATS];
  struct sciara_spread us_per_step, ns_per_cell_step;
  double cell_steps_per_s; ///< median
  double speedup;    ///< time of a cell-step of serial divided by that of this engine: median over the repetitions
  double loop_per_s; ///< sciara_register_loop on as many threads; 0: not measured
  double scaling,
      loop_scaling; ///< relative to the fewest threads of the same engine, for cell-steps and for the loop; 0: not measured
  bool memory_known;
  size_t host, device; ///< bytes, as estimated by the engine for the grid
  size_t peak;         ///< highest resident memory of the process meanwhile, bytes; 0: unknown
};

/**
 * One problem, all engines. They start from problem->state; a warm-up is not timed; then `repeats` repetitions of
 * `steps` steps follow, each of them timed. The state after the last repetition is verified, which covers every timed
 * step: an exact engine must have the checksum of serial and its cell-steps in each repetition, one of the class
 * tolerance must pass sciara_engine_result_compare with serial of the same precision. The results of serial are in the
 * records, or serial executes all steps itself. With records each engine, also serial, may execute fewer steps per
 * repetition, so that all repetitions take `seconds`, but never fewer than `every`. The state of an exact engine with
 * the recorded checksum is then the state of serial: an engine of the class tolerance executes as many steps as the
 * longest of these, and is compared with its state. The engine that `auto` chooses comes first, those of the class
 * tolerance last.
 */
struct sciara_bench_case {
  // In.
  const char *name;
  const struct sciara_problem *problem;
  enum sciara_precision precision;
  uint64_t warm_up, steps;
  uint64_t every; ///< both are multiples of it; the records contain all steps that are
  int repeats;
  double seconds;                             ///< limit for all repetitions of an engine, with records; 0: no limit
  const struct sciara_bench_records *records; ///< may be NULL
  double (*clock)(void);                      ///< clock for the repetitions, s; NULL: sciara_wallclock
  double
      until; ///< by sciara_wallclock: an engine that would end later, estimated from the slowest so far, is left out; 0: no limit
  void (*done)(void *context, const struct sciara_bench_case *c, const struct sciara_bench_row *row); ///< may be NULL
  void *context;
  // Out. Release with sciara_bench_case_free.
  int64_t rows, cols, liquid_cells; ///< at the start
  uint64_t first_step;              ///< steps before the warm-up
  uint64_t problem_hash;            ///< sciara_bench_fingerprint
  bool recorded;                    ///< the results of serial were in the records
  struct sciara_bench_row *row;     ///< the first is serial
  size_t count;
};

/**
 * Measures serial and the candidates (serial among them is skipped). A candidate that fails is a row, not an error; if
 * serial differs from the records no candidate is measured. SCIARA_ERR_INPUT if nothing is liquid any more before the
 * last repetition ends, SCIARA_ERR_USAGE for an invalid number of repetitions.
 */
enum sciara_status sciara_bench_measure(struct sciara_bench_case *c, const struct sciara_bench_candidate *candidate,
                                        size_t count);
void sciara_bench_case_free(struct sciara_bench_case *c);

/** Medians and spread of the repetitions of a row, relative to those of serial. */
void sciara_bench_summarise(const struct sciara_bench_row *serial, int repeats, struct sciara_bench_row *row);

/** Records the state of serial after every `every` steps of a case, until all are done; updates problem->state. */
enum sciara_status sciara_bench_record(struct sciara_bench_case *c, struct sciara_bench_records *into);

/**
 * SCIARA_ERR_MEMORY if measuring, or recording with one state, needs more than `available` bytes of host memory (0:
 * unknown), including the initial state.
 */
enum sciara_status sciara_bench_fits(const struct sciara_grid *grid, int states, int64_t liquid_cells,
                                     const struct sciara_bench_candidate *candidate, size_t count, size_t available);

enum { SCIARA_BENCH_STATES = 3 }; ///< of a measurement: at the start, of serial at the end, of the engine at the end

/** Advances the state of a problem to a step, with serial. */
enum sciara_status sciara_bench_advance(const struct sciara_problem *p, enum sciara_precision precision, uint64_t step);

// ---------------------------------------------------- what several ranks cost a step, measured alone (docs/scaling.md)

struct sciara_comm;

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
