// SPDX-License-Identifier: Apache-2.0
// Claims about the shortcuts of engine openmp, compared with the rule itself: a decision without a root is that of the
// rule, and few cases stay open; model/subnormal.h is bit-identical to the operations it replaces; and both components of a
// velocity at once are those of the eight directions.
// test_shortcuts_single.c: in single precision.
#include "model/shortcut.h"
#include "model/subnormal.h"
#include "support/random.h"

enum { CASES = 400000 };

static bool identical(real a, real b) { return memcmp(&a, &b, sizeof a) == 0; }

/** A thickness, height or speed of any size, sometimes a special value. */
static real any_size(double least, double most) { return (real)pow(10, uniform(least, most)); }

static void compare_shortcut(const struct sciara_rule *rule, real h, real hc, real top, real v0, int *doubts) {
  struct sciara_slope s = {.v0 = v0};
  const bool open = sciara_slope_open(rule, h, hc, top, &s);
  const struct sciara_shortcut answer = sciara_shortcut_open(rule, h, hc, top, sciara_head(rule, v0));
  *doubts += answer.doubt;
  ck_assert_msg(answer.doubt || answer.open == open, "h %.17g, hc %.17g, top %.17g, v0 %.17g: %d, the rule says %d",
                (double)h, (double)hc, (double)top, (double)v0, answer.open, open);
}

TEST_EACH(shortcut_agrees_with_the_rule, 2) {
  const struct sciara_params params = sciara_params_default();
  const struct sciara_rule rule = sciara_rule_make(&params, _i == 0 ? 10 : 2);
  int doubts = 0, near = 0;
  for (int k = 0; k < CASES; k++) {
    const real h = any_size(-3, 1.5), hc = any_size(-2, 2), top = (real)uniform(-20, 20);
    compare_shortcut(&rule, h, hc, top, chance(2) ? 0 : any_size(-6, 1), &doubts);
  }
  ck_assert_int_lt(doubts, CASES / 1000);
  for (int k = 0; k < CASES; k++) { // the critical height within a few roundings of the limit
    struct sciara_slope s = {.v0 = chance(2) ? 0 : any_size(-6, 1)};
    const real h = any_size(-3, 1.5), top = (real)uniform(-20, 20), head = sciara_head(&rule, s.v0);
    sciara_slope_open(&rule, h, 1, top, &s);
    const real effective = top <= head ? h : (head + h) - top;
    if (!(effective > 0)) continue;
    const real step = (real)(sizeof(real) == sizeof(double) ? DBL_EPSILON : (double)FLT_EPSILON);
    compare_shortcut(&rule, h, effective * (s.path / rule.cell_size) * (1 + (real)((double)(k % 9 - 4)) * step), top,
                     s.v0, &near);
  }
  ck_assert_int_gt(near, CASES / 10); // these do need the rule
}

TEST(shortcut_leaves_special_values_to_the_rule) {
  const struct sciara_params params = sciara_params_default();
  const struct sciara_rule rule = sciara_rule_make(&params, 10);
  const real odd[] = {0, (real)NAN, (real)INFINITY, -(real)INFINITY, (real)1e-30, (real)1e30,
                      1, -1,        (real)1e15,     (real)-1e15};
  enum { ODD = sizeof odd / sizeof *odd };
  int doubts = 0;
  for (int a = 0; a < ODD; a++)
    for (int b = 0; b < ODD; b++)
      for (int c = 0; c < ODD; c++)
        for (int d = 0; d < ODD; d++)
          if (!(odd[a] < 0) && !(odd[b] < 0)) compare_shortcut(&rule, odd[a], odd[b], odd[c], odd[d], &doubts);
  ck_assert_int_gt(doubts, 0);
  for (int k = 0; k < CASES; k++) // values whose squares are out of range
    compare_shortcut(&rule, any_size(-37, 37), any_size(-37, 37), any_size(-37, 37), any_size(-37, 15), &doubts);
}

/** A subnormal number: small values as often as large ones. */
static real subnormal(void) {
  const int bits = (int)uniform(1, sizeof(real) == sizeof(double) ? 52 : 23);
  const double size = floor(uniform(1, ldexp(1, bits)));
  const double x = ldexp(size, sizeof(real) == sizeof(double) ? -1074 : -149);
  return (real)(chance(2) ? x : -x);
}

TEST(subnormal_momenta_fade_as_they_do) {
  const real special[] = {(real)0.5, 1, (real)1.5, 2, 3, 4, (real)0.25, (real)2 / 3, 0, (real)1e-20, (real)1e20};
  enum { SPECIAL = sizeof special / sizeof *special };
  int alive = 0;
  for (int k = 0; k < 4 * CASES; k++) {
    const real p = subnormal(), h = chance(4) ? special[k % SPECIAL] : any_size(-3, 1.5);
    const real h0 = chance(3) ? h : chance(4) ? special[(k / 7) % SPECIAL] : h * (real)uniform(0, 1);
    const real keep = chance(4) ? special[(k / 3) % SPECIAL] : (real)uniform(0.3, 1);
    if (!(h > 0)) continue;
    ck_assert(sciara_is_subnormal(p));
    const real expected = sciara_inflow_residual(h0, sciara_real_div(p, h), 0, keep, 1).px;
    const real found = sciara_fade_subnormal(p, h, h0, keep);
    alive += expected != 0;
    ck_assert_msg(identical(expected, found), "%a of %a m, %a m stay, times %a: %a, not %a", (double)p, (double)h,
                  (double)h0, (double)keep, (double)found, (double)expected);
  }
  ck_assert_int_gt(alive, CASES);
  ck_assert(!sciara_is_subnormal(0) && !sciara_is_subnormal(1) && !sciara_is_subnormal((real)NAN));
  ck_assert(!sciara_is_subnormal((real)(sizeof(real) == sizeof(double) ? DBL_MIN : (double)FLT_MIN)));
}

TEST(both_components_of_a_velocity) {
  const real special[] = {0, (real)-0.0, 1, -1, (real)NAN, (real)INFINITY};
  for (int k = 0; k < CASES; k++) {
    real vx = (chance(2) ? 1 : -1) * any_size(-6, 1), vy = (chance(2) ? 1 : -1) * any_size(-6, 1);
    if (chance(8)) vx = special[k % 6];
    if (chance(8)) vy = special[k / 6 % 6];
    if (chance(8)) vy = vx;
    const struct sciara_start start = sciara_start_of(vx, vy);
    for (int i = 1; i < SCIARA_MOORE; i++) {
      const real part = i == start.axis ? start.speed_on_axis : i == start.diagonal ? start.speed_on_diagonal : 0;
      const real expected = sciara_initial_speed(i, vx, vy);
      ck_assert_msg(identical(expected, part) || (sciara_is_nan(expected) && sciara_is_nan(part)),
                    "(%g, %g) towards neighbour %d: %g, not %g", (double)vx, (double)vy, i, (double)part,
                    (double)expected);
    }
  }
}

RUN_TESTS()
