// SPDX-License-Identifier: Apache-2.0
// Engines beside `serial`: do they give its bits, or, where they cannot, how near do they stay?
#ifndef SCIARA_VERIFY_VALIDATE_H
#define SCIARA_VERIFY_VALIDATE_H

#include "engine/engine.h"
#include "run/problem.h"
#include "verify/trace.h"

enum { SCIARA_SHARES = 3 }; ///< within 10 %, 1 % and 1e-9

extern const double sciara_share_limits[SCIARA_SHARES];

/** How far two states of one grid are from each other. */
struct sciara_nearness {
  size_t differing;    ///< cells in which any field has other bits
  const char *field;   ///< the first that differs, in the first such cell in row-major order; NULL: none
  int64_t row, col;    ///< of that cell; -1 when only a total differs
  double max_absolute; ///< of the deposit, m
  double max_relative; ///< |a - b| / max(|a|, |b|) of it
  size_t covered;      ///< cells where either has a deposit
  double covered_within[SCIARA_SHARES], all_within[SCIARA_SHARES]; ///< shares of covered and of all valid cells
  double jaccard;    ///< cells with a deposit in both over those in either; 1 when there are none
  bool not_a_number; ///< in the second state
};

/** What rounding may do to the volume of lava in a run of the problem in that precision. */
struct sciara_rounding sciara_rounding_in(const struct sciara_problem *p, enum sciara_precision precision);

struct sciara_nearness sciara_compare_states(const struct sciara_state *a, const struct sciara_state *b);

/** What became of one engine. */
struct sciara_verdict {
  const char *engine;
  enum sciara_determinism determinism;
  bool passed;
  bool skipped;                 ///< not available here: `why`
  char *why;                    ///< why it did not pass or was skipped; owned, may be NULL
  uint64_t step;                ///< reached
  uint64_t first_differing;     ///< the first look at which bits differ, as a step; 0: none
  struct sciara_nearness first; ///< at that look
  struct sciara_nearness last;  ///< at the last look, beside double serial for an engine of the class tolerance
  double time, clock;           ///< s
  double reference_time, reference_clock;
  struct sciara_ledger ledger;
  double ledger_relative; ///< |residual| over what was emitted and there at the start
  double compute_s;       ///< seconds in the engine
};

/**
 * Looks at the state of an engine beside that of the reference of its class, and counts it against `v` (with engine,
 * determinism and passed = true set) when it breaks one of the rules of sciara_validate.
 */
void sciara_verdict_look(struct sciara_verdict *v, const struct sciara_problem *p, const struct sciara_state *reference,
                         const struct sciara_state *found, enum sciara_precision precision);

struct sciara_validation {
  // In.
  const struct sciara_problem *problem;
  enum sciara_precision precision;
  uint64_t steps, every;              ///< steps in all, and from one look to the next
  const struct sciara_trace *against; ///< instead of a reference run; may be NULL
  // Out. Release with sciara_validation_free.
  struct sciara_verdict *verdict;
  size_t count;
  struct sciara_trace trace; ///< of serial in that precision; empty with `against`
  double reference_s;        ///< seconds in serial of that precision
};

/** An engine to validate. */
struct sciara_candidate {
  const char *name;
  const struct sciara_engine_ops *ops; ///< NULL: not available
  struct sciara_engine_options options;
  const char *why_not;
};

/**
 * Runs the candidates beside the reference. An exact engine passes with the same bits at every look. One of the class
 * tolerance passes when, beside serial in double precision, the Jaccard index of the covered cells is at least 0.999 in
 * double and 0.95 in single precision, and the ledger closes to 1e-12 (or to the rounding of the altitudes) and 1e-5.
 * Beside a trace it is judged by its ledger alone.
 *
 * All of them live side by side in memory; where that was not free (the problem's forecast), SCIARA_ERR_MEMORY before any
 * engine is started. A candidate that fails is a verdict, not an error.
 */
enum sciara_status sciara_validate(struct sciara_validation *v, const struct sciara_candidate *candidate, size_t count);
void sciara_validation_free(struct sciara_validation *v);

#endif
