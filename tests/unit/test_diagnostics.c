// SPDX-License-Identifier: Apache-2.0
// Claims about base/diagnostics.h: order, limit, and that the first diagnostic is the result.
#include "base/diagnostics.h"

TEST(test_none) {
  OWNED(sciara_diagnostics_free) struct sciara_diagnostics r = {0};
  sciara_diagnostics_add(&r, SCIARA_OK);
  ck_assert_uint_eq(r.count, 0);
  expect_ok(sciara_diagnostics_status(&r));
}

TEST(test_order_and_status) {
  struct sciara_diagnostics r = {0};
  sciara_diagnostics_add(&r, sciara_fail(SCIARA_ERR_IO, "first"));
  sciara_diagnostics_add(&r, SCIARA_OK);
  sciara_diagnostics_add(&r, sciara_fail(SCIARA_ERR_INPUT, "second"));
  sciara_fail(SCIARA_ERR_USAGE, "something else");
  ck_assert_int_eq(sciara_diagnostics_status(&r), SCIARA_ERR_IO);
  ck_assert_str_eq(sciara_last_error(), "first");
  ck_assert_uint_eq(r.count, 2);
  ck_assert_uint_eq(r.kept, 2);
  ck_assert_str_eq(r.sentence[1], "second");
  sciara_diagnostics_free(&r);
  ck_assert_uint_eq(r.count, 0);
  ck_assert_int_eq(r.first, SCIARA_OK);
}

TEST(test_limit) {
  OWNED(sciara_diagnostics_free) struct sciara_diagnostics r = {0};
  for (int k = 0; k < SCIARA_DIAGNOSTICS_MOST + 7; k++) {
    ck_assert_int_eq(sciara_diagnostics_full(&r), k >= SCIARA_DIAGNOSTICS_MOST);
    sciara_diagnostics_add(&r, sciara_fail(SCIARA_ERR_INPUT, "diagnostic %d", k));
  }
  ck_assert_uint_eq(r.kept, SCIARA_DIAGNOSTICS_MOST);
  ck_assert_uint_eq(r.count, SCIARA_DIAGNOSTICS_MOST + 7);
  ck_assert_str_eq(r.sentence[SCIARA_DIAGNOSTICS_MOST - 1], "diagnostic 99");
  ck_assert_int_eq(sciara_diagnostics_status(&r), SCIARA_ERR_INPUT);
  ck_assert_str_eq(sciara_last_error(), "diagnostic 0");
}

RUN_TESTS()
