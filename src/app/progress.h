// SPDX-License-Identifier: Apache-2.0
// The progress of a run: one line on a terminal; elsewhere a message every 30 s, or at the requested interval.
#ifndef SCIARA_APP_PROGRESS_H
#define SCIARA_APP_PROGRESS_H

#include "sim/simulation.h"

struct sciara_progress_view {
  double every;                        ///< seconds between two messages
  double begin, last_shown, last_kept; ///< seconds of the wall clock
  uint64_t last_step;
  double last_time;  ///< simulated, s
  double speed;      ///< steps/s, smoothed; 0 before the first line
  double real_times; ///< simulated seconds in a second, smoothed
};

/** `every`: seconds between two messages if there is no terminal; 0: 30. */
void sciara_progress_begin(struct sciara_progress_view *v, double every);

/** Shows the progress of the simulation when it is due. */
void sciara_progress_show(struct sciara_progress_view *v, const struct sciara_simulation *s);

/** Completed fraction of the run, 0 to 1, estimated from the stop rule and the vents. */
double sciara_progress_share(const struct sciara_simulation *s);

#endif
