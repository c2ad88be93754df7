// SPDX-License-Identifier: Apache-2.0
// sciara_compare_values: what differs, by how much, and what exceeds a tolerance that is relative to the reference, the
// first of the two.
#include "analysis/compare.h"

static struct sciara_difference of(double a, double b, double tolerance) {
  return sciara_compare_values(&a, &b, 1, tolerance);
}

TEST(the_first_is_the_reference) {
  ck_assert_uint_eq(of(8, 16, 1).beyond, 0);    // 8 <= 1 x 8
  ck_assert_uint_eq(of(8, 16, 0.75).beyond, 1); // 8 > 0.75 x 8, and <= 0.75 x 16
  ck_assert_uint_eq(of(16, 8, 0.75).beyond, 0);
  ck_assert_uint_eq(of(16, 8, 0.25).beyond, 1);
  ck_assert_uint_eq(of(-16, -8, 0.75).beyond, 0); // the same for negative values
  ck_assert_uint_eq(of(-8, -16, 0.75).beyond, 1);
}

TEST(small_values_are_compared_as_such) {
  ck_assert_uint_eq(of(0, 0.5, 0.5).beyond, 0); // not relative to 0
  ck_assert_uint_eq(of(0, nextafter(0.5, 1), 0.5).beyond, 1);
  ck_assert_uint_eq(of(0.25, 0.75, 0.5).beyond, 0);
  ck_assert_uint_eq(of(1, 1.5, 0.5).beyond, 0);
  ck_assert_uint_eq(of(2, 3, 0.5).beyond, 0);
  ck_assert_uint_eq(of(2, nextafter(3, 4), 0.5).beyond, 1);
}

TEST(bits) {
  ck_assert_uint_eq(of(0, -0.0, 0).differing, 1); // no difference in value
  ck_assert_uint_eq(of(0, -0.0, 0).beyond, 0);
  ck_assert_uint_eq(of(1, nextafter(1, 2), 0).differing, 1);
  ck_assert_uint_eq(of(1, nextafter(1, 2), 0).beyond, 1);
  const struct sciara_difference same = of(7, 7, 0);
  ck_assert(same.differing == 0 && same.beyond == 0 && same.first == 1 && same.max_absolute == 0 &&
            same.max_relative == 0);
}

TEST(not_a_number) {
  ck_assert_uint_eq(of(NAN, 1, 1e9).beyond, 1);
  ck_assert_uint_eq(of(1, NAN, 1e9).beyond, 1);
  ck_assert_uint_eq(of(NAN, -NAN, 0).beyond, 0); // different bits, but neither is a number
  ck_assert_uint_eq(of(NAN, -NAN, 0).differing, 1);
  ck_assert_uint_eq(of(NAN, -NAN, 0).one, 0);
  ck_assert(of(NAN, 1, 0).one == 1 && of(1, NAN, 0).one == 1 && of(1, 2, 0).one == 0);
}

TEST(totals) {
  const double a[] = {0, 2, 0, 4, 5, 0, -1}, b[] = {0, 2, 3, 0, 4, 0, -1};
  const struct sciara_difference d = sciara_compare_values(a, b, 7, 0);
  ck_assert_uint_eq(d.differing, 3);
  ck_assert_uint_eq(d.first, 2);
  ck_assert_double_eq(d.max_absolute, 4);
  ck_assert_double_eq(d.max_relative, 1);
  ck_assert_double_eq(d.jaccard, 2.0 / 4); // above 0 in both: 1 and 4; in one: 2 and 3 too
  const struct sciara_difference c = sciara_compare_values(a + 3, b + 4, 2, 0); // 4 and 4, 5 and 0
  ck_assert(c.differing == 1 && c.first == 1 && c.max_relative == 1 && c.jaccard == 0.5);
  ck_assert_double_eq(of(5, 4, 0).max_relative, 0.2); // of the larger
  ck_assert_double_eq(of(4, 5, 0).max_relative, 0.2);
  ck_assert_double_eq(of(-5, -4, 0).max_relative, 0.2);
  ck_assert_double_eq(of(-4, -5, 0).max_relative, 0.2);
  ck_assert_double_eq(of(0, 0, 0).jaccard, 1);
  ck_assert_uint_eq(sciara_compare_values(NULL, NULL, 0, 0).differing, 0);
}

RUN_TESTS()
