// SPDX-License-Identifier: Apache-2.0
// Seconds that pass for the machine, for time limits and timings; never for anything that a result depends on.
#ifndef SCIARA_BASE_WALLCLOCK_H
#define SCIARA_BASE_WALLCLOCK_H

#include <time.h>

/** Seconds since some fixed moment; never goes back. */
static inline double sciara_wallclock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
