// SPDX-License-Identifier: Apache-2.0
// The number of threads that trials find, on machines whose speed is known.
#include "engine/thread_trial.h"

enum { CORES = 4, EVERY = 64 };

/** Time of a step, s: work of `one`, and a wait for each further thread, `stall` of it for a core that others use. */
static double time_of_step(int n, double one, double stall) { return one / n + (n - 1) * (4e-6 + stall); }

/** Speed of the steps of `duration` s, asked as the engine asks, divided by that of `best` threads. */
static double speed(struct sciara_thread_trial *t, double *now, double duration, double one, double stall, int best) {
  const double end = *now + duration;
  int steps = 0, asked = 0, used = t->usual;
  while (*now < end) {
    *now += time_of_step(used, one, stall);
    steps++;
    if (steps % EVERY != 0 && !sciara_thread_trial_is_late(t, *now)) continue;
    used = sciara_thread_trial_next(t, *now, steps - asked);
    ck_assert(used >= 1 && used <= CORES);
    asked = steps;
  }
  return steps * time_of_step(best, one, stall) / duration;
}

static const struct {
  double one, stall;
  int best;
} machine[] = {{5e-6, 0, 1}, {12e-6, 0, 2}, {60e-6, 0, CORES}, {50e-6, 8e-3, 1}, {0.4, 0, CORES}, {0.4, 8e-3, CORES}};

TEST_FROM(finds_the_fastest_number, 0, 6 * CORES) {
  const double one = machine[_i / CORES].one, stall = machine[_i / CORES].stall;
  struct sciara_thread_trial t;
  double now = 0;
  sciara_thread_trial_begin(&t, 1 + _i % CORES, CORES);
  speed(&t, &now, 1 + 500 * one, one, stall, 1);
  ck_assert_double_gt(speed(&t, &now, 10 + 500 * one, one, stall, machine[_i / CORES].best), 0.96);
}

TEST(follows_other_programs) {
  struct sciara_thread_trial t;
  double now = 0;
  sciara_thread_trial_begin(&t, CORES, CORES);
  for (int n = 0; n < 5; n++) {
    const double stall = n % 2 * 8e-3;
    speed(&t, &now, 5, 100e-6, stall, 1);
    ck_assert_double_gt(speed(&t, &now, 5, 100e-6, stall, stall > 0 ? 1 : CORES), 0.95);
  }
}

RUN_TESTS()
