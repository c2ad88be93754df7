// SPDX-License-Identifier: Apache-2.0
// Engines compared with `serial`: are they bit-identical, or, where they cannot be, how close do they stay?
#ifndef SCIARA_VERIFY_VALIDATE_H
#define SCIARA_VERIFY_VALIDATE_H

#include "engine/engine.h"
#include "run/problem.h"
#include "verify/trace.h"

enum { SCIARA_DIFFERENCE_LIMITS = 3 }; ///< within 10 %, 1 % and 1e-9

extern const double sciara_state_difference_limits[SCIARA_DIFFERENCE_LIMITS];

/** How two states of one grid differ. */
struct sciara_state_difference {
  size_t differing;    ///< cells in which any field has other bits
  const char *field;   ///< the first that differs, in the first such cell in row-major order; NULL: none
  int64_t row, col;    ///< of that cell; -1 when only a total differs
  double max_absolute; ///< of the deposit, m
  double max_relative; ///< |a - b| / max(|a|, |b|) of it
  size_t covered;      ///< cells where either has a deposit
  double covered_within[SCIARA_DIFFERENCE_LIMITS],
      all_within[SCIARA_DIFFERENCE_LIMITS]; ///< fractions of covered and of all valid cells
  double jaccard;   ///< cells with a deposit in both over those in either; 1 when there are none
  double misplaced; ///< fraction of the lava that lies elsewhere: sum |a - b| / sum (a + b) of the deposits; 0: no lava
  bool not_a_number; ///< in the second state
};

/** What rounding may do to the volume of lava in a run of the problem in that precision. */
struct sciara_rounding sciara_rounding_in(const struct sciara_problem *p, enum sciara_precision precision);

struct sciara_state_difference sciara_compare_states(const struct sciara_state *a, const struct sciara_state *b);

/** How far a tolerance engine may be from its reference. */
struct sciara_tolerance {
  double footprint; ///< 1 - Jaccard index, at most
  double misplaced; ///< at most
};

/** What is allowed in any case: 0.001 in double and 0.05 in single precision. */
struct sciara_tolerance sciara_tolerance_least(enum sciara_precision precision);

/** The result of one engine. */
struct sciara_engine_result {
  const char *engine;
  enum sciara_determinism determinism;
  bool passed;
  bool skipped;                         ///< not available here: `why`
  char *why;                            ///< why it did not pass or was skipped; owned, may be NULL
  uint64_t step;                        ///< reached
  uint64_t first_differing;             ///< the first comparison in which bits differ, as a step; 0: none
  struct sciara_state_difference first; ///< in that comparison
  struct sciara_state_difference last;  ///< in the last comparison
  double time, clock;                   ///< s
  double reference_time, reference_clock;
  struct sciara_ledger ledger;
  double ledger_relative; ///< |residual| over what was emitted and there at the start
  double compute_s;       ///< seconds in the engine
};

/**
 * Compares the state of an engine with that of `serial`. `r` (with engine, determinism and passed = true set) fails when a
 * value is NaN, the mass balance is not closed, an exact engine differs in a bit, or a tolerance engine by more than allowed.
 */
void sciara_engine_result_compare(struct sciara_engine_result *r, const struct sciara_problem *p,
                                  const struct sciara_state *reference, const struct sciara_state *found,
                                  enum sciara_precision precision, struct sciara_tolerance allowed);

struct sciara_validation {
  // In.
  const struct sciara_problem *problem;
  enum sciara_precision precision;
  uint64_t steps, every;              ///< steps in all, and between two comparisons
  const struct sciara_trace *against; ///< instead of a reference run; may be NULL
  // Out. Release with sciara_validation_free.
  struct sciara_engine_result *result;
  size_t count;
  struct sciara_tolerance spread; ///< largest difference of an order of additions from serial, where it was found
  struct sciara_trace trace;      ///< of serial in that precision; empty with `against`
  double reference_s;             ///< seconds in serial of that precision
};

/** An engine to validate. */
struct sciara_candidate {
  const char *name;
  const struct sciara_engine_ops *ops; ///< NULL: not available
  struct sciara_engine_options options;
  const char *why_not;
};

/**
 * Runs the candidates and compares them with `serial` of the same precision. An exact engine passes if it is bit-identical in
 * every comparison.
 *
 * A tolerance engine is compared at the same simulated time, not after as many steps: when the last bits of two clocks
 * differ, so do soon the steps. What it may differ by is what the model itself makes of another order of additions:
 * engine scatter runs in its four orders, and twice the largest difference so far of one of them from `serial` is allowed,
 * or sciara_tolerance_least if that is more. The relative residual of its mass balance may be 1e-12 in double and 1e-5 in
 * single precision, or the rounding of the altitudes. Compared with a trace it is judged by its mass balance alone.
 *
 * All of them are in memory at the same time; where that is not free (the problem's forecast), SCIARA_ERR_MEMORY before any
 * engine is started. A candidate that fails is a result, not an error.
 */
enum sciara_status sciara_validate(struct sciara_validation *v, const struct sciara_candidate *candidate, size_t count);

/** What tolerance engines may differ by in the last comparison. */
struct sciara_tolerance sciara_validation_allowed(const struct sciara_validation *v);
void sciara_validation_free(struct sciara_validation *v);

#endif
