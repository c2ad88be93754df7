// SPDX-License-Identifier: Apache-2.0
// How long a run will take: a probe of its first steps on the engine that would run, extrapolated. Writes no file.
#ifndef SCIARA_SIM_TIME_ESTIMATE_H
#define SCIARA_SIM_TIME_ESTIMATE_H

#include "sim/problem.h"

/** Grids with more cells are not probed: loading them into an engine alone would take seconds. */
#define SCIARA_ESTIMATE_MOST_CELLS 3e7

/** Zero: there is no estimate. */
struct sciara_estimate {
  bool made;
  bool whole;               ///< the probe was the whole run: its numbers are exact
  uint64_t probed;          ///< steps of the probe
  double end_low, end_high; ///< simulated time of the end, s; INFINITY: no end
  double steps_low, steps_high;
  double wall_low, wall_high; ///< computing, s
  int threads;
};

/** What is known of a run after some of its steps. */
struct sciara_probe {
  uint64_t steps;
  double time, wall;         ///< simulated and wall-clock time of all steps, s
  double clock;              ///< mean clock of the later half, s
  double per_step, per_cell; ///< wall-clock time of a step and of a cell-step in the later half, s
  double liquid;             ///< liquid cells at its end
};

/** Simulated time in which lava of this thickness, m, cools from T_vent to T_sol, s; INFINITY without cooling. */
double sciara_cooling_time(const struct sciara_problem *p, double thickness);

/** Extrapolates a probe to the end of the run. */
struct sciara_estimate sciara_estimate_from(const struct sciara_problem *p, const struct sciara_probe *probe);

/**
 * Executes steps for at most `seconds` of wall-clock time, and extrapolates. The problem is not changed.
 *
 * @return the error of an engine that cannot run; `out` is then zero
 */
enum sciara_status sciara_estimate_make(const struct sciara_problem *p, double seconds, struct sciara_estimate *out);

#endif
