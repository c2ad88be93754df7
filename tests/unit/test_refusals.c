// SPDX-License-Identifier: Apache-2.0
// Claims about base/refusals.h: order, limit, the first one as the verdict.
#include <check.h>
#include <string.h>

#include "base/refusals.h"

START_TEST(test_none) {
  struct sciara_refusals r = {0};
  sciara_refusals_add(&r, SCIARA_OK);
  ck_assert_uint_eq(r.count, 0);
  ck_assert_int_eq(sciara_refusals_verdict(&r), SCIARA_OK);
  sciara_refusals_free(&r);
}
END_TEST

START_TEST(test_order_and_verdict) {
  struct sciara_refusals r = {0};
  sciara_refusals_add(&r, sciara_fail(SCIARA_ERR_IO, "first"));
  sciara_refusals_add(&r, SCIARA_OK);
  sciara_refusals_add(&r, sciara_fail(SCIARA_ERR_INPUT, "second"));
  sciara_fail(SCIARA_ERR_USAGE, "something else");
  ck_assert_int_eq(sciara_refusals_verdict(&r), SCIARA_ERR_IO);
  ck_assert_str_eq(sciara_last_error(), "first");
  ck_assert_uint_eq(r.count, 2);
  ck_assert_uint_eq(r.kept, 2);
  ck_assert_str_eq(r.sentence[1], "second");
  sciara_refusals_free(&r);
  ck_assert_uint_eq(r.count, 0);
  ck_assert_int_eq(r.first, SCIARA_OK);
}
END_TEST

START_TEST(test_limit) {
  struct sciara_refusals r = {0};
  for (int k = 0; k < SCIARA_REFUSALS_KEPT + 7; k++) {
    ck_assert_int_eq(sciara_refusals_full(&r), k >= SCIARA_REFUSALS_KEPT);
    sciara_refusals_add(&r, sciara_fail(SCIARA_ERR_INPUT, "refusal %d", k));
  }
  ck_assert_uint_eq(r.kept, SCIARA_REFUSALS_KEPT);
  ck_assert_uint_eq(r.count, SCIARA_REFUSALS_KEPT + 7);
  ck_assert_str_eq(r.sentence[SCIARA_REFUSALS_KEPT - 1], "refusal 99");
  ck_assert_int_eq(sciara_refusals_verdict(&r), SCIARA_ERR_INPUT);
  ck_assert_str_eq(sciara_last_error(), "refusal 0");
  sciara_refusals_free(&r);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("refusals");
  TCase *tests = tcase_create("all");
  tcase_add_test(tests, test_none);
  tcase_add_test(tests, test_order_and_verdict);
  tcase_add_test(tests, test_limit);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
