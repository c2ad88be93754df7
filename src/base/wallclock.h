// SPDX-License-Identifier: Apache-2.0
// Wall-clock time, for time limits and timings; no result may depend on it.
#ifndef SCIARA_BASE_WALLCLOCK_H
#define SCIARA_BASE_WALLCLOCK_H

#include <time.h>

/** Seconds since a fixed moment; never decreases. */
static inline double sciara_wallclock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
