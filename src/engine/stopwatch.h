// SPDX-License-Identifier: Apache-2.0
// The time of the elementary processes, for engines on the host. If it is off, its cost is not measurable.
// Included by this room alone.
#ifndef SCIARA_ENGINE_STOPWATCH_H
#define SCIARA_ENGINE_STOPWATCH_H

#include "base/wallclock.h"
#include "engine/engine.h"

struct sciara_stopwatch {
  bool on;     ///< setup.profile
  double last; ///< when the last lap ended, s of wall-clock time
  struct sciara_engine_profile sum;
};

/** Starts the first lap of a step. */
static inline void sciara_stopwatch_start(struct sciara_stopwatch *w) {
  if (w->on) w->last = sciara_wallclock();
}

/** Ends a lap, adds its time to `process`, and starts the next lap. */
static inline void sciara_stopwatch_lap(struct sciara_stopwatch *w, enum sciara_process process) {
  if (!w->on) return;
  const double now = sciara_wallclock();
  w->sum.seconds[process] += now - w->last;
  w->last = now;
}

/** Ends the last lap of a step. */
static inline void sciara_stopwatch_stop(struct sciara_stopwatch *w, enum sciara_process process) {
  sciara_stopwatch_lap(w, process);
  w->sum.timed_steps += w->on;
}

#endif
