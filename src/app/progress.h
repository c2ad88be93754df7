// SPDX-License-Identifier: Apache-2.0
// How far a run is: one line on a terminal; elsewhere a message every 30 s, or as often as is asked for.
#ifndef SCIARA_APP_PROGRESS_H
#define SCIARA_APP_PROGRESS_H

#include "run/simulation.h"

struct sciara_progress_view {
  double every;                        ///< seconds between two messages
  double begin, last_shown, last_kept; ///< seconds of the wall clock
  uint64_t last_step;
  double last_time;  ///< simulated, s
  double speed;      ///< steps/s, smoothed; 0 before the first line
  double real_times; ///< simulated seconds in a second, smoothed
};

/** `every`: seconds between two messages where there is no line; 0: 30. */
void sciara_progress_begin(struct sciara_progress_view *v, double every);

/** Shows where the simulation stands, if it is time to. */
void sciara_progress_show(struct sciara_progress_view *v, const struct sciara_simulation *s);

/** Share of the run that is done, 0 to 1, as far as the stop rule and the vents tell. */
double sciara_progress_share(const struct sciara_simulation *s);

#endif
