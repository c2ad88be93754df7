// SPDX-License-Identifier: Apache-2.0
// Comparison of engines with `serial`: whether they are bit-identical, or how close they stay.
#ifndef SCIARA_VERIFY_VALIDATE_H
#define SCIARA_VERIFY_VALIDATE_H

#include "engine/engine.h"
#include "setup/setup.h"
#include "verify/trace_csv.h"

enum { SCIARA_DIFFERENCE_LIMITS = 3 }; ///< within 10 %, 1 % and 1e-9

/** How two states of one grid differ. */
struct sciara_state_difference {
  size_t differing;    ///< cells in which any field differs in a bit
  const char *field;   ///< the first that differs, in the first such cell in row-major order; NULL: none
  int64_t row, col;    ///< of that cell; -1 if only a total differs
  double max_absolute; ///< of the deposit, m
  double max_relative; ///< |a - b| / max(|a|, |b|) of it
  size_t covered;      ///< cells in which either has a deposit
  double covered_within[SCIARA_DIFFERENCE_LIMITS],
      all_within[SCIARA_DIFFERENCE_LIMITS]; ///< fractions of covered and of all valid cells
  double jaccard;    ///< cells with a deposit in both divided by those in either; 1 if there are none
  double misplaced;  ///< fraction of the lava that is elsewhere: sum |a - b| / sum (a + b) of the deposits; 0: no lava
  bool not_a_number; ///< in the second state
};

/** The largest effect of rounding on the volume of lava in a run of the problem in that precision. */
struct sciara_rounding sciara_rounding_in(const struct sciara_problem *p, enum sciara_precision precision);

struct sciara_state_difference sciara_compare_states(const struct sciara_state *a, const struct sciara_state *b);

/** The limits for the difference of a tolerance engine from its reference. */
struct sciara_tolerance {
  double covered;   ///< 1 - Jaccard index of the cells with lava, at most
  double misplaced; ///< at most
};

/** The smallest limits: 0.001 in double and 0.05 in single precision. */
struct sciara_tolerance sciara_tolerance_least(enum sciara_precision precision);

/** The result of one engine. */
struct sciara_engine_result {
  const char *engine;
  enum sciara_determinism determinism;
  bool passed;
  bool skipped;                         ///< not available here; `why` is the reason
  char *why;                            ///< why it did not pass or was skipped; owned, may be NULL
  uint64_t step;                        ///< reached
  uint64_t first_differing;             ///< step of the first comparison in which bits differ; 0: none
  struct sciara_state_difference first; ///< in that comparison
  struct sciara_state_difference last;  ///< in the last comparison
  double time, clock;                   ///< s
  double reference_time, reference_clock;
  struct sciara_ledger ledger;
  double ledger_relative; ///< |residual| divided by the sum of emitted and initial volume
  double compute_s;       ///< seconds in the engine
};

/**
 * Compares the state of an engine with that of `serial`. `r` (with engine, determinism and passed = true set) fails if
 * a value is NaN, the mass balance does not close, an exact engine differs in a bit, or a tolerance engine by more than
 * its limits.
 */
void sciara_engine_result_compare(struct sciara_engine_result *r, const struct sciara_problem *p,
                                  const struct sciara_state *reference, const struct sciara_state *found,
                                  enum sciara_precision precision, struct sciara_tolerance allowed);

struct sciara_validation {
  // In.
  const struct sciara_problem *problem;
  enum sciara_precision precision;
  uint64_t steps, every;              ///< total number of steps, and steps between two comparisons
  const struct sciara_trace *against; ///< instead of a reference run; may be NULL
  // Out. Release with sciara_validation_free.
  struct sciara_engine_result *result;
  size_t count;
  struct sciara_tolerance spread; ///< largest difference of an order of additions from serial
  struct sciara_trace trace;      ///< of serial in that precision; empty with `against`
  double reference_s;             ///< seconds in serial of that precision
};

/** An engine to validate. */
struct sciara_candidate {
  const char *name;
  const struct sciara_engine_ops *ops;   ///< NULL: not available
  const struct sciara_engine_ops *inner; ///< of a banded engine on the ranks of the problem: that of each band
  struct sciara_engine_options options;
  const char *why_not;
};

/**
 * Runs the candidates and compares them with `serial` of the same precision. An exact engine passes if it is
 * bit-identical in every comparison. A tolerance engine is compared at the same simulated time, not after the same
 * number of steps: if the last bits of two clocks differ, the steps soon differ too. Its limits are based on the effect
 * of another order of additions in the model itself: engine scatter runs in its five orders, and the limit is twice the
 * largest difference so far of one of them from `serial`, or sciara_tolerance_least if that is larger. The relative
 * residual of its mass balance may be 1e-12 in double and 1e-5 in single precision, or the rounding of the altitudes.
 * In a comparison with a trace only its mass balance is checked. All of them are in memory at the same time; if there
 * is not enough (the problem's size), SCIARA_ERR_MEMORY before any engine is started. A candidate that fails is a
 * result, not an error.
 */
enum sciara_status sciara_validate(struct sciara_validation *v, const struct sciara_candidate *candidate, size_t count);

/** The limits for tolerance engines in the last comparison. */
struct sciara_tolerance sciara_validation_allowed(const struct sciara_validation *v);
void sciara_validation_free(struct sciara_validation *v);

// -------------- an engine that is run directly, next to others: without the stop rule of a scenario, without snapshots

/** Zero-initialise; release with sciara_runner_end. */
struct sciara_runner {
  const struct sciara_engine_ops *ops; ///< NULL: none
  void *engine;
  struct sciara_engine_progress progress;
  double compute_s; ///< wall time spent in `advance`
};

/**
 * Makes the engine for the vents and parameters of a problem and uploads `state`. `inner`: of a banded engine, which then has the
 * ranks of the problem; else NULL. End it also on failure.
 */
enum sciara_status sciara_runner_start(struct sciara_runner *r, const struct sciara_engine_ops *ops,
                                       const struct sciara_engine_ops *inner, const struct sciara_problem *p,
                                       const struct sciara_engine_options *options, const struct sciara_state *state);
void sciara_runner_end(struct sciara_runner *r);

/**
 * Continues until that number of steps or simulated time (s) is reached, or nothing is liquid and no vent will emit
 * again; then downloads the state.
 */
enum sciara_status sciara_runner_go_to(struct sciara_runner *r, uint64_t step, double time, struct sciara_state *state);

#endif
