// SPDX-License-Identifier: Apache-2.0
// An engine that is run directly, next to others: without the stop rule of a scenario, without snapshots.
#ifndef SCIARA_VERIFY_RUNNER_H
#define SCIARA_VERIFY_RUNNER_H

#include "engine/engine.h"
#include "sim/problem.h"

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
