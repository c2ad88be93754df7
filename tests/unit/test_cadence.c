// SPDX-License-Identifier: Apache-2.0
// When the next snapshot is due: at each multiple once, at none twice, however quotients and products are rounded, and
// always later than now.
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "sim/cadence.h"

static const double intervals[] = {0.1, 1.0 / 49, 1e-3, 0.7, 1.0 / 3, 6 * 3600, 86400.0 * 7 / 11, 15, 1e-9, 12345.678};
enum { INTERVALS = sizeof intervals / sizeof *intervals };

START_TEST(each_multiple_once) {
  const double every = intervals[_i];
  double time = 0;
  for (int k = 1; k <= 100000; k++) {
    const double next = sciara_next_multiple(every, time);
    if (next != k * every) ck_abort_msg("number %d of every %.17g s: %.17g, expected %.17g", k, every, next, k * every);
    time = next;
  }
}
END_TEST

/** The expected result of sciara_next_multiple, from the products themselves; time lies near k * every. */
static double search(double every, double time, double k) {
  for (double j = fmax(1, k - 3);; j++)
    if (j * every > time) return j * every;
}

START_TEST(the_first_one_after_any_time) {
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
END_TEST

// Both guards are needed: the quotient alone would be wrong here.
START_TEST(where_the_quotient_is_rounded) {
  int up = 0, down = 0;
  for (int k = 1; k < 100000; k++) {
    const double every = 1.0 / 49, at = k * every;
    down += floor(at / every) < k;
    up += floor(nextafter(at, 0) / every) == k;
  }
  ck_assert(up > 0 && down > 0);
}
END_TEST

START_TEST(later_than_now_always) {
  static const double tiny[] = {1e-20, 1e-300, 4.9e-324, 1e-12}, times[] = {1, 1e5, 3e7, 1e12};
  for (int e = 0; e < 4; e++)
    for (int t = 0; t < 4; t++) {
      const double next = sciara_next_multiple(tiny[e], times[t]);
      ck_assert_msg(next > times[t] && next <= times[t] * (1 + 4e-16) + tiny[e], "every %g s at %g s: %.17g", tiny[e],
                    times[t], next);
    }
  for (int e = 0; e < 4; e++) ck_assert_double_eq(sciara_next_multiple(tiny[e], 0), tiny[e]);
}
END_TEST

START_TEST(never_without_an_interval) {
  ck_assert(isinf(sciara_next_multiple(0, 5)) && isinf(sciara_next_multiple(-1, 5)) &&
            isinf(sciara_next_multiple(NAN, 5)));
  ck_assert_double_eq(sciara_next_multiple(1e12, 5), 1e12);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("cadence");
  TCase *tests = tcase_create("all");
  tcase_set_timeout(tests, 60);
  tcase_add_loop_test(tests, each_multiple_once, 0, INTERVALS);
  tcase_add_loop_test(tests, the_first_one_after_any_time, 0, INTERVALS);
  tcase_add_test(tests, where_the_quotient_is_rounded);
  tcase_add_test(tests, later_than_now_always);
  tcase_add_test(tests, never_without_an_interval);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
