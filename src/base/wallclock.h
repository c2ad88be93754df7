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

/** Time of the processor that the calling thread has used, s. */
static inline double sciara_thread_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
