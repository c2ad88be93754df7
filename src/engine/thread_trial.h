// SPDX-License-Identifier: Apache-2.0
// How many threads are worth their waiting is measured while the steps go on: the lava, the caches and other programs decide it.
// A trial has three periods: the present number of threads, twice or half as many, the present number. The other number is taken if
// it was faster than both of its neighbours. Results do not depend on the number of threads.
// Included by this room alone.
#ifndef SCIARA_ENGINE_THREAD_TRIAL_H
#define SCIARA_ENGINE_THREAD_TRIAL_H

#include <stdbool.h>

struct sciara_thread_trial {
  int most;        ///< largest number of threads
  int usual;       ///< threads between trials
  int period;      ///< of the trial: 0 before it, then 1, 2 (the other number), 3
  bool fewer;      ///< the other number is half of the usual one, not twice
  double pause;    ///< time from the last trial to the next, s
  double patience; ///< the pause after a trial that changed nothing, s; doubled by each
  double from;     ///< when this period began, s
  double steps;    ///< since then
  bool settles;    ///< the steps until the next call do not count: a team is formed, and memory moves
  double rate[4];  ///< steps per second of the periods that have ended
  double spent;    ///< time with the other number, s
};

/** Begins with `usual` threads of at most `most`. */
static inline void sciara_thread_trial_begin(struct sciara_thread_trial *t, int usual, int most) {
  *t = (struct sciara_thread_trial){.most = most, .usual = usual, .fewer = usual > 1, .patience = 0.01};
}

/** The other number of the trial. */
static inline int sciara_thread_trial_other(const struct sciara_thread_trial *t) {
  const int other = t->fewer ? t->usual / 2 : 2 * t->usual;
  return other < 1 ? 1 : other > t->most ? t->most : other;
}

/** Takes the number that was faster, and chooses the next one to be tried. */
static inline void sciara_thread_trial_decide(struct sciara_thread_trial *t) {
  enum { COST = 50 }; // a trial may cost one part of so many of the time
  const double shortest = 0.01, longest = 2, enough = t->fewer ? 0.95 : 1.1, alike = 1.25;
  const double *rate = t->rate, low = rate[1] < rate[3] ? rate[1] : rate[3], high = rate[1] + rate[3] - low;
  const bool better = rate[2] > enough * high;
  const double lost = t->spent - t->spent * rate[2] / low; // time that the other number cost
  if (!better && high < alike * low) {                     // else the lava or another program changed the speed
    t->fewer = !t->fewer;
    t->patience = 2 * t->patience < longest ? 2 * t->patience : longest;
  }
  t->pause = better || high > alike * low ? shortest : t->patience;
  if (t->pause < COST * lost) t->pause = COST * lost;
  if (better) t->usual = sciara_thread_trial_other(t);
  if (t->usual == 1) t->fewer = false;
  if (t->usual == t->most) t->fewer = t->most > 1;
}

/** Length of this period, s. Those of a trial become longer as trials become rare. */
static inline double sciara_thread_trial_length(const struct sciara_thread_trial *t) {
  const double shortest = 0.0004, length = t->patience / 100;
  return t->period == 0 ? t->pause : length < shortest ? shortest : length;
}

/** Whether this period is longer than was planned: threads that wait for a core may need seconds for some steps. */
static inline bool sciara_thread_trial_is_late(const struct sciara_thread_trial *t, double now) {
  return t->most > 1 && now - t->from > 2 * sciara_thread_trial_length(t) + 0.004;
}

/**
 * The number of threads for the next steps.
 * @param now  time spent in steps, s
 * @param steps  since the last call
 */
static inline int sciara_thread_trial_next(struct sciara_thread_trial *t, double now, double steps) {
  const double spent = now - t->from;
  const bool ends = t->most > 1 && spent > sciara_thread_trial_length(t), settles = t->settles;
  t->steps += steps;
  if (ends && !settles) {
    t->rate[t->period] = t->steps / spent;
    if (t->period == 2) t->spent = spent;
    t->period = (t->period + 1) % 4;
    if (t->period == 0) sciara_thread_trial_decide(t);
  }
  if (ends || settles) {
    t->settles = !settles && t->period > 1;
    t->from = now;
    t->steps = 0;
  }
  return t->period == 2 ? sciara_thread_trial_other(t) : t->usual;
}

#endif
