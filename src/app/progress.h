// SPDX-License-Identifier: Apache-2.0
// How far a run is: one line on a terminal, a message every 30 s elsewhere.
#ifndef SCIARA_APP_PROGRESS_H
#define SCIARA_APP_PROGRESS_H

#include "sim/simulation.h"

struct sciara_progress_view {
  double begin, last_shown; ///< seconds of the wall clock
  uint64_t last_step;
  double speed; ///< steps/s, smoothed; 0 before the first line
};

void sciara_progress_begin(struct sciara_progress_view *v);

/** Shows where the simulation stands, if it is time to. */
void sciara_progress_show(struct sciara_progress_view *v, const struct sciara_simulation *s);

/** Share of the run that is done, 0 to 1, as far as the stop rule and the vents tell. */
double sciara_progress_share(const struct sciara_simulation *s);

#endif
