// SPDX-License-Identifier: Apache-2.0
// How simulations end: texts and numbers are those of docs/formats.md, which files of earlier versions hold.

#include "sim/end.h"

static const struct {
  enum sciara_stop_reason reason;
  const char *name;
  uint64_t number;
  bool early, stuck;
} ends[] = {{SCIARA_STOP_NONE, "none", 0, false, false},     {SCIARA_STOP_SOLIDIFIED, "solidified", 1, false, false},
            {SCIARA_STOP_TIME, "time", 2, false, false},     {SCIARA_STOP_FRONT, "front at rest", 3, false, false},
            {SCIARA_STOP_STEPS, "steps", 4, true, false},    {SCIARA_STOP_STALLED, "stalled", 5, true, true},
            {SCIARA_STOP_THICK, "thickness", 6, true, true}, {SCIARA_STOP_CANCEL, "cancel", 0, true, false},
            {SCIARA_STOP_WALL, "none", 0, false, false},     {SCIARA_STOP_RING, "none", 0, false, false},
            {SCIARA_STOP_OUTGROWN, "none", 0, false, false}};
enum { ENDS = sizeof ends / sizeof *ends };

TEST_EACH(texts_and_numbers, ENDS) {
  const enum sciara_stop_reason reason = ends[_i].reason;
  ck_assert_str_eq(sciara_end_name(reason), ends[_i].name);
  ck_assert_uint_eq(sciara_end_number(reason), ends[_i].number);
  ck_assert_int_eq(sciara_end_of_number(ends[_i].number), ends[_i].number > 0 ? reason : SCIARA_STOP_NONE);
}

TEST_EACH(before_the_own_stop_rule, ENDS) {
  const enum sciara_stop_reason reason = ends[_i].reason;
  ck_assert_int_eq(sciara_end_is_early(reason, true), ends[_i].early);
  ck_assert_int_eq(sciara_end_is_early(reason, false), ends[_i].early || reason == SCIARA_STOP_TIME);
  ck_assert_int_eq(sciara_end_is_stuck(reason), ends[_i].stuck);
}

TEST(unknown_numbers) {
  ck_assert_int_eq(sciara_end_of_number(7), SCIARA_STOP_NONE);
  ck_assert_int_eq(sciara_end_of_number(UINT64_MAX), SCIARA_STOP_NONE);
  ck_assert_str_eq(sciara_end_name((enum sciara_stop_reason)99), "none");
}

RUN_TESTS()
