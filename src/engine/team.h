// SPDX-License-Identifier: Apache-2.0
// A barrier for a team of threads. There are several per step, every 10 to 1000 microseconds. A waiting thread spins
// for a few microseconds and then yields its core. In the barrier of the OpenMP runtime it spins for milliseconds,
// which on a busy machine makes a step a thousand times slower.
// Included by this room alone.
#ifndef SCIARA_ENGINE_TEAM_H
#define SCIARA_ENGINE_TEAM_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * Calls a function that forms a team of the OpenMP runtime. The runtime keeps the threads of a team for the next one of
 * the same caller; in the child of a fork they do not exist, and a team would wait for them for ever. So in a child the
 * function is called in a new thread, for which the runtime makes new threads; its error becomes that of the caller.
 * @return false: no thread could be started, the function was not called
 */
bool sciara_team_call(void (*work)(void *context), void *context);

struct sciara_team {
  int size;       ///< threads
  int arrived;    ///< at the barrier
  uint32_t phase; ///< barriers passed
};

static inline void sciara_team_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/** Returns when all `size` threads have called it; everything they wrote before is then visible to all. */
static inline void sciara_team_wait(struct sciara_team *team) {
  enum { SPINS = 100 };
  if (team->size == 1) return;
  const uint32_t phase = __atomic_load_n(&team->phase, __ATOMIC_ACQUIRE);
  if (__atomic_add_fetch(&team->arrived, 1, __ATOMIC_ACQ_REL) == team->size) {
    __atomic_store_n(&team->arrived, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&team->phase, phase + 1, __ATOMIC_RELEASE);
    return;
  }
  for (int spins = 0; __atomic_load_n(&team->phase, __ATOMIC_ACQUIRE) == phase; spins++) {
    if (spins < SPINS)
      sciara_team_pause();
    else
      sched_yield();
  }
}

#endif
