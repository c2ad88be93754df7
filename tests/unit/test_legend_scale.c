// SPDX-License-Identifier: Apache-2.0
// Claims about the scale of a legend: round numbers that cover the range.
#include "picture/map_picture_parts.h"

static const struct {
  double span;
  int most;
  double step;
} steps[] = {{10, 10, 1},     {10, 9, 2},      {10, 5, 2},    {10, 4, 5}, {10, 1, 10},      {10.01, 1, 20}, {7.3, 8, 1},
             {0.03, 5, 0.01}, {1e-9, 1, 1e-9}, {6e5, 3, 2e5}, {0, 5, 1},  {INFINITY, 5, 1}, {NAN, 5, 1}};

TEST_EACH(steps_are_1_2_5, sizeof steps / sizeof *steps) {
  const double found = sciara_round_step(steps[_i].span, steps[_i].most);
  ck_assert_msg(fabs(found - steps[_i].step) <= 1e-9 * steps[_i].step, "%g in %d: %g", steps[_i].span, steps[_i].most,
                found);
}

static const struct {
  double low, high;
  const char *unit;
  double from, step;
  int count;
  const char *shown;
} scales[] = {
    {0, 7.31, "m", 0, 1, 8, "m"},
    {0, 8, "m", 0, 1, 8, "m"},
    {0, 8.01, "m", 0, 2, 5, "m"},
    {1143, 1360, "K", 1100, 50, 6, "K"},
    {-0.3, 0.41, "m2 s-1", -0.3, 0.1, 8, "m\302\262/s"},
    {0, 0.9, "m s-1", 0, 0.2, 5, "m/s"},
    {0, 86400, "s", 0, 3, 8, "h"},
    {0, 600, "s", 0, 2, 5, "min"},
    {0, 119, "s", 0, 20, 6, "s"},
    {0, 10 * 86400, "s", 0, 2, 5, "d"},
    {0, 5000, "s", 0, 15, 6, "min"},
    {0, 120, "s", 0, 1, 2, "min"}, // the units change exactly at these times
    {0, 7199, "s", 0, 15, 8, "min"},
    {0, 7200, "s", 0, 1, 2, "h"},
    {0, 2 * 86400 - 1, "s", 0, 6, 8, "h"},
    {0, 2 * 86400, "s", 0, 0.5, 4, "d"},
};

TEST_EACH(scales_have_round_ends_and_units_for_people, sizeof scales / sizeof *scales) {
  const struct sciara_legend_scale s = sciara_legend_scale(scales[_i].low, scales[_i].high, scales[_i].unit, 8);
  ck_assert_msg(fabs(s.low - scales[_i].from) < 1e-9 && fabs(s.step - scales[_i].step) < 1e-9 &&
                    s.steps == scales[_i].count,
                "%g to %g: %g + %d x %g", scales[_i].low, scales[_i].high, s.low, s.steps, s.step);
  ck_assert_str_eq(s.unit, scales[_i].shown);
  ck_assert_double_le(sciara_legend_low(&s), scales[_i].low + 1e-6);
  ck_assert_double_ge(sciara_legend_high(&s), scales[_i].high - 1e-6);
}

TEST(odd_ranges_have_a_scale_too) {
  const double ranges[][2] = {{1e20, 1e20}, {0, DBL_MIN / 4}, {0, 1e30}, {-1e-30, 0}};
  for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
    const struct sciara_legend_scale s = sciara_legend_scale(ranges[k][0], ranges[k][1], "m", 8);
    ck_assert_msg(s.steps >= 1 && s.steps <= 10 && s.step > 0, "%g: %d x %g", ranges[k][1], s.steps, s.step);
  }
}

RUN_TESTS()
