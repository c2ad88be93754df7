// SPDX-License-Identifier: Apache-2.0
// When the next snapshot is due: at each multiple once, at none twice, however quotients and products are rounded, and
// always later than now. When checkpoints and tests for towers are due.
#include "sim/agenda.h"

static const double intervals[] = {0.1, 1.0 / 49, 1e-3, 0.7, 1.0 / 3, 6 * 3600, 86400.0 * 7 / 11, 15, 1e-9, 12345.678};
enum { INTERVALS = sizeof intervals / sizeof *intervals };

TEST_EACH(each_multiple_once, INTERVALS) {
  const double every = intervals[_i];
  double time = 0;
  for (int k = 1; k <= 100000; k++) {
    const double next = sciara_next_multiple(every, time);
    if (next != k * every) ck_abort_msg("number %d of every %.17g s: %.17g, expected %.17g", k, every, next, k * every);
    time = next;
  }
}

/** The expected result of sciara_next_multiple, from the products themselves; time lies near k * every. */
static double search(double every, double time, double k) {
  for (double j = fmax(1, k - 3);; j++)
    if (j * every > time) return j * every;
}

TEST_EACH(the_first_one_after_any_time, INTERVALS) {
  srand(1);
  for (int n = 0; n < 100000; n++) {
    const double every = n % 2 ? intervals[_i] : exp(20.0 * rand() / RAND_MAX - 10),
                 k = 1 + rand() % (n % 3 ? 50 : 1 << 30);
    const double at = k * every;
    const double times[] = {at, nextafter(at, 0), nextafter(at, INFINITY), at + every / 3};
    for (int t = 0; t < 4; t++) {
      const double next = sciara_next_multiple(every, times[t]), expected = search(every, times[t], k);
      if (next != expected) ck_abort_msg("every %a s at %a s: %a, expected %a", every, times[t], next, expected);
    }
  }
}

// Both guards are needed: the quotient alone would be wrong here.
TEST(where_the_quotient_is_rounded) {
  int up = 0, down = 0;
  for (int k = 1; k < 100000; k++) {
    const double every = 1.0 / 49, at = k * every;
    down += floor(at / every) < k;
    up += floor(nextafter(at, 0) / every) == k;
  }
  ck_assert(up > 0 && down > 0);
}

TEST(later_than_now_always) {
  static const double tiny[] = {1e-20, 1e-300, 4.9e-324, 1e-12}, times[] = {1, 1e5, 3e7, 1e12};
  for (int e = 0; e < 4; e++)
    for (int t = 0; t < 4; t++) {
      const double next = sciara_next_multiple(tiny[e], times[t]);
      ck_assert_msg(next > times[t] && next <= times[t] * (1 + 4e-16) + tiny[e], "every %g s at %g s: %.17g", tiny[e],
                    times[t], next);
    }
  for (int e = 0; e < 4; e++) ck_assert_double_eq(sciara_next_multiple(tiny[e], 0), tiny[e]);
}

TEST(never_without_an_interval) {
  ck_assert(isinf(sciara_next_multiple(0, 5)) && isinf(sciara_next_multiple(-1, 5)) &&
            isinf(sciara_next_multiple(NAN, 5)));
  ck_assert_double_eq(sciara_next_multiple(1e12, 5), 1e12);
}

TEST(checkpoints_at_multiples) {
  struct sciara_agenda a = {.checkpoint_every = 60};
  sciara_agenda_begin(&a, 0);
  ck_assert(a.checkpoint == 60 && isinf(a.wall) && sciara_agenda_has_checkpoints(&a));
  ck_assert(!sciara_agenda_take(&a, nextafter(60, 0)).checkpoint);
  ck_assert(sciara_agenda_take(&a, 60).checkpoint);
  ck_assert(sciara_agenda_next(&a, 1).time == 120);
  ck_assert(!sciara_agenda_take(&a, 60).checkpoint);
  ck_assert(sciara_agenda_take(&a, 239.5).checkpoint);
  ck_assert_double_eq(a.checkpoint, 240);
  ck_assert(!sciara_agenda_wall_due(&a, false));
}

TEST(checkpoints_by_the_wall_clock) {
  struct sciara_agenda a = {.checkpoint_wall = 1e-9};
  sciara_agenda_begin(&a, 5);
  usleep(1000);
  ck_assert(isinf(a.checkpoint) && sciara_agenda_has_checkpoints(&a) && sciara_agenda_next(&a, 1).due == a.wall);
  const struct sciara_due due = sciara_agenda_take(&a, 5);
  ck_assert(due.checkpoint && !due.request && !due.snapshot);
  a.checkpoint_wall = 3600;
  sciara_agenda_checkpoint_done(&a, 5, true);
  ck_assert(!sciara_agenda_wall_due(&a, false) && !sciara_agenda_wall_due(&a, true));
  a.stored -= 11; // enough work would be lost
  ck_assert(!sciara_agenda_wall_due(&a, false) && sciara_agenda_wall_due(&a, true));
  const double stored = a.stored;
  sciara_agenda_checkpoint_done(&a, 5, false);
  ck_assert_double_eq(a.stored, stored);
}

TEST(requests_and_the_end_from_outside) {
  int cancel = 0, request = 1;
  const struct sciara_engine_progress paused = {.reason = SCIARA_STOP_WALL}, due = {.reason = SCIARA_STOP_TIME};
  struct sciara_agenda a = {.cancel = &cancel, .request = &request};
  sciara_agenda_begin(&a, 0);
  ck_assert(!sciara_agenda_has_checkpoints(&a));
  ck_assert(sciara_agenda_interrupts(&a) && request == 0 && !sciara_agenda_is_over(&a, &paused));
  ck_assert(sciara_agenda_interrupts(&a)); // until it is taken
  const struct sciara_due taken = sciara_agenda_take(&a, 0);
  ck_assert(taken.checkpoint && taken.request && !sciara_agenda_interrupts(&a));
  ck_assert(!sciara_agenda_take(&a, 0).checkpoint);
  cancel = 1;
  ck_assert(sciara_agenda_interrupts(&a) && sciara_agenda_is_over(&a, &paused));
  ck_assert(!sciara_agenda_is_over(&a, &due)); // first the output of this time
}

/** The samples up to `last` of lava that is deep in one of them. */
static int sample(uint64_t first, uint64_t deep, uint64_t last, uint64_t *steps) {
  struct sciara_agenda a = {0};
  struct sciara_engine_progress now = {.step = first};
  int count = 0;
  sciara_agenda_begin(&a, 0);
  sciara_agenda_sample_towers(&a, 3, first);
  while (now.step < last) {
    const struct sciara_advance_limit limit = sciara_agenda_next(&a, now.step);
    ck_assert(limit.step > now.step && (limit.thickness == 0 || limit.step == now.step + 1));
    now.step = limit.step;
    now.reason = limit.thickness > 0 ? SCIARA_STOP_THICK : SCIARA_STOP_STEPS;
    const bool much = sciara_agenda_towers_due(&a, &now);
    ck_assert_int_eq(much, limit.thickness == 3);
    if (much) steps[count++] = now.step;
    sciara_agenda_towers_done(&a, &now, much && now.step == deep);
  }
  return count;
}

TEST(samples_for_towers) {
  static const uint64_t expected[] = {64, 128, 256, 512, 1024, 2048, 4096, 8192, 12288};
  uint64_t found[32];
  ck_assert_int_eq(sample(0, 0, 12288, found), 9);
  for (int k = 0; k < 9; k++) ck_assert_uint_eq(found[k], expected[k]);
  ck_assert_int_eq(sample(100, 512, 12288, found), 7); // 128, 256, 512, 2048, 4096, 8192, 12288
  ck_assert_uint_eq(found[0], 128);
  ck_assert_uint_eq(found[3], 2048);
  ck_assert_int_eq(sample(8191, 8192, 32768, found), 2);
  ck_assert_uint_eq(found[1], 32768);
}

TEST(tests_for_towers_by_time) {
  struct sciara_agenda a = {0};
  sciara_agenda_begin(&a, 0);
  ck_assert(isinf(sciara_agenda_next(&a, 0).time) && sciara_agenda_next(&a, 0).step == UINT64_MAX);
  sciara_agenda_test_towers(&a, 80);
  for (int k = 1; k <= 8; k++) {
    struct sciara_engine_progress now = {.time = nextafter(10 * k, 0)};
    ck_assert_double_eq(sciara_agenda_next(&a, 0).time, 10 * k);
    ck_assert(!sciara_agenda_towers_due(&a, &now));
    now.time = 10 * k + 1;
    ck_assert(sciara_agenda_towers_due(&a, &now));
    sciara_agenda_towers_done(&a, &now, false);
  }
  ck_assert(isinf(sciara_agenda_next(&a, 0).time));
}

RUN_TESTS()
